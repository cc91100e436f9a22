//! This module declares the columns of the table of captures.

use super::report::{CaptureProgress, CaptureRow, CaptureSummary};
use crate::analysis::classify::Kind;
use crate::analysis::compare::Verdict;
use crate::table::Value::{self, Text, Time};
use crate::table::date::date_and_time;
use crate::table::format::{bytes_text, time_text};
use crate::table::page::Name;
use crate::table::shown::{Format, RowTip, Shown, Table, TipLine};
use crate::table::{Difference, columns};
use xla_profile::units::Picos;

/// Returns the median of the lengths of steps.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a time in ps")]
fn median(row: &CaptureRow) -> Option<Picos> {
    row.median_ps.map(|median| Picos(median.max(0.0).round() as u64))
}

fn change(row: &CaptureRow) -> Value<'_> {
    let is_real = |verdict| matches!(verdict, Some(Verdict::Regression | Verdict::Improvement));
    Value::maybe(row.change, |(ps, verdict)| Value::Difference(Difference { ps, is_real: is_real(verdict) }))
}

/// Returns texts with commas between them. `None` if there are none.
fn joined(texts: impl Iterator<Item = String>) -> Option<String> {
    let text = texts.collect::<Vec<_>>().join(", ");
    (!text.is_empty()).then_some(text)
}

/// Returns the devices as text: `TPU v5p × 8`.
fn devices(row: &CaptureRow) -> Option<String> {
    let n = row.n_devices.map(|n| format!(" × {n}")).unwrap_or_default();
    row.device_type.as_ref().map(|chip| format!("{chip}{n}"))
}

/// Returns the devices without their vendor, whose name takes the room of the model: `H100 80GB HBM3 × 1`.
fn models(row: &CaptureRow) -> Option<String> {
    const VENDORS: [&str; 3] = ["NVIDIA ", "AMD Instinct ", "AMD "];
    let devices = devices(row)?;
    let model = VENDORS.iter().find_map(|vendor| devices.strip_prefix(vendor)).map(str::to_owned);
    Some(model.unwrap_or(devices))
}

