//! What a file is, by its content first and its ending second.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use memchr::memmem;

use crate::table::TableError;

/// Enough for a hundred lines, and for the list of a ZIP's parts at its end.
const PART: u64 = 64 << 10;
/// Lines that are looked at to tell a table from prose.
const LINES: usize = 200;
const DELIMITERS: [char; 4] = [',', '\t', ';', '|'];

/// What a file is, as far as a task needs to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A `SQLite` database.
    Sqlite,
    /// A Parquet file.
    Parquet,
    /// A spreadsheet: xlsx, xlsm, xlsb, xls, ods.
    Workbook,
    /// One JSON value.
    Json,
    /// A JSON value a line.
    JsonLines,
    /// CSV, TSV and their relatives.
    Delimited,
    /// Prose: Markdown, text, PDF, HTML, Word.
    Document,
    /// Moving pictures.
    Video,
    /// Sound alone.
    Audio,
    /// One picture.
    Image,
}

impl Kind {
    /// The kind's name in the catalog.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite",
            Self::Parquet => "parquet",
            Self::Workbook => "workbook",
            Self::Json => "json",
            Self::JsonLines => "jsonl",
            Self::Delimited => "delimited",
            Self::Document => "document",
            Self::Video => "video",
            Self::Audio => "audio",
            Self::Image => "image",
        }
    }
}

/// Looks at a file; `None` where it is nothing that a task uses.
///
/// A file whose ending promises a table keeps that kind even when its content does not fit (an empty CSV, a compressed
/// JSON): its reader then says what is wrong, which is better than passing over it.
pub fn detect(path: &Path) -> Result<Option<Kind>, TableError> {
    let read = || -> std::io::Result<(Vec<u8>, Vec<u8>)> {
        let mut file = File::open(path)?;
        let length = file.seek(SeekFrom::End(0))?;
        file.seek(SeekFrom::Start(0))?;
        let mut head = Vec::new();
        (&mut file).take(PART).read_to_end(&mut head)?;
        file.seek(SeekFrom::Start(length.saturating_sub(PART)))?;
        let mut tail = Vec::new();
        file.take(PART).read_to_end(&mut tail)?;
        Ok((head, tail))
    };
    let (head, tail) = read().map_err(|error| TableError::new(format!("cannot be opened: {error}")))?;
    Ok(by_content(path, &head, &tail))
}

fn by_content(path: &Path, head: &[u8], tail: &[u8]) -> Option<Kind> {
    let ending = ending(path);
    by_magic(head, tail, &ending).or_else(|| {
        let promised = by_ending(&ending);
        if is_binary(head) {
            promised
        } else {
            by_text(path, head, &ending, promised)
        }
    })
}

/// The last part of the name in lower case, below a compression's own: `csv` for `orders.csv.gz`.
fn ending(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let packed = [".gz", ".bz2", ".xz", ".zst"]
        .into_iter()
        .find_map(|packed| name.strip_suffix(packed));
    let name = packed.unwrap_or(&name);
    name.rsplit_once('.')
        .map_or(String::new(), |(_, ending)| ending.to_owned())
}

fn by_magic(head: &[u8], tail: &[u8], ending: &str) -> Option<Kind> {
    let at = |place: usize, magic: &[u8]| head.get(place..).is_some_and(|rest| rest.starts_with(magic));
    let holds = |part: &[u8]| memmem::find(head, part).is_some() || memmem::find(tail, part).is_some();
    Some(if at(0, b"SQLite format 3\0") {
        Kind::Sqlite
    } else if at(0, b"PAR1") {
        Kind::Parquet
    } else if at(0, b"PK\x03\x04") {
        return archive(ending, holds);
    } else if at(0, b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1") {
        return Some(if is_old_document(ending, holds) {
            Kind::Document
        } else {
            Kind::Workbook
        });
    } else if at(0, b"%PDF-") || at(0, b"{\\rtf") {
        Kind::Document
    } else if at(4, b"ftyp") {
        match head.get(8..12) {
            Some(b"M4A " | b"M4B ") => Kind::Audio,
            Some(b"heic" | b"heix" | b"mif1" | b"avif") => Kind::Image,
            _ => Kind::Video,
        }
    } else if at(0, b"\x1A\x45\xDF\xA3") {
        if ending == "mka" { Kind::Audio } else { Kind::Video }
    } else if at(0, b"RIFF") {
        match head.get(8..12) {
            Some(b"WAVE") => Kind::Audio,
            Some(b"WEBP") => Kind::Image,
            Some(b"AVI ") => Kind::Video,
            _ => return None,
        }
    } else if at(0, b"OggS") {
        if ending == "ogv" { Kind::Video } else { Kind::Audio }
    } else if at(0, b"FLV\x01")
        || at(0, b"\x00\x00\x01\xBA")
        || (at(0, b"\x47") && at(188, b"\x47") && at(376, b"\x47"))
    {
        Kind::Video
    } else if at(0, b"fLaC")
        || at(0, b"ID3")
        || [b"\xFF\xFB", b"\xFF\xF3", b"\xFF\xF2"]
            .iter()
            .any(|frame| at(0, *frame))
    {
        Kind::Audio
    } else if [
        &b"\x89PNG\r\n"[..],
        b"\xFF\xD8\xFF",
        b"GIF87a",
        b"GIF89a",
        b"II*\0",
        b"MM\0*",
    ]
    .iter()
    .any(|magic| at(0, magic))
    {
        Kind::Image
    } else {
        return None;
    })
}

