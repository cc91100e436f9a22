//! This module holds the rows of many captures, and keeps what follows from the captures that have been read.

use super::report::{CaptureProgress, CaptureRow, CaptureSummary, CapturesView, ChangeCause, FileHead, Work};
use super::series::captures_series;
use super::{CaptureFigure, CaptureFiles};
use crate::analysis::compare::statistics::median;
use crate::analysis::compare::{BAND, CompareUnit, compare_samples};
use crate::analysis::overview::FigureId;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;

/// The rows of many captures.
#[derive(Debug, Default)]
pub struct CaptureRows {
    rows: Vec<CaptureRow>,
    n_left_out: u32,
    /// What made the changes that were looked into, by the captures before and after.
    causes: FxHashMap<(u32, u32), ChangeCause>,
}

impl CaptureRows {
    /// Creates a row for each capture. `n_left_out` is the number of files that belong to none.
    pub fn new(captures: Vec<CaptureFiles>, heads: &[FileHead], n_left_out: u32) -> Self {
        let rows = captures.into_iter().map(|capture| row(capture, heads)).collect();
        Self { rows, n_left_out, causes: FxHashMap::default() }
    }

    /// Returns all rows, in the order of their files.
    pub fn rows(&self) -> &[CaptureRow] {
        &self.rows
    }

    /// Records that a capture has been read, or why it could not be.
    pub fn set(&mut self, capture: u32, mut read: Result<CaptureSummary, String>) {
        let Some(row) = self.rows.get_mut(capture as usize) else { return };
        if let Ok(summary) = &mut read {
            let programs = std::mem::take(&mut summary.programs);
            if !programs.is_empty() {
                row.programs = programs;
            }
            let head = &summary.point.head;
            row.start_ns = summary.point.start_ns.or(row.start_ns);
            row.device_type = head.device_type.clone().or(row.device_type.take());
            row.n_devices = Some(head.n_devices);
        }
        record(row, read);
        self.find_tokens();
        self.find_changes();
    }

    /// Records what a capture says before it has been read: the type of its devices, and the names of its programs.
    pub fn set_facts(&mut self, capture: usize, device_type: Option<String>, programs: Vec<String>) {
        let Some(row) = self.rows.get_mut(capture) else { return };
        row.device_type = device_type.or(row.device_type.take());
        row.programs = programs;
    }

    /// Adds rows of tables, each with what a table tells of its capture, or why the capture could not be read.
    pub fn add(&mut self, rows: Vec<(CaptureRow, Result<CaptureSummary, String>)>) {
        for (mut row, read) in rows {
            record(&mut row, read);
            self.rows.push(row);
        }
        self.find_tokens();
        self.find_changes();
    }

    /// Records what made most of the difference between two captures.
    pub fn set_cause(&mut self, between: (u32, u32), cause: ChangeCause) {
        self.causes.insert(between, cause);
    }

    /// Returns the indices of the rows by time; by name if one of those that were read does not record its time. The flag says which.
    pub fn order(&self) -> (Vec<u32>, bool) {
        let is_by_time = self.rows.iter().all(|row| row.start_ns.is_some());
        let mut order: Vec<u32> = (0..self.rows.len() as u32).collect();
        order.sort_by(|a, b| {
            let (a, b) = (&self.rows[*a as usize], &self.rows[*b as usize]);
            let time = |row: &CaptureRow| row.start_ns.filter(|_| is_by_time);
            (time(a), &a.name, &a.files, &a.key).cmp(&(time(b), &b.name, &b.files, &b.key))
        });
        (order, is_by_time)
    }

    /// Returns the index of a capture of the largest group of comparable ones; of groups of equal size, of that with the newest
    /// capture. `None` if no capture has been read.
    pub(super) fn usual(&self, order: &[u32]) -> Option<u32> {
        let row = |index: u32| &self.rows[index as usize];
        let mut n_alike: FxHashMap<Work<'_>, u32> = FxHashMap::default();
        self.rows.iter().filter_map(CaptureRow::work).for_each(|work| *n_alike.entry(work).or_default() += 1);
        let n_like = |index: u32| row(index).work().and_then(|work| n_alike.get(&work)).copied().unwrap_or(0);
        let read = order.iter().copied().filter(|index| row(*index).summary().is_some());
        read.rev().min_by_key(|index| Reverse(n_like(*index)))
    }

