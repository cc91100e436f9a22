//! This module selects rows by a text. The filter has the same meaning in every table.

use regex_lite::{Regex, RegexBuilder};
use serde::{Deserialize, Serialize};
use xla_profile::keyed_enum;

/// A text, and the fields of a row in which it is searched.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TextFilter {
    /// The text to search for. Upper and lower case of A to Z match each other. With an empty text, every row passes.
    pub text: String,
    pub within: FilterField,
    /// Whether the text is a regular expression.
    pub regex: bool,
}

keyed_enum! {
    /// The fields of a row in which a text is searched.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum FilterField {
        /// The name of the op and the last three segments of its scope path. In other tables, the columns of
        /// [`leaf`](super::shown::Table::leaf).
        #[default]
        Leaf = "leaf": "op name",
        /// The innermost source line, `file:line`.
        Source = "source": "source file",
        /// The name of the op and its whole scope path. In other tables, all texts of the row.
        Anywhere = "anywhere": "anywhere in the path",
    }
}

/// The reason why a filter cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("the filter's regular expression is wrong at character {column}: {message}")]
pub struct FilterError {
    pub message: String,
    /// Position of the first wrong character, counted from 1.
    pub column: u32,
}

/// Longest regular expression, in characters. Finding the wrong character of a long expression takes time.
const MAX_REGEX: usize = 1000;

impl TextFilter {
    /// Creates a filter that searches all texts of a row.
    pub fn anywhere(text: &str) -> Self {
        Self { text: text.to_owned(), within: FilterField::Anywhere, regex: false }
    }

    /// Compiles the filter.
    ///
    /// # Errors
    /// Returns a [`FilterError`] if the text is not a valid regular expression.
    pub fn compile(&self) -> Result<TextMatcher, FilterError> {
        let needle = match (self.text.is_empty(), self.regex) {
            (true, _) => None,
            (false, false) => Some(Needle::Plain(self.text.clone())),
            (false, true) => Some(Needle::Regex(regex(&self.text)?)),
        };
        Ok(TextMatcher { needle, within: self.within })
    }
}

/// A compiled [`TextFilter`].
#[derive(Clone, Debug, Default)]
pub struct TextMatcher {
    needle: Option<Needle>,
    /// The fields in which the text is searched.
    pub within: FilterField,
}

#[derive(Clone, Debug)]
enum Needle {
    Plain(String),
    Regex(Regex),
}

impl TextMatcher {
    /// Returns whether the filter has a text. Without a text, every row passes.
    pub const fn has_text(&self) -> bool {
        self.needle.is_some()
    }

    /// Returns whether `text` contains the text of the filter or matches its regular expression.
    pub fn is_match(&self, text: &str) -> bool {
        match &self.needle {
            None => true,
            Some(Needle::Plain(needle)) => contains(text, needle),
            Some(Needle::Regex(regex)) => regex.is_match(text),
        }
    }
}

/// Returns whether `text` contains `needle`. Upper and lower case of A to Z match each other; all other letters are
/// compared exactly, as in regular expressions. Names are ASCII, and tables of Unicode letters would take 10 kB.
/// Nothing is copied.
pub fn contains(text: &str, needle: &str) -> bool {
    let (text, needle) = (text.as_bytes(), needle.as_bytes());
    let Some(first) = needle.first() else { return true };
    let last = (text.len() + 1).saturating_sub(needle.len());
    let starts = text[..last].iter().enumerate().filter(|(_, byte)| byte.eq_ignore_ascii_case(first));
    starts.into_iter().any(|(start, _)| text[start..start + needle.len()].eq_ignore_ascii_case(needle))
}

/// Compiles a regular expression. The parser does not give the position of an error, so the position is the end of the
/// longest prefix that the parser accepts.
fn regex(pattern: &str) -> Result<Regex, FilterError> {
    let build = |pattern: &str| RegexBuilder::new(pattern).case_insensitive(true).build();
    let starts: Vec<usize> = pattern.char_indices().map(|(start, _)| start).collect();
    if starts.len() > MAX_REGEX {
        let message = format!("it is longer than {MAX_REGEX} characters");
        return Err(FilterError { message, column: MAX_REGEX as u32 + 1 });
    }
    build(pattern).map_err(|error| {
        let accepted = starts.iter().rposition(|start| build(&pattern[..*start]).is_ok()).unwrap_or(0);
        FilterError { message: error.to_string(), column: accepted as u32 + 1 }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compile(text: &str, regex: bool) -> Result<TextMatcher, FilterError> {
        TextFilter { text: text.into(), regex, ..TextFilter::default() }.compile()
    }

    fn matcher(text: &str, regex: bool) -> TextMatcher {
        compile(text, regex).unwrap()
    }

    #[test]
    fn plain_text_whatever_the_case() {
        let m = matcher("KdA", false);
        assert!(m.is_match("kda_fwd") && m.is_match("fused_KDA") && m.is_match("kda"));
        assert!(!m.is_match("kd") && !m.is_match("k.da") && !m.is_match(""));
        assert!(matcher("äB", false).is_match("xäbx") && matcher("ab", false).is_match("ÄAB"));
        assert!(matcher("a.c", false).is_match("a.c") && !matcher("a.c", false).is_match("abc"));
        assert!(matcher("", false).is_match("anything") && !matcher("", true).has_text());
    }

    #[test]
    fn regular_expressions() {
        let m = matcher(r"^fusion\.\d+$", true);
        assert!(m.is_match("Fusion.12") && !m.is_match("fusion.12.clone"));
    }

    #[test]
    fn pattern_errors_have_a_column() {
        let column = |text: &str| compile(text, true).map_err(|e| e.column).unwrap_err();
        assert_eq!(column("foo(bar"), 4);
        assert_eq!(column("*a"), 1);
        assert_eq!(column("äö[z"), 3);
        assert_eq!(column("a{2,1}"), 2);
        assert_eq!(column("(a|b)c)"), 7);
        assert_eq!(column(&"x".repeat(1001)), 1001);
        let error = compile("a(", true).unwrap_err();
        assert!(!error.message.is_empty(), "{error}");
    }
}
