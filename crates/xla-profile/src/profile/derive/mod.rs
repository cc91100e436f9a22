//! What captures of GPUs and CPUs leave to be worked out, once all files are read.
//!
//! ```text
//!  GPU   Stream #16  ▪kernel ▪kernel     kernel ─ hlo_op, or by correlation id what its launch says ─► op, program
//!        host thread  ▫launch ▫launch       └─ program's first op comes again ─► XLA Modules (derived)
//!  CPU   host thread  ▪op ▫call ▪op      ops by device_ordinal ─► /device:CPU:0, /device:CPU:1 … (derived)
//!                                           └─ run_id ─► XLA Modules (derived)
//! ```
//!
//! What is derived says so, and counts as no event of a file. TPU planes are left as they are. This module knows names of planes, lines
//! and kernels; knows no kinds and no time beyond where a run begins and ends.

mod kernels;
mod launches;
mod numbers;
mod runs;
mod threads;

use super::correlation_ids::Role;
use super::model::{Plane, Profile};

impl Profile {
    /// Whether there is something to work out: planes of GPUs, or ops on a host's threads and no device that has any.
    pub fn needs_deriving(&self) -> bool {
        let ran = |plane: &Plane| plane.lines.iter().any(|line| !line.correlation_ids.runs.is_empty());
        let is_gpu = |plane: &Plane| Role::from_plane(&plane.name) == Role::Gpu;
        let threads = || !self.planes.iter().any(has_ops) && self.planes.iter().any(ran);
        self.unsettled.is_some() && (self.planes.iter().any(is_gpu) || threads())
    }

    /// Works out what is not said, and lets go of what joined events. Apart from reading: a page that shows a TPU's capture does
    /// without the code.
    pub fn derive(&mut self) {
        derive(self);
        self.settle();
    }
}

fn derive(profile: &mut Profile) {
    let is_gpu = |plane: &Plane| Role::from_plane(&plane.name) == Role::Gpu;
    let gpus: Vec<usize> = (0..profile.planes.len()).filter(|at| is_gpu(&profile.planes[*at])).collect();
    for at in &gpus {
        launches::join(profile, *at);
        kernels::name(profile, *at);
    }
    numbers::programs(profile, is_gpu);
    for at in gpus {
        runs::of_kernels(profile, at);
    }
    if !profile.planes.iter().any(has_ops) {
        numbers::programs(profile, |plane| Role::from_plane(&plane.name) == Role::Host);
        threads::devices(profile);
    }
}

/// It is a device on which ops ran.
fn has_ops(plane: &Plane) -> bool {
    plane.name.starts_with("/device:")
        && plane.lines.iter().any(|line| !line.events.is_empty() && (line.name == "XLA Ops" || line.is_stream()))
}
