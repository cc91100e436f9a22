//! This module names the sort of work that an op does, in the words of a sentence: "softmax fusions", "all-gathers".

use crate::analysis::classify::scope_path::leaf;
use crate::analysis::classify::{Kind, OpGroup};
use std::borrow::Cow;

/// What is known of an op.
#[derive(Clone, Copy, Debug)]
pub struct WorkFacts<'a> {
    pub kind: Kind,
    /// Label of the [`OpGroup`]. `None` if it is unknown.
    pub op_group: Option<&'a str>,
    /// Name of the op.
    pub name: &'a str,
    /// Scope path; empty if it is unknown.
    pub scope: &'a str,
    /// Target of a custom call; empty for other ops.
    pub target: &'a str,
    /// Kernel that ran on a GPU; empty for other ops.
    pub kernel: &'a str,
    /// Whether the instructions of a fusion are those of a softmax: a sum of exponentials.
    pub has_softmax: bool,
    /// Whether the op only converts an array to another type.
    pub is_conversion: bool,
}

/// Collectives by the start of their names. The longer names come first.
const COLLECTIVES: [(&str, &str); 8] = [
    ("ragged-all-to-all", "ragged all-to-alls"),
    ("all-to-all", "all-to-alls"),
    ("reduce-scatter", "reduce-scatters"),
    ("all-reduce-scatter", "reduce-scatters"),
    ("all-reduce", "all-reduces"),
    ("all-gather", "all-gathers"),
    ("collective-permute", "collective permutes"),
    ("collective-broadcast", "broadcasts"),
];

/// Returns the sort of work of an op, as a plural.
pub fn work_name(facts: WorkFacts<'_>) -> Cow<'static, str> {
    if let Some(name) = library(facts.target) {
        return name.into();
    }
    let group = facts.op_group.and_then(OpGroup::from_key);
    let is_softmax = || {
        let texts = [leaf(facts.scope), facts.kernel, facts.name];
        facts.has_softmax || texts.iter().any(|text| text.contains("softmax"))
    };
    let special = match group {
        Some(OpGroup::Attention | OpGroup::CustomKernel) => kernel(facts),
        Some(OpGroup::Collective) => collective(facts.name).map(Cow::from),
        Some(OpGroup::Elementwise | OpGroup::Formatting) if facts.is_conversion => Some("type conversions".into()),
        Some(OpGroup::Elementwise | OpGroup::CustomFusion | OpGroup::Reduction) if is_softmax() => {
            Some("softmax fusions".into())
        }
        Some(OpGroup::Formatting) => Some("layout changes and slices".into()),
        None | Some(OpGroup::Other) if facts.kind == Kind::Container => Some("loop overhead".into()),
        _ => None,
    };
    special.unwrap_or_else(|| group.map_or("other ops", op_group_name).into())
}

/// Returns the work of a group of ops, as a plural.
pub const fn op_group_name(group: OpGroup) -> &'static str {
    match group {
        OpGroup::Matmul => "matmuls",
        OpGroup::Attention => "attention kernels",
        OpGroup::Collective => "collectives",
        OpGroup::CustomKernel => "custom kernels",
        OpGroup::Moe => "grouped matmuls",
        OpGroup::LinearAttention => "linear attention kernels",
        OpGroup::Norm => "norms",
        OpGroup::Elementwise => "elementwise fusions",
        OpGroup::CustomFusion => "custom fusions",
        OpGroup::Reduction => "reductions",
        OpGroup::Formatting => "data formatting ops",
        OpGroup::Copy => "copies",
        OpGroup::Sort => "sorts",
        OpGroup::Gather => "gathers and scatters",
        OpGroup::Rng => "random numbers",
        OpGroup::Host => "host transfers",
        OpGroup::Other => "other ops",
    }
}

/// Returns the work of a custom call by the library in its target, such as `__cudnn$fmhaSoftmax`.
fn library(target: &str) -> Option<&'static str> {
    let (library, function) = target.strip_prefix("__")?.split_once('$')?;
    match library {
        "cudnn" if function.contains("fmha") => Some("cuDNN flash attention"),
        "cudnn" if function.contains("conv") => Some("cuDNN convolutions"),
        "cudnn" if function.contains("norm") => Some("cuDNN norms"),
        "cublas" => Some("matmuls"),
        _ => None,
    }
}

/// Returns the work of a kernel that has a name of its own.
fn kernel(facts: WorkFacts<'_>) -> Option<Cow<'static, str>> {
    let name = facts.name.split(['.', ' ']).next().filter(|name| !name.is_empty())?;
    let is_named = !matches!(name, "custom-call" | "tpu_custom_call" | "fusion" | "call");
    is_named.then(|| format!("{name} kernels").into())
}

/// Returns the work of a collective, or of the wait for one, by its name.
fn collective(name: &str) -> Option<&'static str> {
    let is_start = |(start, _): &&(&str, &str)| {
        let name = name.strip_prefix("async-").unwrap_or(name);
        name.starts_with(start) || name.replace('_', "-").contains(start)
    };
    COLLECTIVES.iter().find(is_start).map(|(_, work)| *work)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts_of_work() {
        let facts = |op_group, name, scope, target| WorkFacts {
            kind: Kind::Compute,
            op_group: Some(op_group),
            name,
            scope,
            target,
            kernel: "",
            has_softmax: false,
            is_conversion: false,
        };
        for (facts, work) in [
            (facts("attention", "attention_fwd.8", "", "__cudnn$fmhaSoftmax"), "cuDNN flash attention"),
            (facts("attention", "splash_mha_fwd.3", "", "tpu_custom_call"), "splash_mha_fwd kernels"),
            (facts("matmul", "custom-call.4", "", "__cublas$gemm"), "matmuls"),
            (facts("reduction", "fusion.4", "f/jit(softmax)/reduce_max", ""), "softmax fusions"),
            (facts("collective", "all-reduce-scatter.4", "", ""), "reduce-scatters"),
            (facts("collective", "all-gather-start.4", "", ""), "all-gathers"),
            (facts("custom kernel", "custom-call.4", "", ""), "custom kernels"),
            (facts("unheard of", "x", "", ""), "other ops"),
        ] {
            assert_eq!(work_name(facts), work);
        }
        let conversion = WorkFacts {
            is_conversion: true,
            ..facts("data formatting", "convert_element_type.4", "f/attention/div", "")
        };
        assert_eq!(work_name(conversion), "type conversions");
    }
}
