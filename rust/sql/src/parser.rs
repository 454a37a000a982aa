//! Reads the shape of a statement in one pass, with a stack of open parentheses: no recursion, no look-ahead beyond a
//! few tokens.

use crate::edits::Edits;
use crate::lexer::{Kind, Token, offset, op};
use crate::names::is_called;
use crate::schema::Schema;
use crate::structure::{
    Block, CANDIDATE, Call, Clause, FrameKind, ItemKind, MENTIONED, Mention, NONE, OF_BETWEEN, Origin, Role, Structure,
};
use crate::word::Word;

/// Parentheses that may stand before a query's first word, as in `FROM ((SELECT …`.
const MOST_LEADING_PARENTHESES: usize = 32;

#[derive(Clone, Copy, Debug)]
#[allow(clippy::struct_excessive_bools)] // independent facts, not the states of one thing
pub(crate) struct Frame {
    pub(crate) kind: FrameKind,
    pub(crate) clause: Clause,
    pub(crate) block: u32,
    /// The first block of this frame: its items name the result's columns.
    pub(crate) first_block: u32,
    /// Token of the function's name.
    pub(crate) call: u32,
    /// First token of the current item of SELECT.
    pub(crate) item: u32,
    /// Newest common table expression in sight.
    pub(crate) ctes: u32,
    /// The common table expression that this query defines.
    pub(crate) cte: u32,
    pub(crate) between: bool,
    pub(crate) expects_source: bool,
    pub(crate) is_source: bool,
    pub(crate) recursive: bool,
}

/// A common table expression.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cte {
    pub(crate) name: u32,
    pub(crate) block: u32,
    pub(crate) columns: (u32, u32),
    pub(crate) previous: u32,
}

/// Reads tokens into a [`Structure`]; repairs clauses of other dialects on the way.
pub(crate) struct Parser<'a> {
    pub(crate) sql: &'a str,
    pub(crate) schema: &'a Schema,
    pub(crate) tokens: &'a mut [Token],
    pub(crate) edits: &'a mut Edits,
    frames: Vec<Frame>,
    pub(crate) ctes: Vec<Cte>,
    /// For each open parenthesis of a foreign function: its call.
    open_calls: Vec<(usize, usize)>,
    pub(crate) tops: Vec<Top>,
    pub(crate) closed: u32,
    /// What the innermost frame says.
    expects_source: bool,
    pub(crate) key: String,
    pub(crate) out: Structure,
}

impl<'a> Parser<'a> {
    pub(crate) fn new(sql: &'a str, schema: &'a Schema, tokens: &'a mut [Token], edits: &'a mut Edits) -> Self {
        Self {
            sql,
            schema,
            tokens,
            edits,
            frames: Vec::with_capacity(16),
            ctes: Vec::new(),
            open_calls: Vec::new(),
            tops: Vec::new(),
            closed: 0,
            expects_source: false,
            key: String::new(),
            out: Structure::default(),
        }
    }

    pub(crate) fn run(mut self) -> Structure {
        self.start_statement();
        let mut at = 0;
        while let Some(token) = self.tokens.get(at) {
            // Most tokens are plain names, numbers and strings in expressions: they shape nothing.
            let plain = match token.kind {
                Kind::Ident => token.word == Word::Other && token.op != CANDIDATE,
                Kind::Number | Kind::String => true,
                Kind::Op => matches!(token.op, b'.' | b'=' | b'*' | b'+' | b'-'),
                _ => false,
            };
            if plain && !self.expects_source {
                at += 1;
                continue;
            }
            at = self.step(at);
            self.expects_source = self.frame().expects_source;
        }
        self.end_statement(at);
        self.out
    }

    pub(crate) fn start_statement(&mut self) {
        let block = self.new_block(NONE);
        self.frames.push(Frame {
            kind: FrameKind::Query,
            clause: Clause::Head,
            block,
            first_block: block,
            call: NONE,
            item: 0,
            ctes: NONE,
            cte: NONE,
            between: false,
            expects_source: false,
            is_source: false,
            recursive: false,
        });
    }

    pub(crate) fn end_statement(&mut self, at: usize) {
        while self.frames.len() > 1 {
            self.pop(at);
        }
        self.finish_block(at);
        self.frames.clear();
        self.open_calls.clear();
    }

