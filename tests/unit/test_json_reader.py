"""JSON in every shape that programs write, typed by all of its records."""

from __future__ import annotations

import datetime as dt
import json
import math
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from debriefer import _core
from debriefer.errors import SourceError

Read = Callable[..., list[_core.SourceTable]]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def build(content: object, name: str = "source.json") -> list[_core.SourceTable]:
        path = tmp_path / name
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return _core.read_json(path)

    return build


def rows(table: _core.SourceTable) -> list[tuple[Any, ...]]:
    """The rows as DuckDB has them, each column cast to the type that the reader promises."""
    items = ", ".join(f'"{name.replace(chr(34), chr(34) * 2)}"::{kind}' for name, kind in table.columns)
    with duckdb.connect() as connection:
        connection.register("incoming", table)
        return connection.execute(f"SELECT {items} FROM incoming").fetchall()


def column(table: _core.SourceTable, name: str = "x") -> tuple[str, list[Any]]:
    place = [known for known, _ in table.columns].index(name)
    return table.columns[place][1], [row[place] for row in rows(table)]


def note(table: _core.SourceTable, code: str) -> tuple[int, list[str]]:
    [(count, samples)] = [(count, samples) for known, _, count, samples in table.notes if known == code]
    return count, samples


@pytest.mark.parametrize(
    ("content", "columns", "expected"),
    [
        ([{"a": 1}, {"b": "x", "a": 2}], ["a", "b"], [(1, None), (2, "x")]),
        ({"records": [{"a": 1}, {"a": 2}]}, ["a"], [(1,), (2,)]),
        ({"rows": [], "data": [{"a": 1}]}, ["a"], [(1,)]),
        ([["a", "b"], [1, 2], [3, 4]], ["a", "b"], [(1, 2), (3, 4)]),
        ([[1, 2], [3, 4]], ["column_1", "column_2"], [(1, 2), (3, 4)]),
        ([1, 2, 3], ["value"], [(1,), (2,), (3,)]),
        ({"a": [1, 2], "b": ["x", None]}, ["a", "b"], [(1, "x"), (2, None)]),
        ({"columns": ["a", "b"], "data": [[1, 2]], "index": [0]}, ["a", "b"], [(1, 2)]),
        ({"columns": ["a"], "data": [[1], [2]], "index": ["r", "s"]}, ["a", "index"], [(1, "r"), (2, "s")]),
        ({"columns": ["a", "a"], "data": [[1, 2]]}, ["a", "a_2"], [(1, 2)]),
        ({"r": {"a": 1, "b": 2}, "s": {"a": 3}}, ["key", "a", "b"], [("r", 1, 2), ("s", 3, None)]),
        ({"r": {"key": 1}, "s": {"key": 2}}, ["row_key", "key"], [("r", 1), ("s", 2)]),
        ({"a": {"0": 1, "1": 2}, "b": {"0": "x", "1": "y"}}, ["a", "b"], [(1, "x"), (2, "y")]),
        ({"name": "Bob", "age": 3}, ["name", "age"], [("Bob", 3)]),
        ({"payload": {"items": [{"a": 1}]}}, ["a"], [(1,)]),
        ('{"a": 1}\n\n{"a": 2}\n', ["a"], [(1,), (2,)]),
        ('{\n "a": 1\n}\n{\n "a": 2\n},\n', ["a"], [(1,), (2,)]),
        ('["a", "b"]\n[1, 2]\n', ["a", "b"], [(1, 2)]),
        ('[{"a": 1,}, {"a": 2},]', ["a"], [(1,), (2,)]),
    ],
)
def test_shapes(read: Read, content: object, columns: list[str], expected: list[tuple[Any, ...]]) -> None:
    [table] = read(content)
    assert table.name == "source"
    assert [name for name, _ in table.columns] == columns
    assert rows(table) == expected


def test_the_name_and_the_rest_of_a_file_are_noted(read: Read) -> None:
    [table] = read({"table": "singer", "unit": "EUR", "records": [{"a": 1}]})
    assert note(table, "title") == (0, ["singer"])
    assert note(table, "metadata") == (1, ['unit: "EUR"'])


def test_several_lists_of_records_are_several_tables(read: Read) -> None:
    tables = read({"users": [{"a": 1}], "orders": [{"b": 2}], "count": 1}, "shop.json")
    assert [(table.name, rows(table)) for table in tables] == [
        ("shop", [(1,)]),
        ("shop_users", [(1,)]),
        ("shop_orders", [(2,)]),
    ]


def test_nothing_is_dropped_from_a_list_of_mixed_elements(read: Read) -> None:
    [table] = read([{"a": 1}, 5, {"a": 2}])
    assert rows(table) == [(1, None), (None, 5), (2, None)]
    assert note(table, "stray-values") == (1, ["5"])


