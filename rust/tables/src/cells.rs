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
    significant_digits(printed.as_bytes()).eq(significant_digits(cell))
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

/// The spellings of "no value" that stand in columns of numbers and dates, as spreadsheets, databases and statistics
/// programs write them.
#[must_use]
pub fn is_null_token(cell: &[u8]) -> bool {
    // Sorted by length, so that ordinary cells are refused by one comparison.
    matches!(
        cell,
        b"-" | b"."
            | b"?"
            | b"NA"
            | b"na"
            | b"--"
            | b"\\N"
            | b"NaN"
            | b"nan"
            | b"NAN"
            | b"N/A"
            | b"n/a"
            | b"#NA"
            | b"---"
            | b"NULL"
            | b"null"
            | b"Null"
            | b"None"
            | b"none"
            | b"NONE"
            | b"#N/A"
            | b"-nan"
            | b"<NA>"
            | b"n.a."
            | b"#REF!"
            | b"#NULL!"
            | b"#VALUE!"
            | b"#DIV/0!"
            | b"(null)"
            | b"missing"
    ) || cell == "—".as_bytes()
        || cell == "–".as_bytes()
}

/// A reading that a text cell offers to whoever asks for numbers or dates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reading {
    /// `12.5%`
    Percent,
    /// `￥1200`, `$74.69`, `1200元`
    Currency,
    /// `200万`, `1.5亿`, `3.2k` is none of them
    Scaled,
    /// `1,5`, `1.234,56`
    DecimalComma,
    /// `1,234`, `1 234.5`
    Thousands,
    /// `000021`, as long as every cell is made of digits
    LeadingZeros,
    /// `+1.5`, `1E5` and numbers too long for a type
    Number,
    /// `2024/1/5`, `05.01.2024`, `2026年1月5日`, with or without a time
    Date,
    /// `10:15`, `1:54.455`
    Time,
}

impl Reading {
    /// The code of the note that tells of it.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Percent => "percent-text",
            Self::Currency => "currency-text",
            Self::Scaled => "scaled-text",
            Self::DecimalComma => "decimal-comma-text",
            Self::Thousands => "thousands-text",
            Self::LeadingZeros => "leading-zeros",
            Self::Number => "number-text",
            Self::Date => "date-text",
            Self::Time => "time-text",
        }
    }
}

const CURRENCIES: [&str; 13] = [
    "￥", "¥", "$", "€", "£", "₹", "₩", "元", "美元", "US$", "RMB", "CNY", "USD",
];
const SCALES: [&str; 6] = ["万亿", "百万", "千万", "万", "亿", "萬"];

/// Returns how `cell`, which is no canonical number or date, could be read as one.
#[must_use]
pub fn reading(cell: &str) -> Option<Reading> {
    let cell = cell.trim();
    let first = cell.as_bytes().first()?;
    if first.is_ascii_alphabetic() && !cell.starts_with("US") && !cell.starts_with("RMB") && !cell.starts_with("CNY") {
        return None;
    }
    if cell.len() > 64 {
        return None;
    }
    if cell.bytes().all(|b| b.is_ascii_digit()) {
        let zeros = cell.len() > 1 && *first == b'0';
        return Some(if zeros { Reading::LeadingZeros } else { Reading::Number });
    }
    if let Some(kind) = date_reading(cell) {
        return Some(kind);
    }
    let (mut body, mut kind) = (cell, None);
    if let Some(inner) = body.strip_prefix('(').and_then(|b| b.strip_suffix(')')) {
        // Accountants put a loss in brackets.
        body = inner;
        kind = Some(Reading::Number);
    }
    for sign in ["-", "+", "−"] {
        body = body.strip_prefix(sign).unwrap_or(body);
    }
    if let Some(rest) = body.strip_suffix('%').or_else(|| body.strip_suffix('％')) {
        body = rest.trim_end();
        kind = Some(Reading::Percent);
    }
    for currency in CURRENCIES {
        if let Some(rest) = body.strip_prefix(currency).or_else(|| body.strip_suffix(currency)) {
            body = rest.trim();
            kind = Some(Reading::Currency);
        }
    }
    for scale in SCALES {
        if let Some(rest) = body.strip_suffix(scale) {
            body = rest.trim_end();
            kind = Some(kind.unwrap_or(Reading::Scaled));
        }
    }
    body = body.strip_prefix('-').unwrap_or(body);
    number_shape(body).map(|shape| match (kind, shape) {
        (Some(kind), _) => kind,
        (None, shape) => shape,
    })
}

