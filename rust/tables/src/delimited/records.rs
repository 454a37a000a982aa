//! Splits text into records and fields without copying: a field is a span, and its end is all that is stored.

use std::borrow::Cow;

use memchr::{memchr, memchr2, memchr3};

/// How fields are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// One ASCII character.
    pub delimiter: u8,
    /// Encloses fields that hold delimiters or line breaks.
    pub quote: Option<u8>,
    /// Makes the next character literal; `None` where quotes are doubled instead.
    pub escape: Option<u8>,
    /// Blanks after a delimiter belong to it.
    pub skip_initial_space: bool,
}

/// More columns than a spreadsheet holds (16,384) are no table, or a table on its side.
pub const MAX_COLUMNS: usize = 16_384;

#[derive(Clone, Copy, Debug)]
struct Row {
    start: u32,
    first_field: u32,
}

/// The records of a text.
#[derive(Debug)]
pub struct Records<'t> {
    text: &'t str,
    format: Format,
    rows: Vec<Row>,
    /// Where each field ends; the next one starts behind the delimiter.
    ends: Vec<u32>,
    /// Rows that follow at least one blank line, ascending.
    pub after_blank: Vec<u32>,
    /// Fields whose opening quote has no closing one and is therefore literal: their rows.
    pub unterminated: Vec<u32>,
    /// Quotes inside quoted fields that are neither doubled nor escaped.
    pub stray_quotes: u64,
    /// Set where broken quotes would have cost more than reading the text four times.
    pub quotes_given_up: bool,
    /// A row had more than [`MAX_COLUMNS`] fields; reading stopped there.
    pub too_wide: bool,
    /// A quoted field was still open at the end of a sample.
    pub cut_in_quotes: bool,
}

/// A field as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field<'t> {
    /// Without its quotes.
    pub inner: &'t str,
    /// Whether it had quotes.
    pub quoted: bool,
    escape: u8,
    has_escapes: bool,
}

impl<'t> Field<'t> {
    /// A field that is not there.
    pub const MISSING: Field<'static> = Field {
        inner: "",
        quoted: false,
        escape: 0,
        has_escapes: false,
    };

    /// The text that the field stands for.
    #[must_use]
    pub fn text(&self) -> Cow<'t, str> {
        if !self.has_escapes {
            return Cow::Borrowed(self.inner);
        }
        let mut text = String::with_capacity(self.inner.len());
        let mut rest = self.inner;
        while let Some(at) = memchr(self.escape, rest.as_bytes()) {
            let (before, after) = rest.split_at(at);
            text.push_str(before);
            let mut following = after[1..].chars();
            match following.next() {
                Some(c) if self.escapes(c) => {
                    text.push(c);
                    rest = following.as_str();
                }
                _ => {
                    text.push(char::from(self.escape));
                    rest = &after[1..];
                }
            }
        }
        text.push_str(rest);
        Cow::Owned(text)
    }

    /// A backslash before anything but punctuation or white space is a backslash (`C:\data`); a quote that is not doubled
    /// is a quote.
    fn escapes(&self, next: char) -> bool {
        if self.escape == b'\\' {
            next.is_ascii_punctuation() || next.is_ascii_whitespace()
        } else {
            next == char::from(self.escape)
        }
    }

    /// The text is what is written.
    #[must_use]
    pub fn is_literal(&self) -> bool {
        !self.has_escapes
    }

    /// Nothing was written, not even quotes.
    #[must_use]
    pub fn is_null(&self) -> bool {
        self.inner.is_empty() && !self.quoted
    }
}

impl<'t> Records<'t> {
    /// Splits `text`; `sample` says that the text is the beginning of a longer one, whose last record is left out.
    ///
    /// # Panics
    ///
    /// Where the text has 2^32 bytes or more, which the reader refuses before.
    #[must_use]
    pub fn split(text: &'t str, format: Format, sample: bool) -> Self {
        assert!(u32::try_from(text.len()).is_ok(), "texts of 4 GiB are refused before");
        let mut records = Self {
            text,
            format,
            rows: Vec::with_capacity(text.len() / 64),
            ends: Vec::with_capacity(text.len() / 10),
            after_blank: Vec::new(),
            unterminated: Vec::new(),
            stray_quotes: 0,
            quotes_given_up: false,
            too_wide: false,
            cut_in_quotes: false,
        };
        records.scan(sample);
        records
    }

