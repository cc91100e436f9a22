//! This module describes a fusion from the computation that it calls. The description contains only facts from the HLO.

use super::shape_text::{groups, shape};
use crate::analysis::base::instruction_ref::{InstructionRef, is_formatting};
use crate::analysis::classify::scope_path::{bare, path, segments};
use xla_profile::hlo::{ArrayShape, Shape, opcode};

/// Opcodes that may name a fusion, the heaviest work first.
const HEADS: [&str; 12] = [
    "custom-call",
    "sort",
    "scatter",
    "gather",
    "reduce-window",
    "select-and-scatter",
    "reduce",
    "rng-bit-generator",
    "dynamic-update-slice",
    "dynamic-slice",
    "concatenate",
    "pad",
];

/// Elementwise opcodes that a description mentions, and their names there.
const NOTABLE: [(&str, &str); 13] = [
    ("tanh", "tanh"),
    ("exponential", "exp"),
    ("exponential-minus-one", "expm1"),
    ("logistic", "logistic"),
    ("erf", "erf"),
    ("log", "log"),
    ("log-plus-one", "log1p"),
    ("rsqrt", "rsqrt"),
    ("sqrt", "sqrt"),
    ("power", "power"),
    ("sine", "sine"),
    ("cosine", "cosine"),
    ("divide", "divide"),
];

/// Functions that a description mentions if the scope of a fused instruction names them.
const FUNCTIONS: [&str; 6] = ["gelu", "silu", "relu", "softmax", "log_softmax", "logsumexp"];

/// Describes a fusion: `bf16 matmul [8×16]·[16×4] fused with gelu`.
pub(crate) fn fusion(inst: InstructionRef<'_>) -> String {
    let result = shape(&inst.instruction.shape);
    let parts = inst.parts();
    if parts.is_empty() {
        // The text of an event names the computation, but does not contain it.
        let n_arrays = inst.operand_shapes().filter(|s| s.as_array().is_some_and(|a| !a.dims.is_empty())).count();
        let (from, s) = if n_arrays > 0 {
            (format!(" of {n_arrays} array"), if n_arrays == 1 { "" } else { "s" })
        } else {
            Default::default()
        };
        return format!("{}fusion{from}{s} → {result}", kind(inst));
    }
    let count = |code: &str| parts.iter().filter(|p| p.opcode() == code).count();
    let matmuls: Vec<InstructionRef<'_>> =
        parts.iter().copied().filter(|p| matches!(p.opcode(), "dot" | "convolution")).collect();
    let collective = parts.iter().copied().find(|p| opcode::is_collective(p.opcode()));
    let mut with = extras(&parts);
    let head = if let Some(largest) = largest(&matmuls) {
        if count("reduce") > 0 {
            with.push("reduce".to_owned());
        }
        let several =
            if matmuls.len() > 1 { format!("{} products, the largest a ", matmuls.len()) } else { String::new() };
        let collective = collective.map(|c| format!(" with {}", collective_words(c))).unwrap_or_default();
        format!("{several}{}{collective}", matmul(largest))
    } else if let Some(collective) = collective {
        format!("{} → {result}", collective_words(collective))
    } else if let Some(code) = HEADS.into_iter().find(|code| count(code) > 0) {
        let heaviest = parts.iter().copied().filter(|p| p.opcode() == code).max_by_key(|p| weight(*p));
        heaviest.map_or_else(String::new, |part| head(code, part, &result))
    } else if parts.iter().all(|part| is_formatting(part.opcode())) {
        let codes = distinct(parts.iter().map(|p| p.opcode()).filter(|c| !is_plumbing(c)));
        let from = inst.moved().map(|(from, _)| format!(" of {}", Shape::Array(from.clone()).without_layout()));
        let what = if codes.is_empty() { "bitcast".to_owned() } else { codes.join(", ") };
        return format!("{what}{} → {result}", from.unwrap_or_default());
    } else {
        let codes = distinct(parts.iter().map(|p| p.opcode()).filter(|c| !is_plumbing(c) && !is_formatting(c)));
        if codes.is_empty() {
            let what = ["broadcast", "iota"].into_iter().find(|code| count(code) > 0).unwrap_or("bitcast");
            return format!("{what} → {result}");
        }
        // Slices and similar ops occur among elementwise work, but are not elementwise.
        let all = codes.iter().all(|code| !matches!(*code, "slice" | "reverse" | "iota" | "call"));
        let what = if all { "elementwise" } else { "fusion of" };
        let shown = codes.iter().take(4).copied().collect::<Vec<_>>().join(", ");
        let more = if codes.len() > 4 { ", …" } else { "" };
        with.retain(|word| FUNCTIONS.contains(&word.as_str()));
        let named = if with.is_empty() { String::new() } else { format!("{}: ", with.join(", ")) };
        return format!("{what} {named}{shown}{more} → {result}");
    };
    if with.is_empty() { head } else { format!("{head} fused with {}", with.join(", ")) }
}

