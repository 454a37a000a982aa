//! The shape of a statement: which query block a name stands in, which tables and results that block reads, and in
//! which clause the name stands.

/// Index of nothing.
pub(crate) const NONE: u32 = u32::MAX;
/// Value of [`Token::op`] for the `AND` that belongs to a `BETWEEN`.
pub(crate) const OF_BETWEEN: u8 = 1;
/// Value of [`Token::op`] for an unquoted name that may have to be rewritten.
pub(crate) const CANDIDATE: u8 = 3;
/// Value of [`Token::op`] for a name that is a [`Mention`].
pub(crate) const MENTIONED: u8 = 2;

/// Part of a query block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clause {
    /// Before the first clause, and in statements that are no queries.
    Head,
    Select,
    From,
    On,
    /// `WHERE`, `HAVING` and `QUALIFY`.
    Condition,
    /// `GROUP BY` and `PARTITION BY`.
    Group,
    Order,
    Limit,
    Values,
}

/// What an open parenthesis, bracket or `CASE` holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FrameKind {
    Query,
    /// `FROM (a JOIN b)`.
    Sources,
    /// Arguments of a function.
    Call,
    /// `IN (…)`.
    In,
    /// `CASE x WHEN`.
    SimpleCase,
    /// `CASE WHEN`.
    Case,
    /// A row of `VALUES`.
    Row,
    /// Names of columns: `USING (…)`, `EXCLUDE (…)`.
    Columns,
    /// `{…}`.
    Braces,
    /// `[…]`.
    Brackets,
    /// Anything else.
    Group,
}

/// A SELECT with its clauses; each side of a UNION is one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    pub(crate) parent: u32,
    /// The first block of the set operation that this block continues.
    pub(crate) set_first: u32,
    pub(crate) first_source: u32,
    pub(crate) last_source: u32,
    pub(crate) first_item: u32,
    pub(crate) last_item: u32,
    /// Blocks are numbered as they close: a block's results are known once it has closed.
    pub(crate) closed: u32,
    /// Whether the result may have columns that nobody knows: `UNION BY NAME` adds some.
    pub(crate) open: bool,
}

/// Where the columns of a source come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    Table(u32),
    Block(u32),
    /// Table functions, files and unknown names: any column may exist.
    Unknown,
}

/// One item of FROM.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source {
    pub(crate) origin: Origin,
    /// Last token of the table's name, or [`NONE`].
    pub(crate) token: u32,
    /// Token of its alias or, without one, of its name.
    pub(crate) name: u32,
    /// Tokens of the list of column aliases: first and behind the last.
    pub(crate) columns: (u32, u32),
    pub(crate) next: u32,
}

/// What an item of SELECT adds to the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ItemKind {
    Star,
    /// `t.*`: token of `t`.
    QualifiedStar(u32),
    /// Token of an alias.
    Alias(u32),
    /// Token of a column's name.
    Column(u32),
    /// An expression that `DuckDB` names.
    Unnamed,
    /// Columns that nobody knows: `unnest(…)`, `COLUMNS(…)`, `* RENAME (…)`.
    Open,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Item {
    pub(crate) kind: ItemKind,
    pub(crate) next: u32,
}

/// What a name is there for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// In an expression.
    Expression,
    /// A column in a list of columns.
    Column,
    /// A table in FROM; the token of its last part.
    Source(u32),
    /// A new name.
    Definition,
}

/// A name that may have to be rewritten.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mention {
    pub(crate) token: u32,
    pub(crate) block: u32,
    pub(crate) clause: Clause,
    pub(crate) frame: FrameKind,
    /// Token of the name of the function whose argument this is.
    pub(crate) call: u32,
    pub(crate) role: Role,
}

/// A function call whose name the dialect rules look at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    pub(crate) name: u32,
    pub(crate) open: u32,
    pub(crate) close: u32,
    pub(crate) block: u32,
}

/// The shape of a text of one or more statements.
#[derive(Debug, Default)]
pub(crate) struct Structure {
    pub(crate) blocks: Vec<Block>,
    pub(crate) sources: Vec<Source>,
    pub(crate) items: Vec<Item>,
    pub(crate) mentions: Vec<Mention>,
    pub(crate) calls: Vec<Call>,
    pub(crate) has_lambda: bool,
    /// Tokens of the parameters of lambdas and of the variables of list comprehensions.
    pub(crate) variables: Vec<u32>,
}

impl Structure {
    pub(crate) fn clear(&mut self) {
        self.blocks.clear();
        self.sources.clear();
        self.items.clear();
        self.mentions.clear();
        self.calls.clear();
        self.has_lambda = false;
        self.variables.clear();
    }
}
