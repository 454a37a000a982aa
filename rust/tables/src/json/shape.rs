//! Which of the many ways to write tables in JSON a value is.

use std::borrow::Cow;

use rustc_hash::FxHashSet;

use super::explain;
use super::lexer::{Fault, Lexer};
use super::list::{elements, is_counted, list, not_a_table, rows_of_lists, texts};
use super::records::Records;
use crate::dynamic::Cell;
use crate::table::{Note, SourceTable, TableError};

/// Keys under which programs put the rows of a file's one table.
const ROW_KEYS: [&str; 7] = ["records", "data", "rows", "items", "results", "values", "entries"];
/// Keys under which they put the names of the columns, where rows are lists.
const HEADER_KEYS: [&str; 5] = ["columns", "header", "headers", "fields", "column_names"];
/// Keys under which they put the table's name.
const TITLE_KEYS: [&str; 4] = ["table", "table_name", "name", "title"];

/// Why a value is no table.
pub(super) enum Refusal {
    Fault(Fault),
    Table(TableError),
}

impl From<Fault> for Refusal {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl Refusal {
    pub(super) fn explain(self, text: &str) -> TableError {
        match self {
            Self::Fault(fault) => explain(&fault, text),
            Self::Table(error) => error,
        }
    }
}

/// What a value holds, seen from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holds {
    Scalar,
    /// An object of that many values.
    Object(usize),
    /// A list without elements.
    Nothing,
    /// A list of objects, mostly.
    Records,
    /// A list of lists.
    Lists,
    /// A list of that many elements of other sorts.
    Values(usize),
}

/// One value of an object.
pub(super) struct Member<'a> {
    key: Cow<'a, str>,
    start: usize,
    holds: Holds,
}

/// A whole value, seen from outside.
pub(super) enum Outline<'a> {
    Object(Vec<Member<'a>>),
    Other(Holds),
}

/// Goes past one value, checking all of it, and says what it holds.
pub(super) fn outline<'a>(lexer: &mut Lexer<'a>) -> Result<Outline<'a>, Fault> {
    if lexer.peek() == Some(b'{') {
        members(lexer, true).map(Outline::Object)
    } else {
        holds(lexer).map(Outline::Other)
    }
}

/// Reads the value at the lexer's place, whose outline is known, as one table or several.
pub(super) fn tables<'a>(
    stem: &str,
    lexer: &Lexer<'a>,
    outline: Outline<'a>,
    notes: Vec<Note>,
) -> Result<Vec<SourceTable>, Refusal> {
    match outline {
        Outline::Object(members) => object(stem, lexer, &members, notes),
        Outline::Other(Holds::Scalar) => Err(Refusal::Table(not_a_table())),
        Outline::Other(holds) => list(stem, lexer, holds, notes).map(|table| vec![table]),
    }
}

fn holds(lexer: &mut Lexer<'_>) -> Result<Holds, Fault> {
    match lexer.peek() {
        Some(b'{') => Ok(Holds::Object(members(lexer, false)?.len())),
        Some(b'[') => {
            let (mut all, mut objects, mut lists) = (0, 0, 0);
            lexer.enter(b'[')?;
            while lexer.next_element(all == 0)? {
                all += 1;
                match lexer.peek() {
                    Some(b'{') => objects += 1,
                    Some(b'[') => lists += 1,
                    _ => {}
                }
                lexer.skip()?;
            }
            Ok(match (all, objects, lists) {
                (0, _, _) => Holds::Nothing,
                (all, objects, _) if objects * 2 > all => Holds::Records,
                (all, _, lists) if lists == all => Holds::Lists,
                _ => Holds::Values(all),
            })
        }
        _ => lexer.skip().map(|()| Holds::Scalar),
    }
}

/// Goes past the object at the lexer's place and gives its values.
fn members<'a>(lexer: &mut Lexer<'a>, look_inside: bool) -> Result<Vec<Member<'a>>, Fault> {
    lexer.enter(b'{')?;
    let mut members: Vec<Member<'a>> = Vec::new();
    while let Some(key) = lexer.next_key(members.is_empty())? {
        lexer.peek();
        let start = lexer.at;
        let holds = if look_inside {
            holds(lexer)?
        } else {
            lexer.skip()?;
            Holds::Scalar
        };
        members.push(Member { key, start, holds });
    }
    Ok(members)
}

