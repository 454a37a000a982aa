//! Pointers: small things that come, go and leave what was there before.
//!
//! A cell that changes and changes back looks the same to whoever sees its tiles alone. What tells a pointer is
//! company: when it arrives somewhere it has left somewhere else, or was seen on its way.

use crate::blobs::{Blob, blobs};
use crate::signature::Grid;
use crate::state::{CHANGED, State, changed_tiles, copy_tile, tile_difference};

/// A pointer's blob has at most this many tiles a side: 64 pixels, twice the usual pointer and its old place beside it.
const SIDE: usize = 4;
/// A change of more blobs than this is a change of the picture.
const BLOBS: usize = 6;
/// Arrival and departure belong together within this time, in seconds: a pointer takes a while to travel.
const TRAVEL: f64 = 1.5;
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
}

/// Erases pointers from the signatures of `states`.
pub(crate) fn erase(grid: &Grid, states: &mut [State], masks: &[Vec<bool>]) {
    let deltas: Vec<Vec<usize>> = (0..states.len())
        .map(|at| match at {
            0 => Vec::new(),
            _ => changed_tiles(grid, &states[at - 1].signature, &states[at].signature, &masks[at]),
        })
        .collect();
    let mut smalls: Vec<Vec<Small>> = deltas.iter().map(|delta| small_blobs(grid, delta)).collect();
    for at in 1..states.len() {
        for index in 0..smalls[at].len() {
            let tiles = smalls[at][index].blob.tiles.clone();
            let Some(next) = (at + 1..states.len()).find(|&next| meets(&deltas[next], &tiles)) else {
                continue;
            };
            let before = &states[at - 1].signature;
            let back = tiles
                .iter()
                .all(|&tile| tile_difference(grid, tile, before, &states[next].signature) <= CHANGED);
            if !back {
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
    let journeys: Vec<(usize, Vec<usize>, usize, Vec<usize>)> = journeys(states, &smalls).collect();
    let visits: Vec<(usize, usize, Vec<usize>)> = visits(states, &smalls).collect();
    let origins: Vec<(usize, Vec<usize>)> = origins(states, &smalls).collect();
    let arrivals: Vec<(usize, Vec<usize>)> = arrivals(&smalls).collect();
    for (from, to, tiles) in visits {
        paint(grid, states, from - 1, from..to, &tiles);
    }
    for (left, origin, arrived, place) in journeys {
        let first = (1..left)
            .rev()
            .find(|&earlier| meets(&deltas[earlier], &origin))
            .unwrap_or(0);
        paint(grid, states, left, first..left, &origin);
        let next = (arrived + 1..states.len())
            .find(|&next| meets(&deltas[next], &place))
            .unwrap_or(states.len());
        paint(grid, states, arrived - 1, arrived..next, &place);
    }
    for (at, tiles) in origins {
        // Back to where the picture behind it began.
        let first = (1..at)
            .rev()
            .find(|&earlier| meets(&deltas[earlier], &tiles))
            .unwrap_or(0);
        paint(grid, states, at, first..at, &tiles);
    }
    for (at, tiles) in arrivals {
        let next = (at + 1..states.len())
            .find(|&next| meets(&deltas[next], &tiles))
            .unwrap_or(states.len());
        paint(grid, states, at - 1, at..next, &tiles);
    }
}

fn small_blobs(grid: &Grid, delta: &[usize]) -> Vec<Small> {
    let found = blobs(grid, delta);
    if found.len() > BLOBS {
        return Vec::new();
    }
    found
        .into_iter()
        .filter(|blob| blob.side() <= SIDE)
        .map(|blob| Small {
            blob,
            role: Role::Stays,
        })
        .collect()
}

fn meets(delta: &[usize], tiles: &[usize]) -> bool {
    tiles.iter().any(|tile| delta.binary_search(tile).is_ok())
}

/// Visits that have company: (first state, state after the last, tiles).
fn visits(states: &[State], smalls: &[Vec<Small>]) -> impl Iterator<Item = (usize, usize, Vec<usize>)> {
    let company = move |at: usize, own: usize| {
        states[at].wander >= WANDER
            || smalls[at].iter().enumerate().any(|(index, _)| index != own)
            || near(states, at).any(|other| smalls[other].iter().any(|small| small.role != Role::Stays))
    };
    smalls.iter().enumerate().flat_map(move |(at, list)| {
        list.iter().enumerate().filter_map(move |(index, small)| {
            let Role::Visit(next) = small.role else { return None };
            let leaving = smalls[next]
                .iter()
                .position(|other| meets(&other.blob.tiles, &small.blob.tiles));
            let known = company(at, index) || company(next, leaving.unwrap_or(usize::MAX));
            known.then(|| (at, next, small.blob.tiles.clone()))
        })
    })
}

/// Where a pointer stood before it was first seen to move: a blob that stays, beside an arrival that nothing left for.
fn origins(states: &[State], smalls: &[Vec<Small>]) -> impl Iterator<Item = (usize, Vec<usize>)> {
    smalls.iter().enumerate().filter_map(move |(at, list)| {
        let around = || {
            std::iter::once(at)
                .chain(near(states, at))
                .flat_map(|other| &smalls[other])
        };
        let arrives = around().any(|small| matches!(small.role, Role::Visit(_)));
        let leaves = around().any(|small| small.role == Role::Departure);
        let mut staying = list.iter().filter(|small| small.role == Role::Stays);
        let only = staying.next().filter(|_| staying.next().is_none())?;
        (arrives && !leaves).then(|| (at, only.blob.tiles.clone()))
    })
}

/// Journeys neither of whose ends is seen twice: a blob is left, something moves about, a blob of about its size arrives.
fn journeys(states: &[State], smalls: &[Vec<Small>]) -> impl Iterator<Item = (usize, Vec<usize>, usize, Vec<usize>)> {
    let lone = |at: usize| match &smalls[at][..] {
        [only] if only.role == Role::Stays && states[at].wander >= WANDER => Some(only),
        _ => None,
    };
    (1..states.len().saturating_sub(1)).filter_map(move |at| {
        let (origin, place) = (lone(at)?, lone(at + 1)?);
        let soon = states[at + 1].start - states[at].start <= TRAVEL;
        let alike = origin.blob.side().abs_diff(place.blob.side()) <= 1;
        let apart = !meets(&origin.blob.tiles, &place.blob.tiles);
        (soon && alike && apart).then(|| (at, origin.blob.tiles.clone(), at + 1, place.blob.tiles.clone()))
    })
}

/// Where a pointer came to rest for good: a blob that stays, beside a departure that nothing arrived from.
fn arrivals(smalls: &[Vec<Small>]) -> impl Iterator<Item = (usize, Vec<usize>)> {
    smalls.iter().enumerate().filter_map(|(at, list)| {
        let arrives = list.iter().any(|small| matches!(small.role, Role::Visit(_)));
        let leaves = list.iter().any(|small| small.role == Role::Departure);
        let mut staying = list.iter().filter(|small| small.role == Role::Stays);
        let only = staying.next().filter(|_| staying.next().is_none())?;
        (leaves && !arrives && at > 0).then(|| (at, only.blob.tiles.clone()))
    })
}

fn near(states: &[State], at: usize) -> impl Iterator<Item = usize> {
    let start = states[at].start;
    let neighbours = [at.checked_sub(1), (at + 1 < states.len()).then_some(at + 1)];
    neighbours
        .into_iter()
        .flatten()
        .filter(move |&other| (states[other].start - start).abs() <= TRAVEL)
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
