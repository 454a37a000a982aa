//! The words that shape a statement.
//!
//! Only words that the scope analysis looks at are told apart; every other identifier is [`Word::Other`].

/// Packs up to eight ASCII letters into an integer, the first one lowest, so that a word is found by comparing
/// integers.
const fn pack(word: &[u8]) -> u64 {
    let mut packed = 0;
    let mut i = 0;
    while i < word.len() {
        packed |= (word[i] as u64) << (8 * i);
        i += 1;
    }
    packed
}

/// Eight times the bit that makes an ASCII letter a small one.
const SMALL: u64 = 0x2020_2020_2020_2020;

/// The first `length` (below eight) of eight packed bytes, in lower case.
#[inline]
pub(crate) fn lower_prefix(packed: u64, length: usize) -> u64 {
    (packed | SMALL) & ((1 << (8 * length)) - 1)
}

macro_rules! words {
    ($($variant:ident $text:literal),* ; $($long:ident $long_text:literal),* $(,)?) => {
        /// A word that shapes a statement, or [`Word::Other`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs)]
        pub enum Word { Other, $($variant,)* $($long,)* }

        /// Words of up to eight letters, placed by [`slot`]; a collision moves on to the next free place.
        static TABLE: [(u64, Word); 256] = {
            let mut table = [(0, Word::Other); 256];
            $({
                let packed = pack($text);
                let mut at = slot(packed);
                while table[at].0 != 0 {
                    at = (at + 1) % 256;
                }
                table[at] = (packed, Word::$variant);
            })*
            table
        };

        /// Returns the word of more than eight letters that `name` spells.
        fn long_word(name: &[u8]) -> Word {
            if !(9..=12).contains(&name.len()) {
                return Word::Other;
            }
            $(if name.eq_ignore_ascii_case($long_text) { return Word::$long; })*
            Word::Other
        }
    };
}

/// Returns the word that `name` spells, in any case.
#[must_use]
pub fn word(name: &[u8]) -> Word {
    match name.first_chunk() {
        Some(eight) if name.len() == 8 => short_word(u64::from_le_bytes(*eight) | SMALL),
        Some(_) => long_word(name),
        None => short_word(lower_prefix(pack(name), name.len())),
    }
}

/// Returns the word of at most eight letters, packed in lower case.
#[inline]
pub(crate) fn short_word(packed: u64) -> Word {
    let mut at = slot(packed);
    loop {
        let (known, found) = &TABLE[at];
        if *known == packed {
            return *found;
        }
        if *known == 0 {
            return Word::Other;
        }
        at = (at + 1) % 256;
    }
}

/// A place in a table of 256 for packed letters.
#[allow(clippy::cast_possible_truncation)] // the product's upper eight bits
const fn slot(packed: u64) -> usize {
    (packed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as usize
}

words! {
    All b"all", And b"and", Anti b"anti", Any b"any", Array b"array", As b"as", Asc b"asc", Asof b"asof",
    Between b"between", By b"by", Case b"case", Collate b"collate", Cross b"cross", Date b"date", Desc b"desc",
    Distinct b"distinct", Div b"div", Else b"else", End b"end", Escape b"escape", Except b"except",
    Exclude b"exclude", Exists b"exists", Fetch b"fetch", Filter b"filter", For b"for", From b"from", Full b"full",
    Glob b"glob", Group b"group", Having b"having", Ilike b"ilike", In b"in", Inner b"inner", Interval b"interval",
    Into b"into", Is b"is", Isnull b"isnull", Join b"join", Lambda b"lambda", Lateral b"lateral", Left b"left",
    Like b"like", Limit b"limit", Map b"map", Mod b"mod", Natural b"natural", Not b"not", Notnull b"notnull",
    Null b"null", Nulls b"nulls", Offset b"offset", On b"on", Or b"or", Order b"order", Outer b"outer", Over b"over",
    Pivot b"pivot", Qualify b"qualify", Regexp b"regexp", Rename b"rename", Replace b"replace", Right b"right",
    Rlike b"rlike", Rows b"rows", Sample b"sample", Select b"select", Semi b"semi", Set b"set", Similar b"similar",
    Some b"some", Table b"table", Then b"then", Time b"time", To b"to", Top b"top", Union b"union", Unpivot b"unpivot",
    Update b"update", Using b"using", Values b"values", When b"when", Where b"where", Window b"window", With b"with" ;
    Intersect b"intersect", Materialized b"materialized", Partition b"partition", Positional b"positional",
    Recursive b"recursive", Separator b"separator", Tablesample b"tablesample", Timestamp b"timestamp",
}

impl Word {
    /// Whether `DuckDB` reserves the word, so that it names a column only in quotes, after `.` or after `AS`.
    #[must_use]
    pub fn is_reserved(self) -> bool {
        !matches!(
            self,
            Self::Other
                | Self::Date
                | Self::Div
                | Self::Escape
                | Self::Exclude
                | Self::Filter
                | Self::Map
                | Self::Materialized
                | Self::Mod
                | Self::Nulls
                | Self::Over
                | Self::Partition
                | Self::Recursive
                | Self::Regexp
                | Self::Rename
                | Self::Replace
                | Self::Rlike
                | Self::Rows
                | Self::Sample
                | Self::Separator
                | Self::Set
                | Self::Time
                | Self::Timestamp
                | Self::Top
                | Self::Update
                | Self::Values
                | Self::Interval
                | Self::Between
                | Self::Exists
        )
    }

    /// Whether the word may change where a statement's names are looked for, or starts something that is rewritten.
    #[must_use]
    pub fn shapes(self) -> bool {
        matches!(
            self,
            Self::Case
                | Self::End
                | Self::Between
                | Self::And
                | Self::Lambda
                | Self::For
                | Self::Order
                | Self::Partition
                | Self::Separator
                | Self::Div
                | Self::Mod
                | Self::Select
                | Self::From
                | Self::Where
                | Self::Having
                | Self::Qualify
                | Self::Window
                | Self::Group
                | Self::Limit
                | Self::Offset
                | Self::Fetch
                | Self::Union
                | Self::Intersect
                | Self::Except
                | Self::Join
                | Self::On
                | Self::Values
                | Self::With
                | Self::Pivot
                | Self::Unpivot
        )
    }

    /// Whether an operand may end with the word, so that a name after it can only be an alias.
    #[must_use]
    pub fn ends_operand(self) -> bool {
        match self {
            Self::End | Self::Null | Self::Isnull | Self::Notnull => true,
            Self::Between
            | Self::Exists
            | Self::Over
            | Self::Interval
            | Self::Div
            | Self::Mod
            | Self::Regexp
            | Self::Rlike
            | Self::Escape => false,
            other => !other.is_reserved(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_in_any_case() {
        assert_eq!(word(b"SeLeCt"), Word::Select);
        assert_eq!(word(b"INTERSECT"), Word::Intersect);
        assert_eq!(word(b"selects"), Word::Other);
        assert_eq!(word(b"name"), Word::Other);
        assert_eq!(word("从".as_bytes()), Word::Other);
    }

    #[test]
    fn a_digit_or_a_mark_is_not_mistaken_for_a_letter() {
        // Only letters become lower-case letters when the bit 0x20 is set.
        assert_eq!(word(b"As"), Word::As);
        assert_eq!(word(b"\x01s"), Word::Other);
    }
}
