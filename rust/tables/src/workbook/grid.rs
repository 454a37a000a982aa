//! The filled cells of a sheet, by row, and what a spreadsheet's values mean.

use std::borrow::Cow;

use calamine::{Data, Dimensions, ExcelDateTime, Range};
use rustc_hash::{FxHashMap, FxHashSet};

use super::codes::CodeFormat;
use crate::cells;
use crate::dynamic::Cell;
use crate::numbers::shortest;
use crate::table::{Note, TableError};

/// Several gigabytes as cells; a sheet has at most 17 billion.
const MAX_CELLS: usize = 50_000_000;
/// Merged areas are looked through for each row of the header.
const MAX_MERGED: usize = 100_000;
/// Beyond it a double no longer holds every integer, and Excel itself shows 15 digits.
const MAX_INTEGRAL: f64 = 1e15;
/// Whole doubles up to 2^63 print as integers of 64 bits.
const MAX_WRITTEN: f64 = 9_223_372_036_854_775_808.0;
const SECONDS_A_DAY: f64 = 86_400.0;

/// A cell and where it stands.
pub(super) struct Filled {
    pub(super) row: u32,
    pub(super) column: u32,
    pub(super) cell: Cell<'static>,
}

/// The cells of a sheet that hold something, in order of rows and columns.
#[derive(Default)]
pub(super) struct Grid {
    pub(super) cells: Vec<Filled>,
    pub(super) merged: Vec<Dimensions>,
    /// Formulas that gave an error (`#N/A`, `#DIV/0!`): they are empty here.
    errors: u64,
    error_samples: Vec<String>,
    /// Formulas that no program has computed: they are empty here.
    pub(super) formulas_without_value: u64,
    /// A whole number has more digits than a double is sure of.
    pub(super) has_long_integers: bool,
    /// Numbers that are shown as codes, in the order they came in: where they stand, and as what.
    codes: Vec<(u32, u32, String)>,
    /// Columns that hold a negative number or a fraction in the format of a code: they count something.
    quantities: FxHashSet<u32>,
    coded: u64,
    /// Long integers whose digits the file could not be asked for.
    uncertain: u64,
}

impl Grid {
    pub(super) fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// Divides the sheet above each of these rows; what was noted of the whole stays with the first part.
    pub(super) fn divided(mut self, starts: &[u32]) -> Vec<Self> {
        let mut parts = Vec::with_capacity(starts.len() + 1);
        for start in starts.iter().rev() {
            let cells = self
                .cells
                .split_off(self.cells.partition_point(|filled| filled.row < *start));
            let (merged, above) = self.merged.iter().partition(|area| area.start.0 >= *start);
            self.merged = above;
            parts.push(Self {
                cells,
                merged,
                ..Self::default()
            });
        }
        parts.push(self);
        parts.reverse();
        parts
    }

    /// Adds a cell whose number format may show it as a code.
    pub(super) fn push_formatted(
        &mut self,
        place: (u32, u32),
        value: Data,
        code: Option<&CodeFormat>,
    ) -> Result<(), TableError> {
        if let (Data::Float(value), Some(code)) = (&value, code) {
            if CodeFormat::is_quantity(*value) {
                self.quantities.insert(place.1);
            } else if let Some(shown) = code.shown(*value) {
                self.codes.push((place.0, place.1, shown));
            }
        }
        self.push(place, value)
    }

    pub(super) fn push(&mut self, (row, column): (u32, u32), value: Data) -> Result<(), TableError> {
        let cell = match value {
            Data::Empty => return Ok(()),
            Data::String(text) if text.is_empty() => return Ok(()),
            Data::Error(error) => {
                self.errors += 1;
                if self.error_samples.len() < Note::MAX_SAMPLES {
                    self.error_samples.push(format!("{error} in row {}", row + 1));
                }
                Cell::Null
            }
            Data::String(text) => Cell::Text(Cow::Owned(text)),
            Data::Bool(value) => Cell::Bool(value),
            Data::Int(value) => Cell::Number(Cow::Owned(value.to_string())),
            Data::Float(value) => {
                self.has_long_integers |= value.fract() == 0.0 && value.abs() >= MAX_INTEGRAL;
                number(value)
            }
            Data::DateTime(value) => moment(&value),
            Data::DateTimeIso(text) => iso_moment(text),
            Data::DurationIso(text) => Cell::Text(Cow::Owned(duration(&text).unwrap_or(text))),
        };
        if self.cells.len() == MAX_CELLS {
            return Err(TableError::new(format!("has a sheet with more than {MAX_CELLS} cells"))
                .with_hint("export the sheet as CSV or Parquet"));
        }
        self.cells.push(Filled { row, column, cell });
        Ok(())
    }

