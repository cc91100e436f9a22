//! A table as data: what its columns are, what stands in a cell, which columns fit. Every view's table is made of
//! these. This module knows widths and texts; not what a row stands for, and no browser.
//!
//! ```text
//!  report rows ──(columns, rows: one pair per view)──► Column, Row ──(view::widgets::table)──► the screen
//! ```

use crate::table::page::Cell;
pub use crate::table::page::Head as Column;
use crate::table::page::Room;

/// The columns that fit, and always the one that orders rows. Rows of two lines have only what is never left out.
pub fn fitting(mut columns: Vec<Column>, sorted: &str, measure: Measure) -> Vec<Column> {
    columns.retain(|column| column.room != Room::Chosen || column.id == sorted);
    if measure.two_lines() {
        columns.retain(|column| column.priority == 0 || column.id == sorted);
    }
    let few_words = if measure.width < FULL { 180.0 } else { 160.0 };
    for (room, name) in [(Room::Wide, measure.width / 3.0), (Room::Usual, few_words)] {
        while measure.width - taken(&columns, measure.digit) < name {
            let in_question = columns.iter().filter(|column| column.id != sorted && column.room == room);
            let dropped = in_question.map(|column| column.priority).max().filter(|priority| *priority > 0);
            let Some(dropped) = dropped else { break };
            columns.retain(|column| column.priority != dropped || column.id == sorted);
        }
    }
    columns
}

/// The columns that somebody has chosen, in their order, after the name. Rows of two lines have those that are never left out.
pub fn chosen(columns: &[Column], ids: &[String], sorted: &str, measure: Measure) -> Vec<Column> {
    if measure.two_lines() {
        return fitting(columns.to_vec(), sorted, measure);
    }
    let others = ids.iter().filter_map(|id| columns.iter().skip(1).find(|column| column.id == *id));
    columns.first().into_iter().chain(others).cloned().collect()
}

/// A row.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Its cells, one per column.
    pub cells: Vec<Cell>,
    /// Whether the rows it holds are shown; `None` where it holds none.
    pub open: Option<bool>,
    /// Other rows hold some: room is kept for the sign that opens them, so that names line up.
    pub room: bool,
    /// It is held by the row above.
    pub inner: bool,
    /// It is selected.
    pub selected: bool,
    /// Pressing its name tells more about it.
    pub tells: bool,
}

/// Below this width of the window a row has two lines, as the style sheet says.
pub const TWO_LINES: f64 = 720.0;
/// A row of one line is lower than this, in pixels, and a row of two lines is higher.
const TWO_LINES_HEIGHT: f64 = 36.0;
/// From this width on, columns are dropped only when the name has no room at all.
const FULL: f64 = 1200.0;
/// Pixels of padding in a cell.
const PADDING: f64 = 16.0;

/// Pixels that the last column has more, at most: it ends at the page's margin.
const EDGE: f64 = 16.0;

/// Sizes in pixels: of the table, and of what it is written in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measure {
    /// Of the table.
    pub width: f64,
    /// Of a row.
    pub row: f64,
    /// Of a digit.
    pub digit: f64,
    /// Of a monospaced letter.
    pub letter: f64,
}

impl Measure {
    /// Before anything was measured.
    pub const START: Self = Self { width: 1200.0, row: 24.0, digit: 7.0, letter: 7.0 };

    /// Rows have two lines. A table may be narrow on a wide screen, so the height of a row says it.
    pub fn two_lines(&self) -> bool {
        self.row > TWO_LINES_HEIGHT
    }
}

fn taken(columns: &[Column], digit: f64) -> f64 {
    columns.iter().filter_map(|c| width(c, None)).map(|n| n * digit + PADDING).sum::<f64>() + EDGE
}

/// How wide a text is at most, in digits of its own size: letters differ, and a font of another system has other ones.
fn letters(text: &str) -> f64 {
    let one = |letter: char| match letter {
        'm' | 'w' | 'M' | 'W' | '%' | '@' | 'Σ' => 1.5,
        'i' | 'j' | 'l' | 'I' | ' ' | '.' | ',' | '\'' | '|' => 0.6,
        'f' | 'r' | 't' | '/' | '(' | ')' | '-' => 0.75,
        'A'..='Z' => 1.15,
        _ => 1.0,
    };
    text.chars().map(one).sum()
}

/// Bold letters are wider: the head a table is sorted by, and the totals.
const BOLD: f64 = 1.12;
/// Digits that the arrow of an order takes in a head, and the gaps between its parts.
const ARROW: f64 = 2.6;

