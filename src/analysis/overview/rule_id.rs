//! This module names the rules of the overview and their findings. It does not depend on the rules.

use crate::analysis::comm::{Network, Primitive};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;
use xla_profile::keyed_enum;

keyed_enum! {
    /// A rule of the overview. Reports hold the index of a rule in this list, so a new rule is the last one.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum RuleId {
        InputBound = "input_bound",
        HostDispatch = "host_dispatch",
        Recompile = "recompile",
        HostSync = "host_sync",
        Defragmentation = "defragmentation",
        ManyLaunches = "many_launches",
        LatePeers = "late_peers",
        LoopGaps = "loop_gaps",
        UnexplainedIdle = "unexplained_idle",
        ExpertImbalance = "expert_imbalance",
        Straggler = "straggler",
        Throttled = "throttled",
        SmallCollectives = "small_collectives",
        SlowLink = "slow_link",
        ExposedCollective = "exposed_collective",
        CopyBeforeDot = "copy_before_dot",
        LayoutCopies = "layout_copies",
        DmaWait = "dma_wait",
        Recompute = "recompute",
        TinyOps = "tiny_ops",
        PaddedCompute = "padded_compute",
        MemoryRoof = "memory_roof",
        ComputeRoof = "compute_roof",
        OpaqueKernels = "opaque_kernels",
        F32Matmul = "f32_matmul",
        HbmTight = "hbm_tight",
        Fragmented = "fragmented",
        PaddingBytes = "padding_bytes",
        VocabularyLogits = "vocabulary_logits",
        SpareHbm = "spare_hbm",
        SlowSteps = "slow_steps",
        VaryingOp = "varying_op",
        Truncated = "truncated",
        Dropped = "dropped",
        DeviceMissing = "device_missing",
        WarmUp = "warm_up",
        XlaFlags = "xla_flags",
        HostCallback = "host_callback",
        ExpandedLoop = "expanded_loop",
        OpByOp = "op_by_op",
        TracingCost = "tracing_cost",
        NoRequests = "no_requests",
        UnusedDevices = "unused_devices",
        IdleOutside = "idle_outside",
        ResultCopies = "result_copies",
        AsyncCalls = "async_calls",
        Gathers = "gathers",
    }
}

/// What a rule found. Most rules have one finding, and some have one for each sort of op.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FindingId {
    /// The finding of a rule that has one.
    Rule(RuleId),
    /// Waits for the collectives of a primitive.
    Exposed { primitive: Primitive, is_over_dcn: bool },
    /// Waits for other stages of a pipeline.
    PipelineBubble,
    /// Ops so far below their roofline that something else than memory limits them.
    FarBelowRoofline,
    /// A loop that the compiler made of an operation, such as `scatter` or `reduce_window`.
    Expanded(String),
}

/// The starts of the names of findings about collectives and about loops, and the part that names the network.
const EXPOSED: &str = "exposed_";
const EXPANDED: &str = "expanded_";
const DCN: &str = "dcn_";

const PIPELINE_BUBBLE: &str = "pipeline_bubble";
const FAR_BELOW_ROOFLINE: &str = "memory_roof_far";

impl FindingId {
    /// Returns the rule that has the finding.
    pub const fn rule(&self) -> RuleId {
        match self {
            Self::Rule(rule) => *rule,
            Self::Exposed { .. } | Self::PipelineBubble => RuleId::ExposedCollective,
            Self::FarBelowRoofline => RuleId::MemoryRoof,
            Self::Expanded(_) => RuleId::ExpandedLoop,
        }
    }

    /// Returns the name in JSON and in reports, such as `exposed_dcn_all_reduce`. It never changes.
    pub fn key(&self) -> Cow<'static, str> {
        match self {
            Self::Rule(rule) => rule.key().into(),
            Self::Exposed { primitive, is_over_dcn } => {
                let network = if *is_over_dcn { DCN } else { "" };
                format!("{EXPOSED}{network}{}", primitive.key().replace('-', "_")).into()
            }
            Self::PipelineBubble => PIPELINE_BUBBLE.into(),
            Self::FarBelowRoofline => FAR_BELOW_ROOFLINE.into(),
            Self::Expanded(operation) => format!("{EXPANDED}{operation}").into(),
        }
    }

    /// Returns the finding with a name. `None` if this version knows none.
    pub fn from_key(key: &str) -> Option<Self> {
        if let Some(rule) = RuleId::from_key(key) {
            return Some(Self::Rule(rule));
        }
        if let Some(operation) = key.strip_prefix(EXPANDED) {
            return Some(Self::Expanded(operation.to_owned()));
        }
        if let Some(collective) = key.strip_prefix(EXPOSED) {
            let (primitive, is_over_dcn) =
                collective.strip_prefix(DCN).map_or((collective, false), |name| (name, true));
            return Some(Self::Exposed { primitive: Primitive::from_key(&primitive.replace('_', "-"))?, is_over_dcn });
        }
        match key {
            PIPELINE_BUBBLE => Some(Self::PipelineBubble),
            FAR_BELOW_ROOFLINE => Some(Self::FarBelowRoofline),
            _ => None,
        }
    }

    /// Returns the collectives that the finding is about: `all-reduce over DCN`. `None` for other findings.
    pub fn collectives(&self) -> Option<String> {
        let Self::Exposed { primitive, is_over_dcn } = self else { return None };
        Some(primitive.label(is_over_dcn.then_some(Network::Dcn)))
    }
}

impl fmt::Display for FindingId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.key())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_to_findings() {
        let rules = RuleId::ALL.map(FindingId::Rule).into_iter();
        let exposed = |primitive| [false, true].map(|is_over_dcn| FindingId::Exposed { primitive, is_over_dcn });
        let others =
            [FindingId::PipelineBubble, FindingId::FarBelowRoofline, FindingId::Expanded("reduce_window".to_owned())];
        for id in rules.chain(Primitive::ALL.into_iter().flat_map(exposed)).chain(others) {
            assert_eq!(FindingId::from_key(&id.key()), Some(id));
        }
        assert_eq!(FindingId::from_key("a_rule_of_a_later_version"), None);
    }
}
