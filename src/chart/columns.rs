//! The table's columns: which are shown at which width, how wide each is, what its head says.
//! Knows groupings and the largest value of each column; no row, no browser.

use super::rows;
use crate::analysis::GroupBy;
use crate::engine::{Column, Largest, Sort};
use crate::report::number::{self, TimeUnit};

/// A column of the breakdown's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
}

/// Units that a whole column shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Units {
    /// Of self times.
    pub total: TimeUnit,
    /// Of means.
    pub mean: TimeUnit,
}

impl Units {
    /// The units of a breakdown.
    pub fn of(largest: &Largest) -> Self {
        Self { total: TimeUnit::for_largest(largest.total), mean: TimeUnit::for_largest(largest.mean) }
    }
}

impl Cell {
    /// What the head says.
    pub const fn head(self, by: GroupBy) -> &'static str {
        match self {
            Self::Name => by.label(),
            Self::SelfTime => "Self",
            Self::Step => "Step",
            Self::Cumulative => "Cum.",
            Self::Kind => "Kind",
            Self::Category => "Category",
            Self::Runs => "Runs",
            Self::Mean => "Mean",
            Self::Rate => "Rate",
            Self::Bytes => "Bytes",
            Self::Source => "Source",
        }
    }

    /// The unit beside it.
    pub const fn unit(self, units: Units) -> &'static str {
        match self {
            Self::SelfTime => units.total.symbol(),
            Self::Mean => units.mean.symbol(),
            Self::Step | Self::Cumulative => "%",
            Self::Rate => "TFLOP/s",
            Self::Bytes => "GB/s",
            _ => "",
        }
    }

    /// The order a press on its head asks for. The running sum follows the order: it has none of its own.
    pub const fn column(self) -> Option<Column> {
        match self {
            Self::Name => Some(Column::Name),
            Self::SelfTime => Some(Column::Total),
            Self::Step => Some(Column::OfStep),
            Self::Cumulative => None,
            Self::Kind => Some(Column::Kind),
            Self::Category => Some(Column::Category),
            Self::Runs => Some(Column::Executions),
            Self::Mean => Some(Column::Mean),
            Self::Rate => Some(Column::FlopRate),
            Self::Bytes => Some(Column::ByteRate),
            Self::Source => Some(Column::Source),
        }
    }

    /// Whether it holds figures: right-aligned, largest first.
    pub const fn numeric(self) -> bool {
        !matches!(self, Self::Name | Self::Kind | Self::Category | Self::Source)
    }

    /// The order of a first press: largest first for figures, a to z for text.
    pub fn natural(self) -> Option<Sort> {
        self.column().map(|column| Sort { column, descending: self.numeric() })
    }

    /// Columns that the grouping makes superfluous: a group of a category has one category.
    const fn told_by(self, by: GroupBy) -> bool {
        matches!(
            (self, by),
            (Self::Category, GroupBy::Category)
                | (Self::Kind | Self::Category | Self::Source, GroupBy::Kind)
                | (Self::Source, GroupBy::Source | GroupBy::Category | GroupBy::Program)
        )
    }
}

/// Below this width a row has two lines.
pub const TWO_LINES: f64 = 720.0;
/// From this width on, columns are dropped only when the name has no room at all.
const FULL: f64 = 1200.0;
/// All columns, in order.
const ALL: [Cell; 11] = [
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
];
/// What is dropped, first to last, where there is little room.
const DROP: [Cell; 8] =
    [Cell::Cumulative, Cell::Runs, Cell::Category, Cell::Source, Cell::Bytes, Cell::Rate, Cell::Mean, Cell::Kind];
/// Pixels of padding in a cell.
const PADDING: f64 = 16.0;

/// A column and its width in digits (`ch`); `None` for the name, which takes the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// Which.
    pub cell: Cell,
    /// How wide.
    pub digits: Option<u32>,
}

/// The columns for a table `width` pixels wide, in a type whose digits are `digit` pixels wide.
pub fn choose(by: GroupBy, largest: &Largest, n_events: u64, width: f64, digit: f64) -> Vec<Chosen> {
    let wide = |cell: Cell| Chosen { cell, digits: digits(cell, by, largest, n_events) };
    if width < TWO_LINES {
        let step = Chosen { cell: Cell::Step, digits: Some(7) };
        return vec![wide(Cell::Name), wide(Cell::SelfTime), step];
    }
    let mut chosen: Vec<_> = ALL.into_iter().filter(|cell| !cell.told_by(by)).map(wide).collect();
    let name = if width < FULL { 260.0 } else { 160.0 };
    for cell in DROP {
        let taken: f64 = chosen.iter().filter_map(|c| c.digits).map(|n| f64::from(n) * digit + PADDING).sum();
        if width - taken >= name {
            break;
        }
        chosen.retain(|c| c.cell != cell);
    }
    chosen
}

