//! The query of communication. Plain data; knows no answer.

use crate::analysis::base::Query;
use crate::units::Picos;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// What is asked: of which devices and steps, in which rows, on which machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommQuery {
    /// Device and step. Its grouping and its filter play no part.
    pub query: Query,
    /// What rows stand for.
    pub by: CommBy,
    /// How the chips are wired. `None`: links have no utilisation.
    pub topology: Option<Topology>,
    /// How the program names its devices; before the topology's names and those that HLO has.
    pub mesh: Option<NamedMesh>,
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
    /// Wrap-around links (torus).
    pub wrap: bool,
}

impl Topology {
    /// Chips.
    pub fn chips(&self) -> u64 {
        self.sides.iter().fold(1, |n, side| n.saturating_mul(*side))
    }
}

impl fmt::Display for Topology {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, side) in self.sides.iter().enumerate() {
            write!(f, "{}{side}", if at == 0 { "" } else { "x" })?;
        }
        Ok(())
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

/// How a program numbers its devices: axes with their sizes, the last one fastest, as `jax.sharding.Mesh` has them.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct NamedMesh {
    /// Axes, the most major first: each with a name and how many devices lie along it.
    pub axes: Vec<(String, u64)>,
}

impl NamedMesh {
    /// Devices.
    pub fn devices(&self) -> u64 {
        self.axes.iter().fold(1, |n, (_, size)| n.saturating_mul(*size))
    }
}

impl fmt::Display for NamedMesh {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (name, size)) in self.axes.iter().enumerate() {
            write!(f, "{}{name}={size}", if at == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}

impl FromStr for NamedMesh {
    type Err = &'static str;

    /// `data=4,model=8`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const WRONG: &str = "a mesh is named axes with their sizes, the last one fastest: data=4,model=8; letters, digits, _ - and ., at most 1,048,576 devices";
        let axis = |axis: &str| {
            let (name, size) = axis.split_once('=')?;
            let (name, size) = (name.trim(), size.trim().parse::<u64>().ok().filter(|n| *n > 0)?);
            let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
            let fits = (1..=32).contains(&name.len()) && name.chars().all(is_plain);
            fits.then(|| (name.to_owned(), size))
        };
        let axes: Option<Vec<(String, u64)>> = text.split(',').take(9).map(axis).collect();
        let mesh = Self { axes: axes.ok_or(WRONG)? };
        if mesh.axes.len() > 8 || mesh.devices() > 1 << 20 { Err(WRONG) } else { Ok(mesh) }
    }
}

/// What lanes are of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Carried {
    /// What devices do together.
    #[default]
    Collectives,
    /// Copies between memories.
    Copies,
    /// Both.
    All,
}

/// Which lanes are requested.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaneQuery {
    /// Device (of several the first) and step.
    pub query: Query,
    /// What is laid out.
    pub carried: Carried,
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
        assert_eq!(Topology { sides: vec![4, 4, 8], wrap: true }.to_string(), "4x4x8");
    }

    #[test]
    fn meshes_are_read_and_written() {
        let mesh: NamedMesh = "data=4, model.x=8".parse().unwrap();
        assert_eq!(mesh.axes, [("data".to_owned(), 4), ("model.x".to_owned(), 8)]);
        assert_eq!((mesh.devices(), &*mesh.to_string()), (32, "data=4,model.x=8"));
        for wrong in ["", "data", "data=0", "=4", "a b=2", "a=1048577", "a;b=2", "a=1,b=1,c=1,d=1,e=1,f=1,g=1,h=1,i=1"]
        {
            assert!(wrong.parse::<NamedMesh>().is_err(), "{wrong}");
        }
    }
}
