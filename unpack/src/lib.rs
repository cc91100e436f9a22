//! What unpacks the page of one file (`share/boot.js` calls it, `xtask/src/page/pack.rs` packs for it): browsers unpack gzip by
//! themselves, and LZMA makes the page a quarter smaller.
//!
//! ```text
//!  room(n) ─► where n packed bytes go ─► unpack() ─► how many there are ─► unpacked(): where they are
//! ```
//!
//! Knows LZMA; not what is packed. Its exports are plain functions of numbers: a module of its own, with no glue.

use std::cell::RefCell;
use std::io::Read;

/// Most memory that unpacking may take beside what comes out, KiB.
const MOST: u32 = 64 << 10;

thread_local! {
    static PACKED: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static UNPACKED: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Makes room for so many packed bytes, and says where.
#[expect(unsafe_code, reason = "a name that JavaScript calls; the body has nothing unsafe")]
#[unsafe(no_mangle)]
pub extern "C" fn room(n: usize) -> *mut u8 {
    PACKED.with_borrow_mut(|packed| {
        *packed = vec![0; n];
        packed.as_mut_ptr()
    })
}

/// Unpacks what was put there: how many bytes there are. None: it is no LZMA, or it is damaged.
#[expect(unsafe_code, reason = "a name that JavaScript calls; the body has nothing unsafe")]
#[unsafe(no_mangle)]
pub extern "C" fn unpack() -> usize {
    let packed = PACKED.take();
    UNPACKED.with_borrow_mut(|unpacked| {
        *unpacked = all(&packed).unwrap_or_default();
        unpacked.len()
    })
}

/// Where the unpacked bytes are.
#[expect(unsafe_code, reason = "a name that JavaScript calls; the body has nothing unsafe")]
#[unsafe(no_mangle)]
pub extern "C" fn unpacked() -> *const u8 {
    UNPACKED.with_borrow(|unpacked| unpacked.as_ptr())
}

fn all(packed: &[u8]) -> Option<Vec<u8>> {
    let mut reader = lzma_rust2::LzmaReader::new_mem_limit(packed, MOST, None).ok()?;
    let mut out = Vec::new();
    reader.read_to_end(&mut out).ok()?;
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// "rooflight " four times, the last with a line's end: as `xz --format=lzma` packs it.
    const PACKED: [u8; 37] = [
        0x5d, 0x00, 0x00, 0x80, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x00, 0x39, 0x1b, 0xec, 0xcc,
        0x6e, 0x6f, 0xe8, 0x02, 0x0e, 0x10, 0x47, 0xc7, 0x92, 0x5e, 0xeb, 0x28, 0x97, 0xff, 0xff, 0xc1, 0x76, 0x00,
        0x00,
    ];

    #[test]
    fn what_another_packer_packed_comes_out() {
        assert_eq!(all(&PACKED).unwrap(), b"rooflight rooflight rooflight rooflight\n");
    }

    #[test]
    fn what_is_damaged_gives_nothing() {
        for n in 0..PACKED.len() {
            assert_eq!(all(&PACKED[..n]), None, "{n} bytes of it");
        }
        // A dictionary of 4 GB is not made room for.
        let mut greedy = PACKED;
        greedy[1..5].fill(0xff);
        assert_eq!(all(&greedy), None);
    }
}
