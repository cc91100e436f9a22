//! Sizes in a column, and in words. Knows bytes.

use crate::report::number;

/// MiB in a column: one decimal, three below 0.1; "<0.001" for what is above zero and less.
pub fn mib(size: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "sizes are shown to four digits")]
    let value = size as f64 / f64::from(1 << 20);
    number::decimal(value, if value < 0.1 && size > 0 { 3 } else { 1 })
}

/// A size with its unit: "4,555.5 MiB" up to 10 GiB, so that neighbours compare; GiB above.
pub fn text(size: u64) -> String {
    if (1 << 20..10 << 30).contains(&size) { format!("{} MiB", mib(size)) } else { number::bytes_text(size) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_the_digits_that_matter() {
        assert_eq!([mib(0), mib(1 << 20), mib(50 << 10), mib(1)], ["0", "1.0", "0.049", "<0.001"]);
        assert_eq!(text(4_776_787_968), "4,555.5 MiB");
        assert_eq!([text(512), text(20 << 30)], ["512 B", "20.0 GiB"]);
    }
}
