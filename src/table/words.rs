//! This module joins and capitalises the words of a sentence.

/// Joins words in a sentence: "a, b and c". Empty without words.
pub fn joined(words: &[impl AsRef<str>]) -> String {
    match words {
        [] => String::new(),
        [only] => only.as_ref().to_owned(),
        [first @ .., last] => {
            let first: Vec<&str> = first.iter().map(AsRef::as_ref).collect();
            format!("{} and {}", first.join(", "), last.as_ref())
        }
    }
}

/// Returns a text with its first letter in upper case.
pub fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|c| c.to_uppercase().collect::<String>()).unwrap_or_default();
    first + letters.as_str()
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::{capitalized, joined};

    #[test]
    fn words_are_joined_as_in_a_sentence() {
        assert_eq!(joined(&[""; 0]), "");
        assert_eq!(joined(&["a"]), "a");
        assert_eq!(joined(&["a", "b"]), "a and b");
        assert_eq!(joined(&["a", "b", "c"]), "a, b and c");
    }

    #[test]
    fn the_first_letter_is_a_capital() {
        assert_eq!([capitalized("öl is hot"), capitalized("")], ["Öl is hot", ""]);
    }
}
