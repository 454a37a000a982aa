"""Canonical names, aliases and column names."""

from __future__ import annotations

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from debriefer import _core

# Opening DuckDB takes longer than any test here.
CONNECTION = duckdb.connect()
STEMS = st.text(st.characters(exclude_categories=("Cs",)), max_size=12)


@pytest.mark.parametrize(
    ("stem", "name"),
    [
        ("Members", "members"),
        ("2024 Sales", "t_2024_sales"),
        ("公司名单(最终)", "公司名单_最终_"),
        ("公司名单（最终）", "公司名单_最终_"),
        ("order", "order"),
        ("", "t_"),
        ("(%)", "___"),
        ("ＡＢＣ", "abc"),
        ("１２月", "t_12月"),
        ("Été 2023", "été_2023"),
        ("E\u0301te\u0301", "été"),
        ("a-b.c", "a_b_c"),
        ("𝔄", "a"),
        ("हिन्दी", "हिन्दी"),
    ],
)
def test_a_stem_becomes_its_canonical_name(stem: str, name: str) -> None:
    assert _core.canonical_name(stem) == name


@settings(deadline=None)
@given(STEMS)
def test_a_canonical_name_is_its_own_and_needs_no_quotes_but_for_reserved_words(stem: str) -> None:
    name = _core.canonical_name(stem)
    assert name
    assert _core.canonical_name(name) == name
    assert not name[0].isdecimal()
    if name not in _core.reserved_words():
        assert CONNECTION.execute(f"WITH {name} AS (SELECT 1 AS x) SELECT x FROM {name}").fetchall() == [(1,)]


@given(st.lists(STEMS, max_size=6))
def test_names_in_one_call_are_the_names_one_by_one(stems: list[str]) -> None:
    assert _core.canonical_names(stems) == [_core.canonical_name(stem) for stem in stems]


def test_canonical_names_takes_strings_only() -> None:
    with pytest.raises(TypeError):
        _core.canonical_names(["a", 1])  # type: ignore[list-item]


def test_reserved_words_are_those_of_the_installed_duckdb() -> None:
    rows = CONNECTION.execute(
        "SELECT DISTINCT keyword_name FROM duckdb_keywords() WHERE keyword_category IN ('reserved', 'type_function')"
    ).fetchall()
    assert _core.reserved_words() == sorted(word for (word,) in rows)


def test_a_reserved_word_keeps_its_name_and_gets_an_alias_without_quotes() -> None:
    assert _core.assign_names([("csv/order.csv", None)]) == [("order", ["df_order", "t_order", "order.csv"], [])]


def test_aliases_are_the_frame_the_original_spelling_and_the_file() -> None:
    [(name, aliases, _)] = _core.assign_names([("csv/2024 Sales.csv", None)])
    assert name == "t_2024_sales"
    assert aliases == ["df_t_2024_sales", "2024 Sales", "2024 Sales.csv"]


def test_a_name_that_differs_in_case_only_is_no_alias() -> None:
    [(name, aliases, _)] = _core.assign_names([("Members.csv", None)])
    assert (name, aliases) == ("members", ["df_members", "Members.csv"])


def test_tables_of_one_name_get_the_prefix_of_their_source() -> None:
    sources = [("csv/orders.csv", None), ("json/orders.json", None), ("db/shop.sqlite", "Orders")]
    assert [name for name, *_ in _core.assign_names(sources)] == ["csv__orders", "json__orders", "shop__orders"]


def test_files_of_one_name_in_one_folder_are_told_apart_by_their_endings() -> None:
    assert [name for name, *_ in _core.assign_names([("a.csv", None), ("a.json", None)])] == ["csv__a", "json__a"]


def test_what_still_clashes_is_numbered_in_the_order_of_paths() -> None:
    sources = [("x/(备注).csv", None), ("x/（备注）.csv", None)]
    names = {path: name for (path, _), (name, *_) in zip(sources, _core.assign_names(sources), strict=True)}
    assert names == {"x/(备注).csv": "x_csv___备注_", "x/（备注）.csv": "x_csv___备注__2"}


def test_an_alias_that_another_table_has_as_name_goes_to_no_one() -> None:
    sources = [("a.csv", None), ("df_a.csv", None), ("order.csv", None), ("t_order.csv", None)]
    assigned = {name: (aliases, contested) for name, aliases, contested in _core.assign_names(sources)}
    assert assigned["a"] == (["a.csv"], ["df_a"])
    assert assigned["order"] == (["df_order", "order.csv"], ["t_order"])
    assert assigned["t_order"] == (["df_t_order", "t_order.csv"], [])


PATHS = st.lists(
    st.tuples(
        st.from_regex(r"\A[abB(（]{1,2}/[aA1(（ ]{1,2}\.(csv|db)\Z"), st.none() | st.sampled_from(["t", "T", "a"])
    ),
    unique=True,
    max_size=8,
)


@given(PATHS, st.randoms(use_true_random=False))
def test_names_are_unique_and_do_not_depend_on_the_order(sources: list[tuple[str, str | None]], random: object) -> None:
    assigned = _core.assign_names(sources)
    names = [name.casefold() for name, *_ in assigned]
    assert len(set(names)) == len(sources)
    aliases = [alias.casefold() for _, own, _ in assigned for alias in own]
    assert len(set(aliases)) == len(aliases)
    for name, own, _ in assigned:
        assert not {alias.casefold() for alias in own} & (set(names) - {name.casefold()})
    shuffled = list(sources)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert dict(zip(shuffled, _core.assign_names(shuffled), strict=True)) == dict(zip(sources, assigned, strict=True))


def test_columns_keep_their_spelling_and_become_unique() -> None:
    header = ["名称 ", "金额(万元)", "a\r\nb", "", "A", "a", "a_2", "column_4", "Ａ"]
    expected = ["名称", "金额(万元)", "a b", "column_4_2", "A", "a_3", "a_2", "column_4", "Ａ_4"]
    assert _core.unique_columns(header) == expected


@settings(deadline=None)
@given(st.lists(st.text(alphabet="aA_2 \n", max_size=4), max_size=12))
def test_columns_are_unique_for_duckdb(header: list[str]) -> None:
    columns = _core.unique_columns(header)
    assert len({column.casefold() for column in columns}) == len(header)
    assert all(columns)
    if columns:
        CONNECTION.execute("CREATE OR REPLACE TEMP TABLE t (" + ", ".join(f'"{name}" INT' for name in columns) + ")")
