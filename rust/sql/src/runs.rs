//! Full-width marks and glued words inside what `DuckDB` reads as one name.
//!
//! To `DuckDB` every character beyond ASCII belongs to a name: `n ，b` renames `n`, and `SELECT功能` is one word. A run
//! that is no known name is cut into the cheapest sequence of known names, words and marks.

use rustc_hash::FxHashSet;

use crate::assemble::ends_operand;
use crate::lexer::Lexer;
use crate::token::{Kind, Token};
use crate::word::{Word, word};

/// The names that a statement defines itself: what follows `AS`, and what stands before `AS (`.
#[derive(Debug, Default)]
pub(crate) struct Definitions<'a> {
    names: FxHashSet<&'a str>,
    /// What follows an `AS` that is glued on both sides.
    glued: FxHashSet<&'a str>,
    /// What stands before a `.`, with and without the words that are glued before it.
    qualifiers: FxHashSet<&'a str>,
}

impl Definitions<'_> {
    pub(crate) fn contains(&self, name: &str) -> bool {
        self.names.contains(name) || self.glued.contains(name)
    }

    /// Whether `name`, which follows an `AS` in `run`, qualifies columns while `run` as a whole does not.
    pub(crate) fn is_alias(&self, name: &str, run: &str) -> bool {
        self.qualifiers.contains(name) && !self.names.contains(name) && !self.qualifiers.contains(run)
    }
}

/// A part of a run: a full-width mark, or a name, word or number.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) mark: Option<char>,
}

/// The ASCII spelling of a mark that separates names.
pub(crate) fn ascii_of(mark: char) -> &'static str {
    match mark {
        '，' | '、' => ",",
        '；' => ";",
        '（' => "(",
        '）' => ")",
        '＝' => "=",
        '＞' => ">",
        '＜' => "<",
        '！' => "!",
        '：' => ":",
        '。' | '．' => ".",
        '％' => "%",
        '＋' => "+",
        '－' => "-",
        '＊' => "*",
        '／' => "/",
        '｜' => "|",
        '［' => "[",
        '］' => "]",
        '｛' => "{",
        '｝' => "}",
        '≥' => ">=",
        '≤' => "<=",
        '≠' => "<>",
        _ => "",
    }
}

fn is_mark(c: char) -> bool {
    c >= '\u{2018}' && (!ascii_of(c).is_empty() || matches!(c, '“' | '”' | '‘' | '’'))
}

/// Words that no one glues to a name on purpose.
fn is_strong(found: Word) -> bool {
    matches!(
        found,
        Word::Select
            | Word::From
            | Word::Where
            | Word::Having
            | Word::Limit
            | Word::Group
            | Word::Order
            | Word::Join
            | Word::Like
            | Word::Distinct
            | Word::Between
    )
}

/// Words that may stand glued to a known name.
fn is_word(found: Word) -> bool {
    found.is_reserved() && found != Word::For || matches!(found, Word::Between | Word::Exists)
}

/// Whether a run holds a mark or a word that might have to be set apart.
pub(crate) fn is_suspicious(text: &str) -> bool {
    text.chars()
        .any(|c| is_mark(c) || ('\u{ff10}'..='\u{ff19}').contains(&c))
        || {
            let mut letters = text
                .split(|c: char| !c.is_ascii_alphabetic())
                .filter(|part| !part.is_empty());
            letters.any(|part| is_word(word(part.as_bytes())))
        }
}

/// ASCII digits for a text of ASCII or full-width digits.
pub(crate) fn digits(text: &str) -> Option<String> {
    text.chars()
        .map(|c| match c {
            '0'..='9' => Some(c),
            '\u{ff10}'..='\u{ff19}' => crate::fold::narrow(c),
            _ => None,
        })
        .collect()
}

/// Whether the run behind `previous` is a new name that `DuckDB` takes as it is: `AS 金额（元）`.
pub(crate) fn is_definition(text: &str, previous: Option<Token>) -> bool {
    let Some(previous) = previous else { return false };
    let follows_as = previous.word == Word::As && previous.kind == Kind::Ident;
    let glued = text.chars().next().is_some_and(is_mark);
    (follows_as || (ends_operand(previous) && !holds_word(text))) && !glued && only_balanced_parentheses(text)
}

fn holds_word(text: &str) -> bool {
    segments(text)
        .iter()
        .any(|s| s.mark.is_none() && is_word(word(&text.as_bytes()[s.start..s.end])))
}

fn only_balanced_parentheses(text: &str) -> bool {
    let mut depth = 0;
    for c in text.chars() {
        match c {
            '（' => depth += 1,
            '）' if depth > 0 => depth -= 1,
            '）' => return false,
            other if is_mark(other) => return false,
            _ => {}
        }
    }
    depth == 0
}

