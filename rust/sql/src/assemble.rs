//! From text to the tokens that mean something: brackets, typographic quotes and full-width marks are read as what
//! was meant, and words that are glued to names of another script are set apart.

use crate::edits::{Edits, RewriteKind};
use crate::lexer::Lexer;
use crate::runs::{self, Piece};
use crate::schema::Schema;
use crate::scratch::Scratch;
use crate::structure::CANDIDATE;
use crate::token::{Kind, Token, op};
use crate::word::Word;

/// A `]` further away than this closes no name.
const LONGEST_BRACKET: usize = 256;

/// A longer run without any ASCII mark is left alone: it is read again behind each quotation mark in it.
const LONGEST_RUN: usize = 4096;

/// What a statement holds.
#[derive(Clone, Copy, Debug, Default)]
#[allow(clippy::struct_excessive_bools)] // independent facts, not the states of one thing
pub(crate) struct Seen {
    /// Whether any name may have to be quoted, restored or turned into a string.
    pub(crate) names: bool,
    /// Whether a word of another dialect's clause or function stands in it.
    pub(crate) dialect: bool,
    /// Whether a bracket stands where only a name can, so that the statement is written in that dialect.
    pub(crate) brackets_quote: bool,
    /// Whether any bracket is left as one.
    pub(crate) brackets: bool,
}

pub(crate) struct Assembler<'a> {
    sql: &'a str,
    schema: &'a Schema,
    lexer: Lexer<'a>,
    /// The statement's tokens without white space and comments.
    tokens: &'a mut Vec<Token>,
    quoted: &'a mut Vec<u32>,
    key: &'a mut String,
    edits: &'a mut Edits,
    seen: Seen,
    /// Names that the statement itself defines; gathered when first needed.
    defined: Option<runs::Definitions<'a>>,
    /// Behind this offset there is no closing mark.
    no_curly_after: usize,
    no_curly_string_after: usize,
    /// End of the run that is being read, and what is left of it.
    run_end: u32,
    rest: Option<(u32, u32)>,
}

impl<'a> Assembler<'a> {
    pub(crate) fn new(sql: &'a str, schema: &'a Schema, scratch: &'a mut Scratch, edits: &'a mut Edits) -> Self {
        scratch.tokens.reserve(sql.len() / 4 + 4);
        Self {
            sql,
            schema,
            lexer: Lexer::new(sql),
            tokens: &mut scratch.tokens,
            quoted: &mut scratch.quoted,
            key: &mut scratch.key,
            edits,
            seen: Seen::default(),
            defined: None,
            no_curly_after: usize::MAX,
            no_curly_string_after: usize::MAX,
            run_end: 0,
            rest: None,
        }
    }

    pub(crate) fn run(mut self) -> Seen {
        let bytes = self.sql.as_bytes();
        while let Some(token) = self.lexer.next_significant() {
            match token.kind {
                Kind::Ident => {
                    if token.op == op::WIDE {
                        self.wide(token.start, token.end);
                        continue;
                    }
                    let mut token = token;
                    if token.word == Word::Other {
                        let name = &bytes[token.start as usize..token.end as usize];
                        if self.schema.may_need_quotes(name) {
                            token.op = CANDIDATE;
                            self.seen.names = true;
                        }
                    } else if matches!(token.word, Word::Top | Word::Div | Word::Mod | Word::Separator) {
                        self.seen.dialect = true;
                    }
                    self.tokens.push(token);
                }
                Kind::Op => match token.op {
                    b'[' => self.bracket(token.start as usize),
                    code => {
                        if matches!(code, b'(' | b',') {
                            self.note_dialect(code);
                        }
                        self.tokens.push(token);
                    }
                },
                kind if kind.is_quoted_name() => self.push_quoted(token),
                _ => self.tokens.push(token),
            }
        }
        self.seen
    }

    /// Adds a name in quotes.
    fn push_quoted(&mut self, token: Token) {
        self.seen.names = true;
        self.quoted.push(crate::token::offset(self.tokens.len()));
        self.tokens.push(token);
    }

    /// Notes whether a function of another dialect is called, or `LIMIT a, b` stands before the mark `code`.
    fn note_dialect(&mut self, code: u8) {
        if self.seen.dialect {
            return;
        }
        self.seen.dialect = match self.tokens.as_slice() {
            [.., name] if code == b'(' => {
                name.kind == Kind::Ident && crate::functions::is_foreign(name.bytes(self.sql))
            }
            [.., limit, _] if code == b',' => limit.word == Word::Limit,
            _ => false,
        };
    }

    fn last(&self) -> Option<&Token> {
        self.tokens.last()
    }

