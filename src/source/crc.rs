//! The checksum of gzip (CRC-32), eight bytes at a time. Its tables are made when they are first needed: 8 kB that do
//! not compress are not in the program.

use std::sync::LazyLock;

/// The remainder of each byte, followed by 0 to 7 zero bytes.
static TABLES: LazyLock<[[u32; 256]; 8]> = LazyLock::new(|| {
    let mut tables = [[0; 256]; 8];
    let bit = |rest: u32, _| if rest & 1 == 0 { rest >> 1 } else { rest >> 1 ^ 0xedb8_8320 };
    let mut rests: [u32; 256] = std::array::from_fn(|byte| (0..8).fold(byte as u32, bit));
    for table in &mut tables {
        *table = rests;
        rests = rests.map(|rest| (0..8).fold(rest, bit));
    }
    tables
});

/// The checksum of `bytes`.
#[expect(clippy::indexing_slicing, reason = "a byte, in tables of 256")]
pub fn crc32(bytes: &[u8]) -> u32 {
    let [t0, t1, t2, t3, t4, t5, t6, t7] = &*TABLES;
    let (words, rest) = bytes.as_chunks::<8>();
    let sum = words.iter().fold(u32::MAX, |sum, word| {
        let [a, b, c, d, e, f, g, h] = (u64::from_le_bytes(*word) ^ u64::from(sum)).to_le_bytes().map(usize::from);
        t7[a] ^ t6[b] ^ t5[c] ^ t4[d] ^ t3[e] ^ t2[f] ^ t1[g] ^ t0[h]
    });
    !rest.iter().fold(sum, |sum, byte| sum >> 8 ^ t0[usize::from(sum as u8 ^ byte)])
}

#[cfg(test)]
mod tests {
    use super::crc32;

    #[test]
    fn known_sums() {
        assert_eq!(crc32(b""), 0);
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(crc32(b"The quick brown fox jumps over the lazy dog"), 0x414f_a339);
    }
}
