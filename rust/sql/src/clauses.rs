//! Clauses of other dialects that have one exact meaning in `DuckDB`.

use crate::assemble::ends_operand;
use crate::edits::RewriteKind;
use crate::parser::Parser;
use crate::structure::Clause;
use crate::token::{Kind, offset};
use crate::word::Word;

/// `SELECT TOP n` of a block: the tokens to take out and the row count.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Top {
    pub(crate) block: u32,
    pub(crate) first: u32,
    pub(crate) behind: u32,
    pub(crate) count: u32,
}

impl Parser<'_> {
    /// `LIMIT skip, count` of `SQLite` and `MySQL`.
    pub(crate) fn limit(&mut self, at: usize) {
        let is_count = |p: &Self, at| {
            p.token(at)
                .is_some_and(|t| t.kind == Kind::Number || t.kind == Kind::Param)
        };
        if is_count(self, at + 1) && self.op_at(at + 2) == b',' && is_count(self, at + 3) {
            let (skip, count) = (self.tokens[at + 1], self.tokens[at + 3]);
            let text = format!("{} OFFSET {}", count.text(self.sql), skip.text(self.sql));
            self.edits.replace(skip.start, count.end, text, RewriteKind::Clause);
        }
    }

    /// `SELECT TOP n` of T-SQL: noted here, rewritten where the block ends.
    pub(crate) fn top(&mut self, at: usize) {
        let mut first = at + 1;
        while matches!(self.word_at(first), Word::Distinct | Word::All) {
            first += 1;
        }
        if self.word_at(first) != Word::Top {
            return;
        }
        let in_parentheses = self.op_at(first + 1) == b'(' && self.op_at(first + 3) == b')';
        let count = first + 1 + usize::from(in_parentheses);
        let behind = count + 1 + usize::from(in_parentheses);
        if self.token(count).is_none_or(|t| t.kind != Kind::Number) {
            return;
        }
        let starts_item = self.token(behind).is_some_and(|t| {
            matches!(t.kind, Kind::Ident | Kind::String | Kind::Number)
                && !t.word.is_reserved()
                && !t.text(self.sql).eq_ignore_ascii_case("percent")
                || t.kind.is_quoted_name()
                || (t.kind == Kind::Op && (t.op == b'*' || t.op == b'['))
                || matches!(t.word, Word::Case | Word::Distinct)
        });
        // `TOP (5) a` may be a function with an alias.
        if starts_item && !(in_parentheses && self.word_at(behind + 1) == Word::From && self.op_at(behind) != b'*') {
            let block = self.frame().block;
            self.tops.push(Top {
                block,
                first: offset(first),
                behind: offset(behind),
                count: offset(count),
            });
            self.frame().item = offset(behind);
        }
    }

    /// Ends a block: its `TOP n` becomes `LIMIT n`, where no limit and no set operation stands in the way.
    pub(crate) fn end_top(&mut self, at: usize, block: u32) {
        let Some(top) = self.tops.pop_if(|top| top.block == block) else {
            return;
        };
        let set = matches!(self.word_at(at), Word::Union | Word::Intersect | Word::Except);
        if set || self.frame().clause == Clause::Limit || at == 0 {
            return;
        }
        let (first, behind) = (self.tokens[top.first as usize], self.tokens[top.behind as usize]);
        let limit = format!(" LIMIT {}", self.tokens[top.count as usize].text(self.sql));
        self.edits.replace(first.start, behind.start, "", RewriteKind::Clause);
        self.edits.insert(self.tokens[at - 1].end, limit, RewriteKind::Clause);
    }

    /// `group_concat(x ORDER BY y SEPARATOR ',')` of `MySQL`.
    pub(crate) fn separator(&mut self, at: usize) {
        let text = self.token(at + 1).filter(|t| t.kind == Kind::String);
        let Some(text) = text.filter(|_| self.op_at(at + 2) == b')' && at > 0) else {
            return;
        };
        let frame = *self.frame();
        if frame.clause == Clause::Order {
            let order = self.tokens[frame.item as usize].start;
            let separator = format!(", {} ", text.text(self.sql));
            self.edits.replace(
                self.tokens[frame.item as usize - 1].end,
                order,
                separator,
                RewriteKind::Function,
            );
            self.edits
                .replace(self.tokens[at - 1].end, text.end, "", RewriteKind::Function);
        } else {
            let (from, to) = (self.tokens[at - 1].end, self.tokens[at].end);
            self.edits.replace(from, to, ",", RewriteKind::Function);
        }
    }

    /// `a DIV b` and `a MOD b` of `MySQL`.
    pub(crate) fn infix(&mut self, at: usize, word: Word) {
        let operand_before = self.previous(at).is_some_and(ends_operand);
        let operand_after = self.token(at + 1).is_some_and(|t| {
            t.kind.is_literal() || t.kind.is_quoted_name() || (t.kind == Kind::Ident && !t.word.is_reserved())
        });
        // Only whole numbers make sure that `//` divides as DIV does: DuckDB's keeps the fraction of a DOUBLE.
        let whole = |at: usize| {
            self.token(at)
                .is_some_and(|t| t.kind == Kind::Number && t.text(self.sql).bytes().all(|b| b.is_ascii_digit()))
        };
        let exact = word == Word::Mod || (whole(at.wrapping_sub(1)) && whole(at + 1));
        if operand_before && operand_after && exact {
            let token = self.tokens[at];
            let text = if word == Word::Div { "//" } else { "%" };
            self.edits.replace(token.start, token.end, text, RewriteKind::Function);
            self.tokens[at].kind = Kind::Op;
            self.tokens[at].op = crate::token::op::OTHER;
            self.tokens[at].word = Word::Other;
        }
    }
}
