//! This module holds the ledger and its owners. It is plain data and does not depend on the analysis.

use crate::analysis::gaps::GapClass;
use serde::{Deserialize, Serialize};
use xla_profile::units::Picos;

/// What an instant of a device's time was spent on. Each instant has one owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Owner {
    /// Compute: the least time that the ops can be expected to need, which is their roofline time ÷ the attainable share.
    Floor,
    /// Compute beyond that time.
    Excess,
    /// Compute, copies and layout changes of a straggler: their time beyond the median of the devices.
    Slower,
    /// Compute without a roofline time, because the cost of the op or a peak of the device is unknown. Ops that no rule
    /// classifies are counted here as well.
    Opaque,
    /// Communication: transfers between devices.
    Transfer,
    /// Communication: waits for devices that arrive later at a collective.
    Late,
    /// Data movement: starts of asynchronous copies and slices, and waits for them.
    Dma,
    /// Other data movement: copies and changes of layout.
    Layout,
    /// Self time of loops and other containers.
    Loop,
    /// Time without an op, and the cause. Time of ops that exchange data with the host, such as infeeds and copies from the
    /// host to a GPU outside of programs, is counted as [`GapClass::Input`].
    Gap(GapClass),
}

impl Owner {
    /// All owners, in the order of the JSON.
    pub const ALL: [Self; 21] = [
        Self::Floor,
        Self::Excess,
        Self::Slower,
        Self::Opaque,
        Self::Transfer,
        Self::Late,
        Self::Dma,
        Self::Layout,
        Self::Loop,
        Self::Gap(GapClass::Capture),
        Self::Gap(GapClass::Recompile),
        Self::Gap(GapClass::Input),
        Self::Gap(GapClass::Sync),
        Self::Gap(GapClass::Defrag),
        Self::Gap(GapClass::Host),
        Self::Gap(GapClass::Barrier),
        Self::Gap(GapClass::Dependency),
        Self::Gap(GapClass::Launch),
        Self::Gap(GapClass::Unexplained),
        Self::Gap(GapClass::Callback),
        Self::Gap(GapClass::Requests),
    ];

    /// Returns the name in JSON.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Floor => "floor",
            Self::Excess => "excess",
            Self::Slower => "slower",
            Self::Opaque => "opaque",
            Self::Transfer => "transfer",
            Self::Late => "late",
            Self::Dma => "dma",
            Self::Layout => "layout",
            Self::Loop => "loop",
            Self::Gap(class) => class.key(),
        }
    }
}

/// The owners of the time of one device, in the steps of a query.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ledger {
    /// Index of the device in the session.
    pub device: usize,
    /// Number of steps; 1 if the window is the whole capture.
    pub n_steps: u32,
    /// Length of the window on the event clock: the sum of the periods of the steps. It is the sum of the times of all
    /// owners.
    pub window: Picos,
    /// The share of the roofline that ops are expected to attain.
    pub attainable: f64,
    /// The time of each owner that has time, in the order of [`Owner::ALL`]. Sums over all steps.
    pub owners: Vec<(Owner, Picos)>,
    /// Sum over the ops that do not communicate of the time beyond the median of the devices, as a mean over the steps.
    /// `None` if no other device is compared.
    pub excess: Option<Picos>,
}

impl Ledger {
    /// Returns a sum over all steps as the mean of a step, rounded half to even.
    pub const fn per_step(&self, time: Picos) -> Picos {
        let n = if self.n_steps == 0 { 1 } else { self.n_steps as u64 };
        let (whole, rest) = (time.0 / n, time.0 % n);
        let is_up = rest * 2 > n || (rest * 2 == n && whole % 2 == 1);
        Picos(whole + is_up as u64)
    }

    /// Returns the time of an owner.
    pub fn time(&self, owner: Owner) -> Picos {
        self.owners.iter().find(|(other, _)| *other == owner).map_or(Picos::ZERO, |(_, time)| *time)
    }
}
