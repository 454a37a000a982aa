//! What each byte of a text can be part of.

pub(crate) const SPACE: u8 = 1;
pub(crate) const START: u8 = 2;
pub(crate) const DIGIT: u8 = 4;
pub(crate) const OPERATOR: u8 = 8;
pub(crate) const WIDE: u8 = 16;
/// What a name may hold behind its first character.
pub(crate) const NAME: u8 = 32;
/// A token of its own, whatever follows.
pub(crate) const MARK: u8 = 64;

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
            b'(' | b')' | b'[' | b']' | b'{' | b'}' | b',' | b';' | b'#' => MARK,
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

/// How many of eight bytes, the first one lowest, are ASCII characters of a name before the first that is none.
#[inline]
pub(crate) fn name_prefix(bytes: u64) -> usize {
    const HIGH: u64 = each(0x80);
    let low = bytes & !HIGH;
    let small = low | each(0x20);
    // Each sum or difference stays within its byte, whose high bit then tells.
    let letter = (small + each(0x80 - b'a')) & !(small + each(0x7f - b'z'));
    let digit = (low + each(0x80 - b'0')) & !(low + each(0x7f - b'9'));
    let mark = (HIGH - (low ^ each(b'_'))) | (HIGH - (low ^ each(b'$')));
    let outside = !(letter | digit | mark) & HIGH | bytes & HIGH;
    outside.trailing_zeros() as usize / 8
}

/// `byte` eight times.
const fn each(byte: u8) -> u64 {
    0x0101_0101_0101_0101 * byte as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_bytes_at_once_are_told_as_one_is() {
        for byte in 0..=255 {
            for place in 0..8 {
                let mut text = *b"a1_$Zz09";
                text[place] = byte;
                let alone = CLASS[byte as usize] & NAME != 0 && byte < 0x80;
                let expected = if alone { 8 } else { place };
                assert_eq!(name_prefix(u64::from_le_bytes(text)), expected, "{byte} at {place}");
            }
        }
    }
}
