//! The declaration of a table on the page: which columns it shows, how, and what its tooltips list.

use super::page::{Mark, Name, Room};
use super::{Column, Value};

/// A table of rows of type `R`.
pub struct Table<R: 'static> {
    /// The fields of a row: the values of cells, tooltips and files.
    pub columns: &'static [Column<R>],
    /// The columns on the page, in their order. The first one holds the name.
    pub shown: &'static [Shown],
    /// The tooltips of a row. The first one is that of all columns that no other names.
    pub tips: &'static [RowTip],
    /// The name of a row in selections.
    pub key: fn(&R) -> String,
    /// The name of a row, beside the rows that it must not be taken for.
    pub name: fn(&R, &[&R]) -> Name,
    /// The swatch of a row, in columns of [`Format::Marked`].
    pub mark: fn(&R) -> Option<Mark>,
    /// Whether a press on the name of a row shows more about it.
    pub opens: fn(&R) -> bool,
    /// The parts of a row, which a reader can open below it; without parts a row cannot be opened.
    pub parts: for<'r> fn(&'r R) -> Vec<PartValues<'r>>,
    /// What one row and several rows are called.
    pub nouns: (&'static str, &'static str),
    /// The column that orders rows where nobody chose another; largest first.
    pub usual: &'static str,
    /// The columns that a filter of leaves looks into. A filter of sources looks into the column `source`.
    pub leaf: &'static [&'static str],
}

/// A part of a row: the values of some columns, each after the id of its column. The name comes first.
pub type PartValues<'r> = Vec<(&'static str, Value<'r>)>;

/// A column on the page.
#[derive(Clone, Copy, Debug)]
pub struct Shown {
    /// The id of the column in [`Table::columns`].
    pub id: &'static str,
    /// The heading.
    pub head: &'static str,
    /// How values are written.
    pub format: Format,
    /// The width in digits. 0: the column takes the rest.
    pub digits: u32,
    /// Where there is little room, columns of a large number are left out first. 0: never left out.
    pub priority: u8,
    /// How much room the column needs to be shown.
    pub room: Room,
    /// What the column is, for the list of columns.
    pub about: &'static str,
    /// The column that has the unit of its times; empty: its own.
    pub unit_of: &'static str,
    /// Whether the foot of the table has the sum.
    pub has_total: bool,
}

impl<R> Table<R> {
    /// The column of an id.
    pub(super) fn column(&self, id: &str) -> Option<&'static Column<R>> {
        self.columns.iter().find(|column| column.id == id)
    }

    /// The place of the tooltip that cells of a column have.
    pub(super) fn tip_of(&self, id: &str) -> usize {
        self.tips.iter().position(|tip| tip.columns.contains(&id)).unwrap_or(0)
    }
}

impl Shown {
    /// A column.
    pub const fn new(id: &'static str, head: &'static str, format: Format, digits: u32, priority: u8) -> Self {
        Self { id, head, format, digits, priority, room: Room::Usual, about: "", unit_of: "", has_total: false }
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

    /// The same, shown only where names keep a third of the table.
    #[must_use]
    pub const fn if_wide(mut self) -> Self {
        self.room = Room::Wide;
        self
    }

    /// The same, shown only where somebody has chosen it.
    #[must_use]
    pub const fn if_chosen(mut self) -> Self {
        self.room = Room::Chosen;
        self
    }

    /// The same with words for the list of columns.
    #[must_use]
    pub const fn about(mut self, about: &'static str) -> Self {
        self.about = about;
        self
    }

    /// The same with times in the unit of another column, so that the two compare at a glance.
    #[must_use]
    pub const fn in_unit_of(mut self, id: &'static str) -> Self {
        self.unit_of = id;
        self
    }

    /// The column that its numbers are compared with: its own, or the one that it has the unit of.
    pub const fn scale_of(&self) -> &'static str {
        if self.unit_of.is_empty() { self.id } else { self.unit_of }
    }
}

/// How the values of a column are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// The name of the row.
    Name,
    /// A text.
    Text,
    /// A text of lesser weight.
    Soft,
    /// A text in the letters of code.
    Mono,
    /// A path in its last segment.
    Path,
    /// A text behind the [swatch](Table::mark) of the row.
    Marked,
    /// Two times that follow each other, as a bar of the largest time of the column that it has its [unit](Shown::unit_of) of; the
    /// first one as text. Rows cannot be sorted by it.
    Parts,
    /// A range as a bar within the [whole](super::answer::TableRows::new).
    Range,
    /// A time, in one unit for the column.
    Time,
    /// A count.
    Count,
    /// A size in MiB.
    Mib,
    /// A number as a percentage of the [whole](super::answer::TableRows::new), and a bar that is longest for the largest number.
    Share,
    /// The sum of the column up to and including the row, in the order of the rows, as a percentage of the
    /// [whole](super::answer::TableRows::new). Rows cannot be sorted by it.
    Cumulative,
    /// A fraction as a percentage.
    Percent,
    /// A fraction as a percentage, and a bar of that length.
    FractionBar,
    /// A fraction of a peak as a percentage. Above 1 it is marked.
    OfPeak,
    /// A bandwidth in GB/s.
    Gbps,
    /// FLOP per second in TFLOP/s. The heading names the unit.
    Tflops,
    /// FLOP per byte. The heading names the unit.
    Intensity,
}

impl Format {
    /// Whether cells depend on the largest number of their column: for its unit, its width, or the length of a bar.
    pub(super) const fn has_scale(self) -> bool {
        matches!(self, Self::Time | Self::Count | Self::Share | Self::Parts)
    }

    /// Whether rows can be sorted by the column.
    pub(super) const fn is_sortable(self) -> bool {
        !matches!(self, Self::Parts | Self::Cumulative)
    }

    /// Whether values are numbers, which are right-aligned.
    pub const fn is_numeric(self) -> bool {
        !matches!(
            self,
            Self::Name | Self::Text | Self::Soft | Self::Mono | Self::Path | Self::Marked | Self::Range | Self::Parts
        )
    }
}

/// A tooltip of a row.
pub struct RowTip {
    /// The columns whose cells have it.
    pub columns: &'static [&'static str],
    /// Its lines.
    pub lines: &'static [TipLine],
}

impl RowTip {
    /// The tooltip of a table that has one.
    pub const fn of_all(lines: &'static [TipLine]) -> Self {
        Self { columns: &[], lines }
    }
}

/// A line of a tooltip. A line whose value is absent is left out.
pub struct TipLine {
    /// The id of a column.
    pub id: &'static str,
    /// The label before the value.
    pub label: &'static str,
}

impl TipLine {
    /// A line.
    pub const fn new(id: &'static str, label: &'static str) -> Self {
        Self { id, label }
    }
}
