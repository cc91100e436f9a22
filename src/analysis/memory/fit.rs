//! This module estimates the peak memory of a program for another size of the model or of the batch. It scales what is
//! alive at the measured peak and at other high points, class by class, and takes the highest of them. The sizes of the
//! program give the measured peak.
//!
//! ```text
//!  weights, optimizer state, gradients     parameters ÷ devices that share them
//!  activations, temporaries, experts       tokens · parameters^⅔          depth and width grow alike, so that the
//!  attention                               tokens · parameters^⅓          parameters grow with the cube of either
//!  arrays with the length twice            tokens · length · parameters^⅓    scores of attention, in any class
//!  logits, inputs                          tokens
//!  communication buffers                   parameters^⅔                   the weights of one layer
//!  constants, outputs                      nothing
//! ```
//!
//! Tokens are those of one device. This module does not depend on chips.

use super::categories::MemoryClass;
use super::fit_report::{FitPart, JobSize};
use super::report::SpaceMemory;
use xla_profile::small_sort::SmallSort;

/// The estimated peak memory of a program with other sizes.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// One row per class that is alive at the peak, the largest estimate first.
    pub rows: Vec<FitRow>,
    /// Bytes of the estimate. `None` if they are more than 8 EiB.
    pub estimate: Option<u64>,
    /// Bytes of the device's memory. `None` if they are unknown.
    pub capacity: Option<u64>,
    /// The most parameters, with the other sizes as given, below [`LIMIT`] of the capacity. `None` if not even one
    /// parameter fits, or if the capacity is unknown.
    pub most_parameters: Option<u64>,
    /// The most sequences on one device, likewise.
    pub most_sequences: Option<u64>,
}

/// The memory of one class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FitRow {
    pub class: MemoryClass,
    /// What the bytes grow with, in words.
    pub grows_with: &'static str,
    /// Bytes by the rule of thumb for the measured sizes. `None` if there is no rule for the class.
    pub rule: Option<u64>,
    /// Bytes at the measured peak.
    pub measured: u64,
    /// Estimated bytes. `None` if they are more than 8 EiB.
    pub estimate: Option<u64>,
}

/// The part of a device's memory that may be used, as a fraction. The rest is for fragmentation and for programs that
/// run beside.
pub const LIMIT: f64 = 0.9;

/// The most bytes of an estimate: 8 EiB. More has no meaning for a device, and sums of it would not fit their type.
pub const MOST_BYTES: u64 = 1 << 63;

/// The largest size that is searched.
const MOST: u64 = 1 << 53;

impl Fit {
    /// Estimates the peak for other sizes. `None` if the sizes of the program are unknown.
    pub fn new(space: &SpaceMemory, size: JobSize, capacity: Option<u64>) -> Option<Self> {
        let basis = space.fit.as_ref()?;
        let measured = basis.moments.first()?;
        let total = |moment: &[FitPart], size: JobSize| {
            moment.iter().try_fold(0_u64, |sum, part| within_most(sum.checked_add(scaled(part, basis.size, size)?)?))
        };
        let peak = |size: JobSize| {
            let totals: Option<Vec<u64>> = basis.moments.iter().map(|moment| total(moment, size)).collect();
            totals.map(|totals| totals.into_iter().max().unwrap_or(0))
        };
        let estimate = peak(size);
        // Without an estimate, the rows are those of the first moment that is too large.
        let highest = basis.moments.iter().find(|moment| match estimate {
            Some(estimate) => total(moment, size) == Some(estimate),
            None => total(moment, size).is_none(),
        })?;
        let row = |class: MemoryClass| {
            let part = |moment: &[FitPart]| moment.iter().find(|part| part.class == class).copied();
            let (now, then) = (part(measured), part(highest));
            let rule = space.estimate.rows.iter().find(|row| row.class == class).and_then(|row| row.expected);
            (now.is_some() || then.is_some()).then(|| FitRow {
                class,
                grows_with: grows_with(class),
                rule,
                measured: now.map_or(0, |part| part.size),
                estimate: then.map_or(Some(0), |part| scaled(&part, basis.size, size)),
            })
        };
        let mut rows: Vec<FitRow> = MemoryClass::ALL.iter().filter_map(|class| row(*class)).collect();
        rows.small_sort_by_key(|row| std::cmp::Reverse(row.estimate.unwrap_or(u64::MAX)));
        let fits = |size: JobSize| capacity.zip(peak(size)).is_some_and(|(capacity, peak)| below_limit(peak, capacity));
        let most_parameters = most(&|n_parameters| fits(JobSize { n_parameters, ..size }));
        let most_sequences = most(&|sequences| fits(JobSize { sequences, ..size }));
        Some(Self { rows, estimate, capacity, most_parameters, most_sequences })
    }
}

