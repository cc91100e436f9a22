//! This module computes the layout of a table: the columns that fit, their widths, and the rows of open groups. All
//! views use it. It does not depend on the meaning of rows or on a browser.
//!
//! ```text
//!  report rows ──(columns, rows: one pair per view)──► Column, Row ──(view::widgets::table)──► the screen
//! ```

use crate::table::page::Cell;
pub use crate::table::page::Head as Column;
use crate::table::page::{ColumnVisibility, STRETCH};
use crate::table::text::file_name_text;
use xla_profile::small_sort::SmallSort;

/// Returns the columns that fit, always including the sort column. Rows of two lines have only the columns with
/// priority 0.
pub fn fitting_columns(mut columns: Vec<Column>, sorted: &str, measure: Measure) -> Vec<Column> {
    columns.retain(|column| column.visibility != ColumnVisibility::Chosen || column.id == sorted);
    if measure.two_lines() {
        columns.retain(|column| column.priority == 0 || column.id == sorted);
    }
    let enough = (measure.width / 3.0).min(ENOUGH);
    for (visibility, name) in [(ColumnVisibility::Wide, enough), (ColumnVisibility::Usual, FEW_WORDS)] {
        while measure.width - taken(&columns, measure.digit) < name {
            let in_question = columns.iter().filter(|column| column.id != sorted && column.visibility == visibility);
            let dropped = in_question.map(|column| column.priority).max().filter(|priority| *priority > 0);
            let Some(dropped) = dropped else { break };
            columns.retain(|column| column.priority != dropped || column.id == sorted);
        }
    }
    stretched(columns, measure)
}

/// Gives the width that names do not need to the columns whose texts are often cut.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number of characters")]
fn stretched(mut columns: Vec<Column>, measure: Measure) -> Vec<Column> {
    let names = columns.first().and_then(|column| column.longest).map_or(WIDEST, |longest| {
        (f64::from(longest) * measure.letter + PADDING * 4.0).clamp(ENOUGH.min(measure.width / 3.0), WIDEST)
    });
    let spare = (measure.width - taken(&columns, measure.digit) - names).max(0.0) / measure.digit;
    // Of texts that are not cut, the rest of the width goes to those that are.
    let needs = |column: &Column| match (column.stretches, column.digits, column.longest) {
        (true, Some(digits), Some(longest)) => (longest + 1).min(digits.saturating_mul(STRETCH)).saturating_sub(digits),
        (true, Some(digits), None) => digits.saturating_mul(STRETCH - 1),
        _ => 0,
    };
    let (mut spare, mut n) = (spare as u32, columns.iter().filter(|column| needs(column) > 0).count() as u32);
    let mut stretching: Vec<&mut Column> = columns.iter_mut().filter(|column| needs(column) > 0).collect();
    stretching.small_sort_by_key(|column| needs(column));
    for column in stretching {
        let more = needs(column).min(spare / n.max(1));
        column.digits = column.digits.map(|digits| digits.saturating_add(more));
        (spare, n) = (spare - more, n - 1);
    }
    columns
}

/// Returns the name column, then the columns that the user has selected, in their order. Rows of two lines have only
/// the columns with priority 0.
pub fn chosen(columns: &[Column], ids: &[String], sorted: &str, measure: Measure) -> Vec<Column> {
    if measure.two_lines() {
        return fitting_columns(columns.to_vec(), sorted, measure);
    }
    let others = ids.iter().filter_map(|id| columns.iter().skip(1).find(|column| column.id == *id));
    stretched(columns.first().into_iter().chain(others).cloned().collect(), measure)
}

/// A row of the table.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Cells, one per column.
    pub cells: Vec<Cell>,
    /// Whether the rows inside this row are shown. `None` if the row has no rows inside.
    pub open: Option<bool>,
    /// Whether the row reserves space for the button that opens a row, because other rows have one. Names then line up.
    pub has_toggle_space: bool,
    /// Whether the row is inside the row above it.
    pub inner: bool,
    pub selected: bool,
    /// Whether a click on the name opens details.
    pub opens_details: bool,
}

/// Window width in px below which rows have two lines. The style sheet has the same number.
pub const TWO_LINES: f64 = 720.0;
/// Height in px that separates rows of one line from rows of two lines.
const TWO_LINES_HEIGHT: f64 = 36.0;
/// Width in px of the name column that is enough to show columns of [`ColumnVisibility::Usual`].
const FEW_WORDS: f64 = 160.0;
/// Width in px of the name column, above which columns that stretch take the rest.
const WIDEST: f64 = 480.0;
/// Width in px of the name column that is enough to show columns of [`ColumnVisibility::Wide`].
const ENOUGH: f64 = 260.0;
/// Sum of the left and right padding of a cell, in px.
const PADDING: f64 = 16.0;

