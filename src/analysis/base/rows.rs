//! This module groups ops into rows that hold sums and members but no texts, so that 100,000 rows take little memory.
//! The module does not depend on lines and windows, nor on the report of a row (`row_view`).
//!
//! ```text
//!  ops of the devices ──select──► key ──► row number ──count──► members, row by row ──► sums
//! ```

use super::device::Device;
use super::op_times::{OpTime, OpTimes};
use super::query::GroupBy;
use crate::analysis::classify::{Kind, ModelModule, OpFacts, OpGroup, Phase, PlaneFacts};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use xla_profile::profile::{Op, OpId, OpStats, Plane, Profile, ProgramId, StrId, Strings};
use xla_profile::units::Count;

/// The key that the ops of a row share. Texts are compared by id, because each text is stored once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    Kind(Kind),
    /// `hlo_category`; `None` for ops without one.
    Category(Option<StrId>),
    /// Program and name, because two programs may both have a `fusion.1`.
    Op(Option<ProgramId>, StrId),
    /// `None` for ops without a program.
    Program(Option<ProgramId>),
    /// Source stack, the first choice of [`GroupBy::Source`].
    SourceStack(StrId),
    /// `tf_op`, for ops without a source stack.
    TfOp(StrId),
    /// Category, for ops without a source stack and without `tf_op`.
    NoSource(Option<StrId>),
    OpGroup(OpGroup),
    Phase(Phase),
    /// `None` for ops that belong to no layer.
    Layer(Option<StrId>),
    Module(ModelModule),
    /// `None` for ops without a scope path.
    Scope(Option<StrId>),
}

impl Key {
    fn row_key(by: GroupBy, name: StrId, stats: &OpStats, facts: &OpFacts) -> Self {
        match by {
            GroupBy::Kind => Self::Kind(facts.kind),
            GroupBy::Category => Self::Category(stats.category),
            GroupBy::Op => Self::Op(stats.program, name),
            GroupBy::Dedup => Self::Op(stats.program, stats.dedup.unwrap_or(name)),
            GroupBy::Program => Self::Program(stats.program),
            GroupBy::OpGroup => Self::OpGroup(facts.group),
            GroupBy::Phase => Self::Phase(facts.phase),
            GroupBy::Layer => Self::Layer(facts.layer),
            GroupBy::Module => Self::Module(facts.module.module),
            GroupBy::Scope => Self::Scope(facts.scope),
            GroupBy::Source => match (stats.source_stack, stats.tf_op) {
                (Some(stack), _) => Self::SourceStack(stack),
                (None, Some(tf_op)) => Self::TfOp(tf_op),
                (None, None) => Self::NoSource(stats.category),
            },
        }
    }
}

/// The part of an answer that belongs to one device.
#[derive(Clone)]
pub struct Slice {
    /// Index into the session's devices.
    pub device: usize,
    /// Times of the device's ops.
    pub measured: Rc<OpTimes>,
    /// Whether each op is selected, by op id; `None`: all ops are.
    pub chosen: Option<Rc<[bool]>>,
}

/// An op of a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// Index into the slices.
    pub slice: u32,
    pub op: OpId,
}

/// The sums of one row. Times are in ps.
#[derive(Clone, Debug)]
pub struct Row {
    pub key: Key,
    /// Start and end of the row's members in [`Rows::members`].
    pub members: (u32, u32),
    /// Number of executions that start in the window.
    pub n: Count,
    pub self_time: u64,
    pub inclusive: u64,
    /// Shortest self time of an execution; `u64::MAX` if there is none.
    pub min: u64,
    /// Longest self time of an execution.
    pub max: u64,
    /// The kind with the most self time.
    pub kind: Kind,
    /// Self time of `kind`.
    pub of_kind: u64,
    /// While rows are built: the number of the row among those with several kinds, from 1. 0 while all ops of the row
    /// are of one kind, as in most rows.
    mixed: u32,
    /// FLOPs: executions × cost of one. `None` if no op has the stat.
    pub flops: Option<f64>,
    /// FLOPs by the stat `model_flops`: executions × cost of one. `None` if no op has the stat.
    pub model_flops: Option<f64>,
    /// Bytes accessed: executions × cost of one. `None` if no op has the stat.
    pub bytes: Option<f64>,
    /// Program of the ops: `Some(None)` if they have none, `None` if they are of several programs.
    pub program: Option<Option<ProgramId>>,
    /// The op with the longest execution; of several, the first one by name.
    pub example: Member,
    /// Inclusive time of the longest execution.
    pub longest: u64,
}

