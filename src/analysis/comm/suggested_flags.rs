//! This module suggests XLA flags for collectives for which compute waits. It suggests only flags that the compiler of
//! the chip accepts.
//!
//! A capture does not record which flags were set, and a flag that was not set may still be on. Each flag therefore
//! comes with the default of the compiler, and flags that are on by default are never suggested. Chips that were not
//! checked get no flags. This module depends on chips and primitives, and not on times.

use crate::analysis::base::Platform;
use crate::analysis::classify::primitive::Primitive;
use crate::chip::Chip;

/// The version of libtpu with which the TPU flags and their defaults were checked.
pub const CHECKED_TPU: &str = "libtpu 0.0.51";
/// The version of jaxlib with which the GPU flags and their defaults were checked.
pub const CHECKED_GPU: &str = "jaxlib 0.10.2";

/// A flag with the value to try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flag {
    /// The name, without `--`.
    pub name: &'static str,
    pub value: &'static str,
    /// The default of the compiler; `auto` means that the compiler decides.
    pub default: &'static str,
}

impl Flag {
    /// Returns the flag for the command line: `--name=value`.
    pub fn setting(&self) -> String {
        format!("--{}={}", self.name, self.value)
    }

    /// Returns the version of the compiler with which the flag was checked.
    pub fn checked_with(&self) -> &'static str {
        if self.name.starts_with("xla_gpu_") { CHECKED_GPU } else { CHECKED_TPU }
    }

    const fn new(name: &'static str, value: &'static str, default: &'static str) -> Self {
        Self { name, value, default }
    }

    const fn gpu(name: &'static str) -> Self {
        Self { name, value: "true", default: OFF }
    }
}

/// The group of chips whose compiler accepts the same flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// TPU v4 and v5p, which have neither the fusion of asynchronous collectives nor the offload to the SparseCore.
    TpuPlain,
    /// TPU v5e, the only chip that fuses asynchronous all-gathers and all-reduces. The compilers of the other chips
    /// refuse the fusion ("incorrect results, hang, SDC").
    TpuFusing,
    /// TPU v6e and v7x, which can offload collectives to the SparseCore.
    TpuOffloading,
    Gpu,
}

impl Target {
    /// Returns the target of a device. `None` for chips whose flags were not checked.
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

/// All flags that are ever suggested.
pub const ALL: [&[Flag]; 10] = [
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
];

/// Returns the flags to try if compute waits for `primitive` on `target`. Flags that belong together are neighbours.
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
        // Pipelined reduce-scatters are on by default.
        (Target::Gpu, ReduceScatter | AllToAll | RaggedAllToAll | Permute) => &[GPU_SCHEDULER],
        _ => &[],
    };
    sets.concat()
}

/// Returns the flag of this name. `None` if it is never suggested.
pub fn named(name: &str) -> Option<Flag> {
    ALL.iter().copied().flatten().find(|flag| flag.name == name).copied()
}

/// Looks up flags by their names and keeps those that the device's chip accepts for `primitive`. `device_type` selects
/// the TPU chip; GPU flags need no chip. A report of an earlier build may hold other names.
pub fn accepted(names: &[String], primitive: Primitive, device_type: Option<&str>) -> Vec<Flag> {
    let on_chip = Target::for_device(Platform::Tpu, device_type);
    let takes = |flag: &Flag| {
        let target = if flag.name.starts_with("xla_gpu_") { Some(Target::Gpu) } else { on_chip };
        target.is_some_and(|target| suggested(primitive, target).contains(flag))
    };
    names.iter().filter_map(|name| named(name)).filter(takes).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    fn all(platform: Platform, device_type: Option<&str>) -> Vec<Flag> {
        let target = Target::for_device(platform, device_type);
        Primitive::ALL.into_iter().filter_map(|primitive| Some(suggested(primitive, target?))).flatten().collect()
    }

    /// Words of flag names and the chips whose compilers accept such flags, checked with libtpu 0.0.51. The other
    /// compilers refuse them.
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
        // The flags of a chip's own features are suggested for that chip.
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

    /// An absent flag is not off: a flag that is on by default is no advice.
    #[test]
    fn nothing_is_suggested_that_is_so_by_default() {
        for flag in ALL.iter().copied().flatten() {
            assert_ne!(flag.default, flag.value, "{}", flag.name);
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

    /// A link of an earlier build holds the same flags for every TPU.
    #[test]
    fn flag_names_are_filtered_by_chip() {
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
