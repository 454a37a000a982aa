//! What a block reads and gives: FROM, WITH and the items of SELECT.

use crate::assemble::ends_operand;
use crate::frames::Cte;
use crate::names::{is_called, name_text};
use crate::parser::Parser;
use crate::schema::Found;
use crate::structure::{Clause, FrameKind, Item, ItemKind, MENTIONED, Mention, NONE, Origin, Role, Source};
use crate::token::{Kind, offset};
use crate::word::Word;

impl Parser<'_> {
    pub(crate) fn finish_block(&mut self, at: usize) {
        let frame = *self.frame();
        if frame.clause == Clause::Select {
            self.finish_item(at);
        }
        let block = frame.block as usize;
        if frame.clause != Clause::Head
            && self.out.blocks[block].first_item == NONE
            && self.out.blocks[block].first_source != NONE
        {
            // `FROM t` without SELECT gives every column.
            self.add_item(ItemKind::Star);
        }
        self.end_top(at, frame.block);
        self.out.blocks[block].closed = self.closed;
        self.closed += 1;
    }

    pub(crate) fn add_item(&mut self, kind: ItemKind) {
        let id = offset(self.out.items.len());
        self.out.items.push(Item { kind, next: NONE });
        let block = self.frame().block as usize;
        let block = &mut self.out.blocks[block];
        if block.last_item == NONE {
            block.first_item = id;
        } else {
            self.out.items[block.last_item as usize].next = id;
        }
        block.last_item = id;
    }

    /// Notes the item of SELECT that ends before token `end`.
    pub(crate) fn finish_item(&mut self, end: usize) {
        let mut start = self.frame().item as usize;
        while matches!(self.word_at(start), Word::Distinct | Word::All) && start < end {
            start += 1;
        }
        if start >= end {
            return;
        }
        let last = end - 1;
        let kind = if self.is_open_item(start, end) {
            ItemKind::Open
        } else if self.op_at(start) == b'*' {
            ItemKind::Star
        } else if end > start + 2 && self.op_at(start + 1) == b'.' && self.op_at(start + 2) == b'*' {
            ItemKind::QualifiedStar(offset(start))
        } else if self.op_at(start + 1) == b':' {
            ItemKind::Alias(offset(start))
        } else if self.can_be_alias(last) && last > start && self.word_at(last - 1) == Word::As {
            ItemKind::Alias(offset(last))
        } else if self.can_be_alias(last)
            && self.tokens[last].kind != Kind::String
            && (last == start || self.op_at(last - 1) == b'.')
        {
            ItemKind::Column(offset(last))
        } else if self.can_be_alias(last) && last > start && self.previous(last).is_some_and(ends_operand) {
            ItemKind::Alias(offset(last))
        } else {
            ItemKind::Unnamed
        };
        self.add_item(kind);
    }

    /// Whether an item gives columns whose names only the engine knows.
    fn is_open_item(&self, start: usize, end: usize) -> bool {
        let star = self.op_at(start) == b'*'
            || (end > start + 2 && self.op_at(start + 1) == b'.' && self.op_at(start + 2) == b'*');
        let of_struct = !star && end > start + 1 && self.op_at(end - 1) == b'*' && self.op_at(end - 2) == b'.';
        of_struct || (star && (start..end.min(start + 8)).any(|at| self.word_at(at) == Word::Rename))
    }

    pub(crate) fn can_be_alias(&self, at: usize) -> bool {
        self.token(at).is_some_and(|t| {
            t.kind.is_quoted_name() || matches!(t.kind, Kind::Ident | Kind::String) && t.word != Word::End
        })
    }

    pub(crate) fn add_source(&mut self, origin: Origin, name: u32, columns: (u32, u32)) {
        let id = offset(self.out.sources.len());
        self.out.sources.push(Source {
            origin,
            token: name,
            name,
            columns,
            next: NONE,
        });
        let block = self.frame().block as usize;
        let block = &mut self.out.blocks[block];
        if block.last_source == NONE {
            block.first_source = id;
        } else {
            self.out.sources[block.last_source as usize].next = id;
        }
        block.last_source = id;
    }

    /// A table, view, common table expression or table function in FROM; returns where to go on.
    pub(crate) fn source(&mut self, at: usize) -> usize {
        if self.op_at(at + 1) == b':' {
            self.mention(at, Role::Definition);
            return at + 2;
        }
        let mut last = at;
        while self.op_at(last + 1) == b'.'
            && self
                .token(last + 2)
                .is_some_and(|t| t.kind == Kind::Ident || t.kind.is_quoted_name())
        {
            last += 2;
        }
        self.frame().expects_source = false;
        if self.op_at(last + 1) == b'(' {
            self.push(FrameKind::Call, offset(last));
            self.frame().is_source = true;
            return last + 2;
        }
        let (origin, columns) = self.origin(at, last);
        self.mention_source(at, last);
        self.add_source(origin, offset(last), columns);
        self.alias(last + 1)
    }

    pub(crate) fn mention_source(&mut self, at: usize, last: usize) {
        for part in (at..=last).step_by(2) {
            self.mention(part, Role::Source(offset(last)));
        }
        if last > at && self.tokens[at].op != MENTIONED {
            // `members.csv`: the alias of a file, which must be quoted as a whole.
            let frame = *self.frame();
            self.out.mentions.push(Mention {
                token: offset(at),
                block: frame.block,
                clause: frame.clause,
                frame: frame.kind,
                call: NONE,
                role: Role::Source(offset(last)),
            });
        }
    }

    pub(crate) fn origin(&mut self, at: usize, last: usize) -> (Origin, (u32, u32)) {
        let name = name_text(self.sql, self.tokens[last]);
        if at == last {
            let mut cte = self.frame().ctes;
            while cte != NONE {
                let Cte {
                    name: defined,
                    block,
                    columns,
                    previous,
                } = self.ctes[cte as usize];
                if is_called(self.sql, self.tokens[defined as usize], &name) {
                    return (Origin::Block(block), columns);
                }
                cte = previous;
            }
        } else {
            let whole = &self.sql[self.tokens[at].start as usize..self.tokens[last].end as usize];
            if let (Found::Exact, Some(table)) = self.schema.table(whole, self.key) {
                return (Origin::Table(table), (NONE, NONE));
            }
            if !is_called(self.sql, self.tokens[last - 2], "main") {
                return (Origin::Unknown, (NONE, NONE));
            }
        }
        let origin = self
            .schema
            .table(&name, self.key)
            .1
            .map_or(Origin::Unknown, Origin::Table);
        (origin, (NONE, NONE))
    }

    /// Reads the alias and the column aliases of the source that ended before `at`; returns where to go on.
    pub(crate) fn alias(&mut self, at: usize) -> usize {
        let explicit = self.word_at(at) == Word::As;
        let name = at + usize::from(explicit);
        let fits = if explicit {
            self.can_be_alias(name)
        } else {
            self.is_name(name)
        };
        if !fits {
            return name;
        }
        self.mention(name, Role::Definition);
        let source = self.out.sources.len() - 1;
        self.out.sources[source].name = offset(name);
        if self.op_at(name + 1) != b'(' {
            return name + 1;
        }
        let close = self.names_until_close(name + 2);
        self.out.sources[source].columns = (offset(name + 2), offset(close));
        close + 1
    }

    /// Notes the new names up to the next `)` and returns its position.
    pub(crate) fn names_until_close(&mut self, mut at: usize) -> usize {
        while at < self.tokens.len() && self.op_at(at) != b')' {
            if self.can_be_alias(at) {
                self.mention(at, Role::Definition);
            }
            at += 1;
        }
        at
    }

    /// Reads `name [(columns)] AS [[NOT] MATERIALIZED] (` and returns where to go on.
    pub(crate) fn cte_head(&mut self, at: usize, recursive: bool) -> usize {
        self.frame().recursive = recursive;
        if !self.can_be_alias(at) {
            return at;
        }
        self.mention(at, Role::Definition);
        let mut next = at + 1;
        let mut columns = (NONE, NONE);
        if self.op_at(next) == b'(' {
            let close = self.names_until_close(next + 1);
            columns = (offset(next + 1), offset(close));
            next = close + 1;
        }
        while matches!(self.word_at(next), Word::As | Word::Not | Word::Materialized) {
            next += 1;
        }
        if self.op_at(next) != b'(' {
            return next;
        }
        let outer = self.frame().ctes;
        let outer_block = self.frame().block as usize;
        let around = self.out.blocks[outer_block].parent;
        self.push_query();
        let block = self.frame().block;
        // A common table expression does not see the sources of the query that uses it.
        self.out.blocks[block as usize].parent = around;
        self.ctes.push(Cte {
            name: offset(at),
            block,
            columns,
            previous: outer,
        });
        let id = offset(self.ctes.len() - 1);
        let frame = self.frame();
        frame.cte = id;
        frame.is_source = false;
        if recursive {
            frame.ctes = id;
        }
        next + 1
    }
}
