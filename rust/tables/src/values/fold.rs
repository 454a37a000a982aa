//! The normal form of texts: NFKC, without case, soft punctuation as one blank, with the way back to the original.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::{canonical_combining_class, decompose_compatible};
use unicode_normalization::{IsNormalized, is_nfkc_quick};

/// A text in normal form.
///
/// White space and punctuation that spells no value (`-`, `'`, `,`, `。`) become one blank, and none at the ends, but
/// between two digits they stay (`2024-01-05`, `3.5`), and a minus before a number does; blanks between two characters of scripts without blanks vanish.
/// A text of nothing else keeps its characters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Folded {
    /// The normal form.
    pub text: String,
    /// For each byte of `text`, and one more for its end: the characters of the original that it stands for.
    origins: Vec<Origin>,
}

/// The characters of the original from `start` up to `end`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Origin {
    start: u32,
    end: u32,
}

impl Folded {
    /// The characters of the original that the bytes from `start` up to `end` stand for.
    #[must_use]
    pub fn span(&self, start: usize, end: usize) -> (usize, usize) {
        if start >= end {
            let at = self.origins.get(start).map_or(0, |origin| origin.start as usize);
            return (at, at);
        }
        (self.origins[start].start as usize, self.origins[end - 1].end as usize)
    }

    /// Whether a value may begin at this byte: not inside a word.
    #[must_use]
    pub fn starts_at(&self, at: usize) -> bool {
        let before = self.text[..at].chars().next_back();
        let after = self.text[at..].chars().next();
        after.is_some_and(|c| c != ' ')
            && before.is_none_or(|c| !joined(c, after.unwrap_or(' ')))
            && !([before, after].into_iter().flatten().any(is_number_mark) && self.splits_number(at))
    }

    /// Whether a value may end before this byte: not inside a word.
    #[must_use]
    pub fn ends_at(&self, at: usize) -> bool {
        let before = self.text[..at].chars().next_back();
        let after = self.text[at..].chars().next();
        before.is_some_and(|c| c != ' ')
            && after.is_none_or(|c| !joined(before.unwrap_or(' '), c))
            && !(after.is_some_and(is_number_mark) && self.splits_number(at))
    }

    /// Whether the place beside a mark lies inside a number: `1,000` is no 1 and `3.5` no 3, but `1,2,3` are three.
    fn splits_number(&self, at: usize) -> bool {
        let own = |b: &u8| b.is_ascii_digit() || is_number_mark(char::from(*b));
        let bytes = self.text.as_bytes();
        let start = at - bytes[..at].iter().rev().take_while(|b| own(b)).count();
        let end = at + bytes[at..].iter().take_while(|b| own(b)).count();
        let number = &self.text[start..end];
        let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        let mut groups = whole.split(',');
        let first = groups.next().unwrap_or_default();
        let grouped = first.len() <= 3 && groups.clone().all(|group| group.len() == 3 && digits(group));
        digits(fraction) && digits(first) && (groups.next().is_none() || grouped)
    }
}

/// Whether a character between two digits may separate groups of digits, or a fraction.
fn is_number_mark(c: char) -> bool {
    matches!(c, ',' | '.')
}

/// Whether two neighbouring characters belong to one word, which no value ends inside of.
fn joined(before: char, after: char) -> bool {
    before.is_alphanumeric() && after.is_alphanumeric() && !is_unspaced(before) && !is_unspaced(after)
}

/// Whether a script does without blanks between words, or glues endings to them.
#[must_use]
pub fn is_unspaced(c: char) -> bool {
    matches!(u32::from(c),
        0x0E00..=0x0EFF          // Thai, Lao
        | 0x0F00..=0x0FFF        // Tibetan
        | 0x1000..=0x109F        // Myanmar
        | 0x1780..=0x17FF        // Khmer
        | 0x3005..=0x3007 | 0x3040..=0x30FF | 0x31F0..=0x31FF // kana and marks
        | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x20000..=0x3FFFF // Han
        | 0xAC00..=0xD7A3        // Hangul: particles are glued to words
    )
}

