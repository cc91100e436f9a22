//! This module compares many captures in a row, such as those of every night: one series for each figure, and the places where it
//! changes for good.
//!
//! ```text
//!  values  ─ ─ ─ ─ ─ ┐
//!                    └ ─ ─ ─     change point: |median of 3 after − median of 3 before| > limit
//!  limit: the fence of |Δ| between neighbours (8 captures or more), else the band of noise
//! ```

use super::report::{CompareUnit, Verdict};
use super::series_report::{ChangePoint, FigureSeries, Series, SeriesBase, SeriesCapture, SeriesOrder, SeriesPoint};
use super::statistics::{fence, median, shift, widening};
use super::verdict;
use crate::analysis::overview::Unit;
use xla_profile::small_sort::SmallSort;

/// Captures on each side of a change point.
const AROUND: usize = 3;
/// Captures between two change points.
const LEAST_AROUND: usize = 2;
/// The smallest change that counts, as a share of the value: smaller ones come from the rounding of floats.
const ROUNDING: f64 = 1e-9;

/// Compares captures in a row. `band` is the share below which differences are noise between captures, for fewer than 8 captures.
/// Returns `None` without captures, or if the base is a number without a capture.
pub fn series(points: Vec<SeriesPoint>, order: SeriesOrder, base: SeriesBase, band: f64) -> Option<Series> {
    // Without all times, names are the only common order.
    let order = if points.iter().all(|point| point.start_ns.is_some()) { order } else { SeriesOrder::Name };
    let mut placed: Vec<(u32, SeriesPoint)> = (0..).zip(points).collect();
    placed.sort_by(|(_, a), (_, b)| {
        let time = |point: &SeriesPoint| point.start_ns.filter(|_| order == SeriesOrder::Time);
        time(a).cmp(&time(b)).then_with(|| a.head.files.cmp(&b.head.files))
    });
    let (positions, points): (Vec<u32>, Vec<SeriesPoint>) = placed.into_iter().unzip();
    let (unit, is_comparable) = unit(&points);
    let samples: Vec<Vec<f64>> = points.iter().map(|point| unit.samples(&point.head)).collect();
    // A report that is cut has the median of its steps, and not each of them.
    let in_head = |index: usize| points[index].head.median_ps.filter(|_| unit == CompareUnit::Step);
    let periods: Vec<Option<f64>> =
        samples.iter().enumerate().map(|(index, samples)| median(samples).or_else(|| in_head(index))).collect();
    let base = match base {
        SeriesBase::First => Some(0),
        SeriesBase::Number(number) => usize::try_from(number).ok()?.checked_sub(1),
        SeriesBase::Median => middle(&periods),
    };
    let base = base.filter(|base| *base < points.len())?;
    let mut figures = vec![figure_series("period", Unit::Ps, periods.clone(), band)];
    for figure in points.iter().flat_map(|point| &point.figures) {
        if figures.iter().any(|known| known.name == figure.id.key()) {
            continue;
        }
        let value = |point: &SeriesPoint| point.figures.iter().find(|known| known.id == figure.id)?.value;
        let values: Vec<Option<f64>> = points.iter().map(value).collect();
        if values.iter().any(Option::is_some) {
            figures.push(figure_series(figure.id.key(), figure.id.unit(), values, band));
        }
    }
    let capture = |index: usize, point: &SeriesPoint| {
        let verdict =
            if is_comparable { compare_samples(&samples[base], &samples[index], band) } else { Verdict::Incomparable };
        let change = periods[base].zip(periods[index]).filter(|(a, _)| *a > 0.0).map(|(a, b)| (b - a) / a);
        let SeriesPoint { head, start_ns, .. } = point.clone();
        SeriesCapture { position: positions[index], head, start_ns, median: periods[index], change, verdict }
    };
    let captures = points.iter().enumerate().map(|(index, point)| capture(index, point)).collect();
    Some(Series { captures, order, base: base as u32, unit, figures })
}

