//! This module assigns each op to a group of work, such as matmul, attention or copy, by the vocabulary of XLA and of
//! kernels.
//!
//! The kind decides first, then the instruction. The names of kernels, the leaf of the scope path and the category
//! decide the rest: a custom call takes its group from its name first, other ops from the leaf first. The whole path is
//! never used: `self_attention` is in the path of every projection, and projections are matmuls.

use super::kind::Kind;
use super::kind_of_op::is_collective_kernel;
use super::opcode::opcode;
use super::scope_path::leaf;
use xla_profile::keyed_enum;

keyed_enum! {
    /// A group of ops that do the same sort of work.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum OpGroup {
        /// Dots and convolutions, also within fusions.
        Matmul = "matmul",
        Attention = "attention",
        /// Collectives, and the waits for them.
        Collective = "collective",
        /// Pallas kernels and other kernels that belong to no other group.
        CustomKernel = "custom kernel",
        /// Grouped matmuls, the kernels of mixtures of experts.
        Moe = "MoE",
        LinearAttention = "linear attention",
        Norm = "norm",
        /// Elementwise arithmetic, fused or not.
        Elementwise = "elementwise fusion",
        /// Fusions of the compiler's own kernels.
        CustomFusion = "custom fusion",
        Reduction = "reduction",
        /// Layout changes, slices and similar ops.
        Formatting = "data formatting",
        /// Copies, and the waits for them.
        Copy = "copy",
        /// Sorting and top-k.
        Sort = "sort/routing",
        /// Table look-ups and their gradients.
        Gather = "embedding/gather",
        /// Random numbers.
        Rng = "rng",
        /// Transfers to and from the host.
        Host = "host",
        /// Ops that no rule covers, and the self time of containers.
        Other = "other",
    }
}

impl OpGroup {
    /// Returns the display name, which is also the key of the group's row.
    pub const fn label(self) -> &'static str {
        self.key()
    }
}

/// The properties of an op that determine its group.
#[derive(Clone, Copy, Debug)]
pub struct GroupEvidence<'a> {
    pub kind: Kind,
    /// Whether a rule determined the kind.
    pub known: bool,
    /// Category by the capture or by the HLO text; empty if unknown.
    pub category: &'a str,
    pub name: &'a str,
    pub text: &'a str,
    /// Scope path; empty if the op has none.
    pub path: &'a str,
    /// Kernel that ran on a GPU; empty for other ops.
    pub kernel: &'a str,
}

/// Returns the group of an op.
pub fn op_group(signs: GroupEvidence<'_>) -> OpGroup {
    let opcode = opcode(signs.text).unwrap_or_default();
    let category = signs.category.trim();
    let is = |words: &[&str]| words.iter().any(|word| *word == opcode || *word == category);
    match signs.kind {
        Kind::Communication | Kind::Fused => OpGroup::Collective,
        Kind::Host => OpGroup::Host,
        Kind::Container => OpGroup::Other,
        Kind::Other if !signs.known => OpGroup::Other,
        Kind::DataMovement if is(&["copy", "copy-start", "copy-done"]) => OpGroup::Copy,
        Kind::DataMovement if opcode.is_empty() && !signs.kernel.is_empty() => OpGroup::Copy,
        Kind::DataMovement if is(&["gather", "scatter"]) => OpGroup::Gather,
        Kind::DataMovement => OpGroup::Formatting,
        Kind::Compute | Kind::Other => compute(signs, opcode, category),
    }
}

fn compute(signs: GroupEvidence<'_>, opcode: &str, category: &str) -> OpGroup {
    let is = |words: &[&str]| words.iter().any(|word| *word == opcode || *word == category);
    // The name of a kernel decides, else the leaf of the scope path: `…/ragged_paged_attention/RPA-bq_32/pallas_call`.
    if is(&["custom-call", "custom call"]) {
        let of_gpu = || {
            Some(signs.kernel)
                .filter(|kernel| !kernel.is_empty())
                .and_then(|name| called(signs.text).or(by_kernel(name)))
        };
        let by_name = kernel(signs.name).or_else(of_gpu);
        return by_name.or_else(|| kernel(leaf(signs.path))).unwrap_or(OpGroup::CustomKernel);
    }
    if is(&["ragged-dot"]) {
        return OpGroup::Moe;
    }
    if is(&["dot", "scaled-dot", "convolution", "convolution fusion"]) || category.starts_with("convolution ") {
        return OpGroup::Matmul;
    }
    if is(&["rng", "rng-bit-generator", "rng bit generator", "rng-get-and-update-state"]) {
        return OpGroup::Rng;
    }
    if is(&["sort", "topk", "top-k"]) {
        return OpGroup::Sort;
    }
    if is(&["gather fusion", "scatter fusion", "gather", "scatter"]) {
        return OpGroup::Gather;
    }
    if is(&["reduce", "reduce-window", "select-and-scatter", "reduction"]) {
        return OpGroup::Reduction;
    }
    if let Some(group) = by_leaf(leaf(signs.path)) {
        return group;
    }
    // Fusions that XLA:GPU gives to the kernel of a matmul have names that reveal the matmul.
    if let Some(group) =
        Some(signs.name).filter(|_| !signs.kernel.is_empty() && category == "custom fusion").and_then(kernel)
    {
        return group;
    }
    let elementwise = ["loop fusion", "input fusion", "output fusion", "non-fusion elementwise", "fusion"];
    match category {
        "custom fusion" => OpGroup::CustomFusion,
        _ if elementwise.contains(&category) || !opcode.is_empty() => OpGroup::Elementwise,
        // Without HLO text and category, only the name of the kernel is known.
        _ => kernel(signs.name).or_else(|| by_kernel(signs.kernel)).unwrap_or(OpGroup::Other),
    }
}

