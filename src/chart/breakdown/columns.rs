//! Which of the breakdown's columns are shown at which width, and how wide each is. This module knows groupings and the largest
//! value of each column; no row, no browser.

pub use super::cell::{ALL, Cell, Units};
use crate::analysis::base::GroupBy;
use crate::chart::widgets::table::{self, Measure};
use crate::protocol::{Column, Largest};
use crate::table::format;

/// Those shown unasked, where there is room: [`ALL`] up to here.
const USUAL: usize = 11;
/// Shown unasked from this width on.
const WIDE: [(Cell, f64); 5] =
    [(Cell::Scope, 1800.0), (Cell::Shape, 2100.0), (Cell::Phase, 2300.0), (Cell::Min, 2500.0), (Cell::Max, 2500.0)];
/// What is dropped, first to last, where there is little room.
const DROP: [Cell; 8] =
    [Cell::Cumulative, Cell::Runs, Cell::Category, Cell::Source, Cell::Bytes, Cell::Rate, Cell::Mean, Cell::Kind];

/// What the columns of a table are chosen by.
#[derive(Clone, Copy, Debug)]
pub struct Basis<'a> {
    /// What rows stand for.
    pub by: GroupBy,
    /// The largest value of each column.
    pub largest: &'a Largest,
    /// Executions in all: the widest count.
    pub n_events: u64,
    /// Columns someone asked for, in their order; `None`: as many as fit.
    pub wanted: Option<&'a [Cell]>,
}

/// The columns of a table of this size. On narrow screens a row has two lines, and three columns.
pub fn choose(basis: Basis<'_>, measure: Measure) -> Vec<table::Column> {
    let Basis { by, largest, n_events, wanted } = basis;
    let units = Units::from_largest(largest);
    let column = |cell: Cell| {
        let sort = cell.natural().map(|sort| sort.descending);
        let head = (cell.head(by), cell.unit(units));
        table::column(cell.key(), head, cell.numeric(), digits(cell, by, largest, n_events), sort)
    };
    if measure.two_lines() {
        let step = table::Column { digits: Some(7), ..column(Cell::Step) };
        return vec![column(Cell::Name), column(Cell::SelfTime), step];
    }
    if let Some(wanted) = wanted {
        return std::iter::once(Cell::Name)
            .chain(wanted.iter().copied().filter(|c| *c != Cell::Name))
            .map(column)
            .collect();
    }
    let mut columns: Vec<_> = usual(by, measure.width).into_iter().map(column).collect();
    table::fit(&mut columns, &DROP.map(Cell::key), measure);
    columns
}

/// The columns shown unasked on a wide enough table.
pub fn usual(by: GroupBy, width: f64) -> Vec<Cell> {
    let wide = WIDE.into_iter().filter(|(_, from)| width >= *from).map(|(cell, _)| cell);
    ALL.into_iter().take(USUAL).chain(wide).filter(|cell| !cell.is_implied_by(by)).collect()
}

/// The columns a grouping can have.
pub fn available(by: GroupBy) -> impl Iterator<Item = Cell> {
    ALL.into_iter().filter(move |cell| !cell.is_implied_by(by))
}

/// What one row, and what several, of a grouping are called.
const fn nouns(by: GroupBy) -> (&'static str, &'static str) {
    match by {
        GroupBy::Op => ("op", "ops"),
        GroupBy::Dedup => ("unique op", "unique ops"),
        GroupBy::OpGroup => ("op group", "op groups"),
        GroupBy::Category => ("category", "categories"),
        GroupBy::Kind => ("kind", "kinds"),
        GroupBy::Phase => ("phase", "phases"),
        GroupBy::Layer => ("layer", "layers"),
        GroupBy::Scope => ("scope", "scopes"),
        GroupBy::Source => ("source", "sources"),
        GroupBy::Program => ("program", "programs"),
    }
}

/// "357 ops", "1 category".
pub fn counted(by: GroupBy, n: u32) -> String {
    let (one, many) = nouns(by);
    format::counted(n.into(), one, many)
}

/// "ops".
pub const fn plural(by: GroupBy) -> &'static str {
    nouns(by).1
}

/// Whether a grouping's table can be sorted by `column`.
pub fn sortable(by: GroupBy, column: Column) -> bool {
    available(by).any(|cell| cell.column() == Some(column))
}

/// Room for the mark of a rate above its peak.
const MARK: usize = 2;

