//! This module ends the steps of a device where a cut file ends. The rest of a step is not in the file, so it is neither idle
//! nor lost.
//!
//! ```text
//!  Steps     ├──── 0 ────┤├──── 1 ────┤├──── 2 ────┤
//!  XLA Ops   ▪▪▪▪▪▪▪▪▪▪▪▪▪ ▪▪▪▪▪╳ the file ends here
//!  windows   ├──── 0 ────┤├─ 1 ─┤                        step 2 is left out
//! ```

use super::device::{Clock, Device, StepBasis, intervals};
use crate::table::format::{counted, time_text};
use xla_profile::profile::{Line, Note, NoteCode, Plane, Severity};
use xla_profile::units::Picos;

/// Returns the end of the last op before the end of a cut file, on `clock`. `None` if no op line lacks events.
fn last_op_end(plane: &Plane, device: &Device, clock: Clock) -> Option<u64> {
    let end = |line: &Line| intervals(line, clock)?.into_iter().map(|(_, end)| end).max();
    let lines = device.ops.iter().map(|index| &plane.lines[*index]);
    lines.filter(|line| line.is_cut).filter_map(end).max()
}

/// Ends the steps of `device` at the end of its file, if the file is cut within an op line, and sets [`Device::file_end`].
/// Steps after the end are left out. Returns a note if a step changes.
pub(super) fn end_steps(plane: &Plane, device: &mut Device) -> Option<Note> {
    let end = last_op_end(plane, device, device.step_clock)?;
    let event_end = last_op_end(plane, device, device.event_clock)?;
    device.file_end = Some(event_end);
    let n_before = device.steps.len();
    device.steps.retain(|step| step.window.0 < end);
    let n_after = (n_before - device.steps.len()) as u64;
    if device.steps.is_empty() {
        device.basis = StepBasis::None;
    }
    let mut sentence = String::new();
    for step in device.steps.iter_mut().filter(|step| step.window.1 > end) {
        step.not_in_file = Picos(step.window.1 - end);
        step.has_period = false;
        step.window.1 = end;
        step.event_window.1 = event_end.clamp(step.event_window.0, step.event_window.1);
        sentence = format!(
            "The file ends within step {}, after {}: {} of the step are not in the file, and count as neither idle nor lost.",
            step.number,
            time_text(step.length()),
            time_text(step.not_in_file)
        );
    }
    if n_after > 0 {
        let before = if sentence.is_empty() { "The file ends before the last step." } else { &sentence };
        sentence = format!(
            "{before} {} after it {} no ops in the file.",
            counted(n_after, "step", "steps"),
            if n_after == 1 { "has" } else { "have" }
        );
    }
    (!sentence.is_empty()).then(|| Note::new(Severity::Caution, NoteCode::StepNotInFile, sentence))
}
