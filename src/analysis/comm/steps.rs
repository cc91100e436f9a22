//! Each step's sums: in flight, exposed and overlapped, computed, what is done in the rest of it. This module knows cores and steps; it knows no rows.

use super::accumulator::overlap;
use super::async_spans::CoreTimeline;
use super::core::CoreWindow;
use super::interval::Merged;
use super::report::{Overlap, Remainder, StepComm};
use crate::analysis::base::{Analysis, Interval};
use crate::small_sort::SmallSort;
use crate::units::Picos;
use indexmap::IndexMap;

/// A traffic of a core, merged once for all steps.
struct Lists {
    flying: Merged,
    waits: Merged,
    /// Compute, and what is in flight.
    covered: Merged,
    /// That, and whatever runs.
    used: Merged,
}

impl Lists {
    fn new(side: &CoreWindow<'_>, copies: bool) -> Self {
        let is = |link: u32| side.links.all[link as usize].is_copy == copies;
        let flying = side.flight.spans.iter().filter(|span| is(span.link)).map(|span| span.at).collect();
        let waits = side.flight.waits.iter().filter(|(_, link)| is(*link)).map(|(at, _)| *at).collect();
        let flying = Merged::new(flying);
        let covered = flying.union(&side.flight.compute);
        let used = covered.union(&side.flight.busy);
        Self { flying, waits: Merged::new(waits), covered, used }
    }

    /// What is done in a window while nothing is computed or in flight.
    fn beside(&self, window: Interval, flight: &CoreTimeline) -> Remainder {
        let outside = |of: &Merged| Picos(of.length_in(window).saturating_sub(of.length_with(&self.covered, window)));
        let rest = Picos((window.1 - window.0).saturating_sub(self.covered.length_in(window)));
        let idle = Picos((window.1 - window.0).saturating_sub(self.used.length_in(window)));
        // On several lines the two may go on at once: none counts more time than there is.
        let busy = rest.saturating_sub(idle);
        let data_movement = outside(&flight.moving).min(busy);
        let communication = outside(&flight.communicating).min(busy.saturating_sub(data_movement));
        let other = busy.saturating_sub(data_movement + communication);
        Remainder { data_movement, communication, other, idle }
    }

    fn within(&self, window: Interval, compute: &Merged) -> Overlap {
        let waited = Picos(self.waits.length_in(window));
        Overlap { waited, ..overlap(&self.flying, compute, window) }
    }
}

impl Analysis {
    /// All steps of the devices whose own cores are given, summed by number.
    pub(super) fn comm_steps(&self, sides: &[CoreWindow<'_>]) -> Vec<StepComm> {
        let mut steps: IndexMap<u64, StepComm> = IndexMap::default();
        for side in sides {
            let (collectives, copies) = (Lists::new(side, false), Lists::new(side, true));
            let device = &self.devices[side.device];
            for step in &device.steps {
                let window = step.on(side.flight.clock, device);
                let duration = window.1 - window.0;
                let sum =
                    steps.entry(step.number).or_insert_with(|| StepComm { number: step.number, ..StepComm::default() });
                sum.duration += Picos(duration);
                sum.compute_busy += Picos(side.flight.compute.length_in(window));
                sum.idle += Picos(duration.saturating_sub(side.flight.busy.length_in(window)));
                sum.collectives.add(&collectives.within(window, &side.flight.compute));
                sum.copies.add(&copies.within(window, &side.flight.compute));
                let beside = |of: &Lists| of.beside(window, &side.flight);
                sum.beside_collectives.get_or_insert_default().add(&beside(&collectives));
                sum.beside_copies.get_or_insert_default().add(&beside(&copies));
            }
        }
        let mut steps: Vec<StepComm> = steps.into_iter().map(|(_, step)| step).collect();
        steps.small_sort_by_key(|step| step.number);
        steps
    }
}
