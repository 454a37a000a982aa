//! Finds the cells that a question speaks of.

use std::ops::Range;

use super::codes::{Code, cell_code, code_at, without_suffix};
use super::fold::{Folded, fold, fold_text};
use super::forms::{dates_at, numbers_at};
use super::quotes::quoted;
use super::spelled::spelled_at;
use super::varint::Reader;
use super::{Index, Space, ValueError};

/// How a span of the question stands for a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum HitKind {
    /// Letter by letter.
    Exact,
    /// The same but for case, width, punctuation, or the spelling of a number, date or code.
    Normalised,
    /// A few edits away.
    Near,
    /// The span is a part of the cell.
    Part,
}

impl HitKind {
    /// Its name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Normalised => "normalised",
            Self::Near => "near",
            Self::Part => "part",
        }
    }
}

/// What it counts that a span is a part of a longer text, where it is a text itself.
const LONGER: f64 = 0.6;

/// A cell that a span of the question may stand for.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit<'a> {
    /// Table of the cell.
    pub table: &'a str,
    /// Column of the cell.
    pub column: &'a str,
    /// The cell as it is stored.
    pub value: &'a str,
    /// How often the column holds it.
    pub count: u64,
    /// First character of the span.
    pub start: usize,
    /// The character after its last.
    pub end: usize,
    /// How it was found.
    pub kind: HitKind,
    /// From 0 to 1: how surely the span stands for the cell, as far as spelling tells.
    pub score: f64,
}

impl Index {
    /// The cells that `question` may speak of, in the order of their spans, best first within one.
    ///
    /// At most `limit` cells a span and way of finding, in the order of columns.
    pub fn find(&self, question: &str, limit: usize) -> Result<Vec<Hit<'_>>, ValueError> {
        let mut finder = Finder::new(self, question, limit);
        finder.texts()?;
        finder.forms()?;
        finder.joined()?;
        let free = finder.runs(true);
        finder.misspelt(&free)?;
        finder.parts(&free, 1.0)?;
        // `Oxford` is a town, and a part of the name of its university.
        finder.parts(&finder.runs(false), LONGER)?;
        Ok(finder.finish())
    }

    /// The cells that `text` as a whole spells, but for case, width and punctuation; at most `limit`.
    pub fn spelt(&self, text: &str, limit: usize) -> Result<Vec<Hit<'_>>, ValueError> {
        let mut finder = Finder::new(self, text, limit);
        let key = finder.folded.text.clone();
        if let Some(place) = finder.place(Space::Text, &key).filter(|_| !key.is_empty()) {
            finder.text(0, key.len(), place, false)?;
        }
        for form in numbers_at(&key).into_iter().filter(|form| form.length == key.len()) {
            finder.form(Space::Number, &form.key, 0, key.len(), 0.9)?;
        }
        Ok(finder.finish())
    }
}

pub(super) struct Finder<'a, 'q> {
    pub(super) index: &'a Index,
    question: &'q str,
    pub(super) folded: Folded,
    /// Byte of each character of the question, and of its end.
    places: Vec<usize>,
    quoted: Vec<Range<usize>>,
    /// Bytes of the folded question that stand for a text, letter by letter but for case and punctuation.
    pub(super) covered: Vec<bool>,
    /// The stretches that these make up.
    pub(super) whole: Vec<Range<usize>>,
    pub(super) limit: usize,
    hits: Vec<Hit<'a>>,
}

/// A stretch of the folded question, how it is used, and how surely.
#[derive(Clone, Copy)]
pub(super) struct Span {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) kind: HitKind,
    pub(super) score: f64,
}

impl<'a, 'q> Finder<'a, 'q> {
    fn new(index: &'a Index, question: &'q str, limit: usize) -> Self {
        let folded = fold(question);
        let mut places: Vec<usize> = question.char_indices().map(|(at, _)| at).collect();
        places.push(question.len());
        let covered = vec![false; folded.text.len()];
        Self {
            index,
            question,
            quoted: quoted(question),
            folded,
            places,
            covered,
            whole: Vec::new(),
            limit,
            hits: Vec::new(),
        }
    }

