//! Ops into rows. Knows the groupings and what a row shows; knows nothing of lines and windows.

use super::Kind;
use super::breakdown::OpTime;
use super::ops::{PlaneFacts, dtypes, shape};
use super::query::GroupBy;
use super::report::{Group, Share, Totals};
use crate::profile::{OpId, Plane, Profile, ProgramId, StrId};
use crate::units::Picos;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// What makes ops one row. Texts are compared by id: a profile keeps each once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Key {
    Kind(Kind),
    Category(Option<StrId>),
    /// Two programs may both have a `fusion.1`.
    Op(Option<ProgramId>, StrId),
    Program(Option<ProgramId>),
    SourceStack(StrId),
    TfOp(StrId),
    NoSource(Option<StrId>),
}

/// Rows being summed.
#[derive(Default)]
pub(super) struct Folded {
    rows: FxHashMap<Key, Row>,
}

struct Row {
    key: String,
    key_kind: &'static str,
    n: u64,
    own: Picos,
    inclusive: Picos,
    min: u64,
    max: u64,
    by_kind: [Picos; 7],
    flops: Option<f64>,
    model_flops: Option<f64>,
    bytes: Option<f64>,
    categories: BTreeMap<String, Share>,
    dtypes: BTreeMap<String, Picos>,
    shapes: BTreeMap<String, Picos>,
    /// The programs of its ops: none seen yet, one, or several.
    programs: Seen<Option<ProgramId>>,
    example: Option<Example>,
}

#[derive(Clone, Copy, PartialEq)]
enum Seen<T> {
    None,
    One(T),
    Several,
}

/// The op with the longest execution: what the row shows as its example.
struct Example {
    longest: u64,
    name: String,
    stack: Option<String>,
    inner: Option<String>,
    tf_op: Option<String>,
}

/// Shapes a row shows at most.
const MAX_SHAPES: usize = 8;

impl Folded {
    /// Adds the ops of one device.
    pub(super) fn add(&mut self, profile: &Profile, plane: &Plane, facts: &PlaneFacts, times: &[OpTime], by: GroupBy) {
        for (i, time) in times.iter().enumerate() {
            if time.n == 0 && time.own == 0 && time.inclusive == 0 {
                continue;
            }
            let op = plane.op(OpId(i as u32));
            let op_facts = facts.of(OpId(i as u32));
            let stats = &op.stats;
            let key = match by {
                GroupBy::Kind => Key::Kind(op_facts.kind),
                GroupBy::Category => Key::Category(stats.category),
                GroupBy::Op => Key::Op(stats.program, op.name),
                GroupBy::Program => Key::Program(stats.program),
                GroupBy::Source => match (stats.source_stack, stats.tf_op) {
                    (Some(stack), _) => Key::SourceStack(stack),
                    (None, Some(tf_op)) => Key::TfOp(tf_op),
                    (None, None) => Key::NoSource(stats.category),
                },
            };
            let row = self.rows.entry(key).or_insert_with(|| Row::new(profile, key));
            row.n += time.n;
            row.own += Picos(time.own);
            row.inclusive += Picos(time.inclusive);
            row.min = row.min.min(time.min);
            row.max = row.max.max(time.max);
            row.by_kind[op_facts.kind.index()] += Picos(time.own);
            #[expect(clippy::cast_precision_loss, reason = "costs are estimates in doubles")]
            let n = time.n as f64;
            for (sum, cost) in [
                (&mut row.flops, stats.flops),
                (&mut row.model_flops, stats.model_flops),
                (&mut row.bytes, stats.bytes_accessed),
            ] {
                if let Some(cost) = cost {
                    *sum = Some(sum.unwrap_or(0.0) + cost * n);
                }
            }
            let category = stats.category.map_or(NONE, |c| profile.text(c));
            let share = entry(&mut row.categories, category);
            share.n += time.n;
            share.dur += Picos(time.own);
            if let Some(shape) = shape(profile, op) {
                *entry(&mut row.shapes, shape) += Picos(time.own);
                for dtype in dtypes(shape) {
                    *entry(&mut row.dtypes, dtype) += Picos(time.own);
                }
            }
            row.programs = match row.programs {
                Seen::None => Seen::One(stats.program),
                Seen::One(p) if p == stats.program => Seen::One(p),
                _ => Seen::Several,
            };
            let name = profile.text(op.name);
            let better =
                |e: &Example| (time.longest, std::cmp::Reverse(name)) > (e.longest, std::cmp::Reverse(e.name.as_str()));
            if row.example.as_ref().is_none_or(better) {
                let text = |id: Option<StrId>| id.map(|id| profile.text(id).to_owned());
                row.example = Some(Example {
                    longest: time.longest,
                    name: name.to_owned(),
                    stack: text(stats.source_stack),
                    inner: facts.source_inner(profile, op).map(str::to_owned),
                    tf_op: text(stats.tf_op),
                });
            }
        }
    }
}

