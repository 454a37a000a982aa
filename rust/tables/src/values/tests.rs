//! The index as a whole: what is in is found, where it stands, in every script.

use proptest::prelude::*;

use super::HitKind::{Exact, Near, Normalised, Part};
use super::fold::attaches;
use super::{Builder, HitKind, Index, ValueError};

fn index(columns: &[(&str, &str, bool, &[&str])]) -> (tempfile::TempDir, Index) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("catalog.values");
    let mut builder = Builder::new(&path);
    for (table, column, numeric, cells) in columns {
        builder.column(table, column);
        for (count, cell) in (1..).zip(*cells) {
            builder.add(cell, count, *numeric).unwrap();
        }
    }
    builder.finish("test").unwrap();
    let index = Index::open(&path).unwrap();
    (folder, index)
}

/// Span, cell and kind of every hit.
fn found(index: &Index, question: &str) -> Vec<(String, String, HitKind)> {
    let letters: Vec<char> = question.chars().collect();
    let hits = index.find(question, 20).unwrap();
    let span = |start: usize, end: usize| letters[start..end].iter().collect::<String>();
    hits.iter()
        .map(|hit| (span(hit.start, hit.end), hit.value.to_owned(), hit.kind))
        .collect()
}

fn has(found: &[(String, String, HitKind)], span: &str, cell: &str, kind: HitKind) -> bool {
    found
        .iter()
        .any(|hit| (hit.0.as_str(), hit.1.as_str(), hit.2) == (span, cell, kind))
}

#[test]
fn each_way_of_spelling_a_cell_finds_it() {
    let (_folder, index) = index(&[
        (
            "city",
            "name",
            false,
            &[
                "New York",
                "北京",
                "北京站",
                "Zürich",
                "3-D Man",
                "Straße des 17. Juni",
                "Backorder",
                "Partly Refunded",
            ],
        ),
        ("stock", "code", false, &["000021", "600000.SH", "BRK.A"]),
        ("fact", "amount", true, &["1234567.5", "12000", "200"]),
        ("fact", "day", false, &["2024-03-05", "2024-12-31 00:00:00"]),
        (
            "school",
            "name",
            false,
            &["清华大学", "北京外国语大学", "Massachusetts Institute of Technology"],
        ),
    ]);
    for (question, span, cell, kind) in [
        ("Who lives in New York?", "New York", "New York", Exact),
        ("who lives in new-york?", "new-york", "New York", Normalised),
        ("ＮＥＷ ＹＯＲＫ", "ＮＥＷ ＹＯＲＫ", "New York", Normalised),
        ("北京有多少人？", "北京", "北京", Exact),
        ("Powers of 3-D Man.", "3-D Man", "3-D Man", Exact),
        (
            "Who is on STRASSE DES 17 JUNI",
            "STRASSE DES 17 JUNI",
            "Straße des 17. Juni",
            Normalised,
        ),
        ("the price of 000021", "000021", "000021", Exact),
        ("the price of 000021.SZ", "000021.SZ", "000021", Normalised),
        ("the price of 600000", "600000", "600000.SH", Normalised),
        ("the price of SH600000", "SH600000", "600000.SH", Normalised),
        ("stock 21 now", "21", "000021", Normalised),
        ("sums of 1,234,567.50 dollars", "1,234,567.50", "1234567.5", Normalised),
        ("总额为1.2万元", "1.2万", "12000", Normalised),
        ("taller than 200cm", "200", "200", Exact),
        ("on March 5th, 2024", "March 5th, 2024", "2024-03-05", Normalised),
        ("2024年3月5日的销量", "2024年3月5日", "2024-03-05", Normalised),
        ("on 12/31/2024", "12/31/2024", "2024-12-31 00:00:00", Normalised),
        ("Who lives in Nwe York?", "Nwe York", "New York", Near),
        ("Who lives in Zurich?", "Zurich", "Zürich", Near),
        ("which of them are on back order", "back order", "Backorder", Near),
        ("orders partly refundet now", "partly refundet", "Partly Refunded", Near),
        ("从北京出发", "北京", "北京站", Part),
        ("两百个人", "两百", "200", Normalised),
        ("清华有多少学生", "清华", "清华大学", Part),
        ("北京外国语的学生", "外国语", "北京外国语大学", Part),
        (
            "students of the Massachusetts Institute",
            "Massachusetts Institute",
            "Massachusetts Institute of Technology",
            Part,
        ),
    ] {
        let found = found(&index, question);
        assert!(has(&found, span, cell, kind), "{question}: {found:?}");
    }
}

#[test]
fn what_is_another_value_is_not_found() {
    let (_folder, index) = index(&[
        ("t", "name", false, &["New York", "IN", "cat", "600000.SH"]),
        ("t", "amount", true, &["12", "7", "0"]),
    ]);
    for (question, cell) in [
        ("Newark in Yorkshire", "New York"),
        ("rows in the table", "IN"),
        ("the catalogue", "cat"),
        ("the price of 600000.SZ", "600000.SH"),
        ("127 rows", "12"),
        ("a -7 b", "7"),
        ("12.5 of them", "12"),
        ("above 1,000", "0"),
    ] {
        let found = found(&index, question);
        assert!(!found.iter().any(|hit| hit.1 == cell), "{question}: {found:?}");
    }
}

