//! What stands in the table's cells. This module knows groups and units; no browser.

use super::cell::{Cell, Units};
use super::columns::{self, TEXT_ROOM};
use super::figures;
use crate::analysis::base::{FilterField, GroupBy, Peaks, Query};
use crate::analysis::breakdown::{Group, Part};
use crate::analysis::classify::Kind;
use crate::chart::plot::label::last_segment;
use crate::chart::plot::time_part::Slot;
use crate::chart::widgets::table::{self, Measure};
use crate::protocol::{BreakdownHead, RowsPage};
use crate::report::row_label;
use crate::table::format::{self, ABSENT};
use crate::table::page::{Cell as Content, Mark, Name, row_key};
use crate::units::Picos;

/// A row, and the running sum that ends with it.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// The group.
    pub group: &'a Group,
    /// Self time of all rows up to and including this one.
    pub cumulative: Picos,
    /// The rows told with it, which its name must not be taken for.
    pub beside: &'a [Group],
}

/// The row at `index` of the whole table, if this page holds it.
pub fn find(page: &RowsPage, index: u32) -> Option<Row<'_>> {
    let at = usize::try_from(index.checked_sub(page.query.first)?).ok()?;
    let group = page.rows.get(at)?;
    let cumulative = page.before + page.rows.iter().take(at + 1).map(|row| row.total).sum::<Picos>();
    Some(Row { group, cumulative, beside: &page.rows })
}

/// What all rows of a table share.
#[derive(Clone, Copy, Debug)]
pub struct RowOptions {
    by: GroupBy,
    window: Option<Picos>,
    units: Units,
    peaks: Peaks,
    largest: Picos,
    room: usize,
    two_lines: bool,
}

impl RowOptions {
    /// The look of a breakdown's table.
    pub fn new(head: &BreakdownHead, columns: &[table::Column], measure: Measure) -> Self {
        Self {
            by: head.query.by,
            window: head.header.step_duration,
            units: Units::from_largest(&head.largest),
            peaks: head.header.peaks,
            largest: head.largest.total,
            room: table::name_room(columns, measure),
            two_lines: measure.two_lines(),
        }
    }
}

/// A group as a row.
pub fn row(row: Row<'_>, columns: &[table::Column], options: RowOptions, open: bool, selected: bool) -> table::Row {
    let cells = columns.iter().map(|c| Cell::of_key(&c.id).map_or(Content::Absent, |cell| content(cell, row, options)));
    let room = folds(options.by);
    let folds = room && row.group.parts.len() > 1;
    table::Row { cells: cells.collect(), open: folds.then_some(open), room, inner: false, selected, tells: !room }
}

/// One of the signatures that a group's time is made of, as a row below it.
pub fn inner(part: &Part, columns: &[table::Column], options: RowOptions) -> table::Row {
    let share = part.total.fraction_of(options.largest).unwrap_or(0.0);
    let mean = part.total.0.checked_div(part.n).map(Picos);
    let one = |cell: Cell| match cell {
        Cell::Name => Content::Name(Name {
            text: format::middle_cut(&part.signature, options.room.saturating_sub(3)),
            mono: true,
            ..Name::default()
        }),
        Cell::SelfTime => Content::Text(format::time(part.total, options.units.total)),
        Cell::Step => options
            .window
            .and_then(|w| part.total.fraction_of(w))
            .map_or(Content::Absent, |of| Content::Bar(share, format::percent(of))),
        Cell::Category => part.category.clone().map_or(Content::Absent, Content::Soft),
        Cell::Runs => Content::Soft(format::count(part.n)),
        Cell::Mean => mean.map_or(Content::Absent, |mean| Content::Text(format::time(mean, options.units.mean))),
        _ => Content::Soft(String::new()),
    };
    let cells = columns.iter().map(|c| Cell::of_key(&c.id).map_or(Content::Absent, one)).collect();
    table::Row { cells, open: None, room: false, inner: true, selected: false, tells: false }
}

/// What stands in a cell.
pub fn content(cell: Cell, row: Row<'_>, options: RowOptions) -> Content {
    let group = row.group;
    let text = text(cell, row, options.window, options.units);
    if cell == Cell::Name {
        return Content::Name(name(group, row.beside, options));
    }
    if text == ABSENT {
        return Content::Absent;
    }
    match cell {
        Cell::Step => Content::Bar(bar(group, options.largest), text),
        Cell::Kind => Content::Marked(time_mark(Slot::Kind(group.kind)), text),
        _ if is_above(cell, group, options.peaks) => Content::Above(text),
        Cell::SelfTime
        | Cell::Mean
        | Cell::Rate
        | Cell::Bytes
        | Cell::Inclusive
        | Cell::Min
        | Cell::Max
        | Cell::Intensity => Content::Text(text),
        _ => Content::Soft(text),
    }
}

fn time_mark(slot: Slot) -> Mark {
    Mark::Time(slot.class().to_owned())
}