/// Rows, and the ops that each of them holds.
#[derive(Default)]
pub struct Rows {
    pub rows: Vec<Row>,
    /// The ops of all rows, row by row.
    pub members: Vec<Member>,
    /// Row numbers in the order of the report.
    pub order: Vec<u32>,
}

/// The facts about a session that are known before any time is summed.
#[derive(Clone, Copy)]
pub struct SessionFacts<'a> {
    pub profile: &'a Profile,
    pub devices: &'a [Device],
    /// Facts of the ops, by device.
    pub facts: &'a [PlaneFacts],
    /// The texts of the layers, signatures and scopes in `facts`.
    pub words: &'a Strings,
}

impl<'a> SessionFacts<'a> {
    /// Returns the plane of a device.
    pub fn plane(self, device: usize) -> &'a Plane {
        &self.profile.planes[self.devices[device].plane]
    }

    /// Returns an op of a device, and its facts.
    pub fn op(self, device: usize, op: OpId) -> (&'a Op, &'a OpFacts) {
        (self.plane(device).op(op), &self.facts[device].ops[op.0 as usize])
    }
}

/// Calls `found` for each selected op that has time or executions in the window.
pub fn each(slices: &[Slice], mut found: impl FnMut(Member, &OpTime)) {
    for (slice, part) in slices.iter().enumerate() {
        for (i, time) in part.measured.ops.iter().enumerate() {
            let passes = part.chosen.as_ref().is_none_or(|chosen| chosen[i]);
            if passes && (time.n > 0 || time.self_time > 0 || time.inclusive > 0) {
                found(Member { slice: slice as u32, op: OpId(i as u32) }, time);
            }
        }
    }
}

fn key_of(session: SessionFacts<'_>, slices: &[Slice], by: GroupBy, member: Member) -> Key {
    let device = slices[member.slice as usize].device;
    let (op, facts) = session.op(device, member.op);
    Key::row_key(by, op.name, &op.stats, facts)
}

/// Returns the number of rows that [`fold`] would make.
pub fn count(session: SessionFacts<'_>, slices: &[Slice], by: GroupBy) -> u32 {
    let (mut numbers, mut keys) = (RowNumbers::default(), Vec::new());
    each(slices, |member, _| {
        numbers.row_key(key_of(session, slices, by, member), &mut keys);
    });
    keys.len() as u32
}

/// Groups the ops of slices into rows, in one pass over the ops, which are many and scattered in memory. The caller
/// sets [`Rows::order`].
pub fn fold(session: SessionFacts<'_>, slices: &[Slice], by: GroupBy) -> Rows {
    let n = slices.iter().map(|slice| slice.measured.ops.len()).sum();
    let (mut numbers, mut keys) = (RowNumbers::default(), Vec::new());
    let mut rows: Vec<Row> = Vec::new();
    let mut mixed: Vec<[u64; 7]> = Vec::new();
    let mut found: Vec<(Member, u32)> = Vec::with_capacity(n);
    if matches!(by, GroupBy::Op) {
        // This grouping makes nearly one row per op. A vector that grows would copy all rows again and again.
        rows.reserve_exact(n);
    }
    each(slices, |member, time| {
        let (op, facts) = session.op(slices[member.slice as usize].device, member.op);
        let number = numbers.row_key(Key::row_key(by, op.name, &op.stats, facts), &mut keys);
        let index = number as usize;
        if index == rows.len() {
            rows.push(Row::new(keys[index], facts.kind, member, op));
        }
        rows[index].add(session, slices, op, member, time);
        rows[index].add_kind(&mut mixed, facts.kind, time.self_time);
        found.push((member, number));
    });
    let mut next = 0;
    for row in &mut rows {
        if let Some(by_kind) = (row.mixed as usize).checked_sub(1).map(|index| &mixed[index]) {
            // Of several kinds with the most time, the first one counts.
            row.kind = Kind::ALL.into_iter().rev().max_by_key(|k| by_kind[k.index()]).unwrap_or(Kind::Other);
            row.of_kind = by_kind[row.kind.index()];
        }
        let members = row.members.1;
        row.members = (next, next);
        next += members;
    }
    let mut members = vec![Member { slice: 0, op: OpId(0) }; found.len()];
    for (member, number) in found {
        let end = &mut rows[number as usize].members.1;
        members[*end as usize] = member;
        *end += 1;
    }
    Rows { rows, members, order: Vec::new() }
}

