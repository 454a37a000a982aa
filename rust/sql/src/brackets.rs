//! Whether `[name]` is a name or a list of one column.

use crate::resolve::Resolver;
use crate::structure::{FrameKind, Mention, Role};
use crate::token::op;
use crate::word::Word;

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
            || (self.scope.schema.is_empty())
    }
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
