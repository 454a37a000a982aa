//! One written date: 2024-03-05, 5 March 2024, 2024年3月中旬, the end of Q3 2023.

use super::chinese;
use super::width::folded;
use crate::cells::{days_from_civil, time_of_day};

/// What a text says of a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// A day since 1970-01-01.
    Day(i32),
    /// A day that is vague in words and has its day by convention: mid is the 15th, early the 5th, late the 25th.
    Verbal(i32),
    /// Two numbers that may be day and month or month and day, and a year.
    Either(u32, u32, i32),
    /// Microseconds since 1970-01-01.
    Time(i64),
    /// Year and month.
    Month(i32, u32),
    /// Year and quarter.
    Quarter(i32, u32),
    /// A year that is said to be one.
    Year(i32),
}

/// Reads a whole text as a date; `None` where it is none or something is left over.
#[must_use]
pub fn moment(text: &str) -> Option<Moment> {
    let plain = folded(text);
    if plain.len() > 80 {
        return None;
    }
    if plain.contains('年') {
        return chinese_moment(&plain);
    }
    numeric(&plain).or_else(|| english_moment(&plain))
}

fn day(year: i32, month: u32, day: u32) -> Option<Moment> {
    days_from_civil(year, month, day).map(Moment::Day)
}

fn last_day(year: i32, month: u32) -> Option<i32> {
    if month == 12 {
        days_from_civil(year, 12, 31)
    } else {
        days_from_civil(year, month + 1, 1).map(|next| next - 1)
    }
}

fn digits<T: std::str::FromStr>(text: &str, most: usize) -> Option<T> {
    let sound = (1..=most).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    if sound { text.parse().ok() } else { None }
}

fn numeric(text: &str) -> Option<Moment> {
    let (date, clock) = match text.split_once([' ', 'T']) {
        Some((date, clock)) => (date, Some(clock)),
        None => (text, None),
    };
    let mark = ['-', '/', '.']
        .into_iter()
        .find(|mark| date.matches(*mark).count() == 2)?;
    let mut parts = date.split(mark);
    let (one, two, three) = (parts.next()?, parts.next()?, parts.next()?);
    if one.len() == 4 {
        let days = days_from_civil(digits(one, 4)?, digits(two, 2)?, digits(three, 2)?)?;
        return match clock {
            None => Some(Moment::Day(days)),
            Some(clock) => Some(Moment::Time(
                i64::from(days) * 86_400_000_000 + time_of_day(clock.as_bytes())?,
            )),
        };
    }
    if clock.is_some() || three.len() != 4 {
        return None;
    }
    let (one, two, year): (u32, u32, i32) = (digits(one, 2)?, digits(two, 2)?, digits(three, 4)?);
    let (day_first, month_first) = (days_from_civil(year, two, one), days_from_civil(year, one, two));
    match (day_first, month_first) {
        (Some(first), Some(second)) if first == second => Some(Moment::Day(first)),
        (None, None) => None,
        _ => Some(Moment::Either(one, two, year)),
    }
}

/// Reads the number at the head of `text`, in digits or Chinese numerals, that stands before `unit`.
fn counted<'a>(text: &'a str, unit: &str) -> Option<(i32, &'a str)> {
    let (number, rest) = text.split_once(unit)?;
    let number = number.trim();
    if let Some(value) = digits(number, 4) {
        return Some((value, rest));
    }
    let spelled = chinese::spelled_digits(number).and_then(|spelled| digits(&spelled, 4));
    let read = || chinese::numeral(number)?.text()?.parse().ok();
    spelled.or_else(read).map(|value| (value, rest))
}

