//! This module makes the report of a row: its texts, its parts and its columns. Only rows that are shown need a report.

use super::report::{Group, MAX_PARTS, Share, SignatureTime};
use crate::analysis::base::op_times::OpTime;
use crate::analysis::base::rows::{Key, Row, Rows, SessionFacts, Slice};
use crate::analysis::base::{GroupBy, NO_SCOPE};
use crate::analysis::classify::op_facts::{dtypes, shape};
use crate::analysis::classify::{ModelModule, OpFacts, OpGroup, Phase, layer, scope_path};
use crate::table::sort::sort_by_text;
use indexmap::IndexMap;
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::hash::Hash;
use xla_profile::profile::{Op, Profile, ProgramId, StrId};
use xla_profile::small_sort::{SmallSort, collect_map};
use xla_profile::units::{Count, Picos};

/// The largest number of shapes that a row shows.
const MAX_SHAPES: usize = 8;
/// The name that stands for a missing category.
pub(in crate::analysis) const NONE: &str = "<none>";

/// An op of a row: the index of its device, the op, its facts and its times.
pub(in crate::analysis) type MemberOp<'a> = (usize, &'a Op, &'a OpFacts, OpTime);

/// Rows, with the data from which their reports are made.
#[derive(Clone, Copy)]
pub struct RowView<'a> {
    pub session: SessionFacts<'a>,
    pub rows: &'a Rows,
    /// The slices that the members of rows refer to.
    pub slices: &'a [Slice],
    pub by: GroupBy,
    /// Self time per kind over the window, whatever the filter.
    pub by_kind: &'a [Picos; 7],
    /// Length of the window, summed over devices.
    pub window: Option<Picos>,
}

impl<'a> RowView<'a> {
    /// Returns the number of rows.
    pub fn len(self) -> usize {
        self.rows.rows.len()
    }

    /// Returns whether there are no rows.
    pub fn is_empty(self) -> bool {
        self.rows.rows.is_empty()
    }

