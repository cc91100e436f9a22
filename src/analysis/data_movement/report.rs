//! This module holds the report of data movement. It is plain data and does not depend on the analysis.

use super::change::{Answer, Change};
use crate::analysis::base::{Header, Totals};
use crate::analysis::classify::Kind;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use xla_profile::profile::Note;
use xla_profile::units::{Count, Picos};

/// Self time of ops by their answer about one change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Self time of ops that make the change.
    pub yes: Picos,
    /// Self time of ops that do not make the change.
    pub no: Picos,
    /// Self time of ops for which the change is unknown. Unknown does not mean no.
    pub undetectable: Picos,
    /// Executions with the answers yes, no and undetectable.
    pub n: [Count; 3],
}

impl Tally {
    /// Adds an op with its self time and its number of executions.
    pub(super) fn add(&mut self, answer: Answer, time: Picos, n: Count) {
        let (sum, index) = match answer {
            Answer::Yes => (&mut self.yes, 0),
            Answer::No => (&mut self.no, 1),
            Answer::Undetectable(_) => (&mut self.undetectable, 2),
        };
        *sum += time;
        self.n[index] += n;
    }

    /// Returns the answer with the most self time. Ties are decided by executions, then in the order yes, undetectable,
    /// no. `None` means undetectable.
    pub fn majority(&self) -> Option<bool> {
        let [yes, no, unknown] = self.n;
        let answers =
            [(self.yes, yes, 2, Some(true)), (self.undetectable, unknown, 1, None), (self.no, no, 0, Some(false))];
        answers.into_iter().max().and_then(|(.., answer)| answer)
    }

    /// Whether the ops differ in their answers.
    pub fn is_mixed(&self) -> bool {
        let times = [self.yes, self.no, self.undetectable];
        (0..3).filter(|i| self.n[*i] > 0 || times[*i] > Picos::ZERO).count() > 1
    }
}

/// Time of ops that move one array from one memory space to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpaceMove {
    /// Memory space `S(n)` of the input; 0 is the main memory of the device.
    pub from: i64,
    /// Memory space `S(n)` of the output.
    pub to: i64,
    /// Self time of these ops.
    pub total: Picos,
}

/// A category, or a source within a category.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DataMovementRow {
    /// The category or the source.
    pub key: String,
    /// "category", or the tier of the source: "source_stack", "tf_op" or "no_source".
    pub key_kind: String,
    pub category: String,
    /// The kind with the most self time of the row.
    pub kind: Kind,
    pub n_executions: Count,
    /// Self time within the window.
    pub total: Picos,
    /// The waiting part of `total`: synchronous collectives, and the dones of async pairs.
    pub stall: Picos,
    /// `total` ÷ window, a fraction.
    pub of_step: Option<f64>,
    /// Bytes read and written, without padding, by executions whose bytes are known. `None` if no execution has known
    /// bytes.
    pub bytes: Option<u64>,
    /// Executions whose bytes are known.
    pub n_bytes: Count,
    /// One tally per [`Change`], in the order of [`Change::ALL`].
    pub changes: [Tally; 5],
    /// Self time of undetectable answers by reason. An op counts once under each of its reasons.
    pub undetectable: BTreeMap<String, Picos>,
    /// Self time by input and output memory space, of ops that move one array to another space.
    pub space_moves: Vec<SpaceMove>,
    /// Shapes read, the one with the most time first; at most 8.
    pub shapes_in: Vec<String>,
    /// Shapes written, the one with the most time first; at most 8.
    pub shapes_out: Vec<String>,
    /// Innermost source line of the op with the most time.
    pub source_inner: Option<String>,
    /// Scope path of that op.
    pub tf_op: Option<String>,
    /// Name of that op.
    pub example: Option<String>,
    /// Id of the program of that op, if known.
    pub example_program: Option<u64>,
}

impl DataMovementRow {
    /// Returns the tally of one change.
    pub const fn tally(&self, change: Change) -> &Tally {
        &self.changes[change as usize]
    }
}

/// Executions of an opcode in a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpcodeCount {
    /// The opcode; `<none>` for ops without HLO text.
    pub opcode: String,
    pub n: Count,
    pub total: Picos,
}

/// The executions of a program, by opcode.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramOpcodes {
    pub program: Option<String>,
    pub program_id: Option<u64>,
    /// Counts by opcode, the most executions first.
    pub opcodes: Vec<OpcodeCount>,
    /// Executions of dots and convolutions, including "convolution fusion".
    pub n_dot_convolution: Count,
    /// Bytes read and written by copies. An async copy counts once.
    pub copy_bytes: u64,
    /// Executions of the instructions in the bodies of fusions and calls, the most first. `None` if they were not
    /// counted, or if the HLO of a fusion or a call is missing.
    pub bodies: Option<Vec<BodyOpcode>>,
}

/// Executions of an opcode in the bodies of fusions and calls.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BodyOpcode {
    pub opcode: String,
    pub n: Count,
}

/// The report of data movement and communication.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DataMovement {
    /// The devices and the window of the report.
    pub header: Header,
    /// Sums over the window.
    pub totals: Totals,
    /// Self time of data movement and communication, which is the sum of the categories.
    pub total: Picos,
    /// The waiting part of `total`.
    pub stall: Picos,
    /// The part of `stall` that is communication.
    pub exposed_comm: Picos,
    /// Categories, the one with the most time first.
    pub by_category: Vec<DataMovementRow>,
    /// Sources by category: categories in the order of `by_category`, sources within each by time.
    pub by_source: Vec<DataMovementRow>,
    /// Programs, the one with the most executions first.
    pub opcodes: Vec<ProgramOpcodes>,
    /// Assumptions and omissions.
    pub notes: Vec<Note>,
}

impl DataMovement {
    /// Returns the sources of a category, the one with the most time first.
    pub fn sources_of(&self, category: &DataMovementRow) -> &[DataMovementRow] {
        let from = self.by_source.iter().position(|row| row.category == category.key).unwrap_or_default();
        let n = self.by_source.iter().filter(|row| row.category == category.key).count();
        self.by_source.get(from..from + n).unwrap_or_default()
    }

    /// Iterates over the first `top` sources of each of the first `top` categories.
    pub fn sources(&self, top: usize) -> impl Iterator<Item = &DataMovementRow> {
        self.by_category.iter().take(top).flat_map(move |category| self.sources_of(category).iter().take(top))
    }
}

impl ProgramOpcodes {
    /// Returns the executions of dots and convolutions in the bodies of fusions and calls. `None` if they are unknown.
    pub fn n_dot_convolution_in_bodies(&self) -> Option<Count> {
        let bodies = self.bodies.as_ref()?;
        Some(bodies.iter().filter(|body| is_dot_or_convolution(&body.opcode)).map(|body| body.n).sum())
    }
}

/// Returns whether an opcode multiplies matrices or convolves.
pub(super) fn is_dot_or_convolution(opcode: &str) -> bool {
    matches!(opcode, "dot" | "convolution" | "ragged-dot" | "scaled-dot")
}
