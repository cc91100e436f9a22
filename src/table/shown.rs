//! The declaration of a table on the page: which columns it shows, how, and what its tooltips list.

use super::Column;
use super::page::{Cell, Name};

/// A table of rows of type `R`.
pub struct Table<R: 'static> {
    /// The fields of a row: the values of cells, tooltips and files.
    pub columns: &'static [Column<R>],
    /// The columns on the page, in their order. The first one holds the name.
    pub shown: &'static [Shown<R>],
    /// The lists of the tooltips. [`Shown::tip`] chooses one of them.
    pub tips: &'static [&'static [TipLine]],
    /// The name of a row in selections.
    pub key: fn(&R) -> String,
    /// The name of a row, which must differ from those of the rows beside it.
    pub name: fn(&R, &[&R]) -> Name,
    /// Whether a press on the name of a row shows more about it.
    pub opens: fn(&R) -> bool,
    /// What one row and several rows are called.
    pub nouns: (&'static str, &'static str),
    /// The column that orders rows where nobody chose another; largest first.
    pub usual: &'static str,
    /// The columns that a filter of leaves looks into. A filter of sources looks into the column `source`.
    pub leaf: &'static [&'static str],
}

/// A column on the page.
pub struct Shown<R: 'static> {
    /// The id of the column in [`Table::columns`].
    pub id: &'static str,
    /// The heading.
    pub head: &'static str,
    /// How values are written.
    pub format: Format<R>,
    /// The width in digits. 0: the column takes the rest.
    pub digits: u32,
    /// Where there is little room, columns of a large number are left out first. 0: never left out.
    pub priority: u8,
    /// Which list of [`Table::tips`] its cells show.
    pub tip: u8,
    /// The column that has the unit of its times; empty: its own.
    pub unit_of: &'static str,
    /// Whether the foot of the table has the sum.
    pub has_total: bool,
    /// Whether rows can be sorted by it.
    pub sorts: bool,
}

impl<R> Shown<R> {
    /// A column that can be sorted by.
    pub const fn new(id: &'static str, head: &'static str, format: Format<R>, digits: u32, priority: u8) -> Self {
        Self { id, head, format, digits, priority, tip: 0, unit_of: "", has_total: false, sorts: true }
    }

    /// The column that holds the name.
    pub const fn name(id: &'static str, head: &'static str) -> Self {
        Self::new(id, head, Format::Name, 0, 0)
    }

    /// The same with the sum at its foot.
    #[must_use]
    pub const fn with_total(mut self) -> Self {
        self.has_total = true;
        self
    }

    /// The same with another list of [`Table::tips`].
    #[must_use]
    pub const fn with_tip(mut self, tip: u8) -> Self {
        self.tip = tip;
        self
    }

    /// The same with times in the unit of another column, so that the two compare at a glance.
    #[must_use]
    pub const fn in_unit_of(mut self, id: &'static str) -> Self {
        self.unit_of = id;
        self
    }

    /// The same, but rows cannot be sorted by it.
    #[must_use]
    pub const fn unsorted(mut self) -> Self {
        self.sorts = false;
        self
    }
}

/// How the values of a column are written.
pub enum Format<R: 'static> {
    /// The name of the row.
    Name,
    /// A text.
    Text,
    /// A text of lesser weight.
    Soft,
    /// A text in the letters of code.
    Mono,
    /// A time, in one unit for the column.
    Time,
    /// A count.
    Count,
    /// A size in MiB.
    Mib,
    /// A fraction as a percentage.
    Percent,
    /// A number as a percentage of the [whole](super::answer::TableRows::new), and a bar that is longest for the largest number.
    Share,
    /// The same with a bar: its length is the value.
    FractionBar,
    /// A fraction of a peak as a percentage. Above 1 it is marked.
    OfPeak,
    /// A bandwidth in GB/s.
    Gbps,
    /// FLOP/s in TFLOP/s.
    Tflops,
    /// FLOP per byte.
    Intensity,
    /// Anything else: its unit, whether it is a number, and the cell of a row. The second argument is the largest number of the column.
    Cell(&'static str, bool, fn(&R, f64) -> Cell),
}

impl<R> Format<R> {
    /// Whether values are numbers, which are right-aligned.
    pub const fn is_numeric(&self) -> bool {
        match self {
            Self::Name | Self::Text | Self::Soft | Self::Mono => false,
            Self::Cell(_, is_numeric, _) => *is_numeric,
            _ => true,
        }
    }
}

/// A line of a tooltip. A line whose value is absent is left out.
pub struct TipLine {
    /// The id of a column.
    pub id: &'static str,
    /// The label before the value.
    pub label: &'static str,
    /// The unit behind a count.
    pub unit: &'static str,
}

impl TipLine {
    /// A line.
    pub const fn new(id: &'static str, label: &'static str) -> Self {
        Self { id, label, unit: "" }
    }

    /// The same with a unit behind a count.
    #[must_use]
    pub const fn in_unit(mut self, unit: &'static str) -> Self {
        self.unit = unit;
        self
    }
}
