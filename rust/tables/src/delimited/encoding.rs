//! Finds how a file's bytes spell its text.

use encoding_rs::{BIG5, EUC_JP, EUC_KR, Encoding, GB18030, SHIFT_JIS, UTF_16BE, UTF_16LE, WINDOWS_1251, WINDOWS_1252};
use memchr::memchr_iter;

use crate::table::{Note, TableError};

/// A file's text and how it was spelled.
#[derive(Debug)]
pub struct Decoded {
    /// Without a byte order mark.
    pub text: String,
    /// `utf-8`, `utf-8-sig`, `utf-16le`, `utf-16be`, `utf-32le`, `utf-32be`, `gb18030`, `windows-1252`, …
    pub encoding: &'static str,
    /// Empty for sound UTF-8.
    pub notes: Vec<Note>,
}

/// Beginnings of files that hold no text, and what they are.
const SIGNATURES: [(&[u8], &str); 17] = [
    (b"PK\x03\x04", "a ZIP archive (a workbook is one too)"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\x28\xb5\x2f\xfd", "a Zstandard archive"),
    (b"\xfd7zXZ\0", "an XZ archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"SQLite format 3\0", "an SQLite database"),
    (b"PAR1", "a Parquet file"),
    (b"ARROW1", "an Arrow file"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a legacy Office file"),
    (b"%PDF-", "a PDF document"),
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"\x7fELF", "a program"),
    (b"{\\rtf", "a rich-text document"),
];

/// Decodes a whole file: byte order mark, UTF-16 by its NUL pattern, strict UTF-8, then the legacy encodings.
pub fn decode(bytes: Vec<u8>) -> Result<Decoded, TableError> {
    refuse_other_formats(&bytes)?;
    if let Some(decoded) = by_mark(&bytes) {
        return decoded;
    }
    if let Some(encoding) = utf16_without_mark(&bytes) {
        let note = Note::new("encoding", "the file is UTF-16 without a byte order mark", 0);
        return Ok(by_table(&bytes, encoding, note));
    }
    refuse_binary(&bytes)?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Decoded {
            text,
            encoding: "utf-8",
            notes: Vec::new(),
        }),
        Err(error) => Ok(legacy(&error.into_bytes())),
    }
}

fn refuse_other_formats(bytes: &[u8]) -> Result<(), TableError> {
    if bytes.is_empty() {
        return Err(TableError::new("is empty").with_hint("delete the file, or export it again"));
    }
    if bytes.starts_with(b"version https://git-lfs.github.com/spec/") {
        return Err(TableError::new("is a Git LFS pointer, not the data itself")
            .with_hint("run `git lfs pull` where the file came from"));
    }
    match SIGNATURES.iter().find(|(signature, _)| bytes.starts_with(signature)) {
        Some((_, what)) => Err(TableError::new(format!("is {what}, not delimited text"))
            .with_hint("give the file the ending of its format, or unpack it")),
        None => Ok(()),
    }
}

/// One control character in so many bytes is damage; more is no text.
const BYTES_A_CONTROL: usize = 20;

fn refuse_binary(bytes: &[u8]) -> Result<(), TableError> {
    let sample = &bytes[..bytes.len().min(1 << 14)];
    let controls = sample
        .iter()
        .filter(|b| matches!(**b, 0..=8 | 14..=26 | 28..=31 | 127))
        .count();
    if controls > 4 && controls > sample.len() / BYTES_A_CONTROL {
        return Err(TableError::new("holds binary data, not delimited text")
            .with_hint("open the file with the program that wrote it and export it as CSV"));
    }
    Ok(())
}

