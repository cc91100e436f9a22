//! This module declares the columns of the breakdown's tables.

use super::report::{Group, Share, SignatureTime, is_unrated};
use super::row_label;
use super::steps::{AcrossDevices, KindTimes, StepTime};
use crate::analysis::base::{GroupBy, Spread};
use crate::analysis::classify::{Kind, Phase};
use crate::table::Value::{
    self, Absent, Bandwidth, Count, Executions, Flag, Id, List, Number, Percent, Ranked, Record, Time, Word,
};
use crate::table::page::{Mark, Name, row_key};
use crate::table::shown::{Format, PartValues, RowTip, Shown, Table, TipLine};
use crate::table::{Column, MIXED, format};
use crate::units::Picos;

/// The columns of rows, in the order of JSON and CSV.
pub const GROUPS: &[Column<Group>] = &[
    Column::new("key", |row| Value::text(&row.key)),
    Column::new("key_kind", |row| Value::text(&row.key_kind)),
    Column::new("kind", |row| {
        Ranked(kind_rank(row.kind, row.is_of_several_kinds()), row.kind.json_key(), row.kind_text())
    }),
    Column::new("program", |row| Value::maybe_text(row.program.as_deref())),
    Column::new("program_id", |row| Value::maybe(row.program_id, Id)),
    Column::new("n_executions", |row| Executions(row.n_executions)),
    Column::new("total_dur_ps", |row| Time(row.total)),
    Column::new("inclusive_dur_ps", |row| Time(row.inclusive)),
    Column::new("min_dur_ps", |row| if_executed(row, row.min)),
    Column::new("max_dur_ps", |row| if_executed(row, row.max)),
    Column::new("avg_dur_ps", |row| Value::maybe(row.mean, Time)),
    Column::new("pct_of_step", |row| Value::maybe(row.of_step, Percent)),
    Column::json("pct_of_kind", |row| Value::maybe(row.of_kind, Percent)),
    Column::new("flops_sum", |row| Value::maybe(row.flops, Number)),
    Column::json("model_flops_sum", |row| Value::maybe(row.model_flops, Number)),
    Column::new("bytes_accessed_sum", |row| Value::maybe(row.bytes_accessed, Number)),
    Column::json("hlo_categories", |row| {
        Value::map(row.categories.iter().map(|(name, share)| (name.as_str(), Value::record(SHARE, share))))
    }),
    Column::csv("hlo_category", |row| first_of(row.main_category(), row.categories.len())),
    Column::json("hlo_op_breakdown", |row| {
        Value::List(row.parts.iter().map(|part| part_of(part, row.total)).collect())
    }),
    Column::new("op_group", |row| common(row, row.op_group.as_deref(), Value::text)),
    Column::new("phase", |row| common(row, row.phase.as_deref(), phase)),
    Column::new("layer", |row| common(row, row.layer.as_deref(), Value::text)),
    Column::json("dtypes", |row| Value::texts(&row.dtypes)),
    Column::csv("dtype", |row| first_of(row.dtypes.first().map(String::as_str), row.dtypes.len())),
    Column::json("shapes", |row| Value::texts(&row.shapes)),
    Column::csv("shape", |row| first_of(row.shapes.first().map(String::as_str), row.shapes.len())),
    Column::json("source_stack", |row| Value::maybe_text(row.source_stack.as_deref())),
    Column::new("source_inner", |row| Value::maybe_text(row.source_inner.as_deref())),
    Column::json_if_present("kernel", |row| Value::maybe_text(row.kernel.as_deref())),
    Column::new("tf_op", |row| Value::maybe_text(row.tf_op.as_deref())),
    Column::json("example_hlo_op", |row| Value::maybe_text(row.example.as_deref())),
    Column::json("example_hlo_op_dur_ps", |row| Value::maybe(row.example_dur, Time)),
    Column::shown("share", |row| Time(row.total)),
    Column::shown("cumulative", |row| Time(row.total)),
    Column::shown("flop_rate", |row| Value::maybe(row.flop_rate(), Number)),
    Column::shown("byte_rate", |row| Value::maybe(row.byte_rate(), Bandwidth)),
    Column::shown("arithmetic_intensity", |row| Value::maybe(row.intensity(), Number)),
    Column::shown("scope_leaf", |row| Value::maybe_text(row.scope_leaf())),
    Column::shown("categories", categories),
    Column::shown("main_kind", |row| {
        let share = row.total.saturating_sub(row.other_kinds).fraction_of(row.total);
        let text =
            |share| Value::Text(format!("{}, {} of the row", row.kind.label(), format::percent_text(share)).into());
        Value::maybe(share.filter(|_| row.is_of_several_kinds()), text)
    }),
    Column::shown("results", |row| List(row.shapes.iter().take(4).map(|shape| Value::text(shape)).collect())),
    Column::shown("no_rate", |row| {
        let has_cost = row.flops.is_some() || row.bytes_accessed.is_some();
        if has_cost && row.n_executions == crate::units::Count::ZERO {
            Value::text("no execution starts in this window")
        } else if has_cost && is_unrated(row.total, row.n_executions) {
            Value::text("less than 100 ns per execution")
        } else {
            Absent
        }
    }),
];

