//! Pointers: small things that come, go and leave what was there before.
//!
//! A cell that changes and changes back looks the same to whoever sees its tiles alone. What tells a pointer is
//! company: when it arrives somewhere it has left somewhere else, or was seen on its way.

use crate::blobs::{Blob, blobs};
use crate::signature::Grid;
use crate::stabilizer::MANY;
use crate::state::{CHANGED, State, changed_tiles, copy_tile, tile_difference, tile_shift};

/// A pointer's blob has at most this many tiles a side: 64 pixels, twice the usual pointer and its old place beside it.
const SIDE: usize = 4;
/// A change of more blobs than this is a change of the picture.
const BLOBS: usize = 6;
/// Arrival and departure belong together within this time, in seconds: a pointer takes a while to travel.
const TRAVEL: f64 = 1.5;
/// A pointer changes the luma of its blocks by at least this much in sum: ten pixels square of black on white are 1500.
const LEAST_CHANGE: i32 = 500;
/// So many visits tell what a pointer looks like.
const VISITS: usize = 3;
/// At least so many tiles moved on the way.
const WANDER: usize = 3;

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Role {
    /// Comes, and goes again at the state given.
    Visit(usize),
    /// The end of a visit.
    Departure,
    /// Stays.
    Stays,
}

struct Small {
    blob: Blob,
    role: Role,
    shape: Shape,
}

/// What a change did to the luma of a blob: how much brighter it became, and how much it changed, summed over its blocks.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Shape {
    shift: i32,
    change: i32,
}

impl Shape {
    /// Whether one place lost about what the other gained: a pointer takes from one place what it gives another.
    const fn mirrors(self, other: Self) -> bool {
        self.like(Self {
            shift: -other.shift,
            change: other.change,
        })
    }

    const fn like(self, other: Self) -> bool {
        let most = if self.change > other.change {
            self.change
        } else {
            other.change
        };
        self.change >= LEAST_CHANGE
            && other.change >= LEAST_CHANGE
            && (self.change - other.change).abs() * 5 <= most
            && (self.shift - other.shift).abs() * 5 <= most
    }
}

/// A place: the state at which a blob changed, and which of that state's small blobs it is.
type Place = (usize, usize);

/// Erases pointers from the signatures of `states`.
pub(crate) fn erase(grid: &Grid, states: &mut [State], masks: &[Vec<bool>], pointer: &mut Option<Shape>) {
    let deltas: Vec<Vec<usize>> = (0..states.len())
        .map(|at| match at {
            0 => Vec::new(),
            _ => changed_tiles(grid, &states[at - 1].signature, &states[at].signature, &masks[at]),
        })
        .collect();
    let mut smalls: Vec<Vec<Small>> = (0..states.len())
        .map(|at| {
            if is_step(states, &deltas, at) {
                Vec::new()
            } else {
                small_blobs(grid, states, at, &deltas[at])
            }
        })
        .collect();
    let next_change = |at: usize, tiles: &[usize]| (at + 1..deltas.len()).find(|&next| meets(&deltas[next], tiles));
    for at in 1..states.len() {
        for index in 0..smalls[at].len() {
            let tiles = smalls[at][index].blob.tiles.clone();
            let Some(next) = next_change(at, &tiles) else { continue };
            let before = &states[at - 1].signature;
            let back = tiles
                .iter()
                .all(|&tile| tile_difference(grid, tile, before, &states[next].signature) <= CHANGED);
            // A change of the whole picture ends no visit: what it brings may look the same in one place by chance.
            if !back || !smalls[next].iter().any(|other| meets(&other.blob.tiles, &tiles)) {
                continue;
            }
            if smalls[at][index].role == Role::Stays {
                smalls[at][index].role = Role::Visit(next);
            }
            for other in &mut smalls[next] {
                if other.role == Role::Stays && meets(&other.blob.tiles, &tiles) {
                    other.role = Role::Departure;
                }
            }
        }
    }
    learn(states, &smalls, pointer);
    let like = |at: usize, small: &Small, sign: i32| {
        states[at].wander >= WANDER
            && pointer.is_some_and(|shape| {
                small.shape.like(Shape {
                    shift: sign * shape.shift,
                    change: shape.change,
                })
            })
    };
    let mut painted: Vec<(usize, std::ops::Range<usize>, Vec<usize>)> = Vec::new();
    for (at, list) in smalls.iter().enumerate() {
        for (index, small) in list.iter().enumerate() {
            let tiles = small.blob.tiles.clone();
            match small.role {
                Role::Visit(next) if is_pointer(states, &smalls, (at, index), next) => {
                    painted.push((at - 1, at..next, tiles));
                }
                Role::Stays if like(at, small, -1) || is_origin(states, &smalls, (at, index)) => {
                    // Back to where the picture behind it began.
                    let first = (1..at)
                        .rev()
                        .find(|&earlier| meets(&deltas[earlier], &tiles))
                        .unwrap_or(0);
                    painted.push((at, first..at, tiles));
                }
                Role::Stays if like(at, small, 1) || is_last_place(states, &smalls, (at, index)) => {
                    let next = next_change(at, &tiles).unwrap_or(states.len());
                    painted.push((at - 1, at..next, tiles));
                }
                _ => {}
            }
        }
    }
    for (from, range, tiles) in painted {
        paint(grid, states, from, range, &tiles);
    }
}

