//! What stands in the table's cells. Knows groups and units; no browser.

use super::columns::{Cell, Units};
use crate::analysis::{Group, Peaks};
use crate::engine::RowsPage;
use crate::report::number::{self, ABSENT};
use crate::units::Picos;

/// A row, and the running sum that ends with it.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// The group.
    pub group: &'a Group,
    /// Self time of all rows up to and including this one.
    pub cumulative: Picos,
}

/// The row at `index` of the whole table, if this page holds it.
pub fn find(page: &RowsPage, index: u32) -> Option<Row<'_>> {
    let at = usize::try_from(index.checked_sub(page.query.first)?).ok()?;
    let group = page.rows.get(at)?;
    let cumulative = page.before + page.rows.iter().take(at + 1).map(|row| row.total).sum::<Picos>();
    Some(Row { group, cumulative })
}

/// The text of a cell.
pub fn text(cell: Cell, row: Row<'_>, window: Option<Picos>, units: Units) -> String {
    let group = row.group;
    let or_absent = |value: Option<String>| value.unwrap_or_else(|| ABSENT.to_owned());
    match cell {
        Cell::Name => group.key.clone(),
        Cell::SelfTime => number::time(group.total, units.total),
        Cell::Step => or_absent(group.of_step.map(number::percent)),
        Cell::Cumulative => or_absent(window.and_then(|w| row.cumulative.fraction_of(w)).map(number::percent)),
        Cell::Kind => group.kind.short().to_owned(),
        Cell::Category => or_absent(group.main_category().map(str::to_owned)),
        Cell::Runs => number::count(group.n_executions),
        Cell::Mean => or_absent(group.mean.map(|mean| number::time(mean, units.mean))),
        Cell::Rate => or_absent(group.flop_rate().map(number::tflops)),
        Cell::Bytes => or_absent(group.byte_rate().map(bytes_rate)),
        Cell::Source => or_absent(group.source_inner.as_deref().map(|source| short_source(source, SOURCE_ROOM))),
    }
}

/// A rate in GB/s. The start of an asynchronous copy carries all its bytes and next to no time: beyond what any
/// chip does, digits say nothing, and the tooltip has both inputs.
fn bytes_rate(byte_per_s: f64) -> String {
    if byte_per_s < 1e15 { number::gbs(byte_per_s) } else { ">999,999".to_owned() }
}

/// The second line of a row on a narrow screen, after its kind.
pub fn second_line(group: &Group) -> Option<&str> {
    group.source_inner.as_deref().map(last_segment).or_else(|| group.main_category())
}

/// Whether a rate lies above what the device can do: shown as it is, and marked.
pub fn is_above(cell: Cell, group: &Group, peaks: Peaks) -> bool {
    match cell {
        Cell::Rate => Peaks::is_above(group.flop_rate(), peaks.flops),
        Cell::Bytes => Peaks::is_above(group.byte_rate(), peaks.hbm_bytes),
        _ => false,
    }
}

/// Characters of a source line in its column.
pub const SOURCE_ROOM: usize = 24;

/// A source line without its folders, cut in the middle: the line number stays.
pub fn short_source(source: &str, room: usize) -> String {
    number::middle_cut(last_segment(source), room)
}

/// "axes_scan.py:166" of "/home/me/axes_scan.py:166".
pub fn last_segment(path: &str) -> &str {
    path.rsplit('/').next().filter(|last| !last.is_empty()).unwrap_or(path)
}

/// How long the bar of a row is: its share of the largest row, 0 to 1.
pub fn bar(group: &Group, largest: Picos) -> f64 {
    group.total.fraction_of(largest).unwrap_or(0.0).clamp(0.0, 1.0)
}

/// What a tooltip says: a name, then a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tip {
    /// The whole name.
    pub title: String,
    /// Exact values.
    pub rows: Vec<(String, String)>,
}

