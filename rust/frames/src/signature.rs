//! A picture as the mean luma of its blocks, 4x4 pixels each, or 8x8 where the picture is larger than Full HD.

// What is dispatched must be inlined into the code of each instruction set, or it is compiled for the lowest alone.
#![allow(clippy::inline_always)]

use pulp::{Arch, NullaryFnOnce};

use crate::{Error, Plane};

/// Blocks along one side of a tile: a tile is what changes, stands still or is masked as one.
pub const TILE: usize = 4;
/// Wider pictures get 8x8 blocks: their strokes are wider too, and a signature stays below 150 kB at 4K.
const SMALL_BLOCKS_UP_TO: usize = 2048;
/// A shift of a whole tile counts this many times: a row that is highlighted turns a little darker everywhere, while
/// the noise of a codec moves single blocks, and their mean hardly.
const SHIFT_WEIGHT: u16 = 4;

/// How a picture is cut into blocks and tiles.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Grid {
    /// Pixels along one side of a block: 4 or 8.
    pub block: usize,
    /// Blocks in a row.
    pub columns: usize,
    /// Rows of blocks.
    pub rows: usize,
    /// Width of the picture in pixels.
    pub width: usize,
    /// Height of the picture in pixels.
    pub height: usize,
}

impl Grid {
    /// Returns the grid of a picture. Pixels right of and below the last whole block are not looked at.
    pub fn new(width: usize, height: usize) -> Result<Self, Error> {
        let block = if width.max(height) > SMALL_BLOCKS_UP_TO { 8 } else { 4 };
        let (columns, rows) = (width / block, height / block);
        if columns == 0 || rows == 0 {
            return Err(Error::TooSmall { width, height });
        }
        Ok(Self {
            block,
            columns,
            rows,
            width,
            height,
        })
    }

    /// Tiles in a row; the last may be narrower.
    #[must_use]
    pub const fn tile_columns(&self) -> usize {
        self.columns.div_ceil(TILE)
    }

    /// Rows of tiles; the last may be lower.
    #[must_use]
    pub const fn tile_rows(&self) -> usize {
        self.rows.div_ceil(TILE)
    }

    /// How many tiles there are.
    #[must_use]
    pub const fn tiles(&self) -> usize {
        self.tile_columns() * self.tile_rows()
    }

    /// How many blocks there are.
    #[must_use]
    pub const fn blocks(&self) -> usize {
        self.columns * self.rows
    }

    /// Pixels along one side of a tile.
    #[must_use]
    pub const fn tile_side(&self) -> usize {
        self.block * TILE
    }
}

/// Writes the mean luma of each block, rounded, into `signature` (row by row, `grid.blocks()` values).
///
/// Vectorised by the compiler for the instructions that the machine turns out to have.
pub fn signature_into(arch: Arch, plane: &Plane<'_>, grid: &Grid, signature: &mut Vec<u8>) {
    signature.resize(grid.blocks(), 0);
    arch.dispatch(Blocks { plane, grid, signature });
}

/// What is dispatched is a type of its own: the shim that calls a closure is compiled for the lowest instruction set.
struct Blocks<'a> {
    plane: &'a Plane<'a>,
    grid: &'a Grid,
    signature: &'a mut [u8],
}

impl NullaryFnOnce for Blocks<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        match self.grid.block {
            4 => blocks_of_4(self.plane, self.grid, self.signature),
            _ => blocks_of_8(self.plane, self.grid, self.signature),
        }
    }
}

/// Sums of neighbouring bytes in each of four 16-bit lanes.
#[inline(always)]
fn pair_sums(bytes: &[u8]) -> u64 {
    const LOW: u64 = 0x00ff_00ff_00ff_00ff;
    let mut word = [0; 8];
    word.copy_from_slice(bytes);
    let word = u64::from_le_bytes(word);
    (word & LOW) + ((word >> 8) & LOW)
}