/// Returns the place of a kind in the order of rows. Rows of several kinds come after all others.
pub const fn kind_rank(kind: Kind, is_of_several: bool) -> u8 {
    if is_of_several { Kind::ALL.len() as u8 } else { kind as u8 }
}

/// Returns the first of `n` different texts, which belongs to the most time of the row.
fn first_of(text: Option<&str>, n: usize) -> Value<'_> {
    if n > 1 { Value::Mixed(text.map(Into::into)) } else { Value::maybe_text(text) }
}

/// Returns the text that all ops of a row have in common. Ops of several types without a common text differ in it.
fn common<'r>(row: &'r Group, text: Option<&'r str>, value: fn(&'r str) -> Value<'r>) -> Value<'r> {
    match text {
        Some(text) => value(text),
        None if row.parts.len() > 1 => Value::Mixed(None),
        None => Absent,
    }
}

/// Returns the value of a phase, so that phases sort in the order of a step.
fn phase(label: &str) -> Value<'_> {
    let known = Phase::ALL.into_iter().zip(0..).find(|(phase, _)| phase.label() == label);
    known.map_or(Value::text(label), |(phase, place)| Ranked(place, phase.label(), phase.label()))
}

/// Returns the category of a row, or at most 8 categories with their times.
fn categories(row: &Group) -> Value<'_> {
    let timed =
        |(name, share): (&String, &Share)| Value::Text(format!("{name}: {}", format::time_text(share.dur)).into());
    match row.categories.len() {
        0 | 1 => Value::maybe_text(row.main_category()),
        _ => List(row.categories.iter().take(8).map(timed).collect()),
    }
}

/// Returns the time of the shortest or longest execution; absent if no execution starts in the window.
fn if_executed(row: &Group, time: Picos) -> Value<'_> {
    if row.n_executions > 0 { Time(time) } else { Absent }
}

/// The columns of the part of a row that has one category.
const SHARE: &[Column<Share>] =
    &[Column::new("n_executions", |row| Executions(row.n)), Column::new("total_dur_ps", |row| Time(row.dur))];

/// Returns the fields of a part in JSON. `total` is the self time of the row.
fn part_of(part: &SignatureTime, total: Picos) -> Value<'_> {
    Record(vec![
        ("signature".into(), Value::text(&part.signature)),
        ("hlo_category".into(), Value::maybe_text(part.category.as_deref())),
        ("total_dur_ps".into(), Time(part.total)),
        ("n_executions".into(), Executions(part.n)),
        ("pct_of_group".into(), Value::maybe(part.total.fraction_of(total), Percent)),
    ])
}

