//! This module formats numbers for the page and the terminal. It depends on units and rounding, not on reports.
//!
//! ```text
//!   largest of a column ──► TimeUnit ──► time(x, unit)    one unit per column, digits line up
//!   one figure          ──► figure_time(x) ──► (text, unit)
//! ```
//!
//! Times and counts are rounded in integers, half up. A value above zero that rounds to zero is written as `<0.001`, so
//! that "0" always means a measured zero. For absent values, callers write [`ABSENT`].

use std::fmt::Write;
use xla_profile::units::{Count, Picos};

/// The text for an absent value.
pub const ABSENT: &str = "–";

/// The unit of a column of times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeUnit {
    Ps,
    Ns,
    Us,
    Ms,
    S,
}

impl TimeUnit {
    /// All units, the smallest first.
    pub const ALL: [Self; 5] = [Self::Ps, Self::Ns, Self::Us, Self::Ms, Self::S];

    /// Returns the unit in which `largest` has one to three digits before the point, after rounding to the decimals of
    /// the unit. In seconds, the largest unit, it may have more digits.
    pub fn for_largest(largest: Picos) -> Self {
        let fits = |unit: &Self| {
            let limit = 1000 * u128::from(unit.in_ps());
            rounded(largest, unit.in_ps(), unit.decimals()) * step(unit.in_ps(), unit.decimals()) < limit
        };
        Self::ALL.into_iter().find(fits).unwrap_or(Self::S)
    }

    /// Returns the symbol in the heading of a column.
    pub const fn symbol(self) -> &'static str {
        match self {
            Self::Ps => "ps",
            Self::Ns => "ns",
            Self::Us => "µs",
            Self::Ms => "ms",
            Self::S => "s",
        }
    }

    /// Returns the number of decimals in a column of this unit.
    pub const fn decimals(self) -> u32 {
        match self {
            Self::Ps | Self::Ns => 0,
            Self::Us => 1,
            Self::Ms | Self::S => 3,
        }
    }

    /// Returns the unit in picoseconds.
    pub const fn in_ps(self) -> u64 {
        match self {
            Self::Ps => 1,
            Self::Ns => 1_000,
            Self::Us => 1_000_000,
            Self::Ms => 1_000_000_000,
            Self::S => 1_000_000_000_000,
        }
    }
}

/// Returns the smallest amount that can be shown, in ps: one unit of the last decimal, at least 1 ps.
fn step(unit_ps: u64, decimals: u32) -> u128 {
    (u128::from(unit_ps) / 10u128.pow(decimals)).max(1)
}

/// Returns `time` in multiples of [`step`], rounded half up.
fn rounded(time: Picos, unit_ps: u64, decimals: u32) -> u128 {
    let step = step(unit_ps, decimals);
    (u128::from(time.0) + step / 2) / step
}

/// Formats a time in a unit with this number of decimals, without the unit. Picoseconds have no decimals.
pub fn time_with_decimals(time: Picos, unit: TimeUnit, decimals: u32) -> String {
    let decimals = if unit == TimeUnit::Ps { 0 } else { decimals };
    let n = rounded(time, unit.in_ps(), decimals);
    if n == 0 && time.0 > 0 { format!("<{}", fixed(1, decimals)) } else { fixed(n, decimals) }
}

/// Formats `n` units of the last decimal: `fixed(1234567, 3)` is "1,234.567".
fn fixed(n: u128, decimals: u32) -> String {
    let scale = 10u128.pow(decimals);
    let mut text = grouped(n / scale);
    if decimals > 0 && n > 0 {
        let _ = write!(text, ".{:0width$}", n % scale, width = decimals as usize);
    }
    text
}

