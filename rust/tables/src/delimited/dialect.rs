//! Finds the delimiter, quote and escape of a text.
//!
//! Every plausible format splits a sample; the one whose records are most alike and whose cells look most like data wins
//! (van den Burg, Nazábal and Sutton, "Wrangling messy CSV files by detecting row and type patterns", 2019, with a
//! pattern score that allows for preambles).

use std::collections::BTreeMap;

use memchr::memmem;

use crate::cells;
use crate::delimited::records::{Format, Records};
use crate::null_tokens::is_null_token;
use crate::readings::reading;

/// Enough for a few hundred records, little enough to be read a dozen times.
const SAMPLE_BYTES: usize = 1 << 15;
/// Very long lines get a larger sample, up to a bound.
const SAMPLE_LINES: usize = 16;
const MAX_SAMPLE_BYTES: usize = 1 << 20;
const SAMPLE_ROWS: usize = 300;

/// The full-width comma is three bytes; texts that are divided by it are rewritten with this character, which no text
/// holds.
pub const FULL_WIDTH_STAND_IN: u8 = 0x1f;

/// In order of preference where the score is the same. The last ones occur inside ordinary text, so they must earn it.
const DELIMITERS: [(u8, f64); 8] = [
    (b',', 1.0),
    (b'\t', 1.0),
    (b';', 1.0),
    (b'|', 0.98),
    (FULL_WIDTH_STAND_IN, 0.9),
    (b'^', 0.8),
    (b'~', 0.8),
    (b':', 0.4),
];
const BLANK_WEIGHT: f64 = 0.4;

/// What a single column is worth: more than a text that falls apart differently in each line.
const SINGLE_COLUMN: f64 = 0.12;

/// What the sniffer found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sniffed {
    /// How to split the text.
    pub format: Format,
    /// Whether the sample has the delimiter at all.
    pub divided: bool,
}

/// Returns the beginning of `text`, cut behind a line break where there is one, and whether it was cut.
fn sample_of(text: &str, bytes: usize) -> (&str, bool) {
    if text.len() <= bytes {
        return (text, false);
    }
    let longest = beginning(text, MAX_SAMPLE_BYTES.max(bytes));
    let breaks = memchr::memchr2_iter(b'\n', b'\r', longest.as_bytes());
    let cut_behind = |(count, at): &(usize, usize)| *count >= SAMPLE_LINES && *at >= bytes;
    match breaks.enumerate().find(cut_behind) {
        Some((_, line_break)) => (&text[..=line_break], true),
        None => (longest, longest.len() < text.len()),
    }
}

