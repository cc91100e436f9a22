//! The kinds of time. This module knows their names and order; how an op gets its kind is in `classify`.

use serde::{Deserialize, Serialize};

/// What a stretch of device time was spent on, in the fixed order of bars, legends and exports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Arithmetic: matmuls, fusions, reductions, custom kernels.
    Compute,
    /// Compute and communication fused into one op: counted with communication, never as pure stall.
    Fused,
    /// Collectives, and the waits for them.
    #[serde(rename = "comm")]
    Communication,
    /// Copies, layout changes, slices: bytes move, nothing is computed.
    #[serde(rename = "data_move")]
    DataMovement,
    /// Infeed, outfeed, transfers to and from the host.
    Host,
    /// A loop's, call's or conditional's own time, outside of what it runs.
    Container,
    /// What no rule covers; listed by category so that gaps show.
    Other,
}

impl Kind {
    /// All kinds, in order.
    pub const ALL: [Self; 7] =
        [Self::Compute, Self::Fused, Self::Communication, Self::DataMovement, Self::Host, Self::Container, Self::Other];

    /// Index into an array that has one place per kind.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The kind of an op of so many FLOPs. The start of a collective whose cost estimate says that it computes nothing is
    /// communication alone: it covers nothing that is in flight.
    #[must_use]
    pub fn with_flops(self, flops: Option<f64>) -> Self {
        if self == Self::Fused && flops == Some(0.0) { Self::Communication } else { self }
    }

    /// The name in the JSON of rows, where an op that computes and communicates at once counts as communication.
    pub const fn json_key(self) -> &'static str {
        match self {
            Self::Fused => Self::Communication.key(),
            _ => self.key(),
        }
    }

    /// The name in JSON and on the command line. [`Kind::Fused`] is a part of communication: groups of it have the key `fused` and
    /// the kind `comm`.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Compute => "compute",
            Self::Fused => "fused",
            Self::Communication => "comm",
            Self::DataMovement => "data_move",
            Self::Host => "host",
            Self::Container => "container",
            Self::Other => "other",
        }
    }

    /// The name people read, in full.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Compute => "Compute",
            Self::Fused => "Fused comp. + comm.",
            Self::Communication => "Communication",
            Self::DataMovement => "Data movement",
            Self::Host => "Host",
            Self::Container => "Loop overhead",
            Self::Other => "Other",
        }
    }

    /// The last part of its classes in the style sheet.
    pub const fn class(self) -> &'static str {
        if matches!(self, Self::DataMovement) { "move" } else { self.key() }
    }

    /// The name in a table cell.
    pub const fn short(self) -> &'static str {
        match self {
            Self::Compute => "compute",
            Self::Fused => "fused c+c",
            Self::Communication => "comm.",
            Self::DataMovement => "data mov.",
            Self::Host => "host",
            Self::Container => "container",
            Self::Other => "other",
        }
    }
}