/// Describes a matmul, or a convolution that XLA made of a matmul.
pub(crate) fn matmul(inst: InstructionRef<'_>) -> String {
    let dims = |i: usize| {
        let array = inst.operand_shape(i)?.as_array()?;
        let dims = array.dims.iter().map(u64::to_string).collect::<Vec<_>>().join("×");
        Some((array.dtype.to_string(), format!("[{dims}]")))
    };
    let what = if is_matmul(inst) { "matmul" } else { "convolution" };
    match (dims(0), dims(1)) {
        (Some((a, left)), Some((b, right))) => {
            let dtype = if a == b { a } else { format!("{a}·{b}") };
            format!("{dtype} {what} {left}·{right}")
        }
        _ => format!("{what} → {}", shape(&inst.instruction.shape)),
    }
}

/// Whether an instruction is a matmul. XLA writes matmuls as convolutions. The op name shows which one it was; without
/// it, a window of more than one element means a convolution.
fn is_matmul(inst: InstructionRef<'_>) -> bool {
    let name = inst.instruction.op_name();
    if inst.opcode() == "dot" || name.contains("dot_general") {
        return true;
    }
    let window = inst.instruction.text("window").unwrap_or_default();
    let sizes = window.split_once("size=").map_or("", |(_, rest)| rest.split([' ', '}']).next().unwrap_or_default());
    !name.contains("conv_general_dilated") && sizes.split('x').all(|size| matches!(size, "" | "1"))
}

fn largest<'a>(matmuls: &[InstructionRef<'a>]) -> Option<InstructionRef<'a>> {
    matmuls.iter().copied().rev().max_by_key(|m| weight(*m))
}

/// Returns the number of elements of the operands and the result.
fn weight(inst: InstructionRef<'_>) -> u64 {
    let shapes = inst.operand_shapes().chain([&inst.instruction.shape]);
    shapes.flat_map(Shape::arrays).filter_map(ArrayShape::elements).fold(0, u64::saturating_add)
}

fn head(code: &str, instruction: InstructionRef<'_>, result: &str) -> String {
    let from = |i| instruction.operand_shape(i).map(|s| format!(" of {}", shape(s))).unwrap_or_default();
    match code {
        "custom-call" => {
            format!(
                "custom call to {} → {result}",
                instruction.instruction.custom_call_target().unwrap_or("an unnamed target")
            )
        }
        "scatter" => format!("scatter{} into {result}", from(2)),
        "dynamic-update-slice" => format!("dynamic-update-slice{} into {result}", from(1)),
        _ => format!("{code}{} → {result}", from(0)),
    }
}

fn collective_words(inst: InstructionRef<'_>) -> String {
    let operand = inst.operand_shapes().next().unwrap_or(&inst.instruction.shape);
    let over = inst.instruction.replica_groups().map(groups).unwrap_or_default();
    format!("{} of {}{over}", opcode::base(inst.opcode()), shape(operand))
}

/// Returns the functions that scopes name, else the notable elementwise opcodes; at most three.
fn extras(parts: &[InstructionRef<'_>]) -> Vec<String> {
    let function = |part: &InstructionRef<'_>| {
        let path = path(part.instruction.op_name());
        // The scope of a gradient names the function whose gradient it is, and not its own operation.
        if path.contains("transpose(") {
            return None;
        }
        segments(path).find_map(|segment| FUNCTIONS.into_iter().find(|f| *f == bare(segment)))
    };
    let works = |part: &&InstructionRef<'_>| !is_plumbing(part.opcode()) && !is_formatting(part.opcode());
    let mut words = distinct(parts.iter().filter(works).filter_map(function));
    if words.is_empty() {
        let notable = |(code, word): &(&str, &'static str)| parts.iter().any(|p| p.opcode() == *code).then_some(*word);
        words = NOTABLE.iter().filter_map(notable).collect();
    }
    words.truncate(3);
    words.into_iter().map(str::to_owned).collect()
}

/// Whether an opcode does no work.
fn is_plumbing(code: &str) -> bool {
    matches!(code, "parameter" | "constant" | "tuple" | "get-tuple-element" | "bitcast" | "broadcast" | "iota")
}

fn distinct<'a>(words: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut inst = Vec::new();
    for word in words {
        if !inst.contains(&word) {
            inst.push(word);
        }
    }
    inst
}

