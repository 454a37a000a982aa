//! `SQLite` files as Arrow tables, without any `DuckDB` extension.
//!
//! A column's type comes from what is stored in every row, not from what was declared: `SQLite` types values, not
//! columns. Declared types decide only where nothing is stored.

mod column;
mod convert;
mod open;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::Schema;
use rusqlite::Connection;

use self::column::ColumnBuilder;
use self::open::{Access, table_error};
use crate::delimited::encoding;
use crate::names::{renamed_columns, unique_columns};
use crate::table::{Column, Note, SourceTable, TableError};

/// `DuckDB`'s row group; larger batches gain nothing.
const BATCH_ROWS: usize = 122_880;
/// Arrow's text offsets end at 2 GiB and one `SQLite` value may hold 1 GB, so a batch closes well before.
const BATCH_BYTES: usize = 512 << 20;
/// Virtual-machine steps after which a view is taken to be endless: about ten seconds, tens of millions of rows.
const VIEW_STEPS: u64 = 1_000_000_000;
/// Steps between two looks at the counter.
const STEPS_A_LOOK: i32 = 1_000_000;

/// What a name in a `SQLite` file stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An ordinary, `WITHOUT ROWID` or virtual table.
    Table,
    /// A view; its rows are computed when it is read.
    View,
}

impl Kind {
    /// `table` or `view`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::View => "view",
        }
    }
}

/// A column as the file declares it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredColumn {
    /// Name in the file's spelling.
    pub name: String,
    /// Declared type, empty where none was given.
    pub declared_type: String,
    /// Whether NULL is refused.
    pub not_null: bool,
    /// Place in the primary key, from 1; 0 outside it.
    pub primary_key: u32,
}

/// One column of a foreign key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeignKey {
    /// Column of this table.
    pub from: String,
    /// The table that it points to.
    pub table: String,
    /// The column that it points to; the primary key where the file leaves it out.
    pub to: String,
}

/// What a file says about one table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Declared {
    /// In order; hidden columns of virtual tables left out.
    pub columns: Vec<DeclaredColumn>,
    /// In the order of the declaration.
    pub foreign_keys: Vec<ForeignKey>,
}

/// An opened `SQLite` file; every read opens a connection of its own, so reads may run side by side.
#[derive(Debug)]
pub struct SqliteSource {
    access: Access,
    tables: Vec<(String, Kind)>,
}

impl SqliteSource {
    /// Opens a file and lists its tables and views; nothing is ever written beside or into it.
    pub fn open(path: &Path) -> Result<Self, TableError> {
        let access = Access::to(path)?;
        let tables = list(&access.connect()?).map_err(|error| table_error(&error))?;
        Ok(Self { access, tables })
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &PathBuf {
        self.access.path()
    }

    /// Names and kinds in order of creation, without internal and shadow tables.
    #[must_use]
    pub fn tables(&self) -> &[(String, Kind)] {
        &self.tables
    }

    /// Declared types and keys of one table or view.
    pub fn declared(&self, name: &str) -> Result<Declared, TableError> {
        self.kind(name)?;
        declared(&self.access.connect()?, name).map_err(|error| table_error(&error))
    }

    /// Reads one table or view whole.
    pub fn read(&self, name: &str) -> Result<SourceTable, TableError> {
        let kind = self.kind(name)?;
        let mut connection = self.access.connect()?;
        if kind == Kind::View {
            stop_endless(&mut connection).map_err(|error| table_error(&error))?;
        }
        read(&connection, name).map_err(|error| open::unreadable(&error, kind.as_str(), name))
    }

    fn kind(&self, name: &str) -> Result<Kind, TableError> {
        let found = self.tables.iter().find(|(known, _)| known == name);
        found.map(|(_, kind)| *kind).ok_or_else(|| {
            let names: Vec<_> = self.tables.iter().map(|(known, _)| format!("`{known}`")).collect();
            TableError::new(format!("has no table or view `{name}`")).with_hint(format!("it has {}", names.join(", ")))
        })
    }
}

fn list(connection: &Connection) -> rusqlite::Result<Vec<(String, Kind)>> {
    // `pragma_table_list` knows shadow tables but comes in hash order; `sqlite_schema` is in order of creation.
    let mut shadows =
        connection.prepare("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'shadow'")?;
    let shadows: Vec<Vec<u8>> = shadows
        .query_map([], |row| Ok(row.get_ref(0)?.as_bytes()?.to_vec()))?
        .collect::<Result<_, _>>()?;
    let mut schema = connection.prepare(
        "SELECT name, type FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' \
         ORDER BY rowid",
    )?;
    let mut rows = schema.query([])?;
    let mut tables = Vec::new();
    while let Some(row) = rows.next()? {
        let name = row.get_ref(0)?.as_bytes()?;
        if shadows.iter().any(|shadow| shadow == name) {
            continue;
        }
        let kind = match row.get_ref(1)?.as_bytes()? {
            b"view" => Kind::View,
            _ => Kind::Table,
        };
        // A name that is not UTF-8 cannot be asked for: `read` will say that there is no such table.
        tables.push((String::from_utf8_lossy(name).into_owned(), kind));
    }
    Ok(tables)
}

fn declared(connection: &Connection, name: &str) -> rusqlite::Result<Declared> {
    let text = |row: &rusqlite::Row<'_>, column: usize| -> rusqlite::Result<String> {
        let bytes = row.get_ref(column)?.as_bytes_or_null()?.unwrap_or_default();
        Ok(decoded(bytes))
    };
    let mut statement =
        connection.prepare("SELECT name, type, \"notnull\", pk FROM pragma_table_xinfo(?1) WHERE hidden <> 1")?;
    let columns = statement
        .query_map([name], |row| {
            Ok(DeclaredColumn {
                name: text(row, 0)?,
                declared_type: text(row, 1)?,
                not_null: row.get(2)?,
                primary_key: row.get(3)?,
            })
        })?
        .collect::<Result<_, _>>()?;
    // Keys are numbered from the last declared to the first.
    let mut statement = connection.prepare(
        "SELECT \"from\", \"table\", coalesce(\"to\", (SELECT p.name FROM pragma_table_xinfo(k.\"table\") p \
                  WHERE p.pk = k.seq + 1), '') FROM pragma_foreign_key_list(?1) k ORDER BY id DESC, seq",
    )?;
    let foreign_keys = statement
        .query_map([name], |row| {
            Ok(ForeignKey {
                from: text(row, 0)?,
                table: text(row, 1)?,
                to: text(row, 2)?,
            })
        })?
        .collect::<Result<_, _>>()?;
    Ok(Declared { columns, foreign_keys })
}

