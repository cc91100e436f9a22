//! This module names the primitives, cores, roles and executions of communication. It depends on names, and not on
//! times.

use super::network::Network;
use crate::analysis::classify::kind_of_op::is_collective_kernel;
use serde::{Deserialize, Serialize};
use xla_profile::keyed_enum;

keyed_enum! {
    /// The operation of a collective, or the sort of a copy.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Primitive {
        /// Each device receives the reduction of the data of all devices.
        AllReduce = "all-reduce",
        /// Each device receives the data of all devices.
        AllGather = "all-gather",
        /// Each device receives its part of the reduction of the data of all devices.
        ReduceScatter = "reduce-scatter",
        /// Each device receives one part from every device.
        AllToAll = "all-to-all",
        /// An all-to-all with parts of different sizes.
        RaggedAllToAll = "ragged-all-to-all",
        /// Each device receives the data of one other device.
        Permute = "collective-permute",
        /// Each device receives the data of the same one device.
        Broadcast = "collective-broadcast",
        /// Data goes to one other device.
        Send = "send",
        /// Data comes from one other device.
        Recv = "recv",
        /// A collective whose operation the capture does not name.
        #[default]
        Unknown = "unknown",
        /// A copy between memories of the device and the host. It is no collective.
        Copy = "copy",
        /// A slice between memories. It is no collective.
        Slice = "slice",
    }
}

impl Primitive {
    /// Returns the name, with the network if it is one between hosts: `all-reduce over DCN`.
    pub fn label(self, network: Option<Network>) -> String {
        let way = match network {
            Some(Network::Dcn) => " over DCN",
            Some(Network::Hosts) => " between hosts",
            _ => "",
        };
        format!("{}{way}", self.key())
    }

    /// Whether the primitive only moves data between the memories of a device and its host.
    pub const fn is_copy(self) -> bool {
        matches!(self, Self::Copy | Self::Slice)
    }

    /// Parses the word at the start of an opcode or a name, without the suffix of a start or done: `all-gather`,
    /// `all-reduce-scatter`, `copy`.
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

    /// Classifies a GPU kernel by its name: `ncclDevKernel_AllReduce_Sum_bf16_RING_LL`, `rcclGenericKernel`. `None` if
    /// it is no kernel of NCCL or RCCL.
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
        words.into_iter().find_map(|(word, primitive)| name.contains(word).then_some(primitive)).or(Some(Self::Unknown))
    }

    /// Returns the bytes on hardware links per byte of message for the ring algorithm over `n` devices (nccl-tests,
    /// PERFORMANCE.md, "bus bandwidth"). `None` if the factor depends on an unknown `n` or an unknown operation, and
    /// for copies.
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

    /// Returns the usual role of the primitive in training. `None` if the primitive has no usual role.
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

keyed_enum! {
    /// The likely role of a collective in training: a guess from its primitive alone.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Role {
        /// Sharded weights are gathered before use.
        Weights = "fsdp_weights": "likely FSDP weights",
        /// Gradients are summed and sharded.
        Gradients = "fsdp_gradients": "likely FSDP gradients",
        /// Gradients of data parallelism, or partial sums of tensor parallelism.
        DataOrTensor = "data_or_tensor_parallel": "likely data or tensor parallel",
        /// Tokens go to their experts and come back.
        Experts = "expert_parallel": "likely expert parallel",
        /// Activations go to the next pipeline stage, or around a ring.
        PipelineOrRing = "pipeline_or_ring": "likely pipeline or ring",
    }
}

keyed_enum! {
    /// The core that runs an op. The two sorts of cores run at the same time, so their times are never summed.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Core {
        /// The device's own core.
        #[default]
        Tensor = "tensor",
        /// A SparseCore of the same chip.
        Sparse = "sparse",
    }
}

keyed_enum! {
    /// The relation between a transfer and the core that runs it.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Execution {
        /// A single op: the core waits for all of the transfer.
        Sync = "sync": "synchronous: the core waits for all of it",
        /// A start and a done: the core waits only in the done.
        Async = "async": "asynchronous",
        /// The start, or the single op, computes as well.
        Fused = "fused": "fused with compute",
        /// The transfers of a row differ.
        Mixed = "mixed": "some synchronous, some not",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_by_name() {
        for (name, expected) in [
            ("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", Some(Primitive::AllReduce)),
            ("ncclKernel_ReduceScatter_RING_LL_Sum_float", Some(Primitive::ReduceScatter)),
            ("ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", Some(Primitive::Permute)),
            ("ncclDevKernel_AllGather_RING_LL", Some(Primitive::AllGather)),
            ("rcclGenericKernel", Some(Primitive::Unknown)),
            ("loop_add_fusion", None),
            ("gemm_nccl_like", None),
        ] {
            assert_eq!(Primitive::of_kernel(name), expected, "{name}");
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
