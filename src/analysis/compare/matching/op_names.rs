//! This module computes keys from the names of an op: its scope path, its source and its kernel.

use super::digest::digest;
use super::side::Side;
use crate::analysis::base::Platform;
use crate::analysis::classify::layer::is_layer;
use crate::analysis::classify::signature::signature;
use crate::analysis::classify::{opcode, scope_path};

/// Returns the digest of a scope path, in the form of `tf_op`. `None` if there is none.
pub fn scope_digest(path: &str) -> Option<u64> {
    Some(scope_path::path(path)).filter(|path| !path.is_empty()).map(digest)
}

/// Segments that JAX writes for a loop and for what is called in it.
const LOOP: [&str; 6] = ["while", "body", "cond", "scan", "eval_jaxpr", "closed_call"];

/// Returns the digest of a scope path without loops and without the numbers of layers, so that a scan over layers and unrolled
/// layers have the same one. `None` if there is no path.
pub(super) fn layer_digest(path: &str) -> Option<u64> {
    let path = Some(scope_path::path(path)).filter(|path| !path.is_empty())?;
    let mut segments: Vec<String> = Vec::new();
    for segment in scope_path::segments(path).filter(|segment| !LOOP.contains(segment)) {
        let segment = match scope_path::numbered(segment).filter(|_| is_layer(scope_path::bare(segment))) {
            Some((family, _)) => family.replace("_*", "").replace(" *", ""),
            None => segment.to_owned(),
        };
        // The backward pass of an unrolled layer names the layer again: `transpose(jvp(layers_2))/jvp(layers_2)`.
        let is_repeated = segments.last().is_some_and(|last| scope_path::bare(last) == scope_path::bare(&segment));
        if !is_repeated {
            segments.push(segment);
        }
    }
    Some(digest(segments))
}

/// Returns the digest of the innermost source file and function of an op in the user's own code. `None` if the capture
/// has no source of the op.
pub(super) fn source_digest(side: &Side<'_>, index: usize) -> Option<u64> {
    let (facts, op) = (&side.analysis.facts[side.device], side.op(index));
    let frame = facts.source_inner(side.profile, op)?;
    let stack = facts.source_stack(side.profile, op);
    // A frame is `file:line:column [function]`.
    let whole = stack.into_iter().find(|whole| whole.starts_with(frame));
    let function = whole.and_then(|whole| whole.strip_suffix(']')?.rsplit_once(" [")).map(|(_, function)| function);
    let file = frame.rsplit_once(':').map_or(frame, |(file, _)| file);
    Some(digest((file, function)))
}

/// Returns the name of the kernel of a custom call or of an op of a GPU, without numbers. `None` for other ops.
pub(super) fn kernel(side: &Side<'_>, index: usize) -> Option<String> {
    let (op, profile) = (side.op(index), side.profile);
    if let Some(kernel) = op.stats.kernel {
        return Some(without_last_numbers(profile.text(kernel)).to_owned());
    }
    let name = profile.text(op.name);
    match opcode(profile.text(op.text)) {
        Some("custom-call") => Some(name_without_numbers(name)),
        None if side.analysis.devices[side.device].platform == Platform::Gpu => {
            Some(without_last_numbers(name).to_owned())
        }
        _ => None,
    }
}

/// Returns a name of HLO without its numbers: `fusion.clone` for `fusion.12.clone.1`.
pub fn name_without_numbers(name: &str) -> String {
    let mut out = String::new();
    signature(name, "", &mut out);
    out
}

/// Returns the name of a kernel without the numbers at its end: `loop_add_fusion` for `loop_add_fusion_12__1`.
fn without_last_numbers(kernel: &str) -> &str {
    let mut name = kernel;
    loop {
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let bare = stem.trim_end_matches(['_', '.']);
        if stem.len() == name.len() || bare.len() == stem.len() || bare.is_empty() {
            return name;
        }
        name = bare;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scanned_and_unrolled_layers_have_one_digest() {
        let scanned =
            layer_digest("jit(f)/transpose(jvp(layers))/while/body/eval_jaxpr/checkpoint/attention/dot_general:");
        for path in [
            "jit(f)/transpose(jvp(layers_3))/checkpoint/attention/dot_general:",
            "jit(f)/transpose(jvp(layers_11))/jvp(layers_11)/checkpoint/attention/dot_general:",
        ] {
            assert_eq!(layer_digest(path), scanned);
        }
        for other in [
            "jit(f)/jvp(layers_3)/checkpoint/attention/dot_general:",
            "jit(f)/transpose(jvp(layers_3))/checkpoint/attention_1/dot_general:",
        ] {
            assert_ne!(layer_digest(other), scanned);
        }
        assert_ne!(layer_digest("f/Dense_0"), layer_digest("f/Dense_1"));
        assert_eq!(layer_digest(""), None);
    }

    #[test]
    fn kernels_without_numbers() {
        for (kernel, name) in [
            ("loop_add_fusion_12__1", "loop_add_fusion"),
            ("fusion", "fusion"),
            ("cutlass_16x5", "cutlass_16x5"),
            ("nvjet_tst_128", "nvjet_tst"),
            ("_1", "_1"),
            ("", ""),
        ] {
            assert_eq!(without_last_numbers(kernel), name);
        }
    }
}
