//! The file of an index: four sections and, at the end, what they are.

use std::fs::File;
use std::io::{self, Read, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use fst::raw::Fst;
use memmap2::Mmap;

use super::ValueError;
use super::varint::{self, Reader};

/// Version of the format and of the normal forms: a file of another one is built anew.
pub const VERSION: u32 = 1;

const MAGIC: &[u8; 8] = b"dbrvalue";
/// Magic and version at the beginning.
const HEAD: usize = 12;
/// Length and checksum of the header, and the magic again, at the end.
const TAIL: usize = 16;
/// Up to this size opening reads the whole file to compare its checksums, some 10 ms; beyond, `verify` does.
const CHECKED_WHOLE: usize = 64 << 20;

/// What the sections hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) fingerprint: String,
    /// Table and column by number.
    pub(super) columns: Vec<(String, String)>,
    pub(super) cells: u64,
    pub(super) left_out: u64,
    /// Postings, keys, lists and tokens: length and CRC-32 of each.
    pub(super) sections: [(u64, u32); 4],
}

impl Header {
    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        varint::push_text(&mut bytes, &self.fingerprint);
        varint::push(&mut bytes, self.columns.len() as u64);
        for (table, column) in &self.columns {
            varint::push_text(&mut bytes, table);
            varint::push_text(&mut bytes, column);
        }
        varint::push(&mut bytes, self.cells);
        varint::push(&mut bytes, self.left_out);
        for (length, checksum) in self.sections {
            varint::push(&mut bytes, length);
            varint::push(&mut bytes, u64::from(checksum));
        }
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader(bytes);
        let fingerprint = reader.text()?.to_owned();
        let count = reader.small()?;
        let mut columns = Vec::new();
        for _ in 0..count {
            columns.push((reader.text()?.to_owned(), reader.text()?.to_owned()));
        }
        let (cells, left_out) = (reader.number()?, reader.number()?);
        let mut sections = [(0, 0); 4];
        for section in &mut sections {
            *section = (reader.number()?, reader.number()?.try_into().ok()?);
        }
        reader.0.is_empty().then_some(Self {
            fingerprint,
            columns,
            cells,
            left_out,
            sections,
        })
    }

    /// Writes the header and the end of the file.
    pub(super) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let bytes = self.to_bytes();
        out.write_all(&bytes)?;
        out.write_all(&u32::try_from(bytes.len()).map_err(io::Error::other)?.to_le_bytes())?;
        out.write_all(&crc32fast::hash(&bytes).to_le_bytes())?;
        out.write_all(MAGIC)
    }
}

/// Writes the beginning of the file.
pub(super) fn write_head(out: &mut impl Write) -> io::Result<()> {
    out.write_all(MAGIC)?;
    out.write_all(&VERSION.to_le_bytes())
}

/// Counts and sums up what is written through it.
pub(super) struct Section<W> {
    inner: W,
    length: u64,
    checksum: crc32fast::Hasher,
}

impl<W: Write> Section<W> {
    pub(super) fn new(inner: W) -> Self {
        Self {
            inner,
            length: 0,
            checksum: crc32fast::Hasher::new(),
        }
    }

    pub(super) fn length(&self) -> u64 {
        self.length
    }

    pub(super) fn finish(mut self) -> io::Result<(W, (u64, u32))> {
        self.inner.flush()?;
        Ok((self.inner, (self.length, self.checksum.finalize())))
    }
}

impl<W: Write> Write for Section<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.checksum.update(&bytes[..written]);
        self.length += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// A part of a mapped file.
#[derive(Clone)]
pub(super) struct Part {
    map: Arc<Mmap>,
    range: Range<usize>,
}

impl AsRef<[u8]> for Part {
    fn as_ref(&self) -> &[u8] {
        &self.map[self.range.clone()]
    }
}

/// An opened index.
pub struct Index {
    pub(super) header: Header,
    pub(super) postings: Part,
    pub(super) keys: Fst<Part>,
    pub(super) lists: Part,
    pub(super) tokens: Fst<Part>,
}

