//! How a `SQLite` file is opened so that nothing is written beside it, and what its errors mean to a person.

use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags};
use tempfile::TempDir;

use crate::table::TableError;

/// Long enough for a writer to finish a transaction, short enough for a person who waits.
const LOCK_WAIT: Duration = Duration::from_millis(1500);
const RECOVER: &str = "`sqlite3 FILE .recover` may save what is left";
const MAGIC: &[u8] = b"SQLite format 3\0";
/// Read version 2 in byte 19 means that the file uses a write-ahead log (`SQLite` file format, section 1.3.3).
const READ_VERSION: usize = 19;
const WAL: u8 = 2;

/// Where a connection reads from.
#[derive(Debug)]
pub(super) struct Access {
    /// As the caller spelled it.
    path: PathBuf,
    place: Place,
}

#[derive(Debug)]
enum Place {
    /// The file itself, under its locks.
    File(PathBuf),
    /// The file itself as a `file:` URI that promises that nobody writes.
    Immutable(String),
    /// A copy with its log or journal, because reading those writes side files; removed when dropped.
    Copy(
        PathBuf,
        #[expect(dead_code, reason = "holds the folder until the source is dropped")] TempDir,
    ),
}

impl Access {
    /// Chooses how to read `path`; fails on what is no `SQLite` file.
    pub(super) fn to(path: &Path) -> Result<Self, TableError> {
        let unreadable = |error: std::io::Error| TableError::new(format!("cannot be opened: {error}"));
        let absolute = path.canonicalize().map_err(unreadable)?;
        let mut header = Vec::new();
        File::open(&absolute)
            .and_then(|file| file.take(100).read_to_end(&mut header))
            .map_err(unreadable)?;
        if header.is_empty() {
            return Err(TableError::new("is empty").with_hint("delete the file, or export it again"));
        }
        if !header.starts_with(MAGIC) {
            return Err(not_a_database());
        }

        let log = beside(&absolute, "-wal");
        let journal = beside(&absolute, "-journal");
        let holds = |side: &Path| side.metadata().is_ok_and(|data| data.len() > 0);
        let place = if header.get(READ_VERSION) == Some(&WAL) {
            // Even a read-only connection to a file with a log creates `-shm` beside it.
            if holds(&log) {
                copy(&absolute, &[(log, "-wal")])?
            } else {
                Place::Immutable(immutable_uri(&absolute))
            }
        } else if holds(&journal) && needs_rollback(&absolute) {
            // A crash left a transaction half written: rolling it back needs a file that may be changed.
            copy(&absolute, &[(journal, "-journal")])?
        } else {
            Place::File(absolute)
        };
        Ok(Self {
            path: path.to_owned(),
            place,
        })
    }

    pub(super) fn path(&self) -> &PathBuf {
        &self.path
    }

    /// A new connection.
    pub(super) fn connect(&self) -> Result<Connection, TableError> {
        let read_only = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let opened = match &self.place {
            Place::File(path) => Connection::open_with_flags(path, read_only),
            Place::Immutable(uri) => Connection::open_with_flags(uri, read_only | OpenFlags::SQLITE_OPEN_URI),
            Place::Copy(path, _) => Connection::open_with_flags(
                path,
                OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
            ),
        };
        opened
            .and_then(|connection| {
                connection.busy_timeout(LOCK_WAIT)?;
                // A view in a stranger's file may call only functions without side effects.
                connection.pragma_update(None, "trusted_schema", false)?;
                // The first look at the file: locks and encryption show here.
                connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
                Ok(connection)
            })
            .map_err(|error| table_error(&error))
    }
}

/// Whether the journal is left from a crash: a live writer's leaves the file readable or locked.
fn needs_rollback(path: &Path) -> bool {
    let looked = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).and_then(|connection| {
        connection.busy_timeout(Duration::ZERO)?;
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))
    });
    looked.is_err_and(|error| {
        !matches!(
            error.sqlite_error_code(),
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
        )
    })
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(ending);
    PathBuf::from(name)
}

fn copy(path: &Path, sides: &[(PathBuf, &str)]) -> Result<Place, TableError> {
    let copied = || -> std::io::Result<Place> {
        let folder = tempfile::Builder::new().prefix("debriefer-").tempdir()?;
        let target = folder.path().join("source.sqlite");
        copy_writable(path, &target)?;
        for (side, ending) in sides {
            copy_writable(side, &beside(&target, ending))?;
        }
        Ok(Place::Copy(target, folder))
    };
    copied().map_err(|error| TableError::new(format!("and its log cannot be copied aside: {error}")))
}

/// `std::fs::copy` would keep a read-only file read-only.
fn copy_writable(from: &Path, to: &Path) -> std::io::Result<()> {
    std::io::copy(&mut File::open(from)?, &mut File::create(to)?).map(drop)
}

fn immutable_uri(path: &Path) -> String {
    let digit = |value: u8| char::from(b"0123456789ABCDEF"[usize::from(value)]);
    let mut uri = String::from("file:");
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => uri.push(char::from(*byte)),
            _ => uri.extend(['%', digit(byte >> 4), digit(byte & 15)]),
        }
    }
    uri + "?immutable=1"
}

fn not_a_database() -> TableError {
    TableError::new("is not a SQLite database, or it is encrypted")
        .with_hint("decrypt it first, or give it the ending of what it is")
}

/// Says what is wrong with the file, in words that do not need `SQLite`'s manual.
pub(super) fn table_error(error: &rusqlite::Error) -> TableError {
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => not_a_database(),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            TableError::new("is locked by another program").with_hint("close the program that writes to it")
        }
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::SystemIoFailure) => {
            TableError::new(format!("is damaged: {error}")).with_hint(RECOVER)
        }
        _ => TableError::new(format!("cannot be read: {error}")),
    }
}

/// Says why one table or view cannot be read while others can.
pub(super) fn unreadable(error: &rusqlite::Error, kind: &str, name: &str) -> TableError {
    let cannot = |why: &str| TableError::new(format!("has a {kind} `{name}` that cannot be read: {why}"));
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => table_error(error),
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::SystemIoFailure) => {
            cannot(&format!("the file is damaged: {error}")).with_hint(RECOVER)
        }
        Some(ErrorCode::OperationInterrupted) => {
            cannot("it never comes to an end").with_hint("replace it by a table, or end its recursion with LIMIT")
        }
        _ => cannot(&error.to_string()),
    }
}
