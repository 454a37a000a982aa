//! The name that a token spells.

use std::borrow::Cow;

use crate::fold::same_name;
use crate::token::{Kind, Token};

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

/// Whether `token` spells `name`.
pub(crate) fn is_called(sql: &str, token: Token, name: &str) -> bool {
    same_name(&name_text(sql, token), name)
}
