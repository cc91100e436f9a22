//! This module declares the columns of the table of captures.

use super::report::{CaptureProgress, CaptureRow, CaptureSummary};
use crate::analysis::classify::Kind;
use crate::analysis::compare::Verdict;
use crate::table::Value::{self, Absent, Bytes, Count, Flag, Percent, Text, Time, Word};
use crate::table::date::date_and_time;
use crate::table::format::{bytes_text, time_text};
use crate::table::page::Name;
use crate::table::shown::{Format, RowTip, Shown, Table, TipLine};
use crate::table::{Column, Difference};
use crate::units::Picos;
use std::borrow::Cow;

fn of_summary<'r>(row: &'r CaptureRow, value: impl FnOnce(&'r CaptureSummary) -> Value<'r>) -> Value<'r> {
    row.summary().map_or(Absent, value)
}

fn figure<'r>(row: &'r CaptureRow, name: &str) -> Value<'r> {
    Value::maybe(row.figure(name), Percent)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a time in ps")]
fn median(row: &CaptureRow) -> Value<'_> {
    Value::maybe(row.median_ps, |median| Time(Picos(median.max(0.0).round() as u64)))
}

fn change(row: &CaptureRow) -> Value<'_> {
    let is_real = |verdict| matches!(verdict, Some(Verdict::Regression | Verdict::Improvement));
    Value::maybe(row.change, |(ps, verdict)| Value::Difference(Difference { ps, is_real: is_real(verdict) }))
}

/// Returns texts with commas between them. Absent if there are none.
fn joined<'r>(texts: impl Iterator<Item = String>) -> Value<'r> {
    let text = texts.collect::<Vec<_>>().join(", ");
    if text.is_empty() { Absent } else { Text(text.into()) }
}

/// Returns the devices as text: `TPU v5p × 8`.
fn devices(row: &CaptureRow) -> Value<'_> {
    let n = row.n_devices.map(|n| format!(" × {n}")).unwrap_or_default();
    Value::maybe(row.device_type.as_ref(), |of| Text(format!("{of}{n}").into()))
}

/// Returns the devices without their vendor, whose name takes the room of the model: `H100 80GB HBM3 × 1`.
fn models(row: &CaptureRow) -> Value<'_> {
    const VENDORS: [&str; 3] = ["NVIDIA ", "AMD Instinct ", "AMD "];
    match devices(row) {
        Text(devices) => {
            let model = VENDORS.iter().find_map(|vendor| devices.strip_prefix(vendor));
            Text(model.map_or(devices.clone(), |model| model.to_owned().into()))
        }
        other => other,
    }
}

/// Returns the times of a step by the name of the kind in files.
fn kinds(row: &CaptureRow) -> Value<'_> {
    of_summary(row, |summary| {
        let named = summary.kinds.iter().filter(|(_, time)| *time > Picos::ZERO);
        Value::Record(named.map(|(kind, time)| (Cow::Borrowed(Kind::key_or_idle(*kind)), Time(*time))).collect())
    })
}

/// The reason why a row of a table cannot be opened.
const NO_FILES: &str = "the row comes from a table, and the capture is not among the files";

fn status(row: &CaptureRow) -> &'static str {
    match &row.progress {
        CaptureProgress::Waits => "not read",
        CaptureProgress::Read(summary) if summary.is_partial => "partial",
        CaptureProgress::Read(_) => "read",
        CaptureProgress::Failed(_) => "failed",
    }
}

