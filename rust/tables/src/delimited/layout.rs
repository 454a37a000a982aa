//! Finds the table in the records: what stands before it, its header, its rows, and what stands below.

use rustc_hash::FxHashMap;

use crate::cells;
use crate::delimited::records::{MAX_COLUMNS, Records};
use crate::names::unique_columns;
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
    /// What was left out or added.
    pub notes: Vec<Note>,
}

struct Finder<'r, 't> {
    records: &'r Records<'t>,
    /// Fields of an ordinary record.
    width: usize,
    /// Fields of an ordinary record that hold something.
    filled: usize,
    notes: Vec<Note>,
}

/// Lays out the records; `divided` is false for a text without a delimiter.
pub fn lay_out(records: &Records<'_>, divided: bool) -> Result<Layout, TableError> {
    if records.len() == 0 {
        return Err(TableError::new("holds only blank lines").with_hint("delete the file, or export it again"));
    }
    let width = if divided { usual_width(records) } else { 1 };
    let mut finder = Finder {
        records,
        width,
        filled: 0,
        notes: Vec::new(),
    };
    finder.filled = finder.usual_filling();
    finder.find()
}

/// The most frequent width above one; the larger where two are as frequent.
fn usual_width(records: &Records<'_>) -> usize {
    let mut counts: FxHashMap<usize, usize> = FxHashMap::default();
    for row in 0..records.len() {
        *counts.entry(records.width(row)).or_default() += 1;
    }
    counts
        .into_iter()
        .filter(|(width, _)| *width > 1)
        .max_by_key(|(width, count)| (*count, *width))
        .map_or(1, |(width, _)| width)
}

impl Finder<'_, '_> {
    fn filled(&self, row: usize) -> usize {
        self.records.fields(row).filter(|f| !f.inner.trim().is_empty()).count()
    }

    fn usual_filling(&self) -> usize {
        let step = self.records.len().div_ceil(TYPICAL_ROWS);
        let mut counts: Vec<usize> = (0..self.records.len())
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
        self.records.line(row).starts_with('#')
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
        let names = self.columns(header, &rows, has_header)?;
        Ok(Layout {
            skipped: first,
            has_header,
            names,
            rows,
            notes: self.notes,
        })
    }

    /// The header, or the first row of a table without one.
    fn first_row(&mut self) -> usize {
        let first = self.search_first_row();
        if first > 0 {
            let message = format!("{first} lines above the table were left out");
            let mut note = Note::new("preamble", message, first as u64);
            for row in 0..first.min(Note::MAX_SAMPLES) {
                note = note.with_sample(self.records.line(row));
            }
            self.notes.push(note);
        }
        first
    }

    fn search_first_row(&self) -> usize {
        let limit = self.records.len().min(PREAMBLE_ROWS);
        let comments = (0..limit).take_while(|row| self.is_comment(*row)).count();
        if comments > 0 && comments < self.records.len() {
            let last = comments - 1;
            let names_columns = self.records.width(last) == self.width
                && (self.width > 1 || comments == 1)
                && self.records.fields(comments).any(|f| is_typed(f.inner));
            return if names_columns { last } else { comments };
        }
        let declares = super::dialect::declared_delimiter(self.records.line(0)).is_some();
        let start = usize::from(declares && self.records.len() > 1);
        if self.width == 1 {
            return start;
        }
        // A header may lack the name of one column, or have an empty one; a title has one field, perhaps among empty ones.
        let enough = self.width.min(self.filled).div_ceil(2).max(2);
        (start..limit)
            .find(|row| self.records.width(*row) + 1 >= self.width.max(3) && self.filled(*row) >= enough)
            .or_else(|| (start..limit).find(|row| self.records.width(*row) == self.width && self.filled(*row) > 0))
            .unwrap_or(start)
    }

    /// A header is the rule; it is missing only where the first row has a value in a column of such values and no name above
    /// a column of values.
    fn has_header(&self, first: usize) -> bool {
        let sample: Vec<usize> = (first + 1..self.records.len())
            .filter(|row| self.records.width(*row) > 1 || self.width == 1)
            .take(200)
            .collect();
        if sample.len() < 2 && self.width == 1 {
            return true;
        }
        let cells: Vec<&str> = self.records.fields(first).map(|f| f.inner.trim()).collect();
        if sample.is_empty() {
            // One line: names are words.
            let values = cells.iter().filter(|cell| is_typed(cell)).count();
            return values * 2 <= cells.len();
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
        if self.width < 3 || body >= self.records.len() {
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
                && (body..self.records.len())
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
        let header = has_header.then(|| records.line(first));
        let (mut comments, mut repeated) = (Vec::new(), Vec::new());
        let mut rows: Vec<u32> = Vec::with_capacity(records.len() - body);
        for row in body..records.len() {
            let line = records.line(row);
            if self.width > 1 && line.starts_with('#') && records.width(row) == 1 {
                comments.push(row);
            } else if header.is_some_and(|header| header == line) && self.width > 1 {
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
        let cut = start + gap - without_gap;
        let dropped: Vec<usize> = rows.split_off(cut).into_iter().map(|row| row as usize).collect();
        let (empty, footer): (Vec<usize>, Vec<usize>) = dropped.into_iter().partition(|row| self.filled(*row) == 0);
        self.note_lines("empty-rows", "rows of empty fields at the end were left out", &empty);
        self.note_lines("footer", "lines below the table were left out", &footer);
    }

    /// Fits the names to the rows: fields without a name get one, names without a field stay.
    fn columns(&mut self, mut header: Vec<String>, rows: &[u32], has_header: bool) -> Result<Vec<String>, TableError> {
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
        let (mut short, mut long) = (Vec::new(), Vec::new());
        let mut extent = named;
        for &row in rows {
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
        let names = unique_columns(&header);
        let renamed: Vec<String> = header
            .iter()
            .zip(&names)
            .filter(|(old, new)| has_header && old.trim() != new.as_str())
            .map(|(old, new)| format!("`{}` → `{new}`", old.trim()))
            .collect();
        if !renamed.is_empty() {
            let message = format!("{} columns with an empty or repeated name were renamed", renamed.len());
            let mut note = Note::new("renamed-columns", message, renamed.len() as u64);
            for change in renamed.iter().take(Note::MAX_SAMPLES) {
                note = note.with_sample(change);
            }
            self.notes.push(note);
        }
        Ok(names)
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
        let layout = lay_out(&records, sniffed.divided).unwrap();
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