fn members_of<'a>(lexer: &Lexer<'a>, look_inside: bool) -> Result<Vec<Member<'a>>, Fault> {
    members(&mut lexer.clone(), look_inside)
}

fn object<'a>(
    stem: &str,
    lexer: &Lexer<'a>,
    members: &[Member<'a>],
    mut notes: Vec<Note>,
) -> Result<Vec<SourceTable>, Refusal> {
    let at = |member: &Member<'_>| lexer.from(member.start);

    let all_objects = members.iter().all(|member| matches!(member.holds, Holds::Object(1..)));
    if all_objects
        && !members.is_empty()
        && let Some(table) = objects(stem, lexer, members, &notes)?
    {
        return Ok(vec![table]);
    }
    if let [only] = members
        && matches!(only.holds, Holds::Object(_))
    {
        // `{"data": {…}}` only wraps.
        title(&only.key, &mut notes);
        return object(stem, &at(only), &members_of(&at(only), true)?, notes);
    }
    if let Some(rows) = member(members, &ROW_KEYS, |holds| {
        holds == Holds::Lists || holds == Holds::Nothing
    }) && let Some(header) = member(members, &HEADER_KEYS, |holds| matches!(holds, Holds::Values(_)))
    {
        let starts = elements(&at(rows))?;
        let index = member(members, &["index"], |holds| holds == Holds::Values(starts.len()));
        let used: Vec<_> = [rows, header]
            .into_iter()
            .chain(index)
            .map(|member| member.start)
            .collect();
        metadata(lexer, members, &used, &mut notes)?;
        let index = match index {
            Some(index) if !is_counted(&at(index))? => elements(&at(index))?,
            _ => Vec::new(),
        };
        let header = texts(&at(header))?;
        return rows_of_lists(stem, lexer, &header, &starts, &index, notes).map(|table| vec![table]);
    }
    let tabular = |holds: Holds| matches!(holds, Holds::Records | Holds::Lists);
    let tables = members.iter().filter(|member| tabular(member.holds)).count();
    if tables <= 1
        && let Some(rows) = member(members, &ROW_KEYS, |holds| tabular(holds) || holds == Holds::Nothing)
    {
        metadata(lexer, members, &[rows.start], &mut notes)?;
        return list(stem, &at(rows), rows.holds, notes).map(|table| vec![table]);
    }
    if tables > 0 && members.iter().any(|member| member.holds == Holds::Records) {
        return several(stem, lexer, members, notes);
    }
    if let Some(rows) = equal_lists(members) {
        return columns(stem, lexer, members, rows, notes).map(|table| vec![table]);
    }
    let mut records = Records::default();
    records.object(&mut lexer.clone())?;
    records
        .finish(stem, notes)
        .map(|table| vec![table])
        .map_err(Refusal::Table)
}

fn member<'m, 'a>(members: &'m [Member<'a>], keys: &[&str], fits: impl Fn(Holds) -> bool) -> Option<&'m Member<'a>> {
    keys.iter().find_map(|key| {
        members
            .iter()
            .find(|member| member.key.eq_ignore_ascii_case(key) && fits(member.holds))
    })
}

fn title(name: &str, notes: &mut Vec<Note>) {
    notes.push(Note::new("title", "the file itself names its table", 0).with_sample(name));
}

/// Tells of the values beside the rows, so that none is lost in silence.
fn metadata(lexer: &Lexer<'_>, members: &[Member<'_>], used: &[usize], notes: &mut Vec<Note>) -> Result<(), Fault> {
    let mut note = Note::new("metadata", "the file says more than its rows", 0);
    for member in members.iter().filter(|member| !used.contains(&member.start)) {
        let mut value = lexer.from(member.start);
        let cell = value.value()?;
        match &cell {
            Cell::Text(name) if TITLE_KEYS.contains(&member.key.as_ref()) => title(name, notes),
            _ => {
                note = note.with_sample(&format!("{}: {}", member.key, &lexer.text()[member.start..value.at]));
                note.count += 1;
            }
        }
    }
    if note.count > 0 {
        notes.push(note);
    }
    Ok(())
}

