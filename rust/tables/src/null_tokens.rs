//! The spellings of "no value" that stand in columns of numbers and dates, as spreadsheets, databases and statistics
//! programs write them: the one list that readers, profile and sniffer share.

macro_rules! null_tokens {
    ($($token:literal),+ $(,)?) => {
        /// Every spelling, the most frequent first.
        pub const NULL_TOKENS: &[&str] = &[$($token),+];

        /// The longest spelling, in bytes.
        pub const MAX_TOKEN_BYTES: usize = {
            let mut longest = 0;
            let mut at = 0;
            while at < NULL_TOKENS.len() {
                if NULL_TOKENS[at].len() > longest {
                    longest = NULL_TOKENS[at].len();
                }
                at += 1;
            }
            longest
        };

        /// Whether a cell, without blanks around it, is one of the spellings.
        #[must_use]
        pub fn is_null_token(cell: &[u8]) -> bool {
            cell.len() <= MAX_TOKEN_BYTES && matches!(std::str::from_utf8(cell), Ok($($token)|+))
        }
    };
}

null_tokens!(
    "NA", "N/A", "NULL", "null", "None", "NaN", "nan", "-", "na", "n/a", "n.a.", "#N/A", "#NA", "<NA>", "NAN", "-nan",
    "Null", "none", "NONE", "\\N", "(null)", "missing", "--", "---", "–", "—", "/", ".", "?", "无", "暂无", "#REF!",
    "#NULL!", "#VALUE!", "#DIV/0!",
);

/// Whether a text stands for a missing value in a column of numbers or dates: it is empty, or one of the spellings.
#[must_use]
pub fn is_missing(cell: &[u8]) -> bool {
    cell.is_empty() || is_null_token(cell)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_and_the_test_are_one() {
        for token in NULL_TOKENS {
            assert!(is_null_token(token.as_bytes()), "{token}");
        }
        for cell in ["", "0", "NAs", "nothing", "有", "\u{fffd}"] {
            assert!(!is_null_token(cell.as_bytes()), "{cell}");
        }
        assert!(!is_null_token(b"\xff"));
    }
}