/// A ZIP file is what its parts are called; their names stand before each part and again at the end.
fn archive(ending: &str, holds: impl Fn(&[u8]) -> bool) -> Option<Kind> {
    if holds(b"xl/workbook") || holds(b"application/vnd.oasis.opendocument.spreadsheet") {
        Some(Kind::Workbook)
    } else if [
        &b"word/document"[..],
        b"ppt/presentation",
        b"application/vnd.oasis.opendocument.",
        b"application/epub+zip",
    ]
    .iter()
    .any(|part| holds(part))
    {
        Some(Kind::Document)
    } else {
        by_ending(ending)
    }
}

/// Old and protected Office files share a container whose parts are named in UTF-16.
fn is_old_document(ending: &str, holds: impl Fn(&[u8]) -> bool) -> bool {
    let named = |name: &str| holds(&name.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>());
    if named("Workbook") || named("Book") {
        return false;
    }
    named("WordDocument") || named("PowerPoint Document") || by_ending(ending) == Some(Kind::Document)
}

fn by_ending(ending: &str) -> Option<Kind> {
    Some(match ending {
        "csv" | "tsv" | "tab" | "psv" => Kind::Delimited,
        "json" | "geojson" => Kind::Json,
        "jsonl" | "ndjson" => Kind::JsonLines,
        "db" | "db3" | "sqlite" | "sqlite3" | "s3db" => Kind::Sqlite,
        "parquet" => Kind::Parquet,
        "xlsx" | "xlsm" | "xlsb" | "xls" | "ods" => Kind::Workbook,
        "md" | "markdown" | "txt" | "text" | "rst" | "html" | "htm" | "pdf" | "doc" | "docx" | "odt" | "rtf"
        | "pptx" => Kind::Document,
        "mp4" | "m4v" | "mov" | "mkv" | "webm" | "avi" | "mpg" | "mpeg" | "ts" | "mts" | "m2ts" | "flv" | "wmv"
        | "ogv" | "3gp" => Kind::Video,
        "mp3" | "wav" | "m4a" | "flac" | "ogg" | "opus" | "aac" => Kind::Audio,
        "png" | "jpg" | "jpeg" | "gif" | "webp" | "bmp" | "tif" | "tiff" | "svg" => Kind::Image,
        _ => return None,
    })
}

/// Whether bytes are no text: NUL without the pattern of UTF-16, or many control characters.
fn is_binary(head: &[u8]) -> bool {
    if head.starts_with(b"\xFF\xFE") || head.starts_with(b"\xFE\xFF") {
        return false;
    }
    let zeros = [0, 1].map(|side| head.iter().skip(side).step_by(2).filter(|byte| **byte == 0).count());
    let is_utf16 = zeros.contains(&0) && zeros.iter().any(|count| count * 8 > head.len());
    let controls = head
        .iter()
        .filter(|byte| matches!(byte, 0..=8 | 14..=26 | 28..=31))
        .count();
    !is_utf16 && controls * 20 > head.len()
}

fn by_text(path: &Path, head: &[u8], ending: &str, promised: Option<Kind>) -> Option<Kind> {
    let text = text(head);
    match (ending, promised) {
        // Prose may hold tables, and a sheet or a JSON that is none is for its reader to refuse.
        ("txt" | "text", _) => {
            let folder = path.parent().and_then(Path::file_name).unwrap_or_default();
            let share = if folder.eq_ignore_ascii_case("csv") { 50 } else { 80 };
            return Some(if is_table(&text, share) {
                Kind::Delimited
            } else {
                Kind::Document
            });
        }
        (_, Some(Kind::Delimited | Kind::Sqlite) | None) => {}
        (_, Some(Kind::Workbook)) if !text.trim_start().starts_with('<') && is_table(&text, 80) => {
            return Some(Kind::Delimited);
        }
        (_, promised) => return promised,
    }
    if let Some(json) = json(&text) {
        return Some(json);
    }
    // Programs keep tables under endings of their own (`.dat`, `.data`, `.out`); source code is no table.
    let may_be_table = matches!(ending, "" | "dat" | "data" | "out" | "log" | "tbl" | "db");
    if may_be_table && is_table(&text, 80) {
        return Some(Kind::Delimited);
    }
    promised
}

