//! What a text spells beside its letters: numbers and dates in one canonical spelling each.

use crate::cells::days_from_civil;

/// Numbers of more digits are codes.
pub(super) const MOST_DIGITS: usize = 38;
/// Words after which a number counts so many times more.
const SCALES: [(&str, i32); 17] = [
    ("万亿", 12),
    ("千万", 7),
    ("百万", 6),
    ("十万", 5),
    ("亿", 8),
    ("万", 4),
    ("千", 3),
    ("thousand", 3),
    ("million", 6),
    ("billion", 9),
    ("trillion", 12),
    ("mn", 6),
    ("bn", 9),
    ("m", 6),
    ("k", 3),
    ("b", 9),
    ("t", 12),
];
/// What a number is counted in: it says nothing against the same number without it.
const UNITS: [&str; 55] = [
    "%",
    "percent",
    "pct",
    "usd",
    "dollars",
    "dollar",
    "eur",
    "euros",
    "euro",
    "rmb",
    "cny",
    "yuan",
    "km",
    "m",
    "cm",
    "mm",
    "kg",
    "g",
    "mg",
    "lb",
    "lbs",
    "mb",
    "gb",
    "tb",
    "kb",
    "kwh",
    "kw",
    "mw",
    "hz",
    "mhz",
    "ghz",
    "mph",
    "km/h",
    "years",
    "year",
    "days",
    "hours",
    "minutes",
    "元",
    "美元",
    "人",
    "岁",
    "年",
    "米",
    "公里",
    "千米",
    "厘米",
    "公斤",
    "千克",
    "吨",
    "个",
    "次",
    "平方公里",
    "平方米",
    "千瓦时",
];
const CURRENCIES: [&str; 7] = ["$", "€", "£", "¥", "￥", "₹", "us$"];
const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// Something found at the beginning of a text, in its canonical spelling.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    /// Canonical spelling.
    pub key: String,
    /// Length of what was read, in bytes.
    pub length: usize,
}

/// A number read at the beginning of a folded text: as written, then with a scale, where one follows.
#[must_use]
pub fn numbers_at(text: &str) -> Vec<Form> {
    let mut at = 0;
    let negative = text.starts_with(['-', '\u{2212}']);
    if negative {
        at += text.chars().next().map_or(0, char::len_utf8);
    }
    if let Some(symbol) = CURRENCIES.iter().find(|symbol| text[at..].starts_with(**symbol)) {
        at += symbol.len();
    }
    let Some((digits, exponent, length)) = digits_at(&text[at..]) else {
        return Vec::new();
    };
    at += length;
    let mut forms = Vec::new();
    if let Some(key) = canonical(&digits, exponent, negative) {
        forms.push(Form { key, length: at });
    }
    let rest = &text[at..];
    let gap = usize::from(rest.starts_with(' '));
    for (word, zeros) in SCALES {
        let after = &rest[gap..];
        if !after.starts_with(word) || (word.is_ascii() && begins_with_letter(&after[word.len()..])) {
            continue;
        }
        if let Some(key) = canonical(&digits, exponent + zeros, negative) {
            forms.push(Form {
                key,
                length: at + gap + word.len(),
            });
        }
        break;
    }
    forms
}

/// The number that a whole folded cell spells, with or without a currency, scale or unit.
#[must_use]
pub fn cell_number(text: &str) -> Option<String> {
    let forms = numbers_at(text);
    // With a scale first: `1.2万` is no 1.2.
    forms
        .into_iter()
        .rev()
        .find(|form| is_unit(&text[form.length..]))
        .map(|form| form.key)
}

fn is_unit(rest: &str) -> bool {
    let rest = rest.trim_start();
    rest.is_empty() || UNITS.contains(&rest)
}

/// Digits without separators, the power of ten they are to be multiplied with, and how many bytes were read.
fn digits_at(text: &str) -> Option<(String, i32, usize)> {
    let bytes = text.as_bytes();
    let whole = bytes.iter().take_while(|b| b.is_ascii_digit()).count();
    if whole == 0 {
        return None;
    }
    let mut digits = text[..whole].to_owned();
    let mut at = whole;
    if whole <= 3 {
        while bytes.get(at) == Some(&b',') && group(&bytes[at + 1..]) {
            digits.push_str(&text[at + 1..at + 4]);
            at += 4;
        }
    }
    let mut exponent = 0_i32;
    if bytes.get(at) == Some(&b'.') {
        let fraction = bytes[at + 1..].iter().take_while(|b| b.is_ascii_digit()).count();
        if fraction > 0 {
            digits.push_str(&text[at + 1..=at + fraction]);
            exponent = -i32::try_from(fraction).ok()?;
            at += 1 + fraction;
        }
    }
    if bytes.get(at) == Some(&b'e') {
        let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        let power = bytes[at + 1 + sign..].iter().take_while(|b| b.is_ascii_digit()).count();
        if (1..=3).contains(&power) {
            exponent += text[at + 1..at + 1 + sign + power]
                .trim_start_matches('+')
                .parse::<i32>()
                .ok()?;
            at += 1 + sign + power;
        }
    }
    Some((digits, exponent, at))
}

