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

/// Returns the time of a text such as `2026-11-20T13:14:15.123456Z`, in ns since 1970. A space may stand in place of the `T`, and an
/// offset of zero in place of the `Z`. `None` for other texts.
pub fn ns_of_rfc3339(text: &str) -> Option<u64> {
    let number = |from: usize, to: usize| {
        let digits = text.get(from..to).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))?;
        digits.parse::<u64>().ok()
    };
    let is_separator =
        |index: usize, separators: &[u8]| text.as_bytes().get(index).is_some_and(|byte| separators.contains(byte));
    let has_form = [(4, b"-".as_slice()), (7, b"-"), (10, b"T "), (13, b":"), (16, b":")];
    if !has_form.into_iter().all(|(index, separators)| is_separator(index, separators)) {
        return None;
    }
    let time = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    let second = ns_since_1970(number(0, 4)?, number(5, 7)?, number(8, 10)?, time)?;
    let rest = text.get(19..)?;
    let (fraction, zone) = match rest.strip_prefix('.') {
        Some(rest) => rest.split_at(rest.bytes().take_while(u8::is_ascii_digit).count()),
        None => ("", rest),
    };
    if !matches!(zone, "" | "Z" | "+00" | "+00:00" | "+0000") {
        return None;
    }
    let digits = fraction.bytes().chain(std::iter::repeat(b'0')).take(9);
    let ns = digits.fold(0, |sum, digit| sum * 10 + u64::from(digit - b'0'));
    second.checked_add(ns)
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
    fn instants_of_tables_are_read() {
        let ns = ns_since_1970(2026, 11, 20, (13, 14, 15)).unwrap();
        for (text, fraction) in [
            ("2026-11-20T13:14:15.123456Z", 123_456_000),
            ("2026-11-20 13:14:15+00", 0),
            ("2026-11-20T13:14:15.5+00:00", 500_000_000),
            ("2026-11-20 13:14:15.1234567899", 123_456_789),
        ] {
            assert_eq!(ns_of_rfc3339(text), Some(ns + fraction), "{text}");
        }
        for text in [
            "",
            "2026-11-20",
            "2026-11-20T13:14:15+01:00",
            "2026-11-20T13:14:15.1.2Z",
            "2026-11-20T13:14:155",
            "2026-13-20T13:14:15Z",
            "2026-11-20T1é:14:15Z",
            "+026-11-20T13:14:15Z",
        ] {
            assert_eq!(ns_of_rfc3339(text), None, "{text}");
        }
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
