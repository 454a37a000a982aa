//! What is said about a name that means nothing, or more than one thing.

use crate::SqlError;
use crate::edits::quote_name;
use crate::fold::nearest;
use crate::resolve::Resolver;
use crate::structure::{Mention, Origin};

/// Names that an error lists.
const LISTED: usize = 3;

impl Resolver<'_, '_> {
    pub(crate) fn unknown(&self, name: &str, known: &[&str], mention: &Mention) -> SqlError {
        let close = nearest(name, known.iter().copied(), LISTED);
        let tables: Vec<String> = self
            .scope
            .blocks(mention.block)
            .flat_map(|block| self.scope.sources(block))
            .filter_map(|source| match source.origin {
                Origin::Table(table) => Some(format!("`{}`", self.scope.schema.table_name(table))),
                _ => None,
            })
            .take(4)
            .collect();
        let message = if tables.is_empty() {
            format!("`{name}` names no column: the statement reads no table here")
        } else {
            format!("`{name}` names no column of {}", tables.join(", "))
        };
        let nearest = if close.is_empty() {
            String::new()
        } else {
            format!("the nearest are {}; ", list(close.iter().copied()))
        };
        SqlError {
            message,
            hint: format!("{nearest}text is written in single quotes"),
        }
    }
}

pub(crate) fn list<'n>(names: impl Iterator<Item = &'n str>) -> String {
    names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

pub(crate) fn ambiguous(name: &str, names: &[String], what: &str) -> SqlError {
    let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
    names.sort_unstable();
    SqlError {
        message: format!(
            "`{name}` may be the {what} {}",
            names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(" or ")
        ),
        hint: format!(
            "write the one that is meant as it is spelled, in double quotes: {}",
            quote_name(names[0])
        ),
    }
}
