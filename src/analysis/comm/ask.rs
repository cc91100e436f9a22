//! What is asked of communication. Plain data; knows no answer.

use crate::analysis::query::Query;
use crate::units::Picos;
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// What is asked: of which devices and steps, in which rows, on which machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommQuery {
    /// Device and step. Its grouping and its filter play no part.
    pub query: Query,
    /// What rows stand for.
    pub by: CommBy,
    /// How the chips are wired. `None`: axes have no names, and links no utilisation.
    pub topology: Option<Topology>,
}

/// What a row stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommBy {
    /// One per (program, op).
    #[default]
    Op,
    /// One per line of source, else per scope path.
    Source,
    /// One per primitive and groups of devices.
    Group,
    /// One per primitive.
    Primitive,
}

impl CommBy {
    /// All of them, in the order of the menu.
    pub const ALL: [Self; 4] = [Self::Op, Self::Source, Self::Group, Self::Primitive];

    /// The name in JSON, on the command line and in links.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Op => "op",
            Self::Source => "source",
            Self::Group => "group",
            Self::Primitive => "primitive",
        }
    }

    /// The name people read.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Op => "Op",
            Self::Source => "Source",
            Self::Group => "Device groups",
            Self::Primitive => "Primitive",
        }
    }
}

/// How chips are wired: a grid, closed to rings or not. Chips are numbered along the first side first.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Topology {
    /// Chips along each side, x first; one to three sides.
    pub sides: Vec<u64>,
    /// Each side is closed to a ring.
    pub wrap: bool,
}

impl Topology {
    /// Chips.
    pub fn chips(&self) -> u64 {
        self.sides.iter().fold(1, |n, side| n.saturating_mul(*side))
    }
}

impl FromStr for Topology {
    type Err = &'static str;

    /// `4x4x4`: not closed.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const WRONG: &str = "a topology is chips along each side: 4x4x4, 8x16 or 8, at most 1,048,576 of them";
        let side = |side: &str| side.trim().parse::<u64>().ok().filter(|n| *n > 0);
        let sides: Option<Vec<u64>> = text.split(['x', 'X', '×']).take(4).map(side).collect();
        let topology = Self { sides: sides.ok_or(WRONG)?, wrap: false };
        if topology.sides.len() > 3 || topology.chips() > 1 << 20 { Err(WRONG) } else { Ok(topology) }
    }
}

/// Which lanes are asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaneQuery {
    /// Device (of several the first) and step.
    pub query: Query,
    /// Copies between memories as well.
    pub copies: bool,
    /// A part of the step, in picoseconds from its start; `None`: all of it.
    pub part: Option<(Picos, Picos)>,
    /// Spans told at most, the longest first; 0: [`LaneQuery::MOST`]. What is left out is counted.
    pub most: u32,
}

impl LaneQuery {
    /// As many as a chart can show.
    pub const MOST: u32 = 2000;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn topologies_are_read() {
        assert_eq!("4x4x8".parse(), Ok(Topology { sides: vec![4, 4, 8], wrap: false }));
        assert_eq!("16".parse::<Topology>().unwrap().chips(), 16);
        for wrong in ["", "4x", "0x4", "a", "2x2x2x2", "1048577", "4x-1", "99999999999999999999"] {
            assert!(wrong.parse::<Topology>().is_err(), "{wrong}");
        }
    }
}