/// The name; on narrow screens with a second line, where kinds are groups with their swatch.
fn name(group: &Group, beside: &[Group], options: RowOptions) -> Name {
    let by_kind = options.by == GroupBy::Kind;
    let label = Kind::ALL.into_iter().find(|kind| by_kind && kind.key() == group.key).map(Kind::label);
    let plain =
        matches!(options.by, GroupBy::Kind | GroupBy::Category | GroupBy::OpGroup | GroupBy::Phase | GroupBy::Layer);
    let slot = Slot::Kind(group.kind);
    let second = options.two_lines.then(|| {
        if by_kind {
            return (None, format::counted(group.n_executions, "run", "runs"));
        }
        let kind = group.kind.short();
        let left = options.room.saturating_sub(kind.len() + 4);
        let beside =
            second_line(group).map_or_else(String::new, |source| format!(" · {}", format::middle_cut(source, left)));
        (Some(time_mark(slot)), format!("{kind}{beside}"))
    });
    let text = label.map_or_else(|| row_label::label(group, beside, options.room), str::to_owned);
    let left = options.room.saturating_sub(text.chars().count() + 2);
    let kernel =
        group.kernel.as_deref().filter(|_| !options.two_lines && options.by == GroupBy::Op && left >= LEAST_KERNEL);
    Name {
        text,
        mono: !plain,
        mark: by_kind.then(|| time_mark(slot)),
        second,
        beside: kernel.map(|kernel| row_label::kernel(kernel, std::iter::empty(), left)),
    }
}

/// Letters of a kernel's name below which it says nothing beside its op's.
const LEAST_KERNEL: usize = 10;

/// The text of a cell.
pub fn text(cell: Cell, row: Row<'_>, window: Option<Picos>, units: Units) -> String {
    let group = row.group;
    let or_absent = |value: Option<String>| value.unwrap_or_else(|| ABSENT.to_owned());
    let counted = |time: Picos| (group.n_executions > 0).then(|| format::time(time, units.mean));
    match cell {
        Cell::Name => group.key.clone(),
        Cell::SelfTime => format::time(group.total, units.total),
        Cell::Step => or_absent(group.of_step.map(format::percent)),
        Cell::Cumulative => or_absent(window.and_then(|w| row.cumulative.fraction_of(w)).map(format::percent)),
        Cell::Kind => group.kind.short().to_owned(),
        Cell::Category => or_absent(group.main_category().map(str::to_owned)),
        Cell::Runs => format::count(group.n_executions),
        Cell::Mean => or_absent(group.mean.map(|mean| format::time(mean, units.mean))),
        Cell::Rate => or_absent(group.flop_rate().map(format::tflops)),
        Cell::Bytes => or_absent(group.byte_rate().map(bytes_rate)),
        Cell::Source => or_absent(group.source_inner.as_deref().map(|source| short_source(source, TEXT_ROOM))),
        Cell::Scope => or_absent(group.scope_leaf().map(|leaf| format::middle_cut(leaf, TEXT_ROOM))),
        Cell::Shape => or_absent(group.shapes.first().map(|shape| format::middle_cut(shape, TEXT_ROOM))),
        Cell::Phase => or_absent(group.phase.clone()),
        Cell::Min => or_absent(counted(group.min)),
        Cell::Max => or_absent(counted(group.max)),
        Cell::Inclusive => format::time(group.inclusive, units.inclusive),
        Cell::OfKind => or_absent(group.of_kind.map(format::percent)),
        Cell::OpGroup => or_absent(group.op_group.clone()),
        Cell::Layer => or_absent(group.layer.clone()),
        Cell::Dtype => or_absent(group.dtypes.first().cloned()),
        Cell::Program => or_absent(group.program.as_deref().map(|name| format::middle_cut(name, TEXT_ROOM))),
        Cell::Intensity => or_absent(group.intensity().map(format::intensity)),
    }
}

/// What a row is called in a selection: its key, and its program where it has one.
pub fn key(group: &Group) -> String {
    row_key(&group.key, group.program_id)
}

/// Whether rows of a grouping can show what their time is made of; ops are what it is made of.
pub const fn folds(by: GroupBy) -> bool {
    !matches!(by, GroupBy::Op)
}

/// The table's foot: the totals of what is shown, by column.
pub fn foot(head: &BreakdownHead) -> Vec<(String, String)> {
    let (shown, units) = (&head.shown, Units::from_largest(&head.largest));
    let name = if head.n_groups == shown.n_all {
        columns::counted(head.query.by, head.n_groups)
    } else {
        format!("{} of {}", format::count(head.n_groups.into()), columns::counted(head.query.by, shown.n_all))
    };
    let mut totals = vec![
        (Cell::Name.key().to_owned(), name),
        (Cell::SelfTime.key().to_owned(), format::time(shown.total, units.total)),
        (Cell::Runs.key().to_owned(), format::count(shown.n_events)),
    ];
    totals.extend(shown.of_step.map(|of| (Cell::Step.key().to_owned(), format::percent(of))));
    totals
}

