//! What steps are made of, as communication sees it: compute, compute with something in flight, waiting for it, the rest. Knows
//! sums of steps; the chart is `chart::steps`.

use crate::analysis::comm::{Overlap, StepComm};
use crate::analysis::{Kind, StepChoice};
use crate::chart::paint::{Paint, Tone};
use crate::chart::slot::Slot;
use crate::chart::steps::{Part, Step};
use crate::engine::comm_place::Of;
use crate::units::Picos;

/// Their parts, from the bottom.
pub fn parts(of: Of) -> [Part; 4] {
    let compute = Paint::fill(Tone::Kind(Slot::Kind(Kind::Compute)));
    let waits = Paint::slot(Slot::Kind(kind(of)));
    let label = if of == Of::Copies { "Waiting for copies" } else { "Exposed communication" };
    [
        Part { label: "Compute alone", paint: compute },
        Part { label: "Compute, overlapped", paint: waits.faded(0.4) },
        Part { label, paint: waits },
        Part { label: "Other and idle", paint: Paint::slot(Slot::Kind(Kind::Other)) },
    ]
}

/// The kind of time that is told of.
pub const fn kind(of: Of) -> Kind {
    match of {
        Of::Collectives => Kind::Communication,
        Of::Copies => Kind::DataMovement,
    }
}

const fn overlap(step: &StepComm, of: Of) -> Overlap {
    match of {
        Of::Collectives => step.collectives,
        Of::Copies => step.copies,
    }
}

/// Steps as bars. compute + exposed + the rest = the step: what is exposed lies where nothing is computed.
pub fn bars(steps: &[StepComm], of: Of) -> Vec<Step> {
    let one = |step: &StepComm| {
        let Overlap { exposed, overlapped, .. } = overlap(step, of);
        let less = |a: Picos, b: Picos| Picos(a.0.saturating_sub(b.0));
        let rest = less(less(step.duration, step.compute_busy), exposed);
        let parts = vec![less(step.compute_busy, overlapped), overlapped, exposed, rest];
        Step { name: step.number.to_string(), duration: step.duration, parts, spread: None }
    };
    steps.iter().map(one).collect()
}

/// Which bar is the step chosen.
pub fn place(steps: &[StepComm], chosen: StepChoice, shown: &str) -> Option<u32> {
    let number = match chosen {
        StepChoice::Number(number) => number,
        StepChoice::All => return None,
        StepChoice::Busiest => shown.parse().ok()?,
    };
    steps.iter().position(|step| step.number == number).and_then(|at| u32::try_from(at).ok())
}
