//! This module writes moments as dates and times of the Gregorian calendar, in UTC.

use crate::table::date::civil;

/// Microseconds in a day.
const DAY: i64 = 86_400_000_000;

/// Returns the date of a moment in microseconds since 1970: `2026-11-20`.
pub fn date(micros: i64) -> String {
    let (year, month, day) = civil(micros.div_euclid(DAY));
    format!("{year:04}-{month:02}-{day:02}")
}

/// Returns a moment in microseconds since 1970 as RFC 3339: `2026-11-20T13:14:15.123456Z`.
pub fn rfc3339(micros: i64) -> String {
    let of_day = micros.rem_euclid(DAY);
    let (seconds, fraction) = (of_day / 1_000_000, of_day % 1_000_000);
    format!("{}T{:02}:{:02}:{:02}.{fraction:06}Z", date(micros), seconds / 3600, seconds / 60 % 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks dates against a calendar that counts day by day.
    #[test]
    fn dates_equal_those_of_a_day_by_day_calendar() {
        let (mut year, mut month, mut day) = (1970, 1, 1);
        for days in 0..60_000 {
            assert_eq!(civil(days), (year, month, day));
            let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            let length =
                [31, if is_leap { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month as usize - 1];
            day += 1;
            if day > length {
                (day, month) = (1, month + 1);
            }
            if month > 12 {
                (month, year) = (1, year + 1);
            }
        }
        assert_eq!((date(-1), rfc3339(0)), ("1969-12-31".to_owned(), "1970-01-01T00:00:00.000000Z".to_owned()));
        assert_eq!(rfc3339(1_795_228_681_342_500), "2026-11-21T02:38:01.342500Z");
    }
}
