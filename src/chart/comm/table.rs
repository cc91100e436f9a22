//! Communication as a table: columns, cells and totals; rows are loaded, and sorted here. This module knows rows; no browser.

use super::{rows, text, traffic};
use crate::analysis::breakdown::is_unrated;
use crate::analysis::comm::{CommBy, CommRow, Core};
use crate::chart::breakdown::Tip;
use crate::chart::widgets::table::{self, Column, Content, Measure, Name, Order};
use crate::protocol::CommView;
use crate::protocol::url::comm::CommRows;
use crate::table::format::{self, ABSENT, TimeUnit};
use crate::table::order::{SortKey, sort_rows, text_filter};
use crate::units::Picos;

/// A column: its id, head, unit, width in digits, whether it holds figures.
type Spec = (&'static str, &'static str, &'static str, u32, bool);

const ALL: [Spec; 15] = [
    ("name", "Collective", "", 0, false),
    ("stall", "Stall", "", 9, true),
    ("share", "Step", "%", 11, true),
    ("primitive", "Primitive", "", 16, false),
    ("group", "Groups", "", 15, false),
    ("axis", "Axis", "", 9, false),
    ("runs", "Count", "", 6, true),
    ("flight", "In flight", "", 10, true),
    ("exposed", "Exposed", "", 12, true),
    ("overlap", "Overlap", "%", 12, true),
    ("message", "Message", "MiB", 11, true),
    ("bus", "Bus", "GB/s", 9, true),
    ("peak", "% of peak", "%", 10, true),
    ("role", "Likely role", "", 21, false),
    ("source", "Source", "", 18, false),
];
/// Which go first where there is little room.
const DROP: [&str; 13] = [
    "source",
    "peak",
    "exposed",
    "role",
    "axis",
    "runs",
    "group",
    "message",
    "bus",
    "overlap",
    "flight",
    "primitive",
    "share",
];

/// As the first figure of the view: the longest stall comes first.
pub const USUAL: Order = Order { column: "stall", descending: true };

/// What cells are written in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Units {
    /// Of times.
    pub time: TimeUnit,
    /// The longest stall.
    pub largest: Picos,
    /// Length of what is requested.
    pub window: Option<Picos>,
    /// A topology is given.
    pub wired: bool,
}

impl Units {
    /// Of an answer's rows.
    pub fn from_view(view: &CommView, of: CommRows) -> Self {
        let all = rows(&view.comm, of);
        let longest = all.iter().map(|row| row.stall.max(row.overlap.in_flight)).max().unwrap_or_default();
        let largest = all.iter().map(|row| row.stall).max().unwrap_or_default();
        Self {
            time: TimeUnit::for_largest(longest),
            largest,
            window: view.comm.header.step_duration,
            wired: view.query.topology.is_some(),
        }
    }
}

/// The columns that fit; the one that orders rows always does.
pub fn columns(
    (of, by): (CommRows, CommBy),
    order: Order,
    units: Units,
    two_lines: bool,
    measure: Measure,
) -> Vec<Column> {
    let head = |id, head| match (id, by, of) {
        ("name", CommBy::Op, CommRows::Collectives) => "Collective",
        ("name", CommBy::Op, CommRows::Copies) => "Copy",
        ("name", _, _) => by.label(),
        ("bus", _, CommRows::Copies) => "Rate",
        _ => head,
    };
    let column = |(id, name, unit, digits, numeric): Spec| Column {
        id,
        head: head(id, name),
        unit: match id {
            "stall" | "flight" | "exposed" => units.time.symbol(),
            "peak" if !units.wired => "topology?",
            _ => unit,
        },
        numeric,
        digits: (digits > 0).then_some(digits),
        sort: Some(numeric),
    };
    // What the name says already, what rows have several of, what copies have none of.
    let has = |id: &str| match id {
        "group" | "axis" => of == CommRows::Collectives && by != CommBy::Primitive,
        "peak" | "role" => of == CommRows::Collectives,
        "primitive" => by != CommBy::Primitive,
        "source" => by == CommBy::Op,
        _ => true,
    };
    let mut columns: Vec<Column> = ALL.into_iter().filter(|spec| has(spec.0)).map(column).collect();
    if two_lines {
        columns.retain(|column| matches!(column.id, "name" | "stall") || column.id == order.column);
    }
    let drop: Vec<&str> = DROP.into_iter().filter(|id| *id != order.column).collect();
    table::fit_beside(150.0, &mut columns, &drop, measure);
    columns
}

