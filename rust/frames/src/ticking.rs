//! Clocks, counters and blinking carets: something small that changes in place, again and again.

use crate::blobs::blobs;
use crate::signature::Grid;
use crate::state::{State, changed_tiles};

/// So many changes in a row make a clock.
const TICKS: usize = 6;
/// With at most this long between two, in seconds: one missed tick of a clock that shows seconds.
const GAP: f64 = 2.3;
/// A clock is at most so many tiles wide and high: 320x96 pixels.
const WIDTH: usize = 20;
const HEIGHT: usize = 6;
/// A change of more blobs than this is one of the picture.
const BLOBS: usize = 5;
/// It is masked so long before its first and after its last tick, in seconds.
const MARGIN: f64 = 3.0;

struct Chain {
    tiles: Vec<usize>,
    ticks: usize,
    first: f64,
    last: f64,
}

/// Tiles that tick, with the time from and to which they do.
pub(crate) struct Ticking {
    pub(crate) tiles: Vec<usize>,
    pub(crate) from: f64,
    pub(crate) to: f64,
}

/// Finds what ticks in `states`, outside their `masks`.
pub(crate) fn ticking(grid: &Grid, states: &[State], masks: &[Vec<bool>]) -> Vec<Ticking> {
    let mut chains: Vec<Chain> = Vec::new();
    for at in 1..states.len() {
        let delta = changed_tiles(grid, &states[at - 1].signature, &states[at].signature, &masks[at]);
        let time = states[at].start;
        let found = blobs(grid, &delta);
        if found.len() > BLOBS {
            continue;
        }
        for blob in found {
            if blob.right - blob.left > WIDTH || blob.bottom - blob.top > HEIGHT {
                continue;
            }
            let chain = chains.iter_mut().find(|chain| {
                let common = blob
                    .tiles
                    .iter()
                    .filter(|tile| chain.tiles.binary_search(tile).is_ok())
                    .count();
                time - chain.last <= GAP && (common * 3 >= blob.tiles.len() || common * 2 >= chain.tiles.len())
            });
            if let Some(chain) = chain {
                chain.tiles.extend(&blob.tiles);
                chain.tiles.sort_unstable();
                chain.tiles.dedup();
                chain.ticks += usize::from(time > chain.last);
                chain.last = time;
            } else {
                chains.push(Chain {
                    tiles: blob.tiles,
                    ticks: 1,
                    first: time,
                    last: time,
                });
            }
        }
    }
    chains
        .into_iter()
        .filter(|chain| chain.ticks >= TICKS)
        .map(|chain| Ticking {
            tiles: chain.tiles,
            from: chain.first - MARGIN,
            to: chain.last + MARGIN,
        })
        .collect()
}
