//! A DuckDB lexer, identifier normalisation and restoration.
//!
//! Nothing here knows that Python exists.
