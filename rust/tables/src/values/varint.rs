//! Unsigned numbers in as few bytes as they need (LEB128), and the bytes of a text after its length.

/// Appends a number.
pub(super) fn push(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(low_byte(value) | 0x80);
        value >>= 7;
    }
    bytes.push(low_byte(value));
}

fn low_byte(value: u64) -> u8 {
    value.to_le_bytes()[0]
}

/// Appends a text with its length.
pub(super) fn push_text(bytes: &mut Vec<u8>, text: &str) {
    push(bytes, text.len() as u64);
    bytes.extend_from_slice(text.as_bytes());
}

/// Reads from the beginning of bytes; each method gives `None` where they end too early or say nothing possible.
pub(super) struct Reader<'a>(pub(super) &'a [u8]);

impl<'a> Reader<'a> {
    pub(super) fn number(&mut self) -> Option<u64> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.0.split_first()?;
            self.0 = rest;
            let part = u64::from(byte & 0x7F);
            value |= part.checked_shl(shift).filter(|shifted| shifted >> shift == part)?;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    pub(super) fn small(&mut self) -> Option<usize> {
        self.number()?.try_into().ok()
    }

    pub(super) fn bytes(&mut self, length: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }

    pub(super) fn text(&mut self) -> Option<&'a str> {
        let length = self.small()?;
        std::str::from_utf8(self.bytes(length)?).ok()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Reader, push, push_text};

    proptest! {
        #[test]
        fn numbers_and_texts_come_back(number: u64, text: String) {
            let mut bytes = Vec::new();
            push(&mut bytes, number);
            push_text(&mut bytes, &text);
            let mut reader = Reader(&bytes);
            prop_assert_eq!(reader.number(), Some(number));
            prop_assert_eq!(reader.text(), Some(text.as_str()));
            prop_assert!(reader.0.is_empty());
        }

        #[test]
        fn no_bytes_break_the_reader(bytes: Vec<u8>) {
            let mut reader = Reader(&bytes);
            while reader.number().is_some() {}
            let _ = reader.text();
        }
    }
}
