//! This module describes an op in one plain sentence. The sentence contains only facts from the HLO. The module does
//! not depend on times.

use super::description_fusion::fusion;
use super::report::{Change, ValueChange};
use super::shape_text::{groups, shape};
use super::trip_count::loop_trip_count;
use super::values::{memory, value_changes};
use crate::analysis::base::instruction_ref::InstructionRef;
use xla_profile::hlo::{ArrayShape, Shape, opcode};

/// Returns the sentence, without a full stop.
pub(in crate::analysis) fn describe(inst: InstructionRef<'_>) -> String {
    let code = inst.opcode();
    let (before, worker) = match opcode::base(code) {
        base if base == code => ("", inst),
        _ if code.ends_with("-start") => ("start of ", inst.worker()),
        _ if code.ends_with("-done") => ("wait for ", inst.worker()),
        _ => ("progress of ", inst.worker()),
    };
    // A half whose other half is unknown is described by its own opcode.
    let verb = if matches!(worker.opcode(), "async-start" | "async-update" | "async-done") {
        format!("{} → {}", worker.opcode(), shape(&inst.instruction.shape))
    } else {
        format!("{before}{}", plain(worker))
    };
    format!("{verb}{}", result_place(inst))
}

/// Names the memory space of the result, if it is not the main memory. Descriptions of copies contain it already.
fn result_place(inst: InstructionRef<'_>) -> String {
    let array = match &inst.instruction.shape {
        Shape::Array(array) => Some(array),
        _ => None,
    };
    let space = array.map_or(0, ArrayShape::memory_space);
    match memory(space, inst.tpu) {
        Some(words) if space != 0 && inst.moved().is_none() => format!(", result in {words}"),
        _ => String::new(),
    }
}

fn plain(inst: InstructionRef<'_>) -> String {
    let result = &inst.instruction.shape;
    let code = inst.opcode();
    let base = opcode::base(code);
    if opcode::is_collective(code) {
        return collective(inst, base);
    }
    match code {
        "dot" | "convolution" => super::description_fusion::matmul(inst),
        "fusion" => fusion(inst),
        "copy" | "copy-start" | "copy-done" | "transpose" | "convert" | "reshape" | "bitcast" | "bitcast-convert" => {
            moved(inst, base)
        }
        "parameter" => match inst.instruction.parameter_number() {
            Some(number) => format!("parameter {number} of {}: {}", computation(inst), shape(result)),
            None => format!("parameter: {}", shape(result)),
        },
        "constant" => match &inst.instruction.argument {
            Some(value) if value.len() <= 24 && !value.starts_with("{...") => {
                format!("constant {value}: {}", shape(result))
            }
            _ => format!("constant: {}", shape(result)),
        },
        "get-tuple-element" => {
            let tuple = inst.instruction.operands.first().map_or("its operand", |o| &*o.name);
            let index = inst.instruction.text("index").unwrap_or("?");
            format!("element {index} of {tuple}: {}", shape(result))
        }
        "while" => {
            let trips = loop_trip_count(inst).map(|n| format!(", {n} times")).unwrap_or_default();
            let body = inst.instruction.call("body").map(|c| format!(" over {}", c.name)).unwrap_or_default();
            format!("loop{body}{trips}")
        }
        "conditional" => format!("one of {} branches → {}", inst.instruction.calls().count(), shape(result)),
        "call" => {
            let called = inst.instruction.calls().next().map(|c| format!(" of {}", c.name)).unwrap_or_default();
            format!("call{called} → {}", shape(result))
        }
        "custom-call" => {
            let target = inst.instruction.custom_call_target().unwrap_or("an unnamed target");
            format!("custom call to {target} → {}", shape(result))
        }
        "reduce" | "sort" | "gather" | "slice" | "dynamic-slice" | "pad" | "broadcast" => {
            let from = inst.operand_shape(0).map(|s| format!(" of {}", shape(s))).unwrap_or_default();
            format!("{code}{from} → {}", shape(result))
        }
        "scatter" | "dynamic-update-slice" => {
            let update = if code == "scatter" { 2 } else { 1 };
            let update = inst.operand_shape(update).map(|s| format!(" of {}", shape(s))).unwrap_or_default();
            format!("{code}{update} into {}", shape(result))
        }
        _ => format!("{code} → {}", shape(result)),
    }
}

/// Describes an op that moves data: `copy of f32[8,128], HBM → VMEM`.
fn moved(inst: InstructionRef<'_>, verb: &str) -> String {
    let Some((from, _)) = inst.moved() else { return format!("{verb} → {}", shape(&inst.instruction.shape)) };
    let change = |r: &ValueChange| match r.change {
        Change::Tiling => ", other tiles".to_owned(),
        _ => format!(", {}", r.words),
    };
    let changes: String = value_changes(inst).iter().map(change).collect();
    format!("{verb} of {}{changes}", Shape::Array(from.clone()).without_layout())
}

