//! Words that begin, end or join the clauses of a query.

use crate::frames::Frame;
use crate::parser::Parser;
use crate::structure::{Clause, FrameKind, NONE, OF_BETWEEN, Origin, Role};
use crate::token::offset;
use crate::word::Word;

impl Parser<'_> {
    pub(crate) fn word(&mut self, at: usize, word: Word) -> usize {
        match word {
            Word::Case => {
                let simple = self.word_at(at + 1) != Word::When;
                self.push(if simple { FrameKind::SimpleCase } else { FrameKind::Case }, NONE);
            }
            Word::End if matches!(self.frame().kind, FrameKind::Case | FrameKind::SimpleCase) => {
                self.frames.pop();
            }
            Word::Between => self.frame().between = true,
            Word::And if self.frame().between => {
                self.frame().between = false;
                self.tokens[at].op = OF_BETWEEN;
            }
            Word::Lambda | Word::For => self.variables(at),
            _ => {
                return match self.frame().kind {
                    FrameKind::Query | FrameKind::Sources => self.clause_word(at, word),
                    _ => self.inner_word(at, word),
                };
            }
        }
        at + 1
    }

    /// A word in parentheses that hold no query.
    pub(crate) fn inner_word(&mut self, at: usize, word: Word) -> usize {
        match word {
            Word::Order if self.word_at(at + 1) == Word::By => {
                let frame = self.frame();
                frame.clause = Clause::Order;
                frame.item = offset(at);
            }
            Word::Partition if self.word_at(at + 1) == Word::By => self.frame().clause = Clause::Group,
            Word::Separator => self.separator(at),
            Word::Div | Word::Mod => self.infix(at, word),
            _ if !word.is_reserved() => self.mention(at, Role::Expression),
            _ => {}
        }
        at + 1
    }

    pub(crate) fn clause_word(&mut self, at: usize, word: Word) -> usize {
        let Frame { kind, clause, .. } = *self.frame();
        let by = self.word_at(at + 1) == Word::By;
        match word {
            Word::Select => {
                self.enter(at, Clause::Select);
                self.frame().item = offset(at + 1);
                self.top(at);
            }
            Word::From if self.is_distinct_from(at) => {}
            Word::From => {
                self.enter(at, Clause::From);
                self.frame().expects_source = true;
            }
            Word::Where | Word::Having | Word::Qualify | Word::Window => self.enter(at, Clause::Condition),
            Word::Group if by => self.enter(at, Clause::Group),
            Word::Order if by => self.enter(at, Clause::Order),
            Word::Limit | Word::Offset | Word::Fetch if kind == FrameKind::Query => {
                self.enter(at, Clause::Limit);
                if word == Word::Limit {
                    self.limit(at);
                }
            }
            Word::Union | Word::Intersect | Word::Except
                if kind == FrameKind::Query && self.op_at(at.wrapping_sub(1)) != b'*' =>
            {
                self.finish_block(at);
                let Frame { block, first_block, .. } = *self.frame();
                let behind = at + 1 + usize::from(matches!(self.word_at(at + 1), Word::All | Word::Distinct));
                self.out.blocks[first_block as usize].open |= self.word_at(behind) == Word::By;
                let parent = self.out.blocks[block as usize].parent;
                let block = self.new_block(parent);
                self.out.blocks[block as usize].set_first = self.frames[self.frames.len() - 1].first_block;
                let frame = self.frame();
                frame.block = block;
                frame.clause = Clause::Head;
                frame.expects_source = false;
            }
            Word::Join if matches!(clause, Clause::From | Clause::On) => {
                self.frame().clause = Clause::From;
                self.frame().expects_source = true;
            }
            Word::On if clause == Clause::From => {
                self.frame().clause = Clause::On;
                self.frame().expects_source = false;
            }
            Word::Values if clause == Clause::Head => self.frame().clause = Clause::Values,
            Word::With if clause == Clause::Head && kind == FrameKind::Query => {
                let recursive = self.word_at(at + 1) == Word::Recursive;
                return self.cte_head(at + 1 + usize::from(recursive), recursive);
            }
            Word::Pivot | Word::Unpivot => {
                self.add_source(Origin::Unknown, NONE, (NONE, NONE));
                self.frame().expects_source = false;
            }
            Word::Div | Word::Mod => self.infix(at, word),
            _ if !word.is_reserved() => {
                if self.expects_source {
                    return self.source(at);
                }
                self.mention(at, Role::Expression);
            }
            _ => {}
        }
        at + 1
    }

    /// Enters a clause of the current block.
    pub(crate) fn enter(&mut self, at: usize, clause: Clause) {
        if self.frame().clause == Clause::Select {
            self.finish_item(at);
        }
        let frame = self.frame();
        frame.clause = clause;
        frame.expects_source = false;
        frame.between = false;
    }

    pub(crate) fn is_distinct_from(&self, at: usize) -> bool {
        at > 1 && self.word_at(at - 1) == Word::Distinct && matches!(self.word_at(at - 2), Word::Is | Word::Not)
    }
}