/// Names of tables and columns whose bytes need not be UTF-8.
fn decoded(name: &[u8]) -> String {
    match std::str::from_utf8(name) {
        Ok(name) => name.to_owned(),
        Err(_) => encoding::guess(name).decode_without_bom_handling(name).0.into_owned(),
    }
}

fn stop_endless(connection: &mut Connection) -> rusqlite::Result<()> {
    let mut looks = VIEW_STEPS / u64::from(STEPS_A_LOOK.unsigned_abs());
    connection.progress_handler(
        STEPS_A_LOOK,
        Some(move || {
            looks = looks.saturating_sub(1);
            looks == 0
        }),
    )
}

fn read(connection: &Connection, name: &str) -> rusqlite::Result<SourceTable> {
    let quoted = format!("\"{}\"", name.replace('"', "\"\""));
    let declared = declared(connection, name)?;
    // A view's columns have no declaration of their own; a table's are those of `SELECT *`, in the same order.
    // `column_names` insists on UTF-8, so undecodable names are replaced before they are asked for.
    let places: Vec<_> = (1..=declared.columns.len()).map(|place| format!("c{place}")).collect();
    let mut statement = connection.prepare(&format!(
        "WITH source({}) AS (SELECT * FROM {quoted}) SELECT * FROM source",
        places.join(", ")
    ))?;
    let types: Vec<String> = statement
        .columns()
        .map(|column| column.decl_type().unwrap_or_default().to_owned())
        .collect();

    let mut builders: Vec<ColumnBuilder> = types.iter().map(|_| ColumnBuilder::default()).collect();
    let mut batch_rows = Vec::new();
    let mut open_rows = 0;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let mut bytes = 0;
        for (place, builder) in builders.iter_mut().enumerate() {
            bytes = bytes.max(builder.push(row.get_ref(place)?));
        }
        open_rows += 1;
        if open_rows == BATCH_ROWS || bytes >= BATCH_BYTES {
            builders.iter_mut().for_each(ColumnBuilder::close_batch);
            batch_rows.push(open_rows);
            open_rows = 0;
        }
    }
    if open_rows > 0 {
        builders.iter_mut().for_each(ColumnBuilder::close_batch);
        batch_rows.push(open_rows);
    }

    let spelled: Vec<&str> = declared.columns.iter().map(|column| column.name.as_str()).collect();
    let names = unique_columns(&spelled);
    let renamed = renamed_columns(&spelled, &names);
    let mut table = assemble(name, names, &types, builders, &batch_rows);
    table.notes.splice(0..0, renamed);
    Ok(table)
}

fn assemble(
    name: &str,
    names: Vec<String>,
    types: &[String],
    builders: Vec<ColumnBuilder>,
    batch_rows: &[usize],
) -> SourceTable {
    let mut columns = Vec::new();
    let mut fields = Vec::new();
    let mut notes: Vec<Note> = Vec::new();
    let mut chunks: Vec<Vec<_>> = vec![Vec::new(); batch_rows.len()];
    for ((name, declared), builder) in names.into_iter().zip(types).zip(builders) {
        let built = builder.finish(&name, declared);
        fields.push(arrow_schema::Field::new(&name, built.arrow_type, true));
        columns.push(Column {
            name,
            sql_type: built.sql_type,
        });
        notes.extend(built.notes);
        for (chunk, array) in chunks.iter_mut().zip(built.arrays) {
            chunk.push(array);
        }
    }
    let schema = Arc::new(Schema::new(fields));
    let batches = chunks
        .into_iter()
        .zip(batch_rows)
        .map(|(arrays, rows)| {
            let options = RecordBatchOptions::new().with_row_count(Some(*rows));
            RecordBatch::try_new_with_options(Arc::clone(&schema), arrays, &options)
                .expect("every builder closed the same batches with the type it reports")
        })
        .collect();
    SourceTable {
        name: name.to_owned(),
        columns,
        schema,
        batches,
        notes,
    }
}
