//! This module searches bytes.

/// Returns the place of the first occurrence of bytes in a text. The bytes must not be empty.
pub(super) fn position(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part)
}

/// Returns whether a text has bytes in it, which must not be empty.
pub(super) fn contains(text: &[u8], part: &[u8]) -> bool {
    position(text, part).is_some()
}
