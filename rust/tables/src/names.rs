//! Names: canonical SQL names of tables, their aliases, and unique column names.
//!
//! A canonical name is made of letters of any script, digits and underscores, in lower case. Two names are the same
//! where [`fold`] says so, which is stricter than `DuckDB` (it folds ASCII only): what differs here differs everywhere.

use std::fmt::Write as _;

use rustc_hash::{FxHashMap, FxHashSet};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::keywords::is_reserved;
use crate::table::Note;

/// What each ASCII byte becomes in a canonical name.
const ASCII: [u8; 128] = {
    let mut map = [b'_'; 128];
    let mut byte = 0;
    while byte < 128 {
        #[allow(clippy::cast_possible_truncation)] // below 128
        let c = byte as u8;
        if c.is_ascii_alphanumeric() {
            map[byte] = c.to_ascii_lowercase();
        }
        byte += 1;
    }
    map
};

/// Returns the SQL name under which a source called `stem` is registered.
#[must_use]
pub fn canonical_name(stem: &str) -> String {
    let mut name = String::with_capacity(stem.len() + 2);
    push_canonical_name(stem, &mut name);
    name
}

/// Appends the canonical name of `stem` to `out`, which keeps its buffer from name to name.
pub fn push_canonical_name(stem: &str, out: &mut String) {
    let start = out.len();
    if stem.is_ascii() {
        if stem.bytes().next().is_none_or(|b| b.is_ascii_digit()) {
            out.push_str("t_");
        }
        out.extend(stem.bytes().map(|b| char::from(ASCII[usize::from(b)])));
        return;
    }
    if !push_plain(stem, out) {
        out.truncate(start);
        push_normalised(stem, out);
    }
    let digit_first = out[start..]
        .chars()
        .next()
        // U+3007 〇 is a letter as well as a number, and no parser takes it for a digit.
        .is_none_or(|c| c.is_numeric() && !c.is_alphabetic());
    if digit_first {
        out.insert_str(start, "t_");
    }
}

/// The fast path for what most names consist of: ASCII, ideographs, Hangul and full-width forms, which NFKC maps one by
/// one. Returns false, with `out` half written, at the first other character.
fn push_plain(stem: &str, out: &mut String) -> bool {
    for c in stem.chars() {
        match c {
            '\0'..='\x7f' => out.push(char::from(ASCII[c as usize])),
            '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' => out.push(c),
            '\u{3000}' => out.push('_'),
            '\u{ff01}'..='\u{ff5e}' => out.push(char::from(ASCII[c as usize - 0xfee0])),
            _ => return false,
        }
    }
    true
}

fn push_normalised(stem: &str, out: &mut String) {
    let mut after_letter = false;
    // The second pass is for lower-case forms that compose again, so that a canonical name is its own canonical name.
    for c in stem.nfkc().flat_map(char::to_lowercase).nfkc() {
        let kept = c == '_' || c.is_alphanumeric() || (after_letter && is_combining_mark(c));
        out.push(if kept { c } else { '_' });
        after_letter = kept && c != '_';
    }
}

/// Returns the form in which two names are compared: NFKC, without regard to case in any script.
#[must_use]
pub fn fold(name: &str) -> String {
    if name.is_ascii() {
        return name.to_ascii_lowercase();
    }
    // By way of upper case, `ß` meets `ss` and the two lower-case sigmas meet each other.
    name.nfkc()
        .flat_map(char::to_uppercase)
        .flat_map(char::to_lowercase)
        .nfkc()
        .collect()
}

/// A table that asks for a name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NameRequest {
    /// Path of the file below the context folder, with `/` between its parts: unique together with `table`.
    pub path: String,
    /// The table, view or sheet inside the file; `None` where the file is one table.
    pub table: Option<String>,
}

/// The name a table gets, and the others under which it can be asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AssignedName {
    /// Canonical; unique under [`fold`].
    pub name: String,
    /// None of them equals any table's name or another table's alias under [`fold`].
    pub aliases: Vec<String>,
    /// Aliases that it would have had, were they not the name of another table or claimed by another too.
    pub contested: Vec<String>,
}

