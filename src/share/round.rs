//! This module rounds the numbers of a report so that parts still sum to their whole. Figures outside of tables stay
//! exact, because there are few of them. Rows of tables keep the digits that the views print, and are rounded so that a
//! view prints the same text as for the capture.

use super::codec;
use super::codec::visit::{Number, Text, Visit, VisitResult};
use super::error::ShareError;
use super::omitted::OmittedSum;
use super::report::Report;
use crate::analysis::breakdown::Group;
use crate::analysis::classify::Kind;
use crate::analysis::comm::{Comm, Overlap};
use crate::analysis::memory::AllocatorMemory;
use crate::analysis::overview::Overview;
use crate::analysis::roofline::{RooflineFigures, RooflinePosition};
use crate::table::format::{self, TimeUnit};
use std::cmp::Reverse;
use xla_profile::small_sort::SmallSort;
use xla_profile::units::Picos;

/// Rounds amounts to this number of digits.
struct Round(u32);

impl Visit for Round {
    fn count(&mut self, n: usize, _: usize) -> Result<usize, ShareError> {
        Ok(n)
    }

    fn integer(&mut self, value: &mut Option<u64>, _: Option<u64>, what: Number) -> VisitResult {
        if let Some(value) = value {
            match what {
                Number::Amount => *value = near(*value, unit(*value, self.0)),
                Number::Time => *value = near(*value, unit(*value, self.0).min(printed(*value))),
                Number::Height => *value = below(*value, self.0),
                Number::Exact | Number::Program => {}
            }
        }
        Ok(())
    }

    fn real(&mut self, value: &mut Option<f64>, _: Option<f64>) -> VisitResult {
        if let Some(value) = value
            && value.is_finite()
        {
            *value = near_real(*value, self.0 as usize).unwrap_or(*value);
        }
        Ok(())
    }

    fn text(&mut self, _: &mut Option<String>, _: Option<&str>, _: Text) -> VisitResult {
        Ok(())
    }
}

/// Returns the place value of the last digit that is kept.
fn unit(value: u64, digits: u32) -> u64 {
    let all = value.checked_ilog10().map_or(1, |log| log + 1);
    10_u64.saturating_pow(all.saturating_sub(digits))
}

/// Returns the place value of the last digit that views print of a time: three decimals of s and ms, two of µs and ns.
const fn printed(time: u64) -> u64 {
    match time {
        0..1_000_000 => 10,
        1_000_000..1_000_000_000 => 10_000,
        1_000_000_000..1_000_000_000_000 => 1_000_000,
        _ => 1_000_000_000,
    }
}

/// Rounds the numbers of an overview that are no figures: what its rules measured, and the times of modules by phase and kind.
fn keep_printed(overview: &mut Overview, digits: u32) {
    let checked = overview.checked.iter_mut();
    checked.for_each(|rule| rule.measured = near_real(rule.measured, 6).unwrap_or(rule.measured));
    let Some(modules) = &mut overview.modules else { return };
    let cells = modules.cells.iter_mut().flat_map(|cell| [&mut cell.total, &mut cell.judged, &mut cell.roofline]);
    let sums = modules.modules.iter_mut().flat_map(|sum| [&mut sum.judged, &mut sum.roofline]);
    cells.chain(sums).for_each(|time| time.0 = near(time.0, unit(time.0, digits).min(printed(time.0))));
    modules.derive();
}

/// Returns whether two times print as the same text: alone, and in a column of the unit of `b` or a larger one.
fn prints_alike(a: Picos, b: Picos) -> bool {
    let own = TimeUnit::for_largest(b);
    let units = TimeUnit::ALL.into_iter().filter(|unit| unit.in_ps() >= own.in_ps());
    format::time_text(a) == format::time_text(b)
        && units.into_iter().all(|unit| format::time(a, unit) == format::time(b, unit))
}

fn below(value: u64, digits: u32) -> u64 {
    let unit = unit(value, digits);
    value / unit * unit
}

