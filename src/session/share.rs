//! A report of the open session, and what the page asks of one before it leaves. Knows reports and their links; no browser.

use super::engine::Engine;
use super::memory::static_memory;
use crate::analysis::base::{DeviceChoice, Filter, FilterError, GroupBy, Query};
use crate::analysis::classify::Kind;
use crate::analysis::comm::CommQuery;
use crate::analysis::memory::{MemoryQuery, StaticMemory};
use crate::analysis::roofline::RooflineQuery;
use crate::profile::Note;
use crate::protocol::{Carries, Failure, Question, Reply, RoofPoint};
use crate::share::{
    AIM, CommPart, DeviceTold, Level, MemoryPart, OpRow, Origin, Point, Preview, Report, RooflinePart, SpaceTold, link,
    markdown, pack,
};
use crate::units::Picos;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

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
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Shared {
    /// The report as text for an address.
    pub link: String,
    /// Bytes of the report file at full detail, without captures.
    pub file_size: u64,
    /// All of it, to be looked at.
    pub preview: Preview,
    /// Its first rows, as they will be read.
    pub first: Vec<RowSeen>,
    /// The highest level whose link is no longer than [`AIM`], with an address around it; `None` where even the lowest is.
    pub fits: Option<u8>,
    /// Lines of source that the session knows.
    pub n_sources: u32,
    /// Where its captures lie, where that is within report files; empty: each file is one.
    pub carries: Vec<Carries>,
}

/// A row as its reader sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RowSeen {
    /// The op.
    pub name: String,
    /// Its kind.
    pub kind: Kind,
    /// Its self time.
    pub total: Picos,
    /// Of the step, from 0 to 1.
    pub of_step: Option<f64>,
    /// Where it is from, if that leaves.
    pub source: Option<String>,
}

/// A report at full detail, and what it is of.
pub(crate) struct Kept {
    of: (RooflineQuery, CommQuery),
    report: Report,
    n_sources: u32,
    /// [`Shared::fits`] and [`Shared::file_size`] of what is taken out: sources stay, names go.
    lengths: Vec<((bool, bool), Lengths)>,
}

/// How long links and files get.
#[derive(Clone, Copy)]
struct Lengths {
    fits: Option<u8>,
    file: u64,
}

/// Rows that are seen.
const FIRST: usize = 3;
/// Characters that an address has around its report, at most: the page's place and how it is looked at.
const AROUND: usize = 400;

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

    /// The highest level that makes a link of the length aimed for.
    pub fn fits(&self, full: &Report) -> Option<u8> {
        let length = |level: u8| link(&Self { level, ..self.clone() }.cut(full)).len();
        // Lengths grow with the level: the first that is too long is looked for.
        let (mut good, mut bad) = (None, 101);
        let mut next = Level::USUAL.at;
        loop {
            if length(next) + AROUND <= AIM {
                good = Some(next);
            } else {
                bad = next;
            }
            let least = good.map_or(0, |good| good + 1);
            if least >= bad {
                return good;
            }
            next = least + (bad - 1 - least) / 2;
        }
    }
}

/// What would leave with a report that is told.
fn shared(told: &Report, kept: &Kept, lengths: Lengths, carries: Vec<Carries>) -> Shared {
    let row = |row: &OpRow| RowSeen {
        name: row.group.key.clone(),
        kind: row.group.kind,
        total: row.group.total,
        of_step: row.group.of_step,
        source: row.group.source_inner.clone(),
    };
    Shared {
        link: link(told),
        file_size: lengths.file,
        preview: told.preview(),
        first: told.rows.iter().take(FIRST).map(row).collect(),
        fits: lengths.fits,
        n_sources: kept.n_sources,
        carries,
    }
}

impl Engine {
    /// Answers a question about the session's report.
    pub(crate) fn share(&mut self, question: &Question) -> Reply {
        let (Question::Share(ask) | Question::ShareFile { ask, .. } | Question::ShareMarkdown { ask, .. }) = question
        else {
            return Reply::Failed(super::open::messages::no_question());
        };
        let carries = self.carries.clone();
        let kept = match self.kept(ask) {
            Ok(kept) => kept,
            Err(failure) => return Reply::Failed(failure),
        };
        // Markdown holds figures and a few rows: they are told as they are.
        let level = if matches!(question, Question::ShareMarkdown { .. }) { Level::FULL.at } else { ask.level };
        let told = ShareAsk { level, ..ask.clone() }.cut(&kept.report);
        match question {
            Question::ShareFile { captures, .. } => Reply::further(&pack(&told, captures)),
            Question::ShareMarkdown { url, .. } => Reply::further(&markdown(&told, url.as_deref())),
            _ => {
                let without = (ask.with_sources, ask.anonymise);
                let known = kept.lengths.iter().find(|(of, _)| *of == without).map(|(_, lengths)| *lengths);
                let lengths = known.unwrap_or_else(|| {
                    let full = ShareAsk { level: Level::FULL.at, ..ask.clone() }.cut(&kept.report);
                    let lengths = Lengths { fits: ask.fits(&kept.report), file: pack(&full, &[]).len() as u64 };
                    kept.lengths.push((without, lengths));
                    lengths
                });
                Reply::further(&shared(&told, kept, lengths, carries))
            }
        }
    }

    /// The report of what is asked, made once: a slider asks for it at many levels.
    fn kept(&mut self, ask: &ShareAsk) -> Result<&mut Kept, Failure> {
        let of = (ask.roofline.clone(), ask.comm.clone());
        let kept = match self.report.take().filter(|kept| kept.of == of) {
            Some(kept) => kept,
            None => {
                let report = self.report(ask)?;
                let sources = report.rows.iter().filter_map(|row| row.group.source_inner.as_deref());
                let n_sources = sources.collect::<BTreeSet<&str>>().len() as u32;
                Kept { of, n_sources, lengths: Vec::new(), report }
            }
        };
        Ok(self.report.insert(kept))
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
        let mut by_op: IndexMap<(String, Option<u64>), Option<RoofPoint>> = IndexMap::default();
        for point in points {
            let key = (point.key.clone(), point.program_id);
            *by_op.entry(key).or_default() = Some(point);
        }
        let rows = breakdown.groups.into_iter().map(|mut group| {
            // Names of kernels are in no link.
            group.kernel = None;
            let point = by_op.entry((group.key.clone(), group.program_id)).or_default().take();
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
            comm: CommPart { comm: comm.as_carried(), more: (0, Picos::ZERO), more_copies: (0, Picos::ZERO) },
            notes,
        })
    }

    fn origin(&mut self, query: &Query) -> Origin {
        let n_hosts = self.file().hosts.len() as u32;
        let Self { profile, analysis, files, .. } = self;
        let device = |device: &crate::analysis::base::Device| {
            let plane = &profile.planes[device.plane];
            DeviceTold {
                name: plane.name.clone(),
                label: device.label.clone(),
                device_type: crate::analysis::base::device_type(plane),
                n_ops: device.ops.iter().map(|line| plane.lines[*line].events.len() as u64).sum(),
                busy: device.busy,
            }
        };
        let partial = profile.notes.iter().filter(|note| note.code == "partial_file");
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
