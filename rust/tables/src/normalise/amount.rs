//! One written amount: its exact value, its unit, and what had to be done to read it.

use super::chinese;
use super::english;
use super::exact::Exact;
use super::units::{Unit, currency};
use super::width::{folded, is_wide};

/// What was taken off or converted, each a bit.
pub mod step {
    /// Full-width letters.
    pub const WIDTH: u8 = 1;
    /// Thousands separators.
    pub const THOUSANDS: u8 = 2;
    /// 万, 亿, thousand, million and the like.
    pub const SCALE: u8 = 4;
    /// A percent sign.
    pub const PERCENT: u8 = 8;
    /// Chinese numerals.
    pub const CHINESE: u8 = 16;
    /// English number words.
    pub const WORDS: u8 = 32;
    /// A unit or a currency.
    pub const UNIT: u8 = 64;
    /// Brackets around a negative number.
    pub const BRACKETS: u8 = 128;
}

/// An amount as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Amount {
    /// The number, scale words multiplied in, in `unit`.
    pub value: Exact,
    /// The unit; empty for none.
    pub unit: Unit,
    /// The scale word's power of ten, 0 without one.
    pub scale: i32,
    /// Bits of `step`.
    pub steps: u8,
}

/// Reads a whole text as an amount; `None` where anything is left over or two readings are possible.
///
/// Leading zeros (`007`) are a code, not a number.
#[must_use]
pub fn amount(text: &str) -> Option<Amount> {
    let plain = folded(text);
    let mut steps = if is_wide(text) { step::WIDTH } else { 0 };
    let (inner, bracketed) = match plain.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        Some(inner) => (inner, true),
        None => (plain.as_str(), false),
    };
    let (negative, rest) = sign(inner);
    let (before, rest) = match currency(rest) {
        Some((unit, rest)) => (Some(unit), rest),
        None => (None, rest),
    };
    let (negative, rest) = match (negative, before.is_some()) {
        (false, true) => sign(rest),
        (negative, _) => (negative, rest),
    };
    let (head, percent) = match rest.strip_prefix("百分之") {
        Some(rest) => (rest, true),
        None => (rest, false),
    };
    let written = compound(head)?;
    steps |= written.steps;
    let behind = Unit::parse(written.rest)?;
    let unit = match (before, percent) {
        (Some(unit), false) if behind.name.is_empty() || behind == unit => unit,
        (None, true) if behind.name.is_empty() => Unit::known("%")?,
        (None, false) => behind,
        _ => return None,
    };
    if bracketed {
        steps |= step::BRACKETS;
    }
    if unit.name == "%" {
        steps |= step::PERCENT;
    } else if !unit.name.is_empty() {
        steps |= step::UNIT;
    }
    let value = if negative == bracketed {
        written.value
    } else {
        written.value.negated()
    };
    Some(Amount {
        value,
        unit,
        scale: written.scale,
        steps,
    })
}

fn sign(text: &str) -> (bool, &str) {
    for (word, negative) in [("-", true), ("minus ", true), ("负", true), ("+", false)] {
        if let Some(rest) = text.strip_prefix(word) {
            return (negative, rest.trim_start());
        }
    }
    (false, text)
}

struct Written<'a> {
    value: Exact,
    scale: i32,
    steps: u8,
    rest: &'a str,
}

/// Reads parts whose scales fall: 3亿2000万, 1.5 million.
fn compound(text: &str) -> Option<Written<'_>> {
    let mut all = part(text)?;
    let mut last = all.scale;
    while last > 0 {
        let Some(next) = part(all.rest).filter(|next| next.scale < last && next.steps & step::WORDS == 0) else {
            break;
        };
        if next.scale == 0 && all.rest.starts_with(' ') {
            return None;
        }
        last = next.scale;
        all = Written {
            value: all.value.plus(next.value)?,
            scale: all.scale,
            steps: all.steps | next.steps,
            rest: next.rest,
        };
    }
    Some(all)
}

fn part(text: &str) -> Option<Written<'_>> {
    let trimmed = text.trim_start();
    let first = trimmed.chars().next()?;
    if first.is_ascii_digit() {
        return digits(trimmed);
    }
    if chinese::is_numeral(first) {
        let end = trimmed
            .find(|letter| !chinese::is_numeral(letter))
            .unwrap_or(trimmed.len());
        return Some(Written {
            value: chinese::numeral(&trimmed[..end])?,
            scale: 0,
            steps: step::CHINESE,
            rest: &trimmed[end..],
        });
    }
    in_words(trimmed)
}

fn digits(text: &str) -> Option<Written<'_>> {
    let end = text
        .find(|letter: char| !(letter.is_ascii_digit() || matches!(letter, '.' | ',')))
        .unwrap_or(text.len());
    let number = &text[..end];
    let (value, grouped) = match number.split_once(',') {
        Some(_) => (Exact::parse(&ungrouped(number)?)?, true),
        None => (Exact::parse(number)?, false),
    };
    let whole = number.split(['.', ',']).next().unwrap_or_default();
    if whole.len() > 1 && whole.starts_with('0') {
        return None;
    }
    let steps = if grouped { step::THOUSANDS } else { 0 };
    let (scale, rest) = scale_behind(&text[end..]);
    Some(Written {
        value: value.shifted(scale),
        scale,
        steps: steps | if scale == 0 { 0 } else { step::SCALE },
        rest,
    })
}

