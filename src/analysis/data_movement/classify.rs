//! This module finds the changes and the moved bytes of an instruction. It depends on HLO, and not on times.

use super::change::{Answer, Change, Changes, Reason};
use super::operands::{OperandPairs, Pairing, operand_pairs};
use super::order::{Map, map, order};
use xla_profile::hlo::opcode::{base, is_start};
use xla_profile::hlo::{ArrayShape, Instruction, Shape};

/// The changes and the moved bytes of one instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct LayoutChange {
    pub changes: Changes,
    /// Shapes of the input, as HLO writes them.
    pub reads: Option<String>,
    /// Shapes of the output.
    pub writes: Option<String>,
    /// Memory spaces of input and output, if a single array moves.
    pub spaces: Option<(i64, i64)>,
    /// Bytes read and written by one execution, without padding. `None` if unknown. The start of an async pair has
    /// none, and its done has those of the whole pair.
    pub bytes: Option<u64>,
}

impl LayoutChange {
    /// Returns undetectable answers for one reason.
    pub const fn unknown(reason: Reason) -> Self {
        Self { changes: Changes::unknown(reason), reads: None, writes: None, spaces: None, bytes: None }
    }
}

/// Classifies an instruction from its text.
pub fn classify(instruction: &Instruction) -> LayoutChange {
    match operand_pairs(instruction) {
        Ok(pairs) => classify_operands(instruction, &pairs, None),
        Err(reason) => LayoutChange { writes: Some(instruction.shape.to_string()), ..LayoutChange::unknown(reason) },
    }
}

/// Classifies an instruction whose inputs and outputs are known. `through` maps the dimensions; with `None`, the opcode
/// maps them, and with `Some(None)`, they are merged or split on the way.
pub fn classify_operands(
    instruction: &Instruction,
    pairs: &OperandPairs<'_>,
    through: Option<Option<&Map>>,
) -> LayoutChange {
    let (from, to) = pairs.arrays();
    let spaces = match (from.as_slice(), to.as_slice()) {
        ([from], [to]) => Some((from.memory_space(), to.memory_space())),
        _ => None,
    };
    LayoutChange {
        changes: changes(instruction, pairs, &from, &to, through),
        reads: text(&pairs.from),
        writes: text(&pairs.to),
        spaces,
        bytes: bytes(instruction, pairs, &from, &to),
    }
}

fn changes(
    instruction: &Instruction,
    pairs: &OperandPairs<'_>,
    from: &[&ArrayShape],
    to: &[&ArrayShape],
    through: Option<Option<&Map>>,
) -> Changes {
    if from.is_empty() || to.is_empty() {
        return Changes::unknown(Reason::NoOperand);
    }
    let opcode = base(&instruction.opcode);
    let known = |a: &ArrayShape, b: &ArrayShape| {
        let own;
        let map = match through {
            Some(map) => map,
            None => {
                own = map(opcode, instruction, a, b);
                own.as_ref()
            }
        };
        let reshapes = through.is_none() && matches!(opcode, "reshape" | "dynamic-reshape");
        pair(opcode, a, b, order(a, b, map, reshapes))
    };
    match pairs.pairing {
        Pairing::Any(reason) => classify_without_body(from, to, reason),
        Pairing::Into => {
            let all = from.iter().flat_map(|a| to.iter().map(|b| known(a, b)));
            all.reduce(|a, b| a.zip(b, Answer::or)).unwrap_or(Changes::unknown(Reason::NoOperand))
        }
        Pairing::OneByOne if from.len() == to.len() => {
            let all = from.iter().zip(to).map(|(a, b)| known(a, b)).reduce(|a, b| a.zip(b, Answer::or));
            let mut all = all.unwrap_or(Changes::unknown(Reason::NoOperand));
            if let (Some(whole), [to]) = (pairs.whole.and_then(Shape::as_array), to) {
                all.0[Change::Shape as usize] = Answer::from(whole.dims != to.dims);
            }
            all
        }
        Pairing::OneByOne => Changes::unknown(Reason::Unpaired),
    }
}

