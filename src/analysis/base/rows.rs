//! Ops into rows, in a form small enough for 100,000 of them: sums and members, no texts. This module knows the groupings; knows
//! nothing of lines and windows, nor of how a row is reported (`row_view`).
//!
//! ```text
//!  ops of the devices ──select──► key ──► row number ──count──► members, row by row ──► sums
//! ```

use super::device::Device;
use super::op_times::{OpTime, OpTimes};
use super::query::GroupBy;
use crate::analysis::classify::{Kind, OpFacts, OpGroup, Phase, PlaneFacts};
use crate::profile::{Op, OpId, OpStats, Plane, Profile, ProgramId, StrId, Strings};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// What makes ops one row. Texts are compared by id: each is kept once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    /// By kind.
    Kind(Kind),
    /// By `hlo_category`.
    Category(Option<StrId>),
    /// By name: two programs may both have a `fusion.1`.
    Op(Option<ProgramId>, StrId),
    /// By program.
    Program(Option<ProgramId>),
    /// By the first tier of a source.
    SourceStack(StrId),
    /// By the second.
    TfOp(StrId),
    /// By the third: the category.
    NoSource(Option<StrId>),
    /// By group of work.
    OpGroup(OpGroup),
    /// By phase.
    Phase(Phase),
    /// By layer.
    Layer(Option<StrId>),
    /// By scope path.
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
            GroupBy::Scope => Self::Scope(facts.scope),
            GroupBy::Source => match (stats.source_stack, stats.tf_op) {
                (Some(stack), _) => Self::SourceStack(stack),
                (None, Some(tf_op)) => Self::TfOp(tf_op),
                (None, None) => Self::NoSource(stats.category),
            },
        }
    }
}

/// One device's part in an answer.
#[derive(Clone)]
pub struct Slice {
    /// Index into the session's devices.
    pub device: usize,
    /// Times of its ops.
    pub measured: Rc<OpTimes>,
    /// Which of its ops are shown; `None`: all.
    pub chosen: Option<Rc<[bool]>>,
}

/// An op of a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// Index into the slices.
    pub slice: u32,
    /// Which op.
    pub op: OpId,
}

/// The sums of one row.
#[derive(Clone, Debug)]
pub struct Row {
    /// What it stands for.
    pub key: Key,
    /// Where its members are.
    pub members: (u32, u32),
    /// Executions.
    pub n: u64,
    /// Self time.
    pub own: u64,
    /// Whole durations.
    pub inclusive: u64,
    /// Shortest self time of an execution; `u64::MAX` where there is none.
    pub min: u64,
    /// Longest.
    pub max: u64,
    /// The kind most of its time is of.
    pub kind: Kind,
    /// Self time of that kind.
    pub of_kind: u64,
    /// While ops come: which of the mixed rows it is, counted from 1; 0 while all are of one kind, as most rows are.
    mixed: u32,
    /// Floating point operations.
    pub flops: Option<f64>,
    /// By the model's count.
    pub model_flops: Option<f64>,
    /// Bytes accessed.
    pub bytes: Option<f64>,
    /// The program of its ops: `Some(None)` where they have none, `None` where they are of several.
    pub program: Option<Option<ProgramId>>,
    /// The op with the longest execution.
    pub example: Member,
    /// How long that took, children included.
    pub longest: u64,
}

/// Rows and their members.
#[derive(Default)]
pub struct Rows {
    /// The rows.
    pub rows: Vec<Row>,
    /// Their ops, row by row.
    pub members: Vec<Member>,
    /// Their numbers in the order they are reported in.
    pub order: Vec<u32>,
}

/// What is known of a session before any time is summed.
#[derive(Clone, Copy)]
pub struct Known<'a> {
    /// The profile.
    pub profile: &'a Profile,
    /// Devices with ops.
    pub devices: &'a [Device],
    /// Facts of each device's ops.
    pub facts: &'a [PlaneFacts],
    /// Texts that the facts name.
    pub words: &'a Strings,
}

impl<'a> Known<'a> {
    /// The plane of a device.
    pub fn plane(self, device: usize) -> &'a Plane {
        &self.profile.planes[self.devices[device].plane]
    }

    /// An op of a device, and what is known of it.
    pub fn op(self, device: usize, op: OpId) -> (&'a Op, &'a OpFacts) {
        (self.plane(device).op(op), &self.facts[device].ops[op.0 as usize])
    }
}

/// Calls `found` for each op shown that has time or executions.
pub fn each(slices: &[Slice], mut found: impl FnMut(Member, &OpTime)) {
    for (slice, part) in slices.iter().enumerate() {
        for (i, time) in part.measured.ops.iter().enumerate() {
            let passes = part.chosen.as_ref().is_none_or(|chosen| chosen[i]);
            if passes && (time.n > 0 || time.own > 0 || time.inclusive > 0) {
                found(Member { slice: slice as u32, op: OpId(i as u32) }, time);
            }
        }
    }
}

