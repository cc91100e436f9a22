//! This module describes one op: a sentence, its times, its values, its source and its neighbours.
//!
//! ```text
//!  events ──find_op──► ResolvedOp ──op times──► figures ─────────┐
//!                         │ program id                           │
//!  program (proto) ◄──────┘──┬─► values, words, neighbours ──────┼──► OpDetail
//!  text of the event ────────┘   (from text if there is no proto)┘
//! ```
//!
//! This module depends on programs and events. The caller supplies the program, so the module does not depend on files.
//! It does not depend on number formats.

pub(super) mod description;
mod description_fusion;
mod figures;
pub mod graph;
mod neighbours;
mod report;
pub(super) mod shape_text;
mod source;
mod trip_count;
mod values;

pub use report::{
    Change, EnclosingComputation, Fused, Histogram, Neighbour, OpBasis, OpDetail, OpFigures, OpRole, OpSource, OpStep,
    OpValue, SourceLine, ValueChange,
};

use crate::analysis::base::instruction_ref::InstructionRef;
use crate::analysis::base::{Analysis, ResolvedOp};
use crate::analysis::classify::{Facts, classify, opcode};
use crate::analysis::roofline::RooflineQuery;
use xla_profile::hlo::{Instruction, Module, text};
use xla_profile::profile::{Note, NoteCode, Profile, ProgramId, Severity};

/// Largest number of instructions of a fusion in the report.
const LINES: usize = 400;

impl Analysis {
    /// Describes an op. `program` is the HLO module with its id, which is used if no event names the program. Only the
    /// peaks and the costs of `request` count. `None` if neither the events nor the program have such an op.
    pub fn op_detail(
        &self,
        profile: &Profile,
        found: &ResolvedOp,
        program: Option<(&Module, Option<ProgramId>)>,
        request: &RooflineQuery,
        mut notes: Vec<Note>,
    ) -> Option<OpDetail> {
        let (program, module_id) = program.unzip();
        let program_id = found.program.or(module_id.flatten());
        let main = found.main();
        let device = main.map(|m| &self.devices[m.device]);
        let op = main.zip(device).map(|(m, d)| profile.planes[d.plane].op(m.op));
        let event_text = self.event_text(profile, found);
        let tpu = is_tpu(profile);
        let of_program = program.and_then(|m| InstructionRef::within(m, m.instruction_named(&found.name)?, tpu));
        let parsed = if of_program.is_some() { None } else { event_text.and_then(text::instruction) };
        let of_text = parsed.as_ref().map(|p| InstructionRef { instruction: &p.instruction, module: None, tpu });
        let inst = of_program.or(of_text);
        if inst.is_none() && !main.is_some_and(|m| m.ran) {
            return None;
        }
        if program.is_some() && of_program.is_none() {
            let message = "The program in the capture has no instruction of this name. The details come from the text \
                           of the event.";
            notes.push(Note::new(Severity::Caution, NoteCode::NotInProgram, message));
        }
        let figures = self.op_figures(profile, found);
        let module = |id| program.filter(|_| program_id == Some(id));
        let roof = self.op_roof(profile, found, request, Some(&module));
        if figures.is_none() {
            let elsewhere = found.members.iter().any(|m| m.ran);
            let message = if elsewhere {
                "The op runs on other devices than the selected ones."
            } else {
                "The op has no time of its own: it runs as a part of another op, or not at all."
            };
            notes.push(Note::new(Severity::Info, NoteCode::NoTime, message));
        }
        let basis = match (of_program, of_text) {
            (Some(_), _) => OpBasis::Proto,
            (None, Some(_)) => OpBasis::EventText,
            (None, None) => OpBasis::None,
        };
        if basis == OpBasis::None {
            let message = "The op has no HLO, neither in a program of the capture nor in the text of its event.";
            notes.push(Note::new(Severity::Info, NoteCode::NoHlo, message));
        }
        let text = event_text.map(str::to_owned).or_else(|| inst.map(|s| s.instruction.to_string()));
        let facts = main.filter(|m| m.ran).map(|m| (&self.facts[m.device], self.facts[m.device].get(m.op)));
        let of_kind = || {
            classify(Facts {
                category: None,
                name: &found.name,
                text: text.as_deref().unwrap_or_default(),
                kernel: None,
            })
        };
        let (values, more_values) = inst.map(values::values).unwrap_or_default();
        let ((operands, more_operands), (users, more_users)) =
            inst.map(|s| self.neighbours(profile, found, s)).unwrap_or_default();
        let session = self.session_facts(profile);
        let name = |program| profile.programs.get(&program).cloned();
        Some(OpDetail {
            query: found.query.clone(),
            name: found.name.clone(),
            opcode: inst.map(|s| s.opcode().to_owned()),
            kind: facts.map(|(_, f)| f.kind).or_else(|| Some(of_kind()).filter(|c| c.known).map(|c| c.kind)),
            phase: facts.map(|(_, f)| f.phase.label().to_owned()),
            layer: facts.and_then(|(_, f)| f.layer).map(|id| session.words.get(id).to_owned()),
            category: facts.and_then(|(_, f)| f.category).map(|id| profile.text(id).to_owned()),
            kernel: op
                .and_then(|op| op.stats.kernel.filter(|kernel| *kernel != op.name))
                .map(|id| profile.text(id).to_owned()),
            program: program_id.and_then(name).or_else(|| of_program.and(program).map(|m| m.name.to_string())),
            program_id: program_id.map(|p| p.0),
            computation: of_program.and_then(op_place),
            device: found.selection.header.device.clone(),
            words: inst.map_or_else(|| "No HLO".to_owned(), description::describe),
            figures,
            roof,
            values,
            more_values,
            value_changes: inst.map(values::value_changes).unwrap_or_default(),
            source: source::source(profile, op.zip(facts.map(|(op_facts, _)| op_facts)), of_program),
            operands,
            more_operands,
            users,
            more_users,
            fused: of_program.and_then(fused),
            text,
            basis,
            notes,
        })
    }

