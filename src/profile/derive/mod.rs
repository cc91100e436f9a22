//! What captures of GPUs and CPUs leave to be worked out, once all files are read.
//!
//! ```text
//!  GPU   Stream #16  ▪kernel ▪kernel     kernel ─ hlo_op, or by correlation id what its launch says ─► op, program
//!        host thread  ▫launch ▫launch       └─ program's first op comes again ─► XLA Modules (derived)
//!  CPU   host thread  ▪op ▫call ▪op      ops by device_ordinal ─► /device:CPU:0, /device:CPU:1 … (derived)
//!                                           └─ run_id ─► XLA Modules (derived)
//! ```
//!
//! What is derived says so, and counts as no event of a file. TPU planes are left as they are. Knows names of planes, lines
//! and kernels; knows no kinds and no time beyond where a run begins and ends.

mod kernels;
mod launches;
mod runs;
mod threads;

use super::model::{Plane, Profile};
use super::tags::{Role, Tags};

/// Works out what is not said, and lets go of what joined events.
pub(super) fn derive(profile: &mut Profile) {
    for at in 0..profile.planes.len() {
        if Role::of(&profile.planes[at].name) == Role::Gpu {
            launches::join(profile, at);
            kernels::name(profile, at);
            runs::of_kernels(profile, at);
        }
    }
    if !profile.planes.iter().any(has_ops) {
        threads::devices(profile);
    }
    for line in profile.planes.iter_mut().flat_map(|plane| &mut plane.lines) {
        line.tags = Tags::default();
    }
}

/// It is a device on which ops ran.
fn has_ops(plane: &Plane) -> bool {
    plane.name.starts_with("/device:")
        && plane.lines.iter().any(|line| !line.events.is_empty() && (line.name == "XLA Ops" || line.is_stream()))
}