fn grouped(n: u128) -> String {
    let digits = n.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats a time in the unit of its column, without the unit, such as "6.251".
pub fn time(time: Picos, unit: TimeUnit) -> String {
    time_with_decimals(time, unit, unit.decimals())
}

/// Formats a single time: two decimals, and its unit. Picoseconds have no decimals. No time is "0 s".
pub fn figure_time(time: Picos) -> (String, &'static str) {
    if time == Picos::ZERO {
        return ("0".to_owned(), TimeUnit::S.symbol());
    }
    let largest_of = |unit: &TimeUnit| rounded(time, unit.in_ps(), 2) * step(unit.in_ps(), 2);
    let unit = TimeUnit::ALL
        .into_iter()
        .find(|unit| largest_of(unit) < 1000 * u128::from(unit.in_ps()))
        .unwrap_or(TimeUnit::S);
    (time_with_decimals(time, unit, 2), unit.symbol())
}

/// Formats a single time with its unit, such as "122.11 ms".
pub fn time_text(time: Picos) -> String {
    let (text, unit) = figure_time(time);
    format!("{text} {unit}")
}

/// Formats a time in a unit, such as "0.98 ms", so that times below each other can be compared.
pub fn time_text_in(time: Picos, unit: TimeUnit) -> String {
    format!("{} {}", time_with_decimals(time, unit, 2), unit.symbol())
}

/// Formats a time exactly, such as "304,033,200,000,000 ps".
pub fn exact_time(time: Picos) -> String {
    format!("{} ps", grouped(u128::from(time.0)))
}

/// Formats a time without rounding and without commas, such as "12.5 ms", in the largest unit of which it is one or more.
pub fn lossless_time(time: Picos) -> String {
    let unit = TimeUnit::ALL.into_iter().rfind(|unit| time.0 >= unit.in_ps()).unwrap_or(TimeUnit::Ps);
    let places = unit.in_ps().ilog10() as usize;
    let digits = format!("{}.{:0places$}", time.0 / unit.in_ps(), time.0 % unit.in_ps());
    format!("{} {}", digits.trim_end_matches('0').trim_end_matches('.'), unit.symbol())
}

/// Formats an integer with commas.
pub fn count(n: u64) -> String {
    grouped(u128::from(n))
}

/// Returns a message with commas in the count with which it begins, if it begins with a count.
pub fn with_grouped_count(message: &str) -> String {
    let count_and_rest = message.split_once(' ').and_then(|(first, rest)| Some((first.parse::<u64>().ok()?, rest)));
    count_and_rest.map_or_else(|| message.to_owned(), |(n, rest)| format!("{} {rest}", count(n)))
}

/// Formats a number of executions with commas: a fraction with one decimal, or with two below 10.
pub fn executions(n: Count) -> String {
    let decimals = if n.as_f64() >= 10.0 { 1 } else { 2 };
    n.whole().map_or_else(|| decimal(n.as_f64(), decimals), count)
}

/// Formats a count with its noun: "1 op", "2 ops", "1,024 ops".
pub fn counted(n: u64, one: &str, many: &str) -> String {
    counted_executions(n.into(), one, many)
}

/// Formats a number of executions with its noun: "1 run", "2.5 runs".
pub fn counted_executions(n: Count, one: &str, many: &str) -> String {
    format!("{} {}", executions(n), if n == Count::ONE { one } else { many })
}

/// Formats a fraction as a percentage without its sign: one decimal, two below 1 %.
pub fn percent(fraction: f64) -> String {
    let value = fraction * 100.0;
    let fine = decimal(value, 2);
    if value.abs() < 1.0 && fine != "1.00" { fine } else { decimal(value, 1) }
}

/// Formats a fraction as a percentage with its sign, for sentences and labels: "14.5 %".
pub fn percent_text(fraction: f64) -> String {
    format!("{} %", percent(fraction))
}

/// Returns the sign before the absolute value of a difference. Empty for 0.
pub fn sign(value: f64) -> &'static str {
    match value.partial_cmp(&0.0) {
        Some(std::cmp::Ordering::Greater) => "+",
        Some(std::cmp::Ordering::Less) => "\u{2212}",
        _ => "",
    }
}

/// Formats a change as a percentage with its sign, and without the percent sign.
pub fn signed_percent(change: f64) -> String {
    format!("{}{}", sign(change), percent(change.abs()))
}

/// Formats a difference of times in picoseconds with its sign, in a unit.
#[expect(clippy::cast_precision_loss, reason = "only the sign")]
pub fn signed_time(difference: i64, unit: TimeUnit) -> String {
    format!("{}{}", sign(difference as f64), time(Picos(difference.unsigned_abs()), unit))
}

/// Formats a difference of times in picoseconds with its sign, in the largest unit of which it is one or more.
#[expect(clippy::cast_precision_loss, reason = "only the sign")]
pub fn signed_time_text(difference: i64) -> String {
    format!("{}{}", sign(difference as f64), time_text(Picos(difference.unsigned_abs())))
}

/// Formats FLOP/s as TFLOP/s: one decimal, two below 1.
pub fn tflops(flop_per_s: f64) -> String {
    let value = flop_per_s / 1e12;
    decimal(value, if value < 0.995 { 2 } else { 1 })
}

/// Formats FLOPs per byte: no decimals from 10 on, two below.
pub fn intensity(flop_per_byte: f64) -> String {
    decimal(flop_per_byte, if flop_per_byte < 9.995 { 2 } else { 0 })
}

/// Returns the last segment of a path: "axes_scan.py:166" of "/home/me/axes_scan.py:166".
pub fn last_segment(path: &str) -> &str {
    path.rsplit('/').next().filter(|last| !last.is_empty()).unwrap_or(path)
}

