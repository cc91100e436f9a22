//! What the address says of the memory view: which program and memory, which point of the curve, what is shown of what is
//! alive there. One value of the address, which only this view reads.
//!
//! ```text
//!  side:allocator;program:2;color:1;at:451;by:dtype;pane:lives;device:3
//! ```
//!
//! Only what differs from the usual is written; names are added, never renamed. What is not understood is an error; names from
//! a later build are skipped.

use super::params::{Pairs, each_pair};
use crate::analysis::memory::RollUpBy;
use std::fmt;
use std::str::FromStr;

/// What the curve is of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Side {
    /// What a program needs, as it was compiled.
    #[default]
    Static,
    /// What allocators gave while it ran.
    Allocator,
}

impl Side {
    /// Both, in order.
    pub const ALL: [Self; 2] = [Self::Static, Self::Allocator];

    /// The name in addresses.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Static => "static",
            Self::Allocator => "allocator",
        }
    }
}

/// What is shown of what is alive, beside the table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pane {
    /// All of it, by size.
    #[default]
    Map,
    /// Lives around the point.
    Lives,
    /// What padding wastes.
    Padding,
    /// What would lower the peak.
    Findings,
}

impl Pane {
    /// All of them, in order.
    pub const ALL: [Self; 4] = [Self::Map, Self::Lives, Self::Padding, Self::Findings];

    /// The name in addresses.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Map => "map",
            Self::Lives => "lives",
            Self::Padding => "padding",
            Self::Findings => "findings",
        }
    }

    /// The name people read.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Map => "Map",
            Self::Lives => "Live ranges",
            Self::Padding => "Padding",
            Self::Findings => "Findings",
        }
    }
}

/// All that the address says of memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryPlace {
    /// What the curve is of; `None`: programs where any has a buffer assignment, else allocators.
    pub side: Option<Side>,
    /// Which program, by its place in the files; `None`: the heaviest.
    pub program: Option<u32>,
    /// The memory colour.
    pub color: i64,
    /// A point of the curve; `None`: the peak.
    pub at: Option<u32>,
    /// By what the map groups; `None`: by class.
    pub by: Option<RollUpBy>,
    /// What is beside the table.
    pub pane: Pane,
    /// Which allocator, by its place in the list; `None`: the one of the device chosen.
    pub allocator: Option<u32>,
}

impl fmt::Display for MemoryPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut pairs = Pairs::new(f);
        pairs.say_some("side", self.side.map(Side::key))?;
        pairs.say_some("program", self.program)?;
        pairs.say_unless(self.color == 0, "color", self.color)?;
        pairs.say_some("at", self.at)?;
        pairs.say_some("by", self.by.map(RollUpBy::key))?;
        pairs.say_unless(self.pane == Pane::default(), "pane", self.pane.key())?;
        pairs.say_some("allocator", self.allocator)
    }
}

impl FromStr for MemoryPlace {
    /// The name and value that mean nothing.
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut place = Self::default();
        each_pair(text, |name, value| place.take(name, value)).map(|()| place)
    }
}

impl MemoryPlace {
    fn take(&mut self, name: &str, value: &str) -> Option<()> {
        match name {
            "side" => self.side = Some(Side::ALL.into_iter().find(|side| side.key() == value)?),
            "program" => self.program = Some(value.parse().ok()?),
            "color" => self.color = value.parse().ok()?,
            "at" => self.at = Some(value.parse().ok()?),
            "by" => self.by = Some(RollUpBy::ALL.iter().copied().find(|by| by.key() == value)?),
            "pane" => self.pane = Pane::ALL.into_iter().find(|pane| pane.key() == value)?,
            "allocator" => self.allocator = Some(value.parse().ok()?),
            // A name that a later build knows.
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
    fn the_usual_says_nothing_and_what_was_written_stays_readable() {
        assert_eq!(MemoryPlace::default().to_string(), "");
        let one: MemoryPlace =
            "side:allocator;program:2;color:1;at:451;by:dtype;pane:lives;allocator:3;later:1".parse().unwrap();
        assert_eq!((one.side, one.program, one.color, one.at), (Some(Side::Allocator), Some(2), 1, Some(451)));
        assert_eq!((one.by, one.pane, one.allocator), (Some(RollUpBy::Dtype), Pane::Lives, Some(3)));
        for bad in ["side:x", "by:kind", "pane:", "at:-1", "program:x"] {
            assert_eq!(bad.parse::<MemoryPlace>(), Err(bad.to_owned()));
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(
            side in prop::option::of(prop::sample::select(Side::ALL.to_vec())), program in any::<Option<u32>>(), color in any::<i64>(), at in any::<Option<u32>>(),
            by in prop::option::of(prop::sample::select(RollUpBy::ALL.to_vec())),
            pane in prop::sample::select(Pane::ALL.to_vec()), allocator in any::<Option<u32>>(),
        ) {
            let place = MemoryPlace { side, program, color, at, by, pane, allocator };
            prop_assert_eq!(place.to_string().parse::<MemoryPlace>(), Ok(place));
        }

        #[test]
        fn any_text_is_read_or_refused(text in any::<String>()) {
            let _ = text.parse::<MemoryPlace>();
        }
    }
}
