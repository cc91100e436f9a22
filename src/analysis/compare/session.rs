//! This module holds one side of a comparison with its analyses.

use super::report::SideHead;
use crate::analysis::base::Analysis;
use crate::analysis::comm::Comm;
use crate::analysis::data_movement::Programs;
use crate::analysis::ledger::{LedgerByOp, OpSteps};
use crate::analysis::memory::{RuntimeMemory, StaticMemory};
use crate::analysis::overview::Overview;
use crate::profile::Profile;

/// One side of a comparison, with its analyses.
#[derive(Clone, Copy)]
pub struct Session<'a> {
    pub profile: &'a Profile,
    pub analysis: &'a Analysis,
    pub programs: Option<Programs<'a>>,
    /// The ledger of the steps that are compared.
    pub by_op: &'a LedgerByOp,
    /// The times of the ops of the ledger's device by step.
    pub steps: &'a OpSteps,
    pub overview: &'a Overview,
    /// The memory of the program whose peaks are compared. The error is the reason why there is none.
    pub memory: Result<&'a StaticMemory, &'a str>,
    /// The report on the allocators.
    pub runtime: &'a RuntimeMemory,
    /// The communication of the ledger's device in the steps that are compared, by op.
    pub comm: &'a Comm,
    /// Whether only a part of the capture was read.
    pub is_partial: bool,
}

impl Session<'_> {
    pub(super) fn n_steps(&self) -> u64 {
        self.by_op.ledger.n_steps.max(1).into()
    }

    /// Returns the tokens of one step of the whole job, as the program's inputs tell them.
    pub(super) fn tokens(&self) -> Option<u64> {
        let (sequences, length) = self.overview.model_size?.batch?;
        sequences.checked_mul(length).filter(|tokens| *tokens > 0)
    }

    /// Returns the head of the side.
    pub fn head(&self) -> SideHead {
        let steps = self.steps.steps.iter().filter(|_| self.overview.has_steps);
        let periods_ps: Vec<u64> = steps.map(|(start, end)| end - start).collect();
        SideHead {
            files: self.profile.files.clone(),
            device: self.overview.device.clone(),
            device_type: self.overview.header.device_type.clone(),
            n_devices: self.analysis.devices.len() as u32,
            n_steps: periods_ps.len() as u32,
            period_ps: self.by_op.ledger.per_step(self.by_op.ledger.window).0,
            periods_ps,
            tokens: self.tokens(),
            is_partial: self.is_partial,
        }
    }
}
