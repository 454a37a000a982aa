//! Days and microseconds since 1970-01-01 in ISO 8601.

const MICROS_A_SECOND: i64 = 1_000_000;
const SECONDS_A_DAY: i64 = 86_400;

/// Year, month and day of a day counted from 1970-01-01, in the proleptic Gregorian calendar.
///
/// Source: Howard Hinnant, "chrono-compatible low-level date algorithms" (`civil_from_days`).
#[must_use]
pub fn civil_from_days(days: i32) -> (i64, i64, i64) {
    let shifted = i64::from(days) + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 {
        month_from_march + 3
    } else {
        month_from_march - 9
    };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

/// `YYYY-MM-DD`.
#[must_use]
pub fn iso_date(days: i32) -> String {
    let (year, month, day) = civil_from_days(days);
    format!("{year:04}-{month:02}-{day:02}")
}

/// `YYYY-MM-DD HH:MM:SS`, with a fraction where there is one.
#[must_use]
pub fn iso_timestamp(micros: i64) -> String {
    let seconds = micros.div_euclid(MICROS_A_SECOND);
    let fraction = micros.rem_euclid(MICROS_A_SECOND);
    let date = iso_date(i32::try_from(seconds.div_euclid(SECONDS_A_DAY)).unwrap_or(i32::MAX));
    let clock = seconds.rem_euclid(SECONDS_A_DAY);
    let (hour, minute, second) = (clock / 3600, clock / 60 % 60, clock % 60);
    if fraction == 0 {
        format!("{date} {hour:02}:{minute:02}:{second:02}")
    } else {
        let fraction = format!("{fraction:06}");
        format!(
            "{date} {hour:02}:{minute:02}:{second:02}.{}",
            fraction.trim_end_matches('0')
        )
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{civil_from_days, iso_date, iso_timestamp};
    use crate::cells::{date, days_from_civil, timestamp};

    #[test]
    fn known_days_are_written() {
        // From Python's `datetime`.
        assert_eq!(iso_date(0), "1970-01-01");
        assert_eq!(iso_date(-25_509), "1900-02-28");
        assert_eq!(iso_date(19_782), "2024-02-29");
        assert_eq!(iso_timestamp(-1), "1969-12-31 23:59:59.999999");
        assert_eq!(iso_timestamp(1_709_208_000_500_000), "2024-02-29 12:00:00.5");
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(days in -719_162_i32..2_932_897, micros in -62_135_596_800_000_000_i64..253_402_300_800_000_000) {
            prop_assert_eq!(date(iso_date(days).as_bytes()), Some(days));
            prop_assert_eq!(timestamp(iso_timestamp(micros).as_bytes()), Some(micros));
            let (year, month, day) = civil_from_days(days);
            let back = days_from_civil(year.try_into().unwrap(), month.try_into().unwrap(), day.try_into().unwrap());
            prop_assert_eq!(back, Some(days));
        }
    }
}
