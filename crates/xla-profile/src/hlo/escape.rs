//! This module converts quoted texts of HLO, which have the escapes of C: `\n \r \t \" \' \\`, and octal numbers for
//! all bytes that are not printable ASCII.

/// Replaces the escapes by their characters. A backslash before any other character is dropped, and bytes that are not
/// UTF-8 become `�`.
pub(super) fn unescape(text: &str) -> String {
    if !text.contains('\\') {
        return text.to_owned();
    }
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes().peekable();
    while let Some(b) = bytes.next() {
        if b != b'\\' {
            out.push(b);
            continue;
        }
        match bytes.next() {
            Some(b'n') => out.push(b'\n'),
            Some(b'r') => out.push(b'\r'),
            Some(b't') => out.push(b'\t'),
            Some(first @ b'0'..=b'7') => {
                let mut code = u32::from(first.saturating_sub(b'0'));
                for _ in 0..2 {
                    let Some(digit) = bytes.next_if(|b| matches!(b, b'0'..=b'7')) else { break };
                    code = code.saturating_mul(8).saturating_add(u32::from(digit.saturating_sub(b'0')));
                }
                out.push(u8::try_from(code & 0xff).unwrap_or_default());
            }
            Some(other) => out.push(other),
            None => out.push(b'\\'),
        }
    }
    String::from_utf8(out).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned())
}

/// Returns the text with escapes, in quotes.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len().saturating_add(2));
    out.push('"');
    for b in text.bytes() {
        match b {
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            b'"' | b'\'' | b'\\' => {
                out.push('\\');
                out.push(char::from(b));
            }
            b' '..=b'~' => out.push(char::from(b)),
            _ => {
                out.push('\\');
                for shift in [6, 3, 0] {
                    out.push(char::from(b'0'.saturating_add((b >> shift) & 7)));
                }
            }
        }
    }
    out.push('"');
    out
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn as_compilers_write_it() {
        assert_eq!(unescape(r#"state[\'lm\'].f\"\\ \303\251\n"#), "state['lm'].f\"\\ é\n");
        assert_eq!(unescape(r"\377\"), "\u{fffd}\\");
        assert_eq!(unescape(r"\7\08"), "\u{7}\u{0}8");
    }

    proptest! {
        #[test]
        fn escaped_and_back(text in any::<String>()) {
            let escaped = escape(&text);
            prop_assert!(escaped.is_ascii());
            prop_assert_eq!(unescape(&escaped[1..escaped.len() - 1]), text);
        }
    }
}
