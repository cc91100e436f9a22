//! This module names the reasons why a step is left out of means.

use serde::{Deserialize, Serialize};
use xla_profile::keyed_enum;

keyed_enum! {
    /// The reason why a step is not steady.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum NotSteady {
        /// The last step, whose end is not in the capture.
        NoPeriod = "no_period": "the last step has no period",
        /// The first step of the capture, which may have begun before it.
        First = "first": "the first step of the capture",
        /// The host compiled or loaded a program during more than 1 % of the step.
        Compile = "compile": "the host compiled or loaded a program",
        /// The step has less than 80 % of the median number of ops, so events were lost.
        LostOps = "lost_ops": "it has less than 80 % of the usual ops",
        /// The file is cut within the step.
        Cut = "cut": "the file ends within the step",
        /// The step is in a span whose events were lost.
        Lost = "lost": "events of the step were lost",
        /// The step is of another kind than the mean.
        OtherKind = "other_kind": "it is of another kind than the mean",
    }
}