/// Gathers the names that `sql` defines.
pub(crate) fn definitions(sql: &str) -> Definitions<'_> {
    let mut found = Definitions::default();
    let mut before: Option<Token> = None;
    let mut previous: Option<Token> = None;
    for token in Lexer::new(sql).filter(|t| !matches!(t.kind, Kind::Space | Kind::Comment)) {
        let after_as = previous.is_some_and(|t| t.kind == Kind::Ident && t.word == Word::As);
        if after_as {
            match (token.kind, before) {
                (Kind::Ident, _) => {
                    let name = token.text(sql);
                    if only_balanced_parentheses(name) {
                        found.names.insert(name);
                    } else if let Some(name) = name.split(is_mark).next() {
                        found.names.insert(name);
                    }
                }
                (Kind::Op, Some(name)) if token.op == b'(' && name.kind == Kind::Ident => {
                    found.names.insert(name.text(sql));
                }
                (Kind::Op, _) if token.op == b'[' => {
                    let from = token.end as usize;
                    if let Some(to) = sql[from..].find([']', '\n']) {
                        found.names.insert(&sql[from..from + to]);
                    }
                }
                (Kind::Quoted | Kind::Backtick, _) => {
                    found
                        .names
                        .insert(&sql[token.start as usize + 1..token.end as usize - 1]);
                }
                _ => {}
            }
        }
        if token.op == b'.'
            && token.kind == Kind::Op
            && let Some(name) = previous.filter(|t| t.kind == Kind::Ident && t.op == crate::token::op::WIDE)
        {
            let run = name.text(sql);
            found.qualifiers.insert(run);
            found.qualifiers.extend(behind_word(run));
        }
        if token.kind == Kind::Ident && token.op == crate::token::op::WIDE && !after_as {
            let run = until_quote(token.text(sql));
            if run.len() <= LONGEST_ALIAS {
                found.glued.extend(glued_alias(run));
            }
            // A new name in FROM, or an item's.
            if previous.is_some_and(ends_operand) && !is_suspicious(run) {
                found.names.insert(run);
            }
            // An alias without AS.
            let name = token.text(sql);
            if name.contains('（') && is_definition(name, previous) {
                found.names.insert(name);
            }
        }
        before = previous;
        previous = Some(token);
    }
    found.names.remove("");
    found
}

/// A run beyond this length defines no alias.
const LONGEST_ALIAS: usize = 256;

/// The name behind the last `AS` of a run: `年份AS年` defines `年`.
fn glued_alias(run: &str) -> Option<&str> {
    let parts = segments(run);
    let at = parts
        .iter()
        .rposition(|s| s.ascii && s.mark.is_none() && word(&run.as_bytes()[s.start..s.end]) == Word::As)?;
    let name = parts.get(at + 1).filter(|s| s.mark.is_none())?;
    Some(&run[name.start..name.end])
}

/// The name behind the words at the start of a run: `ON甲` qualifies by `甲`.
fn behind_word(run: &str) -> Option<&str> {
    let parts = segments(if run.len() > LONGEST_ALIAS { "" } else { run });
    let [.., before, name] = parts.as_slice() else {
        return None;
    };
    let spelled = word(&run.as_bytes()[before.start..before.end]);
    (is_word(spelled) && spelled != Word::As).then(|| &run[name.start..name.end])
}

struct Segment {
    start: usize,
    end: usize,
    mark: Option<char>,
    ascii: bool,
    /// Whether it is the `AS` between a table and a name that qualifies columns.
    names_table: bool,
}

/// Cuts a run where a mark stands and where the script changes.
fn segments(text: &str) -> Vec<Segment> {
    let mut parts: Vec<Segment> = Vec::new();
    for (start, c) in text.char_indices() {
        let end = start + c.len_utf8();
        let mark = is_mark(c).then_some(c);
        match parts.last_mut() {
            Some(part) if mark.is_none() && part.mark.is_none() && part.ascii == c.is_ascii() => part.end = end,
            _ => parts.push(Segment {
                start,
                end,
                mark,
                ascii: c.is_ascii(),
                names_table: false,
            }),
        }
    }
    parts
}

/// The run up to its first typographic quotation mark, which ends the pieces.
pub(crate) fn until_quote(text: &str) -> &str {
    text.char_indices()
        .find(|(_, c)| matches!(c, '“' | '”' | '‘' | '’'))
        .map_or(text, |(at, c)| &text[..at + c.len_utf8()])
}

/// A part that nothing explains costs more than any number of parts that something explains.
const UNKNOWN: u32 = 1000;
/// An unexplained part that holds a strong word is worse than two unexplained parts around it.
const GLUED: u32 = 1500;
/// Parts that are looked at together: a name seldom changes its script more often.
const WINDOW: usize = 24;

