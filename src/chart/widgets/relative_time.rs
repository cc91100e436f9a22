//! This module formats the time since an event. The caller supplies both times.

const MINUTE: u64 = 60_000;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// Returns "just now", "12 min ago", "3 h ago" or "5 days ago". Both times are in milliseconds since 1970.
pub fn ago(then: u64, now: u64) -> String {
    match now.saturating_sub(then) {
        ..MINUTE => "just now".to_owned(),
        past @ MINUTE..HOUR => format!("{} min ago", past / MINUTE),
        past @ HOUR..DAY => format!("{} h ago", past / HOUR),
        past if past < 2 * DAY => "1 day ago".to_owned(),
        past => format!("{} days ago", past / DAY),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_unit_that_is_full_is_told() {
        let ago_text = |past| ago(10 * DAY, 10 * DAY + past);
        assert_eq!([ago_text(0), ago_text(MINUTE - 1), ago_text(MINUTE)], ["just now", "just now", "1 min ago"]);
        assert_eq!([ago_text(HOUR - 1), ago_text(HOUR), ago_text(DAY - 1)], ["59 min ago", "1 h ago", "23 h ago"]);
        assert_eq!([ago_text(DAY), ago_text(2 * DAY), ago_text(40 * DAY)], ["1 day ago", "2 days ago", "40 days ago"]);
        assert_eq!(ago(5, 3), "just now", "a clock that was set back");
    }
}
