//! This module determines the kind of an op. The first rule that matches gives the kind: the opcode, a GPU kernel that is a
//! copy or a collective, the name, the called computation, and the category. A kernel that is a copy overrides all opcodes
//! except those of collectives and of transfers with the host.
//!
//! The module uses the vocabulary of XLA. Of the HLO text it reads the opcode, the name of the called computation, the
//! target of a custom call and the attribute `is_host_transfer`. The opcodes of plain fusions and of async wrappers
//! determine no kind: the name, the called computation and the category decide, and for an async wait also its start
//! (`op_facts`). XLA:TPU calls a matmul "convolution fusion", and hides collectives in fusions ("all-reduce fusion",
//! "custom fusion" named `async-collective-done`). Tables that miss those forms miss most of the communication of a
//! run.

use super::category;
use super::kind::Kind;
use super::opcode::opcode;
use super::opcode_kind::{is_collective, stem, word};
use xla_profile::profile::cupti_copy_name;

/// The texts of an op that determine its kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Facts<'a> {
    /// `hlo_category`.
    pub category: Option<&'a str>,
    /// Short name, without `%`.
    pub name: &'a str,
    /// The HLO text of the instruction, or any other text of the event.
    pub text: &'a str,
    /// The name of the kernel that ran on a GPU.
    pub kernel: Option<&'a str>,
}

/// A kind, and whether a rule determined it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Class {
    pub kind: Kind,
    /// `false` if no rule covers the op. The kind is then [`Kind::Other`], and the category is reported.
    pub known: bool,
}

/// Returns the kind of an op.
pub fn classify(facts: Facts<'_>) -> Class {
    let opcode = opcode(facts.text);
    // The kernel that ran is a copy. Only the opcode of a collective or of a host transfer takes precedence over that.
    let copies = facts.kernel.is_some_and(|kernel| cupti_copy_name(kernel).is_some() || is_layout_kernel(kernel));
    let kind = opcode
        .and_then(|o| by_opcode(o, facts.text))
        .filter(|kind| !copies || matches!(kind, Kind::Communication | Kind::Host))
        .or_else(|| copies.then_some(Kind::DataMovement))
        .or_else(|| facts.kernel.filter(|kernel| is_collective_kernel(kernel)).map(|_| Kind::Communication))
        .or_else(|| by_name(facts.name))
        .or_else(|| opcode.and_then(|o| by_call(o, facts)))
        .or_else(|| facts.category.and_then(by_category))
        .or_else(|| opcode.and_then(weak_opcode))
        .or_else(|| category::category_of_name(facts.name).and_then(by_category))
        .or_else(|| {
            facts.kernel.map(|kernel| category::category_of_name(kernel).and_then(by_category).unwrap_or(Kind::Compute))
        });
    Class { kind: kind.unwrap_or(Kind::Other), known: kind.is_some() }
}

/// Returns the kind of an opcode that determines its kind alone; `None` for other opcodes.
fn by_opcode(opcode: &str, text: &str) -> Option<Kind> {
    match opcode {
        "while" | "call" | "conditional" => Some(Kind::Container),
        "custom-call" => custom_call(text),
        "send" | "recv" | "send-done" | "recv-done" if text.contains("is_host_transfer=true") => Some(Kind::Host),
        // The opcode does not name the op that these wrap.
        "fusion" => None,
        opcode if is_async(opcode) => None,
        _ => word(stem(opcode)),
    }
}

/// Returns whether an opcode only wraps another op.
pub fn is_async(opcode: &str) -> bool {
    matches!(opcode, "async-start" | "async-update" | "async-done" | "call-start" | "call-update" | "call-done")
}

