//! This module detects the framework that made a capture, by the names in it, and holds the advice on recording that
//! fits each framework.

use serde::{Deserialize, Serialize};
use xla_profile::profile::{HloBlob, Plane, Profile};

/// The framework of the profiled program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Framework {
    /// JAX, and frameworks that are built on it.
    Jax,
    TensorFlow,
    /// PyTorch, with or without XLA.
    PyTorch,
    /// No name in the capture identifies the framework.
    #[default]
    Unknown,
}

impl Framework {
    /// Detects the framework by the names of programs, events and lines. A PyTorch program that runs on JAX is JAX to
    /// the profiler, and counts as JAX.
    pub fn detect(profile: &Profile) -> Self {
        let programs = || profile.programs.values().map(String::as_str).chain(profile.hlo.iter().map(HloBlob::module));
        let starts = |words: &[&str]| programs().any(|name| words.iter().any(|word| name.starts_with(word)));
        if starts(&["jit_", "pmap_", "pjit_"]) {
            return Self::Jax;
        }
        let has = |is: &dyn Fn(&str) -> bool| {
            profile.planes.iter().any(|plane: &Plane| plane.ops.iter().any(|op| is(profile.text(op.name))))
        };
        if starts(&["SyncTensorsGraph"]) || has(&|name| name.starts_with("aten::") || name.starts_with("ProfilerStep#"))
        {
            return Self::PyTorch;
        }
        let is_line = |name: &str| profile.planes.iter().flat_map(|plane| &plane.lines).any(|line| line.name == name);
        if starts(&["a_inference_", "cluster_"]) || is_line("TensorFlow Ops") || is_line("TensorFlow Name Scope") {
            return Self::TensorFlow;
        }
        if has(&|name| name.starts_with("PjitFunction(")) { Self::Jax } else { Self::Unknown }
    }

    /// Returns whether the program may use JAX.
    pub const fn may_be_jax(self) -> bool {
        matches!(self, Self::Jax | Self::Unknown)
    }