/// What the filter lets through, in words; `None` without one.
pub fn filtered(head: &BreakdownHead) -> Option<String> {
    let filter = &head.query.filter;
    if filter.is_empty() {
        return None;
    }
    let of_all = columns::counted(head.query.by, head.shown.n_all);
    let share = head.shown.of_step.map_or_else(String::new, |of| {
        format!(", {} of the {}", format::percent_text(of), figures::whole(&head.header))
    });
    let mut words =
        format!("{} of {of_all}, {}{share}.", format::count(head.n_groups.into()), format::time_text(head.shown.total));
    if !filter.text.is_empty() && filter.within == FilterField::Anywhere {
        words.push_str(" Also counts ops whose outer scope matches.");
    }
    Some(words)
}

/// That nothing passes the filter.
pub fn none(query: &Query) -> String {
    let filter = &query.filter;
    let noun = columns::plural(query.by);
    if filter.text.is_empty() {
        return format!("No {noun} here.");
    }
    let place = match filter.within {
        FilterField::Leaf => "op names",
        FilterField::Source => "source lines",
        FilterField::Anywhere => "names and scope paths",
    };
    format!("No {noun} match “{}” in {place}.", filter.text)
}

/// A rate in GB/s. The start of an asynchronous copy carries all its bytes and next to no time: beyond what any
/// chip does, digits say nothing, and the tooltip has both inputs.
fn bytes_rate(byte_per_s: f64) -> String {
    if byte_per_s < 1e15 { format::gbs(byte_per_s) } else { ">999,999".to_owned() }
}

/// The second line of a row on a narrow screen, after its kind.
pub fn second_line(group: &Group) -> Option<&str> {
    let source = || group.source_inner.as_deref().map(last_segment);
    group.kernel.as_deref().or_else(source).or_else(|| group.main_category())
}

/// Whether a rate lies above what the device can do: shown as it is, and marked.
pub fn is_above(cell: Cell, group: &Group, peaks: Peaks) -> bool {
    match cell {
        Cell::Rate => Peaks::is_above(group.flop_rate(), peaks.flops),
        Cell::Bytes => Peaks::is_above(group.byte_rate(), peaks.hbm_bytes),
        _ => false,
    }
}

/// A source line without its folders, cut in the middle: the line number stays.
pub fn short_source(source: &str, room: usize) -> String {
    format::middle_cut(last_segment(source), room)
}

/// How long the bar of a row is: its share of the largest row, 0 to 1.
pub fn bar(group: &Group, largest: Picos) -> f64 {
    group.total.fraction_of(largest).unwrap_or(0.0).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::base::Query;
    use crate::analysis::breakdown::Share;
    use crate::analysis::classify::Kind;
    use crate::protocol::{RowsQuery, Sort};
    use crate::table::format::TimeUnit;

    fn group(key: &str, total: u64) -> Group {
        Group {
            key_kind: "op".to_owned(),
            kind: Kind::Compute,
            n_executions: 16,
            total: Picos(total),
            inclusive: Picos(total),
            min: Picos(1),
            max: Picos(2),
            mean: Some(Picos(total / 16)),
            of_step: Some(0.051),
            flops: Some(2e9),
            categories: [("a", 5), ("b", 9), ("c", 9)]
                .map(|(name, dur)| (name.to_owned(), Share { n: 1, dur: Picos(dur) }))
                .into(),
            source_inner: Some("/home/me/linears.py:118".to_owned()),
            ..Group::empty(key.to_owned())
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
        let units = Units { total: TimeUnit::Ms, mean: TimeUnit::Us, inclusive: TimeUnit::Ms };
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
        let self_time = crate::chart::breakdown::tips::tip(Cell::SelfTime, row).expect("has one");
        assert_eq!(self_time.rows.first().map(|(_, value)| value.as_str()), Some("1,000,000,000 ps"));
        assert!(crate::chart::breakdown::tips::tip(Cell::Bytes, row).is_none());
        let timeless = Group { bytes_accessed: Some(1.0), total: Picos::ZERO, ..group("a", 0) };
        assert_eq!(timeless.byte_rate(), None, "no rate without time");
        // The start of a copy of 5 GiB takes a tick of the clock.
        let of_start = |total, n| Group { bytes_accessed: Some(5.4e9), n_executions: n, ..group("copy-start", total) };
        let start = of_start(3_750, 3);
        assert_eq!((start.byte_rate(), is_above(Cell::Bytes, &start, Peaks::default())), (None, false));
        assert_eq!(of_start(299_999, 3).byte_rate(), None);
        assert!(of_start(300_000, 3).byte_rate().is_some());
        let fast = Group { bytes_accessed: Some(2e12), ..group("b", 1_000_000_000_000) };
        let peaks = Peaks { flops: None, hbm_bytes: Some(1e12) };
        assert!(is_above(Cell::Bytes, &fast, peaks) && !is_above(Cell::Rate, &fast, peaks));
        assert_eq!([bytes_rate(1.3e12), bytes_rate(4e18)], ["1,300", ">999,999"]);
    }
}
