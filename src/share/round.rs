//! A report with fewer digits, whose parts still sum to their wholes: totals stay as they are, amounts keep their first digits, and
//! what is a sum is summed again.

use super::error::ShareError;
use super::report::Report;
use super::walk::{self, Done, Number, Text, Visit};
use crate::analysis::Kind;
use crate::analysis::roofline::Roof;
use crate::units::Picos;

/// Keeps so many digits of amounts.
struct Round(u32);

impl Visit for Round {
    fn count(&mut self, n: usize, _: usize) -> Result<usize, ShareError> {
        Ok(n)
    }

    fn integer(&mut self, value: &mut Option<u64>, _: Option<u64>, what: Number) -> Done {
        if let Some(value) = value {
            match what {
                Number::Amount => *value = near(*value, self.0),
                Number::Height => *value = below(*value, self.0),
                Number::Exact | Number::Program => {}
            }
        }
        Ok(())
    }

    fn real(&mut self, value: &mut Option<f64>, _: Option<f64>) -> Done {
        if let Some(value) = value
            && value.is_finite()
        {
            // The nearest of so many digits is what prints as them.
            let text = format!("{value:.*e}", self.0.saturating_sub(1) as usize);
            *value = text.parse().unwrap_or(*value);
        }
        Ok(())
    }

    fn text(&mut self, _: &mut Option<String>, _: Option<&str>, _: Text) -> Done {
        Ok(())
    }
}

/// The place value of the last digit that is kept.
fn unit(value: u64, digits: u32) -> u64 {
    let all = value.checked_ilog10().map_or(1, |log| log + 1);
    10_u64.saturating_pow(all.saturating_sub(digits))
}

fn below(value: u64, digits: u32) -> u64 {
    let unit = unit(value, digits);
    value / unit * unit
}

fn near(value: u64, digits: u32) -> u64 {
    let unit = unit(value, digits);
    let rounded = value.saturating_add(unit / 2) / unit;
    rounded.saturating_mul(unit)
}

impl Report {
    /// The same with so many digits of each amount. Sums are of what is then told.
    pub(super) fn round(&mut self, digits: u32) {
        let one_line = self.totals.union == self.totals.busy;
        let (header, totals) = (self.header.clone(), self.totals.clone());
        // Rounding does not fail.
        let _ = walk::report(&mut Round(digits), self);
        // What is looked at first is as it was: it is little.
        (self.header, self.totals) = (header, totals);
        self.spread();
        self.settle(one_line);
        self.derive();
    }

    /// What rounding added to the ops of a kind, or took from them, goes where it is least seen: to what is summed of that kind,
    /// else to its longest ops. So they still sum to the kind, to the picosecond.
    fn spread(&mut self) {
        for kind in Kind::ALL {
            let mut all: Vec<&mut Picos> = Vec::new();
            all.extend(self.rest.iter_mut().filter(|rest| rest.kind == kind).map(|rest| &mut rest.total));
            let rows = self.rows.iter_mut().filter(|row| row.group.kind == kind);
            // In order of their time.
            all.extend(rows.map(|row| &mut row.group.total));
            let (has, of) = (all.iter().map(|total| **total).sum::<Picos>(), self.totals.of(kind));
            if let Some(first) = all.first_mut() {
                **first += of.saturating_sub(has);
            }
            let mut more = has.saturating_sub(of);
            for total in all {
                let taken = more.min(*total);
                *total = total.saturating_sub(taken);
                more = more.saturating_sub(taken);
            }
        }
    }

    fn settle(&mut self, one_line: bool) {
        for row in &mut self.rows {
            if let [(_, share)] = &mut row.group.categories.iter_mut().collect::<Vec<_>>()[..] {
                share.dur = row.group.total;
            }
            if let Some(point) = &mut row.point
                && let Some(roof) = &mut point.roof
            {
                settle_roof(roof, point.skipped.is_empty().then_some(row.group.total));
            }
        }
        let figures = &mut self.roofline.figures;
        let programs = figures.programs.iter_mut().filter_map(|program| program.roof.as_mut());
        let steps = self.roofline.steps.iter_mut().filter_map(|step| step.roof.as_mut());
        programs.chain(steps).chain(figures.step.as_mut()).for_each(|roof| settle_roof(roof, None));
        let held = figures.step.as_ref().map_or(Picos::ZERO, |step| step.total);
        figures.considered = held + figures.skipped.iter().map(|skipped| skipped.total).sum();
        for device in &mut self.steps.devices {
            for step in &mut device.steps {
                step.busy = step.by_kind.iter().copied().sum();
                step.duration = step.duration.max(step.idle);
                if one_line {
                    step.duration = step.busy + step.idle;
                }
            }
        }
    }
}

/// A roof of rounded figures: of one op where its time is bound by one thing.
fn settle_roof(roof: &mut Roof, whole: Option<Picos>) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_digits() {
        assert_eq!(
            [near(123_456, 4), near(123_444, 4), near(99_996, 4), near(7, 4), near(0, 4)],
            [123_500, 123_400, 100_000, 7, 0]
        );
        assert_eq!([below(123_456, 4), below(129, 2), below(u64::MAX, 1)], [123_400, 120, 10_000_000_000_000_000_000]);
        assert_eq!(near(u64::MAX, 20), u64::MAX);
    }
}