/// Sums of neighbouring 16-bit lanes in each of two 32-bit lanes.
#[inline(always)]
const fn quad_sums(pairs: u64) -> u64 {
    const LOW: u64 = 0x0000_ffff_0000_ffff;
    (pairs & LOW) + ((pairs >> 16) & LOW)
}

#[inline(always)]
#[allow(clippy::cast_possible_truncation)] // a lane is taken out on purpose; 16 bytes sum to 4080 at most
fn blocks_of_4(plane: &Plane<'_>, grid: &Grid, signature: &mut [u8]) {
    for (row, means) in signature.chunks_exact_mut(grid.columns).enumerate() {
        let [a, b, c, d] = [0, 1, 2, 3].map(|line| plane.line(row * 4 + line, grid.columns * 4));
        let upper = a.chunks_exact(8).zip(b.chunks_exact(8));
        let lower = c.chunks_exact(8).zip(d.chunks_exact(8));
        for (pair, ((a, b), (c, d))) in means.chunks_exact_mut(2).zip(upper.zip(lower)) {
            // Four rows of pairs: at most 4 * 2 * 255 in 16 bits.
            let both = quad_sums(pair_sums(a) + pair_sums(b) + pair_sums(c) + pair_sums(d));
            pair[0] = ((both as u32 + 8) >> 4) as u8;
            pair[1] = (((both >> 32) as u32 + 8) >> 4) as u8;
        }
        if grid.columns % 2 == 1 {
            let from = (grid.columns - 1) * 4;
            let pixels = [a, b, c, d].into_iter().flat_map(|line| &line[from..]);
            let sum: u32 = pixels.map(|&pixel| u32::from(pixel)).sum();
            means[grid.columns - 1] = ((sum + 8) >> 4) as u8;
        }
    }
}

#[inline(always)]
#[allow(clippy::cast_possible_truncation)] // 64 bytes sum to 16320 at most
fn blocks_of_8(plane: &Plane<'_>, grid: &Grid, signature: &mut [u8]) {
    for (row, means) in signature.chunks_exact_mut(grid.columns).enumerate() {
        let lines: [&[u8]; 8] = std::array::from_fn(|line| plane.line(row * 8 + line, grid.columns * 8));
        for (column, mean) in means.iter_mut().enumerate() {
            let pairs: u64 = lines
                .iter()
                .map(|line| pair_sums(&line[column * 8..column * 8 + 8]))
                .sum();
            let both = quad_sums(pairs);
            *mean = (((both & 0xffff_ffff) + (both >> 32) + 32) >> 6) as u8;
        }
    }
}

/// Writes how much each tile differs between two signatures, in luma: the greatest difference between two blocks at the
/// same place, or four times the difference of the tile's means, whichever is more.
pub fn differences_into(arch: Arch, grid: &Grid, first: &[u8], second: &[u8], tiles: &mut Vec<u16>) {
    tiles.resize(grid.tiles(), 0);
    arch.dispatch(Differences {
        grid,
        first,
        second,
        tiles,
    });
}

struct Differences<'a> {
    grid: &'a Grid,
    first: &'a [u8],
    second: &'a [u8],
    tiles: &'a mut [u16],
}

impl NullaryFnOnce for Differences<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        tile_differences(self.grid, self.first, self.second, self.tiles);
    }
}