/// Whether a character only separates: its absence or another one like it makes no other value.
fn is_soft(c: char) -> bool {
    c.is_whitespace()
        || c.is_control()
        || matches!(c,
            '-' | '_' | '\'' | '"' | '`' | ',' | '.' | ';' | ':' | '!' | '?' | '(' | ')' | '[' | ']' | '{' | '}' | '/'
            | '\\' | '|' | '~' | '&'
            | '\u{2010}'..='\u{2015}' | '\u{2018}'..='\u{201F}' | '\u{2026}' | '\u{2212}' | '\u{00B7}' | '\u{2022}'
            | '\u{00AD}' | '\u{200B}'..='\u{200F}' | '\u{2060}' | '\u{FEFF}' | '\u{00AB}' | '\u{00BB}'
            | '\u{00BF}' | '\u{00A1}' | '\u{3001}' | '\u{3002}' | '\u{3008}'..='\u{3011}' | '\u{3014}'..='\u{301F}'
            | '\u{30FB}' | '\u{FE30}'..='\u{FE4F}')
}

/// Brings a text into normal form.
#[must_use]
pub fn fold(text: &str) -> Folded {
    let letters = letters(text);
    let mut folded = Folded::default();
    let mut at = 0;
    while at < letters.len() {
        let (c, origin) = letters[at];
        if !is_soft(c) {
            folded.push(c, origin);
            at += 1;
            continue;
        }
        let run = letters[at..].iter().take_while(|(c, _)| is_soft(*c)).count();
        let (before, after) = (
            at.checked_sub(1).map(|i| letters[i].0),
            letters.get(at + run).map(|l| l.0),
        );
        let last = letters[at + run - 1];
        let signs =
            matches!(last.0, '-' | '\u{2212}') && is_digit(after) && (run > 1 || at == 0 || is_power(&letters[..at]));
        if run == 1 && !c.is_whitespace() && !c.is_control() && [before, after].iter().all(|c| is_digit(*c)) {
            folded.push(c, origin);
        } else if signs && (run == 1 || at == 0 || letters[at + run - 2].0.is_whitespace()) {
            if run > 1 && at > 0 {
                folded.push(
                    ' ',
                    Origin {
                        end: letters[at + run - 2].1.end,
                        ..origin
                    },
                );
            }
            folded.push('-', last.1);
        } else if let (Some(before), Some(after)) = (before, after) {
            let blank = letters[at..at + run].iter().all(|(c, _)| c.is_whitespace());
            if !(blank && is_unspaced(before) && is_unspaced(after)) {
                let end = letters[at + run - 1].1.end;
                folded.push(' ', Origin { end, ..origin });
            }
        }
        at += run;
    }
    if folded.text.is_empty() {
        for (c, origin) in letters {
            if !c.is_whitespace() && !c.is_control() {
                folded.push(c, origin);
            }
        }
    }
    let end = u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
    folded.origins.push(Origin { start: end, end });
    folded
}

/// The normal form alone.
#[must_use]
pub fn fold_text(text: &str) -> String {
    fold(text).text
}

impl Folded {
    fn push(&mut self, c: char, origin: Origin) {
        self.text.push(c);
        self.origins.extend(std::iter::repeat_n(origin, c.len_utf8()));
    }
}

/// Whether the letters end on a number's `e`: `1.5e` before `-3`.
fn is_power(letters: &[(char, Origin)]) -> bool {
    matches!(letters, [.., (digit, _), ('e', _)] if digit.is_ascii_digit())
}

fn is_digit(c: Option<char>) -> bool {
    c.is_some_and(|c| c.is_ascii_digit())
}

/// NFKC without case, each character with those of the original that it comes from.
fn letters(text: &str) -> Vec<(char, Origin)> {
    let mut letters = Vec::with_capacity(text.len());
    if text.is_ascii() {
        for (at, byte) in (0_u32..).zip(text.bytes()) {
            let origin = Origin { start: at, end: at + 1 };
            letters.push((char::from(byte.to_ascii_lowercase()), origin));
        }
        return letters;
    }
    let mut pending = String::new();
    let mut start = 0_u32;
    let mut at = 0_u32;
    for c in text.chars() {
        if !pending.is_empty() && !attaches(c) {
            flush(&pending, Origin { start, end: at }, &mut letters);
            pending.clear();
            start = at;
        }
        pending.push(c);
        at += 1;
    }
    flush(&pending, Origin { start, end: at }, &mut letters);
    letters
}