    pub(super) fn push_range(&mut self, range: &Range<Data>) -> Result<(), TableError> {
        let (top, left) = range.start().unwrap_or_default();
        for (row, column, value) in range.used_cells() {
            let place = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
            self.push((top + place(row), left + place(column)), value.clone())?;
        }
        Ok(())
    }

    pub(super) fn merge(&mut self, merged: &[Dimensions]) {
        self.merged = merged.iter().take(MAX_MERGED).copied().collect();
    }

    pub(super) fn sort(&mut self) {
        let place = |filled: &Filled| (filled.row, filled.column);
        if !self.cells.is_sorted_by_key(place) {
            self.cells.sort_by_key(place);
        }
    }

    /// Puts the digits that the file has for long integers in the place of the doubles that were read.
    pub(super) fn restore(&mut self, digits: Option<FxHashMap<(u32, u32), String>>) {
        let Some(mut digits) = digits else {
            let long = |cell: &Cell<'_>| matches!(cell, Cell::Number(number) if number.len() > 15);
            self.uncertain = self.cells.iter().filter(|filled| long(&filled.cell)).count() as u64;
            return;
        };
        for filled in &mut self.cells {
            if let Cell::Number(number) = &mut filled.cell
                && let Some(exact) = digits.remove(&(filled.row, filled.column))
            {
                *number = Cow::Owned(exact);
            }
        }
    }

    /// Makes text of the numbers of a column that are shown as codes, where one of them is shown with a leading zero or
    /// with characters of its own: without either, the text would say no more than the number. A column with a negative
    /// number or a fraction among them stays a column of numbers.
    pub(super) fn write_codes(&mut self) {
        let codes = std::mem::take(&mut self.codes);
        let telling: FxHashSet<u32> = codes
            .iter()
            .filter(|(_, column, shown)| {
                !self.quantities.contains(column) && cells::integer(shown.as_bytes()).is_none()
            })
            .map(|(_, column, _)| *column)
            .collect();
        for (row, column, shown) in codes {
            if telling.contains(&column)
                && let Ok(at) = self.cells.binary_search_by_key(&(row, column), |f| (f.row, f.column))
            {
                self.cells[at].cell = Cell::Text(Cow::Owned(shown));
                self.coded += 1;
            }
        }
    }

    /// What was lost or decided on the way from the sheet.
    pub(super) fn notes(&self) -> Vec<Note> {
        let formulas =
            "formulas have no computed value and are NULL; a spreadsheet program that saves the file computes them";
        let codes = "numbers are shown as codes by their number format (`000021`) and were read as text";
        let uncertain = "integers of more than 15 digits may have been rounded";
        let counted = [
            ("formulas-without-value", formulas, self.formulas_without_value),
            ("coded-numbers", codes, self.coded),
            ("rounded-integers", uncertain, self.uncertain),
        ];
        let counted = counted.into_iter().filter(|(_, _, count)| *count > 0);
        let counted = counted.map(|(code, what, count)| Note::new(code, format!("{count} {what}"), count));
        self.error_note().into_iter().chain(counted).collect()
    }

    /// What formulas failed to compute.
    fn error_note(&self) -> Option<Note> {
        let message = "formulas that gave an error are NULL";
        let note = || Note::new("formula-errors", message, self.errors);
        let sampled = |note: Note| {
            self.error_samples
                .iter()
                .fold(note, |note, sample| note.with_sample(sample))
        };
        (self.errors > 0).then(|| sampled(note()))
    }
}

fn number(value: f64) -> Cell<'static> {
    if value.is_nan() {
        Cell::NotANumber
    } else if value.is_infinite() {
        Cell::Infinity(value < 0.0)
    } else if value.fract() == 0.0 && value.abs() < MAX_WRITTEN {
        Cell::Number(Cow::Owned(format!("{value:.0}")))
    } else {
        Cell::Number(Cow::Owned(shortest(value)))
    }
}