    pub(crate) fn new_block(&mut self, parent: u32) -> u32 {
        self.out.blocks.push(Block {
            parent,
            set_first: NONE,
            first_source: NONE,
            last_source: NONE,
            first_item: NONE,
            last_item: NONE,
            closed: NONE,
            open: false,
        });
        offset(self.out.blocks.len() - 1)
    }

    pub(crate) fn frame(&mut self) -> &mut Frame {
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    pub(crate) fn token(&self, at: usize) -> Option<Token> {
        self.tokens.get(at).copied()
    }

    pub(crate) fn word_at(&self, at: usize) -> Word {
        self.token(at)
            .filter(|t| t.kind == Kind::Ident)
            .map_or(Word::Other, |t| t.word)
    }

    pub(crate) fn op_at(&self, at: usize) -> u8 {
        self.token(at).filter(|t| t.kind == Kind::Op).map_or(0, |t| t.op)
    }

    pub(crate) fn previous(&self, at: usize) -> Option<Token> {
        at.checked_sub(1).and_then(|at| self.token(at))
    }

    /// Whether the token can name a table, a column or an alias.
    pub(crate) fn is_name(&self, at: usize) -> bool {
        self.token(at)
            .is_some_and(|t| t.kind.is_quoted_name() || (t.kind == Kind::Ident && !t.word.is_reserved()))
    }

    /// Handles the token at `at` and returns the position of the next one.
    pub(crate) fn step(&mut self, at: usize) -> usize {
        let token = self.tokens[at];
        match token.kind {
            Kind::Op => self.operator(at, token.op),
            Kind::Ident if token.word != Word::Other && !self.is_label(at) => self.word(at, token.word),
            Kind::Ident | Kind::Quoted | Kind::Backtick | Kind::Bracket | Kind::Curly | Kind::Bare => {
                if self.frame().expects_source {
                    return self.source(at);
                }
                self.mention(at, Role::Expression);
                at + 1
            }
            Kind::String if self.frame().expects_source => {
                self.frame().expects_source = false;
                self.add_source(Origin::Unknown, NONE, (NONE, NONE));
                self.alias(at + 1)
            }
            _ => at + 1,
        }
    }

    /// Whether a word is a name by its place: behind `.` or `AS`, or before `.`.
    pub(crate) fn is_label(&self, at: usize) -> bool {
        let after = self
            .previous(at)
            .is_some_and(|t| t.op == b'.' || (t.kind == Kind::Ident && t.word == Word::As));
        let materialized = matches!(
            self.tokens[at].word,
            Word::Not | Word::Materialized | Word::Select | Word::With
        );
        (after && !materialized) || (self.op_at(at + 1) == b'.' && !self.tokens[at].word.is_reserved())
    }

    pub(crate) fn mention(&mut self, at: usize, role: Role) {
        let Token { kind, op, .. } = self.tokens[at];
        if op == MENTIONED || !(kind.is_quoted_name() || op == CANDIDATE) {
            return;
        }
        self.tokens[at].op = MENTIONED;
        let Frame {
            block,
            clause,
            kind,
            call,
            ..
        } = self.frames[self.frames.len() - 1];
        self.out.mentions.push(Mention {
            token: offset(at),
            block,
            clause,
            frame: kind,
            call,
            role,
        });
    }

    pub(crate) fn operator(&mut self, at: usize, code: u8) -> usize {
        match code {
            b'(' => return self.open(at),
            b'[' => self.push(FrameKind::Brackets, NONE),
            b'{' => self.push(FrameKind::Braces, NONE),
            b')' | b']' | b'}' => return self.close(at, code),
            b',' => return self.comma(at),
            b';' => {
                self.end_statement(at);
                self.start_statement();
            }
            op::ARROW => self.arrow(at),
            _ => {}
        }
        at + 1
    }

    pub(crate) fn push(&mut self, kind: FrameKind, call: u32) {
        let outer = *self.frame();
        self.frames.push(Frame {
            kind,
            call,
            between: false,
            expects_source: kind == FrameKind::Sources,
            is_source: false,
            cte: NONE,
            ..outer
        });
    }

    /// Opens a query in parentheses.
    pub(crate) fn push_query(&mut self) {
        let outer = *self.frame();
        let block = self.new_block(outer.block);
        self.frames.push(Frame {
            kind: FrameKind::Query,
            clause: Clause::Head,
            block,
            first_block: block,
            call: NONE,
            item: 0,
            between: false,
            expects_source: false,
            is_source: outer.expects_source || (outer.kind == FrameKind::Query && outer.clause == Clause::Head),
            cte: NONE,
            recursive: false,
            ..outer
        });
    }

    pub(crate) fn opens_query(&self, at: usize, nested: bool) -> bool {
        let mut next = at + 1;
        if nested {
            while self.op_at(next) == b'(' && next < at + MOST_LEADING_PARENTHESES {
                next += 1;
            }
        }
        matches!(
            self.word_at(next),
            Word::Select | Word::With | Word::Values | Word::From | Word::Pivot | Word::Unpivot | Word::Table
        )
    }

    pub(crate) fn open(&mut self, at: usize) -> usize {
        let frame = *self.frame();
        let wants_query = frame.expects_source || (frame.kind == FrameKind::Query && frame.clause == Clause::Head);
        if self.opens_query(at, wants_query) {
            self.push_query();
            return at + 1;
        }
        if frame.expects_source {
            self.push(FrameKind::Sources, NONE);
            return at + 1;
        }
        if frame.clause == Clause::Select && self.gives_columns(at) {
            self.out.blocks[frame.block as usize].open = true;
        }
        let Some(previous) = self.previous(at) else {
            self.push(FrameKind::Group, NONE);
            return at + 1;
        };
        let kind = match (previous.kind, previous.word) {
            (Kind::Ident, Word::In) => FrameKind::In,
            (Kind::Ident, Word::Using | Word::Exclude | Word::Rename) => FrameKind::Columns,
            (Kind::Ident, Word::Values) => FrameKind::Row,
            (Kind::Ident, Word::Replace) if at > 1 && self.op_at(at - 2) == b'*' => FrameKind::Group,
            (Kind::Ident, word) if is_callable(word) => FrameKind::Call,
            (Kind::Quoted | Kind::Backtick, _) => FrameKind::Call,
            (Kind::Op, _) if frame.clause == Clause::Values && previous.op == b',' => FrameKind::Row,
            _ => FrameKind::Group,
        };
        if kind == FrameKind::Call {
            self.open_call(at);
            self.push(kind, offset(at - 1));
        } else {
            self.push(kind, NONE);
        }
        at + 1
    }

    /// Whether the parenthesis at `at` belongs to `unnest(…)`, `COLUMNS(…)` or `RENAME (…)`, whose columns only the
    /// engine knows.
    fn gives_columns(&self, at: usize) -> bool {
        self.previous(at).is_some_and(|name| {
            name.word == Word::Rename
                || matches!(name.end - name.start, 6..=9)
                    && ["unnest", "columns"]
                        .iter()
                        .any(|known| is_called(self.sql, name, known))
        })
    }

    pub(crate) fn open_call(&mut self, at: usize) {
        let name = self.tokens[at - 1];
        if name.kind == Kind::Ident && crate::functions::is_foreign(name.text(self.sql)) {
            let block = self.frame().block;
            self.out.calls.push(Call {
                name: offset(at - 1),
                open: offset(at),
                close: NONE,
                block,
            });
            self.open_calls.push((self.frames.len(), self.out.calls.len() - 1));
        }
    }

    pub(crate) fn close(&mut self, at: usize, code: u8) -> usize {
        while self.frames.len() > 1 && matches!(self.frame().kind, FrameKind::Case | FrameKind::SimpleCase) {
            self.frames.pop();
        }
        let kind = self.frame().kind;
        let fits = match code {
            b']' => kind == FrameKind::Brackets,
            b'}' => kind == FrameKind::Braces,
            _ => !matches!(kind, FrameKind::Brackets | FrameKind::Braces),
        };
        if self.frames.len() == 1 || !fits {
            return at + 1;
        }
        self.pop(at)
    }

    /// Leaves the innermost frame at token `at` and returns where to go on.
    pub(crate) fn pop(&mut self, at: usize) -> usize {
        if self.frame().kind == FrameKind::Query {
            self.finish_block(at);
        }
        let Some(frame) = self.frames.pop() else { return at + 1 };
        if let Some((depth, call)) = self.open_calls.last().copied()
            && depth == self.frames.len()
        {
            self.out.calls[call].close = offset(at);
            self.open_calls.pop();
        }
        if frame.cte != NONE {
            self.frame().ctes = frame.cte;
            return at + 1;
        }
        if !frame.is_source {
            if frame.kind == FrameKind::Sources {
                self.frame().expects_source = false;
                if self.is_name(at + 1) || self.word_at(at + 1) == Word::As {
                    self.add_source(Origin::Unknown, NONE, (NONE, NONE));
                    return self.alias(at + 1);
                }
            }
            return at + 1;
        }
        let origin = if frame.kind == FrameKind::Query {
            Origin::Block(frame.first_block)
        } else {
            Origin::Unknown
        };
        let head = self.frame().clause == Clause::Head;
        self.frame().expects_source = false;
        self.add_source(origin, NONE, (NONE, NONE));
        if head {
            self.add_item(ItemKind::Star);
            return at + 1;
        }
        self.alias(at + 1)
    }

    pub(crate) fn comma(&mut self, at: usize) -> usize {
        let Frame {
            kind,
            clause,
            ctes,
            recursive,
            ..
        } = *self.frame();
        match (kind, clause) {
            (FrameKind::Query, Clause::Select) => {
                self.finish_item(at);
                self.frame().item = offset(at + 1);
            }
            (FrameKind::Query | FrameKind::Sources, Clause::From | Clause::On) => {
                self.frame().clause = Clause::From;
                self.frame().expects_source = true;
            }
            (FrameKind::Query, Clause::Head) if ctes != NONE => return self.cte_head(at + 1, recursive),
            _ => {}
        }
        at + 1
    }

    pub(crate) fn word(&mut self, at: usize, word: Word) -> usize {
        match word {
            Word::Case => {
                let simple = self.word_at(at + 1) != Word::When;
                self.push(if simple { FrameKind::SimpleCase } else { FrameKind::Case }, NONE);
            }
            Word::End if matches!(self.frame().kind, FrameKind::Case | FrameKind::SimpleCase) => {
                self.frames.pop();
            }
            Word::Between => self.frame().between = true,
            Word::And if self.frame().between => {
                self.frame().between = false;
                self.tokens[at].op = OF_BETWEEN;
            }
            Word::Lambda | Word::For => self.variables(at),
            _ => {
                return match self.frame().kind {
                    FrameKind::Query | FrameKind::Sources => self.clause_word(at, word),
                    _ => self.inner_word(at, word),
                };
            }
        }
        at + 1
    }

    /// The parameters behind `lambda`, or the variables behind the `for` of a list comprehension.
    fn variables(&mut self, at: usize) {
        if self.word_at(at) == Word::For && self.frame().kind != FrameKind::Brackets {
            return;
        }
        self.out.has_lambda = true;
        let mut next = at + 1;
        while self.is_name(next) {
            self.out.variables.push(offset(next));
            if self.op_at(next + 1) != b',' {
                break;
            }
            next += 2;
        }
    }

    /// `x -> …` and `(x, y) -> …` as a function's argument: lambdas, unless a path of JSON follows.
    fn arrow(&mut self, at: usize) {
        self.out.has_lambda = true;
        let path = self
            .token(at + 1)
            .is_none_or(|t| matches!(t.kind, Kind::String | Kind::Number | Kind::Param));
        if path || at < 2 {
            return;
        }
        if self.op_at(at - 1) != b')' {
            if self.op_at(at - 2) == b',' && self.is_name(at - 1) {
                self.out.variables.push(offset(at - 1));
            }
            return;
        }
        let mut name = at - 2;
        while self.is_name(name) && name > 1 {
            self.out.variables.push(offset(name));
            if self.op_at(name - 1) != b',' {
                break;
            }
            name -= 2;
        }
    }

    /// A word in parentheses that hold no query.
    pub(crate) fn inner_word(&mut self, at: usize, word: Word) -> usize {
        match word {
            Word::Order if self.word_at(at + 1) == Word::By => {
                let frame = self.frame();
                frame.clause = Clause::Order;
                frame.item = offset(at);
            }
            Word::Partition if self.word_at(at + 1) == Word::By => self.frame().clause = Clause::Group,
            Word::Separator => self.separator(at),
            Word::Div | Word::Mod => self.infix(at, word),
            _ if !word.is_reserved() => self.mention(at, Role::Expression),
            _ => {}
        }
        at + 1
    }

    pub(crate) fn clause_word(&mut self, at: usize, word: Word) -> usize {
        let Frame { kind, clause, .. } = *self.frame();
        let by = self.word_at(at + 1) == Word::By;
        match word {
            Word::Select => {
                self.enter(at, Clause::Select);
                self.frame().item = offset(at + 1);
                self.top(at);
            }
            Word::From if self.is_distinct_from(at) => {}
            Word::From => {
                self.enter(at, Clause::From);
                self.frame().expects_source = true;
            }
            Word::Where | Word::Having | Word::Qualify | Word::Window => self.enter(at, Clause::Condition),
            Word::Group if by => self.enter(at, Clause::Group),
            Word::Order if by => self.enter(at, Clause::Order),
            Word::Limit | Word::Offset | Word::Fetch if kind == FrameKind::Query => {
                self.enter(at, Clause::Limit);
                if word == Word::Limit {
                    self.limit(at);
                }
            }
            Word::Union | Word::Intersect | Word::Except
                if kind == FrameKind::Query && self.op_at(at.wrapping_sub(1)) != b'*' =>
            {
                self.finish_block(at);
                let Frame { block, first_block, .. } = *self.frame();
                let behind = at + 1 + usize::from(matches!(self.word_at(at + 1), Word::All | Word::Distinct));
                self.out.blocks[first_block as usize].open |= self.word_at(behind) == Word::By;
                let parent = self.out.blocks[block as usize].parent;
                let block = self.new_block(parent);
                self.out.blocks[block as usize].set_first = self.frames[self.frames.len() - 1].first_block;
                let frame = self.frame();
                frame.block = block;
                frame.clause = Clause::Head;
                frame.expects_source = false;
            }
            Word::Join if matches!(clause, Clause::From | Clause::On) => {
                self.frame().clause = Clause::From;
                self.frame().expects_source = true;
            }
            Word::On if clause == Clause::From => {
                self.frame().clause = Clause::On;
                self.frame().expects_source = false;
            }
            Word::Values if clause == Clause::Head => self.frame().clause = Clause::Values,
            Word::With if clause == Clause::Head && kind == FrameKind::Query => {
                let recursive = self.word_at(at + 1) == Word::Recursive;
                return self.cte_head(at + 1 + usize::from(recursive), recursive);
            }
            Word::Pivot | Word::Unpivot => {
                self.add_source(Origin::Unknown, NONE, (NONE, NONE));
                self.frame().expects_source = false;
            }
            Word::Div | Word::Mod => self.infix(at, word),
            _ if !word.is_reserved() => {
                if self.expects_source {
                    return self.source(at);
                }
                self.mention(at, Role::Expression);
            }
            _ => {}
        }
        at + 1
    }

    /// Enters a clause of the current block.
    pub(crate) fn enter(&mut self, at: usize, clause: Clause) {
        if self.frame().clause == Clause::Select {
            self.finish_item(at);
        }
        let frame = self.frame();
        frame.clause = clause;
        frame.expects_source = false;
        frame.between = false;
    }

    pub(crate) fn is_distinct_from(&self, at: usize) -> bool {
        at > 1 && self.word_at(at - 1) == Word::Distinct && matches!(self.word_at(at - 2), Word::Is | Word::Not)
    }
}

/// `SELECT TOP n` of a block: the tokens to take out and the row count.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Top {
    pub(crate) block: u32,
    pub(crate) first: u32,
    pub(crate) behind: u32,
    pub(crate) count: u32,
}

/// Whether a parenthesis behind the word holds arguments.
fn is_callable(word: Word) -> bool {
    matches!(
        word,
        Word::Other
            | Word::Left
            | Word::Right
            | Word::Replace
            | Word::Date
            | Word::Time
            | Word::Timestamp
            | Word::Map
            | Word::Mod
            | Word::Glob
            | Word::Isnull
            | Word::Sample
    )
}