/// What stands for a category that is not there.
const NONE: &str = "<none>";

/// `map[key]`, allocating the key only when it is new.
fn entry<'m, V: Default>(map: &'m mut BTreeMap<String, V>, key: &str) -> &'m mut V {
    if !map.contains_key(key) {
        map.insert(key.to_owned(), V::default());
    }
    map.get_mut(key).unwrap_or_else(|| unreachable!("it was just put there"))
}

impl Row {
    fn new(profile: &Profile, key: Key) -> Self {
        let text = |id: Option<StrId>| id.map_or(NONE, |id| profile.text(id));
        let (key, key_kind) = match key {
            Key::Kind(kind) => (kind.key().to_owned(), "kind"),
            Key::Category(category) => (text(category).to_owned(), "category"),
            Key::Op(_, name) => (profile.text(name).to_owned(), "op"),
            Key::Program(program) => (program_name(profile, program), "program"),
            Key::SourceStack(stack) => (profile.text(stack).to_owned(), "source_stack"),
            Key::TfOp(path) => (profile.text(path).to_owned(), "tf_op"),
            Key::NoSource(category) => (format!("<no source>:{}", text(category)), "no_source"),
        };
        Self {
            key,
            key_kind,
            n: 0,
            own: Picos::ZERO,
            inclusive: Picos::ZERO,
            min: u64::MAX,
            max: 0,
            by_kind: [Picos::ZERO; 7],
            flops: None,
            model_flops: None,
            bytes: None,
            categories: BTreeMap::new(),
            dtypes: BTreeMap::new(),
            shapes: BTreeMap::new(),
            programs: Seen::None,
            example: None,
        }
    }

    fn finish(self, profile: &Profile, totals: &Totals, window: Option<Picos>) -> Group {
        // The first of the kinds with the most time.
        let kind = Kind::ALL.into_iter().rev().max_by_key(|k| self.by_kind[k.index()]).unwrap_or(Kind::Other);
        let program = match self.programs {
            Seen::One(id) => id,
            Seen::None | Seen::Several => None,
        };
        let example = self.example;
        Group {
            key: self.key,
            key_kind: self.key_kind.to_owned(),
            kind,
            program: program.and_then(|p| profile.programs.get(&p).cloned()),
            program_id: program.map(|p| p.0),
            n_executions: self.n,
            total: self.own,
            inclusive: self.inclusive,
            min: if self.n > 0 { Picos(self.min) } else { Picos::ZERO },
            max: Picos(self.max),
            mean: self.own.0.checked_div(self.n).map(Picos),
            of_step: window.and_then(|w| self.own.fraction_of(w)),
            of_kind: self.by_kind[kind.index()].fraction_of(totals.of(kind)),
            flops: self.flops,
            model_flops: self.model_flops,
            bytes_accessed: self.bytes,
            categories: self.categories,
            dtypes: by_time(self.dtypes),
            shapes: by_time(self.shapes).into_iter().take(MAX_SHAPES).collect(),
            source_stack: example.as_ref().and_then(|e| e.stack.clone()),
            source_inner: example.as_ref().and_then(|e| e.inner.clone()),
            tf_op: example.as_ref().and_then(|e| e.tf_op.clone()),
            example_dur: example.as_ref().map(|e| Picos(e.longest)),
            example: example.map(|e| e.name),
        }
    }
}

fn program_name(profile: &Profile, program: Option<ProgramId>) -> String {
    program.map_or_else(
        || "<no program>".to_owned(),
        |id| profile.programs.get(&id).map_or_else(|| format!("program {}", id.0), |name| format!("{name}({})", id.0)),
    )
}

/// Keys by time, most first; ties in order of the map.
fn by_time(map: BTreeMap<String, Picos>) -> Vec<String> {
    let mut items: Vec<_> = map.into_iter().collect();
    items.sort_by_key(|(_, t)| std::cmp::Reverse(*t));
    items.into_iter().map(|(k, _)| k).collect()
}

/// Rows, most self time first; ties by key, then by program.
pub(super) fn group_rows(folded: Folded, profile: &Profile, totals: &Totals, window: Option<Picos>) -> Vec<Group> {
    let rows = folded.rows.into_values().map(|row| row.finish(profile, totals, window));
    let mut groups: Vec<Group> = rows.collect();
    groups.sort_by(|a, b| {
        b.total.cmp(&a.total).then_with(|| a.key.cmp(&b.key)).then_with(|| a.program_id.cmp(&b.program_id))
    });
    groups
}