/// A day, a day with a time, or a time alone, which is text: an hour may be the 30th.
fn moment(value: &ExcelDateTime) -> Cell<'static> {
    let serial = value.as_f64();
    if value.is_duration() || (0.0..1.0).contains(&serial) {
        let seconds = (serial * SECONDS_A_DAY).round();
        let sign = if seconds < 0.0 { "-" } else { "" };
        let (hours, rest) = ((seconds.abs() / 3600.0).floor(), seconds.abs() % 3600.0);
        let (minutes, seconds) = ((rest / 60.0).floor(), rest % 60.0);
        return Cell::Text(Cow::Owned(format!("{sign}{hours:02}:{minutes:02}:{seconds:02}")));
    }
    let (year, month, day, hour, minute, second, milli) = value.to_ymd_hms_milli();
    // A negative serial is shown as `####` and means nothing.
    let Some(days) = cells::days_from_civil(i32::from(year), u32::from(month), u32::from(day)).filter(|_| serial > 0.0)
    else {
        return number(serial);
    };
    let clock = (i64::from(hour) * 60 + i64::from(minute)) * 60 + i64::from(second);
    if clock == 0 && milli == 0 {
        return Cell::Date(days);
    }
    Cell::Timestamp((i64::from(days) * 86_400 + clock) * 1_000_000 + i64::from(milli) * 1000)
}

fn iso_moment(text: String) -> Cell<'static> {
    const MICROS_A_DAY: i64 = 86_400_000_000;
    if let Some(days) = cells::date(text.as_bytes()) {
        return Cell::Date(days);
    }
    match cells::timestamp(text.as_bytes()) {
        Some(micros) if micros % MICROS_A_DAY == 0 => {
            i32::try_from(micros / MICROS_A_DAY).map_or(Cell::Timestamp(micros), Cell::Date)
        }
        Some(micros) => Cell::Timestamp(micros),
        None => Cell::Text(Cow::Owned(text)),
    }
}

/// `PT10H30M05S` as `10:30:05`.
fn duration(text: &str) -> Option<String> {
    let (hours, rest) = text.strip_prefix("PT")?.split_once('H')?;
    let (minutes, rest) = rest.split_once('M')?;
    let seconds = rest.strip_suffix('S')?.split(['.', ',']).next()?;
    let part = |digits: &str| digits.parse::<u32>().ok();
    Some(format!(
        "{:02}:{:02}:{:02}",
        part(hours)?,
        part(minutes)?,
        part(seconds)?
    ))
}

#[cfg(test)]
mod tests {
    use calamine::{ExcelDateTime, ExcelDateTimeType};

    use super::{duration, iso_moment, moment, number};
    use crate::dynamic::Cell;

    fn serial(value: f64) -> Cell<'static> {
        moment(&ExcelDateTime::new(value, ExcelDateTimeType::DateTime, false))
    }

    #[test]
    fn serial_numbers_are_days_and_times() {
        // Excel: 45351 is 2024-02-29, 61 is 1900-03-01; days since 1970 from Python's `datetime`.
        assert_eq!(serial(45_351.0), Cell::Date(19_782));
        assert_eq!(serial(61.0), Cell::Date(-25_508));
        assert_eq!(serial(45_351.5), Cell::Timestamp(1_709_208_000_000_000));
        assert_eq!(serial(0.75), Cell::Text("18:00:00".into()));
        assert_eq!(serial(-5.0), Cell::Number("-5".into()));
        let long = ExcelDateTime::new(1.25, ExcelDateTimeType::TimeDelta, false);
        assert_eq!(moment(&long), Cell::Text("30:00:00".into()));
        let macintosh = ExcelDateTime::new(43_889.0, ExcelDateTimeType::DateTime, true);
        assert_eq!(moment(&macintosh), Cell::Date(19_782));
    }

    #[test]
    fn whole_doubles_are_integers() {
        assert_eq!(number(3.0), Cell::Number("3".into()));
        assert_eq!(number(-0.5), Cell::Number("-0.5".into()));
        assert_eq!(number(1e300), Cell::Number("1e300".into()));
    }

    #[test]
    fn iso_texts_of_open_document_are_read() {
        assert_eq!(iso_moment("2024-02-29T00:00:00".to_owned()), Cell::Date(19_782));
        assert_eq!(duration("PT10H05M00S").as_deref(), Some("10:05:00"));
        assert_eq!(duration("P1D"), None);
    }
}
