//! Bytes as text that is hardly larger: 15 bits in each character of a page that is written as UTF-16.
//!
//! ```text
//!  bytes    aaaaaaaa bbbbbbbb …      15 bytes are 8 characters
//!  text     U+3400 + aaaaaaaabbbbbbb, U+3400 + b……   16 bytes in the file: a fifteenth more; base64 has a third
//! ```
//!
//! Characters are U+3400 to U+B3FF: letters and signs of no meaning to HTML, no halves of others, in no need of being composed.
//! The last is filled with zeros; how many bytes there are is told beside the text. `boot.js` reads it.

/// The character that stands for zeros.
const FIRST: u16 = 0x3400;
/// Bits in each.
const BITS: u32 = 15;

/// Bytes of text that `n` bytes become.
pub const fn size(n: u64) -> u64 {
    n.saturating_mul(8).div_ceil(BITS as u64).saturating_mul(2)
}

/// Adds bytes as text in UTF-16, little-endian. More may follow where their number is a multiple of 15.
pub fn push(out: &mut Vec<u8>, bytes: &[u8]) {
    let (mut held, mut bits) = (0_u32, 0);
    for byte in bytes {
        held = held << 8 | u32::from(*byte);
        bits += 8;
        if bits >= BITS {
            bits -= BITS;
            unit(out, held >> bits);
            held &= (1 << bits) - 1;
        }
    }
    if bits > 0 {
        unit(out, held << (BITS - bits));
    }
}

fn unit(out: &mut Vec<u8>, value: u32) {
    out.extend((FIRST + value as u16).to_le_bytes());
}

/// Bytes of such text, as the page reads it. `size`: how many there are.
#[cfg(not(target_arch = "wasm32"))]
pub fn read(text: &str, size: usize) -> Vec<u8> {
    let (mut out, mut held, mut bits) = (Vec::with_capacity(size), 0_u32, 0);
    for c in text.encode_utf16() {
        held = held << BITS | u32::from(c.wrapping_sub(FIRST));
        bits += BITS;
        while bits >= 8 {
            bits -= 8;
            out.push((held >> bits) as u8);
            held &= (1 << bits) - 1;
        }
    }
    out.truncate(size);
    out
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(bytes: &[u8]) -> String {
        let mut out = Vec::new();
        push(&mut out, bytes);
        assert_eq!(out.len() as u64, size(bytes.len() as u64));
        let units: Vec<u16> = out.chunks_exact(2).map(|two| u16::from_le_bytes([two[0], two[1]])).collect();
        String::from_utf16(&units).unwrap()
    }

    proptest! {
        #[test]
        fn what_goes_in_comes_out(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let text = text(&bytes);
            let is_within = text.chars().all(|c| ('\u{3400}'..='\u{b3ff}').contains(&c));
            prop_assert!(is_within);
            prop_assert_eq!(read(&text, bytes.len()), bytes);
        }

        #[test]
        fn pieces_of_fifteen_join(pieces in proptest::collection::vec(any::<[u8; 15]>(), 0..9), rest in proptest::collection::vec(any::<u8>(), 0..40)) {
            let mut joined: String = pieces.iter().map(|piece| text(piece)).collect();
            joined += &text(&rest);
            prop_assert_eq!(joined, text(&[pieces.concat(), rest].concat()));
        }
    }

    #[test]
    fn the_ends_of_what_is_possible() {
        assert_eq!(text(&[0; 15]), "\u{3400}".repeat(8));
        assert_eq!(text(&[255; 15]), "\u{b3ff}".repeat(8));
        assert_eq!((text(&[]), text(&[0x80])), (String::new(), "\u{7400}".to_owned()));
    }
}