fn kind(inst: InstructionRef<'_>) -> &'static str {
    match inst.instruction.fusion_kind() {
        Some("kLoop") => "loop ",
        Some("kInput") => "input ",
        Some("kOutput") => "output ",
        Some("kCustom") => "custom ",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xla_profile::hlo::text::module;

    fn words_of(fused: &str, call: &str) -> String {
        let text = format!(
            "HloModule m\n\n%f {{\n{fused}\n}}\n\nENTRY %main {{\n  ROOT %fusion = {call}, kind=kOutput, calls=%f\n}}\n"
        );
        let (module, _) = module(&text).unwrap();
        crate::analysis::op::description::describe(
            InstructionRef::within(&module, module.instruction_named("fusion").unwrap(), true).unwrap(),
        )
    }

    const MATMUL: &str = "  %p0 = bf16[8192,4096]{1,0} parameter(0)
  %p1 = bf16[4096,16384]{1,0} parameter(1)
  %convolution.1 = f32[8192,16384]{1,0} convolution(%p0, %p1), dim_labels=bf_io->bf, metadata={op_name=\"jit(f)/dot_general\"}
  %tanh.1 = f32[8192,16384]{1,0} tanh(%convolution.1), metadata={op_name=\"jit(f)/jit(gelu)/tanh\"}
  ROOT %convert.1 = bf16[8192,16384]{1,0} convert(%tanh.1)";
    const CALL: &str = "bf16[8192,16384]{1,0:T(8,128)(2,1)S(1)} fusion(%a, %b)";

    #[test]
    fn a_matmul_and_what_is_fused_with_it() {
        let gelu = "bf16 matmul [8192×4096]·[4096×16384] fused with gelu, result in VMEM";
        assert_eq!(words_of(MATMUL, CALL), gelu);
        let plain = MATMUL.replace("jit(gelu)/", "");
        assert_eq!(words_of(&plain, CALL), gelu.replace("gelu", "tanh"));
        let gradient = MATMUL.replace("jit(gelu)", "transpose(jvp(jit(gelu)))");
        assert_eq!(words_of(&gradient, CALL), gelu.replace("gelu", "tanh"), "a gradient is not the function");
        let image = plain.replace("dot_general", "conv_general_dilated");
        assert!(words_of(&image, CALL).starts_with("bf16 convolution [8192×4096]"));
        let window = plain.replace(", metadata={op_name=\"jit(f)/dot_general\"}", ", window={size=3x3 pad=1_1x1_1}");
        assert!(words_of(&window, CALL).starts_with("bf16 convolution"));
    }

    #[test]
    fn other_fusions() {
        let formats =
            "  %p = bf16[8,16]{1,0} parameter(0)\n  ROOT %t = bf16[16,8]{1,0} transpose(%p), dimensions={1,0}";
        let call = "bf16[16,8]{1,0} fusion(%a)";
        assert_eq!(words_of(formats, call), "transpose → bf16[16,8]", "the operand's shape is not known here");
        let broadcast = "  %p = bf16[] parameter(0)\n  ROOT %b = bf16[16,8]{1,0} broadcast(%p), dimensions={}";
        assert_eq!(words_of(broadcast, call), "broadcast → bf16[16,8]");
        let sum = "  %p = f32[16,8,4]{2,1,0} parameter(0)\n  %e = f32[16,8,4]{2,1,0} exponential(%p)\n  ROOT %r = bf16[16,8]{1,0} reduce(%e, %p), dimensions={2}";
        assert_eq!(words_of(sum, call), "reduce of f32[16,8,4] → bf16[16,8] fused with exp");
        let slices = "  %p = bf16[16,16]{1,0} parameter(0)\n  %s = bf16[16,8]{1,0} slice(%p)\n  ROOT %n = bf16[16,8]{1,0} negate(%s)";
        assert_eq!(words_of(slices, call), "fusion of slice, negate → bf16[16,8]");
        let itself = "  %p = bf16[] parameter(0)\n  ROOT %b = bf16[16,8]{1,0} fusion(%p), kind=kLoop, calls=%f";
        assert!(!words_of(itself, call).is_empty(), "a circle ends");
    }
}
