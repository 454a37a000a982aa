//! What a statement is made of.

use crate::word::Word;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// White space, Unicode's included.
    Space,
    /// `-- line` or `/* block /* nested */ */`.
    Comment,
    /// An unquoted name or word.
    Ident,
    /// `"name"`, with doubled quotes inside.
    Quoted,
    /// `` `name` ``, with doubled backticks inside.
    Backtick,
    /// `[name]`, with `]]` for a bracket inside; the lexer alone never gives it.
    Bracket,
    /// `“name”`; the lexer alone never gives it.
    Curly,
    /// Text that names something known and must be quoted to be read so; the lexer alone never gives it.
    Bare,
    /// `'text'`, `E'text'`, `x'00'` or `$tag$text$tag$`.
    String,
    /// `‘text’`; the lexer alone never gives it.
    CurlyString,
    /// A number, with `_` and exponents; `0x1F` is `0` and a name, as in `DuckDB`.
    Number,
    /// `$1`, `$name` or `?`.
    Param,
    /// An operator or a punctuation mark.
    Op,
    /// A character that `DuckDB` does not take.
    Unknown,
}

impl Kind {
    /// Stable name in lower case.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Space => "space",
            Self::Comment => "comment",
            Self::Ident => "ident",
            Self::Quoted => "quoted",
            Self::Backtick => "backtick",
            Self::Bracket => "bracket",
            Self::Curly => "curly",
            Self::Bare => "bare",
            Self::String => "string",
            Self::CurlyString => "curly-string",
            Self::Number => "number",
            Self::Param => "param",
            Self::Op => "op",
            Self::Unknown => "unknown",
        }
    }

    /// Whether the token spells a name in some kind of quotes.
    #[must_use]
    pub fn is_quoted_name(self) -> bool {
        matches!(
            self,
            Self::Quoted | Self::Backtick | Self::Bracket | Self::Curly | Self::Bare
        )
    }

    /// Whether the token is a literal value.
    #[must_use]
    pub fn is_literal(self) -> bool {
        matches!(self, Self::String | Self::CurlyString | Self::Number | Self::Param)
    }
}

/// Operators of more than one character that matter here, as values of [`Token::op`] beside the ASCII ones.
pub mod op {
    /// `::`
    pub const CAST: u8 = 128;
    /// `<=`, `>=`, `<>`, `!=`, `==`
    pub const COMPARE: u8 = 129;
    /// `||`
    pub const CONCAT: u8 = 130;
    /// `->`, `->>`
    pub const ARROW: u8 = 131;
    /// `:=`, `=>`
    pub const NAMED: u8 = 132;
    /// `~~`, `!~~*` and other spellings of `LIKE`
    pub const MATCH: u8 = 133;
    /// `//`, `**` and every other one
    pub const OTHER: u8 = 134;
    /// Not an operator: a name that goes beyond ASCII.
    pub const WIDE: u8 = 4;
}

/// A stretch of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset behind the last byte.
    pub end: u32,
    /// What it is.
    pub kind: Kind,
    /// For [`Kind::Ident`]: the word it spells.
    pub word: Word,
    /// For [`Kind::Op`]: its ASCII character, or a constant of [`op`]; for [`Kind::Ident`]: [`op::WIDE`] or 0; else 0.
    pub op: u8,
}

impl Token {
    /// A token that is neither word nor operator.
    #[must_use]
    pub fn new(kind: Kind, start: usize, end: usize) -> Self {
        Self {
            start: offset(start),
            end: offset(end),
            kind,
            word: Word::Other,
            op: 0,
        }
    }

    /// The token's bytes.
    #[inline]
    pub(crate) fn bytes(self, sql: &str) -> &[u8] {
        &sql.as_bytes()[self.start as usize..self.end as usize]
    }

    /// The token's text.
    #[must_use]
    pub fn text(self, sql: &str) -> &str {
        &sql[self.start as usize..self.end as usize]
    }
}

/// Offsets are 32 bits wide: [`crate::MAX_LENGTH`] keeps texts below that.
pub(crate) fn offset(position: usize) -> u32 {
    u32::try_from(position).unwrap_or(u32::MAX)
}
