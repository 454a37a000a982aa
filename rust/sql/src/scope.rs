//! What a name can mean in a block: columns of its sources, its aliases, and the same of the blocks around it.

use rustc_hash::FxHashMap;

use crate::fold::fold;
use crate::lexer::Token;
use crate::names::{is_called, name_text};
use crate::schema::{Found, Schema, add_spelling};
use crate::structure::{Item, ItemKind, NONE, Origin, Source, Structure};

/// Comparisons with names of results that one statement may cost: beyond it every name is taken for possible.
const BUDGET: u32 = 400_000;

/// A name as it is looked for.
#[derive(Debug)]
pub(crate) struct Wanted<'w> {
    pub(crate) text: &'w str,
    pub(crate) key: String,
}

impl<'w> Wanted<'w> {
    pub(crate) fn new(text: &'w str) -> Self {
        Self { text, key: fold(text) }
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
    buffer: String,
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
            buffer: String::new(),
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
            return (found, false);
        }
        match source.origin {
            Origin::Table(table) => (self.in_table(table, wanted), false),
            Origin::Block(block) => self.in_result(block, wanted),
            Origin::Unknown => (Spelling::Missing, true),
        }
    }

    fn in_table(&mut self, table: u32, wanted: &Wanted<'_>) -> Spelling {
        // Every table has a row number.
        if wanted.text.eq_ignore_ascii_case("rowid") {
            return Spelling::Exact;
        }
        match self.schema.symbol(wanted.text, &mut self.buffer) {
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
            if self.structure.blocks[block as usize].first_item == NONE {
                return (found, true);
            }
            for item in self.items(block) {
                self.budget = self.budget.saturating_sub(1);
                let qualifier = match item.kind {
                    ItemKind::Alias(token) | ItemKind::Column(token) => {
                        found = self.add_token(found, token, wanted);
                        continue;
                    }
                    ItemKind::Unnamed => {
                        if wanted.text.contains('(') {
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
        let name = match self.restored.get(&token) {
            Some(name) => std::borrow::Cow::Borrowed(name.as_str()),
            None => name_text(self.sql, self.tokens[token as usize]),
        };
        if crate::fold::same_name(&name, wanted.text) {
            return Spelling::Exact;
        }
        crate::fold::fold_into(&name, &mut self.buffer);
        if self.buffer == wanted.key {
            return merge(found, add_spelling(Found::Missing, wanted.text, &name).into());
        }
        found
    }

    /// The source that a qualifier names, innermost first, and how it must be spelled.
    pub(crate) fn qualifier(&self, block: u32, wanted: &Wanted<'_>) -> Option<(Source, Option<String>)> {
        let mut loose = None;
        for level in self.blocks(block) {
            for source in self.sources(level).filter(|s| s.name != NONE) {
                let name = match self.restored.get(&source.name) {
                    Some(name) => std::borrow::Cow::Borrowed(name.as_str()),
                    None => name_text(self.sql, self.tokens[source.name as usize]),
                };
                if crate::fold::same_name(&name, wanted.text) {
                    return Some((source, None));
                }
                if fold(&name) == wanted.key {
                    loose = loose.or(Some((source, Some(name.into_owned()))));
                }
            }
        }
        loose
    }

    /// Whether the column `name` or `source.name` is read from a table where it has a date or time type.
    pub(crate) fn is_temporal(&self, block: u32, first: u32, last: u32) -> bool {
        let name = name_text(self.sql, self.tokens[last as usize]);
        let qualifier = (first < last).then(|| name_text(self.sql, self.tokens[first as usize]));
        for level in self.blocks(block) {
            for source in self.sources(level) {
                let fits = qualifier
                    .as_deref()
                    .is_none_or(|q| source.name != NONE && is_called(self.sql, self.tokens[source.name as usize], q));
                if let (true, Origin::Table(table)) = (fits, source.origin) {
                    if self.schema.is_temporal(table, &name) {
                        return true;
                    }
                }
            }
        }
        false
    }

    /// Whether the column is read from a table where its type is known and is no date or time.
    pub(crate) fn is_untimed(&mut self, block: u32, first: u32, last: u32) -> bool {
        if !self.schema.is_typed() || self.is_temporal(block, first, last) {
            return false;
        }
        let name = name_text(self.sql, self.tokens[last as usize]).into_owned();
        let qualifier = (first < last).then(|| name_text(self.sql, self.tokens[first as usize]).into_owned());
        let wanted = Wanted::new(&name);
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
                                ItemKind::Unnamed => {}
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

fn merge(left: Spelling, right: Spelling) -> Spelling {
    match (left, right) {
        (Spelling::Exact, _) | (_, Spelling::Exact) => Spelling::Exact,
        (Spelling::Missing, other) | (other, Spelling::Missing) => other,
        (Spelling::Loose(mut names), Spelling::Loose(more)) => {
            for name in more {
                if !names.iter().any(|known| crate::fold::same_name(known, &name)) {
                    names.push(name);
                }
            }
            Spelling::Loose(names)
        }
    }
}
