//! This module builds the report of one memory: live buffers, padding, long-lived buffers, jumps, the vocabulary and
//! the estimate. All parts except jumps and long-lived buffers describe the moment of the peak.

use super::categories::{MemoryClass, RollUpBy};
use super::heap_trace::LiveRange;
use super::program::ProgramMemory;
use super::query::{BytesPerParameter, MemoryQuery, Points};
use super::report::{
    Buffer, Estimate, EstimateRow, Jump, LiveRangeRows, Padded, Padding, ProgramPeaks, RollUp, RollUpRow, SpaceMemory,
    StaticMemory, Vocabulary,
};
use super::space::{Space, curve, peak_of_curve};
use crate::analysis::classify::scope_path;
use indexmap::{IndexMap, IndexSet};
use std::cmp::Reverse;
use std::collections::BTreeSet;
use xla_profile::hlo::Module;
use xla_profile::profile::{Note, NoteCode, Severity};
use xla_profile::small_sort::SmallSort;

/// Maximum number of buffers in a list of the worst ones.
const WORST: usize = 50;
/// Maximum number of jumps.
const JUMPS: usize = 20;
/// Long-lived temporaries are reported if they are larger than this, in bytes.
const LARGE: u64 = 100 << 20;
/// Assumed number of chunks for the loss: the usual number of chunked cross-entropy.
const CHUNKS: u32 = 8;
/// Maximum number of rows of live ranges.
const LANES: usize = 40;

impl ProgramMemory {
    /// Builds the report of the memory `query.color`. `program` holds the peaks of all memories of the program.
    pub fn summarize(&self, module: &Module, program: ProgramPeaks, query: &MemoryQuery) -> StaticMemory {
        let space = self.space(query.color);
        let mut notes: Vec<Note> = space.map_or(Vec::new(), |space| self.notes(space));
        let space_memory = space.map(|space| self.summarize_space(module, query, space));
        if let Some(space_memory) = &space_memory {
            notes.extend(unnamed(space_memory).filter(|_| self.schedule.has_gradient));
        } else {
            let message = format!("The program has nothing in memory {}.", query.color);
            notes.push(Note::new(Severity::Info, NoteCode::NoSuchMemory, message));
        }
        StaticMemory { program, space: space_memory, notes }
    }

    fn summarize_space(&self, module: &Module, query: &MemoryQuery, space: &Space) -> SpaceMemory {
        let point = space.peak_point();
        let all = self.alive(module, query, space, point);
        let rollups = roll_ups(&all);
        let margin = (space.n_events / 20).max(50);
        let around = Points { from: point.saturating_sub(margin), to: point.saturating_add(margin + 1) };
        SpaceMemory {
            peak_unpadded: space.unpadded[point as usize],
            moment: space.instruction(point).and_then(|id| self.moment(module, id)),
            curve: space.curve(module, 0, u32::MAX, query.columns),
            rollups,
            padding: padding(&all),
            long_lived: self.long_lived(module, query, space),
            jumps: self.jumps(module, query, space),
            vocabulary: self.vocabulary(module, query, space),
            estimate: self.estimate(module, query, &all),
            fit: self.fit_basis(module, &self.vocabularies(query), space),
            lanes: self.lanes_of(module, query, space, around),
            alive: self.buffers_alive(module, query, space, point, all),
            peak: space.peak.clone(),
        }
    }

    fn long_lived(&self, module: &Module, query: &MemoryQuery, space: &Space) -> Vec<Buffer> {
        let vocabularies = self.vocabularies(query);
        let is_long = |range: &&LiveRange| (range.last - range.first) > space.n_events / 2;
        let large = space.live_ranges.iter().filter(is_long).filter(|range| self.size(range.slot) > LARGE);
        let mut buffers: Vec<Buffer> = large.map(|range| self.describe_range(module, &vocabularies, *range)).collect();
        buffers.small_sort_by_key(|buffer| (Reverse(buffer.size), buffer.id, buffer.first));
        buffers.truncate(WORST);
        buffers
    }

    /// Returns the largest rises of the curve. An event takes the memory of at most one buffer, so the largest rises
    /// are those of the largest buffers, unless buffers share addresses.
    fn jumps(&self, module: &Module, query: &MemoryQuery, space: &Space) -> Vec<Jump> {
        let vocabularies = self.vocabularies(query);
        let point = |range: &LiveRange| range.first as usize + 1;
        let rise = |range: &LiveRange| space.padded[point(range)].saturating_sub(space.padded[point(range) - 1]);
        let size = |range: &LiveRange| if space.overlaps { rise(range) } else { self.size(range.slot) };
        let mut live_ranges: Vec<&LiveRange> = space.live_ranges.iter().filter(|range| size(range) > 0).collect();
        live_ranges.small_sort_by_key(|range| (Reverse(size(range)), range.first));
        let jump = |range: &LiveRange| Jump {
            position: range.first,
            size: size(range),
            after: space.padded[point(range)],
            buffer: self.describe_range(module, &vocabularies, *range),
        };
        live_ranges.into_iter().take(JUMPS).map(jump).collect()
    }

