//! A report of the open session, and what the page asks of one before it leaves. Knows reports and their links; no browser.

use super::memory::static_memory;
use super::{Engine, Failure, Reply, RoofPoint};
use crate::analysis::comm::CommQuery;
use crate::analysis::memory::{MemoryQuery, StaticMemory};
use crate::analysis::roofline::RooflineQuery;
use crate::analysis::{DeviceChoice, Filter, FilterError, GroupBy, Query};
use crate::keyed::Keyed;
use crate::profile::Note;
use crate::share::{
    CommPart, DeviceTold, Level, MemoryPart, OpRow, Origin, Point, Preview, Report, RooflinePart, SpaceTold, link, pack,
};
use crate::units::Picos;
use serde::{Deserialize, Serialize};

/// Columns of a curve at full detail.
const COLUMNS: u32 = 4096;

/// Of what a report is made, and how much of it leaves.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ShareAsk {
    /// Device and step, and against which peaks and costs. Grouping and filter play no part: a report is by op.
    pub roofline: RooflineQuery,
    /// On which machine.
    pub comm: CommQuery,
    /// From 0 to 100, full detail: [`Level::of`].
    pub level: u8,
    /// Lines of source leave, too.
    pub with_sources: bool,
    /// Names become pseudonyms.
    pub anonymise: bool,
}

/// What would leave.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shared {
    /// The report as text for an address.
    pub link: String,
    /// Bytes of the report file, without captures.
    pub file_size: u64,
    /// All of it, to be looked at.
    pub preview: Preview,
}

impl ShareAsk {
    /// The report as it leaves.
    pub fn cut(&self, full: &Report) -> Report {
        let told = full.at(Level::of(self.level));
        match (self.anonymise, self.with_sources) {
            (true, _) => told.anonymise(),
            (false, false) => told.without_sources(),
            (false, true) => told,
        }
    }

    /// What would leave.
    pub(super) fn shared(&self, full: &Report) -> Shared {
        let told = self.cut(full);
        Shared { link: link(&told), file_size: pack(&told, &[]).len() as u64, preview: told.preview() }
    }
}

impl Engine {
    /// Tells something of the session's report.
    pub(super) fn shared(&mut self, ask: &ShareAsk, tell: impl FnOnce(&Report) -> Reply) -> Reply {
        self.report(ask).map_or_else(Reply::Failed, |report| tell(&report))
    }

    /// The session's report at full detail, of one device and step; of a session that is a report, that report.
    ///
    /// # Errors
    /// A [`Failure`] where none can be made.
    pub fn report(&mut self, ask: &ShareAsk) -> Result<Report, Failure> {
        if let Some(told) = &self.told {
            return Ok(told.report().clone());
        }
        let query = Query { by: GroupBy::Op, filter: Filter::default(), ..ask.roofline.query.clone() };
        let roofline = RooflineQuery { query: query.clone(), ..ask.roofline.clone() };
        let comm = CommQuery { query, ..ask.comm.clone() };
        // There is no filter that could be wrong.
        self.made(&roofline, &comm)
            .map_err(|error| Failure { title: "No report could be made".to_owned(), message: format!("{error}.") })
    }

    fn made(&mut self, roofline: &RooflineQuery, comm: &CommQuery) -> Result<Report, FilterError> {
        let query = &roofline.query;
        let breakdown = self.analysis.breakdown(&self.profile, query)?;
        let (figures, roof_steps, points) = self.roofline_told(roofline)?;
        let n_rows = points.len() as u32;
        let mut by_op: Keyed<(String, Option<u64>), Option<RoofPoint>> = Keyed::default();
        for point in points {
            let key = (point.key.clone(), point.program_id);
            *by_op.entry(key, || None) = Some(point);
        }
        let rows = breakdown.groups.into_iter().map(|group| {
            let point = by_op.entry((group.key.clone(), group.program_id), || None).take();
            let point = point.map(|RoofPoint { roof, skipped, cumulative, .. }| Point { roof, skipped, cumulative });
            OpRow { group, point }
        });
        let rows = rows.collect();
        let comm = self.comm_answer(comm).clone();
        let notes: Vec<Note> = self.profile.notes.iter().chain(&breakdown.notes).cloned().collect();
        Ok(Report {
            origin: self.origin(query),
            header: breakdown.header,
            totals: breakdown.totals,
            rows,
            rest: Vec::new(),
            roofline: RooflinePart { figures, steps: roof_steps, n_rows, more: (0, Picos::ZERO) },
            steps: self.analysis.step_stats(&self.profile),
            memory: self.memory_part(),
            comm: CommPart { comm, more: (0, Picos::ZERO), more_copies: (0, Picos::ZERO) },
            notes,
        })
    }

    fn origin(&mut self, query: &Query) -> Origin {
        let n_hosts = self.file().hosts.len() as u32;
        let Self { profile, analysis, files, .. } = self;
        let device = |(i, device): (usize, &crate::analysis::Device)| {
            let plane = &profile.planes[device.plane];
            DeviceTold {
                name: plane.name.clone(),
                label: device.label.clone(),
                device_type: crate::analysis::device_type(plane),
                n_ops: device.ops.iter().map(|line| plane.lines[*line].events.len() as u64).sum(),
                busy: analysis.busy(profile, i),
            }
        };
        let partial = profile.notes.iter().filter(|note| note.code == "partial_file");
        let partial: Vec<&str> = partial.map(|note| note.message.as_str()).collect();
        let one = if analysis.devices.is_empty() { DeviceChoice::default() } else { query.device };
        Origin {
            files: files.clone(),
            devices: analysis.devices.iter().enumerate().map(device).collect(),
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
                let ask = MemoryQuery {
                    program: program.program,
                    color: space.color,
                    columns: COLUMNS,
                    buffers: u32::MAX,
                    ..MemoryQuery::default()
                };
                let Self { profile, programs, file, .. } = self;
                let all = file.as_ref().map_or(&[][..], |file| &file.programs);
                // A program without memory has a note among the programs.
                let told = static_memory(profile, programs, all, &ask).ok();
                spaces.extend(told.and_then(|told| space_told(&ask, told)));
            }
        }
        let (programs, runtime, checks) = (session.programs, session.runtime, session.checks);
        MemoryPart { programs: programs.programs, spaces, runtime, checks, notes: programs.notes }
    }
}

fn space_told(ask: &MemoryQuery, told: StaticMemory) -> Option<SpaceTold> {
    let space = told.space?;
    Some(SpaceTold {
        program: ask.program,
        color: ask.color,
        peak_unpadded: space.peak_unpadded,
        moment: space.moment,
        curve: space.curve,
        alive: space.alive,
        wasted: space.padding.wasted,
        n_padded: space.padding.n,
    })
}
