//! This module adds ops up to rows of data movement. It depends on times and answers, and reads no HLO.

use super::change::{Answer, Change};
use super::classify::LayoutChange;
use super::report::{DataMovementRow, SpaceMove, Tally};
use crate::analysis::classify::Kind;
use indexmap::IndexMap;
use std::cmp::Reverse;
use xla_profile::profile::OpId;
use xla_profile::small_sort::{SmallSort, collect_map};
use xla_profile::units::{Count, Picos};

/// Largest number of shapes in a row.
const MAX_SHAPES: usize = 8;

/// The time of one op within the window.
#[derive(Clone, Copy)]
pub struct OpContribution {
    pub kind: Kind,
    /// Executions that start in the window.
    pub n: Count,
    pub self_time: Picos,
    /// Whether the self time is waiting.
    pub waits: bool,
    /// Index of the device in the session, and the op.
    pub device_op: (usize, OpId),
}

/// The sums of a row.
#[derive(Default)]
pub struct Sums {
    by_kind: [Picos; 7],
    n: Count,
    total: Picos,
    stall: Picos,
    bytes: Option<u64>,
    n_bytes: Count,
    changes: [Tally; 5],
    reasons: IndexMap<&'static str, Picos>,
    spaces: IndexMap<(i64, i64), Picos>,
    reads: IndexMap<String, Picos>,
    writes: IndexMap<String, Picos>,
    /// Self time, device index and id of the op with the most self time.
    pub example: Option<(Picos, (usize, OpId))>,
}

impl Sums {
    /// Adds an op and its changes.
    pub fn add(&mut self, contribution: &OpContribution, verdict: &LayoutChange) {
        let OpContribution { kind, n, self_time, waits, device_op } = *contribution;
        self.by_kind[kind.index()] += self_time;
        self.n += n;
        self.total += self_time;
        if waits {
            self.stall += self_time;
        }
        if let Some(bytes) = verdict.bytes {
            self.bytes = Some(self.bytes.unwrap_or(0).saturating_add(n.times(bytes)));
            self.n_bytes += n;
        }
        let mut reasons: Vec<&'static str> = Vec::new();
        for change in Change::ALL {
            let answer = verdict.changes.answer(change);
            self.changes[change as usize].add(answer, self_time, n);
            if let Answer::Undetectable(reason) = answer
                && !reasons.contains(&reason.key())
            {
                reasons.push(reason.key());
            }
        }
        for reason in reasons {
            *self.reasons.entry(reason).or_default() += self_time;
        }
        if let Some(spaces) = verdict.spaces.filter(|(from, to)| from != to) {
            *self.spaces.entry(spaces).or_default() += self_time;
        }
        for (shapes, shape) in [(&mut self.reads, &verdict.reads), (&mut self.writes, &verdict.writes)] {
            if let Some(shape) = shape {
                match shapes.get_mut(shape) {
                    Some(time) => *time += self_time,
                    None => drop(shapes.entry(shape.clone()).or_insert(self_time)),
                }
            }
        }
        if self.example.is_none_or(|(most, _)| self_time > most) {
            self.example = Some((self_time, device_op));
        }
    }

    /// Returns the row without the fields that describe its example op.
    pub fn row(self, key: String, key_kind: &str, category: String, window: Option<Picos>) -> DataMovementRow {
        // The first of several kinds with the most time counts.
        let kind = Kind::ALL.into_iter().rev().max_by_key(|k| self.by_kind[k.index()]).unwrap_or(Kind::Other);
        let mut moves: Vec<SpaceMove> =
            self.spaces.iter().map(|((from, to), total)| SpaceMove { from: *from, to: *to, total: *total }).collect();
        moves.small_sort_by_key(|spaces| (spaces.from, spaces.to));
        DataMovementRow {
            key,
            key_kind: key_kind.to_owned(),
            category,
            kind,
            n_executions: self.n,
            total: self.total,
            stall: self.stall,
            of_step: window.and_then(|w| self.total.fraction_of(w)),
            bytes: self.bytes,
            n_bytes: self.n_bytes,
            changes: self.changes,
            undetectable: collect_map(self.reasons.iter().map(|(reason, time)| ((*reason).to_owned(), *time))),
            space_moves: moves,
            shapes_in: by_time(self.reads),
            shapes_out: by_time(self.writes),
            source_inner: None,
            tf_op: None,
            example: None,
            example_program: None,
        }
    }
}

fn by_time(shapes: IndexMap<String, Picos>) -> Vec<String> {
    let mut shapes = shapes.into_iter().collect::<Vec<_>>();
    shapes.small_sort_by(|a, b| (Reverse(a.1), &a.0).cmp(&(Reverse(b.1), &b.0)));
    shapes.into_iter().take(MAX_SHAPES).map(|(shape, _)| shape).collect()
}
