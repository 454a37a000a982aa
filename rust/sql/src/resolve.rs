//! What becomes of each name: left, quoted, restored, or read as a string.

use std::borrow::Cow;

use crate::SqlError;
use crate::assemble::{Seen, ends_operand};
use crate::edits::{Edits, RewriteKind, quote_name, quote_text};
use crate::fold::distance;
use crate::names::{name_text, plain_content};
use crate::place::Place;
use crate::refusals::ambiguous;
use crate::schema::Found;
use crate::scope::{Meaning, Scope, Spelling, Wanted};
use crate::structure::{Clause, FrameKind, MENTIONED, Mention, NONE, OF_BETWEEN, Origin, Role};
use crate::token::{Kind, Token, op};
use crate::word::Word;

/// A name at most this far from a column is a misspelt column rather than a value.
const MISSPELT: f64 = 0.26;

pub(crate) struct Resolver<'a, 'e> {
    pub(crate) scope: Scope<'a>,
    edits: &'e mut Edits,
    /// Tokens that spell names in quotes.
    quoted: &'e [u32],
    pub(crate) brackets_quote: bool,
    /// What was rewritten before names are looked at, in order.
    rewritten: Vec<(u32, u32)>,
    /// Whether the statement writes lists in brackets.
    pub(crate) has_list: bool,
}

impl<'a, 'e> Resolver<'a, 'e> {
    pub(crate) fn new(scope: Scope<'a>, edits: &'e mut Edits, seen: Seen, quoted: &'e [u32]) -> Self {
        let rewritten = edits.replaced();
        let tokens = scope.tokens;
        let opens_list = |at: usize| {
            tokens[at].op == b'[' && tokens[at].kind == Kind::Op && !(at > 0 && ends_operand(tokens[at - 1]))
        };
        let has_list = seen.brackets && (0..tokens.len()).any(opens_list);
        Self {
            scope,
            edits,
            quoted,
            brackets_quote: seen.brackets_quote,
            rewritten,
            has_list,
        }
    }

    /// Whether the token stands in a stretch that is replaced already.
    fn is_rewritten(&self, token: Token) -> bool {
        let behind = self.rewritten.partition_point(|(start, _)| *start < token.end);
        behind > 0 && self.rewritten[behind - 1].1 > token.start
    }

    /// Looks every mention up; `order` is an empty list.
    pub(crate) fn run(mut self, order: &mut Vec<(u64, u32)>) -> Result<(), SqlError> {
        let structure = self.scope.structure;
        // Inner blocks first: an outer name must be spelled as the inner result spells it once it is restored.
        let place = |m: &Mention| {
            let named = u64::from(matches!(m.role, Role::Expression | Role::Column));
            // Blocks are far fewer than 2^31: a statement has at most 2^24 bytes.
            let closed = u64::from(structure.blocks[m.block as usize].closed & (u32::MAX >> 1));
            named << 63 | closed << 32 | u64::from(m.token)
        };
        order.extend(structure.mentions.iter().map(place).zip(0..));
        order.sort_unstable();
        for (_, at) in order {
            self.mention(&structure.mentions[*at as usize])?;
        }
        for at in self.quoted {
            // What stands outside every understood place still gets DuckDB's quotes.
            let token = self.scope.tokens[*at as usize];
            if token.op != MENTIONED && !self.is_rewritten(token) {
                self.quote(*at as usize, None, RewriteKind::Quote);
            }
        }
        Ok(())
    }

    pub(crate) fn token(&self, at: usize) -> Option<Token> {
        self.scope.tokens.get(at).copied()
    }

    #[inline]
    pub(crate) fn op_at(&self, at: usize) -> u8 {
        self.token(at).filter(|t| t.kind == Kind::Op).map_or(0, |t| t.op)
    }

    pub(crate) fn before(&self, at: usize) -> Option<Token> {
        at.checked_sub(1).and_then(|at| self.token(at))
    }