/// "357 ops", "1 category".
pub fn counted(by: GroupBy, n: u32) -> String {
    let (one, many) = match by {
        GroupBy::Op => ("op", "ops"),
        GroupBy::Dedup => ("deduplicated op", "deduplicated ops"),
        GroupBy::OpGroup => ("op group", "op groups"),
        GroupBy::Phase => ("phase", "phases"),
        GroupBy::Layer => ("layer", "layers"),
        GroupBy::Scope => ("scope", "scopes"),
        GroupBy::Category => ("category", "categories"),
        GroupBy::Kind => ("kind", "kinds"),
        GroupBy::Source => ("source", "sources"),
        GroupBy::Program => ("program", "programs"),
    };
    number::counted(n.into(), one, many)
}

/// Whether a grouping's table can be sorted by `column`.
pub fn sortable(by: GroupBy, column: Column) -> bool {
    ALL.into_iter().any(|cell| cell.column() == Some(column) && !cell.told_by(by))
}

/// Characters of the name that fit, in a monospaced type whose letters are `letter` pixels wide.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a handful of characters")]
pub fn name_room(chosen: &[Chosen], width: f64, digit: f64, letter: f64) -> usize {
    let taken: f64 = chosen.iter().filter_map(|c| c.digits).map(|n| f64::from(n) * digit + PADDING).sum();
    ((width - taken - PADDING * 1.5) / letter).max(8.0) as usize
}

/// The columns as CSS wants them: the name takes what is left.
pub fn template(chosen: &[Chosen]) -> String {
    let track = |chosen: &Chosen| match chosen.digits {
        Some(digits) => format!("calc({digits}ch + {PADDING}px)"),
        None => "minmax(96px, 1fr)".to_owned(),
    };
    chosen.iter().map(track).collect::<Vec<_>>().join(" ")
}

/// Room for the mark of a rate above its peak.
const MARK: usize = 2;

/// The wider of the head (with room for its arrow) and the widest value.
fn digits(cell: Cell, by: GroupBy, largest: &Largest, n_events: u64) -> Option<u32> {
    let units = Units::of(largest);
    let widest = match cell {
        Cell::Name => return None,
        Cell::SelfTime => number::time(largest.total, units.total).len().max(7),
        Cell::Mean => number::time(largest.mean, units.mean).len(),
        Cell::Step => 13,
        Cell::Cumulative => 5,
        Cell::Kind => 12,
        Cell::Category => 18,
        Cell::Runs => number::count(n_events).len(),
        Cell::Rate => largest.flop_rate.map_or(1, |rate| number::tflops(rate).len() + MARK),
        Cell::Bytes => largest.byte_rate.map_or(1, |rate| number::gbs(rate).len().min(8) + MARK),
        Cell::Source => rows::SOURCE_ROOM,
    };
    let head = cell.head(by).chars().count() + cell.unit(units).chars().count() + 2;
    u32::try_from(widest.max(head)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Picos;

    fn cells(by: GroupBy, width: f64) -> Vec<Cell> {
        let largest = Largest { total: Picos(6_251_000_000), mean: Picos(390_000_000), ..Largest::default() };
        choose(by, &largest, 2_400, width, 7.0).into_iter().map(|chosen| chosen.cell).collect()
    }

    #[test]
    fn wide_screens_have_all_columns() {
        assert_eq!(cells(GroupBy::Op, 1440.0), ALL);
        assert_eq!(cells(GroupBy::Op, 1200.0), ALL);
    }

    #[test]
    fn columns_go_by_priority() {
        let at_1000 = cells(GroupBy::Op, 1000.0);
        assert!(!at_1000.contains(&Cell::Cumulative) && !at_1000.contains(&Cell::Runs), "{at_1000:?}");
        assert!(at_1000.contains(&Cell::Kind) && at_1000.contains(&Cell::Mean), "{at_1000:?}");
        assert_eq!(cells(GroupBy::Op, 719.0), [Cell::Name, Cell::SelfTime, Cell::Step]);
    }

    #[test]
    fn a_grouping_drops_what_it_says_itself() {
        assert!(!cells(GroupBy::Category, 1440.0).contains(&Cell::Category));
        assert!(!cells(GroupBy::Kind, 1440.0).contains(&Cell::Kind));
        assert!(!cells(GroupBy::Source, 1440.0).contains(&Cell::Source));
    }

    #[test]
    fn the_name_takes_what_is_left() {
        let chosen = choose(GroupBy::Op, &Largest::default(), 0, 390.0, 7.0);
        assert_eq!(template(&chosen), "minmax(96px, 1fr) calc(8ch + 16px) calc(7ch + 16px)");
        assert_eq!(name_room(&chosen, 390.0, 7.0, 7.0), 32);
        assert_eq!(name_room(&chosen, 10.0, 7.0, 7.0), 8);
        assert!(sortable(GroupBy::Op, Column::Source) && !sortable(GroupBy::Kind, Column::Source));
    }

    #[test]
    fn figures_sort_largest_first() {
        assert_eq!(Cell::SelfTime.natural(), Some(Sort { column: Column::Total, descending: true }));
        assert_eq!(Cell::Name.natural(), Some(Sort { column: Column::Name, descending: false }));
        assert_eq!(Cell::Cumulative.natural(), None);
    }
}
