//! Cells that a question spells wrongly, or in part.

use std::ops::Range;

use super::find::{Finder, HitKind, Span};
use super::fold::fold_text;
use super::near::neighbours;
use super::parts::{Piece, pieces, shared};
use super::{Space, ValueError};

/// Words of one value that may be misspelt or be a part of a longer one.
const MOST_WORDS: usize = 4;
/// Searches for misspelt values that one question may cost.
const MOST_SEARCHES: usize = 40;
/// Characters from which one edit, or two, do not make another word.
const ONE_EDIT: usize = 4;
const TWO_EDITS: usize = 8;
/// Shorter words in small letters are not looked for with edits, nor as parts: they are the question's own.
const LEAST_PLAIN: usize = 6;
const LEAST_PAIR: usize = 10;
const LEAST_PART: usize = 4;
/// What a text counts that the question writes as two words.
const JOINED: f64 = 0.8;
/// A part of more texts than this names none of them.
const MOST_TEXTS: usize = 12;
/// A part that covers less of a text than this does not name it.
const LEAST_COVER: f64 = 0.3;

impl Finder<'_, '_> {
    /// The pieces of the question in runs; where `free`, those that no text covers.
    pub(super) fn runs(&self, free: bool) -> Vec<Vec<Piece>> {
        let mut runs: Vec<Vec<Piece>> = Vec::new();
        let mut end = None;
        for piece in pieces(&self.folded.text) {
            if free && self.covered[piece.start..piece.end].iter().any(|covered| *covered) {
                end = None;
                continue;
            }
            let follows = end.is_some_and(|end| piece.start <= end + 1);
            match runs.last_mut() {
                Some(run) if follows && run.last().is_some_and(|last| last.pair == piece.pair) => run.push(piece),
                _ => runs.push(vec![piece]),
            }
            end = Some(piece.end);
        }
        runs
    }

    /// Texts that are two words of the question in one: `back order` for `Backorder`.
    pub(super) fn joined(&mut self) -> Result<(), ValueError> {
        for run in self.runs(true) {
            for pair in run.windows(2).filter(|pair| !pair[0].pair) {
                let (start, end) = (pair[0].start, pair[1].end);
                let text = &self.folded.text;
                let key = format!("{}{}", &text[start..pair[0].end], &text[pair[1].start..end]);
                let Some(place) = self.place(Space::Text, &key).filter(|_| key.len() >= LEAST_PLAIN) else {
                    continue;
                };
                let (kind, score) = (HitKind::Near, JOINED);
                self.take(
                    Span {
                        start,
                        end,
                        kind,
                        score,
                    },
                    place,
                    |_, _| Some((kind, score)),
                )?;
            }
        }
        Ok(())
    }

    /// Whether a word of the question looks like a name: quoted, with a digit, or in capitals but for its first word.
    fn is_marked(&self, piece: Piece) -> bool {
        let original = self.original(piece.start, piece.end);
        self.is_quoted(piece.start, piece.end)
            || (piece.start > 0 && original.chars().any(char::is_uppercase))
            || original.chars().any(|c| c.is_ascii_digit()) && original.chars().any(char::is_alphabetic)
    }

    /// Texts that a few edits lead to.
    pub(super) fn misspelt(&mut self, free: &[Vec<Piece>]) -> Result<(), ValueError> {
        let mut windows = Vec::new();
        for run in free {
            if run[0].pair {
                // A name without blanks has no ends but its quotation marks.
                let (start, end) = (run[0].start, run[run.len() - 1].end);
                if self.is_quoted(start, end) {
                    windows.push((false, start, end));
                }
                continue;
            }
            for (at, first) in run.iter().enumerate() {
                for (words, last) in run[at..].iter().take(MOST_WORDS).enumerate() {
                    let (start, end) = (first.start, last.end);
                    if self.is_marked(*first) && self.is_marked(*last) {
                        windows.push((false, start, end));
                    } else if (words == 0 && end - start >= LEAST_PLAIN) || (words == 1 && end - start >= LEAST_PAIR) {
                        windows.push((true, start, end));
                    }
                }
            }
        }
        // Names first: the searches of one question are counted.
        windows.sort_by_key(|(plain, ..)| *plain);
        windows
            .into_iter()
            .take(MOST_SEARCHES)
            .try_for_each(|(plain, start, end)| self.near(start, end, !plain))
    }