fn by_mark(bytes: &[u8]) -> Option<Result<Decoded, TableError>> {
    let marked = |name| Note::new("encoding", format!("the file is {name}, by its byte order mark"), 0);
    match bytes {
        [0xff, 0xfe, 0, 0, rest @ ..] if rest.len() % 4 == 0 => Some(utf32(rest, u32::from_le_bytes, "utf-32le")),
        [0, 0, 0xfe, 0xff, rest @ ..] => Some(utf32(rest, u32::from_be_bytes, "utf-32be")),
        [0xff, 0xfe, rest @ ..] => Some(Ok(by_table(rest, UTF_16LE, marked("UTF-16")))),
        [0xfe, 0xff, rest @ ..] => Some(Ok(by_table(rest, UTF_16BE, marked("UTF-16, big-endian")))),
        [0xef, 0xbb, 0xbf, rest @ ..] => {
            if rest.is_empty() {
                return Some(Err(TableError::new("is empty but for a byte order mark")));
            }
            Some(refuse_binary(rest).map(|()| match std::str::from_utf8(rest) {
                Ok(text) => Decoded {
                    text: text.to_owned(),
                    encoding: "utf-8-sig",
                    notes: Vec::new(),
                },
                Err(_) => Decoded {
                    encoding: "utf-8-sig",
                    ..damaged_utf8(rest)
                },
            }))
        }
        _ => None,
    }
}

fn utf32(bytes: &[u8], unit: fn([u8; 4]) -> u32, encoding: &'static str) -> Result<Decoded, TableError> {
    let (units, rest) = bytes.as_chunks::<4>();
    let text: Option<String> = units.iter().map(|u| char::from_u32(unit(*u))).collect();
    match text {
        Some(text) if rest.is_empty() => Ok(Decoded {
            text,
            encoding,
            notes: vec![Note::new("encoding", "the file is UTF-32, by its byte order mark", 0)],
        }),
        _ => Err(TableError::new("starts as UTF-32 but is not").with_hint("save the file as UTF-8")),
    }
}

/// UTF-16 is told by NUL bytes that all stand on one side of the byte pairs: the ASCII of delimiters and line breaks.
fn utf16_without_mark(bytes: &[u8]) -> Option<&'static Encoding> {
    let sample = &bytes[..bytes.len().min(1 << 16) & !1];
    let mut nul = [0_usize; 2];
    for at in memchr_iter(0, sample) {
        nul[at % 2] += 1;
    }
    let enough = |count: usize| count >= 2 && count * 50 >= sample.len();
    let encoding = match nul {
        [0, odd] if enough(odd) => UTF_16LE,
        [even, 0] if enough(even) => UTF_16BE,
        _ => return None,
    };
    encoding
        .decode_without_bom_handling_and_without_replacement(sample)
        .is_some_and(|text| !text.contains('\0') && text.contains(['\n', '\r', ',', '\t', ';']))
        .then_some(encoding)
}

fn by_table(bytes: &[u8], encoding: &'static Encoding, note: Note) -> Decoded {
    let (text, damaged) = encoding.decode_without_bom_handling(bytes);
    let mut notes = vec![note];
    if damaged {
        notes.push(replaced(&text));
    }
    Decoded {
        text: text.into_owned(),
        encoding: python_name(encoding),
        notes,
    }
}

fn replaced(text: &str) -> Note {
    let count = text.matches('\u{fffd}').count() as u64;
    let message = format!("{count} byte sequences that are no text in this encoding became U+FFFD");
    let mut note = Note::new("replaced-bytes", message, count);
    for line in text
        .lines()
        .filter(|line| line.contains('\u{fffd}'))
        .take(Note::MAX_SAMPLES)
    {
        note = note.with_sample(line);
    }
    note
}

