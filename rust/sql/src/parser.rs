//! Reads the shape of a statement in one pass, with a stack of open parentheses: no recursion, no look-ahead beyond a
//! few tokens.

use crate::clauses::Top;
use crate::edits::Edits;
use crate::frames::{Cte, Frame};
use crate::schema::Schema;
use crate::scratch::Scratch;
use crate::structure::{Block, CANDIDATE, Clause, FrameKind, MENTIONED, Mention, NONE, Origin, Role, Structure};
use crate::token::{Kind, Token, offset, op};
use crate::word::Word;

/// Reads tokens into a [`Structure`]; repairs clauses of other dialects on the way.
pub(crate) struct Parser<'a> {
    pub(crate) sql: &'a str,
    pub(crate) schema: &'a Schema,
    pub(crate) tokens: &'a mut [Token],
    pub(crate) edits: &'a mut Edits,
    pub(crate) frames: &'a mut Vec<Frame>,
    pub(crate) ctes: &'a mut Vec<Cte>,
    /// For each open parenthesis of a foreign function: its call.
    pub(crate) open_calls: Vec<(usize, usize)>,
    pub(crate) tops: Vec<Top>,
    pub(crate) closed: u32,
    /// What the innermost frame says.
    pub(crate) expects_source: bool,
    pub(crate) key: &'a mut String,
    pub(crate) out: &'a mut Structure,
}

impl<'a> Parser<'a> {
    pub(crate) fn new(sql: &'a str, schema: &'a Schema, scratch: &'a mut Scratch, edits: &'a mut Edits) -> Self {
        Self {
            sql,
            schema,
            tokens: &mut scratch.tokens,
            edits,
            frames: &mut scratch.frames,
            ctes: &mut scratch.ctes,
            open_calls: Vec::new(),
            tops: Vec::new(),
            closed: 0,
            expects_source: false,
            key: &mut scratch.key,
            out: &mut scratch.structure,
        }
    }

    pub(crate) fn run(mut self) {
        self.start_statement();
        let mut at = 0;
        while let Some(token) = self.tokens.get(at) {
            // Most tokens are plain names, values and operators in expressions: they shape nothing.
            let plain = match token.kind {
                Kind::Ident => !token.word.shapes() && token.op != CANDIDATE,
                Kind::Op => !matches!(
                    token.op,
                    b'(' | b'[' | b'{' | b')' | b']' | b'}' | b',' | b';' | op::ARROW
                ),
                kind => !kind.is_quoted_name(),
            };
            if plain && !self.expects_source {
                at += 1;
                continue;
            }
            at = self.step(at);
            self.expects_source = self.frame().expects_source;
        }
        self.end_statement(at);
    }

    pub(crate) fn start_statement(&mut self) {
        let block = self.new_block(NONE);
        self.frames.push(Frame {
            kind: FrameKind::Query,
            clause: Clause::Head,
            block,
            first_block: block,
            call: NONE,
            item: 0,
            ctes: NONE,
            cte: NONE,
            between: false,
            expects_source: false,
            is_source: false,
            recursive: false,
        });
    }

    pub(crate) fn end_statement(&mut self, at: usize) {
        while self.frames.len() > 1 {
            self.pop(at);
        }
        self.finish_block(at);
        self.frames.clear();
        self.open_calls.clear();
    }

    pub(crate) fn new_block(&mut self, parent: u32) -> u32 {
        self.out.blocks.push(Block {
            parent,
            set_first: NONE,
            first_source: NONE,
            last_source: NONE,
            first_item: NONE,
            last_item: NONE,
            closed: NONE,
            open: false,
        });
        offset(self.out.blocks.len() - 1)
    }

