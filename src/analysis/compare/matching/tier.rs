//! This module defines matches of ops, and the tiers that rank them by their evidence.

use serde::{Deserialize, Serialize};
use xla_profile::keyed_enum;

keyed_enum! {
    /// The evidence for a match of ops, the strongest first.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Tier {
        /// The user paired the ops.
        ByHand = "by_hand": "your pairing",
        /// Both programs are the same apart from names, ids, sources and the order of independent instructions, and the
        /// ops have the same place in the graph of their program.
        Exact = "exact": "same program",
        /// Scope path, and signature with shapes.
        ScopeAndShape = "scope_and_shape": "scope and shapes",
        /// Scope path, and signature without shapes: a shape or a dtype changed.
        Scope = "scope": "scope",
        /// Innermost source file and function, and signature with shapes; for custom calls and GPU kernels the name of the
        /// kernel.
        Source = "source": "source file",
        /// Deduplicated name without numbers, and signature with shapes.
        Name = "name": "name",
        /// Signature with shapes, and the signatures of producers and users.
        Neighbours = "neighbours": "neighbours",
        /// Scope path alone. The match is a group of all ops with the path that are left.
        ScopeGroup = "scope_group": "group of a scope",
        /// Scope path without loops and without the numbers of layers: a scan over layers and unrolled layers, or other numbers of
        /// layers. The match is a group of all ops with the path that are left.
        LayerGroup = "layer_group": "layers of a scope",
        /// The kind alone: the ops that a report leaves out, and those of the other side that may be among them.
        LeftOut = "left_out": "kind of what a report leaves out",
    }
}

impl Tier {
    /// Returns how far a match of this tier can be relied on, a fraction from 0 to 1.
    pub const fn weight(self) -> f64 {
        match self {
            Self::ByHand | Self::Exact => 1.0,
            Self::ScopeAndShape => 0.95,
            Self::Scope => 0.8,
            Self::Source => 0.75,
            Self::Name => 0.7,
            Self::Neighbours => 0.6,
            Self::ScopeGroup => 0.5,
            Self::LayerGroup => 0.4,
            Self::LeftOut => 0.2,
        }
    }
}

/// Ops of both sides that belong together, or an op of one side only.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpMatch {
    /// Indices in [`Side::ops`](super::Side::ops) of the first side, in order: one, or several in [`Tier::ByHand`],
    /// [`Tier::ScopeGroup`], [`Tier::LayerGroup`] and [`Tier::LeftOut`], or none.
    pub a: Vec<usize>,
    /// Indices in the ops of the second side, as `a`.
    pub b: Vec<usize>,
    /// The evidence. `None` if the op is in one side only.
    pub tier: Option<Tier>,
    /// Whether other ops with the same key could be meant: their numbers differ between the sides, or several were
    /// paired by rank and the times per execution of this pair differ by more than a factor of two.
    pub is_ambiguous: bool,
}
