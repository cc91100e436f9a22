//! This module derives the ops and the runs of GPUs and CPUs after all files have been read.
//!
//! ```text
//!  GPU   Stream #16  ▪kernel ▪kernel     kernel ─ hlo_op, or its launch by correlation id ─► op, program
//!        host thread  ▫launch ▫launch       └─ the first op of the program repeats ─► XLA Modules (derived)
//!  CPU   host thread  ▪op ▫call ▪op      ops by device_ordinal ─► /device:CPU:0, /device:CPU:1 … (derived)
//!                                           └─ run_id ─► XLA Modules (derived)
//! ```
//!
//! Derived lines are marked, and their events do not count as events of a file. Planes of TPUs do not change. The
//! module does not depend on the kinds of ops.

mod kernels;
mod launches;
mod numbers;
mod runs;
mod threads;

use super::correlation_ids::Role;
use super::model::{Plane, Profile};
use launches::Hosts;
use rustc_hash::FxHashMap;

impl Profile {
    /// Returns whether [`Profile::derive`] has work to do: there are planes of GPUs, or ops on threads of a host and no
    /// device with ops.
    pub fn needs_deriving(&self) -> bool {
        let ran = |plane: &Plane| plane.lines.iter().any(|line| !line.correlation_ids.runs.is_empty());
        let is_gpu = |plane: &Plane| Role::from_plane(&plane.name) == Role::Gpu;
        let threads = || !self.planes.iter().any(has_ops) && self.planes.iter().any(ran);
        self.pending_program_files.is_some() && (self.planes.iter().any(is_gpu) || threads())
    }

    /// Derives the ops and the runs of GPUs and CPUs, and completes the profile. The function is separate from reading,
    /// so that a page with a capture of a TPU does not need its code.
    pub fn derive(&mut self) {
        derive(self);
        self.finish_profile();
    }
}

fn derive(profile: &mut Profile) {
    let is_gpu = |plane: &Plane| Role::from_plane(&plane.name) == Role::Gpu;
    let gpus: Vec<usize> = (0..profile.planes.len()).filter(|index| is_gpu(&profile.planes[*index])).collect();
    let hosts = Hosts::new(profile);
    launches::join(profile, &gpus, &hosts);
    let programs = kernels::program_names(&profile.hlo);
    for index in &gpus {
        kernels::name(profile, *index, &programs);
    }
    numbers::programs(profile, is_gpu);
    // The calls of a host are those of all its GPUs.
    let mut calls: FxHashMap<usize, Vec<(u32, u64)>> = FxHashMap::default();
    for index in gpus {
        let file = profile.planes[index].file;
        let calls = calls.entry(file).or_insert_with(|| launches::program_calls(profile, &hosts, file));
        runs::of_kernels(profile, index, calls);
    }
    if !profile.planes.iter().any(has_ops) {
        numbers::programs(profile, |plane| Role::from_plane(&plane.name) == Role::Host);
        threads::devices(profile);
    }
}

/// Returns whether the plane is a device on which ops ran.
fn has_ops(plane: &Plane) -> bool {
    plane.name.starts_with("/device:")
        && plane.lines.iter().any(|line| !line.events.is_empty() && (line.name == "XLA Ops" || line.is_stream()))
}