/// Returns the kind by the name of the computation that a fusion or an async wrapper calls, such as
/// `calls=%all-reduce-scatter.7` or `calls=%wrapped_slice.2`. The own name of a wrapper, such as `slice-start.3`, comes
/// first. Among fusions, only those of a collective or of a single instruction have a kind here; the category of other
/// fusions decides later.
fn by_call(opcode: &str, facts: Facts<'_>) -> Option<Kind> {
    let called = || {
        let name = facts.text.split_once(", calls=")?.1;
        let name = name.strip_prefix('%').unwrap_or(name);
        Some(name.split(['.', ',', ' ']).next().unwrap_or(name))
    };
    match opcode {
        // `calls=%wrapped_transpose_computation`: a fusion of a single instruction has the kind of that instruction.
        "fusion" => called().and_then(|name| match name.strip_prefix("wrapped_") {
            Some(alone) => word(&alone.trim_end_matches("_computation").replace('_', "-")),
            None => is_collective(stem(name)).then_some(Kind::Communication),
        }),
        _ if is_async(opcode) => {
            let by = |name: &str| {
                let name = name.strip_prefix("wrapped_").unwrap_or(name).replace('_', "-");
                word(stem(&name))
            };
            by(facts.name.split('.').next().unwrap_or(facts.name)).or_else(|| by(called()?))
        }
        _ => None,
    }
}

/// Returns whether an op calls Python on the host in the middle of a program, by its name or by the target of its
/// custom call.
pub fn is_callback(name: &str, text: &str) -> bool {
    let stem = name.trim_start_matches('%').split('.').next().unwrap_or(name);
    let is_named = matches!(stem, "pure_callback" | "io_callback" | "python_callback" | "debug_callback");
    let target = || text.split_once("custom_call_target=\"").and_then(|(_, target)| target.split('"').next());
    is_named
        || target().is_some_and(|target| target.starts_with("xla_") && target.contains("python_"))
        || text.contains("_xla_host_transfer_handler_name=\"pjrt_rendezvous\"")
}

/// Returns the kind of custom calls that only name memory and cost nothing. Other custom calls are kernels, for which
/// the category may be more precise.
fn custom_call(text: &str) -> Option<Kind> {
    if is_callback("", text) {
        return Some(Kind::Host);
    }
    let target = text.split_once("custom_call_target=\"")?.1.split('"').next()?;
    matches!(target, "AllocateBuffer" | "ConcatBitcast" | "PinToVmem" | "SliceBitcast").then_some(Kind::DataMovement)
}

/// Returns whether a kernel belongs to NCCL or RCCL, such as `ncclDevKernel_AllReduce_Sum_bf16_RING_LL`, `ncclKernel_…`
/// or `rcclGenericKernel`.
pub fn is_collective_kernel(kernel: &str) -> bool {
    let head = kernel.trim_start_matches("void ").get(..4).unwrap_or_default();
    head.eq_ignore_ascii_case("nccl") || head.eq_ignore_ascii_case("rccl")
}

/// Returns whether a kernel of cuDNN only changes the layout of an array, such as `nchwToNhwcKernel`, before or after the kernel
/// of a convolution.
fn is_layout_kernel(kernel: &str) -> bool {
    let name = kernel.to_ascii_lowercase();
    ["nchwtonhwc", "nhwctonchw", "nchwtofoldednhwc", "foldednhwctonchw"].into_iter().any(|layout| name.contains(layout))
}

/// Returns the kind of an opcode for which neither the name nor the category determines one.
fn weak_opcode(opcode: &str) -> Option<Kind> {
    matches!(opcode, "fusion" | "custom-call").then_some(Kind::Compute)
}

/// Returns the kind of names that are more precise than category and opcode: async wrappers and fusions of collectives.
fn by_name(name: &str) -> Option<Kind> {
    let name = name.strip_prefix('%').unwrap_or(name);
    if is_callback(name, "") {
        return Some(Kind::Host);
    }
    if name.starts_with("async-collective-start") {
        return Some(Kind::Fused);
    }
    if name.starts_with("async-collective-done") || name.starts_with("async-collective-update") {
        return Some(Kind::Communication);
    }
    // Matches `all-gather-start.3`, `all-reduce-scatter.1` and `megacore_fusion.2`, but not
    // `all-gather_something_else`.
    let base = name.split('.').next().unwrap_or(name);
    if base == "megacore_fusion" || base == "megacore-fusion" {
        return Some(Kind::Container);
    }
    let stem = stem(base);
    is_collective(stem).then_some(Kind::Communication)
}

