//! Builds an index: sorts the keys of all cells, then writes each section in one pass.

use std::fs::{self, File};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use fst::raw::Builder as SetBuilder;

use super::codes::cell_code;
use super::file::{Header, Section, write_head};
use super::fold::fold_text;
use super::forms::{cell_dates, cell_number};
use super::parts::{MOST_LISTED, MOST_PARTS, pieces};
use super::sorter::Sorter;
use super::{LONGEST_CELL, Space, ValueError, varint};

/// Ends a key inside a record: no key holds it.
const END: u8 = 0;
const BUFFER: usize = 1 << 20;

/// Takes the distinct cells of columns and writes them as an index.
///
/// Memory is bounded whatever the number of cells: what does not fit is sorted in temporary files beside the target.
pub struct Builder {
    target: PathBuf,
    folder: PathBuf,
    keys: Sorter,
    header: Header,
}

impl Builder {
    /// A builder of the file at `target`, which appears when it is complete; an earlier one is replaced.
    #[must_use]
    pub fn new(target: &Path) -> Self {
        let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.map_or_else(|| PathBuf::from("."), Path::to_path_buf);
        Self {
            target: target.to_owned(),
            keys: Sorter::new(&folder),
            folder,
            header: Header::default(),
        }
    }

    /// Begins a column, to which the cells that follow belong.
    pub fn column(&mut self, table: &str, column: &str) {
        self.header.columns.push((table.to_owned(), column.to_owned()));
    }

    /// Takes a distinct cell of the column, and how often it occurs there.
    ///
    /// # Panics
    ///
    /// No column was begun.
    pub fn add(&mut self, cell: &str, count: u64, numeric: bool) -> Result<(), ValueError> {
        assert!(!self.header.columns.is_empty(), "a cell belongs to a column");
        if cell.len() > LONGEST_CELL && cell.chars().nth(LONGEST_CELL).is_some() {
            self.header.left_out += 1;
            return Ok(());
        }
        let text = fold_text(cell);
        if text.is_empty() {
            return Ok(());
        }
        self.header.cells += 1;
        let may_be_number = text.bytes().take(4).any(|b| b.is_ascii_digit());
        let number = may_be_number.then(|| cell_number(&text)).flatten();
        if let Some(number) = &number {
            self.push(Space::Number, number, cell, count)?;
        }
        // A number of a column of numbers has no other spelling that a question could use.
        if !(numeric && number.is_some()) {
            self.push(Space::Text, &text, cell, count)?;
        }
        if !numeric && text.bytes().any(|b| b.is_ascii_digit()) {
            for date in cell_dates(&text) {
                self.push(Space::Date, &date, cell, count)?;
            }
            if let Some(code) = cell_code(&text) {
                self.push(Space::Code, &code.key, cell, count)?;
            }
        }
        Ok(())
    }

    fn push(&mut self, space: Space, key: &str, cell: &str, count: u64) -> Result<(), ValueError> {
        let column = u32::try_from(self.header.columns.len() - 1).map_err(io::Error::other)?;
        self.keys.push(&[
            &[space as u8],
            key.as_bytes(),
            &[END],
            &column.to_be_bytes(),
            cell.as_bytes(),
            &count.to_be_bytes(),
        ])?;
        Ok(())
    }

    /// Writes the index.
    ///
    /// `fingerprint` names what it was built from. The same cells give the same bytes, whatever their order within a
    /// column.
    pub fn finish(mut self, fingerprint: &str) -> Result<(), ValueError> {
        fingerprint.clone_into(&mut self.header.fingerprint);
        let mut partial = tempfile::Builder::new()
            .prefix(".values-")
            .suffix(".partial")
            .tempfile_in(&self.folder)?;
        let target = std::mem::take(&mut self.target);
        self.write(partial.as_file_mut())?;
        let file = partial.persist(&target).map_err(|error| error.error)?;
        readable_by_others(&file)?;
        Ok(())
    }

    fn write(self, file: &mut File) -> Result<(), ValueError> {
        let Self {
            folder,
            keys,
            mut header,
            ..
        } = self;
        write_head(file)?;
        let mut postings = Section::new(BufWriter::with_capacity(BUFFER, &mut *file));
        let mut set = set_of(Section::new(BufWriter::with_capacity(
            BUFFER,
            tempfile::tempfile_in(&folder)?,
        )))?;
        let mut tokens = Sorter::new(&folder);
        let mut group = Group::default();
        keys.finish(|record| {
            let record = Record::read(record).ok_or_else(|| io::Error::other("a record cannot be read"))?;
            if group.key != record.key {
                group.flush(&mut postings, &mut set, &mut tokens)?;
                record.key.clone_into(&mut group.key);
            }
            group.push(&record);
            Ok(())
        })?;
        group.flush(&mut postings, &mut set, &mut tokens)?;
        header.sections[0] = postings.finish()?.1;
        header.sections[1] = append(set, file)?;
        let mut lists = Section::new(BufWriter::with_capacity(BUFFER, &mut *file));
        let mut set = set_of(Section::new(BufWriter::with_capacity(
            BUFFER,
            tempfile::tempfile_in(&folder)?,
        )))?;
        let mut list = List::default();
        tokens.finish(|record| {
            let (token, place) = record.split_at(record.len() - size_of::<u64>());
            if list.token != token {
                list.flush(&mut lists, &mut set)?;
                token.clone_into(&mut list.token);
            }
            list.push(u64::from_be_bytes(place.try_into().map_err(io::Error::other)?));
            Ok(())
        })?;
        list.flush(&mut lists, &mut set)?;
        header.sections[2] = lists.finish()?.1;
        header.sections[3] = append(set, file)?;
        header.write(file)?;
        file.flush()?;
        Ok(())
    }
}