/// At most so many bytes of a text, cut between characters.
#[must_use]
pub fn beginning(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Finds the format of `text`.
#[must_use]
pub fn sniff(text: &str) -> Sniffed {
    let (mut sample, mut cut) = sample_of(text, SAMPLE_BYTES);
    if cut && Records::split(sample, plain(b',', Some(b'"')), true).cut_in_quotes {
        // Cells that are longer than the sample.
        (sample, cut) = sample_of(text, MAX_SAMPLE_BYTES);
    }
    if let Some(delimiter) = declared_delimiter(text) {
        let format = with_spaces(sample, cut, plain(delimiter, Some(b'"')));
        return Sniffed { format, divided: true };
    }
    let mut best: Option<(f64, Format, bool)> = None;
    let mut offer = |score: f64, format: Format, divided: bool| {
        if best.is_none_or(|(other, ..)| score > other + 1e-9) {
            best = Some((score, format, divided));
        }
    };
    let quotes = plausible_quotes(sample);
    let blank = (b' ', BLANK_WEIGHT);
    for (delimiter, weight) in DELIMITERS.into_iter().chain([blank]) {
        if memchr::memchr(delimiter, sample.as_bytes()).is_none() {
            continue;
        }
        let (mut quotes_are_sound, mut quotes_are_doubled) = (false, false);
        for &quote in &quotes {
            // Where quotes enclose fields as they should, they are no text, and nothing but a quote is ever doubled.
            if (quote.is_none() && quotes_are_sound) || (quote == Some(b'\'') && quotes_are_doubled) {
                continue;
            }
            let escaped = quote.is_some_and(|quote| memmem::find(sample.as_bytes(), &[b'\\', quote]).is_some())
                || memmem::find(sample.as_bytes(), &[b'\\', delimiter]).is_some();
            for escape in [None, Some(b'\\')] {
                if escape.is_some() && !escaped {
                    continue;
                }
                let format = Format {
                    escape,
                    ..plain(delimiter, quote)
                };
                let judged = judge(sample, cut, format);
                offer(weight * judged.score, format, true);
                quotes_are_sound |= judged.sound && quote.is_some();
                quotes_are_doubled |= judged.sound && judged.doubled && quote == Some(b'"');
            }
        }
    }
    let single = plain(b',', Some(b'"'));
    offer(single_column_score(sample, cut), single, false);
    let (_, format, divided) = best.unwrap_or((0.0, single, false));
    Sniffed {
        format: with_spaces(sample, cut, format),
        divided,
    }
}

/// `sep=;` in the first line, as spreadsheets write and read it.
#[must_use]
pub fn declared_delimiter(text: &str) -> Option<u8> {
    let line = text.lines().next()?.trim_matches('"').trim_end();
    let rest = line.get(..4).filter(|word| word.eq_ignore_ascii_case("sep="))?;
    match &line.as_bytes()[rest.len()..] {
        [delimiter] if delimiter.is_ascii() => Some(*delimiter),
        [] => Some(b'\t'),
        _ => None,
    }
}

fn plain(delimiter: u8, quote: Option<u8>) -> Format {
    Format {
        delimiter,
        quote,
        escape: None,
        skip_initial_space: false,
    }
}

/// Double quotes are tried first and always, because later lines may have them; single quotes where they enclose whole fields.
fn plausible_quotes(sample: &str) -> Vec<Option<u8>> {
    let bytes = sample.as_bytes();
    let mut quotes = vec![Some(b'"')];
    let boundary = |b: Option<&u8>| {
        b.is_none_or(|b| {
            matches!(
                b,
                b',' | b';' | b'\t' | b'|' | b' ' | b'\n' | b'\r' | b':' | 0x1f | b'^' | b'~'
            )
        })
    };
    let encloses = |quote: u8| {
        memchr::memchr_iter(quote, bytes)
            .filter(|at| boundary(at.checked_sub(1).and_then(|before| bytes.get(before))))
            .count()
            .min(
                memchr::memchr_iter(quote, bytes)
                    .filter(|at| boundary(bytes.get(at + 1)))
                    .count(),
            )
    };
    if encloses(b'\'') >= 2 {
        quotes.push(Some(b'\''));
    }
    if memchr::memchr(b'"', bytes).is_some() {
        quotes.push(None);
    }
    quotes
}

/// What speaks for a format.
struct Judged {
    /// How alike the records are and how much like data their cells look, from 0 to 1.
    score: f64,
    /// All quotes are in order.
    sound: bool,
    /// A quoted field holds a doubled quote.
    doubled: bool,
}

fn judge(sample: &str, cut: bool, format: Format) -> Judged {
    let records = Records::split(sample, format, cut);
    let rows = records.len().min(SAMPLE_ROWS);
    let doubled = |row: usize| records.fields(row).any(|field| field.quoted && !field.is_literal());
    Judged {
        score: score(&records, rows, format),
        sound: records.stray_quotes == 0 && records.unterminated.is_empty() && !records.cut_in_quotes,
        doubled: format.escape.is_none() && (0..rows).any(doubled),
    }
}

fn score(records: &Records<'_>, rows: usize, format: Format) -> f64 {
    if rows == 0 {
        return 0.0;
    }
    if records.too_wide {
        // Better to say so than to read the line as one cell.
        return SINGLE_COLUMN + 0.5;
    }
    let mut widths: BTreeMap<usize, usize> = BTreeMap::new();
    for row in (0..rows).filter(|row| !is_comment(records, *row)) {
        *widths.entry(records.width(row)).or_default() += 1;
    }
    let rows_counted = widths.values().sum();
    if widths.keys().all(|width| *width == 1) {
        return 0.0;
    }
    if matches!(format.delimiter, b' ' | b':') && !is_earned(records, rows, &widths) {
        return 0.0;
    }
    let pattern = pattern_score(&widths, rows_counted);
    let cells = cell_score(records, rows, format);
    #[allow(clippy::cast_precision_loss)] // a sample's counts
    let broken = 0.5 * (records.stray_quotes as f64 + records.unterminated.len() as f64) / rows as f64;
    let cut_off = if records.cut_in_quotes { 0.5 } else { 1.0 };
    pattern * cells * cut_off / (1.0 + broken)
}

#[allow(clippy::cast_precision_loss)] // a sample's counts
fn pattern_score(widths: &BTreeMap<usize, usize>, rows: usize) -> f64 {
    let (mut alike, mut lines) = (0.0, 0.0);
    let (mode, frequency) = widths
        .iter()
        .filter(|(width, _)| **width > 1)
        .max_by_key(|(width, count)| (**count, **width))
        .map_or((1, 0), |(width, count)| (*width, *count));
    for (&width, &count) in widths {
        // Single fields are titles, comments and totals as often as they are a wrong delimiter.
        let counted = if width == 1 { 0.7 * count as f64 } else { count as f64 };
        lines += counted;
        if width > 1 {
            let near = if width == mode { 1.0 } else { 0.4 };
            alike += near * counted * (1.0 - 0.5 / (width as f64 - 0.5));
        }
    }
    let patterns = widths.len() as f64;
    // Prose has commas, too: now one, now three.
    let accidental = if frequency * 3 < rows { 0.4 } else { 1.0 };
    accidental * alike / lines / (1.0 + 0.15 * (patterns - 1.0).min(rows as f64 / 2.0))
}

/// Blanks and colons divide only where every record has the same number of fields, many of them values or quoted, and the
/// lines are no dates or times.
fn is_earned(records: &Records<'_>, rows: usize, widths: &BTreeMap<usize, usize>) -> bool {
    if widths.len() != 1 || rows < 2 {
        return false;
    }
    let whole = (0..rows).filter(|row| is_value(records.line(*row).trim())).count();
    let (mut values, mut quoted, mut all) = (0, 0, 0);
    for row in 1..rows {
        for field in records.fields(row) {
            all += 1;
            values += usize::from(is_value(field.inner));
            quoted += usize::from(field.quoted);
        }
    }
    whole * 2 < rows && (values * 2 >= all || quoted * 5 >= all)
}

fn is_value(cell: &str) -> bool {
    let bytes = cell.as_bytes();
    cells::integer(bytes).is_some()
        || cells::decimal(bytes).is_some()
        || cells::date(bytes).is_some()
        || cells::timestamp(bytes).is_some()
        || is_null_token(bytes)
        || reading(cell).is_some()
}

#[allow(clippy::cast_precision_loss)] // a sample's counts
fn cell_score(records: &Records<'_>, rows: usize, format: Format) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for row in (0..rows).filter(|row| !is_comment(records, *row)) {
        // One very wide record must not outweigh all others.
        let width = records.width(row);
        let step = width.div_ceil(64);
        for column in (0..width).step_by(step) {
            let field = records.field(row, column);
            let weight = if width == 1 { 0.5 } else { 1.0 };
            sum += weight * plausibility(field.inner, field.quoted, format);
            count += weight;
        }
    }
    if count > 0.0 { sum / count } else { 0.0 }
}

