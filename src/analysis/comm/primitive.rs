//! The words of communication: primitives, cores, likely roles. This module knows names; no times.

use crate::analysis::classify::op_class::is_collective_kernel;
use serde::{Deserialize, Serialize};

/// What is done together, or moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Primitive {
    /// Each device has the sum of all.
    AllReduce,
    /// Each device has what all have.
    AllGather,
    /// Each device has its part of the sum of all.
    ReduceScatter,
    /// Each device has a part of what each has.
    AllToAll,
    /// The same, parts of different sizes.
    RaggedAllToAll,
    /// Each device has what another had.
    Permute,
    /// Each device has what one has.
    Broadcast,
    /// To one other.
    Send,
    /// From one other.
    Recv,
    /// A collective of which the capture does not say what it does.
    #[default]
    Unknown,
    /// A copy between memories of the device and the host: no collective.
    Copy,
    /// A slice between memories: no collective.
    Slice,
}

impl Primitive {
    /// All of them, in order.
    pub const ALL: [Self; 12] = [
        Self::AllReduce,
        Self::AllGather,
        Self::ReduceScatter,
        Self::AllToAll,
        Self::RaggedAllToAll,
        Self::Permute,
        Self::Broadcast,
        Self::Send,
        Self::Recv,
        Self::Unknown,
        Self::Copy,
        Self::Slice,
    ];

    /// The name in JSON: as HLO spells it.
    pub const fn key(self) -> &'static str {
        match self {
            Self::AllReduce => "all-reduce",
            Self::AllGather => "all-gather",
            Self::ReduceScatter => "reduce-scatter",
            Self::AllToAll => "all-to-all",
            Self::RaggedAllToAll => "ragged-all-to-all",
            Self::Permute => "collective-permute",
            Self::Broadcast => "collective-broadcast",
            Self::Send => "send",
            Self::Recv => "recv",
            Self::Unknown => "unknown",
            Self::Copy => "copy",
            Self::Slice => "slice",
        }
    }

    /// It only moves data between the memories of a device and its host.
    pub const fn is_copy(self) -> bool {
        matches!(self, Self::Copy | Self::Slice)
    }

    /// Of a word as opcodes and names begin with: `all-gather`, `all-reduce-scatter`, `copy`; halves without their suffix.
    pub fn of_word(word: &str) -> Option<Self> {
        Some(match word {
            "all-reduce" => Self::AllReduce,
            "all-gather" => Self::AllGather,
            "reduce-scatter" | "all-reduce-scatter" | "all-gather-reduce-scatter" => Self::ReduceScatter,
            "all-to-all" => Self::AllToAll,
            "ragged-all-to-all" => Self::RaggedAllToAll,
            "collective-permute" => Self::Permute,
            "collective-broadcast" => Self::Broadcast,
            "send" => Self::Send,
            "recv" => Self::Recv,
            "copy" => Self::Copy,
            "slice" | "dynamic-slice" | "dynamic-update-slice" => Self::Slice,
            _ => return None,
        })
    }

    /// Of a GPU's kernel by its name: `ncclDevKernel_AllReduce_Sum_bf16_RING_LL`, `rcclGenericKernel`.
    pub fn of_kernel(name: &str) -> Option<Self> {
        if !is_collective_kernel(name) {
            return None;
        }
        let name = name.to_ascii_lowercase();
        let words = [
            ("allreduce", Self::AllReduce),
            ("allgather", Self::AllGather),
            ("reducescatter", Self::ReduceScatter),
            ("alltoall", Self::AllToAll),
            ("broadcast", Self::Broadcast),
            ("sendrecv", Self::Permute),
            ("send", Self::Send),
            ("recv", Self::Recv),
        ];
        words.into_iter().find_map(|(word, of)| name.contains(word).then_some(of)).or(Some(Self::Unknown))
    }

    /// The bytes that links carry per byte of the message, by the ring algorithm over `n` devices (nccl-tests,
    /// PERFORMANCE.md, "bus bandwidth"). `None` where that depends on what is not known.
    pub fn bus_factor(self, n: Option<u64>) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "a ratio")]
        let others = || n.filter(|n| *n > 0).map(|n| (n - 1) as f64 / n as f64);
        match self {
            Self::AllReduce => others().map(|f| 2.0 * f),
            Self::AllGather | Self::ReduceScatter | Self::AllToAll | Self::RaggedAllToAll => others(),
            Self::Permute | Self::Broadcast | Self::Send | Self::Recv => Some(1.0),
            Self::Unknown | Self::Copy | Self::Slice => None,
        }
    }

    /// What it mostly is for, where that is known.
    pub const fn role(self) -> Option<Role> {
        match self {
            Self::AllGather => Some(Role::Weights),
            Self::ReduceScatter => Some(Role::Gradients),
            Self::AllReduce => Some(Role::DataOrTensor),
            Self::AllToAll | Self::RaggedAllToAll => Some(Role::Experts),
            Self::Permute | Self::Send | Self::Recv => Some(Role::PipelineOrRing),
            Self::Broadcast | Self::Unknown | Self::Copy | Self::Slice => None,
        }
    }
}

