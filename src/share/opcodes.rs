//! This module lists the words of op names that every compiler uses, and that reveal nothing about a program, together
//! with common words of categories, chips and allocators.

use crate::chip::Chip;

/// Opcodes of HLO and words of fusion names, split at `-`.
const WORDS: [&str; 128] = [
    "abs",
    "add",
    "after",
    "all",
    "and",
    "async",
    "atan2",
    "barrier",
    "batch",
    "bitcast",
    "broadcast",
    "call",
    "cbrt",
    "ceil",
    "cholesky",
    "clamp",
    "clone",
    "clz",
    "collective",
    "compare",
    "complex",
    "concatenate",
    "conditional",
    "constant",
    "convert",
    "convolution",
    "copy",
    "cosine",
    "count",
    "custom",
    "degenerate",
    "divide",
    "domain",
    "done",
    "dot",
    "dynamic",
    "erf",
    "exponential",
    "fft",
    "fill",
    "fixup",
    "floor",
    "fused",
    "fusion",
    "gather",
    "gemm",
    "generator",
    "get",
    "gte",
    "host",
    "id",
    "imag",
    "in",
    "infeed",
    "input",
    "inverse",
    "iota",
    "is",
    "finite",
    "kernel",
    "leading",
    "log",
    "loop",
    "map",
    "max",
    "maximum",
    "megacore",
    "min",
    "minimum",
    "minus",
    "multiply",
    "negate",
    "norm",
    "not",
    "one",
    "or",
    "out",
    "outfeed",
    "output",
    "pad",
    "parameter",
    "partition",
    "permute",
    "plus",
    "popcnt",
    "power",
    "ragged",
    "real",
    "recv",
    "reduce",
    "reducer",
    "region",
    "remainder",
    "replica",
    "reshape",
    "reverse",
    "rng",
    "bit",
    "root",
    "round",
    "nearest",
    "even",
    "afz",
    "rsqrt",
    "scatter",
    "select",
    "send",
    "set",
    "shape",
    "shift",
    "sign",
    "sine",
    "slice",
    "solve",
    "sort",
    "sqrt",
    "start",
    "stochastic",
    "subtract",
    "tan",
    "tanh",
    "to",
    "topk",
    "transpose",
    "triangular",
    "tuple",
    "update",
    "while",
];

/// Returns whether a name consists only of these words and of numbers, such as `all-reduce-start.4` and
/// `convert_add_fusion.12.remat2`.
pub(super) fn is_of_compiler(name: &str) -> bool {
    let words = || name.split(['.', '-', '_', '{', '}', '%', ',']).filter(|word| !word.is_empty());
    let is_known = |word: &str| {
        let stem = word.trim_end_matches(|c: char| c.is_ascii_digit());
        stem.is_empty() || stem == "remat" || WORDS.contains(&word) || WORDS.contains(&stem)
    };
    words().next().is_some() && words().all(is_known)
}

/// Other words of HLO categories.
const CATEGORY_WORDS: [&str; 8] =
    ["data", "elementwise", "formatting", "generator", "non", "softmax", "transfer", "epilogue"];
/// Words of names of chips, without their numbers.
const CHIP_WORDS: [&str; 26] = [
    "tpu",
    "gpu",
    "cpu",
    "cpus",
    "v",
    "lite",
    "nvidia",
    "amd",
    "intel",
    "tesla",
    "geforce",
    "quadro",
    "rtx",
    "gtx",
    "radeon",
    "instinct",
    "mi",
    "gb",
    "sxm",
    "pcie",
    "nvl",
    "hbm",
    "xcd",
    "unknown",
    "core",
    "viperfish",
];
/// Words of allocator names of XLA and its runtimes.
const ALLOCATOR_WORDS: [&str; 31] = [
    "allocator",
    "async",
    "bfc",
    "collective",
    "cpu",
    "cuda",
    "default",
    "device",
    "gpu",
    "hbm",
    "hip",
    "host",
    "local",
    "malloc",
    "managed",
    "memory",
    "mklcpu",
    "pinned",
    "platform",
    "pluggable",
    "pool",
    "rocm",
    "scoped",
    "smem",
    "stream",
    "system",
    "temp",
    "tpu",
    "unified",
    "vmem",
    "xla",
];

