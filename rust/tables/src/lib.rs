//! Canonical names, cell typing and readers that turn messy files into Arrow tables.
//!
//! Nothing here knows that Python exists.

pub mod cells;
pub mod delimited;
pub mod keywords;
pub mod names;
pub mod table;

pub use table::{Column, Note, SourceTable, TableError};