/// Comments tell nothing about delimiters.
fn is_comment(records: &Records<'_>, row: usize) -> bool {
    records.width(row) == 1 && records.line(row).trim_start().starts_with('#')
}

fn single_column_score(sample: &str, cut: bool) -> f64 {
    let format = plain(0, Some(b'"'));
    let records = Records::split(sample, format, cut);
    let rows = records.len().min(SAMPLE_ROWS);
    let cells = cell_score(&records, rows, format);
    // Lines that are each one number, date or word are a column; there is nothing to divide.
    if cells > 0.95 {
        SINGLE_COLUMN.max(0.45 * cells)
    } else {
        SINGLE_COLUMN
    }
}

/// How much a cell looks like one value, from 0 to 1.
fn plausibility(cell: &str, quoted: bool, format: Format) -> f64 {
    if cell.is_empty() {
        return if quoted { 1.0 } else { 0.9 };
    }
    if quoted {
        return 1.0;
    }
    let trimmed = cell.trim();
    let bytes = trimmed.as_bytes();
    if bytes.is_empty() {
        return 0.6;
    }
    let typed = cells::integer(bytes).is_some()
        || cells::decimal(bytes).is_some()
        || cells::date(bytes).is_some()
        || cells::timestamp(bytes).is_some()
        || is_null_token(bytes);
    if typed {
        return 1.0;
    }
    if trimmed.len() <= 40 && trimmed.as_bytes()[0] < b'A' && reading(trimmed).is_some() {
        return 0.97;
    }
    // A quote at one end only was torn from its partner; a delimiter without a blank behind it divides something.
    let torn =
        format.quote != Some(bytes[0]) && matches!(bytes[0], b'"' | b'\'') && !trimmed.ends_with(char::from(bytes[0]))
            || (matches!(bytes[bytes.len() - 1], b'"') && !trimmed.starts_with('"'))
            || (format.quote.is_none() && (bytes[0] == b'"' || trimmed.contains('"')));
    if torn {
        return 0.1;
    }
    let divides = bytes
        .windows(2)
        .any(|pair| matches!(pair[0], b',' | b';' | b'|' | b'\t') && pair[1] != b' ');
    if divides || matches!(bytes[bytes.len() - 1], b',' | b';' | b'|') {
        return 0.25;
    }
    let letters = trimmed
        .chars()
        .filter(|c| c.is_alphanumeric() || *c == ' ' || *c == '_' || *c == '-')
        .count();
    let all = trimmed.chars().count();
    if all > 200 {
        return 0.5;
    }
    if letters == all {
        0.95
    } else if letters * 10 >= all * 6 {
        0.85
    } else {
        0.5
    }
}