/// Returns the group of a custom call by the library in its target, such as `__cublas$lt$matmul`, `__cudnn$convForward`
/// or `__cudnn$fmhaSoftmax`.
fn called(text: &str) -> Option<OpGroup> {
    let target = text.split_once("custom_call_target=\"")?.1.split('"').next()?;
    kernel(target).or_else(|| target.starts_with("__cudnn$conv").then_some(OpGroup::Matmul))
}

/// Families of GPU kernels, in addition to `KERNELS`: of libraries (hipBLASLt's `Cijk_`, cuBLAS' `nvjet_`), of
/// frameworks and of compilers. Names of GPU kernels join words without separators, so the words of a family match
/// anywhere in a name.
const GPU_KERNELS: [(&[&str], OpGroup); 8] = [
    (&["cijk_", "nvjet", "gemm", "gemv", "fprop", "dgrad", "wgrad", "convolve", "winograd"], OpGroup::Matmul),
    (&["flash", "fmha", "attention"], OpGroup::Attention),
    (&["layernorm", "layer_norm", "rmsnorm", "batchnorm", "bn_fw", "bn_bw"], OpGroup::Norm),
    (&["random", "philox", "threefry"], OpGroup::Rng),
    (&["radixsort", "sortkernel", "topk"], OpGroup::Sort),
    (&["softmax", "reduce"], OpGroup::Reduction),
    (&["eigenmetakernel", "elementwise", "loop_", "wrapped_"], OpGroup::Elementwise),
    (&["triton"], OpGroup::CustomKernel),
];

/// Returns the family of a GPU kernel by its name.
fn by_kernel(name: &str) -> Option<OpGroup> {
    let name = name.to_ascii_lowercase();
    kernel(&name).or_else(|| {
        let has = |(words, _): &(&[&str], _)| words.iter().any(|word| name.contains(word));
        GPU_KERNELS.into_iter().find(has).map(|(_, group)| group)
    })
}

/// Returns the category of a GPU kernel of which only the name is known; `None` if the name belongs to no family.
pub fn category_of_kernel(name: &str) -> Option<&'static str> {
    if is_collective_kernel(name) {
        return Some("collective kernel");
    }
    Some(match by_kernel(name)? {
        OpGroup::Matmul if is_convolution(name) => "convolution kernel",
        OpGroup::Matmul => "matmul kernel",
        OpGroup::Attention | OpGroup::LinearAttention => "attention kernel",
        OpGroup::Moe => "MoE kernel",
        OpGroup::Norm => "norm kernel",
        OpGroup::Rng => "rng kernel",
        OpGroup::Sort => "sort kernel",
        OpGroup::Reduction => "reduction kernel",
        OpGroup::Elementwise => "elementwise kernel",
        OpGroup::CustomKernel => "triton kernel",
        _ => return None,
    })
}

/// Returns whether a matmul kernel of a GPU library computes a convolution.
pub(super) fn is_convolution(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["fprop", "dgrad", "wgrad", "convolve", "winograd", "conv2d", "conv3d"].iter().any(|word| name.contains(word))
}

/// Families of kernels. The order matters: `gla_attention` is linear attention.
const KERNELS: [(&[&str], OpGroup); 6] = [
    (&["gmm", "tgmm", "megablox", "ragged_dot", "grouped_matmul", "fused_moe"], OpGroup::Moe),
    (&["gla", "kda", "gdn", "linear_attention", "gated_delta", "delta_rule", "ssd"], OpGroup::LinearAttention),
    (&["splash", "flash", "paged_attention", "mha", "mqa", "rpa", "attention", "fmha"], OpGroup::Attention),
    (&["rmsnorm", "layernorm", "rms_norm", "layer_norm"], OpGroup::Norm),
    (&["gemm", "matmul", "cublas", "cutlass"], OpGroup::Matmul),
    (&["sort", "topk", "top_k"], OpGroup::Sort),
];