/// The width of a column in digits: what its rows need, never less than its head, nor than the total at its foot.
fn width(column: &Column, foot: Option<&str>) -> Option<f64> {
    let arrow = if column.sort.is_some() { ARROW } else { 0.6 };
    let head = (letters(&column.head) + letters(&column.unit)) * BOLD + arrow;
    let foot = foot.map_or(0.0, |text| letters(text) * BOLD);
    Some(f64::from(column.digits?).max(head).max(if column.numeric { foot } else { 0.0 }))
}

/// Characters of the name that fit.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a handful of characters")]
pub fn name_room(columns: &[Column], measure: Measure) -> usize {
    ((measure.width - taken(columns, measure.digit) - PADDING * 1.5) / measure.letter).max(8.0) as usize
}

/// The columns as CSS wants them: the name takes what is left, and never less than a few words.
pub fn template(columns: &[Column], measure: Measure, foot: &[(String, String)]) -> String {
    let track = |(at, column): (usize, &Column)| match width(column, total(foot, column)) {
        Some(digits) if at + 1 == columns.len() => format!("calc({digits:.1}ch + {PADDING}px + {LAST})"),
        Some(digits) => format!("calc({digits:.1}ch + {PADDING}px)"),
        None => format!("minmax({}px, 1fr)", least(measure)),
    };
    columns.iter().enumerate().map(track).collect::<Vec<_>>().join(" ")
}

/// What the last column has more, as CSS says it.
const LAST: &str = "var(--gutter) - 8px";

/// The width below which the table scrolls sideways, as CSS wants it: one for all rows, whatever their names are.
pub fn narrowest(columns: &[Column], measure: Measure, foot: &[(String, String)]) -> String {
    let digits: f64 = columns.iter().filter_map(|column| width(column, total(foot, column))).sum();
    let padded = columns.iter().filter(|column| column.digits.is_some()).map(|_| PADDING).sum::<f64>();
    let names = columns.iter().filter(|column| column.digits.is_none()).map(|_| f64::from(least(measure))).sum::<f64>();
    format!("calc({digits:.1}ch + {}px + {LAST})", padded + names)
}

/// The least width of the names.
fn least(measure: Measure) -> u32 {
    if measure.two_lines() { 96 } else { 160 }
}

fn total<'a>(foot: &'a [(String, String)], column: &Column) -> Option<&'a str> {
    foot.iter().find(|(id, _)| *id == column.id).map(|(_, text)| text.as_str())
}

/// Rows that hold others: which flat row is which. This module knows the open ones only; all others are one row each.
///
/// ```text
///  flat    0   1   2   3   4   5           open = [(1, 2)]: group 1 holds two rows
///  group   0   1  1.0 1.1  2   3
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Folds {
    /// Open groups and how many rows each holds, by group.
    pub open: Vec<(u32, u32)>,
}

impl Folds {
    /// The group of a flat row, and which of its rows it is.
    pub fn find(&self, flat: u32) -> (u32, Option<u32>) {
        let mut before = 0;
        for (group, inner) in &self.open {
            let at = group.saturating_add(before);
            if flat <= at {
                break;
            }
            if flat - at <= *inner {
                return (*group, Some(flat - at - 1));
            }
            before = before.saturating_add(*inner);
        }
        (flat - before, None)
    }

    /// The flat row of a group.
    pub fn flat(&self, group: u32) -> u32 {
        let before = self.open.iter().take_while(|(open, _)| *open < group).map(|(_, inner)| *inner);
        before.fold(group, u32::saturating_add)
    }

    /// Rows in all.
    pub fn count(&self, groups: u32) -> u32 {
        self.open.iter().map(|(_, inner)| *inner).fold(groups, u32::saturating_add)
    }

    /// Opens a group that holds `inner` rows, or closes it.
    pub fn toggle(&mut self, group: u32, inner: u32) {
        match self.open.binary_search_by_key(&group, |(open, _)| *open) {
            Ok(at) => drop(self.open.remove(at)),
            Err(at) if inner > 0 => self.open.insert(at, (group, inner)),
            Err(_) => {}
        }
    }

    /// Whether a group is open.
    pub fn is_open(&self, group: u32) -> bool {
        self.open.iter().any(|(open, _)| *open == group)
    }
}

