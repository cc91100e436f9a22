//! This module places the steps of both sides on one axis of time: a dot for each step, and a line for each mean.

use crate::analysis::compare::{Comparison, SideHead};
use crate::chart::plot::scale::Scale;
use crate::chart::plot::ticks::{Tick, plain, ticks};
use crate::table::format::{self, TimeUnit};
use xla_profile::units::Picos;

/// Largest number of dots of a side. Of more steps, every n-th one is drawn.
const MAX_DOTS: usize = 200;

/// A step, with its place as fractions of the width of its side and of the height. The longest step is at the top.
#[derive(Clone, Debug, PartialEq)]
pub struct StepDot {
    pub x: f64,
    pub y: f64,
    /// The length with its unit.
    pub time: String,
}

/// The steps of both sides.
#[derive(Clone, Debug, PartialEq)]
pub struct StepsPicture {
    /// Of A and of B: the dots, and the place of the mean from the top.
    pub sides: [(Vec<StepDot>, f64); 2],
    pub ticks: Vec<Tick>,
    pub unit: &'static str,
    /// The picture in a sentence.
    pub sentence: String,
}

/// Places the steps of both sides. `None` if a side has no steps.
#[expect(clippy::cast_precision_loss, reason = "places on the screen")]
pub fn steps(comparison: &Comparison) -> Option<StepsPicture> {
    let samples = [&comparison.a, &comparison.b].map(|side| comparison.unit.samples(side));
    let all = || samples.iter().flatten().copied();
    let (low, high) = (all().reduce(f64::min)?, all().reduce(f64::max)?);
    if samples.iter().any(Vec::is_empty) {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "times in ps")]
    let unit = TimeUnit::for_largest(Picos(high as u64));
    let in_unit = |ps: f64| ps / unit.in_ps() as f64;
    let margin = ((high - low) * 0.12).max(high * 0.002);
    let scale = Scale::linear((in_unit((low - margin).max(0.0)), in_unit(high + margin)), (1.0, 0.0));
    let side = |samples: &[f64]| {
        let every = samples.len().div_ceil(MAX_DOTS).max(1);
        let n = samples.len().div_ceil(every) as f64;
        let dot = |(index, ps): (usize, &f64)| StepDot {
            x: (index as f64 + 0.5) / n,
            y: scale.to(in_unit(*ps)),
            time: time_text(*ps),
        };
        let dots = samples.iter().step_by(every).enumerate().map(dot).collect();
        (dots, scale.to(in_unit(mean(samples))))
    };
    let words = |name: &str, side: &SideHead, samples: &[f64]| {
        let n = format::counted(side.n_steps.into(), "step", "steps");
        let (low, high) = (samples.iter().copied().reduce(f64::min), samples.iter().copied().reduce(f64::max));
        let range = low
            .zip(high)
            .map_or_else(String::new, |(low, high)| format!(", from {} to {}", time_text(low), time_text(high)));
        format!("{name}: {n}{range}")
    };
    let sentence = format!("{}; {}", words("A", &comparison.a, &samples[0]), words("B", &comparison.b, &samples[1]));
    Some(StepsPicture {
        sides: [side(&samples[0]), side(&samples[1])],
        ticks: ticks(&scale, 5, plain),
        unit: unit.symbol(),
        sentence,
    })
}

#[expect(clippy::cast_precision_loss, reason = "a mean of samples")]
fn mean(samples: &[f64]) -> f64 {
    samples.iter().sum::<f64>() / samples.len().max(1) as f64
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "times in ps")]
fn time_text(ps: f64) -> String {
    format::time_text(Picos(ps as u64))
}
