//! This module writes the parts of a comparison beside the time of ops: memory and communication.

use crate::analysis::compare::{BytesDelta, ClassDelta, CommDelta, CommRowDelta, CommSide, MemoryDelta};
use crate::report::compare::format::picos;
use crate::table::format::{TimeUnit, bytes_text, decimal, gbs, middle_cut, sign};
use crate::table::text::{Table, TextForm};
use crate::table::text_columns::{TextColumns, or_absent};
use xla_profile::units::Picos;

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
    let columns = TextColumns::new()
        .text("Buffers at the peak", |part: &ClassDelta| part.class.label().to_owned())
        .number("A", |part| bytes_text(part.a))
        .number("B", |part| bytes_text(part.b))
        .number("Difference", |part| signed_bytes(part.delta));
    let table = columns.table(parts);
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
    Some(
        TextColumns::new()
            .text("Collective", name)
            .number("Executions A", |row| or_absent(row.a.as_ref(), n_executions))
            .number("B", |row| or_absent(row.b.as_ref(), n_executions))
            .time("Exposed A", unit, |row| row.a.as_ref().map(exposed))
            .time("B", unit, |row| row.b.as_ref().map(exposed))
            .difference("Difference", unit, |row| row.exposed_delta_ps)
            .difference("Stall, difference", unit, |row| row.stall_delta_ps)
            .number("Bus GB/s A", |row| or_absent(row.a.as_ref().and_then(|side| side.bus_rate), gbs))
            .number("B", |row| or_absent(row.b.as_ref().and_then(|side| side.bus_rate), gbs))
            .text("Scope", |row| or_absent(row.scope.as_ref(), |scope| middle_cut(scope, 48)))
            .table(shown),
    )
}

const fn is_of_one_side(row: &CommRowDelta) -> bool {
    row.a.is_none() || row.b.is_none()
}

fn n_executions(side: &CommSide) -> String {
    decimal(side.n_executions, if side.n_executions.fract() == 0.0 { 0 } else { 2 })
}

fn exposed(side: &CommSide) -> Picos {
    picos(side.exposed_ps)
}

/// Returns the primitive of a row with its groups: "all-gather × 8, stride 4".
fn name(row: &CommRowDelta) -> String {
    let size = row.group_size.map_or(String::new(), |size| format!(" × {size}"));
    let stride = row.group_stride.filter(|stride| *stride != 1);
    let stride = stride.map_or(String::new(), |stride| format!(", stride {stride}"));
    format!("{}{size}{stride}", row.primitive.key())
}