    pub(crate) fn frame(&mut self) -> &mut Frame {
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    pub(crate) fn token(&self, at: usize) -> Option<Token> {
        self.tokens.get(at).copied()
    }

    pub(crate) fn word_at(&self, at: usize) -> Word {
        self.token(at)
            .filter(|t| t.kind == Kind::Ident)
            .map_or(Word::Other, |t| t.word)
    }

    pub(crate) fn op_at(&self, at: usize) -> u8 {
        self.token(at).filter(|t| t.kind == Kind::Op).map_or(0, |t| t.op)
    }

    pub(crate) fn previous(&self, at: usize) -> Option<Token> {
        at.checked_sub(1).and_then(|at| self.token(at))
    }

    /// Whether the token can name a table, a column or an alias.
    pub(crate) fn is_name(&self, at: usize) -> bool {
        self.token(at)
            .is_some_and(|t| t.kind.is_quoted_name() || (t.kind == Kind::Ident && !t.word.is_reserved()))
    }

    /// Handles the token at `at` and returns the position of the next one.
    pub(crate) fn step(&mut self, at: usize) -> usize {
        let token = self.tokens[at];
        match token.kind {
            Kind::Op => self.operator(at, token.op),
            Kind::Ident if token.word != Word::Other && !self.is_label(at) => self.word(at, token.word),
            Kind::Ident | Kind::Quoted | Kind::Backtick | Kind::Bracket | Kind::Curly | Kind::Bare => {
                if self.frame().expects_source {
                    return self.source(at);
                }
                self.mention(at, Role::Expression);
                at + 1
            }
            Kind::String if self.frame().expects_source => {
                self.frame().expects_source = false;
                self.add_source(Origin::Unknown, NONE, (NONE, NONE));
                self.alias(at + 1)
            }
            _ => at + 1,
        }
    }

    /// Whether a word is a name by its place: behind `.` or `AS`, or before `.`.
    pub(crate) fn is_label(&self, at: usize) -> bool {
        let after = self
            .previous(at)
            .is_some_and(|t| t.op == b'.' || (t.kind == Kind::Ident && t.word == Word::As));
        let materialized = matches!(
            self.tokens[at].word,
            Word::Not | Word::Materialized | Word::Select | Word::With
        );
        (after && !materialized) || (self.op_at(at + 1) == b'.' && !self.tokens[at].word.is_reserved())
    }

    pub(crate) fn mention(&mut self, at: usize, role: Role) {
        let Token { kind, op, .. } = self.tokens[at];
        if op == MENTIONED || !(kind.is_quoted_name() || op == CANDIDATE) {
            return;
        }
        self.tokens[at].op = MENTIONED;
        let Frame {
            block,
            clause,
            kind,
            call,
            ..
        } = self.frames[self.frames.len() - 1];
        self.out.mentions.push(Mention {
            token: offset(at),
            block,
            clause,
            frame: kind,
            call,
            role,
        });
    }

    pub(crate) fn operator(&mut self, at: usize, code: u8) -> usize {
        match code {
            b'(' => return self.open(at),
            b'[' => self.push(FrameKind::Brackets, NONE),
            b'{' => self.push(FrameKind::Braces, NONE),
            b')' | b']' | b'}' => return self.close(at, code),
            b',' => return self.comma(at),
            b';' => {
                self.end_statement(at);
                self.start_statement();
            }
            op::ARROW => self.arrow(at),
            _ => {}
        }
        at + 1
    }

    pub(crate) fn comma(&mut self, at: usize) -> usize {
        let Frame {
            kind,
            clause,
            ctes,
            recursive,
            ..
        } = *self.frame();
        match (kind, clause) {
            (FrameKind::Query, Clause::Select) => {
                self.finish_item(at);
                self.frame().item = offset(at + 1);
            }
            (FrameKind::Query | FrameKind::Sources, Clause::From | Clause::On) => {
                self.frame().clause = Clause::From;
                self.frame().expects_source = true;
            }
            (FrameKind::Query, Clause::Head) if ctes != NONE => return self.cte_head(at + 1, recursive),
            _ => {}
        }
        at + 1
    }
}
