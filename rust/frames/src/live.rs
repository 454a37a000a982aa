//! Which tiles never come to rest: a talking head, a film inside a slide.

/// How long the activity of a tile is remembered, in seconds: a fade of two seconds stays below `LIVELY`, a talking head
/// passes it within four.
const MEMORY: f64 = 6.0;
/// A tile that moved in this share of the remembered time is lively.
const LIVELY: f32 = 0.45;
/// A lively tile that has stood still for this long, in seconds, is lively no more.
const REST: f64 = 3.0;

/// The activity of every tile.
#[derive(Clone, Debug)]
pub(crate) struct Activity {
    level: Vec<f32>,
    /// What `level` has yet to be multiplied by: nothing has moved of late.
    pending: f32,
    pub(crate) lively: Vec<bool>,
    /// Tiles that were lively at any time since the last state was opened.
    pub(crate) seen: Vec<bool>,
}

impl Activity {
    pub(crate) fn new(tiles: usize) -> Self {
        Self {
            level: vec![0.0; tiles],
            pending: 1.0,
            lively: vec![false; tiles],
            seen: vec![false; tiles],
        }
    }

    /// Takes in that no tile moved during the last `seconds`.
    pub(crate) fn rest(&mut self, last_move: &[f64], now: f64, seconds: f64) {
        if self.count() == 0 {
            self.pending *= decay(seconds);
        } else {
            self.update(last_move.iter().map(|_| false), last_move, now, seconds);
        }
    }

    /// Takes in which tiles moved during the last `seconds`.
    pub(crate) fn update(&mut self, moved: impl Iterator<Item = bool>, last_move: &[f64], now: f64, seconds: f64) {
        // A sample stands for its own moment only: a long gap between samples is no proof of motion.
        #[allow(clippy::cast_possible_truncation)] // a share
        let share = (1.0 - (-seconds.min(0.25) / MEMORY).exp()) as f32;
        let decay = decay(seconds) * std::mem::replace(&mut self.pending, 1.0);
        for (tile, moved) in moved.enumerate() {
            let level = &mut self.level[tile];
            *level = *level * decay + if moved { share } else { 0.0 };
            if *level > LIVELY {
                self.lively[tile] = true;
                self.seen[tile] = true;
            } else if self.lively[tile] && now - last_move[tile] >= REST {
                self.lively[tile] = false;
                *level = 0.0;
            }
        }
    }

    /// How many tiles are lively.
    pub(crate) fn count(&self) -> usize {
        self.lively.iter().filter(|&&lively| lively).count()
    }

    /// Forgets everything: the scene has changed.
    pub(crate) fn reset(&mut self) {
        self.level.fill(0.0);
        self.pending = 1.0;
        self.lively.fill(false);
    }

    /// What was lively since the last call.
    pub(crate) fn take_seen(&mut self) -> Vec<bool> {
        let next = self.lively.clone();
        std::mem::replace(&mut self.seen, next)
    }
}

#[allow(clippy::cast_possible_truncation)] // a share
fn decay(seconds: f64) -> f32 {
    (-seconds / MEMORY).exp() as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_talking_head_is_lively_and_a_fade_is_not() {
        let mut activity = Activity::new(3);
        for step in 0..60 {
            let now = f64::from(step) * 0.1;
            // Tile 0 always moves, tile 1 for one second, tile 2 ticks once a second.
            let moved = [true, step < 10, step % 10 == 0];
            activity.update(moved.into_iter(), &[now, 0.9, now], now, 0.1);
        }
        assert_eq!(activity.lively, [true, false, false]);
        for step in 60..95 {
            let now = f64::from(step) * 0.1;
            activity.update([false; 3].into_iter(), &[5.9, 0.9, 5.0], now, 0.1);
        }
        assert_eq!(activity.count(), 0);
        assert_eq!(activity.take_seen(), [true, false, false]);
        assert_eq!(activity.take_seen(), [false; 3]);
    }

    #[test]
    fn rest_is_as_if_nothing_moved() {
        let moves = |step: i32| step < 15 || (30..33).contains(&step);
        let mut plain = Activity::new(1);
        let mut lazy = Activity::new(1);
        for step in 0..60 {
            let now = f64::from(step) * 0.1;
            plain.update([moves(step)].into_iter(), &[now], now, 0.1);
            if moves(step) {
                lazy.update([true].into_iter(), &[now], now, 0.1);
            } else {
                lazy.rest(&[now], now, 0.1);
            }
        }
        lazy.update([false].into_iter(), &[6.0], 6.0, 0.0);
        assert!(
            (plain.level[0] - lazy.level[0]).abs() < 1e-4,
            "{} {}",
            plain.level[0],
            lazy.level[0]
        );
        assert!(plain.level[0] > 0.05);
    }
}
