//! Samples of a video in, states of the picture out; memory holds one signature a state.

use std::collections::VecDeque;

use pulp::Arch;

use crate::live::Activity;
use crate::merge::{Found, merge};
use crate::pointer::Shape;
use crate::signature::{Grid, differences_into, signature_into};
use crate::state::{CHANGED, MOVED, State, copy_tile};
use crate::{Error, Plane};

/// A tile has settled when it has stood still for this long, in seconds; a state of 0.4 s is found.
const SETTLE: f64 = 0.25;
/// Where other parts keep moving (a head that is not yet known to be lively), what has settled waits this long.
const PATIENCE: f64 = 0.6;
/// A pointer covers at most this many tiles; so many may move without the picture counting as moving.
const POINTER: usize = 12;
/// Motion that went on for longer, in seconds, was no transition: what came to rest began when the motion ended.
const TRANSITION: f64 = 3.0;
/// A change of so many tiles is more than a pointer and a cell.
pub(crate) const MANY: usize = 30;
/// A scene changes when the mean difference of tiles passes this, in luma, and three times its usual value.
const CUT: f64 = 25.0;
const CUT_RATIO: f64 = 3.0;
/// How fast the usual value follows, a sample.
const CUT_MEMORY: f64 = 0.1;
/// A scene must last this long, in seconds, to get a picture of its own when nothing in it stands still.
const SCENE: f64 = 1.0;

/// A tile begins to leave when it differs by this much luma: the first tenth of a fade.
const DEPARTED: u16 = 6;

/// Tiles up to this far apart, in tiles, are lively together.
const NEAR: usize = 2;
/// A slow fade moves no tile far from one sample to the next, but many a little within this time, in seconds.
const DRIFT_WITHIN: f64 = 0.3;
const DRIFTED: u16 = 4;
/// A state is looked at again after this long, in seconds.
const REFRESH: f64 = 0.7;
/// So many tiles (of 3600 at 1280x720) drift for a reason: a pointer covers fewer.
const DRIFTING: usize = 40;
/// Grain makes tiles drift all the time (75 to 100 on a slide full of text), yet none moves as in a fade: so many more a
/// second are taken for grain while nothing moves, and what drifts must be so many times as much.
const GRAIN_RATE: f64 = 200.0;
const GRAIN_RATIO: f64 = 1.5;

/// What one sample told.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Step {
    /// The sample before this one turned out to show a new state: its number and when its change began.
    pub opened: Option<(usize, f64)>,
    /// A scene without a still picture ended before this sample: its number and when it began.
    pub scene: Option<(usize, f64)>,
    /// This sample shows the newest state: 2 as it is, 1 with something small on the way, 0 not.
    pub shows: u8,
    /// This sample is the calmest of its scene so far.
    pub calmest: bool,
}

/// Finds the states of one video.
#[allow(clippy::struct_excessive_bools)] // four independent facts about the last sample
#[derive(Clone, Debug)]
pub struct Stabilizer {
    arch: Arch,
    grid: Option<Grid>,
    current: Vec<u8>,
    /// Where each tile last came to rest.
    anchor: Vec<u8>,
    /// What each tile showed in the newest state.
    reference: Vec<u8>,
    /// Samples of the last moments, oldest first.
    recent: VecDeque<(f64, Vec<u8>)>,
    from_recent: Vec<u16>,
    drifting: bool,
    /// How many tiles drift by grain alone, as far as it is known.
    grain: f64,
    /// When more than a pointer last moved.
    motion: f64,
    /// When a sample last differed from the one before.
    changed: f64,
    /// Whether the newest state has been set since the samples were compared with it.
    stale: bool,
    /// Whether the newest state has been looked at again.
    refreshed: bool,
    from_anchor: Vec<u16>,
    from_reference: Vec<u16>,
    last_move: Vec<f64>,
    last_jump: Vec<f64>,
    /// Since when a tile differs from the newest state; NaN where it does not.
    departed: Vec<f64>,
    activity: Activity,
    states: Vec<State>,
    /// What a pointer does to the luma of its blocks, once one is known.
    pointer: Option<Shape>,
    opened: usize,
    time: f64,
    usual: f64,
    scene_start: f64,
    scene_calm: f64,
    scene_signature: Vec<u8>,
    scene_has_state: bool,
}

impl Default for Stabilizer {
    fn default() -> Self {
        Self::new()
    }
}

