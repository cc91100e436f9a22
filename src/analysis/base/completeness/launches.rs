//! This module finds kernels of GPUs that the host launched and that the capture does not have.
//!
//! A host call and the kernels that it launched have one correlation id. Calls that build a CUDA graph have ids, too, and launch
//! nothing: they are left out by their names, and by the event `command_buffer::update` around them.

use super::reads::{HostFile, picos, spans_of};
use super::sign::Sign;
use crate::analysis::base::platform::Platform;
use crate::table::filter::contains;
use crate::table::format::{count, counted, percent_text, time_text};
use rustc_hash::FxHashSet;
use xla_profile::intervals::Merged;
use xla_profile::profile::{Line, NoteCode, Plane, Profile, Severity};

/// Share of launches without a kernel from which on kernels were lost.
const LEAST: f64 = 0.05;
/// A kernel may start after the end of the capture if its launch ends less than this before the last host event, in ps.
pub(super) const TAIL: i128 = 1_000_000_000;

/// The launches of a host with GPUs.
pub(super) struct Launches {
    /// Indices of the planes of the GPUs.
    gpus: Vec<usize>,
    /// The end of each launch in ps, and whether it has a kernel, in the order of the file.
    pub all: Vec<(i128, bool)>,
    /// The end of the last event of the host in ps.
    pub last_event: i128,
}

impl Launches {
    /// Finds the launches of the host of a file. `None` if the host has no GPU, or if the file is cut.
    pub fn new(file: &HostFile<'_>) -> Option<Self> {
        let (profile, devices) = (file.profile, file.devices());
        let gpus: Vec<usize> =
            devices.iter().filter(|(_, platform)| *platform == Platform::Gpu).map(|(index, _)| *index).collect();
        if gpus.is_empty() || file.is_cut() {
            return None;
        }
        let lines = gpus.iter().flat_map(|index| &profile.planes[*index].lines);
        let kernels: FxHashSet<u32> = lines.flat_map(|line| &line.launches).map(|(_, id)| *id).collect();
        let (mut all, mut last_event) = (Vec::new(), i128::MIN);
        for (plane, line) in file.threads() {
            last_event = spans_of(line).map(|(_, end)| end).max().unwrap_or(i128::MIN).max(last_event);
            if line.launches.is_empty() {
                continue;
            }
            let updates = graph_updates(profile, plane, line);
            for (event, id) in &line.launches {
                let event = *event as usize;
                let (start, duration) = line.events.time(event);
                let name = profile.text(plane.op(line.events.op(event)).name);
                if is_launch(name) && !updates.contains(start) {
                    let end = i128::from(line.timestamp_ns) * 1000 + i128::from(start) + i128::from(duration);
                    all.push((end, kernels.contains(id)));
                }
            }
        }
        Some(Self { gpus, all, last_event })
    }

    /// Iterates over the launches whose kernels must be in the capture.
    pub fn due(&self) -> impl Iterator<Item = &(i128, bool)> {
        self.all.iter().filter(|(end, _)| *end + TAIL <= self.last_event)
    }
}

/// Returns a sign for each host that launched kernels that its GPUs do not have.
pub(super) fn signs(profile: &Profile, launches: &[Option<Launches>]) -> Vec<Sign> {
    launches.iter().flatten().filter_map(|of_host| without_kernels(profile, of_host)).collect()
}