/// Returns the band of noise that a history of captures shows, as a share of the median of their step times: the fence of the
/// differences between neighbours. `None` with fewer than 8 captures that have steps, or if they cannot be compared.
pub fn history_band(points: Vec<SeriesPoint>) -> Option<f64> {
    if !unit(&points).1 {
        return None;
    }
    let found = series(points, SeriesOrder::Time, SeriesBase::First, 0.0)?;
    let period = found.figures.into_iter().next()?;
    let values: Vec<f64> = period.values.into_iter().flatten().collect();
    Some(period.fence? / median(&values).filter(|median| *median > 0.0)?)
}

/// Returns the unit of times, and whether times in this unit can be compared. A report does not tell the tokens of its steps: they
/// are taken as those of the other captures, if these have the same number.
fn unit(points: &[SeriesPoint]) -> (CompareUnit, bool) {
    let device = |point: &SeriesPoint| (point.head.n_devices, point.head.device_type.clone());
    let is_same_device = points.windows(2).all(|pair| device(&pair[0]) == device(&pair[1]));
    let mut tokens = points.iter().filter_map(|point| point.head.tokens);
    let first = tokens.next();
    let is_same_work = is_same_device && tokens.all(|tokens| Some(tokens) == first);
    let has_tokens = points.iter().all(|point| point.head.tokens.is_some());
    if is_same_work || !has_tokens { (CompareUnit::Step, is_same_work) } else { (CompareUnit::MillionTokens, true) }
}

/// Returns the index of the middle value; of two in the middle, the smaller one. `None` without values.
fn middle(values: &[Option<f64>]) -> Option<usize> {
    let mut known: Vec<(f64, usize)> =
        values.iter().enumerate().filter_map(|(index, value)| Some(((*value)?, index))).collect();
    known.small_sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    Some(known.get(known.len().checked_sub(1)? / 2)?.1)
}

/// Returns the verdict on the difference of two samples of steps, in ps: a baseline and another capture. `band` is the share below
/// which differences are noise between captures.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "means in ps, as those of two captures"
)]
pub fn compare_samples(base: &[f64], values: &[f64], band: f64) -> Verdict {
    if base.is_empty() || values.is_empty() {
        return Verdict::TooFewSteps;
    }
    let mean = |samples: &[f64]| samples.iter().sum::<f64>() / samples.len().max(1) as f64;
    let shift = shift(base, values).map(|shift| shift.widened(widening(base, values)));
    let (whole, delta) = (mean(base).round() as i64, (mean(values) - mean(base)).round() as i64);
    verdict::evaluate((base, values), shift, (whole, delta), band).verdict
}

/// Finds the change points of a figure. `values` are in the order of the captures; `None` if a capture does not have the figure.
/// `band` is the share of the value below which differences are noise, for fewer than 8 captures.
pub fn figure_series(name: &str, unit: Unit, values: Vec<Option<f64>>, band: f64) -> FigureSeries {
    let known: Vec<(usize, f64)> =
        values.iter().enumerate().filter_map(|(index, value)| Some((index, (*value)?))).collect();
    let only: Vec<f64> = known.iter().map(|(_, value)| *value).collect();
    let differences: Vec<f64> = only.windows(2).map(|pair| (pair[1] - pair[0]).abs()).collect();
    let fence = fence(&differences);
    let limit = fence.or_else(|| Some(band * median(&only)?.abs()));
    let changes = limit.map_or_else(Vec::new, |limit| change_points(&only, limit));
    let changes = changes
        .into_iter()
        .map(|change| ChangePoint { first_after: known[change.first_after as usize].0 as u32, ..change });
    FigureSeries { name: name.to_owned(), unit, changes: changes.collect(), values, fence, limit }
}

