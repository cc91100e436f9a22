//! This module makes the report of a capture: the figures and rows of every view, for one device and step, at full
//! detail.

use super::CaptureSession;
use super::comm::comm_within;
use super::memory::static_memory;
use super::roofline_cache::roofline_steps_within;
use crate::analysis::base::{Analysis, DeviceChoice, Filter, FilterError, GroupBy, Query};
use crate::analysis::breakdown::Answer;
use crate::analysis::comm::CommQuery;
use crate::analysis::ledger::LedgerQuery;
use crate::analysis::memory::{MemoryQuery, StaticMemory};
use crate::analysis::overview::{Overview, OverviewQuery};
use crate::analysis::roofline::{RooflineAnswer, RooflineQuery};
use crate::protocol::{Failure, ShareQuery};
use crate::share::{
    CommPart, GroupedRows, Level, MemoryPart, OmittedSum, OmittedSums, OpRow, Origin, Point, Report, ReportDevice,
    ReportSpace, RooflinePart,
};
use xla_profile::profile::{Note, NoteCode, Profile};
use xla_profile::units::Picos;

/// Largest number of columns of a memory curve at full detail.
const COLUMNS: u32 = 4096;

impl CaptureSession {
    /// Returns the report of one device and step at full detail.
    pub(crate) fn make_report(&mut self, request: &ShareQuery) -> Result<Report, Failure> {
        self.make_report_within(request, Level::FULL)
    }

    /// Returns the report of one device and step with at most the ops, steps and memory spaces of a level of detail. The others
    /// are summed. What they are is not computed, so that a short report of a large capture takes little memory.
    pub(crate) fn make_report_within(&mut self, request: &ShareQuery, level: Level) -> Result<Report, Failure> {
        let query = Query { by: GroupBy::Op, filter: Filter::default(), ..request.roofline.query.clone() };
        let roofline = RooflineQuery { query: query.clone(), ..request.roofline.clone() };
        let comm = CommQuery { query, ..request.comm.clone() };
        // The query has no filter, so that a filter error cannot occur.
        self.made(&roofline, &comm, level)
            .map_err(|error| Failure { title: "No report could be made".to_owned(), message: format!("{error}.") })
    }

    fn made(&mut self, roofline: &RooflineQuery, comm: &CommQuery, level: Level) -> Result<Report, FilterError> {
        let query = &roofline.query;
        let max_steps = level.steps as usize;
        let phases = self.phases(query)?;
        let (profile, analysis, programs) = (&self.profile, &self.analysis, &mut self.programs);
        let answer = analysis.answer(profile, query)?;
        let view = answer.rows(profile, analysis);
        let n_ops = view.order().len();
        let is_mixed = view.order().iter().any(|row| view.is_of_several_kinds(*row as usize));
        let groupings = GroupedRows::ALL.into_iter().filter(|by| is_mixed || *by != GroupBy::Kind);
        let mut groups = groupings
            .map(|by| report_groups(profile, analysis, query, by, level))
            .collect::<Result<Vec<GroupedRows>, FilterError>>()?;
        // Identical ops that are hardly any are the ops again.
        groups.retain(|grouped| grouped.by != GroupBy::Dedup || grouped.n_rows() * 2 <= n_ops);
        // A single module is that of all ops, and mostly an unknown one.
        groups.retain(|grouped| grouped.by != GroupBy::Module || grouped.n_rows() > 1);
        let roofs = super::roofline_cache::roofline(analysis, profile, programs, roofline)?;
        let roof_steps = roofline_steps_within(analysis, profile, programs, roofline, max_steps)?;
        let cached = self.comm.as_ref().filter(|(query, _)| query == comm).map(|(_, comm)| comm.clone());
        let comm_report = cached.unwrap_or_else(|| comm_within(analysis, profile, programs, comm, max_steps));
        let ReportRows { rows, rest, more } = report_rows(profile, analysis, &answer, &roofs, level);
        let steps = analysis.step_stats_within(profile, max_steps);
        let n_roof_rows = roofs.n_rows() as u32;
        let breakdown = answer.figures;
        let notes: Vec<Note> = profile.notes.iter().chain(&breakdown.notes).cloned().collect();
        let overview = OverviewQuery {
            ledger: LedgerQuery { roofline: roofline.clone(), ..LedgerQuery::default() },
            machine: comm.machine.clone(),
            flags: None,
        };
        let overview = self.overview_kept(&overview).clone();
        let has_all_steps =
            steps.devices.iter().all(|device| device.all.is_none_or(|all| all.n as usize == device.steps.len()));
        let mut origin = self.origin(query);
        if level.position < Level::FULL.position && !(rest.is_empty() && has_all_steps) {
            origin.level = level.position;
        }
        let mut report = Report {
            origin,
            header: breakdown.header,
            totals: breakdown.totals,
            rows,
            rest,
            groups,
            roofline: RooflinePart { figures: roofs.figures, steps: roof_steps, n_rows: n_roof_rows, more },
            phases,
            steps,
            memory: self.memory_part(level),
            comm: CommPart { comm: comm_report.as_in_report(), more: (0, Picos::ZERO), more_copies: (0, Picos::ZERO) },
            overview: overview.map(Overview::as_in_report),
            comparison: None,
            notes,
        };
        report.derive_overview();
        Ok(report)
    }

