//! Texts that a few edits lead to: a walk through all keys that goes on only where few enough were made.

use fst::raw::{Fst, Node};

use super::Space;
use super::file::Part;

/// Nodes that one search may look at; common beginnings of many keys are given up, the same ones each time.
const MOST_NODES: usize = 60_000;

/// Edits that a search allows at most.
const MOST_EDITS: usize = 2;
/// More edits than any search allows.
const BEYOND: usize = 99;

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
        most: most.min(MOST_EDITS),
        same_start,
        left: MOST_NODES,
        path: Vec::new(),
        rows: Vec::new(),
        found: Vec::new(),
    };
    search.rows.push(search.first());
    search.visit(keys.node(texts.addr), texts.out.value(), Letter::default());
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

/// A row of the edit table: only the cells that so few edits may reach, with the diagonal in the middle.
type Row = [usize; 2 * MOST_EDITS + 1];

struct Search<'a> {
    keys: &'a Fst<Part>,
    wanted: &'a [char],
    most: usize,
    same_start: bool,
    left: usize,
    /// The letters on the way to the node.
    path: Vec<char>,
    /// A row before the first letter, and one behind each.
    rows: Vec<Row>,
    found: Vec<Neighbour>,
}

impl Search<'_> {
    /// The letter of `wanted` that a cell of a row stands behind, where there is one.
    fn place(&self, depth: usize, cell: usize) -> Option<usize> {
        (depth + cell)
            .checked_sub(MOST_EDITS)
            .filter(|at| *at <= self.wanted.len())
    }

    /// The row before the first letter.
    fn first(&self) -> Row {
        std::array::from_fn(|cell| self.place(0, cell).unwrap_or(BEYOND))
    }

    /// Looks at all keys below `node`.
    fn visit(&mut self, node: Node<'_>, out: u64, letter: Letter) {
        let depth = self.path.len();
        let end = (self.wanted.len() + MOST_EDITS)
            .checked_sub(depth)
            .filter(|cell| *cell <= 2 * MOST_EDITS);
        if let Some(cell) = end.filter(|_| letter.missing == 0 && node.is_final()) {
            let edits = self.rows[depth][cell];
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
            if letter.missing > 0 {
                self.visit(self.keys.node(transition.addr), out, letter);
                continue;
            }
            let Some(c) = char::from_u32(letter.code) else { continue };
            if self.same_start && depth == 0 && self.wanted.first() != Some(&c) {
                continue;
            }
            let row = self.row(c);
            if row.iter().any(|edits| *edits <= self.most) {
                self.rows.push(row);
                self.path.push(c);
                self.visit(self.keys.node(transition.addr), out, Letter::default());
                self.path.pop();
                self.rows.pop();
            }
        }
    }

    /// The row behind one more letter (optimal string alignment).
    fn row(&self, c: char) -> Row {
        let depth = self.path.len() + 1;
        let above = &self.rows[depth - 1];
        let mut row = [BEYOND; 2 * MOST_EDITS + 1];
        for cell in 0..row.len() {
            let Some(at) = self.place(depth, cell) else { continue };
            let mut least = above.get(cell + 1).map_or(BEYOND, |edits| edits + 1);
            if cell > 0 {
                least = least.min(row[cell - 1] + 1);
            }
            if at > 0 {
                least = least.min(above[cell] + usize::from(self.wanted[at - 1] != c));
            }
            let turned = at > 1 && depth > 1 && self.path[depth - 2] == self.wanted[at - 1] && self.wanted[at - 2] == c;
            if turned {
                least = least.min(self.rows[depth - 2][cell] + 1);
            }
            row[cell] = least;
        }
        row
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::values::{Builder, HitKind, Index};

    /// Edits between two words as the whole table gives them.
    fn edits(a: &[char], b: &[char]) -> usize {
        let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
        for i in 0..=a.len() {
            for j in 0..=b.len() {
                table[i][j] = if i == 0 || j == 0 {
                    i + j
                } else {
                    let exchanged = table[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                    let mut least = exchanged.min(table[i - 1][j] + 1).min(table[i][j - 1] + 1);
                    if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                        least = least.min(table[i - 2][j - 2] + 1);
                    }
                    least
                };
            }
        }
        table[a.len()][b.len()]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn a_quoted_word_finds_what_is_two_edits_away_and_nothing_else(
            words in prop::collection::btree_set("[abé]{6,11}", 1..8), wanted in "[abé]{8,10}",
        ) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("v");
            let mut builder = Builder::new(&path);
            builder.column("t", "c");
            for word in &words {
                builder.add(word, 1, false).unwrap();
            }
            builder.finish("test").unwrap();
            let index = Index::open(&path).unwrap();
            let letters: Vec<char> = wanted.chars().collect();
            let distance = |word: &String| edits(&letters, &word.chars().collect::<Vec<_>>());
            let fewest = words.iter().map(distance).min().unwrap();
            let expected: Vec<&str> = words
                .iter()
                .filter(|word| (1..=2).contains(&fewest) && distance(word) == fewest)
                .map(String::as_str)
                .collect();
            let hits = index.find(&format!("\"{wanted}\""), 100).unwrap();
            let mut found: Vec<&str> = hits.iter().filter(|h| h.kind == HitKind::Near).map(|h| h.value).collect();
            found.sort_unstable();
            prop_assert_eq!(found, expected);
        }
    }
}
