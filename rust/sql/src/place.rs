//! Where a double-quoted token that names nothing stands: whether a value is expected there.

use crate::resolve::Resolver;
use crate::structure::{Clause, FrameKind, Mention, OF_BETWEEN};
use crate::token::{Kind, op};
use crate::word::Word;

/// Whether a double-quoted token that names nothing stands where a value is expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Value,
    /// A value, unless it looks like a misspelt column.
    Argument,
    /// A name: a bare item of SELECT, GROUP BY or ORDER BY, the tested side of a comparison, an operand.
    Name,
    /// Not an expression that is understood: left alone.
    Other,
}

impl Resolver<'_, '_> {
    /// Where a double-quoted token that names nothing stands.
    pub(crate) fn place(&self, mention: &Mention) -> Place {
        let at = mention.token as usize;
        let before = self.before(at);
        let after = self.token(at + 1);
        let (before_op, before_word) = before.map_or((0, Word::Other), |t| (t.op, t.word));
        let (after_op, after_word) = after.map_or((0, Word::Other), |t| (t.op, t.word));
        if is_comparison(before_op, before_word) {
            return if self.is_constant_before(at - 1) {
                Place::Name
            } else {
                Place::Value
            };
        }
        if matches!(before_word, Word::Between | Word::Escape | Word::To)
            || (before_word == Word::And && before_op == OF_BETWEEN)
        {
            return Place::Value;
        }
        if before_op == op::CONCAT || after_op == op::CONCAT {
            return Place::Value;
        }
        if before_op == op::ARROW {
            return Place::Value;
        }
        if is_comparison(after_op, after_word) || matches!(after_word, Word::In | Word::Not | Word::Between) {
            return self.tested(at, after_word);
        }
        let opens = before_op == b'(' || before_op == b',';
        let closes = after_op == b')' || after_op == b',';
        match mention.frame {
            FrameKind::In | FrameKind::Row if opens && closes => Place::Value,
            FrameKind::Call if opens && (closes || after_word == Word::As) => {
                let first = before_op == b'(';
                if first && expects_column(&self.call_name(mention)) {
                    Place::Name
                } else {
                    self.argument(at)
                }
            }
            FrameKind::Case | FrameKind::SimpleCase if matches!(before_word, Word::Then | Word::Else) => {
                self.argument(at)
            }
            FrameKind::SimpleCase if before_word == Word::When => Place::Value,
            _ if matches!(before_word, Word::Date | Word::Time | Word::Timestamp | Word::Interval) => Place::Value,
            _ if mention.clause == Clause::Limit => Place::Other,
            _ => Place::Name,
        }
    }

    /// An argument that cannot be a name's spelling is a value beyond doubt.
    pub(crate) fn argument(&self, at: usize) -> Place {
        let text = self.text(at);
        if text.chars().any(char::is_alphabetic) && !text.contains(['%', '$', ',', ':']) {
            Place::Argument
        } else {
            Place::Value
        }
    }

    /// The left side of a comparison is a value only where the right side is none.
    pub(crate) fn tested(&self, at: usize, after: Word) -> Place {
        let mut next = at + 2;
        if after == Word::Not {
            next += 1;
        }
        if after == Word::Between || matches!(self.token(at + 2).map(|t| t.word), Some(Word::Between)) {
            return Place::Name;
        }
        let operand = self.token(next);
        let constant = operand
            .is_some_and(|t| t.kind.is_literal() || t.op == b'(' || t.kind == Kind::Quoted || t.kind == Kind::Curly);
        let query =
            operand.is_some_and(|t| t.op == b'(') && self.token(next + 1).is_some_and(|t| t.word == Word::Select);
        if constant && !query { Place::Name } else { Place::Value }
    }

    /// Whether the operand that ends before the comparison at `at` is a literal.
    pub(crate) fn is_constant_before(&self, at: usize) -> bool {
        let at = if self.before(at).is_some_and(|t| t.word == Word::Not) {
            at - 1
        } else {
            at
        };
        let Some(operand) = self.before(at) else { return false };
        let starts = at < 2
            || self.token(at - 2).is_some_and(|t| {
                matches!(
                    t.word,
                    Word::Where | Word::And | Word::Or | Word::Not | Word::On | Word::When | Word::Having
                ) || t.op == b'('
            });
        operand.kind.is_literal() && operand.kind != Kind::Param && starts
    }
}

fn is_comparison(code: u8, word: Word) -> bool {
    matches!(code, b'=' | b'<' | b'>' | op::COMPARE | op::MATCH)
        || matches!(
            word,
            Word::Like | Word::Ilike | Word::Glob | Word::Similar | Word::Regexp | Word::Rlike
        )
}

/// Whether a constant as a function's first argument makes no sense, so that an unknown name there is a misspelt column.
fn expects_column(name: &str) -> bool {
    matches!(
        name,
        "sum"
            | "avg"
            | "mean"
            | "count"
            | "min"
            | "max"
            | "total"
            | "median"
            | "mode"
            | "product"
            | "stddev"
            | "stddev_samp"
            | "stddev_pop"
            | "variance"
            | "var_samp"
            | "var_pop"
            | "first"
            | "last"
            | "any_value"
            | "arg_max"
            | "arg_min"
            | "max_by"
            | "min_by"
            | "array_agg"
            | "list"
            | "string_agg"
            | "group_concat"
            | "listagg"
            | "quantile"
            | "quantile_cont"
            | "quantile_disc"
            | "approx_count_distinct"
            | "lag"
            | "lead"
            | "first_value"
            | "last_value"
            | "nth_value"
            | "abs"
            | "round"
            | "ceil"
            | "ceiling"
            | "floor"
            | "sqrt"
            | "ln"
            | "log"
            | "log10"
            | "power"
            | "pow"
            | "mod"
            | "sign"
            | "exp"
            | "trunc"
            | "columns"
            | "unnest"
            | "corr"
            | "bool_and"
            | "bool_or"
    )
}