/// Returns whether a text consists only of these words and of numbers, such as `TPU v5 Lite` and `GPU_0_bfc`. A word
/// may have digits at its end.
fn is_made_of(text: &str, words: &[&str]) -> bool {
    let is_known = |word: &str| {
        let word = word.to_ascii_lowercase();
        let stem = word.trim_end_matches(|c: char| c.is_ascii_digit());
        stem.is_empty() || words.contains(&stem) || words.contains(&word.as_str())
    };
    let mut parts = text.split([' ', '_', '-', '/', '(', ')', ':']).filter(|word| !word.is_empty()).peekable();
    parts.peek().is_some() && parts.all(is_known)
}

/// Returns whether a category or an opcode is one of XLA, such as `convolution fusion` and `data formatting`.
pub(super) fn is_category(name: &str) -> bool {
    let is_known = |word: &str| is_of_compiler(word) || CATEGORY_WORDS.contains(&word);
    let mut words = name.trim().split([' ', '-', '_']).filter(|word| !word.is_empty()).peekable();
    words.peek().is_some() && words.all(|word| is_known(&word.to_ascii_lowercase())) || name == "<none>"
}

/// Returns whether a chip is one that the public can buy or rent.
pub(super) fn is_chip(name: &str) -> bool {
    // Model numbers such as "A100", "v5p", "MI300X" and "80GB": at most five digits with at most three letters around
    // them.
    let is_model = |word: &str| {
        let digits = word.trim_matches(|c: char| c.is_ascii_alphabetic());
        let n = word.len() - digits.len();
        !digits.is_empty() && digits.len() <= 5 && n <= 3 && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    let known = |word: &str| is_made_of(word, &CHIP_WORDS) || is_model(word);
    Chip::named(name).is_some() || name.split([' ', '-', '_']).filter(|word| !word.is_empty()).all(known)
}

/// Returns whether an allocator has a name that XLA or one of its runtimes gives.
pub(super) fn is_allocator(name: &str) -> bool {
    is_made_of(name, &ALLOCATOR_WORDS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_categories_chips_and_allocators() {
        for name in [
            "convolution fusion",
            "data formatting",
            "non-fusion elementwise",
            "all-reduce",
            "copy-start",
            "host send-done",
        ] {
            assert!(is_category(name), "{name}");
        }
        for name in ["acme-42 attention", "", "secret fusion"] {
            assert!(!is_category(name), "{name}");
        }
        for name in
            ["TPU v5p", "TPU v5 Lite", "NVIDIA A100-SXM4-80GB", "Tesla V100-SXM2-16GB", "AMD Instinct MI300X", "CPU"]
        {
            assert!(is_chip(name), "{name}");
        }
        for name in ["Acme Falcon", "internal accelerator", "TPU acme"] {
            assert!(!is_chip(name), "{name}");
        }
        for name in ["GPU_0_bfc", "gpu_host_bfc", "cuda_malloc_async", "xla_gpu_device_memory", "mklcpu"] {
            assert!(is_allocator(name), "{name}");
        }
        for name in ["acme_pool", "", "moe expert cache"] {
            assert!(!is_allocator(name), "{name}");
        }
    }

    #[test]
    fn names_of_compilers_and_of_people() {
        for name in ["fusion.12", "all-reduce-start.4", "convert_add_fusion.3.remat2", "copy-done", "tuple.1{0}"] {
            assert!(is_of_compiler(name), "{name}");
        }
        for name in ["", "secret_kernel.3", "gmm-fusion", "while/body/secret", "flash_attention"] {
            assert!(!is_of_compiler(name), "{name}");
        }
    }
}
