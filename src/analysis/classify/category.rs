//! This module determines the category of an op: the category in the capture, else a category by the HLO text, or by
//! the name where the text is missing.

use super::opcode::opcode;
use super::opcode_kind::is_elementwise;
use xla_profile::profile::{Op, Profile};

/// The name that stands for a missing category.
const NONE: &str = "<none>";

/// Returns `hlo_category`, else the category by the HLO text, else `<none>`.
pub fn category<'p>(profile: &'p Profile, op: &Op) -> &'p str {
    op.stats.category.map(|id| profile.text(id)).or_else(|| category_of_text(profile.text(op.text))).unwrap_or(NONE)
}

/// Returns the category that XLA would assign to an instruction; `None` if the text is not an instruction.
pub fn category_of_text(text: &str) -> Option<&str> {
    let opcode = opcode(text)?;
    Some(match opcode {
        "copy" | "transpose" | "reshape" => "data formatting",
        "fusion" => match text.split_once("kind=k").map(|(_, kind)| kind) {
            Some(kind) if kind.starts_with("Loop") => "loop fusion",
            Some(kind) if kind.starts_with("Input") => "input fusion",
            Some(kind) if kind.starts_with("Output") => "output fusion",
            Some(kind) if kind.starts_with("Custom") => "custom fusion",
            _ => "fusion",
        },
        "convert" => "non-fusion elementwise",
        _ if is_elementwise(opcode) => "non-fusion elementwise",
        _ => opcode,
    })
}

/// Returns the category by the name of an instruction whose text is missing, such as `dot.156`, `wrapped_add` or
/// `loop_add_fusion`. The name of a plain fusion does not reveal the work, so its category is `fusion`. `None` for
/// unknown names.
pub fn category_of_name(name: &str) -> Option<&'static str> {
    let name = name.strip_prefix('%').unwrap_or(name);
    let base = name.split('.').next().unwrap_or(name);
    let fused = base.trim_end_matches(|c: char| c.is_ascii_digit() || c == '_').strip_suffix("fusion");
    if let Some(fused) = fused.filter(|fused| fused.is_empty() || fused.ends_with(['_', '-'])) {
        let kinds = [("loop_", "loop fusion"), ("input_", "input fusion"), ("output_", "output fusion")];
        return Some(
            kinds.into_iter().find(|(word, _)| fused.starts_with(word)).map_or("fusion", |(_, category)| category),
        );
    }
    let opcode = base.strip_prefix("wrapped_").unwrap_or(base).replace('_', "-");
    Some(match opcode.as_str() {
        "copy" | "transpose" | "reshape" => "data formatting",
        "convert" => "non-fusion elementwise",
        opcode if is_elementwise(opcode) => "non-fusion elementwise",
        opcode => OPCODES.into_iter().find(|known| *known == opcode)?,
    })
}

/// Opcodes that also occur as names of instructions, and that are categories themselves.
const OPCODES: [&str; 42] = [
    "dot",
    "ragged-dot",
    "convolution",
    "reduce",
    "reduce-window",
    "select-and-scatter",
    "sort",
    "topk",
    "rng",
    "rng-bit-generator",
    "cholesky",
    "triangular-solve",
    "fft",
    "map",
    "custom-call",
    "partition-id",
    "replica-id",
    "while",
    "call",
    "conditional",
    "bitcast",
    "bitcast-convert",
    "pad",
    "broadcast",
    "slice",
    "dynamic-slice",
    "dynamic-update-slice",
    "concatenate",
    "reverse",
    "iota",
    "gather",
    "scatter",
    "infeed",
    "outfeed",
    "all-reduce",
    "all-gather",
    "all-to-all",
    "reduce-scatter",
    "collective-permute",
    "collective-broadcast",
    "copy-start",
    "copy-done",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn categories_by_text() {
        assert_eq!(category_of_text("%c = f32[2] copy(f32[2] %x)"), Some("data formatting"));
        assert_eq!(category_of_text("%c = f32[2] fusion(f32[2] %x), kind=kOutput, calls=%f"), Some("output fusion"));
        assert_eq!(category_of_text("%c = f32[2] fusion(f32[2] %x)"), Some("fusion"));
        assert_eq!(category_of_text("%c = f32[2] exponential(f32[2] %x)"), Some("non-fusion elementwise"));
        assert_eq!(category_of_text("%c = bf16[2] convert(f32[2] %x)"), Some("non-fusion elementwise"));
        assert_eq!(category_of_text("%c = f32[2] dot(f32[2] %x, f32[2] %y)"), Some("dot"));
        assert_eq!(category_of_text("ncclDevKernel_AllReduce"), None);
    }

    #[test]
    fn categories_by_name() {
        for (name, expected) in [
            ("dot.156", Some("dot")),
            ("copy.104", Some("data formatting")),
            ("wrapped_add", Some("non-fusion elementwise")),
            ("wrapped_transpose.kd", Some("data formatting")),
            ("wrapped_reduce-window.1", Some("reduce-window")),
            ("wrapped_dynamic_slice", Some("dynamic-slice")),
            ("copy_bitcast_fusion.3", Some("fusion")),
            ("loop_add_fusion_12", Some("loop fusion")),
            ("input_reduce_fusion", Some("input fusion")),
            ("fusion.7", Some("fusion")),
            ("while", Some("while")),
            ("confusion", None),
            ("MemoryAllocation", None),
            ("", None),
        ] {
            assert_eq!(category_of_name(name), expected, "{name}");
        }
    }
}
