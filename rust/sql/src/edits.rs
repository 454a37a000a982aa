//! What is rewritten, and applying it.

use std::borrow::Cow;

/// Why something is rewritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RewriteKind {
    /// Another dialect's quotes became `DuckDB`'s.
    Quote,
    /// A name got the spelling that its table has.
    Restore,
    /// A double-quoted value became a string.
    String,
    /// A full-width mark became its ASCII form.
    Width,
    /// Two words that were glued were set apart.
    Space,
    /// A function of another dialect became `DuckDB`'s.
    Function,
    /// A clause of another dialect became `DuckDB`'s.
    Clause,
}

impl RewriteKind {
    /// Stable name in lower case.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Quote => "quote",
            Self::Restore => "restore",
            Self::String => "string",
            Self::Width => "width",
            Self::Space => "space",
            Self::Function => "function",
            Self::Clause => "clause",
        }
    }
}

/// What stands in the place of a stretch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replacement {
    /// This text.
    Text(Cow<'static, str>),
    /// The statement's own text from one offset to another, between two of these marks.
    Between(char, u32, u32),
}

/// A stretch of the text and what stands in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// Offset of the first byte replaced.
    pub start: u32,
    /// Offset behind the last byte replaced; equal to `start` where text is inserted.
    pub end: u32,
    /// What stands there instead.
    pub replacement: Replacement,
    /// Why.
    pub kind: RewriteKind,
}

impl Edit {
    /// What stands in the place of the stretch of `sql`.
    #[must_use]
    pub fn text(&self, sql: &str) -> Cow<'static, str> {
        match &self.replacement {
            Replacement::Text(text) => text.clone(),
            Replacement::Between(mark, start, end) => {
                Cow::Owned(format!("{mark}{}{mark}", &sql[*start as usize..*end as usize]))
            }
        }
    }
}

/// Edits that have been collected, in any order; they never overlap.
#[derive(Debug, Default)]
pub(crate) struct Edits(Vec<Edit>);

impl Edits {
    pub(crate) fn replace(&mut self, start: u32, end: u32, text: impl Into<Cow<'static, str>>, kind: RewriteKind) {
        self.0.push(Edit {
            start,
            end,
            replacement: Replacement::Text(text.into()),
            kind,
        });
    }

    /// Writes the stretch `content` of the statement, which must not hold `mark`, between two marks.
    pub(crate) fn requote(&mut self, start: u32, end: u32, mark: char, content: (u32, u32), kind: RewriteKind) {
        self.0.push(Edit {
            start,
            end,
            replacement: Replacement::Between(mark, content.0, content.1),
            kind,
        });
    }

    pub(crate) fn insert(&mut self, at: u32, text: impl Into<Cow<'static, str>>, kind: RewriteKind) {
        self.replace(at, at, text, kind);
    }

    /// The stretches that are replaced, in the order of the text.
    pub(crate) fn replaced(&self) -> Vec<(u32, u32)> {
        let mut spans: Vec<_> = self
            .0
            .iter()
            .filter(|e| e.start < e.end)
            .map(|e| (e.start, e.end))
            .collect();
        spans.sort_unstable();
        spans
    }

    /// The edits in the order of the text; insertions at one place stay in the order in which they were made.
    pub(crate) fn into_sorted(mut self) -> Vec<Edit> {
        self.0.sort_by_key(|edit| (edit.start, edit.end));
        debug_assert!(
            self.0.windows(2).all(|pair| pair[0].end <= pair[1].start),
            "edits overlap: {:?}",
            self.0
        );
        self.0
    }
}

/// Returns `sql` with `edits` made; they must be sorted and must not overlap.
#[must_use]
pub fn apply(sql: &str, edits: &[Edit]) -> String {
    let mut result = String::with_capacity(sql.len() + edits.len() * 8);
    let mut at = 0;
    for edit in edits {
        let start = (edit.start as usize).max(at);
        result.push_str(&sql[at..start]);
        match &edit.replacement {
            Replacement::Text(text) => result.push_str(text),
            Replacement::Between(mark, start, end) => {
                result.push(*mark);
                result.push_str(&sql[*start as usize..*end as usize]);
                result.push(*mark);
            }
        }
        at = (edit.end as usize).max(start);
    }
    result.push_str(&sql[at..]);
    result
}

/// The edits' places in characters instead of bytes.
pub fn characters<'e>(sql: &'e str, edits: &'e [Edit]) -> impl Iterator<Item = (usize, usize)> + 'e {
    let mut bytes = 0;
    let mut count = 0;
    let mut place = move |to: u32| {
        let to = (to as usize).max(bytes);
        count += sql[bytes..to].chars().count();
        bytes = to;
        count
    };
    edits.iter().map(move |edit| (place(edit.start), place(edit.end)))
}

/// Returns `name` in double quotes.
#[must_use]
pub fn quote_name(name: &str) -> String {
    quote(name, '"')
}

/// Returns `text` as a string literal.
#[must_use]
pub fn quote_text(text: &str) -> String {
    quote(text, '\'')
}

fn quote(text: &str, mark: char) -> String {
    if !text.as_bytes().contains(&(mark as u8)) {
        let mut quoted = String::with_capacity(text.len() + 2);
        quoted.push(mark);
        quoted.push_str(text);
        quoted.push(mark);
        return quoted;
    }
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push(mark);
    for c in text.chars() {
        quoted.push(c);
        if c == mark {
            quoted.push(c);
        }
    }
    quoted.push(mark);
    quoted
}
