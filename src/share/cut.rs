//! This module reduces a report to a level of detail: rows, points, curves, steps and notes.
use super::level::Level;
use super::omitted::OmittedSums;
use super::report::{CommPart, GroupedRows, OpRow, Report, RooflinePart};
use crate::analysis::base::GroupBy;
use crate::analysis::breakdown::Group;
use crate::analysis::comm::{Arrival, CommRow};
use crate::analysis::memory::{Curve, CurveColumn, UseColumn};
use crate::analysis::modules::Modules;
use crate::analysis::overview::Overview;
use std::cmp::Reverse;
use xla_profile::profile::Note;
use xla_profile::small_sort::SmallSort;
use xla_profile::units::{Count, Picos};

/// Number of allocators that a report with less than full detail keeps. A host has some for each of its devices.
const ALLOCATORS: usize = 256;

impl Report {
    /// Returns the report at a level of detail. Rows that are left out are summed, so that the parts still sum to the
    /// whole.
    #[must_use]
    pub fn cut_to(&self, level: Level) -> Self {
        if level.position >= 100 {
            return self.clone();
        }
        let mut report = self.clone_within(level);
        report.origin.level = report.origin.level.min(level.position);
        if !level.keeps_details {
            for row in &mut report.rows {
                drop_details(&mut row.group);
                row.point.iter_mut().filter_map(|point| point.selected.as_mut()).for_each(drop_details);
            }
        }
        report.cut_roofline(level);
        report.cut_memory(level);
        report.cut_comm(level);
        if !level.keeps_details {
            for finding in report.overview.iter_mut().flat_map(Overview::all_findings) {
                finding.evidence.ops.truncate(1);
                finding.evidence.host_events.truncate(1);
            }
            let checked = report.overview.iter_mut().flat_map(|overview| &mut overview.checked);
            checked.for_each(|rule| rule.at_stake = None);
            report.overview.iter_mut().filter_map(|overview| overview.modules.as_mut()).for_each(cut_modules);
            // The times of the only kind of steps are those of the steps.
            let devices = report.steps.devices.iter_mut().filter(|device| device.kinds.len() == 1);
            devices.for_each(|device| device.kinds.clear());
        }
        cut_notes(&mut report.notes, level);
        if let Some(comparison) = &mut report.comparison {
            comparison.cut_to(level);
        }
        if let Some(digits) = level.digits {
            report.round(digits);
        }
        report.derive();
        report
    }

    /// Returns a copy with the ops and steps of a level of detail. Those that are left out are not copied.
    fn clone_within(&self, level: Level) -> Self {
        let Self { origin, header, totals, rows, rest, groups, roofline, .. } = self;
        let Self { phases, steps, memory, comm, overview, comparison, notes, .. } = self;
        let n_steps = level.steps as usize;
        let mut copy = Self {
            origin: origin.clone(),
            header: header.clone(),
            totals: totals.clone(),
            rows: Vec::new(),
            rest: rest.clone(),
            groups: groups
                .iter()
                .filter(|grouped| grouped.is_within(level))
                .map(|grouped| grouped.clone_within(level))
                .collect(),
            roofline: RooflinePart {
                figures: roofline.figures.clone(),
                steps: roofline.steps.iter().take(n_steps).cloned().collect(),
                ..*roofline
            },
            phases: phases.clone(),
            steps: steps.first_steps(n_steps),
            memory: memory.clone(),
            comm: comm.clone(),
            overview: overview.clone(),
            comparison: comparison.clone(),
            notes: notes.clone(),
        };
        copy.add_rows(rows, level);
        copy
    }

    /// Adds the ops with the most time, and the ops with a roof that have the most time. The others are summed by
    /// kind.
    fn add_rows(&mut self, all: &[OpRow], level: Level) {
        let mut points = 0;
        let mut sums = OmittedSums::new(&self.rest);
        let more = &mut self.roofline.more;
        for (index, row) in (0..).zip(all) {
            let roof = row.point.as_ref().and_then(|point| point.roof.as_ref());
            let is_point = roof.is_some() && points < level.points;
            points += u32::from(is_point);
            if is_point || index < level.rows {
                self.rows.push(row.clone());
                continue;
            }
            sums.add(row.group.kind, row.group.n_executions, row.group.total);
            if let Some(roof) = roof {
                *more = (more.0.saturating_add(1), more.1 + roof.total);
            }
        }
        self.rest = sums.into_sums();
    }