    /// Returns all captures at a glance.
    pub fn view(&self, figure: CaptureFigure) -> CapturesView {
        let (order, is_by_time) = self.order();
        let usual = self.usual(&order);
        let row = |index: u32| &self.rows[index as usize];
        let is_usual = |index: &u32| usual.is_some_and(|usual| row(usual).is_comparable(row(*index)));
        let timed: Vec<(u32, f64)> =
            order.iter().copied().filter(is_usual).filter_map(|index| Some((index, row(index).median_ps?))).collect();
        let by_time = |a: &&(u32, f64), b: &&(u32, f64)| a.1.total_cmp(&b.1);
        let count = |has: fn(&CaptureRow) -> bool| self.rows.iter().filter(|row| has(row)).count() as u32;
        let n_read = count(|row| row.summary().is_some());
        let mut series = captures_series(&self.rows, &order, usual, figure);
        series.is_by_time = is_by_time;
        for change in &mut series.changes {
            let capture = |mark: u32| series.marks[mark as usize].capture;
            let between = (capture(change.last_before), capture(change.first_after));
            change.cause = self.causes.get(&between).cloned();
        }
        CapturesView {
            n_captures: self.rows.len() as u32,
            n_read,
            n_failed: count(|row| matches!(row.progress, CaptureProgress::Failed(_))),
            n_partial: count(|row| row.summary().is_some_and(|summary| summary.is_partial)),
            n_other: n_read - (0..self.rows.len() as u32).filter(|index| is_usual(index)).count() as u32,
            bytes: self.rows.iter().filter_map(|row| row.bytes).fold(0, u64::saturating_add),
            n_without_files: count(|row| !row.has_files()),
            n_left_out: self.n_left_out,
            latest: timed.last().map(|(index, _)| *index),
            best: timed.iter().min_by(by_time).map(|(index, _)| *index),
            worst: timed.iter().max_by(by_time).map(|(index, _)| *index),
            latest_mfu: timed.last().and_then(|(index, _)| row(*index).figure(FigureId::ModelMfu.key())),
            captures: self.rows.iter().map(CaptureRow::without_figures).collect(),
            series,
        }
    }

    /// Sets the tokens of a step of each capture.
    fn find_tokens(&mut self) {
        let own = |row: &CaptureRow| row.summary().and_then(|summary| summary.point.head.tokens);
        let mut known: Vec<u64> = self.rows.iter().filter_map(own).collect();
        known.sort_unstable();
        known.dedup();
        let only = if let [only] = known[..] { Some(only) } else { None };
        for row in &mut self.rows {
            row.tokens = own(row).or(only);
        }
    }

    /// Compares each capture with the last comparable one before it.
    fn find_changes(&mut self) {
        let (order, _) = self.order();
        // The last capture of each work that has a median.
        let mut last: FxHashMap<Work<'_>, &CaptureRow> = FxHashMap::default();
        let change = |index: &u32| {
            let row = &self.rows[*index as usize];
            let work = row.work()?;
            let before = if row.median_ps.is_some() { last.insert(work, row) } else { last.get(&work).copied() }?;
            let (head, head_before) = (&row.summary()?.point.head, &before.summary()?.point.head);
            let is_known = !head.has_no_samples() && !head_before.has_no_samples();
            let samples = |head| CompareUnit::Step.samples(head);
            let verdict = is_known.then(|| compare_samples(&samples(head_before), &samples(head), BAND));
            #[expect(clippy::cast_possible_truncation, reason = "a difference of medians in ps")]
            let delta = (row.median_ps? - before.median_ps?).round() as i64;
            Some((delta, verdict))
        };
        let changes: Vec<_> = order.iter().map(change).collect();
        for (index, change) in order.into_iter().zip(changes) {
            self.rows[index as usize].change = change;
        }
    }
}

/// Records what is known of the steps and the figures of a capture, or why it could not be read.
fn record(row: &mut CaptureRow, read: Result<CaptureSummary, String>) {
    row.progress = match read {
        Ok(summary) => {
            let head = &summary.point.head;
            row.median_ps = median(&CompareUnit::Step.samples(head)).or(head.median_ps);
            CaptureProgress::Read(Box::new(summary))
        }
        Err(reason) => CaptureProgress::Failed(reason),
    };
}

fn row(capture: CaptureFiles, heads: &[FileHead]) -> CaptureRow {
    let head = |file: &u32| &heads[*file as usize];
    let platforms = capture.files.iter().filter_map(|file| head(file).platform.clone());
    let n_devices: u32 = capture.files.iter().map(|file| head(file).n_devices).sum();
    CaptureRow {
        key: capture.files.first().map(|file| head(file).path.clone()).unwrap_or_default(),
        device_type: platforms.into_iter().next(),
        n_devices: (n_devices > 0).then_some(n_devices),
        programs: Vec::new(),
        keys: Vec::new(),
        bytes: Some(capture.files.iter().map(|file| head(file).bytes).sum()),
        name: capture.name,
        n_hosts: Some(capture.n_hosts),
        start_ns: capture.start_ns,
        files: capture.files,
        progress: CaptureProgress::Waits,
        median_ps: None,
        tokens: None,
        change: None,
    }
}
