//! Sorts more records than memory is wanted for: sorted runs in temporary files, merged at the end.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use rayon::slice::ParallelSliceMut;

/// Memory that records may take before they are written aside, in bytes.
const RUN_BYTES: usize = 192 << 20;
/// A record in the arena beside its bytes: its length and its entry in the list that is sorted.
const OVERHEAD: usize = 20;

/// Takes records of bytes in any order and gives them back in byte order.
pub(super) struct Sorter {
    folder: PathBuf,
    arena: Vec<u8>,
    records: Vec<Record>,
    runs: Vec<File>,
    limit: usize,
}

#[derive(Clone, Copy)]
struct Record {
    /// The first eight bytes, so that most comparisons need no look at the arena.
    prefix: u64,
    start: u32,
    length: u32,
}

impl Sorter {
    pub(super) fn new(folder: &Path) -> Self {
        Self::with_limit(folder, RUN_BYTES)
    }

    fn with_limit(folder: &Path, limit: usize) -> Self {
        let (arena, records, runs) = (Vec::new(), Vec::new(), Vec::new());
        Self {
            folder: folder.to_owned(),
            arena,
            records,
            runs,
            limit,
        }
    }

    /// Takes one record, made of parts that follow each other.
    pub(super) fn push(&mut self, parts: &[&[u8]]) -> io::Result<()> {
        let length: usize = parts.iter().map(|part| part.len()).sum();
        if self.arena.len() + length + (self.records.len() + 1) * OVERHEAD > self.limit && !self.records.is_empty() {
            self.spill()?;
        }
        let too_long = |_| io::Error::other("a record is too long");
        let start = u32::try_from(self.arena.len()).map_err(too_long)?;
        for part in parts {
            self.arena.extend_from_slice(part);
        }
        let record = &self.arena[start as usize..];
        let mut first = [0; 8];
        let known = record.len().min(8);
        first[..known].copy_from_slice(&record[..known]);
        self.records.push(Record {
            prefix: u64::from_be_bytes(first),
            start,
            length: u32::try_from(length).map_err(too_long)?,
        });
        Ok(())
    }

    fn sort(&mut self) {
        let arena = &self.arena;
        self.records.par_sort_unstable_by(|a, b| {
            let bytes = |record: &Record| &arena[record.start as usize..][..record.length as usize];
            a.prefix.cmp(&b.prefix).then_with(|| bytes(a).cmp(bytes(b)))
        });
    }

    fn spill(&mut self) -> io::Result<()> {
        self.sort();
        let mut run = BufWriter::with_capacity(1 << 20, tempfile::tempfile_in(&self.folder)?);
        for record in &self.records {
            run.write_all(&record.length.to_le_bytes())?;
            run.write_all(&self.arena[record.start as usize..][..record.length as usize])?;
        }
        let mut file = run.into_inner()?;
        file.seek(SeekFrom::Start(0))?;
        self.runs.push(file);
        self.records.clear();
        self.arena.clear();
        Ok(())
    }

    /// Hands every record to `take`, in byte order.
    pub(super) fn finish(mut self, mut take: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        if self.runs.is_empty() {
            self.sort();
            let records = &self.records;
            return records
                .iter()
                .try_for_each(|r| take(&self.arena[r.start as usize..][..r.length as usize]));
        }
        self.spill()?;
        self.arena = Vec::new();
        self.records = Vec::new();
        let mut runs: Vec<_> = self
            .runs
            .into_iter()
            .map(|run| BufReader::with_capacity(1 << 20, run))
            .collect();
        let mut heads = BinaryHeap::new();
        for (at, run) in runs.iter_mut().enumerate() {
            let mut record = Vec::new();
            if next(run, &mut record)? {
                heads.push(Reverse((record, at)));
            }
        }
        while let Some(mut head) = heads.peek_mut() {
            let Reverse((record, at)) = &mut *head;
            take(record)?;
            if !next(&mut runs[*at], record)? {
                std::collections::binary_heap::PeekMut::pop(head);
            }
        }
        Ok(())
    }
}

/// Reads the next record of a run; false at its end.
fn next(run: &mut impl Read, record: &mut Vec<u8>) -> io::Result<bool> {
    let mut length = [0; 4];
    match run.read_exact(&mut length) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(false),
        Err(error) => return Err(error),
    }
    record.resize(u32::from_le_bytes(length) as usize, 0);
    run.read_exact(record)?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Sorter;

    proptest! {
        #[test]
        fn records_come_back_in_order_whatever_the_memory(
            records in prop::collection::vec(prop::collection::vec(0_u8..4, 0..12), 0..60),
            limit in 1_usize..2000,
        ) {
            let mut sorter = Sorter::with_limit(&std::env::temp_dir(), limit);
            for record in &records {
                let (first, second) = record.split_at(record.len() / 2);
                sorter.push(&[first, second]).unwrap();
            }
            let mut sorted = Vec::new();
            sorter.finish(|record| { sorted.push(record.to_vec()); Ok(()) }).unwrap();
            let mut expected = records;
            expected.sort();
            prop_assert_eq!(sorted, expected);
        }
    }
}
