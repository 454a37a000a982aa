//! The luma of one picture, as a decoder lays it out.

use crate::Error;

/// 8-bit luma in rows that may be padded; borrowed, never copied.
#[derive(Clone, Copy, Debug)]
pub struct Plane<'a> {
    bytes: &'a [u8],
    /// Pixels in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    line_size: usize,
}

impl<'a> Plane<'a> {
    /// Wraps a buffer whose rows begin `line_size` bytes apart.
    pub fn new(bytes: &'a [u8], width: usize, height: usize, line_size: usize) -> Result<Self, Error> {
        let needed = height
            .checked_sub(1)
            .and_then(|rows| rows.checked_mul(line_size))
            .and_then(|all| all.checked_add(width));
        if line_size < width || needed.is_none_or(|needed| needed > bytes.len()) {
            return Err(Error::Plane {
                width,
                height,
                line_size,
                length: bytes.len(),
            });
        }
        Ok(Self {
            bytes,
            width,
            height,
            line_size,
        })
    }

    /// The first `length` pixels of row `row`.
    #[inline(always)]
    #[allow(clippy::inline_always)] // see `signature`
    pub(crate) fn line(&self, row: usize, length: usize) -> &'a [u8] {
        &self.bytes[row * self.line_size..][..length]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_that_is_too_short_is_refused() {
        assert!(Plane::new(&[0; 30], 8, 4, 8).is_err());
        assert!(Plane::new(&[0; 32], 8, 4, 7).is_err());
        assert!(Plane::new(&[0; 32], 8, 0, 8).is_err());
        // The last row needs no padding.
        assert!(Plane::new(&[0; 38], 8, 4, 10).is_ok());
    }
}
