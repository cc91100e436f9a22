//! The breakdown's columns, each by itself: its name, what its head says, its unit, its order. This module knows groupings; not
//! which are shown (`columns` does), and no row.

use crate::analysis::base::GroupBy;
use crate::protocol::{Column, Largest, Sort};
use crate::table::format::TimeUnit;

/// A column of the breakdown's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cell {
    /// The group's key.
    Name,
    /// Self time.
    SelfTime,
    /// Self time of the window, with a bar.
    Step,
    /// Running sum of it, in the order shown.
    Cumulative,
    /// Kind.
    Kind,
    /// Category.
    Category,
    /// Executions.
    Runs,
    /// Self time of one execution.
    Mean,
    /// FLOP/s.
    Rate,
    /// Bytes/s.
    Bytes,
    /// Source line.
    Source,
    /// The end of the scope path.
    Scope,
    /// Result shape.
    Shape,
    /// Forward, backward, recompute, optimizer.
    Phase,
    /// Shortest self time of an execution.
    Min,
    /// Longest.
    Max,
    /// Whole durations, with what runs inside.
    Inclusive,
    /// Self time of all time of the kind.
    OfKind,
    /// What people call such an op.
    OpGroup,
    /// Layer.
    Layer,
    /// Element type of the result.
    Dtype,
    /// Program.
    Program,
    /// FLOP per byte.
    Intensity,
}

/// All columns, in order.
pub const ALL: [Cell; 23] = [
    Cell::Name,
    Cell::SelfTime,
    Cell::Step,
    Cell::Cumulative,
    Cell::Kind,
    Cell::Category,
    Cell::Runs,
    Cell::Mean,
    Cell::Rate,
    Cell::Bytes,
    Cell::Source,
    Cell::Scope,
    Cell::Shape,
    Cell::Phase,
    Cell::Min,
    Cell::Max,
    Cell::Inclusive,
    Cell::OfKind,
    Cell::OpGroup,
    Cell::Layer,
    Cell::Dtype,
    Cell::Program,
    Cell::Intensity,
];
/// Units that a whole column shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Units {
    /// Of self times.
    pub total: TimeUnit,
    /// Of means, shortest and longest.
    pub mean: TimeUnit,
    /// Of inclusive times.
    pub inclusive: TimeUnit,
}

impl Units {
    /// The units of a breakdown.
    pub fn from_largest(largest: &Largest) -> Self {
        Self {
            total: TimeUnit::for_largest(largest.total),
            mean: TimeUnit::for_largest(largest.mean),
            inclusive: TimeUnit::for_largest(largest.inclusive),
        }
    }
}

