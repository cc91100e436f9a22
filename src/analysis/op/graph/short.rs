//! This module describes an instruction in a few words: the sentence of the op panel, without the parts that the
//! drawing shows.

use crate::analysis::base::instruction_ref::InstructionRef;
use crate::analysis::op::description;

/// Returns a short description: "matmul fused with gelu", "wait for copy", "loop, 16 times".
pub(crate) fn describe(inst: InstructionRef<'_>) -> String {
    let all = description::describe(inst);
    let (before, what) = ["start of ", "wait for ", "progress of "]
        .iter()
        .find_map(|b| Some((*b, all.strip_prefix(b)?)))
        .unwrap_or_default();
    let what = if before.is_empty() { all.as_str() } else { what };
    if what.starts_with("one of ") {
        return what.split('→').next().unwrap_or(what).trim_end().to_owned();
    }
    // Arrays are shown in the line below and at the edges; device groups and memory spaces in the op panel.
    let end =
        [" → ", " of ", ": ", " over ", " along ", ", result in ", " ["].iter().filter_map(|s| what.find(s)).min();
    let head = &what[..end.unwrap_or(what.len())];
    let mut short = String::from(before);
    short.push_str(head);
    let rest = &what[head.len()..];
    for (from, to) in [(" fused with ", ", result in "), (", ", "")] {
        let repeats = from != ", " || head == "loop";
        if let Some((_, tail)) = rest.split_once(from).filter(|_| repeats) {
            short.push_str(from);
            short.push_str(if to.is_empty() { tail } else { tail.split(to).next().unwrap_or(tail) });
            break;
        }
    }
    // "fusion of slice, negate": the text after "fusion of" is the description.
    if short == "fusion" {
        let operand = rest.trim_start_matches(" of ").split(" → ").next().unwrap_or_default();
        if !operand.is_empty() && !operand.ends_with("array") && !operand.ends_with("arrays") {
            return operand.to_owned();
        }
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;
    use xla_profile::hlo::text::instruction;

    #[test]
    fn few_words() {
        let all = [
            ("%f = bf16[512]{0} fusion(bf16[2048]{0} %g), kind=kCustom, calls=%c", "custom fusion"),
            ("%a = bf16[4]{0} all-gather(bf16[1]{0} %f), replica_groups=[1,4]<=[4], dimensions={1}", "all-gather"),
            ("%c = f32[1,2]{0,1:T(1,128)} copy(f32[1,2]{1,0:T(8,128)} %f)", "copy"),
            ("%g = f32[2]{0} get-tuple-element((f32[2]{0}, s32[]) %while.1), index=0", "element 0"),
            ("%p.1 = f32[2]{0} parameter(3)", "parameter 3"),
            ("%k = f32[] constant(0.5)", "constant 0.5"),
            ("%l = f32[2]{0} log(f32[2]{0} %x)", "log"),
            ("%w = (s32[]) while((s32[]) %t), condition=%c, body=%b", "loop"),
            (
                "%d = bf16[4]{0:S(1)} collective-permute-done((bf16[4]{0}, bf16[4]{0}) %s)",
                "wait for collective-permute",
            ),
            ("%s = bf16[4]{0:S(1)} slice(bf16[8]{0} %s)", "slice"),
        ];
        for (text, short) in all {
            let parsed = instruction(text).unwrap();
            assert_eq!(describe(InstructionRef { instruction: &parsed.instruction, module: None, tpu: true }), short);
        }
    }
}