    pub(crate) fn text(&self, at: usize) -> Cow<'a, str> {
        name_text(self.scope.sql, self.scope.tokens[at])
    }

    /// Writes the token at `at` in double quotes, or as `restored`.
    fn quote(&mut self, at: usize, restored: Option<String>, kind: RewriteKind) {
        let token = self.scope.tokens[at];
        if let Some(name) = restored {
            self.edits.replace(token.start, token.end, quote_name(&name), kind);
            self.scope.restored.insert(crate::token::offset(at), name);
        } else if matches!(token.kind, Kind::Backtick | Kind::Bracket | Kind::Curly | Kind::Bare) {
            let kind = if token.kind == Kind::Curly {
                RewriteKind::Width
            } else {
                RewriteKind::Quote
            };
            if let Some(content) = plain_content(self.scope.sql, token, b'"') {
                self.edits.requote(token.start, token.end, '"', content, kind);
            } else {
                let text = quote_name(&name_text(self.scope.sql, token));
                self.edits.replace(token.start, token.end, text, kind);
            }
        }
    }

    fn mention(&mut self, mention: &Mention) -> Result<(), SqlError> {
        let at = mention.token as usize;
        if self.is_rewritten(self.scope.tokens[at]) {
            return Ok(());
        }
        if self.scope.tokens[at].kind == Kind::Bracket && self.is_list(mention) {
            return Ok(());
        }
        match mention.role {
            Role::Definition => {
                self.quote(at, None, RewriteKind::Quote);
                Ok(())
            }
            Role::Source(last) => self.source(mention, last as usize),
            Role::Expression | Role::Column if self.is_new_name(mention) => {
                self.quote(at, None, RewriteKind::Quote);
                Ok(())
            }
            Role::Expression | Role::Column => self.column(mention),
        }
    }

    pub(crate) fn call_name(&self, mention: &Mention) -> String {
        if mention.call == NONE {
            String::new()
        } else {
            self.text(mention.call as usize).to_ascii_lowercase()
        }
    }

    /// Whether the name is a new one: an alias, a key, a parameter's name.
    fn is_new_name(&self, mention: &Mention) -> bool {
        let at = mention.token as usize;
        if matches!(self.op_at(at + 1), op::NAMED)
            || (self.op_at(at + 1) == b':' && mention.frame != FrameKind::Brackets)
        {
            return true;
        }
        let Some(before) = self.before(at) else { return false };
        if before.kind == Kind::Ident && before.word == Word::As {
            return true;
        }
        let aliased = matches!(mention.clause, Clause::Select | Clause::From | Clause::Head)
            && matches!(mention.frame, FrameKind::Query | FrameKind::Sources);
        aliased && ends_operand(before) && before.op != OF_BETWEEN && self.op_at(at + 1) != b'.'
    }

    fn source(&mut self, mention: &Mention, last: usize) -> Result<(), SqlError> {
        let at = mention.token as usize;
        if self.scope.schema.is_empty() {
            self.quote(at, None, RewriteKind::Quote);
            return Ok(());
        }
        let mut key = String::new();
        let (first, end) = (self.scope.tokens[at], self.scope.tokens[last]);
        if at < last && first.kind == Kind::Ident {
            // `Members.csv`, the name of a file, is one name.
            let whole = first.start as usize..end.end as usize;
            let whole = &self.scope.sql[whole];
            if let (Found::Exact, Some(_)) = self.scope.schema.table(whole, &mut key) {
                self.edits
                    .replace(first.start, end.end, quote_name(whole), RewriteKind::Quote);
                self.scope.restored.insert(crate::token::offset(last), whole.to_owned());
            }
            return Ok(());
        }
        let is_cte = self.is_result(mention, last);
        if at != last || is_cte {
            self.quote(at, None, RewriteKind::Quote);
            return Ok(());
        }
        let name = self.text(at).into_owned();
        match self.scope.schema.table(&name, &mut key) {
            (Found::Loose(names), Some(_)) => {
                let restored = names[0].to_owned();
                self.quote(at, Some(restored), RewriteKind::Restore);
            }
            (Found::Loose(names), None) => {
                let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
                return Err(ambiguous(&name, &names, "table"));
            }
            _ => self.quote(at, None, RewriteKind::Quote),
        }
        Ok(())
    }

    /// Whether the source whose name ends with token `last` is a query's result.
    fn is_result(&self, mention: &Mention, last: usize) -> bool {
        self.scope
            .sources(mention.block)
            .any(|source| source.token as usize == last && matches!(source.origin, Origin::Block(_)))
    }

    fn column(&mut self, mention: &Mention) -> Result<(), SqlError> {
        let at = mention.token as usize;
        let token = self.scope.tokens[at];
        let called = matches!(token.kind, Kind::Ident | Kind::Quoted | Kind::Backtick) && self.op_at(at + 1) == b'(';
        if self.scope.schema.is_empty() || mention.clause == Clause::Head || called || self.is_no_column(mention) {
            self.quote(at, None, RewriteKind::Quote);
            return Ok(());
        }
        let name = self.text(at);
        let wanted = Wanted::new(&name, self.scope.schema);
        if !self.scope.structure.variables.is_empty() && self.scope.is_variable(&wanted) {
            self.quote(at, None, RewriteKind::Quote);
            return Ok(());
        }
        if self.before(at).is_some_and(|t| t.op == b'.') {
            return self.field(mention, &wanted);
        }
        if matches!(token.kind, Kind::Backtick | Kind::Bracket) && wanted.is_settled(self.scope.schema) {
            self.quote(at, None, RewriteKind::Quote);
            return Ok(());
        }
        if self.op_at(at + 1) == b'.' {
            let restored = match self.scope.qualifier(mention.block, &wanted) {
                Some((_, spelling)) => spelling,
                None => None,
            };
            self.quote(at, restored, RewriteKind::Restore);
            return Ok(());
        }
        let Meaning { found, open } = self.scope.meaning(mention.block, &wanted);
        match found {
            Spelling::Exact => self.quote(at, None, RewriteKind::Quote),
            Spelling::Loose(names) if names.len() == 1 => {
                self.quote(at, names.into_iter().next(), RewriteKind::Restore);
            }
            Spelling::Loose(names) => return Err(ambiguous(&name, &names, "column")),
            Spelling::Missing => return self.missing(mention, &name, open),
        }
        Ok(())
    }

    /// Whether the name stands where no column can: a type, a window, a collation, a unit of time.
    fn is_no_column(&self, mention: &Mention) -> bool {
        let at = mention.token as usize;
        let (token, after) = (self.scope.tokens[at], self.token(at + 1));
        let Some(before) = self.before(at) else { return false };
        let word = |at: usize| self.token(at).filter(|t| t.kind == Kind::Ident).map(|t| t.word);
        let unquoted = token.kind == Kind::Ident;
        let window = before.kind == Kind::Ident && matches!(before.word, Word::Over | Word::Window)
            || before.op == b'(' && at > 1 && word(at - 2) == Some(Word::Over)
            || word(at + 1) == Some(Word::As) && self.op_at(at + 2) == b'(' && mention.clause == Clause::Condition;
        let unit = before.op == b'(' && word(at + 1) == Some(Word::From) && self.call_name(mention) == "extract";
        before.kind == Kind::Op && before.op == op::CAST
            || before.kind == Kind::Ident && before.word == Word::Collate
            || window
            || unit
            // `DATETIME '2024-01-01'`
            || (unquoted && after.is_some_and(|t| t.kind == Kind::String))
    }

    /// A name behind `qualifier.`.
    fn field(&mut self, mention: &Mention, wanted: &Wanted<'_>) -> Result<(), SqlError> {
        let at = mention.token as usize;
        let qualifier = at.checked_sub(2).map(|q| self.text(q).into_owned());
        let source = qualifier.and_then(|q| self.scope.qualifier(mention.block, &Wanted::new(&q, self.scope.schema)));
        let found = match source.map(|(source, _)| self.scope.in_source(source, wanted)) {
            // A source whose columns are not all known may have one that is spelled so.
            Some((Spelling::Loose(_), true)) | None => Spelling::Missing,
            Some((found, _)) => found,
        };
        match found {
            Spelling::Loose(names) if names.len() > 1 => return Err(ambiguous(wanted.text, &names, "column")),
            Spelling::Loose(names) => self.quote(at, names.into_iter().next(), RewriteKind::Restore),
            _ => self.quote(at, None, RewriteKind::Quote),
        }
        Ok(())
    }

    fn missing(&mut self, mention: &Mention, name: &str, open: bool) -> Result<(), SqlError> {
        let at = mention.token as usize;
        let token = self.scope.tokens[at];
        if !matches!(token.kind, Kind::Quoted | Kind::Curly) || mention.role == Role::Column {
            self.quote(at, None, RewriteKind::Quote);
            return Ok(());
        }
        if open {
            // A typographic mark is no name's mark: what it quotes is read like a string where a value stands.
            self.quote(at, None, RewriteKind::Quote);
            return Ok(());
        }
        let place = self.place(mention);
        if place == Place::Value {
            self.string(at, name);
            return Ok(());
        }
        let known = self.scope.known_names(mention.block);
        let misspelt = || known.iter().any(|column| distance(name, column) <= MISSPELT);
        match place {
            Place::Argument if !misspelt() => self.string(at, name),
            Place::Other => self.quote(at, None, RewriteKind::Quote),
            Place::Value | Place::Name | Place::Argument => {
                if self.scope.structure.has_lambda {
                    self.quote(at, None, RewriteKind::Quote);
                } else {
                    return Err(self.unknown(name, &known, mention));
                }
            }
        }
        Ok(())
    }

    fn string(&mut self, at: usize, text: &str) {
        let token = self.scope.tokens[at];
        if let Some(content) = plain_content(self.scope.sql, token, b'\'') {
            self.edits
                .requote(token.start, token.end, '\'', content, RewriteKind::String);
        } else {
            self.edits
                .replace(token.start, token.end, quote_text(text), RewriteKind::String);
        }
    }
}