fn chinese_moment(text: &str) -> Option<Moment> {
    let (year, rest) = counted(text, "年")?;
    if !(1000..=9999).contains(&year) {
        return None;
    }
    let rest = rest.trim();
    match rest {
        "" | "度" => return Some(Moment::Year(year)),
        "底" | "末" | "年末" | "年底" => return days_from_civil(year, 12, 31).map(Moment::Verbal),
        "初" | "年初" => return days_from_civil(year, 1, 1).map(Moment::Verbal),
        _ => {}
    }
    if let Some((quarter, tail)) = chinese_quarter(rest) {
        return quarter_moment(
            year,
            quarter,
            match tail {
                "" => "",
                "末" | "底" | "结束" => "end",
                "初" => "start",
                _ => return None,
            },
        );
    }
    let (month, rest) = counted(rest, "月")?;
    let month = u32::try_from(month).ok().filter(|month| (1..=12).contains(month))?;
    let rest = rest.trim_start_matches('份').trim();
    let verbal = |number| days_from_civil(year, month, number).map(Moment::Verbal);
    match rest {
        "" => return Some(Moment::Month(year, month)),
        "初" | "上旬" => return verbal(5),
        "中" | "中旬" => return verbal(15),
        "下旬" => return verbal(25),
        "末" | "底" | "月末" | "月底" => return last_day(year, month).map(Moment::Verbal),
        _ => {}
    }
    let unit = if rest.contains('日') { "日" } else { "号" };
    let (number, rest) = counted(rest, unit)?;
    let days = days_from_civil(year, month, u32::try_from(number).ok()?)?;
    let rest = rest.trim();
    if rest.is_empty() {
        return Some(Moment::Day(days));
    }
    let micros = time_of_day(rest.as_bytes())?;
    Some(Moment::Time(i64::from(days) * 86_400_000_000 + micros))
}

fn chinese_quarter(text: &str) -> Option<(u32, &str)> {
    let (number, tail) = match text.strip_prefix(['Q', 'q']) {
        Some(rest) => rest.split_at_checked(1)?,
        None => text.split_once("季度")?,
    };
    let number = number.trim_start_matches('第');
    let mut letters = number.chars();
    let letter = letters.next()?;
    let quarter = letter.to_digit(10).or_else(|| chinese::digit(letter).map(u32::from))?;
    (letters.next().is_none() && (1..=4).contains(&quarter)).then_some((quarter, tail))
}

fn quarter_moment(year: i32, quarter: u32, at: &str) -> Option<Moment> {
    match at {
        "" => Some(Moment::Quarter(year, quarter)),
        "end" => last_day(year, quarter * 3).map(Moment::Verbal),
        "start" => days_from_civil(year, quarter * 3 - 2, 1).map(Moment::Verbal),
        _ => None,
    }
}

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

fn month_named(word: &str) -> Option<u32> {
    let word = word.trim_end_matches('.');
    let place = MONTHS.iter().position(|month| {
        *month == word || (word.len() == 3 && month.starts_with(word)) || (word == "sept" && *month == "september")
    })?;
    u32::try_from(place + 1).ok()
}

fn ordinal(word: &str) -> Option<u32> {
    let number = ["st", "nd", "rd", "th"]
        .iter()
        .find_map(|end| word.strip_suffix(end))
        .unwrap_or(word);
    digits(number, 2).filter(|day| (1..=31).contains(day))
}

fn english_moment(text: &str) -> Option<Moment> {
    let lower = text.to_lowercase().replace([',', '-'], " ");
    let words: Vec<&str> = lower
        .split_whitespace()
        .filter(|word| !matches!(*word, "the" | "of" | "in" | "on"))
        .collect();
    let (at, words) = match words.as_slice() {
        ["early", rest @ ..] => ("early", rest),
        ["mid", rest @ ..] => ("mid", rest),
        ["late", rest @ ..] => ("late", rest),
        ["end", rest @ ..] => ("end", rest),
        ["start" | "beginning", rest @ ..] => ("start", rest),
        ["year", "end", rest @ ..] => ("year end", rest),
        ["year", rest @ ..] => ("year", rest),
        rest => ("", rest),
    };
    let year_of = |word: &str| digits::<i32>(word, 4).filter(|year| (1000..=9999).contains(year));
    match (at, words) {
        ("end" | "year end", [year]) => days_from_civil(year_of(year)?, 12, 31).map(Moment::Verbal),
        ("start", [year]) => days_from_civil(year_of(year)?, 1, 1).map(Moment::Verbal),
        ("year", [year]) => year_of(year).map(Moment::Year),
        ("", [month, number, year]) if month_named(month).is_some() => {
            day(year_of(year)?, month_named(month)?, ordinal(number)?)
        }
        ("", [number, month, year]) if month_named(month).is_some() => {
            day(year_of(year)?, month_named(month)?, ordinal(number)?)
        }
        (at, [month, year]) if month_named(month).is_some() => {
            let (month, year) = (month_named(month)?, year_of(year)?);
            let verbal = |number| days_from_civil(year, month, number).map(Moment::Verbal);
            match at {
                "" => Some(Moment::Month(year, month)),
                "early" => verbal(5),
                "mid" => verbal(15),
                "late" => verbal(25),
                "start" => verbal(1),
                "end" => last_day(year, month).map(Moment::Verbal),
                _ => None,
            }
        }
        (at, [quarter, rest @ ..]) => {
            let (quarter, rest) = english_quarter(quarter, rest)?;
            match (rest, at) {
                ([year], "" | "end" | "start") => quarter_moment(year_of(year)?, quarter, at),
                (["end", year], "") => quarter_moment(year_of(year)?, quarter, "end"),
                _ => None,
            }
        }
        _ => None,
    }
}