fn group(bytes: &[u8]) -> bool {
    bytes.len() >= 3 && bytes[..3].iter().all(u8::is_ascii_digit) && !bytes.get(3).is_some_and(u8::is_ascii_digit)
}

/// Plain decimal spelling: no leading zero, no zero at the end of a fraction, no `-0`.
fn canonical(digits: &str, exponent: i32, negative: bool) -> Option<String> {
    let digits = digits.trim_start_matches('0');
    let zeros = digits.len() - digits.trim_end_matches('0').len();
    let (digits, exponent) = (&digits[..digits.len() - zeros], exponent + i32::try_from(zeros).ok()?);
    if digits.is_empty() {
        return Some("0".to_owned());
    }
    let sign = if negative { "-" } else { "" };
    let point = i32::try_from(digits.len()).ok()? + exponent;
    if digits.len() > MOST_DIGITS || point.unsigned_abs() as usize > MOST_DIGITS {
        return None;
    }
    Some(if exponent >= 0 {
        format!("{sign}{digits}{}", "0".repeat(exponent.unsigned_abs() as usize))
    } else if point > 0 {
        let (whole, fraction) = digits.split_at(point.unsigned_abs() as usize);
        format!("{sign}{whole}.{fraction}")
    } else {
        format!("{sign}0.{}{digits}", "0".repeat(point.unsigned_abs() as usize))
    })
}

/// Every date that the beginning of a folded text spells, as `YYYYMMDD`, or `YYYYMM` for a month.
///
/// `3/4/2024` is two dates.
#[must_use]
pub fn dates_at(text: &str) -> Vec<Form> {
    let mut forms = Vec::new();
    let (fields, lengths) = number_fields(text);
    match fields.as_slice() {
        [(4, year), (1 | 2, month), (1 | 2, day), ..] => push_day(&mut forms, *year, *month, *day, lengths[2]),
        [(1 | 2, first), (1 | 2, second), (4, year), ..] => {
            push_day(&mut forms, *year, *first, *second, lengths[2]);
            if first != second {
                push_day(&mut forms, *year, *second, *first, lengths[2]);
            }
        }
        [(8, packed), ..] if lengths.len() == 1 => {
            push_day(
                &mut forms,
                packed / 10_000,
                packed / 100 % 100,
                packed % 100,
                lengths[0],
            );
        }
        _ => {}
    }
    if let [(4, year), (1 | 2, month @ 1..=12)] = fields.as_slice() {
        forms.push(Form {
            key: format!("{year:04}{month:02}"),
            length: lengths[1],
        });
    }
    named_month(text, &mut forms);
    forms
}

/// The dates that a whole folded cell spells; a time of day may follow.
#[must_use]
pub fn cell_dates(text: &str) -> Vec<String> {
    dates_at(text)
        .into_iter()
        .filter(|form| is_time(&text[form.length..]))
        .map(|form| form.key)
        .collect()
}

fn is_time(rest: &str) -> bool {
    let rest = rest.trim_start_matches([' ', 't']);
    rest.is_empty() || (rest.contains(':') && rest.bytes().all(|b| b.is_ascii_digit() || b":.+-z ".contains(&b)))
}

/// Up to three numbers that one mark of a date separates, each with its width, and where each ends.
fn number_fields(text: &str) -> (Vec<(usize, u32)>, Vec<usize>) {
    let (mut fields, mut ends) = (Vec::new(), Vec::new());
    let mut at = 0;
    let mut mark = None;
    while fields.len() < 3 {
        let width = text[at..].bytes().take_while(u8::is_ascii_digit).count();
        if width == 0 || width > 8 {
            break;
        }
        let Ok(number) = text[at..at + width].parse() else {
            break;
        };
        fields.push((width, number));
        at += width;
        let Some(next) = text[at..].chars().next() else {
            ends.push(at);
            break;
        };
        let named = matches!(next, '年' | '月' | '日' | '号');
        // The word for year, month or day belongs to the date, a mark only where another number follows.
        ends.push(if named { at + next.len_utf8() } else { at });
        let same = mark.is_none_or(|mark| mark == next);
        if !(named || (same && matches!(next, '-' | '/' | '.'))) || next == '日' || next == '号' {
            break;
        }
        if !named {
            mark = Some(next);
        }
        at += next.len_utf8();
    }
    (fields, ends)
}