    /// A bracket is a name where only a name can stand, or where its whole content is a known name and no operand
    /// ends before it (then it would be an index).
    fn bracket(&mut self, start: usize) {
        let mut token = Token::new(Kind::Op, start, start + 1);
        token.op = b'[';
        let Some((content, end)) = bracket_content(self.sql, start) else {
            self.seen.brackets = true;
            self.tokens.push(token);
            return;
        };
        let previous = self.last();
        let forced = previous.is_some_and(|t| t.op == b'.' || matches!(t.word, Word::As | Word::From | Word::Join))
            && names_something(content);
        let after_operand = previous.is_some_and(|t| ends_operand(*t)) && !self.names_table(previous);
        let is_name = forced
            || (!after_operand
                && if self.schema.is_empty() {
                    names_something(content)
                } else {
                    self.is_known(content)
                });
        if !is_name {
            self.seen.brackets = true;
            self.tokens.push(token);
            return;
        }
        // `FROM ['a.csv']` names no table and was kept out by `names_something`.
        self.seen.brackets_quote |= forced;
        self.push_quoted(Token::new(Kind::Bracket, start, end));
        self.lexer.resume_at(end);
    }

    /// Whether the token before is a bracketed table name, so that a bracket behind it is its alias.
    fn names_table(&self, previous: Option<&Token>) -> bool {
        previous.is_some_and(|t| t.kind == Kind::Bracket) && {
            let before = self.tokens.len().checked_sub(2).map(|at| self.tokens[at]);
            before.is_some_and(|t| matches!(t.word, Word::From | Word::Join))
        }
    }

    fn is_known(&mut self, name: &str) -> bool {
        self.schema.symbol(name, self.key).is_some() || self.definitions().contains(name)
    }

