//! Finds the table in the records: what stands before it, its header, its rows, and what stands below.

use std::ops::Range;

use rustc_hash::FxHashSet;

use crate::cells;
use crate::delimited::records::{MAX_COLUMNS, Records};
use crate::names::{fold, unique_columns};
use crate::table::{Note, TableError};

/// Headers are looked for so far down; longer preambles are documents.
const PREAMBLE_ROWS: usize = 100;
/// Footers are looked for so far up.
const FOOTER_ROWS: usize = 50;
/// Rows that stand for the whole file where only the layout is in question.
const TYPICAL_ROWS: usize = 1_000;
/// A name that long is no name, and a file with one is no table.
const MAX_NAME_BYTES: usize = 1 << 16;

/// The table among the records.
#[derive(Debug)]
pub struct Layout {
    /// Records above the header.
    pub skipped: usize,
    /// Whether the first kept record names the columns.
    pub has_header: bool,
    /// Column names as the catalog shows them.
    pub names: Vec<String>,
    /// The records that are rows of the table, ascending.
    pub rows: Vec<u32>,
    /// Rows with a delimiter too many or too few, ascending, and how their fields are brought back in line.
    pub shifts: Shifts,
    /// What was left out or added.
    pub notes: Vec<Note>,
}

/// Another header was found further down: that many tables are read from one file at most.
const MAX_TABLES: usize = 64;

struct Finder<'r, 't> {
    records: &'r Records<'t>,
    /// The records that are looked at.
    start: usize,
    end: usize,
    /// Fields of an ordinary record.
    width: usize,
    /// Fields of an ordinary record that hold something.
    filled: usize,
    notes: Vec<Note>,
}

/// Lays out the records as one table or, where a similar header stands further down, as several; `divided` is false for a
/// text without a delimiter.
pub fn lay_out(records: &Records<'_>, divided: bool) -> Result<Vec<Layout>, TableError> {
    if records.len() == 0 {
        return Err(TableError::new("holds only blank lines").with_hint("delete the file, or export it again"));
    }
    let mut layouts: Vec<Layout> = Vec::new();
    let mut start = 0;
    while start < records.len() {
        let mut finder = Finder {
            records,
            start,
            end: records.len(),
            width: 1,
            filled: 0,
            notes: Vec::new(),
        };
        if divided {
            finder.width = usual_width(records, start..records.len());
        }
        finder.filled = finder.usual_filling();
        if layouts.len() + 1 < MAX_TABLES
            && let Some(next) = finder.next_header()
        {
            finder.end = next;
            finder.width = usual_width(records, start..next);
            finder.filled = finder.usual_filling();
        }
        start = finder.end;
        layouts.push(finder.find()?);
    }
    let count = layouts.len();
    if count > 1 {
        let message = format!("the file holds {count} tables, one below the other");
        layouts[0]
            .notes
            .push(Note::new("several-tables", message, count as u64));
    }
    Ok(layouts)
}

/// The most frequent width above one; the larger where two are as frequent.
fn usual_width(records: &Records<'_>, rows: Range<usize>) -> usize {
    let mut counts: Vec<usize> = Vec::new();
    for row in rows {
        let width = records.width(row);
        if counts.len() <= width {
            counts.resize(width + 1, 0);
        }
        counts[width] += 1;
    }
    let frequent = counts.iter().enumerate().skip(2).filter(|(_, count)| **count > 0);
    frequent
        .max_by_key(|(width, count)| (**count, *width))
        .map_or(1, |(width, _)| width)
}

impl Finder<'_, '_> {
    fn filled(&self, row: usize) -> usize {
        self.records.fields(row).filter(|f| !f.inner.trim().is_empty()).count()
    }

    fn usual_filling(&self) -> usize {
        let step = (self.end - self.start).div_ceil(TYPICAL_ROWS);
        let mut counts: Vec<usize> = (self.start..self.end)
            .step_by(step)
            .filter(|row| self.records.width(*row) > 1 || self.width == 1)
            .map(|row| self.filled(row))
            .collect();
        if counts.is_empty() {
            return 1;
        }
        let middle = counts.len() / 2;
        *counts.select_nth_unstable(middle).1
    }