    fn cut_roofline(&mut self, level: Level) {
        let part = &mut self.roofline;
        part.figures.programs.truncate(level.collectives as usize);
        part.figures.opaque.truncate(level.collectives as usize);
        part.figures.gaps.truncate(level.collectives as usize);
        for device in &mut part.figures.peaks {
            // Other peaks can only be chosen with the capture, so they are removed.
            device.offers.clear();
        }
        cut_notes(&mut part.figures.notes, level);
    }

    fn cut_memory(&mut self, level: Level) {
        let memory = &mut self.memory;
        memory.spaces.truncate(1);
        memory.programs.truncate(level.collectives as usize);
        for space in &mut memory.spaces {
            cut_curve(&mut space.curve, level.curve as usize);
            let alive = &mut space.alive;
            let cut = alive.buffers.split_off(alive.buffers.len().min(level.buffers as usize));
            alive.rest = cut.iter().fold(alive.rest, |sum, buffer| sum.saturating_add(buffer.size));
            if !level.keeps_details {
                space.curve.instructions.clear();
                space.curve.phases.clear();
                for buffer in &mut alive.buffers {
                    buffer.op_name.clear();
                    buffer.source = None;
                }
            }
        }
        memory.runtime.allocators.truncate(ALLOCATORS);
        memory.checks.truncate(ALLOCATORS);
        for allocator in &mut memory.runtime.allocators {
            allocator.timeline = joined(&allocator.timeline, level.curve as usize, |columns| {
                let most = columns.iter().rev().max_by_key(|column| column.most);
                let least = columns.iter().map(|column| column.least).min().unwrap_or_default();
                let last = columns.last().map_or(0, |column| column.last);
                let time = columns.first().map_or(Picos::ZERO, |column| column.time);
                UseColumn { time, least, last, ..most.copied().unwrap_or_default() }
            });
            // The strip below the curve would show the first steps alone.
            allocator.steps.truncate(if level.keeps_details { level.steps as usize } else { 0 });
        }
        cut_notes(&mut memory.notes, level);
        cut_notes(&mut memory.runtime.notes, level);
    }

    fn cut_comm(&mut self, level: Level) {
        let CommPart { comm, more, more_copies } = &mut self.comm;
        for (rows, more) in [(&mut comm.rows, more), (&mut comm.copy_rows, more_copies)] {
            let cut = CommRow::cut(rows, level.collectives as usize);
            *more = cut.iter().fold(*more, |(n, time), row| (n.saturating_add(1), time + row.overlap.exposed));
            if !level.keeps_details {
                rows.iter_mut().for_each(drop_comm_details);
            }
        }
        comm.dcn.truncate(level.collectives as usize);
        comm.steps.truncate(level.steps as usize);
        if let Some(balance) = &mut comm.balance {
            cut_devices(&mut balance.devices, (level.collectives as usize).max(MIN_DEVICES));
            balance.collectives.truncate(level.collectives as usize);
        }
        if !level.keeps_details {
            comm.primitives.iter_mut().for_each(|sums| sums.flags.clear());
        }
        cut_notes(&mut comm.notes, level);
    }
}

impl GroupedRows {
    /// Returns whether a level of detail has the grouping. The overview has the time by module at every level.
    const fn is_within(&self, level: Level) -> bool {
        !matches!(self.by, GroupBy::Module) || level.groups >= MIN_MODULES
    }

    /// Returns a copy with the groups that have the most time, with their numbers. The others are summed by kind.
    fn clone_within(&self, level: Level) -> Self {
        // The paths of scopes are long.
        let limit = if self.by == GroupBy::Scope { level.groups * 3 / 4 } else { level.groups } as usize;
        let (kept, cut) = self.rows.split_at(self.rows.len().min(limit));
        let mut sums = OmittedSums::new(&self.rest);
        cut.iter().for_each(|group| sums.add(group.kind, group.n_executions, group.total));
        let mut rows = kept.to_vec();
        rows.iter_mut().for_each(drop_all_but_numbers);
        Self { by: self.by, rows, rest: sums.into_sums() }
    }
}