/// The columns of captures, in the order of CSV.
pub const CAPTURES: &[Column<CaptureRow>] = &[
    Column::new("name", |row| Value::text(&row.name)),
    Column::new("taken", |row| Value::maybe(row.start_ns, |ns| Text(date_and_time(ns).into()))),
    Column::new("status", |row| Word(status(row))),
    Column::new("n_hosts", |row| Value::maybe(row.n_hosts, |n| Count(n.into()))),
    Column::new("device_type", |row| Value::maybe_text(row.device_type.as_deref())),
    Column::new("n_devices", |row| Value::maybe(row.n_devices, |n| Count(n.into()))),
    Column::new("bytes", |row| Value::maybe(row.bytes, Bytes)),
    Column::new("n_steps", |row| of_summary(row, |of| Count(of.point.head.n_steps.into()))),
    Column::new("median_ps", median),
    Column::new("period_ps", |row| of_summary(row, |of| Value::maybe(of.period, Time))),
    Column::new("change_ps", change),
    Column::new("verdict", |row| {
        Value::maybe(row.change.and_then(|(_, of)| of), |of| Value::Labelled(of.key(), of.label()))
    }),
    Column::json("kinds_ps", kinds),
    Column::new("mfu_pct", |row| figure(row, "model_mfu")),
    Column::new("hfu_pct", |row| figure(row, "hardware_mfu")),
    Column::new("exposed_communication_pct", |row| figure(row, "exposed_communication")),
    Column::new("idle_pct", |row| figure(row, "idle")),
    Column::new("peak_hbm_pct", |row| figure(row, "peak_hbm")),
    Column::new("top_finding", |row| {
        of_summary(row, |of| Value::maybe_text(of.top_finding.as_ref().map(|finding| finding.title.as_str())))
    }),
    Column::new("at_stake_ps", |row| {
        of_summary(row, |of| Value::maybe(of.top_finding.as_ref().and_then(|finding| finding.at_stake), Time))
    }),
    Column::new("n_findings", |row| of_summary(row, |of| Value::maybe(of.n_findings, |n| Count(n.into())))),
    Column::new("partial", |row| of_summary(row, |of| Flag(of.is_partial))),
    Column::json("programs", |row| Value::texts(&row.programs)),
    Column::json("keys", |row| Value::map(row.keys.iter().map(|(key, value)| (key.as_str(), Value::text(value))))),
    Column::shown("programs_text", |row| joined(row.programs.iter().cloned())),
    Column::shown("keys_text", |row| joined(row.keys.iter().map(|(key, value)| format!("{key}={value}")))),
    Column::shown("devices", models),
    Column::shown("devices_whole", devices),
    Column::shown("kinds", |row| match &row.progress {
        CaptureProgress::Waits => Text("not read yet".into()),
        CaptureProgress::Failed(_) => Text("failed".into()),
        CaptureProgress::Read(summary) if summary.kinds.is_empty() => Text("not in the table".into()),
        CaptureProgress::Read(summary) => {
            let named = summary.kinds.iter().filter(|(_, time)| *time > Picos::ZERO);
            let pair = |(kind, time): &(Option<Kind>, Picos)| {
                let (class, label) = kind.map_or(("idle", "Idle"), |kind| (kind.class(), kind.short()));
                Value::List(vec![Value::Labelled(class, label), Time(*time)])
            };
            Value::List(named.map(pair).collect())
        }
    }),
    Column::shown("kinds_text", |row| {
        of_summary(row, |of| {
            let named = of.kinds.iter().filter(|(_, time)| *time > Picos::ZERO);
            let text = |(kind, time): &(Option<Kind>, Picos)| {
                format!("{} {}", kind.map_or("Idle", Kind::short), time_text(*time))
            };
            joined(named.map(text))
        })
    }),
    Column::shown("reason", |row| match &row.progress {
        CaptureProgress::Failed(reason) => Value::text(reason),
        CaptureProgress::Waits | CaptureProgress::Read(_) => Absent,
    }),
    Column::shown("not_opened", |row| if row.has_files() { Absent } else { Text(NO_FILES.into()) }),
    Column::shown("size", |row| Value::maybe(row.bytes, |bytes| Text(bytes_text(bytes).into()))),
    Column::shown("limits", |row| of_summary(row, |of| Value::text(&of.verdict))),
];