/// `1234`, `1,234,567.8`, `12,34,567`, `1 234`, `1E5`: the shape of an unsigned number.
fn number_shape(body: &str) -> Option<Reading> {
    if let Some((whole, fraction)) = body.split_once(',')
        && fraction.len() != 3
        && !fraction.is_empty()
        && fraction.bytes().all(|b| b.is_ascii_digit())
        && whole.bytes().all(|b| b.is_ascii_digit() || b == b'.')
        && number_shape(&whole.replace('.', ",")).is_some()
    {
        return Some(Reading::DecimalComma);
    }
    let (whole, fraction) = body.split_once('.').unwrap_or((body, ""));
    let (fraction, exponent) = fraction.split_once(['e', 'E']).unwrap_or((fraction, "0"));
    let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    if !digits(fraction) || !digits(exponent.trim_start_matches(['+', '-'])) || exponent.is_empty() {
        return None;
    }
    if whole.is_empty() {
        return (!fraction.is_empty()).then_some(Reading::Number);
    }
    if digits(whole) {
        let zeros = whole.len() > 1 && whole.starts_with('0') && !body.contains('.');
        return Some(if zeros { Reading::LeadingZeros } else { Reading::Number });
    }
    if let Some((mantissa, exponent)) = whole.split_once(['e', 'E']) {
        let exponent = exponent.trim_start_matches(['+', '-']);
        let number = !mantissa.is_empty() && digits(mantissa) && !exponent.is_empty() && digits(exponent);
        return number.then_some(Reading::Number);
    }
    let groups: Vec<&str> = whole.split([',', '，', ' ', '\u{a0}', '\'']).collect();
    let grouped = groups.len() > 1
        && groups.iter().all(|group| digits(group))
        && (1..=3).contains(&groups[0].len())
        && groups[1..groups.len() - 1].iter().all(|g| (2..=4).contains(&g.len()))
        && groups[groups.len() - 1].len() == 3;
    grouped.then_some(Reading::Thousands)
}

fn date_reading(cell: &str) -> Option<Reading> {
    let (day, clock) = match cell.split_once([' ', 'T']) {
        Some((day, clock)) if !day.is_empty() => (day, Some(clock.trim())),
        _ => (cell, None),
    };
    if clock.is_none() && is_clock(cell) {
        return Some(Reading::Time);
    }
    let parts: Vec<&str> = day
        .trim_end_matches(['日', '号'])
        .split(['/', '-', '.', '年', '月'])
        .collect();
    let numeric = |p: &&str| (1..=4).contains(&p.len()) && p.bytes().all(|b| b.is_ascii_digit());
    let year = |p: &str| p.len() == 4 && (p.starts_with("19") || p.starts_with("20") || p.starts_with("18"));
    let small = |p: &str, limit: u32| p.len() <= 2 && p.parse::<u32>().is_ok_and(|n| (1..=limit).contains(&n));
    if !parts.iter().all(numeric) && !day.ends_with('月') {
        return None;
    }
    let dated = match parts.as_slice() {
        [y, m, d] if year(y) => small(m, 12) && (small(d, 31) || d.is_empty()),
        [a, b, y] if year(y) => small(a, 31) && small(b, 31) && (small(a, 12) || small(b, 12)),
        _ => false,
    };
    (dated && clock.is_none_or(|clock| is_clock(clock.trim_end_matches('Z').split(['+', ' ']).next().unwrap_or(clock))))
        .then_some(Reading::Date)
}

/// `1:54.455`, `10:15`, `23:59:59`
fn is_clock(cell: &str) -> bool {
    let mut parts = cell.split(':');
    let first = parts
        .next()
        .is_some_and(|h| (1..=2).contains(&h.len()) && h.bytes().all(|b| b.is_ascii_digit()));
    let mut count = 0;
    first
        && parts.all(|part| {
            count += 1;
            let (whole, fraction) = part.split_once('.').unwrap_or((part, "0"));
            whole.len() == 2
                && whole.bytes().all(|b| b.is_ascii_digit())
                && !fraction.is_empty()
                && fraction.bytes().all(|b| b.is_ascii_digit())
        })
        && (1..=2).contains(&count)
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

    #[test]
    fn text_offers_its_readings() {
        for (text, kind) in [
            ("12.5%", Reading::Percent),
            ("￥1200", Reading::Currency),
            ("$1,200.50", Reading::Currency),
            ("1200元", Reading::Currency),
            ("200万", Reading::Scaled),
            ("1,234", Reading::Thousands),
            ("-1,234.5", Reading::Thousands),
            ("1,5", Reading::DecimalComma),
            ("1.234,56", Reading::DecimalComma),
            ("000021", Reading::LeadingZeros),
            ("+1.5", Reading::Number),
            ("1E5", Reading::Number),
            ("2024/1/5", Reading::Date),
            ("01/02/2026", Reading::Date),
            ("2026年1月5日", Reading::Date),
            ("2026年1月", Reading::Date),
            ("2024-01-05 10:00:00+08", Reading::Date),
            ("1:54.455", Reading::Time),
        ] {
            assert_eq!(reading(text), Some(kind), "{text}");
        }
        for text in [
            "abc",
            "",
            "1,2,3",
            "12/40/2024",
            "1-2",
            "%",
            "$",
            "万",
            "192.168.1.1",
            "a1",
            "1.2.3",
        ] {
            assert_eq!(reading(text), None, "{text}");
        }
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
        fn nothing_panics(cell: Vec<u8>, text in "\\PC{0,20}") {
            let _ = (integer(&cell), huge_integer(&cell), decimal(&cell), date(&cell), timestamp(&cell));
            let _ = reading(&text);
        }
    }
}
