//! This module writes the contents of the files, a [`FileView`], as JSON. It defines the names and the order of the
//! fields.

use crate::analysis::base::Status;
use crate::analysis::files::{FileLine, FilePlane, FileProgram, FileView, Finding};
use crate::profile::{Note, PlaneStat};
use crate::small_sort::SmallSort;
use crate::units::Picos;
use serde::Serialize;
use std::collections::BTreeMap;

/// The JSON of `rooflight inspect --json`.
#[derive(Serialize)]
pub struct InspectJson<'a> {
    status: Status,
    view: &'static str,
    files: Vec<FileJson<'a>>,
    hosts: &'a [String],
    planes: Vec<PlaneJson<'a>>,
    programs: Vec<ProgramJson<'a>>,
    n_events_total: u64,
    quality: Vec<FindingJson<'a>>,
    notes: &'a [Note],
}

#[derive(Serialize)]
struct FindingJson<'a> {
    what: &'static str,
    #[serde(rename = "where")]
    place: Option<&'a str>,
    n: Option<u64>,
    consequence: &'a str,
    remedy: Option<&'a str>,
}

#[derive(Serialize)]
struct FileJson<'a> {
    name: &'a str,
    format: &'a str,
    size_bytes: u64,
}

#[derive(Serialize)]
struct PlaneJson<'a> {
    name: &'a str,
    id: i64,
    role: &'static str,
    file: &'a str,
    size_bytes: u64,
    metadata_bytes: u64,
    n_events: u64,
    n_metadata: u64,
    n_ops: u64,
    origin_ns: Option<i64>,
    stats: BTreeMap<&'a str, StatValue<'a>>,
    stat_counts: BTreeMap<&'a str, Counts>,
    lines: Vec<LineJson<'a>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum StatValue<'a> {
    Text(&'a str),
    Number(f64),
    Bytes { n_bytes: u64 },
}

#[derive(Serialize)]
struct Counts {
    on_events: u64,
    on_metadata: u64,
}

#[derive(Serialize)]
struct LineJson<'a> {
    name: &'a str,
    display_name: Option<&'a str>,
    id: i64,
    timestamp_ns: i64,
    n_events: u64,
    size_bytes: u64,
    span_ps: Option<(Picos, Picos)>,
    device_clock: bool,
    used_for: &'static str,
}

#[derive(Serialize)]
struct ProgramJson<'a> {
    name: &'a str,
    program_id: Option<String>,
    hlo_from: &'static str,
    hlo_file: Option<&'a str>,
    hlo_bytes: Option<u64>,
    n_executions: Option<u64>,
    run_duration_ps: Option<Picos>,
    busy_duration_ps: Option<Picos>,
}

/// Returns the contents of the files as JSON, with the first `top` planes and programs. Programs are in the order of their
/// ids.
pub fn inspect<'a>(view: &'a FileView, top: usize, notes: &'a [Note]) -> InspectJson<'a> {
    let mut programs: Vec<&FileProgram> = view.programs.iter().collect();
    programs.small_sort_by_key(|program| (program.program_id.is_none(), program.program_id));
    InspectJson {
        status: if view.partial { Status::Partial } else { Status::Ok },
        view: "inspect",
        files: view
            .files
            .iter()
            .map(|file| FileJson { name: &file.name, format: &file.format, size_bytes: file.bytes })
            .collect(),
        hosts: &view.hosts,
        planes: view.planes.iter().take(top).map(|plane| of_plane(view, plane)).collect(),
        programs: programs.into_iter().take(top).map(|program| of_program(view, program)).collect(),
        n_events_total: view.n_events,
        quality: view.quality.iter().map(of_finding).collect(),
        notes,
    }
}

fn of_finding(finding: &Finding) -> FindingJson<'_> {
    FindingJson {
        what: finding.kind.key(),
        place: finding.place.as_deref(),
        n: finding.n,
        consequence: &finding.consequence,
        remedy: finding.remedy.as_deref(),
    }
}

fn file(view: &FileView, index: u32) -> Option<&str> {
    view.files.get(index as usize).map(|file| file.name.as_str())
}

fn of_plane<'a>(view: &'a FileView, plane: &'a FilePlane) -> PlaneJson<'a> {
    let value = |value: &'a PlaneStat| match value {
        PlaneStat::Text(text) => StatValue::Text(text),
        PlaneStat::Number(n) => StatValue::Number(*n),
        PlaneStat::Bytes(n) => StatValue::Bytes { n_bytes: *n },
    };
    PlaneJson {
        name: &plane.name,
        id: plane.id,
        role: plane.role.key(),
        file: file(view, plane.file).unwrap_or_default(),
        size_bytes: plane.bytes,
        metadata_bytes: plane.metadata_bytes,
        n_events: plane.n_events,
        n_metadata: plane.n_metadata,
        n_ops: plane.n_ops,
        origin_ns: plane.origin_ns,
        stats: plane.stats.iter().map(|stat| (stat.name.as_str(), value(&stat.value))).collect(),
        stat_counts: plane
            .stat_names
            .iter()
            .map(|of| (of.name.as_str(), Counts { on_events: of.on_events, on_metadata: of.on_metadata }))
            .collect(),
        lines: plane.lines.iter().map(of_line).collect(),
    }
}

fn of_line(line: &FileLine) -> LineJson<'_> {
    LineJson {
        name: &line.name,
        display_name: line.display_name.as_deref(),
        id: line.id,
        timestamp_ns: line.timestamp_ns,
        n_events: line.n_events,
        size_bytes: line.bytes,
        span_ps: line.span,
        device_clock: line.device_clock,
        used_for: line.used.key(),
    }
}

fn of_program<'a>(view: &'a FileView, program: &'a FileProgram) -> ProgramJson<'a> {
    ProgramJson {
        name: &program.name,
        program_id: program.program_id.map(|id| id.to_string()),
        hlo_from: program.source.key(),
        hlo_file: program.file.and_then(|index| file(view, index)),
        hlo_bytes: program.bytes,
        n_executions: program.n_runs,
        run_duration_ps: program.run_time,
        busy_duration_ps: program.busy,
    }
}
