//! Where in a sheet the table stands: what comes before the header, how the header is written, which columns are empty.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use calamine::Dimensions;

use super::blocks::{cut_remarks, cut_repeated};
use super::grid::{Filled, Grid};
use crate::dynamic::{self, Cell};
use crate::remarks::is_total;
use crate::table::{Note, SourceTable};

/// One row's cells, in order.
type Row<'g> = &'g [Filled];

/// Headers of more rows are rarer than data merged by mistake.
const MAX_HEADER_ROWS: usize = 5;
/// A header this far down has never been seen; looking further costs time on sheets of a million rows.
const MAX_PREAMBLE: usize = 100;

/// Makes a table of a part of a sheet that holds at least one cell.
pub(super) fn table(name: &str, mut grid: Grid, mut notes: Vec<Note>) -> SourceTable {
    notes.extend(grid.notes());
    let merged = std::mem::take(&mut grid.merged);
    let footer = cut_remarks(&mut grid);
    let rows = rows_of(&grid);
    let start = header_row(&rows, &merged);
    let (labels, header_rows) = if is_data(&rows[start..]) {
        notes.push(Note::new("no-header", "the first row is data: columns are numbered", 0));
        (Vec::new(), 0)
    } else {
        labels(&rows[start..], &merged)
    };
    if start > 0 {
        let note = Note::new("preamble", "rows above the header were left out", start as u64);
        notes.push(
            rows[..start]
                .iter()
                .fold(note, |note, row| note.with_sample(&spelled(row))),
        );
    }
    if header_rows > 1 {
        let message = "the header has several rows: names above each other are joined by `_`";
        let note = Note::new("multi-row-header", message, header_rows as u64);
        notes.push(labels.iter().fold(note, |note, (_, label)| note.with_sample(label)));
    }
    let first_body = rows.get(start + header_rows).map_or(u32::MAX, |row| row[0].row);
    let header = (header_rows == 1).then(|| rows[start][0].row);
    drop(rows);
    let repeated = header.map_or(0, |header| cut_repeated(&mut grid, header));
    if repeated > 0 {
        notes.push(Note::new(
            "repeated-header",
            "repetitions of the header were left out",
            repeated,
        ));
    }
    notes.extend(footer);

    let filled_down = fill_down(&mut grid, &merged, first_body);
    if filled_down > 0 {
        let message = "cells merged over several rows hold their value in each";
        notes.push(Note::new("merged-cells", message, filled_down));
    }
    let rows = rows_of(&grid);
    let body = &rows[rows.partition_point(|row| row[0].row < first_body)..];
    if let [.., last] = body
        && body.len() > 2
        && last.len() > 1
        && is_total(&dynamic::spelling(&last[0].cell))
    {
        let message = "the last row looks like the total of the others; it was kept";
        notes.push(Note::new("total-row", message, 1).with_sample(&spelled(last)));
    }
    let used: BTreeSet<u32> = body
        .iter()
        .flat_map(|row| row.iter().map(|filled| filled.column))
        .chain(labels.iter().map(|(column, _)| *column))
        .collect();
    let span = used
        .last()
        .zip(used.first())
        .map_or(0, |(last, first)| last - first + 1) as usize;
    if span > used.len() {
        let message = "columns without any cell were left out";
        notes.push(Note::new("empty-columns", message, (span - used.len()) as u64));
    }
    let blank = body
        .windows(2)
        .map(|pair| u64::from(pair[1][0].row - pair[0][0].row - 1))
        .sum();
    if blank > 0 {
        notes.push(Note::new("blank-rows", "rows without any cell were left out", blank));
    }

    let label = |column: u32| {
        let found = labels.binary_search_by_key(&column, |(place, _)| *place);
        found.map_or(Cow::Borrowed(""), |at| Cow::Borrowed(labels[at].1.as_str()))
    };
    let headers: Vec<_> = used.iter().map(|column| label(*column)).collect();
    let columns = columns(&used, body);
    dynamic::assemble(name, &headers, &columns, body.len(), notes)
}

pub(super) fn rows_of(grid: &Grid) -> Vec<Row<'_>> {
    grid.cells.chunk_by(|a, b| a.row == b.row).collect()
}

/// Copies the value of cells merged over several rows of the body into each of them; returns how many were filled.
fn fill_down(grid: &mut Grid, merged: &[Dimensions], first_body: u32) -> u64 {
    let last_row = grid.cells.last().map_or(0, |filled| filled.row);
    let mut copies = Vec::new();
    for area in merged {
        let (top, bottom) = (area.start.0, area.end.0.min(last_row));
        if top < first_body || top >= bottom || area.start.1 != area.end.1 {
            continue;
        }
        let at = grid
            .cells
            .binary_search_by_key(&area.start, |filled| (filled.row, filled.column));
        let Ok(at) = at else { continue };
        for row in top + 1..=bottom {
            copies.push(Filled {
                row,
                column: area.start.1,
                cell: grid.cells[at].cell.clone(),
            });
        }
    }
    let filled = copies.len() as u64;
    if filled > 0 {
        grid.cells.extend(copies);
        grid.sort();
        // A file may hold a value below a merged cell that no program shows.
        grid.cells
            .dedup_by(|later, earlier| (later.row, later.column) == (earlier.row, earlier.column));
    }
    filled
}

