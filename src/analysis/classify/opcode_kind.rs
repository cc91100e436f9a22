//! This module maps opcodes of XLA, as instructions and categories spell them, to the kinds of time.

use super::kind::Kind;

/// Returns an opcode without the suffix `-start`, `-done` or `-update`.
pub(in crate::analysis) fn stem(word: &str) -> &str {
    ["-start", "-done", "-update"].iter().find_map(|s| word.strip_suffix(s)).unwrap_or(word)
}

/// Returns whether an opcode without its suffix is a collective.
pub(in crate::analysis) fn is_collective(stem: &str) -> bool {
    matches!(
        stem,
        "all-reduce"
            | "all-gather"
            | "reduce-scatter"
            | "all-reduce-scatter"
            | "all-to-all"
            | "ragged-all-to-all"
            | "collective-permute"
            | "collective-broadcast"
            | "all-gather-reduce-scatter"
    )
}

/// Returns the kind of an opcode without its suffix, or of a category of one word. `None` if the word alone determines
/// no kind.
pub(in crate::analysis) fn word(stem: &str) -> Option<Kind> {
    if is_collective(stem) || matches!(stem, "send" | "recv") {
        return Some(Kind::Communication);
    }
    Some(match stem {
        "copy"
        | "transpose"
        | "reshape"
        | "dynamic-reshape"
        | "bitcast"
        | "bitcast-convert"
        | "convert"
        | "pad"
        | "broadcast"
        | "slice"
        | "dynamic-slice"
        | "dynamic-update-slice"
        | "concatenate"
        | "reverse"
        | "iota"
        | "tuple"
        | "get-tuple-element"
        | "gather"
        | "scatter"
        | "constant"
        | "parameter"
        | "add-dependency"
        | "optimization-barrier"
        | "opt-barrier"
        | "after-all"
        | "get-dimension-size"
        | "set-dimension-size" => Kind::DataMovement,
        "infeed" | "outfeed" => Kind::Host,
        "convolution"
        | "dot"
        | "ragged-dot"
        | "scaled-dot"
        | "reduce"
        | "reduce-window"
        | "select-and-scatter"
        | "sort"
        | "topk"
        | "top-k"
        | "rng"
        | "rng-bit-generator"
        | "rng-get-and-update-state"
        | "cholesky"
        | "triangular-solve"
        | "fft"
        | "map"
        | "custom-call"
        | "batch-norm-training"
        | "batch-norm-inference"
        | "batch-norm-grad"
        | "partition-id"
        | "replica-id" => Kind::Compute,
        _ if is_elementwise(stem) => Kind::Compute,
        _ => return None,
    })
}

/// Returns whether each element of an opcode's result depends only on the elements at the same place in the operands.
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
