//! This module reads and writes the state of the list of captures in the address: the figure of the picture, the filter, and the order
//! of the table. The state is one value of the address, which only this view reads. The chosen captures are the selection of the
//! address (`sel`), by the paths of their files.
//!
//! ```text
//!  figure:model_mfu;filter:v5p;sort:-median_ps
//! ```
//!
//! Only values that differ from the default are written. Names are added, and never renamed. A value that cannot be parsed is an
//! error. An unknown name is skipped, because a later build may have added it.

use super::params::{Pairs, decode_text, each_pair, encode_text};
use crate::analysis::captures::CaptureFigure;
use crate::table::page::SortBy;
use std::fmt;
use std::str::FromStr;

/// The state of the list of captures.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CapturesViewState {
    /// The figure in the picture.
    pub figure: CaptureFigure,
    /// The text that rows of the table contain. Empty for all rows.
    pub filter: String,
    /// The order of the rows. `None` stands for the order that the table has by default.
    pub sort: Option<SortBy>,
}

impl CapturesViewState {
    fn apply(&mut self, name: &str, value: &str) -> Option<()> {
        match name {
            "figure" => self.figure = CaptureFigure::ALL.into_iter().find(|figure| figure.name() == value)?,
            "filter" => self.filter = decode_text(value)?,
            "sort" => self.sort = Some(value.parse().ok()?),
            _ => {}
        }
        Some(())
    }
}

impl fmt::Display for CapturesViewState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut pairs = Pairs::new(f);
        pairs.write_unless_default(self.figure == CaptureFigure::default(), "figure", self.figure.name())?;
        pairs.write_unless_default(self.filter.is_empty(), "filter", encode_text(&self.filter))?;
        pairs.write_if_some("sort", self.sort.as_ref())
    }
}

impl FromStr for CapturesViewState {
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
        for figure in CaptureFigure::ALL {
            for filter in ["", "a;b:c%3B ü&="] {
                for sort in [None, Some(SortBy::new("median_ps", true)), Some(SortBy::new("name", false))] {
                    let state = CapturesViewState { figure, filter: filter.to_owned(), sort };
                    assert_eq!(state.to_string().parse(), Ok(state));
                }
            }
        }
        assert_eq!(CapturesViewState::default().to_string(), "");
        // An old address, and one of a later build.
        let one: CapturesViewState = "figure:model_mfu;filter:v5p;sort:-median_ps;later:1".parse().unwrap();
        let sort = Some(SortBy::new("median_ps", true));
        assert_eq!(one, CapturesViewState { figure: CaptureFigure::Mfu, filter: "v5p".to_owned(), sort });
        for bad in ["figure:x", "sort:-", "filter:%ff"] {
            assert_eq!(bad.parse::<CapturesViewState>(), Err(bad.to_owned()));
        }
    }
}
