//! This module determines the part of a training step that an op belongs to, by the op's name and by the scope path
//! that JAX writes.
//!
//! ```text
//!  jit(train)/jvp(Model)/…                                    forward
//!  jit(train)/transpose(jvp(Model))/…                         backward
//!  …/transpose(jvp(Model))/…/checkpoint/rematted_computation  recompute: forward pass again, inside backward pass
//!  …/checkpoint/rematted_computation/…/splash_mha_dq          backward: only the gradient has this kernel
//!  jit(train)/adam/mul                                        optimizer
//! ```
//!
//! In real captures, recomputation is *inside* `transpose(jvp(`, so recomputation is checked first. In the other order,
//! no op would count as recomputed. A `checkpoint` inside `transpose(jvp(` without `rematted_computation` is around the
//! gradient itself, and is backward.

use super::scope_path::{bare, segments};
use serde::{Deserialize, Serialize};
use xla_profile::keyed_enum;

keyed_enum! {
    /// A part of a training step.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    pub enum Phase {
        /// The model and its loss.
        Forward = "forward",
        /// The gradient of the model and its loss.
        Backward = "backward",
        /// Work of the forward pass that is repeated for the gradient.
        Recompute = "recompute",
        /// Work that applies the gradient.
        Optimizer = "optimizer",
        /// No phase was found, and the program has no forward or backward ops. All ops of inference have this phase.
        #[default]
        Unknown = "inference / unknown",
        /// No phase was found, in a program that trains, so the op is not inference.
        UnknownInTraining = "unknown",
    }
}

impl Phase {
    /// Returns whether a phase was found for the op.
    pub const fn is_known(self) -> bool {
        !matches!(self, Self::Unknown | Self::UnknownInTraining)
    }

    /// Returns the display name, which is also the key of the phase's row.
    pub const fn label(self) -> &'static str {
        self.key()
    }
}

/// Returns the phase of an op by its name, and by the phase of its path; `None` if neither determines a phase.
pub fn phase(name: &str, of_path: Option<Phase>) -> Option<Phase> {
    by_name(name).or(of_path).or_else(|| by_kernel(name))
}

/// Returns the phase of names that are more precise than the path.
fn by_name(name: &str) -> Option<Phase> {
    let is_gradient = ["splash_mha_dkv", "splash_mha_dq", "tgmm"].iter().any(|kernel| has_kernel(name, kernel));
    if is_gradient {
        return Some(Phase::Backward);
    }
    let is_remat = |(offset, word): (usize, &str)| {
        let rest = &name[offset + word.len()..];
        rest.is_empty() || rest.starts_with(|c: char| c == '.' || c.is_ascii_digit())
    };
    name.match_indices(".remat").any(is_remat).then_some(Phase::Recompute)
}

/// Returns the phase of kernels whose path has no transformations, so that only the name determines the phase.
fn by_kernel(name: &str) -> Option<Phase> {
    has_kernel(name, "splash_mha_fwd").then_some(Phase::Forward)
}

/// Returns whether `word` occurs at the start of a kernel's name, or after a separator as in `vmap_splash_mha_dq`.
fn has_kernel(name: &str, word: &str) -> bool {
    name.match_indices(word).any(|(offset, _)| offset == 0 || name[..offset].ends_with(['_', '(', '.', '-']))
}

/// Returns the phase by the path alone; `None` if the path determines none.
pub fn by_path(path: &str) -> Option<Phase> {
    if path.is_empty() {
        return None;
    }
    if segments(path).any(|s| bare(s) == "rematted_computation") {
        return Some(Phase::Recompute);
    }
    if let Some(offset) = path.find("jvp(") {
        // Matches `transpose(jvp(Model))`, and `transpose(step)/grads/jvp()` with scopes between the two. An op named
        // `transpose[…]` does not match.
        let transposed = path[..offset].rfind("transpose(").is_some();
        return Some(if transposed { Phase::Backward } else { Phase::Forward });
    }
    if segments(path).any(|s| bare(s) == "checkpoint") {
        return Some(Phase::Recompute);
    }
    segments(path).any(is_optimizer).then_some(Phase::Optimizer)
}

/// Returns whether a segment is a scope that training frameworks give their optimizers.
fn is_optimizer(segment: &str) -> bool {
    let name = bare(segment).to_ascii_lowercase();
    let words = ["optimizer", "optimiser", "apply_gradients", "apply_updates", "update_params", "opt_update"];
    let kinds = ["adam", "adamw", "adafactor", "sgd", "lion", "muon", "adagrad", "rmsprop", "shampoo", "lamb"];
    // TensorFlow's optimizers of graphs leave their names in the paths of ops that they rewrite.
    let graph_optimizers = ["arithmeticoptimizer", "layoutoptimizer"];
    if graph_optimizers.iter().any(|word| name.contains(word)) {
        return false;
    }
    words.iter().any(|word| name.contains(word))
        || name.split(|c: char| !c.is_ascii_alphabetic()).any(|word| kinds.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths() {
        let phase_of = |path: &str| phase("fusion.1", by_path(path));
        assert_eq!(phase_of("jit(train)/jit(main)/jvp(Transformer)/decoder/mul"), Some(Phase::Forward));
        assert_eq!(phase_of("jit(train)/transpose(jvp(Transformer))/decoder/mul"), Some(Phase::Backward));
        let checkpoint = "jit(train)/transpose(jvp(T))/while/body/checkpoint";
        assert_eq!(phase_of(&format!("{checkpoint}/layers/mlp/wo/dot_general")), Some(Phase::Backward));
        assert_eq!(phase_of(&format!("{checkpoint}/rematted_computation/layers/mlp/wo/mul")), Some(Phase::Recompute));
        assert_eq!(phase_of("jit(f)/checkpoint/mul"), Some(Phase::Recompute));
        assert_eq!(phase_of("jit(train)/step/transpose(step)/grads/jvp()/mul"), Some(Phase::Backward));
        assert_eq!(phase_of("jit(train)/jvp(T)/transpose[permutation=(1, 0)]"), Some(Phase::Forward));
        assert_eq!(phase_of("jit(train)/adam/mul"), Some(Phase::Optimizer));
        assert_eq!(phase_of("jit(train)/optimizer/jit(_where)/select_n"), Some(Phase::Optimizer));
        assert_eq!(phase_of("jit(step_fun)/madam/dot_general"), None);
        assert_eq!(phase_of("bert/Cast/ArithmeticOptimizer/ReorderCastLikeAndValuePreserving_float_Cast"), None);
        assert_eq!(phase_of(""), None);
    }

    #[test]
    fn names() {
        let inside = "jit(t)/transpose(jvp(T))/checkpoint/rematted_computation/vmap(splash_mha_dq)/pallas_call";
        assert_eq!(phase("vmap_splash_mha_dq_segmented", by_path(inside)), Some(Phase::Backward));
        assert_eq!(phase("tgmm.2", None), Some(Phase::Backward));
        assert_eq!(phase("splash_mha_fwd_residuals.1", None), Some(Phase::Forward));
        assert_eq!(phase("splash_mha_fwd_residuals.1", by_path(inside)), Some(Phase::Recompute));
        assert_eq!(phase("fusion.3.remat2", by_path("jit(t)/jvp(T)/mul")), Some(Phase::Recompute));
        assert_eq!(phase("fusion.remat", None), Some(Phase::Recompute));
        assert_eq!(phase("fusion.rematerial", None), None);
    }
}
