//! Chinese numerals: 三千二百零五, 一点五, 二〇二四, 壹拾贰.

use super::exact::Exact;

/// The digit that a numeral stands for.
#[must_use]
pub fn digit(letter: char) -> Option<u8> {
    Some(match letter {
        '零' | '〇' | '○' => 0,
        '一' | '壹' | '幺' => 1,
        '二' | '贰' | '两' | '貳' => 2,
        '三' | '叁' | '參' => 3,
        '四' | '肆' => 4,
        '五' | '伍' => 5,
        '六' | '陆' | '陸' => 6,
        '七' | '柒' => 7,
        '八' | '捌' => 8,
        '九' | '玖' => 9,
        _ => return None,
    })
}

fn small(letter: char) -> Option<u32> {
    Some(match letter {
        '十' | '拾' => 1,
        '百' | '佰' => 2,
        '千' | '仟' => 3,
        _ => return None,
    })
}

fn large(letter: char) -> Option<u32> {
    Some(match letter {
        '万' | '萬' => 4,
        '亿' | '億' => 8,
        _ => return None,
    })
}

/// Whether a letter may stand in a numeral.
#[must_use]
pub fn is_numeral(letter: char) -> bool {
    digit(letter).is_some() || small(letter).is_some() || large(letter).is_some() || letter == '点'
}

/// The digits of a year or code said one by one: 二〇二四 is 2024.
#[must_use]
pub fn spelled_digits(text: &str) -> Option<String> {
    let digits: Option<String> = text
        .chars()
        .map(|letter| {
            digit(letter)
                .filter(|_| letter != '两')
                .map(|value| char::from(b'0' + value))
        })
        .collect();
    digits.filter(|digits| !digits.is_empty())
}

/// Reads a numeral. Digits said one by one are none, unless they stand behind 点.
///
/// 三百五 is 350 and 一万二 is 12000, as they are spoken; 三百零五 is 305.
#[must_use]
pub fn numeral(text: &str) -> Option<Exact> {
    let (whole, fraction) = match text.split_once('点') {
        Some((whole, fraction)) => (whole, Some(spelled_digits(fraction)?)),
        None => (text, None),
    };
    let whole = integer(whole)?;
    match fraction {
        None => Some(Exact::whole(whole)),
        Some(digits) => {
            let part = Exact::parse(&format!("0.{digits}"))?;
            Exact::whole(whole).plus(part)
        }
    }
}

fn integer(text: &str) -> Option<i128> {
    let letters: Vec<char> = text.chars().collect();
    if letters.is_empty() || letters.len() > 40 {
        return None;
    }
    let (mut total, mut section, mut pending): (i128, i128, Option<i128>) = (0, 0, None);
    // The unit that was said last, and whether a zero stood behind it: 三百五 is 350, 三百零五 is 305.
    let (mut last_unit, mut zero) = (None, false);
    let (mut smallest_small, mut smallest_large) = (u32::MAX, u32::MAX);
    for &letter in &letters {
        if let Some(value) = digit(letter) {
            if value == 0 && letters.len() > 1 {
                if pending.is_some() || total + section == 0 {
                    return None;
                }
                zero = true;
                continue;
            }
            if pending.is_some() {
                return None;
            }
            pending = Some(value.into());
        } else if let Some(power) = small(letter) {
            if power >= smallest_small {
                return None;
            }
            // 十二 says no 一; 百 and 千 always do.
            let count = match pending.take() {
                Some(count) => count,
                None if power == 1 && (section == 0 || zero) => 1,
                None => return None,
            };
            section += count * 10_i128.pow(power);
            (smallest_small, last_unit, zero) = (power, Some(power), false);
        } else if let Some(power) = large(letter) {
            let count = section + pending.take().unwrap_or(0);
            if count == 0 && total == 0 {
                return None;
            }
            if power < smallest_large {
                if count == 0 {
                    return None;
                }
                total += count * 10_i128.pow(power);
            } else {
                // 三万亿: the ten thousands are themselves counted in hundred millions.
                total = (total + count).checked_mul(10_i128.checked_pow(power)?)?;
            }
            section = 0;
            (smallest_small, smallest_large, last_unit, zero) = (u32::MAX, power, Some(power), false);
        } else {
            return None;
        }
    }
    let rest = match (pending, last_unit) {
        (None, _) => 0,
        (Some(count), Some(unit)) if !zero && unit > 0 => count * 10_i128.pow(unit - 1),
        (Some(count), _) => count,
    };
    Some(total + section + rest)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{numeral, spelled_digits};

    fn read(text: &str) -> Option<String> {
        numeral(text).and_then(super::Exact::text)
    }

    #[test]
    fn numerals_are_read_as_they_are_spoken() {
        for (text, value) in [
            ("零", "0"),
            ("十", "10"),
            ("十二", "12"),
            ("二十", "20"),
            ("三百零五", "305"),
            ("三百五", "350"),
            ("一百一十", "110"),
            ("一万二", "12000"),
            ("三千二百万", "32000000"),
            ("一亿零五十万", "100500000"),
            ("三万亿", "3000000000000"),
            ("两千零二十四", "2024"),
            ("一点五", "1.5"),
            ("壹佰贰拾叁", "123"),
            ("三点一四", "3.14"),
        ] {
            assert_eq!(read(text).as_deref(), Some(value), "{text}");
        }
        for text in [
            "",
            "二〇二四",
            "一二三",
            "百",
            "万",
            "五百百",
            "点五",
            "三点",
            "人",
            "零零",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
        assert_eq!(spelled_digits("二〇二四").as_deref(), Some("2024"));
        assert_eq!(spelled_digits("二十"), None);
    }

    /// Spells a number the school way; written apart from the reader, from the place of each digit.
    fn spell(number: u64) -> String {
        const DIGITS: [char; 10] = ['零', '一', '二', '三', '四', '五', '六', '七', '八', '九'];
        fn section(number: u64) -> String {
            let mut text = String::new();
            let mut gap = false;
            for (power, unit) in [(1000, "千"), (100, "百"), (10, "十"), (1, "")] {
                let value = number / power % 10;
                if value == 0 {
                    gap = gap || !text.is_empty();
                } else {
                    if gap {
                        text.push('零');
                    }
                    gap = false;
                    text.push(DIGITS[usize::try_from(value).unwrap()]);
                    text.push_str(unit);
                }
            }
            text
        }
        if number == 0 {
            return "零".to_owned();
        }
        let mut text = String::new();
        for (power, unit) in [(100_000_000, "亿"), (10_000, "万"), (1, "")] {
            let part = number / power % 10_000;
            if part == 0 {
                continue;
            }
            if !text.is_empty() && (part < 1000 || (number / power / 10_000).is_multiple_of(10)) {
                text.push('零');
            }
            text.push_str(&section(part));
            text.push_str(unit);
        }
        text
    }

    proptest! {
        #[test]
        fn every_number_reads_back(number in 0_u64..1_000_000_000_000) {
            prop_assert_eq!(read(&spell(number)), Some(number.to_string()));
        }

        #[test]
        fn nothing_panics(text in "[零一二两三四五六七八九十百千万亿点〇a]{0,45}") {
            let _ = numeral(&text);
        }
    }
}
