//! Slow fades: no tile moves far from one sample to the next, but many a little within a moment.

use std::collections::VecDeque;

use pulp::Arch;

use crate::signature::{Grid, differences_into};

/// What drifts moved within this time, in seconds,
pub(crate) const WITHIN: f64 = 0.3;
/// by more than this luma.
const DRIFTED: u16 = 4;
/// So many tiles (of 3600 at 1280x720) drift for a reason: a pointer covers fewer.
const LEAST: f64 = 40.0;
/// Grain makes tiles drift all the time (75 to 100 on a slide full of text), yet none moves as in a fade: so many more a
/// second are taken for grain while nothing moves, and what drifts must be so many times as much.
const GRAIN_RATE: f64 = 200.0;
const GRAIN_RATIO: f64 = 1.5;
/// Nothing moves when more than a pointer last did so long ago, in seconds.
const AT_REST: f64 = 0.25;

/// The samples of the last moments, and whether they drift.
#[derive(Clone, Debug)]
pub(crate) struct Drift {
    arch: Arch,
    /// Samples of the last moments, oldest first.
    recent: VecDeque<(f64, Vec<u8>)>,
    differences: Vec<u16>,
    /// How many tiles drift by grain alone, as far as it is known.
    grain: f64,
    /// When more than a pointer last moved.
    motion: f64,
    /// When a sample last differed from the one before.
    changed: f64,
    drifting: bool,
}

impl Drift {
    pub(crate) const fn new(arch: Arch) -> Self {
        Self {
            arch,
            recent: VecDeque::new(),
            differences: Vec::new(),
            grain: 0.0,
            motion: 0.0,
            changed: 0.0,
            drifting: false,
        }
    }

    /// Whether the last sample drifted.
    pub(crate) const fn is_drifting(&self) -> bool {
        self.drifting
    }

    /// Returns whether a sample is the very picture of the last one, and remembers when it was not.
    pub(crate) fn is_copy(&mut self, current: &[u8], pts: f64) -> bool {
        let copied = self.recent.back().is_some_and(|(_, last)| last == current);
        if !copied {
            self.changed = pts;
        }
        copied
    }

    /// Says that more than a pointer moved.
    pub(crate) const fn moved(&mut self, pts: f64) {
        self.motion = pts;
    }

    /// Takes a sample that came `seconds` after the last.
    pub(crate) fn note(&mut self, grid: &Grid, current: &[u8], lively: &[bool], pts: f64, seconds: f64) {
        let mut spare = Vec::new();
        while self.recent.len() > 1 && pts - self.recent[1].0 >= WITHIN - 1e-6 {
            spare = self
                .recent
                .pop_front()
                .map(|(_, signature)| signature)
                .unwrap_or_default();
        }
        let still = pts - self.changed > 2.0 * WITHIN;
        let drifted = if still {
            0.0
        } else {
            self.since(grid, current, lively, f64::NEG_INFINITY)
        };
        let grows = if pts - self.motion >= AT_REST {
            GRAIN_RATE * seconds
        } else {
            0.0
        };
        self.grain = drifted.min(self.grain + grows);
        self.drifting = drifted > LEAST + GRAIN_RATIO * self.grain;
        spare.clear();
        spare.extend_from_slice(current);
        self.recent.push_back((pts, spare));
    }

    /// Whether the last picture of a video drifts: it is compared with the first since something moved, because no more
    /// will come.
    pub(crate) fn at_end(&mut self, grid: &Grid, current: &[u8], lively: &[bool]) -> bool {
        self.since(grid, current, lively, self.motion) > LEAST + GRAIN_RATIO * self.grain
    }

    /// How many tiles differ from the oldest sample that is held and no older than `earliest`.
    fn since(&mut self, grid: &Grid, current: &[u8], lively: &[bool], earliest: f64) -> f64 {
        let Some((_, oldest)) = self.recent.iter().find(|&&(time, _)| time >= earliest) else {
            return 0.0;
        };
        differences_into(self.arch, grid, current, oldest, &mut self.differences);
        let drifted = self
            .differences
            .iter()
            .zip(lively)
            .filter(|&(&far, &lively)| far > DRIFTED && !lively)
            .count();
        #[allow(clippy::cast_precision_loss)] // a count of tiles
        let drifted = drifted as f64;
        drifted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The whole picture brightens by `step` luma a sample, ten a second, from the sixth to the tenth.
    fn brightening(step: u8) -> (Drift, Grid, Vec<u8>) {
        let grid = Grid::new(320, 176).unwrap();
        let mut drift = Drift::new(Arch::new());
        let mut current = vec![100_u8; grid.blocks()];
        for at in 0..10_u8 {
            if at > 5 {
                for block in &mut current {
                    *block += step;
                }
            }
            drift.is_copy(&current, f64::from(at) * 0.1);
            drift.note(&grid, &current, &vec![false; grid.tiles()], f64::from(at) * 0.1, 0.1);
        }
        (drift, grid, current)
    }

    #[test]
    fn a_slow_fade_drifts_and_a_still_picture_does_not() {
        assert!(!brightening(0).0.is_drifting());
        assert!(brightening(1).0.is_drifting());
    }

    #[test]
    fn at_the_end_only_what_came_after_the_last_motion_counts() {
        let (mut drift, grid, current) = brightening(1);
        let lively = vec![false; grid.tiles()];
        assert!(drift.at_end(&grid, &current, &lively));
        drift.moved(0.9);
        assert!(!drift.at_end(&grid, &current, &lively));
    }
}