/// The table of a breakdown, for all groupings.
pub const GROUP_TABLE: Table<Group> = Table {
    columns: GROUPS,
    shown: &[
        Shown::name("key", "Op").about("the name of the row"),
        Shown::new("total_dur_ps", "Self", Format::Time, 7, 0).about("time without what runs inside"),
        Shown::new("share", "Step", Format::Share, 13, 0).in_unit_of("total_dur_ps").about("self time of the step"),
        Shown::new("cumulative", "Cum.", Format::Cumulative, 5, 8).about("running sum, in the order shown"),
        Shown::new("kind", "Kind", Format::Marked, 12, 1).about("compute, communication, …"),
        Shown::new("hlo_category", "Category", Format::Soft, 20, 6).about("the compiler’s hlo_category"),
        Shown::new("n_executions", "Count", Format::Count, 6, 7).about("executions that start in the step"),
        Shown::new("avg_dur_ps", "Mean", Format::Time, 7, 2).about("self time of one execution"),
        Shown::new("flop_rate", "TFLOP/s", Format::Tflops, 8, 3)
            .about("FLOPs ÷ self time; none below 100 ns per execution"),
        Shown::new("byte_rate", "Bytes", Format::Gbps, 10, 4)
            .about("bytes accessed, of all memories ÷ self time; none below 100 ns per execution"),
        Shown::new("source_inner", "Source", Format::Path, 24, 5).about("innermost line of the user’s code"),
        Shown::new("scope_leaf", "Scope leaf", Format::Soft, 24, 11)
            .stretching()
            .if_wide()
            .about("end of the tf_op path"),
        Shown::new("tf_op", "Scope", Format::Soft, 40, 20).stretching().if_chosen().about("the whole tf_op path"),
        Shown::new("shape", "Shape", Format::Soft, 24, 12)
            .stretching()
            .if_wide()
            .about("result shape with the most time"),
        Shown::new("phase", "Phase", Format::Soft, 12, 13)
            .stretching()
            .if_wide()
            .about("forward, backward, recompute, …"),
        Shown::new("min_dur_ps", "Min", Format::Time, 7, 14)
            .in_unit_of("avg_dur_ps")
            .if_wide()
            .about("shortest execution"),
        Shown::new("max_dur_ps", "Max", Format::Time, 7, 14)
            .in_unit_of("avg_dur_ps")
            .if_wide()
            .about("longest execution"),
        Shown::new("inclusive_dur_ps", "Inclusive", Format::Time, 7, 20)
            .if_chosen()
            .about("time with what runs inside"),
        Shown::new("pct_of_kind", "% of kind", Format::Percent, 5, 20)
            .if_chosen()
            .about("self time of all of its kind"),
        Shown::new("op_group", "Op group", Format::Soft, 16, 20).if_chosen().about("matmul, attention, norm, …"),
        Shown::new("layer", "Layer", Format::Soft, 16, 20).if_chosen().about("layer the op belongs to"),
        Shown::new("dtype", "Type", Format::Soft, 6, 20).if_chosen().about("element type of the result"),
        Shown::new("program", "Program", Format::Soft, 24, 20).if_chosen().about("the compiled program"),
        Shown::new("arithmetic_intensity", "FLOP/B", Format::Intensity, 7, 20)
            .if_chosen()
            .about("FLOPs ÷ bytes accessed"),
    ],
    tips: &[
        RowTip::of_all(&[
            TipLine::new("program", "Program"),
            TipLine::new("main_kind", "Largest kind"),
            TipLine::new("categories", "Category"),
            TipLine::new("kernel", "Kernel"),
            TipLine::new("results", "Result"),
            TipLine::new("tf_op", "Scope"),
            TipLine::new("source_inner", "Source"),
        ]),
        RowTip {
            columns: &["total_dur_ps", "share", "cumulative", "inclusive_dur_ps", "pct_of_kind"],
            lines: &[
                TipLine::new("total_dur_ps", "Self"),
                TipLine::new("inclusive_dur_ps", "With what runs inside"),
                TipLine::new("pct_of_kind", "% of kind"),
            ],
        },
        RowTip {
            columns: &["n_executions", "avg_dur_ps", "min_dur_ps", "max_dur_ps"],
            lines: &[
                TipLine::new("n_executions", "Executions"),
                TipLine::new("avg_dur_ps", "Mean"),
                TipLine::new("min_dur_ps", "Shortest"),
                TipLine::new("max_dur_ps", "Longest"),
            ],
        },
        RowTip {
            columns: &["flop_rate", "byte_rate", "arithmetic_intensity"],
            lines: &[
                TipLine::new("flops_sum", "FLOPs"),
                TipLine::new("model_flops_sum", "FLOPs of the model"),
                TipLine::new("bytes_accessed_sum", "Bytes accessed"),
                TipLine::new("total_dur_ps", "Self"),
                TipLine::new("no_rate", "No rate"),
            ],
        },
    ],
    key: |row| row_key(&row.key, row.program_id),
    name,
    mark,
    opens: |row| row.key_kind == GroupBy::Op.key(),
    // Rows of ops have no parts, because ops are the parts of other rows.
    parts: |row| {
        let parts: &[SignatureTime] = if row.key_kind == GroupBy::Op.key() { &[] } else { &row.parts };
        parts.iter().map(part_values).collect()
    },
    nouns: ("op", "ops"),
    default_sort: "total_dur_ps",
    leaf: &["key"],
};

