//! What is in a file: planes, lines, stats, programs, and how many bytes each takes. Counts only.

use crate::analysis::Status;
use crate::profile::{HloBlob, Note, Plane, PlaneStat, Profile};
use serde::Serialize;
use std::collections::BTreeMap;

/// `rooflight inspect --json`.
#[derive(Serialize)]
pub struct Inspect<'a> {
    status: Status,
    view: &'static str,
    files: Vec<File<'a>>,
    hosts: &'a [String],
    /// Planes, in file order.
    pub planes: Vec<PlaneOf<'a>>,
    /// Programs: what ran and what has its HLO in the capture.
    pub programs: Vec<Program<'a>>,
    n_events_total: usize,
    notes: &'a [Note],
}

/// A file and its size.
#[derive(Serialize)]
pub struct File<'a> {
    name: &'a str,
    format: &'a str,
    size_bytes: u64,
}

/// A plane.
#[derive(Serialize)]
pub struct PlaneOf<'a> {
    /// Its name.
    pub name: &'a str,
    id: i64,
    file: &'a str,
    /// Bytes of the plane, its lines included.
    pub size_bytes: u64,
    /// Bytes of the plane without its lines: names, metadata, stats.
    pub metadata_bytes: u64,
    /// Its events.
    pub n_events: usize,
    /// Its metadata entries.
    pub n_metadata: usize,
    /// Distinct ops: metadata entries and what events' own stats make of them.
    n_ops: usize,
    stats: BTreeMap<&'a str, StatValue<'a>>,
    stat_counts: BTreeMap<&'a str, Counts>,
    /// Its lines, in file order.
    pub lines: Vec<LineOf<'a>>,
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

/// A line.
#[derive(Serialize)]
pub struct LineOf<'a> {
    /// Its name.
    pub name: &'a str,
    display_name: Option<&'a str>,
    id: i64,
    timestamp_ns: i64,
    /// Its events.
    pub n_events: usize,
    /// Its bytes.
    pub size_bytes: u64,
    /// All its events have a time on the device's clock.
    device_clock: bool,
}

/// A program.
#[derive(Serialize)]
pub struct Program<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its id, as unsigned decimal.
    pub program_id: String,
    /// Bytes of its serialized HLO, where the capture has it.
    pub hlo_bytes: Option<u64>,
}

/// Counts a profile.
pub fn inspect<'a>(
    profile: &'a Profile,
    files: impl Iterator<Item = (&'a str, &'a str, u64)>,
    partial: bool,
    notes: &'a [Note],
) -> Inspect<'a> {
    Inspect {
        status: if partial { Status::Partial } else { Status::Ok },
        view: "inspect",
        files: files.map(|(name, format, size_bytes)| File { name, format, size_bytes }).collect(),
        hosts: &profile.hosts,
        planes: profile.planes.iter().map(|p| plane(profile, p)).collect(),
        programs: programs(profile),
        n_events_total: profile.n_events(),
        notes,
    }
}

fn plane<'a>(profile: &'a Profile, plane: &'a Plane) -> PlaneOf<'a> {
    let value = |v: &'a PlaneStat| match v {
        PlaneStat::Text(text) => StatValue::Text(text),
        PlaneStat::Number(n) => StatValue::Number(*n),
        PlaneStat::Bytes(n) => StatValue::Bytes { n_bytes: *n },
    };
    let line_bytes: u64 = plane.lines.iter().map(|l| l.bytes).sum();
    PlaneOf {
        name: &plane.name,
        id: plane.id,
        file: profile.files.get(plane.file).map_or("", String::as_str),
        size_bytes: plane.bytes,
        metadata_bytes: plane.bytes.saturating_sub(line_bytes),
        n_events: plane.n_events(),
        n_metadata: plane.n_metadata,
        n_ops: plane.ops.len(),
        stats: plane.stats.iter().map(|(k, v)| (k.as_str(), value(v))).collect(),
        stat_counts: plane
            .stat_counts
            .iter()
            .map(|(k, c)| (k.as_str(), Counts { on_events: c.on_events, on_metadata: c.on_metadata }))
            .collect(),
        lines: plane
            .lines
            .iter()
            .map(|l| LineOf {
                name: &l.name,
                display_name: Some(l.display_name.as_str()).filter(|d| !d.is_empty() && *d != l.name),
                id: l.id,
                timestamp_ns: l.timestamp_ns,
                n_events: l.events.len(),
                size_bytes: l.bytes,
                device_clock: l.events.device.is_some(),
            })
            .collect(),
    }
}

fn programs(profile: &Profile) -> Vec<Program<'_>> {
    let hlo_of = |id| {
        let of = |h: &&HloBlob| h.program == Some(id);
        profile.hlo.iter().filter(of).map(|h| h.span.len()).max()
    };
    let named = profile.programs.iter().map(|(id, name)| Program {
        name,
        program_id: id.0.to_string(),
        hlo_bytes: hlo_of(*id),
    });
    named.collect()
}
