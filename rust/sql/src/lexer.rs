//! A lexer for `DuckDB`'s dialect: every byte of the text belongs to exactly one token.
//!
//! It never fails: what `DuckDB` would refuse becomes [`Kind::Unknown`], and an unterminated string or comment runs to
//! the end of the text. Time is linear in the length of the text.

use memchr::{memchr, memchr2};

use crate::characters::{CLASS, DIGIT, MARK, NAME, OPERATOR, SPACE, START, WIDE, name_prefix, wide_space};
use crate::token::{Kind, Token, offset, op};
use crate::word::{Word, lower_prefix, short_word, word};

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

    /// The next token that is neither white space nor a comment.
    #[allow(clippy::inline_always)] // see `next`
    #[inline(always)]
    pub fn next_significant(&mut self) -> Option<Token> {
        loop {
            let bytes = self.sql.as_bytes();
            while bytes
                .get(self.at)
                .is_some_and(|byte| CLASS[*byte as usize] & SPACE != 0)
            {
                self.at += 1;
            }
            let token = self.next()?;
            if !matches!(token.kind, Kind::Space | Kind::Comment) {
                return Some(token);
            }
        }
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

    /// The end of the name that starts at `start`, the word it spells, and whether it goes beyond ASCII.
    #[allow(clippy::inline_always)] // see `next`
    #[inline(always)]
    fn name(&self, start: usize) -> (usize, Word, bool) {
        let eight = self.eight(start);
        let length = name_prefix(eight);
        let end = start + length;
        if length == 8 {
            self.long_name(start)
        } else if self.byte(end) < 0x80 {
            (end, short_word(lower_prefix(eight, length)), false)
        } else {
            self.wide_name(start)
        }
    }

    /// The eight bytes from `at` on, the first one lowest; zeros behind the end of the text.
    #[inline]
    fn eight(&self, at: usize) -> u64 {
        let rest = &self.sql.as_bytes()[at..];
        if let Some(eight) = rest.first_chunk() {
            return u64::from_le_bytes(*eight);
        }
        let mut eight = [0; 8];
        eight[..rest.len()].copy_from_slice(rest);
        u64::from_le_bytes(eight)
    }

    /// [`Self::name`] for one of eight characters or more.
    fn long_name(&self, start: usize) -> (usize, Word, bool) {
        let len = self.sql.len();
        let mut end = start + 8;
        while end < len {
            let more = name_prefix(self.eight(end));
            end += more;
            if more < 8 {
                break;
            }
        }
        if self.byte(end) >= 0x80 {
            return self.wide_name(start);
        }
        (end, word(&self.sql.as_bytes()[start..end]), false)
    }

    /// [`Self::name`] for one that may go beyond ASCII.
    fn wide_name(&self, start: usize) -> (usize, Word, bool) {
        let bytes = self.sql.as_bytes();
        let (mut end, mut all) = (start, 0);
        for byte in &bytes[start..] {
            if CLASS[*byte as usize] & NAME == 0 || (*byte >= 0xc2 && wide_space(bytes, end) > 0) {
                break;
            }
            all |= *byte;
            end += 1;
        }
        (end, word(&bytes[start..end]), all >= 0x80)
    }

    fn quoted(&self, from: usize, quote: u8) -> Option<usize> {
        let bytes = self.sql.as_bytes();
        let mut at = from;
        loop {
            at += memchr(quote, bytes.get(at..)?)?;
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

    fn dollar(&self, start: usize) -> (Kind, usize) {
        let len = self.sql.len();
        if self.has(start + 1, DIGIT) {
            return (Kind::Param, self.while_class(start + 1, DIGIT));
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
            return (Kind::String, end);
        }
        if tag > start + 1 {
            return (Kind::Param, self.wide_name(start + 1).0);
        }
        (Kind::Op, start + 1)
    }

    fn number(&self, start: usize) -> usize {
        let digits = |mut at: usize| {
            while self.has(at, DIGIT) || (self.byte(at) == b'_' && self.has(at + 1, DIGIT)) {
                at += 1;
            }
            at
        };
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

    fn operator(&self, start: usize) -> (usize, u8) {
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
        (end, code)
    }

    /// The end of `E'…'`, `x'…'`, `b'…'` or `N'…'`.
    fn prefixed_string(&self, start: usize, prefix: u8) -> usize {
        match prefix {
            b'e' | b'E' => self.escaped(start + 2),
            _ => self.quoted(start + 2, b'\'').unwrap_or(self.sql.len()),
        }
    }
}

impl Lexer<'_> {
    /// Kind, end and operator of the token at `start` that is neither space, name nor number.
    fn marked(&self, start: usize, byte: u8) -> (Kind, usize, u8) {
        let bytes = self.sql.as_bytes();
        let len = bytes.len();
        let second = self.byte(start + 1);
        let quoted = |kind, quote| {
            self.quoted(start + 1, quote)
                .map_or((Kind::Unknown, len, 0), |end| (kind, end, 0))
        };
        match byte {
            b'\'' => (Kind::String, self.quoted(start + 1, b'\'').unwrap_or(len), 0),
            b'"' => quoted(Kind::Quoted, b'"'),
            b'`' => quoted(Kind::Backtick, b'`'),
            b'-' if second == b'-' => (
                Kind::Comment,
                memchr2(b'\n', b'\r', &bytes[start..]).map_or(len, |at| start + at),
                0,
            ),
            b'/' if second == b'*' => (Kind::Comment, self.block_comment(start + 2), 0),
            b'$' => {
                let (kind, end) = self.dollar(start);
                (kind, end, if kind == Kind::Op { byte } else { 0 })
            }
            b'?' => (Kind::Param, self.while_class(start + 1, DIGIT), 0),
            b':' if second == b':' => (Kind::Op, start + 2, op::CAST),
            b':' if second == b'=' => (Kind::Op, start + 2, op::NAMED),
            b'.' | b':' => (Kind::Op, start + 1, byte),
            _ if CLASS[byte as usize] & OPERATOR != 0 => {
                let (end, code) = self.operator(start);
                (Kind::Op, end, code)
            }
            _ => (Kind::Unknown, start + 1, 0),
        }
    }
}

impl Iterator for Lexer<'_> {
    type Item = Token;

    // Inlined so that a token is put together in registers: bytes written one by one and read back as a word stall.
    #[allow(clippy::inline_always)]
    #[inline(always)]
    fn next(&mut self) -> Option<Token> {
        let start = self.at;
        let bytes = self.sql.as_bytes();
        let byte = *bytes.get(start)?;
        let class = CLASS[byte as usize];
        let mut found = Word::Other;
        let mut code = 0;
        let (kind, end) = if class & START != 0 {
            let blank = if class & WIDE != 0 { wide_space(bytes, start) } else { 0 };
            if blank > 0 {
                (Kind::Space, start + blank)
            } else if self.byte(start + 1) == b'\'' && matches!(byte | 0x20, b'e' | b'x' | b'b' | b'n') {
                (Kind::String, self.prefixed_string(start, byte))
            } else {
                let (end, spelled, wide) = self.name(start);
                found = spelled;
                code = if wide { op::WIDE } else { 0 };
                (Kind::Ident, end)
            }
        } else if class & SPACE != 0 {
            (Kind::Space, self.while_class(start + 1, SPACE))
        } else if class & MARK != 0 || (class & OPERATOR != 0 && !self.has(start + 1, OPERATOR)) {
            code = byte;
            (Kind::Op, start + 1)
        } else if class & DIGIT != 0 || (byte == b'.' && self.has(start + 1, DIGIT)) {
            (Kind::Number, self.number(start))
        } else {
            let (kind, end, mark) = self.marked(start, byte);
            code = mark;
            (kind, end)
        };
        self.at = end;
        Some(Token {
            start: offset(start),
            end: offset(end),
            kind,
            word: found,
            op: code,
        })
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
        assert_eq!(numbers, ["1_000", "0", "1e-5", ".5", "1.", "1", "2"]);
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