    fn definitions(&mut self) -> &runs::Definitions<'a> {
        self.defined.get_or_insert_with(|| runs::definitions(self.sql))
    }

    /// A name that is not all ASCII.
    ///
    /// Behind a typographic quotation mark the rest of the run is read without looking for its end again.
    fn wide(&mut self, start: u32, end: u32) {
        self.rest = Some((start, end));
        while let Some((start, end)) = self.rest.take() {
            self.run_end = end;
            self.wide_part(start, end);
            self.run_end = 0;
        }
    }

    /// Goes on at `at`, inside the run that is being read or behind it.
    fn resume_at(&mut self, at: usize) {
        let end = self.run_end as usize;
        let rest = self.sql.get(at..end.max(at)).unwrap_or("");
        if rest.starts_with(|c: char| !c.is_ascii_digit() && c != '$') && !rest.is_ascii() {
            self.rest = Some((crate::token::offset(at), self.run_end));
            self.lexer.resume_at(end);
        } else {
            self.lexer.resume_at(at);
        }
    }

    fn wide_part(&mut self, start: u32, end: u32) {
        let token = Token::new(Kind::Ident, start as usize, end as usize);
        // What stands behind a typographic quotation mark is read again: only the part before it costs anything.
        let text = runs::until_quote(token.text(self.sql));
        let symbol = self.schema.symbol(token.text(self.sql), self.key);
        if symbol.is_some() || text.len() > LONGEST_RUN || !runs::is_suspicious(text) {
            self.wide_name(
                token,
                symbol.is_some_and(|symbol| self.schema.is_only_spelling(symbol, text)),
            );
            return;
        }
        if runs::is_definition(text, self.last().copied()) || self.definitions().contains(text) {
            self.tokens.push(token);
            return;
        }
        let pieces = {
            self.definitions();
            let (schema, key) = (self.schema, &mut *self.key);
            let defined = self.defined.as_ref();
            runs::split(
                text,
                self.tokens.last().copied(),
                schema.longest(),
                &mut |name| schema.symbol(name, key).is_some() || defined.is_some_and(|d| d.contains(name)),
                &|name, run| defined.is_some_and(|d| d.is_alias(name, run)),
            )
        };
        self.push_pieces(token.start, &pieces);
    }

    fn push_pieces(&mut self, start: u32, pieces: &[Piece]) {
        let mut spaced = true;
        for piece in pieces {
            let (from, to) = (start + piece.start, start + piece.end);
            if let Some(mark) = piece.mark {
                if mark == '“' || mark == '‘' {
                    self.curly(from as usize, mark);
                    return;
                }
                let ascii = runs::ascii_of(mark);
                self.edits.replace(from, to, ascii, RewriteKind::Width);
                for (at, byte) in ascii.bytes().enumerate() {
                    // `≥` is one operator of two characters.
                    if at == 0 {
                        let mut token = Token::new(Kind::Op, from as usize, to as usize);
                        token.op = if ascii.len() > 1 { op::COMPARE } else { byte };
                        self.note_dialect(token.op);
                        self.seen.brackets |= byte == b'[';
                        self.tokens.push(token);
                    }
                }
                spaced = true;
                continue;
            }
            if !spaced {
                self.edits.insert(from, " ", RewriteKind::Space);
            }
            spaced = false;
            let mut token = Token::new(Kind::Ident, from as usize, to as usize);
            let text = token.text(self.sql);
            if let Some(digits) = runs::digits(text) {
                token.kind = Kind::Number;
                if digits != text {
                    self.edits.replace(from, to, digits, RewriteKind::Width);
                }
                self.tokens.push(token);
            } else if text.is_ascii() {
                token.word = crate::word::word(text.as_bytes());
                self.tokens.push(token);
            } else {
                let symbol = self.schema.symbol(text, self.key);
                self.wide_name(
                    token,
                    symbol.is_some_and(|symbol| self.schema.is_only_spelling(symbol, text)),
                );
            }
        }
    }

    /// `“…”` is read like `"…"`, `‘…’` like `'…'`; without its partner a mark is left alone.
    fn curly(&mut self, start: usize, mark: char) {
        let from = start + self.sql[start..].chars().next().map_or(1, char::len_utf8);
        let (limit, closing): (&mut usize, [char; 2]) = if mark == '“' {
            (&mut self.no_curly_after, ['”', '“'])
        } else {
            (&mut self.no_curly_string_after, ['’', '‘'])
        };
        let end = if start < *limit {
            self.sql[from..]
                .char_indices()
                .find(|(_, c)| closing.contains(c))
                .map(|(at, c)| from + at + c.len_utf8())
        } else {
            None
        };
        if let Some(end) = end {
            let kind = if mark == '“' { Kind::Curly } else { Kind::CurlyString };
            if kind == Kind::CurlyString {
                let content = &self.sql[from..end - '’'.len_utf8()];
                let text = crate::edits::quote_text(content);
                self.edits.replace(
                    crate::token::offset(start),
                    crate::token::offset(end),
                    text,
                    RewriteKind::Width,
                );
            }
            let token = Token::new(kind, start, end);
            if kind == Kind::Curly {
                self.push_quoted(token);
            } else {
                self.tokens.push(token);
            }
            self.resume_at(end);
        } else {
            *limit = (*limit).min(start);
            self.tokens.push(Token::new(Kind::Unknown, start, from));
            self.resume_at(from);
        }
    }

    /// A name in another script, together with what stands around it if only both together name something known:
    /// `2023年收入`, `金额(万元)`, `增长率(%)`.
    fn wide_name(&mut self, mut token: Token, settled: bool) {
        let mut start = token.start as usize;
        let mut end = token.end as usize;
        if !self.schema.is_empty() {
            if let Some(last) = self.last().copied()
                && last.kind == Kind::Number
                && last.end == token.start
                && self.is_schema_name(last.start as usize, end)
            {
                start = last.start as usize;
                self.tokens.pop();
            }
            if let Some(longer) = self.longer_name(start, end) {
                end = longer;
            }
        }
        if start < token.start as usize || end > token.end as usize {
            self.push_quoted(Token::new(Kind::Bare, start, end));
            if end > token.end as usize {
                self.lexer.resume_at(end);
            }
            return;
        }
        if !settled && !self.schema.is_empty() {
            token.op = CANDIDATE;
            self.seen.names = true;
        }
        self.tokens.push(token);
    }

    fn is_schema_name(&mut self, start: usize, end: usize) -> bool {
        self.schema.symbol(&self.sql[start..end], self.key).is_some()
    }

    /// The end of a known name that goes on behind `end` with a group in parentheses.
    fn longer_name(&mut self, start: usize, end: usize) -> Option<usize> {
        let bytes = self.sql.as_bytes();
        let open = end + bytes[end..].iter().take_while(|b| **b == b' ').count();
        if bytes.get(open) != Some(&b'(') {
            return None;
        }
        let limit = bytes.len().min(start + self.schema.longest() * 2);
        let mut candidate = None;
        for (at, byte) in bytes.iter().enumerate().take(limit).skip(open) {
            if *byte == b')' {
                let mut longer = Lexer::new(self.sql);
                longer.resume_at(at + 1);
                let tail = longer
                    .next()
                    .filter(|t| t.kind == Kind::Ident)
                    .map_or(at + 1, |t| t.end as usize);
                for to in [at + 1, tail] {
                    if self.is_schema_name(start, to) {
                        candidate = Some(to);
                    }
                }
            }
        }
        candidate
    }
}

/// The content of the brackets that open at `start`, and the offset behind them.
fn bracket_content(sql: &str, start: usize) -> Option<(&str, usize)> {
    let bytes = sql.as_bytes();
    let mut at = start + 1;
    while at < bytes.len().min(start + LONGEST_BRACKET) {
        match bytes[at] {
            b']' if bytes.get(at + 1) == Some(&b']') => at += 2,
            b']' => return Some((&sql[start + 1..at], at + 1)),
            b'\n' => return None,
            _ => at += 1,
        }
    }
    None
}

/// Whether a bracket's content can be a name where no schema tells: it starts like a name and holds no list's marks.
fn names_something(content: &str) -> bool {
    let content = content.trim();
    content.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_')
        && !content.contains(['\'', '"', ',', ';', '=', '[', '{'])
}

/// Whether an operand may end with `token`, so that a bracket behind it is an index and a name an alias.
pub(crate) fn ends_operand(token: Token) -> bool {
    match token.kind {
        Kind::Ident => token.word.ends_operand(),
        Kind::Op => matches!(token.op, b')' | b']' | b'}'),
        kind => kind.is_quoted_name() || kind.is_literal(),
    }
}
