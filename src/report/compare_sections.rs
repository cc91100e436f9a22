//! This module writes the parts of a comparison beside the time of ops: memory and communication.

use crate::analysis::compare::{BytesDelta, CommDelta, CommRowDelta, CommSide, MemoryDelta};
use crate::table::format::{ABSENT, TimeUnit, bytes_text, decimal, gbs, middle_cut, sign, signed_time, time};
use crate::table::text::{Table, TextForm};
use crate::units::Picos;

/// Returns a difference of sizes with its sign and unit.
fn signed_bytes(delta: i64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "only the sign counts")]
    let sign = sign(delta as f64);
    format!("{sign}{}", bytes_text(delta.unsigned_abs()))
}

/// Returns the difference of the memory: the sentences, and the classes of buffers as a table.
pub(super) fn memory(memory: &MemoryDelta) -> String {
    TextForm::Terminal.lines(memory_sentences(memory))
        + &memory_table(memory).map_or_else(String::new, |table| table.aligned())
}

/// Returns the peaks of both sides in sentences, or why they are not compared.
pub fn memory_sentences(memory: &MemoryDelta) -> Vec<String> {
    let mut out = Vec::new();
    match (&memory.program, &memory.absent) {
        (Some(peak), _) => {
            let (a, b) = (bytes_text(peak.a.peak), bytes_text(peak.b.peak));
            out.push(format!("Peak HBM of {}: {a} in A, {b} in B, {}.", peak.program, signed_bytes(peak.delta)));
        }
        (None, Some(absent)) => out.push(format!("The peaks of HBM are not compared. {absent}")),
        (None, None) => {}
    }
    if let Some(BytesDelta { a, b, delta }) = memory.in_use {
        let (a, b) = (bytes_text(a), bytes_text(b));
        out.push(format!("Memory in use by the allocators: at most {a} in A, {b} in B, {}.", signed_bytes(delta)));
    }
    out
}

/// Returns the classes of buffers whose bytes at the peak differ. `None` if none differs.
pub fn memory_table(memory: &MemoryDelta) -> Option<Table> {
    let parts = memory.program.iter().flat_map(|peak| &peak.parts).filter(|part| part.delta != 0);
    let mut table = Table::new(&[("Buffers at the peak", true), ("A", false), ("B", false), ("Difference", false)]);
    for part in parts {
        table.row(vec![
            part.class.label().to_owned(),
            bytes_text(part.a),
            bytes_text(part.b),
            signed_bytes(part.delta),
        ]);
    }
    (!table.rows.is_empty()).then_some(table)
}

/// Returns why collectives are not compared in a sentence.
pub fn no_comm(absent: &str) -> String {
    format!("Collectives are not compared. {absent}")
}

/// Returns the collectives with the largest differences as a table. `None` if none differs.
pub fn comm(delta: &CommDelta, top: usize) -> Option<Table> {
    let differs = |row: &&CommRowDelta| row.exposed_delta_ps != 0 || row.stall_delta_ps != 0 || is_of_one_side(row);
    let shown: Vec<&CommRowDelta> = delta.rows.iter().filter(differs).take(top).collect();
    let sides = shown.iter().flat_map(|row| [&row.a, &row.b]).flatten();
    let longest = sides.map(|side| side.exposed_ps.max(side.stall_ps)).max()?;
    let unit = TimeUnit::for_largest(Picos(longest.unsigned_abs()));
    let head = |name: &str| format!("{name} {}", unit.symbol());
    let heads = [
        ("Collective".to_owned(), true),
        ("Executions A".to_owned(), false),
        ("B".to_owned(), false),
        (head("Exposed A"), false),
        (head("B"), false),
        (head("Difference"), false),
        (head("Stall, difference"), false),
        ("Bus GB/s A".to_owned(), false),
        ("B".to_owned(), false),
        ("Scope".to_owned(), true),
    ];
    let heads: Vec<(&str, bool)> = heads.iter().map(|(name, is_text)| (name.as_str(), *is_text)).collect();
    let mut table = Table::new(&heads);
    for row in shown {
        let sides = [&row.a, &row.b];
        let [n_a, n_b] = sides.map(|side| text(side, |side| decimal(side.n_executions, decimals(side.n_executions))));
        let [exposed_a, exposed_b] =
            sides.map(|side| text(side, |side| time(Picos(side.exposed_ps.unsigned_abs()), unit)));
        let [rate_a, rate_b] = sides.map(|side| text(side, |side| side.bus_rate.map_or(ABSENT.to_owned(), gbs)));
        table.row(vec![
            name(row),
            n_a,
            n_b,
            exposed_a,
            exposed_b,
            signed_time(row.exposed_delta_ps, unit),
            signed_time(row.stall_delta_ps, unit),
            rate_a,
            rate_b,
            row.scope.as_ref().map_or(ABSENT.to_owned(), |scope| middle_cut(scope, 48)),
        ]);
    }
    Some(table)
}

const fn is_of_one_side(row: &CommRowDelta) -> bool {
    row.a.is_none() || row.b.is_none()
}

fn decimals(n: f64) -> u32 {
    if n.fract() == 0.0 { 0 } else { 2 }
}

fn text(side: &Option<CommSide>, value: impl Fn(&CommSide) -> String) -> String {
    side.as_ref().map_or(ABSENT.to_owned(), value)
}

/// Returns the primitive of a row with its groups: "all-gather × 8, stride 4".
fn name(row: &CommRowDelta) -> String {
    let size = row.group_size.map_or(String::new(), |size| format!(" × {size}"));
    let stride = row.group_stride.filter(|stride| *stride != 1);
    let stride = stride.map_or(String::new(), |stride| format!(", stride {stride}"));
    format!("{}{size}{stride}", row.primitive.key())
}
