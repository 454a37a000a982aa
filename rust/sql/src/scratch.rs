//! Memory that the calls of one thread use one after the other: a short statement costs less than its allocations.

use std::cell::Cell;

use crate::frames::{Cte, Frame};
use crate::structure::Structure;
use crate::token::Token;

/// Tokens of a statement whose memory is kept; beyond them it goes back.
const KEPT: usize = 1 << 14;

/// Empty lists with room in them.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    pub(crate) tokens: Vec<Token>,
    /// Tokens that spell names in quotes.
    pub(crate) quoted: Vec<u32>,
    pub(crate) frames: Vec<Frame>,
    pub(crate) ctes: Vec<Cte>,
    pub(crate) structure: Structure,
    /// Mentions in the order in which they are resolved.
    pub(crate) order: Vec<(u64, u32)>,
    /// A name as it is looked up.
    pub(crate) key: String,
}

thread_local! {
    static SPARE: Cell<Option<Box<Scratch>>> = const { Cell::new(None) };
}

/// Runs `work` with this thread's memory.
pub(crate) fn with<T>(work: impl FnOnce(&mut Scratch) -> T) -> T {
    let mut scratch = SPARE.take().unwrap_or_default();
    let result = work(&mut scratch);
    if scratch.tokens.capacity() <= KEPT {
        scratch.clear();
        SPARE.set(Some(scratch));
    }
    result
}

impl Scratch {
    fn clear(&mut self) {
        self.tokens.clear();
        self.quoted.clear();
        self.frames.clear();
        self.ctes.clear();
        self.structure.clear();
        self.order.clear();
    }
}