#[inline(always)]
fn tile_differences(grid: &Grid, first: &[u8], second: &[u8], tiles: &mut [u16]) {
    let columns = grid.columns;
    let mut greatest = vec![0_u8; columns];
    let mut shift = vec![0_i16; columns];
    let bands = first.chunks(columns * TILE).zip(second.chunks(columns * TILE));
    for ((first, second), tiles) in bands.zip(tiles.chunks_exact_mut(grid.tile_columns())) {
        greatest.fill(0);
        shift.fill(0);
        for (first, second) in first.chunks_exact(columns).zip(second.chunks_exact(columns)) {
            for (((most, sum), &a), &b) in greatest.iter_mut().zip(&mut shift).zip(first).zip(second) {
                *most = (*most).max(a.abs_diff(b));
                *sum += i16::from(a) - i16::from(b);
            }
        }
        for ((tile, blocks), sums) in tiles.iter_mut().zip(greatest.chunks(TILE)).zip(shift.chunks(TILE)) {
            let most = blocks.iter().copied().fold(0, u8::max);
            let sum: i16 = sums.iter().sum();
            // Sixteen blocks: the sum over four is four times the mean.
            *tile = u16::from(most).max(sum.unsigned_abs() * SHIFT_WEIGHT / 16);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The definition, pixel by pixel.
    fn plain(pixels: &[u8], line_size: usize, grid: &Grid) -> Vec<u8> {
        let mut sums = Vec::new();
        for row in 0..grid.rows {
            for column in 0..grid.columns {
                let mut sum = 0_u32;
                for y in 0..grid.block {
                    for x in 0..grid.block {
                        sum += u32::from(pixels[(row * grid.block + y) * line_size + column * grid.block + x]);
                    }
                }
                let area = u32::try_from(grid.block * grid.block).unwrap();
                sums.push(u8::try_from((sum + area / 2) / area).unwrap());
            }
        }
        sums
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn a_signature_is_the_mean_of_each_block(
            width in 4_usize..80, height in 4_usize..40, padding in 0_usize..20, seed in any::<u64>(), large in any::<bool>(),
        ) {
            let mut grid = Grid::new(width, height).unwrap();
            if large && width >= 8 && height >= 8 {
                grid = Grid { block: 8, columns: width / 8, rows: height / 8, width, height };
            }
            let line_size = width + padding;
            let mut state = seed | 1;
            let pixels: Vec<u8> = (0..line_size * height)
                .map(|_| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    state.to_le_bytes()[7]
                })
                .collect();
            let plane = Plane::new(&pixels, width, height, line_size).unwrap();
            let mut signature = Vec::new();
            for arch in [Arch::Scalar, Arch::new()] {
                signature_into(arch, &plane, &grid, &mut signature);
                prop_assert_eq!(&signature, &plain(&pixels, line_size, &grid));
            }
        }

        #[test]
        fn differences_are_symmetric_and_zero_for_the_same(width in 4_usize..200, height in 4_usize..90, at in any::<prop::sample::Index>()) {
            let grid = Grid::new(width, height).unwrap();
            let one = vec![100_u8; grid.blocks()];
            let mut other = one.clone();
            let block = at.index(grid.blocks());
            other[block] += 70;
            let (mut forth, mut back) = (Vec::new(), Vec::new());
            differences_into(Arch::new(), &grid, &one, &other, &mut forth);
            differences_into(Arch::new(), &grid, &other, &one, &mut back);
            prop_assert_eq!(&forth, &back);
            let tile = block / grid.columns / TILE * grid.tile_columns() + block % grid.columns / TILE;
            for (index, &found) in forth.iter().enumerate() {
                prop_assert_eq!(found, if index == tile { 70 } else { 0 });
            }
        }
    }

    #[test]
    fn a_faint_shift_of_a_whole_tile_counts_four_times() {
        let grid = Grid::new(64, 32).unwrap();
        let one = vec![250_u8; grid.blocks()];
        let other = vec![243_u8; grid.blocks()];
        let mut tiles = Vec::new();
        differences_into(Arch::new(), &grid, &one, &other, &mut tiles);
        assert_eq!(tiles, vec![28; grid.tiles()]);
    }

    #[test]
    fn a_picture_below_one_block_is_refused() {
        assert!(matches!(Grid::new(3, 100), Err(Error::TooSmall { .. })));
        assert_eq!(Grid::new(3840, 2160).unwrap().block, 8);
        assert_eq!(Grid::new(1279, 719).unwrap().tiles(), 80 * 45);
    }
}
