//! Functions of other dialects whose call must be written differently; the others are macros of the catalog.

use crate::edits::{Edits, RewriteKind};
use crate::lexer::{Kind, Token, op};
use crate::scope::{Scope, Spelling, Wanted};
use crate::structure::{Call, NONE};
use crate::word::Word;

/// A call with more tokens is left alone: nested calls would cost quadratic time.
const LONGEST_CALL: u32 = 4096;

/// Functions whose calls are looked at.
const FOREIGN: [&str; 28] = [
    "datetime",
    "strftime",
    "date",
    "time",
    "datediff",
    "date_diff",
    "dateadd",
    "datepart",
    "datename",
    "timestampdiff",
    "convert",
    "date_part",
    "cast",
    "date_format",
    "str_to_date",
    "date_trunc",
    "year",
    "month",
    "day",
    "dayofmonth",
    "quarter",
    "hour",
    "minute",
    "second",
    "dayofyear",
    "dayname",
    "monthname",
    "last_day",
];

/// Whether calls of `name` are looked at.
pub(crate) fn is_foreign(name: &str) -> bool {
    (3..=13).contains(&name.len())
        && !matches!(name.as_bytes()[0] | 0x20, b'a' | b'b' | b'e' | b'f' | b'g' | b'i' | b'j' | b'k' | b'n'..=b'p' | b'u'..=b'x')
        && FOREIGN.iter().any(|known| known.eq_ignore_ascii_case(name))
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
                "convert" if arguments.len() == 2 => self.convert(call, &arguments),
                "cast" if arguments.len() == 1 => self.cast(call),
                _ => {}
            }
        }
    }

    fn token(&self, at: u32) -> Token {
        self.scope.tokens[at as usize]
    }

    fn text(&self, at: u32) -> &str {
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

    fn rename(&mut self, call: &Call, name: &'static str) {
        let token = self.token(call.name);
        self.edits.replace(token.start, token.end, name, RewriteKind::Function);
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

    /// `YEAR(x)`, `DATE_TRUNC('month', x)` of a text column: other dialects read the text, `DuckDB` wants a time. What
    /// is no time stays an error.
    fn cast_text(&mut self, call: &Call, arguments: &[(u32, u32)]) {
        for (first, last) in arguments {
            let head = self.token(*first);
            if self.is_column(*first, *last) && self.scope.is_untimed(call.block, *first, *last) {
                self.edits.insert(head.start, "CAST(", RewriteKind::Function);
                self.edits
                    .insert(self.token(*last).end, " AS TIMESTAMP)", RewriteKind::Function);
            }
        }
    }

    /// The text of an argument that is one plain string, without its quotes.
    fn literal(&self, argument: (u32, u32)) -> Option<&str> {
        let token = self.token(argument.0);
        let text = token.text(self.scope.sql);
        (argument.0 == argument.1 && token.kind == Kind::String && text.len() > 1)
            .then(|| text.strip_prefix('\'')?.strip_suffix('\''))
            .flatten()
    }

    /// `date_format(x, '%Y-%m')` of `MySQL`.
    fn date_format(&mut self, call: &Call, arguments: &[(u32, u32)]) {
        let Some(format) = self.literal(arguments[1]).and_then(mysql_format) else {
            return;
        };
        let (value, value_end) = arguments[0];
        self.edits.replace(
            self.token(call.name).start,
            self.token(value).start,
            "strftime(TRY_CAST(",
            RewriteKind::Function,
        );
        let close = format!(" AS TIMESTAMP), '{format}')");
        self.edits.replace(
            self.token(value_end).end,
            self.token(call.close).end,
            close,
            RewriteKind::Function,
        );
    }

    /// `str_to_date(x, '%d.%m.%Y')` of `MySQL`: NULL for what does not fit, in both.
    fn str_to_date(&mut self, call: &Call, arguments: &[(u32, u32)]) {
        let Some(format) = self.literal(arguments[1]).and_then(mysql_format) else {
            return;
        };
        self.rename(call, "try_strptime");
        let token = self.token(arguments[1].0);
        self.edits
            .replace(token.start, token.end, format!("'{format}'"), RewriteKind::Function);
    }

    /// `CONVERT(FLOAT, x)` of T-SQL and `CONVERT(x, SIGNED)` of `MySQL`.
    fn convert(&mut self, call: &Call, arguments: &[(u32, u32)]) {
        let (name, close) = (self.token(call.name), self.token(call.close));
        let ((first, first_end), (second, second_end)) = (arguments[0], arguments[1]);
        if let Some(sql_type) = self.sql_type(first, first_end) {
            self.edits
                .replace(name.start, self.token(second).start, "CAST(", RewriteKind::Function);
            self.edits.replace(
                self.token(second_end).end,
                close.start,
                format!(" AS {sql_type}"),
                RewriteKind::Function,
            );
        } else if let Some(sql_type) = self.sql_type(second, second_end) {
            self.edits.replace(name.start, name.end, "CAST", RewriteKind::Function);
            self.edits.replace(
                self.token(first_end).end,
                close.start,
                format!(" AS {sql_type}"),
                RewriteKind::Function,
            );
        }
    }

    /// `DuckDB`'s type for one that is written as `INT` or `VARCHAR(20)`.
    fn sql_type(&self, first: u32, last: u32) -> Option<&'static str> {
        // A size cuts the text, and a conversion to whole numbers rounds in MySQL and truncates in T-SQL.
        if last != first {
            return None;
        }
        match self.text(first).to_ascii_lowercase().as_str() {
            "signed" => Some("BIGINT"),
            "unsigned" => Some("UBIGINT"),
            "float" | "double" => Some("DOUBLE"),
            "char" | "text" => Some("VARCHAR"),
            "date" => Some("DATE"),
            "datetime" | "datetime2" => Some("TIMESTAMP"),
            _ => None,
        }
    }

    /// `CAST(x AS UNSIGNED)` of `MySQL`: `DuckDB` has no type of that name.
    fn cast(&mut self, call: &Call) {
        let last = call.close - 1;
        if last > call.open && self.text(last).eq_ignore_ascii_case("unsigned") && self.token(last - 1).word == Word::As
        {
            let token = self.token(last);
            self.edits
                .replace(token.start, token.end, "UBIGINT", RewriteKind::Function);
        }
    }

    /// `date('now')` and `date(x, '+1 day')`, which `DuckDB` refuses; `date(x)` is the same in both.
    fn date(&mut self, call: &Call, arguments: &[(u32, u32)]) {
        match arguments {
            [(first, last)] if first == last && self.text(*first).eq_ignore_ascii_case("'now'") => {
                let text = "CAST(now() AT TIME ZONE 'UTC' AS DATE)";
                let (name, close) = (self.token(call.name), self.token(call.close));
                self.edits.replace(name.start, close.end, text, RewriteKind::Function);
            }
            [_, _, ..] => {
                self.compare(call, "DATE");
                self.rename(call, "sqlite_date");
            }
            _ => {}
        }
    }

    /// A call that gives text is made a time beside a column that holds times: `DuckDB` compares no text with them.
    fn compare(&mut self, call: &Call, sql_type: &str) {
        if !self.is_beside_time(call) {
            return;
        }
        let (name, close) = (self.token(call.name), self.token(call.close));
        self.edits.insert(name.start, "CAST(", RewriteKind::Function);
        self.edits
            .insert(close.end, format!(" AS {sql_type})"), RewriteKind::Function);
    }

    /// Whether the call is compared with a column that has a date or time type.
    fn is_beside_time(&self, call: &Call) -> bool {
        let compares = |token: Token| token.kind == Kind::Op && matches!(token.op, b'=' | b'<' | b'>' | op::COMPARE);
        let tokens = self.scope.tokens;
        let behind = call.close as usize + 1;
        if behind + 1 < tokens.len() && compares(tokens[behind]) {
            let first = crate::lexer::offset(behind + 1);
            let qualified = tokens.get(behind + 2).is_some_and(|t| t.op == b'.') && behind + 3 < tokens.len();
            let last = if qualified { first + 2 } else { first };
            return self.is_column(first, last) && self.scope.is_temporal(call.block, first, last);
        }
        let Some(mut sign) = (call.name as usize).checked_sub(1) else {
            return false;
        };
        if tokens[sign].op == crate::structure::OF_BETWEEN && tokens[sign].word == Word::And {
            let from = sign.saturating_sub(64);
            match tokens[from..sign].iter().rposition(|t| t.word == Word::Between) {
                Some(at) => sign = from + at,
                None => return false,
            }
        } else if !compares(tokens[sign]) && tokens[sign].word != Word::Between {
            return false;
        }
        let Some(mut last) = sign.checked_sub(1) else {
            return false;
        };
        if tokens[last].word == Word::Not && last > 0 {
            last -= 1;
        }
        let first = if last > 1 && tokens[last - 1].op == b'.' {
            last - 2
        } else {
            last
        };
        let (first, last) = (crate::lexer::offset(first), crate::lexer::offset(last));
        self.is_column(first, last) && self.scope.is_temporal(call.block, first, last)
    }

    /// `strftime('%Y', text)`: `SQLite` reads text, `DuckDB` takes times only.
    fn strftime(&mut self, call: &Call, arguments: &[(u32, u32)]) {
        let [(first, first_end), (value, value_end), modifiers @ ..] = arguments else {
            return;
        };
        let format = self.text(*first);
        if first != first_end
            || self.token(*first).kind != Kind::String
            || !format.starts_with('\'')
            || !format.contains('%')
        {
            return;
        }
        let format = format.to_owned();
        let epoch = format == "'%s'";
        // SQLite rounds the seconds of `%f`, DuckDB cuts them; the others DuckDB does not know.
        if ["%f", "%J", "%F", "%e", "%k", "%l", "%P", "%R", "%T", "%g"]
            .iter()
            .any(|own| format.contains(own))
            || (format.contains("%s") && !epoch)
        {
            return;
        }
        if modifiers.is_empty() && !epoch && self.is_temporal(call.block, *value, *value_end) {
            if self.is_calculated_with(call) && is_number_format(&format) {
                let (name, close) = (self.token(call.name), self.token(call.close));
                self.edits.insert(name.start, "CAST(", RewriteKind::Function);
                self.edits.insert(close.end, " AS BIGINT)", RewriteKind::Function);
            }
            return;
        }
        let now = self.text(*value).eq_ignore_ascii_case("'now'");
        let in_datetime = !modifiers.is_empty() || now;
        let numeric = self.is_calculated_with(call) && is_number_format(&format);
        // In a catalog a macro reads what SQLite reads: times without a date and Julian days too.
        let typed = self.scope.schema.is_typed();
        let read = match (typed, in_datetime || !self.is_column(*value, *value_end)) {
            (true, true) => "sqlite_moment(",
            (true, false) => "sqlite_read(",
            (false, _) => "TRY_CAST(",
        };
        let cast = format!("{read}{}", if in_datetime { "datetime(" } else { "" });
        let as_timestamp = if typed { "" } else { " AS TIMESTAMP" };
        let behind = format!("{}{as_timestamp})", if in_datetime { ")" } else { "" });
        let (open, close) = match (epoch, numeric) {
            (true, true) => ("CAST(floor(epoch(".to_owned(), ")) AS BIGINT)".to_owned()),
            (true, false) => (
                "CAST(CAST(floor(epoch(".to_owned(),
                ")) AS BIGINT) AS VARCHAR)".to_owned(),
            ),
            (false, true) => ("CAST(strftime(".to_owned(), format!(", {format}) AS BIGINT)")),
            (false, false) => ("strftime(".to_owned(), format!(", {format})")),
        };
        let end = self.token(modifiers.last().map_or(*value_end, |m| m.1)).end;
        self.edits.replace(
            self.token(call.name).start,
            self.token(*value).start,
            open + &cast,
            RewriteKind::Function,
        );
        self.edits
            .replace(end, self.token(call.close).end, behind + &close, RewriteKind::Function);
    }

    /// Whether the call is an operand of arithmetic, where `SQLite` reads its text as a number.
    fn is_calculated_with(&self, call: &Call) -> bool {
        let arithmetic = |token: Token| token.kind == Kind::Op && matches!(token.op, b'+' | b'-' | b'*' | b'/' | b'%');
        call.name > 0 && arithmetic(self.token(call.name - 1))
            || self
                .scope
                .tokens
                .get(call.close as usize + 1)
                .is_some_and(|t| arithmetic(*t))
    }

    /// Whether an argument is a time already, so that the call is right as it is.
    fn is_temporal(&mut self, block: u32, first: u32, last: u32) -> bool {
        let (head, tail) = (self.token(first), self.token(last));
        if last > first && matches!(head.word, Word::Date | Word::Timestamp) {
            // `DATE '2024-01-01'` and `date(x)` are times; `date(x, '+1 day')` is SQLite's and gives text.
            return self.token(first + 1).kind == Kind::String
                || !(first + 2..last).any(|at| self.token(at).op == b',');
        }
        let tail_text = tail.text(self.scope.sql);
        if last > first && self.token(last - 1).op == op::CAST && is_temporal_type(tail_text) {
            return true;
        }
        let head_text = head.text(self.scope.sql).to_ascii_lowercase();
        if matches!(head_text.as_str(), "cast" | "try_cast") && tail.op == b')' && last > first + 2 {
            return is_temporal_type(self.text(last - 1));
        }
        if matches!(
            head_text.as_str(),
            "now"
                | "current_date"
                | "current_timestamp"
                | "date_trunc"
                | "make_date"
                | "make_timestamp"
                | "to_timestamp"
                | "today"
                | "strptime"
                | "try_strptime"
                | "last_day"
                | "get_current_timestamp"
        ) {
            return true;
        }
        self.is_column(first, last) && self.scope.is_temporal(block, first, last)
    }

    /// Whether an argument is one name, with or without its table.
    fn is_column(&self, first: u32, last: u32) -> bool {
        let head = self.token(first);
        let is_name = head.kind == Kind::Ident || head.kind.is_quoted_name();
        is_name && (first == last || (last == first + 2 && self.token(first + 1).op == b'.'))
    }
}

