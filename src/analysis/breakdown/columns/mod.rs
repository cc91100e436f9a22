//! This module declares the columns of the breakdown's tables.

mod steps;

pub use steps::{ACROSS_DEVICES, DEVICE_STEPS, STEP_KINDS, STEP_STATS, STEPS};

use super::report::{Group, Share, SignatureTime, is_unrated};
use super::row_label;
use crate::analysis::base::{Filter, FilterField, GroupBy};
use crate::analysis::classify::{Kind, ModelModule, Phase};
use crate::table::page::{Mark, Name, row_key};
use crate::table::shown::{Format, PartValues, RowTip, Shown, Table, TipLine};
use crate::table::{MIXED, RowList, Value, columns, format};
use std::rc::Rc;
use xla_profile::units::{Count, Picos};

columns! {
    /// The columns of rows, in the order of JSON and CSV.
    pub GROUPS(row: Group) {
        /// Name of the row: an op, a category, a source stack, and so on.
        key: Name(Op) = &row.key,
        /// The grouping. With `--by source` it is `source_stack`, `tf_op` or `no_source`.
        key_kind: Text = &row.key_kind,
        /// The kind that most of the time belongs to: `compute`, `data_move`, `comm`, `host`, `other` or `container`.
        /// Ops of the kind `fused` have `comm` here, because their time is a part of communication; with `--by kind`,
        /// the `key` of their row is `fused`. Texts for people say “mixed” in place of a kind, a category or a shape if
        /// the ops of the row differ in it.
        kind: Value(Word(Kind)) in json csv table =
            Value::Ranked(kind_rank(row.kind, row.is_of_several_kinds()), row.kind.json_key(), row.kind_text()),
        /// Name of the program. Null where the ops belong to several programs.
        program: Name(Program) or null in json csv table = row.program.as_deref(),
        /// Id of the program. Null where the ops belong to several programs, and where the program has no id.
        program_id: ProgramId or null in json csv table = row.program_id,
        /// Number of executions that start in the window. A mean may be a fraction.
        n_executions: Executions in json csv table = row.n_executions,
        /// Self time.
        total_dur_ps: Time = row.total,
        /// Time that includes nested events.
        inclusive_dur_ps: Time = row.inclusive,
        /// The shortest self time of an execution. Null if no execution starts in the window.
        min_dur_ps: Time or null = if_executed(row, row.min),
        /// The longest self time of an execution. Null if no execution starts in the window.
        max_dur_ps: Time or null = if_executed(row, row.max),
        /// The mean self time of an execution. Null if no execution starts in the window.
        avg_dur_ps: Time or null = row.mean,
        /// Share of the window.
        pct_of_step: Percent or null = row.of_step,
        /// Share of all time of the same kind.
        pct_of_kind: Percent or null in json = row.of_kind,
        /// FLOPs of all executions. Null if they are unknown.
        flops_sum: Number or null = row.flops,
        /// FLOPs of the model of all executions, without recompute. Null if they are unknown.
        model_flops_sum: Number or null in json = row.model_flops,
        /// Bytes that all executions access. Null if they are unknown.
        bytes_accessed_sum: Number or null = row.bytes_accessed,
        /// Executions and self time by category.
        hlo_categories: Map(Object(SHARE)) in json =
            row.categories.iter().map(|(name, share)| (name.as_str(), share)),
        /// The category that the compiler gives, or the one with the most time.
        hlo_category: Value(Name(Category)) or null in csv table = first_of(row.main_category(), row.categories.len()),
        /// The time of the row by instruction. The list has at most 24 entries; if there are more, the last entry is
        /// `other` and sums the rest. The entries sum to the time of the row.
        hlo_op_breakdown: Value(Rows(PARTS)) in json = Value::Rows(Rc::new(PartsOf(row))),
        /// Group of work, such as `matmul`. Null where the ops of the row differ.
        op_group: Value(Text) or null in json csv table = common(row, row.op_group.as_deref(), Value::text),
        /// Phase of training: `forward`, `backward`, `recompute` or `optimizer`. Other ops have `unknown` in a program
        /// that has forward or backward ops, and `inference / unknown` in any other program. Null where the ops of the
        /// row differ.
        phase: Value(Text) or null in json csv table = common(row, row.phase.as_deref(), phase),
        /// Layer of the model. Null where the ops of the row differ.
        layer: Value(Name(Scope)) or null in json csv table = common(row, row.layer.as_deref(), Value::text),
        /// Module of the model, such as `attention`, and `unknown` where nothing names it. Null where the ops of the row
        /// differ.
        module: Value(Word(ModelModule)) or null in json csv table = module(row),
        /// Element types of the results, by time.
        dtypes: List(Text) in json = &row.dtypes,
        /// Element type of the result, or the one with the most time.
        dtype: Value(Text) or null in csv table =
            first_of(row.dtypes.first().map(String::as_str), row.dtypes.len()),
        /// Shapes of the results, by time. There are at most 8.
        shapes: List(Name(Shape)) in json = &row.shapes,
        /// Shape of the result, or the one with the most time.
        shape: Value(Name(Shape)) or null in csv table =
            first_of(row.shapes.first().map(String::as_str), row.shapes.len()),
        /// Source stack of the op with the longest execution.
        source_stack: Removed or null in json = row.source_stack.as_deref(),
        /// Innermost line of the user's code of the op with the longest execution.
        source_inner: Removed or null = row.source_inner.as_deref(),
        /// GPU kernel of the longest execution. Present only where the row has another name than the kernel.
        kernel: Name(Op) or null in json if_present table = row.kernel.as_deref(),
        /// Scope path of the op with the longest execution.
        tf_op: Name(Scope) or null = row.tf_op.as_deref(),
        /// The op with the longest execution.
        example_hlo_op: Name(Op) or null in json = row.example.as_deref(),
        /// Length of the longest execution.
        example_hlo_op_dur_ps: Time or null in json = row.example_dur,
        share: Time in page = row.total,
        cumulative: Time in page = row.total,
        flop_rate: Number or null in page = row.flop_rate(),
        byte_rate: Bandwidth or null in page = row.byte_rate(),
        arithmetic_intensity: Number or null in page = row.intensity(),
        scope_leaf: Name(Scope) or null in page = row.scope_leaf(),
        // One category is a text, and several are a list.
        categories: Value(Any) or null in page = categories(row),
        main_kind: Text or null in page = {
            let share = row.total.saturating_sub(row.other_kinds).fraction_of(row.total);
            let share = share.filter(|_| row.is_of_several_kinds());
            share.map(|share| format!("{}, {} of the row", row.kind.label(), format::percent_text(share)))
        },
        results: List(Name(Shape)) in page = row.shapes.iter().take(4),
        no_rate: Text or null in page = {
            let has_cost = row.flops.is_some() || row.bytes_accessed.is_some();
            if has_cost && row.n_executions == Count::ZERO {
                Some("no execution starts in this window")
            } else if has_cost && is_unrated(row.total, row.n_executions) {
                Some("less than 100 ns per execution")
            } else {
                None
            }
        },
    }

    /// The columns of the part of a row that has one category.
    SHARE(row: Share) {
        /// Number of executions that start in the window.
        n_executions: Executions = row.n,
        /// Self time.
        total_dur_ps: Time = row.dur,
    }

    /// The columns of the parts of a row.
    PARTS(row: SignatureShare) {
        /// `custom-call:<target>`, the name of a fusion without its numbers, or the opcode.
        signature: Name(Op) = &row.part.signature,
        /// The category that the compiler gives. Null if it gives none.
        hlo_category: Name(Category) or null = row.part.category.as_deref(),
        /// Self time.
        total_dur_ps: Time = row.part.total,
        /// Number of executions that start in the window.
        n_executions: Executions = row.part.n,
        /// Share of the time of the row.
        pct_of_group: Percent or null = row.part.total.fraction_of(row.row_total),
    }

    /// The columns of a filter.
    pub FILTER(row: Filter) {
        /// The text.
        text: Removed = &row.text,
        /// Where the text is searched.
        within: Word(FilterField) = row.within,
        /// Whether the text is a regular expression.
        regex: Flag = row.regex,
        /// The module of the model of the selected ops. Null for all modules.
        module: Word(ModelModule) or null = row.module,
        /// The kind of the selected ops. Null for all kinds.
        kind: Word(Kind) or null = row.kind,
        /// The scope path of the selected ops, which may also lie below it. Empty for all ops.
        scope: Name(Scope) = &row.scope,
    }
}

