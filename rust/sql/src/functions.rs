//! Functions of other dialects whose call must be written differently; the others are macros of the catalog.

use crate::edits::{Edits, RewriteKind};
use crate::scope::{Scope, Spelling, Wanted};
use crate::structure::{Call, NONE};
use crate::token::{Kind, Token, op};
use crate::word::Word;

/// A call with more tokens is left alone: nested calls would cost quadratic time.
const LONGEST_CALL: u32 = 4096;

/// Whether calls of `name` are looked at.
pub(crate) fn is_foreign(name: &[u8]) -> bool {
    let (Some(first), 3..=13) = (name.first(), name.len()) else {
        return false;
    };
    let known: &[&str] = match first | 0x20 {
        b'c' => &["cast", "char", "convert"],
        b'd' => &[
            "date",
            "datetime",
            "datediff",
            "date_diff",
            "dateadd",
            "datepart",
            "datename",
            "date_part",
            "date_format",
            "date_trunc",
            "day",
            "dayofmonth",
            "dayofyear",
            "dayname",
        ],
        b'f' => &["format"],
        b'g' => &["glob"],
        b'h' => &["hour"],
        b'l' => &["last_day"],
        b'm' => &["month", "monthname", "minute"],
        b'q' => &["quarter"],
        b's' => &["strftime", "second", "str_to_date", "stdev", "stdevp"],
        b't' => &["time", "timestampdiff", "total", "try_convert"],
        b'v' => &["var", "varp"],
        b'y' => &["year"],
        _ => return false,
    };
    known.iter().any(|known| known.as_bytes().eq_ignore_ascii_case(name))
}

/// Units of time that T-SQL and `MySQL` write without quotes.
/// Those that the dialects count or round in their own way (weeks, weekdays, fractions of a second) are not among
/// them.
const PARTS: [&str; 8] = [
    "year",
    "quarter",
    "month",
    "day",
    "hour",
    "minute",
    "second",
    "dayofyear",
];

/// Rewrites the calls of a statement.
pub(crate) struct Rewriter<'r, 'a> {
    pub(crate) scope: &'r mut Scope<'a>,
    pub(crate) edits: &'r mut Edits,
}

impl Rewriter<'_, '_> {
    pub(crate) fn run(&mut self) {
        for call in &self.scope.structure.calls {
            if call.close == NONE
                || call.close as usize >= self.scope.tokens.len()
                || call.close - call.open > LONGEST_CALL
            {
                continue;
            }
            let arguments = self.arguments(call);
            match self.text(call.name).to_ascii_lowercase().as_str() {
                "strftime" => self.strftime(call, &arguments),
                "date" => self.date(call, &arguments),
                "datetime" => self.compare(call, "TIMESTAMP"),
                "total" if arguments.len() == 1 => self.total(call),
                "time" if arguments.len() > 1 => self.rename(call, "sqlite_time"),
                "datediff" if arguments.len() == 2 => self.rename(call, "mysql_datediff"),
                "timestampdiff" if arguments.len() == 3 && self.is_part(call, &arguments) => {
                    self.rename(call, "date_sub");
                    self.quote_part(call, &arguments);
                }
                "datediff" | "date_diff" if arguments.len() == 3 => {
                    self.quote_part(call, &arguments);
                    self.cast_text(call, &arguments[1..]);
                }
                "datepart" | "date_part" | "date_trunc" if arguments.len() == 2 => {
                    self.quote_part(call, &arguments);
                    self.cast_text(call, &arguments[1..]);
                }
                "dateadd" if arguments.len() == 3 && self.is_part(call, &arguments) => {
                    self.quote_part(call, &arguments);
                    self.keep_date(call, &arguments);
                }
                "datename" if arguments.len() == 2 => self.quote_part(call, &arguments),
                "date_format" if arguments.len() == 2 => self.date_format(call, &arguments),
                "str_to_date" if arguments.len() == 2 => self.str_to_date(call, &arguments),
                "year" | "month" | "day" | "dayofmonth" | "quarter" | "hour" | "minute" | "second" | "dayofyear"
                | "dayname" | "monthname" | "last_day"
                    if arguments.len() == 1 =>
                {
                    self.cast_text(call, &arguments);
                }
                "convert" if matches!(arguments.len(), 2 | 3) => self.convert(call, &arguments, "CAST("),
                "try_convert" if matches!(arguments.len(), 2 | 3) => self.convert(call, &arguments, "TRY_CAST("),
                "char" if arguments.len() == 1 && call.name > 0 => self.char(call, &arguments),
                "format" if arguments.len() > 1 => self.format(call, &arguments),
                // The name is a table function of DuckDB's.
                "glob" if arguments.len() == 2 && self.scope.schema.has_macros() => self.rename(call, "sqlite_glob"),
                "stdev" if arguments.len() == 1 => self.rename(call, "stddev_samp"),
                "stdevp" if arguments.len() == 1 => self.rename(call, "stddev_pop"),
                "var" if arguments.len() == 1 => self.rename(call, "var_samp"),
                "varp" if arguments.len() == 1 => self.rename(call, "var_pop"),
                "cast" if arguments.len() == 1 => self.cast(call),
                _ => {}
            }
        }
    }

