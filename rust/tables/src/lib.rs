//! Canonical names, cell typing and readers that turn messy files into Arrow tables.
//!
//! Nothing here knows that Python exists.

pub mod alignment;
pub mod calendar;
pub mod cells;
pub mod delimited;
pub mod dynamic;
pub mod json;
pub mod keywords;
pub mod kind;
pub mod names;
pub mod normalise;
pub mod null_tokens;
pub mod numbers;
pub mod readings;
mod remarks;
pub mod sqlite;
pub mod table;
pub mod values;
pub mod workbook;

pub use table::{Column, Note, SourceTable, TableError};
