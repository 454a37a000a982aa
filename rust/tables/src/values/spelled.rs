//! Numbers that a question spells in words: `seven`, `三十五`, `第一`; and years of two digits: `16年`.

use super::forms::{Form, begins_with_letter};
use crate::normalise::english::BELOW_TWENTY;

const ORDINALS: [&str; 11] = [
    "zeroth", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
];
/// Two digits of a year up to this one are of this century.
const CENTURY: u64 = 50;

/// The number that the beginning of a folded text spells in words or shortens.
#[must_use]
pub(super) fn spelled_at(text: &str) -> Option<Form> {
    short_year(text).or_else(|| chinese(text)).or_else(|| english(text))
}

fn english(text: &str) -> Option<Form> {
    let length = text.bytes().take_while(u8::is_ascii_lowercase).count();
    let (word, rest) = text.split_at(length);
    let place = |words: &[&str]| words.iter().position(|known| *known == word);
    let cardinal = place(&BELOW_TWENTY).or_else(|| (word == "twenty").then_some(20));
    let value = cardinal.or_else(|| place(&ORDINALS))?;
    (!begins_with_letter(rest)).then(|| Form {
        key: value.to_string(),
        length,
    })
}

/// Chinese numerals below ten thousand.
fn chinese(text: &str) -> Option<Form> {
    let (mut total, mut digit, mut length) = (0_u64, None, 0);
    for c in text.chars() {
        if let Some(value) = numeral(c) {
            if digit.is_some() {
                // Digit after digit: a year or a code, read as it stands.
                return digits(text);
            }
            digit = Some(value);
        } else if let Some(unit) = unit(c) {
            total += digit.take().unwrap_or(1) * unit;
        } else {
            break;
        }
        length += c.len_utf8();
    }
    (length > 0).then(|| Form {
        key: (total + digit.unwrap_or(0)).to_string(),
        length,
    })
}

fn digits(text: &str) -> Option<Form> {
    let run: Vec<char> = text.chars().take_while(|c| numeral(*c).is_some()).collect();
    let key: String = run
        .iter()
        .filter_map(|c| numeral(*c))
        .map(|digit| digit.to_string())
        .collect();
    (key.len() <= 8).then(|| Form {
        key,
        length: run.iter().map(|c| c.len_utf8()).sum(),
    })
}

fn numeral(c: char) -> Option<u64> {
    let at = "零一二三四五六七八九".chars().position(|known| known == c);
    at.map(|at| at as u64).or(match c {
        '〇' => Some(0),
        '两' => Some(2),
        _ => None,
    })
}

fn unit(c: char) -> Option<u64> {
    match c {
        '十' => Some(10),
        '百' => Some(100),
        '千' => Some(1000),
        _ => None,
    }
}

fn short_year(text: &str) -> Option<Form> {
    let (digits, rest) = text.split_at_checked(2)?;
    let value: u64 = digits
        .bytes()
        .all(|b| b.is_ascii_digit())
        .then(|| digits.parse().ok())??;
    rest.starts_with('年').then(|| Form {
        key: (value + if value <= CENTURY { 2000 } else { 1900 }).to_string(),
        length: 2,
    })
}

#[cfg(test)]
mod tests {
    use super::spelled_at;

    #[test]
    fn numbers_in_words_are_read() {
        for (text, number, length) in [
            ("seven of them", "7", 5),
            ("third", "3", 5),
            ("三十五岁", "35", 9),
            ("一", "1", 3),
            ("十二", "12", 6),
            ("两百", "200", 6),
            ("二〇一六年", "2016", 12),
            ("16年", "2016", 2),
            ("98年", "1998", 2),
        ] {
            let form = spelled_at(text).expect(text);
            assert_eq!((form.key.as_str(), form.length), (number, length), "{text}");
        }
        for text in ["tennis", "16岁", "年", "", "sevens"] {
            assert_eq!(spelled_at(text), None, "{text}");
        }
    }
}