    /// The question's own spelling of a span.
    pub(super) fn original(&self, start: usize, end: usize) -> &'q str {
        let (start, end) = self.folded.span(start, end);
        &self.question[self.places[start]..self.places[end]]
    }

    pub(super) fn is_quoted(&self, start: usize, end: usize) -> bool {
        let (start, end) = self.folded.span(start, end);
        self.quoted.iter().any(|range| range.start <= start && end <= range.end)
    }

    /// Texts that stand in the question, by one walk from each place where a value may begin.
    fn texts(&mut self) -> Result<(), ValueError> {
        let keys = &self.index.keys;
        let root = keys.root();
        let Some(texts) = root.find_input(Space::Text as u8).map(|at| root.transition(at)) else {
            return Ok(());
        };
        let mut found = Vec::new();
        for start in 0..self.folded.text.len() {
            if !self.folded.text.is_char_boundary(start) || !self.folded.starts_at(start) {
                continue;
            }
            let mut node = keys.node(texts.addr);
            let mut out = texts.out.value();
            for (at, byte) in (start..).zip(&self.folded.text.as_bytes()[start..]) {
                let Some(transition) = node.find_input(*byte).map(|at| node.transition(at)) else {
                    break;
                };
                node = keys.node(transition.addr);
                out += transition.out.value();
                let end = at + 1;
                if node.is_final() && self.folded.text.is_char_boundary(end) && self.folded.ends_at(end) {
                    let place = out + node.final_output().value();
                    found.push((start, end, place));
                }
            }
        }
        found
            .into_iter()
            .try_for_each(|(start, end, place)| self.text(start, end, place, true))
    }

    /// Takes the cells of a text; in a sentence, short ones only where they are spelt alike.
    fn text(&mut self, start: usize, end: usize, place: u64, sentence: bool) -> Result<(), ValueError> {
        let letters = self.folded.text[start..end].chars().count();
        let ascii = self.folded.text[start..end].is_ascii();
        // `in`, `or` and `a` are also codes of states and grades, when they are spelled as those are.
        let as_spelled = sentence && ascii && letters <= 2 && !self.is_quoted(start, end);
        let score = if letters == 1 && !self.is_quoted(start, end) {
            0.6
        } else {
            1.0
        };
        let before = self.hits.len();
        self.take(
            Span {
                start,
                end,
                kind: HitKind::Normalised,
                score: score * 0.95,
            },
            place,
            |original, cell| {
                let exact = cell.trim() == original.trim();
                if exact {
                    Some((HitKind::Exact, score))
                } else {
                    (!as_spelled).then_some((HitKind::Normalised, score * 0.95))
                }
            },
        )?;
        if self.hits.len() > before && letters > 1 {
            self.covered[start..end].fill(true);
            self.whole.push(start..end);
        }
        Ok(())
    }

    /// Numbers, dates and codes in another spelling than the cell's.
    fn forms(&mut self) -> Result<(), ValueError> {
        let text = self.folded.text.clone();
        for start in 0..text.len() {
            if !text.is_char_boundary(start) || !self.folded.starts_at(start) {
                continue;
            }
            let rest = &text[start..];
            // A minus is part of the number that begins with it, but for one between two numbers.
            let signed = text[..start]
                .strip_suffix('-')
                .is_some_and(|before| !before.ends_with(char::is_alphanumeric));
            if !signed {
                for form in numbers_at(rest) {
                    let end = start + form.length;
                    if self.ends_number(end) {
                        self.form(Space::Number, &form.key, start, end, 0.9)?;
                    }
                }
                if let Some(form) = spelled_at(rest) {
                    let end = start + form.length;
                    if self.folded.ends_at(end) {
                        self.form(Space::Number, &form.key, start, end, 0.6)?;
                    }
                }
            }
            for form in dates_at(rest) {
                let end = start + form.length;
                if self.ends_number(end) {
                    self.form(Space::Date, &form.key, start, end, 0.9)?;
                }
            }
            if let Some(mut code) = code_at(rest) {
                // Letters that are a word of their own are none of the code's.
                let apart = self.original(start, start + code.length).contains(char::is_whitespace);
                if apart {
                    let Some(plain) = without_suffix(rest) else { continue };
                    code = plain;
                }
                self.code(&code, start)?;
            }
        }
        Ok(())
    }

    fn ends_number(&self, end: usize) -> bool {
        let (before, after) = self.folded.text.split_at(end);
        let unit =
            before.ends_with(|c: char| c.is_ascii_digit()) && after.starts_with(|c: char| c.is_ascii_alphabetic());
        unit || self.folded.ends_at(end)
    }

    fn form(&mut self, space: Space, key: &str, start: usize, end: usize, score: f64) -> Result<(), ValueError> {
        let Some(place) = self.place(space, key) else {
            return Ok(());
        };
        self.take(
            Span {
                start,
                end,
                kind: HitKind::Normalised,
                score,
            },
            place,
            |original, cell| {
                Some(if cell.trim() == original {
                    (HitKind::Exact, 1.0)
                } else {
                    (HitKind::Normalised, score)
                })
            },
        )
    }

    fn code(&mut self, code: &Code, start: usize) -> Result<(), ValueError> {
        let end = start + code.length;
        if code.is_marked() {
            // The number without zeros: a source that lost them.
            if code.padded && code.affix.is_empty() {
                self.form(Space::Number, &code.key, start, end, 0.7)?;
            }
        } else if code.key.len() > 1 && !self.folded.ends_at(end) {
            return Ok(());
        }
        let Some(place) = self.place(Space::Code, &code.key) else {
            return Ok(());
        };
        let span = Span {
            start,
            end,
            kind: HitKind::Normalised,
            score: 0.85,
        };
        self.take(span, place, |original, cell| {
            let other = cell_code(&fold_text(cell)).filter(|other| other.agrees_with(code))?;
            if cell.trim() == original {
                return Some((HitKind::Exact, 1.0));
            }
            // A plain number seldom means a code with zeros.
            Some((
                HitKind::Normalised,
                if code.is_marked() || other.key.len() >= 4 {
                    0.85
                } else {
                    0.5
                },
            ))
        })
    }

    pub(super) fn place(&self, space: Space, key: &str) -> Option<u64> {
        let mut bytes = Vec::with_capacity(key.len() + 1);
        bytes.push(space as u8);
        bytes.extend_from_slice(key.as_bytes());
        self.index.keys.get(bytes).map(fst::raw::Output::value)
    }

    /// Takes the cells at `place` for a span, as `judge` sees them.
    pub(super) fn take(
        &mut self,
        span: Span,
        place: u64,
        judge: impl Fn(&str, &str) -> Option<(HitKind, f64)>,
    ) -> Result<(), ValueError> {
        let original = self.original(span.start, span.end);
        let (start, end) = self.folded.span(span.start, span.end);
        let mut taken = 0;
        for posting in self.index.cells_at(place)? {
            let (table, column, value, count) = posting?;
            if taken == self.limit {
                break;
            }
            if let Some((kind, score)) = judge(original, value) {
                taken += 1;
                self.hits.push(Hit {
                    table,
                    column,
                    value,
                    count,
                    start,
                    end,
                    kind,
                    score,
                });
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Vec<Hit<'a>> {
        self.hits.sort_by(|a, b| {
            let place = (a.start, a.end).cmp(&(b.start, b.end));
            let names = (a.table, a.column, a.value).cmp(&(b.table, b.column, b.value));
            place
                .then(b.score.total_cmp(&a.score))
                .then(names)
                .then(a.kind.cmp(&b.kind))
        });
        // Found in two ways: the better one stays.
        let mut known: Vec<(usize, usize, &str, &str, &str)> = Vec::new();
        self.hits.retain(|hit| {
            let own = (hit.start, hit.end, hit.table, hit.column, hit.value);
            if known
                .last()
                .is_some_and(|last| (last.0, last.1) != (hit.start, hit.end))
            {
                known.clear();
            }
            let new = !known.contains(&own);
            known.push(own);
            new
        });
        self.hits
    }
}

type Posting<'a> = (&'a str, &'a str, &'a str, u64);

impl Index {
    /// Table, column, cell and count of what stands at `place`.
    pub(super) fn cells_at(
        &self,
        place: u64,
    ) -> Result<impl Iterator<Item = Result<Posting<'_>, ValueError>>, ValueError> {
        const CUT: ValueError = ValueError::Damaged("a list of cells is cut off");
        let bytes = usize::try_from(place)
            .ok()
            .and_then(|at| self.postings.as_ref().get(at..))
            .ok_or(CUT)?;
        let mut reader = Reader(bytes);
        let count = reader.small().ok_or(CUT)?;
        let mut number = 0_usize;
        Ok((0..count).map(move |_| {
            number = number.checked_add(reader.small().ok_or(CUT)?).ok_or(CUT)?;
            let times = reader.number().ok_or(CUT)?;
            let cell = reader.text().ok_or(CUT)?;
            let (table, column) = self.header.columns.get(number).ok_or(CUT)?;
            Ok((table.as_str(), column.as_str(), cell, times))
        }))
    }
}