impl Stabilizer {
    /// Begins a video.
    #[must_use]
    pub fn new() -> Self {
        Self {
            arch: Arch::new(),
            grid: None,
            current: Vec::new(),
            anchor: Vec::new(),
            reference: Vec::new(),
            recent: VecDeque::new(),
            from_recent: Vec::new(),
            drifting: false,
            grain: 0.0,
            motion: 0.0,
            changed: 0.0,
            stale: true,
            refreshed: true,
            from_anchor: Vec::new(),
            from_reference: Vec::new(),
            last_move: Vec::new(),
            last_jump: Vec::new(),
            departed: Vec::new(),
            activity: Activity::new(0),
            states: Vec::new(),
            pointer: None,
            opened: 0,
            time: f64::NEG_INFINITY,
            usual: 0.0,
            scene_start: 0.0,
            scene_calm: f64::INFINITY,
            scene_signature: Vec::new(),
            scene_has_state: false,
        }
    }

    /// Takes the luma of the picture shown from `pts` on, in seconds.
    pub fn push(&mut self, plane: &Plane<'_>, pts: f64) -> Result<Step, Error> {
        if !(pts > self.time && pts.is_finite()) {
            return Err(Error::Order { pts, before: self.time });
        }
        let Some(grid) = self.grid else {
            self.begin(Grid::new(plane.width, plane.height)?, plane, pts);
            return Ok(Step {
                calmest: true,
                ..Step::default()
            });
        };
        if (grid.width, grid.height) != (plane.width, plane.height) {
            return Err(Error::Size {
                width: plane.width,
                height: plane.height,
            });
        }
        let mut step = Step {
            opened: self.advance(&grid, pts),
            ..Step::default()
        };
        let before = self.time;
        self.time = pts;
        signature_into(self.arch, plane, &grid, &mut self.current);
        // A still picture is coded as a copy of itself: then all that was compared holds.
        let copied = self.recent.back().is_some_and(|(_, last)| *last == self.current);
        if !copied {
            differences_into(self.arch, &grid, &self.current, &self.anchor, &mut self.from_anchor);
        }
        let motion = mean(&self.from_anchor);
        if motion > CUT && motion > CUT_RATIO * self.usual {
            step.scene = self.end_scene(&grid, pts);
        }
        self.usual += (motion - self.usual) * CUT_MEMORY;
        if motion < self.scene_calm && pts - self.scene_start > SETTLE {
            self.scene_calm = motion;
            self.scene_signature.clone_from(&self.current);
            step.calmest = true;
        }
        self.note_motion(&grid, pts, pts - before);
        self.note_drift(&grid, pts, pts - before, copied);
        step.shows = self.note_departures(&grid, pts, copied);
        Ok(step)
    }

    /// Says that the last picture stayed on screen until `pts`, in seconds; returns a state that this opened.
    #[must_use = "a state that nobody keeps a picture of"]
    pub fn hold(&mut self, pts: f64) -> Option<(usize, f64)> {
        let grid = self.grid?;
        let opened = self.advance(&grid, pts);
        self.time = self.time.max(pts);
        opened
    }

    /// Ends the video at `pts` and returns what it showed. A state or a scene that only the end made known comes too.
    #[must_use]
    pub fn finish(mut self, pts: f64) -> (Step, Found) {
        let mut step = Step::default();
        let Some(grid) = self.grid else {
            return (step, Found::default());
        };
        let end = pts.max(self.time);
        step.opened = self.advance(&grid, end);
        let first = self.scene_start;
        step.scene = self.end_scene(&grid, end);
        if self.states.is_empty() {
            // Too short to settle: what was there is shown all the same.
            step.opened = Some(self.open(first, first, end, false));
        }
        if let Some(last) = self.states.last_mut() {
            last.end = end;
            for (seen, lively) in last.lively.iter_mut().zip(&self.activity.seen) {
                *seen |= lively;
            }
        }
        (step, merge(&grid, self.states, &mut self.pointer))
    }

    /// Numbers of the states so far that `finish` will surely not give, so that their pictures can be let go.
    #[must_use = "pictures that could be let go"]
    pub fn compact(&mut self) -> Vec<usize> {
        let Some(grid) = self.grid else { return Vec::new() };
        crate::merge::compact(&grid, &mut self.states, &mut self.pointer)
    }

    fn begin(&mut self, grid: Grid, plane: &Plane<'_>, pts: f64) {
        self.grid = Some(grid);
        self.time = pts;
        self.scene_start = pts;
        signature_into(self.arch, plane, &grid, &mut self.current);
        self.anchor.clone_from(&self.current);
        self.reference.clone_from(&self.current);
        self.scene_signature.clone_from(&self.current);
        self.from_reference = vec![u16::MAX; grid.tiles()];
        self.last_move = vec![pts; grid.tiles()];
        self.last_jump = vec![f64::NEG_INFINITY; grid.tiles()];
        self.departed = vec![pts; grid.tiles()];
        self.activity = Activity::new(grid.tiles());
    }

