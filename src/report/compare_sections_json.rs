//! This module writes the parts of a comparison beside the time of ops as JSON: memory, communication and programs.

use super::memory_json::basis;
use crate::analysis::compare::{
    BytesDelta, ChangeCounts, ChangeKind, ChangedProperty, CommDelta, CommRowDelta, CommSide, Comparison, MemoryDelta,
    OpcodeDelta, PeakDelta, PeakSide, ProgramPair, TimeDelta,
};
use serde::Serialize;

#[derive(Serialize)]
pub(super) struct MemoryJson<'a> {
    program: Option<PeakJson<'a>>,
    absent: Option<&'a str>,
    in_use: Option<BytesJson>,
}

#[derive(Serialize)]
struct PeakJson<'a> {
    name: &'a str,
    a: PeakSideJson<'a>,
    b: PeakSideJson<'a>,
    delta_bytes: i64,
    parts: Vec<ClassJson>,
}

#[derive(Serialize)]
struct PeakSideJson<'a> {
    peak_bytes: u64,
    peak_instruction: Option<&'a str>,
    n_buffers: u32,
    basis: &'static str,
}

#[derive(Serialize)]
struct ClassJson {
    class: &'static str,
    a_bytes: u64,
    b_bytes: u64,
    delta_bytes: i64,
}

#[derive(Serialize)]
struct BytesJson {
    a_bytes: u64,
    b_bytes: u64,
    delta_bytes: i64,
}

#[derive(Serialize)]
pub(super) struct CommJson<'a> {
    /// `None` if collectives are not compared.
    exposed: Option<TimeDelta>,
    stall: Option<TimeDelta>,
    rows: Vec<CommRowJson<'a>>,
    n_rows: usize,
    absent: Option<&'a str>,
}

#[derive(Serialize)]
struct CommRowJson<'a> {
    primitive: &'static str,
    core: &'static str,
    group_size: Option<u64>,
    group_stride: Option<u64>,
    scope: Option<&'a str>,
    a: Option<&'a CommSide>,
    b: Option<&'a CommSide>,
    exposed_delta_ps: i64,
    stall_delta_ps: i64,
    bytes_delta: Option<i64>,
}

/// Returns the difference of the memory as JSON.
pub(super) fn memory(memory: &MemoryDelta) -> MemoryJson<'_> {
    MemoryJson {
        program: memory.program.as_ref().map(peak),
        absent: memory.absent.as_deref(),
        in_use: memory.in_use.map(in_use),
    }
}

const fn in_use(bytes: BytesDelta) -> BytesJson {
    BytesJson { a_bytes: bytes.a, b_bytes: bytes.b, delta_bytes: bytes.delta }
}

fn peak(peak: &PeakDelta) -> PeakJson<'_> {
    let parts = peak.parts.iter().map(|part| ClassJson {
        class: part.class.key(),
        a_bytes: part.a,
        b_bytes: part.b,
        delta_bytes: part.delta,
    });
    PeakJson {
        name: &peak.program,
        a: peak_side(&peak.a),
        b: peak_side(&peak.b),
        delta_bytes: peak.delta,
        parts: parts.collect(),
    }
}

fn peak_side(peak: &PeakSide) -> PeakSideJson<'_> {
    PeakSideJson {
        peak_bytes: peak.peak,
        peak_instruction: peak.instruction.as_deref(),
        n_buffers: peak.n_buffers,
        basis: basis(peak.basis),
    }
}

/// Returns the difference of the collectives as JSON, with the `top` rows of the largest difference.
pub(super) fn comm(delta: &CommDelta, top: usize) -> CommJson<'_> {
    let rows = delta.rows.iter().take(top).map(comm_row).collect();
    let known = |time: TimeDelta| delta.absent.is_none().then_some(time);
    CommJson {
        exposed: known(delta.exposed),
        stall: known(delta.stall),
        rows,
        n_rows: delta.rows.len(),
        absent: delta.absent.as_deref(),
    }
}

fn comm_row(row: &CommRowDelta) -> CommRowJson<'_> {
    CommRowJson {
        primitive: row.primitive.key(),
        core: row.core.key(),
        group_size: row.group_size,
        group_stride: row.group_stride,
        scope: row.scope.as_deref(),
        a: row.a.as_ref(),
        b: row.b.as_ref(),
        exposed_delta_ps: row.exposed_delta_ps,
        stall_delta_ps: row.stall_delta_ps,
        bytes_delta: row.bytes_delta,
    }
}

#[derive(Serialize)]
pub(super) struct ProgramJson<'a> {
    programs: &'a [ProgramPair],
    only_in_a: &'a [String],
    only_in_b: &'a [String],
    absent: Option<&'a str>,
    delta_ps: i64,
    changes: Vec<ChangeJson<'a>>,
    n_changes: usize,
    n_without_time: ChangeCounts,
    n_moved: u32,
    opcodes: &'a [OpcodeDelta],
}

#[derive(Serialize)]
struct ChangeJson<'a> {
    name: &'a str,
    kind: ChangeKind,
    what: &'a [ChangedProperty],
    delta_ps: i64,
}

/// Returns the differences of the programs as JSON, with the `top` changes of the largest difference.
pub(super) fn program_changes(comparison: &Comparison, top: usize) -> ProgramJson<'_> {
    let diff = &comparison.program_changes;
    let changes = diff.changes.iter().take(top).map(|change| ChangeJson {
        name: comparison.rows.get(change.row as usize).map_or("", |row| row.name()),
        kind: change.kind,
        what: &change.what,
        delta_ps: change.delta_ps,
    });
    ProgramJson {
        programs: &diff.programs,
        only_in_a: &diff.only_in_a,
        only_in_b: &diff.only_in_b,
        absent: diff.absent.as_deref(),
        delta_ps: diff.delta_ps,
        changes: changes.collect(),
        n_changes: diff.changes.len(),
        n_without_time: diff.n_without_time,
        n_moved: diff.n_moved,
        opcodes: &diff.opcodes,
    }
}
