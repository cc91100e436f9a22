//! This module tells texts of an XSpace from other bytes. Messages of other formats have fields of the same numbers.

/// Largest number of bytes of an error or a warning.
pub(crate) const MAX_TEXT: usize = 1 << 16;
/// Largest number of bytes of the name of a host.
const MAX_HOST_NAME: usize = 255;

/// Returns whether bytes can be an error or a warning: UTF-8 without control characters other than tabs and line ends, of which at
/// least nine tenths can be printed. The text may end inside a character.
pub(crate) fn is_text(bytes: &[u8]) -> bool {
    let Some(text) = whole_characters(bytes) else { return false };
    let is_allowed = |c: char| !c.is_control() || matches!(c, '\t' | '\n' | '\r');
    let (n, n_printed) = text.chars().fold((0_usize, 0_usize), |(n, printed), c| {
        let is_printed = !c.is_control() && c != char::REPLACEMENT_CHARACTER || c.is_whitespace();
        (n.saturating_add(1), printed.saturating_add(usize::from(is_printed)))
    });
    bytes.len() <= MAX_TEXT && text.chars().all(is_allowed) && n_printed.saturating_mul(10) >= n.saturating_mul(9)
}

/// Returns whether bytes can be the name of a host: at most 255 bytes of text without blanks.
pub(crate) fn is_host_name(bytes: &[u8]) -> bool {
    bytes.len() <= MAX_HOST_NAME && is_text(bytes) && !bytes.iter().any(u8::is_ascii_whitespace)
}

/// Returns bytes as text. `None` if they are not UTF-8; an incomplete character at the end is left out.
fn whole_characters(bytes: &[u8]) -> Option<&str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Some(text),
        Err(error) if error.error_len().is_none() => std::str::from_utf8(bytes.get(..error.valid_up_to())?).ok(),
        Err(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_told_from_bytes() {
        for text in ["", "CUPTI error: \tdevice\n", "Über 3 µs", "a\r\n"] {
            assert!(is_text(text.as_bytes()), "{text:?}");
        }
        for bytes in [&b"\x08\xff\xff\xff\x01"[..], b"a\0b", b"\x1b[2J", b"\xffa", "\u{fffd}\u{fffd}a".as_bytes()] {
            assert!(!is_text(bytes), "{bytes:?}");
        }
        assert!(is_text(&"µ".as_bytes()[..1]), "a character that is cut");
        assert!(!is_text(&vec![b'a'; MAX_TEXT + 1]));
        assert!(is_host_name(b"t1v-n-aaaa-w-0") && !is_host_name(b"two words") && !is_host_name(&[b'a'; 256]));
    }
}