    fn origin(&mut self, query: &Query) -> Origin {
        let n_hosts = self.file().hosts.len() as u32;
        let Self { profile, analysis, files, .. } = self;
        let device = |device: &crate::analysis::base::Device| {
            let plane = &profile.planes[device.plane];
            ReportDevice {
                name: plane.name.clone(),
                label: device.label.clone(),
                device_type: crate::analysis::base::device_type(plane),
                n_ops: device.ops.iter().map(|line| plane.lines[*line].events.len() as u64).sum(),
                busy: device.busy,
            }
        };
        let partial = profile.notes.iter().filter(|note| note.code == NoteCode::PartialFile);
        let lost = analysis.completeness.losses().map(|sign| sign.headline.as_str());
        let partial: Vec<&str> = partial.map(|note| note.message.as_str()).chain(lost).collect();
        let one = if analysis.devices.is_empty() { DeviceChoice::default() } else { query.device };
        Origin {
            files: files.clone(),
            devices: analysis.devices.iter().map(device).collect(),
            device: one,
            step: query.step,
            n_hosts: (n_hosts > 0).then_some(n_hosts),
            n_events: profile.n_events() as u64,
            partial: (!partial.is_empty()).then(|| partial.join(" ")),
            level: 100,
            has_sources: true,
            is_anonymous: false,
        }
    }

    fn memory_part(&mut self, level: Level) -> MemoryPart {
        let session = self.memory_kept().clone();
        let mut spaces = Vec::new();
        for program in &session.programs.programs {
            for space in &program.spaces {
                let query = MemoryQuery {
                    program: program.program,
                    color: space.color,
                    columns: COLUMNS,
                    buffers: u32::MAX,
                    ..MemoryQuery::default()
                };
                let Self { profile, programs, file, .. } = self;
                let all = file.as_ref().map_or(&[][..], |file| &file.programs);
                // A program without known memory is skipped here; its note is among the notes of the programs.
                // Below full detail, a report holds one space.
                if level.position == Level::FULL.position || spaces.is_empty() {
                    let memory = static_memory(profile, programs, all, &query).ok();
                    spaces.extend(memory.and_then(|memory| report_space(&query, memory)));
                }
            }
        }
        let (programs, runtime, checks) = (session.programs, session.runtime, session.checks);
        MemoryPart { programs: programs.programs, spaces, runtime, checks, notes: programs.notes }
    }
}

/// The ops of a report, and the sums of those that are left out.
struct ReportRows {
    rows: Vec<OpRow>,
    rest: Vec<OmittedSum>,
    /// Number and time of the ops with a roof that are left out.
    more: (u32, Picos),
}

/// Returns the ops that a level of detail keeps: those with the most time, and those with a roof that have the most time.
fn report_rows(
    profile: &Profile,
    analysis: &Analysis,
    answer: &Answer,
    roofs: &RooflineAnswer,
    level: Level,
) -> ReportRows {
    let view = answer.rows(profile, analysis);
    let by_key = roofs.rows_by_key(profile, analysis);
    let selected = roofs.view(profile, analysis);
    let mut n_points = 0;
    let mut rows = Vec::new();
    let mut sums = OmittedSums::new(&[]);
    let mut more = (0_u32, Picos::ZERO);
    for (index, row) in (0_u32..).zip(view.order()) {
        let i = *row as usize;
        let of_roofline = by_key.row(view, i);
        let roof = of_roofline.and_then(|row| roofs.roof(row));
        let is_point = roof.is_some() && n_points < level.points;
        n_points += u32::from(is_point);
        if is_point || index < level.rows {
            let group = view.group(i);
            let point = of_roofline.map(|row| Point {
                selected: view.is_of_several_kinds(i).then(|| selected.group(row as usize)),
                roof,
                skipped: roofs.skipped(row).to_vec(),
                cumulative: by_key.cumulative(row),
            });
            rows.push(OpRow { group, point });
            continue;
        }
        let row = view.row(i);
        sums.add(row.kind, row.n, Picos(row.self_time));
        if let Some(roof) = roof {
            more = (more.0 + 1, more.1 + roof.total);
        }
    }
    ReportRows { rows, rest: sums.into_sums(), more }
}

/// Returns the groups of ops that a level of detail keeps: those with the most time.
fn report_groups(
    profile: &Profile,
    analysis: &Analysis,
    query: &Query,
    by: GroupBy,
    level: Level,
) -> Result<GroupedRows, FilterError> {
    let answer = analysis.answer(profile, &Query { by, ..query.clone() })?;
    let view = answer.rows(profile, analysis);
    let (kept, cut) = view.order().split_at(view.order().len().min(level.groups as usize));
    let rows = kept.iter().map(|row| view.group(*row as usize)).collect();
    let mut sums = OmittedSums::new(&[]);
    for row in cut.iter().map(|row| view.row(*row as usize)) {
        sums.add(row.kind, row.n, Picos(row.self_time));
    }
    Ok(GroupedRows { by, rows, rest: sums.into_sums() })
}

fn report_space(query: &MemoryQuery, memory: StaticMemory) -> Option<ReportSpace> {
    let space = memory.space?;
    Some(ReportSpace {
        program: query.program,
        color: query.color,
        peak_unpadded: space.peak_unpadded,
        moment: space.moment,
        curve: space.curve,
        alive: space.alive,
        wasted: space.padding.wasted,
        n_padded: space.padding.n,
    })
}