/// Rounds to a multiple of `unit`, half up. A result that was rounded up to a last digit of 5 is made smaller by a
/// tenth of `unit`. If it is then rounded again, to fewer digits, the result is the same as for `value` itself, because
/// it is not rounded up twice.
fn near(value: u64, unit: u64) -> u64 {
    let whole = value.saturating_add(unit / 2) / unit;
    let rounded = whole.saturating_mul(unit);
    if rounded > value && ends_in_five(whole) { rounded.saturating_sub(unit / 10) } else { rounded }
}

fn ends_in_five(mut whole: u64) -> bool {
    while whole > 0 && whole.is_multiple_of(10) {
        whole /= 10;
    }
    whole % 10 == 5
}

/// Rounds a real number to its first digits, in the way of [`near`]. Returns `None` if it has no more digits than
/// these.
fn near_real(value: f64, digits: usize) -> Option<f64> {
    // The shortest text of the number: 12.3 is "1.23e1".
    let exact = format!("{value:e}");
    let more = exact.bytes().take_while(|byte| *byte != b'e').filter(u8::is_ascii_digit).count() > digits;
    let text = format!("{value:.*e}", digits.checked_sub(1)?);
    let (mantissa, tens) = more.then(|| text.split_once('e')).flatten()?;
    let rounded: f64 = text.parse().ok()?;
    let whole: u64 = mantissa.bytes().filter(u8::is_ascii_digit).fold(0, |all, byte| all * 10 + u64::from(byte - b'0'));
    // A last digit of 5 is a tie: half of the printed digit of 0.2055 may lie on either side.
    if !ends_in_five(whole) {
        return Some(rounded);
    }
    let fine = if rounded.abs() > value.abs() { (whole * 10).saturating_sub(1) } else { whole * 10 + 1 };
    let tens = tens.parse::<i32>().ok()?.checked_sub(i32::try_from(digits).ok()?)?;
    let sign = if value < 0.0 { "-" } else { "" };
    format!("{sign}{fine}e{tens}").parse().ok()
}

impl Report {
    /// Rounds the numbers in rows to `digits` digits. Parts still sum to their whole.
    pub(super) fn round(&mut self, digits: u32) {
        let one_line = self.totals.union == self.totals.busy;
        let exact = self.clone();
        // Rounding does not fail.
        let _ = codec::report(&mut Round(digits), self);
        self.keep_figures(&exact, digits);
        self.keep_rows(&exact);
        self.keep_overlaps(&exact);
        spread(&mut self.rest, &mut self.rows.iter_mut().map(|row| &mut row.group), &exact.total_by_row_kind());
        self.keep_groups(&exact);
        self.settle(one_line);
        self.keep_roofs(&exact);
        self.derive();
    }

    /// Restores the exact figures outside of tables. `digits` is the number of digits of rows.
    fn keep_figures(&mut self, exact: &Self, digits: u32) {
        self.header.clone_from(&exact.header);
        self.totals.clone_from(&exact.totals);
        self.origin.clone_from(&exact.origin);
        self.phases.clone_from(&exact.phases);
        self.overview.clone_from(&exact.overview);
        self.overview.iter_mut().for_each(|overview| keep_printed(overview, digits));
        self.comparison.clone_from(&exact.comparison);
        for (device, exact) in self.steps.devices.iter_mut().zip(&exact.steps.devices) {
            (device.all, device.steady) = (exact.all, exact.steady);
            // Means of picoseconds keep seven digits, which are more than any view prints.
            for spread in [&mut device.all, &mut device.steady].into_iter().flatten() {
                let fine = |value: f64| near_real(value, 7).unwrap_or(value);
                (spread.mean, spread.median, spread.quartiles) =
                    (fine(spread.mean), fine(spread.median), spread.quartiles.map(fine));
                spread.std_dev = spread.std_dev.map(fine);
            }
        }
        let RooflineFigures { programs, opaque, gaps, .. } = std::mem::replace(
            &mut self.roofline.figures,
            RooflineFigures {
                programs: Vec::new(),
                opaque: Vec::new(),
                gaps: Vec::new(),
                ..exact.roofline.figures.clone()
            },
        );
        let figures = &mut self.roofline.figures;
        (figures.programs, figures.opaque, figures.gaps) = (programs, opaque, gaps);
        self.roofline.more = exact.roofline.more;
        let part = &mut self.comm;
        (part.more, part.more_copies) = (exact.comm.more, exact.comm.more_copies);
        let comm = &exact.comm.comm;
        let sums = Comm { rows: Vec::new(), copy_rows: Vec::new(), steps: Vec::new(), ..comm.clone() };
        let Comm { rows, copy_rows, steps, .. } = std::mem::replace(&mut part.comm, sums);
        (part.comm.rows, part.comm.copy_rows, part.comm.steps) = (rows, copy_rows, steps);
        self.memory.checks.clone_from(&exact.memory.checks);
        for (allocator, exact) in self.memory.runtime.allocators.iter_mut().zip(&exact.memory.runtime.allocators) {
            let timeline = std::mem::take(&mut allocator.timeline);
            *allocator = AllocatorMemory { timeline, ..exact.clone() };
        }
    }

