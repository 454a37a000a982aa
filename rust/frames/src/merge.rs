//! From the states that were opened to slides: what moves by itself is masked, pointers are erased, what is the same
//! becomes one, what came back is known again.

use crate::blobs::{blobs, filled};
use crate::pointer::{Shape, erase};
use crate::signature::Grid;
use crate::stabilizer::{MANY, begin_of};
use crate::state::{State, changed_tiles, same, same_again, tile_contrast, tile_difference};
use crate::ticking::ticking;

/// A tile that was lively is masked so long before and after, in seconds: a head rests for a while.
const AROUND: f64 = 20.0;
/// A mask over more of the picture than this masks nothing: it is the picture that moves.
const WHOLE: f64 = 0.6;
/// An inset is filled to its rectangle where this share of it moves.
const DENSE: f64 = 0.4;
/// States opened within this time, in seconds, are one change whose tiles settled one after the other.
const SHORTEST: f64 = 0.3;
/// A transition and its settling take at most this long, in seconds.
const LONGEST: f64 = 2.0;
/// States whose changes began within this time, in seconds, were brought by one.
const TOGETHER: f64 = 0.12;
/// An encoder that runs short of bits shows a slide rough at first and better within this time, in seconds; what gets
/// better differs by no more than this much luma.
const REFINED_WITHIN: f64 = 0.6;
const REFINED: u16 = 64;
/// A change that takes longer than this, in seconds, is a fade.
const ABRUPT: f64 = 0.15;
/// Below this share of the tiles that hold anything, a change is partial.
const PARTIAL: f64 = 0.5;
/// A tile holds something if its blocks differ by this much luma.
const CONTRAST: u8 = 12;
/// At most so many boxes say what changed.
const BOXES: usize = 16;
/// At most so many scenes without a still picture: one for each ten seconds of a film, 600 in all.
const SCENES: usize = 600;
const SECONDS_A_SCENE: f64 = 10.0;
/// At most so many slides a video.
const SLIDES: usize = 2000;
/// States that are looked at together while the video goes on, and the newest that are left alone.
const WINDOW: usize = 96;
const NEWEST: usize = 16;

/// A rectangle in pixels; right and bottom are exclusive.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Region {
    /// First column.
    pub left: usize,
    /// First row.
    pub top: usize,
    /// Column after the last.
    pub right: usize,
    /// Row after the last.
    pub bottom: usize,
}

/// How a slide came into view.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Change {
    /// The video opens with it.
    First,
    /// Most of what is shown changed at once.
    Cut,
    /// Most of what is shown changed over some time.
    Fade,
    /// A part changed.
    Partial,
    /// An earlier slide came back.
    Revisit,
}

/// One slide.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundSlide {
    /// The state whose frame shows it, as `Step` numbered it.
    pub state: usize,
    /// When the change that brought it began, in seconds.
    pub start: f64,
    /// When the next began.
    pub end: f64,
    /// The earlier slide that it shows again.
    pub revisit_of: Option<usize>,
    /// How it came.
    pub change: Change,
    /// What a partial change changed.
    pub changed: Vec<Region>,
    /// Whether it stands for a scene in which nothing stood still.
    pub moving: bool,
}

/// What a video showed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// The slides in order of time.
    pub slides: Vec<FoundSlide>,
    /// Regions that move by themselves.
    pub live: Vec<Region>,
    /// How many scenes or slides beyond the bound were left out.
    pub left_out: usize,
}

/// Turns the states of a whole video into slides.
pub(crate) fn merge(grid: &Grid, states: Vec<State>, pointer: &mut Option<Shape>) -> Found {
    // Tiles that settle one after the other would look like pointers.
    let masks = lively_masks(grid, &states);
    let ((mut states, _), _) = unite(grid, states, masks, usize::MAX, Which::Wide);
    let masks = resolve(grid, &mut states, pointer);
    let live = live_regions(grid, &masks);
    let (mut states, masks) = unite(grid, states, masks, usize::MAX, Which::All).0;
    let before = states.len();
    let kept = bounded(&states);
    let mut masks: Vec<Vec<bool>> = masks;
    let mut flags = kept.iter();
    states.retain(|_| flags.next().is_some_and(|&keep| keep));
    let mut flags = kept.iter();
    masks.retain(|_| flags.next().is_some_and(|&keep| keep));
    let left_out = before - states.len();
    Found {
        slides: slides(grid, &states, &masks),
        live,
        left_out,
    }
}