    pub(crate) fn token(&self, at: u32) -> Token {
        self.scope.tokens[at as usize]
    }

    pub(crate) fn text(&self, at: u32) -> &str {
        self.token(at).text(self.scope.sql)
    }

    /// First and last token of each argument.
    fn arguments(&self, call: &Call) -> Vec<(u32, u32)> {
        let mut list = Vec::new();
        let mut depth = 0;
        let mut first = call.open + 1;
        for at in call.open + 1..=call.close {
            let token = self.token(at);
            match token.op {
                _ if token.kind != Kind::Op => {}
                b'(' | b'[' | b'{' => depth += 1,
                b',' if depth == 0 => {
                    list.push((first, at - 1));
                    first = at + 1;
                }
                b')' | b']' | b'}' if at < call.close => depth -= 1,
                _ => {}
            }
        }
        if first < call.close {
            list.push((first, call.close - 1));
        }
        list
    }

    pub(crate) fn rename(&mut self, call: &Call, name: &'static str) {
        let token = self.token(call.name);
        self.edits.replace(token.start, token.end, name, RewriteKind::Function);
    }

    /// `total(DISTINCT x)`, `total(x ORDER BY y)`, `total(x) FILTER (…)` and `total(x) OVER (…)` of `SQLite`: no macro takes these.
    fn total(&mut self, call: &Call) {
        let mut end = call.close;
        if self.word(end + 1) == Word::Filter
            && let Some(close) = self.close_of(end + 2)
        {
            end = close;
        }
        if self.word(end + 1) == Word::Over {
            match self.close_of(end + 2) {
                Some(close) => end = close,
                None => end += 2,
            }
        }
        let plain = end == call.close
            && self.word(call.open + 1) != Word::Distinct
            && !(call.open..call.close).any(|at| self.word(at) == Word::Order);
        if plain || end as usize >= self.scope.tokens.len() {
            return;
        }
        let name = self.token(call.name);
        self.edits
            .replace(name.start, name.end, "coalesce(CAST(sum", RewriteKind::Function);
        self.edits
            .insert(self.token(end).end, " AS DOUBLE), 0.0::DOUBLE)", RewriteKind::Function);
    }

    /// The parenthesis that closes the one at `open`.
    fn close_of(&self, open: u32) -> Option<u32> {
        let mut depth = 0;
        for at in open..open.saturating_add(LONGEST_CALL) {
            let token = self.scope.tokens.get(at as usize)?;
            match token.op {
                _ if token.kind != Kind::Op => {}
                b'(' => depth += 1,
                b')' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return (at > open).then_some(at);
            }
        }
        None
    }

