//! This module pairs the data that an instruction reads with the data that it writes, also for the halves of async
//! pairs. It depends on HLO, and not on times.
//!
//! ```text
//!  copy-start    (dest, source, context) ◄─ source          copy-done   dest ◄─ (dest, source, context)
//!  async-start   ((operands), result, …) ◄─ operands        async-done  result ◄─ ((operands), result, …)
//!  dynamic-update-slice   buffer ◄─ buffer, update, …       only the update moves
//! ```

use super::change::Reason;
use xla_profile::hlo::opcode::{base, is_collective, is_done, is_start};
use xla_profile::hlo::{ArrayShape, Instruction, Shape};

/// The shapes that an instruction reads and writes.
pub struct OperandPairs<'a> {
    /// Shapes of the moved data at the input.
    pub from: Vec<&'a Shape>,
    /// Shapes of the moved data at the output.
    pub to: Vec<&'a Shape>,
    /// The shape whose dimensions are compared with those of the output, if not `from`: the buffer of an update.
    pub whole: Option<&'a Shape>,
    pub pairing: Pairing,
}

/// The relation between inputs and outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pairing {
    /// Each input becomes the output at the same position. The opcode maps its dimensions.
    OneByOne,
    /// All inputs go into one output.
    Into,
    /// The relation is unknown for this reason. An answer holds only if it holds for every combination.
    Any(Reason),
}

/// Returns the inputs and outputs of an instruction, from its own text.
///
/// # Errors
///
/// Returns the reason for which they are unknown.
pub fn operand_pairs(instruction: &Instruction) -> Result<OperandPairs<'_>, Reason> {
    let opcode = &*instruction.opcode;
    let result = &instruction.shape;
    let operand = |i: usize| instruction.operands.get(i).and_then(|o| o.shape.as_ref());
    let needed = |i: usize| {
        let missing = if i < instruction.operands.len() { Reason::NoShape } else { Reason::NoOperand };
        operand(i).ok_or(missing)
    };
    let one = |from, to| Ok(OperandPairs { from: vec![from], to: vec![to], whole: None, pairing: Pairing::OneByOne });
    match opcode {
        "copy-start" => {
            let from = operand(0).or_else(|| result.elements().get(1)).ok_or(Reason::NoShape)?;
            one(from, result.elements().first().ok_or(Reason::Unpaired)?)
        }
        "copy-done" => one(needed(0)?.elements().get(1).ok_or(Reason::NoShape)?, result),
        "all-reduce-start" | "all-reduce-done" => paired(instruction, result),
        "get-tuple-element" => {
            let index = instruction.text("index").and_then(|i| i.trim().parse().ok());
            one(index.and_then(|i: i64| needed(0).ok()?.subshape(&[i])).ok_or(Reason::NoShape)?, result)
        }
        "slice" | "dynamic-slice" | "pad" | "gather" | "reverse" => one(needed(0)?, result),
        "dynamic-update-slice" => {
            Ok(OperandPairs { from: vec![needed(1)?], to: vec![result], whole: operand(0), pairing: Pairing::OneByOne })
        }
        "scatter" if instruction.operands.len() == 3 => {
            Ok(OperandPairs { from: vec![needed(2)?], to: vec![result], whole: operand(0), pairing: Pairing::OneByOne })
        }
        "scatter" => Err(Reason::Unpaired),
        "concatenate" => Ok(OperandPairs { pairing: Pairing::Into, ..paired(instruction, result)? }),
        "fusion" | "custom-call" => {
            Ok(OperandPairs { pairing: Pairing::Any(Reason::Body), ..paired(instruction, result)? })
        }
        "send" => one(needed(0)?, result.elements().first().ok_or(Reason::NoOperand)?),
        "recv" | "send-done" | "recv-done" => Err(Reason::NoOperand),
        _ if is_start(opcode) => {
            let to = result.elements().get(1).ok_or(Reason::Unpaired)?;
            let from =
                if operand(0).is_some() { read(instruction)? } else { result.elements().iter().take(1).collect() };
            Ok(wrapped(instruction, &from, to))
        }
        _ if is_done(opcode) || opcode == "async-update" => {
            let [from, to, ..] = needed(0)?.elements() else { return Err(Reason::NoShape) };
            let to = if is_done(opcode) { result } else { to };
            Ok(wrapped(instruction, &[from], to))
        }
        _ => paired(instruction, result),
    }
}

/// Returns the inputs and outputs of an async half. A collective, a copy or a slice returns its operands one by one,
/// and its further operands are offsets and flags. Other operations have an unknown relation.
fn wrapped<'a>(instruction: &Instruction, from: &[&'a Shape], to: &'a Shape) -> OperandPairs<'a> {
    let is_paired = |word: &str| is_collective(word) || matches!(base(word), "copy" | "slice" | "dynamic-slice");
    let mut from: Vec<&Shape> = from
        .iter()
        .flat_map(|s| if s.elements().is_empty() { vec![*s] } else { s.elements().iter().collect() })
        .collect();
    let pairing = if is_paired(&instruction.opcode) || wraps(instruction).is_some_and(|word| is_paired(&word)) {
        from.truncate(to.arrays().count());
        Pairing::OneByOne
    } else {
        Pairing::Any(Reason::Wrapped)
    };
    OperandPairs { from, to: vec![to], whole: None, pairing }
}

/// Returns the word at the start of an async op's name, or of the name of the computation that it calls:
/// `all-gather.3.call-start`, `calls=%wrapped_slice.2`.
fn wraps(instruction: &Instruction) -> Option<String> {
    let stem = |name: &str| {
        let name = name.split('.').next().unwrap_or_default();
        base(name.strip_prefix("wrapped_").unwrap_or(name)).replace('_', "-")
    };
    let own = stem(&instruction.name);
    if own == "async" { instruction.calls().next().map(|call| stem(&call.name)) } else { Some(own) }
}

fn paired<'a>(instruction: &'a Instruction, result: &'a Shape) -> Result<OperandPairs<'a>, Reason> {
    Ok(OperandPairs { from: read(instruction)?, to: vec![result], whole: None, pairing: Pairing::OneByOne })
}

/// Returns the shapes of all operands.
fn read(instruction: &Instruction) -> Result<Vec<&Shape>, Reason> {
    if instruction.operands.is_empty() {
        return Err(Reason::NoOperand);
    }
    instruction.operands.iter().map(|o| o.shape.as_ref().ok_or(Reason::NoShape)).collect()
}

impl<'a> OperandPairs<'a> {
    /// Returns the moved arrays at the input and at the output. Tuples are flattened.
    pub fn arrays(&self) -> (Vec<&'a ArrayShape>, Vec<&'a ArrayShape>) {
        let all = |shapes: &[&'a Shape]| shapes.iter().flat_map(|s| s.arrays()).collect();
        (all(&self.from), all(&self.to))
    }
}
