//! This module writes the parts of a comparison beside the time of ops as JSON: memory and communication.

use super::memory_json::basis;
use crate::analysis::compare::{
    BytesDelta, CommDelta, CommRowDelta, CommSide, MemoryDelta, PeakDelta, PeakSide, TimeDelta,
};
use serde::Serialize;

#[derive(Serialize)]
pub(super) struct MemoryJson<'a> {
    program: Option<PeakJson<'a>>,
    absent: Option<&'a str>,
    in_use: Option<BytesDelta>,
}

#[derive(Serialize)]
struct PeakJson<'a> {
    name: &'a str,
    a: PeakSideJson<'a>,
    b: PeakSideJson<'a>,
    delta: i64,
    parts: Vec<ClassJson>,
}

#[derive(Serialize)]
struct PeakSideJson<'a> {
    peak: u64,
    instruction: Option<&'a str>,
    n_buffers: u32,
    basis: &'static str,
}

#[derive(Serialize)]
struct ClassJson {
    class: &'static str,
    a: u64,
    b: u64,
    delta: i64,
}

#[derive(Serialize)]
pub(super) struct CommJson<'a> {
    exposed: TimeDelta,
    stall: TimeDelta,
    rows: Vec<CommRowJson<'a>>,
    n_rows: usize,
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
pub(super) fn memory(of: &MemoryDelta) -> MemoryJson<'_> {
    MemoryJson { program: of.program.as_ref().map(peak), absent: of.absent.as_deref(), in_use: of.in_use }
}

fn peak(of: &PeakDelta) -> PeakJson<'_> {
    let parts =
        of.parts.iter().map(|part| ClassJson { class: part.class.key(), a: part.a, b: part.b, delta: part.delta });
    PeakJson { name: &of.program, a: peak_side(&of.a), b: peak_side(&of.b), delta: of.delta, parts: parts.collect() }
}

fn peak_side(of: &PeakSide) -> PeakSideJson<'_> {
    PeakSideJson {
        peak: of.peak,
        instruction: of.instruction.as_deref(),
        n_buffers: of.n_buffers,
        basis: basis(of.basis),
    }
}

/// Returns the difference of the collectives as JSON, with the `top` rows of the largest difference.
pub(super) fn comm(of: &CommDelta, top: usize) -> CommJson<'_> {
    let rows = of.rows.iter().take(top).map(comm_row).collect();
    CommJson { exposed: of.exposed, stall: of.stall, rows, n_rows: of.rows.len() }
}

fn comm_row(of: &CommRowDelta) -> CommRowJson<'_> {
    CommRowJson {
        primitive: of.primitive.key(),
        core: of.core.key(),
        group_size: of.group_size,
        group_stride: of.group_stride,
        scope: of.scope.as_deref(),
        a: of.a.as_ref(),
        b: of.b.as_ref(),
        exposed_delta_ps: of.exposed_delta_ps,
        stall_delta_ps: of.stall_delta_ps,
        bytes_delta: of.bytes_delta,
    }
}