/// Returns the kinds that take time in a step, with their times. Idle time has no kind.
fn kinds(summary: &CaptureSummary) -> impl Iterator<Item = (Option<Kind>, Picos)> {
    summary.kinds.iter().copied().filter(|(_, time)| *time > Picos::ZERO)
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

columns! {
    /// The columns of captures, in the order of CSV.
    pub CAPTURES(row: CaptureRow) {
        /// Name of the capture: the folder of the run, or the name of its file.
        name: Name(File) = &row.name,
        /// When the profile was started, as UTC. Null if nothing records it.
        taken: Text or null = row.start_ns.map(date_and_time),
        /// `not read`, `read`, `partial` if only a part of the capture could be read, or `failed` if nothing could be.
        status: Word = status(row),
        /// Number of files with events, one for each host. Null if a table does not name the hosts.
        n_hosts: Count or null = row.n_hosts.map(u64::from),
        /// Type of the devices. Null if it is unknown.
        device_type: Name(Chip) or null = row.device_type.as_deref(),
        /// Number of devices. Null if it is unknown.
        n_devices: Count or null = row.n_devices.map(u64::from),
        /// Stored bytes of all files. Null if a table does not tell it.
        bytes: Bytes or null = row.bytes,
        /// Number of the steps. As all fields below, it is null if the capture has not been read, or if it is unknown.
        n_steps: Count or null = row.summary().map(|summary| summary.point.head.n_steps.into()),
        /// Median of the lengths of steps. Null also without steps.
        median_ps: Time or null = median(row),
        /// Mean length of a step, or the length of the capture if it has no steps.
        period_ps: Time or null = row.summary().and_then(|summary| summary.period),
        /// Difference of the median from that of the last comparable capture. Null also if there is none.
        change_ps: Value(Integer) or null = change(row),
        /// Whether that difference is more than noise. Null also if the steps of one of both are unknown.
        verdict: Labelled(Verdict) or null = row.change.and_then(|(_, verdict)| verdict),
        /// The time of a step by kind, with `idle`. Kinds without time are left out.
        kinds_ps: Map(Time) or null in json = {
            row.summary().map(|summary| kinds(summary).map(|(kind, time)| (Kind::key_or_idle(kind), time)))
        },
        /// MFU: the FLOPs of the model ÷ the FLOPs that the peak allows in the time of a step.
        mfu_pct: Percent or null = row.figure("model_mfu"),
        /// HFU: the same with all FLOPs that ran, recompute included.
        hfu_pct: Percent or null = row.figure("hardware_mfu"),
        /// Share of a step with a collective in flight and no compute.
        exposed_communication_pct: Percent or null = row.figure("exposed_communication"),
        /// Share of a step in which no op runs.
        idle_pct: Percent or null = row.figure("idle"),
        /// The largest memory in use as a share of the capacity of the device.
        peak_hbm_pct: Percent or null = row.figure("peak_hbm"),
        /// Title of the finding with the most recoverable time. Null also if there is no finding.
        top_finding: Text or null = {
            row.summary().and_then(|summary| summary.top_finding.as_ref()).map(|finding| finding.title.as_str())
        },
        /// The time that this finding is about, per step.
        at_stake_ps: Time or null = {
            row.summary().and_then(|summary| summary.top_finding.as_ref()).and_then(|finding| finding.at_stake)
        },
        /// Number of findings about time, memory and options.
        n_findings: Count or null = row.summary().and_then(|summary| summary.n_findings).map(u64::from),
        /// Whether only a part of the capture could be read.
        partial: Flag or null = row.summary().map(|summary| summary.is_partial),
        /// Names of the programs. Empty if they are unknown.
        programs: List(Name(Program)) in json = &row.programs,
        /// What the user who exported the capture added to it, such as the commit. Only rows of tables have keys.
        keys: Value(Map(Text)) in json = {
            Value::map(row.keys.iter().map(|(key, value)| (key.as_str(), Value::text(value))))
        },
        programs_text: Text or null in page = joined(row.programs.iter().cloned()),
        keys_text: Text or null in page = joined(row.keys.iter().map(|(key, value)| format!("{key}={value}"))),
        devices: Text or null in page = models(row),
        devices_whole: Text or null in page = devices(row),
        kinds: Value(Any) in page = match &row.progress {
            CaptureProgress::Waits => Text("not read yet".into()),
            CaptureProgress::Failed(_) => Text("failed".into()),
            CaptureProgress::Read(summary) if summary.kinds.is_empty() => Text("not in the table".into()),
            CaptureProgress::Read(summary) => {
                let pair = |(kind, time): (Option<Kind>, Picos)| {
                    let (class, label) = kind.map_or(("idle", "Idle"), |kind| (kind.class(), kind.short()));
                    Value::List(vec![Value::Labelled(class, label), Time(time)])
                };
                Value::List(kinds(summary).map(pair).collect())
            }
        },
        kinds_text: Text or null in page = {
            let text = |(kind, time): (Option<Kind>, Picos)| {
                format!("{} {}", kind.map_or("Idle", Kind::short), time_text(time))
            };
            row.summary().and_then(|summary| joined(kinds(summary).map(text)))
        },
        reason: Text or null in page = match &row.progress {
            CaptureProgress::Failed(reason) => Some(reason.as_str()),
            CaptureProgress::Waits | CaptureProgress::Read(_) => None,
        },
        not_opened: Text or null in page = (!row.has_files()).then_some(NO_FILES),
        size: Text or null in page = row.bytes.map(bytes_text),
        limits: Text or null in page = row.summary().map(|summary| summary.verdict.as_str()),
    }
}

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
    let has_mfu = rows.iter().any(|row| row.figure("model_mfu").is_some());
    let is_left_out = match shown.id {
        "mfu_pct" => is_read && !has_mfu,
        "hfu_pct" => !is_read || has_mfu,
        _ => false,
    };
    (!is_left_out).then_some(shown.head)
}

/// Returns the devices: the second line of a row on a narrow screen, below the name.
fn second_line(row: &CaptureRow) -> String {
    models(row).unwrap_or_else(|| status(row).to_owned())
}