/// Returns the family of a kernel by whole words of its name, so that `fuse` or `hgmma` match nothing. The segments of
/// a path are compared from the last to the first.
fn kernel(name: &str) -> Option<OpGroup> {
    name.rsplit('/').find_map(|part| {
        let part = part.to_ascii_lowercase();
        KERNELS.into_iter().find(|(words, _)| words.iter().any(|word| has_word(&part, word))).map(|(_, group)| group)
    })
}

/// Returns whether `word` occurs in `text` without a letter before or after it. A letter may follow words of more than
/// four characters.
fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(offset, _)| {
        let before = text[..offset].chars().next_back();
        let after = text[offset + word.len()..].chars().next();
        let open = |c: Option<char>| c.is_none_or(|c| !c.is_ascii_alphabetic());
        open(before) && (word.len() > 4 || open(after))
    })
}

/// Returns the group of a fusion by the leaf of its scope path; the last segment is the JAX primitive.
fn by_leaf(leaf: &str) -> Option<OpGroup> {
    let leaf = leaf.to_ascii_lowercase();
    let last = leaf.rsplit('/').next().unwrap_or_default();
    let primitive = last.split(['[', '(']).next().unwrap_or_default();
    let by_primitive = match primitive {
        "gather" | "scatter" | "scatter-add" | "take" => Some(OpGroup::Gather),
        "sort" | "top_k" | "argsort" | "approx_top_k" => Some(OpGroup::Sort),
        "rng_bit_generator" | "random_bits" | "threefry2x32" | "random_gamma" => Some(OpGroup::Rng),
        _ => None,
    };
    by_primitive
        .or_else(|| leaf.split('/').any(is_norm).then_some(OpGroup::Norm))
        .or_else(|| (primitive.starts_with("reduce_") || primitive.starts_with("arg")).then_some(OpGroup::Reduction))
}

