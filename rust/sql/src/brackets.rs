//! Whether `[name]` is a name or a list of one column.

use crate::resolve::Resolver;
use crate::structure::{FrameKind, Mention, Role};
use crate::token::{Kind, offset, op};
use crate::word::Word;

/// Parentheses and functions around a bracket that are looked through.
const MOST_AROUND: usize = 8;

/// Tokens of a list behind `IN` that are looked at.
const LONGEST_LIST: usize = 256;

impl Resolver<'_, '_> {
    /// Whether a bracket holds a list of one column rather than a name.
    pub(crate) fn is_list(&self, mention: &Mention) -> bool {
        let at = mention.token as usize;
        let (before, after) = (self.before(at), self.op_at(at + 1));
        let qualified = before.is_some_and(|t| t.op == b'.') || after == b'.';
        if mention.role != Role::Expression || qualified || before.is_some_and(|t| t.word == Word::As) {
            return false;
        }
        if after == b'[' || matches!(mention.frame, FrameKind::Brackets) {
            return true;
        }
        if self.brackets_quote {
            return false;
        }
        if (self.has_list || after == op::CAST) && is_expression(&self.text(at)) {
            return true;
        }
        let before = before.map_or((0, Word::Other), |t| (t.op, t.word));
        before.0 == op::CONCAT
            || after == op::CONCAT
            || before.0 == b':'
            || matches!(before.1, Word::In | Word::Array)
            || (mention.frame == FrameKind::Call && takes_list(&self.call_name(mention)))
            || mention.frame == FrameKind::Braces
            || self.scope.schema.is_empty()
            || self.is_beside_list(mention)
    }

    /// Whether the bracket, or what parentheses and `min` or `max` around it give, is compared with a column of lists.
    fn is_beside_list(&self, mention: &Mention) -> bool {
        let (mut first, mut last) = (mention.token as usize, mention.token as usize);
        // A column of lists is compared with one of its own kind as it stands.
        if !self.scope.schema.has_lists() || self.holds_lists(mention, first, first) {
            return false;
        }
        for _ in 0..MOST_AROUND {
            if self.is_compared(mention, first, last) {
                return true;
            }
            if first == 0 || self.op_at(first - 1) != b'(' || self.op_at(last + 1) != b')' {
                break;
            }
            first -= 1;
            last += 1;
            if first > 0 && gives_its_argument(&self.text(first - 1)) {
                first -= 1;
            }
        }
        mention.frame == FrameKind::In
            && self
                .tested_by(mention.token as usize)
                .is_some_and(|tested| self.ends_with_list(mention, tested))
    }

    /// Whether the operand of these tokens is compared with a column of lists.
    fn is_compared(&self, mention: &Mention, first: usize, last: usize) -> bool {
        let compares = |at: usize| matches!(self.op_at(at), b'=' | b'<' | b'>' | op::COMPARE);
        if compares(last + 1) {
            let start = last + 2;
            let end = if self.op_at(start + 1) == b'.' {
                start + 2
            } else {
                start
            };
            return self.holds_lists(mention, start, end);
        }
        first > 1 && compares(first - 1) && self.ends_with_list(mention, first - 2)
    }

    /// Whether a column of lists ends with the token at `last`.
    fn ends_with_list(&self, mention: &Mention, last: usize) -> bool {
        let qualified = last > 1 && self.op_at(last - 1) == b'.';
        self.holds_lists(mention, if qualified { last - 2 } else { last }, last)
    }

    fn holds_lists(&self, mention: &Mention, first: usize, last: usize) -> bool {
        let is_name = |at: usize| {
            self.token(at)
                .is_some_and(|t| t.kind == Kind::Ident || t.kind.is_quoted_name())
        };
        is_name(first) && is_name(last) && self.scope.holds_lists(mention.block, offset(first), offset(last))
    }

    /// Last token of what `IN (…)`, in whose list the token at `at` stands, looks for.
    fn tested_by(&self, at: usize) -> Option<usize> {
        let mut depth = 0;
        let open = (at.saturating_sub(LONGEST_LIST)..at).rev().find(|before| {
            match self.op_at(*before) {
                b')' | b']' => depth += 1,
                b'(' | b'[' => depth -= 1,
                _ => {}
            }
            depth < 0
        })?;
        let is = |at: usize, word: Word| self.token(at).is_some_and(|t| t.kind == Kind::Ident && t.word == word);
        let before = open.checked_sub(2).filter(|_| is(open - 1, Word::In))?;
        if is(before, Word::Not) {
            before.checked_sub(1)
        } else {
            Some(before)
        }
    }
}

/// Whether the function's result has the type of its argument.
fn gives_its_argument(name: &str) -> bool {
    ["min", "max", "any_value", "first", "last"]
        .iter()
        .any(|known| known.eq_ignore_ascii_case(name))
}

/// Whether a bracket's content is a name that needs no quotes, so that the bracket is a list as it stands.
fn is_expression(content: &str) -> bool {
    content.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && content.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// Whether a function's argument may be a list, so that a bracket in it is one.
fn takes_list(name: &str) -> bool {
    name.starts_with("list_")
        || name.starts_with("array_")
        || name.starts_with("map")
        || name.starts_with("json_")
        || matches!(
            name,
            "unnest"
                | "len"
                | "length"
                | "flatten"
                | "cardinality"
                | "list"
                | "apply"
                | "filter"
                | "reduce"
                | "generate_series"
                | "any"
                | "all"
                | "struct_pack"
                | "row"
                | "contains"
                | "has"
                | "to_json"
                | "concat"
                | "array"
                | "coalesce"
        )
}