/// Formats bytes/s as GB/s, base 10: no decimals from 100 on, one below. Values beyond the bandwidth of any chip are
/// ">999,999".
pub fn gbs(byte_per_s: f64) -> String {
    if byte_per_s >= 1e15 {
        return ">999,999".to_owned();
    }
    let value = byte_per_s / 1e9;
    decimal(value, if value < 99.95 { 1 } else { 0 })
}

/// Formats a large number with a decimal prefix, such as "1.23 T", for costs in tooltips.
pub fn quantity(value: f64) -> String {
    const STEPS: [(f64, &str); 5] = [(1e15, " P"), (1e12, " T"), (1e9, " G"), (1e6, " M"), (1e3, " k")];
    STEPS
        .into_iter()
        .find(|(scale, _)| value >= *scale)
        .map_or_else(|| decimal(value, 0), |(scale, name)| format!("{}{name}", decimal(value / scale, 2)))
}

/// Formats FLOPs per byte for a narrow column. Values far beyond every ridge point have a decimal prefix.
pub fn short_intensity(flop_per_byte: f64) -> String {
    if flop_per_byte < 99_999.5 { intensity(flop_per_byte) } else { quantity(flop_per_byte) }
}

/// Formats a size, base 2: one decimal, and whole bytes below 1 KiB. Returns the number and its unit.
#[expect(clippy::cast_precision_loss, reason = "sizes are shown to four digits")]
pub fn bytes(n: u64) -> (String, &'static str) {
    const STEPS: [(u64, &str); 4] = [(1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    STEPS
        .into_iter()
        .find(|(scale, _)| n >= *scale)
        .map_or_else(|| (count(n), "B"), |(scale, unit)| (decimal(n as f64 / scale as f64, 1), unit))
}

/// Formats a size with its unit, such as "7.9 MiB".
pub fn bytes_text(n: u64) -> String {
    let (text, unit) = bytes(n);
    format!("{text} {unit}")
}

/// Formats a size with its unit and with all its digits: "7.9 MiB (8,283,750 B)".
pub fn exact_bytes(n: u64) -> String {
    if n < 1 << 10 { bytes_text(n) } else { format!("{} ({} B)", bytes_text(n), count(n)) }
}

/// Formats a size in MiB: "44.0", "0.52", "0.005", and "<0.001" for smaller sizes above zero.
#[expect(clippy::cast_precision_loss, reason = "four digits")]
pub fn mib(bytes: u64) -> String {
    let value = bytes as f64 / f64::from(1 << 20);
    let decimals = match value {
        value if value < 0.1 && bytes > 0 => 3,
        value if value < 1.0 && bytes > 0 => 2,
        _ => 1,
    };
    decimal(value, decimals)
}

/// Formats a float with commas and a fixed number of decimals. Returns [`ABSENT`] if it is not finite or its absolute
/// value is above 1e30.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "finite, positive and below 2¹²⁷")]
pub fn decimal(value: f64, decimals: u32) -> String {
    if !value.is_finite() || value.abs() > 1e30 {
        return ABSENT.to_owned();
    }
    let scale = 10f64.powi(decimals.cast_signed());
    let n = (value.abs() * scale).round() as u128;
    let sign = if value < 0.0 { "\u{2212}" } else { "" };
    match n {
        0 if value != 0.0 => format!("{}{sign}{}", if value < 0.0 { ">" } else { "<" }, fixed(1, decimals)),
        _ => format!("{}{}", if n == 0 { "" } else { sign }, fixed(n, decimals)),
    }
}

/// Shortens a name to at most `room` characters. The middle is left out, because the number at the end is significant.
/// If `room` is below 3, the name stays whole.
pub fn middle_cut(name: &str, room: usize) -> String {
    let n = name.chars().count();
    if n <= room || room < 3 {
        return name.to_owned();
    }
    let tail = (room - 1) * 9 / 20;
    let head: String = name.chars().take(room - 1 - tail).collect();
    let end: String = name.chars().skip(n - tail).collect();
    format!("{head}…{end}")
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MS: u64 = 1_000_000_000;

    #[test]
    fn a_columns_unit_follows_its_largest_value() {
        let unit = |ps| TimeUnit::for_largest(Picos(ps)).symbol();
        assert_eq!([unit(0), unit(999), unit(1_000), unit(999_499)], ["ps", "ps", "ns", "ns"]);
        assert_eq!([unit(999_500), unit(MS - 1), unit(MS), unit(999 * MS)], ["µs", "ms", "ms", "ms"]);
        assert_eq!([unit(1000 * MS - 1), unit(1000 * MS), unit(u64::MAX)], ["s", "s", "s"]);
    }

    #[test]
    fn times_have_their_units_decimals() {
        assert_eq!(time(Picos(6_251_400_000), TimeUnit::Ms), "6.251");
        assert_eq!(time(Picos(390_749_999), TimeUnit::Us), "390.7");
        assert_eq!(time(Picos(390_750_000), TimeUnit::Us), "390.8");
        assert_eq!(time(Picos(1_382_400), TimeUnit::Ns), "1,382");
        assert_eq!(time(Picos(304_033_200_000_000), TimeUnit::S), "304.033");
        assert_eq!(time(Picos(0), TimeUnit::Ms), "0");
        assert_eq!(time(Picos(499_999), TimeUnit::Ms), "<0.001");
        assert_eq!(time(Picos(500_000), TimeUnit::Ms), "0.001");
        assert_eq!(time(Picos(1), TimeUnit::Ns), "<1");
    }

    #[test]
    fn figures_have_two_decimals() {
        assert_eq!(time_text(Picos(122_109_000_000)), "122.11 ms");
        assert_eq!(time_text(Picos(363_729_700_000_000)), "363.73 s");
        assert_eq!(time_text(Picos(999_996 * MS / 1000)), "1.00 s");
        assert_eq!(time_text(Picos(12)), "12 ps");
        assert_eq!(time_text(Picos(0)), "0 s");
        assert_eq!(exact_time(Picos(304_033_200_000_000)), "304,033,200,000,000 ps");
        let exact = [0, 7, 1000, 12_500_000_000, 12_000_000_000_001, u64::MAX].map(|ps| lossless_time(Picos(ps)));
        assert_eq!(exact, ["0 ps", "7 ps", "1 ns", "12.5 ms", "12.000000000001 s", "18446744.073709551615 s"]);
    }

    #[test]
    fn percentages() {
        let shown: Vec<_> = [0.0, 0.0025, 0.000_001, 0.009_96, 0.145, 1.0, 12.5].map(percent).into();
        assert_eq!(shown, ["0", "0.25", "<0.01", "1.0", "14.5", "100.0", "1,250.0"]);
        assert_eq!(percent_text(0.145), "14.5 %");
    }

    #[test]
    fn rates_sizes_and_counts() {
        assert_eq!([tflops(932.9e12), tflops(0.034e12), tflops(0.998e12)], ["932.9", "0.03", "1.0"]);
        assert_eq!([gbs(38.04e9), gbs(1382e9), gbs(99.96e9)], ["38.0", "1,382", "100"]);
        assert_eq!([bytes_text(0), bytes_text(1023), bytes_text(8_283_750)], ["0 B", "1,023 B", "7.9 MiB"]);
        assert_eq!(bytes_text(1 << 30), "1.0 GiB");
        assert_eq!([exact_bytes(512), exact_bytes(8_283_750)], ["512 B", "7.9 MiB (8,283,750 B)"]);
        assert_eq!(
            [mib(0), mib(8 << 20), mib(1 << 19), mib(50 << 10), mib(1)],
            ["0", "8.0", "0.50", "0.049", "<0.001"]
        );
        assert_eq!(
            [count(0), count(999), count(1_000), count(u64::MAX)],
            ["0", "999", "1,000", "18,446,744,073,709,551,615"]
        );
        assert_eq!([counted(1, "op", "ops"), counted(2400, "op", "ops")], ["1 op", "2,400 ops"]);
        assert_eq!([quantity(12.0), quantity(1.5e12)], ["12", "1.50 T"]);
        assert_eq!([decimal(f64::NAN, 1), decimal(-3.05, 1), decimal(-0.0, 1)], ["–", "−3.1", "0"]);
    }

    #[test]
    fn names_lose_their_middle() {
        assert_eq!(middle_cut("fusion.339", 10), "fusion.339");
        assert_eq!(middle_cut("vmap_splash_mha_dkv_segmented", 13), "vmap_sp…ented");
        assert_eq!(middle_cut("äöüäöüäöü", 5), "äöü…ü");
        assert_eq!(middle_cut("abc", 0), "abc");
    }

    proptest! {
        #[test]
        fn a_column_never_has_more_than_three_digits_before_the_point(ps in 0u64..1_000_000_000_000_000) {
            let text = time(Picos(ps), TimeUnit::for_largest(Picos(ps)));
            prop_assert!(text.trim_start_matches('<').split('.').next().is_some_and(|whole| whole.len() <= 3), "{text}");
        }

        #[test]
        fn a_cut_keeps_to_its_room(name in ".{0,60}", room in 3usize..70) {
            prop_assert!(middle_cut(&name, room).chars().count() <= room);
        }
    }
}
