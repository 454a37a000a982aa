//! A lexer for `DuckDB`'s dialect: every byte of the text belongs to exactly one token.
//!
//! It never fails: what `DuckDB` would refuse becomes [`Kind::Unknown`], and an unterminated string or comment runs to
//! the end of the text. Time is linear in the length of the text.

use crate::word::{Word, word};

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
    /// A number, with `_`, `0x` and exponents.
    Number,
    /// `$1`, `$name` or `?`.
    Param,
    /// An operator or a punctuation mark.
    Op,
    /// A character that `DuckDB` does not take.
    Unknown,
}

impl Kind {
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
    /// For [`Kind::Op`]: its ASCII character, or a constant of [`op`]; else 0.
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

const SPACE: u8 = 1;
const START: u8 = 2;
const DIGIT: u8 = 4;
const OPERATOR: u8 = 8;
const WIDE: u8 = 16;

const CLASS: [u8; 256] = {
    let mut table = [0; 256];
    let mut i = 0;
    while i < 256 {
        #[allow(clippy::cast_possible_truncation)]
        let byte = i as u8;
        table[i] = match byte {
            b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c => SPACE,
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => START,
            0x80.. => START | WIDE,
            b'0'..=b'9' => DIGIT,
            b'~' | b'!' | b'@' | b'^' | b'&' | b'|' | b'+' | b'-' | b'*' | b'/' | b'%' | b'<' | b'>' | b'=' => OPERATOR,
            _ => 0,
        };
        i += 1;
    }
    table
};

/// Length of the Unicode white space that `DuckDB` reads as a blank at `at`, or 0.
#[must_use]
pub fn wide_space(bytes: &[u8], at: usize) -> usize {
    match bytes[at..] {
        [0xc2, 0xa0, ..] => 2,
        [0xe2, 0x80, 0x80..=0x8d | 0xaf, ..]
        | [0xe2, 0x81, 0x9f | 0xa0, ..]
        | [0xe3, 0x80, 0x80, ..]
        | [0xef, 0xbb, 0xbf, ..] => 3,
        _ => 0,
    }
}

/// Cuts a text into tokens, one at a time.
#[derive(Clone, Debug)]
pub struct Lexer<'a> {
    sql: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    /// A lexer at the start of `sql`.
    #[must_use]
    pub fn new(sql: &'a str) -> Self {
        Self { sql, at: 0 }
    }

    /// Goes on at byte `position`, which must be a character's first.
    pub fn resume_at(&mut self, position: usize) {
        self.at = position;
    }

    fn byte(&self, at: usize) -> u8 {
        self.sql.as_bytes().get(at).copied().unwrap_or(0)
    }

    fn has(&self, at: usize, class: u8) -> bool {
        CLASS[self.byte(at) as usize] & class != 0
    }

    fn while_class(&self, mut at: usize, class: u8) -> usize {
        let bytes = self.sql.as_bytes();
        while at < bytes.len() && CLASS[bytes[at] as usize] & class != 0 {
            at += 1;
        }
        at
    }

    /// The end of the name that starts at `at`.
    fn name_end(&self, mut at: usize) -> usize {
        let bytes = self.sql.as_bytes();
        while at < bytes.len() {
            let class = CLASS[bytes[at] as usize];
            if class & (START | DIGIT) == 0 && bytes[at] != b'$' {
                break;
            }
            if class & WIDE != 0 && wide_space(bytes, at) > 0 {
                break;
            }
            at += 1;
        }
        at
    }

    fn quoted(&self, from: usize, quote: u8) -> Option<usize> {
        let bytes = self.sql.as_bytes();
        let mut at = from;
        loop {
            at += bytes.get(at..)?.iter().position(|b| *b == quote)?;
            if self.byte(at + 1) != quote {
                return Some(at + 1);
            }
            at += 2;
        }
    }

    fn escaped(&self, mut at: usize) -> usize {
        let bytes = self.sql.as_bytes();
        while at < bytes.len() {
            match bytes[at] {
                b'\\' => at += 2,
                b'\'' if self.byte(at + 1) == b'\'' => at += 2,
                b'\'' => return at + 1,
                _ => at += 1,
            }
        }
        bytes.len()
    }

    fn block_comment(&self, mut at: usize) -> usize {
        let bytes = self.sql.as_bytes();
        let mut depth = 1;
        while at < bytes.len() {
            match (bytes[at], self.byte(at + 1)) {
                (b'/', b'*') => {
                    depth += 1;
                    at += 2;
                }
                (b'*', b'/') => {
                    depth -= 1;
                    at += 2;
                    if depth == 0 {
                        return at;
                    }
                }
                _ => at += 1,
            }
        }
        bytes.len()
    }

