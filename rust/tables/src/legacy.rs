//! Text whose encoding nobody declared: UTF-8 where it is valid, else the likelier of GB18030 and windows-1252.

use std::borrow::Cow;

use encoding_rs::{Encoding, GB18030, UTF_8, WINDOWS_1252};

/// Decodes `bytes` and names the encoding that was taken.
#[must_use]
pub fn decode(bytes: &[u8]) -> (String, &'static str) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return (text.to_owned(), UTF_8.name());
    }
    let encoding = likelier([bytes]);
    (decode_as(encoding, bytes).into_owned(), encoding.name())
}

/// Decodes without looking for a byte-order mark; windows-1252 has a character for every byte.
#[must_use]
pub fn decode_as<'a>(encoding: &'static Encoding, bytes: &'a [u8]) -> Cow<'a, str> {
    encoding.decode_without_bom_handling(bytes).0
}

/// Chooses one encoding for cells that are not UTF-8.
///
/// GB18030 spells common characters with two bytes above 0x7F, Western text sets single accented letters between
/// ASCII: what decodes as GB18030 without error and comes in pairs at least half of the time is taken for Chinese.
#[must_use]
pub fn likelier<'a>(cells: impl IntoIterator<Item = &'a [u8]>) -> &'static Encoding {
    let (mut paired, mut single) = (0_usize, 0_usize);
    for cell in cells {
        if GB18030
            .decode_without_bom_handling_and_without_replacement(cell)
            .is_none()
        {
            return WINDOWS_1252;
        }
        for run in cell.split(u8::is_ascii).filter(|run| !run.is_empty()) {
            paired += run.len() / 2;
            single += run.len() % 2;
        }
    }
    if paired >= single { GB18030 } else { WINDOWS_1252 }
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn chinese_and_western_text_are_told_apart() {
        // Byte strings from Python: "深科技".encode("gbk"), "Café Müller".encode("latin-1").
        assert_eq!(decode(b"\xc9\xee\xbf\xc6\xbc\xbc"), ("深科技".to_owned(), "gb18030"));
        assert_eq!(decode(b"Caf\xe9 M\xfcller"), ("Café Müller".to_owned(), "windows-1252"));
        assert_eq!(decode("深科技".as_bytes()), ("深科技".to_owned(), "UTF-8"));
    }
}
