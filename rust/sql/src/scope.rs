//! What a name can mean in a block: columns of its sources, its aliases, and the same of the blocks around it.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use crate::fold::{fold, folds_to, same_name};
use crate::names::{is_called, name_text, starts_otherwise};
use crate::schema::{Found, Schema, Symbol};
use crate::structure::{Block, Item, ItemKind, NONE, Origin, Source, Structure};
use crate::token::{Kind, Token};

/// Comparisons with names of results that one statement may cost: beyond it every name is taken for possible.
const BUDGET: u32 = 400_000;

/// A name as it is looked for.
#[derive(Debug)]
pub(crate) struct Wanted<'w> {
    pub(crate) text: &'w str,
    pub(crate) key: Cow<'w, str>,
    symbol: Option<Symbol>,
}

impl<'w> Wanted<'w> {
    pub(crate) fn new(text: &'w str, schema: &Schema) -> Self {
        let key = fold(text);
        let symbol = schema.symbol_of_key(&key);
        Self { text, key, symbol }
    }

    /// Whether no table or column is spelled in another way.
    pub(crate) fn is_settled(&self, schema: &Schema) -> bool {
        self.symbol
            .is_some_and(|symbol| schema.is_only_spelling(symbol, self.text))
    }
}

/// What is known about a name.
#[derive(Debug)]
pub(crate) struct Meaning {
    pub(crate) found: Spelling,
    /// Whether a source in sight has columns that nobody knows.
    pub(crate) open: bool,
}

/// [`Found`] with owned spellings.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Spelling {
    Exact,
    Loose(Vec<String>),
    Missing,
}

impl From<Found<'_>> for Spelling {
    fn from(found: Found<'_>) -> Self {
        match found {
            Found::Exact => Self::Exact,
            Found::Loose(names) => Self::Loose(names.into_iter().map(str::to_owned).collect()),
            Found::Missing => Self::Missing,
        }
    }
}

/// Looks names up in a statement's blocks.
pub(crate) struct Scope<'a> {
    pub(crate) sql: &'a str,
    pub(crate) schema: &'a Schema,
    pub(crate) tokens: &'a [Token],
    pub(crate) structure: &'a Structure,
    /// Names that tokens spell once they are rewritten.
    pub(crate) restored: FxHashMap<u32, String>,
    budget: u32,
}

impl<'a> Scope<'a> {
    pub(crate) fn new(sql: &'a str, schema: &'a Schema, tokens: &'a [Token], structure: &'a Structure) -> Self {
        Self {
            sql,
            schema,
            tokens,
            structure,
            restored: FxHashMap::default(),
            budget: BUDGET,
        }
    }

