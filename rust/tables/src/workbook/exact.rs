//! Integers as an XLSX file writes them: a workbook's numbers are doubles, but not every program that writes one knows.

use std::io::{BufReader, Cursor};
use std::sync::Arc;

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};
use rustc_hash::FxHashMap;
use zip::ZipArchive;

/// Rows and columns count from 0.
type Place = (u32, u32);
type Archive = ZipArchive<Cursor<Arc<[u8]>>>;

/// The digits of every integer in a sheet that a double may round; `None` where the sheet's part cannot be found.
pub(super) fn long_integers(bytes: &Arc<[u8]>, sheet: &str) -> Option<FxHashMap<Place, String>> {
    let mut archive = ZipArchive::new(Cursor::new(Arc::clone(bytes))).ok()?;
    let part = part_of(&mut archive, sheet)?;
    let mut found = FxHashMap::default();
    let (mut place, mut is_number, mut in_value) = (None, false, false);
    each_event(&mut archive, &part, |event| match event {
        Event::Start(start) if start.local_name().as_ref() == "c" => {
            place = attribute(start, "r").as_deref().and_then(place_of);
            is_number = attribute(start, "t").is_none_or(|kind| kind == "n");
        }
        Event::Start(start) => in_value = is_number && start.local_name().as_ref() == "v",
        Event::End(_) => in_value = false,
        Event::Text(text) if in_value => {
            let digits: &str = text.as_ref();
            if let Some(place) = place
                && is_long_integer(digits)
            {
                found.insert(place, digits.to_owned());
            }
        }
        _ => {}
    })?;
    Some(found)
}

/// Doubles hold every integer of 15 digits.
fn is_long_integer(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    digits.len() > 15 && digits.bytes().all(|b| b.is_ascii_digit()) && !digits.starts_with('0')
}

/// Where the archive keeps a sheet (ECMA-376, part 1, sections 18.2.19 and 9.2).
fn part_of(archive: &mut Archive, sheet: &str) -> Option<String> {
    let mut book = None;
    relationships(archive, "_rels/.rels", |kind, _, target| {
        if kind.ends_with("/officeDocument") {
            book = Some(target.trim_start_matches('/').to_owned());
        }
    })?;
    let book = book?;
    let mut wanted = None;
    each_event(archive, &book, |event| {
        if let Event::Start(start) | Event::Empty(start) = event
            && start.local_name().as_ref() == "sheet"
            && attribute(start, "name").as_deref() == Some(sheet)
        {
            wanted = attribute(start, "r:id");
        }
    })?;
    let wanted = wanted?;
    let (folder, file) = book.rsplit_once('/').unwrap_or(("", &book));
    let mut part = None;
    relationships(archive, &format!("{folder}/_rels/{file}.rels"), |_, id, target| {
        if id == wanted {
            part = Some(match target.strip_prefix('/') {
                Some(absolute) => absolute.to_owned(),
                None => format!("{folder}/{target}"),
            });
        }
    })?;
    part
}

fn relationships(archive: &mut Archive, part: &str, mut each: impl FnMut(&str, &str, &str)) -> Option<()> {
    each_event(archive, part, |event| {
        if let Event::Start(start) | Event::Empty(start) = event
            && let (Some(kind), Some(id), Some(target)) = (
                attribute(start, "Type"),
                attribute(start, "Id"),
                attribute(start, "Target"),
            )
        {
            each(&kind, &id, &target);
        }
    })
}

fn each_event(archive: &mut Archive, part: &str, mut each: impl FnMut(&Event<'_>)) -> Option<()> {
    let mut reader = Reader::from_reader(BufReader::new(archive.by_name(part).ok()?));
    let mut buffer = Vec::new();
    loop {
        buffer.clear();
        match reader.read_event_into(&mut buffer).ok()? {
            Event::Eof => return Some(()),
            event => each(&event),
        }
    }
}

fn attribute(start: &BytesStart<'_>, name: &str) -> Option<String> {
    let found = start
        .attributes()
        .flatten()
        .find(|attribute| attribute.key.as_ref() == name)?;
    Some(found.normalized_value(XmlVersion::Implicit1_0).ok()?.into_owned())
}

/// `B7` as row 6, column 1.
fn place_of(reference: &str) -> Option<Place> {
    let letters = reference.bytes().take_while(u8::is_ascii_uppercase).count();
    let column = reference.as_bytes()[..letters]
        .iter()
        .try_fold(0_u32, |column, letter| {
            column.checked_mul(26)?.checked_add(u32::from(letter - b'A') + 1)
        })?;
    let row: u32 = reference[letters..].parse().ok()?;
    Some((row.checked_sub(1)?, column.checked_sub(1)?))
}

#[cfg(test)]
mod tests {
    use super::{is_long_integer, place_of};

    #[test]
    fn references_count_from_zero() {
        assert_eq!(place_of("A1"), Some((0, 0)));
        assert_eq!(place_of("AB30"), Some((29, 27)));
        for reference in ["", "A", "7", "A0", "a1", "ZZZZZZZZ1"] {
            assert_eq!(place_of(reference), None, "{reference}");
        }
    }

    #[test]
    fn only_long_integers_need_care() {
        assert!(is_long_integer("9007199254740993"));
        assert!(is_long_integer("-9007199254740993"));
        for number in ["900719925474099", "9007199254740993.5", "1E+20", "0000000000000001"] {
            assert!(!is_long_integer(number), "{number}");
        }
    }
}
