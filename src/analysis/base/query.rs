//! This module defines the query that all views share: device, step, grouping and filter. The module does not depend on
//! data.

use super::filter::Filter;
use serde::{Deserialize, Serialize};
use std::str::FromStr;
use xla_profile::keyed_enum;
use xla_profile::units::Picos;

/// The device planes that a query covers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeviceChoice {
    /// The device at this index of the session's device list.
    One(u32),
    /// The mean of all devices that have the step.
    #[default]
    Mean,
    /// The sum over all devices. Windows and step durations are summed as well.
    All,
}

impl DeviceChoice {
    /// Returns the choice of several devices by its name on the command line and in addresses: `mean` or `all`.
    pub fn of_several(name: &str) -> Option<Self> {
        match name {
            "mean" => Some(Self::Mean),
            "all" => Some(Self::All),
            _ => None,
        }
    }

    /// Returns the index of the device if only one is chosen.
    pub const fn single(self) -> Option<u32> {
        match self {
            Self::One(index) => Some(index),
            Self::Mean | Self::All => None,
        }
    }
}

/// The step that a query covers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepChoice {
    /// The step with the longest period on any device in which ops start; of several, the first one. The whole capture if there are no
    /// steps.
    Busiest,
    /// The mean of the steady steps of each device (see `base::periods`). If no device has a steady step, this is the
    /// same as [`Self::Busiest`].
    #[default]
    Mean,
    /// The mean of the steady steps of a kind, by its index in [`Analysis::kinds`](super::Analysis::kinds). `Mean` is that of
    /// the kind with the most time.
    Kind(u16),
    /// The step with this number: the number of the `Steps` event, or the index of the run if steps are derived from
    /// runs.
    Number(u64),
    /// The whole capture of each device, from its first op's start to its last op's end.
    All,
    /// A range of the time axis of the session.
    Range(TimeRange),
}

/// A range `[start, end)` of the time axis of a session (see [`Axis`](super::Axis)), in ps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TimeRange {
    pub start: Picos,
    /// After `start`.
    pub end: Picos,
}

impl TimeRange {
    /// Returns the range between two times, in either order. `None` if the times are equal.
    pub fn between(a: Picos, b: Picos) -> Option<Self> {
        (a != b).then(|| Self { start: a.min(b), end: a.max(b) })
    }

    /// Returns the range moved by a time in ps, later if it is positive. The part before 0 is cut off. `None` if nothing is left.
    pub fn moved(self, by: i64) -> Option<Self> {
        let (start, end) = (self.start.moved(by), self.end.moved(by));
        (start < end).then_some(Self { start, end })
    }

    /// Returns the length of the range.
    pub const fn length(self) -> Picos {
        Picos(self.end.0.saturating_sub(self.start.0))
    }
}

impl std::fmt::Display for TimeRange {
    /// Writes start and end in ps: `100..200`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}..{}", self.start.0, self.end.0)
    }
}

impl StepChoice {
    /// Returns whether the choice is a mean of steps.
    pub const fn is_mean(self) -> bool {
        matches!(self, Self::Mean | Self::Kind(_))
    }
}

/// The start of the text of a kind of steps, whose number counts from 1.
const KIND: &str = "kind:";

/// The error for a text that is not a step choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoStepChoice;

impl FromStr for StepChoice {
    type Err = NoStepChoice;

    /// Reads what [`Display`](std::fmt::Display) writes.
    ///
    /// # Errors
    /// Returns an error for a text that is neither one of the words nor a number nor a range.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number = |text: &str| text.parse::<u64>().map_err(|_| NoStepChoice);
        match (text, text.split_once("..")) {
            ("mean", _) => Ok(Self::Mean),
            ("busiest", _) => Ok(Self::Busiest),
            ("all", _) => Ok(Self::All),
            (text, _) if text.starts_with(KIND) => {
                let kind = number(&text[KIND.len()..])?.checked_sub(1).and_then(|kind| u16::try_from(kind).ok());
                kind.map(Self::Kind).ok_or(NoStepChoice)
            }
            (_, Some((start, end))) => {
                let range = TimeRange { start: Picos(number(start)?), end: Picos(number(end)?) };
                if range.start < range.end { Ok(Self::Range(range)) } else { Err(NoStepChoice) }
            }
            (text, None) => number(text).map(Self::Number),
        }
    }
}

impl std::fmt::Display for StepChoice {
    /// Writes the choice as on the command line: `mean`, `kind:2`, `busiest`, `all`, the number, or the range in ps.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Mean => f.write_str("mean"),
            Self::Kind(kind) => write!(f, "{KIND}{}", u32::from(*kind) + 1),
            Self::Busiest => f.write_str("busiest"),
            Self::All => f.write_str("all"),
            Self::Number(n) => n.fmt(f),
            Self::Range(range) => range.fmt(f),
        }
    }
}

keyed_enum! {
    /// The grouping of ops into rows.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum GroupBy {
        /// One row per (program, op name).
        #[default]
        Op = "op": "Op",
        /// One row per (program, deduplicated name). Ops that the compiler recognises as copies of one op share that name.
        Dedup = "dedup": "Identical ops",
        /// One row per group of work, such as matmul, attention or copy.
        OpGroup = "op_group": "Op group",
        /// One row per `hlo_category`.
        Category = "category": "Category",
        /// One row per kind of time.
        Kind = "kind": "Kind",
        /// One row per phase: forward, backward, recompute, optimizer.
        Phase = "phase": "Phase",
        /// One row per layer of the model.
        Layer = "layer": "Layer",
        /// One row per module of the model: attention, MLP, loss, optimizer and so on.
        Module = "module": "Module",
        /// One row per scope path, the path in `tf_op`.
        Scope = "scope": "Scope",
        /// One row per source stack. Ops without one are grouped by their `tf_op`, and ops without either by category, as
        /// `<no source>:category`.
        Source = "source": "Source",
        /// One row per program.
        Program = "program": "Program",
    }
}

/// A query of the breakdown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Query {
    pub device: DeviceChoice,
    pub step: StepChoice,
    pub by: GroupBy,
    pub filter: Filter,
}

impl Query {
    /// Returns the query for the busiest step of the first device. The default query is for means.
    pub fn busiest() -> Self {
        Self { device: DeviceChoice::One(0), step: StepChoice::Busiest, ..Self::default() }
    }
}