impl Index {
    /// Maps the file at `path` into memory.
    ///
    /// A small file is compared with its checksums as a whole, of a large one only what tells where things are:
    /// see [`Self::verify`].
    pub fn open(path: &Path) -> Result<Self, ValueError> {
        let file = File::open(path)?;
        let mut head = [0; HEAD];
        (&file)
            .read_exact(&mut head)
            .map_err(|_| ValueError::Damaged("it is too short"))?;
        if &head[..8] != MAGIC {
            return Err(ValueError::Damaged("it is no index of values"));
        }
        let found = u32::from_le_bytes([head[8], head[9], head[10], head[11]]);
        if found != VERSION {
            return Err(ValueError::OtherVersion { found });
        }
        let map = Arc::new(mapped(&file)?);
        let (header, start) = header_of(&map).ok_or(ValueError::Damaged("it does not end as an index does"))?;
        let mut parts = Vec::with_capacity(4);
        let mut at = HEAD;
        for (length, _) in header.sections {
            let end = usize::try_from(length).ok().and_then(|length| at.checked_add(length));
            let end = end
                .filter(|end| *end <= start)
                .ok_or(ValueError::Damaged("a section is cut off"))?;
            parts.push(Part {
                map: Arc::clone(&map),
                range: at..end,
            });
            at = end;
        }
        let [postings, keys, lists, tokens]: [Part; 4] = parts
            .try_into()
            .map_err(|_| ValueError::Damaged("a section is missing"))?;
        let whole = map.len() <= CHECKED_WHOLE;
        let broken = |_| ValueError::Damaged("a set of keys cannot be read");
        if whole {
            check(&header, [&postings, &keys, &lists, &tokens])?;
        }
        let index = Self {
            header,
            postings,
            keys: Fst::new(keys).map_err(broken)?,
            lists,
            tokens: Fst::new(tokens).map_err(broken)?,
        };
        Ok(index)
    }

    /// Compares the whole file with its checksums.
    pub fn verify(&self) -> Result<(), ValueError> {
        let (keys, tokens) = (self.keys.as_inner(), self.tokens.as_inner());
        check(&self.header, [&self.postings, keys, &self.lists, tokens])
    }

    /// What the index was built from, as the builder named it.
    #[must_use]
    pub fn fingerprint(&self) -> &str {
        &self.header.fingerprint
    }

    /// Number of distinct cells, counted by column.
    #[must_use]
    pub fn cells(&self) -> u64 {
        self.header.cells
    }

    /// Number of cells that are too long to be found.
    #[must_use]
    pub fn left_out(&self) -> u64 {
        self.header.left_out
    }
}

fn check(header: &Header, parts: [&Part; 4]) -> Result<(), ValueError> {
    let same = |(part, (_, checksum)): (&Part, (u64, u32))| crc32fast::hash(part.as_ref()) == checksum;
    if parts.into_iter().zip(header.sections).all(same) {
        Ok(())
    } else {
        Err(ValueError::Damaged("its content does not fit its checksum"))
    }
}

/// The header, and where it begins.
fn header_of(map: &[u8]) -> Option<(Header, usize)> {
    let (rest, tail) = map.split_at_checked(map.len().checked_sub(TAIL)?)?;
    if &tail[8..] != MAGIC {
        return None;
    }
    let length = u32::from_le_bytes(tail[..4].try_into().ok()?) as usize;
    let start = rest.len().checked_sub(length).filter(|start| *start >= HEAD)?;
    let bytes = &rest[start..];
    let fits = crc32fast::hash(bytes) == u32::from_le_bytes(tail[4..8].try_into().ok()?);
    fits.then(|| Header::from_bytes(bytes))?.map(|header| (header, start))
}

/// Maps a file that is never written to once it has its name: builders write aside and rename.
#[expect(
    unsafe_code,
    reason = "a mapped file is sound as long as no one writes to it in place, which no one does"
)]
fn mapped(file: &File) -> io::Result<Mmap> {
    // SAFETY: the file was renamed to its place when it was complete, and is replaced but never changed.
    unsafe { Mmap::map(file) }
}