/// A blank behind (nearly) every delimiter belongs to the delimiter: `a, b, c`.
fn with_spaces(sample: &str, cut: bool, format: Format) -> Format {
    if format.delimiter == b' ' || format.delimiter == b'\t' {
        return format;
    }
    let records = Records::split(sample, format, cut);
    let (mut spaced, mut all) = (0_usize, 0_usize);
    for row in 0..records.len().min(SAMPLE_ROWS) {
        let line = records.line(row);
        for column in 1..records.width(row).min(64) {
            let field = records.field(row, column);
            if field.is_null() {
                continue;
            }
            let at = field.inner.as_ptr() as usize - line.as_ptr() as usize;
            all += 1;
            let before = &line.as_bytes()[..at];
            spaced += usize::from(field.inner.starts_with(' ') || (field.quoted && before.ends_with(b" \"")));
        }
    }
    Format {
        skip_initial_space: all >= 2 && spaced * 20 >= all * 19,
        ..format
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> (char, Option<char>, Option<char>) {
        let format = sniff(text).format;
        (
            char::from(format.delimiter),
            format.quote.map(char::from),
            format.escape.map(char::from),
        )
    }

    #[test]
    fn delimiters_are_found() {
        for delimiter in [',', ';', '\t', '|', '^', '~'] {
            let text = "name,qty,price\nbolt,10,0.5\nnut,20,0.25\nscrew,5,1.5\n".replace(',', &delimiter.to_string());
            assert_eq!(found(&text).0, delimiter);
        }
        assert_eq!(found("a;b\n1,5;2,7\n3,5;4,25\n").0, ';');
        assert_eq!(found("t v w\n1 2 3\n4 5 6\n").0, ' ');
        assert!(!sniff("name\nAda Lovelace\nAlan Turing\n").divided);
        assert!(!sniff("time\n10:15\n11:20\n").divided);
        assert_eq!(found("sep=|\na,b|c\n1,2|3\n").0, '|');
    }

    #[test]
    fn quotes_and_escapes_are_found() {
        assert_eq!(found("a,b\n'x, y',1\n'z','2'\n"), (',', Some('\''), None));
        assert_eq!(
            found("a,b\n\"x \\\"y\\\", z\",1\n\"w\",2\n"),
            (',', Some('"'), Some('\\'))
        );
        // Apostrophes alone in their fields enclose nothing where doubled quotes are in order.
        assert_eq!(found("a,b\n',\"\"\"\"\"\"\n','\n").1, Some('"'));
        assert_eq!(found("a\n\"say \"\"hi\"\"\"\n'\n\"'x', 'y'\"\n'\n").1, Some('"'));
        assert_eq!(found("a,b\nit's,1\nthat's,2\n").1, Some('"'));
        assert!(sniff("a, b\n1, 2\n3, \"4, 5\"\n").format.skip_initial_space);
    }
}