    fn dollar(&self, start: usize) -> Token {
        let len = self.sql.len();
        if self.has(start + 1, DIGIT) {
            return Token::new(Kind::Param, start, self.while_class(start + 1, DIGIT));
        }
        let mut tag = start + 1;
        while self.has(tag, START | DIGIT) {
            tag += 1;
        }
        if self.byte(tag) == b'$' {
            let delimiter = &self.sql[start..=tag];
            let end = self.sql[tag + 1..]
                .find(delimiter)
                .map_or(len, |at| tag + 1 + at + delimiter.len());
            return Token::new(Kind::String, start, end);
        }
        if tag > start + 1 {
            return Token::new(Kind::Param, start, self.name_end(start + 1).max(start + 1));
        }
        single(start, b'$')
    }

    fn number(&self, start: usize) -> usize {
        let digits = |mut at: usize| {
            while self.has(at, DIGIT) || (self.byte(at) == b'_' && self.has(at + 1, DIGIT)) {
                at += 1;
            }
            at
        };
        if self.byte(start) == b'0' && matches!(self.byte(start + 1), b'x' | b'X') {
            let hexadecimal = |at: usize| self.byte(at).is_ascii_hexdigit();
            if hexadecimal(start + 2) {
                let mut at = start + 2;
                while hexadecimal(at) || (self.byte(at) == b'_' && hexadecimal(at + 1)) {
                    at += 1;
                }
                return at;
            }
        }
        let mut at = digits(start);
        if self.byte(at) == b'.' && self.byte(at + 1) != b'.' {
            at = digits(at + 1);
        }
        if matches!(self.byte(at), b'e' | b'E') {
            let sign = usize::from(matches!(self.byte(at + 1), b'+' | b'-'));
            if self.has(at + 1 + sign, DIGIT) {
                at = digits(at + 1 + sign);
            }
        }
        at
    }

    fn operator(&self, start: usize) -> Token {
        let bytes = self.sql.as_bytes();
        let mut end = start + 1;
        while self.has(end, OPERATOR) && !matches!((self.byte(end), self.byte(end + 1)), (b'-', b'-') | (b'/', b'*')) {
            end += 1;
        }
        // As in PostgreSQL: a sign ends an operator only behind one of these characters (`a*-1` is `*` and `-`).
        while end > start + 1
            && matches!(bytes[end - 1], b'+' | b'-')
            && !bytes[start..end]
                .iter()
                .any(|b| matches!(b, b'~' | b'!' | b'@' | b'^' | b'&' | b'|' | b'%'))
        {
            end -= 1;
        }
        let code = match &bytes[start..end] {
            [one] => *one,
            b"<=" | b">=" | b"<>" | b"!=" | b"==" => op::COMPARE,
            b"||" => op::CONCAT,
            b"->" | b"->>" => op::ARROW,
            b"=>" => op::NAMED,
            b"~~" | b"!~~" | b"~~*" | b"!~~*" | b"~~~" | b"!~" => op::MATCH,
            _ => op::OTHER,
        };
        let mut token = Token::new(Kind::Op, start, end);
        token.op = code;
        token
    }

    fn prefixed_string(&self, start: usize, byte: u8) -> Option<usize> {
        if self.byte(start + 1) != b'\'' {
            return None;
        }
        match byte {
            b'e' | b'E' => Some(self.escaped(start + 2)),
            b'x' | b'X' | b'b' | b'B' | b'n' | b'N' => Some(self.quoted(start + 2, b'\'').unwrap_or(self.sql.len())),
            _ => None,
        }
    }
}

fn single(start: usize, byte: u8) -> Token {
    let mut token = Token::new(Kind::Op, start, start + 1);
    token.op = byte;
    token
}