/// The names that Python's codecs know.
fn python_name(encoding: &'static Encoding) -> &'static str {
    match encoding.name() {
        "UTF-16LE" => "utf-16le",
        "UTF-16BE" => "utf-16be",
        "gb18030" => "gb18030",
        "Shift_JIS" => "shift_jis",
        "EUC-JP" => "euc_jp",
        "EUC-KR" => "euc_kr",
        "Big5" => "big5",
        "windows-1251" => "windows-1251",
        _ => "windows-1252",
    }
}

fn damaged_utf8(bytes: &[u8]) -> Decoded {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let notes = vec![replaced(&text)];
    Decoded {
        text,
        encoding: "utf-8",
        notes,
    }
}

/// Chooses among the encodings that need a guess, and says which it was.
fn legacy(bytes: &[u8]) -> Decoded {
    // A cut or patched UTF-8 file still consists of UTF-8 sequences; text in another encoding hardly ever forms one.
    let (mut sound, mut broken) = (0_usize, 0_usize);
    for chunk in bytes.utf8_chunks() {
        sound += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        broken += usize::from(!chunk.invalid().is_empty());
    }
    if sound >= 3 * broken {
        return damaged_utf8(bytes);
    }
    let encoding = guess(bytes);
    let name = encoding.name();
    let message = format!("the file is not UTF-8; it was read as {name}, the encoding that fits its bytes best");
    by_table(bytes, encoding, Note::new("encoding", message, 0))
}

/// Pairs of high bytes, by the rows of GB 2312 that they would fall into.
#[derive(Debug, Default)]
struct Pairs {
    total: usize,
    /// Rows 16 to 55, the frequent ideographs.
    frequent: usize,
    /// Of these, rows 41 to 55: pinyin from `ru` on, which no Korean syllable block shares.
    frequent_late: usize,
    /// Rows 1 and 3: punctuation and full-width forms.
    punctuation: usize,
    /// Rows 4 and 5: the Japanese syllabaries, here and in EUC-JP.
    kana: usize,
}

fn pairs_of(bytes: &[u8]) -> Pairs {
    let mut pairs = Pairs::default();
    let mut at = 0;
    while let Some(&lead) = bytes.get(at) {
        if lead < 0x80 {
            at += 1;
            continue;
        }
        let trail = bytes.get(at + 1).copied().unwrap_or(0);
        // GB 18030 writes rare characters in four bytes; they say nothing about frequency.
        if (0x30..=0x39).contains(&trail) {
            at += 4;
            pairs.total += 1;
            continue;
        }
        pairs.total += 1;
        if trail >= 0xa1 {
            match lead {
                0xb0..=0xd7 => {
                    pairs.frequent += 1;
                    pairs.frequent_late += usize::from(lead >= 0xc9);
                }
                0xa1 | 0xa3 => pairs.punctuation += 1,
                0xa4 | 0xa5 => pairs.kana += 1,
                _ => {}
            }
        }
        at += 2;
    }
    pairs
}

/// The likeliest encoding of text that is not UTF-8; windows-1252, which decodes every byte, where none is likely.
pub(crate) fn guess(bytes: &[u8]) -> &'static Encoding {
    let sound = |encoding: &'static Encoding| {
        encoding
            .decode_without_bom_handling_and_without_replacement(bytes)
            .is_some()
    };
    let pairs = pairs_of(bytes);
    let part = |count: usize, percent: usize| count * 100 >= pairs.total * percent;
    if sound(GB18030) && part(pairs.frequent + pairs.punctuation + pairs.kana, 70) {
        if part(pairs.kana, 30) && sound(EUC_JP) {
            return EUC_JP;
        }
        // Chinese text has a third of its ideographs in the late rows, Korean text none of its syllables.
        if pairs.frequent >= 20 && pairs.frequent_late * 33 < pairs.frequent && sound(EUC_KR) {
            return EUC_KR;
        }
        return GB18030;
    }
    if pairs.total >= 8 {
        let share = |encoding: &'static Encoding, typical: fn(char) -> bool| {
            let text = encoding.decode_without_bom_handling_and_without_replacement(bytes)?;
            let (mut hits, mut all) = (0_usize, 0_usize);
            for c in text.chars().filter(|c| !c.is_ascii()) {
                all += 1;
                hits += usize::from(typical(c));
            }
            (hits * 100 >= all * 60).then_some(encoding)
        };
        let kana = |c| matches!(c, '\u{3040}'..='\u{30ff}' | '\u{4e00}'..='\u{9fff}' | '\u{3000}'..='\u{303f}' | '\u{ff01}'..='\u{ff5e}');
        let ideograph = |c| matches!(c, '\u{4e00}'..='\u{9fff}' | '\u{3000}'..='\u{303f}' | '\u{ff01}'..='\u{ff5e}');
        let cyrillic = |c| matches!(c, '\u{0410}'..='\u{044f}' | '\u{0401}' | '\u{0451}');
        // Western text has its accents one by one; scripts of their own come in runs.
        if runs_of_high_bytes(bytes) >= 3 {
            let candidates = [
                share(SHIFT_JIS, kana),
                share(BIG5, ideograph),
                share(WINDOWS_1251, cyrillic),
            ];
            if let Some(encoding) = candidates.into_iter().flatten().next() {
                return encoding;
            }
        }
        if sound(GB18030) && part(pairs.frequent, 40) {
            return GB18030;
        }
    }
    WINDOWS_1252
}