    /// Returns the advice on marking steps, so that a capture has a line of steps.
    pub const fn steps(self) -> &'static str {
        match self {
            Self::Jax => {
                "Put jax.profiler.StepTraceAnnotation around each step, and capture whole steps: start before one, stop after \
                 block_until_ready()."
            }
            Self::TensorFlow => {
                "Put tf.profiler.experimental.Trace(\"train\", step_num=step, _r=1) around each step, and capture whole steps."
            }
            Self::PyTorch => {
                "Mark each step: torch_xla.debug.profiler.StepTrace with PyTorch/XLA, else step() of torch.profiler after each one. \
                 Capture whole steps."
            }
            Self::Unknown => "Mark each step for the profiler, and capture whole steps.",
        }
    }

    /// Returns the advice on capturing whole steps.
    pub const fn whole(self) -> &'static str {
        match self {
            Self::Jax => "Start the capture before a step and stop it after block_until_ready().",
            Self::TensorFlow | Self::PyTorch | Self::Unknown => {
                "Start the capture before a step, and stop it when the device has finished it."
            }
        }
    }

    /// Returns the advice on recording a capture with device time. Names of options stand between backticks in this
    /// advice, and in that of `device_events`, `allocator_events` and `hlo`.
    pub const fn record(self) -> &'static str {
        match self {
            Self::Jax => "Record with `jax.profiler.trace(folder)` in the process that runs the program.",
            Self::TensorFlow => {
                "Record with `tf.profiler.experimental.start(folder)` and `stop()` in the process that runs the model."
            }
            Self::PyTorch => {
                "Record in the process that runs the model: with `torch_xla.debug.profiler` on TPUs, else with `torch.profiler` \
                 and `ProfilerActivity.CUDA`."
            }
            Self::Unknown => "Record in the process that runs the program on the device.",
        }
    }

    /// Returns the advice on making the profiler trace devices.
    pub const fn device_events(self) -> &'static str {
        match self {
            Self::Jax => "`device_tracer_level = 1` in `jax.profiler.ProfileOptions`; 1 is the default.",
            Self::TensorFlow => {
                "`device_tracer_level = 1` in `tf.profiler.experimental.ProfilerOptions`; 1 is the default."
            }
            Self::PyTorch | Self::Unknown => "Have the profiler trace the device, not the host alone.",
        }
    }

    /// Returns the advice on recording the events of allocators, which are written on the host.
    pub const fn allocator_events(self) -> &'static str {
        match self {
            Self::Jax => "`host_tracer_level = 2` or higher in `jax.profiler.ProfileOptions`; 2 is the default.",
            Self::TensorFlow => {
                "`host_tracer_level = 2` or higher in `tf.profiler.experimental.ProfilerOptions`; 2 is the default."
            }
            Self::PyTorch | Self::Unknown => {
                "Have the profiler trace the host in detail: allocators write their events there."
            }
        }
    }

    /// Returns the advice on obtaining HLO programs, in the capture or from a dump of XLA beside it.
    pub const fn hlo(self) -> &'static str {
        match self {
            Self::Jax => {
                "Record with `enable_hlo_proto = True` in `jax.profiler.ProfileOptions`. Or run with \
                 `XLA_FLAGS=\"--xla_dump_to=folder --xla_dump_hlo_as_proto\"` and open the HLO proto beside the capture."
            }
            Self::TensorFlow => {
                "Compile with XLA: `tf.function(jit_compile=True)`. Other functions have no HLO. Or run with \
                 `XLA_FLAGS=\"--xla_dump_to=folder --xla_dump_hlo_as_proto\"` and open the HLO proto beside the capture."
            }
            Self::PyTorch => {
                "Compile with PyTorch/XLA: otherwise there is no HLO. Or run with \
                 `XLA_FLAGS=\"--xla_dump_to=folder --xla_dump_hlo_as_proto\"` and open the HLO proto beside the capture."
            }
            Self::Unknown => {
                "Run with `XLA_FLAGS=\"--xla_dump_to=folder --xla_dump_hlo_as_proto\"` and open the HLO proto beside the capture."
            }
        }
    }

    /// Returns the advice on recording the source lines of ops.
    pub const fn source(self) -> &'static str {
        match self {
            Self::Jax => {
                "Compile with jax_include_full_tracebacks_in_locations on, and keep metadata when programs are loaded."
            }
            Self::TensorFlow | Self::PyTorch | Self::Unknown => {
                "Sources come from the metadata of XLA’s programs: compile with XLA, and keep metadata when programs are loaded."
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xla_profile::profile::{Line, ProgramId};

    #[test]
    fn frameworks_by_their_names() {
        let detected = |program: Option<&str>, line: Option<&str>| {
            let mut profile = Profile::default();
            profile.programs.extend(program.map(|name| (ProgramId(1), name.to_owned())));
            let named = |name: &str| {
                let mut line = Line::default();
                name.clone_into(&mut line.name);
                line
            };
            profile.planes.push(Plane { lines: line.map(named).into_iter().collect(), ..Plane::default() });
            Framework::detect(&profile)
        };
        assert_eq!(detected(Some("jit_train_step"), Some("TensorFlow Ops")), Framework::Jax);
        assert_eq!(detected(Some("SyncTensorsGraph.12"), None), Framework::PyTorch);
        assert_eq!(detected(None, Some("TensorFlow Ops")), Framework::TensorFlow);
        assert_eq!(detected(None, Some("XLA Ops")), Framework::Unknown);
        for other in [Framework::TensorFlow, Framework::PyTorch, Framework::Unknown] {
            let all = [
                other.steps(),
                other.whole(),
                other.source(),
                other.record(),
                other.device_events(),
                other.allocator_events(),
                other.hlo(),
            ];
            for advice in all {
                assert!(!advice.contains("jax") && !advice.contains("block_until_ready"), "{advice}");
            }
        }
    }
}
