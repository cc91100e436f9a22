//! What may be wrong with the run, so that a diagnosis has something to find.

/// Each may be there or not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// One device computes an eighth slower: all others wait for it.
    pub straggler: bool,
    /// All-gathers take four times as long, more than there is to compute meanwhile.
    pub exposed_all_gather: bool,
    /// Copies from one layout to another take six times as long.
    pub retiling_copies: bool,
    /// The core stands still at the start of each turn of a loop.
    pub idle_gaps: bool,
    /// The host needs longer for the next batch than the device for a step.
    pub host_bound: bool,
}

/// As `--fault` names them.
pub const NAMES: [&str; 5] = ["straggler", "exposed-all-gather", "retiling-copies", "idle-gaps", "host-bound"];

impl Faults {
    /// Adds one of [`NAMES`].
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

    /// Those that are there.
    pub fn names(self) -> Vec<&'static str> {
        let there = [self.straggler, self.exposed_all_gather, self.retiling_copies, self.idle_gaps, self.host_bound];
        NAMES.into_iter().zip(there).filter(|(_, there)| *there).map(|(name, _)| name).collect()
    }
}
