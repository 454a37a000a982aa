//! Samples of a video in, states of the picture out; memory holds one signature a state.

use pulp::Arch;

use crate::drift::{Drift, WITHIN};
use crate::live::Activity;
use crate::merge::{Found, merge};
use crate::pointer::Shape;
use crate::signature::{Grid, differences_into, signature_into};
use crate::state::{CHANGED, MOVED, State, copy_tile};
use crate::{Error, Plane};

/// A tile has settled when it has stood still for this long, in seconds; a state of 0.4 s is found.
const SETTLE: f64 = 0.25;
/// What is on screen at the end needs no longer than this, in seconds: more than one sample of it was seen, and no more
/// will come.
const SETTLE_AT_END: f64 = 0.15;
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
/// A state is looked at again after this long, in seconds.
const REFRESH: f64 = 0.7;
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
    drift: Drift,
    /// Whether the newest state has been set since the samples were compared with it.
    stale: bool,
    /// Whether no tile was leaving the newest state when the samples were last compared with it.
    at_peace: bool,
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
        let arch = Arch::new();
        Self {
            arch,
            grid: None,
            current: Vec::new(),
            anchor: Vec::new(),
            reference: Vec::new(),
            drift: Drift::new(arch),
            stale: true,
            at_peace: false,
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
            opened: self.advance(&grid, pts, false),
            ..Step::default()
        };
        let before = self.time;
        self.time = pts;
        signature_into(self.arch, plane, &grid, &mut self.current);
        // A still picture is coded as a copy of itself: then all that was compared holds.
        let copied = self.drift.is_copy(&self.current, pts);
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
        if copied {
            self.activity.rest(&self.last_move, pts, pts - before);
        } else {
            self.note_motion(&grid, pts, pts - before);
        }
        self.drift
            .note(&grid, &self.current, &self.activity.lively, pts, pts - before);
        step.shows = self.note_departures(&grid, pts, copied);
        Ok(step)
    }

    /// Says that the last picture stayed on screen until `pts`, in seconds; returns a state that this opened.
    #[must_use = "a state that nobody keeps a picture of"]
    pub fn hold(&mut self, pts: f64) -> Option<(usize, f64)> {
        let grid = self.grid?;
        let opened = self.advance(&grid, pts, false);
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
        step.opened = self.advance(&grid, end, true);
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
            self.drift.moved(pts);
        }
        let near = near_motion(grid, &moved);
        self.activity.update(near.into_iter(), &self.last_move, pts, seconds);
        for tile in moved {
            self.from_anchor[tile] = 0;
        }
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
            self.at_peace = false;
        }
        if !self.refreshed
            && !self.drift.is_drifting()
            && pts - self.states.last().map_or(pts, |last| last.opened) >= REFRESH
        {
            self.refresh(grid);
        }
        if copied && self.at_peace && !self.drift.is_drifting() {
            return 2;
        }
        let mut away = 0;
        self.at_peace = true;
        for (tile, &difference) in self.from_reference.iter().enumerate() {
            // What lies still a little apart is noise of the codec, not the begin of the next change.
            let noise = !self.drift.is_drifting() && difference <= CHANGED && pts - self.last_move[tile] >= SETTLE;
            if difference <= DEPARTED || noise {
                self.departed[tile] = f64::NAN;
            } else {
                self.at_peace = false;
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

    /// Opens a state if what differs from the newest one has settled by `now`, which may be the end of the video.
    fn advance(&mut self, grid: &Grid, now: f64, at_end: bool) -> Option<(usize, f64)> {
        let first = self.states.is_empty();
        let settle = if at_end { SETTLE_AT_END } else { SETTLE };
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
            let quiet = now - self.last_move[tile] >= settle;
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
        let standing = now - self.time >= WITHIN;
        let drifting = if at_end {
            self.drift.at_end(grid, &self.current, &self.activity.lively)
        } else {
            self.drift.is_drifting()
        };
        let whole = dirty_unsettled == 0 && (leaving <= POINTER || at_end);
        let calm = unsettled <= POINTER && (!drifting || standing) && (first || whole);
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
            let clean = calm && now - self.last_move[tile] >= settle && self.from_reference[tile] <= CHANGED;
            if inside || clean || self.activity.lively[tile] {
                copy_tile(grid, tile, &self.current, &mut self.reference);
                self.from_reference[tile] = 0;
                self.departed[tile] = f64::NAN;
            }
        }
        let opened = self.open(start, still.max(start), now, false);
        if let Some(state) = self.states.last_mut() {
            state.wander = wander;
            if standing {
                // It was there to be seen, though no sample came to show it.
                state.opened = (still + SETTLE).clamp(self.time, now);
            }
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
