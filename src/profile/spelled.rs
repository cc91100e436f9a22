//! Numbers that producers write as text. Knows decimals; nothing of what they count.
//!
//! Read here and not by `f64::from_str`, whose tables of 10 kB do not compress and would be in the worker for the few
//! captures that spell a cost out.

/// A number as text, such as `12`, `-1` or `1.5e9`; `None` of anything else. Exact where it has at most 15 digits and
/// an exponent within ±22, a few units of the last place off elsewhere.
pub(super) fn number(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (decimal, exponent) = unsigned.split_once(['e', 'E']).map_or((unsigned, Some(0)), |(d, e)| (d, e.parse().ok()));
    let (whole, fraction) = decimal.split_once('.').unwrap_or((decimal, ""));
    let digits = || whole.bytes().chain(fraction.bytes());
    if digits().next().is_none() || !digits().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let value = digits().fold(0.0, |value, digit| value * 10.0 + f64::from(digit - b'0'));
    let exponent: i32 = exponent.and_then(|e: i32| e.checked_sub(i32::try_from(fraction.len()).ok()?))?;
    // 10²² is the largest power of ten that a double holds exactly.
    let power = 10_f64.powi(exponent.saturating_abs());
    let value = if exponent < 0 { value / power } else { value * power };
    Some(if text.starts_with('-') { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn as_the_standard_library_reads_them() {
        for text in ["0", "12", "-1", "+7", "1.5e9", "0.1", ".5", "5.", "123456789012345", "1e22", "3.25E-3", "1e-22"] {
            assert_eq!(number(text), text.parse().ok(), "{text}");
        }
        for text in ["", "-", ".", "e5", "1e", "x", "1 2", "--1", "0x10", "1.2.3", "1e99999999999"] {
            assert_eq!(number(text), None, "{text}");
        }
        for text in ["12345678901234567890", "1.7976931348623157e300", "123456.789e-40"] {
            let (read, exact) = (number(text).unwrap(), text.parse::<f64>().unwrap());
            assert!((read / exact - 1.0).abs() < 1e-14, "{text}: {read}");
        }
    }
}
