//! XLA flags worth trying where compute waits for a collective, by chip: only those that the chip's compiler accepts.
//!
//! A capture does not record which flags were set, and a flag that nobody set is not off: each comes with the compiler's default.
//! Flags that are on by default are never suggested. Chips that were not checked get none. This module knows chips and primitives; no times.

use super::primitive::Primitive;
use crate::analysis::base::Platform;
use crate::chip::Chip;

/// The versions that the flags and their defaults were checked with.
pub const CHECKED_TPU: &str = "libtpu 0.0.51";
/// The same for GPUs.
pub const CHECKED_GPU: &str = "jaxlib 0.10.2";

/// A flag worth trying.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flag {
    /// Its name, without `--`.
    pub name: &'static str,
    /// The value to try.
    pub value: &'static str,
    /// Its value when nobody sets it; `auto`: the compiler decides. `None` where that was not checked.
    pub default: Option<&'static str>,
}

impl Flag {
    /// As it is passed: `--name=value`.
    pub fn setting(&self) -> String {
        format!("--{}={}", self.name, self.value)
    }

    /// The version of the compiler that it was checked with.
    pub fn checked_with(&self) -> &'static str {
        if self.name.starts_with("xla_gpu_") { CHECKED_GPU } else { CHECKED_TPU }
    }

    const fn new(name: &'static str, value: &'static str, default: &'static str) -> Self {
        Self { name, value, default: Some(default) }
    }

    const fn gpu(name: &'static str) -> Self {
        Self { name, value: "true", default: None }
    }
}

/// Whose compiler takes the flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// TPU v4, v5p: neither the fusion of asynchronous collectives nor a SparseCore offload.
    TpuPlain,
    /// TPU v5e: the only one that fuses asynchronous all-gathers and all-reduces. The compilers of the others refuse it
    /// ("incorrect results, hang, SDC").
    TpuFusing,
    /// TPU v6e, v7x: collectives can be offloaded to the SparseCore.
    TpuOffloading,
    /// Any GPU.
    Gpu,
}

impl Target {
    /// Of a device. `None`: a chip that nothing was checked for.
    pub fn for_device(platform: Platform, device_type: Option<&str>) -> Option<Self> {
        match platform {
            Platform::Cpu => None,
            Platform::Gpu => Some(Self::Gpu),
            Platform::Tpu => match Chip::named(device_type?)?.name {
                "TPU v4" | "TPU v5p" => Some(Self::TpuPlain),
                "TPU v5e" => Some(Self::TpuFusing),
                "TPU v6e" | "TPU v7x" => Some(Self::TpuOffloading),
                _ => None,
            },
        }
    }
}

const AUTO: &str = "auto";
const OFF: &str = "false";

const FUSE_ALL_GATHER: &[Flag] = &[
    Flag::new("xla_tpu_enable_async_collective_fusion_fuse_all_gather", "true", AUTO),
    Flag::new("xla_enable_async_all_gather", "true", AUTO),
];
const FUSE_ALL_REDUCE: &[Flag] = &[
    Flag::new("xla_tpu_enable_async_collective_fusion_fuse_all_reduce", "true", OFF),
    Flag::new("xla_enable_async_all_reduce", "true", OFF),
];
const OFFLOAD_ALL_GATHER: &[Flag] =
    &[Flag::new("xla_tpu_enable_sparse_core_collective_offload_all_gather", "true", AUTO)];
const OFFLOAD_ALL_REDUCE: &[Flag] =
    &[Flag::new("xla_tpu_enable_sparse_core_collective_offload_all_reduce", "true", AUTO)];
const OFFLOAD_REDUCE_SCATTER: &[Flag] =
    &[Flag::new("xla_tpu_enable_sparse_core_collective_offload_reduce_scatter", "true", AUTO)];
const PIPELINE_ALL_GATHER: &[Flag] = &[
    Flag::new("xla_tpu_enable_ici_ag_pipelining", "true", AUTO),
    Flag::new("xla_should_allow_loop_variant_parameter_in_chain", "enabled", OFF),
    Flag::new("xla_should_add_loop_invariant_op_in_chain", "enabled", OFF),
];
const ASYNC_ALL_TO_ALL: &[Flag] = &[Flag::new("xla_tpu_enable_async_all_to_all", "true", OFF)];

