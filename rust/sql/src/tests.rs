//! Behaviour of the whole crate, one repair at a time, and the laws that hold for any text.

use proptest::prelude::*;

use super::*;

fn schema() -> Schema {
    Schema::new(
        [
            ("基金经理", &["在任基金数(只)", "姓名", "金额"][..]),
            (
                "t",
                &["a", "b", "n", "名称", "年份", "User Name", "update", "2023年收入"][..],
            ),
            ("u", &["id", "x y", "xy"][..]),
        ],
        [("Members.csv", "t")],
    )
}

fn fixed(sql: &str) -> String {
    let schema = schema();
    apply(sql, &normalize(sql, &schema).unwrap())
}

fn refused(sql: &str) -> SqlError {
    normalize(sql, &schema()).unwrap_err()
}

#[track_caller]
fn unchanged(sql: &str) {
    assert_eq!(normalize(sql, &schema()).unwrap(), [], "{sql}");
}

#[test]
fn the_case_of_the_specification() {
    assert_eq!(
        fixed("SELECT `在任基金数 (只)` FROM [基金经理]"),
        "SELECT \"在任基金数(只)\" FROM \"基金经理\""
    );
}

#[test]
fn lists_indexes_and_maps_stay() {
    unchanged(
        "SELECT a[1], a[1:2], [a, b], ['a'], [n][1], list_contains([a], 1), UNNEST([a]), MAP{'k': 1}['k'] FROM t",
    );
    assert_eq!(
        fixed("SELECT [a], COUNT([b]) FROM t ORDER BY [n]"),
        "SELECT \"a\", COUNT(\"b\") FROM t ORDER BY \"n\""
    );
}

#[test]
fn a_name_with_two_readings_is_refused() {
    let error = refused("SELECT \"x  y\" FROM u");
    assert_eq!(error.message, "`x  y` may be the column `x y` or `xy`");
    assert_eq!(fixed("SELECT `x y`, `xy` FROM u"), "SELECT \"x y\", \"xy\" FROM u");
}

#[test]
fn a_bare_unknown_name_is_refused_with_the_nearest() {
    for sql in [
        "SELECT \"bb\" FROM t",
        "SELECT a FROM t GROUP BY \"bb\"",
        "SELECT a FROM t ORDER BY \"bb\" DESC",
    ] {
        let error = refused(sql);
        assert!(
            error.message.starts_with("`bb` names no column of `t`"),
            "{}",
            error.message
        );
        assert!(error.hint.contains("`b`"), "{}", error.hint);
    }
}

#[test]
fn only_tables_in_scope_count() {
    assert_eq!(
        fixed("SELECT a FROM t WHERE b = \"姓名\""),
        "SELECT a FROM t WHERE b = '姓名'"
    );
    unchanged("SELECT a FROM t, 基金经理 WHERE b = \"姓名\"");
    assert_eq!(
        fixed("SELECT (SELECT max(id) FROM u WHERE id = \"a\" AND id <> \"q\") FROM t"),
        "SELECT (SELECT max(id) FROM u WHERE id = \"a\" AND id <> 'q') FROM t"
    );
    unchanged("SELECT a FROM read_csv('f') WHERE b = \"q\"");
}

#[test]
fn results_of_queries_have_names() {
    assert_eq!(
        fixed("WITH c AS (SELECT a AS \"甲 乙\" FROM t), d AS (SELECT * FROM c) SELECT 甲乙 FROM d WHERE 甲乙 = \"q\""),
        "WITH c AS (SELECT a AS \"甲 乙\" FROM t), d AS (SELECT * FROM c) SELECT \"甲 乙\" FROM d WHERE \"甲 乙\" = 'q'"
    );
    assert!(
        refused("WITH c AS (SELECT a FROM t) SELECT \"b\" FROM c")
            .message
            .contains("`b` names no column")
    );
}

#[test]
fn a_flood_of_stars_ends() {
    use std::fmt::Write as _;
    let mut sql = String::from("WITH c0 AS (SELECT * FROM t)");
    for i in 1..40 {
        write!(sql, ", c{i} AS (SELECT * FROM c{p}, c{p} AS x)", p = i - 1).unwrap();
    }
    sql.push_str(" SELECT a FROM c39 WHERE b = \"q\"");
    unchanged(&sql);
}

#[test]
fn deep_nesting_ends() {
    for open in [
        "(",
        "[",
        "CASE WHEN ",
        "SELECT (",
        "(SELECT ",
        "f(",
        "{'a': ",
        "/*",
        "WITH x AS (",
    ] {
        let sql = open.repeat(50_000) + "\"q\" `b`";
        let _ = normalize(&sql, &schema());
    }
}