/// Returns the change points of values, in their order. The largest jumps are found first. A change beside one of them counts if
/// the values between both show it.
fn change_points(values: &[f64], limit: f64) -> Vec<ChangePoint> {
    let change = |place: usize, from: usize, to: usize| {
        let (before, after) = (median(values.get(from..place)?)?, median(values.get(place..to)?)?);
        let least = limit.max(ROUNDING * before.abs().max(after.abs()));
        ((after - before).abs() > least).then_some(ChangePoint { first_after: place as u32, before, after })
    };
    let places = AROUND..(values.len() + 1).saturating_sub(AROUND);
    let mut beyond: Vec<ChangePoint> =
        places.filter_map(|place| change(place, place - AROUND, place + AROUND)).collect();
    // The medians around the places next to a jump differ as well. The jump itself is the largest step.
    let jump =
        |change: &ChangePoint| (values[change.first_after as usize] - values[change.first_after as usize - 1]).abs();
    beyond.small_sort_by(|a, b| jump(b).total_cmp(&jump(a)).then(a.first_after.cmp(&b.first_after)));
    let mut chosen: Vec<ChangePoint> = Vec::new();
    for candidate in beyond {
        let place = candidate.first_after as usize;
        let chosen_before =
            chosen.iter().map(|change| change.first_after as usize).filter(|other| *other < place).max().unwrap_or(0);
        let chosen_after = chosen
            .iter()
            .map(|change| change.first_after as usize)
            .filter(|other| *other > place)
            .min()
            .unwrap_or(values.len());
        let (from, to) = (chosen_before.max(place - AROUND), chosen_after.min(place + AROUND));
        if place - from >= LEAST_AROUND && to - place >= LEAST_AROUND {
            chosen.extend(change(place, from, to));
        }
    }
    chosen.small_sort_by_key(|change| change.first_after);
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(values: &[f64], limit: f64) -> Vec<u32> {
        change_points(values, limit).iter().map(|change| change.first_after).collect()
    }

    #[test]
    fn jumps_are_found_where_they_are() {
        let flat = [10.0, 10.1, 9.9, 10.0, 10.1, 9.9, 10.0, 10.1, 9.9, 10.0];
        assert_eq!(places(&flat, 1.0), [0_u32; 0]);
        for jump in 3..=7 {
            let mut values = flat;
            values[jump..].iter_mut().for_each(|value| *value += 2.0);
            assert_eq!(places(&values, 1.0), [jump as u32], "{values:?}");
            values.reverse();
            assert_eq!(places(&values, 1.0), [(flat.len() - jump) as u32], "the other way round");
        }
        // A single slow capture is no change.
        let mut single = flat;
        single[5] = 20.0;
        assert_eq!(places(&single, 1.0), [0_u32; 0]);
        // Up and down again.
        let bump = [1.0, 1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 1.0, 1.0, 1.0];
        assert_eq!(places(&bump, 0.5), [4, 7]);
        // Two changes with two captures between them, and one beside an outlier.
        let stairs = [3.0, 3.0, 3.0, 3.0, 2.0, 2.0, 1.0, 1.0, 1.0, 1.0];
        assert_eq!(places(&stairs, 0.5), [4, 6]);
        let outlier = [1.0, 1.0, 1.0, 1.0, 2.0, 3.0, 2.0, 2.0, 2.0];
        assert_eq!(places(&outlier, 0.5), [4]);
        // Too few captures.
        assert_eq!(places(&[1.0, 1.0, 2.0, 2.0, 2.0], 0.1), [0_u32; 0]);
    }

    #[test]
    fn the_limit_is_the_fence_of_a_history_or_the_band() {
        let values: Vec<Option<f64>> = [1.0, 1.1, 1.0, 1.1, 1.0, 1.1, 1.0, 1.1].map(Some).into();
        let long = figure_series("x", Unit::Count, values.clone(), 0.01);
        assert!(long.fence.is_some_and(|fence| (fence - 0.1).abs() < 1e-9) && long.limit == long.fence);
        let short = figure_series("x", Unit::Count, values[..7].to_vec(), 0.01);
        assert!(short.fence.is_none() && short.limit == Some(0.01));
        // Values that are missing are no changes, and the places are those of the captures.
        let mut gaps: Vec<Option<f64>> = [1.0, 1.0, 1.0, 1.0, 3.0, 3.0, 3.0].map(Some).into();
        gaps.insert(2, None);
        let found = figure_series("x", Unit::Count, gaps, 0.01);
        assert_eq!(found.changes, [ChangePoint { first_after: 5, before: 1.0, after: 3.0 }]);
        assert_eq!(middle(&[Some(3.0), None, Some(1.0), Some(2.0), Some(9.0)]), Some(3));
        assert_eq!(middle(&[None]), None);
    }
}
