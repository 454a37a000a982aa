//! The names that statements may use, compiled once.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::fold::{fold, fold_into, is_folded, same_name};

/// Identifies all spellings that fold to one key.
pub(crate) type Symbol = u32;

#[derive(Debug)]
struct Table {
    name: String,
    columns: Vec<String>,
}

/// What a name means among some known names.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Found<'a> {
    /// It is spelled as it is, up to the case of ASCII letters.
    Exact,
    /// It differs in white space or width from these, each another spelling.
    Loose(Vec<&'a str>),
    /// It is none of them.
    Missing,
}

/// Adds `known` to what has been found for `name`; [`Found::Exact`] stays.
pub(crate) fn add_spelling<'a>(found: Found<'a>, name: &str, known: &'a str) -> Found<'a> {
    if same_name(name, known) {
        return Found::Exact;
    }
    match found {
        Found::Exact => Found::Exact,
        Found::Missing => Found::Loose(vec![known]),
        Found::Loose(mut spellings) => {
            if !spellings.iter().any(|other| same_name(other, known)) {
                spellings.push(known);
            }
            Found::Loose(spellings)
        }
    }
}

/// 128 words, one for each ASCII character.
#[derive(Debug)]
struct Filter([u64; 128]);

/// The place of an ASCII character, the same for a small and a capital letter.
#[inline]
fn place(byte: u8) -> usize {
    usize::from((byte | 0x20) & 127)
}

impl Default for Filter {
    fn default() -> Self {
        Self([0; 128])
    }
}

/// Table and column names, compiled for look-up by any spelling.
#[derive(Debug, Default)]
pub struct Schema {
    tables: Vec<Table>,
    symbols: FxHashMap<Box<str>, Symbol>,
    /// By symbol: the only spelling, or `None` where there are several.
    spellings: Vec<Option<Box<str>>>,
    /// Spelling and table of each table name and alias.
    tables_by_symbol: Vec<Vec<(String, u32)>>,
    /// Column positions by table and symbol.
    columns: FxHashMap<(u32, Symbol), Vec<u32>>,
    /// Lengths (as bits) of unquoted ASCII spellings of names that need quotes, by first and by last letter: a cheap
    /// "certainly not".
    ascii_first: Filter,
    ascii_last: Filter,
    longest: usize,
    /// Columns of a date or time type, by table and symbol.
    temporal: FxHashSet<(u32, Symbol)>,
    /// Those of them that hold days without a time.
    dates: FxHashSet<(u32, Symbol)>,
    /// Columns that hold lists, by table and symbol.
    lists: FxHashSet<(u32, Symbol)>,
    /// Whether column types were given at all.
    typed: bool,
    macros: bool,
}

