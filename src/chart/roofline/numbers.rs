//! This module parses and formats numbers in input fields: "229.5", "1.2e12", "3 T".

use crate::table::format;

/// Parses a number with an optional suffix: k, M, G or B, T, P, E. Spaces, commas and underscores are ignored. `None`
/// if the text is not a number, or if the number is negative or not finite.
pub fn typed(text: &str) -> Option<f64> {
    let text: String = text.chars().filter(|c| !c.is_whitespace() && *c != ',' && *c != '_').collect();
    let (digits, size) = match text.chars().last()? {
        'k' | 'K' => (1, 1e3),
        'M' => (1, 1e6),
        'G' | 'B' => (1, 1e9),
        'T' => (1, 1e12),
        'P' => (1, 1e15),
        'E' if !text.starts_with('E') => (1, 1e18),
        _ => (0, 1.0),
    };
    let number: f64 = text[..text.len() - digits].parse().ok()?;
    (number.is_finite() && number >= 0.0).then_some(number * size).filter(|value| value.is_finite())
}

/// Formats a number for an input field. [`typed`] parses the text back to the same number.
pub fn shown(value: f64) -> String {
    let text = format::quantity(value);
    // A number that a suffix would round is written in full.
    if typed(&text).is_some_and(|back| back == value) { text } else { format!("{value}") }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn units_of_size_are_read() {
        for (text, value) in
            [("229.5", 229.5), ("1.2e12", 1.2e12), ("3 T", 3e12), ("1,382", 1382.0), ("7B", 7e9), ("0", 0.0)]
        {
            assert_eq!(typed(text), Some(value), "{text}");
        }
        for text in ["", "x", "-1", "inf", "nan", "1e400", "E", "T", "1 2 x", "é"] {
            assert_eq!(typed(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn shown_values_round_trip(value in 0.0f64..1e20) {
            prop_assert_eq!(typed(&shown(value)), Some(value));
        }

        #[test]
        fn any_text_is_read_or_not(text in any::<String>()) {
            let _ = typed(&text);
        }
    }
}
