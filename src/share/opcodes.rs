//! Words that every compiler's op names are made of: they tell nothing of a program. Data, and who they are of.

use crate::chip::Chip;

/// Opcodes of HLO and words of fusions, split at `-`.
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

/// Whether a name is made of such words and of numbers alone: `all-reduce-start.4`, `convert_add_fusion.12.remat2`.
pub(super) fn is_of_compiler(name: &str) -> bool {
    let words = || name.split(['.', '-', '_', '{', '}', '%', ',']).filter(|word| !word.is_empty());
    let is_known = |word: &str| {
        let stem = word.trim_end_matches(|c: char| c.is_ascii_digit());
        stem.is_empty() || stem == "remat" || WORDS.contains(&word) || WORDS.contains(&stem)
    };
    words().next().is_some() && words().all(is_known)
}

/// Further words of HLO categories.
const CATEGORY_WORDS: [&str; 8] =
    ["data", "elementwise", "formatting", "generator", "non", "softmax", "transfer", "epilogue"];
/// Further words of what chips are called, without the numbers in them.
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
/// Words of what XLA and its runtimes call allocators.
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

/// Whether a text is made of such words, and of numbers and at most two letters beside them: `TPU v5 Lite`, `GPU_0_bfc`.
fn is_made_of(text: &str, words: &[&str]) -> bool {
    let is_known = |word: &str| {
        let word = word.to_ascii_lowercase();
        let stem = word.trim_end_matches(|c: char| c.is_ascii_digit());
        stem.is_empty() || words.contains(&stem) || words.contains(&word.as_str())
    };
    let mut parts = text.split([' ', '_', '-', '/', '(', ')', ':']).filter(|word| !word.is_empty()).peekable();
    parts.peek().is_some() && parts.all(is_known)
}

/// Whether a category or an opcode is one of XLA's: `convolution fusion`, `data formatting`.
pub(super) fn is_category(name: &str) -> bool {
    let is_known = |word: &str| is_of_compiler(word) || CATEGORY_WORDS.contains(&word);
    let mut words = name.trim().split([' ', '-', '_']).filter(|word| !word.is_empty()).peekable();
    words.peek().is_some() && words.all(|word| is_known(&word.to_ascii_lowercase())) || name == "<none>"
}

/// Whether a chip is one that anyone can buy or rent.
pub(super) fn is_chip(name: &str) -> bool {
    // "A100", "v5p", "MI300X", "80GB": a number with few letters around it.
    let is_model = |word: &str| {
        let digits = word.trim_matches(|c: char| c.is_ascii_alphabetic());
        let n = word.len() - digits.len();
        !digits.is_empty() && digits.len() <= 5 && n <= 3 && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    let known = |word: &str| is_made_of(word, &CHIP_WORDS) || is_model(word);
    Chip::named(name).is_some() || name.split([' ', '-', '_']).filter(|word| !word.is_empty()).all(known)
}

/// Whether an allocator has a name that XLA or its runtimes give.
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
