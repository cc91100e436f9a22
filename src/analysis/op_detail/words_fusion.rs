//! What a fusion does: looks into the computation it calls. Says only what stands there.

use super::seen::{Seen, is_formatting};
use super::words::{groups, shape};
use crate::analysis::scope_path::{bare, path, segments};
use crate::hlo::{Shape, opcode};

/// What a fusion may be told by, the heaviest work first.
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

/// Elementwise work worth a word, and the word.
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

/// Functions that the scopes of fused instructions may name.
const FUNCTIONS: [&str; 6] = ["gelu", "silu", "relu", "softmax", "log_softmax", "logsumexp"];

/// `bf16 matmul [8×16]·[16×4] fused with gelu`.
pub(super) fn fusion(seen: Seen<'_>) -> String {
    let result = shape(&seen.instruction.shape);
    let parts = seen.parts();
    if parts.is_empty() {
        // The event's text names the computation, but does not hold it.
        let of = seen.operand_shapes().filter(|s| s.as_array().is_some_and(|a| !a.dims.is_empty())).count();
        let (from, s) =
            if of > 0 { (format!(" of {of} array"), if of == 1 { "" } else { "s" }) } else { Default::default() };
        return format!("{}fusion{from}{s} → {result}", kind(seen));
    }
    let count = |code: &str| parts.iter().filter(|p| p.opcode() == code).count();
    let matmuls: Vec<Seen<'_>> =
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
        let of = parts.iter().copied().filter(|p| p.opcode() == code).max_by_key(|p| weight(*p));
        of.map_or_else(String::new, |of| head(code, of, &result))
    } else if parts.iter().all(|part| is_formatting(part.opcode())) {
        let codes = distinct(parts.iter().map(|p| p.opcode()).filter(|c| !is_plumbing(c)));
        let from = seen.moved().map(|(from, _)| format!(" of {}", Shape::Array(from.clone()).without_layout()));
        let what = if codes.is_empty() { "bitcast".to_owned() } else { codes.join(", ") };
        return format!("{what}{} → {result}", from.unwrap_or_default());
    } else {
        let codes = distinct(parts.iter().map(|p| p.opcode()).filter(|c| !is_plumbing(c) && !is_formatting(c)));
        let shown = codes.iter().take(4).copied().collect::<Vec<_>>().join(", ");
        let more = if codes.len() > 4 { ", …" } else { "" };
        with.retain(|word| FUNCTIONS.contains(&word.as_str()));
        let named = if with.is_empty() { String::new() } else { format!("{}: ", with.join(", ")) };
        return format!("elementwise {named}{shown}{more} → {result}");
    };
    if with.is_empty() { head } else { format!("{head} fused with {}", with.join(", ")) }
}

/// A matmul, or a convolution that is one no longer.
pub(super) fn matmul(seen: Seen<'_>) -> String {
    let dims = |i: usize| {
        let array = seen.operand_shape(i)?.as_array()?;
        let dims = array.dims.iter().map(u64::to_string).collect::<Vec<_>>().join("×");
        Some((array.dtype.to_string(), format!("[{dims}]")))
    };
    let what = if is_matmul(seen) { "matmul" } else { "convolution" };
    match (dims(0), dims(1)) {
        (Some((a, left)), Some((b, right))) => {
            let dtype = if a == b { a } else { format!("{a}·{b}") };
            format!("{dtype} {what} {left}·{right}")
        }
        _ => format!("{what} → {}", shape(&seen.instruction.shape)),
    }
}

/// XLA writes matmuls as convolutions. Its source says which it was; else a window of more than one element does.
fn is_matmul(seen: Seen<'_>) -> bool {
    let name = seen.instruction.op_name();
    if seen.opcode() == "dot" || name.contains("dot_general") {
        return true;
    }
    let window = seen.instruction.text("window").unwrap_or_default();
    let sizes = window.split_once("size=").map_or("", |(_, rest)| rest.split([' ', '}']).next().unwrap_or_default());
    !name.contains("conv_general_dilated") && sizes.split('x').all(|size| matches!(size, "" | "1"))
}

fn largest<'a>(matmuls: &[Seen<'a>]) -> Option<Seen<'a>> {
    matmuls.iter().copied().rev().max_by_key(|m| weight(*m))
}

/// Elements that it takes and gives.
fn weight(seen: Seen<'_>) -> u64 {
    let shapes = seen.operand_shapes().chain([&seen.instruction.shape]);
    shapes.flat_map(Shape::arrays).filter_map(crate::hlo::ArrayShape::elements).fold(0, u64::saturating_add)
}

fn head(code: &str, of: Seen<'_>, result: &str) -> String {
    let from = |i| of.operand_shape(i).map(|s| format!(" of {}", shape(s))).unwrap_or_default();
    match code {
        "custom-call" => {
            format!("custom call of {} → {result}", of.instruction.custom_call_target().unwrap_or("an unnamed target"))
        }
        "scatter" => format!("scatter{} into {result}", from(2)),
        "dynamic-update-slice" => format!("dynamic-update-slice{} into {result}", from(1)),
        _ => format!("{code}{} → {result}", from(0)),
    }
}

fn collective_words(seen: Seen<'_>) -> String {
    let of = seen.operand_shapes().next().unwrap_or(&seen.instruction.shape);
    let over = seen.instruction.replica_groups().map(groups).unwrap_or_default();
    format!("{} of {}{over}", opcode::base(seen.opcode()), shape(of))
}

/// Functions that scopes name, else elementwise work worth a word; three at most.
fn extras(parts: &[Seen<'_>]) -> Vec<String> {
    let function = |part: &Seen<'_>| {
        let path = path(part.instruction.op_name());
        // Of a gradient the scope says what it is the gradient of, not what it does.
        if path.contains("transpose(") {
            return None;
        }
        segments(path).find_map(|segment| FUNCTIONS.into_iter().find(|f| *f == bare(segment)))
    };
    let works = |part: &&Seen<'_>| !is_plumbing(part.opcode()) && !is_formatting(part.opcode());
    let mut words = distinct(parts.iter().filter(works).filter_map(function));
    if words.is_empty() {
        let notable = |(code, word): &(&str, &'static str)| parts.iter().any(|p| p.opcode() == *code).then_some(*word);
        words = NOTABLE.iter().filter_map(notable).collect();
    }
    words.truncate(3);
    words.into_iter().map(str::to_owned).collect()
}

/// Opcodes that are there for form.
fn is_plumbing(code: &str) -> bool {
    matches!(code, "parameter" | "constant" | "tuple" | "get-tuple-element" | "bitcast" | "broadcast" | "iota")
}

fn distinct<'a>(words: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut seen = Vec::new();
    for word in words {
        if !seen.contains(&word) {
            seen.push(word);
        }
    }
    seen
}

fn kind(seen: Seen<'_>) -> &'static str {
    match seen.instruction.fusion_kind() {
        Some("kLoop") => "loop ",
        Some("kInput") => "input ",
        Some("kOutput") => "output ",
        Some("kCustom") => "custom ",
        _ => "",
    }
}
