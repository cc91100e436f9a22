//! This module describes the estimate of the memory for other sizes: the names of the sizes, numbers as people write them,
//! and the verdict.

use super::fit::{Fit, LIMIT};
use super::fit_report::JobSize;
use super::model_guess::large_count;
use crate::table::format::{bytes_text, counted};

/// A field of the sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SizeField {
    Parameters,
    Sharing,
    Sequences,
    Length,
}

impl SizeField {
    /// All fields, in order.
    pub const ALL: [Self; 4] = [Self::Parameters, Self::Sharing, Self::Sequences, Self::Length];

    /// Returns the label for users.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Parameters => "Parameters",
            Self::Sharing => "Shared by devices",
            Self::Sequences => "Sequences per device",
            Self::Length => "Tokens per sequence",
        }
    }

    /// Returns the value of the field.
    pub const fn value(self, size: &JobSize) -> u64 {
        match self {
            Self::Parameters => size.n_parameters,
            Self::Sharing => size.n_sharing,
            Self::Sequences => size.sequences,
            Self::Length => size.length,
        }
    }

    /// Returns the sizes with another value of the field.
    pub const fn with_value(self, mut size: JobSize, value: u64) -> JobSize {
        match self {
            Self::Parameters => size.n_parameters = value,
            Self::Sharing => size.n_sharing = value,
            Self::Sequences => size.sequences = value,
            Self::Length => size.length = value,
        }
        size
    }
}

/// Largest number that is accepted.
const LARGEST: f64 = 1e15;

/// Reads a number from 1 on, such as `8.03B`, `8.03 billion`, `70e9`, `512M`, `4k` or `2,048`. `None` for any other text.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within the range that is checked")]
pub fn parse_size(text: &str) -> Option<u64> {
    let text: String = text.chars().filter(|c| !matches!(c, ',' | '_' | ' ' | '\u{a0}' | '\u{202f}')).collect();
    let lower = text.to_ascii_lowercase();
    let units = [("billion", 1e9), ("million", 1e6), ("b", 1e9), ("g", 1e9), ("m", 1e6), ("k", 1e3), ("t", 1e12)];
    let (digits, unit) = units
        .into_iter()
        .find_map(|(word, unit)| Some((lower.strip_suffix(word)?, unit)))
        .unwrap_or((lower.as_str(), 1.0));
    let value = (digits.parse::<f64>().ok()? * unit).round();
    (1.0..=LARGEST).contains(&value).then_some(value as u64)
}

/// What the estimate says, in a sentence, and whether the program fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FitVerdict {
    Fits,
    /// It needs more than [`LIMIT`] of the memory.
    Tight,
    DoesNotFit,
    Unknown,
}

/// Returns the verdict and its sentence.
#[expect(clippy::cast_precision_loss, reason = "an estimate")]
pub fn fit_verdict(fit: &Fit) -> (FitVerdict, String) {
    let Some(estimate) = fit.estimate else {
        // No device has that much memory.
        let verdict = if fit.capacity.is_some() { FitVerdict::DoesNotFit } else { FitVerdict::Unknown };
        let start = if fit.capacity.is_some() { "Does not fit. " } else { "" };
        return (verdict, format!("{start}{FIT_TOO_LARGE}"));
    };
    let needed = format!("~{}", bytes_text(estimate));
    let Some(capacity) = fit.capacity else {
        return (FitVerdict::Unknown, format!("{needed} on each device. The size of its memory is unknown."));
    };
    let need = format!("{needed} of {} on each device", bytes_text(capacity));
    if estimate > capacity {
        (FitVerdict::DoesNotFit, format!("Does not fit: {need}."))
    } else if estimate as f64 > capacity as f64 * LIMIT {
        (FitVerdict::Tight, format!("Tight: {need}, more than {}.", limit_text()))
    } else {
        (FitVerdict::Fits, format!("Fits: {need}."))
    }
}

fn limit_text() -> String {
    format!("{:.0} %", LIMIT * 100.0)
}

/// Returns a sentence on the largest sizes that stay below the limit. `None` if they are unknown.
pub fn largest_sizes(fit: &Fit) -> Option<String> {
    let parameters = fit.most_parameters.map(|n| format!("~{} parameters", large_count(n)));
    let sequences = fit.most_sequences.map(|n| format!("~{} per device", counted(n, "sequence", "sequences")));
    let parts: Vec<String> = [parameters, sequences].into_iter().flatten().collect();
    let all = parts.join(", or ");
    (!parts.is_empty()).then(|| format!("With the other sizes as they are, up to {all} stay below {}.", limit_text()))
}

/// The sentence that says how the estimate is made.
pub const FIT_METHOD: &str = "Each class grows with the sizes as its row says, and scores of attention also with the length. A larger model is \
                          taken to grow in depth and width alike. The estimate is the highest of several points of the program. For eight \
                          programs that XLA compiled, it was between 22 % too low (twice the length) and 9 % too high (four times the \
                          batch).";

/// The sentence for sizes whose memory is more than 8 EiB.
pub const FIT_TOO_LARGE: &str = "There is no estimate: with these sizes, each device would need more than 8 EiB.";

/// The sentence for programs whose sizes are unknown.
pub const FIT_UNKNOWN: &str =
    "The weights or the tokens of this program are not recognised, so that nothing can be scaled.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_as_people_write_them() {
        let size = |text| parse_size(text);
        assert_eq!(
            (size("8.03B"), size("8.03 billion"), size("70e9")),
            (Some(8_030_000_000), Some(8_030_000_000), Some(70_000_000_000))
        );
        assert_eq!((size("512M"), size("4k"), size("2,048")), (Some(512_000_000), Some(4_000), Some(2_048)));
        assert_eq!(
            (size(""), size("0"), size("-3"), size("B"), size("nan"), size("1e99")),
            (None, None, None, None, None, None)
        );
    }
}