    /// Restores exact times of rows as [`keep_group`] describes.
    fn keep_rows(&mut self, exact: &Self) {
        let window = exact.header.step_duration;
        for (row, exact) in self.rows.iter_mut().zip(&exact.rows) {
            keep_group(&mut row.group, &exact.group, &self.rest, window);
            let selected = row.point.as_mut().and_then(|point| point.selected.as_mut());
            if let Some(selected) = selected {
                keep_group(selected, exact.roofline_group(), &self.rest, window);
            }
        }
    }

    /// Makes the rounded rows of each grouping and its rest sum to the same time as before.
    fn keep_groups(&mut self, exact: &Self) {
        let window = exact.header.step_duration;
        for (sent, exact) in self.groups.iter_mut().zip(&exact.groups) {
            for (group, exact) in sent.rows.iter_mut().zip(&exact.rows) {
                keep_group(group, exact, &sent.rest, window);
            }
            let rows = exact.rows.iter().map(|group| (group.kind, group.total));
            let before = totals_by_kind(&mut rows.chain(exact.rest.iter().map(|rest| (rest.kind, rest.total))));
            spread(&mut sent.rest, &mut sent.rows.iter_mut(), &before);
            sent.rows.iter_mut().for_each(settle_category);
        }
    }

    /// The time in flight is the sum of the exposed and the overlapped time. If the sum of the rounded parts prints
    /// another time or share than the capture does, this function restores the exact parts.
    fn keep_overlaps(&mut self, exact: &Self) {
        let (sent, exact) = (&mut self.comm.comm, &exact.comm.comm);
        let rows = sent.rows.iter_mut().chain(&mut sent.copy_rows).map(|row| &mut row.overlap);
        let sent = rows.chain(sent.steps.iter_mut().flat_map(|step| [&mut step.collectives, &mut step.copies]));
        let rows = exact.rows.iter().chain(&exact.copy_rows).map(|row| &row.overlap);
        let exact = rows.chain(exact.steps.iter().flat_map(|step| [&step.collectives, &step.copies]));
        for (sent, exact) in sent.zip(exact) {
            let rounded = Overlap { in_flight: sent.exposed + sent.overlapped, ..*sent };
            let share = |overlap: &Overlap| overlap.share().map(format::percent);
            if !prints_alike(rounded.in_flight, exact.in_flight) || share(&rounded) != share(exact) {
                (sent.exposed, sent.overlapped) = (exact.exposed, exact.overlapped);
            }
        }
    }

    /// The time of the ops that have a roof is the sum of the times by bound. If the sum of the rounded times of a
    /// program or of a step prints another time than the capture does, this function restores the exact times.
    fn keep_roofs(&mut self, exact: &Self) {
        let (sent, exact) = (&mut self.roofline, &exact.roofline);
        let programs = sent.figures.programs.iter_mut().map(|program| &mut program.roof);
        let sent = programs.chain(sent.steps.iter_mut().map(|step| &mut step.roof));
        let programs = exact.figures.programs.iter().map(|program| &program.roof);
        let exact = programs.chain(exact.steps.iter().map(|step| &step.roof));
        for (sent, exact) in sent.zip(exact) {
            if let (Some(sent), Some(exact)) = (sent, exact)
                && !prints_alike(sent.total, exact.total)
            {
                (sent.total, sent.bound_total) = (exact.total, exact.bound_total);
                settle_roof(sent, None);
            }
        }
    }

