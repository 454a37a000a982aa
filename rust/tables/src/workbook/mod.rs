//! Workbooks (xlsx, xlsm, xlsb, xls, ods) as tables, one a sheet.

mod blocks;
mod codes;
mod exact;
mod grid;
mod layout;

use std::fs::File;
use std::io::{Cursor, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use calamine::{Ods, OdsError, Reader, SheetVisible, Xls, XlsError, Xlsb, XlsbError, Xlsx, XlsxError};

use self::codes::CodeFormat;
use self::grid::Grid;
use crate::table::{Note, SourceTable, TableError};

/// A workbook is unpacked in memory.
const MAX_BYTES: u64 = 1 << 30;
const OLE: &[u8] = b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1";
/// Where a ZIP file that begins with its uncompressed `mimetype` holds that type (ODF 1.3, part 2, section 3.3).
const ODS_TYPE: std::ops::Range<usize> = 38..84;

type Bytes = Cursor<Arc<[u8]>>;

enum Workbook {
    Xlsx(Xlsx<Bytes>),
    Xlsb(Xlsb<Bytes>),
    Xls(Xls<Bytes>),
    Ods(Ods<Bytes>),
}

/// Reads every sheet that holds cells; formulas give the values that the program last computed.
///
/// A workbook with one such sheet gives a table called like the file, else each table is called like its sheet.
pub fn read(path: &Path) -> Result<Vec<SourceTable>, TableError> {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let unreadable = |error: std::io::Error| TableError::new(format!("cannot be opened: {error}"));
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(unreadable)?;
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(TableError::new("is larger than 1 GiB").with_hint("export its sheets as CSV or Parquet"));
    }
    // The parsers take lengths and places from the file; one that lies must cost this file only.
    catch_unwind(AssertUnwindSafe(|| tables(&stem, &bytes.into())))
        .unwrap_or_else(|_| Err(damaged("its parts contradict each other")))
}

fn damaged(why: &str) -> TableError {
    TableError::new(format!("is no workbook that can be read: {why}"))
        .with_hint("open it in a spreadsheet program and save it as XLSX or CSV")
}

fn protected() -> TableError {
    TableError::new("is protected by a password").with_hint("save it without the password")
}

fn tables(stem: &str, bytes: &Arc<[u8]>) -> Result<Vec<SourceTable>, TableError> {
    let mut workbook = Workbook::open(bytes)?;
    let (mut sheets, mut empty, mut formulas) = (Vec::new(), Vec::new(), 0);
    for (name, hidden) in workbook.sheets() {
        let grid = workbook.grid(&name, bytes)?;
        if grid.is_empty() {
            formulas += grid.formulas_without_value;
            empty.push(name);
        } else {
            sheets.push((name, hidden, grid));
        }
    }
    if sheets.is_empty() {
        return Err(if formulas > 0 {
            TableError::new(format!(
                "holds {formulas} formulas and no value that a program computed"
            ))
            .with_hint("open it in a spreadsheet program and save it again")
        } else {
            TableError::new("holds no cells").with_hint("delete the file, or export it again")
        });
    }
    let single = sheets.len() == 1;
    let mut left_out = (!empty.is_empty()).then(|| {
        let message = "sheets without a value were left out";
        let note = Note::new("empty-sheets", message, empty.len() as u64);
        empty.iter().fold(note, |note, name| note.with_sample(name))
    });
    let tables = |(name, hidden, grid): (String, bool, Grid)| {
        let mut notes: Vec<Note> = left_out.take().into_iter().collect();
        if single {
            notes.push(Note::new("title", "the file itself names its table", 0).with_sample(&name));
        }
        if hidden {
            notes.push(Note::new("hidden-sheet", "the workbook hides this sheet", 0));
        }
        let name = if single { stem.to_owned() } else { name };
        let parts = blocks::split(grid).into_iter().enumerate();
        parts.map(move |(at, part)| {
            let name = if at == 0 {
                name.clone()
            } else {
                format!("{name}_{}", at + 1)
            };
            layout::table(&name, part, std::mem::take(&mut notes))
        })
    };
    Ok(sheets.into_iter().flat_map(tables).collect())
}