fn without_kernels(profile: &Profile, launches: &Launches) -> Option<Sign> {
    let due = launches.due().count() as u64;
    let lost = launches.due().filter(|(_, has_kernel)| !has_kernel).count() as u64;
    #[expect(clippy::cast_precision_loss, reason = "a ratio")]
    let share = if due == 0 { 0.0 } else { lost as f64 / due as f64 };
    if share < LEAST {
        return None;
    }
    let none = launches.all.iter().all(|(_, has_kernel)| !has_kernel);
    let n_all = launches.all.len() as u64;
    let (n, what) = if none {
        let (kernels, was) =
            if n_all == 1 { ("kernel was", "it was not recorded") } else { ("kernels were", "none was recorded") };
        (n_all, format!("{} {kernels} launched and {was}.", count(n_all)))
    } else {
        let launched = counted(due, "kernel that was launched", "kernels that were launched");
        (lost, format!("{} of {launched} ({}) were not recorded.", count(lost), percent_text(share)))
    };
    let recorded = recorded(profile, &launches.gpus, none);
    let advice = "The time without kernels is therefore not idle time, and no figure about idle time, MFU or steps is given. \
                  The profiler lost them, for example because CUPTI failed or a limit was reached (see the log of the host): \
                  capture fewer steps in a new process, and raise gpu_max_callback_api_events and \
                  gpu_max_activity_api_events.";
    let mut sign = Sign::new(NoteCode::LaunchesWithoutKernels, Severity::Partial, format!("{what}{recorded}"), advice);
    sign.n = Some(n);
    Some(sign.of_planes(profile, launches.gpus.clone()))
}

/// Returns a sentence about the events that were recorded. They all are copies and memsets if no kernel was recorded.
fn recorded(profile: &Profile, gpus: &[usize], only_copies: bool) -> String {
    let lines = gpus.iter().flat_map(|index| &profile.planes[*index].lines).filter(|line| line.is_stream());
    let (mut n, mut time) = (0, 0);
    for line in lines {
        n += line.events.len() as u64;
        time += line.events.times().map(|(_, duration)| i128::from(duration)).sum::<i128>();
    }
    if !only_copies || n == 0 {
        return String::new();
    }
    let is = if n == 1 { "is" } else { "are" };
    format!(" {} {is} recorded, {}.", counted(n, "copy", "copies"), time_text(picos(time)))
}

/// Returns the times of the events on a thread that build a CUDA graph, in ps after the timestamp of the line.
fn graph_updates(profile: &Profile, plane: &Plane, line: &Line) -> Merged {
    let is_update: Vec<bool> =
        plane.ops.iter().map(|op| contains(profile.text(op.name), "command_buffer::update")).collect();
    if !is_update.contains(&true) {
        return Merged::new(Vec::new());
    }
    let events = line.events.times().zip(line.events.ops());
    let updates = events.filter(|(_, op)| is_update.get(op.0 as usize) == Some(&true));
    Merged::new(updates.map(|((start, duration), _)| (start, start.saturating_add(duration))).collect())
}

/// Returns whether a call with a correlation id launches a kernel, by its name: the name of a function of CUDA or HIP, or of the
/// kernel itself.
fn is_launch(name: &str) -> bool {
    if is_api(name) {
        return contains(name, "launch") && !contains(name, "hostfunc");
    }
    !["memcpy", "memset"].iter().any(|prefix| name.get(..6).is_some_and(|start| start.eq_ignore_ascii_case(prefix)))
}

/// Returns whether a name is that of a function of CUDA or HIP, such as `cuLaunchKernel` or `hipMalloc`.
fn is_api(name: &str) -> bool {
    let rest = ["cuda", "hip", "cu"].iter().find_map(|prefix| name.strip_prefix(prefix));
    rest.is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_uppercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launches_are_told_from_other_calls() {
        for name in [
            "cuLaunchKernel",
            "cuLaunchKernelEx",
            "cuGraphLaunch (CudaGraph:21)",
            "hipModuleLaunchKernel",
            "cudaLaunchKernel",
            "loop_copy_fusion",
            "cudnn_generated_fort_native_sdpa",
            "cutlass_80_tensorop",
        ] {
            assert!(is_launch(name), "{name}");
        }
        for name in [
            "cuMemcpyHtoDAsync_v2",
            "MemcpyD2D",
            "Memset",
            "cuMemsetD32Async",
            "cuStreamSynchronize",
            "cuEventRecord",
            "cuStreamQuery",
            "cuMemAlloc",
            "cuCtxSynchronize",
            "cuGraphAddNode_v2 (CudaGraph:94)",
            "cuGraphInstantiate",
            "cuLaunchHostFunc",
            "hipMalloc",
        ] {
            assert!(!is_launch(name), "{name}");
        }
    }
}
