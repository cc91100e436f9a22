//! This module derives the size of attention from a program: from the matmuls that compute the scores of a sequence
//! against itself, and from the library calls that compute attention as a whole.
//!
//! ```text
//!  scores   f32[4,11,2048,2048]  from a product over 128   in a loop of 2 layers  ──► 2 × 11 × 128 for 4 of 16 sequences
//! ```

use crate::analysis::classify::Phase;
use crate::analysis::classify::phase::{by_path, phase};
use xla_profile::hlo::{ArrayShape, Instruction, InstructionId, Module};

/// Largest size of a head. A product over more is no product of queries and keys.
const MAX_HEAD: f64 = 512.0;
/// Deepest nesting of computations that is followed.
const MAX_DEPTH: u32 = 16;

/// Returns Σ over layers of heads × head size, as one device computes it for one sequence, times the sequences of the
/// device. `length` is the length of a sequence, and `sequences` are those of the device. `None` if no attention is
/// recognised, or if the number of iterations of its loop is unknown.
pub(super) fn attention_units(module: &Module, sequences: u64, length: u64) -> Option<f64> {
    let is_forward = |instruction: &Instruction| {
        matches!(phase(&instruction.name, by_path(instruction.op_name())), None | Some(Phase::Forward))
    };
    let mut sum = None;
    for (id, instruction) in module.instructions() {
        let Some(units) = units_of(module, id, instruction, sequences, length).filter(|_| is_forward(instruction))
        else {
            continue;
        };
        let n = executions(module, id, MAX_DEPTH)?;
        *sum.get_or_insert(0.0) += units * n;
    }
    sum.filter(|sum| *sum > 0.0)
}

/// Returns sequences × heads × head size of an instruction that computes scores, or all of attention.
#[expect(clippy::cast_precision_loss, reason = "sizes of a model")]
fn units_of(module: &Module, id: InstructionId, instruction: &Instruction, sequences: u64, length: u64) -> Option<f64> {
    let (result, square) = (|| instruction.shape.arrays().next(), length as f64 * length as f64);
    match &*instruction.opcode {
        "dot" | "convolution" => units_of_scores(module, id, result()?, square, (sequences, length)),
        "custom-call" => {
            let (target, result) = (instruction.custom_call_target()?, result()?);
            if target.starts_with("__cudnn$fmha") {
                // The result has the heads of all queries: sequences × heads × length × head size.
                return Some(result.elements()? as f64 / length as f64).filter(|_| result.dims.contains(&length));
            }
            let is_matmul = target.starts_with("__cublas$");
            if is_matmul { units_of_scores(module, id, result, square, (sequences, length)) } else { None }
        }
        _ => None,
    }
}

#[expect(clippy::cast_precision_loss, reason = "sizes of a model")]
fn units_of_scores(
    module: &Module,
    id: InstructionId,
    scores: &ArrayShape,
    square: f64,
    (sequences, length): (u64, u64),
) -> Option<f64> {
    if !is_scores(scores, sequences, length) {
        return None;
    }
    let flops = module.cost(id).flops?;
    let head = flops / (2.0 * scores.elements()? as f64);
    (head <= MAX_HEAD).then_some(flops / (2.0 * square))
}

/// Returns whether an array may hold the scores of sequences against themselves: the length twice, and more than one array
/// of scores for each sequence.
fn is_scores(shape: &ArrayShape, sequences: u64, length: u64) -> bool {
    let n_lengths = shape.dims.iter().filter(|dim| **dim == length).count();
    let others: u64 = shape.dims.iter().filter(|dim| **dim != length).fold(1, |all, dim| all.saturating_mul(*dim));
    n_lengths == 2 && shape.dims.len() > 2 && (shape.dims.len() > 3 || others > sequences)
}

/// Returns how often an instruction is executed in a run of the program. `None` if the iterations of a loop are unknown.
fn executions(module: &Module, id: InstructionId, depth: u32) -> Option<f64> {
    let computation = module.instruction(id)?.computation;
    if computation == module.entry {
        return Some(1.0);
    }
    let computation = computation?;
    let depth = depth.checked_sub(1)?;
    let mut sum = 0.0;
    for caller in module.callers(computation) {
        let instruction = module.instruction(*caller)?;
        let n = if &*instruction.opcode == "while" { iterations(module, instruction)? } else { 1.0 };
        sum += n * executions(module, *caller, depth)?;
    }
    Some(sum)
}

/// Returns the iterations of a loop: as the compiler states them, or the constant that its condition compares a counter
/// with. Such counters start at 0.
#[expect(clippy::cast_precision_loss, reason = "a number of layers")]
fn iterations(module: &Module, instruction: &Instruction) -> Option<f64> {
    let known = instruction.backend_config().and_then(crate::analysis::classify::layer::trip_count);
    if let Some(n) = known {
        return Some(n as f64);
    }
    let condition = instruction.call("condition")?.id?;
    let inner = || module.instructions_of(condition).filter_map(|id| module.instruction(id));
    let mut constants = inner().filter(|instruction| &*instruction.opcode == "constant");
    let limit = constants.next().filter(|_| constants.next().is_none())?;
    inner().any(|instruction| instruction.text("direction") == Some("LT")).then_some(())?;
    limit.argument.as_deref()?.parse().ok()
}
