//! Codes: digits that may have lost their zeros or the letters around them.

use super::forms::{MOST_DIGITS, begins_with_letter};

/// A code without its letters has at least so many digits; shorter ones are everywhere.
const LEAST_CODE_DIGITS: usize = 4;
const MOST_AFFIX: usize = 4;

/// Digits with or without leading zeros, and the letters before or after them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    /// The digits without leading zeros.
    pub key: String,
    /// The letters; empty where there are none.
    pub affix: String,
    /// Whether the digits begin with a zero.
    pub padded: bool,
    /// Length of what was read, in bytes.
    pub length: usize,
}

impl Code {
    /// Whether two codes may be spellings of one: not where both have letters and they differ.
    #[must_use]
    pub fn agrees_with(&self, other: &Self) -> bool {
        self.key == other.key && (self.affix.is_empty() || other.affix.is_empty() || self.affix == other.affix)
    }

    /// Whether the code is more than a plain number.
    #[must_use]
    pub fn is_marked(&self) -> bool {
        self.padded || !self.affix.is_empty()
    }
}

/// A code at the beginning of a folded text: `000021`, `000021 sz`, `sz000021`, `c 00123`.
#[must_use]
pub fn code_at(text: &str) -> Option<Code> {
    let letters = text.bytes().take_while(u8::is_ascii_lowercase).count();
    if letters > MOST_AFFIX {
        return None;
    }
    let gap = usize::from(letters > 0 && text[letters..].starts_with([' ', '-', '.']));
    let start = letters + gap;
    let digits = text[start..].bytes().take_while(u8::is_ascii_digit).count();
    let number = &text[start..start + digits];
    let key = number.trim_start_matches('0');
    if key.is_empty() || key.len() > MOST_DIGITS {
        return None;
    }
    let mut code = Code {
        key: key.to_owned(),
        affix: text[..letters].to_owned(),
        padded: key.len() < digits,
        length: start + digits,
    };
    let rest = &text[code.length..];
    let gap = usize::from(rest.starts_with([' ', '-', '.']));
    let suffix = rest[gap..].bytes().take_while(u8::is_ascii_lowercase).count();
    if letters == 0 && (1..=MOST_AFFIX).contains(&suffix) && !begins_with_letter(&rest[gap + suffix..]) {
        rest[gap..gap + suffix].clone_into(&mut code.affix);
        code.length += gap + suffix;
    }
    let short = digits < LEAST_CODE_DIGITS;
    let apart = !begins_with_letter(&text[code.length..]);
    (apart && (!short || code.affix.is_empty())).then_some(code)
}

/// The same code without the letters after it.
#[must_use]
pub fn without_suffix(text: &str) -> Option<Code> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    code_at(&text[..digits])
}

/// The code that a whole folded cell spells, where it is more than a plain number.
#[must_use]
pub fn cell_code(text: &str) -> Option<Code> {
    code_at(text).filter(|code| code.length == text.len() && code.is_marked())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{cell_code, code_at};
    use crate::values::fold::fold_text;

    #[test]
    fn codes_have_one_spelling() {
        for (cell, key, affix) in [
            ("000021", "21", ""),
            ("000021.SZ", "21", "sz"),
            ("SZ000021", "21", "sz"),
            ("C-00123", "123", "c"),
        ] {
            let code = cell_code(&fold_text(cell)).expect(cell);
            assert_eq!((code.key.as_str(), code.affix.as_str()), (key, affix));
        }
        assert_eq!(cell_code("21"), None);
        assert_eq!(cell_code("a1"), None);
        assert!(!code_at("600000 sh").unwrap().agrees_with(&code_at("sz600000").unwrap()));
    }

    proptest! {
        #[test]
        fn zeros_change_no_code(number in 1_u64..1_000_000_000, zeros in 1_usize..6) {
            let code = format!("{}{number}", "0".repeat(zeros));
            prop_assert_eq!(cell_code(&code).map(|code| code.key), Some(number.to_string()));
        }

        #[test]
        fn no_text_breaks_a_reader(text in "\\PC{0,24}|[0-9a-z.-]{0,16}") {
            let folded = fold_text(&text);
            if let Some(code) = code_at(&folded) {
                prop_assert!(folded.is_char_boundary(code.length));
            }
        }
    }
}
