//! The session behind the contract: keeps the profile and answers requests. Knows no browser.

use super::order::{largest, sorted};
use super::{
    BreakdownHead, DeviceInfo, Failure, Input, Opened, PlaneInfo, Progress, Reply, Request, RowsPage, RowsQuery,
    Session, Sort, Stage, StepInfo, open,
};
use crate::analysis::{Analysis, Breakdown, Query};
use crate::profile::{Plane, Profile};
use crate::units::Picos;

/// An open session.
pub struct Engine {
    profile: Profile,
    analysis: Analysis,
    /// The last answers: switching back and forth between two groupings asks twice for the same.
    answers: Vec<Answered>,
}

struct Answered {
    query: Query,
    breakdown: Breakdown,
    /// The order of rows that was asked for last, as indices into `breakdown.groups`.
    order: Option<(Sort, Vec<u32>)>,
}

const KEPT_ANSWERS: usize = 6;
/// Rows in one page: more than any screen shows.
const MAX_ROWS: usize = 1000;

impl Engine {
    /// Opens files as one session.
    ///
    /// # Errors
    /// A [`Failure`] where nothing could be read.
    pub fn open(inputs: Vec<Input>, progress: &mut dyn FnMut(Progress)) -> Result<(Self, Session), Failure> {
        let mut last = None;
        let opened = open(inputs, &mut |p| {
            last = Some(p.clone());
            progress(p);
        })?;
        let Opened { profile, files, partial } = opened;
        if let Some(last) = last {
            let (planes, events) = (profile.planes.len() as u32, profile.n_events() as u64);
            progress(Progress { stage: Stage::Analyse, bytes_done: last.bytes_total, planes, events, ..last });
        }
        let analysis = Analysis::new(&profile);
        let session = Session {
            files,
            devices: device_infos(&profile, &analysis),
            planes: profile.planes.iter().map(plane_info).collect(),
            notes: profile.notes.clone(),
            partial,
            n_events: profile.n_events() as u64,
        };
        Ok((Self { profile, analysis, answers: Vec::new() }, session))
    }

    /// Answers a request about the open session.
    pub fn answer(&mut self, request: &Request) -> Reply {
        match request {
            Request::Breakdown(query) => Reply::Breakdown(Box::new(self.head(*query))),
            Request::Rows(query) => Reply::Rows(self.rows(*query)),
            Request::Hello { .. } => Reply::Hello { build: crate::BUILD.to_owned() },
            Request::Cancel(_) => Reply::Cancelled,
            Request::Open { .. } => Reply::Failed(Failure {
                title: "This worker has a session open".to_owned(),
                message: "A new session needs a worker of its own.".to_owned(),
            }),
        }
    }

    fn head(&mut self, query: Query) -> BreakdownHead {
        let mut notes = self.profile.notes.clone();
        let breakdown = &self.answered(query).breakdown;
        notes.extend(breakdown.notes.iter().cloned());
        BreakdownHead {
            query,
            header: breakdown.header.clone(),
            totals: breakdown.totals.clone(),
            n_groups: breakdown.groups.len() as u32,
            largest: largest(&breakdown.groups),
            notes,
        }
    }

    fn rows(&mut self, query: RowsQuery) -> RowsPage {
        let answered = self.answered(query.query);
        let groups = &answered.breakdown.groups;
        let order = match &mut answered.order {
            Some((sort, order)) if *sort == query.sort => order,
            slot => &mut slot.insert((query.sort, sorted(groups, query.sort))).1,
        };
        let first = (query.first as usize).min(order.len());
        let last = first.saturating_add((query.count as usize).min(MAX_ROWS)).min(order.len());
        let of = |i: &u32| &groups[*i as usize];
        let before: Picos = order[..first].iter().map(|i| of(i).total).sum();
        RowsPage { query, rows: order[first..last].iter().map(|i| of(i).clone()).collect(), before }
    }

    /// The answer to a query, kept from before or made now; moved to the end, where the newest are.
    fn answered(&mut self, query: Query) -> &mut Answered {
        let answered = match self.answers.iter().position(|a| a.query == query) {
            Some(i) => self.answers.remove(i),
            None => Answered { query, breakdown: self.analysis.breakdown(&self.profile, query), order: None },
        };
        if self.answers.len() == KEPT_ANSWERS {
            self.answers.remove(0);
        }
        self.answers.push(answered);
        self.answers.last_mut().unwrap_or_else(|| unreachable!("one was just pushed"))
    }
}

fn device_infos(profile: &Profile, analysis: &Analysis) -> Vec<DeviceInfo> {
    let of = |(i, device): (usize, &crate::analysis::Device)| {
        let plane = &profile.planes[device.plane];
        DeviceInfo {
            name: plane.name.clone(),
            label: device.label.clone(),
            device_type: plane.text_stat("device_type_string").map(str::to_owned),
            n_ops: device.ops.iter().map(|l| plane.lines[*l].events.len() as u64).sum(),
            busy: analysis.busy(profile, i),
            steps: device
                .steps
                .iter()
                .map(|s| StepInfo { number: s.number, name: s.name.clone(), duration: s.duration(), n_ops: s.n_ops })
                .collect(),
        }
    };
    analysis.devices.iter().enumerate().map(of).collect()
}

fn plane_info(plane: &Plane) -> PlaneInfo {
    PlaneInfo { name: plane.name.clone(), n_lines: plane.lines.len() as u32, n_events: plane.n_events() as u64 }
}