impl Workbook {
    fn open(bytes: &Arc<[u8]>) -> Result<Self, TableError> {
        let source = || Cursor::new(Arc::clone(bytes));
        if bytes.is_empty() {
            return Err(TableError::new("is empty").with_hint("delete the file, or export it again"));
        }
        if bytes.get(ODS_TYPE) == Some(b"application/vnd.oasis.opendocument.spreadsheet") {
            return Ods::new(source()).map(Self::Ods).map_err(|error| match error {
                OdsError::Password => protected(),
                error => damaged(&error.to_string()),
            });
        }
        if bytes.starts_with(OLE) {
            return match Xls::new(source()) {
                Ok(workbook) => Ok(Self::Xls(workbook)),
                Err(XlsError::Password) => Err(protected()),
                // A protected XLSX is wrapped in the old container.
                Err(error) => Err(match Xlsx::new(source()) {
                    Err(XlsxError::Password) => protected(),
                    _ => damaged(&error.to_string()),
                }),
            };
        }
        let error = match Xlsx::new(source()) {
            Ok(workbook) => return Ok(Self::Xlsx(workbook)),
            Err(XlsxError::Password) => return Err(protected()),
            Err(error) => error,
        };
        match Xlsb::new(source()) {
            Ok(workbook) => return Ok(Self::Xlsb(workbook)),
            Err(XlsbError::Password) => return Err(protected()),
            Err(_) => {}
        }
        Ods::new(source())
            .map(Self::Ods)
            .map_err(|_| damaged(&error.to_string()))
    }

    /// Name and whether it is hidden, in the order of the tabs.
    fn sheets(&self) -> Vec<(String, bool)> {
        let sheets = match self {
            Self::Xlsx(workbook) => workbook.sheets_metadata(),
            Self::Xlsb(workbook) => workbook.sheets_metadata(),
            Self::Xls(workbook) => workbook.sheets_metadata(),
            Self::Ods(workbook) => workbook.sheets_metadata(),
        };
        sheets
            .iter()
            .filter(|sheet| sheet.typ == calamine::SheetType::WorkSheet)
            .map(|sheet| (sheet.name.clone(), sheet.visible != SheetVisible::Visible))
            .collect()
    }

    /// The cells of one sheet, one by one: a sheet's corner may lie a million rows below its last value.
    fn grid(&mut self, sheet: &str, bytes: &Arc<[u8]>) -> Result<Grid, TableError> {
        let failed = |error: &dyn std::fmt::Display| damaged(&format!("sheet `{sheet}`: {error}"));
        let mut grid = Grid::default();
        match self {
            Self::Xlsx(workbook) => {
                let mut cells = match workbook.worksheet_cells_reader(sheet) {
                    Ok(cells) => cells,
                    Err(XlsxError::NotAWorksheet(_)) => return Ok(grid),
                    Err(error) => return Err(failed(&error)),
                };
                let codes: Vec<Option<CodeFormat>> = cells
                    .styles()
                    .iter()
                    .map(|style| CodeFormat::of(&style.number_format.as_ref()?.format_code))
                    .collect();
                let mut blank = false;
                while let Some((cell, style)) = cells.next_cell_with_style_id().map_err(|error| failed(&error))? {
                    let value = calamine::Data::from(cell.get_value().clone());
                    blank |= value == calamine::Data::Empty;
                    let code = codes.get(style).and_then(Option::as_ref);
                    grid.push_formatted(cell.get_position(), value, code)?;
                }
                drop(cells);
                if blank {
                    grid.formulas_without_value = unvalued(workbook, sheet).map_err(|error| failed(&error))?;
                }
                if grid.has_long_integers {
                    grid.restore(exact::long_integers(bytes, sheet));
                }
                grid.merge(
                    &workbook
                        .merge_cells_by_sheet_name(sheet)
                        .map_err(|error| failed(&error))?,
                );
            }
            Self::Xlsb(workbook) => {
                let mut cells = workbook.worksheet_cells_reader(sheet).map_err(|error| failed(&error))?;
                while let Some(cell) = cells.next_cell().map_err(|error| failed(&error))? {
                    grid.push(cell.get_position(), calamine::Data::from(cell.get_value().clone()))?;
                }
            }
            Self::Xls(workbook) => {
                grid.push_range(&workbook.worksheet_range(sheet).map_err(|error| failed(&error))?)?;
                grid.merge(
                    &workbook
                        .merge_cells_by_sheet_name(sheet)
                        .map_err(|error| failed(&error))?,
                );
            }
            Self::Ods(workbook) => {
                grid.push_range(&workbook.worksheet_range(sheet).map_err(|error| failed(&error))?)?;
            }
        }
        grid.sort();
        grid.write_codes();
        Ok(grid)
    }
}

/// How many formulas of a sheet have no value: the program that wrote them did not compute them.
fn unvalued(workbook: &mut Xlsx<Bytes>, sheet: &str) -> Result<u64, XlsxError> {
    let mut cells = workbook.worksheet_cells_reader(sheet)?;
    let mut count = 0;
    while let Some(cell) = cells.next_cell_with_formula_metadata()? {
        count += u64::from(cell.formula.is_some() && cell.value == calamine::DataRef::Empty);
    }
    Ok(count)
}