/// Number of groups from which on a level of detail has the ops by module.
const MIN_MODULES: u32 = 8;
/// Number of devices whose waits are kept at every level.
const MIN_DEVICES: usize = 64;

/// Keeps `limit` devices in their order: those that wait longest for the others, and those that wait least. The overview
/// draws the waits from the least to the longest, and gives the longest.
fn cut_devices(devices: &mut Vec<Arrival>, limit: usize) {
    let n = devices.len();
    if n <= limit {
        return;
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.small_sort_by_key(|index| (Reverse(devices[*index].waited), *index));
    let longest = limit.div_ceil(2);
    let kept: Vec<usize> = order[..longest].iter().chain(&order[n - (limit - longest)..]).copied().collect();
    let mut indices = 0..;
    devices.retain(|_| indices.next().is_some_and(|index| kept.contains(&index)));
}

/// Keeps the times of modules by phase and kind, without their distance from the roofline, and without the largest ops.
fn cut_modules(modules: &mut Modules) {
    modules.modules.iter_mut().for_each(|sum| sum.largest = None);
    for cell in &mut modules.cells {
        (cell.judged, cell.roofline, cell.n_executions) = (Picos::ZERO, Picos::ZERO, Count::ZERO);
    }
}

fn drop_details(group: &mut Group) {
    group.shapes.clear();
    group.parts.clear();
    group.layer = None;
    group.source_stack = None;
    group.source_inner = None;
    group.tf_op = None;
    group.example_dur = None;
    group.kernel = None;
}

/// Removes everything from a row but its name, its kind and its numbers.
fn drop_all_but_numbers(group: &mut Group) {
    drop_details(group);
    group.dtypes.clear();
    group.categories.clear();
    (group.program, group.op_group, group.phase, group.example) = (None, None, None, None);
    group.module = None;
}

fn drop_comm_details(row: &mut CommRow) {
    row.source = None;
    row.scope = None;
}

/// Keeps the notes of the highest severity, in their order.
fn cut_notes(notes: &mut Vec<Note>, level: Level) {
    let mut order: Vec<usize> = (0..notes.len()).collect();
    order.small_sort_by_key(|index| Reverse(notes[*index].severity));
    order.truncate(level.notes as usize);
    let mut indices = 0..;
    notes.retain(|_| indices.next().is_some_and(|index| order.contains(&index)));
}

/// Joins neighbouring columns, so that at most `limit` are left.
fn joined<T: Clone>(columns: &[T], limit: usize, join: impl Fn(&[T]) -> T) -> Vec<T> {
    let each = columns.len().div_ceil(limit.max(1)).max(1);
    columns.chunks(each).map(join).collect()
}

fn cut_curve(curve: &mut Curve, limit: usize) {
    let each = curve.columns.len().div_ceil(limit.max(1)).max(1);
    // A joined column has the instruction and the phase of its highest column.
    let tops: Vec<usize> = (0..curve.columns.len())
        .step_by(each)
        .map(|from| {
            let columns = from..(from + each).min(curve.columns.len());
            columns.rev().max_by_key(|index| curve.columns[*index].most).unwrap_or(from)
        })
        .collect();
    let of_tops = |texts: &[String]| match texts {
        [] => Vec::new(),
        texts => tops.iter().map(|index| texts.get(*index).cloned().unwrap_or_default()).collect(),
    };
    curve.instructions = of_tops(&curve.instructions);
    curve.phases = of_tops(&curve.phases);
    curve.columns = joined(&curve.columns, limit, |columns| {
        let least = |amount: fn(&CurveColumn) -> u64| columns.iter().map(amount).min().unwrap_or_default();
        let most = columns.iter().rev().max_by_key(|column| column.most).copied().unwrap_or_default();
        CurveColumn {
            first: columns.first().map_or(0, |column| column.first),
            least: least(|column| column.least),
            unpadded_least: least(|column| column.unpadded_least),
            unpadded_most: columns.iter().map(|column| column.unpadded_most).max().unwrap_or_default(),
            ..most
        }
    });
}
