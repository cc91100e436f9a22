//! This module writes communication as sentences and tables for the terminal, and as CSV.

use crate::analysis::comm::columns::COMM;
use crate::analysis::comm::{Comm, CommRow, DcnCollective, DeviceBalance, Overlap, Role, Straggler, Traffic};
use crate::table::csv;
use crate::table::format::{bytes_text, count, counted_executions, executions, gbs, percent_text, time_text};
use crate::table::text::{Table, TextForm};
use crate::table::text_columns::{TextColumns, or_absent};

/// Writes a few lines about collectives, copies and their exposed time.
pub fn head(comm: &Comm) -> String {
    let mut lines = Vec::new();
    let parts = [
        ("Collectives", Some(&comm.tensor)),
        ("SparseCore collectives", comm.sparse.as_ref()),
        ("Copies between memories", Some(&comm.copies)),
    ];
    for (name, traffic) in parts {
        let Some(Traffic { n, stall, overlap, .. }) = traffic.filter(|traffic| traffic.n > 0) else { continue };
        let Overlap { in_flight, exposed, overlapped, .. } = overlap;
        let share = or_absent(overlap.share(), percent_text);
        lines.push(format!(
            "{name}: stall {}; in flight {}, of it exposed {} and overlapped {} ({share}); {}",
            time_text(*stall),
            time_text(*in_flight),
            time_text(*exposed),
            time_text(*overlapped),
            counted_executions(*n, "execution", "executions")
        ));
    }
    if let Some(DeviceBalance { worst_spread: Some(spread), .. }) = &comm.balance {
        lines.push(format!("Steps differ by up to {} between devices", percent_text(*spread)));
    }
    lines.extend([straggler(comm), critical(comm)].into_iter().flatten());
    let out = TextForm::Terminal.lines(lines);
    if out.is_empty() { out } else { out + "\n" }
}

/// Returns a sentence about the critical device. `None` if the devices cannot be compared, or if there is a straggler,
/// which is the critical device.
pub fn critical(comm: &Comm) -> Option<String> {
    let critical = comm.balance.as_ref()?.critical.as_ref().filter(|_| comm.straggler().is_none())?;
    Some(format!(
        "Critical device: {critical}. It waits least for the others, so its work determines the length of a step."
    ))
}

/// Returns a sentence about the straggler, or about its absence. `None` if the devices cannot be compared.
pub fn straggler(comm: &Comm) -> Option<String> {
    if let Some(Straggler { arrival, delay, share }) = comm.straggler() {
        let (device, n_last, n) = (&arrival.device, count(arrival.n_last), count(arrival.n));
        return Some(format!(
            "Straggler: {device}. In collectives the other devices wait {} longer than it does (median), {} of the window; it arrives last at {n_last} of {n}.",
            time_text(delay),
            percent_text(share),
        ));
    }
    let (delay, share) = comm.balance.as_ref()?.largest_wait(comm.device_window())?;
    Some(format!(
        "No straggler: waits for peers in collectives differ by {} between devices, {} of the window.",
        time_text(delay),
        percent_text(share),
    ))
}

/// Returns the first `top` rows as a table for the terminal.
pub fn rows(rows: &[CommRow], top: usize) -> Table {
    TextColumns::new()
        .declared(COMM, "key", "Collective or copy")
        .text("Primitive", |row| or_absent(row.primitive_text(), |primitive| primitive))
        .declared(COMM, "group_text", "Devices")
        .declared(COMM, "axis", "Axis")
        .declared(COMM, "executions", "Count")
        .number("Bytes", |row| or_absent(row.message_text(), |bytes| bytes))
        .declared(COMM, "stall_ps", "Stall")
        .declared(COMM, "in_flight_ps", "In flight")
        .declared(COMM, "exposed_ps", "Exposed")
        .declared(COMM, "overlap_pct", "Overlap")
        .declared(COMM, "rate", "GB/s")
        .number("% of peak", |row| {
            let mark = if row.is_above_peak() { "▲ " } else { "" };
            or_absent(row.util, |util| format!("{mark}{}", percent_text(util)))
        })
        .text("Role", |row| row.role.map_or("", Role::label).to_owned())
        .table(rows.iter().take(top))
}

/// A column of the table of collectives between slices: its head, whether it is text, and its cells.
pub type DcnColumn = (&'static str, bool, fn(&DcnCollective) -> String);

/// The columns of the table of collectives between slices.
pub const DCN_COLUMNS: [DcnColumn; 10] = [
    ("Over DCN", true, |row| row.rendezvous.clone()),
    ("Primitive", true, |row| row.primitive.key().to_owned()),
    ("Slices", false, |row| or_absent(row.n_slices, count)),
    ("Count", false, |row| executions(row.n)),
    ("Sent", false, |row| or_absent(row.sent, |sent| least(row, bytes_text(sent)))),
    ("In flight", false, |row| time_text(row.in_flight)),
    ("Exposed", false, |row| time_text(row.exposed)),
    ("GB/s", false, |row| or_absent(row.rate(), |rate| least(row, gbs(rate)))),
    ("% of peak", false, |row| or_absent(row.util(), |util| least(row, percent_text(util)))),
    ("Work to hide it", false, |row| {
        let missing = or_absent(row.time_at_peak(), |time| least(row, time_text(time)));
        format!("{missing}, scheduled {}", time_text(row.slack))
    }),
];

/// Marks a figure of a collective whose number of slices is unknown.
fn least(row: &DcnCollective, figure: String) -> String {
    if row.is_at_least() { format!("≥ {figure}") } else { figure }
}

/// Returns the first `top` collectives between slices as a table for the terminal.
pub fn dcn(rows: &[DcnCollective], top: usize) -> Table {
    let columns = DCN_COLUMNS.into_iter().fold(TextColumns::new(), |columns, (head, is_text, cell)| {
        if is_text { columns.text(head, cell) } else { columns.number(head, cell) }
    });
    columns.table(rows.iter().take(top))
}

/// Returns the first `top` collectives and the first `top` copies with exact figures, for CSV.
pub fn csv(comm: &Comm, top: usize) -> Table {
    csv::table(COMM, comm.rows.iter().take(top).chain(comm.copy_rows.iter().take(top)))
}

/// Writes the XLA flags that are worth trying, by primitive. Empty if no core waits, or if the flags were not checked
/// for the chip.
pub fn flags(comm: &Comm) -> String {
    let device_type = comm.header.device_type.as_deref();
    let mut checked = None;
    let mut lines = Vec::new();
    for sums in &comm.primitives {
        let flags = sums.suggestions(device_type);
        let Some(first) = flags.first() else { continue };
        checked = Some(first.checked_with());
        lines.push(format!("{} stalls {}; to try:", sums.primitive.key(), time_text(sums.traffic.stall)));
        lines.extend(flags.iter().map(|flag| format!("  {}  (default {})", flag.setting(), flag.default)));
    }
    checked.map_or_else(String::new, |version| {
        let chip = device_type.map_or_else(String::new, |name| format!(" for {name}"));
        let head = format!("Flags checked{chip} with {version}. The capture does not record which flags were set.");
        format!("\n{}", TextForm::Terminal.lines(std::iter::once(head).chain(lines)))
    })
}