impl Cell {
    /// Its name in addresses.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::SelfTime => "self",
            Self::Step => "step",
            Self::Cumulative => "cum",
            Self::Kind => "kind",
            Self::Category => "category",
            Self::Runs => "runs",
            Self::Mean => "mean",
            Self::Rate => "rate",
            Self::Bytes => "bytes",
            Self::Source => "source",
            Self::Scope => "scope",
            Self::Shape => "shape",
            Self::Phase => "phase",
            Self::Min => "min",
            Self::Max => "max",
            Self::Inclusive => "inclusive",
            Self::OfKind => "of-kind",
            Self::OpGroup => "op-group",
            Self::Layer => "layer",
            Self::Dtype => "dtype",
            Self::Program => "program",
            Self::Intensity => "intensity",
        }
    }

    /// The column of a name.
    pub fn of_key(key: &str) -> Option<Self> {
        ALL.into_iter().find(|cell| cell.key() == key)
    }

    /// The column that is sorted by `column`.
    pub fn of_column(column: Column) -> Option<Self> {
        ALL.into_iter().find(|cell| cell.column() == Some(column))
    }

    /// What the head says.
    pub const fn head(self, by: GroupBy) -> &'static str {
        match self {
            Self::Name => by.label(),
            Self::SelfTime => "Self",
            Self::Step => "Step",
            Self::Cumulative => "Cum.",
            Self::Kind => "Kind",
            Self::Category => "Category",
            Self::Runs => "Count",
            Self::Mean => "Mean",
            Self::Rate => "Rate",
            Self::Bytes => "Bytes",
            Self::Source => "Source",
            Self::Scope => "Scope leaf",
            Self::Shape => "Shape",
            Self::Phase => "Phase",
            Self::Min => "Min",
            Self::Max => "Max",
            Self::Inclusive => "Inclusive",
            Self::OfKind => "% of kind",
            Self::OpGroup => "Op group",
            Self::Layer => "Layer",
            Self::Dtype => "Type",
            Self::Program => "Program",
            Self::Intensity => "Intensity",
        }
    }

    /// What it is, for the list of columns.
    pub const fn about(self) -> &'static str {
        match self {
            Self::Name => "the row’s name",
            Self::SelfTime => "time without what runs inside",
            Self::Step => "self time of the step",
            Self::Cumulative => "running sum, in the order shown",
            Self::Kind => "compute, communication, …",
            Self::Category => "the compiler’s hlo_category",
            Self::Runs => "executions that start in the step",
            Self::Mean => "self time of one execution",
            Self::Rate => "FLOP ÷ self time; none below 100 ns per execution",
            Self::Bytes => "bytes accessed ÷ self time; none below 100 ns per execution",
            Self::Source => "innermost line of the user’s code",
            Self::Scope => "end of the tf_op path",
            Self::Shape => "result shape with the most time",
            Self::Phase => "forward, backward, recompute, …",
            Self::Min => "shortest execution",
            Self::Max => "longest execution",
            Self::Inclusive => "time with what runs inside",
            Self::OfKind => "self time of all of its kind",
            Self::OpGroup => "matmul, attention, norm, …",
            Self::Layer => "layer the op belongs to",
            Self::Dtype => "element type of the result",
            Self::Program => "the compiled program",
            Self::Intensity => "FLOP ÷ bytes accessed",
        }
    }

    /// The unit beside it.
    pub const fn unit(self, units: Units) -> &'static str {
        match self {
            Self::SelfTime => units.total.symbol(),
            Self::Mean | Self::Min | Self::Max => units.mean.symbol(),
            Self::Inclusive => units.inclusive.symbol(),
            Self::Step | Self::Cumulative | Self::OfKind => "%",
            Self::Rate => "TFLOP/s",
            Self::Bytes => "GB/s",
            Self::Intensity => "FLOP/B",
            _ => "",
        }
    }

    /// The order a press on its head asks for. The running sum follows the order: it has none of its own.
    pub const fn column(self) -> Option<Column> {
        Some(match self {
            Self::Cumulative => return None,
            Self::Name => Column::Name,
            Self::SelfTime => Column::Total,
            Self::Step => Column::OfStep,
            Self::Kind => Column::Kind,
            Self::Category => Column::Category,
            Self::Runs => Column::Executions,
            Self::Mean => Column::Mean,
            Self::Rate => Column::FlopRate,
            Self::Bytes => Column::ByteRate,
            Self::Source => Column::Source,
            Self::Scope => Column::ScopeLeaf,
            Self::Shape => Column::Shape,
            Self::Phase => Column::Phase,
            Self::Min => Column::Min,
            Self::Max => Column::Max,
            Self::Inclusive => Column::Inclusive,
            Self::OfKind => Column::OfKind,
            Self::OpGroup => Column::OpGroup,
            Self::Layer => Column::Layer,
            Self::Dtype => Column::Dtype,
            Self::Program => Column::Program,
            Self::Intensity => Column::Intensity,
        })
    }

    /// Whether it holds figures: right-aligned, largest first.
    pub const fn numeric(self) -> bool {
        !matches!(
            self,
            Self::Name
                | Self::Kind
                | Self::Category
                | Self::Source
                | Self::Scope
                | Self::Shape
                | Self::Phase
                | Self::OpGroup
                | Self::Layer
                | Self::Dtype
                | Self::Program
        )
    }

    /// The order of a first press: largest first for figures, a to z for text.
    pub fn natural(self) -> Option<Sort> {
        self.column().map(|column| Sort { column, descending: self.numeric() })
    }

    /// Columns that the grouping makes superfluous: a group of a category has one category.
    pub(in crate::chart) const fn is_implied_by(self, by: GroupBy) -> bool {
        matches!(
            (self, by),
            (Self::Category, GroupBy::Category)
                | (Self::Kind | Self::Category | Self::Source | Self::Scope, GroupBy::Kind)
                | (Self::Source | Self::Scope, GroupBy::Source | GroupBy::Category | GroupBy::Program)
                | (Self::Source, GroupBy::OpGroup | GroupBy::Phase | GroupBy::Layer)
                | (Self::Scope, GroupBy::Scope | GroupBy::OpGroup | GroupBy::Phase | GroupBy::Layer)
                | (Self::Phase, GroupBy::Phase)
                | (Self::Layer, GroupBy::Layer)
                | (Self::OpGroup, GroupBy::OpGroup)
                | (Self::Program, GroupBy::Program)
        )
    }
}
