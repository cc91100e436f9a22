//! This module names the reasons why a step is left out of means.

use serde::{Deserialize, Serialize};

/// The reason why a step is not steady.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NotSteady {
    /// The last step, whose end is not in the capture.
    NoPeriod,
    /// The first step of the capture, which may have begun before it.
    First,
    /// The host compiled or loaded a program during more than 1 % of the step.
    Compile,
    /// The step has less than 80 % of the median number of ops, so events were lost.
    LostOps,
    /// The file is cut within the step.
    Cut,
    /// The step is in a span whose events were lost.
    Lost,
    /// The step is of another kind than the mean.
    OtherKind,
}

impl NotSteady {
    /// All reasons.
    pub const ALL: [Self; 7] = [
        Self::NoPeriod,
        Self::First,
        Self::Compile,
        Self::LostOps,
        Self::Cut,
        Self::Lost,
        Self::OtherKind,
    ];

    /// Returns the name in JSON.
    pub const fn key(self) -> &'static str {
        match self {
            Self::NoPeriod => "no_period",
            Self::First => "first",
            Self::Compile => "compile",
            Self::LostOps => "lost_ops",
            Self::Cut => "cut",
            Self::Lost => "lost",
            Self::OtherKind => "other_kind",
        }
    }

    /// Returns the display text.
    pub const fn label(self) -> &'static str {
        match self {
            Self::NoPeriod => "the last step has no period",
            Self::First => "the first step of the capture",
            Self::Compile => "the host compiled or loaded a program",
            Self::LostOps => "it has less than 80 % of the usual ops",
            Self::Cut => "the file ends within the step",
            Self::Lost => "events of the step were lost",
            Self::OtherKind => "it is of another kind than the mean",
        }
    }
}