/// Largest additional width of the last column in px: the column ends at the margin of the page.
const EDGE: f64 = 16.0;

/// Sizes in px: of the table and of its text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measure {
    pub width: f64,
    pub row: f64,
    pub digit: f64,
    /// Width of a monospaced letter.
    pub letter: f64,
}

impl Measure {
    /// Default sizes, used before the first measurement.
    pub const START: Self = Self { width: 1200.0, row: 24.0, digit: 7.0, letter: 7.0 };

    /// Returns true if rows have two lines. The test uses the height of a row, because a table can be narrow on a wide
    /// screen.
    pub fn two_lines(&self) -> bool {
        self.row > TWO_LINES_HEIGHT
    }
}

fn taken(columns: &[Column], digit: f64) -> f64 {
    columns.iter().filter_map(|c| width(c, None)).map(|n| n * digit + PADDING).sum::<f64>() + EDGE
}

/// Returns the estimated largest width of a text, in digits of its font size. Letters have different widths in the
/// fonts of different systems.
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

/// Width of bold letters relative to normal ones. The heading of the sort column and the totals are bold.
const BOLD: f64 = 1.12;
/// Width of the sort arrow in a heading and of the gaps between the heading's parts, in digits.
const ARROW: f64 = 2.6;

/// Returns the width of a column in digits: the width of its rows, but at least that of its heading and of its total.
/// `None` for the column that takes the remaining width.
fn width(column: &Column, foot: Option<&str>) -> Option<f64> {
    let arrow = if column.sort.is_some() { ARROW } else { 0.6 };
    let head = (letters(&column.head) + letters(&column.unit)) * BOLD + arrow;
    let foot = foot.map_or(0.0, |text| letters(text) * BOLD);
    Some(f64::from(column.digits?).max(head).max(if column.numeric { foot } else { 0.0 }))
}

/// Returns the number of characters of a name that fit, at least 8.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a handful of characters")]
pub fn name_room(columns: &[Column], measure: Measure) -> usize {
    ((measure.width - taken(columns, measure.digit) - PADDING * 1.5) / measure.letter).max(8.0) as usize
}

/// Returns the value of `grid-template-columns`. The name column takes the remaining width, and has a minimum width.
pub fn template(columns: &[Column], measure: Measure, foot: &[(String, String)]) -> String {
    let track = |(index, column): (usize, &Column)| match width(column, total(foot, column)) {
        Some(digits) if index + 1 == columns.len() => format!("calc({digits:.1}ch + {PADDING}px + {LAST})"),
        Some(digits) => format!("calc({digits:.1}ch + {PADDING}px)"),
        None => format!("minmax({}px, 1fr)", min_name_width(measure)),
    };
    columns.iter().enumerate().map(track).collect::<Vec<_>>().join(" ")
}

/// Additional width of the last column, in CSS syntax.
const LAST: &str = "var(--gutter) - 8px";

/// Returns the width below which the table scrolls sideways, in CSS syntax. The width does not depend on the names in
/// the rows.
pub fn narrowest(columns: &[Column], measure: Measure, foot: &[(String, String)]) -> String {
    let digits: f64 = columns.iter().filter_map(|column| width(column, total(foot, column))).sum();
    let padded = columns.iter().filter(|column| column.digits.is_some()).map(|_| PADDING).sum::<f64>();
    let names = columns
        .iter()
        .filter(|column| column.digits.is_none())
        .map(|_| f64::from(min_name_width(measure)))
        .sum::<f64>();
    format!("calc({digits:.1}ch + {}px + {LAST})", padded + names)
}

/// Returns the minimum width of the name column, in px.
fn min_name_width(measure: Measure) -> u32 {
    if measure.two_lines() { 96 } else { 160 }
}

fn total<'a>(foot: &'a [(String, String)], column: &Column) -> Option<&'a str> {
    foot.iter().find(|(id, _)| *id == column.id).map(|(_, text)| text.as_str())
}

/// Mapping between the rows on the screen (flat rows) and groups with open rows inside. A closed group is one flat row.
///
/// ```text
///  flat    0   1   2   3   4   5           open = [(1, 2)]: group 1 contains two rows
///  group   0   1  1.0 1.1  2   3
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Folds {
    /// Open groups in ascending order, with the number of rows inside each.
    pub open: Vec<(u32, u32)>,
}

