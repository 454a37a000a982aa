//! Tables that stand one below the other in a sheet, set apart by blank rows, and the remarks below them.

use std::ops::Range;

use rustc_hash::FxHashSet;

use super::grid::{Filled, Grid};
use super::layout::rows_of;
use crate::dynamic::{self, Cell};
use crate::names::fold;
use crate::remarks::is_remark;
use crate::table::Note;

/// One row's cells, in order.
type Row<'g> = &'g [Filled];

/// Titles of one cell above a second table.
const MAX_TITLES: usize = 3;
/// Rows that show what a column holds.
const ROWS_LOOKED_AT: usize = 200;
/// A block of words alone is a table only where it has as many rows; fewer may be remarks in several cells.
const MIN_ROWS_OF_WORDS: usize = 3;
/// Remarks below a table.
const FOOTER_ROWS: usize = 50;

/// Rows without a blank row between them that look like a table with a header.
struct Block {
    /// The columns that the header names.
    columns: Vec<u32>,
    names: Vec<String>,
    titles: usize,
    rows: usize,
    /// Of the columns, those that hold values below their name.
    values: FxHashSet<u32>,
}

/// Divides a sheet where a blank row stands above another table: a header of different words above rows of its own width,
/// in other columns than the table above, or in the same with a name where values stood.
pub(super) fn split(grid: Grid) -> Vec<Grid> {
    let starts = starts(&grid);
    if starts.is_empty() {
        return vec![grid];
    }
    grid.divided(&starts)
}

/// The rows where other tables begin.
fn starts(grid: &Grid) -> Vec<u32> {
    let rows = rows_of(grid);
    let mut starts = Vec::new();
    let mut above: Option<Block> = None;
    let mut begin = 0;
    while begin < rows.len() {
        let apart = |at: &usize| rows[*at][0].row > rows[*at - 1][0].row + 1;
        let end = (begin + 1..rows.len()).find(apart).unwrap_or(rows.len());
        let below = block(&rows, begin..end);
        if let (Some(above), Some(below)) = (&above, &below)
            && begins_anew(above, below)
        {
            starts.push(rows[begin][0].row);
        }
        above = below.or(above);
        begin = end;
    }
    starts
}

fn begins_anew(above: &Block, below: &Block) -> bool {
    if above.columns == below.columns {
        // The same header once more, without a title, continues the table.
        let repeated = above.names == below.names && below.titles == 0;
        return !repeated && !above.values.is_empty() && above.values.is_subset(&below.values);
    }
    // Keys and values above a larger table are its preamble.
    !above.values.is_empty() || above.columns.len() > below.columns.len() || above.rows >= below.rows
}

fn block(rows: &[Row<'_>], range: Range<usize>) -> Option<Block> {
    let rows = &rows[range];
    let titles = rows.iter().take(MAX_TITLES).take_while(|row| row.len() == 1).count();
    let header = *rows.get(titles)?;
    let remarks = rows[titles..].iter().rev().take_while(|row| row.len() == 1).count();
    let body = &rows[titles + 1..(rows.len() - remarks).max(titles + 1)];
    let mut different = FxHashSet::default();
    let names: Vec<String> = header
        .iter()
        .map(|filled| fold(&dynamic::spelling(&filled.cell)))
        .collect();
    let all_words = header.iter().all(|filled| matches!(filled.cell, Cell::Text(_)));
    let alike = body.iter().filter(|row| row.len() == header.len()).count();
    if header.len() < 2
        || body.is_empty()
        || !all_words
        || !names.iter().all(|name| !name.is_empty() && different.insert(name))
        || alike * 10 < body.len() * 8
    {
        return None;
    }
    let columns: Vec<u32> = header.iter().map(|filled| filled.column).collect();
    let values = columns
        .iter()
        .copied()
        .filter(|column| holds_values(body, *column))
        .collect::<FxHashSet<u32>>();
    (!values.is_empty() || body.len() + 1 >= MIN_ROWS_OF_WORDS).then_some(Block {
        names,
        titles,
        rows: body.len() + 1,
        values,
        columns,
    })
}

/// Whether nine in ten of a column's cells are numbers, dates or truth values.
fn holds_values(body: &[Row<'_>], column: u32) -> bool {
    let cells = body.iter().take(ROWS_LOOKED_AT).filter_map(|row| {
        let at = row.binary_search_by_key(&column, |filled| filled.column).ok()?;
        Some(&row[at].cell)
    });
    let (mut all, mut typed) = (0, 0);
    for cell in cells.filter(|cell| **cell != Cell::Null) {
        all += 1;
        typed += usize::from(!matches!(cell, Cell::Text(_)));
    }
    typed > 0 && typed * 10 >= all * 9
}

/// Cuts the remarks below a table of three or more columns: texts that stand alone below a blank row, or that open with
/// a word such as `Source:`. Returns what was left out.
pub(super) fn cut_remarks(grid: &mut Grid) -> Option<Note> {
    let rows = rows_of(grid);
    let mut widths: Vec<usize> = rows.iter().map(|row| row.len()).collect();
    let middle = widths.len() / 2;
    let typical = *widths.select_nth_unstable(middle).1;
    if typical < 3 {
        return None;
    }
    let is_text = |row: &Row<'_>| row.len() == 1 && matches!(row[0].cell, Cell::Text(_));
    let alone = rows
        .iter()
        .rev()
        .take(FOOTER_ROWS)
        .take_while(|row| is_text(row))
        .count();
    let tail = rows.len() - alone;
    if tail < 3 {
        return None;
    }
    let opens = |at: usize| {
        let apart = rows[at][0].row > rows[at - 1][0].row + 1;
        apart || is_remark(&dynamic::spelling(&rows[at][0].cell), typical)
    };
    let start = (tail..rows.len()).find(|at| opens(*at))?;
    let note = Note::new(
        "footer",
        "rows below the table were left out",
        (rows.len() - start) as u64,
    );
    let note = rows[start..]
        .iter()
        .fold(note, |note, row| note.with_sample(&dynamic::spelling(&row[0].cell)));
    let first = rows[start][0].row;
    drop(rows);
    grid.cells
        .truncate(grid.cells.partition_point(|filled| filled.row < first));
    Some(note)
}

/// Takes out the rows that repeat the header, as printed sheets do on every page; returns how many they were.
pub(super) fn cut_repeated(grid: &mut Grid, header: u32) -> u64 {
    let rows = rows_of(grid);
    let Some(first) = rows.iter().find(|row| row[0].row == header) else {
        return 0;
    };
    let is_same = |row: &Row<'_>| {
        row.len() == first.len()
            && row
                .iter()
                .zip(*first)
                .all(|(a, b)| a.column == b.column && a.cell == b.cell)
    };
    let is_names = first.len() > 1 && first.iter().all(|filled| matches!(filled.cell, Cell::Text(_)));
    let repeated: FxHashSet<u32> = rows
        .iter()
        .filter(|row| is_names && row[0].row > header && is_same(row))
        .map(|row| row[0].row)
        .collect();
    drop(rows);
    grid.cells.retain(|filled| !repeated.contains(&filled.row));
    repeated.len() as u64
}