/// Returns the heading of a column in the table of a grouping. Returns `None` if the grouping makes the column
/// superfluous: a row per category has one category.
pub fn heading(shown: &Shown, by: GroupBy) -> Option<&'static str> {
    let is_implied = match shown.id {
        "key" => return Some(by.label()),
        "hlo_category" => matches!(by, GroupBy::Category | GroupBy::Kind),
        "kind" => by == GroupBy::Kind,
        "source_inner" => !matches!(by, GroupBy::Op | GroupBy::Dedup | GroupBy::Scope),
        "scope_leaf" => !matches!(by, GroupBy::Op | GroupBy::Dedup),
        "phase" => by == GroupBy::Phase,
        "layer" => by == GroupBy::Layer,
        "op_group" => by == GroupBy::OpGroup,
        "program" => by == GroupBy::Program,
        _ => false,
    };
    (!is_implied).then_some(shown.head)
}

/// Returns the swatch of the row's kind. A row of several kinds has none.
fn mark(row: &Group) -> Option<Mark> {
    (!row.is_of_several_kinds()).then(|| Mark::Time(row.kind.class().to_owned()))
}

/// Returns the name of a row: a display name for kinds and the like, the label of a line for sources, or the name that
/// a compiler or a user wrote.
fn name(row: &Group, beside: &[&Group]) -> Name {
    const PLAIN: [GroupBy; 5] = [GroupBy::Kind, GroupBy::Category, GroupBy::OpGroup, GroupBy::Phase, GroupBy::Layer];
    let is = |by: GroupBy| row.key_kind == by.key();
    let mark = mark(row);
    if is(GroupBy::Kind) {
        let second = Some((None, format::counted_executions(row.n_executions, "run", "runs")));
        return Name { text: row.kind.label().to_owned(), mark, second, ..Name::default() };
    }
    let source = || row.source_inner.as_deref().map(format::last_segment);
    let about = row.kernel.as_deref().or_else(source).or_else(|| row.category_text().filter(|text| *text != MIXED));
    let about = about.map_or_else(String::new, |about| format!(" · {about}"));
    Name {
        text: row_label::source(row, beside.iter().copied()).unwrap_or_else(|| row.key.clone()),
        mono: !PLAIN.into_iter().any(is) && row.key_kind != "other",
        mark: None,
        second: Some((mark, format!("{}{about}", row.kind_text()))),
        beside: row.kernel.clone().filter(|_| is(GroupBy::Op)),
    }
}

/// Returns the values of a part of a row, by column.
fn part_values(part: &SignatureTime) -> PartValues<'_> {
    vec![
        ("key", Value::text(&part.signature)),
        ("total_dur_ps", Time(part.total)),
        ("share", Time(part.total)),
        ("hlo_category", Value::maybe_text(part.category.as_deref())),
        ("n_executions", Executions(part.n)),
        ("avg_dur_ps", Value::maybe(part.n.mean_of(part.total), Time)),
    ]
}