    fn word(&self, at: u32) -> Word {
        let token = self.scope.tokens.get(at as usize).filter(|t| t.kind == Kind::Ident);
        token.map_or(Word::Other, |t| t.word)
    }

    fn is_part(&self, call: &Call, arguments: &[(u32, u32)]) -> bool {
        let (first, last) = arguments[0];
        first == last
            && self.token(first).kind == Kind::Ident
            && PARTS.iter().any(|part| part.eq_ignore_ascii_case(self.text(first)))
            && call.open + 1 == first
    }

    /// `DATEDIFF(day, a, b)`: the unit is a name in T-SQL and a text in `DuckDB`, unless a column is called so.
    fn quote_part(&mut self, call: &Call, arguments: &[(u32, u32)]) {
        if !self.is_part(call, arguments) {
            return;
        }
        let token = self.token(arguments[0].0);
        let text = token.text(self.scope.sql);
        let wanted = Wanted::new(text, self.scope.schema);
        let meaning = self.scope.meaning(call.block, &wanted);
        if meaning.found != Spelling::Exact && !self.scope.is_variable(&wanted) {
            self.edits.replace(
                token.start,
                token.end,
                format!("'{}'", text.to_ascii_lowercase()),
                RewriteKind::Function,
            );
        }
    }

    /// `YEAR(x)`, `DATE_TRUNC('month', x)` of a text or a text column: other dialects read the text, `DuckDB` wants a time. What
    /// is no time stays an error.
    fn cast_text(&mut self, call: &Call, arguments: &[(u32, u32)]) {
        for (first, last) in arguments {
            let head = self.token(*first);
            let is_text = first == last && head.kind == Kind::String;
            if is_text || (self.is_column(*first, *last) && self.scope.is_untimed(call.block, *first, *last)) {
                self.edits.insert(head.start, "CAST(", RewriteKind::Function);
                self.edits
                    .insert(self.token(*last).end, " AS TIMESTAMP)", RewriteKind::Function);
            }
        }
    }

    /// `DATEADD(day, 1, x)` of a DATE is a DATE in T-SQL; the macro gives a TIMESTAMP.
    fn keep_date(&mut self, call: &Call, arguments: &[(u32, u32)]) {
        let (first, last) = arguments[2];
        let part = self.text(arguments[0].0);
        let in_days = ["year", "quarter", "month", "day"]
            .iter()
            .any(|unit| unit.eq_ignore_ascii_case(part));
        if in_days && self.is_column(first, last) && self.scope.is_date(call.block, first, last) {
            let (name, close) = (self.token(call.name), self.token(call.close));
            self.edits.insert(name.start, "CAST(", RewriteKind::Function);
            self.edits.insert(close.end, " AS DATE)", RewriteKind::Function);
        }
    }

    /// `char(65)` is a type's name to `DuckDB`'s parser.
    fn char(&mut self, call: &Call, arguments: &[(u32, u32)]) {
        let before = self.token(call.name - 1);
        let (first, last) = arguments[0];
        let is_type = before.word == Word::As || before.op == op::CAST;
        if !is_type && first <= last && call.close > call.open + 1 {
            self.rename(call, "chr");
        }
    }

    /// `format('%.2f', x)` of `SQLite` is `printf`; a text for `DuckDB`'s own has braces.
    fn format(&mut self, call: &Call, arguments: &[(u32, u32)]) {
        let is_printf = |text: &str| text.contains('%') && !text.contains('{');
        if self.literal(arguments[0]).is_some_and(is_printf) {
            self.rename(call, "printf");
        }
    }

    /// Whether an argument is one name, with or without its table.
    pub(crate) fn is_column(&self, first: u32, last: u32) -> bool {
        let head = self.token(first);
        let is_name = head.kind == Kind::Ident || head.kind.is_quoted_name();
        is_name && (first == last || (last == first + 2 && self.token(first + 1).op == b'.'))
    }
}