    /// Sums the self time of the rows and of the rest by the kind that each row carries.
    ///
    /// A row can hold ops of several kinds. Its whole time is counted under the kind that has most of it, so these sums
    /// can differ from the totals of the kinds. They add up to the same time.
    fn total_by_row_kind(&self) -> [Picos; Kind::ALL.len()] {
        let rows = self.rows.iter().map(|row| (row.group.kind, row.group.total));
        totals_by_kind(&mut rows.chain(self.rest.iter().map(|rest| (rest.kind, rest.total))))
    }

    fn settle(&mut self, one_line: bool) {
        for row in &mut self.rows {
            settle_category(&mut row.group);
            let selected = row.roofline_group().total;
            if let Some(point) = &mut row.point
                && let Some(roof) = &mut point.roof
            {
                settle_roof(roof, point.skipped.is_empty().then_some(selected));
            }
        }
        let figures = &mut self.roofline.figures;
        let programs = figures.programs.iter_mut().filter_map(|program| program.roof.as_mut());
        let steps = self.roofline.steps.iter_mut().filter_map(|step| step.roof.as_mut());
        programs.chain(steps).for_each(|roof| settle_roof(roof, None));
        for device in &mut self.steps.devices {
            for step in &mut device.steps {
                step.length = step.length.max(step.idle);
                if one_line {
                    step.busy = step.length.saturating_sub(step.idle);
                }
                fill(&mut step.by_kind, step.busy);
            }
        }
    }
}

/// Restores the exact times of a row of a kind that has no rest. There is then no rest that could take the difference of
/// rounding, and the exact rows sum to the kind. Also restores a time whose share of the window would print another text.
fn keep_group(group: &mut Group, exact: &Group, rest: &[OmittedSum], window: Option<Picos>) {
    let share = |time: Picos| window.and_then(|window| time.fraction_of(window)).map(format::percent);
    if share(group.total) != share(exact.total) {
        group.total = exact.total;
    }
    if !rest.iter().any(|rest| rest.kind == group.kind) {
        (group.total, group.inclusive) = (exact.total, exact.inclusive);
        (group.min, group.max) = (exact.min, exact.max);
    }
}

/// Gives a row of a single category all of its time in this category.
fn settle_category(group: &mut Group) {
    if let [(_, share)] = &mut group.categories.iter_mut().collect::<Vec<_>>()[..] {
        share.dur = group.total;
    }
}

fn totals_by_kind(times: &mut dyn Iterator<Item = (Kind, Picos)>) -> [Picos; Kind::ALL.len()] {
    let mut totals = [Picos::ZERO; Kind::ALL.len()];
    times.for_each(|(kind, total)| totals[kind.index()] += total);
    totals
}

/// Restores the sums of rows and rest from before rounding, to the picosecond. The rest of a kind takes the time that
/// rounding added or removed; without a rest, the longest rows of the kind take it. The rows are in the order of their time.
fn spread(rest: &mut [OmittedSum], rows: &mut dyn Iterator<Item = &mut Group>, before: &[Picos; Kind::ALL.len()]) {
    let mut of_kinds = Kind::ALL.map(|_| Vec::new());
    rest.iter_mut().for_each(|rest| of_kinds[rest.kind.index()].push(&mut rest.total));
    rows.for_each(|group| of_kinds[group.kind.index()].push(&mut group.total));
    for (all, sum) in of_kinds.into_iter().zip(before) {
        let mut all: Vec<&mut Picos> = all;
        let has = all.iter().map(|total| **total).sum::<Picos>();
        if let Some(first) = all.first_mut() {
            **first += sum.saturating_sub(has);
        }
        let mut more = has.saturating_sub(*sum);
        for total in all {
            let taken = more.min(*total);
            *total = total.saturating_sub(taken);
            more = more.saturating_sub(taken);
        }
    }
}