/// Places of rows in an order; a filter's text is looked for in all that a row says. Ties stay as they come: what is exposed longest
/// first.
pub fn order(all: &[CommRow], order: Order, filter: &str) -> Vec<usize> {
    let contains = text_filter(filter);
    let matches = |row: &CommRow| {
        let group = row.group.as_ref();
        let texts = [
            &*row.key,
            row.primitive.map_or("", |primitive| primitive.key()),
            row.source.as_deref().unwrap_or_default(),
            row.scope.as_deref().unwrap_or_default(),
            group.map_or("", |group| &*group.text),
            group.and_then(|group| group.axis.as_deref()).unwrap_or_default(),
            row.role.map_or("", |role| role.label()),
        ];
        contains(&texts)
    };
    let places: Vec<usize> = (0..all.len()).filter(|at| matches(&all[*at])).collect();
    let keys = places.iter().map(|at| {
        let row = &all[*at];
        match order.column {
            "stall" | "share" => SortKey::Number(row.stall.0),
            "runs" => SortKey::Number(row.n),
            "flight" => SortKey::Number(row.overlap.in_flight.0),
            "exposed" => SortKey::Number(row.overlap.exposed.0),
            "overlap" => SortKey::real(row.overlap.share()),
            "message" => SortKey::number(row.bytes_each),
            "bus" => SortKey::real(row.rate()),
            "peak" => SortKey::real(row.util),
            column => match text(row, column, None) {
                text if text == ABSENT => SortKey::Absent,
                text => SortKey::Text(text.into()),
            },
        }
    });
    let ranks: Vec<u32> = (0..places.len() as u32).collect();
    sort_rows(&keys.collect::<Vec<_>>(), &ranks, order.descending).into_iter().map(|row| places[row as usize]).collect()
}

/// A row.
pub fn row(
    of: &CommRow,
    columns: &[Column],
    (room, units): (usize, Units),
    two_lines: bool,
    chosen: bool,
) -> table::Row {
    let cell = |column: &Column| match column.id {
        "name" => {
            let words = [text(of, "primitive", None), text(of, "group", None), text(of, "message", None) + " MiB"];
            let second = words.iter().filter(|word| !word.starts_with(ABSENT)).cloned().collect::<Vec<_>>().join(", ");
            Content::Name(Name {
                text: format::middle_cut(&of.key, room),
                mono: of.op.is_some(),
                second: two_lines.then_some((None, second)),
                ..Name::default()
            })
        }
        "share" => {
            let bar = of.stall.fraction_of(units.largest).unwrap_or(0.0);
            match units.window.and_then(|window| of.stall.fraction_of(window)) {
                Some(share) => Content::Share(bar, format::percent(share)),
                None => Content::Absent,
            }
        }
        "overlap" => of.overlap.share().map_or(Content::Absent, |share| Content::Share(share, format::percent(share))),
        "peak" => match of.util {
            Some(util) if of.is_above_peak() => Content::Above(format::percent(util)),
            Some(util) => Content::Text(format::percent(util)),
            None => Content::Absent,
        },
        id => match text(of, id, Some(units)) {
            words if words == ABSENT => Content::Absent,
            words if id == "group" => Content::Mono(format::middle_cut(short(&words), 15)),
            words if matches!(id, "role" | "source") => Content::Soft(format::middle_cut(&words, 24)),
            words => Content::Text(words),
        },
    };
    table::Row {
        cells: columns.iter().map(cell).collect(),
        open: None,
        room: false,
        inner: false,
        selected: chosen,
        tells: of.op.is_some(),
    }
}

/// Groups without the whole mesh before them: `{'data'}` of `mesh['data'=2,'model'=4] {'data'}`.
fn short(groups: &str) -> &str {
    let axes = groups.strip_prefix("mesh[").and_then(|rest| rest.rsplit_once(' '));
    axes.map_or(groups, |(_, axes)| axes)
}

/// A cell as text; times exactly where no unit is given.
pub fn text(of: &CommRow, id: &str, units: Option<Units>) -> String {
    let some = |text: Option<String>| text.unwrap_or_else(|| ABSENT.to_owned());
    let time = |time: Picos| units.map_or_else(|| format::exact_time(time), |units| format::time(time, units.time));
    let group = of.group.as_ref();
    match id {
        "name" => of.key.clone(),
        "stall" => time(of.stall),
        "share" => some(units.and_then(|units| of.stall.fraction_of(units.window?)).map(format::percent)),
        "primitive" => some(of.primitive.map(|primitive| {
            let core = if of.core == Core::Sparse { ", SparseCore" } else { "" };
            format!("{}{core}", primitive.key())
        })),
        "group" => some(group.map(|group| group.text.clone()).filter(|text| !text.is_empty())),
        "axis" => some(group.and_then(|group| group.axis.clone())),
        "runs" => some((!of.is_unpaired()).then(|| format::count(of.n))),
        "flight" => time(of.overlap.in_flight),
        "exposed" => time(of.overlap.exposed),
        "overlap" => some(of.overlap.share().map(format::percent)),
        "message" => some(of.bytes_each.map(mib)),
        "bus" => some(of.rate().map(format::gbs)),
        "peak" => some(of.util.map(format::percent)),
        "role" => text::role(of.role),
        _ => some(of.source.clone()),
    }
}