impl Schema {
    /// Compiles `tables` (name and columns) and `aliases` (other name and table); an alias of no table is left out.
    pub fn new<'a, C: AsRef<str> + 'a>(
        tables: impl IntoIterator<Item = (&'a str, &'a [C])>,
        aliases: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Self {
        let mut schema = Self::default();
        for (name, columns) in tables {
            schema.add_table(name, columns);
        }
        for (alias, table) in aliases {
            if let Some(id) = schema.tables.iter().position(|t| same_name(&t.name, table)) {
                let id = crate::token::offset(id);
                schema.add_table_name(alias, id);
            }
        }
        schema
    }

    /// Notes which columns of `table` have a date or time type.
    pub fn set_temporal<C: AsRef<str>>(&mut self, table: &str, columns: &[C]) {
        self.typed = true;
        let noted = self.columns_called(table, columns);
        self.temporal.extend(noted);
    }

    /// Notes which columns of `table` hold days without a time.
    pub fn set_dates<C: AsRef<str>>(&mut self, table: &str, columns: &[C]) {
        let noted = self.columns_called(table, columns);
        self.dates.extend(noted);
    }

    /// Notes which columns of `table` hold lists.
    pub fn set_lists<C: AsRef<str>>(&mut self, table: &str, columns: &[C]) {
        let noted = self.columns_called(table, columns);
        self.lists.extend(noted);
    }

    /// Notes that statements run where the catalog's macros are.
    pub fn set_macros(&mut self) {
        self.macros = true;
    }

    fn columns_called<C: AsRef<str>>(&self, table: &str, columns: &[C]) -> Vec<(u32, Symbol)> {
        let mut key = String::new();
        let Some(id) = self.table(table, &mut key).1 else {
            return Vec::new();
        };
        let symbols = columns
            .iter()
            .filter_map(|column| self.symbol(column.as_ref(), &mut key));
        symbols.map(|symbol| (id, symbol)).collect()
    }

    /// Whether `name` is a column of `table` that has a date or time type.
    pub(crate) fn is_temporal(&self, table: u32, name: &str) -> bool {
        self.is_noted(&self.temporal, table, name)
    }

    /// Whether `name` is a column of `table` that holds days without a time.
    pub(crate) fn is_date(&self, table: u32, name: &str) -> bool {
        self.is_noted(&self.dates, table, name)
    }

    /// Whether `name` is a column of `table` that holds lists.
    pub(crate) fn is_list(&self, table: u32, name: &str) -> bool {
        self.is_noted(&self.lists, table, name)
    }

    fn is_noted(&self, noted: &FxHashSet<(u32, Symbol)>, table: u32, name: &str) -> bool {
        !noted.is_empty()
            && self
                .symbol(name, &mut String::new())
                .is_some_and(|symbol| noted.contains(&(table, symbol)))
    }

    /// Whether any column is known to hold lists.
    pub(crate) fn has_lists(&self) -> bool {
        !self.lists.is_empty()
    }

    /// Whether the types of columns are known.
    pub(crate) fn is_typed(&self) -> bool {
        self.typed
    }

    /// Whether the catalog's macros are there.
    pub(crate) fn has_macros(&self) -> bool {
        self.macros || self.typed
    }

    /// Whether no table is known: then only repairs that need no names are made.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tables.is_empty()
    }

    fn add_table<C: AsRef<str>>(&mut self, name: &str, columns: &[C]) {
        let id = crate::token::offset(self.tables.len());
        for (position, column) in columns.iter().enumerate() {
            let column = column.as_ref();
            let symbol = self.intern(column);
            self.columns
                .entry((id, symbol))
                .or_default()
                .push(crate::token::offset(position));
        }
        self.tables.push(Table {
            name: name.to_owned(),
            columns: columns.iter().map(|c| c.as_ref().to_owned()).collect(),
        });
        self.add_table_name(name, id);
    }

    fn add_table_name(&mut self, name: &str, id: u32) {
        let symbol = self.intern(name);
        if self.tables_by_symbol.len() <= symbol as usize {
            self.tables_by_symbol.resize(symbol as usize + 1, Vec::new());
        }
        let entries = &mut self.tables_by_symbol[symbol as usize];
        if !entries.iter().any(|(known, _)| same_name(known, name)) {
            entries.push((name.to_owned(), id));
        }
    }

    fn intern(&mut self, name: &str) -> Symbol {
        let key = fold(name);
        self.longest = self.longest.max(name.len().max(key.len()));
        if key.is_ascii()
            && !same_name(&key, name)
            && let [first, ..] = key.as_bytes()
        {
            let length = 1 << key.len().min(63);
            self.ascii_first.0[place(*first)] |= length;
            self.ascii_last.0[place(key.as_bytes()[key.len() - 1])] |= length;
        }
        let next = crate::token::offset(self.symbols.len());
        let symbol = *self.symbols.entry(key.into()).or_insert(next);
        match self.spellings.get_mut(symbol as usize) {
            None => self.spellings.push(Some(name.into())),
            Some(known) if known.as_deref().is_some_and(|known| !same_name(known, name)) => *known = None,
            Some(_) => {}
        }
        symbol
    }

    /// Whether the unquoted ASCII `name` may be another spelling of a name that needs quotes.
    #[inline]
    pub(crate) fn may_need_quotes(&self, name: &[u8]) -> bool {
        let ([first, ..], [.., last]) = (name, name) else {
            return false;
        };
        let length = 1 << name.len().min(63);
        self.ascii_first.0[place(*first)] & length != 0 && self.ascii_last.0[place(*last)] & length != 0
    }

