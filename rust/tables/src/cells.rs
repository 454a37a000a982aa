//! What a cell's text says: the numbers, dates and markers that can be typed without loss.
//!
//! A reading is given only where printing the typed value gives the same value back, so codes (`000021`), gene names
//! (`1E5`), versions with two points and numbers beyond the type's digits are not read.

/// Days from 1970-01-01 to the given proleptic Gregorian date; `None` where the calendar has no such day.
#[must_use]
pub fn days_from_civil(year: i32, month: u32, day: u32) -> Option<i32> {
    const DAYS: [u32; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    if !(1..=9999).contains(&year) || !(1..=12).contains(&month) || day == 0 {
        return None;
    }
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = DAYS[month as usize - 1] + u32::from(month == 2 && leap);
    if day > length {
        return None;
    }
    // Howard Hinnant, "chrono-compatible low-level date algorithms": years start in March.
    let shifted = year - i32::from(month <= 2);
    let era = shifted.div_euclid(400);
    let year_of_era = shifted.rem_euclid(400);
    let month_from_march = (month.cast_signed() + 9) % 12;
    let day_of_year = (153 * month_from_march + 2) / 5 + day.cast_signed() - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    Some(era * 146_097 + day_of_era - 719_468)
}

/// Removes blanks and tabs around a cell that may be a number.
#[must_use]
pub fn trim(cell: &[u8]) -> &[u8] {
    let blank = |b: &u8| *b == b' ' || *b == b'\t';
    match (cell.first(), cell.last()) {
        (Some(first), Some(last)) if blank(first) || blank(last) => {
            let start = cell.iter().position(|b| !blank(b)).unwrap_or(cell.len());
            let end = cell.iter().rposition(|b| !blank(b)).map_or(start, |at| at + 1);
            &cell[start..end]
        }
        _ => cell,
    }
}

/// Reads an integer in its one canonical form: no plus, no leading zero, no `-0`.
#[must_use]
pub fn integer(cell: &[u8]) -> Option<i64> {
    let (negative, digits) = split_sign(cell);
    match digits {
        [b'0'] if !negative => return Some(0),
        [b'1'..=b'9', ..] if digits.len() <= 19 => {}
        _ => return None,
    }
    let mut value: u64 = 0;
    for byte in digits {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        // 19 digits stay below 2^64.
        value = value * 10 + u64::from(digit);
    }
    if negative {
        0_i64.checked_sub_unsigned(value)
    } else {
        i64::try_from(value).ok()
    }
}

/// Reads an integer of at most 38 digits, the most that `HUGEINT` holds in full.
#[must_use]
pub fn huge_integer(cell: &[u8]) -> Option<i128> {
    let (negative, digits) = split_sign(cell);
    let canonical = match digits {
        [b'0'] => !negative,
        [b'1'..=b'9', ..] => digits.len() <= 38 && digits.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    if !canonical {
        return None;
    }
    let value = digits.iter().fold(0_i128, |value, b| value * 10 + i128::from(b - b'0'));
    Some(if negative { -value } else { value })
}

fn split_sign(cell: &[u8]) -> (bool, &[u8]) {
    match cell {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, cell),
    }
}

/// A number with a decimal point or an exponent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decimal {
    /// The nearest double.
    pub value: f64,
    /// Whether the double, printed with as many digits as the cell has, gives the cell back.
    pub double_is_exact: bool,
    /// Digits before the point, without leading zeros.
    pub integer_digits: u8,
    /// Digits after the point.
    pub scale: u8,
    /// The digits as one integer, where they are at most 38 and there is no exponent.
    pub unscaled: Option<i128>,
}

const POWERS_OF_TEN: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];

/// Doubles hold every decimal of this many digits.
const EXACT_DIGITS: usize = 15;

/// Reads a decimal: `1.5`, `-0.25`, `.5`, `5.`, `1.2e-05`, `1e-05`. An exponent counts only with a decimal point or a sign,
/// because `1E5` is more often a name than a number.
#[must_use]
pub fn decimal(cell: &[u8]) -> Option<Decimal> {
    let (negative, unsigned) = split_sign(cell);
    let mut mantissa: u64 = 0;
    let mut digits = 0_usize;
    let mut significant = 0_usize;
    let mut point = None;
    let mut at = 0;
    while let Some(&byte) = unsigned.get(at) {
        let digit = byte.wrapping_sub(b'0');
        if digit <= 9 {
            digits += 1;
            if significant > 0 || digit != 0 {
                significant += 1;
            }
            if significant <= EXACT_DIGITS {
                mantissa = mantissa * 10 + u64::from(digit);
            }
        } else if byte == b'.' && point.is_none() {
            point = Some(at);
        } else {
            break;
        }
        at += 1;
    }
    let integer_length = point.unwrap_or(at);
    if digits == 0 || (integer_length > 1 && unsigned[0] == b'0') {
        return None;
    }
    let scale = point.map_or(0, |p| at - p - 1);
    if at < unsigned.len() {
        return exponent_form(cell, &unsigned[at..], point.is_some(), significant);
    }
    point?;
    let exact = significant <= EXACT_DIGITS && scale < POWERS_OF_TEN.len();
    let value = if exact {
        // Both operands are exact, so the quotient is rounded once (Clinger 1990, fast path).
        #[allow(clippy::cast_precision_loss)] // below 10^15
        let magnitude = mantissa as f64 / POWERS_OF_TEN[scale];
        if negative { -magnitude } else { magnitude }
    } else {
        as_str(cell).parse().ok().filter(|v: &f64| v.is_finite())?
    };
    let integer_digits = if unsigned[0] == b'0' { 0 } else { integer_length };
    Some(Decimal {
        value,
        double_is_exact: exact || fixed_gives_back(value, scale, cell),
        integer_digits: u8::try_from(integer_digits).unwrap_or(u8::MAX),
        scale: u8::try_from(scale).unwrap_or(u8::MAX),
        unscaled: unscaled(negative, unsigned, digits),
    })
}

