//! One spelling of widths, blanks, dashes and quotes, without touching what a letter is.

/// The text with full-width ASCII, ideographic blanks, minus signs and typographic apostrophes as ASCII, trimmed.
#[must_use]
pub fn folded(text: &str) -> String {
    let plain: String = text
        .chars()
        .map(|letter| match letter {
            '\u{FF01}'..='\u{FF5E}' => char::from_u32(u32::from(letter) - 0xFEE0).unwrap_or(letter),
            '\u{3000}' | '\u{A0}' | '\u{2009}' | '\u{202F}' => ' ',
            '\u{2212}' | '\u{2010}' | '\u{2011}' => '-',
            '\u{2019}' => '\'',
            '￥' => '¥',
            _ => letter,
        })
        .collect();
    plain.trim().to_owned()
}

/// Whether folding changes more than blanks at the ends.
#[must_use]
pub fn is_wide(text: &str) -> bool {
    text.chars()
        .any(|letter| matches!(letter, '\u{FF01}'..='\u{FF5E}' | '\u{3000}' | '￥'))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{folded, is_wide};

    #[test]
    fn full_width_becomes_ascii() {
        assert_eq!(folded("　１２，３４５．６％ "), "12,345.6%");
        assert_eq!(folded("−５"), "-5");
        assert_eq!(folded("三万"), "三万");
    }

    proptest! {
        #[test]
        fn folding_twice_is_folding_once(text: String) {
            let once = folded(&text);
            prop_assert!(!is_wide(&once));
            prop_assert_eq!(folded(&once), once);
        }
    }
}
