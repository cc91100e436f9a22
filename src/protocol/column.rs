//! The columns rows are sorted by, and their order. Plain data; `order` does the sorting.

use serde::{Deserialize, Serialize};

/// A column's order. Ties are broken by key, absent values come last in both directions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Sort {
    /// By which column.
    pub column: Column,
    /// Largest first (for text: z first).
    pub descending: bool,
}

impl Default for Sort {
    fn default() -> Self {
        Self { column: Column::Total, descending: true }
    }
}

/// Columns of the breakdown table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Column {
    /// The key.
    Name,
    /// Self time.
    Total,
    /// Share of the window; same order as `Total`.
    OfStep,
    /// Kind, in the fixed order.
    Kind,
    /// The category with the most time.
    Category,
    /// Executions.
    Executions,
    /// Mean self time.
    Mean,
    /// FLOP/s over self time.
    FlopRate,
    /// Bytes/s over self time.
    ByteRate,
    /// Innermost source frame.
    Source,
    /// Program name.
    Program,
    /// Group of work.
    OpGroup,
    /// Phase of training, in the order of a step.
    Phase,
    /// Layer; numbers by value.
    Layer,
    /// Inclusive time.
    Inclusive,
    /// Shortest self time.
    Min,
    /// Longest self time.
    Max,
    /// Share of all time of its kind.
    OfKind,
    /// Floating point operations.
    Flops,
    /// Bytes accessed.
    Bytes,
    /// FLOP per byte.
    Intensity,
    /// The element type with the most time.
    Dtype,
    /// The shape with the most time.
    Shape,
    /// The end of the scope path.
    ScopeLeaf,
}

impl Column {
    /// All columns.
    pub const ALL: [Self; 24] = [
        Self::Name,
        Self::Total,
        Self::OfStep,
        Self::Kind,
        Self::Category,
        Self::Executions,
        Self::Mean,
        Self::FlopRate,
        Self::ByteRate,
        Self::Source,
        Self::Program,
        Self::OpGroup,
        Self::Phase,
        Self::Layer,
        Self::Inclusive,
        Self::Min,
        Self::Max,
        Self::OfKind,
        Self::Flops,
        Self::Bytes,
        Self::Intensity,
        Self::Dtype,
        Self::Shape,
        Self::ScopeLeaf,
    ];

    /// The name in addresses.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Total => "total",
            Self::OfStep => "of-step",
            Self::Kind => "kind",
            Self::Category => "category",
            Self::Executions => "executions",
            Self::Mean => "mean",
            Self::FlopRate => "flop-rate",
            Self::ByteRate => "byte-rate",
            Self::Source => "source",
            Self::Program => "program",
            Self::OpGroup => "op-group",
            Self::Phase => "phase",
            Self::Layer => "layer",
            Self::Inclusive => "inclusive",
            Self::Min => "min",
            Self::Max => "max",
            Self::OfKind => "of-kind",
            Self::Flops => "flops",
            Self::Bytes => "bytes",
            Self::Intensity => "intensity",
            Self::Dtype => "dtype",
            Self::Shape => "shape",
            Self::ScopeLeaf => "scope-leaf",
        }
    }
}