/// Cuts a run into pieces; at a typographic quotation mark the pieces end with it.
///
/// `previous` is the token before the run, `longest` the length in bytes of the longest known name; `is_alias` tells of a
/// name and a run whether the run gives the name to a table.
pub(crate) fn split(
    text: &str,
    previous: Option<Token>,
    longest: usize,
    is_known: &mut dyn FnMut(&str) -> bool,
    is_alias: &dyn Fn(&str, &str) -> bool,
) -> Vec<Piece> {
    let text = until_quote(text);
    let mut parts = segments(text);
    let count = parts.len();
    for at in 1..count.saturating_sub(1) {
        let of = |part: &Segment| &text[part.start..part.end];
        parts[at].names_table = parts[at].ascii
            && word(of(&parts[at]).as_bytes()) == Word::As
            && is_alias(of(&parts[at + 1]), &text[parts[at - 1].start..parts[at + 1].end]);
    }
    // cost[i]: the cheapest way to explain parts i.., and the part at which its first piece ends.
    let mut cost: Vec<(u32, usize)> = vec![(0, count); count + 1];
    for from in (0..count).rev() {
        let mut best = (u32::MAX, from + 1);
        for to in from + 1..=count.min(from + WINDOW) {
            let piece = &text[parts[from].start..parts[to - 1].end];
            if to > from + 1 && piece.len() > longest.saturating_mul(2).saturating_add(64) && cost[to].0 < u32::MAX {
                break;
            }
            let price = price(
                &parts[from..to],
                piece,
                if from == 0 { previous } else { None },
                is_known,
            );
            if let Some(price) = price {
                let total = price.saturating_add(cost[to].0);
                if total < best.0 {
                    best = (total, to);
                }
            }
        }
        cost[from] = best;
    }
    let mut pieces = Vec::new();
    let mut at = 0;
    while at < count {
        let to = cost[at].1.max(at + 1);
        let mark = parts[at].mark.filter(|_| to == at + 1).map(|c| match c {
            '”' => '“',
            '’' => '‘',
            other => other,
        });
        pieces.push(Piece {
            start: crate::token::offset(parts[at].start),
            end: crate::token::offset(parts[to - 1].end),
            mark,
        });
        at = to;
    }
    pieces
}

fn price(
    parts: &[Segment],
    piece: &str,
    previous: Option<Token>,
    is_known: &mut dyn FnMut(&str) -> bool,
) -> Option<u32> {
    if let [only] = parts {
        if only.mark.is_some() {
            return Some(1);
        }
        let found = if only.ascii {
            word(piece.as_bytes())
        } else {
            Word::Other
        };
        if is_word(found) || digits(piece).is_some() {
            return Some(1);
        }
    }
    if is_known(piece) {
        return Some(1);
    }
    if parts.iter().any(|s| s.mark.is_some()) {
        return None;
    }
    let glued = parts.iter().enumerate().filter(|(at, s)| {
        let found = if s.ascii {
            word(&piece.as_bytes()[s.start - parts[0].start..s.end - parts[0].start])
        } else {
            Word::Other
        };
        is_strong(found) || s.names_table || (*at == 0 && previous.is_some_and(|p| must_follow(p, found)))
    });
    let glued = u32::try_from(glued.count()).unwrap_or(u32::MAX);
    Some(UNKNOWN.saturating_add(GLUED.saturating_mul(glued)))
}

/// Whether `found` can only be a word of its own behind `previous`.
fn must_follow(previous: Token, found: Word) -> bool {
    match found {
        Word::By => matches!(previous.word, Word::Group | Word::Order | Word::Partition),
        Word::And | Word::Or | Word::Desc | Word::Asc => ends_operand(previous),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces<'a>(text: &'a str, known: &[&str]) -> Vec<&'a str> {
        split(text, None, 64, &mut |name| known.contains(&name), &|_, _| false)
            .into_iter()
            .map(|p| &text[p.start as usize..p.end as usize])
            .collect()
    }

    #[test]
    fn words_are_set_apart_from_names() {
        assert_eq!(pieces("SELECT功能", &["功能"]), ["SELECT", "功能"]);
        assert_eq!(pieces("SELECT功能", &[]), ["SELECT", "功能"]);
        assert_eq!(pieces("AND年份", &["年份"]), ["AND", "年份"]);
        assert_eq!(pieces("BY人均GDP", &["人均GDP"]), ["BY", "人均GDP"]);
        assert_eq!(pieces("名称FROM软件", &["名称", "软件"]), ["名称", "FROM", "软件"]);
    }

    #[test]
    fn a_glued_word_in_a_name_stays() {
        assert_eq!(pieces("IN指数", &["IN指数", "指数"]), ["IN指数"]);
        assert_eq!(pieces("ON率", &[]), ["ON率"]);
    }

    #[test]
    fn marks_are_cut_out_unless_they_belong_to_a_name() {
        assert_eq!(pieces("，b", &[]), ["，", "b"]);
        assert_eq!(
            pieces("数量（只），姓名", &["数量（只）"]),
            ["数量（只）", "，", "姓名"]
        );
        assert_eq!(pieces("名称＝‘北京", &[]), ["名称", "＝", "‘"]);
    }

    #[test]
    fn a_long_run_takes_linear_time() {
        let text = "，FROM名".repeat(20_000);
        assert_eq!(pieces(&text, &[]).len(), 60_000);
    }
}