    fn note_motion(&mut self, grid: &Grid, pts: f64, seconds: f64) {
        let mut moved = Vec::new();
        for (tile, &difference) in self.from_anchor.iter().enumerate() {
            if difference > MOVED {
                copy_tile(grid, tile, &self.current, &mut self.anchor);
                moved.push(tile);
                self.last_move[tile] = pts;
                if difference > CHANGED {
                    self.last_jump[tile] = pts;
                }
            }
        }
        if moved.len() > POINTER {
            self.motion = pts;
        }
        let near = near_motion(grid, &moved);
        self.activity.update(near.into_iter(), &self.last_move, pts, seconds);
        for tile in moved {
            self.from_anchor[tile] = 0;
        }
    }

    fn note_drift(&mut self, grid: &Grid, pts: f64, seconds: f64, copied: bool) {
        let mut spare = Vec::new();
        while self.recent.len() > 1 && pts - self.recent[1].0 >= DRIFT_WITHIN - 1e-6 {
            spare = self
                .recent
                .pop_front()
                .map(|(_, signature)| signature)
                .unwrap_or_default();
        }
        if !copied {
            self.changed = pts;
        }
        let still = pts - self.changed > 2.0 * DRIFT_WITHIN;
        let oldest = self.recent.front().map(|(_, signature)| signature).filter(|_| !still);
        let drifted = oldest.map_or(0, |oldest| {
            differences_into(self.arch, grid, &self.current, oldest, &mut self.from_recent);
            let lively = &self.activity.lively;
            self.from_recent
                .iter()
                .zip(lively)
                .filter(|&(&far, &lively)| far > DRIFTED && !lively)
                .count()
        });
        #[allow(clippy::cast_precision_loss)] // a count of tiles
        let drifted = drifted as f64;
        let grows = if pts - self.motion >= SETTLE {
            GRAIN_RATE * seconds
        } else {
            0.0
        };
        self.grain = drifted.min(self.grain + grows);
        #[allow(clippy::cast_precision_loss)] // a small constant
        let least = DRIFTING as f64;
        self.drifting = drifted > least + GRAIN_RATIO * self.grain;
        spare.clone_from(&self.current);
        self.recent.push_back((pts, spare));
    }

    fn note_departures(&mut self, grid: &Grid, pts: f64, copied: bool) -> u8 {
        if self.states.is_empty() {
            // Nothing to compare with: all of the picture is new.
            return 0;
        }
        if !copied || self.stale {
            differences_into(
                self.arch,
                grid,
                &self.current,
                &self.reference,
                &mut self.from_reference,
            );
            self.stale = false;
        }
        if !self.refreshed && !self.drifting && pts - self.states.last().map_or(pts, |last| last.opened) >= REFRESH {
            self.refresh(grid);
        }
        let mut away = 0;
        for (tile, &difference) in self.from_reference.iter().enumerate() {
            // What lies still a little apart is noise of the codec, not the begin of the next change.
            let noise = !self.drifting && difference <= CHANGED && pts - self.last_move[tile] >= SETTLE;
            if difference <= DEPARTED || noise {
                self.departed[tile] = f64::NAN;
            } else {
                if self.departed[tile].is_nan() {
                    self.departed[tile] = pts;
                }
                away += usize::from(difference > CHANGED && !self.activity.lively[tile]);
            }
        }
        match away {
            0 => 2,
            1..=POINTER => 1,
            _ => 0,
        }
    }

    /// Takes over what became better since the newest state was opened: the last step of a fade, an encoder's second
    /// thoughts.
    fn refresh(&mut self, grid: &Grid) {
        self.refreshed = true;
        let Some(state) = self.states.last_mut() else { return };
        for (tile, difference) in self.from_reference.iter_mut().enumerate() {
            if (1..=CHANGED).contains(difference) {
                copy_tile(grid, tile, &self.current, &mut self.reference);
                copy_tile(grid, tile, &self.current, &mut state.signature);
                *difference = 0;
            }
        }
    }

