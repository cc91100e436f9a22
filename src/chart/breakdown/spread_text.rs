//! This module writes the statistics of times, such as the periods of steps, as labels and texts.

use crate::analysis::base::Spread;
use crate::table::format;
use xla_profile::units::Picos;

/// Returns a mean of times, rounded to the picosecond.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a mean of durations: positive, below 2⁶³")]
pub(super) fn rounded(ps: f64) -> Picos {
    Picos(ps.round().max(0.0) as u64)
}

/// Returns labels and texts: mean with its interval, median, quartiles, shortest, longest, standard deviation.
pub fn spread_text(spread: &Spread) -> Vec<(&'static str, String)> {
    let time = |ps: f64| format::time_text(rounded(ps));
    let interval = spread.interval().map_or_else(String::new, |half| format!(" ± {}", time(half)));
    let [low, high] = spread.quartiles;
    let mut figures = vec![
        ("mean", time(spread.mean) + &interval),
        ("median", time(spread.median)),
        ("quartiles", format!("{} to {}", time(low), time(high))),
        ("min", format::time_text(spread.min)),
        ("max", format::time_text(spread.max)),
    ];
    figures.extend(spread.std_dev.map(|deviation| ("std. dev.", time(deviation))));
    figures
}