fn is_temporal_type(name: &str) -> bool {
    ["date", "timestamp", "timestamptz", "datetime"]
        .iter()
        .any(|known| known.eq_ignore_ascii_case(name))
}

/// `DuckDB`'s format for one of `MySQL`'s; `None` for directives without an exact counterpart.
fn mysql_format(format: &str) -> Option<String> {
    let mut result = String::with_capacity(format.len());
    let mut characters = format.chars();
    while let Some(c) = characters.next() {
        if c != '%' {
            result.push(c);
            continue;
        }
        result.push_str(match characters.next()? {
            'Y' => "%Y",
            'y' => "%y",
            'm' => "%m",
            'c' => "%-m",
            'M' => "%B",
            'b' => "%b",
            'd' => "%d",
            'e' => "%-d",
            'j' => "%j",
            'W' => "%A",
            'a' => "%a",
            'w' => "%w",
            'H' => "%H",
            'k' => "%-H",
            'h' | 'I' => "%I",
            'l' => "%-I",
            'i' => "%M",
            's' | 'S' => "%S",
            'f' => "%f",
            'p' => "%p",
            'T' => "%H:%M:%S",
            'r' => "%I:%M:%S %p",
            '%' => "%%",
            _ => return None,
        });
    }
    Some(result)
}

/// Whether a format gives digits alone.
fn is_number_format(format: &str) -> bool {
    matches!(
        format,
        "'%Y'" | "'%m'" | "'%d'" | "'%H'" | "'%M'" | "'%S'" | "'%j'" | "'%w'" | "'%W'" | "'%s'"
    )
}
