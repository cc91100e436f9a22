//! The category of an op: the compiler's where the capture has it, else what its HLO text says. Knows opcodes.

use super::classify::opcode;
use crate::profile::{Op, Profile};

/// What stands for a category that is not there.
const NONE: &str = "<none>";

/// `hlo_category`, else by the HLO, else `<none>`.
pub fn category<'p>(profile: &'p Profile, op: &Op) -> &'p str {
    op.stats.category.map(|id| profile.text(id)).or_else(|| by_text(profile.text(op.text))).unwrap_or(NONE)
}

/// The category that XLA would give an instruction. `None` where the text is none.
pub fn by_text(text: &str) -> Option<&str> {
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

/// Opcodes whose result is of each element by itself.
pub fn is_elementwise(opcode: &str) -> bool {
    matches!(
        opcode,
        "add"
            | "subtract"
            | "multiply"
            | "divide"
            | "maximum"
            | "minimum"
            | "exponential"
            | "exponential-minus-one"
            | "log"
            | "log-plus-one"
            | "logistic"
            | "tanh"
            | "tan"
            | "sqrt"
            | "rsqrt"
            | "cbrt"
            | "power"
            | "negate"
            | "abs"
            | "sign"
            | "floor"
            | "ceil"
            | "round-nearest-afz"
            | "round-nearest-even"
            | "remainder"
            | "and"
            | "or"
            | "xor"
            | "not"
            | "shift-left"
            | "shift-right-logical"
            | "shift-right-arithmetic"
            | "compare"
            | "select"
            | "clamp"
            | "sine"
            | "cosine"
            | "atan2"
            | "erf"
            | "is-finite"
            | "popcnt"
            | "clz"
            | "real"
            | "imag"
            | "complex"
            | "reduce-precision"
            | "stochastic-convert"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn categories_by_text() {
        assert_eq!(by_text("%c = f32[2] copy(f32[2] %x)"), Some("data formatting"));
        assert_eq!(by_text("%c = f32[2] fusion(f32[2] %x), kind=kOutput, calls=%f"), Some("output fusion"));
        assert_eq!(by_text("%c = f32[2] fusion(f32[2] %x)"), Some("fusion"));
        assert_eq!(by_text("%c = f32[2] exponential(f32[2] %x)"), Some("non-fusion elementwise"));
        assert_eq!(by_text("%c = bf16[2] convert(f32[2] %x)"), Some("non-fusion elementwise"));
        assert_eq!(by_text("%c = f32[2] dot(f32[2] %x, f32[2] %y)"), Some("dot"));
        assert_eq!(by_text("ncclDevKernel_AllReduce"), None);
    }
}
