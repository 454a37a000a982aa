//! The name that a token spells.

use std::borrow::Cow;

use memchr::memchr2;

use crate::fold::same_name;
use crate::token::{Kind, Token, offset};

/// Returns the name or text that `token` spells, without its quotes.
pub(crate) fn name_text(sql: &str, token: Token) -> Cow<'_, str> {
    let text = token.text(sql);
    match token.kind {
        Kind::Quoted => unquoted(text, '"'),
        Kind::Backtick => unquoted(text, '`'),
        Kind::Bracket => unquoted(text, ']'),
        Kind::Curly | Kind::CurlyString => {
            let mut inner = text.chars();
            inner.next();
            inner.next_back();
            Cow::Borrowed(inner.as_str())
        }
        Kind::String if text.len() > 1 && text.starts_with('\'') => unquoted(text, '\''),
        _ => Cow::Borrowed(text),
    }
}

/// Removes the ASCII quotes around `text` and halves doubled closing ones.
fn unquoted(text: &str, close: char) -> Cow<'_, str> {
    let inner = text.get(1..text.len().saturating_sub(1)).unwrap_or("");
    if inner.as_bytes().contains(&(close as u8)) {
        let doubled: String = [close, close].iter().collect();
        Cow::Owned(inner.replace(&doubled, close.encode_utf8(&mut [0; 4])))
    } else {
        Cow::Borrowed(inner)
    }
}

/// The stretch between the quotes of `token`, where no mark in it is doubled and `mark` is not in it.
pub(crate) fn plain_content(sql: &str, token: Token, mark: u8) -> Option<(u32, u32)> {
    let (width, own) = match token.kind {
        Kind::Quoted => (1, b'"'),
        Kind::Backtick => (1, b'`'),
        Kind::Bracket => (1, b']'),
        Kind::Curly => (offset('“'.len_utf8()), mark),
        Kind::Bare => (0, mark),
        _ => return None,
    };
    let (start, end) = (token.start + width, token.end - width);
    let content = sql.as_bytes().get(start as usize..end as usize)?;
    memchr2(mark, own, content).is_none().then_some((start, end))
}

/// Whether `token` spells `name`.
#[inline]
pub(crate) fn is_called(sql: &str, token: Token, name: &str) -> bool {
    match token.kind {
        Kind::Ident => token.bytes(sql).eq_ignore_ascii_case(name.as_bytes()),
        // Quotes take two bytes at least.
        _ if (token.end - token.start) as usize <= name.len() => {
            token.kind == Kind::Bare && same_name(token.text(sql), name)
        }
        _ => same_name(&name_text(sql, token), name),
    }
}

/// Whether a glance at the first two characters of `token` tells that its name does not fold to `key`.
#[inline]
pub(crate) fn starts_otherwise(sql: &str, token: Token, key: &str) -> bool {
    let first = match token.kind {
        Kind::Ident | Kind::Bare => 0,
        Kind::Quoted | Kind::Backtick | Kind::Bracket => 1,
        _ => return false,
    };
    // Two ASCII characters make no composed one, so the first one stays as it is but for its case.
    match (token.bytes(sql).get(first..), key.as_bytes()) {
        (Some([a, b, ..]), [known, ..]) => a.is_ascii_graphic() && b.is_ascii() && a.to_ascii_lowercase() != *known,
        _ => false,
    }
}
