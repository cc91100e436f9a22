//! This module defines the filter of a query, which selects ops by text, kind or scope. The module `select` applies it.
//!
//! A filter selects ops before they are grouped. A row then holds the time of its matching ops only, so the time shown
//! never exceeds the total.

use crate::analysis::classify::{Kind, ModelModule, Phase};
pub use crate::table::filter::{FilterError, FilterField};
use crate::table::filter::{TextFilter, TextMatcher};
use crate::table::page::row_key;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

/// The conditions that an op must meet, all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Filter {
    /// The text to search for, in upper or lower case; empty: no condition.
    pub text: String,
    /// The texts of an op that are searched.
    pub within: FilterField,
    /// Whether `text` is a regular expression.
    pub regex: bool,
    /// The kind of matching ops; `None`: all kinds.
    pub kind: Option<Kind>,
    /// The module of the model of matching ops; `None`: all modules.
    pub module: Option<ModelModule>,
    /// The phase of matching ops; `None`: all phases.
    pub phase: Option<Phase>,
    /// The scope path of matching ops, which may also lie below it; empty: all scopes.
    pub scope: String,
    /// The [keys](row_key) of matching ops, such as `copy.787@12`, in order; empty: all ops. A finding selects its ops
    /// so.
    pub ops: Vec<String>,
}

impl Filter {
    /// Returns whether the filter selects every op.
    pub fn is_empty(&self) -> bool {
        let has_kind = self.kind.is_some() || self.module.is_some() || self.phase.is_some();
        self.text.is_empty() && !has_kind && self.scope.is_empty() && self.ops.is_empty()
    }

    /// Compiles the filter, so that it can be applied.
    ///
    /// # Errors
    /// Returns [`FilterError`] if `regex` is set and `text` is not a valid regular expression.
    pub fn compile(&self) -> Result<Matcher, FilterError> {
        let text = TextFilter { text: self.text.clone(), within: self.within, regex: self.regex }.compile()?;
        let ops = self.ops.iter().cloned().collect();
        let Self { within, kind, module, phase, .. } = *self;
        Ok(Matcher { text, within, kind, module, phase, scope: self.scope.clone(), ops })
    }
}

/// A compiled [`Filter`].
#[derive(Clone, Debug)]
pub struct Matcher {
    text: TextMatcher,
    /// The texts of an op that are searched.
    pub within: FilterField,
    /// The kind of matching ops; `None`: all kinds.
    pub kind: Option<Kind>,
    /// The module of the model of matching ops; `None`: all modules.
    pub module: Option<ModelModule>,
    /// The phase of matching ops; `None`: all phases.
    pub phase: Option<Phase>,
    /// The scope path of matching ops, which may also lie below it; empty: all scopes.
    pub scope: String,
    ops: FxHashSet<String>,
}

impl Matcher {
    /// Returns whether the filter has a text.
    pub const fn has_text(&self) -> bool {
        self.text.has_text()
    }

    /// Returns whether the filter selects every op.
    pub fn passes_all(&self) -> bool {
        let has_kind = self.kind.is_some() || self.module.is_some() || self.phase.is_some();
        !self.has_text() && !has_kind && self.scope.is_empty() && self.ops.is_empty()
    }

    /// Returns whether the filter names single ops.
    pub fn names_ops(&self) -> bool {
        !self.ops.is_empty()
    }

    /// Returns whether an op is one of those that the filter names, or the filter names none.
    pub fn has_op(&self, name: &str, program_id: Option<u64>) -> bool {
        self.ops.is_empty() || self.ops.contains(&row_key(name, program_id))
    }

    /// Returns whether `text` contains a match of the filter's text.
    pub fn is_match(&self, text: &str) -> bool {
        self.text.is_match(text)
    }

    /// Returns the same filter with its text searched in `within`.
    #[must_use]
    pub fn with_field(&self, within: FilterField) -> Self {
        Self { within, ..self.clone() }
    }

    /// Returns the same filter without its text and the ops that it names.
    #[must_use]
    pub fn without_text(&self) -> Self {
        Self { text: TextMatcher::default(), ops: FxHashSet::default(), ..self.clone() }
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