/// Changes the largest part so that all parts sum to the whole. If that part is too small, the next ones change as
/// well.
fn fill(parts: &mut [Picos], whole: Picos) {
    let sum = parts.iter().copied().sum::<Picos>();
    let mut order: Vec<&mut Picos> = parts.iter_mut().collect();
    order.small_sort_by_key(|part| Reverse(**part));
    if let Some(first) = order.first_mut() {
        **first += whole.saturating_sub(sum);
    }
    let mut more = sum.saturating_sub(whole);
    for part in order {
        let taken = more.min(*part);
        *part = part.saturating_sub(taken);
        more = more.saturating_sub(taken);
    }
}

/// Makes the figures of a rounded roof consistent. `whole` is the time of the row if all its ops have a roof. It counts
/// if a single resource limits all of the row's time.
fn settle_roof(roof: &mut RooflinePosition, whole: Option<Picos>) {
    let bounds = roof.bound_total.iter().filter(|time| **time > Picos::ZERO).count();
    if bounds == 1
        && let Some(whole) = whole
    {
        roof.total = whole;
        for time in roof.bound_total.iter_mut().filter(|time| **time > Picos::ZERO) {
            *time = whole;
        }
        roof.t_roof = roof.t_memory.iter().fold(roof.t_compute, |most, time| most.max(*time));
        roof.recoverable = roof.total.saturating_sub(roof.t_roof);
        roof.above = if roof.t_roof > roof.total { roof.total } else { Picos::ZERO };
    } else if bounds > 0 {
        roof.total = roof.bound_total.iter().copied().sum();
    }
    let ratio = |time: Picos| time.fraction_of(roof.total);
    roof.mfu = ratio(roof.t_compute);
    roof.util = ratio(roof.t_roof);
    for (util, time) in roof.level_util.iter_mut().zip(roof.t_memory) {
        *util = if time == Picos::ZERO { util.filter(|util| *util == 0.0) } else { util.and(ratio(time)) };
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn first_digits() {
        let to = |value, digits| near(value, unit(value, digits));
        assert_eq!(
            [to(123_456, 4), to(123_444, 4), to(99_996, 4), to(7, 4), to(0, 4), to(123_460, 4), to(123_540, 4)],
            [123_490, 123_400, 100_000, 7, 0, 123_490, 123_500],
            "123,456 is 123,500 to four digits, and 123,000 to three"
        );
        assert_eq!([below(123_456, 4), below(129, 2), below(u64::MAX, 1)], [123_400, 120, 10_000_000_000_000_000_000]);
        assert_eq!(to(u64::MAX, 20), u64::MAX);
        assert_eq!(
            [0.160_449, -0.160_461, 0.160_541, 1.234_567e300].map(|value| near_real(value, 4)),
            [Some(0.1604), Some(-0.160_49), Some(0.160_51), Some(1.234_9e300)]
        );
        assert_eq!([near_real(12.345, 1), near_real(12.3, 4)], [Some(10.0), None], "none: it has no more digits");
    }

    proptest! {
        /// A view prints the same text for a rounded time as for the exact time: alone, and in a column of its unit or
        /// a larger one.
        #[test]
        fn rounded_times_print_as_they_were(time in 0_u64..20_000_000_000_000_000, shift in 0_u32..50) {
            let time = time >> shift;
            for digits in [4, 5] {
                let near_value = near(time, unit(time, digits).min(printed(time)));
                let (time, near_value) = (Picos(time), Picos(near_value));
                prop_assert!(prints_alike(near_value, time), "{time:?} {near_value:?}");
            }
        }

        #[test]
        fn rounded_amounts_round_on_as_they_were(value in 0.0_f64..1.0) {
            let near_value = near_real(value, 4).unwrap_or(value);
            prop_assert_eq!(format::percent(value), format::percent(near_value), "{} {}", value, near_value);
        }
    }
}