type Set = SetBuilder<Section<BufWriter<File>>>;

fn set_of(section: Section<BufWriter<File>>) -> Result<Set, ValueError> {
    Ok(SetBuilder::new(section).map_err(io::Error::other)?)
}

/// Ends a set that was written aside, appends it to the file, and returns its length and checksum.
fn append(set: Set, file: &mut File) -> io::Result<(u64, u32)> {
    let (aside, section) = set.into_inner().map_err(io::Error::other)?.finish()?;
    let mut aside = aside.into_inner()?;
    aside.seek(SeekFrom::Start(0))?;
    io::copy(&mut aside, file)?;
    Ok(section)
}

/// Gives a file that was written aside the rights that a new file has, not those of a temporary one.
fn readable_by_others(file: &File) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        file.set_permissions(fs::Permissions::from_mode(0o644))?;
    }
    Ok(())
}

/// One key of one cell, as it is sorted.
struct Record<'a> {
    key: &'a [u8],
    column: u32,
    cell: &'a [u8],
    count: u64,
}

impl<'a> Record<'a> {
    fn read(bytes: &'a [u8]) -> Option<Self> {
        let (key, rest) = bytes.split_at_checked(memchr::memchr(END, bytes)?)?;
        let (column, rest) = rest.get(1..)?.split_first_chunk()?;
        let (cell, count) = rest.split_last_chunk()?;
        Some(Self {
            key,
            column: u32::from_be_bytes(*column),
            cell,
            count: u64::from_be_bytes(*count),
        })
    }
}

/// The cells of one key, encoded.
#[derive(Default)]
struct Group {
    key: Vec<u8>,
    cells: Vec<u8>,
    count: u64,
    column: u32,
    encoded: Vec<u8>,
}

impl Group {
    fn push(&mut self, record: &Record<'_>) {
        varint::push(&mut self.cells, u64::from(record.column - self.column));
        varint::push(&mut self.cells, record.count);
        varint::push(&mut self.cells, record.cell.len() as u64);
        self.cells.extend_from_slice(record.cell);
        self.column = record.column;
        self.count += 1;
    }

    fn flush(&mut self, postings: &mut Section<impl Write>, set: &mut Set, tokens: &mut Sorter) -> io::Result<()> {
        if self.count == 0 {
            return Ok(());
        }
        let place = postings.length();
        self.encoded.clear();
        varint::push(&mut self.encoded, self.count);
        postings.write_all(&self.encoded)?;
        postings.write_all(&self.cells)?;
        set.insert(&self.key, place).map_err(io::Error::other)?;
        if self.key.first() == Some(&(Space::Text as u8)) {
            push_tokens(&self.key[1..], place, tokens)?;
        }
        self.cells.clear();
        self.count = 0;
        self.column = 0;
        Ok(())
    }
}

/// Lists a text under each of its parts, where it has more than one.
fn push_tokens(key: &[u8], place: u64, tokens: &mut Sorter) -> io::Result<()> {
    let text = std::str::from_utf8(key).map_err(io::Error::other)?;
    let mut found: Vec<_> = pieces(text)
        .into_iter()
        .map(|piece| &text[piece.start..piece.end])
        .collect();
    if found.len() < 2 {
        return Ok(());
    }
    found.truncate(MOST_PARTS);
    found.sort_unstable();
    found.dedup();
    found
        .iter()
        .try_for_each(|token| tokens.push(&[token.as_bytes(), &place.to_be_bytes()]))
}

/// The texts of one part, encoded.
#[derive(Default)]
struct List {
    token: Vec<u8>,
    places: Vec<u8>,
    last: u64,
    count: usize,
}

impl List {
    fn push(&mut self, place: u64) {
        self.count += 1;
        if self.count <= MOST_LISTED {
            varint::push(&mut self.places, place - self.last);
            self.last = place;
        }
    }

    fn flush(&mut self, lists: &mut Section<impl Write>, set: &mut Set) -> io::Result<()> {
        if self.count > 0 {
            set.insert(&self.token, lists.length()).map_err(io::Error::other)?;
            let mut count = Vec::new();
            varint::push(&mut count, self.count as u64);
            lists.write_all(&count)?;
            if self.count <= MOST_LISTED {
                lists.write_all(&self.places)?;
            }
        }
        self.places.clear();
        self.last = 0;
        self.count = 0;
        Ok(())
    }
}
