//! The value index: which cells of which columns a question speaks of.
//!
//! Every distinct cell stands under its normal forms (text, number, date, code) in one sorted set, a finite state
//! transducer that is read where it lies on disk. A walk through it from each place of a question where a value may
//! begin finds every cell that stands there; what is spelled otherwise is found by the edits that lead to it, what is
//! only a part of a cell by the words and pairs of characters that they share.

mod build;
pub mod codes;
mod file;
mod find;
pub mod fold;
pub mod forms;
mod loose;
mod near;
mod parts;
mod quotes;
mod sorter;
mod spelled;
mod varint;

pub use build::Builder;
pub use file::{Index, VERSION};
pub use find::{Hit, HitKind};

/// Longer cells are prose: no question spells them out. In characters.
pub const LONGEST_CELL: usize = 200;

/// What a key says of a cell; the first byte of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Space {
    Text = 1,
    Number = 2,
    Date = 3,
    Code = 4,
}

/// Why an index cannot be built, opened or asked.
#[derive(Debug, thiserror::Error)]
pub enum ValueError {
    /// The file cannot be read or written.
    #[error("cannot be read or written: {0}")]
    Io(#[from] std::io::Error),
    /// The file is no index, or was cut off or changed since it was written.
    #[error("is damaged: {0}")]
    Damaged(&'static str),
    /// The file is an index of another version.
    #[error("was built by another version ({found}, this is {VERSION})")]
    OtherVersion {
        /// The version that the file names.
        found: u32,
    },
    /// The builder was used as none may be.
    #[error("cannot be built: {0}")]
    Misused(&'static str),
}

#[cfg(test)]
mod tests;
