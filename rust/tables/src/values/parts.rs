//! The parts of texts: words, and pairs of neighbouring characters where a script has no blanks.

use super::fold::is_unspaced;
use super::varint::Reader;
use super::{Index, ValueError};

/// What is part of more texts tells nothing.
pub(super) const MOST_LISTED: usize = 4096;
/// Longer texts are known by their first parts.
pub(super) const MOST_PARTS: usize = 32;

/// A part of a folded text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// Its first byte.
    pub(super) start: usize,
    /// The byte after its last.
    pub(super) end: usize,
    /// Whether it is a pair of characters rather than a word.
    pub(super) pair: bool,
}

/// The parts of a folded text, in order; pairs overlap.
pub(super) fn pieces(text: &str) -> Vec<Piece> {
    let mut found = Vec::new();
    let mut word: Option<usize> = None;
    let mut before: Option<usize> = None;
    for (at, c) in text.char_indices() {
        let unspaced = is_unspaced(c);
        if let Some(start) = word.filter(|_| unspaced || !c.is_alphanumeric()) {
            found.push(Piece {
                start,
                end: at,
                pair: false,
            });
            word = None;
        }
        if unspaced {
            if let Some(start) = before {
                found.push(Piece {
                    start,
                    end: at + c.len_utf8(),
                    pair: true,
                });
            }
        } else if c.is_alphanumeric() && word.is_none() {
            word = Some(at);
        }
        before = unspaced.then_some(at);
    }
    if let Some(start) = word {
        found.push(Piece {
            start,
            end: text.len(),
            pair: false,
        });
    }
    found
}

impl Index {
    /// Where the postings of the texts with this part stand, in order; `None` where it is in too many.
    pub(super) fn listed(&self, part: &str) -> Result<Option<Vec<u64>>, ValueError> {
        let Some(at) = self.tokens.get(part) else {
            return Ok(Some(Vec::new()));
        };
        let cut = ValueError::Damaged("a list is cut off");
        let Some(bytes) = usize::try_from(at.value())
            .ok()
            .and_then(|at| self.lists.as_ref().get(at..))
        else {
            return Err(cut);
        };
        let mut reader = Reader(bytes);
        let Some(count) = reader.small() else { return Err(cut) };
        if count > MOST_LISTED {
            return Ok(None);
        }
        let mut places = Vec::with_capacity(count);
        let mut place = 0_u64;
        for _ in 0..count {
            let Some(next) = reader.number().and_then(|step| place.checked_add(step)) else {
                return Err(cut);
            };
            place = next;
            places.push(place);
        }
        Ok(Some(places))
    }
}

/// The numbers in both of two ascending lists.
pub(super) fn shared(a: &[u64], b: &[u64]) -> Vec<u64> {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    short
        .iter()
        .copied()
        .filter(|place| long.binary_search(place).is_ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::pieces;

    #[test]
    fn parts_are_words_and_pairs() {
        let text = "清华大学 abc def";
        let found: Vec<_> = pieces(text).into_iter().map(|p| &text[p.start..p.end]).collect();
        assert_eq!(found, ["清华", "华大", "大学", "abc", "def"]);
    }
}