    /// Returns the rows by number, in no particular order.
    pub fn all(self) -> &'a [Row] {
        &self.rows.rows
    }

    /// Returns row numbers in the order of the report: most self time first, ties by key, then by program.
    pub fn order(self) -> &'a [u32] {
        &self.rows.order
    }

    /// Returns the row with number `i`.
    pub fn row(self, i: usize) -> &'a Row {
        &self.rows.rows[i]
    }

    /// Returns the name of row `i`.
    pub fn key(self, i: usize) -> Cow<'a, str> {
        let text = |id: Option<StrId>| id.map_or(NONE, |id| self.session.profile.text(id));
        let word = |id: Option<StrId>, none: &'static str| id.map_or(none, |id| self.session.words.get(id));
        match self.row(i).key {
            Key::Kind(kind) => kind.key().into(),
            Key::Category(category) => text(category).into(),
            Key::Op(_, name) => self.session.profile.text(name).into(),
            Key::Program(program) => program_name(self.session.profile, program).into(),
            Key::SourceStack(text) | Key::TfOp(text) => self.session.profile.text(text).into(),
            Key::NoSource(category) => format!("<no source>:{}", text(category)).into(),
            Key::OpGroup(group) => group.label().into(),
            Key::Phase(phase) => phase.label().into(),
            Key::Layer(layer) => word(layer, layer::NO_LAYER).into(),
            Key::Module(module) => module.key().into(),
            Key::Scope(scope) => word(scope, NO_SCOPE).into(),
        }
    }

    fn key_kind(self, i: usize) -> &'static str {
        match self.row(i).key {
            Key::SourceStack(_) => "source_stack",
            Key::TfOp(_) => "tf_op",
            Key::NoSource(_) => "no_source",
            Key::Scope(None) => "no_scope",
            _ => self.by.key(),
        }
    }

    /// Iterates over the ops of row `i`.
    fn ops(self, i: usize) -> impl Iterator<Item = MemberOp<'a>> {
        let (from, to) = self.row(i).members;
        self.rows.members[from as usize..to as usize].iter().map(move |member| {
            let slice = &self.slices[member.slice as usize];
            let (op, facts) = self.session.op(slice.device, member.op);
            (slice.device, op, facts, slice.measured.ops[member.op.0 as usize])
        })
    }

    /// Returns the op of row `i` if the row has only one, as most rows do.
    pub(in crate::analysis) fn single_op(self, i: usize) -> Option<MemberOp<'a>> {
        let (from, to) = self.row(i).members;
        (to - from == 1).then(|| self.ops(i).next())?
    }

    /// Returns the name of the program of row `i`; `None` if the ops are not all of one program.
    pub fn program(self, i: usize) -> Option<&'a str> {
        let id = self.row(i).program.flatten()?;
        self.session.profile.programs.get(&id).map(String::as_str)
    }

    /// Returns the example op of row `i`, which has the longest execution, after the index of its device.
    pub(in crate::analysis) fn example(self, i: usize) -> (usize, &'a Op) {
        let example = self.row(i).example;
        let device = self.slices[example.slice as usize].device;
        (device, self.session.plane(device).op(example.op))
    }

    /// Returns the innermost source line of the example op in the user's code.
    pub fn source_inner(self, i: usize) -> Option<&'a str> {
        let (device, op) = self.example(i);
        self.session.facts[device].source_inner(self.session.profile, op)
    }

    /// Returns the innermost source line of row `i` if its key is a source stack.
    pub(super) fn source_line(self, i: usize) -> Option<&'a str> {
        matches!(self.row(i).key, Key::SourceStack(_)).then(|| self.source_inner(i))?
    }

    /// Returns the `tf_op` of the example op.
    pub fn tf_op(self, i: usize) -> Option<&'a str> {
        self.example(i).1.stats.tf_op.map(|id| self.session.profile.text(id))
    }

    /// Returns the leaf of the example op's scope path.
    pub fn scope_leaf(self, i: usize) -> Option<&'a str> {
        Some(scope_path::leaf(scope_path::path(self.tf_op(i)?)))
    }

    /// Returns whether ops of several kinds have time in row `i`.
    pub fn is_of_several_kinds(self, i: usize) -> bool {
        let row = self.row(i);
        row.self_time > row.of_kind
    }

    /// Returns the category; `None` if the ops of the row differ.
    pub fn category(self, i: usize) -> Option<&'a str> {
        let category = alike(self.ops(i).map(|(_, op, ..)| op.stats.category))?;
        Some(category.map_or(NONE, |category| self.session.profile.text(category)))
    }

    /// Returns the group of work; `None` if the ops of the row differ.
    pub fn op_group(self, i: usize) -> Option<OpGroup> {
        alike(self.ops(i).map(|(_, _, facts, _)| facts.group))
    }

    /// Returns the phase; `None` if the ops of the row differ.
    pub fn phase(self, i: usize) -> Option<Phase> {
        alike(self.ops(i).map(|(_, _, facts, _)| facts.phase))
    }

    /// Returns the module of the model; `None` if the ops of the row differ.
    pub fn module(self, i: usize) -> Option<ModelModule> {
        alike(self.ops(i).map(|(_, _, facts, _)| facts.module.module))
    }

    /// Returns the layer, or `<no layer>` if the ops belong to none; `None` if the ops of the row differ.
    pub fn layer(self, i: usize) -> Option<&'a str> {
        let layer = alike(self.ops(i).map(|(_, _, facts, _)| facts.layer))?;
        Some(layer.map_or(layer::NO_LAYER, |id| self.session.words.get(id)))
    }

    /// Returns the result shapes of the row with their self time in ps, most first.
    pub fn shapes(self, i: usize) -> Vec<(&'a str, u64)> {
        let shape_time =
            |(_, op, _, time): MemberOp<'a>| Some((shape(self.session.profile, op)?, (time.self_time, Count::ZERO)));
        let shapes = by_time(summed(self.ops(i).filter_map(shape_time)));
        shapes.into_iter().map(|(shape, (self_time, _))| (shape, self_time)).collect()
    }

    /// Returns the result shape; `None` if the ops of the row differ.
    pub fn shape(self, i: usize) -> Option<&'a str> {
        alike(self.ops(i).filter_map(|(_, op, ..)| shape(self.session.profile, op)))
    }

    /// Returns the element type; `None` if the ops of the row differ.
    pub fn dtype(self, i: usize) -> Option<&'a str> {
        alike(self.ops(i).filter_map(|(_, op, ..)| shape(self.session.profile, op)).flat_map(dtypes))
    }

    /// Writes the numbers and the kind of row `i` into `group`.
    pub fn read_numbers(self, i: usize, group: &mut Group) {
        let row = self.row(i);
        group.kind = row.kind;
        group.other_kinds = Picos(row.self_time.saturating_sub(row.of_kind));
        group.n_executions = row.n;
        group.total = Picos(row.self_time);
        group.inclusive = Picos(row.inclusive);
        group.min = if row.n > 0 { Picos(row.min) } else { Picos::ZERO };
        group.max = Picos(row.max);
        group.mean = row.mean();
        group.of_step = self.window.and_then(|window| group.total.fraction_of(window));
        group.of_kind = Picos(row.of_kind).fraction_of(self.by_kind[row.kind.index()]);
        group.flops = row.flops;
        group.model_flops = row.model_flops;
        group.bytes_accessed = row.bytes;
        group.example_dur = Some(Picos(row.longest));
    }

    /// Returns the whole report of row `i`.
    pub fn group(self, i: usize) -> Group {
        let shapes = self.shapes(i);
        let element_types = dtypes_of(&shapes);
        let owned = |texts: Vec<(&str, (u64, Count))>| texts.into_iter().map(|(text, _)| text.to_owned()).collect();
        let example = self.example(i).1;
        let text = |id: Option<StrId>| id.map(|id| self.session.profile.text(id).to_owned());
        let mut numbers = Group::empty(self.key(i).into_owned());
        self.read_numbers(i, &mut numbers);
        Group {
            key_kind: self.key_kind(i).to_owned(),
            program: self.program(i).map(str::to_owned),
            program_id: self.row(i).program.flatten().map(|p| p.0),
            categories: self.categories(i),
            parts: self.parts(i),
            op_group: self.op_group(i).map(|g| g.label().to_owned()),
            phase: self.phase(i).map(|p| p.label().to_owned()),
            layer: self.layer(i).map(str::to_owned),
            module: self.module(i),
            dtypes: owned(by_time(element_types)),
            shapes: shapes.into_iter().take(MAX_SHAPES).map(|(shape, _)| shape.to_owned()).collect(),
            source_stack: text(example.stats.source_stack),
            source_inner: self.source_inner(i).map(str::to_owned),
            kernel: text(example.stats.kernel.filter(|kernel| *kernel != example.name)),
            tf_op: self.tf_op(i).map(str::to_owned),
            example: Some(self.session.profile.text(example.name).to_owned()),
            ..numbers
        }
    }

    fn categories(self, i: usize) -> BTreeMap<String, Share> {
        let shares = summed(self.ops(i).map(|(_, op, _, time)| (op.stats.category, (time.self_time, time.n))));
        let named = |(id, (self_time, n)): (Option<StrId>, (u64, Count))| {
            (id.map_or(NONE, |id| self.session.profile.text(id)).to_owned(), Share { n, dur: Picos(self_time) })
        };
        collect_map(shares.into_iter().map(named))
    }

    fn parts(self, i: usize) -> Vec<SignatureTime> {
        let part =
            |(_, op, facts, time): MemberOp<'a>| ((facts.signature, op.stats.category), (time.self_time, time.n));
        let named = |((signature, category), share): ((StrId, Option<StrId>), (u64, Count))| {
            ((self.session.words.get(signature), category.map(|c| self.session.profile.text(c))), share)
        };
        let mut parts = by_time(summed(self.ops(i).map(part)).into_iter().map(named));
        let rest = (parts.len() > MAX_PARTS).then(|| parts.split_off(MAX_PARTS - 1));
        let part = |((signature, category), (self_time, n)): ((&str, Option<&str>), (u64, Count))| SignatureTime {
            signature: signature.to_owned(),
            category: category.map(str::to_owned),
            total: Picos(self_time),
            n,
        };
        let mut parts: Vec<SignatureTime> = parts.into_iter().map(part).collect();
        if let Some(rest) = rest {
            let total = rest.iter().fold(0_u64, |sum, (_, (self_time, _))| sum.saturating_add(*self_time));
            let n = rest.iter().map(|(_, (_, n))| *n).sum();
            parts.push(SignatureTime { signature: "other".to_owned(), category: None, total: Picos(total), n });
        }
        parts
    }
}