#[test]
fn clauses_of_other_dialects() {
    assert_eq!(fixed("SELECT a FROM t LIMIT 2, 5"), "SELECT a FROM t LIMIT 5 OFFSET 2");
    assert_eq!(
        fixed("SELECT TOP 3 a FROM t ORDER BY a"),
        "SELECT a FROM t ORDER BY a LIMIT 3"
    );
    assert_eq!(
        fixed("SELECT a FROM (SELECT TOP (2) * FROM t) AS s"),
        "SELECT a FROM (SELECT * FROM t LIMIT 2) AS s"
    );
    assert_eq!(
        fixed("SELECT group_concat(a ORDER BY b SEPARATOR ';') FROM t"),
        "SELECT group_concat(a, ';' ORDER BY b) FROM t"
    );
    unchanged("SELECT top, mod, div FROM (SELECT 1 AS top, 2 AS mod, 3 AS div)");
}

#[test]
fn characters_not_bytes_place_a_rewrite() {
    let sql = "SELECT 姓名, `金额` FROM 基金经理";
    let edits = normalize(sql, &schema()).unwrap();
    assert_eq!(characters(sql, &edits).collect::<Vec<_>>(), [(11, 15)]);
}

fn reviewed() -> Schema {
    Schema::new(
        [
            (
                "t",
                &[
                    "id",
                    "User Name",
                    "Date Time",
                    "Day Of Week",
                    "Week Day",
                    "s",
                    "l",
                    "d",
                    "txt",
                ][..],
            ),
            ("v", &["UserName", "iv"][..]),
        ],
        [("df_t", "t")],
    )
}

#[track_caller]
fn stays(sql: &str) {
    assert_eq!(normalize(sql, &reviewed()).unwrap(), [], "{sql}");
}

#[test]
fn results_with_unknown_columns_are_open() {
    for sql in [
        "SELECT UserName FROM (SELECT \"User Name\" FROM t UNION ALL BY NAME SELECT UserName FROM v)",
        "SELECT UserName FROM (SELECT \"User Name\", unnest(s) FROM t)",
        "SELECT a.UserName FROM (SELECT \"User Name\", unnest(s) FROM t) AS a",
        "FROM (SELECT * RENAME (id AS \"x y\") FROM t) WHERE \"x y\" = 1",
        "FROM (SELECT * RENAME id AS \"x y\" FROM t) WHERE \"x y\" = 1",
        "FROM (SELECT COLUMNS('us.*') FROM t) WHERE \"username2\" = 'x'",
        "SELECT \"k a\" FROM (SELECT unnest(s) FROM t)",
        "SELECT \"iv\" FROM (SELECT id FROM t UNION ALL BY NAME SELECT iv FROM v)",
        "SELECT 1 FROM (SELECT 1) WHERE \"1\" = 1",
        "SELECT 1 FROM (SELECT 'x') WHERE \"'x'\" = 'x'",
        "SELECT 1 FROM (SELECT -1) WHERE \"-1\" = -1",
        "SELECT UserName FROM (SELECT id, \"User Name\" FROM t) AS a(UserName)",
        "SELECT \"Week Day\" FROM t AS a(x)",
    ] {
        stays(sql);
    }
}

#[test]
fn places_without_columns_are_left() {
    for sql in [
        "SELECT sum(id) OVER \"w\" FROM t WINDOW \"w\" AS (ORDER BY id)",
        "SELECT sum(id) OVER (UserName ORDER BY id) FROM t WINDOW UserName AS (PARTITION BY id)",
        "SELECT \"lower\"(\"User Name\") FROM t",
        "SELECT id::\"VARCHAR\", txt::DATETIME, DATETIME '2024-01-01' FROM t",
        "SELECT \"User Name\" COLLATE \"NOCASE\" FROM t",
        "SELECT [\"x\" + 1 for \"x\" in l if \"x\" > 1] FROM t",
        "SELECT EXTRACT(dayofweek FROM d) FROM t",
        "SELECT list_transform(l, lambda UserName: UserName + 1) FROM t",
        "SELECT list_transform(l, UserName -> UserName + 1) FROM t",
        "SELECT list_transform(['day'], lambda day: date_part(day, d)) FROM t",
    ] {
        stays(sql);
    }
    let fixed = |sql: &str| apply(sql, &normalize(sql, &reviewed()).unwrap());
    assert_eq!(
        fixed("SELECT UserName -> '$.a' FROM t"),
        "SELECT \"User Name\" -> '$.a' FROM t"
    );
    assert_eq!(
        fixed("SELECT DATEDIFF(day, WeekDay, d) FROM t"),
        "SELECT DATEDIFF('day', \"Week Day\", d) FROM t"
    );
}