const GPU_SCHEDULER: &[Flag] = &[Flag::gpu("xla_gpu_enable_latency_hiding_scheduler")];
const GPU_ALL_GATHER: &[Flag] = &[Flag::gpu("xla_gpu_enable_pipelined_all_gather")];
const GPU_ALL_REDUCE: &[Flag] = &[Flag::gpu("xla_gpu_enable_pipelined_all_reduce")];
const GPU_REDUCE_SCATTER: &[Flag] = &[Flag::gpu("xla_gpu_enable_pipelined_reduce_scatter")];

/// All flags that are ever suggested.
const ALL: [&[Flag]; 11] = [
    FUSE_ALL_GATHER,
    FUSE_ALL_REDUCE,
    OFFLOAD_ALL_GATHER,
    OFFLOAD_ALL_REDUCE,
    OFFLOAD_REDUCE_SCATTER,
    PIPELINE_ALL_GATHER,
    ASYNC_ALL_TO_ALL,
    GPU_SCHEDULER,
    GPU_ALL_GATHER,
    GPU_ALL_REDUCE,
    GPU_REDUCE_SCATTER,
];

/// Flags worth trying where compute waits for a primitive, those that belong together side by side.
pub fn suggested(primitive: Primitive, target: Target) -> Vec<Flag> {
    use Primitive::{AllGather, AllReduce, AllToAll, Permute, RaggedAllToAll, ReduceScatter};
    let sets: &[&[Flag]] = match (target, primitive) {
        (Target::TpuFusing, AllGather) => &[FUSE_ALL_GATHER, PIPELINE_ALL_GATHER],
        (Target::TpuOffloading, AllGather) => &[OFFLOAD_ALL_GATHER, PIPELINE_ALL_GATHER],
        (Target::TpuPlain, AllGather) => &[PIPELINE_ALL_GATHER],
        (Target::TpuFusing, AllReduce) => &[FUSE_ALL_REDUCE],
        (Target::TpuOffloading, AllReduce) => &[OFFLOAD_ALL_REDUCE],
        (Target::TpuOffloading, ReduceScatter) => &[OFFLOAD_REDUCE_SCATTER],
        (Target::TpuPlain | Target::TpuFusing | Target::TpuOffloading, AllToAll) => &[ASYNC_ALL_TO_ALL],
        (Target::Gpu, AllGather) => &[GPU_SCHEDULER, GPU_ALL_GATHER],
        (Target::Gpu, AllReduce) => &[GPU_SCHEDULER, GPU_ALL_REDUCE],
        (Target::Gpu, ReduceScatter) => &[GPU_SCHEDULER, GPU_REDUCE_SCATTER],
        (Target::Gpu, AllToAll | RaggedAllToAll | Permute) => &[GPU_SCHEDULER],
        _ => &[],
    };
    sets.concat()
}