/// The median length of runs of bytes above 127 (a trail byte below counts, as double-byte encodings have them).
fn runs_of_high_bytes(bytes: &[u8]) -> usize {
    let mut lengths: Vec<usize> = bytes
        .split(|b| *b < 0x40)
        .map(|run| run.iter().filter(|b| **b >= 0x80).count())
        .filter(|count| *count > 0)
        .collect();
    let middle = lengths.len() / 2;
    if lengths.is_empty() {
        return 0;
    }
    *lengths.select_nth_unstable(middle).1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoding_of(bytes: &[u8]) -> &'static str {
        decode(bytes.to_vec()).map_or("refused", |decoded| decoded.encoding)
    }

    #[test]
    fn marks_and_patterns_are_believed() {
        let utf16: Vec<u8> = "姓名,年龄\n张三,30\n"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        assert_eq!(encoding_of(&utf16), "utf-16le");
        let big: Vec<u8> = "a,b\n1,2\n".encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(encoding_of(&big), "utf-16be");
        assert_eq!(encoding_of(&[&[0xff, 0xfe], utf16.as_slice()].concat()), "utf-16le");
        assert_eq!(encoding_of("\u{feff}a,b\n".as_bytes()), "utf-8-sig");
        assert_eq!(encoding_of("é".as_bytes()), "utf-8");
    }

    #[test]
    fn legacy_encodings_are_told_apart() {
        let chinese = "城市,人口\n上海,2487\n北京,2189\n广州,1868\n深圳,1756\n";
        assert_eq!(encoding_of(&GB18030.encode(chinese).0), "gb18030");
        assert_eq!(
            encoding_of(&WINDOWS_1252.encode("name,città\nJosé,Forlì\nZoë,Köln\n").0),
            "windows-1252"
        );
        assert_eq!(
            encoding_of(&WINDOWS_1252.encode("price\n£5\n10 °C\n").0),
            "windows-1252"
        );
        let japanese = "名前,都市\nたなか,とうきょう\nスズキ,オオサカ\nさとう,なごや\n";
        assert_eq!(encoding_of(&SHIFT_JIS.encode(japanese).0), "shift_jis");
        assert_eq!(encoding_of(&EUC_JP.encode(japanese).0), "euc_jp");
        let korean = "이름,도시\n김철수,서울\n이영희,부산\n박민수,대구\n최지우,인천\n정수빈,광주\n";
        assert_eq!(encoding_of(&EUC_KR.encode(korean).0), "euc_kr");
        let russian = "имя,город\nИван,Москва\nОльга,Казань\nПётр,Самара\n";
        assert_eq!(encoding_of(&WINDOWS_1251.encode(russian).0), "windows-1251");
    }

    #[test]
    fn damage_is_counted() {
        let mut bytes = "城市,人口\n上海,2487\n北京,2189\n广州,1868\n".as_bytes().to_vec();
        bytes.truncate(bytes.len() - 1);
        bytes[1] = b'x';
        let decoded = decode(bytes).unwrap();
        assert_eq!(decoded.encoding, "utf-8");
        assert_eq!(decoded.notes[0].code, "replaced-bytes");
    }

    #[test]
    fn other_formats_are_named() {
        for bytes in [
            &b"PK\x03\x04rest"[..],
            b"\x1f\x8b\x08",
            b"",
            b"version https://git-lfs.github.com/spec/v1\n",
        ] {
            assert_eq!(encoding_of(bytes), "refused");
        }
        assert_eq!(encoding_of(&[0, 1, 2, 3, 4, 5, 6, 7, 0, 0, 0, 1]), "refused");
    }
}