#[expect(clippy::cast_precision_loss, reason = "an estimate")]
fn below_limit(bytes: u64, capacity: u64) -> bool {
    bytes as f64 <= capacity as f64 * LIMIT
}

/// Returns the largest number that fits. `None` if 1 does not, or if every number does.
fn most(fits: &dyn Fn(u64) -> bool) -> Option<u64> {
    if !fits(1) || fits(MOST) {
        return None;
    }
    let (mut fitting, mut too_large) = (1, MOST);
    while too_large - fitting > 1 {
        let middle = fitting.midpoint(too_large);
        if fits(middle) { fitting = middle } else { too_large = middle }
    }
    Some(fitting)
}

fn within_most(bytes: u64) -> Option<u64> {
    (bytes <= MOST_BYTES).then_some(bytes)
}

/// Returns the bytes of a class with other sizes. `None` if they are more than 8 EiB.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "an estimate, within the limit that is checked"
)]
fn scaled(part: &FitPart, program: JobSize, size: JobSize) -> Option<u64> {
    let ratio = |amount: fn(&JobSize) -> u64| amount(&size) as f64 / amount(&program).max(1) as f64;
    let parameters = ratio(|size| size.n_parameters);
    let sharing = ratio(|size| size.n_sharing);
    let length = ratio(|size| size.length);
    let tokens = ratio(|size| size.sequences) * length;
    // Depth and width grow alike: parameters ∝ depth · width².
    let width = parameters.cbrt();
    let layer = width * width;
    let scale = |bytes: u64, by: f64| {
        let scaled = (bytes as f64 * by).round();
        (scaled <= MOST_BYTES as f64).then_some(scaled as u64)
    };
    let scores = scale(part.scores.min(part.size), tokens * length * width)?;
    let rest = part.size.saturating_sub(part.scores);
    let rest = match part.class {
        MemoryClass::Weights | MemoryClass::Optimizer | MemoryClass::Gradients => scale(rest, parameters / sharing),
        MemoryClass::Activations | MemoryClass::Temporaries | MemoryClass::Experts => scale(rest, tokens * layer),
        MemoryClass::Attention => scale(rest, tokens * width),
        MemoryClass::Logits | MemoryClass::Inputs => scale(rest, tokens),
        MemoryClass::Communication => scale(rest, layer),
        MemoryClass::Outputs | MemoryClass::Constants => Some(rest),
    };
    within_most(rest?.checked_add(scores)?)
}

const fn grows_with(class: MemoryClass) -> &'static str {
    match class {
        MemoryClass::Weights | MemoryClass::Optimizer | MemoryClass::Gradients => "parameters ÷ devices",
        MemoryClass::Activations | MemoryClass::Temporaries | MemoryClass::Experts => "tokens × parameters^⅔",
        MemoryClass::Attention => "tokens × parameters^⅓",
        MemoryClass::Logits | MemoryClass::Inputs => "tokens",
        MemoryClass::Communication => "parameters^⅔",
        MemoryClass::Outputs | MemoryClass::Constants => "nothing",
    }
}