fn unscaled(negative: bool, unsigned: &[u8], digits: usize) -> Option<i128> {
    if digits > 38 {
        return None;
    }
    let value = unsigned
        .iter()
        .filter(|b| **b != b'.')
        .fold(0_i128, |value, b| value * 10 + i128::from(b - b'0'));
    Some(if negative { -value } else { value })
}

fn exponent_form(cell: &[u8], tail: &[u8], has_point: bool, significant: usize) -> Option<Decimal> {
    let (signed, digits) = match tail {
        [b'e' | b'E', b'+' | b'-', digits @ ..] => (true, digits),
        [b'e' | b'E', digits @ ..] => (false, digits),
        _ => return None,
    };
    let plausible = (has_point || signed) && (1..=3).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit);
    if !plausible || significant > 17 {
        return None;
    }
    let value: f64 = as_str(cell).parse().ok()?;
    if !value.is_finite() || (value == 0.0 && significant > 0) {
        return None;
    }
    let double_is_exact = significant <= EXACT_DIGITS || {
        let printed = format!("{value:.*e}", significant - 1);
        significant_digits(printed.as_bytes()).eq(significant_digits(cell))
    };
    Some(Decimal {
        value,
        double_is_exact,
        integer_digits: u8::MAX,
        scale: u8::MAX,
        unscaled: None,
    })
}

fn significant_digits(number: &[u8]) -> impl Iterator<Item = u8> {
    number
        .iter()
        .copied()
        .take_while(|b| *b != b'e' && *b != b'E')
        .filter(u8::is_ascii_digit)
        .skip_while(|b| *b == b'0')
}

fn fixed_gives_back(value: f64, scale: usize, cell: &[u8]) -> bool {
    // A double has no more than 1074 decimals; cells that long are text.
    let printed = format!("{value:.*}", scale.min(400));
    // Halfway between two texts of this length the shortest one tells: 999835197156569.3 is 999835197156569.25.
    significant_digits(printed.as_bytes()).eq(significant_digits(cell))
        || significant_digits(value.to_string().as_bytes()).eq(significant_digits(cell))
}

fn as_str(ascii: &[u8]) -> &str {
    std::str::from_utf8(ascii).unwrap_or_default()
}

/// Reads `inf`, `-inf` and their long forms, which programs write for a double that left its range.
#[must_use]
pub fn infinity(cell: &[u8]) -> Option<f64> {
    let (negative, word) = split_sign(cell);
    let infinite = word.eq_ignore_ascii_case(b"inf") || word.eq_ignore_ascii_case(b"infinity");
    infinite.then_some(if negative { f64::NEG_INFINITY } else { f64::INFINITY })
}

/// Reads `true` and `false`, in lower case only: other spellings would not come back.
#[must_use]
pub fn boolean(cell: &[u8]) -> Option<bool> {
    match cell {
        b"true" => Some(true),
        b"false" => Some(false),
        _ => None,
    }
}

fn number(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0, |value: u32, b| {
        let digit = b.wrapping_sub(b'0');
        (digit <= 9).then_some(value * 10 + u32::from(digit))
    })
}

/// Reads `YYYY-MM-DD` as days since 1970-01-01.
#[must_use]
pub fn date(cell: &[u8]) -> Option<i32> {
    match cell {
        [year @ .., b'-', m1, m2, b'-', d1, d2] if year.len() == 4 => {
            let year = number(year)?.cast_signed();
            days_from_civil(year, number(&[*m1, *m2])?, number(&[*d1, *d2])?)
        }
        _ => None,
    }
}

/// Reads `YYYY-MM-DD[ T]HH:MM[:SS[.ffffff]]` as microseconds since 1970-01-01.
#[must_use]
pub fn timestamp(cell: &[u8]) -> Option<i64> {
    let (day, clock) = cell.split_at_checked(10)?;
    let days = i64::from(date(day)?);
    let [b' ' | b'T', clock @ ..] = clock else {
        return None;
    };
    Some(days * 86_400_000_000 + time_of_day(clock)?)
}

