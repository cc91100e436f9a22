//! This module holds what is known about flags beyond their defaults: which platform reads them, which primitive they
//! concern, which flags exclude each other, and which need another flag.

use crate::analysis::base::Platform;
use crate::analysis::comm::Primitive;
use crate::chip::Chip;

/// Returns the only platform whose compiler reads a flag. `None` if all compilers read it.
pub(super) fn platform(name: &str) -> Option<Platform> {
    [("xla_tpu_", Platform::Tpu), ("xla_gpu_", Platform::Gpu), ("xla_cpu_", Platform::Cpu)]
        .into_iter()
        .find_map(|(prefix, platform)| name.starts_with(prefix).then_some(platform))
}

/// Returns the primitive that a flag concerns. `None` if it concerns all of them, or none.
pub(super) fn primitive(name: &str) -> Option<Primitive> {
    // The name of the longer primitive comes first.
    [
        ("ragged_all_to_all", Primitive::RaggedAllToAll),
        ("all_to_all", Primitive::AllToAll),
        ("all_gather", Primitive::AllGather),
        ("ici_ag", Primitive::AllGather),
        ("reduce_scatter", Primitive::ReduceScatter),
        ("all_reduce", Primitive::AllReduce),
        ("collective_permute", Primitive::Permute),
    ]
    .into_iter()
    .find_map(|(word, primitive)| name.contains(word).then_some(primitive))
}

const FUSION: &str = "xla_tpu_enable_async_collective_fusion";
const OFFLOAD: &str = "xla_tpu_enable_sparse_core_collective_offload_";

/// Returns the flag that a flag excludes: the fusion of asynchronous collectives and the offload to the SparseCore
/// handle the same primitive.
pub(super) fn excluded(name: &str) -> Option<String> {
    let primitive = name.strip_prefix(FUSION)?.strip_prefix("_fuse_")?;
    Some(format!("{OFFLOAD}{primitive}"))
}

/// Returns the flag without which a flag has no effect. `None` if the flag needs no other.
pub(super) fn needed(name: &str) -> Option<String> {
    if let Some(primitive) =
        name.strip_prefix("xla_tpu_sparse_core_").and_then(|rest| rest.strip_suffix("_latency_multiplier"))
    {
        return Some(format!("{OFFLOAD}{primitive}"));
    }
    if let Some(primitive) = name.strip_prefix(FUSION).and_then(|rest| rest.strip_prefix("_fuse_"))
        && matches!(primitive, "all_gather" | "all_reduce")
    {
        return Some(format!("xla_enable_async_{primitive}"));
    }
    let needed = match name {
        "xla_tpu_data_parallel_opt_different_sized_ops" => "xla_tpu_enable_data_parallel_all_reduce_opt",
        "xla_should_allow_loop_variant_parameter_in_chain" | "xla_should_add_loop_invariant_op_in_chain" => {
            "xla_tpu_enable_ici_ag_pipelining"
        }
        _ if name != FUSION && name.starts_with(FUSION) => FUSION,
        _ => return None,
    };
    Some(needed.to_owned())
}

/// Returns whether a chip's compiler refuses a flag that is on: checked with libtpu 0.0.51. Only the compiler of TPU v5e
/// fuses asynchronous all-gathers and all-reduces, and only those of v6e and v7x offload collectives to the SparseCore.
pub(super) fn is_refused(name: &str, chip: &Chip) -> bool {
    let is_one_of = |chips: &[&str]| chips.contains(&chip.name);
    let fuses = ["xla_enable_async_all_gather", "xla_enable_async_all_reduce"];
    if fuses.contains(&name) || name.ends_with("_fusion_fuse_all_gather") || name.ends_with("_fusion_fuse_all_reduce") {
        return is_one_of(&["TPU v4", "TPU v5p", "TPU v6e", "TPU v7x"]);
    }
    if name.ends_with("_fusion_fuse_reduce_scatter") {
        return is_one_of(&["TPU v4", "TPU v5e", "TPU v5p", "TPU v6e", "TPU v7x"]);
    }
    name.starts_with(OFFLOAD) && is_one_of(&["TPU v4", "TPU v5e", "TPU v5p"])
}

/// Returns whether a flag decides how collectives run: asynchronously, fused, offloaded or pipelined. The capture then
/// shows whether it works.
pub(super) fn is_seen_in_collectives(name: &str) -> bool {
    ["async_", "collective_fusion", "sparse_core_collective_offload", "pipelin", "latency_hiding_scheduler"]
        .into_iter()
        .any(|word| name.contains(word))
        && !name.contains("async_dot")
        && !name.contains("host_offload")
}

/// Returns whether a flag moves collectives to the SparseCores.
pub(super) fn is_offload(name: &str) -> bool {
    name.starts_with(OFFLOAD)
}

#[cfg(test)]
mod tests {
    use super::super::defaults::KnownFlags;
    use super::*;

    #[test]
    fn every_flag_that_is_named_here_exists() {
        let known = KnownFlags::new();
        for primitive in ["all_gather", "all_reduce", "reduce_scatter"] {
            let fuse = format!("{FUSION}_fuse_{primitive}");
            let offload = format!("{OFFLOAD}{primitive}");
            assert_eq!(excluded(&fuse), Some(offload.clone()));
            for name in [fuse, offload, format!("xla_tpu_sparse_core_{primitive}_latency_multiplier")] {
                assert!(known.find(&name).is_some(), "{name}");
                let needed = needed(&name);
                assert!(needed.as_ref().is_none_or(|needed| known.find(needed).is_some()), "{name}: {needed:?}");
            }
        }
        for name in ["xla_tpu_data_parallel_opt_different_sized_ops", "xla_should_add_loop_invariant_op_in_chain"] {
            let needed = needed(name).unwrap();
            assert!(known.find(name).is_some() && known.find(&needed).is_some(), "{name}");
        }
        assert_eq!(needed("xla_tpu_enable_async_collective_fusion_multiple_steps").as_deref(), Some(FUSION));
        assert_eq!(needed(FUSION), None);
    }

    #[test]
    fn names_name_their_primitive_and_platform() {
        assert_eq!(primitive("xla_tpu_enable_async_ragged_all_to_all"), Some(Primitive::RaggedAllToAll));
        assert_eq!(primitive("xla_gpu_enable_pipelined_reduce_scatter"), Some(Primitive::ReduceScatter));
        assert_eq!(primitive("xla_tpu_enable_ici_ag_pipelining"), Some(Primitive::AllGather));
        assert_eq!(primitive("xla_tpu_scoped_vmem_limit_kib"), None);
        assert_eq!(platform("xla_gpu_autotune_level"), Some(Platform::Gpu));
        assert_eq!(platform("xla_enable_async_all_gather"), None);
    }
}
