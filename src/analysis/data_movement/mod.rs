//! This module reports the time that computes nothing: data movement and exposed communication by category and source,
//! and the changes that each op makes to its data.
//!
//! ```text
//!  op text ──operands──► read │ written ──classify──► dtype · dim order · tiling · memory space · shape:
//!     └─ for a done, that of      (order)              yes, no, undetectable
//!        its start                                        └──sums──► by category ──► by source within it
//! ```
//!
//! This module depends on HLO, and not on pages. Undetectable does not mean no: each undetectable answer has a reason.

mod bodies;
mod change;
mod classify;
pub mod columns;
mod opcodes;
mod operands;
mod order;
mod report;
mod resolver;
mod sums;
#[cfg(test)]
mod tests;

pub use bodies::ExecutedOps;
pub use change::{Answer, Change, Changes, Reason};
pub use classify::{LayoutChange, classify};
pub use report::{BodyOpcode, DataMovement, DataMovementRow, OpcodeCount, ProgramOpcodes, SpaceMove, Tally};
pub use resolver::{Programs, in_module};

use crate::analysis::base::rows::each;
use crate::analysis::base::selection::Selection;
use crate::analysis::base::{Analysis, Query};
use crate::analysis::classify::{Kind, category, opcode};
use indexmap::IndexMap;
use opcodes::Opcodes;
use resolver::Resolver;
use std::cmp::Reverse;
use sums::{OpContribution, Sums};
use xla_profile::hlo::opcode::{is_done, is_start};
use xla_profile::profile::{Note, NoteCode, Op, Profile, Severity, StrId};
use xla_profile::small_sort::SmallSort;
use xla_profile::units::Picos;

/// Share of the step above which data formatting gets a note.
const FORMATTING: f64 = 0.05;
/// The number of the host's memory space on TPUs.
const HOST_SPACE: i64 = 5;

/// The source of an op: its source stack, else its scope path, else nothing.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Source {
    Stack(StrId),
    Path(StrId),
    None,
}

impl Source {
    fn from_op(op: &Op) -> Self {
        match (op.stats.source_stack, op.stats.tf_op) {
            (Some(stack), _) => Self::Stack(stack),
            (None, Some(path)) => Self::Path(path),
            (None, None) => Self::None,
        }
    }

    fn resolve(self, profile: &Profile, category: &str) -> (String, &'static str) {
        match self {
            Self::Stack(text) => (profile.text(text).to_owned(), "source_stack"),
            Self::Path(text) => (profile.text(text).to_owned(), "tf_op"),
            Self::None => (format!("<no source>:{category}"), "no_source"),
        }
    }
}

impl Analysis {
    /// Reports data movement and communication for the devices and the step of `query`. The grouping and the filter of
    /// `query` are ignored. `programs` supplies facts that the texts of ops lack.
    pub fn data_movement(&self, profile: &Profile, query: &Query, programs: Option<Programs<'_>>) -> DataMovement {
        self.data_movement_and_ops(profile, query, programs).0
    }

