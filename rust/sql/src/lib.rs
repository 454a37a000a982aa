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
mod sources;
mod structure;
#[cfg(test)]
mod tests;
mod times;
mod token;
mod variables;
mod word;

pub use edits::{Edit, RewriteKind, apply, characters, quote_name, quote_text};
pub use fold::{distance, fold, nearest};
pub use schema::Schema;
pub use token::{Kind, Token};
pub use word::{Word, word};

use assemble::Assembler;
use functions::Rewriter;
use parser::Parser;
use resolve::Resolver;
use scope::Scope;

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
    if sql.len() > MAX_LENGTH {
        return Err(SqlError {
            message: format!("the statement has {} bytes, more than {MAX_LENGTH}", sql.len()),
            hint: "put the values into a table and join it".to_owned(),
        });
    }
    let assemble::Assembled {
        mut tokens,
        mut edits,
        has_names,
        brackets_quote,
        has_dialect,
    } = Assembler::new(sql, schema).run();
    if has_names || has_dialect {
        let structure = Parser::new(sql, schema, &mut tokens, &mut edits).run();
        let mut scope = Scope::new(sql, schema, &tokens, &structure);
        Rewriter {
            scope: &mut scope,
            edits: &mut edits,
        }
        .run();
        Resolver::new(scope, &mut edits, brackets_quote).run()?;
    }
    Ok(edits.into_sorted())
}
