//! This module computes the ticks of an axis: 1-2-5 steps on a linear scale, decades on a log scale. The caller
//! supplies the format of labels.

use super::scale::Scale;
use crate::table::format::{self, TimeUnit};
use xla_profile::units::Picos;

/// A marked value of an axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    pub value: f64,
    pub label: String,
    /// Position, in px.
    pub position: f64,
}

/// Returns about `target` ticks, at most `target` + 1, in ascending order.
pub fn ticks(scale: &Scale, target: usize, label: fn(f64) -> String) -> Vec<Tick> {
    let (lo, hi) = scale.domain();
    let target = target.clamp(1, 100);
    let values = match scale {
        Scale::Linear(_) => even(lo, hi, target),
        Scale::Log(_) => decades(lo, hi, target),
    };
    values.into_iter().map(|value| Tick { value, label: label(value), position: scale.to(value) }).collect()
}

/// Returns a time as a number of units, for an axis in this unit.
#[expect(clippy::cast_precision_loss, reason = "units are powers of ten")]
pub fn in_unit(time: Picos, unit: TimeUnit) -> f64 {
    time.as_f64() / unit.in_ps() as f64
}

/// Formats a number with as many decimals as it needs: "0.5", "1", "1,000".
pub fn plain(value: f64) -> String {
    let whole = |decimals: &u32| {
        let scaled = value * 10f64.powi(decimals.cast_signed());
        (scaled - scaled.round()).abs() <= 1e-6 * scaled.abs()
    };
    format::decimal(value, (0..=12).find(whole).unwrap_or(12))
}

/// Formats a number of a wide range with a decimal prefix: "0.01", "100", "1 k", "10 k". All axes of a picture have the
/// same format.
pub fn short(value: f64) -> String {
    let (scaled, unit) = if value >= 0.999e6 {
        (value / 1e6, " M")
    } else if value >= 0.999e3 {
        (value / 1e3, " k")
    } else {
        (value, "")
    };
    plain(scaled) + unit
}

/// Returns the multiples of the smallest 1-2-5 step that is at least the domain divided by `target`.
#[expect(clippy::cast_precision_loss, reason = "at most a hundred ticks")]
fn even(lo: f64, hi: f64, target: usize) -> Vec<f64> {
    let rough = (hi - lo) / target as f64;
    let decade = rough.log10().floor();
    let power = 10f64.powf(decade.abs());
    // A step below one is a quotient, because 3 / 10 is exact where 3 × 0.1 is not.
    let scaled = |n: f64| if decade < 0.0 { n / power } else { n * power };
    let lead = [1.0, 2.0, 5.0].into_iter().find(|lead| scaled(*lead) >= rough * (1.0 - 1e-9)).unwrap_or(10.0);
    let step = scaled(lead);
    let (first, last) = ((lo / step - 1e-9).ceil(), (hi / step + 1e-9).floor());
    // Adding zero turns a negative zero into a positive one.
    let mut values: Vec<f64> =
        (0..=target).map(|n| first + n as f64).take_while(|n| *n <= last).map(|n| scaled(n * lead) + 0.0).collect();
    values.dedup();
    values
}

/// Returns powers of ten, every few of them if there are many; if there are few, also 2 and 5 times each.
fn decades(lo: f64, hi: f64, target: usize) -> Vec<f64> {
    let (first, last) = (whole((lo.log10() - 1e-9).ceil()), whole((hi.log10() + 1e-9).floor()));
    let count = usize::try_from(last - first + 1).unwrap_or(0);
    if count >= 2 && count * 3 > target {
        let every = i32::try_from(count.div_ceil(target)).unwrap_or(i32::MAX);
        return (first..=last).filter(|decade| decade.rem_euclid(every) == 0).map(|decade| lead(1.0, decade)).collect();
    }
    let between = |value: &f64| *value >= lo * (1.0 - 1e-9) && *value <= hi * (1.0 + 1e-9);
    let all = (first - 1..=last).flat_map(|decade| [1.0, 2.0, 5.0].map(|n| lead(n, decade)));
    let values: Vec<f64> = all.filter(between).collect();
    // In a narrow range between two decades, linear steps are clearer.
    if (2..=target + 1).contains(&values.len()) { values } else { even(lo, hi, target) }
}

