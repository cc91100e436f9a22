//! Which ops a breakdown shows: by text, kind or scope. This module knows patterns; what they are compared with is in `select`.
//!
//! A filter works on ops, before they are grouped: a row then holds the time of its matching ops only, so what is shown
//! never exceeds the whole.

use crate::analysis::classify::Kind;
use regex_lite::{Regex, RegexBuilder};
use serde::{Deserialize, Serialize};

/// Which ops.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Filter {
    /// What is looked for, whatever its case; empty: everything.
    pub text: String,
    /// Where.
    pub within: FilterField,
    /// `text` is a regular expression.
    pub regex: bool,
    /// Only ops of this kind.
    pub kind: Option<Kind>,
    /// Only ops whose scope path is this, or lies below it; empty: all.
    pub scope: String,
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

impl Filter {
    /// Whether everything passes.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty() && self.kind.is_none() && self.scope.is_empty()
    }

    /// The filter, ready to be used.
    ///
    /// # Errors
    /// [`FilterError`] where the text is to be a regular expression and is none.
    pub fn compile(&self) -> Result<Matcher, FilterError> {
        let text = match (self.text.is_empty(), self.regex) {
            (true, _) => None,
            (false, false) => Some(Needle::Plain(self.text.clone())),
            (false, true) => Some(Needle::Regex(regex(&self.text)?)),
        };
        Ok(Matcher { text, within: self.within, kind: self.kind, scope: self.scope.clone() })
    }
}

/// A filter that is ready to be used.
#[derive(Clone, Debug)]
pub struct Matcher {
    text: Option<Needle>,
    /// Where texts are looked for.
    pub within: FilterField,
    /// The kind that passes.
    pub kind: Option<Kind>,
    /// The scope that passes.
    pub scope: String,
}

#[derive(Clone, Debug)]
enum Needle {
    Plain(String),
    Regex(Regex),
}

impl Matcher {
    /// Whether a text is looked for.
    pub const fn has_text(&self) -> bool {
        self.text.is_some()
    }

    /// Whether it passes everything.
    pub fn passes_all(&self) -> bool {
        self.text.is_none() && self.kind.is_none() && self.scope.is_empty()
    }

    /// Whether a text is what is looked for.
    pub fn is_match(&self, text: &str) -> bool {
        match &self.text {
            None => true,
            Some(Needle::Plain(needle)) => contains(text, needle),
            Some(Needle::Regex(regex)) => regex.is_match(text),
        }
    }

    /// The same filter, looking elsewhere.
    #[must_use]
    pub fn looking(&self, within: FilterField) -> Self {
        Self { within, ..self.clone() }
    }

    /// The same filter without its text.
    #[must_use]
    pub fn without_text(&self) -> Self {
        Self { text: None, ..self.clone() }
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

    fn matcher(text: &str, regex: bool) -> Matcher {
        Filter { text: text.into(), regex, ..Filter::default() }.compile().unwrap()
    }

    #[test]
    fn plain_text_whatever_the_case() {
        let m = matcher("KdA", false);
        assert!(m.is_match("kda_fwd") && m.is_match("fused_KDA") && m.is_match("kda"));
        assert!(!m.is_match("kd") && !m.is_match("k.da") && !m.is_match(""));
        assert!(matcher("äB", false).is_match("xäbx") && matcher("ab", false).is_match("ÄAB"));
        assert!(matcher("a.c", false).is_match("a.c") && !matcher("a.c", false).is_match("abc"));
        assert!(matcher("", false).is_match("anything"));
    }

    #[test]
    fn regular_expressions() {
        let m = matcher(r"^fusion\.\d+$", true);
        assert!(m.is_match("Fusion.12") && !m.is_match("fusion.12.clone"));
    }

    #[test]
    fn where_a_pattern_goes_wrong() {
        let column = |text: &str| {
            Filter { text: text.into(), regex: true, ..Filter::default() }.compile().map_err(|e| e.column).unwrap_err()
        };
        assert_eq!(column("foo(bar"), 4);
        assert_eq!(column("*a"), 1);
        assert_eq!(column("äö[z"), 3);
        assert_eq!(column("a{2,1}"), 2);
        assert_eq!(column("(a|b)c)"), 7);
        assert_eq!(column(&"x".repeat(1001)), 1001);
        let error = Filter { text: "a(".into(), regex: true, ..Filter::default() }.compile().unwrap_err();
        assert!(!error.message.is_empty(), "{error}");
    }

    #[test]
    fn an_empty_filter_passes_everything() {
        assert!(Filter::default().is_empty() && Filter::default().compile().unwrap().passes_all());
        assert!(!Filter { kind: Some(Kind::Host), ..Filter::default() }.is_empty());
    }
}