    #[allow(clippy::cast_possible_truncation)] // `split` has checked the length
    fn scan(&mut self, sample: bool) {
        let bytes = self.text.as_bytes();
        let (delimiter, quote) = (self.format.delimiter, self.format.quote);
        let mut budget = 4 * bytes.len() + (1 << 20);
        let mut blank_before = false;
        let mut at = 0;
        while at < bytes.len() {
            let row = Row {
                start: at as u32,
                first_field: self.ends.len() as u32,
            };
            let end_of_row = loop {
                let mut end = None;
                if let Some(quote) = quote
                    && let Some(open) = opening_quote(bytes, at, quote, delimiter)
                    && !self.quotes_given_up
                {
                    match self.closing_quote(open, quote) {
                        Ok(found) => end = Some(found),
                        Err(reached) => {
                            if sample && reached == bytes.len() {
                                self.cut_in_quotes = true;
                                self.ends.truncate(row.first_field as usize);
                                return;
                            }
                            self.unterminated.push(self.rows.len() as u32);
                            budget = budget.saturating_sub(reached - open);
                            self.quotes_given_up = budget == 0;
                        }
                    }
                }
                let end = end.unwrap_or_else(|| self.unquoted_end(at));
                self.ends.push(end as u32);
                if bytes.get(end) != Some(&delimiter) {
                    break end;
                }
                at = end + 1;
                if self.ends.len() - row.first_field as usize > MAX_COLUMNS {
                    self.too_wide = true;
                    break bytes.len();
                }
            };
            if sample && end_of_row == bytes.len() && !self.rows.is_empty() {
                self.ends.truncate(row.first_field as usize);
                return;
            }
            at = match bytes.get(end_of_row..) {
                Some([b'\r', b'\n', ..]) => end_of_row + 2,
                _ => end_of_row + 1,
            };
            let single = self.ends.len() - row.first_field as usize == 1;
            if single
                && bytes[row.start as usize..end_of_row]
                    .iter()
                    .all(|b| matches!(b, b' ' | b'\t'))
            {
                self.ends.truncate(row.first_field as usize);
                blank_before = true;
                continue;
            }
            if std::mem::take(&mut blank_before) {
                self.after_blank.push(self.rows.len() as u32);
            }
            self.rows.push(row);
        }
    }

    fn unquoted_end(&self, start: usize) -> usize {
        let bytes = self.text.as_bytes();
        let mut at = start;
        loop {
            let end = memchr3(self.format.delimiter, b'\n', b'\r', &bytes[at..]).map_or(bytes.len(), |n| at + n);
            match self.format.escape {
                Some(escape) if end < bytes.len() && is_escaped(bytes, start, end, escape) => at = end + 1,
                _ => return end,
            }
        }
    }

    /// Returns where the quoted field that starts at `open` ends, or how far was read to find that it does not.
    fn closing_quote(&mut self, open: usize, quote: u8) -> Result<usize, usize> {
        let bytes = self.text.as_bytes();
        let delimiter = self.format.delimiter;
        let mut strays = 0;
        let mut at = open + 1;
        loop {
            let found = match self.format.escape {
                Some(escape) => memchr2(quote, escape, &bytes[at.min(bytes.len())..]),
                None => memchr(quote, &bytes[at..]),
            };
            let Some(found) = found.map(|n| at + n) else {
                return Err(bytes.len());
            };
            if Some(bytes[found]) == self.format.escape {
                at = found + 2;
                continue;
            }
            if self.format.escape.is_none() && bytes.get(found + 1) == Some(&quote) {
                at = found + 2;
                continue;
            }
            let behind = bytes[found + 1..]
                .iter()
                .position(|b| *b == delimiter || !matches!(b, b' ' | b'\t'))
                .map_or(bytes.len(), |n| found + 1 + n);
            if behind == bytes.len() || bytes[behind] == delimiter || matches!(bytes[behind], b'\n' | b'\r') {
                self.stray_quotes += strays;
                return Ok(behind);
            }
            // A quote that opens a field while another is still open: the earlier one was never closed.
            if matches!(bytes[found - 1], b'\n' | b'\r') || bytes[found - 1] == delimiter {
                return Err(found);
            }
            strays += 1;
            at = found + 1;
        }
    }