/// Takes commas out where they stand before groups of three digits.
fn ungrouped(number: &str) -> Option<String> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let mut groups = whole.split(',');
    let head = groups.next()?;
    let sound =
        (1..=3).contains(&head.len()) && groups.clone().all(|group| group.len() == 3) && !fraction.contains(',');
    let plain: String = std::iter::once(head).chain(groups).collect();
    sound.then(|| {
        if fraction.is_empty() {
            plain
        } else {
            format!("{plain}.{fraction}")
        }
    })
}

/// The power of ten of the scale words at the head of `text`, and what follows them.
fn scale_behind(text: &str) -> (i32, &str) {
    let (mut power, mut rest) = (0, text);
    while let Some(letter) = rest.chars().next() {
        let one = match letter {
            // 千克 and 千米 are units.
            '千' if rest.starts_with("千克") || rest.starts_with("千米") => break,
            // 百分点 is no hundred.
            '百' if rest.starts_with("百分点") => break,
            '十' => 1,
            '百' => 2,
            '千' => 3,
            '万' | '萬' => 4,
            '亿' | '億' => 8,
            _ => break,
        };
        power += one;
        rest = &rest[letter.len_utf8()..];
    }
    if power > 0 {
        return (power, rest);
    }
    let word = text.trim_start();
    let end = word
        .find(|letter: char| !letter.is_ascii_alphabetic())
        .unwrap_or(word.len());
    match english::scale(&word[..end].to_ascii_lowercase()) {
        Some(power) => (power, &word[end..]),
        None => (0, text),
    }
}

fn in_words(text: &str) -> Option<Written<'_>> {
    let lower = text.to_ascii_lowercase();
    let words: Vec<&str> = lower.split(' ').collect();
    let (value, used) = english::number(&words)?;
    let length: usize = words[..used].iter().map(|word| word.len() + 1).sum::<usize>() - 1;
    Some(Written {
        value,
        scale: 0,
        steps: step::WORDS,
        rest: text.get(length..)?,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::amount;

    fn read(text: &str) -> Option<(String, String)> {
        amount(text).and_then(|amount| Some((amount.value.text()?, amount.unit.name)))
    }

    #[test]
    fn amounts_are_read_with_their_units() {
        for (text, value, unit) in [
            ("1,234.50", "1234.5", ""),
            ("12.5%", "12.5", "%"),
            ("１２．５％", "12.5", "%"),
            ("百分之三十五", "35", "%"),
            ("3.2万元", "32000", "CNY"),
            ("3亿2000万元", "320000000", "CNY"),
            ("¥1.5亿", "150000000", "CNY"),
            ("$2.5 million", "2500000", "USD"),
            ("2 thousand yuan", "2000", "CNY"),
            ("-3.5", "-3.5", ""),
            ("(1,200)", "-1200", ""),
            ("(5)", "-5", ""),
            ("-$5", "-5", "USD"),
            ("负三点五", "-3.5", ""),
            ("三千二百万元", "32000000", "CNY"),
            ("185 cm", "185", "cm"),
            ("5千克", "5", "kg"),
            ("twelve thousand three hundred", "12300", ""),
            ("forty-two years", "42", "year"),
            ("2个百分点", "2", "pp"),
            ("15人", "15", "人"),
        ] {
            assert_eq!(read(text), Some((value.to_owned(), unit.to_owned())), "{text}");
        }
        for text in [
            "",
            "007",
            "1,23",
            "1.2.3",
            "12 34",
            "abc",
            "1 2 3 4",
            "5 of the 7",
            "2024-01-05",
            "万",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn grouped_numbers_are_the_plain_ones(value in 0_u64..1_000_000_000_000, cents in 0_u8..100) {
            let digits = value.to_string();
            let grouped: Vec<String> = digits.as_bytes().rchunks(3).rev()
                .map(|group| String::from_utf8_lossy(group).into_owned()).collect();
            let text = format!("{}.{cents:02}", grouped.join(","));
            prop_assert_eq!(read(&text), read(&format!("{digits}.{cents:02}")));
        }

        #[test]
        fn a_scale_word_is_its_power_of_ten(value in 1_u64..1_000_000, place in 0_usize..4) {
            let (word, zeros) = [("万", "0000"), ("亿", "00000000"), (" thousand", "000"), (" million", "000000")][place];
            prop_assert_eq!(read(&format!("{value}{word}")).map(|one| one.0), Some(format!("{value}{zeros}")));
        }

        #[test]
        fn nothing_panics(text: String) {
            let _ = amount(&text);
        }

        #[test]
        fn nothing_panics_near_amounts(text in "[-+0-9.,%¥$万亿千百十三点a-e ()年元]{0,14}") {
            let _ = amount(&text);
        }
    }
}