/// Returns whether a segment is the name of a normalisation, such as `decoder_norm`, `RMSNorm_0` or `input_layernorm`,
/// but not `normal` and not the norm of a gradient.
fn is_norm(segment: &str) -> bool {
    let of_numbers = ["grad_norm", "global_norm", "max_norm", "param_norm", "update_norm"];
    !of_numbers.iter().any(|word| segment.contains(word))
        && segment.split(|c: char| !c.is_ascii_alphabetic()).any(|word| word.ends_with("norm") || word == "rmsnorm")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(kind: Kind, category: &str, name: &str, text: &str, path: &str) -> OpGroup {
        op_group(GroupEvidence { kind, known: true, category, name, text, path, kernel: "" })
    }

    #[test]
    fn kernels_of_gpus() {
        let group = |kind, text: &str, kernel: &str| {
            op_group(GroupEvidence { kind, known: true, category: "", name: kernel, text, path: "", kernel })
        };
        for (kernel, expected) in [
            ("Cijk_Ailk_Bljk_BBS_BH_MT256x224x64_MI16x16x16x1", OpGroup::Matmul),
            ("ampere_bf16_s16816gemm_bf16_128x64_nn", OpGroup::Matmul),
            ("nvjet_hsh_128x256_64x4_2x1_v_bz_coopA_NNT", OpGroup::Matmul),
            ("void flash_fwd_kernel<Flash_fwd_kernel_traits<…>>", OpGroup::Attention),
            ("void tensorflow::functor::FillPhiloxRandomKernelLaunch<…>", OpGroup::Rng),
            ("void Eigen::internal::EigenMetaKernel<…>", OpGroup::Elementwise),
            ("triton_softmax_3", OpGroup::Reduction),
            ("input_reduce_fusion_2", OpGroup::Reduction),
            ("something_else", OpGroup::Other),
        ] {
            assert_eq!(group(Kind::Compute, "", kernel), expected, "{kernel}");
        }
        assert_eq!(group(Kind::DataMovement, "", "MemcpyH2D"), OpGroup::Copy);
        let call = "%c.1 = bf16[8,8] custom-call(%a, %b), custom_call_target=\"__cublas$gemm\"";
        assert_eq!(group(Kind::Compute, call, "nothing_known"), OpGroup::Matmul);
    }

    #[test]
    fn categories_of_kernels() {
        for (kernel, expected) in [
            ("void tensorflow::functor::FillPhiloxRandomKernelLaunch<…>", Some("rng kernel")),
            ("volta_fp16_s884cudnn_fp16_256x64_ldg8_relu_f2f_exp_small_nhwc2nchw_tn_v1", None),
            ("volta_s884gemm_64x64_ldg8_nn", Some("matmul kernel")),
            ("void cudnn::detail::dgrad_engine<float>", Some("convolution kernel")),
            ("ncclDevKernel_AllReduce_Sum_bf16_RING_LL", Some("collective kernel")),
            ("void Eigen::internal::EigenMetaKernel<…>", Some("elementwise kernel")),
            ("something_else", None),
        ] {
            assert_eq!(category_of_kernel(kernel), expected, "{kernel}");
        }
    }

    fn compute(category: &str, name: &str, leaf: &str) -> OpGroup {
        group(Kind::Compute, category, name, "", leaf)
    }

    #[test]
    fn the_kind_decides_first() {
        assert_eq!(group(Kind::Communication, "all-reduce fusion", "fusion.1", "", "mlp/dot"), OpGroup::Collective);
        assert_eq!(group(Kind::Fused, "custom fusion", "async-collective-start", "", ""), OpGroup::Collective);
        assert_eq!(group(Kind::Host, "infeed", "infeed", "", ""), OpGroup::Host);
        assert_eq!(group(Kind::Container, "while", "while.1", "", "decoder/while"), OpGroup::Other);
        assert_eq!(group(Kind::DataMovement, "copy-done", "copy-done.1", "", ""), OpGroup::Copy);
        assert_eq!(group(Kind::DataMovement, "data formatting", "copy.1", "%c = f32[2] copy(%x)", ""), OpGroup::Copy);
        assert_eq!(group(Kind::DataMovement, "data formatting", "transpose.1", "", ""), OpGroup::Formatting);
        assert_eq!(group(Kind::DataMovement, "gather", "gather.1", "", ""), OpGroup::Gather);
    }

    #[test]
    fn instructions() {
        assert_eq!(compute("convolution fusion", "fusion.1", "self_attention/query/dot_general"), OpGroup::Matmul);
        assert_eq!(group(Kind::Compute, "", "dot.1", "%dot.1 = f32[2] dot(%a, %b)", ""), OpGroup::Matmul);
        assert_eq!(compute("rng bit generator", "rng", ""), OpGroup::Rng);
        assert_eq!(compute("sort", "sort.1", ""), OpGroup::Sort);
        assert_eq!(compute("reduce", "reduce.1", ""), OpGroup::Reduction);
        assert_eq!(compute("custom fusion", "fusion.1", "mlp/wi/mul"), OpGroup::CustomFusion);
        assert_eq!(compute("loop fusion", "fusion.1", "mlp/wi/mul"), OpGroup::Elementwise);
        assert_eq!(compute("non-fusion elementwise", "add.1", ""), OpGroup::Elementwise);
    }

    #[test]
    fn kernels_by_name() {
        let kernel = |name: &str, leaf: &str| compute("custom-call", name, leaf);
        assert_eq!(kernel("splash_mha_fwd_segmented_residuals", ""), OpGroup::Attention);
        assert_eq!(kernel("custom-call.4", "ragged_paged_attention/RPA-bq_32-p_64-/pallas_call"), OpGroup::Attention);
        assert_eq!(kernel("tgmm.3", ""), OpGroup::Moe);
        assert_eq!(kernel("gmm", ""), OpGroup::Moe);
        assert_eq!(kernel("chunk_gla_fwd", ""), OpGroup::LinearAttention);
        assert_eq!(kernel("fused_rmsnorm", ""), OpGroup::Norm);
        assert_eq!(kernel("tpu_custom_call.1", "mlp/swiglu/pallas_call"), OpGroup::CustomKernel);
        assert_eq!(kernel("hgmma_thing", ""), OpGroup::CustomKernel, "no word of its own");
    }

    #[test]
    fn the_leaf_of_a_fusion() {
        let fusion = |leaf: &str| compute("loop fusion", "fusion.1", leaf);
        assert_eq!(fusion("decoder/decoder_norm/add"), OpGroup::Norm);
        assert_eq!(fusion("pre_self_attention_layer_norm/reduce_sum[axes=(2,)]"), OpGroup::Norm);
        assert_eq!(fusion("RMSNorm_0/rsqrt"), OpGroup::Norm);
        assert_eq!(fusion("jit(main)/jit(_normal)/mul"), OpGroup::Elementwise, "normal is no norm");
        assert_eq!(fusion("clip_by_global_norm/mul"), OpGroup::Elementwise, "the norm of a gradient");
        assert_eq!(fusion("loss/reduce_sum[axes=(0,)]"), OpGroup::Reduction);
        assert_eq!(fusion("embed/scatter-add[dims=1]"), OpGroup::Gather);
        assert_eq!(fusion("self_attention/query_rotary/mul"), OpGroup::Elementwise, "an outer name tells nothing");
    }
}