    fn is_comment(&self, row: usize) -> bool {
        self.records.begins_with(row, '#')
    }

    fn find(mut self) -> Result<Layout, TableError> {
        let first = self.first_row();
        let has_header = self.has_header(first);
        let mut body = first + usize::from(has_header);
        let mut header: Vec<String> = if has_header {
            self.records.fields(first).map(|f| f.text().into_owned()).collect()
        } else {
            let message = "the first row holds values, not names; columns are called `column_<i>`";
            self.notes
                .push(Note::new("no-header", message, 0).with_sample(self.records.line(first)));
            Vec::new()
        };
        if header.iter().any(|name| name.len() > MAX_NAME_BYTES) {
            return Err(
                TableError::new(format!("has a column name of more than {MAX_NAME_BYTES} bytes"))
                    .with_hint("check that the file is delimited text with line breaks"),
            );
        }
        if has_header && self.joins_header(first) {
            self.join_header(&mut header, body);
            body += 1;
        }
        let rows = self.rows(first, body, has_header);
        let shifts = self.realign(header.len(), &rows);
        let names = self.columns(header, &rows, has_header, &shifts)?;
        Ok(Layout {
            skipped: first - self.start,
            has_header,
            names,
            rows,
            shifts,
            notes: self.notes,
        })
    }

    /// The header, or the first row of a table without one.
    fn first_row(&mut self) -> usize {
        let first = self.search_first_row();
        let preamble: Vec<usize> = (self.start..first).collect();
        self.note_lines("preamble", "lines above the table were left out", &preamble);
        first
    }

    fn search_first_row(&self) -> usize {
        let limit = self.end.min(self.start + PREAMBLE_ROWS);
        let comments = self.start + (self.start..limit).take_while(|row| self.is_comment(*row)).count();
        if comments > self.start && comments < self.end {
            let last = comments - 1;
            let names_columns = self.records.width(last) == self.width
                && (self.width > 1 || comments == self.start + 1)
                && self.records.fields(comments).any(|f| is_typed(f.inner));
            return if names_columns { last } else { comments };
        }
        let declares = super::dialect::declared_delimiter(self.records.line(self.start)).is_some();
        let start = self.start + usize::from(declares && self.end - self.start > 1);
        if self.width == 1 {
            return start;
        }
        // A header may lack the name of one column, or have an empty one; a title has one field, perhaps among empty ones.
        let enough = self.width.min(self.filled).div_ceil(2).max(2);
        let found = (start..limit)
            .find(|row| self.records.width(*row) + 1 >= self.width.max(3) && self.filled(*row) >= enough)
            .or_else(|| (start..limit).find(|row| self.records.width(*row) == self.width && self.filled(*row) > 0))
            .unwrap_or(start);
        // A title with a delimiter in it, above a line of words that names every column.
        let names_all = |row: usize| {
            row + 1 < self.end
                && self.records.width(row) == self.width
                && self
                    .records
                    .fields(row)
                    .all(|f| !f.inner.trim().is_empty() && !is_typed(f.inner))
                && self.records.fields(row + 1).any(|f| is_typed(f.inner.trim()))
        };
        if self.records.width(found) < self.width && names_all(found + 1) {
            found + 1
        } else {
            found
        }
    }

    /// A later record that repeats half of the header's names, but not the header: another table begins there.
    fn next_header(&self) -> Option<usize> {
        if self.width < 3 {
            return None;
        }
        let first = self.search_first_row();
        let names: FxHashSet<&str> = self
            .records
            .fields(first)
            .map(|f| f.inner.trim())
            .filter(|name| !name.is_empty() && !is_typed(name))
            .collect();
        let opening = self.records.field(first, 0);
        if opening.inner.trim().is_empty() || names.len() < 3 {
            return None;
        }
        (first + 2..self.end).find(|row| {
            self.records.may_begin_with(*row, opening.inner) && self.records.field(*row, 0).inner == opening.inner && {
                let common = self
                    .records
                    .fields(*row)
                    .filter(|f| names.contains(f.inner.trim()))
                    .count();
                common * 2 >= names.len() && common >= 3 && !self.repeats(first, *row)
            }
        })
    }