/// The table of captures.
pub const CAPTURES_TABLE: Table<CaptureRow> = Table {
    columns: CAPTURES,
    shown: &[
        Shown::name("name", "Capture"),
        Shown::new("taken", "Taken, UTC", Format::Soft, 19, 4),
        Shown::new("devices", "Device", Format::Text, 14, 7).stretching(),
        Shown::new("median_ps", "Step", Format::Time, 8, 0),
        Shown::new("change_ps", "Change", Format::Difference, 10, 1).in_unit_of("median_ps"),
        Shown::new("kinds", "Kinds of time", Format::Kinds, 18, 5).about("each kind’s share of the capture’s own step"),
        Shown::new("mfu_pct", "MFU", Format::Percent, 6, 3),
        Shown::new("hfu_pct", "HFU", Format::Percent, 6, 3),
        Shown::new("exposed_communication_pct", "Exposed", Format::Percent, 9, 8),
        Shown::new("idle_pct", "Idle", Format::Percent, 6, 9),
        Shown::new("peak_hbm_pct", "Peak HBM", Format::Percent, 10, 10),
        Shown::new("top_finding", "First finding", Format::Text, 34, 6).stretching(),
        Shown::new("at_stake_ps", "At stake", Format::Time, 9, 11),
        Shown::new("n_findings", "All", Format::Count, 4, 12),
        Shown::new("size", "Size", Format::Soft, 10, 13).if_chosen(),
        Shown::new("n_steps", "Steps", Format::Count, 6, 14).if_chosen(),
        Shown::new("n_hosts", "Hosts", Format::Count, 6, 15).if_chosen(),
        Shown::new("programs_text", "Programs", Format::Text, 20, 16).if_chosen().stretching(),
        Shown::new("keys_text", "Keys", Format::Text, 20, 17).if_chosen().stretching(),
    ],
    tips: &[RowTip::of_all(&[
        TipLine::new("taken", "Taken, UTC"),
        TipLine::new("devices_whole", "Devices"),
        TipLine::new("n_hosts", "Files with events"),
        TipLine::new("size", "Size"),
        TipLine::new("n_steps", "Steps"),
        TipLine::new("median_ps", "Step, median"),
        TipLine::new("period_ps", "Step, mean"),
        TipLine::new("change_ps", "From the last comparable one"),
        TipLine::new("verdict", "Verdict"),
        TipLine::new("kinds_text", "Kinds of time"),
        TipLine::new("limits", "Limits"),
        TipLine::new("programs_text", "Programs"),
        TipLine::new("keys_text", "Keys"),
        TipLine::new("reason", "Not read, because"),
        TipLine::new("not_opened", "Cannot be opened, because"),
    ])],
    key: |row| row.key.clone(),
    name: |row, _| Name {
        text: row.name.clone(),
        mono: true,
        second: Some((None, second_line(row))),
        beside: match status(row) {
            status @ ("partial" | "failed") => Some(status.to_owned()),
            _ => None,
        },
        ..Name::default()
    },
    mark: |_| None,
    opens: CaptureRow::has_files,
    parts: |_| Vec::new(),
    nouns: ("capture", "captures"),
    default_sort: "taken",
    leaf: &["name", "top_finding", "device_type", "programs_text", "keys_text"],
};

/// Returns the heading of a column in the table of some captures. `None` leaves out MFU if no capture has it, because no
/// compiler counted the FLOPs of the model, and HFU if a capture has MFU.
pub fn heading(rows: &[CaptureRow], shown: &Shown) -> Option<&'static str> {
    let is_read = rows.iter().any(|row| row.summary().is_some());
    let has_mfu = rows.iter().any(|row| figure(row, "model_mfu") != Absent);
    let is_left_out = match shown.id {
        "mfu_pct" => is_read && !has_mfu,
        "hfu_pct" => !is_read || has_mfu,
        _ => false,
    };
    (!is_left_out).then_some(shown.head)
}

/// Returns the devices: the second line of a row on a narrow screen, below the name.
fn second_line(row: &CaptureRow) -> String {
    if let Text(devices) = models(row) { devices.into_owned() } else { status(row).to_owned() }
}