    fn vocabulary(&self, module: &Module, query: &MemoryQuery, space: &Space) -> Option<Vocabulary> {
        let vocabularies = self.vocabularies(query);
        let dim = |range: &LiveRange| vocabularies.dim(self.buffers.all[range.holder as usize].shape(module)?);
        let large: Vec<(u64, LiveRange)> =
            space.live_ranges.iter().filter_map(|range| Some((dim(range)?, *range))).collect();
        if large.is_empty() {
            return None;
        }
        let dims: BTreeSet<u64> = large.iter().map(|(dim, _)| *dim).collect();
        let dims: Vec<u64> = dims.into_iter().rev().collect();
        let mut padded = Vec::new();
        // The gradient of an embedding keeps its size. A loss in chunks divides only the buffers of the loss.
        let mut in_pieces: IndexSet<u32> = IndexSet::default();
        for (_, range) in large {
            let buffer = self.describe_range(module, &vocabularies, range);
            if buffer.class == MemoryClass::Logits {
                in_pieces.insert(range.slot);
            }
            if range.covers(space.peak_point()) {
                padded.push(buffer);
            }
        }
        let size = padded.iter().fold(0, |sum: u64, buffer| sum.saturating_add(buffer.size));
        padded.small_sort_by_key(|buffer| (Reverse(buffer.size), buffer.id));
        padded.truncate(WORST);
        let piece = |slot: u32| {
            let size = self.size(slot);
            if in_pieces.contains(&slot) { size.div_ceil(u64::from(CHUNKS)) } else { size }
        };
        let (peak, _) = peak_of_curve(&curve(
            &space.live_ranges,
            (space.n_events, space.color),
            space.peak.indefinite,
            &self.buffers,
            piece,
        ));
        Some(Vocabulary {
            dims,
            buffers: padded,
            size,
            chunks: CHUNKS,
            peak,
            saves: space.peak.peak.saturating_sub(peak),
        })
    }

    fn estimate(&self, module: &Module, query: &MemoryQuery, alive: &[Buffer]) -> Estimate {
        let n = self.buffers.all.len() as u32;
        let weights = alive.iter().filter(|buffer| buffer.class == MemoryClass::Weights);
        let elements = |buffer: &Buffer| {
            let shown = self.buffers.allocations.get(buffer.id.0.checked_sub(n)? as usize)?.shown?;
            self.buffers.all[shown as usize].shape(module)?.as_array()?.elements()
        };
        let counted = weights.filter_map(elements).fold(0, u64::saturating_add);
        let counted = Some(counted).filter(|n| *n > 0);
        let is_counted = query.n_parameters.is_none() && counted.is_some();
        estimate(query.n_parameters.or(counted), is_counted, query.per_parameter, alive)
    }

    /// Arranges the live ranges of a window in rows, the largest first, so that ranges in a row do not overlap. `None`
    /// if the program has nothing in this memory.
    pub fn lanes(&self, module: &Module, query: &MemoryQuery, window: Points) -> Option<LiveRangeRows> {
        self.space(query.color).map(|space| self.lanes_of(module, query, space, window))
    }

    fn lanes_of(&self, module: &Module, query: &MemoryQuery, space: &Space, window: Points) -> LiveRangeRows {
        let vocabularies = self.vocabularies(query);
        let to = window.to.min(space.n_events + 1);
        let from = window.from.min(to);
        let size = |range: &LiveRange| self.size(range.slot);
        let mut live_ranges: Vec<LiveRange> = space
            .live_ranges
            .iter()
            .filter(|range| range.first + 1 < to && range.last >= from && size(range) > 0)
            .copied()
            .collect();
        live_ranges.small_sort_by_key(|range| (Reverse(size(range)), range.first, range.slot));
        let mut lanes: Vec<Vec<LiveRange>> = Vec::new();
        let mut n_left_out = 0;
        for range in live_ranges {
            // Index of the range in a row. The range fits if the range before it has ended and the range after it has
            // not begun.
            let place = |lane: &Vec<LiveRange>| {
                let index = lane.partition_point(|other| other.first < range.first);
                let fits = index.checked_sub(1).is_none_or(|before| lane[before].last <= range.first)
                    && lane.get(index).is_none_or(|after| range.last <= after.first);
                fits.then_some(index)
            };
            match lanes.iter().position(|lane| place(lane).is_some()) {
                Some(lane) => {
                    let index = place(&lanes[lane]).unwrap_or_default();
                    lanes[lane].insert(index, range);
                }
                None if lanes.len() < LANES => lanes.push(vec![range]),
                None => n_left_out += 1,
            }
        }
        let to_row = |lane: Vec<LiveRange>| {
            lane.into_iter().map(|range| self.describe_range(module, &vocabularies, range)).collect()
        };
        LiveRangeRows { from, to, lanes: lanes.into_iter().map(to_row).collect(), n_left_out }
    }
}