/// MiB as the column has them: "44.0", "0.52", "0.005".
#[expect(clippy::cast_precision_loss, reason = "four digits")]
fn mib(bytes: u64) -> String {
    let value = bytes as f64 / f64::from(1 << 20);
    format::decimal(
        value,
        if value < 0.1 {
            3
        } else if value < 10.0 {
            2
        } else {
            1
        },
    )
}

/// What a row has to say.
pub fn tip(of: &CommRow) -> Tip {
    let mut rows = Vec::new();
    let mut row = |label: &str, value: Option<String>| rows.extend(value.map(|value| (label.to_owned(), value)));
    row("Program", of.program.clone());
    row("Ops", (of.n_ops > 1).then(|| format::count(of.n_ops.into())));
    row("Execution", Some(text::execution(of.execution).to_owned()));
    if let Some(group) = &of.group {
        row("Groups", Some(group.text.clone()).filter(|text| !text.is_empty()));
        let stride = group.stride.filter(|stride| *stride != 1);
        let every = stride.map_or_else(String::new, |stride| format!(", every {stride}"));
        row("Group size", group.size.map(|size| format!("{size}{every}")));
        let listed = group.first.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
        row("First group", (!listed.is_empty()).then_some(listed));
        row("Axis", group.axis.clone());
    }
    let unpaired = "none: the capture has only one half of each pair";
    row("Executions", Some(if of.is_unpaired() { unpaired.to_owned() } else { format::count(of.n) }));
    row("Stall", Some(format::exact_time(of.stall)));
    row("In flight", Some(format::exact_time(of.overlap.in_flight)));
    row("Exposed", Some(format::exact_time(of.overlap.exposed)));
    row("Overlapped", Some(format::exact_time(of.overlap.overlapped)));
    row("Fused with compute", (of.fused > Picos::ZERO).then(|| format::exact_time(of.fused)));
    row("Message", of.bytes_each.map(|bytes| format!("{} B", format::count(bytes))));
    row("Algorithm bandwidth", of.alg_rate.map(|rate| format!("{} GB/s", format::gbs(rate))));
    row("Bus bandwidth", of.bus_rate.map(|rate| format!("{} GB/s", format::gbs(rate))));
    let short = of.n > 0 && is_unrated(of.wall, of.n);
    row("No bandwidth", short.then(|| "less than 100 ns per execution".to_owned()));
    row("Link bandwidth", of.peak.map(|rate| format!("{} GB/s", format::gbs(rate))));
    row(
        "Above link bandwidth",
        of.is_above_peak().then(|| "check topology and rings, or more links carry it".to_owned()),
    );
    row("Scope", of.scope.clone());
    row("Source", of.source.clone());
    Tip { title: of.key.clone(), rows }
}

/// The totals: each the sum of its column. Where rows are in flight at once, those of "In flight" and "Exposed" would count time twice
/// and are left out: the figures above have the union.
pub fn foot(view: &CommView, of: CommRows, places: &[usize], units: Units) -> Vec<(&'static str, String)> {
    let (sums, all) = (traffic(&view.comm, of), rows(&view.comm, of));
    let (more, _) = if of == CommRows::Copies { view.more_copies } else { view.more };
    let n = places.len() as u64;
    let every = all.len() as u64 + u64::from(more);
    let (one, several) = if of == CommRows::Copies { ("row of copies", "rows of copies") } else { ("row", "rows") };
    let text = if n == every {
        format::counted(n, one, several)
    } else {
        format!("{} of {}", format::count(n), format::counted(every, one, several))
    };
    let sum = |time: &dyn Fn(&CommRow) -> Picos| places.iter().map(|at| time(&all[*at])).sum::<Picos>();
    let stall = sum(&|row| row.stall);
    let share = |time: Picos| units.window.and_then(|window| time.fraction_of(window)).map(format::percent);
    let runs: u64 = places.iter().map(|at| all[*at].n).sum();
    let mut foot = vec![
        ("name", text),
        ("stall", format::time(stall, units.time)),
        ("share", share(stall).unwrap_or_else(|| ABSENT.to_owned())),
        ("runs", format::count(runs)),
    ];
    let (flight, exposed) = (sum(&|row| row.overlap.in_flight), sum(&|row| row.overlap.exposed));
    if n == every && (flight, exposed) == (sums.overlap.in_flight, sums.overlap.exposed) {
        foot.push(("flight", format::time(flight, units.time)));
        foot.push(("exposed", format::time(exposed, units.time)));
        foot.extend(sums.overlap.share().map(|share| ("overlap", format::percent(share))));
    }
    foot
}
