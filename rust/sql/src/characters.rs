//! What each byte of a text can be part of.

pub(crate) const SPACE: u8 = 1;
pub(crate) const START: u8 = 2;
pub(crate) const DIGIT: u8 = 4;
pub(crate) const OPERATOR: u8 = 8;
pub(crate) const WIDE: u8 = 16;
/// What a name may hold behind its first character.
pub(crate) const NAME: u8 = 32;

pub(crate) const CLASS: [u8; 256] = {
    let mut table = [0; 256];
    let mut i = 0;
    while i < 256 {
        #[allow(clippy::cast_possible_truncation)]
        let byte = i as u8;
        table[i] = match byte {
            b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c => SPACE,
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => START | NAME,
            b'$' => NAME,
            0x80.. => START | WIDE | NAME,
            b'0'..=b'9' => DIGIT | NAME,
            b'~' | b'!' | b'@' | b'^' | b'&' | b'|' | b'+' | b'-' | b'*' | b'/' | b'%' | b'<' | b'>' | b'=' => OPERATOR,
            _ => 0,
        };
        i += 1;
    }
    table
};

/// Length of the Unicode white space that `DuckDB` reads as a blank at `at`, or 0.
#[inline]
#[must_use]
pub(crate) fn wide_space(bytes: &[u8], at: usize) -> usize {
    match bytes[at..] {
        [0xc2, 0xa0, ..] => 2,
        [0xe2, 0x80, 0x80..=0x8d | 0xaf, ..]
        | [0xe2, 0x81, 0x9f | 0xa0, ..]
        | [0xe3, 0x80, 0x80, ..]
        | [0xef, 0xbb, 0xbf, ..] => 3,
        _ => 0,
    }
}