/// How many columns a row fills; a title merged over all of them fills one.
fn width(row: Row<'_>, merged: &[Dimensions]) -> usize {
    let present = row.iter().filter(|filled| filled.cell != Cell::Null).count();
    if present < 2 {
        return present;
    }
    let spanned = row.iter().filter_map(|filled| {
        let area = merged.iter().find(|area| area.start == (filled.row, filled.column))?;
        Some((area.end.1 - area.start.1) as usize)
    });
    present + spanned.sum::<usize>()
}

/// The first row that fills as many columns as at least half of the rows do.
fn header_row(rows: &[Row<'_>], merged: &[Dimensions]) -> usize {
    let mut widths: Vec<usize> = rows.iter().map(|row| row.len()).collect();
    let middle = (widths.len() - 1) / 2;
    let typical = *widths.select_nth_unstable(middle).1;
    let is_header = |row: &Row<'_>| {
        let filled = width(row, merged);
        filled >= typical && filled > 0
    };
    rows.iter().take(MAX_PREAMBLE).position(is_header).unwrap_or(0)
}

/// Whether the first row is one of the data: numbers or dates stand where the rows below have them too.
fn is_data(rows: &[Row<'_>]) -> bool {
    let [first, second, third, ..] = rows else { return false };
    let kinds =
        |row: Row<'_>| -> Vec<(u32, u8)> { row.iter().map(|filled| (filled.column, kind(&filled.cell))).collect() };
    let typed = first.iter().any(|filled| kind(&filled.cell) != TEXT);
    let alike = kinds(first) == kinds(second) && kinds(first) == kinds(third);
    typed && alike && !counts_up(first)
}

const TEXT: u8 = 0;

fn kind(cell: &Cell<'_>) -> u8 {
    match cell {
        Cell::Text(_) | Cell::Null => TEXT,
        Cell::Number(_) => 1,
        Cell::Date(_) | Cell::Timestamp(_) => 2,
        _ => 3,
    }
}

/// Whether a row's numbers are 2019, 2020, 2021, as headers of years and months are.
fn counts_up(row: Row<'_>) -> bool {
    let numbers: Vec<i64> = row
        .iter()
        .filter_map(|filled| match &filled.cell {
            Cell::Number(number) => number.parse().ok(),
            _ => None,
        })
        .collect();
    numbers.len() >= 2 && numbers.windows(2).all(|pair| pair[1].checked_sub(pair[0]) == Some(1))
}

/// How many of the rows are the header: as many as its cells are merged down over, and one more below cells merged
/// across, where it holds nothing but names and the data below it does not.
fn header_height(rows: &[Row<'_>], merged: &[Dimensions]) -> usize {
    let areas = |row: u32| merged.iter().filter(move |area| area.start.0 == row);
    let texts = |row: &Row<'_>| row.iter().all(|filled| matches!(filled.cell, Cell::Text(_)));
    let mut height = 1;
    loop {
        let last = rows[height - 1][0].row;
        let bottom = rows[..height]
            .iter()
            .flat_map(|row| areas(row[0].row))
            .map(|area| area.end.0)
            .max();
        let reached = rows
            .partition_point(|row| row[0].row <= bottom.unwrap_or(last))
            .min(MAX_HEADER_ROWS);
        if reached > height {
            height = reached;
            continue;
        }
        let divided = areas(last).any(|area| area.end.1 > area.start.1);
        let below = rows.iter().skip(height + 1).take(MAX_HEADER_ROWS);
        let names = rows.get(height).is_some_and(texts) && below.into_iter().any(|row| !texts(row));
        if height == MAX_HEADER_ROWS || !divided || !names {
            return height;
        }
        height += 1;
    }
}

/// Names in order of columns, and how many rows they take.
fn labels(rows: &[Row<'_>], merged: &[Dimensions]) -> (Vec<(u32, String)>, usize) {
    let header_rows = header_height(rows, merged);
    let header = &rows[..header_rows];
    let mut names: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for row in header {
        for filled in *row {
            // A merged cell names every column that it covers.
            let area = merged.iter().find(|area| area.start == (filled.row, filled.column));
            let last = area.map_or(filled.column, |area| area.end.1);
            let name = dynamic::spelling(&filled.cell);
            for column in filled.column..=last {
                let parts = names.entry(column).or_default();
                if parts.last() != Some(&name) && !name.is_empty() {
                    parts.push(name.clone());
                }
            }
        }
    }
    let names = names.into_iter().map(|(column, parts)| (column, parts.join("_")));
    (names.collect(), header_rows)
}

fn columns(used: &BTreeSet<u32>, body: &[Row<'_>]) -> Vec<Vec<Cell<'static>>> {
    let places: Vec<u32> = used.iter().copied().collect();
    let mut columns: Vec<Vec<Cell<'static>>> = places.iter().map(|_| Vec::with_capacity(body.len())).collect();
    for row in body {
        let mut cells = row.iter().peekable();
        for (place, column) in places.iter().zip(&mut columns) {
            column.push(match cells.next_if(|filled| filled.column == *place) {
                Some(filled) => filled.cell.clone(),
                None => Cell::Null,
            });
        }
    }
    columns
}

fn spelled(row: Row<'_>) -> String {
    let cells: Vec<String> = row.iter().map(|filled| dynamic::spelling(&filled.cell)).collect();
    cells.join(" | ")
}