/// What a collective is likely for. A guess from its primitive alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Sharded weights are put together before they are used.
    Weights,
    /// Gradients are summed and sharded.
    Gradients,
    /// Gradients of data parallelism, or partial sums of tensor parallelism.
    DataOrTensor,
    /// Tokens go to their experts and come back.
    Experts,
    /// Activations to the next stage, or round a ring.
    PipelineOrRing,
}

impl Role {
    /// The name in JSON.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Weights => "fsdp_weights",
            Self::Gradients => "fsdp_gradients",
            Self::DataOrTensor => "data_or_tensor_parallel",
            Self::Experts => "expert_parallel",
            Self::PipelineOrRing => "pipeline_or_ring",
        }
    }

    /// In words: a guess, and said to be one.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Weights => "likely FSDP weights",
            Self::Gradients => "likely FSDP gradients",
            Self::DataOrTensor => "likely data or tensor parallel",
            Self::Experts => "likely expert parallel",
            Self::PipelineOrRing => "likely pipeline or ring",
        }
    }
}

/// Which core runs it. Times of the two go on beside each other and are in no sum together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Core {
    /// The device's own.
    #[default]
    Tensor,
    /// A SparseCore beside it.
    Sparse,
}

impl Core {
    /// The name in JSON.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Tensor => "tensor",
            Self::Sparse => "sparse",
        }
    }
}

/// Whether the core waits while it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Execution {
    /// All the time: it is one op.
    Sync,
    /// Only at its end: it is a start and a done.
    Async,
    /// Its start computes as well.
    Fused,
    /// A row has both.
    Mixed,
}

impl Execution {
    /// The name in JSON.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Sync => "sync",
            Self::Async => "async",
            Self::Fused => "fused",
            Self::Mixed => "mixed",
        }
    }

    /// Whether the core waits, in words.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Sync => "synchronous: the core waits for all of it",
            Self::Async => "asynchronous",
            Self::Fused => "fused with compute",
            Self::Mixed => "some synchronous, some not",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_by_name() {
        for (name, of) in [
            ("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", Some(Primitive::AllReduce)),
            ("ncclKernel_ReduceScatter_RING_LL_Sum_float", Some(Primitive::ReduceScatter)),
            ("ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", Some(Primitive::Permute)),
            ("ncclDevKernel_AllGather_RING_LL", Some(Primitive::AllGather)),
            ("rcclGenericKernel", Some(Primitive::Unknown)),
            ("loop_add_fusion", None),
            ("gemm_nccl_like", None),
        ] {
            assert_eq!(Primitive::of_kernel(name), of, "{name}");
        }
    }

    #[test]
    fn links_carry_what_a_ring_carries() {
        assert_eq!(Primitive::AllReduce.bus_factor(Some(4)), Some(1.5));
        assert_eq!(Primitive::AllGather.bus_factor(Some(4)), Some(0.75));
        assert_eq!(Primitive::ReduceScatter.bus_factor(Some(1)), Some(0.0));
        assert_eq!(Primitive::Permute.bus_factor(None), Some(1.0));
        assert_eq!((Primitive::AllToAll.bus_factor(None), Primitive::AllToAll.bus_factor(Some(0))), (None, None));
    }
}
