//! What a figure is asked of: which device, which step, which grouping, which ops. Shared by every view; knows no data.

use super::filter::Filter;
use serde::{Deserialize, Serialize};

/// Which device planes take part. The default is the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeviceChoice {
    /// The device at this place of the session's device list.
    One(u32),
    /// The sum over all devices; windows and step durations are sums as well.
    All,
}

impl Default for DeviceChoice {
    fn default() -> Self {
        Self::One(0)
    }
}

/// Which step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepChoice {
    /// The longest step of any device, in which ops start; ties go to the first. `All` where there are no steps.
    #[default]
    Busiest,
    /// The step of this number (the `Steps` event's own number, or the run's index where steps are derived).
    Number(u64),
    /// The whole capture of each device: from its first op's start to its last op's end.
    All,
}

impl std::fmt::Display for StepChoice {
    /// As on the command line: `busiest`, `all`, or the number.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Busiest => f.write_str("busiest"),
            Self::All => f.write_str("all"),
            Self::Number(n) => n.fmt(f),
        }
    }
}

/// What rows stand for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GroupBy {
    /// One row per (program, op name).
    #[default]
    Op,
    /// One row per (program, deduplicated name): ops that the compiler knows to be copies of one.
    Dedup,
    /// What people call the work: matmul, attention, copy.
    OpGroup,
    /// The `hlo_category` the compiler gave.
    Category,
    /// Kinds of time.
    Kind,
    /// Forward, backward, recompute, optimizer.
    Phase,
    /// The model's layer.
    Layer,
    /// The whole `tf_op` path.
    Scope,
    /// The source stack, else the `tf_op` path, else `<no source>:category`.
    Source,
    /// One row per program.
    Program,
}

impl GroupBy {
    /// All groupings, in the order of the menu.
    pub const ALL: [Self; 10] = [
        Self::Op,
        Self::Dedup,
        Self::OpGroup,
        Self::Category,
        Self::Kind,
        Self::Phase,
        Self::Layer,
        Self::Scope,
        Self::Source,
        Self::Program,
    ];

    /// The name in JSON, on the command line and in links.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Op => "op",
            Self::Dedup => "dedup",
            Self::OpGroup => "op_group",
            Self::Category => "category",
            Self::Kind => "kind",
            Self::Phase => "phase",
            Self::Layer => "layer",
            Self::Scope => "scope",
            Self::Source => "source",
            Self::Program => "program",
        }
    }

    /// The name people read.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Op => "Op",
            Self::Dedup => "Identical ops",
            Self::OpGroup => "Op group",
            Self::Category => "Category",
            Self::Kind => "Kind",
            Self::Phase => "Phase",
            Self::Layer => "Layer",
            Self::Scope => "Scope",
            Self::Source => "Source",
            Self::Program => "Program",
        }
    }
}

/// One question to the breakdown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Query {
    /// Which device.
    pub device: DeviceChoice,
    /// Which step.
    pub step: StepChoice,
    /// Which rows.
    pub by: GroupBy,
    /// Which ops; the default is all.
    pub filter: Filter,
}
