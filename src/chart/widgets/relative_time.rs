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
        let at = |past| ago(10 * DAY, 10 * DAY + past);
        assert_eq!([at(0), at(MINUTE - 1), at(MINUTE)], ["just now", "just now", "1 min ago"]);
        assert_eq!([at(HOUR - 1), at(HOUR), at(DAY - 1)], ["59 min ago", "1 h ago", "23 h ago"]);
        assert_eq!([at(DAY), at(2 * DAY), at(40 * DAY)], ["1 day ago", "2 days ago", "40 days ago"]);
        assert_eq!(ago(5, 3), "just now", "a clock that was set back");
    }
}
