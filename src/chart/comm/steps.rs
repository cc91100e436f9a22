//! This module divides steps into parts for the communication view: compute, compute with a transfer in flight, a
//! transfer in flight without compute, and the core's activity in the remaining time. This module works on sums of
//! steps; the chart is `chart::plot::steps`.

use crate::analysis::base::StepChoice;
use crate::analysis::classify::Kind;
use crate::analysis::comm::{Overlap, Remainder, StepComm};
use crate::chart::plot::paint::{Paint, Tone};
use crate::chart::plot::step::{Step, StepPart};
use crate::chart::plot::time_part::TimePart;
use crate::protocol::url::comm::CommRows;

/// Returns the parts of a bar, from the bottom. With `split`, the remaining time is divided into activities instead of
/// one part "Other, idle".
pub fn parts(rows: CommRows, split: bool) -> Vec<StepPart> {
    let paint = |kind| Paint::time_part(TimePart::Kind(kind));
    let compute = Paint::fill(Tone::Kind(TimePart::Kind(Kind::Compute)));
    let waits = paint(kind(rows));
    let exposed = if rows == CommRows::Copies { "Exposed copies" } else { "Exposed communication" };
    let mut parts = vec![
        StepPart { label: "Compute alone", paint: compute },
        StepPart { label: "Compute, overlapped", paint: waits.faded(0.4) },
        StepPart { label: exposed, paint: waits },
    ];
    if split {
        parts.extend(
            match rows {
                CommRows::Collectives => [("Data movement", paint(Kind::DataMovement)), ("Other", paint(Kind::Other))],
                CommRows::Copies => [
                    ("Other data movement", paint(Kind::DataMovement).faded(0.7)),
                    ("Communication, other", paint(Kind::Communication)),
                ],
            }
            .map(|(label, paint)| StepPart { label, paint }),
        );
        parts.push(StepPart { label: TimePart::Idle.label(), paint: Paint::time_part(TimePart::Idle) });
    } else {
        parts.push(StepPart { label: "Other, idle", paint: paint(Kind::Other) });
    }
    parts
}

/// Returns true if the activity in the remaining time is known for all steps. A shared report does not carry it.
pub fn is_split(steps: &[StepComm], rows: CommRows) -> bool {
    steps.iter().all(|step| remainder(step, rows).is_some())
}

const fn remainder(step: &StepComm, rows: CommRows) -> Option<Remainder> {
    match rows {
        CommRows::Collectives => step.beside_collectives,
        CommRows::Copies => step.beside_copies,
    }
}

/// Returns the kind of time of collectives or of copies.
pub const fn kind(rows: CommRows) -> Kind {
    match rows {
        CommRows::Collectives => Kind::Communication,
        CommRows::Copies => Kind::DataMovement,
    }
}

const fn overlap(step: &StepComm, rows: CommRows) -> Overlap {
    match rows {
        CommRows::Collectives => step.collectives,
        CommRows::Copies => step.copies,
    }
}

/// Returns one bar per step, with the parts of [`parts`]. Compute + exposed + the remaining time = the step, because
/// nothing is computed during exposed time.
pub fn bars(steps: &[StepComm], rows: CommRows) -> Vec<Step> {
    let split = is_split(steps, rows);
    let one = |step: &StepComm| {
        let Overlap { exposed, overlapped, .. } = overlap(step, rows);
        let mut parts = vec![step.compute_busy.saturating_sub(overlapped), overlapped, exposed];
        match remainder(step, rows).filter(|_| split) {
            Some(Remainder { data_movement, communication, other, idle }) => {
                parts.extend([data_movement, communication + other, idle]);
            }
            None => parts.push(step.duration.saturating_sub(step.compute_busy).saturating_sub(exposed)),
        }
        Step { name: step.number.to_string(), duration: step.duration, parts, ..Step::default() }
    };
    steps.iter().map(one).collect()
}

/// Returns the index of the bar of the selected step. `shown` is the step in the header of the report, for a selection
/// of the busiest step. `None` for all steps.
pub fn step_index(steps: &[StepComm], chosen: StepChoice, shown: &str) -> Option<u32> {
    let number = match chosen {
        StepChoice::Number(number) => number,
        StepChoice::All | StepChoice::Range(_) => return None,
        StepChoice::Mean | StepChoice::Kind(_) | StepChoice::Busiest => shown.parse().ok()?,
    };
    steps.iter().position(|step| step.number == number).and_then(|index| u32::try_from(index).ok())
}
