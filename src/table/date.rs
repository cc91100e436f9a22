//! This module converts between dates of the Gregorian calendar and times in ns since 1970. All dates are in UTC.

const NS_PER_S: u64 = 1_000_000_000;
const S_PER_DAY: u64 = 86_400;
/// Days from 0000-03-01 to 1970-01-01.
const DAYS_BEFORE_1970: u64 = 719_468;

/// Returns the time of a date in ns since 1970. `None` before 1970, after 9999, or if there is no such month, hour, minute or second.
/// Days up to 31 are valid in every month.
pub fn ns_since_1970(year: u64, month: u64, day: u64, (hour, minute, second): (u64, u64, u64)) -> Option<u64> {
    let is_valid = (1970..=9999).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    if !(is_valid && hour < 24 && minute < 60 && second < 60) {
        return None;
    }
    // Years begin in March here, so that a leap day is the last day of a year.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1 - DAYS_BEFORE_1970;
    (days * S_PER_DAY + hour * 3600 + minute * 60 + second).checked_mul(NS_PER_S)
}

/// Returns year, month and day of a time in ns since 1970.
pub const fn date(ns: u64) -> (i64, i64, i64) {
    civil((ns / NS_PER_S / S_PER_DAY).cast_signed())
}

/// Returns year, month and day of a number of days since 1970.
pub const fn civil(days: i64) -> (i64, i64, i64) {
    // Years begin in March here, so that a leap day is the last day of a year. 400 years have 146,097 days.
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year_of_era + era * 400 + (month <= 2) as i64, month, day)
}

/// Formats a time in ns since 1970: `2026-11-02 02:00:07`. These texts sort by time.
pub fn date_and_time(ns: u64) -> String {
    let (year, month, day) = date(ns);
    let second = ns / NS_PER_S % S_PER_DAY;
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60)
}

/// Formats hour and minute of a time in ns since 1970: `02:00`.
pub fn hour_and_minute(ns: u64) -> String {
    let minute = ns / NS_PER_S / 60;
    format!("{:02}:{:02}", minute / 60 % 24, minute % 60)
}

/// Formats month and day of a time in ns since 1970: `11-02`.
pub fn month_and_day(ns: u64) -> String {
    let (_, month, day) = date(ns);
    format!("{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        // From `date -u -d … +%s`.
        let known = [
            ((1970, 1, 1), 0),
            ((2000, 2, 29), 951_782_400),
            ((2026, 11, 2), 1_793_577_600),
            ((2100, 3, 1), 4_107_542_400),
        ];
        for ((year, month, day), seconds) in known {
            let ns = seconds * NS_PER_S;
            assert_eq!(ns_since_1970(year, month, day, (0, 0, 0)), Some(ns), "{year}-{month}-{day}");
            assert_eq!(date(ns), (year.cast_signed(), month.cast_signed(), day.cast_signed()));
        }
        assert_eq!(ns_since_1970(2026, 13, 1, (0, 0, 0)), None);
        assert_eq!(ns_since_1970(2026, 1, 1, (24, 0, 0)), None);
        assert_eq!(ns_since_1970(1969, 1, 1, (0, 0, 0)), None);
        let ns = ns_since_1970(2026, 11, 2, (2, 0, 7)).unwrap();
        assert_eq!(date_and_time(ns + 5), "2026-11-02 02:00:07");
        assert_eq!((month_and_day(ns), hour_and_minute(ns)), ("11-02".to_owned(), "02:00".to_owned()));
    }

    #[test]
    fn a_date_and_its_time_are_inverse() {
        for day in 0..200_000 {
            let ns = day * S_PER_DAY * NS_PER_S;
            let (year, month, of_month) = date(ns);
            let [year, month, of_month] = [year, month, of_month].map(i64::cast_unsigned);
            assert_eq!(ns_since_1970(year, month, of_month, (0, 0, 0)), Some(ns), "day {day}");
        }
    }
}
