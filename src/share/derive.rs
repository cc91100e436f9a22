//! This module computes the values of a report that follow from its other values. They are not written, and are
//! computed again after reading and after rounding. Ratios use the same formulas as the analyses.

use super::report::Report;
use crate::analysis::breakdown::Group;
use crate::analysis::comm::{CommRow, Overlap};
use crate::analysis::roofline::{Level, RooflinePosition};
use rustc_hash::FxHashMap;
use xla_profile::units::Picos;

impl Report {
    /// Computes the values that follow from the other values of the report.
    pub(super) fn derive(&mut self) {
        let (window, by_kind) = (self.header.step_duration, self.totals.by_kind);
        for row in self.groups.iter_mut().flat_map(|grouped| &mut grouped.rows) {
            group(row, window, &by_kind);
        }
        for row in &mut self.rows {
            group(&mut row.group, window, &by_kind);
            if let Some(point) = &mut row.point {
                point.selected.iter_mut().for_each(|selected| group(selected, window, &by_kind));
                point.roof.iter_mut().for_each(roof);
            }
        }
        let figures = &mut self.roofline.figures;
        let programs = figures.programs.iter_mut().map(|program| &mut program.roof);
        let steps = self.roofline.steps.iter_mut().map(|step| &mut step.roof);
        programs.chain(steps).chain([&mut figures.step]).flatten().for_each(roof);
        figures.coverage = figures.step.as_ref().map_or(Picos::ZERO, |step| step.total).fraction_of(figures.considered);
        figures.header.clone_from(&self.header);
        figures.totals.clone_from(&self.totals);
        let comm = &mut self.comm.comm;
        comm.header.clone_from(&self.header);
        comm.totals.clone_from(&self.totals);
        let sums = comm.primitives.iter_mut().map(|sums| &mut sums.traffic.overlap);
        let steps = comm.steps.iter_mut().flat_map(|step| [&mut step.collectives, &mut step.copies]);
        let rows = comm.rows.iter_mut().chain(&mut comm.copy_rows).map(|row: &mut CommRow| &mut row.overlap);
        let all = [&mut comm.tensor.overlap, &mut comm.copies.overlap];
        let sparse = comm.sparse.as_mut().map(|sparse| &mut sparse.overlap);
        sums.chain(steps).chain(rows).chain(all).chain(sparse).for_each(in_flight);
        self.derive_overview();
    }

    /// Gives the overview the header, the steps and the devices of the report.
    pub(crate) fn derive_overview(&mut self) {
        let Some(overview) = &mut self.overview else { return };
        overview.header.clone_from(&self.header);
        overview.totals.clone_from(&self.totals);
        let arrivals = self.comm.comm.balance.as_ref().map_or(&[][..], |balance| &balance.devices);
        let waits: FxHashMap<&str, Option<Picos>> =
            arrivals.iter().rev().map(|arrival| (arrival.device.as_str(), arrival.waited)).collect();
        let waited = |label: &str| waits.get(label).copied().flatten();
        let devices = &self.steps.devices;
        let own = devices.iter().find(|device| device.label == overview.device);
        overview.set_steps(own, &mut devices.iter().map(|device| &*device.label), &waited);
        overview.derive();
    }
}

fn in_flight(overlap: &mut Overlap) {
    overlap.in_flight = overlap.exposed + overlap.overlapped;
}

fn group(group: &mut Group, window: Option<Picos>, by_kind: &[Picos; 7]) {
    group.mean = group.n_executions.mean_of(group.total);
    group.of_step = window.and_then(|window| group.total.fraction_of(window));
    group.of_kind = group.total.saturating_sub(group.other_kinds).fraction_of(by_kind[group.kind.index()]);
}

fn roof(place: &mut RooflinePosition) {
    let hbm = place.level_bytes[Level::Hbm.index()];
    place.intensity = (hbm > 0.0).then(|| place.flops / hbm);
    place.gap = difference(place.total.0, place.t_roof.0);
    #[expect(clippy::cast_precision_loss, reason = "the edge where exact time becomes a ratio")]
    let gap = place.gap as f64;
    place.gap_fraction = (place.total > Picos::ZERO).then(|| gap / place.total.as_f64());
}

fn difference(a: u64, b: u64) -> i64 {
    i64::try_from(i128::from(a) - i128::from(b)).unwrap_or(if a > b { i64::MAX } else { i64::MIN })
}