/// `March 5, 2024`, `5 March 2024`, `Mar 2024` and the like.
fn named_month(text: &str, forms: &mut Vec<Form>) {
    let mut words = Vec::new();
    let mut at = 0;
    for word in text.splitn(5, ' ').take(4) {
        words.push((word, at + word.len()));
        at += word.len() + 1;
    }
    let word = |i: usize| words.get(i).map_or("", |w| w.0);
    let end = |i: usize| words.get(i).map_or(0, |w| w.1);
    let of = usize::from(word(1) == "of");
    if let (Some(month), Some(day), Some(year)) = (month(word(0)), day(word(1)), year(word(2))) {
        push_day(forms, year, month, day, end(2));
    } else if let (Some(day), Some(month), Some(year)) = (day(word(0)), month(word(1 + of)), year(word(2 + of))) {
        push_day(forms, year, month, day, end(2 + of));
    } else if let (Some(month), Some(year)) = (month(word(0)), year(word(1))) {
        forms.push(Form {
            key: format!("{year:04}{month:02}"),
            length: end(1),
        });
    }
}

fn month(word: &str) -> Option<u32> {
    let fits = |name: &str| word == name || word == &name[..3] || (word == "sept" && name == "september");
    MONTHS
        .iter()
        .position(|name| fits(name))
        .and_then(|at| u32::try_from(at + 1).ok())
}

fn day(word: &str) -> Option<u32> {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let ending = &word[digits.len()..];
    (digits.len() <= 2 && matches!(ending, "" | "st" | "nd" | "rd" | "th")).then(|| digits.parse().ok())?
}

fn year(word: &str) -> Option<u32> {
    (word.len() == 4 && word.bytes().all(|b| b.is_ascii_digit())).then(|| word.parse().ok())?
}

fn push_day(forms: &mut Vec<Form>, year: u32, month: u32, day: u32, length: usize) {
    let key = format!("{year:04}{month:02}{day:02}");
    let exists = i32::try_from(year)
        .ok()
        .is_some_and(|year| days_from_civil(year, month, day).is_some());
    if exists && !forms.iter().any(|form| form.key == key) {
        forms.push(Form { key, length });
    }
}

pub(super) fn begins_with_letter(text: &str) -> bool {
    text.bytes().next().is_some_and(|b| b.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{cell_dates, cell_number, dates_at, numbers_at};
    use crate::values::fold::fold_text;

    #[test]
    fn numbers_have_one_spelling() {
        for (cell, number) in [
            ("1,234,567", "1234567"),
            ("1234567.0", "1234567"),
            ("0.50", "0.5"),
            ("1e+20", "100000000000000000000"),
            ("1.5E-3", "0.0015"),
            ("$1,200", "1200"),
            ("5.8%", "5.8"),
            ("200 cm", "200"),
            ("1.2万", "12000"),
            ("3 million", "3000000"),
            ("-7", "-7"),
            ("000", "0"),
        ] {
            assert_eq!(cell_number(&fold_text(cell)).as_deref(), Some(number), "{cell}");
        }
        assert_eq!(cell_number("12 monkeys"), None);
        assert_eq!(cell_number("1,23"), None);
    }

    #[test]
    fn a_number_in_a_sentence_has_its_scaled_reading_too() {
        let keys: Vec<_> = numbers_at("1.5亿元").into_iter().map(|form| form.key).collect();
        assert_eq!(keys, ["1.5", "150000000"]);
    }

    #[test]
    fn dates_have_one_spelling() {
        for cell in [
            "2024-03-05",
            "2024/3/5",
            "2024.03.05",
            "2024年3月5日",
            "20240305",
            "March 5, 2024",
            "5th March 2024",
            "5 Mar 2024",
            "2024-03-05 00:00:00",
            "2024-03-05T10:11:12Z",
            "5th of March 2024",
        ] {
            assert_eq!(cell_dates(&fold_text(cell)), ["20240305"], "{cell}");
        }
        assert_eq!(cell_dates("3/5/2024"), ["20240305", "20240503"]);
        assert_eq!(cell_dates("2024-02-30"), [""; 0]);
        assert_eq!(cell_dates("2024年3月"), ["202403"]);
        assert_eq!(dates_at("2024年3月5日之后")[0].length, "2024年3月5日".len());
        assert_eq!(cell_dates("2024"), [""; 0]);
    }

    proptest! {
        #[test]
        fn separators_change_no_number(number in 0_u64..1_000_000_000_000) {
            let plain = number.to_string();
            let mut grouped = String::new();
            for (at, digit) in plain.chars().enumerate() {
                if at > 0 && (plain.len() - at) % 3 == 0 {
                    grouped.push(',');
                }
                grouped.push(digit);
            }
            prop_assert_eq!(cell_number(&grouped), Some(plain.clone()));
            let decimal = format!("{plain}.00");
            prop_assert_eq!(cell_number(&decimal), Some(plain));
        }

        #[test]
        fn doubles_keep_their_value(value in -1e15_f64..1e15) {
            let key = cell_number(&format!("{value:?}")).unwrap();
            prop_assert!((key.parse::<f64>().unwrap() - value).abs() <= 0.0);
        }

        #[test]
        fn no_text_breaks_a_reader(text in "\\PC{0,24}|[0-9a-z.,/年月日 -]{0,16}") {
            let folded = fold_text(&text);
            for form in numbers_at(&folded).into_iter().chain(dates_at(&folded)) {
                prop_assert!(folded.is_char_boundary(form.length));
            }
        }
    }
}