impl Iterator for Lexer<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        let start = self.at;
        let bytes = self.sql.as_bytes();
        let byte = *bytes.get(start)?;
        let class = CLASS[byte as usize];
        let len = bytes.len();
        let token = if class & SPACE != 0 {
            Token::new(Kind::Space, start, self.while_class(start + 1, SPACE))
        } else if class & START != 0 {
            let blank = if class & WIDE != 0 { wide_space(bytes, start) } else { 0 };
            if blank > 0 {
                Token::new(Kind::Space, start, start + blank)
            } else if let Some(end) = self.prefixed_string(start, byte) {
                Token::new(Kind::String, start, end)
            } else {
                let end = self.name_end(start + 1);
                let mut token = Token::new(Kind::Ident, start, end);
                token.word = word(&bytes[start..end]);
                token
            }
        } else if class & DIGIT != 0 || (byte == b'.' && self.has(start + 1, DIGIT)) {
            Token::new(Kind::Number, start, self.number(start))
        } else {
            match (byte, self.byte(start + 1)) {
                (b'\'', _) => Token::new(Kind::String, start, self.quoted(start + 1, b'\'').unwrap_or(len)),
                (b'"', _) => self.quoted(start + 1, b'"').map_or_else(
                    || Token::new(Kind::Unknown, start, len),
                    |end| Token::new(Kind::Quoted, start, end),
                ),
                (b'`', _) => self.quoted(start + 1, b'`').map_or_else(
                    || Token::new(Kind::Unknown, start, len),
                    |end| Token::new(Kind::Backtick, start, end),
                ),
                (b'-', b'-') => {
                    let end = bytes[start..].iter().position(|b| matches!(b, b'\n' | b'\r'));
                    Token::new(Kind::Comment, start, end.map_or(len, |at| start + at))
                }
                (b'/', b'*') => Token::new(Kind::Comment, start, self.block_comment(start + 2)),
                (b'$', _) => self.dollar(start),
                (b'?', _) => Token::new(Kind::Param, start, self.while_class(start + 1, DIGIT)),
                (b':', second @ (b':' | b'=')) => {
                    let mut token = Token::new(Kind::Op, start, start + 2);
                    token.op = if second == b':' { op::CAST } else { op::NAMED };
                    token
                }
                _ if class & OPERATOR != 0 => self.operator(start),
                (b'(' | b')' | b'[' | b']' | b'{' | b'}' | b',' | b';' | b'.' | b':' | b'#', _) => single(start, byte),
                _ => Token::new(Kind::Unknown, start, start + 1),
            }
        };
        self.at = token.end as usize;
        Some(token)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn texts(sql: &str) -> Vec<(Kind, &str)> {
        Lexer::new(sql)
            .filter(|t| t.kind != Kind::Space)
            .map(|t| (t.kind, t.text(sql)))
            .collect()
    }

    #[test]
    fn strings_of_every_kind_are_one_token() {
        for sql in ["'a''b'", "E'a\\'b'", "$$a'b$$", "$t$a$$b$t$", "x'AB'", "'未完"] {
            assert_eq!(texts(sql), [(Kind::String, sql)]);
        }
    }

    #[test]
    fn comments_nest_and_hide_quotes() {
        assert_eq!(
            texts("/* it's /* a */ \"b */1--it's\n2"),
            [
                (Kind::Comment, "/* it's /* a */ \"b */"),
                (Kind::Number, "1"),
                (Kind::Comment, "--it's"),
                (Kind::Number, "2")
            ]
        );
    }

    #[test]
    fn numbers_and_slices() {
        let numbers: Vec<_> = texts("1_000 0x1F 1e-5 .5 1. a[1:2]")
            .into_iter()
            .filter(|t| t.0 == Kind::Number)
            .map(|t| t.1)
            .collect();
        assert_eq!(numbers, ["1_000", "0x1F", "1e-5", ".5", "1.", "1", "2"]);
    }

    #[test]
    fn operators_follow_postgres() {
        let operators = |sql| {
            texts(sql)
                .into_iter()
                .filter(|t| t.0 == Kind::Op)
                .map(|t| t.1.to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(operators("a*-b"), ["*", "-"]);
        assert_eq!(operators("a->>'x'::int"), ["->>", "::"]);
        assert_eq!(operators("a<>-1"), ["<>", "-"]);
        assert_eq!(operators("f(x := 1, y => 2)"), ["(", ":=", ",", "=>", ")"]);
    }

    #[test]
    fn names_of_any_script_stop_at_unicode_space() {
        assert_eq!(
            texts("名称\u{3000}a$b\u{a0}é"),
            [(Kind::Ident, "名称"), (Kind::Ident, "a$b"), (Kind::Ident, "é")]
        );
        assert_eq!(texts("`a``b`"), [(Kind::Backtick, "`a``b`")]);
        assert_eq!(texts("`open"), [(Kind::Unknown, "`open")]);
    }

    proptest! {
        #[test]
        fn tokens_cover_the_text(sql in "(?s).{0,60}|[ \\[\\]'\"`$a1x\\\\/*\\-.:“”，（ES\n\u{3000}]{0,60}") {
            let mut end = 0;
            for token in Lexer::new(&sql) {
                prop_assert_eq!(token.start, end);
                prop_assert!(token.end > token.start);
                prop_assert!(sql.is_char_boundary(token.end as usize));
                end = token.end;
            }
            prop_assert_eq!(end as usize, sql.len());
        }
    }
}