def test_a_bad_line_is_counted_and_the_others_are_read(read: Read) -> None:
    [table] = read('{"a": 1}\n{"a": "unfinished\n{"a": 3}\n{"a": 4\n{"a": 5}\n', "log.jsonl")
    assert rows(table) == [(1,), (3,), (5,)]
    assert note(table, "rejected-lines") == (2, ['{"a": "unfinished', '{"a": 4'])


def test_lists_of_unequal_length_are_padded_and_noted(read: Read) -> None:
    [table] = read([["a", "b"], [1], [2, 3, 4]])
    assert rows(table) == [(1, None, None), (2, 3, 4)]
    assert note(table, "ragged-rows")[0] == 2


@pytest.mark.parametrize(
    ("values", "kind", "expected"),
    [
        (["000021", "300707"], "VARCHAR", ["000021", "300707"]),
        (["21", None], "VARCHAR", ["21", None]),
        ([9007199254740993, -1], "BIGINT", [9007199254740993, -1]),
        ([2**64, -1], "HUGEINT", [2**64, -1]),
        ([2**53 + 1, 0.5], "DECIMAL(38,1)", [Decimal("9007199254740993.0"), Decimal("0.5")]),
        ([10**40, 1], "VARCHAR", [str(10**40), "1"]),
        ([1, 2.5], "DOUBLE", [1.0, 2.5]),
        ([0.1, 0.30000000000000004], "DOUBLE", [0.1, 0.30000000000000004]),
        ([True, False, None], "BOOLEAN", [True, False, None]),
        (["2024-02-29", None], "DATE", [dt.date(2024, 2, 29), None]),
        (["2024-02-30"], "VARCHAR", ["2024-02-30"]),
        (["2024-02-29 12:00:01"], "TIMESTAMP", [dt.datetime.fromisoformat("2024-02-29 12:00:01")]),
        (["12:30", "1:54.455"], "VARCHAR", ["12:30", "1:54.455"]),
        ([1, "x", True], "VARCHAR", ["1", "x", "true"]),
        ([1, "", "N/A"], "BIGINT", [1, None, None]),
        (["", "a"], "VARCHAR", ["", "a"]),
        ([None, None], "VARCHAR", [None, None]),
    ],
)
def test_types_come_from_all_records(read: Read, values: list[Any], kind: str, expected: list[Any]) -> None:
    [table] = read([{"x": value} for value in values])
    assert column(table) == (kind, expected)


def test_a_late_record_changes_the_whole_column(read: Read) -> None:
    [table] = read([{"x": number} for number in range(130_000)] + [{"x": "late"}])
    kind, values = column(table)
    assert (kind, values[0], values[129_999], values[130_000]) == ("VARCHAR", "0", "129999", "late")
    assert note(table, "mixed-types") == (1, ["late"])


def test_nan_is_missing_and_infinity_is_a_number(read: Read) -> None:
    [table] = read('[{"x": NaN}, {"x": 1}, {"x": Infinity}, {"x": -Infinity}]')
    assert column(table) == ("DOUBLE", [None, 1.0, math.inf, -math.inf])
    assert note(table, "nan")[0] == 1


def test_nested_values_are_json_with_their_own_spelling(read: Read) -> None:
    [table] = read('[{"x": {"b": 1.50, "a": [ 1e3, 12345678901234567890 ], "t": "\\u4e2d\\n"}}, {"x": null}]')
    assert column(table) == ("JSON", ['{"b":1.50,"a":[1e3,12345678901234567890],"t":"中\\n"}', None])


def test_scalars_beside_nested_values_are_json_too(read: Read) -> None:
    [table] = read([{"x": {"a": 1}}, {"x": "a"}, {"x": 2}])
    assert column(table) == ("JSON", ['{"a":1}', '"a"', "2"])
    assert note(table, "mixed-types")[0] == 2


def test_keys_that_differ_in_case_are_two_columns_and_a_repeated_key_counts_once(read: Read) -> None:
    [table] = read('[{"a": 1, "A": 2, "": 3, "a": 4}]')
    assert [name for name, _ in table.columns] == ["a", "A_2", "column_3"]
    assert rows(table) == [(4, 2, 3)]
    assert note(table, "duplicate-keys") == (1, ["a"])


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "gb18030"])
def test_encodings(read: Read, encoding: str) -> None:
    text = json.dumps([{"城市": "上海"}, {"城市": "深圳"}], ensure_ascii=False)
    [table] = read(text.encode(encoding))
    assert (table.columns, rows(table)) == ([("城市", "VARCHAR")], [("上海",), ("深圳",)])