impl Row {
    /// Returns the mean self time of an execution; `None` if none starts in the window.
    pub fn mean(&self) -> Option<Picos> {
        self.n.mean_of(Picos(self.self_time))
    }
}

/// Returns the element types of shapes, with the self time of each type.
fn dtypes_of<'a>(shapes: &[(&'a str, u64)]) -> Vec<(&'a str, (u64, Count))> {
    summed(
        shapes
            .iter()
            .flat_map(|(shape, self_time)| dtypes(shape).into_iter().map(|dtype| (dtype, (*self_time, Count::ZERO)))),
    )
}

/// Returns the common value of all items; `None` if they differ or if there are no items.
fn alike<T: PartialEq>(mut all: impl Iterator<Item = T>) -> Option<T> {
    let first = all.next()?;
    all.all(|other| other == first).then_some(first)
}

/// Sums time and count by key.
fn summed<K: Eq + Hash + Copy>(items: impl Iterator<Item = (K, (u64, Count))>) -> Vec<(K, (u64, Count))> {
    let mut items = items.peekable();
    let Some(first) = items.next() else { return Vec::new() };
    if items.peek().is_none() {
        // Most rows have one op, and need no map.
        return vec![first];
    }
    let mut sums: IndexMap<K, (u64, Count)> = IndexMap::default();
    for (key, (self_time, n)) in std::iter::once(first).chain(items) {
        let sum = sums.entry(key).or_default();
        *sum = (sum.0.saturating_add(self_time), sum.1 + n);
    }
    sums.into_iter().collect::<Vec<_>>()
}

