//! This module finds the words in which two texts differ, such as two HLO instructions.

/// Texts with more tokens are shown without marks, because comparing them takes the product of their lengths.
const MAX_TOKENS: usize = 1500;

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiffToken {
    pub text: String,
    /// Whether the other text does not have it at this place.
    pub differs: bool,
}

/// Returns both texts in parts that are equal or differ, by a longest common subsequence of their tokens. A token is a name, a
/// number, or a single other character. Numbers at the end of names do not count, because XLA numbers ops anew in each compile.
pub fn diff(a: &str, b: &str) -> [Vec<DiffToken>; 2] {
    let (a, b) = (tokens(a), tokens(b));
    if a.len().max(b.len()) > MAX_TOKENS {
        let plain = |tokens: Vec<&str>| joined(tokens.into_iter().map(|token| (token, false)));
        return [plain(a), plain(b)];
    }
    let (keys_a, keys_b): (Vec<&str>, Vec<&str>) =
        (a.iter().map(|token| without_number(token)).collect(), b.iter().map(|token| without_number(token)).collect());
    // `longest[i][j]` is the length of the longest common subsequence of the tokens from i and from j on.
    let mut longest = vec![vec![0_u16; b.len() + 1]; a.len() + 1];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            longest[i][j] = if keys_a[i] == keys_b[j] {
                longest[i + 1][j + 1] + 1
            } else {
                longest[i + 1][j].max(longest[i][j + 1])
            };
        }
    }
    let (mut of_a, mut of_b) = (vec![true; a.len()], vec![true; b.len()]);
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        if keys_a[i] == keys_b[j] {
            (of_a[i], of_b[j]) = (false, false);
            (i, j) = (i + 1, j + 1);
        } else if longest[i + 1][j] >= longest[i][j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    [joined(a.into_iter().zip(of_a)), joined(b.into_iter().zip(of_b))]
}

/// Joins neighbouring tokens that are alike.
fn joined<'t>(tokens: impl Iterator<Item = (&'t str, bool)>) -> Vec<DiffToken> {
    let mut parts: Vec<DiffToken> = Vec::new();
    for (text, differs) in tokens {
        match parts.last_mut().filter(|last| last.differs == differs) {
            Some(last) => last.text.push_str(text),
            None => parts.push(DiffToken { text: text.to_owned(), differs }),
        }
    }
    parts
}

fn tokens(text: &str) -> Vec<&str> {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-');
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = if is_word(first) { rest.find(|c| !is_word(c)).unwrap_or(rest.len()) } else { first.len_utf8() };
        let (token, after) = rest.split_at(end);
        tokens.push(token);
        rest = after;
    }
    tokens
}

/// Returns a name without the number that follows its last dot.
fn without_number(token: &str) -> &str {
    let Some((name, number)) = token.rsplit_once('.') else { return token };
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    if is_number && name.starts_with(|c: char| c.is_alphabetic()) { name } else { token }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(parts: &[DiffToken]) -> String {
        parts.iter().map(|part| if part.differs { format!("<{}>", part.text) } else { part.text.clone() }).collect()
    }

    #[test]
    fn what_differs_is_marked_on_both_sides() {
        let [a, b] = diff("%add.1 = f32[8,16] add(%x.2)", "%add.9 = bf16[8,32] add(%x.7)");
        assert_eq!(marked(&a), "%add.1 = <f32>[8,<16>] add(%x.2)");
        assert_eq!(marked(&b), "%add.9 = <bf16>[8,<32>] add(%x.7)");
    }

    #[test]
    fn equal_and_empty_texts() {
        assert!(diff("a b", "a b").iter().flatten().all(|part| !part.differs));
        assert_eq!(diff("", "x"), [vec![], vec![DiffToken { text: "x".to_owned(), differs: true }]]);
        let long = "x ".repeat(MAX_TOKENS);
        assert!(diff(&long, "y").iter().flatten().all(|part| !part.differs), "too long to compare");
    }

    #[test]
    fn no_character_is_lost() {
        for (a, b) in [("é(ü.5)", "é"), ("  a,,b", "b a"), ("1.5", "1.25")] {
            let texts = diff(a, b).map(|parts| parts.iter().map(|part| &*part.text).collect::<String>());
            assert_eq!(texts, [a, b]);
        }
    }
}