/// Returns the nouns for one row and for several rows of a grouping.
pub const fn nouns(by: GroupBy) -> (&'static str, &'static str) {
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

/// The columns of steps.
pub const STEPS: &[Column<StepTime>] = &[
    Column::new("step", |row| Count(row.number)),
    Column::new("name", |row| Value::text(&row.name)),
    Column::new("period_ps", |row| Value::maybe(row.period(), Time)),
    Column::new("dur_ps", |row| Time(row.duration)),
    Column::new("is_steady", |row| Flag(row.not_steady.is_none())),
    Column::new("not_steady", |row| row.not_steady.map_or(Absent, |reason| Word(reason.key()))),
    Column::new("busy_ps", |row| Time(row.busy)),
    Column::new("idle_ps", |row| Time(row.idle)),
    Column::json_fields(|row| Value::record(KINDS, &row.by_kind)),
    Column::new("n_ops", |row| Count(row.n_ops)),
];

/// The columns of kinds of steps.
pub const STEP_KINDS: &[Column<KindTimes>] = &[
    Column::new("name", |row| Value::text(&row.name)),
    Column::new("n_steps", |row| Count(row.n_steps.into())),
    Column::new("first_step", |row| Count(row.first_step)),
    Column::new("share", |row| Value::maybe(row.share, Number)),
    Column::new("mean_period_ps", |row| Value::maybe(row.periods.map(|of| of.mean), rounded)),
    Column::new("median_period_ps", |row| Value::maybe(row.periods.map(|of| of.median), rounded)),
    Column::new("p90_period_ps", |row| Value::maybe(row.p90, rounded)),
];

/// Sums of the times by [`Kind::index`], as JSON has them. The time of ops that compute and communicate at once is in
/// `comm`, and again in `fused`.
pub const KINDS: &[Column<[Picos; 7]>] = &[
    Column::new("compute_duration_ps", |row| Time(sum_of(row, &[Kind::Compute]))),
    Column::new("data_move_duration_ps", |row| Time(sum_of(row, &[Kind::DataMovement]))),
    Column::new("comm_duration_ps", |row| Time(sum_of(row, &[Kind::Communication, Kind::Fused]))),
    Column::new("fused_duration_ps", |row| Time(sum_of(row, &[Kind::Fused]))),
    Column::new("host_duration_ps", |row| Time(sum_of(row, &[Kind::Host]))),
    Column::new("other_duration_ps", |row| Time(sum_of(row, &[Kind::Other, Kind::Container]))),
];

fn sum_of(by_kind: &[Picos; 7], kinds: &[Kind]) -> Picos {
    kinds.iter().map(|kind| by_kind[kind.index()]).sum()
}

/// The columns of the step statistics of a device. Means are rounded to the picosecond.
pub const SPREAD: &[Column<Spread>] = &[
    Column::new("n", |row| Count(row.n.into())),
    Column::new("mean_dur_ps", |row| rounded(row.mean)),
    Column::new("median_dur_ps", |row| rounded(row.median)),
    Column::new("min_dur_ps", |row| Time(row.min)),
    Column::new("max_dur_ps", |row| Time(row.max)),
    Column::new("std_dev_ps", |row| Value::maybe(row.std_dev, rounded)),
    Column::new("q1_dur_ps", |row| rounded(row.quartiles[0])),
    Column::new("q3_dur_ps", |row| rounded(row.quartiles[1])),
    Column::new("interval95_ps", |row| Value::maybe(row.interval(), rounded)),
];

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a duration: positive; `as` saturates")]
fn rounded(ps: f64) -> Value<'static> {
    Count(ps.round() as u64)
}

/// The columns of steps that several devices have.
pub const ACROSS_DEVICES: &[Column<AcrossDevices>] = &[
    Column::new("step", |row| Count(row.number)),
    Column::new("n_devices", |row| Count(row.n_devices.into())),
    Column::new("min_dur_ps", |row| Time(row.min)),
    Column::new("max_dur_ps", |row| Time(row.max)),
    Column::new("mean_dur_ps", |row| Time(row.mean)),
    Column::new("slowest_device", |row| Value::text(&row.slowest)),
    Column::new("spread_pct", |row| Percent(row.spread)),
];
