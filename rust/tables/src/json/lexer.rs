//! A tolerant reader of JSON text: what programs write though the standard forbids it is read, and said.
//!
//! Beyond RFC 8259 it takes `NaN`, `Infinity` and `-Infinity` (Python's `json.dumps`), a comma before a closing
//! bracket, raw control characters in strings, and lone surrogates (an emoji cut in two), which become U+FFFD.

use std::borrow::Cow;

use memchr::{memchr2, memchr3};

use crate::dynamic::{Cell, quoted};

/// Far deeper than data goes, and shallow enough for every reader after this one.
const MAX_DEPTH: usize = 512;

/// Where and why reading stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) at: usize,
    pub(super) message: String,
}

/// Reads values from a text, one after the other.
#[derive(Clone)]
pub(super) struct Lexer<'a> {
    text: &'a str,
    pub(super) at: usize,
    /// False in JSON Lines, where a line's end closes an unfinished string.
    pub(super) newlines_in_strings: bool,
    pub(super) lone_surrogates: u64,
    /// Commas before a closing bracket, as often as they were gone past.
    pub(super) trailing_commas: u64,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            newlines_in_strings: true,
            lone_surrogates: 0,
            trailing_commas: 0,
        }
    }

    /// The same text from `at`; counts what it repairs by itself.
    pub(super) fn from(&self, at: usize) -> Self {
        Self {
            at,
            lone_surrogates: 0,
            trailing_commas: 0,
            ..self.clone()
        }
    }

    pub(super) fn text(&self) -> &'a str {
        self.text
    }

    /// The next byte that is no white space.
    pub(super) fn peek(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = bytes.get(self.at) {
            self.at += 1;
        }
        bytes.get(self.at).copied()
    }

    fn fault<T>(&self, message: impl Into<String>) -> Result<T, Fault> {
        Err(Fault {
            at: self.at,
            message: message.into(),
        })
    }

    fn expected<T>(&self, what: &str) -> Result<T, Fault> {
        match self.text[self.at..].chars().next() {
            Some(found) if found.is_control() => self.fault(format!("expected {what}, found {found:?}")),
            Some(found) => self.fault(format!("expected {what}, found `{found}`")),
            None => self.fault(format!("expected {what}, but the text ends")),
        }
    }

    /// Reads one value; objects and lists come as they are written.
    pub(super) fn value(&mut self) -> Result<Cell<'a>, Fault> {
        match self.peek() {
            Some(b'{' | b'[') => {
                let start = self.at;
                self.skip()?;
                Ok(Cell::Nested(Cow::Borrowed(&self.text[start..self.at])))
            }
            Some(b'"') => self.string().map(Cell::Text),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(_) => self.word(),
            None => self.expected("a value"),
        }
    }

    /// Goes past one value of any depth and checks it, without recursion.
    pub(super) fn skip(&mut self) -> Result<(), Fault> {
        let mut open: Vec<u8> = Vec::new();
        loop {
            match self.peek() {
                Some(bracket @ (b'{' | b'[')) => {
                    if open.len() == MAX_DEPTH {
                        return self.fault(format!("more than {MAX_DEPTH} levels of nesting"));
                    }
                    self.at += 1;
                    let closing = if bracket == b'{' { b'}' } else { b']' };
                    open.push(closing);
                    if self.peek() != Some(closing) {
                        if bracket == b'{' {
                            self.skip_key()?;
                        }
                        continue;
                    }
                }
                Some(b'"') => self.skip_string()?,
                Some(b'-' | b'0'..=b'9') => drop(self.number()?),
                Some(_) => drop(self.word()?),
                None => return self.expected("a value"),
            }
            // A value has ended: commas and closing brackets may follow.
            loop {
                let Some(&closing) = open.last() else { return Ok(()) };
                match self.peek() {
                    Some(b',') => {
                        self.at += 1;
                        if self.peek() != Some(closing) {
                            if closing == b'}' {
                                self.skip_key()?;
                            }
                            break;
                        }
                        self.trailing_commas += 1;
                    }
                    Some(found) if found == closing => {
                        self.at += 1;
                        open.pop();
                    }
                    _ => return self.expected(&format!("`,` or `{}`", char::from(closing))),
                }
            }
        }
    }

    /// Starts an object or a list; `next_key` and `next_element` go through it.
    pub(super) fn enter(&mut self, bracket: u8) -> Result<(), Fault> {
        if self.peek() == Some(bracket) {
            self.at += 1;
            Ok(())
        } else {
            self.expected(&format!("`{}`", char::from(bracket)))
        }
    }

    /// The next key of the object entered; `None` past its end.
    pub(super) fn next_key(&mut self, first: bool) -> Result<Option<Cow<'a, str>>, Fault> {
        if !self.next_item(first, b'}')? {
            return Ok(None);
        }
        if self.peek() != Some(b'"') {
            return self.expected("a key in double quotes");
        }
        let key = self.string()?;
        self.colon()?;
        Ok(Some(key))
    }

    /// Whether the list entered has another element.
    pub(super) fn next_element(&mut self, first: bool) -> Result<bool, Fault> {
        self.next_item(first, b']')
    }

    fn next_item(&mut self, first: bool, closing: u8) -> Result<bool, Fault> {
        let mut comma = false;
        if !first {
            match self.peek() {
                Some(b',') => {
                    self.at += 1;
                    comma = true;
                }
                Some(found) if found == closing => {}
                _ => return self.expected(&format!("`,` or `{}`", char::from(closing))),
            }
        }
        if self.peek() == Some(closing) {
            self.at += 1;
            self.trailing_commas += u64::from(comma);
            return Ok(false);
        }
        Ok(true)
    }

    fn skip_key(&mut self) -> Result<(), Fault> {
        if self.peek() != Some(b'"') {
            return self.expected("a key in double quotes");
        }
        self.skip_string()?;
        self.colon()
    }

    fn colon(&mut self) -> Result<(), Fault> {
        if self.peek() != Some(b':') {
            return self.expected("`:`");
        }
        self.at += 1;
        Ok(())
    }

    /// From the opening quote: the place of the next quote or backslash.
    fn string_stop(&self, from: usize) -> Result<usize, Fault> {
        let rest = &self.text.as_bytes()[from..];
        let stop = if self.newlines_in_strings {
            memchr2(b'"', b'\\', rest)
        } else {
            memchr3(b'"', b'\\', b'\n', rest)
        };
        match stop {
            Some(stop) if rest[stop] != b'\n' => Ok(from + stop),
            _ => self.fault("a string has no closing quote"),
        }
    }

    fn skip_string(&mut self) -> Result<(), Fault> {
        let bytes = self.text.as_bytes();
        let mut stop = self.string_stop(self.at + 1)?;
        while bytes[stop] == b'\\' {
            let after = self.after_escape(stop)?;
            stop = self.string_stop(after)?;
        }
        self.at = stop + 1;
        Ok(())
    }

    fn string(&mut self) -> Result<Cow<'a, str>, Fault> {
        let start = self.at + 1;
        let stop = self.string_stop(start)?;
        if self.text.as_bytes()[stop] == b'"' {
            self.at = stop + 1;
            return Ok(Cow::Borrowed(&self.text[start..stop]));
        }
        let mut text = String::new();
        let (mut from, mut stop) = (start, stop);
        loop {
            text.push_str(&self.text[from..stop]);
            if self.text.as_bytes()[stop] == b'"' {
                self.at = stop + 1;
                return Ok(Cow::Owned(text));
            }
            from = self.escape(stop, &mut text)?;
            stop = self.string_stop(from)?;
        }
    }

    /// Checks the escape at `at` and returns the place after it.
    fn after_escape(&mut self, at: usize) -> Result<usize, Fault> {
        let bytes = self.text.as_bytes();
        match bytes.get(at + 1) {
            Some(b'n' | b't' | b'r' | b'b' | b'f' | b'"' | b'\\' | b'/') => Ok(at + 2),
            Some(b'u') if hexadecimal(bytes, at + 2).is_some() => Ok(at + 6),
            _ => {
                self.at = at;
                self.fault("a backslash escapes nothing that JSON knows")
            }
        }
    }

    /// Reads the escape at `at` into `text` and returns the place after it.
    fn escape(&mut self, at: usize, text: &mut String) -> Result<usize, Fault> {
        let after = self.after_escape(at)?;
        let bytes = self.text.as_bytes();
        text.push(match bytes.get(at + 1) {
            Some(b'n') => '\n',
            Some(b't') => '\t',
            Some(b'r') => '\r',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(quote @ (b'"' | b'\\' | b'/')) => char::from(*quote),
            Some(b'u') => {
                let unit = hexadecimal(bytes, at + 2).unwrap_or_default();
                let low = match bytes.get(at + 6..at + 8) {
                    Some(b"\\u") if (0xD800..0xDC00).contains(&unit) => hexadecimal(bytes, at + 8),
                    _ => None,
                };
                if let Some(low @ 0xDC00..0xE000) = low {
                    let code = 0x1_0000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
                    text.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
                    return Ok(at + 12);
                }
                let character = char::from_u32(unit);
                self.lone_surrogates += u64::from(character.is_none());
                character.unwrap_or(char::REPLACEMENT_CHARACTER)
            }
            _ => char::REPLACEMENT_CHARACTER,
        });
        Ok(after)
    }

    fn number(&mut self) -> Result<Cell<'a>, Fault> {
        let bytes = self.text.as_bytes();
        let start = self.at;
        let mut at = start + usize::from(bytes[start] == b'-');
        if self.text[at..].starts_with("Infinity") {
            self.at = at + "Infinity".len();
            return Ok(Cell::Infinity(true));
        }
        let digits = |mut at: usize| {
            while bytes.get(at).is_some_and(u8::is_ascii_digit) {
                at += 1;
            }
            at
        };
        let whole = digits(at);
        if whole == at || (bytes[at] == b'0' && whole > at + 1) {
            return self.fault("a number has no digits or begins with a superfluous zero");
        }
        at = whole;
        if bytes.get(at) == Some(&b'.') {
            let end = digits(at + 1);
            if end == at + 1 {
                return self.fault("a number ends with its decimal point");
            }
            at = end;
        }
        if let Some(b'e' | b'E') = bytes.get(at) {
            let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
            let end = digits(at + 1 + sign);
            if end == at + 1 + sign {
                return self.fault("a number ends with its exponent's sign");
            }
            at = end;
        }
        if bytes
            .get(at)
            .is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'.')
        {
            return self.fault("a number is followed by something that belongs to no number");
        }
        self.at = at;
        Ok(Cell::Number(Cow::Borrowed(&self.text[start..at])))
    }

    fn word(&mut self) -> Result<Cell<'a>, Fault> {
        let words = [
            ("null", Cell::Null),
            ("true", Cell::Bool(true)),
            ("false", Cell::Bool(false)),
            ("NaN", Cell::NotANumber),
            ("Infinity", Cell::Infinity(false)),
        ];
        for (word, cell) in words {
            let Some(rest) = self.text[self.at..].strip_prefix(word) else {
                continue;
            };
            if !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_') {
                self.at += word.len();
                return Ok(cell);
            }
        }
        self.expected("a value")
    }
}

