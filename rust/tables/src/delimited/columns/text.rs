//! What a column of text holds beside text: NULL tokens, and numbers or dates in other spellings.

use super::Cells;
use crate::null_tokens::{MAX_TOKEN_BYTES, is_null_token};
use crate::readings::{Reading, reading};
use crate::table::Note;

/// NULL tokens and how often each occurs, in order of first occurrence.
#[derive(Debug, Default)]
pub(super) struct Tokens(Vec<(String, u64)>);

impl Tokens {
    pub(super) fn count(&mut self, token: &str) {
        match self.0.iter_mut().find(|(known, _)| known == token) {
            Some((_, count)) => *count += 1,
            None => self.0.push((token.to_owned(), 1)),
        }
    }

    pub(super) fn total(&self) -> u64 {
        self.0.iter().map(|(_, count)| count).sum()
    }

    /// How many cells held nothing but blanks.
    pub(super) fn blanks(&self) -> u64 {
        self.0
            .iter()
            .find(|(token, _)| token.is_empty())
            .map_or(0, |(_, count)| *count)
    }

    pub(super) fn list(&self) -> String {
        let listed: Vec<String> = self
            .0
            .iter()
            .map(|(token, count)| format!("`{token}` ({count})"))
            .collect();
        listed.join(", ")
    }
}

/// The longest token and room for blanks.
pub(super) const MAX_PADDED_TOKEN_BYTES: usize = MAX_TOKEN_BYTES + 3;

pub(super) fn text_notes(cells: Cells<'_, '_>, name: &str, tokens: &Tokens) -> Vec<Note> {
    let mut notes = Vec::new();
    if tokens.total() > 0 {
        let message = format!("in `{name}`, these look like NULL and stay text: {}", tokens.list());
        notes.push(Note::new("null-like-text", message, tokens.total()).with_column(name));
    }
    if let Some((kind, count, sample)) = common_reading(cells) {
        let what = match kind {
            Reading::LeadingZeros => "codes made of digits, kept as text",
            Reading::Date => "dates, kept as text",
            Reading::Time => "times or durations, kept as text",
            _ => "numbers, kept as text",
        };
        let message = format!("`{name}` holds {what}");
        notes.push(
            Note::new(kind.code(), message, count)
                .with_sample(sample)
                .with_column(name),
        );
    }
    notes
}

/// The reading that all cells of a text column share, how many have one, and the first that is not a plain number.
pub(super) fn common_reading<'t>(cells: Cells<'_, 't>) -> Option<(Reading, u64, &'t str)> {
    let mut common: Option<(Reading, &str)> = None;
    let mut count = 0;
    for field in cells.all() {
        let cell = field.inner.trim();
        if cell.is_empty() || is_null_token(cell.as_bytes()) {
            continue;
        }
        let reading = reading(cell)?;
        count += 1;
        common = Some(match common {
            None => (reading, cell),
            Some((known, sample)) if known == reading => (known, sample),
            Some((known, sample)) => match (known, reading) {
                (Reading::Number, kind) if kind < Reading::Number => (kind, cell),
                (kind, Reading::Number) if kind < Reading::Number => (kind, sample),
                (Reading::Thousands, kind) if kind < Reading::Thousands => (kind, cell),
                (kind, Reading::Thousands) if kind < Reading::Thousands => (kind, sample),
                (Reading::Scaled, Reading::Currency) => (Reading::Currency, cell),
                (Reading::Currency, Reading::Scaled) => (Reading::Currency, sample),
                _ => return None,
            },
        });
    }
    common.map(|(reading, sample)| (reading, count, sample))
}
