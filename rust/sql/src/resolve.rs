//! What becomes of each name: left, quoted, restored, or read as a string.

use std::borrow::Cow;

use crate::SqlError;
use crate::assemble::ends_operand;
use crate::edits::{Edits, RewriteKind, quote_name, quote_text};
use crate::fold::{distance, nearest};
use crate::lexer::{Kind, Token, op};
use crate::names::name_text;
use crate::schema::Found;
use crate::scope::{Meaning, Scope, Spelling, Wanted};
use crate::structure::{Clause, FrameKind, MENTIONED, Mention, NONE, OF_BETWEEN, Origin, Role};
use crate::word::Word;

/// Names that an error lists.
const LISTED: usize = 3;
/// A name at most this far from a column is a misspelt column rather than a value.
const MISSPELT: f64 = 0.26;

/// Whether a double-quoted token that names nothing stands where a value is expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Value,
    /// A value, unless it looks like a misspelt column.
    Argument,
    /// A name: a bare item of SELECT, GROUP BY or ORDER BY, the tested side of a comparison, an operand.
    Name,
    /// Not an expression that is understood: left alone.
    Other,
}

pub(crate) struct Resolver<'a, 'e> {
    scope: Scope<'a>,
    edits: &'e mut Edits,
    brackets_quote: bool,
    /// What was rewritten before names are looked at, in order.
    rewritten: Vec<(u32, u32)>,
    /// Whether the statement writes lists in brackets.
    has_list: bool,
}

impl<'a, 'e> Resolver<'a, 'e> {
    pub(crate) fn new(scope: Scope<'a>, edits: &'e mut Edits, brackets_quote: bool) -> Self {
        let rewritten = edits.replaced();
        let has_list = scope.tokens.iter().enumerate().any(|(at, token)| {
            let index = at > 0 && ends_operand(scope.tokens[at - 1]);
            token.kind == Kind::Op && token.op == b'[' && !index
        });
        Self {
            scope,
            edits,
            brackets_quote,
            rewritten,
            has_list,
        }
    }

    /// Whether the token stands in a stretch that is replaced already.
    fn is_rewritten(&self, token: Token) -> bool {
        let behind = self.rewritten.partition_point(|(start, _)| *start < token.end);
        behind > 0 && self.rewritten[behind - 1].1 > token.start
    }

    pub(crate) fn run(mut self) -> Result<(), SqlError> {
        let structure = self.scope.structure;
        let mut mentions: Vec<&Mention> = structure.mentions.iter().collect();
        // Inner blocks first: an outer name must be spelled as the inner result spells it once it is restored.
        mentions.sort_by_key(|m| {
            (
                matches!(m.role, Role::Expression | Role::Column),
                structure.blocks[m.block as usize].closed,
                m.token,
            )
        });
        for mention in mentions {
            self.mention(mention)?;
        }
        for (at, token) in self
            .scope
            .tokens
            .iter()
            .enumerate()
            .filter(|(_, t)| t.kind.is_quoted_name())
        {
            // What stands outside every understood place still gets DuckDB's quotes.
            if token.op != MENTIONED && !self.is_rewritten(*token) {
                self.quote(at, None, RewriteKind::Quote);
            }
        }
        Ok(())
    }

    fn token(&self, at: usize) -> Option<Token> {
        self.scope.tokens.get(at).copied()
    }

    #[inline]
    fn op_at(&self, at: usize) -> u8 {
        self.token(at).filter(|t| t.kind == Kind::Op).map_or(0, |t| t.op)
    }

    fn before(&self, at: usize) -> Option<Token> {
        at.checked_sub(1).and_then(|at| self.token(at))
    }

