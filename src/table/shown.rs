//! This module declares a table on the page: its columns with their formats, and the lines of its tooltips.

use super::page::{ColumnVisibility, Mark, Name};
use super::{Column, Value};

/// A table with rows of type `R`.
pub struct Table<R: 'static> {
    /// The fields of a row: the values of cells, tooltips and files.
    pub columns: &'static [Column<R>],
    /// Columns on the page, in their order. The first one holds the name.
    pub shown: &'static [Shown],
    /// Tooltips of a row. The first one belongs to all columns that no other tooltip lists.
    pub tips: &'static [RowTip],
    /// Returns the name of a row in selections.
    pub key: fn(&R) -> String,
    /// Returns the name of a row. The slice holds the other rows, from which the name distinguishes the row.
    pub name: fn(&R, &[&R]) -> Name,
    /// Returns the swatch of a row, for columns of [`Format::Marked`].
    pub mark: fn(&R) -> Option<Mark>,
    /// Returns whether a press on the name of a row shows details.
    pub opens: fn(&R) -> bool,
    /// Returns the parts of a row, which the user can expand below it. A row without parts cannot be expanded.
    pub parts: for<'r> fn(&'r R) -> Vec<PartValues<'r>>,
    /// Nouns for one row and for several rows.
    pub nouns: (&'static str, &'static str),
    /// Column that sorts the rows by default, largest first.
    pub default_sort: &'static str,
    /// Columns in which a filter of [`FilterField::Leaf`](super::filter::FilterField::Leaf) searches. A filter of
    /// sources searches the column `source`.
    pub leaf: &'static [&'static str],
}

/// A part of a row: values of some columns, each with the id of its column. The name comes first.
pub type PartValues<'r> = Vec<(&'static str, Value<'r>)>;

/// A column on the page.
#[derive(Clone, Copy, Debug)]
pub struct Shown {
    /// Id of the column in [`Table::columns`].
    pub id: &'static str,
    pub head: &'static str,
    pub format: Format,
    /// Width in digits. 0 for the column that takes the remaining width.
    pub digits: u32,
    /// On a narrow page, the columns with the largest priority are hidden first. Columns of priority 0 are never
    /// hidden.
    pub priority: u8,
    /// Width that the name column keeps while this column is shown.
    pub visibility: ColumnVisibility,
    /// Whether the column takes the width that names do not need, because its texts are often cut.
    pub stretches: bool,
    /// Description of the column in the list of columns.
    pub about: &'static str,
    /// Column whose unit the times of this column have. Empty for the column's own unit.
    pub unit_of: &'static str,
    /// Whether the footer of the table has the sum.
    pub has_total: bool,
}

impl<R> Table<R> {
    /// Returns the column with an id.
    pub(super) fn column(&self, id: &str) -> Option<&'static Column<R>> {
        self.columns.iter().find(|column| column.id == id)
    }

    /// Returns the index of the tooltip of a column's cells.
    pub(super) fn tip_of(&self, id: &str) -> usize {
        self.tips.iter().position(|tip| tip.columns.contains(&id)).unwrap_or(0)
    }
}

impl Shown {
    /// Creates a column.
    pub const fn new(id: &'static str, head: &'static str, format: Format, digits: u32, priority: u8) -> Self {
        Self {
            id,
            head,
            format,
            digits,
            priority,
            visibility: ColumnVisibility::Usual,
            stretches: false,
            about: "",
            unit_of: "",
            has_total: false,
        }
    }

    /// Creates the column that holds the name.
    pub const fn name(id: &'static str, head: &'static str) -> Self {
        Self::new(id, head, Format::Name, 0, 0)
    }

    /// Adds the sum to the footer.
    #[must_use]
    pub const fn with_total(mut self) -> Self {
        self.has_total = true;
        self
    }

    /// Lets the column take the width that names do not need.
    #[must_use]
    pub const fn stretching(mut self) -> Self {
        self.stretches = true;
        self
    }

    /// Shows the column only while names have enough room.
    #[must_use]
    pub const fn if_wide(mut self) -> Self {
        self.visibility = ColumnVisibility::Wide;
        self
    }