    /// Whether a header consists of different words: a row that equals it is no coincidence.
    fn are_names(&self, first: usize) -> bool {
        let names: Vec<String> = self.records.fields(first).map(|f| fold(f.inner.trim())).collect();
        let different: FxHashSet<&String> = names.iter().collect();
        different.len() == names.len() && names.iter().all(|name| !is_typed(name))
    }

    /// Whether two records have the same fields, however they are quoted.
    fn repeats(&self, first: usize, row: usize) -> bool {
        let records = self.records;
        let opening = records.field(first, 0).inner;
        records.may_begin_with(row, opening)
            && records.width(first) == records.width(row)
            && records
                .fields(first)
                .zip(records.fields(row))
                .all(|(a, b)| a.inner == b.inner)
    }

    /// A header is the rule; it is missing only where the first row has a value in a column of such values and no name above
    /// a column of values.
    fn has_header(&self, first: usize) -> bool {
        let sample: Vec<usize> = (first + 1..self.end)
            .filter(|row| self.records.width(*row) > 1 || self.width == 1)
            .take(200)
            .collect();
        let cells: Vec<&str> = self.records.fields(first).map(|f| f.inner.trim()).collect();
        if sample.is_empty() {
            // One line: names are words, or years.
            return cells.iter().all(|cell| !is_typed(cell) || is_year(cell));
        }
        let (mut values, mut names) = (0, 0);
        for (column, cell) in cells.iter().enumerate() {
            let below = || {
                sample
                    .iter()
                    .map(|row| self.records.field(*row, column).inner.trim())
                    .filter(|below| !below.is_empty() && !cells::is_null_token(below.as_bytes()))
            };
            let typed = below().filter(|below| is_typed(below)).count();
            let all = below().count();
            if all == 0 || cell.is_empty() {
                continue;
            }
            let column_of_values = typed * 10 >= all * 9;
            let value = is_typed(cell) || cells::is_null_token(cell.as_bytes());
            match (column_of_values, value) {
                (true, true) if is_year(cell) && !below().all(is_year) => {}
                (true, true) if shape(cell) == below().next().map_or(Shape::Text, shape) => values += 1,
                (true, false) => names += 1,
                _ => {}
            }
        }
        names > 0 || values == 0 || counts_up(&cells)
    }

    /// A second line of names under merged cells: it fills the gaps of the first and the body has values there.
    fn joins_header(&self, first: usize) -> bool {
        let (second, body) = (first + 1, first + 2);
        if self.width < 3 || body >= self.end {
            return false;
        }
        let empty = |row: usize, column: usize| self.records.field(row, column).inner.trim().is_empty();
        let gaps = (0..self.width).filter(|column| empty(first, *column)).count();
        if gaps == 0 || self.records.width(second) < self.width {
            return false;
        }
        let words = self.records.fields(second).all(|f| !is_typed(f.inner.trim()));
        let complete = (0..self.width).all(|column| !empty(first, column) || !empty(second, column));
        let sparse = (0..self.width).any(|column| empty(second, column));
        let values_below = (0..self.width).any(|column| {
            !empty(second, column)
                && (body..self.end)
                    .take(50)
                    .any(|row| is_typed(self.records.field(row, column).inner.trim()))
        });
        words && complete && sparse && values_below
    }

    fn join_header(&mut self, header: &mut Vec<String>, second: usize) {
        let mut group = String::new();
        header.resize(header.len().max(self.records.width(second)), String::new());
        for (column, name) in header.iter_mut().enumerate() {
            let field = self.records.field(second, column).text();
            let sub = field.trim();
            if !name.trim().is_empty() {
                name.trim().clone_into(&mut group);
            }
            if !sub.is_empty() {
                *name = format!("{group} {sub}");
            }
        }
        let message = "the header has two lines; their names were joined";
        self.notes
            .push(Note::new("multi-row-header", message, 2).with_sample(self.records.line(second)));
    }

