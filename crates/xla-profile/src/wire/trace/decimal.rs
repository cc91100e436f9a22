//! This module converts decimal numbers to whole numbers of a smaller unit, without floats, so that no picosecond is
//! lost.

/// Returns the number in `text` times 10^`places`, rounded half to even. Returns `None` if `text` is not a number or
/// if the result does not fit.
///
/// ```text
///  "4.4153659999999997", 6 places ──► 4415365.9999999997 ──► 4415366
/// ```
pub fn scaled(text: &[u8], places: i32) -> Option<i128> {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    let mut number = Number { whole: 0, shift: places, full: false, rest: false, any: false };
    let mut after_point = false;
    let mut left = digits;
    while let [byte, rest @ ..] = left {
        match byte {
            b'0'..=b'9' => number.digit(byte.wrapping_sub(b'0'), after_point),
            b'.' if !after_point => after_point = true,
            b'e' | b'E' => {
                number.shift = number.shift.saturating_add(exponent(rest)?);
                break;
            }
            _ => return None,
        }
        left = rest;
    }
    let value = number.any.then(|| number.value())??;
    Some(if negative { value.saturating_neg() } else { value })
}

/// Parses an exponent, such as the `-3` of `1e-3`.
fn exponent(text: &[u8]) -> Option<i32> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// The number `whole` × 10^`shift`. With `rest`, the true number is a little larger.
struct Number {
    whole: u64,
    shift: i32,
    /// A digit did not fit into `whole`, so that later digits are dropped.
    full: bool,
    rest: bool,
    any: bool,
}

impl Number {
    fn digit(&mut self, digit: u8, after_point: bool) {
        self.any = true;
        match self.whole.checked_mul(10).and_then(|n| n.checked_add(u64::from(digit))) {
            Some(whole) if !self.full => {
                self.whole = whole;
                self.shift = self.shift.saturating_sub(i32::from(after_point));
            }
            _ => {
                self.full = true;
                self.rest |= digit > 0;
                self.shift = self.shift.saturating_add(i32::from(!after_point));
            }
        }
    }

    fn value(&self) -> Option<i128> {
        let mut value = i128::from(self.whole);
        if self.whole == 0 {
            return Some(0);
        }
        for _ in 0..self.shift.max(0) {
            value = value.checked_mul(10)?;
        }
        let Some(divisor) = 10u64.checked_pow(self.shift.min(0).unsigned_abs()) else { return Some(0) };
        let (quotient, remainder) = (self.whole.checked_div(divisor)?, self.whole.checked_rem(divisor)?);
        if self.shift >= 0 {
            return Some(value);
        }
        let half = divisor.wrapping_div(2);
        let up = match remainder.cmp(&half) {
            std::cmp::Ordering::Less => false,
            std::cmp::Ordering::Greater => true,
            std::cmp::Ordering::Equal => self.rest || quotient % 2 == 1,
        };
        Some(i128::from(quotient.saturating_add(u64::from(up))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_as_writers_print_them() {
        let ps = |text: &str| scaled(text.as_bytes(), 6);
        assert_eq!(ps("4.4153659999999997"), Some(4_415_366));
        assert_eq!(ps("9.9999999999999995e-07"), Some(1));
        assert_eq!(ps("5468796.1009999998"), Some(5_468_796_101_000));
        assert_eq!(ps("1144986.718988"), Some(1_144_986_718_988));
        assert_eq!(ps("17"), Some(17_000_000));
        assert_eq!(ps("-0.5"), Some(-500_000));
        assert_eq!(ps("+2e3"), Some(2_000_000_000));
        assert_eq!(ps("1.7e15"), Some(1_700_000_000_000_000_000_000));
        assert_eq!(scaled(b"18446744073709551615", 0), Some(u64::MAX.into()));
    }

    #[test]
    fn half_goes_to_even() {
        let whole = |text: &str| scaled(text.as_bytes(), 0);
        assert_eq!(["0.5", "1.5", "2.5", "2.51", "0.49"].map(whole), [0, 2, 2, 3, 0].map(Some));
        assert_eq!(whole("2.50000000000000000000000000000001"), Some(3));
        assert_eq!(whole("-1.5"), Some(-2));
    }

    #[test]
    fn invalid_numbers() {
        for text in ["", "-", ".", "x", "1x", "1.2.3", "1e", "1e99", "e3", "<opaque bytes>", "NaN"] {
            assert_eq!(scaled(text.as_bytes(), 6), None, "{text}");
        }
        assert_eq!(scaled(b"0e99", 6), Some(0));
        assert_eq!(scaled(b"1e-99", 6), Some(0));
        // Nineteen or twenty digits count. Further digits count only where they decide the rounding.
        assert_eq!(scaled(b"123456789012345678901234567890", 0), Some(12_345_678_901_234_567_890 * 10_000_000_000));
        assert_eq!(scaled(b"1234567890123456789012345678900000000001e-20", 0), Some(12_345_678_901_234_567_890));
    }

    #[test]
    fn is_the_nearest() {
        // The result is compared with the standard library where a double is exact enough.
        let mut random = 1u64;
        for _ in 0..100_000 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let ps = random >> (12 + random % 40);
            let text = format!("{}.{:06}", ps / 1_000_000, ps % 1_000_000);
            assert_eq!(scaled(text.as_bytes(), 6), Some(ps.into()));
            let double: f64 = text.parse().unwrap();
            let printed = format!("{double:.16e}");
            if ps < 1 << 50 {
                assert_eq!(scaled(printed.as_bytes(), 6), Some(ps.into()), "{printed}");
            }
        }
    }
}