/// Whether a state was opened while a change of more than a pointer was already on its way: the first tiles of a fade settle
/// before the others, and are no visit though they change again at its end.
fn is_step(states: &[State], deltas: &[Vec<usize>], at: usize) -> bool {
    (at + 1..states.len())
        .take_while(|&next| states[next].start <= states[at].opened)
        .any(|next| deltas[next].len() > MANY)
}

/// Learns how much the pointer shifts luma where it arrives: the median over visits that have company.
fn learn(states: &[State], smalls: &[Vec<Small>], pointer: &mut Option<Shape>) {
    let mut shapes: Vec<Shape> = Vec::new();
    for (at, list) in smalls.iter().enumerate() {
        for (index, small) in list.iter().enumerate() {
            if let Role::Visit(next) = small.role
                && small.shape.change >= LEAST_CHANGE
                && is_pointer(states, smalls, (at, index), next)
            {
                shapes.push(small.shape);
            }
        }
    }
    if shapes.len() >= VISITS {
        shapes.sort_unstable_by_key(|shape| (shape.shift, shape.change));
        *pointer = Some(shapes[shapes.len() / 2]);
    }
}

fn small_blobs(grid: &Grid, states: &[State], at: usize, delta: &[usize]) -> Vec<Small> {
    let found = blobs(grid, delta);
    if found.len() > BLOBS {
        return Vec::new();
    }
    let shape = |blob: &Blob| {
        let of_tile = |&tile: &usize| tile_shift(grid, tile, &states[at - 1].signature, &states[at].signature);
        blob.tiles
            .iter()
            .map(of_tile)
            .fold(Shape::default(), |sum, (shift, change)| Shape {
                shift: sum.shift + shift,
                change: sum.change + change,
            })
    };
    found
        .into_iter()
        .filter(|blob| blob.side() <= SIDE)
        .map(|blob| Small {
            shape: shape(&blob),
            blob,
            role: Role::Stays,
        })
        .collect()
}

fn meets(delta: &[usize], tiles: &[usize]) -> bool {
    tiles.iter().any(|tile| delta.binary_search(tile).is_ok())
}

/// The small blobs that changed within the time that a pointer travels, before, at or after the state at `at`, but for
/// the one at `own`.
fn around<'a>(
    states: &'a [State],
    smalls: &'a [Vec<Small>],
    own: Place,
    before: f64,
    after: f64,
) -> impl Iterator<Item = &'a Small> {
    let start = states[own.0].start;
    let near = move |at: usize| (start - before..=start + after).contains(&states[at].start) || at == own.0;
    let first = (0..=own.0).rev().take_while(|&at| near(at)).last().unwrap_or(own.0);
    (first..states.len())
        .take_while(move |&at| near(at))
        .flat_map(move |at| {
            smalls[at]
                .iter()
                .enumerate()
                .filter(move |&(index, _)| (at, index) != own)
                .map(|(_, small)| small)
        })
}

