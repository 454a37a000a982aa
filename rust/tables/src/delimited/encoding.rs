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
    // Between ASCII characters every second byte is NUL; where there are fewer, other scripts must have left bytes that are
    // no UTF-8. Text with a few stray NULs has neither.
    if nul[0].max(nul[1]) * 10 < sample.len() * 3 && std::str::from_utf8(bytes).is_ok() {
        return None;
    }
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

impl Pairs {
    /// Whether `count` is so many in 100 of all.
    fn part(&self, count: usize, percent: usize) -> bool {
        count * 100 >= self.total * percent
    }
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
        if trail < 0x30 || lead == 0xff {
            // A cut pair or a stray byte: what follows it starts anew.
            at += 1;
            pairs.total += 1;
            continue;
        }
        // GB 18030 writes rare characters in four bytes; they say nothing about frequency.
        if (0x30..=0x39).contains(&trail) {
            let whole = bytes.get(at + 2).is_some_and(|byte| *byte > 0x80)
                && bytes.get(at + 3).is_some_and(|byte| (0x30..=0x39).contains(byte));
            at += if whole { 4 } else { 2 };
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

/// How a text reads in an encoding.
struct Trial {
    text: String,
    /// Characters beyond ASCII.
    sound: usize,
    /// Byte sequences that are no character.
    broken: usize,
}

impl Trial {
    fn of(bytes: &[u8], encoding: &'static Encoding) -> Self {
        let (text, _) = encoding.decode_without_bom_handling(bytes);
        let broken = text.matches('\u{fffd}').count();
        let sound = text.chars().filter(|c| !c.is_ascii()).count() - broken;
        Self {
            text: text.into_owned(),
            sound,
            broken,
        }
    }

    /// Whether most of the characters beyond ASCII are typical of the encoding's scripts.
    fn is_typically(&self, typical: fn(char) -> bool) -> bool {
        let hits = self.text.chars().filter(|c| typical(*c)).count();
        hits * 100 >= (self.sound + self.broken) * 60
    }
}

/// One broken sequence in so many sound characters is damage; more is another encoding.
const SOUND_A_BROKEN: usize = 3;
/// Of 100 bytes above 127, so many are letters (0xC0 and above) where a byte is a letter. The leads of GB 2312 stand below
/// as often as above; those of Shift-JIS and Big5 mostly below.
const LETTERS_UNLIKE_GB: usize = 90;
const LETTERS_UNLIKE_OTHERS: usize = 75;

/// The likeliest encoding of text that is not UTF-8; windows-1252, which decodes every byte, where none is likely.
///
/// An encoding that has a character for every sequence goes first. Where none has, single sequences may be broken: a file
/// that was cut, or patched in another encoding, is still what the rest of it is.
pub(crate) fn guess(bytes: &[u8]) -> &'static Encoding {
    let pairs = pairs_of(bytes);
    let has_runs = pairs.total >= 8 && runs_of_high_bytes(bytes) >= 3;
    let encoding = of_pairs(bytes, &pairs, has_runs, false).or_else(|| of_pairs(bytes, &pairs, has_runs, true));
    if let Some(encoding) = encoding {
        return encoding;
    }
    let cyrillic = |c| matches!(c, '\u{0410}'..='\u{044f}' | '\u{0401}' | '\u{0451}');
    if has_runs && Trial::of(bytes, WINDOWS_1251).is_typically(cyrillic) {
        return WINDOWS_1251;
    }
    if pairs.total >= 8 && pairs.part(pairs.frequent, 40) && may_be(bytes, GB18030, true) {
        return GB18030;
    }
    WINDOWS_1252
}

/// The likeliest of the encodings that write a character in two bytes.
fn of_pairs(bytes: &[u8], pairs: &Pairs, has_runs: bool, damaged: bool) -> Option<&'static Encoding> {
    let usual = pairs.frequent + pairs.punctuation + pairs.kana;
    if pairs.part(usual, 70) && may_be(bytes, GB18030, damaged) {
        if pairs.part(pairs.kana, 30) && may_be(bytes, EUC_JP, damaged) {
            return Some(EUC_JP);
        }
        // Chinese text has a third of its ideographs in the late rows, Korean text none of its syllables.
        if pairs.frequent >= 20 && pairs.frequent_late * 33 < pairs.frequent && may_be(bytes, EUC_KR, damaged) {
            return Some(EUC_KR);
        }
        return Some(GB18030);
    }
    // Western text has its accents one by one; scripts of their own come in runs.
    if !has_runs {
        return None;
    }
    let kana = |c| matches!(c, '\u{3040}'..='\u{30ff}' | '\u{4e00}'..='\u{9fff}' | '\u{3000}'..='\u{303f}' | '\u{ff01}'..='\u{ff5e}');
    let ideograph = |c| matches!(c, '\u{4e00}'..='\u{9fff}' | '\u{3000}'..='\u{303f}' | '\u{ff01}'..='\u{ff5e}');
    let fits = |encoding, typical| may_be(bytes, encoding, damaged) && Trial::of(bytes, encoding).is_typically(typical);
    if fits(SHIFT_JIS, kana) {
        Some(SHIFT_JIS)
    } else {
        fits(BIG5, ideograph).then_some(BIG5)
    }
}