/// What a cell's tooltip says, where it has more to say than the cell.
pub fn tip(cell: Cell, row: Row<'_>) -> Option<Tip> {
    let group = row.group;
    let mut rows: Vec<(String, String)> = Vec::new();
    let mut say = |label: &str, value: Option<String>| rows.extend(value.map(|value| (label.to_owned(), value)));
    match cell {
        Cell::Name => {
            say("Program", group.program.clone());
            say("Category", group.main_category().map(str::to_owned));
            say("Result", group.shapes.first().cloned());
            say("Scope", group.tf_op.clone());
            say("Source", group.source_inner.clone());
            return Some(Tip { title: group.key.clone(), rows });
        }
        Cell::SelfTime | Cell::Step => {
            say("Self", Some(number::exact_time(group.total)));
            say("With what runs inside", Some(number::exact_time(group.inclusive)));
            say("Of its kind", group.of_kind.map(number::percent_text));
        }
        Cell::Mean | Cell::Runs => {
            say("Executions", Some(number::count(group.n_executions)));
            say("Mean", group.mean.map(number::exact_time));
            say("Shortest", Some(number::exact_time(group.min)));
            say("Longest", Some(number::exact_time(group.max)));
        }
        Cell::Cumulative => say("Self time up to here", Some(number::exact_time(row.cumulative))),
        Cell::Rate => {
            say("Floating point operations", Some(number::quantity(group.flops?)));
            say("Self", Some(number::exact_time(group.total)));
        }
        Cell::Bytes => {
            say("Bytes accessed", Some(number::quantity(group.bytes_accessed?)));
            say("Self", Some(number::exact_time(group.total)));
        }
        Cell::Category => {
            let by_time = |(name, share): (&String, &crate::analysis::Share)| {
                (name.clone(), format!("{}, {}", number::time_text(share.dur), number::counted(share.n, "run", "runs")))
            };
            rows.extend(group.categories.iter().take(8).map(by_time));
        }
        Cell::Source => {
            let frames = group.source_stack.as_deref().or(group.source_inner.as_deref())?;
            rows.extend(frames.lines().take(12).map(|frame| (String::new(), frame.to_owned())));
        }
        Cell::Kind => say("Kind", Some(group.kind.label().to_owned())),
    }
    Some(Tip { title: group.key.clone(), rows })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::{Kind, Query, Share};
    use crate::engine::{RowsQuery, Sort};
    use crate::report::number::TimeUnit;

    fn group(key: &str, total: u64) -> Group {
        Group {
            key: key.to_owned(),
            key_kind: "op".to_owned(),
            kind: Kind::Compute,
            program: None,
            program_id: None,
            n_executions: 16,
            total: Picos(total),
            inclusive: Picos(total),
            min: Picos(1),
            max: Picos(2),
            mean: Some(Picos(total / 16)),
            of_step: Some(0.051),
            of_kind: None,
            flops: Some(2e9),
            model_flops: None,
            bytes_accessed: None,
            categories: [("a", 5), ("b", 9), ("c", 9)]
                .map(|(name, dur)| (name.to_owned(), Share { n: 1, dur: Picos(dur) }))
                .into(),
            parts: Vec::new(),
            op_group: None,
            phase: None,
            layer: None,
            dtypes: Vec::new(),
            shapes: Vec::new(),
            source_stack: None,
            source_inner: Some("/home/me/linears.py:118".to_owned()),
            tf_op: None,
            example: None,
            example_dur: None,
        }
    }

    fn page() -> RowsPage {
        let query = RowsQuery { query: Query::default(), sort: Sort::default(), first: 128, count: 2 };
        RowsPage { query, rows: vec![group("x", 1_000_000_000), group("y", 500_000_000)], before: Picos(10) }
    }

    #[test]
    fn the_running_sum_starts_where_the_page_starts() {
        let page = page();
        assert_eq!(find(&page, 128).map(|row| row.cumulative), Some(Picos(1_000_000_010)));
        assert_eq!(find(&page, 129).map(|row| row.cumulative), Some(Picos(1_500_000_010)));
        assert!(find(&page, 130).is_none() && find(&page, 127).is_none());
    }

    #[test]
    fn cells_say_what_is_there_and_what_is_not() {
        let page = page();
        let units = Units { total: TimeUnit::Ms, mean: TimeUnit::Us };
        let row = find(&page, 128).expect("first row");
        let text = |cell| text(cell, row, Some(Picos(2_000_000_020)), units);
        assert_eq!([text(Cell::Name), text(Cell::SelfTime), text(Cell::Step)], ["x", "1.000", "5.1"]);
        assert_eq!([text(Cell::Cumulative), text(Cell::Mean), text(Cell::Runs)], ["50.0", "62.5", "16"]);
        assert_eq!([text(Cell::Rate), text(Cell::Bytes), text(Cell::Source)], ["2.0", ABSENT, "linears.py:118"]);
        assert_eq!([text(Cell::Kind), text(Cell::Category)], ["compute", "b"]);
        assert!((bar(row.group, Picos(2_000_000_000)) - 0.5).abs() < 1e-9);
        assert_eq!(second_line(row.group), Some("linears.py:118"));
    }

    #[test]
    fn tooltips_are_exact() {
        let page = page();
        let row = find(&page, 128).expect("first row");
        let self_time = tip(Cell::SelfTime, row).expect("has one");
        assert_eq!(self_time.rows.first().map(|(_, value)| value.as_str()), Some("1,000,000,000 ps"));
        assert!(tip(Cell::Bytes, row).is_none());
        let timeless = Group { bytes_accessed: Some(1.0), total: Picos::ZERO, ..group("a", 0) };
        assert_eq!(timeless.byte_rate(), None, "no rate without time");
        let fast = Group { bytes_accessed: Some(2e12), ..group("b", 1_000_000_000_000) };
        let peaks = Peaks { flops: None, hbm_bytes: Some(1e12) };
        assert!(is_above(Cell::Bytes, &fast, peaks) && !is_above(Cell::Rate, &fast, peaks));
        assert_eq!([bytes_rate(1.3e12), bytes_rate(4e18)], ["1,300", ">999,999"]);
    }
}
