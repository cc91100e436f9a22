//! This module makes the report of a capture: the figures and rows of every view, for one device and step, at full
//! detail.

use super::capture::CaptureSession;
use super::memory::static_memory;
use crate::analysis::base::{DeviceChoice, Filter, FilterError, GroupBy, Query};
use crate::analysis::comm::CommQuery;
use crate::analysis::ledger::LedgerQuery;
use crate::analysis::memory::{MemoryQuery, StaticMemory};
use crate::analysis::overview::{Overview, OverviewQuery};
use crate::analysis::roofline::RooflineQuery;
use crate::profile::{Note, NoteCode};
use crate::protocol::{Failure, RoofPoint, ShareQuery};
use crate::share::{
    CommPart, GroupedRows, MemoryPart, OpRow, Origin, Point, Report, ReportDevice, ReportSpace, RooflinePart,
};
use crate::units::Picos;
use indexmap::IndexMap;

/// Largest number of columns of a memory curve at full detail.
const COLUMNS: u32 = 4096;

impl CaptureSession {
    /// Returns the report of one device and step at full detail.
    pub(crate) fn make_report(&mut self, request: &ShareQuery) -> Result<Report, Failure> {
        let query = Query { by: GroupBy::Op, filter: Filter::default(), ..request.roofline.query.clone() };
        let roofline = RooflineQuery { query: query.clone(), ..request.roofline.clone() };
        let comm = CommQuery { query, ..request.comm.clone() };
        // The query has no filter, so that a filter error cannot occur.
        self.made(&roofline, &comm)
            .map_err(|error| Failure { title: "No report could be made".to_owned(), message: format!("{error}.") })
    }

    fn made(&mut self, roofline: &RooflineQuery, comm: &CommQuery) -> Result<Report, FilterError> {
        let query = &roofline.query;
        let breakdown = self.analysis.breakdown(&self.profile, query)?;
        let (figures, roof_steps, points) = self.roofline_part(roofline)?;
        let phases = self.phases(query)?;
        let n_rows = points.len() as u32;
        let mut by_op: IndexMap<(String, Option<u64>), Option<RoofPoint>> = IndexMap::default();
        for point in points {
            let key = (point.key.clone(), point.program_id);
            *by_op.entry(key).or_default() = Some(point);
        }
        let rows = breakdown.groups.into_iter().map(|mut group| {
            // The format of reports has no names of kernels.
            group.kernel = None;
            let point = by_op.entry((group.key.clone(), group.program_id)).or_default().take();
            let point = point.map(|RoofPoint { roof, skipped, cumulative, .. }| Point { roof, skipped, cumulative });
            OpRow { group, point }
        });
        let rows: Vec<OpRow> = rows.collect();
        let groups = GroupedRows::ALL.map(|by| {
            let of = self.analysis.breakdown(&self.profile, &Query { by, ..query.clone() })?;
            let mut rows = of.groups;
            rows.iter_mut().for_each(|group| group.kernel = None);
            Ok(GroupedRows { by, rows, rest: Vec::new() })
        });
        let mut groups = groups.into_iter().collect::<Result<Vec<GroupedRows>, FilterError>>()?;
        // Identical ops that are hardly any are the ops again.
        let n_ops = rows.len();
        groups.retain(|grouped| grouped.by != GroupBy::Dedup || grouped.rows.len() * 2 <= n_ops);
        let overview = OverviewQuery {
            ledger: LedgerQuery { roofline: roofline.clone(), ..LedgerQuery::default() },
            topology: comm.topology.clone(),
            mesh: comm.mesh.clone(),
            flags: None,
        };
        let overview = self.overview_kept(&overview).clone();
        let comm = self.comm_answer(comm).clone();
        let notes: Vec<Note> = self.profile.notes.iter().chain(&breakdown.notes).cloned().collect();
        let mut report = Report {
            origin: self.origin(query),
            header: breakdown.header,
            totals: breakdown.totals,
            rows,
            rest: Vec::new(),
            groups,
            roofline: RooflinePart { figures, steps: roof_steps, n_rows, more: (0, Picos::ZERO) },
            phases,
            steps: self.analysis.step_stats(&self.profile),
            memory: self.memory_part(),
            comm: CommPart { comm: comm.as_carried(), more: (0, Picos::ZERO), more_copies: (0, Picos::ZERO) },
            overview: overview.map(Overview::as_carried),
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
        let partial: Vec<&str> = partial.map(|note| note.message.as_str()).collect();
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

    fn memory_part(&mut self) -> MemoryPart {
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
                let memory = static_memory(profile, programs, all, &query).ok();
                spaces.extend(memory.and_then(|memory| report_space(&query, memory)));
            }
        }
        let (programs, runtime, checks) = (session.programs, session.runtime, session.checks);
        MemoryPart { programs: programs.programs, spaces, runtime, checks, notes: programs.notes }
    }
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