fn english_quarter<'a, 'b>(word: &str, rest: &'b [&'a str]) -> Option<(u32, &'b [&'a str])> {
    if let Some(number) = word.strip_prefix('q') {
        return digits::<u32>(number, 1)
            .filter(|quarter| (1..=4).contains(quarter))
            .map(|quarter| (quarter, rest));
    }
    let place = ["first", "second", "third", "fourth"]
        .iter()
        .position(|known| *known == word)?;
    match rest {
        ["quarter", rest @ ..] => Some((u32::try_from(place + 1).ok()?, rest)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Moment, moment};
    use crate::calendar::iso_date;
    use crate::cells::days_from_civil;

    fn read(text: &str) -> Option<String> {
        match moment(text)? {
            Moment::Day(days) | Moment::Verbal(days) => Some(iso_date(days)),
            _ => None,
        }
    }

    #[test]
    fn dates_of_every_family_are_read() {
        for (text, date) in [
            ("2024-03-05", "2024-03-05"),
            ("2024/3/5", "2024-03-05"),
            ("13/04/2024", "2024-04-13"),
            ("5 March 2024", "2024-03-05"),
            ("March 5th, 2024", "2024-03-05"),
            ("Sept. 9, 2021", "2021-09-09"),
            ("2024年3月5日", "2024-03-05"),
            ("二〇二四年三月十五日", "2024-03-15"),
            ("the end of Q3 2023", "2023-09-30"),
            ("end of the third quarter of 2023", "2023-09-30"),
            ("mid-March 2024", "2024-03-15"),
            ("early May 2020", "2020-05-05"),
            ("late February 2024", "2024-02-25"),
            ("end of February 2024", "2024-02-29"),
            ("year-end 2022", "2022-12-31"),
            ("2023年第三季度末", "2023-09-30"),
            ("2023年三季度末", "2023-09-30"),
            ("2023年Q4末", "2023-12-31"),
            ("2024年3月中旬", "2024-03-15"),
            ("2024年3月初", "2024-03-05"),
            ("2024年3月下旬", "2024-03-25"),
            ("2024年2月底", "2024-02-29"),
            ("2023年底", "2023-12-31"),
        ] {
            if text == "13/04/2024" {
                assert_eq!(moment(text), Some(Moment::Either(13, 4, 2024)));
            } else {
                assert_eq!(read(text).as_deref(), Some(date), "{text}");
            }
        }
        assert_eq!(moment("2024年3月"), Some(Moment::Month(2024, 3)));
        assert_eq!(moment("Q3 2023"), Some(Moment::Quarter(2023, 3)));
        assert_eq!(moment("2019年"), Some(Moment::Year(2019)));
        for text in [
            "",
            "2024",
            "2024-02-30",
            "March",
            "12 of 30",
            "2024年13月",
            "mid 2024",
            "5.5.5",
            "1-2-3",
        ] {
            assert_eq!(moment(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn the_spellings_of_a_day_agree(year in 1000_i32..9999, month in 1_u32..=12, day in 1_u32..=28) {
            let name = super::MONTHS[month as usize - 1];
            let expected = days_from_civil(year, month, day).map(iso_date);
            for text in [
                format!("{year}-{month:02}-{day:02}"), format!("{year}/{month}/{day}"),
                format!("{year}年{month}月{day}日"), format!("{day} {name} {year}"), format!("{name} {day}, {year}"),
            ] {
                prop_assert_eq!(read(&text), expected.clone(), "{}", text);
            }
        }

        #[test]
        fn nothing_panics(text: String) {
            let _ = moment(&text);
        }

        #[test]
        fn nothing_panics_near_dates(text in "[0-9年月日季度第三末Q/ -]{0,14}") {
            let _ = moment(&text);
        }
    }
}
