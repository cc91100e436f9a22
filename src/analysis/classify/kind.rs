//! This module defines the kinds of time, their names and their order. The module `kind_of_op` assigns a kind to each op.

use serde::{Deserialize, Serialize};
use xla_profile::keyed_enum;

keyed_enum! {
    /// The class of an op by the resource that it uses. Bars, legends and exports have this order.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Kind {
        /// Arithmetic: matmuls, fusions, reductions, custom kernels.
        Compute = "compute": "Compute",
        /// Compute and communication fused into one op. The op counts as communication, but never as pure stall.
        Fused = "fused": "Fused communication",
        /// Collectives, and the waits for them.
        #[serde(rename = "comm")]
        Communication = "comm": "Communication",
        /// Copies, layout changes and slices, which move bytes and compute nothing.
        #[serde(rename = "data_move")]
        DataMovement = "data_move": "Data movement",
        /// Infeed, outfeed, transfers to and from the host, and callbacks.
        Host = "host": "Host ops",
        /// The self time of loops, calls and conditionals, without the ops inside them.
        Container = "container": "Loop overhead",
        /// Ops that no rule covers, listed by category so that gaps in the rules are visible.
        Other = "other": "Other",
    }
}

impl Kind {
    /// Returns the index of the kind in an array with one element per kind.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns the kind of an op whose cost estimate has this number of FLOPs. A [`Kind::Fused`] op with zero FLOPs,
    /// such as the start of a collective, becomes [`Kind::Communication`], because it does not overlap the transfer
    /// with compute.
    #[must_use]
    pub fn with_flops(self, flops: Option<f64>) -> Self {
        if self == Self::Fused && flops == Some(0.0) { Self::Communication } else { self }
    }

    /// Returns the name in the JSON of rows, where an op that computes and communicates at once counts as
    /// communication.
    pub const fn json_key(self) -> &'static str {
        match self {
            Self::Fused => Self::Communication.key(),
            _ => self.key(),
        }
    }

    /// Returns the name in JSON of a kind of time, in which idle time has no kind.
    pub fn key_or_idle(kind: Option<Self>) -> &'static str {
        kind.map_or("idle", Self::key)
    }

    /// Returns the last part of the kind's class names in the style sheet.
    pub const fn class(self) -> &'static str {
        if matches!(self, Self::DataMovement) { "move" } else { self.key() }
    }

    /// Returns the short display name, for table cells and other narrow places.
    pub const fn short(self) -> &'static str {
        match self {
            Self::Compute => "Compute",
            Self::Fused => "Fused",
            Self::Communication => "Comm.",
            Self::DataMovement => "Data mov.",
            Self::Host => "Host",
            Self::Container => "Loop",
            Self::Other => "Other",
        }
    }
}