/// Whether an encoding has a character for every sequence or, in a damaged text, for nearly all.
fn may_be(bytes: &[u8], encoding: &'static Encoding, damaged: bool) -> bool {
    if !damaged {
        return encoding
            .decode_without_bom_handling_and_without_replacement(bytes)
            .is_some();
    }
    let high = bytes.iter().filter(|byte| **byte >= 0x80).count();
    // In windows-1251, `Ё`, `ё`, `«`, `»` and `№` stand among them.
    let letter = |byte: u8| byte >= 0xc0 || matches!(byte, 0xa8 | 0xb8 | 0xab | 0xbb | 0xb9);
    let letters = bytes.iter().filter(|byte| letter(**byte)).count();
    let unlike = if encoding == SHIFT_JIS || encoding == BIG5 {
        LETTERS_UNLIKE_OTHERS
    } else {
        LETTERS_UNLIKE_GB
    };
    letters * 100 < high * unlike && {
        let trial = Trial::of(bytes, encoding);
        trial.sound >= SOUND_A_BROKEN * trial.broken
    }
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
    use proptest::prelude::*;

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

    const CHINESE: &str = "名称,城市\n上海公司,北京\n广州公司,深圳\n";
    const TRADITIONAL: &str = "名稱,城市\n台北公司,臺灣\n國際貿易,香港\n電腦設備,高雄\n這個,我們\n";
    const JAPANESE: &str = "名前,都市\nたなか,とうきょう\nスズキ,オオサカ\nさとう,なごや\n";

    #[test]
    fn a_broken_sequence_does_not_change_the_encoding() {
        for (text, encoding) in [
            (CHINESE, GB18030),
            (TRADITIONAL, BIG5),
            (JAPANESE, SHIFT_JIS),
            (JAPANESE, EUC_JP),
        ] {
            let name = python_name(encoding);
            let whole = encoding.encode(text.trim_end()).0.into_owned();
            let cut = whole[..whole.len() - 1].to_vec();
            let rows = [text.lines().next().unwrap(), "\n"].concat() + &text.repeat(75);
            let stray = [encoding.encode(&rows).0.as_ref(), b"7\xff,8\n"].concat();
            for bytes in [cut, stray] {
                let decoded = decode(bytes).unwrap();
                assert_eq!(decoded.encoding, name);
                assert_eq!(decoded.text.lines().next(), text.lines().next(), "{name}");
                let codes: Vec<(&str, u64)> = decoded.notes.iter().map(|note| (note.code, note.count)).collect();
                assert_eq!(codes, [("encoding", 0), ("replaced-bytes", 1)], "{name}");
            }
        }
    }

    #[test]
    fn alphabets_of_one_byte_are_no_damaged_pairs() {
        for text in [
            "ИМЯ,ГОРОД\nИВАН,МОСКВА\nОЛЬГА,КАЗАНЬ\nПЁТР,САМАРА\n",
            "ИМЯ,ГОРОД\nОЛЕГ,ТУЛА\nПЁТР,САМАРА №5 «А»\n",
            "имя,город\n«олег»,«тула»\n«пётр»,«самара» №5\nминск,«омск»\n",
            "имя,город\nиван,москва\nольга,казань\nпётр,самара\nминск,тула\n",
        ] {
            assert_eq!(encoding_of(&WINDOWS_1251.encode(text).0), "windows-1251", "{text}");
        }
    }

    proptest! {
        #[test]
        fn one_bad_byte_costs_one_place(at in 0_usize..40, bad in prop_oneof![Just(0xff_u8), Just(0x80)], cut in any::<bool>()) {
            // Rows of whole characters: the byte is set between two of them, or the last is cut.
            for (text, encoding) in [(CHINESE, GB18030), (TRADITIONAL, BIG5)] {
                let text = text.repeat(3);
                let characters: Vec<char> = text.chars().collect();
                let (before, after): (String, String) = (characters[..at].iter().collect(), characters[at..].iter().collect());
                let (before, after) = (encoding.encode(&before).0, encoding.encode(after.trim_end()).0);
                let bytes = if cut {
                    [&before, &after[..after.len() - 1]].concat()
                } else {
                    [&before, &[bad][..], &after].concat()
                };
                prop_assert_eq!(encoding_of(&bytes), python_name(encoding));
            }
        }

        #[test]
        fn western_words_are_never_pairs(words in proptest::collection::vec("[A-Z]?[a-z]{1,5}[éèüößñçåøàêîô][a-z,]{1,5}(ée|tät|ção)?", 1..60)) {
            let text = words.join("\n");
            prop_assert_eq!(encoding_of(&WINDOWS_1252.encode(&text).0), "windows-1252");
        }
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