fn key_of(known: Known<'_>, slices: &[Slice], by: GroupBy, member: Member) -> Key {
    let device = slices[member.slice as usize].device;
    let (op, facts) = known.op(device, member.op);
    Key::row_key(by, op.name, &op.stats, facts)
}

/// How many rows there would be.
pub fn count(known: Known<'_>, slices: &[Slice], by: GroupBy) -> u32 {
    let (mut numbers, mut keys) = (Numbers::default(), Vec::new());
    each(slices, |member, _| {
        numbers.row_key(key_of(known, slices, by, member), &mut keys);
    });
    keys.len() as u32
}

/// Groups the ops of slices: one walk over the ops, which are many and far apart in memory.
pub fn fold(known: Known<'_>, slices: &[Slice], by: GroupBy) -> Rows {
    let n = slices.iter().map(|slice| slice.measured.ops.len()).sum();
    let (mut numbers, mut keys) = (Numbers::default(), Vec::new());
    let mut rows: Vec<Row> = Vec::new();
    let mut mixed: Vec<[u64; 7]> = Vec::new();
    let mut found: Vec<(Member, u32)> = Vec::with_capacity(n);
    if matches!(by, GroupBy::Op) {
        // Nearly a row per op: growing would copy them all, again and again.
        rows.reserve_exact(n);
    }
    each(slices, |member, time| {
        let (op, facts) = known.op(slices[member.slice as usize].device, member.op);
        let number = numbers.row_key(Key::row_key(by, op.name, &op.stats, facts), &mut keys);
        let at = number as usize;
        if at == rows.len() {
            rows.push(Row::new(keys[at], facts.kind, member, op));
        }
        rows[at].add(known, slices, op, member, time);
        rows[at].add_kind(&mut mixed, facts.kind, time.own);
        found.push((member, number));
    });
    let mut next = 0;
    for row in &mut rows {
        if let Some(by_kind) = (row.mixed as usize).checked_sub(1).map(|at| &mixed[at]) {
            // The first of the kinds with the most time.
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
struct Numbers {
    /// By name: most names are of one program, and then no hash is made.
    by_name: Vec<u32>,
    others: FxHashMap<Key, u32>,
}

impl Numbers {
    /// The number of a key; the next one where it is new.
    fn row_key(&mut self, key: Key, keys: &mut Vec<Key>) -> u32 {
        let next = keys.len() as u32;
        if let Key::Op(_, name) = key {
            let at = name.number() as usize;
            if self.by_name.len() <= at {
                self.by_name.resize(at + 1, u32::MAX);
            }
            let number = &mut self.by_name[at];
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
            n: 0,
            own: 0,
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

    /// Adds an op. Until all have come, the members' end is their number.
    fn add(&mut self, known: Known<'_>, slices: &[Slice], op: &Op, member: Member, time: &OpTime) {
        self.n += time.n;
        self.own = self.own.saturating_add(time.own);
        self.inclusive = self.inclusive.saturating_add(time.inclusive);
        self.min = self.min.min(time.min);
        self.max = self.max.max(time.max);
        #[expect(clippy::cast_precision_loss, reason = "costs are estimates in doubles")]
        let n = time.n as f64;
        add(&mut self.flops, op.stats.flops, n);
        add(&mut self.model_flops, op.stats.model_flops, n);
        add(&mut self.bytes, op.stats.bytes_accessed, n);
        self.program = self.program.filter(|p| *p == op.stats.program);
        // Of equally long ones the first by name.
        let before = || {
            let name = known.op(slices[self.example.slice as usize].device, self.example.op).0.name;
            name != op.name && known.profile.text(op.name) < known.profile.text(name)
        };
        if time.longest > self.longest || (time.longest == self.longest && before()) {
            self.example = member;
            self.longest = time.longest;
        }
        self.members.1 += 1;
    }

    /// Adds self time of a kind. Until a second kind comes, one number is enough.
    fn add_kind(&mut self, mixed: &mut Vec<[u64; 7]>, kind: Kind, own: u64) {
        if self.mixed == 0 && kind != self.kind {
            let mut by_kind = [0; 7];
            by_kind[self.kind.index()] = self.of_kind;
            mixed.push(by_kind);
            self.mixed = mixed.len() as u32;
        }
        let sum = match (self.mixed as usize).checked_sub(1) {
            Some(at) => &mut mixed[at][kind.index()],
            None => &mut self.of_kind,
        };
        *sum = sum.saturating_add(own);
    }
}

fn add(sum: &mut Option<f64>, cost: Option<f64>, n: f64) {
    if let Some(cost) = cost {
        *sum = Some(sum.unwrap_or(0.0) + cost * n);
    }
}