/// Unites what can be united while the video goes on; returns the numbers of states that are gone.
pub(crate) fn compact(grid: &Grid, states: &mut Vec<State>, pointer: &mut Option<Shape>) -> Vec<usize> {
    let from = states.len().saturating_sub(WINDOW);
    let tail = states.split_off(from);
    let masks = lively_masks(grid, &tail);
    let older = tail.len().saturating_sub(NEWEST);
    let ((mut tail, _), mut gone) = unite(grid, tail, masks, older, Which::Wide);
    let masks = resolve(grid, &mut tail, pointer);
    let older = tail.len().saturating_sub(NEWEST);
    let ((tail, _), more) = unite(grid, tail, masks, older, Which::All);
    gone.extend(more);
    states.extend(tail);
    let moving = states.iter().filter(|state| state.moving).count();
    if moving > 2 * SCENES || states.len() > 2 * SLIDES {
        let kept = bounded(states);
        gone.extend(
            states
                .iter()
                .zip(&kept)
                .filter(|&(_, &keep)| !keep)
                .map(|(state, _)| state.id),
        );
        let mut flags = kept.iter();
        states.retain(|_| flags.next().is_some_and(|&keep| keep));
    }
    gone
}

/// Masks what moves by itself and erases pointers; returns the mask of each state.
fn resolve(grid: &Grid, states: &mut [State], pointer: &mut Option<Shape>) -> Vec<Vec<bool>> {
    let mut masks = lively_masks(grid, states);
    for found in ticking(grid, states, &masks) {
        let mut marked = vec![false; grid.tiles()];
        for &tile in &found.tiles {
            marked[tile] = true;
        }
        let marked = filled(grid, &marked, DENSE, 1);
        for (state, mask) in states.iter().zip(&mut masks) {
            if state.start <= found.to && state.end >= found.from {
                for (masked, &ticks) in mask.iter_mut().zip(&marked) {
                    *masked |= ticks;
                }
            }
        }
    }
    erase(grid, states, &masks, pointer);
    masks
}

fn lively_masks(grid: &Grid, states: &[State]) -> Vec<Vec<bool>> {
    (0..states.len())
        .map(|at| {
            let (from, to) = (states[at].start - AROUND, states[at].end + AROUND);
            let mut mask = vec![false; grid.tiles()];
            // What a state calls lively was so between the opening of the one before and its own.
            let begins = |other: usize| {
                other
                    .checked_sub(1)
                    .map_or(f64::NEG_INFINITY, |before| states[before].start)
            };
            for (_, state) in states
                .iter()
                .enumerate()
                .filter(|&(other, state)| begins(other) <= to && state.start >= from)
            {
                for (masked, &lively) in mask.iter_mut().zip(&state.lively) {
                    *masked |= lively;
                }
            }
            let mask = filled(grid, &mask, DENSE, 1);
            if covers_all(&mask) {
                vec![false; grid.tiles()]
            } else {
                mask
            }
        })
        .collect()
}

#[allow(clippy::cast_precision_loss)] // counts of tiles
fn covers_all(mask: &[bool]) -> bool {
    mask.iter().filter(|&&masked| masked).count() as f64 > WHOLE * mask.len() as f64
}

fn live_regions(grid: &Grid, masks: &[Vec<bool>]) -> Vec<Region> {
    let mut all = vec![false; grid.tiles()];
    for mask in masks {
        for (any, &masked) in all.iter_mut().zip(mask) {
            *any |= masked;
        }
    }
    let marked: Vec<usize> = (0..all.len()).filter(|&tile| all[tile]).collect();
    blobs(grid, &marked).iter().map(|blob| blob.region(grid)).collect()
}

type Masked = (Vec<State>, Vec<Vec<bool>>);

/// Which changes may be steps of one.
#[derive(Clone, Copy, Eq, PartialEq)]
enum Which {
    /// Those of more than a pointer and a cell: a cell that changes while a pointer moves would pass for one of its places.
    Wide,
    /// All.
    All,
}

/// Unites neighbours among the first `count` states that look the same, and drops what never stood; returns the numbers
/// of the states that are gone.
fn unite(grid: &Grid, states: Vec<State>, masks: Vec<Vec<bool>>, count: usize, which: Which) -> (Masked, Vec<usize>) {
    let mut gone = Vec::new();
    let mut kept: Vec<State> = Vec::with_capacity(states.len());
    let mut kept_masks: Vec<Vec<bool>> = Vec::with_capacity(states.len());
    for (at, (mut state, mask)) in states.into_iter().zip(masks).enumerate() {
        if at < count
            && let (Some(last), Some(last_mask)) = (kept.last(), kept_masks.last())
        {
            let both = either(last_mask, &mask);
            let equal = last.moving == state.moving && same(grid, &last.signature, &state.signature, &both);
            // A tile that settled a moment after the others belongs to the same change.
            let changed = changed_tiles(grid, &last.signature, &state.signature, &both);
            let begin = began(&state, &changed);
            let since = begin - last.start;
            // So does a state that was opened while the next was already coming.
            let together = since < TOGETHER || (begin <= last.opened && state.opened - last.start < LONGEST);
            let passing = !last.moving && (state.opened - last.opened < SHORTEST || together);
            let refined = !last.moving
                && since < REFINED_WITHIN
                && changed
                    .iter()
                    .all(|&tile| tile_difference(grid, tile, &last.signature, &state.signature) <= REFINED);
            let wide = which == Which::All
                || changed.len() > MANY
                || kept.len() < 2
                || changed_tiles(grid, &kept[kept.len() - 2].signature, &last.signature, last_mask).len() > MANY;
            if wide && (equal || passing || refined) {
                state.start = last.start;
                if equal {
                    state.opened = last.opened;
                }
                state.wander = state.wander.max(last.wander);
                state.since.extend(&last.since);
                for (lively, &before) in state.lively.iter_mut().zip(&last.lively) {
                    *lively |= before;
                }
                if equal {
                    // Its picture is clear of the next change; that of the later one may hold its begin.
                    gone.push(std::mem::replace(&mut state.id, last.id));
                } else {
                    gone.push(last.id);
                }
                kept.pop();
                kept_masks.pop();
                kept.push(state);
                kept_masks.push(both);
                continue;
            }
        }
        kept.push(state);
        kept_masks.push(mask);
    }
    ((kept, kept_masks), gone)
}

