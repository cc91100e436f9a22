//! Which ops a breakdown shows: by text, kind or scope. This module knows patterns; what they are compared with is in `select`.
//!
//! A filter works on ops, before they are grouped: a row then holds the time of its matching ops only, so what is shown
//! never exceeds the whole.

use crate::analysis::classify::Kind;
pub use crate::table::filter::{FilterError, FilterField};
use crate::table::filter::{TextFilter, TextMatcher};
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
        let text = TextFilter { text: self.text.clone(), within: self.within, regex: self.regex }.compile()?;
        Ok(Matcher { text, within: self.within, kind: self.kind, scope: self.scope.clone() })
    }
}

/// A filter that is ready to be used.
#[derive(Clone, Debug)]
pub struct Matcher {
    text: TextMatcher,
    /// Where texts are looked for.
    pub within: FilterField,
    /// The kind that passes.
    pub kind: Option<Kind>,
    /// The scope that passes.
    pub scope: String,
}

impl Matcher {
    /// Whether a text is looked for.
    pub const fn has_text(&self) -> bool {
        self.text.has_text()
    }

    /// Whether it passes everything.
    pub fn passes_all(&self) -> bool {
        !self.has_text() && self.kind.is_none() && self.scope.is_empty()
    }

    /// Whether a text is what is looked for.
    pub fn is_match(&self, text: &str) -> bool {
        self.text.is_match(text)
    }

    /// The same filter, looking elsewhere.
    #[must_use]
    pub fn looking(&self, within: FilterField) -> Self {
        Self { within, ..self.clone() }
    }

    /// The same filter without its text.
    #[must_use]
    pub fn without_text(&self) -> Self {
        Self { text: TextMatcher::default(), ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_filter_passes_everything() {
        assert!(Filter::default().is_empty() && Filter::default().compile().unwrap().passes_all());
        assert!(!Filter { kind: Some(Kind::Host), ..Filter::default() }.is_empty());
    }
}