#[test]
fn lists_beside_lists_stay() {
    for sql in [
        "SELECT id FROM t WHERE [id] = [1, 2]",
        "SELECT greatest([id], [3]), CASE WHEN id = 1 THEN [id] ELSE [2] END FROM t",
        "SELECT [id]::VARCHAR, json_array([id]) FROM t",
    ] {
        stays(sql);
    }
}

fn with_lists() -> Schema {
    let mut schema = reviewed();
    schema.set_lists("t", &["l", "Date Time"]);
    schema
}

#[test]
fn a_bracket_compared_with_a_column_of_lists_is_a_list() {
    for sql in [
        "SELECT id FROM t WHERE l = [id]",
        "SELECT id FROM t AS x WHERE [id] <> x.l",
        "SELECT id FROM t WHERE l = ([id])",
        "SELECT l FROM t GROUP BY l HAVING max([id]) = l",
        "SELECT id FROM t WHERE l IN ([id], [s])",
        "SELECT id FROM t WHERE t.l NOT IN ([id])",
    ] {
        assert_eq!(normalize(sql, &with_lists()).unwrap(), [], "{sql}");
    }
    for (sql, expected) in [
        (
            "SELECT id FROM t WHERE l = id AND [s] = 1",
            "SELECT id FROM t WHERE l = id AND \"s\" = 1",
        ),
        ("SELECT id FROM t WHERE [l] = l", "SELECT id FROM t WHERE \"l\" = l"),
        (
            "SELECT max([id]) FROM t WHERE s IN ([id])",
            "SELECT max(\"id\") FROM t WHERE s IN (\"id\")",
        ),
        (
            "SELECT v.iv FROM v, t WHERE v.iv = [id]",
            "SELECT v.iv FROM v, t WHERE v.iv = \"id\"",
        ),
    ] {
        let schema = with_lists();
        assert_eq!(apply(sql, &normalize(sql, &schema).unwrap()), expected);
    }
}

#[test]
fn total_takes_what_an_aggregate_takes() {
    for (sql, expected) in [
        ("SELECT total(a) FROM t", "SELECT total(a) FROM t"),
        (
            "SELECT total(DISTINCT a), 1 FROM t",
            "SELECT coalesce(CAST(sum(DISTINCT a) AS DOUBLE), 0.0::DOUBLE), 1 FROM t",
        ),
        (
            "SELECT TOTAL(a) FILTER (WHERE b > (1)) AS x FROM t",
            "SELECT coalesce(CAST(sum(a) FILTER (WHERE b > (1)) AS DOUBLE), 0.0::DOUBLE) AS x FROM t",
        ),
        (
            "SELECT total(`User Name`) FILTER (WHERE b = \"q\") OVER (ORDER BY a) FROM t",
            "SELECT coalesce(CAST(sum(\"User Name\") FILTER (WHERE b = 'q') OVER (ORDER BY a) AS DOUBLE), 0.0::DOUBLE) \
             FROM t",
        ),
        (
            "SELECT total(a) OVER w FROM t WINDOW w AS (ORDER BY a)",
            "SELECT coalesce(CAST(sum(a) OVER w AS DOUBLE), 0.0::DOUBLE) FROM t WINDOW w AS (ORDER BY a)",
        ),
        (
            "SELECT total(a ORDER BY b) FROM t",
            "SELECT coalesce(CAST(sum(a ORDER BY b) AS DOUBLE), 0.0::DOUBLE) FROM t",
        ),
        ("SELECT total(a) FILTER (WHERE b", "SELECT total(a) FILTER (WHERE b"),
    ] {
        assert_eq!(fixed(sql), expected);
    }
}

#[test]
fn text_is_read_by_a_macro_and_an_untyped_column_without_one() {
    assert_eq!(
        fixed("SELECT strftime('%H', '10:30'), strftime('%Y', b) FROM t"),
        "SELECT strftime(sqlite_moment('10:30'), '%H'), strftime(TRY_CAST(b AS TIMESTAMP), '%Y') FROM t"
    );
    let mut schema = schema();
    schema.set_macros();
    let sql = "SELECT strftime('%Y', b), strftime('%Y', b || '-01') FROM t";
    assert_eq!(
        apply(sql, &normalize(sql, &schema).unwrap()),
        "SELECT strftime(sqlite_read(b), '%Y'), strftime(sqlite_moment(b || '-01'), '%Y') FROM t"
    );
}

#[test]
fn typographic_marks_take_linear_time() {
    let start = std::time::Instant::now();
    for part in ["“", "a‘b", "“a‘b"] {
        let _ = normalize(&format!("SELECT {}", part.repeat(20_000)), &schema());
    }
    let items: Vec<String> = (0..20_000).map(|i| format!("\"User  Name\" AS \"a{i}\"")).collect();
    let _ = normalize(&format!("SELECT {} FROM t", items.join(", ")), &schema());
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}

