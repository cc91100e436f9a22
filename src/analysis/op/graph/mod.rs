//! This module reports the neighbourhood of an op as a graph: two hops of operands, two hops of users, and the bodies
//! of opened instructions.
//!
//! ```text
//!  program ──► hops: near instructions, omissions ───┐
//!     └──────► bodies: instructions of opened ones ──┼──► OpGraph
//!              edges: data between all these ────────┘
//!  texts of events ──► one hop (without a program) ──┘
//! ```
//!
//! This module depends on programs and events, and not on the drawing.

mod bodies;
mod build;
mod edges;
mod hops;
mod one_hop;
mod report;
mod short;

pub use report::{GraphEdge, GraphNode, NodeBody, NodeRole, OpGraph};

use crate::analysis::base::instruction_ref::InstructionRef;
use crate::analysis::base::{Analysis, ResolvedOp};
use crate::analysis::op::is_tpu;
use crate::analysis::op::report::OpBasis;
use build::GraphBuilder;
use xla_profile::hlo::{InstructionId, Module, text};
use xla_profile::profile::{Note, NoteCode, Profile, ProgramId, Severity};
use xla_profile::units::Picos;

impl Analysis {
    /// Returns the neighbourhood of an op. Instructions of the neighbourhood whose names are in `open` show their
    /// bodies. `None` if neither the events nor the program have such an op.
    pub fn op_graph(
        &self,
        profile: &Profile,
        found: &ResolvedOp,
        program: Option<(&Module, Option<ProgramId>)>,
        open: &[String],
        mut notes: Vec<Note>,
    ) -> Option<OpGraph> {
        let (program, module_id) = program.unzip();
        let program_id = found.program.or(module_id.flatten());
        let tpu = is_tpu(profile);
        let of_program = program.and_then(|m| InstructionRef::within(m, m.instruction_named(&found.name)?, tpu));
        let mut note = |code, message: &str| notes.push(Note::new(Severity::Info, code, message));
        let (nodes, edges, centre, basis) = if let Some(inst) = of_program {
            let build = self.build(profile, found, inst, open)?;
            let edges = edges::edges(&build);
            if let Some(caller) = caller(inst) {
                note(NoteCode::Inside, &["The graph is limited to the body of ", caller, "."].concat());
            }
            for name in &build.shared {
                note(
                    NoteCode::Shared,
                    &["The body of ", name, " is drawn once: another instruction calls the same computation."].concat(),
                );
            }
            let centre = inst.module.and_then(|(_, id)| build.node_at(id))?;
            (build.nodes, edges, centre, OpBasis::Proto)
        } else {
            let parsed = self.event_text(profile, found).and_then(text::instruction);
            let inst = parsed.as_ref().map(|p| InstructionRef { instruction: &p.instruction, module: None, tpu });
            if inst.is_none() && !found.main().is_some_and(|m| m.ran) {
                return None;
            }
            let (operands, users) = inst.map(|s| self.neighbours(profile, found, s)).unwrap_or_default();
            let (nodes, edges, centre) = one_hop::one_hop(&found.name, inst, [operands, users]);
            let (message, basis) = match inst {
                Some(_) => {
                    ("No program holds the op: the graph shows one hop, from the texts of events.", OpBasis::EventText)
                }
                None => ("The op has no HLO: its operands and users are unknown.", OpBasis::None),
            };
            note(NoteCode::OneHop, message);
            (nodes, edges, centre, basis)
        };
        let mut graph = OpGraph {
            query: found.query.clone(),
            program: program_id.and_then(|id| profile.programs.get(&id).cloned()),
            program_id: program_id.map(|p| p.0),
            device: found.selection.header.device.clone(),
            centre,
            nodes,
            edges,
            basis,
            notes,
        };
        graph.program = graph.program.or_else(|| of_program.and(program).map(|m| m.name.to_string()));
        self.times(profile, found, &mut graph);
        Some(graph)
    }

    /// Collects the nodes around an instruction of a program.
    fn build<'a>(
        &self,
        profile: &Profile,
        found: &ResolvedOp,
        inst: InstructionRef<'a>,
        open: &'a [String],
    ) -> Option<GraphBuilder<'a>> {
        let (module, _) = inst.module?;
        // If there are too many nodes, those with the most self time are kept.
        let computation = inst.instruction.computation;
        let all = || computation.into_iter().flat_map(|computation| module.instructions_of(computation));
        let names = all().filter_map(|id| module.instruction(id)).map(|i| &*i.name);
        let by_name = self.op_times_by_name(profile, found, names);
        let weight = |id: InstructionId| {
            module.instruction(id).and_then(|i| by_name.get(&*i.name)).map_or(0, |times| times.self_time)
        };
        GraphBuilder::new(inst, open, &weight)
    }

    /// Adds kind, self time and executions to the nodes that run by themselves.
    fn times(&self, profile: &Profile, found: &ResolvedOp, graph: &mut OpGraph) {
        let names: Vec<String> = graph.nodes.iter().map(|node| node.name.clone()).collect();
        let by_name = self.op_times_by_name(profile, found, names.iter().map(String::as_str));
        for node in graph.nodes.iter_mut().filter(|node| node.is_instruction()) {
            if let Some(op) = by_name.get(node.name.as_str()) {
                node.kind = Some(op.kind);
                node.total = op.in_window.then_some(Picos(op.self_time));
                node.n = op.in_window.then_some(op.n);
            }
        }
    }
}

/// Returns the first instruction that calls the computation of an instruction. `None` in the entry computation.
fn caller(inst: InstructionRef<'_>) -> Option<&str> {
    let (module, _) = inst.module?;
    let computation = inst.instruction.computation.filter(|id| module.entry != Some(*id))?;
    Some(&*module.instruction(*module.callers(computation).first()?)?.name)
}