/// Whether a visit has company: at one of its ends something mirrors it elsewhere, or was seen on its way.
fn is_pointer(states: &[State], smalls: &[Vec<Small>], arrival: Place, next: usize) -> bool {
    let small = &smalls[arrival.0][arrival.1];
    let came = || around(states, smalls, arrival, TRAVEL, 0.0).any(|other| other.shape.mirrors(small.shape));
    let left = || {
        let index = smalls[next]
            .iter()
            .position(|other| meets(&other.blob.tiles, &small.blob.tiles));
        let Some(index) = index else { return false };
        let leaving = &smalls[next][index];
        around(states, smalls, (next, index), 0.0, TRAVEL).any(|other| other.shape.mirrors(leaving.shape))
    };
    states[arrival.0].wander >= WANDER || states[next].wander >= WANDER || came() || left()
}

/// Whether a blob that stays is where a pointer was first seen to leave: an arrival mirrors it that nothing else does.
fn is_origin(states: &[State], smalls: &[Vec<Small>], own: Place) -> bool {
    let small = &smalls[own.0][own.1];
    let mut arrivals = around(states, smalls, own, 0.0, TRAVEL).filter(|other| other.shape.mirrors(small.shape));
    let arrives = arrivals.any(|other| other.role != Role::Departure);
    let left = around(states, smalls, own, TRAVEL, TRAVEL).any(|other| other.role == Role::Departure);
    // Over text it takes away something else than it covers on paper: then it must be the only one that leaves at the
    // moment in which another comes.
    let (mut stays, mut comes) = (0, 0);
    for other in &smalls[own.0] {
        stays += usize::from(other.role == Role::Stays);
        comes += usize::from(matches!(other.role, Role::Visit(_)));
    }
    let only = stays == 1 && comes == 1;
    !left && (only || (arrives && earliest(states, smalls, own, small)))
}

/// Whether a blob that stays is where a pointer came to rest for good: a departure mirrors it that nothing else does.
fn is_last_place(states: &[State], smalls: &[Vec<Small>], own: Place) -> bool {
    let small = &smalls[own.0][own.1];
    let leaves = around(states, smalls, own, TRAVEL, 0.0).any(|other| other.shape.mirrors(small.shape));
    let arrived = around(states, smalls, own, TRAVEL, TRAVEL).any(|other| matches!(other.role, Role::Visit(_)));
    leaves && !arrived
}

/// Whether the blob that mirrors it did not come before it.
fn earliest(states: &[State], smalls: &[Vec<Small>], own: Place, small: &Small) -> bool {
    !around(states, smalls, own, TRAVEL, -1e-9).any(|other| other.shape.mirrors(small.shape))
}

/// Gives the states of `range` the tiles of the state at `from`.
fn paint(grid: &Grid, states: &mut [State], from: usize, range: std::ops::Range<usize>, tiles: &[usize]) {
    let source = states[from].signature.clone();
    for state in &mut states[range] {
        for &tile in tiles {
            copy_tile(grid, tile, &source, &mut state.signature);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// States with these starts and openings, of which each but the first changed so many tiles.
    fn states(found: &[(f64, f64, usize)]) -> (Vec<State>, Vec<Vec<usize>>) {
        let state = |&(start, opened, _): &(f64, f64, usize)| State {
            id: 0,
            start,
            still: start,
            opened,
            end: opened,
            signature: Vec::new(),
            lively: Vec::new(),
            since: Vec::new(),
            wander: 0,
            moving: false,
        };
        let deltas = found.iter().map(|&(.., tiles)| (0..tiles).collect()).collect();
        (found.iter().map(state).collect(), deltas)
    }

    #[test]
    fn the_first_tiles_of_a_fade_are_a_step_and_a_pointer_before_a_cut_is_none() {
        let (fade, deltas) = states(&[(0.0, 0.3, 0), (3.0, 3.3, 1), (3.1, 3.4, 2), (3.1, 3.9, 900)]);
        assert_eq!([1, 2, 3].map(|at| is_step(&fade, &deltas, at)), [true, true, false]);
        let (cut, deltas) = states(&[(0.0, 0.3, 0), (3.0, 3.3, 1), (5.0, 5.3, 900)]);
        assert!(!is_step(&cut, &deltas, 1));
        let (digit, deltas) = states(&[(0.0, 0.3, 0), (3.0, 3.3, 1), (3.2, 3.5, 4)]);
        assert!(!is_step(&digit, &deltas, 1));
    }
}