/// The time of a row in one type of instruction.
struct SignatureShare {
    part: SignatureTime,
    /// Self time of the row.
    row_total: Picos,
}

/// The parts of a row.
struct PartsOf<'r>(&'r Group);

impl RowList for PartsOf<'_> {
    fn for_each(&self, write: &mut dyn FnMut(Value<'_>)) {
        for part in &self.0.parts {
            write(Value::record(PARTS, &SignatureShare { part: part.clone(), row_total: self.0.total }));
        }
    }
}

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
        None => Value::Absent,
    }
}

/// Returns the value of a phase, so that phases sort in the order of a step.
fn phase(label: &str) -> Value<'_> {
    let known = Phase::ALL.into_iter().zip(0..).find(|(phase, _)| phase.label() == label);
    known.map_or(Value::text(label), |(phase, place)| Value::Ranked(place, phase.label(), phase.label()))
}

/// Returns the module of a row. Ops of several types without a common module differ in it.
fn module(row: &Group) -> Value<'_> {
    match row.module {
        Some(module) => Value::Ranked(module as u8, module.key(), module.label()),
        None if row.parts.len() > 1 => Value::Mixed(None),
        None => Value::Absent,
    }
}

/// Returns the category of a row, or at most 8 categories with their times.
fn categories(row: &Group) -> Value<'_> {
    let timed =
        |(name, share): (&String, &Share)| Value::Text(format!("{name}: {}", format::time_text(share.dur)).into());
    match row.categories.len() {
        0 | 1 => Value::maybe_text(row.main_category()),
        _ => Value::List(row.categories.iter().take(8).map(timed).collect()),
    }
}