/// What is known of flags by their names, those that the device's chip takes. A report written by an earlier build may name others.
pub fn accepted(names: &[String], primitive: Primitive, device_type: Option<&str>) -> Vec<Flag> {
    let on_chip = Target::for_device(Platform::Tpu, device_type);
    let takes = |flag: &Flag| {
        let target = if flag.name.starts_with("xla_gpu_") { Some(Target::Gpu) } else { on_chip };
        target.is_some_and(|target| suggested(primitive, target).contains(flag))
    };
    let known = |name: &String| ALL.iter().copied().flatten().find(|flag| flag.name == name).copied();
    names.iter().filter_map(known).filter(takes).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    fn all(platform: Platform, device_type: Option<&str>) -> Vec<Flag> {
        let target = Target::for_device(platform, device_type);
        Primitive::ALL.into_iter().filter_map(|primitive| Some(suggested(primitive, target?))).flatten().collect()
    }

    /// What compilers refuse (checked with libtpu 0.0.51), by words of a flag's name and the chips that take it.
    const TAKEN_BY: [(&str, &[&str]); 6] = [
        ("fuse_all_gather", &["TPU v5 lite"]),
        ("fuse_all_reduce", &["TPU v5 lite"]),
        ("fuse_reduce_scatter", &[]),
        ("xla_enable_async_all_gather", &["TPU v5 lite"]),
        ("xla_enable_async_all_reduce", &["TPU v5 lite"]),
        ("sparse_core_collective_offload", &["TPU v6 lite", "TPU7x"]),
    ];

    #[test]
    fn no_chip_is_told_a_flag_that_its_compiler_refuses() {
        for chip in ["TPU v4", "TPU v5 lite", "TPU v5", "TPU v6 lite", "TPU7x"] {
            let flags = all(Platform::Tpu, Some(chip));
            assert!(!flags.is_empty(), "{chip}");
            for flag in flags {
                assert!(flag.name.starts_with("xla_") && !flag.name.starts_with("xla_gpu_"), "{chip}: {}", flag.name);
                for (word, chips) in TAKEN_BY {
                    assert!(!flag.name.contains(word) || chips.contains(&chip), "{chip}: {}", flag.name);
                }
            }
        }
        // What is there for its chip is suggested.
        let named = |chip: &str, name: &str| all(Platform::Tpu, Some(chip)).iter().any(|flag| flag.name == name);
        assert!(named("TPU v5 lite", "xla_tpu_enable_async_collective_fusion_fuse_all_gather"));
        assert!(named("TPU7x", "xla_tpu_enable_sparse_core_collective_offload_reduce_scatter"));
        assert!(named("TPU v4", "xla_tpu_enable_async_all_to_all"));
    }

    #[test]
    fn other_devices_get_their_own_flags_or_none() {
        for (platform, device_type) in [
            (Platform::Tpu, None),
            (Platform::Tpu, Some("TPU v9")),
            (Platform::Tpu, Some("TPU v3")),
            (Platform::Tpu, Some("NVIDIA H200")),
            (Platform::Cpu, Some("cpu")),
        ] {
            assert_eq!(all(platform, device_type), [], "{device_type:?}");
        }
        for name in [None, Some("NVIDIA H200"), Some("AMD Instinct MI300X")] {
            let flags = all(Platform::Gpu, name);
            assert!(!flags.is_empty() && flags.iter().all(|flag| flag.name.starts_with("xla_gpu_enable_")));
        }
    }

    /// Absent is not off: what is on when nobody sets it is no advice.
    #[test]
    fn nothing_is_suggested_that_is_so_by_default() {
        for flag in ALL.iter().copied().flatten() {
            assert_ne!(flag.default, Some(flag.value), "{}", flag.name);
            assert_eq!(flag.default.is_some(), flag.checked_with() == CHECKED_TPU);
        }
        let defaults = [
            "xla_tpu_enable_async_collective_fusion",
            "xla_tpu_enable_async_collective_fusion_multiple_steps",
            "xla_tpu_overlap_compute_collective_tc",
            "xla_tpu_enable_data_parallel_all_reduce_opt",
            "xla_tpu_data_parallel_opt_different_sized_ops",
        ];
        assert!(ALL.iter().copied().flatten().all(|flag| !defaults.contains(&flag.name)));
    }

    /// A link that an earlier build wrote names flags for every TPU.
    #[test]
    fn names_from_elsewhere_are_held_against_the_chip() {
        let names = ["xla_tpu_enable_async_collective_fusion_fuse_all_gather", "xla_tpu_enable_ici_ag_pipelining", "x"];
        let names = names.map(str::to_owned);
        let flags = |chip: Option<&str>| {
            accepted(&names, Primitive::AllGather, chip).iter().map(Flag::setting).collect::<Vec<_>>()
        };
        assert_eq!(flags(Some("TPU v5")), ["--xla_tpu_enable_ici_ag_pipelining=true"]);
        assert_eq!(flags(Some("TPU v5e")).len(), 2);
        assert_eq!(flags(None).len(), 0);
    }
}
