//! Texts that a few edits lead to: a walk through all keys that goes on only where few enough were made.

use fst::raw::{Fst, Node};

use super::Space;
use super::file::Part;

/// Nodes that one search may look at; common beginnings of many keys are given up, the same ones each time.
const MOST_NODES: usize = 60_000;

/// A key and how many edits lead to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Neighbour {
    /// Where its cells stand.
    pub(super) place: u64,
    /// Letters put in, left out, exchanged, or turned round with the next one.
    pub(super) edits: usize,
}

/// Finds the texts that at most `most` edits lead to, but not `wanted` itself.
///
/// Where `same_start`, the first character is not edited.
pub(super) fn neighbours(keys: &Fst<Part>, wanted: &str, most: usize, same_start: bool) -> Vec<Neighbour> {
    let wanted: Vec<char> = wanted.chars().collect();
    let Some(texts) = keys
        .root()
        .find_input(Space::Text as u8)
        .map(|at| keys.root().transition(at))
    else {
        return Vec::new();
    };
    let mut search = Search {
        keys,
        wanted: &wanted,
        most,
        same_start,
        left: MOST_NODES,
        found: Vec::new(),
    };
    let first: Vec<usize> = (0..=wanted.len()).collect();
    search.visit(
        keys.node(texts.addr),
        texts.out.value(),
        &mut vec![first],
        &mut Vec::new(),
        Letter::default(),
    );
    search.found.sort_by_key(|found| (found.edits, found.place));
    search.found
}

/// The bytes of a character that are read so far.
#[derive(Clone, Copy, Default)]
struct Letter {
    code: u32,
    missing: u32,
}

impl Letter {
    fn with(self, byte: u8) -> Self {
        match byte {
            0x00..=0x7F => Self {
                code: u32::from(byte),
                missing: 0,
            },
            0x80..=0xBF => Self {
                code: self.code << 6 | u32::from(byte & 0x3F),
                missing: self.missing.saturating_sub(1),
            },
            0xC0..=0xDF => Self {
                code: u32::from(byte & 0x1F),
                missing: 1,
            },
            0xE0..=0xEF => Self {
                code: u32::from(byte & 0x0F),
                missing: 2,
            },
            0xF0..=0xFF => Self {
                code: u32::from(byte & 0x07),
                missing: 3,
            },
        }
    }
}

struct Search<'a> {
    keys: &'a Fst<Part>,
    wanted: &'a [char],
    most: usize,
    same_start: bool,
    left: usize,
    found: Vec<Neighbour>,
}

impl Search<'_> {
    /// Looks at all keys below `node`, whose letters so far are `path` with a row of the edit table each.
    fn visit(&mut self, node: Node<'_>, out: u64, rows: &mut Vec<Vec<usize>>, path: &mut Vec<char>, letter: Letter) {
        if letter.missing == 0 && node.is_final() {
            let edits = rows[rows.len() - 1][self.wanted.len()];
            if (1..=self.most).contains(&edits) {
                let place = out + node.final_output().value();
                self.found.push(Neighbour { place, edits });
            }
        }
        for transition in node.transitions() {
            if self.left == 0 {
                return;
            }
            self.left -= 1;
            let letter = letter.with(transition.inp);
            let out = out + transition.out.value();
            let below = self.keys.node(transition.addr);
            if letter.missing > 0 {
                self.visit(below, out, rows, path, letter);
                continue;
            }
            let Some(c) = char::from_u32(letter.code) else { continue };
            if self.same_start && path.is_empty() && self.wanted.first() != Some(&c) {
                continue;
            }
            let row = self.row(rows, path, c);
            if row.iter().min().is_some_and(|least| *least <= self.most) {
                rows.push(row);
                path.push(c);
                self.visit(below, out, rows, path, Letter::default());
                path.pop();
                rows.pop();
            }
        }
    }

    /// The edit table's next row (optimal string alignment).
    fn row(&self, rows: &[Vec<usize>], path: &[char], c: char) -> Vec<usize> {
        let above = &rows[rows.len() - 1];
        let mut row = Vec::with_capacity(above.len());
        row.push(above[0] + 1);
        for (at, wanted) in self.wanted.iter().enumerate() {
            let exchanged = above[at] + usize::from(*wanted != c);
            let mut least = exchanged.min(above[at + 1] + 1).min(row[at] + 1);
            if at > 0 && path.last() == Some(wanted) && self.wanted[at - 1] == c {
                least = least.min(rows[rows.len() - 2][at - 1] + 1);
            }
            row.push(least);
        }
        row
    }
}