impl NameRequest {
    fn file(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    fn folders(&self) -> impl DoubleEndedIterator<Item = &str> {
        let end = self.path.len() - self.file().len();
        self.path[..end].split('/').filter(|part| !part.is_empty())
    }

    fn file_stem_and_ending(&self) -> (&str, Option<&str>) {
        match self.file().rsplit_once('.') {
            Some((stem, ending)) if !stem.is_empty() => (stem, Some(ending)),
            _ => (self.file(), None),
        }
    }

    fn stem(&self) -> &str {
        self.table.as_deref().unwrap_or(self.file_stem_and_ending().0)
    }

    /// Source prefixes from the shortest to the most telling: for a table in a file the file's stem, for a file its
    /// folder, then its ending; at last the whole path.
    fn prefixes(&self) -> Vec<String> {
        let (stem, ending) = self.file_stem_and_ending();
        let mut path: Vec<&str> = self.folders().collect();
        let mut prefixes = Vec::with_capacity(3);
        if self.table.is_some() {
            prefixes.push(stem.to_owned());
            if let Some(ending) = ending {
                prefixes.push(format!("{stem}_{ending}"));
            }
            path.push(stem);
        } else {
            prefixes.extend(path.last().map(|folder| (*folder).to_owned()));
            prefixes.extend(ending.map(str::to_owned));
        }
        path.extend(ending);
        prefixes.push(path.join("_"));
        prefixes
    }

    fn prefixed(&self, base: &str, level: usize) -> String {
        let prefixes = self.prefixes();
        let prefix = &prefixes[level.min(prefixes.len() - 1)];
        format!("{}__{base}", canonical_name(prefix))
    }

    /// In the order in which a person would look for them.
    fn wanted_aliases(&self, name: &str) -> Vec<String> {
        let mut wanted = vec![format!("df_{name}")];
        if is_reserved(name) {
            wanted.push(format!("t_{name}"));
        }
        wanted.push(self.stem().to_owned());
        if self.table.is_none() {
            wanted.push(self.file().to_owned());
        }
        wanted
    }
}

/// Number of prefix forms that [`NameRequest::prefixes`] offers at most.
const PREFIX_LEVELS: usize = 3;

/// Gives every request its name and aliases; the answer does not depend on the order of the requests.
///
/// A name that one table alone asks for is its canonical name. Where several ask for the same, each gets a source
/// prefix (`shop__orders`), so that the bare name never means one of them in silence; what still clashes gets a number,
/// in the order of paths.
#[must_use]
pub fn assign_names(requests: &[NameRequest]) -> Vec<AssignedName> {
    let mut order: Vec<usize> = (0..requests.len()).collect();
    order.sort_by(|&a, &b| requests[a].cmp(&requests[b]));

    let bases: Vec<String> = requests.iter().map(|r| canonical_name(r.stem())).collect();
    let mut groups: FxHashMap<String, Vec<usize>> = FxHashMap::default();
    for &index in &order {
        groups.entry(fold(&bases[index])).or_default().push(index);
    }

    let mut assigned = vec![AssignedName::default(); requests.len()];
    let mut taken: FxHashSet<String> = FxHashSet::default();
    for &index in &order {
        let key = fold(&bases[index]);
        if groups[&key].len() == 1 {
            assigned[index].name.clone_from(&bases[index]);
            taken.insert(key);
        }
    }
    for &first in &order {
        let group = &groups[&fold(&bases[first])];
        if group.len() == 1 || group[0] != first {
            continue;
        }
        let names = prefixed_names(requests, &bases, group, &taken);
        for (&index, name) in group.iter().zip(names) {
            assigned[index].name = unused(&name, |key| taken.contains(key));
            taken.insert(fold(&assigned[index].name));
        }
    }
    assign_aliases(requests, &taken, &mut assigned);
    assigned
}

/// The shortest prefixes that tell the tables of one group apart.
fn prefixed_names(
    requests: &[NameRequest],
    bases: &[String],
    group: &[usize],
    taken: &FxHashSet<String>,
) -> Vec<String> {
    let mut names = Vec::new();
    for level in 0..PREFIX_LEVELS {
        names = group
            .iter()
            .map(|&index| requests[index].prefixed(&bases[index], level))
            .collect();
        let mut seen = FxHashSet::default();
        if names
            .iter()
            .map(|name| fold(name))
            .all(|key| !taken.contains(&key) && seen.insert(key))
        {
            break;
        }
    }
    names
}

fn assign_aliases(requests: &[NameRequest], names: &FxHashSet<String>, assigned: &mut [AssignedName]) {
    let mut wishes: FxHashMap<String, usize> = FxHashMap::default();
    let mut wanted = Vec::with_capacity(requests.len());
    for (request, own) in requests.iter().zip(assigned.iter()) {
        let mut aliases: Vec<String> = Vec::new();
        for alias in request.wanted_aliases(&own.name) {
            let known = |other: &String| other.eq_ignore_ascii_case(&alias);
            if !alias.is_empty() && !known(&own.name) && !aliases.iter().any(known) {
                aliases.push(alias);
            }
        }
        let keys: FxHashSet<String> = aliases.iter().map(|alias| fold(alias)).collect();
        for key in keys {
            *wishes.entry(key).or_default() += 1;
        }
        wanted.push(aliases);
    }
    for (own, aliases) in assigned.iter_mut().zip(wanted) {
        let own_key = fold(&own.name);
        (own.aliases, own.contested) = aliases.into_iter().partition(|alias| {
            let key = fold(alias);
            // `École` may stand beside its own `école`: DuckDB tells them apart.
            wishes[&key] == 1 && (key == own_key || !names.contains(&key))
        });
    }
}

/// Returns `name`, or `name_2`, `name_3` and so on: the first whose folded form is not taken.
fn unused(name: &str, taken: impl Fn(&str) -> bool) -> String {
    let key = fold(name);
    if !taken(&key) {
        return name.to_owned();
    }
    let mut candidate = key.clone();
    for number in 2_u64.. {
        candidate.truncate(key.len());
        let _ = write!(candidate, "_{number}");
        if !taken(&candidate) {
            return format!("{name}_{number}");
        }
    }
    unreachable!("there are fewer names than numbers")
}

/// Returns column names in the source's own spelling, unique without regard to case, none of them empty.
///
/// Outer white space and NUL characters go, a line break inside becomes one space; nothing else changes, because the SQL
/// door finds a column by its spelling. An empty name becomes `column_<i>`, counted from 1; a repeated one gets the first
/// of `name_2`, `name_3`, … that no column of the source has.
#[must_use]
pub fn unique_columns<S: AsRef<str>>(names: &[S]) -> Vec<String> {
    let mut columns: Vec<String> = names.iter().map(|name| column_spelling(name.as_ref())).collect();
    let mut taken: FxHashSet<String> = FxHashSet::default();
    let mut again = Vec::new();
    for (index, column) in columns.iter().enumerate() {
        if column.is_empty() || !taken.insert(fold(column)) {
            again.push(index);
        }
    }
    let mut next: FxHashMap<String, u64> = FxHashMap::default();
    for index in again {
        let base = if columns[index].is_empty() {
            format!("column_{}", index + 1)
        } else {
            std::mem::take(&mut columns[index])
        };
        let key = fold(&base);
        let mut name = base.clone();
        let number = next.entry(key.clone()).or_insert(1);
        // A base that repeats a thousand times is numbered in one pass: the counter never starts again.
        while !taken.insert(if *number == 1 {
            key.clone()
        } else {
            format!("{key}_{number}")
        }) {
            *number += 1;
            name = format!("{base}_{number}");
        }
        columns[index] = name;
    }
    columns
}

/// Tells which columns did not keep the name that the source gives them; `None` where all did.
///
/// White space around a name is no part of it. `sources` and `columns` are in the same order.
#[must_use]
pub fn renamed_columns<S: AsRef<str>>(sources: &[S], columns: &[String]) -> Option<Note> {
    let pairs = sources.iter().map(|name| name.as_ref().trim()).zip(columns);
    let renamed: Vec<_> = pairs.filter(|(source, column)| source != column).collect();
    let count = renamed.len() as u64;
    let message = format!("{count} columns were renamed: their names were empty, repeated or broken over lines");
    let note = Note::new("renamed-columns", message, count);
    (count > 0).then(|| {
        renamed.iter().fold(note, |note, (source, column)| {
            note.with_sample(&format!("`{source}` → `{column}`"))
        })
    })
}

fn column_spelling(name: &str) -> String {
    let name = name.trim_matches(|c: char| c.is_whitespace() || c == '\0' || c == '\u{feff}');
    if !name.contains(['\n', '\r', '\0']) {
        return name.to_owned();
    }
    let joined = name.replace("\r\n", "\n").replace(['\n', '\r'], " ").replace('\0', "");
    joined.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn request(path: &str) -> NameRequest {
        NameRequest {
            path: path.to_owned(),
            table: None,
        }
    }

    fn table(path: &str, table: &str) -> NameRequest {
        NameRequest {
            path: path.to_owned(),
            table: Some(table.to_owned()),
        }
    }

    fn names(requests: &[NameRequest]) -> Vec<String> {
        assign_names(requests).into_iter().map(|a| a.name).collect()
    }

    #[test]
    fn examples_of_the_specification() {
        for (stem, name) in [
            ("Members", "members"),
            ("2024 Sales", "t_2024_sales"),
            ("公司名单(最终)", "公司名单_最终_"),
            ("", "t_"),
            ("(%)", "___"),
            ("order", "order"),
            ("ＡＢＣ", "abc"),
            ("（备注）", "_备注_"),
            ("１２月", "t_12月"),
            ("e\u{301}tat", "état"),
            ("हिन्दी", "हिन्दी"),
            ("a\u{3000}b", "a_b"),
            ("〇七", "〇七"),
            ("x²", "x2"),
        ] {
            assert_eq!(canonical_name(stem), name, "{stem}");
        }
    }

    #[test]
    fn a_clash_gives_every_table_its_source() {
        assert_eq!(
            names(&[
                request("csv/orders.csv"),
                table("db/shop.db", "Orders"),
                request("csv/a.csv")
            ]),
            ["csv__orders", "shop__orders", "a"]
        );
        assert_eq!(names(&[request("a.csv"), request("a.json")]), ["csv__a", "json__a"]);
        assert_eq!(
            names(&[request("x/ABC.csv"), request("x/abc.csv")]),
            ["x_csv__abc", "x_csv__abc_2"]
        );
        assert_eq!(
            names(&[request("x/（备注）.csv"), request("y/(备注).csv")]),
            ["x___备注_", "y___备注_"]
        );
    }

    #[test]
    fn a_contested_alias_goes_to_no_one() {
        let both = assign_names(&[request("x/a b.csv"), request("y/a b.csv"), request("order.csv")]);
        assert_eq!(both[0].aliases, ["df_x__a_b"]);
        assert_eq!(both[1].aliases, ["df_y__a_b"]);
        assert_eq!(both[1].contested, ["a b", "a b.csv"]);
        assert_eq!(both[2].aliases, ["df_order", "t_order", "order.csv"]);
        // Another table is called like the alias, whichever comes first.
        for paths in [["order.csv", "t_order.csv"], ["t_order.csv", "order.csv"]] {
            let both = assign_names(&paths.map(request));
            let order = &both[paths.iter().position(|path| *path == "order.csv").unwrap()];
            assert_eq!(order.aliases, ["df_order", "order.csv"]);
            assert_eq!(order.contested, ["t_order"]);
        }
    }

    #[test]
    fn a_renamed_column_is_told() {
        let sources = ["a ", "A", "", "b\nc"];
        let note = renamed_columns(&sources, &unique_columns(&sources)).unwrap();
        assert_eq!(note.samples, ["`A` → `A_2`", "`` → `column_3`", "`b\nc` → `b c`"]);
        assert_eq!(renamed_columns(&[" a"], &unique_columns(&[" a"])), None);
    }

    #[test]
    fn columns_keep_their_spelling() {
        assert_eq!(
            unique_columns(&["名称 ", "a\r\nb", "", "A", "a", "a_2", "column_3", "a"]),
            ["名称", "a b", "column_3_2", "A", "a_3", "a_2", "column_3", "a_4"]
        );
    }

    proptest! {
        #[test]
        fn canonical_names_are_stable(stem in "\\PC{0,12}") {
            let name = canonical_name(&stem);
            prop_assert!(!name.is_empty());
            prop_assert_eq!(canonical_name(&name), name);
        }

        #[test]
        fn the_fast_path_agrees_with_the_slow_one(stem in "[a-zA-Z0-9_ 一-龥가-힣！-～\u{3000}]{0,12}") {
            let mut fast = String::new();
            prop_assert!(push_plain(&stem, &mut fast));
            let mut slow = String::new();
            push_normalised(&stem, &mut slow);
            prop_assert_eq!(fast, slow);
        }

        #[test]
        fn assignment_is_unique_and_independent_of_order(
            paths in proptest::collection::btree_set("[ab]/[abAB(]{1,2}\\.(csv|json)", 1..10)
        ) {
            let mut requests: Vec<NameRequest> = paths.iter().map(|p| request(p)).collect();
            let forward = assign_names(&requests);
            let distinct: FxHashSet<String> = forward.iter().map(|a| fold(&a.name)).collect();
            prop_assert_eq!(distinct.len(), requests.len());
            for (i, a) in forward.iter().enumerate() {
                for alias in &a.aliases {
                    for (j, b) in forward.iter().enumerate() {
                        prop_assert!(i == j || fold(alias) != fold(&b.name));
                        prop_assert!(i == j || b.aliases.iter().all(|o| fold(o) != fold(alias)));
                    }
                }
            }
            requests.reverse();
            let mut backward = assign_names(&requests);
            backward.reverse();
            prop_assert_eq!(forward, backward);
        }

        #[test]
        fn columns_are_unique_and_first_ones_keep_their_name(names in proptest::collection::vec("[abA_2 ]{0,3}", 0..12)) {
            let columns = unique_columns(&names);
            let distinct: FxHashSet<String> = columns.iter().map(|c| fold(c)).collect();
            prop_assert_eq!(distinct.len(), names.len());
            prop_assert!(columns.iter().all(|c| !c.is_empty()));
        }
    }
}
