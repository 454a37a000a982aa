//! One state of the picture, and how two are compared.

use crate::signature::{Grid, TILE};

/// A tile has changed if it differs by this much luma. Measured over eight codecs: a keyframe re-codes text up to 15
/// apart, one digit of 20 pixels' height differs by at least 43.
pub(crate) const CHANGED: u16 = 22;
/// Between two codings of one picture a tile may differ by this much luma, still less than a digit does,
pub(crate) const CODED_APART: u16 = 38;
/// in one tile of so many; a row that is highlighted covers more.
pub(crate) const FEW: usize = 200;
/// A tile moves if it differs by this much from where it last came to rest.
pub(crate) const MOVED: u16 = 12;

/// A picture that stood still.
#[derive(Clone, Debug)]
pub(crate) struct State {
    /// What `push` called it; frames are kept under this number.
    pub(crate) id: usize,
    /// When the change that brought it began, in seconds.
    pub(crate) start: f64,
    /// When that change was over.
    pub(crate) still: f64,
    /// When it had stood still for long enough to be opened.
    pub(crate) opened: f64,
    /// When the next change began.
    pub(crate) end: f64,
    /// The settled content of every tile.
    pub(crate) signature: Vec<u8>,
    /// Tiles that were lively since the state before.
    pub(crate) lively: Vec<bool>,
    /// When each tile of the change began to differ, in seconds, in the order of tiles.
    pub(crate) since: Vec<(usize, f64)>,
    /// How many tiles outside the change moved about when it happened: a pointer on its way.
    pub(crate) wander: usize,
    /// Whether it never stood still: one picture stands for a scene.
    pub(crate) moving: bool,
}

/// The blocks of one tile: index ranges into the signature, one a row.
fn tile_rows(grid: &Grid, tile: usize) -> impl Iterator<Item = std::ops::Range<usize>> {
    let (row, column) = (tile / grid.tile_columns() * TILE, tile % grid.tile_columns() * TILE);
    let (columns, last) = (grid.columns, (column + TILE).min(grid.columns));
    (row..(row + TILE).min(grid.rows)).map(move |row| row * columns + column..row * columns + last)
}

/// Copies one tile.
pub(crate) fn copy_tile(grid: &Grid, tile: usize, from: &[u8], to: &mut [u8]) {
    for range in tile_rows(grid, tile) {
        to[range.clone()].copy_from_slice(&from[range]);
    }
}

/// How much one tile differs, in luma, as `differences_into` counts it.
pub(crate) fn tile_difference(grid: &Grid, tile: usize, first: &[u8], second: &[u8]) -> u16 {
    let (mut most, mut shift) = (0_u8, 0_i16);
    for range in tile_rows(grid, tile) {
        for (&a, &b) in first[range.clone()].iter().zip(&second[range]) {
            most = most.max(a.abs_diff(b));
            shift += i16::from(a) - i16::from(b);
        }
    }
    u16::from(most).max(shift.unsigned_abs() / 4)
}

/// How much brighter one tile became, and how much it changed, summed over its blocks.
pub(crate) fn tile_shift(grid: &Grid, tile: usize, first: &[u8], second: &[u8]) -> (i32, i32) {
    let blocks = tile_rows(grid, tile).flat_map(|range| first[range.clone()].iter().zip(&second[range]));
    blocks.fold((0, 0), |(shift, change), (&before, &after)| {
        let difference = i32::from(after) - i32::from(before);
        (shift + difference, change + difference.abs())
    })
}

/// Contrast inside one tile: the range of its blocks.
pub(crate) fn tile_contrast(grid: &Grid, tile: usize, signature: &[u8]) -> u8 {
    let (mut least, mut most) = (u8::MAX, 0);
    for range in tile_rows(grid, tile) {
        for &block in &signature[range] {
            least = least.min(block);
            most = most.max(block);
        }
    }
    most.saturating_sub(least)
}

/// The tiles outside `mask` that differ.
pub(crate) fn changed_tiles(grid: &Grid, first: &[u8], second: &[u8], mask: &[bool]) -> Vec<usize> {
    (0..grid.tiles())
        .filter(|&tile| !mask[tile] && tile_difference(grid, tile, first, second) > CHANGED)
        .collect()
}

/// Whether no tile outside `mask` differs; stops at the first that does.
pub(crate) fn same(grid: &Grid, first: &[u8], second: &[u8], mask: &[bool]) -> bool {
    (0..grid.tiles()).all(|tile| mask[tile] || tile_difference(grid, tile, first, second) <= CHANGED)
}

/// Whether two pictures that were coded apart show the same: a few tiles may differ by a little more than between
/// neighbours, since each was coded from other frames.
pub(crate) fn same_again(grid: &Grid, first: &[u8], second: &[u8], mask: &[bool]) -> bool {
    let mut left = grid.tiles() / FEW;
    (0..grid.tiles()).filter(|&tile| !mask[tile]).all(|tile| {
        let difference = tile_difference(grid, tile, first, second);
        if difference > CHANGED {
            left = left.saturating_sub(1);
        }
        difference <= CHANGED || (difference <= CODED_APART && left > 0)
    })
}