/// Returns a note if no parameter is classified as a weight or as optimizer state, but some are inputs.
fn unnamed(space: &SpaceMemory) -> Option<Note> {
    let classes = space.rollups.iter().find(|rollup| rollup.by == RollUpBy::Class)?;
    let row_of = |class: MemoryClass| classes.rows.iter().find(|row| row.key == class.key());
    let are_named = [MemoryClass::Weights, MemoryClass::Optimizer].into_iter().any(|class| row_of(class).is_some());
    let inputs = row_of(MemoryClass::Inputs).filter(|inputs| !are_named && inputs.size > 0)?;
    let message = format!(
        "No parameter has the name of a weight (params) or of optimizer state (opt_state, mu, nu), and no training step shows \
         their use. All {} count as inputs.",
        inputs.n
    );
    Some(Note::new(Severity::Info, NoteCode::ParametersUnnamed, message))
}

/// Compares the need of a model with `n` parameters with the live buffers of the same classes. The default of `per` is
/// mixed precision with Adam: 2 bytes each for a weight and its gradient, and 4 bytes each for two moments and a master
/// weight.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a rule of thumb"
)]
pub(super) fn estimate(n: Option<u64>, counted: bool, per: BytesPerParameter, alive: &[Buffer]) -> Estimate {
    let row = |class: MemoryClass, bytes: f64| {
        let measured = alive.iter().filter(|buffer| buffer.class == class);
        EstimateRow {
            class,
            expected: n.map(|n| (n as f64 * bytes).round() as u64),
            measured: measured.fold(0, |sum: u64, buffer| sum.saturating_add(buffer.size)),
        }
    };
    let rows = vec![
        row(MemoryClass::Weights, per.weights),
        row(MemoryClass::Gradients, per.gradients),
        row(MemoryClass::Optimizer, per.m + per.v + per.master),
    ];
    Estimate { n_parameters: n, counted, per_parameter: per, rows }
}

/// Returns the padding of a buffer in bytes. `None` if it is unknown or zero. The size of a temporary is its own, not
/// that of an allocation that it shares with larger buffers.
fn wasted(buffer: &Buffer) -> Option<u64> {
    buffer.unpadded.and_then(|unpadded| buffer.size.checked_sub(unpadded)).filter(|wasted| *wasted > 0)
}

fn padding(alive: &[Buffer]) -> Padding {
    let mut worst: Vec<Padded> = Vec::new();
    for buffer in alive {
        let Some(wasted) = wasted(buffer) else { continue };
        #[expect(clippy::cast_precision_loss, reason = "a ratio")]
        let ratio = |unpadded: u64| (unpadded > 0).then(|| wasted as f64 / unpadded as f64);
        worst.push(Padded { buffer: buffer.clone(), wasted, overhead: buffer.unpadded.and_then(ratio) });
    }
    worst.small_sort_by_key(|padded| (Reverse(padded.wasted), padded.buffer.id));
    let all = worst.iter().fold(0, |sum: u64, padded| sum.saturating_add(padded.wasted));
    let n = worst.len() as u32;
    worst.truncate(WORST);
    Padding { wasted: all, n, worst }
}

/// Sums live buffers by each [`RollUpBy`].
pub fn roll_ups(alive: &[Buffer]) -> Vec<RollUp> {
    RollUpBy::ALL.iter().map(|by| roll_up(*by, alive)).collect()
}

fn roll_up(by: RollUpBy, alive: &[Buffer]) -> RollUp {
    let mut rows: IndexMap<String, RollUpRow> = IndexMap::default();
    for buffer in alive {
        let key = match by {
            RollUpBy::Category => buffer.category.key(),
            RollUpBy::Class => buffer.class.key(),
            RollUpBy::Opcode => &buffer.opcode,
            RollUpBy::Scope => scope(&buffer.op_name),
            RollUpBy::Source => buffer.source.as_deref().unwrap_or_default(),
            RollUpBy::Dtype => buffer.dtype.as_deref().unwrap_or_default(),
        };
        let row =
            rows.entry(key.to_owned()).or_insert_with(|| RollUpRow { key: key.to_owned(), ..RollUpRow::default() });
        row.size = row.size.saturating_add(buffer.size);
        row.unpadded = row.unpadded.saturating_add(buffer.unpadded.unwrap_or(buffer.size));
        row.n += 1;
    }
    let mut rows: Vec<RollUpRow> = rows.into_iter().map(|(_, row)| row).collect();
    rows.small_sort_by(|a, b| b.size.cmp(&a.size).then_with(|| a.key.cmp(&b.key)));
    RollUp { by, rows }
}

/// Returns a path without its last segment: the scope of an operation.
fn scope(op_name: &str) -> &str {
    let path = scope_path::path(op_name);
    let last = scope_path::segments(path).next_back().unwrap_or_default();
    path.get(..path.len() - last.len()).unwrap_or_default().trim_end_matches('/')
}
