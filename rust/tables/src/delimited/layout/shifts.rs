//! Brings rows with a delimiter too many or too few back in line.

use super::shapes::{Shape, shape};
use super::{Finder, TYPICAL_ROWS};
use crate::delimited::records::Records;

/// Below this many sound rows there is nothing to compare a broken one with.
const MIN_SOUND_ROWS: usize = 5;

impl Finder<'_, '_> {
    /// Brings rows with one field too many or too few back in line, where the other rows show how.
    ///
    /// A delimiter too many leaves an empty field, one too few a gap; the place is where numbers and dates fall into their
    /// columns again and columns that are always filled, or never, are so.
    pub(super) fn realign(&mut self, named: usize, rows: &[u32]) -> Shifts {
        let records = self.records;
        let width = named.max(self.width);
        let mut shifts = Shifts::default();
        if width < 3 || (named > 0 && named != self.width) {
            return shifts;
        }
        let off_by_one = |row: &&u32| records.width(**row as usize).abs_diff(width) == 1;
        let broken: Vec<u32> = rows.iter().filter(off_by_one).copied().collect();
        if broken.is_empty() || broken.len() * 10 > rows.len() {
            return shifts;
        }
        let sound: Vec<usize> = rows
            .iter()
            .map(|row| *row as usize)
            .filter(|row| records.width(*row) == width)
            .take(TYPICAL_ROWS)
            .collect();
        if sound.len() < MIN_SOUND_ROWS {
            return shifts;
        }
        let profiles: Vec<Profile> = (0..width).map(|column| Profile::of(records, &sound, column)).collect();
        for row in broken {
            if let Some(shift) = best_shift(records, row as usize, &profiles) {
                shifts.0.push((row, shift));
            }
        }
        let moved: Vec<usize> = shifts.0.iter().map(|(row, _)| *row as usize).collect();
        self.note_lines(
            "realigned-rows",
            "rows with a delimiter too many or too few were brought back in line",
            &moved,
        );
        shifts
    }
}

/// What the cells of a column have in common, as far as a displaced row would show.
struct Profile {
    shape: Shape,
    always_filled: bool,
    always_empty: bool,
}

impl Profile {
    pub(super) fn of(records: &Records<'_>, rows: &[usize], column: usize) -> Self {
        let cells: Vec<&str> = rows
            .iter()
            .map(|row| records.field(*row, column).inner.trim())
            .filter(|cell| !cell.is_empty())
            .collect();
        let shapes: Vec<Shape> = cells.iter().map(|cell| shape(cell)).collect();
        let alike = |wanted: Shape| shapes.iter().filter(|s| **s == wanted).count() * 20 >= shapes.len() * 19;
        Self {
            shape: [Shape::Number, Shape::Date]
                .into_iter()
                .find(|s| alike(*s))
                .unwrap_or(Shape::Text),
            always_filled: cells.len() == rows.len(),
            always_empty: cells.is_empty(),
        }
    }

    pub(super) fn contradicts(&self, cell: &str) -> usize {
        let cell = cell.trim();
        let contradicted = if cell.is_empty() {
            self.always_filled
        } else {
            self.always_empty || (self.shape != Shape::Text && shape(cell) != self.shape)
        };
        usize::from(contradicted)
    }
}

/// The shift that makes a row fit its columns better than it does as it is; `None` where there is none.
fn best_shift(records: &Records<'_>, row: usize, profiles: &[Profile]) -> Option<Shift> {
    let width = records.width(row);
    let contradictions = |shift: Option<Shift>| {
        profiles
            .iter()
            .enumerate()
            .map(|(column, profile)| {
                let source = shift.map_or(Some(column), |shift| shift.source(column));
                profile.contradicts(source.map_or("", |source| records.field(row, source).inner))
            })
            .sum::<usize>()
    };
    let mut candidates: Vec<Shift> = if width > profiles.len() {
        let empty = |at: &usize| records.field(row, *at).inner.trim().is_empty();
        (0..width - 1).filter(empty).map(Shift::Skip).collect()
    } else {
        (0..width).map(Shift::Gap).collect()
    };
    // Where two values ran together, they stay in the first of their columns: later gaps are preferred.
    candidates.reverse();
    let extra = usize::from(width > profiles.len() && !records.field(row, width - 1).inner.trim().is_empty());
    let best = candidates
        .into_iter()
        .min_by_key(|shift| contradictions(Some(*shift)))?;
    (contradictions(Some(best)) < contradictions(None) + extra).then_some(best)
}

/// How the fields of a row are displaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shift {
    /// The field at this position belongs to no column.
    Skip(usize),
    /// The column at this position has no field.
    Gap(usize),
}

impl Shift {
    /// The position of the field that belongs to a column.
    #[must_use]
    pub fn source(self, column: usize) -> Option<usize> {
        match self {
            Self::Skip(at) => Some(column + usize::from(column >= at)),
            Self::Gap(at) if column == at => None,
            Self::Gap(at) => Some(column - usize::from(column > at)),
        }
    }
}

/// The displaced rows, ascending.
#[derive(Debug, Default)]
pub struct Shifts(Vec<(u32, Shift)>);

impl Shifts {
    /// Whether all rows are in line.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How a row is displaced.
    #[must_use]
    pub fn get(&self, row: u32) -> Option<Shift> {
        let at = self.0.binary_search_by_key(&row, |(row, _)| *row).ok()?;
        Some(self.0[at].1)
    }
}