/// Each list of records is a table of its own; what else there is makes one row of the table `stem`.
fn several(
    stem: &str,
    lexer: &Lexer<'_>,
    members: &[Member<'_>],
    notes: Vec<Note>,
) -> Result<Vec<SourceTable>, Refusal> {
    let is_table = |member: &&Member<'_>| matches!(member.holds, Holds::Records | Holds::Lists);
    if let [only] = members {
        let mut notes = notes;
        title(&only.key, &mut notes);
        return list(stem, &lexer.from(only.start), only.holds, notes).map(|table| vec![table]);
    }
    let mut tables = Vec::new();
    let mut rest = Records::default();
    for (place, member) in members.iter().filter(|member| !is_table(member)).enumerate() {
        let cell = lexer.from(member.start).value()?;
        rest.put(member.key.clone(), cell, place);
    }
    if !rest.is_empty() {
        rest.end_row(&mut lexer.clone());
        tables.push(rest.finish(stem, notes.clone()).map_err(Refusal::Table)?);
    }
    for member in members.iter().filter(is_table) {
        let mut notes = notes.clone();
        title(&member.key, &mut notes);
        tables.push(list(
            &format!("{stem}_{}", member.key),
            &lexer.from(member.start),
            member.holds,
            notes,
        )?);
    }
    Ok(tables)
}

/// The length that all values share, where all are lists: then they are columns.
fn equal_lists(members: &[Member<'_>]) -> Option<usize> {
    let length = |member: &Member<'_>| match member.holds {
        Holds::Values(length) => Some(length),
        Holds::Nothing => Some(0),
        _ => None,
    };
    let first = length(members.first()?)?;
    members
        .iter()
        .all(|member| length(member) == Some(first))
        .then_some(first)
}

fn columns(
    stem: &str,
    lexer: &Lexer<'_>,
    members: &[Member<'_>],
    rows: usize,
    notes: Vec<Note>,
) -> Result<SourceTable, Refusal> {
    let mut records = Records::default();
    let mut values = Vec::new();
    for member in members {
        records.declare(member.key.clone());
        values.push(elements(&lexer.from(member.start))?);
    }
    for row in 0..rows {
        for (place, (member, starts)) in members.iter().zip(&values).enumerate() {
            records.put(member.key.clone(), lexer.from(starts[row]).value()?, place);
        }
        records.end_row(&mut lexer.clone());
    }
    records.finish(stem, notes).map_err(Refusal::Table)
}

/// An object of objects: columns by row number (pandas' default) or rows by key (its `index`).
fn objects(
    stem: &str,
    lexer: &Lexer<'_>,
    outer: &[Member<'_>],
    notes: &[Note],
) -> Result<Option<SourceTable>, Refusal> {
    let mut inner = Vec::new();
    for member in outer {
        inner.push(members_of(&lexer.from(member.start), false)?);
    }
    let mut records = Records::default();
    let numbered = |members: &[Member<'_>]| {
        members
            .iter()
            .enumerate()
            .all(|(row, member)| member.key.parse() == Ok(row))
            && members.len() == inner[0].len()
    };
    if inner.iter().all(|members| numbered(members)) {
        for row in 0..inner[0].len() {
            for (place, (member, values)) in outer.iter().zip(&inner).enumerate() {
                records.put(member.key.clone(), lexer.from(values[row].start).value()?, place);
            }
            records.end_row(&mut lexer.clone());
        }
        return records.finish(stem, notes.to_vec()).map(Some).map_err(Refusal::Table);
    }
    // Rows share their keys; settings grouped by topic do not.
    let widest = inner.iter().map(Vec::len).max().unwrap_or_default();
    let first: FxHashSet<&str> = inner[0].iter().map(|member| member.key.as_ref()).collect();
    let shared = inner.iter().all(|members| {
        let known = members
            .iter()
            .filter(|member| first.contains(member.key.as_ref()))
            .count();
        known * 2 >= members.len()
    });
    if outer.len() < 2 || widest == 0 || !shared {
        return Ok(None);
    }
    let taken = |name: &&str| {
        let mut keys = inner.iter().flatten().map(|member| &member.key);
        keys.any(|key| key.eq_ignore_ascii_case(name))
    };
    let free = ["key", "row_key"].into_iter().find(|name| !taken(name));
    let key = Cow::Borrowed(free.unwrap_or("object_key"));
    for member in outer {
        records.put(key.clone(), Cell::Text(member.key.clone()), 0);
        let mut row = lexer.from(member.start);
        row.enter(b'{')?;
        let mut place = 1;
        while let Some(name) = row.next_key(place == 1)? {
            let cell = row.value()?;
            records.put(name, cell, place);
            place += 1;
        }
        records.end_row(&mut row);
    }
    records.finish(stem, notes.to_vec()).map(Some).map_err(Refusal::Table)
}