/// "run-1 breakdown by op.csv" of "run-1.xplane.pb": what a saved table or picture is called.
pub fn file_name(capture: &str, what: &str, end: &str) -> String {
    let stem = capture.trim_end_matches(".gz").trim_end_matches(".xz");
    let stem = stem.trim_end_matches(".pb").trim_end_matches(".xplane");
    let stem: String =
        stem.chars().map(|c| if c.is_control() || "/\\:*?\"<>|".contains(c) { '-' } else { c }).take(80).collect();
    format!("{stem} {what}.{end}")
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn column(id: &'static str, digits: Option<u32>) -> Column {
        let (id, head) = (id.to_owned(), id.to_owned());
        let (unit, about) = (String::new(), String::new());
        let numeric = digits.is_some();
        Column { id, head, unit, numeric, digits, sort: None, priority: 0, room: Room::Usual, about, tip: 0 }
    }

    #[test]
    fn columns_go_by_priority_until_the_name_has_room() {
        let with = |id, priority, room| Column { priority, room, ..column(id, Some(20)) };
        let all = vec![
            column("name", None),
            with("a", 1, Room::Usual),
            with("b", 2, Room::Usual),
            with("c", 0, Room::Usual),
            with("d", 3, Room::Wide),
            with("e", 4, Room::Chosen),
        ];
        let ids = |columns: Vec<Column>| columns.into_iter().map(|column| column.id).collect::<Vec<_>>();
        let at = |width, sorted| ids(fitting(all.clone(), sorted, Measure { width, ..Measure::START }));
        assert_eq!(at(1200.0, "a"), ["name", "a", "b", "c", "d"]);
        assert_eq!(at(900.0, "a"), ["name", "a", "b", "c"], "names keep a third of the table");
        assert_eq!(at(520.0, "c"), ["name", "a", "c"]);
        assert_eq!(at(520.0, "b"), ["name", "b", "c"], "the column that orders rows stays");
        assert_eq!(at(300.0, "c"), ["name", "c"]);
        assert_eq!(at(1200.0, "e"), ["name", "a", "b", "c", "d", "e"]);
        let wanted = ["e", "name", "a", "unknown"].map(str::to_owned);
        assert_eq!(ids(chosen(&all, &wanted, "a", Measure::START)), ["name", "e", "a"]);
        let all = &all[..4];
        assert_eq!(
            template(&all[..2], Measure::START, &[]),
            "minmax(160px, 1fr) calc(20.0ch + 16px + var(--gutter) - 8px)"
        );
        assert_eq!(narrowest(all, Measure::START, &[]), "calc(60.0ch + 208px + var(--gutter) - 8px)");
        assert_eq!(name_room(&all[..2], Measure { width: 500.0, ..Measure::START }), 43);
    }

    #[test]
    fn a_column_is_as_wide_as_its_head_and_its_total() {
        let wide = |column: &Column, foot| width(column, foot).expect("it has a width");
        let median =
            Column { unit: "ms".to_owned(), head: "Median".to_owned(), sort: Some(true), ..column("median", Some(4)) };
        assert!(wide(&median, None) > 10.0, "{}", wide(&median, None));
        let sum = column("a", Some(4));
        assert!((wide(&sum, None) - 4.0).abs() < 1e-9);
        assert!(wide(&sum, Some("12,345.678")) > 10.0, "the total is longer than any row");
        let text = Column { numeric: false, ..sum };
        assert!((wide(&text, Some("12,345.678")) - 4.0).abs() < 1e-9, "only figures are never cut");
        let foot = [("a".to_owned(), "12,345.678".to_owned())];
        let all = [column("name", None), column("a", Some(4))];
        assert!(
            template(&all, Measure::START, &foot).contains("calc(10.3ch + 16px"),
            "{}",
            template(&all, Measure::START, &foot)
        );
    }

    #[test]
    fn saved_files_have_names_that_any_disk_takes() {
        assert_eq!(file_name("run-1.xplane.pb", "breakdown by op", "csv"), "run-1 breakdown by op.csv");
        assert_eq!(file_name("a/b:c.xplane.pb.gz", "scopes", "svg"), "a-b-c scopes.svg");
        assert_eq!(file_name("run-1.xplane.pb.xz", "scopes", "svg"), "run-1 scopes.svg");
    }

    proptest! {
        #[test]
        fn flat_rows_are_each_group_then_what_it_holds(toggles in prop::collection::vec((0u32..20, 0u32..4), 0..12)) {
            let mut folds = Folds::default();
            let mut by_width = std::collections::BTreeMap::new();
            for (group, inner) in toggles {
                folds.toggle(group, inner);
                if by_width.remove(&group).is_none() && inner > 0 {
                    by_width.insert(group, inner);
                }
            }
            let brute: Vec<(u32, Option<u32>)> = (0..20)
                .flat_map(|group| {
                    let inner = by_width.get(&group).copied().unwrap_or(0);
                    std::iter::once((group, None)).chain((0..inner).map(move |i| (group, Some(i))))
                })
                .collect();
            prop_assert_eq!(folds.count(20) as usize, brute.len());
            for (flat, expected) in brute.iter().enumerate() {
                prop_assert_eq!(folds.find(flat as u32), *expected);
                if expected.1.is_none() {
                    prop_assert_eq!(folds.flat(expected.0), flat as u32);
                }
            }
        }
    }
}
