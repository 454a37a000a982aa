//! English number words: twelve thousand three hundred and four, 2.5 million.

use super::exact::Exact;

pub(crate) const BELOW_TWENTY: [&str; 20] = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
];
const TENS: [&str; 8] = [
    "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
];

/// The power of ten of a scale word, in lower case.
#[must_use]
pub fn scale(word: &str) -> Option<i32> {
    Some(match word {
        "thousand" => 3,
        "lakh" => 5,
        "million" | "mn" => 6,
        "crore" => 7,
        "billion" | "bn" => 9,
        "trillion" | "tn" => 12,
        _ => return None,
    })
}

/// The value of a word below a hundred, in lower case: `seven`, `forty`, `forty-two`.
fn small(word: &str) -> Option<i128> {
    let place = |words: &[&str], word: &str| words.iter().position(|known| *known == word);
    if let Some(value) = place(&BELOW_TWENTY, word) {
        return i128::try_from(value).ok();
    }
    let (tens, unit) = word.split_once('-').unwrap_or((word, ""));
    let tens = i128::try_from(place(&TENS, tens)? + 2).ok()? * 10;
    if unit.is_empty() {
        return (!word.contains('-')).then_some(tens);
    }
    let unit = place(&BELOW_TWENTY[1..10], unit)? + 1;
    Some(tens + i128::try_from(unit).ok()?)
}

/// Whether a word, in lower case, may begin a number in words.
#[must_use]
pub fn begins(word: &str) -> bool {
    small(word).is_some()
}

/// Reads the number in words at the head of `words` and returns it with how many words it took.
#[must_use]
pub fn number(words: &[&str]) -> Option<(Exact, usize)> {
    let (mut total, mut section, mut used) = (0_i128, None::<i128>, 0);
    let mut last_scale = i32::MAX;
    let mut at = 0;
    // `twenty three` is one number, `three twenty` is none.
    let mut tens_open = false;
    while let Some(word) = words.get(at) {
        if let Some(value) = small(word) {
            match section {
                Some(_) if tens_open && (1..10).contains(&value) => {}
                Some(before) if before % 100 == 0 && before > 0 => {}
                None => {}
                Some(_) => break,
            }
            section = Some(section.unwrap_or(0) + value);
            tens_open = value >= 20 && value % 10 == 0;
        } else if *word == "hundred" {
            match section {
                Some(count) if (1..100).contains(&count) => section = Some(count * 100),
                _ => break,
            }
            tens_open = false;
        } else if let Some(power) = scale(word) {
            let Some(count) = section.take() else {
                // `five thousand million` is no number as it is said.
                return None;
            };
            if power >= last_scale {
                return None;
            }
            total += count * 10_i128.pow(u32::try_from(power).ok()?);
            (last_scale, tens_open) = (power, false);
        } else if *word == "and" && at > 0 && words.get(at + 1).is_some_and(|next| small(next).is_some()) {
            let open = section.map_or(total > 0, |count| count % 100 == 0 && count > 0);
            if !open {
                break;
            }
            at += 1;
            continue;
        } else {
            break;
        }
        at += 1;
        used = at;
    }
    (used > 0).then(|| (Exact::whole(total + section.unwrap_or(0)), used))
}

#[cfg(test)]
mod tests {
    use super::number;

    fn read(text: &str) -> Option<(String, usize)> {
        let words: Vec<&str> = text.split(' ').collect();
        number(&words).and_then(|(value, used)| Some((value.text()?, used)))
    }

    #[test]
    fn number_words_are_read() {
        for (text, value) in [
            ("seven", "7"),
            ("forty-two", "42"),
            ("forty two", "42"),
            ("three hundred and four", "304"),
            ("twelve thousand three hundred and four", "12304"),
            ("two million five thousand", "2005000"),
            ("one hundred thousand", "100000"),
        ] {
            let words = text.split(' ').count();
            assert_eq!(read(text), Some((value.to_owned(), words)), "{text}");
        }
        assert_eq!(read("three dogs"), Some(("3".to_owned(), 1)));
        assert_eq!(read("five thousand million"), None);
        assert_eq!(read("hundred"), None);
        assert_eq!(read("three and four"), Some(("3".to_owned(), 1)));
    }
}
