//! Which rows a text lets through, and where it is looked for. The filter means the same in every table.

use regex_lite::{Regex, RegexBuilder};
use serde::{Deserialize, Serialize};

/// A text, and where it is looked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TextFilter {
    /// The text that is looked for, whatever its case. An empty text lets every row through.
    pub text: String,
    /// Where it is looked for.
    pub within: FilterField,
    /// Whether the text is a regular expression.
    pub regex: bool,
}

/// Where a text is looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FilterField {
    /// The op's name and the last three segments of its scope path: what the op itself is.
    #[default]
    Leaf,
    /// The innermost source line, `file:line`.
    Source,
    /// The op's name and its whole scope path: also what it is part of.
    Anywhere,
}

impl FilterField {
    /// All of them, in order.
    pub const ALL: [Self; 3] = [Self::Leaf, Self::Source, Self::Anywhere];

    /// The name in JSON, on the command line and in links.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Leaf => "leaf",
            Self::Source => "source",
            Self::Anywhere => "anywhere",
        }
    }

    /// The name people read.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Leaf => "op name",
            Self::Source => "source file",
            Self::Anywhere => "anywhere in the path",
        }
    }
}

/// Why a filter cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("the filter's regular expression is wrong at character {column}: {message}")]
pub struct FilterError {
    /// The parser's words.
    pub message: String,
    /// The character at which it goes wrong, counted from 1.
    pub column: u32,
}

/// Longest regular expression that is examined: finding where a long one goes wrong takes time.
const MAX_REGEX: usize = 1000;

impl TextFilter {
    /// A text that is looked for in every text of a row.
    pub fn anywhere(text: &str) -> Self {
        Self { text: text.to_owned(), within: FilterField::Anywhere, regex: false }
    }

    /// The filter, ready to be used.
    ///
    /// # Errors
    /// [`FilterError`] where the text is to be a regular expression and is none.
    pub fn compile(&self) -> Result<TextMatcher, FilterError> {
        let needle = match (self.text.is_empty(), self.regex) {
            (true, _) => None,
            (false, false) => Some(Needle::Plain(self.text.clone())),
            (false, true) => Some(Needle::Regex(regex(&self.text)?)),
        };
        Ok(TextMatcher { needle, within: self.within })
    }
}

/// A [`TextFilter`] that is ready to be used.
#[derive(Clone, Debug, Default)]
pub struct TextMatcher {
    needle: Option<Needle>,
    /// Where texts are looked for.
    pub within: FilterField,
}

#[derive(Clone, Debug)]
enum Needle {
    Plain(String),
    Regex(Regex),
}

impl TextMatcher {
    /// Whether a text is looked for. Without one every row passes.
    pub const fn has_text(&self) -> bool {
        self.needle.is_some()
    }

    /// Whether a text contains what is looked for.
    pub fn is_match(&self, text: &str) -> bool {
        match &self.needle {
            None => true,
            Some(Needle::Plain(needle)) => contains(text, needle),
            Some(Needle::Regex(regex)) => regex.is_match(text),
        }
    }
}

/// Whether `text` contains `needle`, whatever the case of `A` to `Z`: as in regular expressions, other letters keep
/// theirs (names are ASCII; tables of Unicode's letters weigh 10 kB). No copy is made.
fn contains(text: &str, needle: &str) -> bool {
    let (text, needle) = (text.as_bytes(), needle.as_bytes());
    let Some(first) = needle.first() else { return true };
    let last = (text.len() + 1).saturating_sub(needle.len());
    let starts = text[..last].iter().enumerate().filter(|(_, byte)| byte.eq_ignore_ascii_case(first));
    starts.into_iter().any(|(at, _)| text[at..at + needle.len()].eq_ignore_ascii_case(needle))
}

/// The parser says what is wrong, not where: that is where the longest part that it accepts ends.
fn regex(pattern: &str) -> Result<Regex, FilterError> {
    let build = |pattern: &str| RegexBuilder::new(pattern).case_insensitive(true).build();
    let starts: Vec<usize> = pattern.char_indices().map(|(at, _)| at).collect();
    if starts.len() > MAX_REGEX {
        let message = format!("it is longer than {MAX_REGEX} characters");
        return Err(FilterError { message, column: MAX_REGEX as u32 + 1 });
    }
    build(pattern).map_err(|error| {
        let accepted = starts.iter().rposition(|at| build(&pattern[..*at]).is_ok()).unwrap_or(0);
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
    fn where_a_pattern_goes_wrong() {
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
