//! This module reads and writes the state of the comparison in the address: which capture is the baseline, and the rows of the
//! table. The state is one value of the address, which only this view reads.
//!
//! ```text
//!  swap:1;rows:only-in-a;pane:memory;pair:fusion.3@12:fusion.4@13
//! ```
//!
//! Only values that differ from the default are written. Names are added, and never renamed. A value that cannot be parsed is an
//! error. An unknown name is skipped, because a later build may have added it.

use super::params::{Pairs, decode_text, each_pair, encode_text, parse_part};
use crate::analysis::compare::{CompareBy, CompareQuery, CompareRows, OpPair, RowSelection};
use std::fmt;
use std::str::FromStr;
use xla_profile::keyed_enum;

keyed_enum! {
    /// The picture of the comparison.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum ComparePane {
        /// What the time was spent on, as a waterfall.
        #[default]
        Waterfall = "waterfall": "Waterfall",
        /// Scopes of A above those of B, as icicles.
        Scopes = "scopes": "Scopes",
        /// A step of A above one of B, from their starts.
        Timeline = "timeline": "Timeline",
        /// The time of each row in A and in B, as a point.
        Scatter = "scatter": "Scatter",
        /// Changes of the compiled programs.
        Programs = "programs": "Programs",
        /// Classes of buffers at the peak of memory.
        Memory = "memory": "Memory",
        /// Collectives.
        Communication = "communication": "Communication",
    }
}

impl ComparePane {
    /// Returns whether the picture takes the whole width of the page.
    pub fn is_wide(self) -> bool {
        matches!(self, Self::Scopes | Self::Timeline)
    }
}

/// The state of the comparison.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompareViewState {
    /// Whether the capture that was opened second is the baseline A.
    pub is_swapped: bool,
    /// Rows of the table.
    pub rows: CompareRows,
    /// What a row of the table stands for.
    pub by: CompareBy,
    /// Name of the group whose ops are the rows of the table. `None` for all ops, or for groups of them.
    pub group: Option<String>,
    pub pane: ComparePane,
    /// Path of the scope that [`ComparePane::Scopes`] is zoomed to. Empty for all scopes.
    pub scope: String,
    /// Whether [`ComparePane::Scopes`] is one icicle of differences, and not one of each side.
    pub shows_differences: bool,
    /// The part of the steps that [`ComparePane::Timeline`] shows, in ps from their start. `None` shows the whole steps.
    pub part: Option<(u64, u64)>,
    /// Ops that the user paired.
    pub pairs: Vec<OpPair>,
}

impl CompareViewState {
    /// Returns the query of the comparison.
    pub fn query(&self) -> CompareQuery {
        CompareQuery { is_swapped: self.is_swapped, pairs: self.pairs.clone() }
    }

    /// Returns the rows of the table. The zoom of the scopes selects rows while it is shown.
    pub fn selection(&self) -> RowSelection {
        let scope = if self.pane == ComparePane::Scopes { self.scope.clone() } else { String::new() };
        RowSelection { rows: self.rows, scope, by: self.by, group: self.group.clone() }
    }

    /// Exchanges baseline and experiment. The name of a group is that of B, so the ops of one group are no longer selected.
    pub fn swap(&mut self) {
        self.is_swapped = !self.is_swapped;
        self.group = None;
        self.pairs.iter_mut().for_each(|pair| std::mem::swap(&mut pair.a, &mut pair.b));
    }

    fn apply(&mut self, name: &str, value: &str) -> Option<()> {
        match name {
            "swap" => self.is_swapped = value == "1",
            "pane" => self.pane = ComparePane::from_key(value)?,
            "rows" => self.rows = CompareRows::from_key(value)?,
            "by" => self.by = CompareBy::from_key(value)?,
            "group" => self.group = Some(decode_text(value)?),
            "scopes" => self.shows_differences = value == "differences",
            "part" => self.part = Some(parse_part(value)?),
            "scope" => self.scope = decode_text(value)?,
            "pair" => {
                let (a, b) = value.split_once(':')?;
                self.pairs.push(OpPair { a: decode_text(a)?, b: decode_text(b)? });
            }
            _ => {}
        }
        Some(())
    }
}

impl fmt::Display for CompareViewState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut pairs = Pairs::new(f);
        pairs.write_unless_default(!self.is_swapped, "swap", "1")?;
        pairs.write_unless_default(self.rows == CompareRows::All, "rows", self.rows.key())?;
        pairs.write_unless_default(self.by == CompareBy::Op, "by", self.by.key())?;
        pairs.write_if_some("group", self.group.as_deref().map(encode_text))?;
        pairs.write_unless_default(self.pane == ComparePane::Waterfall, "pane", self.pane.key())?;
        if !self.scope.is_empty() {
            pairs.write_pair("scope", format_args!("{}", encode_text(&self.scope)))?;
        }
        pairs.write_unless_default(!self.shows_differences, "scopes", "differences")?;
        pairs.write_if_some("part", self.part.map(|(from, to)| format!("{from}-{to}")))?;
        for OpPair { a, b } in &self.pairs {
            pairs.write_pair("pair", format_args!("{}:{}", encode_text(a), encode_text(b)))?;
        }
        Ok(())
    }
}

impl FromStr for CompareViewState {
    /// The pair of name and value that cannot be parsed.
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut state = Self::default();
        each_pair(text, |name, value| state.apply(name, value)).map(|()| state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_read_as_they_are_written() {
        for rows in CompareRows::ALL {
            for is_swapped in [false, true] {
                let state = CompareViewState { is_swapped, rows, ..CompareViewState::default() };
                assert_eq!(state.to_string().parse(), Ok(state));
            }
        }
        for pane in ComparePane::ALL {
            let state = CompareViewState { pane, ..CompareViewState::default() };
            assert_eq!(state.to_string().parse(), Ok(state));
        }
        for by in CompareBy::ALL {
            let state = CompareViewState {
                by,
                group: Some("a;b:/c%.py:12".to_owned()),
                scope: "jit(f)/layers_*".to_owned(),
                shows_differences: true,
                part: Some((3, 12)),
                ..CompareViewState::default()
            };
            assert_eq!(state.to_string().parse(), Ok(state));
        }
        for bad in ["by:line", "part:4-3", "part:4", "pane:"] {
            assert!(bad.parse::<CompareViewState>().is_err(), "{bad}");
        }
        let pair = |a: &str, b: &str| OpPair { a: a.to_owned(), b: b.to_owned() };
        let pairs = vec![pair("fusion.3@12", "fusion.4@13"), pair("void f<1>(a;b:c%3B)", "")];
        let mut state = CompareViewState { pairs, ..CompareViewState::default() };
        assert_eq!(state.to_string().parse(), Ok(state.clone()));
        state.swap();
        assert_eq!((state.is_swapped, &state.pairs[0]), (true, &pair("fusion.4@13", "fusion.3@12")));
        assert!("pair:a".parse::<CompareViewState>().is_err());
        assert_eq!(CompareViewState::default().to_string(), "");
        assert!("rows:some".parse::<CompareViewState>().is_err());
        assert_eq!("later:1".parse(), Ok(CompareViewState::default()));
    }
}