    /// Shows the column only if the user has chosen it.
    #[must_use]
    pub const fn if_chosen(mut self) -> Self {
        self.visibility = ColumnVisibility::Chosen;
        self
    }

    /// Sets the description in the list of columns.
    #[must_use]
    pub const fn about(mut self, about: &'static str) -> Self {
        self.about = about;
        self
    }

    /// Writes times in the unit of another column, so that the two columns can be compared at a glance.
    #[must_use]
    pub const fn in_unit_of(mut self, id: &'static str) -> Self {
        self.unit_of = id;
        self
    }

    /// Returns the column whose largest number scales this column: the column of its unit, or the column itself.
    pub const fn scale_of(&self) -> &'static str {
        if self.unit_of.is_empty() { self.id } else { self.unit_of }
    }
}

/// The format of a column's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Name,
    Text,
    /// A text in a weaker colour.
    Soft,
    /// A text in the monospace font.
    Mono,
    /// The last segment of a path.
    Path,
    /// A text after the [swatch](Table::mark) of the row.
    Marked,
    /// Two times that follow each other, as a bar on the scale of the largest time of the column
    /// [`unit_of`](Shown::unit_of), and the first time as text. Rows cannot be sorted by it.
    Parts,
    /// A record of times by kind, as one bar that their sum fills. Rows cannot be sorted by it.
    Kinds,
    /// A range as a bar within the [whole](super::answer::TableRows::new).
    Range,
    /// A time, in one unit for the whole column.
    Time,
    /// A difference with its sign.
    Difference,
    /// A difference as a bar from the middle, which is longest for the largest difference.
    DifferenceBar,
    /// A difference with its sign, as a percentage of the [whole](super::answer::TableRows::new).
    DifferenceShare,
    /// A change with its sign, as a percentage.
    Change,
    Count,
    /// A size in MiB.
    Mib,
    /// A number as a percentage of the [whole](super::answer::TableRows::new), and a bar that is longest for the
    /// largest number.
    Share,
    /// The running sum of the column, in the order of the rows, as a percentage of the
    /// [whole](super::answer::TableRows::new). Rows cannot be sorted by it.
    Cumulative,
    /// A fraction as a percentage.
    Percent,
    /// A fraction as a percentage, and a bar of that length.
    FractionBar,
    /// A fraction of a peak as a percentage. A value above 1 is marked.
    OfPeak,
    /// A bandwidth in GB/s.
    Gbps,
    /// FLOP/s in TFLOP/s. The heading names the unit.
    Tflops,
    /// FLOPs per byte. The heading names the unit.
    Intensity,
}

impl Format {
    /// Returns whether cells depend on the largest number of their column: for its unit, its width, or the length of a
    /// bar.
    pub(super) const fn has_scale(self) -> bool {
        matches!(self, Self::Time | Self::Difference | Self::DifferenceBar | Self::Count | Self::Share | Self::Parts)
    }

    /// Returns whether rows can be sorted by the column.
    pub(super) const fn is_sortable(self) -> bool {
        !matches!(self, Self::Parts | Self::Kinds | Self::Cumulative)
    }

    /// Returns whether values are numbers, which are right-aligned.
    pub const fn is_numeric(self) -> bool {
        !matches!(
            self,
            Self::Name
                | Self::Text
                | Self::Soft
                | Self::Mono
                | Self::Path
                | Self::Marked
                | Self::Range
                | Self::Parts
                | Self::Kinds
                | Self::DifferenceBar
        )
    }
}

/// A tooltip of a row.
pub struct RowTip {
    /// Columns whose cells have the tooltip.
    pub columns: &'static [&'static str],
    pub lines: &'static [TipLine],
}

impl RowTip {
    /// Creates the only tooltip of a table.
    pub const fn of_all(lines: &'static [TipLine]) -> Self {
        Self { columns: &[], lines }
    }
}

/// A line of a tooltip. A line with an absent value is left out.
pub struct TipLine {
    pub id: &'static str,
    /// Label before the value.
    pub label: &'static str,
}

impl TipLine {
    /// Creates a line.
    pub const fn new(id: &'static str, label: &'static str) -> Self {
        Self { id, label }
    }
}