impl Folds {
    /// Returns the group of a flat row, and the index of the row inside the group. `None` for the row of the group
    /// itself.
    pub fn find(&self, flat: u32) -> (u32, Option<u32>) {
        let mut before = 0;
        for (group, inner) in &self.open {
            let position = group.saturating_add(before);
            if flat <= position {
                break;
            }
            if flat - position <= *inner {
                return (*group, Some(flat - position - 1));
            }
            before = before.saturating_add(*inner);
        }
        (flat - before, None)
    }

    /// Returns the flat row of a group.
    pub fn flat(&self, group: u32) -> u32 {
        let before = self.open.iter().take_while(|(open, _)| *open < group).map(|(_, inner)| *inner);
        before.fold(group, u32::saturating_add)
    }

    /// Returns the number of flat rows.
    pub fn count(&self, groups: u32) -> u32 {
        self.open.iter().map(|(_, inner)| *inner).fold(groups, u32::saturating_add)
    }

    /// Opens a group with `inner` rows, or closes it. A group with 0 rows does not open.
    pub fn toggle(&mut self, group: u32, inner: u32) {
        match self.open.binary_search_by_key(&group, |(open, _)| *open) {
            Ok(index) => drop(self.open.remove(index)),
            Err(index) if inner > 0 => self.open.insert(index, (group, inner)),
            Err(_) => {}
        }
    }

    /// Returns true if a group is open.
    pub fn is_open(&self, group: u32) -> bool {
        self.open.iter().any(|(open, _)| *open == group)
    }
}

/// Returns the name of a saved table or chart: "run-1 breakdown by op.csv" for "run-1.xplane.pb".
pub fn file_name(capture: &str, what: &str, end: &str) -> String {
    let stem = capture.trim_end_matches(".gz").trim_end_matches(".xz");
    let stem = stem.trim_end_matches(".pb").trim_end_matches(".xplane");
    let stem: String = file_name_text(stem).chars().take(80).collect();
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
        Column {
            id,
            head,
            unit,
            numeric,
            digits,
            sort: None,
            priority: 0,
            visibility: ColumnVisibility::Usual,
            stretches: false,
            longest: None,
            about,
            tip: 0,
        }
    }

    #[test]
    fn columns_go_by_priority_until_the_name_has_room() {
        let with = |id, priority, visibility| Column { priority, visibility, ..column(id, Some(20)) };
        let all = vec![
            column("name", None),
            with("a", 1, ColumnVisibility::Usual),
            with("b", 2, ColumnVisibility::Usual),
            with("c", 0, ColumnVisibility::Usual),
            with("d", 3, ColumnVisibility::Wide),
            with("e", 4, ColumnVisibility::Chosen),
        ];
        let ids = |columns: Vec<Column>| columns.into_iter().map(|column| column.id).collect::<Vec<_>>();
        let fitting = |width, sorted| ids(fitting_columns(all.clone(), sorted, Measure { width, ..Measure::START }));
        assert_eq!(fitting(1200.0, "a"), ["name", "a", "b", "c", "d"]);
        assert_eq!(fitting(899.0, "a"), ["name", "a", "b", "c"], "names keep 260 px");
        assert_eq!(fitting(520.0, "c"), ["name", "a", "c"]);
        assert_eq!(fitting(520.0, "b"), ["name", "b", "c"], "the column that orders rows stays");
        assert_eq!(fitting(300.0, "c"), ["name", "c"]);
        assert_eq!(fitting(1200.0, "e"), ["name", "a", "b", "c", "d", "e"]);
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
    fn columns_that_are_cut_take_what_names_do_not_need() {
        let cut = |longest| Column { stretches: true, longest, ..column("cut", Some(20)) };
        let digits = |names, longest, width| {
            let names = Column { longest: names, ..column("name", None) };
            let all = vec![names, cut(longest), column("other", Some(20)), cut(longest)];
            let shown = fitting_columns(all, "name", Measure { width, ..Measure::START });
            [shown[1].digits, shown[3].digits]
        };
        assert_eq!(digits(None, None, 900.0), [Some(20); 2]);
        assert_eq!(digits(None, None, 1104.0), [Some(30); 2], "names have 480 px");
        assert_eq!(digits(None, None, 4000.0), [Some(60); 2]);
        assert_eq!(digits(Some(10), None, 884.0), [Some(30); 2], "short names have 260 px");
        assert_eq!(digits(Some(10), Some(24), 4000.0), [Some(25); 2], "texts are not cut");
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