    pub(crate) fn sources(&self, block: u32) -> impl Iterator<Item = Source> + use<'a> {
        let structure = self.structure;
        let mut next = structure.blocks[block as usize].first_source;
        std::iter::from_fn(move || {
            let source = *structure.sources.get(next as usize)?;
            next = source.next;
            Some(source)
        })
    }

    fn items(&self, block: u32) -> impl Iterator<Item = Item> + use<'a> {
        let structure = self.structure;
        let mut next = structure.blocks[block as usize].first_item;
        std::iter::from_fn(move || {
            let item = *structure.items.get(next as usize)?;
            next = item.next;
            Some(item)
        })
    }

    /// The block and those around it, innermost first.
    pub(crate) fn blocks(&self, block: u32) -> impl Iterator<Item = u32> + use<'a> {
        let structure = self.structure;
        let mut next = block;
        std::iter::from_fn(move || {
            let current = next;
            next = structure.blocks.get(current as usize)?.parent;
            Some(current)
        })
    }

    /// What an unqualified name means in `block`.
    pub(crate) fn meaning(&mut self, block: u32, wanted: &Wanted<'_>) -> Meaning {
        let mut loose = Spelling::Missing;
        let mut open = false;
        for level in self.blocks(block) {
            let (found, level_open) = self.in_block(level, wanted);
            match found {
                Spelling::Exact => {
                    return Meaning {
                        found: Spelling::Exact,
                        open,
                    };
                }
                // A name of an inner block hides those of outer ones; an unknown source may hold the name itself.
                Spelling::Loose(_) if loose == Spelling::Missing && !open && !level_open => loose = found,
                _ => {}
            }
            open |= level_open;
        }
        Meaning { found: loose, open }
    }

    fn in_block(&mut self, block: u32, wanted: &Wanted<'_>) -> (Spelling, bool) {
        let mut found = Spelling::Missing;
        let mut open = false;
        for source in self.sources(block) {
            if source.name != NONE && is_called(self.sql, self.tokens[source.name as usize], wanted.text) {
                return (Spelling::Exact, open);
            }
            let (columns, unknown) = self.in_source(source, wanted);
            found = merge(found, columns);
            open |= unknown;
        }
        for item in self.items(block) {
            if self.budget == 0 {
                return (found, true);
            }
            if let ItemKind::Alias(token) = item.kind {
                found = self.add_token(found, token, wanted);
            }
        }
        let first = self.structure.blocks[block as usize].set_first;
        if first != NONE {
            // ORDER BY behind a set operation names the columns of the first block's result.
            let (columns, unknown) = self.in_result(first, wanted);
            found = merge(found, columns);
            open |= unknown;
        }
        (found, open)
    }

    /// What a name means among the columns of one source, and whether the source may have columns nobody knows.
    pub(crate) fn in_source(&mut self, source: Source, wanted: &Wanted<'_>) -> (Spelling, bool) {
        if source.columns.0 != NONE {
            let mut found = Spelling::Missing;
            for token in source.columns.0..source.columns.1 {
                found = self.add_token(found, token, wanted);
            }
            // A list of aliases may be shorter than the columns: the others keep their names.
            let more = found == Spelling::Missing && self.has_more_columns(source, wanted);
            return (found, more);
        }
        match source.origin {
            Origin::Table(table) => (self.in_table(table, wanted), false),
            Origin::Block(block) => self.in_result(block, wanted),
            Origin::Unknown => (Spelling::Missing, true),
        }
    }

    /// Whether a column may be left without an alias by the source's list of them.
    fn has_more_columns(&self, source: Source, wanted: &Wanted<'_>) -> bool {
        let listed = (source.columns.0..source.columns.1)
            .filter(|token| self.tokens[*token as usize].kind != Kind::Op)
            .count();
        match source.origin {
            Origin::Table(table) => {
                self.schema.columns_of(table).count() > listed && self.in_table(table, wanted) != Spelling::Missing
            }
            Origin::Block(block) => {
                let items = self.items(block).take(listed + 1);
                let (mut count, mut stars) = (0, false);
                for item in items {
                    count += 1;
                    stars |= !matches!(item.kind, ItemKind::Alias(_) | ItemKind::Column(_) | ItemKind::Unnamed);
                }
                stars || count > listed
            }
            Origin::Unknown => false,
        }
    }

    fn in_table(&self, table: u32, wanted: &Wanted<'_>) -> Spelling {
        // Every table has a row number.
        if wanted.text.eq_ignore_ascii_case("rowid") {
            return Spelling::Exact;
        }
        match wanted.symbol {
            Some(symbol) => self.schema.column(table, symbol, wanted.text, Found::Missing).into(),
            None => Spelling::Missing,
        }
    }

    /// What a name means among the columns of a block's result. `SELECT *` is followed without recursion.
    fn in_result(&mut self, block: u32, wanted: &Wanted<'_>) -> (Spelling, bool) {
        let mut found = Spelling::Missing;
        let mut pending = vec![block];
        let mut seen = 0;
        while let Some(block) = pending.pop() {
            seen += 1;
            if seen > 256 || self.budget == 0 {
                return (found, true);
            }
            let Block { first_item, open, .. } = self.structure.blocks[block as usize];
            if first_item == NONE || open {
                return (found, true);
            }
            for item in self.items(block) {
                self.budget = self.budget.saturating_sub(1);
                let qualifier = match item.kind {
                    ItemKind::Alias(token) | ItemKind::Column(token) => {
                        found = self.add_token(found, token, wanted);
                        continue;
                    }
                    ItemKind::Open => return (found, true),
                    ItemKind::Unnamed => {
                        if may_name_expression(wanted.text) {
                            return (found, true);
                        }
                        continue;
                    }
                    ItemKind::Star => None,
                    ItemKind::QualifiedStar(token) => Some(name_text(self.sql, self.tokens[token as usize])),
                };
                let mut any = false;
                for source in self.sources(block) {
                    let named =
                        |q: &str| source.name != NONE && is_called(self.sql, self.tokens[source.name as usize], q);
                    if qualifier.as_deref().is_some_and(|q| !named(q)) {
                        continue;
                    }
                    any = true;
                    match source.origin {
                        Origin::Block(inner) if source.columns.0 == NONE => pending.push(inner),
                        _ => {
                            let (columns, unknown) = self.in_source(source, wanted);
                            if unknown {
                                return (found, true);
                            }
                            found = merge(found, columns);
                        }
                    }
                }
                if !any {
                    return (found, true);
                }
            }
        }
        (found, false)
    }

    fn add_token(&mut self, found: Spelling, token: u32, wanted: &Wanted<'_>) -> Spelling {
        self.budget = self.budget.saturating_sub(1);
        if self.restored.is_empty() && starts_otherwise(self.sql, self.tokens[token as usize], &wanted.key) {
            return found;
        }
        let name = self.name_of(token);
        if same_name(&name, wanted.text) {
            return Spelling::Exact;
        }
        if folds_to(&name, &wanted.key) {
            return merge(found, Spelling::Loose(vec![name.into_owned()]));
        }
        found
    }

    /// The name that a token spells once it is rewritten.
    fn name_of(&self, token: u32) -> Cow<'_, str> {
        if !self.restored.is_empty()
            && let Some(name) = self.restored.get(&token)
        {
            return Cow::Borrowed(name);
        }
        name_text(self.sql, self.tokens[token as usize])
    }

    /// Whether the name is a lambda's parameter or a comprehension's variable somewhere in the statement.
    pub(crate) fn is_variable(&self, wanted: &Wanted<'_>) -> bool {
        self.structure
            .variables
            .iter()
            .any(|token| folds_to(&name_text(self.sql, self.tokens[*token as usize]), &wanted.key))
    }

    /// The source that a qualifier names, innermost first, and how it must be spelled.
    pub(crate) fn qualifier(&self, block: u32, wanted: &Wanted<'_>) -> Option<(Source, Option<String>)> {
        let mut loose = None;
        for level in self.blocks(block) {
            for source in self.sources(level).filter(|s| s.name != NONE) {
                let name = self.name_of(source.name);
                if same_name(&name, wanted.text) {
                    return Some((source, None));
                }
                if folds_to(&name, &wanted.key) {
                    loose = loose.or(Some((source, Some(name.into_owned()))));
                }
            }
        }
        loose
    }

    /// Whether the column `name` or `source.name` is read from a table where it has a date or time type.
    pub(crate) fn is_temporal(&self, block: u32, first: u32, last: u32) -> bool {
        self.is_read(block, first, last, |schema, table, name| {
            schema.is_temporal(table, name)
        })
    }

    /// Whether the column `name` or `source.name` is read from a table where it holds days without a time.
    pub(crate) fn is_date(&self, block: u32, first: u32, last: u32) -> bool {
        self.is_read(block, first, last, Schema::is_date)
    }

    /// Whether the column `name` or `source.name` is read from a table where it holds lists.
    pub(crate) fn holds_lists(&self, block: u32, first: u32, last: u32) -> bool {
        self.is_read(block, first, last, Schema::is_list)
    }

    /// Whether the column `name` or `source.name` is read from a table that `fits`.
    fn is_read(&self, block: u32, first: u32, last: u32, fits: impl Fn(&Schema, u32, &str) -> bool) -> bool {
        let name = name_text(self.sql, self.tokens[last as usize]);
        let qualifier = (first < last).then(|| name_text(self.sql, self.tokens[first as usize]));
        let named = |source: Source| {
            qualifier
                .as_deref()
                .is_none_or(|q| source.name != NONE && is_called(self.sql, self.tokens[source.name as usize], q))
        };
        self.blocks(block)
            .flat_map(|level| self.sources(level))
            .any(|source| match source.origin {
                Origin::Table(table) => named(source) && fits(self.schema, table, &name),
                _ => false,
            })
    }

    /// Whether the column is read from a table where its type is known and is no date or time.
    pub(crate) fn is_untimed(&mut self, block: u32, first: u32, last: u32) -> bool {
        if !self.schema.is_typed() || self.is_temporal(block, first, last) {
            return false;
        }
        let name = name_text(self.sql, self.tokens[last as usize]).into_owned();
        let qualifier = (first < last).then(|| name_text(self.sql, self.tokens[first as usize]).into_owned());
        let wanted = Wanted::new(&name, self.schema);
        for level in self.blocks(block) {
            for source in self.sources(level) {
                let named = source.name != NONE
                    && qualifier
                        .as_deref()
                        .is_some_and(|q| is_called(self.sql, self.tokens[source.name as usize], q));
                if qualifier.is_some() && !named {
                    continue;
                }
                if self.in_source(source, &wanted).0 != Spelling::Missing {
                    return matches!(source.origin, Origin::Table(_)) && source.columns.0 == NONE;
                }
            }
        }
        false
    }

    /// The columns that are known in `block` and around it, for an error that lists the nearest.
    pub(crate) fn known_names(&self, block: u32) -> Vec<&'a str> {
        let mut names = Vec::new();
        for level in self.blocks(block) {
            let mut pending: Vec<Source> = self.sources(level).collect();
            let mut seen = 0;
            while let Some(source) = pending.pop() {
                seen += 1;
                if seen > 64 {
                    break;
                }
                match source.origin {
                    Origin::Table(table) => names.extend(self.schema.columns_of(table)),
                    Origin::Block(block) => {
                        for item in self.items(block) {
                            match item.kind {
                                ItemKind::Alias(token) | ItemKind::Column(token) => {
                                    names.push(
                                        self.tokens[token as usize]
                                            .text(self.sql)
                                            .trim_matches(['"', '`', '[', ']']),
                                    );
                                }
                                ItemKind::Star | ItemKind::QualifiedStar(_) => pending.extend(self.sources(block)),
                                ItemKind::Unnamed | ItemKind::Open => {}
                            }
                        }
                    }
                    Origin::Unknown => {}
                }
            }
            for item in self.items(level) {
                if let ItemKind::Alias(token) = item.kind {
                    names.push(
                        self.tokens[token as usize]
                            .text(self.sql)
                            .trim_matches(['"', '`', '[', ']']),
                    );
                }
            }
        }
        names
    }
}

/// Whether `DuckDB` may give an expression without an alias this name: it writes the expression itself.
fn may_name_expression(name: &str) -> bool {
    name.contains(['(', '\'', '['])
        || name.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | '$' | '?'))
        || ["null", "true", "false"]
            .iter()
            .any(|word| word.eq_ignore_ascii_case(name))
}

fn merge(left: Spelling, right: Spelling) -> Spelling {
    match (left, right) {
        (Spelling::Exact, _) | (_, Spelling::Exact) => Spelling::Exact,
        (Spelling::Missing, other) | (other, Spelling::Missing) => other,
        (Spelling::Loose(mut names), Spelling::Loose(more)) => {
            for name in more {
                if !names.iter().any(|known| same_name(known, &name)) {
                    names.push(name);
                }
            }
            Spelling::Loose(names)
        }
    }
}
