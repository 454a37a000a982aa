//! Tiles that belong together, and the rectangles around them.

use crate::merge::Region;
use crate::signature::Grid;

/// Tiles up to this far apart, in tiles, are one blob: a pointer and its tip, the digits of one number.
const REACH: usize = 2;

/// A connected set of tiles and its bounds in tiles; `right` and `bottom` are exclusive.
#[derive(Clone, Debug)]
pub(crate) struct Blob {
    pub(crate) tiles: Vec<usize>,
    pub(crate) left: usize,
    pub(crate) top: usize,
    pub(crate) right: usize,
    pub(crate) bottom: usize,
}

impl Blob {
    /// The longer side, in tiles.
    pub(crate) const fn side(&self) -> usize {
        let (width, height) = (self.right - self.left, self.bottom - self.top);
        if width > height { width } else { height }
    }

    /// The rectangle in pixels, cut at the edges of the picture.
    pub(crate) fn region(&self, grid: &Grid) -> Region {
        let side = grid.tile_side();
        Region {
            left: self.left * side,
            top: self.top * side,
            right: (self.right * side).min(grid.width),
            bottom: (self.bottom * side).min(grid.height),
        }
    }
}

/// The blobs of the tiles in `marked`, in the order of their first tile.
pub(crate) fn blobs(grid: &Grid, marked: &[usize]) -> Vec<Blob> {
    let (columns, rows) = (grid.tile_columns(), grid.tile_rows());
    let mut open = vec![false; grid.tiles()];
    for &tile in marked {
        open[tile] = true;
    }
    let mut found = Vec::new();
    for &first in marked {
        if !std::mem::take(&mut open[first]) {
            continue;
        }
        let (row, column) = (first / columns, first % columns);
        let mut blob = Blob {
            tiles: vec![first],
            left: column,
            top: row,
            right: column + 1,
            bottom: row + 1,
        };
        let mut next = 0;
        while let Some(&tile) = blob.tiles.get(next) {
            next += 1;
            let (row, column) = (tile / columns, tile % columns);
            blob.left = blob.left.min(column);
            blob.right = blob.right.max(column + 1);
            blob.top = blob.top.min(row);
            blob.bottom = blob.bottom.max(row + 1);
            for y in row.saturating_sub(REACH)..(row + REACH + 1).min(rows) {
                for x in column.saturating_sub(REACH)..(column + REACH + 1).min(columns) {
                    let near = y * columns + x;
                    if std::mem::take(&mut open[near]) {
                        blob.tiles.push(near);
                    }
                }
            }
        }
        blob.tiles.sort_unstable();
        found.push(blob);
    }
    found
}

/// `mask` with every blob filled to its rectangle where at least `share` of that is marked, and grown by `margin`.
///
/// An inset is a rectangle, though a face moves only in its middle.
pub(crate) fn filled(grid: &Grid, mask: &[bool], share: f64, margin: usize) -> Vec<bool> {
    let (columns, rows) = (grid.tile_columns(), grid.tile_rows());
    let marked: Vec<usize> = (0..mask.len()).filter(|&tile| mask[tile]).collect();
    let mut grown = mask.to_vec();
    for blob in blobs(grid, &marked) {
        let area = (blob.right - blob.left) * (blob.bottom - blob.top);
        #[allow(clippy::cast_precision_loss)] // counts of tiles
        let dense = blob.tiles.len() as f64 >= share * area as f64;
        let around = |tile: usize| {
            let (row, column) = (tile / columns, tile % columns);
            (row.saturating_sub(margin)..(row + margin + 1).min(rows)).flat_map(move |y| {
                (column.saturating_sub(margin)..(column + margin + 1).min(columns)).map(move |x| y * columns + x)
            })
        };
        if dense {
            for y in blob.top.saturating_sub(margin)..(blob.bottom + margin).min(rows) {
                let from = y * columns;
                grown[from + blob.left.saturating_sub(margin)..from + (blob.right + margin).min(columns)].fill(true);
            }
        } else {
            for tile in blob.tiles.iter().copied().flat_map(around) {
                grown[tile] = true;
            }
        }
    }
    grown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_tiles_are_one_blob_and_far_ones_are_not() {
        let grid = Grid::new(320, 160).unwrap();
        // 20 tiles a row: 21 and 23 are two apart, 30 is far.
        let found = blobs(&grid, &[21, 23, 30]);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].tiles, [21, 23]);
        assert_eq!(found[0].side(), 3);
        assert_eq!(
            found[1].region(&grid),
            Region {
                left: 160,
                top: 16,
                right: 176,
                bottom: 32
            }
        );
    }

    #[test]
    fn a_dense_blob_is_filled_to_its_rectangle() {
        let grid = Grid::new(320, 160).unwrap();
        let mut mask = vec![false; grid.tiles()];
        for tile in [21, 23, 41, 42, 43] {
            mask[tile] = true;
        }
        let dense = filled(&grid, &mask, 0.5, 0);
        assert!(dense[22]);
        assert_eq!(dense.iter().filter(|&&marked| marked).count(), 6);
        assert!(!filled(&grid, &mask, 0.9, 0)[22]);
    }
}