def test_half_an_emoji_and_raw_line_breaks_do_not_stop_the_reader(read: Read) -> None:
    [table] = read('[{"x": "\\ud83d!"}, {"x": "\\ud83d\\ude00"}, {"x": "two\nlines"}]')
    assert column(table)[1] == ["\ufffd!", "😀", "two\nlines"]
    assert note(table, "lone-surrogates")[0] == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty"),
        ("3", "holds single values, not rows"),
        ('"a"\n"b"\n', "holds single values, not rows"),
        ("[]", "holds neither rows nor columns"),
        ('{"records": []}', "holds neither rows nor columns"),
        ("hello", "is not JSON: line 1, column 1: expected a value, found `h`"),
        ("{'a': 1}", "line 1, column 2: expected a key in double quotes"),
        ('[{"a": 1},\n {"a": }]', "line 2, column 8: expected a value"),
        ('[{"a": 01}]', "line 1, column 8: .*superfluous zero"),
        ('[{"a": 1},\n{"a": 2},\n{"a":', "line 3, column 6: expected a value, but the text ends"),
        ('[\n{"a": 1},\n{"a": 2,\n{"a": 3}\n]', "line 4, column 1"),
        ("[" * 100_000, "more than 512 levels of nesting"),
        ('{"a":' * 100_000, "more than 512 levels of nesting"),
        ('[{"a": "\\x"}]', "backslash"),
    ],
)
def test_what_is_no_table_is_refused_with_its_place(read: Read, content: str, message: str) -> None:
    with pytest.raises(SourceError, match=message) as caught:
        read(content)
    assert caught.value.hint


def test_records_that_share_no_key_are_refused_before_they_fill_memory(read: Read) -> None:
    with pytest.raises(SourceError, match="different keys that hardly share any"):
        read([{f"k{number}": number} for number in range(20_000)])


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=2), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=80, deadline=None)
@given(values=st.lists(JSON_VALUES, min_size=1, max_size=8), pretty=st.booleans(), ascii_only=st.booleans())
def test_every_value_comes_back(
    tmp_path_factory: pytest.TempPathFactory, values: list[Any], pretty: bool, ascii_only: bool
) -> None:
    path = tmp_path_factory.mktemp("law") / "law.json"
    text = json.dumps([{"x": value} for value in values], indent=2 if pretty else None, ensure_ascii=ascii_only)
    path.write_text(text, encoding="utf-8")
    [table] = _core.read_json(path)
    kind, got = column(table)
    codes = {code for code, *_ in table.notes}
    for written, back in zip(values, got, strict=True):
        if written is None:
            assert back is None
        elif kind == "JSON":
            assert json.loads(back) == written
        elif kind == "VARCHAR":
            assert back == (written if isinstance(written, str) else json.dumps(written))
        elif isinstance(written, str):
            assert back is None
            assert "null-tokens" in codes
        elif kind.startswith("DECIMAL"):
            assert back == Decimal(json.dumps(written))
        else:
            assert back == written


@settings(max_examples=200, deadline=None)
@given(content=st.text('{}[]",:\\ntrue01-.eu \n', max_size=40) | st.binary(max_size=40))
def test_garbage_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, content: str | bytes) -> None:
    path = tmp_path_factory.mktemp("garbage") / "x.json"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    try:
        tables = _core.read_json(path)
    except SourceError as error:
        assert error.message  # noqa: PT017 - both outcomes are right
    else:
        assert all(len(row) == len(table.columns) for table in tables for row in rows(table))


@pytest.mark.parametrize(
    "content",
    [
        [{f"k{place}": place for place in range(40_000)}],
        {f"k{place}": place for place in range(40_000)},
        {name: {f"k{place}": place for place in range(40_000)} for name in ("a", "b")},
    ],
    ids=["record", "object", "objects"],
)
def test_more_keys_than_a_table_has_columns_are_refused_at_once(read: Read, content: object) -> None:
    with pytest.raises(SourceError, match="more than the 16384 columns") as refused:
        read(content)
    assert refused.value.hint is not None
    assert "the key and its value" in refused.value.hint


@pytest.mark.parametrize(
    ("content", "count"),
    [('[{"a":1,},]', 2), ('{"a":[1,2,],"b":[3,4]}', 1), ('{"a":{"x":[1,],},}\n{"a":2}\n', 3), ('[{"a":[1]}]', 0)],
)
def test_commas_that_json_forbids_are_counted(read: Read, content: str, count: int) -> None:
    [table] = read(content)
    assert [n[2] for n in table.notes if n[0] == "trailing-commas"] == ([count] if count else [])


def test_commas_between_lines_are_counted(read: Read) -> None:
    [table] = read('{"a":1},\n{"a":2},\n{"a":3}\n')
    assert column(table, "a") == ("BIGINT", [1, 2, 3])
    assert note(table, "commas-between-values")[0] == 2
