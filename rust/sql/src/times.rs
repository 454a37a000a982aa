//! `SQLite`'s functions of date and time.

use crate::edits::RewriteKind;
use crate::functions::Rewriter;
use crate::structure::Call;
use crate::token::{Kind, Token, op};
use crate::word::Word;

impl Rewriter<'_, '_> {
    /// `date('now')` and `date(x, '+1 day')`, which `DuckDB` refuses; `date(x)` is the same in both.
    pub(crate) fn date(&mut self, call: &Call, arguments: &[(u32, u32)]) {
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
    pub(crate) fn compare(&mut self, call: &Call, sql_type: &str) {
        if !self.is_beside_time(call) {
            return;
        }
        let (name, close) = (self.token(call.name), self.token(call.close));
        self.edits.insert(name.start, "CAST(", RewriteKind::Function);
        self.edits
            .insert(close.end, format!(" AS {sql_type})"), RewriteKind::Function);
    }

    /// Whether the call is compared with a column that has a date or time type.
    pub(crate) fn is_beside_time(&self, call: &Call) -> bool {
        let compares = |token: Token| token.kind == Kind::Op && matches!(token.op, b'=' | b'<' | b'>' | op::COMPARE);
        let tokens = self.scope.tokens;
        let behind = call.close as usize + 1;
        if behind + 1 < tokens.len() && compares(tokens[behind]) {
            let first = crate::token::offset(behind + 1);
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
        let (first, last) = (crate::token::offset(first), crate::token::offset(last));
        self.is_column(first, last) && self.scope.is_temporal(call.block, first, last)
    }

    /// `strftime('%Y', text)`: `SQLite` reads text, `DuckDB` takes times only.
    pub(crate) fn strftime(&mut self, call: &Call, arguments: &[(u32, u32)]) {
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
        // In a catalog a macro reads what SQLite reads: times without a date and Julian days too. Elsewhere a column may
        // hold times, for which the call is right without any macro; text as such never is.
        let is_text = value == value_end && self.token(*value).kind == Kind::String;
        let by_macro = self.scope.schema.has_macros() || is_text;
        let read = match (by_macro, in_datetime || !self.is_column(*value, *value_end)) {
            (true, true) => "sqlite_moment(",
            (true, false) => "sqlite_read(",
            (false, _) => "TRY_CAST(",
        };
        let cast = format!("{read}{}", if in_datetime { "datetime(" } else { "" });
        let as_timestamp = if by_macro { "" } else { " AS TIMESTAMP" };
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
    pub(crate) fn is_calculated_with(&self, call: &Call) -> bool {
        let arithmetic = |token: Token| token.kind == Kind::Op && matches!(token.op, b'+' | b'-' | b'*' | b'/' | b'%');
        call.name > 0 && arithmetic(self.token(call.name - 1))
            || self
                .scope
                .tokens
                .get(call.close as usize + 1)
                .is_some_and(|t| arithmetic(*t))
    }

    /// Whether an argument is a time already, so that the call is right as it is.
    pub(crate) fn is_temporal(&mut self, block: u32, first: u32, last: u32) -> bool {
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
}

fn is_temporal_type(name: &str) -> bool {
    ["date", "timestamp", "timestamptz", "datetime"]
        .iter()
        .any(|known| known.eq_ignore_ascii_case(name))
}

/// Whether a format gives digits alone.
fn is_number_format(format: &str) -> bool {
    matches!(
        format,
        "'%Y'" | "'%m'" | "'%d'" | "'%H'" | "'%M'" | "'%S'" | "'%j'" | "'%w'" | "'%W'" | "'%s'"
    )
}