/// Whether a character may change with the one before it under NFKC.
pub(super) fn attaches(c: char) -> bool {
    if c.is_ascii() {
        return false;
    }
    if canonical_combining_class(c) != 0 || is_nfkc_quick(std::iter::once(c)) == IsNormalized::Maybe {
        return true;
    }
    let mut first = None;
    decompose_compatible(c, |part| first = first.or(Some(part)));
    first.is_some_and(|part| canonical_combining_class(part) != 0)
}

fn flush(pending: &str, origin: Origin, letters: &mut Vec<(char, Origin)>) {
    for c in pending.nfkc() {
        match c {
            'ß' | 'ẞ' => letters.extend([('s', origin), ('s', origin)]),
            'ς' => letters.push(('σ', origin)),
            _ => letters.extend(c.to_lowercase().map(|lower| (lower, origin))),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use unicode_normalization::UnicodeNormalization;

    use super::{fold, fold_text, letters};

    #[test]
    fn what_only_looks_different_is_one_form() {
        for (text, form) in [
            (" ＡＢＣ  Corp ", "abc corp"),
            ("New-York", "new york"),
            ("O'Brien’s", "o brien s"),
            ("2024-01-05", "2024-01-05"),
            ("1,234.5", "1,234.5"),
            ("北京 大学", "北京大学"),
            ("北京、大学", "北京 大学"),
            ("C++", "c++"),
            ("N/A", "n a"),
            ("-7", "-7"),
            ("from -7 - 8", "from -7 8"),
            ("1.5E-3", "1.5e-3"),
            ("--", "--"),
            ("Straße", "strasse"),
            ("ｶﾞｽ", "ガス"),
            ("e\u{301}tat", "état"),
            ("", ""),
        ] {
            assert_eq!(fold_text(text), form, "{text}");
        }
    }

    #[test]
    fn spans_lead_back_to_characters_of_the_original() {
        let folded = fold("Which is “Ｎｅｗ-York”? e\u{301}tat");
        let at = folded.text.find("new york").unwrap();
        assert_eq!(folded.span(at, at + 8), (10, 18));
        let at = folded.text.find("état").unwrap();
        assert_eq!(folded.span(at, at + "état".len()), (21, 26));
    }

    #[test]
    fn numbers_are_not_cut() {
        let places = |text: &str| -> Vec<usize> {
            let folded = fold(text);
            (0..text.len()).filter(|at| folded.starts_at(*at)).collect()
        };
        assert_eq!(places("1,000"), [0]);
        assert_eq!(places("12,345.5"), [0]);
        assert_eq!(places("1,2,3"), [0, 1, 2, 3, 4]);
        assert_eq!(places("2024.01.05"), [0, 4, 5, 7, 8]);
        assert_eq!(places("a 1.5"), [0, 2]);
        assert!(!fold("3.5").ends_at(1));
        assert!(fold("3,50").ends_at(1));
    }

    proptest! {
        #[test]
        fn a_normal_form_is_its_own(text in "\\PC{0,24}") {
            let once = fold_text(&text);
            // Lower case may undo NFKC for a few letters; what is left is stable.
            prop_assert_eq!(fold_text(&fold_text(&once)), fold_text(&once));
        }

        #[test]
        fn parts_that_attach_are_normalised_together(text in "\\PC{0,24}") {
            let parts: String = letters(&text).into_iter().map(|(c, _)| c).collect();
            let whole: String = text.nfkc().flat_map(char::to_lowercase).collect();
            let whole = whole.replace('ß', "ss").replace('ς', "σ");
            prop_assert_eq!(parts, whole);
        }

        #[test]
        fn case_and_width_do_not_count(text in "[a-zA-Z0-9 ]{0,24}") {
            let wide: String = text.chars().map(|c| match c {
                '!'..='~' => char::from_u32(u32::from(c) + 0xFEE0).unwrap(),
                c => c,
            }).collect();
            prop_assert_eq!(fold_text(&wide), fold_text(&text.to_uppercase()));
        }

        #[test]
        fn every_span_lies_within_the_text_and_never_runs_back(text in "\\PC{0,24}") {
            let folded = fold(&text);
            let length = text.chars().count();
            let places: Vec<usize> = folded.text.char_indices().map(|(at, _)| at).collect();
            for pair in places.windows(2) {
                let (start, end) = folded.span(pair[0], pair[1]);
                prop_assert!(start <= end && end <= length);
                prop_assert!(folded.span(pair[1], folded.text.len()).0 >= start);
            }
        }
    }
}
