//! This module holds the ids that join events of different planes: a kernel to the host call that launched it, and an
//! op of a CPU to its run and device. The ids are read for GPU and host planes only. When all files have been read, only
//! the ids of kernels and launches are kept ([`Line::launches`](super::Line::launches)), and the nodes of CUDA graphs
//! ([`Line::graph_nodes`](super::Line::graph_nodes)).

use super::Strings;
use super::value::Value;
use serde::{Deserialize, Serialize};

/// The role of a plane, which decides the stats that are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Role {
    /// `/device:GPU:N`, whose events are kernels.
    Gpu,
    /// `/host:CPU`, whose events are calls, launches of kernels, and ops of CPUs.
    Host,
    /// Any other plane.
    #[default]
    Other,
}

impl Role {
    pub(super) fn from_plane(plane: &str) -> Self {
        match plane {
            _ if plane.starts_with("/device:GPU:") => Self::Gpu,
            "/host:CPU" => Self::Host,
            _ => Self::Other,
        }
    }
}

/// A stat that joins events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CorrelationStat {
    /// `correlation_id`, which a kernel shares with the host call that launched it.
    Correlation,
    /// `run_id`, which all ops of one run of a program share on all devices.
    Run,
    /// `cuda_graph_node_id`: the graph in the high 32 bits, the number of the node in the low 32 bits.
    GraphNode,
}

/// The ids of a line's events, in the order of the events.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct CorrelationIds {
    /// Index of the event in its line, and its correlation id.
    pub(super) launches: Vec<(u32, u32)>,
    /// Runs of ops on the threads of a host.
    pub(super) runs: Vec<OpRun>,
    /// Index of the event in its line, and its node of a CUDA graph.
    pub(super) graph_nodes: Vec<(u32, u64)>,
}

impl CorrelationIds {
    /// Adds the ids of a later part of the line, whose events have the indices that `moved` returns.
    pub(super) fn append(&mut self, part: Self, moved: impl Fn(u32) -> u32) {
        let Self { launches, runs, graph_nodes } = part;
        self.launches.extend(launches.into_iter().map(|(event, id)| (moved(event), id)));
        self.runs.extend(runs.into_iter().map(|run| OpRun { event: moved(run.event), ..run }));
        self.graph_nodes.extend(graph_nodes.into_iter().map(|(event, node)| (moved(event), node)));
    }
}

/// The run and device of an op on a host thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct OpRun {
    /// Index of the event in its line.
    pub(super) event: u32,
    /// `device_ordinal`; 0 if the stat is absent, because then there is one device only.
    pub(super) device: u32,
    /// `run_id`.
    pub(super) run: Option<u64>,
}

/// The ids of the current event.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pending {
    correlation: Option<u32>,
    run: Option<u64>,
    graph_node: Option<u64>,
}

impl Pending {
    /// Returns the `run_id` of the current event.
    pub(super) const fn run(&self) -> Option<u64> {
        self.run
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "ids are whole numbers, and it saturates"
    )]
    pub(super) fn set(&mut self, which: CorrelationStat, value: Value, strings: &Strings) {
        match (which, value) {
            (CorrelationStat::Run, Value::Uint(run)) => self.run = Some(run),
            (CorrelationStat::Run, Value::Int(run)) => self.run = Some(run.cast_unsigned()),
            (CorrelationStat::Run, value) => self.run = value.number(strings).map(|run| run as u64),
            (CorrelationStat::GraphNode, Value::Uint(node)) => self.graph_node = Some(node),
            (CorrelationStat::GraphNode, Value::Int(node)) => self.graph_node = Some(node.cast_unsigned()),
            (CorrelationStat::GraphNode, _) => {}
            // CUPTI and rocprofiler count launches in 32 bits, and 0 means that there is no id.
            (CorrelationStat::Correlation, value) => {
                self.correlation =
                    value.number(strings).filter(|id| (1.0..f64::from(u32::MAX)).contains(id)).map(|id| id as u32);
            }
        }
    }

    /// Stores the ids of the current event, which has index `event` in its line, and clears them for the next event.
    /// With `has_op`, the event has an op. `device` is its device ordinal.
    #[inline]
    pub(super) fn take(
        &mut self,
        correlation_ids: &mut CorrelationIds,
        role: Role,
        event: usize,
        has_op: bool,
        device: Option<u64>,
    ) {
        let Self { correlation, run, graph_node } = std::mem::take(self);
        let Ok(event) = u32::try_from(event) else { return };
        correlation_ids.graph_nodes.extend(graph_node.map(|node| (event, node)));
        if let Some(correlation) = correlation {
            correlation_ids.launches.push((event, correlation));
        } else if role == Role::Host && has_op {
            let device = device.and_then(|device| u32::try_from(device).ok()).unwrap_or(0);
            correlation_ids.runs.push(OpRun { event, device, run });
        }
    }
}
