//! Calls of `MySQL` and T-SQL that convert a value: types and formats have other names there.

use crate::edits::RewriteKind;
use crate::functions::Rewriter;
use crate::structure::Call;
use crate::token::Kind;
use crate::word::Word;

impl Rewriter<'_, '_> {
    /// `date_format(x, '%Y-%m')` of `MySQL`.
    pub(crate) fn date_format(&mut self, call: &Call, arguments: &[(u32, u32)]) {
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
    pub(crate) fn str_to_date(&mut self, call: &Call, arguments: &[(u32, u32)]) {
        let Some(format) = self.literal(arguments[1]).and_then(mysql_format) else {
            return;
        };
        self.rename(call, "try_strptime");
        let token = self.token(arguments[1].0);
        self.edits
            .replace(token.start, token.end, format!("'{format}'"), RewriteKind::Function);
    }

    /// `CONVERT(FLOAT, x)` of T-SQL and `CONVERT(x, SIGNED)` of `MySQL`.
    pub(crate) fn convert(&mut self, call: &Call, arguments: &[(u32, u32)]) {
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
    pub(crate) fn sql_type(&self, first: u32, last: u32) -> Option<&'static str> {
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
    pub(crate) fn cast(&mut self, call: &Call) {
        let last = call.close - 1;
        if last > call.open && self.text(last).eq_ignore_ascii_case("unsigned") && self.token(last - 1).word == Word::As
        {
            let token = self.token(last);
            self.edits
                .replace(token.start, token.end, "UBIGINT", RewriteKind::Function);
        }
    }

    /// The text of an argument that is one plain string, without its quotes.
    pub(crate) fn literal(&self, argument: (u32, u32)) -> Option<&str> {
        let token = self.token(argument.0);
        let text = token.text(self.scope.sql);
        (argument.0 == argument.1 && token.kind == Kind::String && text.len() > 1)
            .then(|| text.strip_prefix('\'')?.strip_suffix('\''))
            .flatten()
    }
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
