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

    /// `CONVERT(FLOAT, x)` and `TRY_CONVERT(FLOAT, x)` of T-SQL, `CONVERT(x, SIGNED)` of `MySQL`.
    ///
    /// `cast` is how the call begins in `DuckDB`.
    pub(crate) fn convert(&mut self, call: &Call, arguments: &[(u32, u32)], cast: &'static str) {
        if let Some((before, after)) = self.tsql_conversion(arguments, cast) {
            let ((value, value_end), name) = (arguments[1], self.token(call.name));
            self.edits
                .replace(name.start, self.token(value).start, before, RewriteKind::Function);
            let close = self.token(call.close);
            self.edits
                .replace(self.token(value_end).end, close.end, after, RewriteKind::Function);
        } else if let (&[(_, first_end), (second, second_end)], "CAST(") = (arguments, cast)
            && let Some(sql_type) = self.sql_type(second, second_end)
        {
            let (name, close) = (self.token(call.name), self.token(call.close));
            self.edits.replace(name.start, name.end, "CAST", RewriteKind::Function);
            self.edits.replace(
                self.token(first_end).end,
                close.start,
                format!(" AS {sql_type}"),
                RewriteKind::Function,
            );
        }
    }

    /// What stands before and behind the value where `arguments` are those of T-SQL's `CONVERT`: type, value, style.
    fn tsql_conversion(&self, arguments: &[(u32, u32)], cast: &str) -> Option<(String, String)> {
        let (first, last) = arguments[0];
        let name = self.text(first).to_ascii_lowercase();
        let size = self.size(first, last)?;
        let macros = self.scope.schema.has_macros();
        let is_text = ["char", "varchar", "nchar", "nvarchar"].contains(&name.as_str());
        if let Some(&(style, style_end)) = arguments.get(2) {
            let format = tsql_format(self.text(style)).filter(|_| macros && is_text && style == style_end)?;
            let (left, length) = cut(size);
            return Some((format!("{left}tsql_style("), format!(", '{format}'){length}")));
        }
        if is_text {
            // `CHAR` pads. Times and floating numbers have a text of their own in T-SQL, which the macro refuses to guess.
            let (left, length) = cut(size);
            let exact = macros && cast == "CAST(" && name.ends_with("varchar");
            return exact.then(|| (format!("{left}tsql_text("), format!("){length}")));
        }
        if ["int", "integer", "bigint", "smallint"].contains(&name.as_str()) && first == last && macros {
            let door = if cast == "CAST(" {
                "tsql_whole("
            } else {
                "tsql_try_whole("
            };
            return Some((door.to_owned(), ")".to_owned()));
        }
        let sql_type = self.sql_type(first, last)?;
        Some((cast.to_owned(), format!(" AS {sql_type})")))
    }

    /// The size of a type that is written as `VARCHAR`, `VARCHAR(20)` or `VARCHAR(MAX)`: 0 where there is no bound.
    fn size(&self, first: u32, last: u32) -> Option<u32> {
        match last - first {
            0 => Some(0),
            3 if self.token(first + 1).op == b'(' && self.token(last).op == b')' => {
                let size = self.text(first + 2);
                size.parse()
                    .ok()
                    .or_else(|| size.eq_ignore_ascii_case("max").then_some(0))
            }
            _ => None,
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

/// What cuts a text to `size` characters, where that is a bound.
fn cut(size: u32) -> (&'static str, String) {
    match size {
        0 => ("", String::new()),
        size => ("left(", format!(", {size})")),
    }
}

/// `DuckDB`'s format for a style of T-SQL's `CONVERT`; `None` for those that depend on a language or a fraction.
fn tsql_format(style: &str) -> Option<&'static str> {
    Some(match style {
        "23" => "%Y-%m-%d",
        "20" | "120" => "%Y-%m-%d %H:%M:%S",
        "101" => "%m/%d/%Y",
        "102" => "%Y.%m.%d",
        "103" => "%d/%m/%Y",
        "104" => "%d.%m.%Y",
        "105" => "%d-%m-%Y",
        "8" | "108" => "%H:%M:%S",
        "110" => "%m-%d-%Y",
        "111" => "%Y/%m/%d",
        "112" => "%Y%m%d",
        _ => return None,
    })
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
