//! This module finds the trip count of a loop: the count that the compiler noted, else a count from the loop itself, if
//! its counter starts, steps and ends at constants.
//!
//! ```text
//!  condition   ROOT compare(element k, constant 16), direction=LT
//!  body        element k of the result = add(element k, constant 1)        16 iterations
//!  start       element k = constant 0
//! ```
//!
//! The trip count of other loops is unknown.

use crate::analysis::base::instruction_ref::InstructionRef;
use crate::analysis::classify::layer::trip_count;
use xla_profile::hlo::ComputationId;

/// Returns the trip count of a `while`. `None` if it is unknown.
pub(crate) fn loop_trip_count(inst: InstructionRef<'_>) -> Option<u64> {
    let noted = inst.instruction.backend_config().and_then(trip_count);
    noted.or_else(|| if inst.opcode() == "while" { counted(inst) } else { None })
}

fn counted(inst: InstructionRef<'_>) -> Option<u64> {
    let compare = root(inst, inst.instruction.call("condition")?.id?)?;
    let (left, end) = (compare.operand(0)?, constant(compare.operand(1)?)?);
    if compare.opcode() != "compare" || compare.instruction.text("direction") != Some("LT") {
        return None;
    }
    let k = element(left)?;
    let next = root(inst, inst.instruction.call("body")?.id?)?.element_of_tuple(k)?.copy_source();
    let (a, b) = (next.operand(0)?, next.operand(1)?);
    if next.opcode() != "add" {
        return None;
    }
    let step = match (element(a), element(b)) {
        (Some(operand), _) if operand == k => constant(b)?,
        (_, Some(operand)) if operand == k => constant(a)?,
        _ => return None,
    };
    let start = constant(inst.operand(0)?.copy_source().element_of_tuple(k)?)?;
    let (distance, step) = (end.checked_sub(start)?, u64::try_from(step).ok().filter(|step| *step > 0)?);
    Some(u64::try_from(distance).unwrap_or(0).div_ceil(step))
}

fn root(inst: InstructionRef<'_>, computation: ComputationId) -> Option<InstructionRef<'_>> {
    inst.sibling(inst.module?.0.computation(computation)?.root?)
}

/// Returns the index of the element of the loop's state that an instruction reads.
fn element(inst: InstructionRef<'_>) -> Option<usize> {
    let inst = inst.copy_source();
    let of_state = inst.opcode() == "get-tuple-element" && inst.operand(0)?.opcode() == "parameter";
    if of_state { inst.instruction.text("index")?.parse().ok() } else { None }
}

/// Returns the value of an integer constant.
fn constant(inst: InstructionRef<'_>) -> Option<i64> {
    let inst = inst.copy_source();
    if inst.opcode() == "constant" { inst.instruction.argument.as_ref()?.trim().parse().ok() } else { None }
}

impl<'a> InstructionRef<'a> {
    /// Follows copies and bitcasts back to their source, through at most 8 of them.
    fn copy_source(self) -> Self {
        let mut value = self;
        for _ in 0..8 {
            match value.operand(0) {
                Some(from) if matches!(value.opcode(), "copy" | "bitcast" | "copy-done" | "copy-start") => value = from,
                _ => break,
            }
        }
        value
    }

    fn element_of_tuple(self, k: usize) -> Option<InstructionRef<'a>> {
        if self.opcode() == "tuple" { self.operand(k) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xla_profile::hlo::text::module;

    const LOOP: &str = "HloModule m

%cond (p: (f32[], s32[])) -> pred[] {
  %p = (f32[], s32[]) parameter(0)
  %i = s32[] get-tuple-element(%p), index=1
  %n = s32[] constant(16)
  ROOT %lt = pred[] compare(%i, %n), direction=LT
}

%body (q: (f32[], s32[])) -> (f32[], s32[]) {
  %q = (f32[], s32[]) parameter(0)
  %x = f32[] get-tuple-element(%q), index=0
  %j = s32[] get-tuple-element(%q), index=1
  %one = s32[] constant(3)
  %next = s32[] add(%one, %j)
  %moved = s32[] copy(%next)
  ROOT %t = (f32[], s32[]) tuple(%x, %moved)
}

ENTRY %main (a: f32[]) -> (f32[], s32[]) {
  %a = f32[] parameter(0)
  %zero = s32[] constant(1)
  %start = (f32[], s32[]) tuple(%a, %zero)
  ROOT %w = (f32[], s32[]) while(%start), condition=%cond, body=%body
}
";

    #[test]
    fn loops_that_plainly_count() {
        let trips = |text: &str| {
            let (module, _) = module(text).unwrap();
            loop_trip_count(InstructionRef::within(&module, module.instruction_named("w").unwrap(), true).unwrap())
        };
        assert_eq!(trips(LOOP), Some(5), "1, 4, 7, 10, 13");
        assert_eq!(trips(&LOOP.replace("constant(16)", "constant(0)")), Some(0));
        assert_eq!(trips(&LOOP.replace("direction=LT", "direction=NE")), None);
        assert_eq!(trips(&LOOP.replace("constant(3)", "constant(0)")), None, "no end");
        assert_eq!(trips(&LOOP.replace("copy(%next)", "negate(%next)")), None);
        assert_eq!(trips(&LOOP.replace("constant(16)", "constant({...})")), None);
        let noted = "condition=%cond, body=%body, backend_config={\"known_trip_count\":{\"n\":\"7\"}}";
        assert_eq!(trips(&LOOP.replace("condition=%cond, body=%body", noted)), Some(7));
    }
}
