//! Slides of a video: which pictures stand still, when each came and what it changed. No Python, no decoder.

mod blobs;
mod drift;
mod live;
mod merge;
mod plane;
mod pointer;
pub mod rhythm;
pub mod signature;
mod stabilizer;
mod state;
mod ticking;

pub use merge::{Change, Found, FoundSlide, Region};
pub use plane::Plane;
pub use stabilizer::{Stabilizer, Step};

/// Why a picture cannot be looked at.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Not even one block.
    #[error("a picture of {width}x{height} pixels is too small to be compared")]
    TooSmall {
        /// Pixels in a row.
        width: usize,
        /// Rows.
        height: usize,
    },
    /// The buffer does not hold the picture that its sizes promise.
    #[error("a plane of {width}x{height} pixels in lines of {line_size} bytes does not fit into {length} bytes")]
    Plane {
        /// Pixels in a row.
        width: usize,
        /// Rows.
        height: usize,
        /// Bytes from one row to the next.
        line_size: usize,
        /// Bytes in the buffer.
        length: usize,
    },
    /// Time stands still or runs backwards.
    #[error("the picture at {pts} s comes after one at {before} s")]
    Order {
        /// Time of the new picture, in seconds.
        pts: f64,
        /// Time of the last picture, in seconds.
        before: f64,
    },
    /// The picture changed its size.
    #[error("a picture of {width}x{height} pixels cannot be compared with those before it, which have another size")]
    Size {
        /// Pixels in a row.
        width: usize,
        /// Rows.
        height: usize,
    },
    /// Packet lists of different length.
    #[error("{times} times, {sizes} sizes and {keys} key flags do not describe the same packets")]
    Packets {
        /// Number of times.
        times: usize,
        /// Number of sizes.
        sizes: usize,
        /// Number of key flags.
        keys: usize,
    },
}