/// The wider of the head (with room for its arrow) and the widest value.
fn digits(cell: Cell, by: GroupBy, largest: &Largest, n_events: u64) -> Option<u32> {
    let units = Units::from_largest(largest);
    let widest = match cell {
        Cell::Name => return None,
        Cell::SelfTime => format::time(largest.total, units.total).len().max(7),
        Cell::Mean | Cell::Min | Cell::Max => format::time(largest.mean, units.mean).len().max(7),
        Cell::Inclusive => format::time(largest.inclusive, units.inclusive).len(),
        Cell::Step => 13,
        Cell::Cumulative | Cell::OfKind => 5,
        Cell::Kind | Cell::Phase => 12,
        Cell::Category => 18,
        Cell::OpGroup | Cell::Layer => 16,
        Cell::Dtype => 6,
        Cell::Runs => format::count(n_events).len(),
        Cell::Rate => largest.flop_rate.map_or(1, |rate| format::tflops(rate).len() + MARK),
        Cell::Bytes => largest.byte_rate.map_or(1, |rate| format::gbs(rate).len().min(8) + MARK),
        Cell::Source | Cell::Scope | Cell::Shape | Cell::Program => TEXT_ROOM,
        Cell::Intensity => 7,
    };
    let head = cell.head(by).chars().count() + cell.unit(units).chars().count() + 2;
    u32::try_from(widest.max(head)).ok()
}

/// Characters of a source line, a shape, a scope in its column.
pub const TEXT_ROOM: usize = 24;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Sort;
    use crate::units::Picos;

    fn cells(by: GroupBy, width: f64, wanted: Option<&[Cell]>) -> Vec<Cell> {
        let largest = Largest { total: Picos(6_251_000_000), mean: Picos(390_000_000), ..Largest::default() };
        let columns = choose(
            Basis { by, largest: &largest, n_events: 2_400, wanted },
            Measure { width, row: if width < table::TWO_LINES { 40.0 } else { 24.0 }, ..Measure::START },
        );
        columns.iter().map(|column| Cell::of_key(&column.id).expect("its own name")).collect()
    }

    #[test]
    fn wide_screens_have_the_usual_columns_and_wider_ones_more() {
        assert_eq!(cells(GroupBy::Op, 1440.0, None), ALL[..USUAL]);
        // No head and no total is cut, so the first column in the order of priority goes.
        let at_1200: Vec<Cell> = ALL[..USUAL].iter().copied().filter(|cell| *cell != Cell::Cumulative).collect();
        assert_eq!(cells(GroupBy::Op, 1200.0, None), at_1200);
        assert_eq!(cells(GroupBy::Op, 3840.0, None), ALL[..USUAL + 5]);
    }

    #[test]
    fn columns_go_by_priority() {
        let at_1000 = cells(GroupBy::Op, 1000.0, None);
        assert!(!at_1000.contains(&Cell::Cumulative) && !at_1000.contains(&Cell::Runs), "{at_1000:?}");
        assert!(at_1000.contains(&Cell::Kind) && at_1000.contains(&Cell::Mean), "{at_1000:?}");
        assert_eq!(cells(GroupBy::Op, 719.0, None), [Cell::Name, Cell::SelfTime, Cell::Step]);
    }

    #[test]
    fn what_was_asked_for_is_shown_in_its_order() {
        let wanted = [Cell::Runs, Cell::Name, Cell::SelfTime];
        assert_eq!(cells(GroupBy::Op, 1440.0, Some(&wanted)), [Cell::Name, Cell::Runs, Cell::SelfTime]);
    }

    #[test]
    fn a_grouping_drops_what_it_says_itself() {
        assert!(!cells(GroupBy::Category, 1440.0, None).contains(&Cell::Category));
        assert!(!cells(GroupBy::Kind, 1440.0, None).contains(&Cell::Kind));
        assert!(!cells(GroupBy::Source, 1440.0, None).contains(&Cell::Source));
        assert!(sortable(GroupBy::Op, Column::Source) && !sortable(GroupBy::Kind, Column::Source));
    }

    #[test]
    fn names_are_distinct_and_lead_back() {
        for cell in ALL {
            assert_eq!(Cell::of_key(cell.key()), Some(cell));
        }
        assert_eq!(Cell::of_key("colour"), None);
        assert_eq!(Cell::of_column(Column::Total), Some(Cell::SelfTime));
    }

    #[test]
    fn figures_sort_largest_first() {
        assert_eq!(Cell::SelfTime.natural(), Some(Sort { column: Column::Total, descending: true }));
        assert_eq!(Cell::Name.natural(), Some(Sort { column: Column::Name, descending: false }));
        assert_eq!(Cell::Cumulative.natural(), None);
    }
}