fn hexadecimal(bytes: &[u8], at: usize) -> Option<u32> {
    let digits = std::str::from_utf8(bytes.get(at..at + 4)?).ok()?;
    digits
        .bytes()
        .all(|byte| byte.is_ascii_hexdigit())
        .then(|| u32::from_str_radix(digits, 16).ok())?
}

/// Nested JSON without white space, in strict JSON: spelling of numbers and order of keys are kept.
///
/// `written` must have been read before. Returns the text, how many NaN and infinite numbers became null, which JSON
/// cannot hold, and how many lone surrogates were replaced.
pub(super) fn compact(written: &str) -> (String, u64, u64) {
    let mut lexer = Lexer::new(written);
    let mut text = String::with_capacity(written.len());
    let mut replaced = 0;
    while let Some(byte) = lexer.peek() {
        match byte {
            b'"' => {
                let start = lexer.at;
                let Ok(string) = lexer.string() else { break };
                let raw = &written[start..lexer.at];
                if raw.bytes().any(|byte| byte < b' ') || raw.contains("\\u") {
                    text.push_str(&quoted(&string));
                } else {
                    text.push_str(raw);
                }
            }
            b'{' | b'[' | b'}' | b']' | b':' => {
                text.push(char::from(byte));
                lexer.at += 1;
            }
            b',' => {
                lexer.at += 1;
                if !matches!(lexer.peek(), Some(b'}' | b']')) {
                    text.push(',');
                }
            }
            _ => match lexer.value() {
                Ok(Cell::Number(number)) => text.push_str(&number),
                Ok(Cell::Bool(value)) => text.push_str(if value { "true" } else { "false" }),
                Ok(Cell::Null) => text.push_str("null"),
                Ok(_) => {
                    replaced += 1;
                    text.push_str("null");
                }
                Err(_) => break,
            },
        }
    }
    (text, replaced, lexer.lone_surrogates)
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use proptest::prelude::*;

    use super::{Lexer, compact};
    use crate::dynamic::{Cell, quoted};

    fn value(text: &str) -> Result<Cell<'_>, String> {
        Lexer::new(text).value().map_err(|fault| fault.message)
    }

    #[test]
    fn what_the_standard_forbids_is_read_where_its_meaning_is_plain() {
        assert_eq!(value("NaN"), Ok(Cell::NotANumber));
        assert_eq!(value("-Infinity"), Ok(Cell::Infinity(true)));
        assert_eq!(compact("[1, {\"a\": NaN,},]"), ("[1,{\"a\":null}]".to_owned(), 1, 0));
        assert_eq!(compact("\"\\ud83d\""), ("\"\u{fffd}\"".to_owned(), 0, 1));
        for refused in [
            "01", "1.", "1e", "-", "+1", "nan", "nulls", "\"\\x\"", "[1 2]", "{1: 2}", "\"open",
        ] {
            assert!(value(refused).is_err(), "{refused}");
        }
    }

    #[test]
    fn a_line_break_ends_a_string_only_in_lines() {
        let mut lexer = Lexer::new("\"a\nb\"");
        assert_eq!(lexer.value(), Ok(Cell::Text(Cow::Borrowed("a\nb"))));
        lexer.at = 0;
        lexer.newlines_in_strings = false;
        assert!(lexer.value().is_err());
    }

    proptest! {
        #[test]
        fn a_string_comes_back(text in any::<String>()) {
            let written = quoted(&text);
            prop_assert_eq!(value(&written), Ok(Cell::Text(Cow::Owned(text))));
        }

        #[test]
        fn what_can_be_skipped_can_be_compacted_and_skipped_again(text in "[\\[\\]{}\",:0-9a\\\\u. \n-]{0,24}") {
            let mut lexer = Lexer::new(&text);
            if lexer.skip().is_ok() && lexer.peek().is_none() {
                let (short, _, _) = compact(&text);
                prop_assert_eq!(compact(&short).0, short.clone());
                let mut again = Lexer::new(&short);
                prop_assert!(again.skip().is_ok() && again.peek().is_none(), "{}", short);
            }
        }
    }
}