/// Classifies an op whose body is unknown: an answer holds only if it is the same for every combination of input and
/// output.
fn classify_without_body(from: &[&ArrayShape], to: &[&ArrayShape], reason: Reason) -> Changes {
    // Data is in main memory, in VMEM or in the host's memory. The other spaces hold flags and semaphores.
    let is_data = |a: &ArrayShape| !a.dims.is_empty() && matches!(a.memory_space(), 0 | 1 | 5);
    let large = |arrays: &[&ArrayShape]| arrays.iter().any(|a| is_data(a));
    let keep = |a: &&&ArrayShape, some: bool| !some || is_data(a);
    let (some_from, some_to) = (large(from), large(to));
    let pairs = from.iter().filter(|a| keep(a, some_from)).flat_map(|a| {
        to.iter().filter(|b| keep(b, some_to)).map(|b| {
            // Equal dimensions of distinct sizes can be distinguished. Dimensions of the same size may have changed
            // places in the body.
            let same_dims = a.dims == b.dims && distinct(&a.dims);
            let map: Map = (0..b.dims.len()).map(Some).collect();
            let order = if same_dims { order(a, b, Some(&map), false) } else { Answer::Undetectable(reason) };
            pair("", a, b, order)
        })
    });
    let all = pairs.reduce(|a, b| a.zip(b, Answer::and_also)).unwrap_or(Changes::unknown(Reason::NoOperand));
    // Answers that differ between operands are unknown for the same reason as the body.
    Changes(all.0.map(|answer| match answer {
        Answer::Undetectable(Reason::Body) => Answer::Undetectable(reason),
        other => other,
    }))
}

fn distinct(dims: &[u64]) -> bool {
    let mut large: Vec<u64> = dims.iter().copied().filter(|n| *n != 1).collect();
    large.sort_unstable();
    large.windows(2).all(|two| two[0] != two[1])
}

fn pair(opcode: &str, from: &ArrayShape, to: &ArrayShape, order: Answer) -> Changes {
    // A bitcast reads the same bytes with another shape. If its layouts differ, nothing has moved.
    let stays = opcode == "bitcast";
    let placed = |a: &ArrayShape| a.dims.is_empty() || a.layout.is_some();
    let by_layout = |differs: bool| {
        if placed(from) && placed(to) { Answer::from(differs) } else { Answer::Undetectable(Reason::NoLayout) }
    };
    let tiles = |a: &ArrayShape| a.layout.as_ref().map_or((Vec::new(), 0), |l| (l.tiles.clone(), l.element_bits));
    // A single element has no order in memory, whatever its tile.
    let scalar = from.dims.is_empty() || to.dims.is_empty();
    Changes([
        Answer::from(from.dtype != to.dtype),
        if stays { Answer::No } else { order },
        if stays || scalar { Answer::No } else { by_layout(tiles(from) != tiles(to)) },
        by_layout(from.memory_space() != to.memory_space()),
        Answer::from(from.dims != to.dims),
    ])
}

fn bytes(instruction: &Instruction, pairs: &OperandPairs<'_>, from: &[&ArrayShape], to: &[&ArrayShape]) -> Option<u64> {
    let sum = |arrays: &[&ArrayShape]| arrays.iter().try_fold(0_u64, |n, a| n.checked_add(a.bytes()?));
    let opcode = &*instruction.opcode;
    if is_start(opcode) || opcode == "async-update" || matches!(pairs.pairing, Pairing::Any(_)) {
        return None;
    }
    match opcode {
        // These ops only refer to existing data.
        "bitcast" | "tuple" | "get-tuple-element" => Some(0),
        "slice" | "dynamic-slice" | "gather" | "reverse" => sum(to)?.checked_mul(2),
        "dynamic-update-slice" | "scatter" => sum(from)?.checked_mul(2),
        _ => sum(from)?.checked_add(sum(to)?),
    }
}

fn text(shapes: &[&Shape]) -> Option<String> {
    let texts: Vec<String> = shapes.iter().map(ToString::to_string).collect();
    (!texts.is_empty()).then(|| texts.join(", "))
}
