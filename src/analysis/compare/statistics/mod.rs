//! This module decides whether two samples differ, such as the periods of the steps of two captures. No function assumes a
//! distribution of the values: the test and the interval depend on ranks.
//!
//! ```text
//!  samples a, b ──┬─► mann_whitney ──► p ──► benjamini_hochberg: which of many rows differ
//!                 ├─► shift ──► estimate and 95 % interval ──► widened
//!                 └─► widening: neighbouring steps that resemble each other say less ──┘
//!  |Δ| of a history ──► fence: the largest usual difference
//! ```
//!
//! The module depends on numbers only. It does not depend on profiles or on units. No result depends on random numbers.

mod distribution;
mod effective_size;
mod false_discovery;
mod mann_whitney;
mod quantiles;
mod sample;
mod shift;
#[cfg(test)]
mod tests;

pub use distribution::{EXACT_PAIRS, MIN_SAMPLES};
pub use effective_size::{effective_size, lag1_autocorrelation, widening};
pub use false_discovery::benjamini_hochberg;
pub use mann_whitney::{mann_whitney, mann_whitney_of_samples};
pub use quantiles::{MIN_DIFFERENCES, fence, median};
pub use sample::Sample;
pub use shift::{Shift, shift};
