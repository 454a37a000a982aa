//! A `DuckDB` lexer, identifier normalisation and restoration: repairs the form of a statement, never its meaning.
//!
//! Nothing here knows that Python exists.

mod assemble;
mod brackets;
mod characters;
mod clauses;
mod conversions;
mod edits;
mod fold;
mod frames;
mod functions;
mod keywords;
pub mod lexer;
mod names;
mod parser;
mod place;
mod refusals;
mod resolve;
mod runs;
mod schema;
mod scope;
mod scratch;
mod sources;
mod structure;
#[cfg(test)]
mod tests;
mod times;
mod token;
mod variables;
mod word;

pub use edits::{Edit, Replacement, RewriteKind, apply, characters, quote_name, quote_text};
pub use fold::{distance, fold, nearest};
pub use schema::Schema;
pub use token::{Kind, Token};
pub use word::{Word, word};

use assemble::{Assembler, Seen};
use edits::Edits;
use functions::Rewriter;
use parser::Parser;
use resolve::Resolver;
use scope::Scope;
use scratch::Scratch;

/// Longest statement that is looked at, in bytes: far beyond any query, far below the width of an offset.
pub const MAX_LENGTH: usize = 1 << 24;

/// Why a statement cannot be repaired.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SqlError {
    /// One sentence without a full stop.
    pub message: String,
    /// What to do about it.
    pub hint: String,
}

/// Returns the edits that make `sql` right in form for `schema`, in the order of the text.
///
/// With an empty schema only repairs that need no names are made. Strings, comments and dollar quotes are never
/// touched.
pub fn normalize(sql: &str, schema: &Schema) -> Result<Vec<Edit>, SqlError> {
    examine(sql, schema, |seen| seen.names || seen.dialect)
}

/// [`normalize`], which reads the shape of a statement only where what it holds `asks` for it.
fn examine(sql: &str, schema: &Schema, asks: impl FnOnce(Seen) -> bool) -> Result<Vec<Edit>, SqlError> {
    if sql.len() > MAX_LENGTH {
        return Err(SqlError {
            message: format!("the statement has {} bytes, more than {MAX_LENGTH}", sql.len()),
            hint: "put the values into a table and join it".to_owned(),
        });
    }
    scratch::with(|scratch| {
        let mut edits = Edits::default();
        let seen = Assembler::new(sql, schema, scratch, &mut edits).run();
        if asks(seen) {
            look_closer(sql, schema, scratch, &mut edits, seen)?;
        }
        Ok(edits.into_sorted())
    })
}

/// Reads the shape of a statement and looks its names up.
fn look_closer(
    sql: &str,
    schema: &Schema,
    scratch: &mut Scratch,
    edits: &mut Edits,
    seen: Seen,
) -> Result<(), SqlError> {
    Parser::new(sql, schema, scratch, edits).run();
    let mut scope = Scope::new(sql, schema, &scratch.tokens, &scratch.structure);
    Rewriter {
        scope: &mut scope,
        edits,
    }
    .run();
    Resolver::new(scope, edits, seen, &scratch.quoted).run(&mut scratch.order)
}
