//! This module reads and writes the state of the communication view in the address: collectives or copies, the grouping
//! of rows, the pane beside the steps, the topology of the machine and the mesh of the program. The state is one value
//! of the address, which only this view reads.
//!
//! ```text
//!  of:copies;by:group;pane:bandwidth;mesh:data=4,model=8;topology:4x4x4;wrap:1;dcn:12500000000;part:0-1000
//! ```
//!
//! Bandwidths are in bytes per second. Only values that differ from the default are written. Names are added, and never renamed. A value that cannot be
//! parsed is an error. An unknown name is skipped, because a later build may have added it.

use super::params::{Pairs, each_pair, parse_part};
use crate::analysis::comm::{CommBy, Machine, TransferFilter};
use std::fmt;
use std::str::FromStr;
use xla_profile::keyed_enum;

keyed_enum! {
    /// The traffic that the view shows.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum CommRows {
        /// Operations that several devices run together.
        #[default]
        Collectives = "collectives",
        /// Copies between memories.
        Copies = "copies",
    }
}

impl CommRows {
    /// Returns the value that the analysis uses for this traffic.
    pub const fn transfer_filter(self) -> TransferFilter {
        match self {
            Self::Collectives => TransferFilter::Collectives,
            Self::Copies => TransferFilter::Copies,
        }
    }
}

keyed_enum! {
    /// The pane beside the steps.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Pane {
        /// Intervals in flight, above the intervals of compute.
        #[default]
        Lanes = "lanes": "In flight",
        /// Bandwidth by message size.
        Bandwidth = "bandwidth": "Bandwidth",
        /// XLA flags that are worth trying.
        Flags = "flags": "Flags",
        /// Skew of the devices and the straggler.
        Devices = "devices": "Devices",
        /// Collectives between slices, over the data center network.
        Dcn = "dcn": "DCN",
    }
}

/// The state of the communication view.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommViewState {
    /// Traffic that the user chose. `None` shows collectives, or copies if there are no collectives.
    pub traffic: Option<CommRows>,
    /// Grouping of the rows.
    pub by: CommBy,
    pub pane: Pane,
    /// What the user says about the devices and the networks between them.
    pub machine: Machine,
    /// The part of the step whose intervals are shown, in ps from its start. `None` shows the whole step.
    pub part: Option<(u64, u64)>,
}

impl fmt::Display for CommViewState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut pairs = Pairs::new(f);
        pairs.write_if_some("of", self.traffic.map(CommRows::key))?;
        pairs.write_unless_default(self.by == CommBy::default(), "by", self.by.key())?;
        pairs.write_unless_default(self.pane == Pane::default(), "pane", self.pane.key())?;
        let Machine { topology, mesh, rates } = &self.machine;
        pairs.write_if_some("mesh", mesh.as_ref())?;
        pairs.write_if_some("topology", topology.as_ref())?;
        pairs.write_unless_default(!topology.as_ref().is_some_and(|topology| topology.wrap), "wrap", "1")?;
        pairs.write_if_some("dcn", rates.dcn)?;
        pairs.write_if_some("network", rates.hosts)?;
        pairs.write_if_some("part", self.part.map(|(from, to)| format!("{from}-{to}")))
    }
}

impl FromStr for CommViewState {
    /// The pair of name and value that cannot be parsed.
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut state = Self::default();
        each_pair(text, |name, value| state.apply(name, value)).map(|()| state)
    }
}

impl CommViewState {
    fn apply(&mut self, name: &str, value: &str) -> Option<()> {
        match name {
            "of" => self.traffic = Some(CommRows::from_key(value)?),
            "by" => self.by = CommBy::from_key(value)?,
            "pane" => self.pane = Pane::from_key(value)?,
            "mesh" => self.machine.mesh = Some(value.parse().ok()?),
            "topology" => self.machine.topology = Some(value.parse().ok()?),
            "wrap" => self.machine.topology.as_mut()?.wrap = value == "1",
            "dcn" => self.machine.rates.dcn = Some(value.parse().ok()?),
            "network" => self.machine.rates.hosts = Some(value.parse().ok()?),
            "part" => self.part = Some(parse_part(value)?),
            // A later build may have added the name.
            _ => {}
        }
        Some(())
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use crate::analysis::comm::{NamedMesh, NetworkRates, Topology};
    use proptest::prelude::*;

    #[test]
    fn defaults_are_omitted_and_old_addresses_parse() {
        assert_eq!(CommViewState::default().to_string(), "");
        let text =
            "of:copies;by:group;pane:bandwidth;mesh:data=4,model=8;topology:4x4x4;wrap:1;dcn:5;network:7;part:7-1000";
        let one: CommViewState = format!("{text};later:1").parse().unwrap();
        assert_eq!((one.traffic, one.by, one.pane), (Some(CommRows::Copies), CommBy::Group, Pane::Bandwidth));
        assert_eq!(one.machine.rates, NetworkRates { dcn: Some(5), hosts: Some(7) });
        assert_eq!(one.machine.topology, Some(Topology { sides: vec![4, 4, 4], wrap: true }));
        assert_eq!(one.to_string(), text);
        for bad in ["of:x", "by:kind", "pane:", "mesh:4", "topology:x", "wrap:1", "dcn:x", "part:2-2", "part:1"] {
            assert_eq!(bad.parse::<CommViewState>(), Err(bad.to_owned()));
        }
    }

    fn machine() -> impl Strategy<Value = Machine> {
        let axes = prop::collection::vec(("[a-z_.-]{1,8}", 1u64..8), 1..5);
        let sides = (prop::collection::vec(1u64..9, 1..4), any::<bool>());
        let parts = (
            prop::option::of(axes.prop_map(|axes| NamedMesh { axes })),
            prop::option::of(sides.prop_map(|(sides, wrap)| Topology { sides, wrap })),
            prop::option::of(any::<u64>()),
            prop::option::of(any::<u64>()),
        );
        parts.prop_map(|(mesh, topology, dcn, hosts)| Machine { topology, mesh, rates: NetworkRates { dcn, hosts } })
    }

    proptest! {
        #[test]
        fn written_values_round_trip(
            traffic in prop::option::of(prop::sample::select(CommRows::ALL.to_vec())), by in prop::sample::select(CommBy::ALL.to_vec()),
            pane in prop::sample::select(Pane::ALL.to_vec()), machine in machine(),
            part in prop::option::of((0u64..9, 9u64..99)),
        ) {
            let state = CommViewState { traffic, by, pane, machine, part };
            prop_assert_eq!(state.to_string().parse::<CommViewState>(), Ok(state));
        }

        #[test]
        fn any_text_is_read_or_refused(text in any::<String>()) {
            let _ = text.parse::<CommViewState>();
        }
    }
}