    /// Does the same as [`Analysis::data_movement`], and returns the executed ops, whose bodies
    /// [`DataMovement::count_bodies`] counts.
    pub fn data_movement_and_ops(
        &self,
        profile: &Profile,
        query: &Query,
        programs: Option<Programs<'_>>,
    ) -> (DataMovement, ExecutedOps) {
        let session = self.session_facts(profile);
        let Selection { header, totals, slices, mut notes, .. } = self.selection(profile, query);
        let window = header.step_duration;
        let mut by_category: IndexMap<&str, Sums> = IndexMap::default();
        let mut by_source: IndexMap<(&str, Source), Sums> = IndexMap::default();
        let (mut opcodes, mut executed) = (Opcodes::default(), ExecutedOps::default());
        let (mut total, mut stall, mut exposed_comm) = (Picos::ZERO, Picos::ZERO, Picos::ZERO);
        let mut resolvers: Vec<Resolver<'_, '_>> =
            slices.iter().map(|slice| Resolver::new(profile, session.plane(slice.device), programs)).collect();
        each(&slices, |member, time| {
            let device = slices[member.slice as usize].device;
            let (op, facts) = session.op(device, member.op);
            let (category, opcode) = (category(profile, op), opcode(profile.text(op.text)));
            let self_time = Picos(time.self_time);
            let mut bytes = None;
            if is_non_compute(facts.kind) {
                let verdict = resolvers[member.slice as usize].resolve(op);
                bytes = verdict.bytes;
                let waits = waits(facts.kind, opcode.unwrap_or_else(|| profile.text(op.name)), profile.text(op.name));
                let contribution =
                    OpContribution { kind: facts.kind, n: time.n, self_time, waits, device_op: (device, member.op) };
                by_category.entry(category).or_default().add(&contribution, &verdict);
                by_source.entry((category, Source::from_op(op))).or_default().add(&contribution, &verdict);
                total += self_time;
                if waits {
                    stall += self_time;
                    if facts.kind == Kind::Communication {
                        exposed_comm += self_time;
                    }
                }
            }
            opcodes.add(op.stats.program, opcode, category, time.n, self_time, bytes);
            executed.add(op.stats.program, op.name, opcode, time.n);
        });
        let finished = |sums: Sums, key: String, kind: &str, category: &str| {
            let example = sums.example;
            let mut row = sums.row(key, kind, category.to_owned(), window);
            if let Some((_, (device, op))) = example {
                let op = session.op(device, op).0;
                row.source_inner = self.facts[device].source_inner(profile, op).map(str::to_owned);
                row.tf_op = op.stats.tf_op.map(|id| profile.text(id).to_owned());
                row.example = Some(profile.text(op.name).to_owned());
                row.example_program = op.stats.program.map(|id| id.0);
            }
            row
        };
        let mut by_category: Vec<DataMovementRow> =
            by_category.into_iter().map(|(name, sums)| finished(sums, name.to_owned(), "category", name)).collect();
        sort(&mut by_category);
        let mut by_source: Vec<DataMovementRow> = by_source
            .into_iter()
            .map(|((category, source), sums)| {
                let (key, kind) = source.resolve(profile, category);
                finished(sums, key, kind, category)
            })
            .collect();
        sort(&mut by_source);
        let place: IndexMap<&str, usize> = by_category.iter().enumerate().map(|(i, row)| (&*row.key, i)).collect();
        by_source.small_sort_by_key(|row| place.get(&*row.category).copied());
        notes.extend(formatting(&by_category, window));
        notes.extend(host_copies(&by_category));
        notes.extend(undetectable(&by_category, total));
        let opcodes = opcodes.resolve(profile);
        let found = DataMovement { header, totals, total, stall, exposed_comm, by_category, by_source, opcodes, notes };
        (found, executed)
    }
}

const fn is_non_compute(kind: Kind) -> bool {
    matches!(kind, Kind::DataMovement | Kind::Communication | Kind::Fused)
}

/// Whether the self time of an op is waiting. This holds for synchronous collectives and for the dones of async pairs.
/// An op that computes at the same time does not wait.
fn waits(kind: Kind, opcode: &str, name: &str) -> bool {
    let word = opcode.split('.').next().unwrap_or(opcode);
    match kind {
        Kind::Communication => !is_start(word) && !matches!(word, "send" | "recv") && !is_async_start(name),
        Kind::DataMovement => is_done(word),
        _ => false,
    }
}

fn is_async_start(name: &str) -> bool {
    name.split('.').next().is_some_and(is_start)
}

fn sort(rows: &mut [DataMovementRow]) {
    rows.small_sort_by(|a, b| {
        (Reverse(a.total), Reverse(a.n_executions), &a.category, &a.key).cmp(&(
            Reverse(b.total),
            Reverse(b.n_executions),
            &b.category,
            &b.key,
        ))
    });
}

fn percent(part: f64) -> String {
    format!("{:.1} %", part * 100.0)
}

fn formatting(rows: &[DataMovementRow], window: Option<Picos>) -> Option<Note> {
    let row = rows.iter().find(|row| row.key == "data formatting")?;
    let share = row.total.fraction_of(window?).filter(|share| *share > FORMATTING)?;
    let message = format!(
        "Data formatting takes {} of the step. Above 5 %, look for ops that need different layouts, and for transposes and \
         reshapes between them.",
        percent(share)
    );
    Some(Note::new(Severity::Caution, NoteCode::DataFormattingShare, message))
}

fn host_copies(rows: &[DataMovementRow]) -> Option<Note> {
    let moves = rows.iter().flat_map(|row| &row.space_moves);
    let time: Picos = moves.filter(|m| m.from == HOST_SPACE || m.to == HOST_SPACE).map(|m| m.total).sum();
    (time > Picos::ZERO).then(|| {
        let message = format!(
            "Copies between the device's and the host's memory, S(5), take {:.3} ms of the device's time.",
            time.as_f64() / 1e9
        );
        Note::new(Severity::Info, NoteCode::HostOffload, message)
    })
}

fn undetectable(rows: &[DataMovementRow], total: Picos) -> Option<Note> {
    let time: Picos = rows.iter().map(|row| row.changes.iter().map(|t| t.undetectable).max().unwrap_or_default()).sum();
    let share = time.fraction_of(total).filter(|share| *share > 0.0)?;
    let message = format!(
        "For {} of the time the changes are unknown; each row gives the reason. Unknown does not mean unchanged.",
        percent(share)
    );
    Some(Note::new(Severity::Info, NoteCode::UndetectableChanges, message))
}