    /// The symbol of `name`; `key` is a buffer.
    pub(crate) fn symbol(&self, name: &str, key: &mut String) -> Option<Symbol> {
        // Folding only shortens ASCII names; in any script it changes the length less than this.
        if name.len() > self.longest.saturating_mul(4).saturating_add(64) {
            return None;
        }
        if is_folded(name) {
            return self.symbol_of_key(name);
        }
        fold_into(name, key);
        self.symbol_of_key(key)
    }

    /// The symbol of a folded name.
    pub(crate) fn symbol_of_key(&self, key: &str) -> Option<Symbol> {
        self.symbols.get(key).copied()
    }

    /// Whether `name` is spelled as every table and column of its symbol is: then nothing can restore it.
    pub(crate) fn is_only_spelling(&self, symbol: Symbol, name: &str) -> bool {
        self.spellings[symbol as usize]
            .as_deref()
            .is_some_and(|known| same_name(known, name))
    }

    /// Length in bytes of the longest name.
    pub(crate) fn longest(&self) -> usize {
        self.longest
    }

    /// The table called `name`, and how the name must be spelled.
    pub(crate) fn table(&self, name: &str, key: &mut String) -> (Found<'_>, Option<u32>) {
        let symbol = self.symbol(name, key);
        let Some(entries) = symbol.and_then(|symbol| self.tables_by_symbol.get(symbol as usize)) else {
            return (Found::Missing, None);
        };
        if entries.is_empty() {
            return (Found::Missing, None);
        }
        if let Some((_, id)) = entries.iter().find(|(known, _)| same_name(known, name)) {
            return (Found::Exact, Some(*id));
        }
        // Two aliases of one table are one answer: the first stands for the table's own name.
        let id = entries[0].1;
        if entries.iter().all(|(_, other)| *other == id) {
            return (Found::Loose(vec![&entries[0].0]), Some(id));
        }
        (
            Found::Loose(entries.iter().map(|(known, _)| known.as_str()).collect()),
            None,
        )
    }

    /// What `name`, whose symbol is `symbol`, means among the columns of `table`.
    pub(crate) fn column<'a>(&'a self, table: u32, symbol: Symbol, name: &str, found: Found<'a>) -> Found<'a> {
        let Some(positions) = self.columns.get(&(table, symbol)) else {
            return found;
        };
        let columns = &self.tables[table as usize].columns;
        positions
            .iter()
            .fold(found, |found, at| add_spelling(found, name, &columns[*at as usize]))
    }

    /// Name of a table.
    pub(crate) fn table_name(&self, table: u32) -> &str {
        &self.tables[table as usize].name
    }

    /// Columns of a table, in order.
    pub(crate) fn columns_of(&self, table: u32) -> impl Iterator<Item = &str> {
        self.tables[table as usize].columns.iter().map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema() -> Schema {
        Schema::new(
            [
                ("基金经理", &["在任基金数(只)", "姓名", "姓 名"][..]),
                ("t", &["User Name", "ID"][..]),
            ],
            [("df_t", "t"), ("lost", "nowhere")],
        )
    }

    fn column<'a>(schema: &'a Schema, table: &str, name: &str) -> Found<'a> {
        let mut key = String::new();
        let id = schema.table(table, &mut key).1.unwrap();
        match schema.symbol(name, &mut key) {
            Some(symbol) => schema.column(id, symbol, name, Found::Missing),
            None => Found::Missing,
        }
    }

    #[test]
    fn columns_are_found_by_any_spelling() {
        let schema = schema();
        assert_eq!(
            column(&schema, "基金 经理", "在任基金数 （只）"),
            Found::Loose(vec!["在任基金数(只)"])
        );
        assert_eq!(column(&schema, "df_t", "id"), Found::Exact);
        assert_eq!(column(&schema, "t", "username"), Found::Loose(vec!["User Name"]));
        assert_eq!(column(&schema, "t", "姓名"), Found::Missing);
        assert_eq!(column(&schema, "基金经理", "姓名"), Found::Exact);
        assert_eq!(
            column(&schema, "基金经理", "姓  名"),
            Found::Loose(vec!["姓名", "姓 名"])
        );
    }

    #[test]
    fn the_filter_passes_what_may_need_quotes() {
        let schema = schema();
        assert!(schema.may_need_quotes(b"UserName"));
        assert!(!schema.may_need_quotes(b"id"));
    }
}
