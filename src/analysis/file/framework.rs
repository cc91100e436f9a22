//! Which framework made a capture, as far as its names tell, and how steps are marked in it. Advice for another one helps nobody.

use crate::profile::{HloBlob, Plane, Profile};

/// A framework over XLA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framework {
    /// JAX, and what is built on it.
    Jax,
    /// TensorFlow.
    TensorFlow,
    /// PyTorch, with XLA or without.
    PyTorch,
    /// Nothing tells.
    Unknown,
}

impl Framework {
    /// Detects the framework from the names of programs, then from those of events and lines. What runs PyTorch on JAX is JAX to the profiler.
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

    /// How to have a line of steps.
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

    /// How to have whole steps.
    pub const fn whole(self) -> &'static str {
        match self {
            Self::Jax => "Start the capture before a step and stop it after block_until_ready().",
            Self::TensorFlow | Self::PyTorch | Self::Unknown => {
                "Start the capture before a step, and stop it when the device has finished it."
            }
        }
    }

    /// How ops come to say their source.
    pub(super) const fn source(self) -> &'static str {
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
    use crate::profile::{Line, ProgramId};

    #[test]
    fn frameworks_by_their_names() {
        let of = |program: Option<&str>, line: Option<&str>| {
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
        assert_eq!(of(Some("jit_train_step"), Some("TensorFlow Ops")), Framework::Jax);
        assert_eq!(of(Some("SyncTensorsGraph.12"), None), Framework::PyTorch);
        assert_eq!(of(None, Some("TensorFlow Ops")), Framework::TensorFlow);
        assert_eq!(of(None, Some("XLA Ops")), Framework::Unknown);
        for other in [Framework::TensorFlow, Framework::PyTorch, Framework::Unknown] {
            for advice in [other.steps(), other.whole(), other.source()] {
                assert!(!advice.contains("jax") && !advice.contains("block_until_ready"), "{advice}");
            }
        }
    }
}
