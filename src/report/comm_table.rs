//! This module writes communication as sentences and tables for the terminal, and as CSV.

use crate::analysis::comm::columns::COMM;
use crate::analysis::comm::{Comm, CommRow, DcnCollective, DeviceBalance, Overlap, Straggler, Traffic};
use crate::table::csv;
use crate::table::format::{bytes_text, count, counted_executions, executions, gbs, percent_text, time_text};
use crate::table::text::{Table, TextForm};

const ABSENT: &str = "–";

fn or_absent<T>(value: Option<T>, show: impl Fn(T) -> String) -> String {
    value.map_or(ABSENT.to_owned(), show)
}

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
        let (of, n_last, n) = (&arrival.device, count(arrival.n_last), count(arrival.n));
        return Some(format!(
            "Straggler: {of}. In collectives the other devices wait {} longer than it does (median), {} of the window; it arrives last at {n_last} of {n}.",
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
    let mut table = Table::new(&[
        ("Collective or copy", true),
        ("Primitive", true),
        ("Devices", true),
        ("Axis", true),
        ("Count", false),
        ("Bytes", false),
        ("Stall", false),
        ("In flight", false),
        ("Exposed", false),
        ("Overlap", false),
        ("GB/s", false),
        ("% of peak", false),
        ("Role", true),
    ]);
    for row in rows.iter().take(top) {
        let group = row.group.as_ref();
        let size = |size: u64| match group.and_then(|group| group.stride) {
            Some(stride) if stride != 1 => format!("{size}, every {stride}"),
            _ => size.to_string(),
        };
        table.row(vec![
            row.key.clone(),
            or_absent(row.primitive_text(), |primitive| primitive),
            or_absent(group.and_then(|group| group.size), size),
            or_absent(group.and_then(|group| group.axis.clone()), |axis| axis),
            if row.is_unpaired() { ABSENT.to_owned() } else { executions(row.n) },
            or_absent(row.message_text(), |bytes| bytes),
            time_text(row.stall),
            time_text(row.overlap.in_flight),
            time_text(row.overlap.exposed),
            or_absent(row.overlap.share(), percent_text),
            or_absent(row.rate(), gbs),
            or_absent(row.util, |util| {
                format!("{}{}", if row.is_above_peak() { "▲ " } else { "" }, percent_text(util))
            }),
            row.role.map_or(String::new(), |role| role.label().to_owned()),
        ]);
    }
    table
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
    let mut table = Table::new(&DCN_COLUMNS.map(|(head, is_text, _)| (head, is_text)));
    for row in rows.iter().take(top) {
        table.row(DCN_COLUMNS.map(|(.., cell)| cell(row)).to_vec());
    }
    table
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
