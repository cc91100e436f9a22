//! This module reads and writes the state of the comparison in the address: which capture is the baseline, and the rows of the
//! table. The state is one value of the address, which only this view reads.
//!
//! ```text
//!  swap:1;rows:only-in-a
//! ```
//!
//! Only values that differ from the default are written. Names are added, and never renamed. A value that cannot be parsed is an
//! error. An unknown name is skipped, because a later build may have added it.

use super::params::{Pairs, each_pair};
use crate::analysis::compare::{CompareQuery, CompareRows};
use std::fmt;
use std::str::FromStr;

/// The state of the comparison.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompareViewState {
    /// Whether the capture that was opened second is the baseline A.
    pub is_swapped: bool,
    /// Rows of the table.
    pub rows: CompareRows,
}

impl CompareViewState {
    /// Returns the query of the comparison.
    pub const fn query(&self) -> CompareQuery {
        CompareQuery { is_swapped: self.is_swapped }
    }

    fn take(&mut self, name: &str, value: &str) -> Option<()> {
        match name {
            "swap" => self.is_swapped = value == "1",
            "rows" => self.rows = CompareRows::ALL.into_iter().find(|rows| rows.key() == value)?,
            _ => {}
        }
        Some(())
    }
}

impl fmt::Display for CompareViewState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut pairs = Pairs::new(f);
        pairs.write_unless_default(!self.is_swapped, "swap", "1")?;
        pairs.write_unless_default(self.rows == CompareRows::All, "rows", self.rows.key())
    }
}

impl FromStr for CompareViewState {
    /// The pair of name and value that cannot be parsed.
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut place = Self::default();
        each_pair(text, |name, value| place.take(name, value)).map(|()| place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_read_as_they_are_written() {
        for rows in CompareRows::ALL {
            for is_swapped in [false, true] {
                let state = CompareViewState { is_swapped, rows };
                assert_eq!(state.to_string().parse(), Ok(state));
            }
        }
        assert_eq!(CompareViewState::default().to_string(), "");
        assert!("rows:some".parse::<CompareViewState>().is_err());
        assert_eq!("later:1".parse(), Ok(CompareViewState::default()));
    }
}