/// Row numbers by key.
#[derive(Default)]
struct RowNumbers {
    /// Row number of the first program that has a name, by text id; `u32::MAX` if there is none. Most names occur in
    /// one program only, and need no hash.
    by_name: Vec<u32>,
    others: FxHashMap<Key, u32>,
}

impl RowNumbers {
    /// Returns the number of a key. A new key gets the next number.
    fn row_key(&mut self, key: Key, keys: &mut Vec<Key>) -> u32 {
        let next = keys.len() as u32;
        if let Key::Op(_, name) = key {
            let index = name.number() as usize;
            if self.by_name.len() <= index {
                self.by_name.resize(index + 1, u32::MAX);
            }
            let number = &mut self.by_name[index];
            if *number == u32::MAX {
                *number = next;
                keys.push(key);
                return next;
            }
            if keys[*number as usize] == key {
                return *number;
            }
        }
        *self.others.entry(key).or_insert_with(|| {
            keys.push(key);
            next
        })
    }
}

impl Row {
    const fn new(key: Key, kind: Kind, first: Member, op: &Op) -> Self {
        Self {
            key,
            members: (0, 0),
            n: Count::ZERO,
            self_time: 0,
            inclusive: 0,
            min: u64::MAX,
            max: 0,
            kind,
            of_kind: 0,
            mixed: 0,
            flops: None,
            model_flops: None,
            bytes: None,
            program: Some(op.stats.program),
            example: first,
            longest: 0,
        }
    }

    /// Adds an op. While ops are added, `members.1` is their number.
    fn add(&mut self, session: SessionFacts<'_>, slices: &[Slice], op: &Op, member: Member, time: &OpTime) {
        self.n += time.n;
        self.self_time = self.self_time.saturating_add(time.self_time);
        self.inclusive = self.inclusive.saturating_add(time.inclusive);
        self.min = self.min.min(time.min);
        self.max = self.max.max(time.max);
        let n = time.n.as_f64();
        add(&mut self.flops, op.stats.flops, n);
        add(&mut self.model_flops, op.stats.model_flops, n);
        add(&mut self.bytes, op.stats.bytes_accessed, n);
        self.program = self.program.filter(|p| *p == op.stats.program);
        // Of equally long executions, the first one by name counts.
        let before = || {
            let name = session.op(slices[self.example.slice as usize].device, self.example.op).0.name;
            name != op.name && session.profile.text(op.name) < session.profile.text(name)
        };
        if time.longest > self.longest || (time.longest == self.longest && before()) {
            self.example = member;
            self.longest = time.longest;
        }
        self.members.1 += 1;
    }

    /// Adds self time of a kind. Until a second kind comes, the row needs only one number.
    fn add_kind(&mut self, mixed: &mut Vec<[u64; 7]>, kind: Kind, self_time: u64) {
        if self.mixed == 0 && kind != self.kind {
            let mut by_kind = [0; 7];
            by_kind[self.kind.index()] = self.of_kind;
            mixed.push(by_kind);
            self.mixed = mixed.len() as u32;
        }
        let sum = match (self.mixed as usize).checked_sub(1) {
            Some(index) => &mut mixed[index][kind.index()],
            None => &mut self.of_kind,
        };
        *sum = sum.saturating_add(self_time);
    }
}

fn add(sum: &mut Option<f64>, cost: Option<f64>, n: f64) {
    if let Some(cost) = cost {
        *sum = Some(sum.unwrap_or(0.0) + cost * n);
    }
}
