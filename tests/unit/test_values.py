from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debriefer.catalog import Catalog, ValueHit, ValueIndex
from debriefer.errors import CatalogError, SqlError

SHOPS = "code,city,opened,rent\n000021,New York,2024-03-05,1200.50\n000022,北京,2024-12-31,99\n000023,北京,,99\n"


@pytest.fixture
def catalog(task_with: Callable[..., Path], tmp_path: Path) -> Catalog:
    return Catalog.build(task_with(csv={"shops.csv": SHOPS}), tmp_path / "made" / "catalog.duckdb")


def spans(question: str, hits: tuple[ValueHit, ...]) -> list[tuple[str, str, str, str, int]]:
    return [(question[h.start : h.end], h.column, h.value, h.kind, h.count) for h in hits]


def test_cells_are_found_with_their_column_and_count(catalog: Catalog) -> None:
    question = "What is the rent of the shops in 北京, in new york and of 000021?"
    assert spans(question, catalog.values.find(question)) == [
        ("北京", "city", "北京", "exact", 2),
        ("new york", "city", "New York", "normalised", 1),
        ("000021", "code", "000021", "exact", 1),
    ]


def test_numbers_and_dates_are_found_however_they_are_spelt(catalog: Catalog) -> None:
    question = "Which shop opened on March 5, 2024 for 1,200.5 dollars?"
    assert spans(question, catalog.values.find(question)) == [
        ("March 5, 2024", "opened", "2024-03-05", "normalised", 1),
        ("1,200.5", "rent", "1200.5", "normalised", 1),
    ]


def test_the_index_stands_beside_the_catalog_and_is_built_once(catalog: Catalog) -> None:
    assert len(catalog.values) == 9
    path = catalog.path.with_suffix(".values")
    written = path.stat().st_mtime_ns
    with Catalog.open(catalog.path) as other:
        assert len(other.values) == 9
    assert path.stat().st_mtime_ns == written


def test_the_same_content_gives_the_same_bytes(task_with: Callable[..., Path], tmp_path: Path) -> None:
    folder = task_with(csv={"shops.csv": SHOPS})
    written = []
    for name in ("a", "b"):
        with Catalog.build(folder, tmp_path / name / "catalog.duckdb") as catalog:
            assert len(catalog.values) == 9
            written.append(catalog.path.with_suffix(".values").read_bytes())
    assert written[0] == written[1]


def test_an_index_of_other_content_is_built_again(task_with: Callable[..., Path], tmp_path: Path) -> None:
    path = tmp_path / "made" / "catalog.duckdb"
    with Catalog.build(task_with(csv={"a.csv": "x\none\n"}), path) as catalog:
        assert len(catalog.values.find("one")) == 1
    with Catalog.build(task_with(csv={"a.csv": "x\ntwo\n"}, task_id="other"), path) as catalog:
        assert [hit.value for hit in catalog.values.find("one two")] == ["two"]


@pytest.mark.parametrize("damage", ["truncated", "changed", "other version", "not an index"])
def test_a_damaged_index_is_refused_and_built_again(catalog: Catalog, damage: str) -> None:
    assert len(catalog.values) == 9
    path = catalog.path.with_suffix(".values")
    whole = path.read_bytes()
    half = len(whole) // 2
    path.write_bytes(
        {
            "truncated": whole[:half],
            "changed": whole[:half] + bytes([whole[half] ^ 1]) + whole[half + 1 :],
            "other version": whole[:8] + b"\x63" + whole[9:],
            "not an index": b"SQLite format 3",
        }[damage]
    )
    with pytest.raises(CatalogError, match=r"catalog\.values` (is damaged|was built by another version)"):
        ValueIndex.open(path)
    with Catalog.open(catalog.path) as other:
        assert len(other.values.find("北京")) == 1
    assert path.read_bytes() == whole


def test_a_missing_index_says_so(tmp_path: Path) -> None:
    with pytest.raises(CatalogError, match=r"none\.values` cannot be read or written"):
        ValueIndex.open(tmp_path / "none.values")


def test_a_catalog_that_is_closed_builds_no_index(catalog: Catalog) -> None:
    catalog.close()
    with pytest.raises(SqlError, match="is closed"):
        _ = catalog.values


def test_prose_is_left_out_and_counted(task_with: Callable[..., Path], tmp_path: Path) -> None:
    task = task_with(csv={"notes.csv": f"note\n{'long ' * 50}\nshort note\n"})
    with Catalog.build(task, tmp_path / "c" / "catalog.duckdb") as catalog:
        assert (len(catalog.values), catalog.values.left_out) == (1, 1)


def test_threads_share_one_index(catalog: Catalog) -> None:
    found: list[ValueIndex] = []
    threads = [threading.Thread(target=lambda: found.append(catalog.values)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert len(set(map(id, found))) == 1


@pytest.fixture(scope="module")
def letters(tmp_path_factory: pytest.TempPathFactory) -> ValueIndex:
    folder = tmp_path_factory.mktemp("letters")
    cells = [*"0123456789abcdefghijklmnopqrstuvwxyzABC", "ab", "00", "Ä", "é", "北京", "ﬁ", "12.5", "0:0"]
    (folder / "letters.csv").write_text("a\n" + "\n".join(cells), encoding="utf-8")
    with Catalog.from_files(folder / "letters.csv", folder / "c.duckdb") as catalog:
        return catalog.values


@given(question=st.text(max_size=80))
def test_spans_lie_within_any_question(letters: ValueIndex, question: str) -> None:
    for hit in letters.find(question):
        assert 0 <= hit.start < hit.end <= len(question)
        assert hit.kind != "exact" or question[hit.start : hit.end].strip() == hit.value.strip()
