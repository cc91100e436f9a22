//! This module takes events away from a capture, in each way in which profilers lose them, and says which are lost.

use super::plan::{Plan, Platform};
use super::trace::Trace;
use super::truth::label;
use fastrand::Rng;
use serde::Serialize;

/// A way in which a profiler loses events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// All runs and ops of all devices. The devices are in the capture, without lines.
    AllOps,
    /// GPU: all kernels. Their launches and the copies of batches are in the capture.
    Kernels,
    /// TPU: the runs of some steps of a device, where the profiler dropped buffers.
    Span,
    /// All runs of a device after a step.
    EndsEarly,
    /// All runs of a device before a step.
    StartsLate,
    /// Nothing is known to be lost, but the profiler reports an error.
    Error,
    /// GPU: single kernels, and the profiler reports how many.
    Kernel,
    /// TPU: an unknown part, which the plane's stat `dropped_traces` counts.
    Traces,
}

/// What a capture lacks, by the sign of it.
#[derive(Debug, Serialize)]
pub struct Lost {
    /// The sign by which a reader can tell.
    pub sign: &'static str,
    /// The devices that lack events.
    pub devices: Vec<String>,
    /// The number of runs, launches, kernels or traces.
    pub n: Option<u64>,
    /// The time without events, in ps since the start of the profile.
    pub span_ps: Option<(u64, u64)>,
    /// What the profiler says in the capture, as an error or a warning.
    pub text: Option<String>,
}

/// Takes away what the plan's loss takes, and returns what that is.
pub fn lose(plan: &Plan, trace: &mut Trace, random: &mut Rng) -> Vec<Lost> {
    let Some(loss) = plan.loss else { return Vec::new() };
    let all: Vec<String> = (0..plan.n_devices).map(|device| label(plan, device)).collect();
    let n_runs = trace.runs.len() as u64;
    let lost = |sign, devices, n| Lost { sign, devices, n, span_ps: None, text: None };
    let text = |text: &str| Some(text.to_owned());
    match loss {
        Loss::AllOps => {
            trace.runs.iter_mut().for_each(|run| run.is_recorded = false);
            let says = text("Failed to collect trace from worker 0: device trace buffer overflow");
            vec![
                lost("runs_without_device", all.clone(), Some(n_runs)),
                Lost { text: says, ..lost("profiler_errors", all, None) },
            ]
        }
        Loss::Kernels => {
            let n = trace.events.iter().filter(|event| event.name == "cuLaunchKernel").count() as u64;
            trace.runs.iter_mut().for_each(|run| run.is_recorded = false);
            vec![lost("launches_without_kernels", all, Some(n))]
        }
        Loss::Span | Loss::EndsEarly | Loss::StartsLate => {
            let n = plan.blocks.len();
            let length = random.usize(2..=n / 4);
            let (sign, from, until) = match loss {
                Loss::Span => {
                    let from = random.usize(2..n - length - 2);
                    ("buffers_dropped", from, from + length)
                }
                Loss::EndsEarly => ("device_ends_early", n - length, n),
                _ => ("device_starts_late", 0, length),
            };
            let device = random.usize(0..plan.n_devices);
            let of_device = |block: &dyn Fn(usize) -> bool| {
                let runs = trace.runs.iter().filter(|run| run.device == device && block(run.block));
                (runs.clone().map(|run| run.end).max(), runs.map(|run| run.start).min())
            };
            let begin = of_device(&|block| block < from).0.unwrap_or(0);
            let end = of_device(&|block| block >= until).1.unwrap_or(trace.end);
            let mut n = 0;
            for run in trace.runs.iter_mut().filter(|run| run.device == device && (from..until).contains(&run.block)) {
                run.is_recorded = false;
                n += 1;
            }
            let loss = lost(sign, vec![label(plan, device)], Some(n));
            vec![Lost { span_ps: Some((begin, end)), ..loss }]
        }
        Loss::Error => {
            let says = match plan.platform {
                Platform::Tpu => "Failed to collect trace from worker 0: device trace buffer overflow",
                Platform::Gpu => "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED: another profiler is attached",
            };
            vec![Lost { text: text(says), ..lost("profiler_errors", Vec::new(), None) }]
        }
        Loss::Kernel => {
            let mut n = 0;
            for run in &mut trace.runs {
                // The first kernel is the start of the run.
                run.ops.retain(|(op, ..)| {
                    let is_kept = *op == 0 || random.u8(..) > 4;
                    n += u64::from(!is_kept);
                    is_kept
                });
                run.end = run.ops.last().map_or(run.end, |(.., end)| *end);
            }
            let n = n.max(1);
            let says = format!(
                "Detected GPU events dropped on vm: Profiler has collected 2097152 driver events and 2097152 device events. \
                 {n} events dropped because device(activity) events exceed the limit."
            );
            vec![Lost { text: Some(says), ..lost("events_dropped", all, Some(n)) }]
        }
        Loss::Traces => vec![lost("traces_dropped", all, Some(random.u64(1..9)))],
    }
}