    /// Number of records; blank lines are none.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Number of fields of a record.
    #[must_use]
    pub fn width(&self, row: usize) -> usize {
        self.next_first_field(row) - self.rows[row].first_field as usize
    }

    fn next_first_field(&self, row: usize) -> usize {
        self.rows
            .get(row + 1)
            .map_or(self.ends.len(), |next| next.first_field as usize)
    }

    /// Where a record starts in the text.
    #[must_use]
    pub fn start(&self, row: usize) -> usize {
        self.rows[row].start as usize
    }

    /// A record as it is written, without its line break.
    #[must_use]
    pub fn line(&self, row: usize) -> &'t str {
        &self.text[self.start(row)..self.ends[self.next_first_field(row) - 1] as usize]
    }

    /// A field; `MISSING` behind the end of a short record.
    #[inline]
    #[must_use]
    pub fn field(&self, row: usize, column: usize) -> Field<'t> {
        let index = self.rows[row].first_field as usize + column;
        if index >= self.next_first_field(row) {
            return Field::MISSING;
        }
        let start = if column == 0 {
            self.start(row)
        } else {
            self.ends[index - 1] as usize + 1
        };
        self.unquote(&self.text[start..self.ends[index] as usize], column)
    }

    /// Whether a record begins with this ASCII character.
    #[must_use]
    pub fn begins_with(&self, row: usize, character: char) -> bool {
        self.text
            .as_bytes()
            .get(self.start(row))
            .is_some_and(|b| char::from(*b) == character)
    }

    /// Whether a record begins with these characters, or with a quote.
    #[must_use]
    pub fn may_begin_with(&self, row: usize, beginning: &str) -> bool {
        let line = &self.text.as_bytes()[self.start(row)..];
        line.starts_with(beginning.as_bytes()) || line.first().copied() == self.format.quote
    }

    /// Number of blank lines between two records; a blank line ends with LF, CR or both.
    #[must_use]
    pub fn blank_lines_between(&self, first: usize, last: usize) -> u64 {
        let from = self.after_blank.partition_point(|row| (*row as usize) <= first);
        let apart = self.after_blank[from..].iter().map(|row| *row as usize);
        apart
            .take_while(|row| *row <= last)
            .map(|row| self.blank_lines_before(row))
            .sum()
    }

    fn blank_lines_before(&self, row: usize) -> u64 {
        let end = self.ends[self.next_first_field(row - 1) - 1] as usize;
        let between = &self.text.as_bytes()[end..self.start(row)];
        let breaks =
            memchr::memchr2_iter(b'\n', b'\r', between).count() - memchr::memmem::find_iter(between, "\r\n").count();
        // The first break ends the record above.
        breaks.saturating_sub(1) as u64
    }

    /// All fields of a record.
    pub fn fields(&self, row: usize) -> impl Iterator<Item = Field<'t>> + '_ {
        (0..self.width(row)).map(move |column| self.field(row, column))
    }

    #[inline]
    fn unquote(&self, raw: &'t str, column: usize) -> Field<'t> {
        let bytes = raw.as_bytes();
        if let Some(quote) = self.format.quote
            && memchr2_near_start(bytes, quote)
        {
            let trimmed = if bytes[0] == quote && bytes[bytes.len() - 1] == quote {
                raw
            } else {
                raw.trim_matches([' ', '\t'])
            };
            let inner = trimmed.as_bytes();
            if inner.len() == 1 {
                // A quote that encloses nothing and is never closed.
                return Field::MISSING;
            }
            if inner.len() >= 2 && inner[0] == quote && inner[inner.len() - 1] == quote {
                let inner = &trimmed[1..trimmed.len() - 1];
                let escape = self.format.escape.unwrap_or(quote);
                return Field {
                    inner,
                    quoted: true,
                    escape,
                    has_escapes: if self.format.escape.is_some() {
                        memchr(escape, inner.as_bytes()).is_some()
                    } else {
                        has_doubled(inner.as_bytes(), quote)
                    },
                };
            }
        }
        let inner = if self.format.skip_initial_space && column > 0 {
            raw.trim_start_matches(' ')
        } else {
            raw
        };
        let escape = self.format.escape.unwrap_or(0);
        Field {
            inner,
            quoted: false,
            escape,
            has_escapes: escape != 0 && memchr(escape, inner.as_bytes()).is_some(),
        }
    }
}

