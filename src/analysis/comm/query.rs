//! This module holds the queries of communication. It is plain data and does not depend on the report.

use crate::analysis::base::Query;
use crate::analysis::classify::network::Network;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use xla_profile::keyed_enum;
use xla_profile::units::Picos;

/// A query: devices and step, grouping into rows, and the machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommQuery {
    /// Device and step. The grouping and the filter of this query are ignored.
    pub query: Query,
    pub by: CommBy,
    pub machine: Machine,
}

/// What the user says about the devices and the networks between them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Machine {
    /// The arrangement of the chips. `None` means that links of TPUs have no utilisation.
    pub topology: Option<Topology>,
    /// The mesh of the program. Its axes take precedence over those of the topology and of HLO.
    pub mesh: Option<NamedMesh>,
    pub rates: NetworkRates,
}

/// The bandwidths of networks that the user gives, in bytes per second of a device in one direction. They take
/// precedence over published ones. No figure of the network between hosts is published.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct NetworkRates {
    /// The data center network between slices of TPUs.
    pub dcn: Option<u64>,
    /// The network between the hosts of GPUs.
    pub hosts: Option<u64>,
}

impl NetworkRates {
    /// Returns the bandwidth of a network. `None` if the user gave none, and for other networks than those of the fields.
    pub const fn get(&self, network: Network) -> Option<u64> {
        match network {
            Network::Dcn => self.dcn,
            Network::Hosts => self.hosts,
            _ => None,
        }
    }

    /// Sets the bandwidth of a network of the fields. Another network has no effect.
    pub const fn set(&mut self, network: Network, rate: Option<u64>) {
        match network {
            Network::Dcn => self.dcn = rate,
            Network::Hosts => self.hosts = rate,
            _ => {}
        }
    }

    /// Parses GB/s, as bytes per second.
    ///
    /// # Errors
    ///
    /// Fails for what is no number of 0.001 to 100,000.
    pub fn parse(text: &str) -> Result<u64, &'static str> {
        let gigabytes = text.trim().parse::<f64>().ok().filter(|rate| (0.001..=1e5).contains(rate));
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 1e14")]
        let bytes = gigabytes.map(|rate| (rate * 1e9).round() as u64);
        bytes.ok_or("a bandwidth is a number of GB/s from 0.001 to 100000")
    }
}

keyed_enum! {
    /// The grouping of ops into rows.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum CommBy {
        /// One row per (program, op).
        #[default]
        Op = "op": "Op",
        /// One row per source line, else per scope path.
        Source = "source": "Source",
        /// One row per primitive and device groups.
        Group = "group": "Device groups",
        /// One row per primitive.
        Primitive = "primitive": "Primitive",
    }
}

/// The arrangement of chips: a grid or a torus. Chips are numbered along the first side first.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Topology {
    /// Number of chips along each side, x first; one to three sides.
    pub sides: Vec<u64>,
    /// Whether wrap-around links close each side to a ring (torus).
    pub wrap: bool,
}

impl Topology {
    /// Returns the number of chips.
    pub fn chips(&self) -> u64 {
        self.sides.iter().fold(1, |n, side| n.saturating_mul(*side))
    }
}

impl fmt::Display for Topology {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, side) in self.sides.iter().enumerate() {
            write!(f, "{}{side}", if index == 0 { "" } else { "x" })?;
        }
        Ok(())
    }
}

impl FromStr for Topology {
    type Err = &'static str;

    /// Parses a grid without wrap-around links: `4x4x4`.
    ///
    /// # Errors
    ///
    /// Fails without one to three positive sides, or for more than 1,048,576 chips.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const WRONG: &str = "a topology is chips along each side: 4x4x4, 8x16 or 8, at most 1,048,576 of them";
        let side = |side: &str| side.trim().parse::<u64>().ok().filter(|n| *n > 0);
        let sides: Option<Vec<u64>> = text.split(['x', 'X', '×']).take(4).map(side).collect();
        let topology = Self { sides: sides.ok_or(WRONG)?, wrap: false };
        if topology.sides.len() > 3 || topology.chips() > 1 << 20 { Err(WRONG) } else { Ok(topology) }
    }
}

/// The numbering of a program's devices: axes with their sizes, the last axis fastest, as in `jax.sharding.Mesh`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct NamedMesh {
    /// Name and number of devices of each axis, the most major axis first.
    pub axes: Vec<(String, u64)>,
}

impl NamedMesh {
    /// Returns the number of devices.
    pub fn devices(&self) -> u64 {
        self.axes.iter().fold(1, |n, (_, size)| n.saturating_mul(*size))
    }
}

impl fmt::Display for NamedMesh {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (name, size)) in self.axes.iter().enumerate() {
            write!(f, "{}{name}={size}", if index == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}

impl FromStr for NamedMesh {
    type Err = &'static str;

    /// Parses axes with their sizes: `data=4,model=8`.
    ///
    /// # Errors
    ///
    /// Fails without one to eight axes, for a name that is not 1 to 32 bytes of letters, digits, `_`, `-` and `.`, for
    /// a size of 0, or for more than 1,048,576 devices.
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

/// The transfers that lanes show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum TransferFilter {
    #[default]
    Collectives,
    /// Copies between memories.
    Copies,
    /// Collectives and copies.
    All,
}

/// A query for lanes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaneQuery {
    /// Device and step. If all devices are selected, the first device is used.
    pub query: Query,
    pub transfers: TransferFilter,
    /// Start and end of a part of the step, in ps from the start of the step. `None` means the whole step.
    pub part: Option<(Picos, Picos)>,
    /// Largest number of spans; the longest spans are kept. 0 means [`LaneQuery::DEFAULT_MAX_SPANS`], and the limit is
    /// ten times that number. Spans that are left out are counted.
    pub max_spans: u32,
}

impl LaneQuery {
    /// The number of spans that a chart can show.
    pub const DEFAULT_MAX_SPANS: u32 = 2000;
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