#[test]
fn words_glued_to_new_names_are_set_apart() {
    assert_eq!(
        fixed("SELECT 年份AS年 FROM t ORDER BY 年"),
        "SELECT 年份 AS 年 FROM t ORDER BY 年"
    );
    assert_eq!(
        fixed("SELECT COUNT(*) AS次数 FROM t ORDER BY 次数DESC"),
        "SELECT COUNT(*) AS 次数 FROM t ORDER BY 次数 DESC"
    );
    assert_eq!(
        fixed("SELECT 1 FROM t 乙 JOIN t 丙 ON乙.年份=丙.年份"),
        "SELECT 1 FROM t 乙 JOIN t 丙 ON 乙.年份=丙.年份"
    );
    unchanged("SELECT a AS 年份AS年 FROM t ORDER BY 年份AS年");
}

#[test]
fn an_alias_glued_to_an_unknown_table_is_set_apart_where_it_qualifies() {
    for (sql, expected) in [
        ("SELECT 甲.x FROM 软件AS甲", "SELECT 甲.x FROM 软件 AS 甲"),
        (
            "SELECT 甲.x FROM软件AS甲 JOIN产品AS乙 ON乙.x=甲.x WHERE丙.y=1",
            "SELECT 甲.x FROM 软件 AS 甲 JOIN 产品 AS 乙 ON 乙.x=甲.x WHERE 丙.y=1",
        ),
        (
            "SELECT 1 FROM 软件 甲 JOIN软件 乙 ON乙.x=甲.x",
            "SELECT 1 FROM 软件 甲 JOIN 软件 乙 ON 乙.x=甲.x",
        ),
    ] {
        assert_eq!(fixed(sql), expected);
        assert_eq!(apply(sql, &normalize(sql, &Schema::default()).unwrap()), expected);
    }
    for sql in [
        "SELECT * FROM 软件AS甲",
        "SELECT 软件AS甲.x FROM 软件AS甲",
        "SELECT 甲.x FROM 产品 甲, 软件AS甲",
    ] {
        assert_eq!(normalize(sql, &Schema::default()).unwrap(), [], "{sql}");
    }
}

fn sql_like() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        Just("SELECT "),
        Just("FROM t "),
        Just("WHERE "),
        Just("\"q\" "),
        Just("`a` "),
        Just("[b] "),
        Just("名称"),
        Just("，"),
        Just("（"),
        Just("“"),
        Just("‘"),
        Just("’"),
        Just("("),
        Just(")"),
        Just(" AS "),
        Just(", "),
        Just("UNION "),
        Just("WITH x AS ("),
        Just("CASE "),
        Just("END "),
        Just("'"),
        Just("\""),
        Just("["),
        Just("]"),
        Just("strftime('%Y', d)"),
        Just("TOP 5 "),
        Just("LIMIT 1, 2 "),
        Just("SEPARATOR ','"),
        Just("a.b "),
        Just("AND"),
        Just("BETWEEN "),
        Just(" DIV "),
        Just("USING ("),
        Just(";"),
        Just("--x\n"),
        Just("2023年收入"),
        Just("JOIN u ON "),
        Just("l = "),
        Just("total("),
        Just("date('now')"),
        Just("GROUP BY a "),
        Just("d "),
    ];
    prop::collection::vec(part, 0..24).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn any_text_is_answered(sql in sql_like()) {
        let schema = schema();
        for schema in [&schema, &Schema::default()] {
            if let Ok(edits) = normalize(&sql, schema) {
                let mut end = 0;
                for edit in &edits {
                    prop_assert!(edit.start >= end && edit.end >= edit.start, "{edits:?}");
                    prop_assert!(sql.is_char_boundary(edit.start as usize) && sql.is_char_boundary(edit.end as usize));
                    end = edit.end;
                }
                let _ = apply(&sql, &edits);
            }
        }
    }

    #[test]
    fn a_statement_that_asks_for_no_closer_look_gains_nothing_by_one(sql in sql_like()) {
        let mut listed = with_lists();
        listed.set_temporal("t", &["d"]);
        for schema in [&schema(), &listed, &Schema::default()] {
            prop_assert_eq!(normalize(&sql, schema), examine(&sql, schema, |_| true));
        }
    }

    #[test]
    fn any_characters_are_answered(sql in "(?s).{0,80}") {
        let _ = normalize(&sql, &schema());
    }

    #[test]
    fn literals_and_comments_are_kept(text in "[ `\\[\\]\"a，（“SELECT功能=]{0,20}") {
        let sql = format!("SELECT '{text}', $x${text}$x$, /* {} */ a FROM t -- {text}", text.replace(['*', '/'], ""));
        prop_assert_eq!(fixed(&sql), sql);
    }
}
