//! This module declares the table of findings.

use crate::analysis::overview::{Evidence, FindingRow, OpEvidence, StepSpan, Suggestion};
use crate::fleet::column::{ColumnType, Field, FleetColumn, INTEGER, PROGRAM_ID, REMOVED, TEXT, name};
use crate::fleet::derive::Analysed;
use crate::share::NameKind;
use crate::table::Value::{self, Bytes, Count, Id, List, Number, Percent, Record, Time, Word};

const OP: ColumnType = ColumnType::Record(&[
    Field { id: "program", kind: name(NameKind::Program) },
    Field { id: "program_id", kind: PROGRAM_ID },
    Field { id: "name", kind: name(NameKind::Op) },
    Field { id: "source", kind: REMOVED },
    Field { id: "n_layers", kind: INTEGER },
    Field { id: "time_ps", kind: INTEGER },
]);
const HOST_EVENT: ColumnType =
    ColumnType::Record(&[Field { id: "name", kind: name(NameKind::Scope) }, Field { id: "total_ps", kind: INTEGER }]);
const SPAN: ColumnType = ColumnType::Record(&[
    Field { id: "step", kind: INTEGER },
    Field { id: "start_ps", kind: INTEGER },
    Field { id: "end_ps", kind: INTEGER },
]);
const TRY: ColumnType = ColumnType::Record(&[
    Field { id: "text", kind: TEXT },
    Field { id: "code", kind: TEXT },
    Field { id: "flag", kind: TEXT },
    Field { id: "value", kind: TEXT },
    Field { id: "default", kind: TEXT },
    Field { id: "chip", kind: TEXT },
    Field { id: "verified_with", kind: TEXT },
]);
const DEVICE: ColumnType = name(NameKind::Device);