    /// Opens a state if what differs from the newest one has settled by `now`.
    fn advance(&mut self, grid: &Grid, now: f64) -> Option<(usize, f64)> {
        let first = self.states.is_empty();
        if self.from_reference.iter().copied().fold(0, u16::max) <= CHANGED {
            return None;
        }
        let (mut settled, mut unsettled, mut dirty_unsettled) = (Vec::new(), 0_usize, 0_usize);
        let mut leaving = 0_usize;
        let mut still = f64::NEG_INFINITY;
        let mut since = Vec::new();
        for tile in 0..grid.tiles() {
            if self.activity.lively[tile] {
                continue;
            }
            let quiet = now - self.last_move[tile] >= SETTLE;
            let dirty = self.from_reference[tile] > CHANGED;
            unsettled += usize::from(!quiet);
            if dirty && quiet {
                settled.push(tile);
                let (moved, departed) = (self.last_move[tile], self.departed[tile]);
                let began = if moved - departed > TRANSITION { moved } else { departed };
                since.push((tile, began));
                still = still.max(moved);
            } else if dirty {
                dirty_unsettled += 1;
            } else if !self.departed[tile].is_nan() {
                // Not yet far enough away to be dirty: a slow fade.
                leaving += 1;
            }
        }
        let restless = unsettled + self.activity.count();
        if settled.is_empty() || (restless * 2 > grid.tiles() && settled.len() * 4 < grid.tiles()) {
            return None;
        }
        let standing = now - self.time >= DRIFT_WITHIN;
        let calm = unsettled <= POINTER
            && (!self.drifting || standing)
            && (first || (dirty_unsettled == 0 && leaving <= POINTER));
        if !calm {
            // Take what has long been at rest, and leave the rest for later.
            settled.retain(|&tile| now - self.last_move[tile] >= PATIENCE);
            if settled.is_empty() {
                return None;
            }
            since.retain(|(tile, _)| settled.binary_search(tile).is_ok());
            still = settled
                .iter()
                .map(|&tile| self.last_move[tile])
                .fold(f64::NEG_INFINITY, f64::max);
        }
        let start = begin_of(&since);
        let mut inside = vec![false; grid.tiles()];
        for &tile in &settled {
            inside[tile] = true;
        }
        let wander = (0..grid.tiles())
            .filter(|&tile| !inside[tile] && !self.activity.lively[tile] && self.last_jump[tile] >= start - PATIENCE)
            .count();
        for (tile, &inside) in inside.iter().enumerate() {
            let clean = calm && now - self.last_move[tile] >= SETTLE && self.from_reference[tile] <= CHANGED;
            if inside || clean || self.activity.lively[tile] {
                copy_tile(grid, tile, &self.current, &mut self.reference);
                self.from_reference[tile] = 0;
                self.departed[tile] = f64::NAN;
            }
        }
        let opened = self.open(start, still.max(start), now, false);
        if let Some(state) = self.states.last_mut() {
            state.wander = wander;
            state.since = since;
        }
        Some(opened)
    }

    fn open(&mut self, start: f64, still: f64, now: f64, moving: bool) -> (usize, f64) {
        let start = self.states.last().map_or(start, |last| start.max(last.start));
        if let Some(last) = self.states.last_mut() {
            last.end = start;
        }
        let id = self.opened;
        self.opened += 1;
        self.scene_has_state = true;
        self.stale = true;
        self.refreshed = false;
        self.states.push(State {
            id,
            start,
            still: still.max(start),
            opened: now,
            end: now,
            signature: self.reference.clone(),
            lively: self.activity.take_seen(),
            since: Vec::new(),
            wander: 0,
            moving,
        });
        (id, start)
    }

    /// Ends a scene at a cut; one in which nothing stood still is kept as its calmest picture.
    fn end_scene(&mut self, grid: &Grid, now: f64) -> Option<(usize, f64)> {
        let start = self.scene_start;
        let mut kept = None;
        if !self.scene_has_state && now - start >= SCENE {
            self.reference.clone_from(&self.scene_signature);
            kept = Some(self.open(start, start, now, true));
            self.departed.fill(start);
            self.from_reference.fill(0);
        }
        self.scene_start = now;
        self.scene_has_state = false;
        self.scene_calm = f64::INFINITY;
        if self.activity.count() * 2 > grid.tiles() {
            self.activity.reset();
        }
        kept
    }
}

/// Tiles that moved or have one near them that did: of a face, now this and now that part moves.
fn near_motion(grid: &Grid, moved: &[usize]) -> Vec<bool> {
    let (columns, rows) = (grid.tile_columns(), grid.tile_rows());
    let mut near = vec![false; grid.tiles()];
    for &tile in moved {
        let (row, column) = (tile / columns, tile % columns);
        for y in row.saturating_sub(NEAR)..(row + NEAR + 1).min(rows) {
            let from = y * columns;
            near[from + column.saturating_sub(NEAR)..from + (column + NEAR + 1).min(columns)].fill(true);
        }
    }
    near
}

/// When a change of these tiles began: the earliest, but in a change of many the first tenth is passed over, because a
/// pointer may have been on its way before.
pub(crate) fn begin_of(since: &[(usize, f64)]) -> f64 {
    let mut times: Vec<f64> = since.iter().map(|&(_, began)| began).collect();
    let place = if times.len() < MANY { 0 } else { times.len() / 10 };
    *times.select_nth_unstable_by(place, f64::total_cmp).1
}

/// Mean difference of tiles, each counted up to 128 so that few bright ones do not make a scene.
fn mean(differences: &[u16]) -> f64 {
    let sum: u32 = differences
        .iter()
        .map(|&difference| u32::from(difference.min(128)))
        .sum();
    #[allow(clippy::cast_precision_loss)] // a count of tiles
    let count = differences.len() as f64;
    f64::from(sum) / count
}