/// Sorts items by time, most first; ties by key.
fn by_time<K: Ord + Copy>(items: impl IntoIterator<Item = (K, (u64, Count))>) -> Vec<(K, (u64, Count))> {
    let mut items: Vec<_> = items.into_iter().collect();
    items.small_sort_by_key(|(key, (self_time, _))| (Reverse(*self_time), *key));
    items
}

fn program_name(profile: &Profile, program: Option<ProgramId>) -> String {
    program.map_or_else(
        || "<no program>".to_owned(),
        |id| profile.programs.get(&id).map_or_else(|| format!("program {}", id.0), |name| format!("{name}({})", id.0)),
    )
}

/// Returns row numbers, most self time first; ties by key, then by program.
pub(in crate::analysis) fn default_order(view: RowView<'_>) -> Vec<u32> {
    // The sort compares copies of the numbers, and does not read the rows.
    let rows = view.rows.rows.iter();
    let mut keyed: Vec<(u64, u64)> = (0..).zip(rows).map(|(i, row)| (!row.self_time, i)).collect();
    keyed.sort_unstable();
    let mut order: Vec<u32> = keyed.iter().map(|(_, i)| *i as u32).collect();
    let program = |i: u32| view.row(i as usize).program;
    let mut start = 0;
    for ties in keyed.chunk_by(|a, b| a.0 == b.0) {
        if ties.len() > 1 {
            let ties = &mut order[start..start + ties.len()];
            sort_by_text(ties, |i| view.key(i as usize), |a, b| program(a).cmp(&program(b)));
        }
        start += ties.len();
    }
    order
}
