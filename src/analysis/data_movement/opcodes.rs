//! This module counts the executions of programs by opcode. It depends on opcodes, and not on changes.

use super::report::{OpcodeCount, ProgramOpcodes, is_dot_or_convolution};
use indexmap::IndexMap;
use std::cmp::Reverse;
use xla_profile::profile::{Profile, ProgramId};
use xla_profile::small_sort::SmallSort;
use xla_profile::units::{Count, Picos};

/// The counts of all programs.
#[derive(Default)]
pub struct Opcodes<'a>(IndexMap<Option<ProgramId>, Counts<'a>>);

#[derive(Default)]
struct Counts<'a> {
    by_opcode: IndexMap<&'a str, (Count, Picos)>,
    n_dot_convolution: Count,
    copy_bytes: u64,
}

impl<'a> Opcodes<'a> {
    /// Adds the executions of an op. `bytes` is the number of bytes that one execution moves, if known.
    pub fn add(
        &mut self,
        program: Option<ProgramId>,
        opcode: Option<&'a str>,
        category: &str,
        n: Count,
        self_time: Picos,
        bytes: Option<u64>,
    ) {
        let counts = self.0.entry(program).or_default();
        let opcode = opcode.unwrap_or(NONE);
        let count = counts.by_opcode.entry(opcode).or_default();
        *count = (count.0 + n, count.1 + self_time);
        // XLA:TPU names a matmul "convolution fusion", and such a fusion runs one matmul per execution.
        if is_dot_or_convolution(opcode) || category.starts_with("convolution") {
            counts.n_dot_convolution += n;
        }
        if matches!(opcode, "copy" | "copy-done") {
            counts.copy_bytes = counts.copy_bytes.saturating_add(n.times(bytes.unwrap_or(0)));
        }
    }

    /// Returns the programs, the one with the most executions first; ties are ordered by id.
    pub fn resolve(self, profile: &Profile) -> Vec<ProgramOpcodes> {
        let mut all: Vec<(Count, Option<ProgramId>, ProgramOpcodes)> = self
            .0
            .into_iter()
            .map(|(id, counts)| {
                let mut opcodes: Vec<OpcodeCount> = counts
                    .by_opcode
                    .iter()
                    .map(|(opcode, (n, total))| OpcodeCount { opcode: (*opcode).to_owned(), n: *n, total: *total })
                    .collect();
                opcodes.small_sort_by(|a, b| (Reverse(a.n), &a.opcode).cmp(&(Reverse(b.n), &b.opcode)));
                let resolved = ProgramOpcodes {
                    program: id.and_then(|id| profile.programs.get(&id).cloned()),
                    program_id: id.map(|id| id.0),
                    n_dot_convolution: counts.n_dot_convolution,
                    copy_bytes: counts.copy_bytes,
                    opcodes,
                    bodies: None,
                };
                (resolved.opcodes.iter().map(|o| o.n).sum(), id, resolved)
            })
            .collect();
        all.small_sort_by_key(|(n, id, _)| (Reverse(*n), *id));
        all.into_iter().map(|(.., resolved)| resolved).collect()
    }
}

/// The opcode of ops without HLO text.
const NONE: &str = "<none>";
