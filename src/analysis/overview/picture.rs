//! This module defines the small drawing of a finding, and the step in which findings are drawn. It is plain data.

use crate::analysis::base::TimeRange;
use crate::analysis::classify::Kind;
use serde::{Deserialize, Serialize};
use xla_profile::units::Picos;

/// Number of equal parts into which a drawing divides a step.
pub const N_COLUMNS: usize = 86;

/// What the small drawing of a finding shows. Findings about steps or devices are drawn from these, without a picture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Picture {
    /// A size in bytes, and the part of it that is in use or that would go.
    Bytes { part: u64, all: u64 },
    /// The self time per step of ops, and the part of it that the roofline needs.
    Needed { needed: Picos, all: Picos },
    /// Ops in the roofline chart, with their self time per step and the part of it that the roofline needs.
    Roofline { points: Vec<RooflinePoint>, needed: Picos, all: Picos },
    /// When it happens: for each of [`N_COLUMNS`] parts of the step, the share of the part, from 0 to 255.
    When(Vec<u8>),
}

/// An op in a roofline chart.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RooflinePoint {
    /// Operational intensity ÷ that of the ridge. Compute limits ops from 1 on.
    pub intensity: f64,
    /// Roofline time ÷ self time.
    pub attained: f64,
    /// Self time ÷ that of the longest op.
    pub share: f64,
}

/// The step in which findings are drawn.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ShownStep {
    /// Number of the step. `None` if it is the whole capture.
    pub number: Option<u64>,
    /// The step on the axis of the session. `None` if it is empty.
    pub range: Option<TimeRange>,
    /// The kind with the most time in each of [`N_COLUMNS`] parts of the step. `None` where the device is mostly idle.
    /// Empty if the step is unknown.
    pub kinds: Vec<Option<Kind>>,
}