    fn text(&self, at: usize) -> Cow<'a, str> {
        name_text(self.scope.sql, self.scope.tokens[at])
    }

    /// Writes the token at `at` in double quotes, or as `restored`.
    fn quote(&mut self, at: usize, restored: Option<String>, kind: RewriteKind) {
        let token = self.scope.tokens[at];
        if let Some(name) = restored {
            self.edits.replace(token.start, token.end, quote_name(&name), kind);
            self.scope.restored.insert(crate::lexer::offset(at), name);
        } else if matches!(token.kind, Kind::Backtick | Kind::Bracket | Kind::Curly | Kind::Bare) {
            let kind = if token.kind == Kind::Curly {
                RewriteKind::Width
            } else {
                RewriteKind::Quote
            };
            let text = quote_name(&name_text(self.scope.sql, token));
            self.edits.replace(token.start, token.end, text, kind);
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

    /// Whether a bracket holds a list of one column rather than a name.
    fn is_list(&self, mention: &Mention) -> bool {
        let at = mention.token as usize;
        let (before, after) = (self.before(at), self.op_at(at + 1));
        let qualified = before.is_some_and(|t| t.op == b'.') || after == b'.';
        if mention.role != Role::Expression || qualified || before.is_some_and(|t| t.word == Word::As) {
            return false;
        }
        if after == b'[' || matches!(mention.frame, FrameKind::Brackets) {
            return true;
        }
        if self.brackets_quote {
            return false;
        }
        if (self.has_list || after == op::CAST) && is_expression(&self.text(at)) {
            return true;
        }
        let before = before.map_or((0, Word::Other), |t| (t.op, t.word));
        before.0 == op::CONCAT
            || after == op::CONCAT
            || before.0 == b':'
            || matches!(before.1, Word::In | Word::Array)
            || (mention.frame == FrameKind::Call && takes_list(&self.call_name(mention)))
            || mention.frame == FrameKind::Braces
            || (self.scope.schema.is_empty())
    }

    fn call_name(&self, mention: &Mention) -> String {
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
                self.scope.restored.insert(crate::lexer::offset(last), whole.to_owned());
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
        self.edits
            .replace(token.start, token.end, quote_text(text), RewriteKind::String);
    }

    fn unknown(&self, name: &str, known: &[&str], mention: &Mention) -> SqlError {
        let close = nearest(name, known.iter().copied(), LISTED);
        let tables: Vec<String> = self
            .scope
            .blocks(mention.block)
            .flat_map(|block| self.scope.sources(block))
            .filter_map(|source| match source.origin {
                Origin::Table(table) => Some(format!("`{}`", self.scope.schema.table_name(table))),
                _ => None,
            })
            .take(4)
            .collect();
        let message = if tables.is_empty() {
            format!("`{name}` names no column: the statement reads no table here")
        } else {
            format!("`{name}` names no column of {}", tables.join(", "))
        };
        let nearest = if close.is_empty() {
            String::new()
        } else {
            format!("the nearest are {}; ", list(close.iter().copied()))
        };
        SqlError {
            message,
            hint: format!("{nearest}text is written in single quotes"),
        }
    }

    /// Where a double-quoted token that names nothing stands.
    fn place(&self, mention: &Mention) -> Place {
        let at = mention.token as usize;
        let before = self.before(at);
        let after = self.token(at + 1);
        let (before_op, before_word) = before.map_or((0, Word::Other), |t| (t.op, t.word));
        let (after_op, after_word) = after.map_or((0, Word::Other), |t| (t.op, t.word));
        if is_comparison(before_op, before_word) {
            return if self.is_constant_before(at - 1) {
                Place::Name
            } else {
                Place::Value
            };
        }
        if matches!(before_word, Word::Between | Word::Escape | Word::To)
            || (before_word == Word::And && before_op == OF_BETWEEN)
        {
            return Place::Value;
        }
        if before_op == op::CONCAT || after_op == op::CONCAT {
            return Place::Value;
        }
        if before_op == op::ARROW {
            return Place::Value;
        }
        if is_comparison(after_op, after_word) || matches!(after_word, Word::In | Word::Not | Word::Between) {
            return self.tested(at, after_word);
        }
        let opens = before_op == b'(' || before_op == b',';
        let closes = after_op == b')' || after_op == b',';
        match mention.frame {
            FrameKind::In | FrameKind::Row if opens && closes => Place::Value,
            FrameKind::Call if opens && (closes || after_word == Word::As) => {
                let first = before_op == b'(';
                if first && expects_column(&self.call_name(mention)) {
                    Place::Name
                } else {
                    self.argument(at)
                }
            }
            FrameKind::Case | FrameKind::SimpleCase if matches!(before_word, Word::Then | Word::Else) => {
                self.argument(at)
            }
            FrameKind::SimpleCase if before_word == Word::When => Place::Value,
            _ if matches!(before_word, Word::Date | Word::Time | Word::Timestamp | Word::Interval) => Place::Value,
            _ if mention.clause == Clause::Limit => Place::Other,
            _ => Place::Name,
        }
    }

    /// An argument that cannot be a name's spelling is a value beyond doubt.
    fn argument(&self, at: usize) -> Place {
        let text = self.text(at);
        if text.chars().any(char::is_alphabetic) && !text.contains(['%', '$', ',', ':']) {
            Place::Argument
        } else {
            Place::Value
        }
    }

    /// The left side of a comparison is a value only where the right side is none.
    fn tested(&self, at: usize, after: Word) -> Place {
        let mut next = at + 2;
        if after == Word::Not {
            next += 1;
        }
        if after == Word::Between || matches!(self.token(at + 2).map(|t| t.word), Some(Word::Between)) {
            return Place::Name;
        }
        let operand = self.token(next);
        let constant = operand
            .is_some_and(|t| t.kind.is_literal() || t.op == b'(' || t.kind == Kind::Quoted || t.kind == Kind::Curly);
        let query =
            operand.is_some_and(|t| t.op == b'(') && self.token(next + 1).is_some_and(|t| t.word == Word::Select);
        if constant && !query { Place::Name } else { Place::Value }
    }

    /// Whether the operand that ends before the comparison at `at` is a literal.
    fn is_constant_before(&self, at: usize) -> bool {
        let at = if self.before(at).is_some_and(|t| t.word == Word::Not) {
            at - 1
        } else {
            at
        };
        let Some(operand) = self.before(at) else { return false };
        let starts = at < 2
            || self.token(at - 2).is_some_and(|t| {
                matches!(
                    t.word,
                    Word::Where | Word::And | Word::Or | Word::Not | Word::On | Word::When | Word::Having
                ) || t.op == b'('
            });
        operand.kind.is_literal() && operand.kind != Kind::Param && starts
    }
}

/// Whether a bracket's content is a name that needs no quotes, so that the bracket is a list as it stands.
fn is_expression(content: &str) -> bool {
    content.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && content.chars().all(|c| c.is_alphanumeric() || c == '_')
}

fn is_comparison(code: u8, word: Word) -> bool {
    matches!(code, b'=' | b'<' | b'>' | op::COMPARE | op::MATCH)
        || matches!(
            word,
            Word::Like | Word::Ilike | Word::Glob | Word::Similar | Word::Regexp | Word::Rlike
        )
}

/// Whether a function's argument may be a list, so that a bracket in it is one.
fn takes_list(name: &str) -> bool {
    name.starts_with("list_")
        || name.starts_with("array_")
        || name.starts_with("map")
        || name.starts_with("json_")
        || matches!(
            name,
            "unnest"
                | "len"
                | "length"
                | "flatten"
                | "cardinality"
                | "list"
                | "apply"
                | "filter"
                | "reduce"
                | "generate_series"
                | "any"
                | "all"
                | "struct_pack"
                | "row"
                | "contains"
                | "has"
                | "to_json"
                | "concat"
                | "array"
                | "coalesce"
        )
}

/// Whether a constant as a function's first argument makes no sense, so that an unknown name there is a misspelt column.
fn expects_column(name: &str) -> bool {
    matches!(
        name,
        "sum"
            | "avg"
            | "mean"
            | "count"
            | "min"
            | "max"
            | "total"
            | "median"
            | "mode"
            | "product"
            | "stddev"
            | "stddev_samp"
            | "stddev_pop"
            | "variance"
            | "var_samp"
            | "var_pop"
            | "first"
            | "last"
            | "any_value"
            | "arg_max"
            | "arg_min"
            | "max_by"
            | "min_by"
            | "array_agg"
            | "list"
            | "string_agg"
            | "group_concat"
            | "listagg"
            | "quantile"
            | "quantile_cont"
            | "quantile_disc"
            | "approx_count_distinct"
            | "lag"
            | "lead"
            | "first_value"
            | "last_value"
            | "nth_value"
            | "abs"
            | "round"
            | "ceil"
            | "ceiling"
            | "floor"
            | "sqrt"
            | "ln"
            | "log"
            | "log10"
            | "power"
            | "pow"
            | "mod"
            | "sign"
            | "exp"
            | "trunc"
            | "columns"
            | "unnest"
            | "corr"
            | "bool_and"
            | "bool_or"
    )
}

fn list<'n>(names: impl Iterator<Item = &'n str>) -> String {
    names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

fn ambiguous(name: &str, names: &[String], what: &str) -> SqlError {
    let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
    names.sort_unstable();
    SqlError {
        message: format!(
            "`{name}` may be the {what} {}",
            names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(" or ")
        ),
        hint: format!(
            "write the one that is meant as it is spelled, in double quotes: {}",
            quote_name(names[0])
        ),
    }
}
