//! Open parentheses, brackets and `CASE`s: what each holds, and what closing it ends.

use crate::names::is_called;
use crate::parser::Parser;
use crate::structure::{Call, Clause, FrameKind, ItemKind, NONE, Origin};
use crate::token::{Kind, offset};
use crate::word::Word;

/// Parentheses that may stand before a query's first word, as in `FROM ((SELECT …`.
const MOST_LEADING_PARENTHESES: usize = 32;

/// What is open, and what is known about the query in it.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::struct_excessive_bools)] // independent facts, not the states of one thing
pub(crate) struct Frame {
    pub(crate) kind: FrameKind,
    pub(crate) clause: Clause,
    pub(crate) block: u32,
    /// The first block of this frame: its items name the result's columns.
    pub(crate) first_block: u32,
    /// Token of the function's name.
    pub(crate) call: u32,
    /// First token of the current item of SELECT.
    pub(crate) item: u32,
    /// Newest common table expression in sight.
    pub(crate) ctes: u32,
    /// The common table expression that this query defines.
    pub(crate) cte: u32,
    pub(crate) between: bool,
    pub(crate) expects_source: bool,
    pub(crate) is_source: bool,
    pub(crate) recursive: bool,
}

/// A common table expression.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cte {
    pub(crate) name: u32,
    pub(crate) block: u32,
    pub(crate) columns: (u32, u32),
    pub(crate) previous: u32,
}

impl Parser<'_> {
    pub(crate) fn push(&mut self, kind: FrameKind, call: u32) {
        let outer = *self.frame();
        self.frames.push(Frame {
            kind,
            call,
            between: false,
            expects_source: kind == FrameKind::Sources,
            is_source: false,
            cte: NONE,
            ..outer
        });
    }

    /// Opens a query in parentheses.
    pub(crate) fn push_query(&mut self) {
        let outer = *self.frame();
        let block = self.new_block(outer.block);
        self.frames.push(Frame {
            kind: FrameKind::Query,
            clause: Clause::Head,
            block,
            first_block: block,
            call: NONE,
            item: 0,
            between: false,
            expects_source: false,
            is_source: outer.expects_source || (outer.kind == FrameKind::Query && outer.clause == Clause::Head),
            cte: NONE,
            recursive: false,
            ..outer
        });
    }

    pub(crate) fn opens_query(&self, at: usize, nested: bool) -> bool {
        let mut next = at + 1;
        if nested {
            while self.op_at(next) == b'(' && next < at + MOST_LEADING_PARENTHESES {
                next += 1;
            }
        }
        matches!(
            self.word_at(next),
            Word::Select | Word::With | Word::Values | Word::From | Word::Pivot | Word::Unpivot | Word::Table
        )
    }

    pub(crate) fn open(&mut self, at: usize) -> usize {
        let frame = *self.frame();
        let wants_query = frame.expects_source || (frame.kind == FrameKind::Query && frame.clause == Clause::Head);
        if self.opens_query(at, wants_query) {
            self.push_query();
            return at + 1;
        }
        if frame.expects_source {
            self.push(FrameKind::Sources, NONE);
            return at + 1;
        }
        if frame.clause == Clause::Select && self.gives_columns(at) {
            self.out.blocks[frame.block as usize].open = true;
        }
        let Some(previous) = self.previous(at) else {
            self.push(FrameKind::Group, NONE);
            return at + 1;
        };
        let kind = match (previous.kind, previous.word) {
            (Kind::Ident, Word::In) => FrameKind::In,
            (Kind::Ident, Word::Using | Word::Exclude | Word::Rename) => FrameKind::Columns,
            (Kind::Ident, Word::Values) => FrameKind::Row,
            (Kind::Ident, Word::Replace) if at > 1 && self.op_at(at - 2) == b'*' => FrameKind::Group,
            (Kind::Ident, word) if is_callable(word) => FrameKind::Call,
            (Kind::Quoted | Kind::Backtick, _) => FrameKind::Call,
            (Kind::Op, _) if frame.clause == Clause::Values && previous.op == b',' => FrameKind::Row,
            _ => FrameKind::Group,
        };
        if kind == FrameKind::Call {
            self.open_call(at);
            self.push(kind, offset(at - 1));
        } else {
            self.push(kind, NONE);
        }
        at + 1
    }

    /// Whether the parenthesis at `at` belongs to `unnest(…)`, `COLUMNS(…)` or `RENAME (…)`, whose columns only the
    /// engine knows.
    pub(crate) fn gives_columns(&self, at: usize) -> bool {
        self.previous(at).is_some_and(|name| {
            name.word == Word::Rename
                || matches!(name.end - name.start, 6..=9)
                    && ["unnest", "columns"]
                        .iter()
                        .any(|known| is_called(self.sql, name, known))
        })
    }

    pub(crate) fn open_call(&mut self, at: usize) {
        let name = self.tokens[at - 1];
        if name.kind == Kind::Ident && crate::functions::is_foreign(name.bytes(self.sql)) {
            let block = self.frame().block;
            self.out.calls.push(Call {
                name: offset(at - 1),
                open: offset(at),
                close: NONE,
                block,
            });
            self.open_calls.push((self.frames.len(), self.out.calls.len() - 1));
        }
    }

    pub(crate) fn close(&mut self, at: usize, code: u8) -> usize {
        while self.frames.len() > 1 && matches!(self.frame().kind, FrameKind::Case | FrameKind::SimpleCase) {
            self.frames.pop();
        }
        let kind = self.frame().kind;
        let fits = match code {
            b']' => kind == FrameKind::Brackets,
            b'}' => kind == FrameKind::Braces,
            _ => !matches!(kind, FrameKind::Brackets | FrameKind::Braces),
        };
        if self.frames.len() == 1 || !fits {
            return at + 1;
        }
        self.pop(at)
    }

    /// Leaves the innermost frame at token `at` and returns where to go on.
    pub(crate) fn pop(&mut self, at: usize) -> usize {
        if self.frame().kind == FrameKind::Query {
            self.finish_block(at);
        }
        let Some(frame) = self.frames.pop() else { return at + 1 };
        if let Some((depth, call)) = self.open_calls.last().copied()
            && depth == self.frames.len()
        {
            self.out.calls[call].close = offset(at);
            self.open_calls.pop();
        }
        if frame.cte != NONE {
            self.frame().ctes = frame.cte;
            return at + 1;
        }
        if !frame.is_source {
            if frame.kind == FrameKind::Sources {
                self.frame().expects_source = false;
                if self.is_name(at + 1) || self.word_at(at + 1) == Word::As {
                    self.add_source(Origin::Unknown, NONE, (NONE, NONE));
                    return self.alias(at + 1);
                }
            }
            return at + 1;
        }
        let origin = if frame.kind == FrameKind::Query {
            Origin::Block(frame.first_block)
        } else {
            Origin::Unknown
        };
        let head = self.frame().clause == Clause::Head;
        self.frame().expects_source = false;
        self.add_source(origin, NONE, (NONE, NONE));
        if head {
            self.add_item(ItemKind::Star);
            return at + 1;
        }
        self.alias(at + 1)
    }
}

/// Whether a parenthesis behind the word holds arguments.
fn is_callable(word: Word) -> bool {
    matches!(
        word,
        Word::Other
            | Word::Left
            | Word::Right
            | Word::Replace
            | Word::Date
            | Word::Time
            | Word::Timestamp
            | Word::Map
            | Word::Mod
            | Word::Glob
            | Word::Isnull
            | Word::Sample
    )
}