    /// Returns the text of the op's event, if it is HLO.
    pub(super) fn event_text<'p>(&self, profile: &'p Profile, found: &ResolvedOp) -> Option<&'p str> {
        let main = found.main()?;
        let op = profile.planes[self.devices[main.device].plane].op(main.op);
        Some(profile.text(op.text)).filter(|text| opcode(text).is_some())
    }
}

/// Whether memory spaces have their TPU names: the profile has a TPU plane.
pub(super) fn is_tpu(profile: &Profile) -> bool {
    profile.planes.iter().any(|p| p.name.starts_with("/device:TPU:"))
}

fn op_place(inst: InstructionRef<'_>) -> Option<EnclosingComputation> {
    let (module, _) = inst.module?;
    let id = inst.instruction.computation?;
    let callers = module.callers(id);
    let caller = callers.first().and_then(|caller| module.instruction(*caller));
    // A loop runs its condition once more than its body, so the trip count is that of a body only.
    let body = |c: &&Instruction| c.call("body").is_some_and(|body| body.id == Some(id));
    let turns = callers.first().filter(|_| caller.as_ref().is_some_and(body));
    Some(EnclosingComputation {
        computation: module.computation(id)?.name.to_string(),
        is_entry: module.entry == Some(id),
        caller: caller.map(|c| c.name.to_string()),
        caller_opcode: caller.map(|c| c.opcode.to_string()),
        more_callers: callers.len().saturating_sub(1) as u32,
        trip_count: turns.and_then(|caller| trip_count::loop_trip_count(inst.sibling(*caller)?)),
    })
}

fn fused(inst: InstructionRef<'_>) -> Option<Fused> {
    let (call, id) = inst.fused()?;
    let (module, _) = inst.module?;
    let all = module.instructions_of(id);
    let more = all.len().saturating_sub(LINES) as u32;
    let lines = all.take(LINES).filter_map(|id| module.instruction(id)).map(ToString::to_string).collect();
    Some(Fused { computation: call.name.to_string(), lines, more })
}
