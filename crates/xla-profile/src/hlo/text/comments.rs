//! This module replaces comments by blanks, so that brackets, commas and quotes in a comment are no part of a value.

use std::borrow::Cow;

/// Returns a text in which block comments are blanks. Comments in quotes, those that do not end, and those of compilers stay: the scanner
/// steps over them.
pub(super) fn blanked(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut blanked = String::new();
    // The end of the text that has been copied.
    let mut copied = 0_usize;
    let mut index = 0_usize;
    while let Some(found) = bytes.get(index..).and_then(|rest| rest.iter().position(|b| matches!(b, b'"' | b'/'))) {
        index = index.saturating_add(found);
        let rest = bytes.get(index..).unwrap_or_default();
        let length = match rest {
            [b'"', ..] => quoted(rest),
            [b'/', b'/', ..] => rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len()),
            [b'/', b'*', ..] => {
                let Some(end) = rest.windows(2).skip(2).position(|two| two == b"*/") else { break };
                let length = end.saturating_add(4);
                if !is_of_compiler(rest.get(2..end.saturating_add(2)).unwrap_or_default()) {
                    blanked.push_str(text.get(copied..index).unwrap_or_default());
                    blanked.push(' ');
                    copied = index.saturating_add(length);
                }
                length
            }
            _ => 1,
        };
        index = index.saturating_add(length);
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    blanked.push_str(text.get(copied..).unwrap_or_default());
    Cow::Owned(blanked)
}

/// Returns whether a comment is one that compilers write before operands and parts of constants: `index=5`, `i0=1`.
fn is_of_compiler(comment: &[u8]) -> bool {
    comment.contains(&b'=') && comment.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'=' | b'_'))
}

/// Returns the length of the quoted text at the start. Quotes that do not close end with the text.
fn quoted(text: &[u8]) -> usize {
    let mut bytes = text.iter().enumerate().skip(1);
    while let Some((index, byte)) = bytes.next() {
        match byte {
            b'\\' => _ = bytes.next(),
            b'"' => return index.saturating_add(1),
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_outside_of_quotes_are_blanks() {
        for (text, expected) in [
            ("a /* \"b, ( */ c", "a   c"),
            ("a=\"/* x */\" /**/b", "a=\"/* x */\"  b"),
            ("/*index=5*/ a /*\n*/\nb", "/*index=5*/ a  \nb"),
            ("// a /* b\nc */", "// a /* b\nc */"),
            ("a /* b", "a /* b"),
            ("\"a\\\"/*b*/", "\"a\\\"/*b*/"),
            ("/*/ a */b", " b"),
            ("{ 1 }, /*i0=1*/ { 2 } /*i0 = 1*/", "{ 1 }, /*i0=1*/ { 2 }  "),
        ] {
            assert_eq!(blanked(text), expected);
        }
    }
}