fn lead(n: f64, decade: i32) -> f64 {
    let power = 10f64.powi(decade.abs());
    if decade < 0 { n / power } else { n * power }
}

#[expect(clippy::cast_possible_truncation, reason = "the exponent of a float")]
const fn whole(decade: f64) -> i32 {
    decade as i32
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn labels(scale: &Scale, target: usize) -> Vec<String> {
        ticks(scale, target, plain).into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn ticks_of_wide_ranges_are_short() {
        let labels = [0.01, 100.0, 1e3, 1e4, 1e7].map(short);
        assert_eq!(labels, ["0.01", "100", "1 k", "10 k", "10 M"]);
    }

    fn linear(lo: f64, hi: f64) -> Scale {
        Scale::linear((lo, hi), (0.0, 300.0))
    }

    fn log(lo: f64, hi: f64) -> Scale {
        Scale::log((lo, hi), (0.0, 300.0))
    }

    #[test]
    fn steps_are_one_two_or_five() {
        assert_eq!(labels(&linear(0.0, 122.1), 5), ["0", "50", "100"]);
        assert_eq!(labels(&linear(0.0, 100.0), 5), ["0", "20", "40", "60", "80", "100"]);
        assert_eq!(labels(&linear(0.0, 1.0), 10).join(" "), "0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1");
        assert_eq!(labels(&linear(-1.0, 1.0), 4), ["−1", "−0.5", "0", "0.5", "1"]);
        assert_eq!(labels(&linear(0.0, 5600.0), 6), ["0", "1,000", "2,000", "3,000", "4,000", "5,000"]);
        assert_eq!(ticks(&linear(0.0, 100.0), 2, plain).last().map(|tick| tick.position), Some(300.0));
    }

    #[test]
    fn decades_have_twos_and_fives_where_there_is_room() {
        assert_eq!(labels(&log(0.1, 1e4), 6), ["0.1", "1", "10", "100", "1,000", "10,000"]);
        assert_eq!(labels(&log(1.0, 100.0), 9), ["1", "2", "5", "10", "20", "50", "100"]);
        assert_eq!(labels(&log(1e-6, 1e6), 5).len(), 5);
        assert_eq!(labels(&log(1e-6, 1e6), 5)[1], "0.001");
        assert_eq!(labels(&log(1.5, 6.0), 6), ["2", "5"]);
        assert_eq!(labels(&log(2.1, 2.9), 4), ["2.2", "2.4", "2.6", "2.8"]);
    }

    #[test]
    fn numbers_have_the_decimals_they_need() {
        assert_eq!([plain(0.0), plain(0.25), plain(1500.0), plain(1e-9)], ["0", "0.25", "1,500", "0.000000001"]);
    }

    proptest! {
        #[test]
        fn ticks_ascend_within_the_domain(
            lo in -1e9f64..1e9, width in 1e-2f64..1e9, low in -20f64..20.0, decades in 0.05f64..30.0, target in 1usize..20,
        ) {
            let (a, b) = (10f64.powf(low), 10f64.powf(low + decades));
            for (scale, slack) in [(linear(lo, lo + width), (lo.abs() + width) * 1e-6), (log(a, b), b * 1e-6)] {
                let ticks = ticks(&scale, target, plain);
                prop_assert!(ticks.len() <= target + 1, "{} for {target}", ticks.len());
                prop_assert!(ticks.windows(2).all(|pair| pair[0].value < pair[1].value));
                let (first, last) = scale.domain();
                prop_assert!(ticks.iter().all(|tick| tick.value >= first - slack && tick.value <= last + slack));
                prop_assert!(ticks.iter().all(|tick| (scale.to(tick.value) - tick.position).abs() < 1e-9));
                prop_assert!(target < 3 || !ticks.is_empty());
            }
        }
    }
}
