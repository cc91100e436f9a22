//! This module divides HLO text into tokens for syntax highlighting: names, types, layouts, opcodes, attributes. It
//! uses only the spelling of HLO; `hlo` parses its meaning. Any text can be divided, and no character is lost.

/// The class of a piece of HLO text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token {
    /// Name of an instruction: `%fusion.1`.
    Name,
    /// Shape: `bf16[8,128]`.
    Type,
    /// Layout after a shape: `{1,0:T(8,128)}`.
    Layout,
    /// Word before `(`.
    Opcode,
    /// Word before `=`.
    Attribute,
    Text,
    Plain,
}

impl Token {
    /// Returns the CSS class of the token.
    pub const fn class(self) -> &'static str {
        match self {
            Self::Name => "hlo-name",
            Self::Type => "hlo-type",
            Self::Layout => "hlo-layout",
            Self::Opcode => "hlo-opcode",
            Self::Attribute => "hlo-key",
            Self::Text => "hlo-text",
            Self::Plain => "",
        }
    }
}

/// Divides a text into tokens. The concatenated pieces are the text.
pub fn tokens(text: &str) -> Vec<(Token, &str)> {
    let mut pieces: Vec<(Token, &str)> = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let after_type = matches!(pieces.last(), Some((Token::Type, _)));
        let (token, len) = match first {
            '%' => (Token::Name, 1 + word(&rest[1..])),
            '"' => (Token::Text, quoted(rest)),
            '{' if after_type => (Token::Layout, closed(rest)),
            _ if is_word(first) => named(rest),
            _ => (Token::Plain, first.len_utf8()),
        };
        let (piece, after) = rest.split_at(len);
        match pieces.last_mut() {
            // Plain pieces are merged, so that the page has fewer elements.
            Some((Token::Plain, before)) if token == Token::Plain => {
                let start = text.len() - rest.len() - before.len();
                *before = &text[start..start + before.len() + len];
            }
            _ => pieces.push((token, piece)),
        }
        rest = after;
    }
    pieces
}

const fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-')
}

/// Returns the length in bytes of the word at the start of a text.
fn word(text: &str) -> usize {
    text.find(|c| !is_word(c)).unwrap_or(text.len())
}

/// Classifies the word at the start of a text by the character after it.
fn named(text: &str) -> (Token, usize) {
    let len = word(text);
    let letter = text.starts_with(|c: char| c.is_ascii_lowercase());
    match text[len..].chars().next() {
        Some('[') if letter => (Token::Type, text[len..].find(']').map_or(len, |end| len + end + 1)),
        Some('(') if letter => (Token::Opcode, len),
        Some('=') if letter => (Token::Attribute, len),
        _ => (Token::Plain, len),
    }
}

/// Returns the length of the quoted text at the start; 1 if the closing quote is missing.
fn quoted(text: &str) -> usize {
    let mut escaped = false;
    for (index, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            b'"' if !escaped => return index + 1,
            b'\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    1
}

/// Returns the length up to the brace that closes the first one; 1 if it is missing.
fn closed(text: &str) -> usize {
    let mut depth = 0_u32;
    for (index, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' if depth == 1 => return index + 1,
            b'}' => depth -= 1,
            _ => {}
        }
    }
    1
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_instruction() {
        let text = r#"%copy.1 = bf16[8,128]{1,0:T(8,128)(2,1)S(1)} copy(%p.0), metadata={op_name="a/b"}"#;
        let found: Vec<_> = tokens(text).into_iter().filter(|(token, _)| *token != Token::Plain).collect();
        let expected = [
            (Token::Name, "%copy.1"),
            (Token::Type, "bf16[8,128]"),
            (Token::Layout, "{1,0:T(8,128)(2,1)S(1)}"),
            (Token::Opcode, "copy"),
            (Token::Name, "%p.0"),
            (Token::Attribute, "metadata"),
            (Token::Attribute, "op_name"),
            (Token::Text, "\"a/b\""),
        ];
        assert_eq!(found, expected);
    }

    proptest! {
        #[test]
        fn nothing_is_lost(text in "([%\"{}\\[\\]()=a-z0-9.,\\\\ é-]|.)*") {
            let whole: String = tokens(&text).into_iter().map(|(_, piece)| piece).collect();
            prop_assert_eq!(whole, text);
        }
    }
}
