//! This module lists the faults that a simulated run can have, so that a diagnosis has something to find.

/// The faults of a run. Each fault is present or absent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// One device takes an eighth longer for its own work, and all others wait for it.
    pub straggler: bool,
    /// All-gathers take four times as long, which is more than the compute beside them can hide.
    pub exposed_all_gather: bool,
    /// Copies from one layout to another take six times as long.
    pub retiling_copies: bool,
    /// The core is idle at the start of each iteration of a loop.
    pub idle_gaps: bool,
    /// The host needs longer for the next batch than the device needs for a step.
    pub host_bound: bool,
}

/// The names that `--fault` accepts, in the order of the fields of [`Faults`].
pub const NAMES: [&str; 5] = ["straggler", "exposed-all-gather", "retiling-copies", "idle-gaps", "host-bound"];

impl Faults {
    /// Adds the fault of the given name, one of [`NAMES`]. Other names are ignored.
    pub fn add(&mut self, name: &str) {
        let fault = match name {
            "straggler" => &mut self.straggler,
            "exposed-all-gather" => &mut self.exposed_all_gather,
            "retiling-copies" => &mut self.retiling_copies,
            "idle-gaps" => &mut self.idle_gaps,
            "host-bound" => &mut self.host_bound,
            _ => return,
        };
        *fault = true;
    }

    /// Returns the names of the faults that are present.
    pub fn names(self) -> Vec<&'static str> {
        let there = [self.straggler, self.exposed_all_gather, self.retiling_copies, self.idle_gaps, self.host_bound];
        NAMES.into_iter().zip(there).filter(|(_, there)| *there).map(|(name, _)| name).collect()
    }
}