    fn near(&mut self, start: usize, end: usize, marked: bool) -> Result<(), ValueError> {
        let wanted = &self.folded.text[start..end];
        let letters = wanted.chars().count();
        let most = usize::from(letters >= ONE_EDIT) + usize::from(marked && letters >= TWO_EDITS);
        if most == 0 || wanted.bytes().all(|b| b.is_ascii_digit()) {
            return Ok(());
        }
        let same_start = !self.is_quoted(start, end);
        let found = neighbours(&self.index.keys, wanted, most, same_start);
        let Some(fewest) = found.first().map(|first| first.edits) else {
            return Ok(());
        };
        #[expect(clippy::cast_precision_loss, reason = "a handful of letters")]
        let score = |edits: usize| 0.85 * (1.0 - edits as f64 / letters as f64);
        let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
        let own = digits(wanted);
        for neighbour in found.into_iter().filter(|found| found.edits == fewest).take(self.limit) {
            let span = Span {
                start,
                end,
                kind: HitKind::Near,
                score: score(neighbour.edits),
            };
            // Another digit is another value.
            let judge = |_: &str, cell: &str| (digits(&fold_text(cell)) == own).then_some((span.kind, span.score));
            self.take(span, neighbour.place, judge)?;
        }
        Ok(())
    }

    /// Texts that the longest runs of words or characters are a part of.
    pub(super) fn parts(&mut self, runs: &[Vec<Piece>], weight: f64) -> Result<(), ValueError> {
        for run in runs {
            let mut reached = 0;
            for first in 0..run.len() {
                let piece = run[first];
                // A part of a number or of a code is another one.
                let number = self.folded.text[piece.start..piece.end]
                    .bytes()
                    .all(|b| b.is_ascii_digit());
                let long = piece.end - piece.start >= LEAST_PART;
                let worth = !number && (piece.pair || long || self.is_marked(piece));
                if !worth {
                    continue;
                }
                let Some((last, places)) = self.longest(&run[first..])?.map(|(n, places)| (first + n, places)) else {
                    continue;
                };
                // What ends where an earlier run ended is a part of that one.
                if last < reached {
                    continue;
                }
                reached = last + 1;
                self.part(run[first].start, run[last].end, &places, weight)?;
            }
        }
        Ok(())
    }

    /// How many pieces go on together in some text, and the texts.
    fn longest(&self, run: &[Piece]) -> Result<Option<(usize, Vec<u64>)>, ValueError> {
        let mut best: Option<(usize, Vec<u64>)> = None;
        for (at, piece) in run.iter().enumerate() {
            let listed = self.index.listed(&self.folded.text[piece.start..piece.end])?;
            let places = match (&best, listed) {
                (None, Some(places)) => places,
                (Some((_, known)), Some(places)) => shared(known, &places),
                // A piece of too many texts: those that are known so far stay, and are looked at one by one.
                (Some((_, known)), None) => known.clone(),
                (None, None) => return Ok(None),
            };
            let text = &self.folded.text[run[0].start..piece.end];
            let mut holding = Vec::new();
            for place in places {
                if self.holds(place, text)? {
                    holding.push(place);
                }
            }
            if holding.is_empty() {
                break;
            }
            best = Some((at, holding));
        }
        Ok(best)
    }

    fn holds(&self, place: u64, text: &str) -> Result<bool, ValueError> {
        match self.index.cells_at(place)?.next() {
            Some(posting) => Ok(fold_text(posting?.2).contains(text)),
            None => Ok(false),
        }
    }

    fn part(&mut self, start: usize, end: usize, places: &[u64], weight: f64) -> Result<(), ValueError> {
        let own = self.folded.text[start..end].chars().count();
        // Words of a longer text that stands there say nothing of others.
        let within = |text: &Range<usize>| text.start <= start && end <= text.end && *text != (start..end);
        if places.len() > MOST_TEXTS || own < 2 || self.whole.iter().any(within) {
            return Ok(());
        }
        for place in places {
            let span = Span {
                start,
                end,
                kind: HitKind::Part,
                score: 0.0,
            };
            self.take(span, *place, |_, cell| {
                #[expect(clippy::cast_precision_loss, reason = "at most LONGEST_CELL")]
                let cover = own as f64 / fold_text(cell).chars().count().max(1) as f64;
                let whole = cover >= 1.0;
                (cover >= LEAST_COVER && !whole).then_some((HitKind::Part, weight * (0.3 + 0.5 * cover)))
            })?;
        }
        Ok(())
    }
}