    /// The rows of the table, and notes of what is none.
    fn rows(&mut self, first: usize, body: usize, has_header: bool) -> Vec<u32> {
        let records = self.records;
        let (mut comments, mut repeated) = (Vec::new(), Vec::new());
        let may_repeat = has_header && self.width > 1 && self.are_names(first);
        let mut rows: Vec<u32> = Vec::with_capacity(self.end - body);
        for row in body..self.end {
            if self.width > 1 && records.width(row) == 1 && self.is_comment(row) {
                comments.push(row);
            } else if may_repeat && self.repeats(first, row) {
                repeated.push(row);
            } else {
                rows.push(index(row));
            }
        }
        self.note_lines("comment-lines", "comment lines were left out", &comments);
        self.note_lines("repeated-header", "repetitions of the header were left out", &repeated);
        if self.width > 1 {
            self.cut_footer(&mut rows);
        }
        rows
    }

    fn note_lines(&mut self, code: &'static str, what: &str, rows: &[usize]) {
        if rows.is_empty() {
            return;
        }
        let mut note = Note::new(code, format!("{} {what}", rows.len()), rows.len() as u64);
        for &row in rows.iter().take(Note::MAX_SAMPLES) {
            note = note.with_sample(self.records.line(row));
        }
        self.notes.push(note);
    }

    fn cut_footer(&mut self, rows: &mut Vec<u32>) {
        let records = self.records;
        let tail = rows
            .iter()
            .rev()
            .take(FOOTER_ROWS)
            .take_while(|row| self.filled(**row as usize) <= 1)
            .count();
        let start = rows.len() - tail;
        let set_apart = |row: u32| self.filled(row as usize) == 0 || records.after_blank.binary_search(&row).is_ok();
        // Below a gap, lines with one field are notes; without a gap, those that were written without delimiters.
        let gap = rows[start..].iter().position(|row| set_apart(*row)).unwrap_or(tail);
        let above = start
            .checked_sub(1)
            .map(|at| records.field(rows[at] as usize, 0).inner.trim());
        let loose = |row: u32| {
            let field = records.field(row as usize, 0).inner.trim();
            let like_above = above.is_some_and(|above| is_typed(above) && shape(above) == shape(field));
            self.width >= 3 && records.width(row as usize) == 1 && !like_above
        };
        let without_gap = rows[start..start + gap]
            .iter()
            .rev()
            .take_while(|row| loose(**row))
            .count();
        // A line with all its delimiters is a row if its one field stands where only a row has it, or looks like the one
        // above: a record of which little is known is no remark, and a remark has more than one word.
        let is_key = |text: &str| {
            above.is_some_and(|above| shape(above) == shape(text))
                && (is_typed(text) || !text.contains([' ', ':', '：']))
        };
        let row_like = |row: u32| {
            let cell = (0..records.width(row as usize))
                .map(|column| (column, records.field(row as usize, column).inner.trim()))
                .find(|(_, text)| !text.is_empty());
            records.width(row as usize) >= self.width && cell.is_some_and(|(column, text)| column > 0 || is_key(text))
        };
        let last_row = rows[start..]
            .iter()
            .rposition(|row| row_like(*row))
            .map_or(0, |at| at + 1);
        let cut = (start + gap - without_gap).max(start + last_row);
        let dropped: Vec<usize> = rows.split_off(cut).into_iter().map(|row| row as usize).collect();
        let (empty, footer): (Vec<usize>, Vec<usize>) = dropped.into_iter().partition(|row| self.filled(*row) == 0);
        self.note_lines("empty-rows", "rows of empty fields at the end were left out", &empty);
        self.note_lines("footer", "lines below the table were left out", &footer);
    }