/// Returns the kind of a compiler's category. An "x fusion" is compute unless x is a collective.
fn by_category(category: &str) -> Option<Kind> {
    let category = category.trim().to_ascii_lowercase();
    let category = category.as_str();
    if category.starts_with("mem") && cupti_copy_name(category).is_some() {
        return Some(Kind::DataMovement);
    }
    match category {
        "while" | "call" | "conditional" | "megacore fusion" => return Some(Kind::Container),
        "data formatting" => return Some(Kind::DataMovement),
        "convolution"
        | "non-fusion elementwise"
        | "custom call"
        | "custom fusion"
        | "loop fusion"
        | "input fusion"
        | "output fusion"
        | "convolution fusion"
        | "rng bit generator"
        | "fusion" => return Some(Kind::Compute),
        "host send" | "host recv" | "host send-done" | "host recv-done" | "host transfer" => return Some(Kind::Host),
        _ => {}
    }
    if let Some(fused) = category.strip_suffix(" fusion") {
        return Some(if is_collective(stem(fused)) { Kind::Communication } else { Kind::Compute });
    }
    if category.starts_with("convolution ") || category.starts_with("custom-call") {
        return Some(Kind::Compute);
    }
    let dashed = category.replace([' ', '_'], "-");
    word(stem(&dashed))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(category: &str, name: &str, text: &str) -> Kind {
        classify(Facts { category: Some(category).filter(|c| !c.is_empty()), name, text, kernel: None }).kind
    }

    #[test]
    fn kernels() {
        let class_of =
            |kernel, text| classify(Facts { category: None, name: "anything", text, kernel: Some(kernel) }).kind;
        for (kernel, expected) in [
            ("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevComm*)", Kind::Communication),
            ("void rcclGenericKernel<1, false>", Kind::Communication),
            ("MemcpyD2H", Kind::DataMovement),
            ("CopyDeviceToDevice", Kind::DataMovement),
            ("CopyHostToDevice", Kind::DataMovement),
            ("[CUDA memcpy DtoH]", Kind::DataMovement),
            ("Memset", Kind::DataMovement),
            ("__amd_rocclr_copyBuffer.kd", Kind::DataMovement),
            ("wrapped_transpose.kd", Kind::DataMovement),
            ("wrapped_add", Kind::Compute),
            ("loop_transpose_fusion", Kind::Compute),
            ("void Eigen::internal::EigenMetaKernel<…>", Kind::Compute),
            ("ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_32x6_nn", Kind::Compute),
        ] {
            assert_eq!(class_of(kernel, kernel), expected, "{kernel}");
        }
        let text = "%all-reduce-start.1 = f32[2] all-reduce-start(%x)";
        assert_eq!(class_of("nvjet_hsh", text), Kind::Communication, "HLO comes first");
        assert_eq!(class_of("MemcpyD2D", text), Kind::Communication, "a collective of one device is a copy");
        let text = "%f.1 = f32[2] fusion(%x), kind=kLoop, calls=%c";
        assert_eq!(class_of("MemcpyD2D", text), Kind::DataMovement, "what ran is a copy");
        assert_eq!(class_of("MemcpyD2H", "%w = (s32[]) while(%x)"), Kind::DataMovement, "a loop's condition is copied");
    }

    #[test]
    fn without_hlo_and_category_the_name_decides() {
        let class_of = |name| classify(Facts { name, text: name, ..Facts::default() });
        for (name, expected) in [
            ("dot.156", Kind::Compute),
            ("ynn_fusion.3", Kind::Compute),
            ("wrapped_broadcast.6", Kind::DataMovement),
            ("wrapped_add", Kind::Compute),
            ("copy.104", Kind::DataMovement),
            ("concatenate", Kind::DataMovement),
            ("while", Kind::Container),
            ("partition-id", Kind::Compute),
        ] {
            assert_eq!(class_of(name), Class { kind: expected, known: true }, "{name}");
        }
        assert!(!class_of("ThunkExecutor::Execute").known);
    }

    #[test]
    fn opcodes_are_found_behind_any_shape() {
        assert_eq!(opcode("%f.1 = bf16[8,128]{1,0:T(8,128)(2,1)} fusion(bf16[8]{0} %x), kind=kLoop"), Some("fusion"));
        assert_eq!(opcode("%s = (f32[2]{0:T(128)}, /*index=1*/u32[]{:S(2)}) copy-start(%x)"), Some("copy-start"));
        assert_eq!(opcode("%t = token[] after-all()"), Some("after-all"));
        assert_eq!(opcode("ROOT %r = s32[] add(%a, %b)"), Some("add"));
        assert_eq!(opcode("jit_f(123)"), None);
        assert_eq!(opcode("MemoryAllocation"), None);
        assert_eq!(opcode("%x = ((("), None);
    }

    #[test]
    fn categories() {
        assert_eq!(kind("convolution fusion", "fusion.1", ""), Kind::Compute);
        assert_eq!(kind("all-reduce fusion", "fusion.2", ""), Kind::Communication);
        assert_eq!(kind("all-reduce-scatter fusion", "fusion.635", ""), Kind::Communication);
        assert_eq!(kind("custom fusion", "async-collective-done.3", ""), Kind::Communication);
        assert_eq!(kind("custom fusion", "async-collective-start.3", ""), Kind::Fused);
        assert_eq!(kind("copy-done", "copy-done.4", ""), Kind::DataMovement);
        assert_eq!(kind("data formatting", "copy.1", ""), Kind::DataMovement);
        assert_eq!(kind("while", "while.1", ""), Kind::Container);
        assert_eq!(kind("megacore fusion", "megacore_fusion", ""), Kind::Container);
        assert_eq!(kind("infeed", "infeed.2", ""), Kind::Host);
        assert_eq!(kind("dynamic-update-slice", "dynamic-update-slice.33", ""), Kind::DataMovement);
        assert_eq!(kind("custom-call", "splash_mha_dq", ""), Kind::Compute);
        assert_eq!(kind("collective-permute-done", "x", ""), Kind::Communication);
    }

    #[test]
    fn the_opcode_wins_over_the_category() {
        assert_eq!(kind("weird", "x", "%x = f32[2]{0} all-gather(%y)"), Kind::Communication);
        assert_eq!(
            kind("custom-call", "x", "%x = f32[2] custom-call(), custom_call_target=\"AllocateBuffer\""),
            Kind::DataMovement
        );
        assert_eq!(
            kind("custom-call", "x", "%x = f32[2] custom-call(), custom_call_target=\"tpu_custom_call\""),
            Kind::Compute
        );
        assert_eq!(kind("send", "send", "%s = (f32[2], u32[]) send(%x), is_host_transfer=true"), Kind::Host);
        assert_eq!(
            kind("all-gather fusion", "fusion.3", "%fusion.3 = f32[2] fusion(%x), kind=kOutput"),
            Kind::Communication
        );
    }

    #[test]
    fn called_computation_determines_the_class() {
        let fusion = |name: &str, calls: &str| {
            kind("", name, &format!("%{name} = f32[2] fusion(%x), kind=kCustom, calls=%{calls}"))
        };
        assert_eq!(fusion("fusion.635", "all-reduce-scatter.2.clone.clone"), Kind::Communication);
        assert_eq!(fusion("fusion.3", "all-gather"), Kind::Communication);
        assert_eq!(fusion("async-collective-start.3", "all-gather.1"), Kind::Fused, "the name comes first");
        assert_eq!(fusion("fusion.4", "fused_computation.4"), Kind::Compute);
        assert_eq!(fusion("wrapped_transpose", "wrapped_transpose_computation"), Kind::DataMovement);
        assert_eq!(fusion("wrapped_add.1", "wrapped_add_computation.1"), Kind::Compute);
        let wrapper = |name: &str, opcode: &str, calls: &str| {
            kind(opcode, name, &format!("%{name} = ((f32[8]), f32[2]) {opcode}(%x), calls=%{calls}, foo=1"))
        };
        assert_eq!(wrapper("async-start.3", "async-start", "wrapped_slice.2"), Kind::DataMovement);
        assert_eq!(wrapper("slice-done.3", "async-done", "async_computation"), Kind::DataMovement);
        assert_eq!(wrapper("async-start", "async-start", "wrapped_reduce_scatter"), Kind::Communication);
        assert_eq!(wrapper("async-start", "async-start", "async_computation.1"), Kind::Other);
        assert_eq!(wrapper("call-done.2", "call-done", "called"), Kind::Other, "no container: nothing runs in it");
        assert_eq!(
            wrapper("all-gather.137.cloned.1.call-start", "async-start", "async_computation"),
            Kind::Communication
        );
    }

    #[test]
    fn unmatched_ops_are_other_and_unknown() {
        let class = classify(Facts { category: Some("quantum teleport"), name: "q.1", text: "", kernel: None });
        assert_eq!(class, Class { kind: Kind::Other, known: false });
        assert!(!classify(Facts::default()).known);
    }
}