/// Returns the time of the shortest or longest execution. `None` if no execution starts in the window.
fn if_executed(row: &Group, time: Picos) -> Option<Picos> {
    (row.n_executions > 0).then_some(time)
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
        Shown::new("module", "Module", Format::Soft, 12, 20).if_chosen().about("attention, MLP, loss, optimizer, …"),
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
        "module" => by == GroupBy::Module,
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
    const PLAIN: [GroupBy; 6] =
        [GroupBy::Kind, GroupBy::Category, GroupBy::OpGroup, GroupBy::Phase, GroupBy::Layer, GroupBy::Module];
    let is = |by: GroupBy| row.key_kind == by.key();
    let mark = mark(row);
    let of_module = ModelModule::from_key(&row.key).filter(|_| is(GroupBy::Module)).map(ModelModule::label);
    if is(GroupBy::Kind) {
        let second = Some((None, format::counted_executions(row.n_executions, "run", "runs")));
        return Name { text: row.kind.label().to_owned(), mark, second, ..Name::default() };
    }
    let source = || row.source_inner.as_deref().map(format::last_segment);
    let about = row.kernel.as_deref().or_else(source).or_else(|| row.category_text().filter(|text| *text != MIXED));
    let about = about.map_or_else(String::new, |about| format!(" · {about}"));
    Name {
        text: of_module
            .map(str::to_owned)
            .or_else(|| row_label::source(row, beside.iter().copied()))
            .unwrap_or_else(|| row.key.clone()),
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
        ("total_dur_ps", Value::Time(part.total)),
        ("share", Value::Time(part.total)),
        ("hlo_category", Value::maybe_text(part.category.as_deref())),
        ("n_executions", Value::Executions(part.n)),
        ("avg_dur_ps", Value::maybe(part.n.mean_of(part.total), Value::Time)),
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
        GroupBy::Module => ("module", "modules"),
        GroupBy::Scope => ("scope", "scopes"),
        GroupBy::Source => ("source", "sources"),
        GroupBy::Program => ("program", "programs"),
    }
}