    /// Fits the names to the rows: fields without a name get one, names without a field stay.
    fn columns(
        &mut self,
        mut header: Vec<String>,
        rows: &[u32],
        has_header: bool,
        shifts: &Shifts,
    ) -> Result<Vec<String>, TableError> {
        let records = self.records;
        if !has_header {
            header = vec![String::new(); self.width];
        }
        if has_header && self.lacks_row_names(&header, rows) {
            header.insert(0, String::new());
            let message =
                "the header has one name less than the rows have fields; the first column was left without a name";
            self.notes
                .push(Note::new("short-header", message, 0).with_sample(&header[1..].join(" ")));
        }
        let named = header.len();
        let (mut short, mut long, mut spare) = (Vec::new(), Vec::new(), Vec::new());
        let mut extent = named;
        for &row in rows {
            if shifts.get(row).is_some() {
                continue;
            }
            let row = row as usize;
            let width = records.width(row);
            if width < named.min(self.width) {
                short.push(row);
            } else if width > named {
                let filled = (named..width)
                    .rev()
                    .find(|column| !records.field(row, *column).inner.is_empty());
                if let Some(last) = filled {
                    extent = extent.max(last + 1);
                    long.push(row);
                } else if width > self.width.max(named) {
                    spare.push(row);
                }
            }
        }
        if extent > MAX_COLUMNS {
            return Err(too_wide());
        }
        let what = format!("rows have fewer than {named} fields; the missing ones are NULL");
        self.note_lines("short-rows", &what, &short);
        let what = format!("rows have more than {named} fields; the others stand in columns of their own");
        self.note_lines("long-rows", &what, &long);
        self.note_lines(
            "spare-delimiters",
            "rows end in empty fields without a column, which were left out",
            &spare,
        );
        header.resize(extent, String::new());
        let unused = (0..header.len())
            .rev()
            .take_while(|column| {
                header[*column].trim().is_empty()
                    && rows
                        .iter()
                        .all(|row| records.field(*row as usize, *column).inner.is_empty())
            })
            .count();
        if has_header && unused > 0 && unused < header.len() {
            header.truncate(header.len() - unused);
            let message = format!("{unused} columns at the right without name and values were left out");
            self.notes.push(Note::new("empty-columns", message, unused as u64));
        }
        let columns = unique_columns(&header);
        let changes: Vec<String> = header
            .iter()
            .zip(&columns)
            .filter(|(old, new)| has_header && old.trim() != new.as_str())
            .map(|(old, new)| format!("`{}` → `{new}`", old.trim()))
            .collect();
        if !changes.is_empty() {
            let message = format!("{} columns with an empty or repeated name were renamed", changes.len());
            let mut note = Note::new("renamed-columns", message, changes.len() as u64);
            for change in changes.iter().take(Note::MAX_SAMPLES) {
                note = note.with_sample(change);
            }
            self.notes.push(note);
        }
        Ok(columns)
    }

    /// Statistics programs write row names without a header: every row has one field more, and the first are all different.
    fn lacks_row_names(&self, header: &[String], rows: &[u32]) -> bool {
        let records = self.records;
        if rows.len() < 2 || self.width != header.len() + 1 || header.iter().any(|name| name.trim().is_empty()) {
            return false;
        }
        let typical = &rows[..rows.len().min(TYPICAL_ROWS)];
        let mut first: Vec<&str> = typical
            .iter()
            .map(|row| records.field(*row as usize, 0).inner)
            .collect();
        first.sort_unstable();
        first.windows(2).all(|pair| pair[0] != pair[1])
            && typical.iter().all(|row| records.width(*row as usize) == self.width)
            && typical
                .iter()
                .any(|row| !records.field(*row as usize, self.width - 1).inner.is_empty())
    }
}

/// Below this many sound rows there is nothing to compare a broken one with.
const MIN_SOUND_ROWS: usize = 5;