fn collective(inst: InstructionRef<'_>, base: &str) -> String {
    let shapes: Vec<&Shape> = inst.operand_shapes().collect();
    let payload = match shapes.as_slice() {
        // The operand of a done is its start, whose shape contains more than the message.
        _ if opcode::is_done(inst.opcode()) => shape(&inst.instruction.shape),
        [] => shape(&inst.instruction.shape),
        [one] => shape(one),
        [first, second] => format!("{} and {}", shape(first), shape(second)),
        [first, ..] => format!("{} arrays, the first {}", shapes.len(), shape(first)),
    };
    let over = inst.instruction.replica_groups().map(groups).unwrap_or_default();
    format!("{base} of {payload}{over}")
}

/// Returns the name of the computation that contains an instruction.
fn computation(inst: InstructionRef<'_>) -> &str {
    let computation = inst.module.and_then(|(module, _)| module.computation(inst.instruction.computation?));
    computation.map_or("its computation", |c| &c.name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use xla_profile::hlo::text::instruction;

    fn words_of(text: &str) -> String {
        let parsed = instruction(text).unwrap();
        describe(InstructionRef { instruction: &parsed.instruction, module: None, tpu: true })
    }

    /// Texts of events of a v5p capture. The computations that they call are unknown.
    #[test]
    fn texts_alone() {
        let all = [
            (
                "%fusion.635 = bf16[512,7168]{1,0:T(8,128)(2,1)} fusion(bf16[2048,7168]{1,0:T(8,128)(2,1)} %get-tuple-element.1182), kind=kCustom, calls=%all-reduce-scatter.clone",
                "custom fusion of 1 array → bf16[512,7168]",
            ),
            (
                "%all-gather.277 = bf16[1,2048,16,128]{1,3,2,0:T(8,128)(2,1)} all-gather(bf16[1,512,16,128]{1,3,2,0:T(8,128)(2,1)} %fusion.522), channel_id=91, replica_groups=[1,4]<=[4], dimensions={1}, use_global_device_ids=true",
                "all-gather of bf16[1,512,16,128] over one group of 4",
            ),
            (
                "%all-to-all = bf16[4,1,2048,512]{3,2,1,0:T(8,128)(2,1)} all-to-all(bf16[4,1,2048,512]{3,2,1,0:T(8,128)(2,1)} %bitcast.905), channel_id=5, replica_groups={{0,1},{2,3}}, dimensions={0}",
                "all-to-all of bf16[4,1,2048,512] over 2 groups of 2",
            ),
            (
                "%copy.488 = f32[1,512,7168]{2,0,1:T(1,128)} copy(f32[1,512,7168]{2,1,0:T(8,128)} %fusion.636)",
                "copy of f32[1,512,7168], {2,1,0} → {2,0,1}, other tiles",
            ),
            (
                "%copy-start.30 = (bf16[1,2048]{1,0:T(8,128)(2,1)S(1)}, bf16[1,2048]{1,0:T(8,128)(2,1)}, u32[]{:S(2)}) copy-start(bf16[1,2048]{1,0:T(8,128)(2,1)} %get-tuple-element.1167)",
                "start of copy of bf16[1,2048], HBM → VMEM",
            ),
            (
                "%dynamic-update-slice.33 = f32[16,7168,512]{2,0,1:T(8,128)} dynamic-update-slice(f32[16,7168,512]{2,0,1:T(8,128)} %get-tuple-element.1342, f32[1,7168,512]{2,0,1:T(1,128)} %copy.490, s32[]{:T(128)S(6)} %select.145)",
                "dynamic-update-slice of f32[1,7168,512] into f32[16,7168,512]",
            ),
            (
                "%collective-permute-done.2 = bf16[4,8]{1,0:S(1)} collective-permute-done((bf16[4,8]{1,0}, bf16[4,8]{1,0:S(1)}) %collective-permute-start.2)",
                "wait for collective-permute of bf16[4,8], result in VMEM",
            ),
            ("%log.5 = f32[2048]{0:T(1024)} log(f32[2048]{0:T(1024)} %fusion.327)", "log → f32[2048]"),
            ("%g = f32[2]{0} get-tuple-element((f32[2]{0}, s32[]) %while.1), index=0", "element 0 of while.1: f32[2]"),
            ("%p.1 = f32[2]{0} parameter(3)", "parameter 3 of its computation: f32[2]"),
        ];
        for (text, words) in all {
            assert_eq!(words_of(text), words);
        }
    }

    #[test]
    fn malformed_instructions_have_words() {
        for text in
            ["%a = () while()", "%f = f32[] fusion(), calls=%f", "%d = f32[] copy-done()", "%c = (f32[]) copy-start()"]
        {
            assert!(!words_of(text).is_empty());
        }
    }
}