#[test]
fn a_whole_text_is_looked_up() {
    let (_folder, index) = index(&[("t", "c", false, &["IN", "in stock", "12"]), ("t", "n", true, &["12"])]);
    let named = |text: &str| -> Vec<_> {
        let hits = index.spelt(text, 20).unwrap();
        hits.iter().map(|hit| (hit.column, hit.value, hit.kind)).collect()
    };
    assert_eq!(named("in"), [("c", "IN", Normalised)]);
    assert_eq!(named("In Stock!"), [("c", "in stock", Normalised)]);
    assert_eq!(named("12"), [("c", "12", Exact), ("n", "12", Exact)]);
    assert_eq!(named("stock"), []);
    assert_eq!(named(""), []);
}

#[test]
fn hits_name_their_column_and_count() {
    let (_folder, index) = index(&[("a", "x", false, &["one", "two"]), ("b", "y", false, &["two"])]);
    let hits = index.find("two", 20).unwrap();
    let named: Vec<_> = hits.iter().map(|hit| (hit.table, hit.column, hit.count)).collect();
    assert_eq!(named, [("a", "x", 2), ("b", "y", 1)]);
    assert_eq!(index.find("two", 1).unwrap().len(), 1);
}

#[test]
fn a_damaged_file_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("catalog.values");
    let mut builder = Builder::new(&path);
    builder.column("t", "c");
    for number in 0..500 {
        builder.add(&format!("value {number}"), 1, false).unwrap();
    }
    builder.finish("test").unwrap();
    let whole = std::fs::read(&path).unwrap();
    assert!(Index::open(&path).unwrap().verify().is_ok());
    for cut in [0, 5, 12, 40, whole.len() / 2, whole.len() - 1] {
        std::fs::write(&path, &whole[..cut]).unwrap();
        assert!(
            matches!(Index::open(&path), Err(ValueError::Damaged(_))),
            "cut at {cut}"
        );
    }
    for at in (12..whole.len()).step_by(37) {
        let mut changed = whole.clone();
        changed[at] ^= 0x55;
        std::fs::write(&path, changed).unwrap();
        assert!(
            matches!(Index::open(&path), Err(ValueError::Damaged(_))),
            "changed at {at}"
        );
    }
    let mut other = whole.clone();
    other[8] = 99;
    std::fs::write(&path, other).unwrap();
    assert!(matches!(
        Index::open(&path),
        Err(ValueError::OtherVersion { found: 99 })
    ));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn whatever_is_in_is_found_exactly(
        cells in prop::collection::vec("[a-zA-Z0-9 .,/'+-]{1,10}|[一-龥]{1,6}|[ァ-ヴ가-힣ก-ฮ]{2,6}|\\PC{1,8}", 1..12),
        before in "[A-Za-z0-9一-龥]{0,6}", after in "[a-z0-9？。]{0,6}",
    ) {
        let cells: Vec<&str> = cells.iter().map(String::as_str).collect();
        let (_folder, index) = index(&[("t", "c", false, &cells)]);
        for cell in cells {
            let trimmed = cell.trim();
            // Marks at the ends would be the question's own.
            let ends = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() && !attaches(c));
            if !ends(trimmed.chars().next()) || !ends(trimmed.chars().next_back()) {
                continue;
            }
            let question = format!("{before} {trimmed} {after}");
            let start = before.chars().count() + 1;
            let span = (start, start + trimmed.chars().count());
            let hits = index.find(&question, 1000).unwrap();
            let hit = hits.iter().find(|hit| (hit.start, hit.end) == span && hit.value == cell);
            prop_assert_eq!(hit.map(|hit| hit.kind), Some(HitKind::Exact), "{:?} in {:?}: {:?}", cell, question, hits);
        }
    }

    #[test]
    fn the_same_cells_give_the_same_bytes(cells in prop::collection::vec("\\PC{0,8}", 0..20)) {
        let mut turned = cells.clone();
        turned.reverse();
        let mut files = Vec::new();
        for cells in [cells, turned] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("v");
            let mut builder = Builder::new(&path);
            builder.column("t", "c");
            for cell in &cells {
                builder.add(cell, 1, false).unwrap();
            }
            builder.finish("same").unwrap();
            files.push(std::fs::read(&path).unwrap());
        }
        prop_assert_eq!(&files[0], &files[1]);
    }

    #[test]
    fn no_question_breaks_the_search(question in "\\PC{0,60}") {
        let (_folder, index) = index(&[("t", "c", false, &["alpha beta", "北京大学", "000021", "2024-03-05", "1,5 %"])]);
        let letters = question.chars().count();
        for hit in index.find(&question, 20).unwrap() {
            prop_assert!(hit.start < hit.end && hit.end <= letters);
        }
    }
}
