//! Which part of a training step an op belongs to. This module knows what JAX writes into scope paths; no time of its own.
//!
//! ```text
//!  jit(train)/jvp(Model)/…                                    forward
//!  jit(train)/transpose(jvp(Model))/…                         backward
//!  …/transpose(jvp(Model))/…/checkpoint/rematted_computation  recompute: the forward once more, inside the backward
//!  …/checkpoint/rematted_computation/…/splash_mha_dq          backward: no forward has a gradient's kernel
//!  jit(train)/adam/mul                                        optimizer
//! ```
//!
//! In real captures recomputation stands *inside* `transpose(jvp(`, so it is looked for first: read the other way
//! round, no op would ever be one. A `checkpoint` inside of `transpose(jvp(` but without `rematted_computation` is
//! around the gradient itself, and is backward.

use super::scope_path::{bare, segments};

/// A part of a training step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    /// The model and its loss.
    Forward,
    /// Their gradient.
    Backward,
    /// What of the forward is done again for the gradient.
    Recompute,
    /// What is done with the gradient.
    Optimizer,
    /// Nothing tells, and nothing of its program has a phase; all of inference.
    #[default]
    Unknown,
    /// Nothing tells, in a program that trains: not inference.
    UnknownInTraining,
}

impl Phase {
    /// All phases, in order.
    pub const ALL: [Self; 6] =
        [Self::Forward, Self::Backward, Self::Recompute, Self::Optimizer, Self::Unknown, Self::UnknownInTraining];

    /// Whether something tells it.
    pub const fn is_known(self) -> bool {
        !matches!(self, Self::Unknown | Self::UnknownInTraining)
    }

    /// The name people read; also the key of its row.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Forward => "forward",
            Self::Backward => "backward",
            Self::Recompute => "recompute",
            Self::Optimizer => "optimizer",
            Self::Unknown => "inference / unknown",
            Self::UnknownInTraining => "unknown",
        }
    }
}

/// The phase of an op by its name and what its path told. `None` where neither tells.
pub fn phase(name: &str, of_path: Option<Phase>) -> Option<Phase> {
    by_name(name).or(of_path).or_else(|| by_kernel(name))
}

/// Names that say more than the path.
fn by_name(name: &str) -> Option<Phase> {
    let is_gradient = ["splash_mha_dkv", "splash_mha_dq", "tgmm"].iter().any(|kernel| has_kernel(name, kernel));
    if is_gradient {
        return Some(Phase::Backward);
    }
    let is_remat = |(at, word): (usize, &str)| {
        let rest = &name[at + word.len()..];
        rest.is_empty() || rest.starts_with(|c: char| c == '.' || c.is_ascii_digit())
    };
    name.match_indices(".remat").any(is_remat).then_some(Phase::Recompute)
}

/// Kernels that a path without transformations leaves to their names.
fn by_kernel(name: &str) -> Option<Phase> {
    has_kernel(name, "splash_mha_fwd").then_some(Phase::Forward)
}

/// Whether a kernel's name begins with a word, perhaps behind `vmap_`.
fn has_kernel(name: &str, word: &str) -> bool {
    name.match_indices(word).any(|(at, _)| at == 0 || name[..at].ends_with(['_', '(', '.', '-']))
}

/// What the path alone tells.
pub fn by_path(path: &str) -> Option<Phase> {
    if path.is_empty() {
        return None;
    }
    if segments(path).any(|s| bare(s) == "rematted_computation") {
        return Some(Phase::Recompute);
    }
    if let Some(at) = path.find("jvp(") {
        // `transpose(jvp(Model))`; also `transpose(step)/grads/jvp()`, where scopes stand between the two. An op named
        // `transpose[…]` is none.
        let transposed = path[..at].rfind("transpose(").is_some();
        return Some(if transposed { Phase::Backward } else { Phase::Forward });
    }
    if segments(path).any(|s| bare(s) == "checkpoint") {
        return Some(Phase::Recompute);
    }
    segments(path).any(is_optimizer).then_some(Phase::Optimizer)
}

/// The scopes that training frameworks give their optimizers.
fn is_optimizer(segment: &str) -> bool {
    let name = bare(segment).to_ascii_lowercase();
    let words = ["optimizer", "optimiser", "apply_gradients", "apply_updates", "update_params", "opt_update"];
    let kinds = ["adam", "adamw", "adafactor", "sgd", "lion", "muon", "adagrad", "rmsprop", "shampoo", "lamb"];
    words.iter().any(|word| name.contains(word))
        || name.split(|c: char| !c.is_ascii_alphabetic()).any(|word| kinds.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths() {
        let of = |path: &str| phase("fusion.1", by_path(path));
        assert_eq!(of("jit(train)/jit(main)/jvp(Transformer)/decoder/mul"), Some(Phase::Forward));
        assert_eq!(of("jit(train)/transpose(jvp(Transformer))/decoder/mul"), Some(Phase::Backward));
        let checkpoint = "jit(train)/transpose(jvp(T))/while/body/checkpoint";
        assert_eq!(of(&format!("{checkpoint}/layers/mlp/wo/dot_general")), Some(Phase::Backward));
        assert_eq!(of(&format!("{checkpoint}/rematted_computation/layers/mlp/wo/mul")), Some(Phase::Recompute));
        assert_eq!(of("jit(f)/checkpoint/mul"), Some(Phase::Recompute));
        assert_eq!(of("jit(train)/step/transpose(step)/grads/jvp()/mul"), Some(Phase::Backward));
        assert_eq!(of("jit(train)/jvp(T)/transpose[permutation=(1, 0)]"), Some(Phase::Forward));
        assert_eq!(of("jit(train)/adam/mul"), Some(Phase::Optimizer));
        assert_eq!(of("jit(train)/optimizer/jit(_where)/select_n"), Some(Phase::Optimizer));
        assert_eq!(of("jit(step_fun)/madam/dot_general"), None);
        assert_eq!(of(""), None);
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
