//! Each step's sums: in flight, exposed and overlapped, computed, idle. Knows cores and steps; knows no rows.

use super::bucket::overlap;
use super::interval::Merged;
use super::report::{Overlap, StepComm};
use super::side::Side;
use crate::analysis::breakdown::Analysis;
use crate::analysis::sweep::Interval;
use crate::keyed::Keyed;
use crate::sorted;
use crate::units::Picos;

/// A traffic of a core, merged once for all steps.
struct Lists {
    flying: Merged,
    waits: Merged,
}

impl Lists {
    fn new(side: &Side<'_>, copies: bool) -> Self {
        let is = |link: u32| side.links.all[link as usize].is_copy == copies;
        let flying = side.flight.spans.iter().filter(|span| is(span.link)).map(|span| span.at).collect();
        let waits = side.flight.waits.iter().filter(|(_, link)| is(*link)).map(|(at, _)| *at).collect();
        Self { flying: Merged::new(flying), waits: Merged::new(waits) }
    }

    fn within(&self, window: Interval, compute: &Merged) -> Overlap {
        let waited = Picos(self.waits.length_in(window));
        Overlap { waited, ..overlap(&self.flying, compute, window) }
    }
}

impl Analysis {
    /// All steps of the devices whose own cores are given, summed by number.
    pub(super) fn comm_steps(&self, sides: &[Side<'_>]) -> Vec<StepComm> {
        let mut steps: Keyed<u64, StepComm> = Keyed::default();
        for side in sides {
            let (collectives, copies) = (Lists::new(side, false), Lists::new(side, true));
            let device = &self.devices[side.device];
            for step in &device.steps {
                let window = step.on(side.flight.clock, device);
                let duration = window.1 - window.0;
                let sum = steps.entry(step.number, || StepComm { number: step.number, ..StepComm::default() });
                sum.duration += Picos(duration);
                sum.compute_busy += Picos(side.flight.compute.length_in(window));
                sum.idle += Picos(duration.saturating_sub(side.flight.busy.length_in(window)));
                sum.collectives.add(&collectives.within(window, &side.flight.compute));
                sum.copies.add(&copies.within(window, &side.flight.compute));
            }
        }
        let mut steps: Vec<StepComm> = steps.into_entries().into_iter().map(|(_, step)| step).collect();
        sorted::sort_by_key(&mut steps, |step| step.number);
        steps
    }
}
