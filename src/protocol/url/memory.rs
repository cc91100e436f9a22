//! This module reads and writes the state of the memory view in the address: the program and the memory, the point of
//! the curve, and the pane that shows the live buffers of that point. The state is one value of the address, which only
//! this view reads.
//!
//! ```text
//!  side:allocator;program:2;color:1;at:451;by:dtype;pane:lives;allocator:3
//! ```
//!
//! Only values that differ from the default are written. Names are added, and never renamed. A value that cannot be
//! parsed is an error. An unknown name is skipped, because a later build may have added it.

use super::params::{Pairs, each_pair};
use crate::analysis::memory::RollUpBy;
use std::fmt;
use std::str::FromStr;
use xla_profile::keyed_enum;

keyed_enum! {
    /// The source of the curve.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum MemorySource {
        /// Buffer assignment of a compiled program.
        #[default]
        Static = "static",
        /// Memory use that allocators recorded while programs ran.
        Allocator = "allocator",
    }
}

keyed_enum! {
    /// The pane beside the table of live buffers.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Pane {
        /// Treemap of the live buffers.
        #[default]
        Map = "map": "Map",
        /// Live ranges around the point.
        LiveRanges = "lives": "Live ranges",
        /// Bytes that padding adds.
        Padding = "padding": "Padding",
        /// Findings that could lower the peak.
        Findings = "findings": "Findings",
        /// The memory with other sizes of the model and of the batch.
        Fit = "fit": "Will it fit?",
    }
}

/// The state of the memory view.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryViewState {
    /// Source of the curve. `None` shows programs if any of them has a buffer assignment, else allocators.
    pub side: Option<MemorySource>,
    /// Index of the program among the programs of the files. `None` shows the program with the highest peak of those that ran.
    pub program: Option<u32>,
    /// Memory colour. 0 is the main memory of the device.
    pub color: i64,
    /// Point of the curve. `None` shows the peak.
    pub point: Option<u32>,
    /// Grouping of the treemap. `None` groups by class.
    pub by: Option<RollUpBy>,
    pub pane: Pane,
    /// Index of the allocator in the list of allocators. `None` shows the allocator of the selected device.
    pub allocator: Option<u32>,
}

impl fmt::Display for MemoryViewState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut pairs = Pairs::new(f);
        pairs.write_if_some("side", self.side.map(MemorySource::key))?;
        pairs.write_if_some("program", self.program)?;
        pairs.write_unless_default(self.color == 0, "color", self.color)?;
        pairs.write_if_some("at", self.point)?;
        pairs.write_if_some("by", self.by.map(RollUpBy::key))?;
        pairs.write_unless_default(self.pane == Pane::default(), "pane", self.pane.key())?;
        pairs.write_if_some("allocator", self.allocator)
    }
}

impl FromStr for MemoryViewState {
    /// The pair of name and value that cannot be parsed.
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut state = Self::default();
        each_pair(text, |name, value| state.apply(name, value)).map(|()| state)
    }
}

impl MemoryViewState {
    fn apply(&mut self, name: &str, value: &str) -> Option<()> {
        match name {
            "side" => self.side = Some(MemorySource::from_key(value)?),
            "program" => self.program = Some(value.parse().ok()?),
            "color" => self.color = value.parse().ok()?,
            "at" => self.point = Some(value.parse().ok()?),
            "by" => self.by = Some(RollUpBy::from_key(value)?),
            "pane" => self.pane = Pane::from_key(value)?,
            "allocator" => self.allocator = Some(value.parse().ok()?),
            // A later build may have added the name.
            _ => {}
        }
        Some(())
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn defaults_are_omitted_and_old_addresses_parse() {
        assert_eq!(MemoryViewState::default().to_string(), "");
        let one: MemoryViewState =
            "side:allocator;program:2;color:1;at:451;by:dtype;pane:lives;allocator:3;later:1".parse().unwrap();
        assert_eq!(
            (one.side, one.program, one.color, one.point),
            (Some(MemorySource::Allocator), Some(2), 1, Some(451))
        );
        assert_eq!((one.by, one.pane, one.allocator), (Some(RollUpBy::Dtype), Pane::LiveRanges, Some(3)));
        for bad in ["side:x", "by:kind", "pane:", "at:-1", "program:x"] {
            assert_eq!(bad.parse::<MemoryViewState>(), Err(bad.to_owned()));
        }
    }

    proptest! {
        #[test]
        fn written_values_round_trip(
            side in prop::option::of(prop::sample::select(MemorySource::ALL.to_vec())), program in any::<Option<u32>>(), color in any::<i64>(), point in any::<Option<u32>>(),
            by in prop::option::of(prop::sample::select(RollUpBy::ALL.to_vec())),
            pane in prop::sample::select(Pane::ALL.to_vec()), allocator in any::<Option<u32>>(),
        ) {
            let state = MemoryViewState { side, program, color, point, by, pane, allocator };
            prop_assert_eq!(state.to_string().parse::<MemoryViewState>(), Ok(state));
        }

        #[test]
        fn any_text_is_read_or_refused(text in any::<String>()) {
            let _ = text.parse::<MemoryViewState>();
        }
    }
}