fn either(first: &[bool], second: &[bool]) -> Vec<bool> {
    first.iter().zip(second).map(|(a, b)| a | b).collect()
}

/// Which states stay within the bounds: the longest scenes, the longest slides.
fn bounded(states: &[State]) -> Vec<bool> {
    let duration = states.last().map_or(0.0, |last| last.end) - states.first().map_or(0.0, |first| first.start);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a small positive number
    let scenes = ((duration / SECONDS_A_SCENE).ceil().max(12.0) as usize).min(SCENES);
    let mut keep = vec![true; states.len()];
    for (moving, most) in [(true, scenes), (false, SLIDES)] {
        let mut found: Vec<usize> = (0..states.len()).filter(|&at| states[at].moving == moving).collect();
        found.sort_by(|&a, &b| {
            (states[b].end - states[b].start)
                .total_cmp(&(states[a].end - states[a].start))
                .then(a.cmp(&b))
        });
        for &at in found.iter().skip(most) {
            keep[at] = false;
        }
    }
    keep
}

fn slides(grid: &Grid, states: &[State], masks: &[Vec<bool>]) -> Vec<FoundSlide> {
    let mut slides: Vec<FoundSlide> = Vec::with_capacity(states.len());
    for (at, (state, mask)) in states.iter().zip(masks).enumerate() {
        let again = (0..at.saturating_sub(1)).find(|&earlier| {
            let both = either(&masks[earlier], mask);
            !covers_all(&both) && !state.moving && same_again(grid, &states[earlier].signature, &state.signature, &both)
        });
        let (mut change, mut changed, mut start) = (Change::First, Vec::new(), state.start);
        if let Some(before) = at.checked_sub(1) {
            let tiles = changed_tiles(
                grid,
                &states[before].signature,
                &state.signature,
                &either(&masks[before], mask),
            );
            let holds = (0..grid.tiles()).filter(|&tile| {
                tile_contrast(grid, tile, &states[before].signature) > CONTRAST
                    || tile_contrast(grid, tile, &state.signature) > CONTRAST
            });
            #[allow(clippy::cast_precision_loss)] // counts of tiles
            let share = tiles.len() as f64 / holds.count().max(1) as f64;
            change = if again.is_some() {
                Change::Revisit
            } else if share < PARTIAL {
                Change::Partial
            } else if state.still - state.start > ABRUPT {
                Change::Fade
            } else {
                Change::Cut
            };
            if share < PARTIAL {
                changed = boxes(grid, &tiles);
            }
            // What is masked or was a pointer may have moved before.
            start = began(state, &tiles);
        }
        if let Some(last) = slides.last_mut() {
            last.end = start;
        }
        slides.push(FoundSlide {
            state: state.id,
            start,
            end: state.end,
            revisit_of: again,
            change,
            changed,
            moving: state.moving,
        });
    }
    slides
}

/// When the change of `tiles` that brought a state began, in seconds.
fn began(state: &State, tiles: &[usize]) -> f64 {
    let since: Vec<_> = state
        .since
        .iter()
        .filter(|(tile, _)| tiles.binary_search(tile).is_ok())
        .copied()
        .collect();
    if since.is_empty() {
        state.start
    } else {
        begin_of(&since).clamp(state.start, state.end)
    }
}

fn boxes(grid: &Grid, tiles: &[usize]) -> Vec<Region> {
    let found: Vec<Region> = blobs(grid, tiles).iter().map(|blob| blob.region(grid)).collect();
    if found.len() <= BOXES {
        return found;
    }
    // Too many to list: one around all.
    found
        .into_iter()
        .reduce(|a, b| Region {
            left: a.left.min(b.left),
            top: a.top.min(b.top),
            right: a.right.max(b.right),
            bottom: a.bottom.max(b.bottom),
        })
        .into_iter()
        .collect()
}