impl Finder<'_, '_> {
    /// Brings rows with one field too many or too few back in line, where the other rows show how.
    ///
    /// A delimiter too many leaves an empty field, one too few a gap; the place is where numbers and dates fall into their
    /// columns again and columns that are always filled, or never, are so.
    fn realign(&mut self, named: usize, rows: &[u32]) -> Shifts {
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
    fn of(records: &Records<'_>, rows: &[usize], column: usize) -> Self {
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

    fn contradicts(&self, cell: &str) -> usize {
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

/// The error for a table on its side.
pub fn too_wide() -> TableError {
    TableError::new(format!("has more than {MAX_COLUMNS} columns"))
        .with_hint("transpose the table, or check the delimiter")
}

fn index(row: usize) -> u32 {
    u32::try_from(row).unwrap_or(u32::MAX)
}

/// What a cell's writing looks like, as far as headers and footers are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Text,
    Number,
    Date,
}

fn shape(cell: &str) -> Shape {
    let bytes = cells::trim(cell.as_bytes());
    if cells::integer(bytes).is_some() || cells::decimal(bytes).is_some() {
        return Shape::Number;
    }
    if cells::date(bytes).is_some() || cells::timestamp(bytes).is_some() {
        return Shape::Date;
    }
    match cells::reading(cell) {
        Some(cells::Reading::Date | cells::Reading::Time) => Shape::Date,
        Some(_) => Shape::Number,
        None => Shape::Text,
    }
}

fn is_typed(cell: &str) -> bool {
    shape(cell) != Shape::Text
}

fn is_year(cell: &str) -> bool {
    cells::integer(cell.as_bytes()).is_some_and(|year| (1900..=2100).contains(&year))
}

/// Names that only number the columns: `0, 1, 2`.
fn counts_up(cells: &[&str]) -> bool {
    let numbers: Vec<i64> = cells
        .iter()
        .filter_map(|cell| cells::integer(cell.as_bytes()))
        .collect();
    numbers.len() >= 3
        && numbers.len() + 1 >= cells.len()
        && (0..=1).contains(&numbers[0])
        && numbers.windows(2).all(|pair| pair[1] == pair[0] + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::delimited::dialect::sniff;

    fn layout(text: &str) -> (Vec<String>, usize, Vec<&'static str>) {
        let sniffed = sniff(text);
        let records = Records::split(text, sniffed.format, false);
        let layout = lay_out(&records, sniffed.divided).unwrap().remove(0);
        let codes = layout.notes.iter().map(|note| note.code).collect();
        (layout.names, layout.rows.len(), codes)
    }

    #[test]
    fn preambles_and_footers_are_left_out() {
        let text = "Sales report\n\nprinted 2024-01-05\nid,name,qty\n1,bolt,5\n2,nut,7\n\nTotal: 12\n";
        assert_eq!(
            layout(text),
            (
                ["id", "name", "qty"].map(str::to_owned).to_vec(),
                2,
                vec!["preamble", "footer"]
            )
        );
        let text = "Title,,\n,,\nid,name,qty\n1,bolt,5\n2,nut,7\n,,\n,,\n";
        assert_eq!(layout(text).1, 2);
        assert_eq!(layout("# made by x\n#id,name\n1,a\n2,b\n").0, ["#id", "name"]);
    }

    #[test]
    fn a_missing_header_is_noticed_only_where_it_is_clear() {
        assert_eq!(
            layout("1,a,2024-01-05\n2,b,2024-01-06\n3,c,2024-01-07\n").0,
            ["column_1", "column_2", "column_3"]
        );
        assert_eq!(
            layout("region,2019,2020\nnorth,1,2\nsouth,3,4\n").0,
            ["region", "2019", "2020"]
        );
        assert_eq!(layout("city,country\nOslo,Norway\nRome,Italy\n").0, ["city", "country"]);
    }

    #[test]
    fn ragged_rows_lose_nothing() {
        let (names, rows, codes) = layout("a,b,c\n1,2,3\n4,5\n6,7,8,9\n10,11,12,\n");
        assert_eq!(names, ["a", "b", "c", "column_4"]);
        assert_eq!((rows, codes), (4, vec!["short-rows", "long-rows", "renamed-columns"]));
    }

    #[test]
    fn headers_under_merged_cells_are_joined() {
        let text = "Date,Travel,,Cost\n,Air,Rail,\n2024-01-05,1,2,3\n2024-01-06,4,5,9\n";
        assert_eq!(layout(text).0, ["Date", "Travel Air", "Travel Rail", "Cost"]);
    }
}
