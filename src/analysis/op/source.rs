//! This module finds the source location of an op: from its events, else from its program.

use super::report::{OpSource, SourceLine};
use crate::analysis::base::instruction_ref::InstructionRef;
use crate::analysis::classify::PlaneFacts;
use xla_profile::hlo::SourceFrame;
use xla_profile::profile::{Op, Profile};

pub(crate) fn source(profile: &Profile, op: Option<(&Op, &PlaneFacts)>, inst: Option<InstructionRef<'_>>) -> OpSource {
    let mut source = OpSource::default();
    let mut frames: Vec<String> = Vec::new();
    if let Some((op, facts)) = op {
        source.innermost = facts.source_inner(profile, op).map(str::to_owned);
        source.tf_op = op.stats.tf_op.map(|id| profile.text(id).to_owned());
        frames = facts.source_stack(profile, op).into_iter().map(str::to_owned).collect();
    }
    if let Some(inst) = inst {
        let of_program = inst.module.map(|(module, id)| module.stack(id)).unwrap_or_default();
        // A single frame is no stack, so a longer stack from the program replaces it.
        if of_program.len() > frames.len() && frames.len() < 2 {
            source.from_hlo = true;
            frames = of_program.iter().map(line).collect();
            source.innermost = source.innermost.or_else(|| of_program.first().map(frame_text));
        }
        if source.tf_op.is_none() && !inst.instruction.op_name().is_empty() {
            source.from_hlo = true;
            source.tf_op = Some(inst.instruction.op_name().to_owned());
        }
    }
    let lines = frames.into_iter().enumerate();
    source.stack = lines.map(|(i, text)| SourceLine { text, innermost: i == 0 }).collect();
    source
}

/// Writes `file:line`.
fn frame_text(frame: &SourceFrame<'_>) -> String {
    if frame.line > 0 { format!("{}:{}", frame.file, frame.line) } else { frame.file.to_owned() }
}

/// Writes `file:line:column [function]`, the form of events.
fn line(frame: &SourceFrame<'_>) -> String {
    let column = if frame.column > 0 { format!(":{}", frame.column) } else { String::new() };
    let function = if frame.function.is_empty() { String::new() } else { format!(" [{}]", frame.function) };
    format!("{}{column}{function}", frame_text(frame))
}