/// The columns of findings.
pub const FINDINGS: &[FleetColumn<FindingRow>] = &[
    FleetColumn::new("id", TEXT, "The rule.", |row| Value::text(&row.finding.id)),
    FleetColumn::new(
        "group",
        TEXT,
        "`time`: its recoverable time is part of the sum. `option`: it changes memory, numerics or the model. `memory`: it is about \
         bytes. `quality`: it is about the capture itself.",
        |row| Word(row.group),
    ),
    FleetColumn::new("rank", INTEGER, "The place in the group, from 1.", |row| Count(row.rank)),
    FleetColumn::new("severity", TEXT, "`high`, `medium` or `low`.", |row| Word(row.finding.severity.key())),
    FleetColumn::new("confidence", TEXT, "`high`, `medium` or `low`.", |row| Word(row.finding.confidence.key())),
    FleetColumn::new("confidence_reason", TEXT, "The reason for the confidence.", |row| {
        Value::text(&row.finding.reason)
    }),
    FleetColumn::new("title", TEXT, "What was found.", |row| Value::text(&row.finding.title)),
    FleetColumn::new("detail", REMOVED, "The evidence in words and numbers.", |row| Value::text(&row.finding.detail)),
    FleetColumn::new("why", TEXT, "Why the finding costs time.", |row| Value::text(&row.finding.why)),
    FleetColumn::new("at_stake_ps", INTEGER, "All time of a step that the finding is about.", |row| {
        Time(row.finding.at_stake)
    }),
    FleetColumn::new("claimed_ps", INTEGER, "The part of it that no finding before claims.", |row| {
        Time(row.finding.claimed)
    }),
    FleetColumn::new("recoverable_ps", INTEGER, "The part of that which would go.", |row| {
        Time(row.finding.recoverable)
    }),
    FleetColumn::new("per_capture_ps", INTEGER, "Time of the whole capture outside of steady steps.", |row| {
        Value::maybe(row.finding.per_capture, Time)
    }),
    FleetColumn::new("pct_of_period", ColumnType::Real, "Time at stake as a percentage of a step.", |row| {
        Percent(row.finding.share)
    }),
    FleetColumn::new("stake_bytes", INTEGER, "The bytes that the finding is about.", |row| {
        Value::maybe(row.finding.bytes, Bytes)
    }),
    FleetColumn::new("formula", TEXT, "How the numbers are computed.", |row| Value::text(&row.finding.formula)),
    FleetColumn::new("inputs", ColumnType::Map(&ColumnType::Real), "The numbers in the formula.", |row| {
        Value::map(row.finding.inputs.iter().map(|(name, value)| (name.as_str(), Number(*value))))
    }),
    FleetColumn::new("ops", ColumnType::List(&OP), "The ops with the most time, at most five.", |row| {
        List(evidence(row).ops.iter().map(op).collect())
    }),
    FleetColumn::new("n_ops", INTEGER, "Number of all ops.", |row| Count(evidence(row).n_ops.into())),
    FleetColumn::new("steps", ColumnType::List(&INTEGER), "Numbers of steps.", |row| {
        List(evidence(row).steps.iter().map(|step| Count(*step)).collect())
    }),
    FleetColumn::new("devices", ColumnType::List(&DEVICE), "Devices.", |row| Value::texts(&evidence(row).devices)),
    FleetColumn::new("host_events", ColumnType::List(&HOST_EVENT), "Host events with the most time.", |row| {
        let event = |(name, time): &(String, _)| {
            Record(vec![("name".into(), Value::Text(name.clone().into())), ("total_ps".into(), Time(*time))])
        };
        List(evidence(row).host_events.iter().map(event).collect())
    }),
    FleetColumn::new("spans", ColumnType::List(&SPAN), "The longest stretches of a step.", |row| {
        List(evidence(row).spans.iter().map(span).collect())
    }),
    FleetColumn::new("overlaps", ColumnType::List(&TEXT), "Rules that may concern the same time.", |row| {
        Value::texts(&row.finding.overlaps)
    }),
    FleetColumn::new("try", ColumnType::List(&TRY), "What to try.", |row| {
        List(row.finding.tries.iter().map(attempt).collect())
    }),
    FleetColumn::new("worked_if", TEXT, "A condition that a later capture meets if the change worked.", |row| {
        Value::text(&row.finding.worked_if)
    }),
];

const fn evidence(row: &FindingRow) -> &Evidence {
    &row.finding.evidence
}

fn op(op: &OpEvidence) -> Value<'_> {
    Record(vec![
        ("program".into(), Value::maybe_text(op.program.as_deref())),
        ("program_id".into(), Value::maybe(op.program_id, Id)),
        ("name".into(), Value::text(&op.name)),
        ("source".into(), Value::maybe_text(op.source.as_deref())),
        ("n_layers".into(), Count(op.n_layers.into())),
        ("time_ps".into(), Time(op.time)),
    ])
}

fn span(span: &StepSpan) -> Value<'static> {
    Record(vec![
        ("step".into(), Count(span.step)),
        ("start_ps".into(), Time(span.start)),
        ("end_ps".into(), Time(span.end)),
    ])
}

fn attempt(advice: &Suggestion) -> Value<'_> {
    Record(vec![
        ("text".into(), Value::text(&advice.text)),
        ("code".into(), Value::maybe_text(advice.code.as_deref())),
        ("flag".into(), Value::maybe_text(advice.flag.as_deref())),
        ("value".into(), Value::maybe_text(advice.value.as_deref())),
        ("default".into(), Value::maybe_text(advice.default.as_deref())),
        ("chip".into(), Value::maybe_text(advice.chip.as_deref())),
        ("verified_with".into(), Value::maybe_text(advice.verified_with.as_deref())),
    ])
}

/// Returns all findings of the overview, group by group.
pub fn rows(analysed: &Analysed) -> Vec<FindingRow> {
    analysed.critical.as_ref().map_or_else(Vec::new, |critical| critical.derived.overview.finding_rows())
}
