//! What data movement reports. Plain data; knows nothing of how it was found.

use super::change::{Answer, Change};
use crate::analysis::base::{Header, Totals};
use crate::analysis::classify::Kind;
use crate::profile::Note;
use crate::units::Picos;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How much time is of ops that change something, that do not, and for which that is unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Self time of ops that do.
    pub yes: Picos,
    /// Self time of ops that do not.
    pub no: Picos,
    /// Self time of ops for which that is unknown. Unknown does not mean no.
    pub undetectable: Picos,
    /// Executions of each, in this order.
    pub n: [u64; 3],
}

impl Tally {
    /// Adds an op.
    pub(super) fn add(&mut self, answer: Answer, time: Picos, n: u64) {
        let (sum, at) = match answer {
            Answer::Yes => (&mut self.yes, 0),
            Answer::No => (&mut self.no, 1),
            Answer::Undetectable(_) => (&mut self.undetectable, 2),
        };
        *sum += time;
        self.n[at] += n;
    }

    /// The answer with the most time; of equal times the one with the most executions, then yes, then undetectable.
    /// `None`: undetectable.
    pub fn majority(&self) -> Option<bool> {
        let [yes, no, unknown] = self.n;
        let of = [(self.yes, yes, 2, Some(true)), (self.undetectable, unknown, 1, None), (self.no, no, 0, Some(false))];
        of.into_iter().max().and_then(|(.., answer)| answer)
    }

    /// Whether ops differ in their answers.
    pub fn is_mixed(&self) -> bool {
        let times = [self.yes, self.no, self.undetectable];
        (0..3).filter(|i| self.n[*i] > 0 || times[*i] > Picos::ZERO).count() > 1
    }
}

/// Time of ops that move one array from one memory space to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpaceMove {
    /// `S(n)` of what is read; 0 is the device's main memory.
    pub from: i64,
    /// `S(n)` of what is written.
    pub to: i64,
    /// Their self time.
    pub total: Picos,
}

/// A category, or a source within one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DataMovementRow {
    /// The category, or the source.
    pub key: String,
    /// "category"; or the tier of the source: "source_stack", "tf_op", "no_source".
    pub key_kind: String,
    /// The category.
    pub category: String,
    /// The kind most of its time is of.
    pub kind: Kind,
    /// Executions that start in the window.
    pub n_executions: u64,
    /// Self time within the window.
    pub total: Picos,
    /// Of that, waiting: synchronous collectives, and the halves of async pairs that wait.
    pub stall: Picos,
    /// Self time ÷ window, a fraction.
    pub of_step: Option<f64>,
    /// Bytes read and written, without padding, of executions of which they are known. `None` where of none.
    pub bytes: Option<u64>,
    /// Executions of which they are known.
    pub n_bytes: u64,
    /// By [`Change`], in the order of [`Change::ALL`].
    pub changes: [Tally; 5],
    /// Self time of undetectable answers by reason; an op counts under each reason once.
    pub undetectable: BTreeMap<String, Picos>,
    /// Self time by memory spaces before and after, of ops that move one array to another space.
    pub space_moves: Vec<SpaceMove>,
    /// Shapes read, most time first, 8 at most.
    pub shapes_in: Vec<String>,
    /// Shapes written.
    pub shapes_out: Vec<String>,
    /// Innermost source line of the op with the most time.
    pub source_inner: Option<String>,
    /// Scope path of that op.
    pub tf_op: Option<String>,
    /// Its name.
    pub example: Option<String>,
    /// The id of its program, where it has one.
    pub example_program: Option<u64>,
}

impl DataMovementRow {
    /// The tally of one change.
    pub const fn tally(&self, change: Change) -> &Tally {
        &self.changes[change as usize]
    }
}

/// How often an opcode was executed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpcodeCount {
    /// The opcode; `<none>` of ops without HLO text.
    pub opcode: String,
    /// Executions.
    pub n: u64,
    /// Self time.
    pub total: Picos,
}

/// What a program executes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramOpcodes {
    /// Its name, where there is one.
    pub program: Option<String>,
    /// Its id, where there is one.
    pub program_id: Option<u64>,
    /// Executions by opcode, most first.
    pub opcodes: Vec<OpcodeCount>,
    /// Executions of dots and convolutions, "convolution fusion" among them.
    pub n_dot_convolution: u64,
    /// Bytes read and written by copies, each async one once.
    pub copy_bytes: u64,
}

/// Where time goes that computes nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DataMovement {
    /// What the figures are of.
    pub header: Header,
    /// Sums over the window.
    pub totals: Totals,
    /// Self time of data movement and communication: the sum of the categories.
    pub total: Picos,
    /// Of that, waiting.
    pub stall: Picos,
    /// Of the waiting, for communication.
    pub exposed_comm: Picos,
    /// By category, most time first.
    pub by_category: Vec<DataMovementRow>,
    /// By category, then by source: categories in their order, sources within each by time.
    pub by_source: Vec<DataMovementRow>,
    /// By program, most executions first.
    pub opcodes: Vec<ProgramOpcodes>,
    /// What was assumed or left out.
    pub notes: Vec<Note>,
}

impl DataMovement {
    /// The sources within a category, most time first.
    pub fn sources_of(&self, category: &DataMovementRow) -> &[DataMovementRow] {
        let from = self.by_source.iter().position(|row| row.category == category.key).unwrap_or_default();
        let n = self.by_source.iter().filter(|row| row.category == category.key).count();
        self.by_source.get(from..from + n).unwrap_or_default()
    }

    /// `top` sources of each of the `top` categories.
    pub fn sources(&self, top: usize) -> impl Iterator<Item = &DataMovementRow> {
        self.by_category.iter().take(top).flat_map(move |category| self.sources_of(category).iter().take(top))
    }
}