/// The head as text, good enough to count in.
fn text(head: &[u8]) -> String {
    let units = |from: fn([u8; 2]) -> u16, bytes: &[u8]| {
        let units: Vec<u16> = bytes.as_chunks::<2>().0.iter().map(|pair| from(*pair)).collect();
        String::from_utf16_lossy(&units)
    };
    match head {
        [0xFF, 0xFE, rest @ ..] => units(u16::from_le_bytes, rest),
        [0xFE, 0xFF, rest @ ..] => units(u16::from_be_bytes, rest),
        [first, 0, ..] if *first != 0 => units(u16::from_le_bytes, head),
        [0, second, ..] if *second != 0 => units(u16::from_be_bytes, head),
        [0xEF, 0xBB, 0xBF, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        _ => String::from_utf8_lossy(head).into_owned(),
    }
}

/// Records begin with `{"`, lists of them with `[{` or `[[`; nothing else does by chance.
fn json(text: &str) -> Option<Kind> {
    let begins = |text: &str, first: char, next: &[char]| {
        text.strip_prefix(first)
            .is_some_and(|rest| rest.trim_start().starts_with(next))
    };
    let text = text.trim_start();
    if begins(text, '[', &['{', '[']) {
        return Some(Kind::Json);
    }
    if !begins(text, '{', &['"']) {
        return None;
    }
    let second = text.lines().skip(1).find(|line| !line.trim().is_empty());
    let lines = second.is_some_and(|line| begins(line, '{', &['"']));
    Some(if lines { Kind::JsonLines } else { Kind::Json })
}

/// Whether at least `share` percent of the lines hold one delimiter equally often.
fn is_table(text: &str, share: usize) -> bool {
    let mut lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .take(LINES)
        .collect();
    if text.len() as u64 >= PART && lines.len() < LINES {
        // The head ends within a line.
        lines.pop();
    }
    DELIMITERS.iter().any(|delimiter| {
        let mut counts: Vec<usize> = lines.iter().map(|line| line.matches(*delimiter).count()).collect();
        counts.sort_unstable();
        let most = counts
            .chunk_by(|a, b| a == b)
            .filter(|same| same[0] > 0)
            .map(<[usize]>::len)
            .max();
        lines.len() >= 2 && most.unwrap_or_default() * 100 >= lines.len() * share
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Kind, by_content};

    fn kind(name: &str, content: &[u8]) -> Option<Kind> {
        by_content(Path::new(name), content, content)
    }

    #[test]
    fn content_goes_before_ending() {
        assert_eq!(kind("orders.csv", b"SQLite format 3\0rest"), Some(Kind::Sqlite));
        assert_eq!(kind("orders.db", b"id,name\n1,a\n2,b\n"), Some(Kind::Delimited));
        assert_eq!(kind("orders.csv", b"[{\"id\": 1}]"), Some(Kind::Json));
        assert_eq!(kind("orders", b"{\"id\": 1}\n{\"id\": 2}\n"), Some(Kind::JsonLines));
        assert_eq!(kind("orders.xls", b"id\tname\n1\ta\n2\tb\n"), Some(Kind::Delimited));
    }

    #[test]
    fn prose_is_no_table_and_a_table_is_no_prose() {
        assert_eq!(
            kind("notes.txt", b"Dear all,\nthe figures, as agreed, follow.\nYours\n"),
            Some(Kind::Document)
        );
        assert_eq!(kind("notes.txt", b"id|name\n1|a\n2|b\n"), Some(Kind::Delimited));
        assert_eq!(kind("notes.md", b"a|b\n-|-\n1|2\n"), Some(Kind::Document));
        assert_eq!(kind("run.py", b"f(a,b)\ng(c,d)\n"), None);
    }

    #[test]
    fn a_promise_is_kept_so_that_the_reader_can_refuse() {
        assert_eq!(kind("empty.csv", b""), Some(Kind::Delimited));
        assert_eq!(kind("orders.csv.gz", b"\x1F\x8B\x08\0\0\0\0\0"), Some(Kind::Delimited));
        assert_eq!(kind("secret.sqlite", &[7; 512]), Some(Kind::Sqlite));
        assert_eq!(kind("page.xls", b"<html><table>"), Some(Kind::Workbook));
    }

    #[test]
    fn containers_are_told_by_their_parts() {
        assert_eq!(kind("a.zip", b"PK\x03\x04....xl/workbook.xml"), Some(Kind::Workbook));
        assert_eq!(kind("a.bin", b"PK\x03\x04....word/document.xml"), Some(Kind::Document));
        assert_eq!(kind("a.zip", b"PK\x03\x04....readme"), None);
        assert_eq!(kind("a.m4a", b"\0\0\0\x20ftypM4A "), Some(Kind::Audio));
        assert_eq!(kind("a", b"\0\0\0\x20ftypisom"), Some(Kind::Video));
    }
}
