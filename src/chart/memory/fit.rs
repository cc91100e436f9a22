//! This module describes the estimate of the memory for other sizes of the model and of the batch: fields, sentences,
//! the bar of the capacity and the rows.

use super::size::{SizeUnit, text};
use crate::analysis::memory::{Fit, FitRow, JobSize, LIMIT, MemoryClass, large_count};
use crate::table::format::{self, ABSENT};

/// A field of the sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    Parameters,
    Sharing,
    Sequences,
    Length,
}

impl Field {
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
    pub const fn of(self, size: &JobSize) -> u64 {
        match self {
            Self::Parameters => size.n_parameters,
            Self::Sharing => size.n_sharing,
            Self::Sequences => size.sequences,
            Self::Length => size.length,
        }
    }

    /// Returns the sizes with another value of the field.
    pub const fn with(self, mut size: JobSize, value: u64) -> JobSize {
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
pub fn number(text: &str) -> Option<u64> {
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
pub enum Verdict {
    Fits,
    /// It needs more than [`LIMIT`] of the memory.
    Tight,
    DoesNotFit,
    Unknown,
}

/// Returns the verdict and its sentence.
#[expect(clippy::cast_precision_loss, reason = "an estimate")]
pub fn verdict(fit: &Fit) -> (Verdict, String) {
    let needed = format!("~{}", text(fit.estimate));
    let Some(capacity) = fit.capacity else {
        return (Verdict::Unknown, format!("{needed} on each device. The size of its memory is unknown."));
    };
    let of = format!("{needed} of {} on each device", text(capacity));
    if fit.estimate > capacity {
        (Verdict::DoesNotFit, format!("Does not fit: {of}."))
    } else if fit.estimate as f64 > capacity as f64 * LIMIT {
        (Verdict::Tight, format!("Tight: {of}, more than {}.", limit_text()))
    } else {
        (Verdict::Fits, format!("Fits: {of}."))
    }
}

fn limit_text() -> String {
    format!("{:.0} %", LIMIT * 100.0)
}

/// Returns a sentence on the largest sizes that stay below the limit. `None` if they are unknown.
pub fn largest(fit: &Fit) -> Option<String> {
    let parameters = fit.most_parameters.map(|n| format!("~{} parameters", large_count(n)));
    let sequences = fit.most_sequences.map(|n| format!("~{} per device", format::counted(n, "sequence", "sequences")));
    let parts: Vec<String> = [parameters, sequences].into_iter().flatten().collect();
    let all = parts.join(", or ");
    (!parts.is_empty()).then(|| format!("With the other sizes as they are, up to {all} stay below {}.", limit_text()))
}

/// The sentence that says how the estimate is made.
pub const METHOD: &str = "Each class grows with the sizes as its row says, and scores of attention also with the length. A larger model is \
                          taken to grow in depth and width alike. The estimate is the highest of several points of the program. For eight \
                          programs that XLA compiled, it was between 22 % too low (twice the length) and 9 % too high (four times the \
                          batch).";

/// The sentence for programs whose sizes are unknown.
pub const UNKNOWN: &str =
    "The weights or the tokens of this program are not recognised, so that nothing can be scaled.";

/// A row of the table, as texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub class: MemoryClass,
    pub grows_with: &'static str,
    /// By rule of thumb, at the measured peak, and with the given sizes.
    pub sizes: [String; 3],
}

/// Returns the unit of the table, its rows, and their sums.
pub fn rows(fit: &Fit) -> (SizeUnit, Vec<Row>, [String; 2]) {
    let measured = fit.rows.iter().fold(0, |sum: u64, row| sum.saturating_add(row.measured));
    let unit = SizeUnit::for_largest(fit.estimate.max(measured));
    let about = |size: u64| format!("~{}", unit.text(Some(size)));
    let row = |row: &FitRow| Row {
        class: row.class,
        grows_with: row.grows_with,
        sizes: [
            row.rule.map_or_else(|| ABSENT.to_owned(), |size| unit.text(Some(size))),
            unit.text(Some(row.measured)),
            about(row.estimate),
        ],
    };
    (unit, fit.rows.iter().map(row).collect(), [unit.text(Some(measured)), about(fit.estimate)])
}

/// Returns the parts of the bar: a class and its share of the bar's length, which is the capacity, or the estimate if it
/// is larger. The second value is the place of the limit on the bar; `None` if the capacity is unknown.
#[expect(clippy::cast_precision_loss, reason = "shares of a bar")]
pub fn bar(fit: &Fit) -> (Vec<(MemoryClass, f64)>, Option<f64>) {
    let whole = fit.capacity.unwrap_or(0).max(fit.estimate).max(1) as f64;
    let parts = fit.rows.iter().filter(|row| row.estimate > 0).map(|row| (row.class, row.estimate as f64 / whole));
    (parts.collect(), fit.capacity.map(|capacity| capacity as f64 * LIMIT / whole))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_as_people_write_them() {
        let of = |text| number(text);
        assert_eq!(
            (of("8.03B"), of("8.03 billion"), of("70e9")),
            (Some(8_030_000_000), Some(8_030_000_000), Some(70_000_000_000))
        );
        assert_eq!((of("512M"), of("4k"), of("2,048")), (Some(512_000_000), Some(4_000), Some(2_048)));
        assert_eq!((of(""), of("0"), of("-3"), of("B"), of("nan"), of("1e99")), (None, None, None, None, None, None));
    }
}