/// Whether the first character behind blanks is the quote.
#[inline]
fn memchr2_near_start(bytes: &[u8], quote: u8) -> bool {
    match bytes.first() {
        Some(b) if *b == quote => true,
        Some(b' ' | b'\t') => bytes.iter().find(|b| !matches!(b, b' ' | b'\t')) == Some(&quote),
        _ => false,
    }
}

fn has_doubled(inner: &[u8], quote: u8) -> bool {
    memchr::memchr_iter(quote, inner).any(|at| inner.get(at + 1) == Some(&quote))
}

/// Where the field that starts at `at` has its opening quote, if it has one.
#[inline]
fn opening_quote(bytes: &[u8], at: usize, quote: u8, delimiter: u8) -> Option<usize> {
    match bytes.get(at) {
        Some(b) if *b == quote => Some(at),
        Some(b' ' | b'\t') if bytes[at] != delimiter => {
            let behind = bytes[at..]
                .iter()
                .position(|b| *b == delimiter || !matches!(b, b' ' | b'\t'))?;
            (bytes[at + behind] == quote).then_some(at + behind)
        }
        _ => None,
    }
}

fn is_escaped(bytes: &[u8], start: usize, at: usize, escape: u8) -> bool {
    let run = bytes[start..at].iter().rev().take_while(|b| **b == escape).count();
    run % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const CSV: Format = Format {
        delimiter: b',',
        quote: Some(b'"'),
        escape: None,
        skip_initial_space: false,
    };

    fn cells(text: &str, format: Format) -> Vec<Vec<String>> {
        let records = Records::split(text, format, false);
        (0..records.len())
            .map(|row| records.fields(row).map(|f| f.text().into_owned()).collect())
            .collect()
    }

    #[test]
    fn line_ends_may_be_mixed_and_the_last_may_be_missing() {
        assert_eq!(
            cells("a,b\r\nc,d\re,f\n\n \ng,", CSV),
            [["a", "b"], ["c", "d"], ["e", "f"], ["g", ""]]
        );
    }

    #[test]
    fn quotes_inside_quotes_are_text() {
        assert_eq!(
            cells("\"a \"b\" c\",\"d\"\"e\" ,f\"g\n", CSV),
            [["a \"b\" c", "d\"e", "f\"g"]]
        );
    }

    #[test]
    fn an_open_quote_ends_where_another_opens() {
        let records = Records::split("1,\"open\n2,\"x,y\"\n", CSV, false);
        assert_eq!((records.len(), records.unterminated.as_slice()), (2, &[0][..]));
        assert_eq!(records.field(1, 1).text(), "x,y");
    }

    #[test]
    fn a_backslash_escapes_punctuation_only() {
        let format = Format {
            escape: Some(b'\\'),
            ..CSV
        };
        assert_eq!(
            cells("\"a\\\"b\",c\\,d,C:\\dir\n", format),
            [["a\"b", "c,d", "C:\\dir"]]
        );
    }

    #[test]
    fn blank_lines_are_remembered() {
        let records = Records::split("a\n\n\nb\nc\n", CSV, false);
        assert_eq!((records.len(), records.after_blank.as_slice()), (3, &[1][..]));
        let records = Records::split("a\r\n\r\n \r\nb\n\nc\n\n", CSV, false);
        assert_eq!(records.blank_lines_between(0, 2), 3);
        assert_eq!(records.blank_lines_between(1, 2), 1);
    }

    proptest! {
        #[test]
        fn what_is_quoted_comes_back(
            rows in proptest::collection::vec(proptest::collection::vec("[a\", \n\r;é城]{0,6}", 2..5), 1..6)
        ) {
            let written: String = rows
                .iter()
                .map(|row| {
                    let quoted: Vec<String> = row.iter().map(|c| format!("\"{}\"", c.replace('"', "\"\""))).collect();
                    quoted.join(",") + "\r\n"
                })
                .collect();
            prop_assert_eq!(cells(&written, CSV), rows);
        }

        #[test]
        fn every_character_is_in_a_field_or_divides(text in "[a\",;\n\r 城]{0,60}") {
            let records = Records::split(&text, CSV, false);
            let kept: usize = (0..records.len()).map(|row| records.line(row).matches('城').count()).sum();
            prop_assert_eq!(kept, text.matches('城').count());
        }
    }
}
