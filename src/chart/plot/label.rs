//! This module chooses the longest wording of a label that fits, by estimates of letter widths. It does not depend on
//! fonts or a browser.

/// Returns the estimated width of `text` in a semibold system font of `size` px, in px. The estimate tends to be too
/// wide.
pub fn width(text: &str, size: f64) -> f64 {
    let em = |letter: char| match letter {
        'i' | 'j' | 'l' | 'f' | 't' | 'r' | '.' | ',' | ' ' | '\'' | '’' | '(' | ')' | '/' | ':' | '-' => 0.38,
        'm' | 'w' | 'M' | 'W' | '%' | '—' => 0.95,
        'A'..='Z' | '+' | '<' => 0.72,
        _ => 0.62,
    };
    text.chars().map(em).sum::<f64>() * size
}

/// Returns the estimated width of `text` in a monospaced font of `size` px, in px. The estimate tends to be too wide.
#[expect(clippy::cast_precision_loss, reason = "letters of a label")]
pub fn mono_width(text: &str, size: f64) -> f64 {
    text.chars().count() as f64 * MONO * size
}

/// Returns the number of letters of a monospaced font that fit into `room` px.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a handful of letters")]
pub fn mono_room(room: f64, size: f64) -> usize {
    (room / (MONO * size)).max(0.0) as usize
}

/// Width of a letter in the widest of the usual monospaced fonts, in em.
const MONO: f64 = 0.61;

/// Returns the first of `wordings` (longest first) that fits into `room` px.
pub fn fit(wordings: &[String], size: f64, room: f64) -> Option<&str> {
    wordings.iter().find(|wording| width(wording, size) <= room).map(String::as_str)
}

/// Returns three wordings for a segment: long name and share, short name and share, share.
pub fn wordings(long: &str, short: &str, share: &str) -> [String; 3] {
    [format!("{long} {share}"), format!("{short} {share}"), share.to_owned()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_that_fits_is_taken() {
        let words = wordings("Data movement", "Data mov.", "17.4 %");
        assert_eq!(words, ["Data movement 17.4 %", "Data mov. 17.4 %", "17.4 %"]);
        assert_eq!(fit(&words, 12.0, 300.0), Some("Data movement 17.4 %"));
        assert_eq!(fit(&words, 12.0, 120.0), Some("Data mov. 17.4 %"));
        assert_eq!(fit(&words, 12.0, 50.0), Some("17.4 %"));
        assert_eq!(fit(&words, 12.0, 20.0), None);
    }

    #[test]
    fn monospaced_letters_are_counted() {
        for room in [5.0, 40.0, 100.0, 333.0] {
            let n = mono_room(room, 11.0);
            assert!(mono_width(&"é".repeat(n), 11.0) <= room && mono_width(&"é".repeat(n + 1), 11.0) > room);
        }
        assert_eq!([mono_room(-3.0, 11.0), mono_room(f64::NAN, 11.0)], [0, 0]);
    }
}