/// Reads `HH:MM[:SS[.ffffff]]` as microseconds since midnight.
#[must_use]
pub fn time_of_day(clock: &[u8]) -> Option<i64> {
    let (hour_minute, rest) = clock.split_at_checked(5)?;
    let [h1, h2, b':', m1, m2] = hour_minute else {
        return None;
    };
    let (second, fraction) = match rest {
        [] => (0, 0),
        [b':', s1, s2] => (number(&[*s1, *s2])?, 0),
        [b':', s1, s2, b'.', fraction @ ..] if (1..=6).contains(&fraction.len()) => {
            let missing = u32::try_from(6 - fraction.len()).unwrap_or(0);
            (number(&[*s1, *s2])?, number(fraction)? * 10_u32.pow(missing))
        }
        _ => return None,
    };
    let (hour, minute) = (number(&[*h1, *h2])?, number(&[*m1, *m2])?);
    (hour < 24 && minute < 60 && second < 60)
        .then(|| (i64::from(hour * 3600 + minute * 60 + second)) * 1_000_000 + i64::from(fraction))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn integers_are_canonical() {
        assert_eq!(integer(b"0"), Some(0));
        assert_eq!(integer(b"-9223372036854775808"), Some(i64::MIN));
        for text in ["", "-", "-0", "+1", "000021", "1.0", "1e5", "9223372036854775808", "1 "] {
            assert_eq!(integer(text.as_bytes()), None, "{text}");
        }
        assert_eq!(huge_integer(b"9223372036854775808"), Some(9_223_372_036_854_775_808));
        assert_eq!(huge_integer(&[b'9'; 39]), None);
    }

    #[test]
    fn decimals_are_read_where_they_come_back() {
        for (text, value) in [
            ("1.5", 1.5),
            (".5", 0.5),
            ("5.", 5.0),
            ("-0.0", -0.0),
            ("1.2e-05", 1.2e-5),
            ("1e-05", 1e-5),
        ] {
            assert_eq!(
                decimal(text.as_bytes()).map(|d| d.value.to_bits()),
                Some(f64::to_bits(value)),
                "{text}"
            );
        }
        for text in [
            "1E5", "1.2.3", "00.5", "1.5e", ".", "-", "1,5", "1e-999", "0x1p3", "1.5 ",
        ] {
            assert_eq!(decimal(text.as_bytes()), None, "{text}");
        }
        assert!(decimal(b"0.30000000000000004").is_some_and(|d| d.double_is_exact));
        assert!(decimal(b"999835197156569.3").is_some_and(|d| d.double_is_exact));
        assert!(decimal(b"12345678901234567.89").is_some_and(|d| !d.double_is_exact && d.scale == 2));
    }

    #[test]
    fn dates_exist_in_the_calendar() {
        assert_eq!(date(b"1970-01-01"), Some(0));
        assert_eq!(date(b"2024-02-29"), Some(19_782));
        assert_eq!(date(b"0001-01-01"), Some(-719_162));
        for text in [
            "2023-02-29",
            "2024-13-01",
            "2024-1-5",
            "24-01-05",
            "2024/01/05",
            "0000-01-01",
        ] {
            assert_eq!(date(text.as_bytes()), None, "{text}");
        }
        assert_eq!(timestamp(b"1970-01-02T00:00:01.5"), Some(86_401_500_000));
        assert_eq!(timestamp(b"1970-01-01 00:01"), Some(60_000_000));
        assert_eq!(timestamp(b"1970-01-01 24:00"), None);
    }

    proptest! {
        #[test]
        fn integers_print_back(value: i64) {
            prop_assert_eq!(integer(value.to_string().as_bytes()), Some(value));
        }

        #[test]
        fn what_is_read_as_an_integer_prints_as_it_was(text in "-?[0-9]{1,20}") {
            if let Some(value) = integer(text.as_bytes()) {
                prop_assert_eq!(value.to_string(), text);
            }
        }

        #[test]
        fn doubles_print_back(value in proptest::num::f64::NORMAL) {
            let text = format!("{value:?}");
            if let Some(read) = decimal(text.as_bytes()) {
                prop_assert_eq!(read.value.to_bits(), value.to_bits());
                prop_assert!(read.double_is_exact);
            }
        }

        #[test]
        fn short_decimals_are_rounded_correctly(text in "-?(0|[1-9][0-9]{0,6})\\.[0-9]{1,8}") {
            let expected: f64 = text.parse().unwrap();
            prop_assert_eq!(decimal(text.as_bytes()).map(|d| d.value.to_bits()), Some(expected.to_bits()));
        }

        #[test]
        fn nothing_panics(cell: Vec<u8>) {
            let _ = (integer(&cell), huge_integer(&cell), decimal(&cell), date(&cell), timestamp(&cell));
        }
    }
}
