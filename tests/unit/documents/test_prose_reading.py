"""Prose that retells a table: a few lines in, cells out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from debriefer.documents.matching import Side, matched_forms
from debriefer.documents.prose import Told, read_prose
from debriefer.documents.slots import kind_of
from debriefer.documents.tokens import tokens
from debriefer.documents.validation import checked

_NAMES = ("Ada Klein", "Bo Quist", "Cy Marsh", "Di Nolan", "Ed Pryor", "Flo Rand")


def _cells(lines: Sequence[str]) -> Mapping[str, Mapping[str, str | None]]:
    """Return the loaded values of each record by column."""
    told = _told(lines)
    found: dict[str, dict[str, str | None]] = {key[0]: {} for key in told.parts.universe}
    for (key, column), cell in told.cells.items():
        found[key[0]][column] = cell.value
    return found


def _told(lines: Sequence[str]) -> Told:
    return checked(read_prose(lines), lines)


def _of_kind(lines: Sequence[str], dtype: str) -> list[str]:
    return [column.name for column in _told(lines).columns if column.dtype == dtype]


def _values(lines: Sequence[str], record: str) -> set[str]:
    return {value for value in _cells(lines)[record].values() if value is not None}


def _ledger(count: int = 12, **changed: str) -> list[str]:
    """Return lines that tell a town and a sum of each record, those of some records in other words."""
    towns = ("Leeds", "York", "Hull")
    lines = [f"File {n} is kept in {towns[n % 3]}, and its budget is ${n * 111:,}." for n in range(1, count + 1)]
    for name, text in changed.items():
        lines[int(name.removeprefix("r")) - 1] = text
    return lines


def test_words_in_a_column_of_amounts_say_that_there_is_none() -> None:
    lines = _ledger(
        r4="File 4 is kept in York, and its budget is still open.",
        r8="File 8 is kept in Hull, and its budget is still open.",
    )
    assert _of_kind(lines, "INTEGER") == ["budget"]
    cells = _cells(lines)
    assert (cells["4"]["budget"], cells["5"]["budget"]) == (None, "555")


def test_a_value_is_called_by_what_it_is_said_to_be() -> None:
    causes = ("fire", "theft", "hail")
    lines = [
        f"For claim {n} the report gives {causes[n % 3]} as the cause and {n} May 20{n + 10} as the date of loss."
        for n in range(1, 13)
    ]
    assert _cells(lines)["5"] == {"cause": "hail", "date_of_loss": "2015-05-05"}


def test_an_ending_that_every_form_has_is_part_of_the_value() -> None:
    grades = ("分析纯", "化学纯", "色谱纯")
    lines = [
        f"第{n}号样品的批号为{n * 7001}，规格为{grades[n % 3]}。"
        if n % 2
        else f"第{n}号样品标示规格为{grades[n % 3]}，批号{n * 7001}。"
        for n in range(1, 25)
    ]
    assert {"分析纯", "42006"} <= _values(lines, "6")


def test_what_is_done_is_no_ending() -> None:
    heads = ("段秋实", "贺兰英", "尹志刚")
    lines = [f"第{n}所学校建于{1990 + n}年3月{n}日，由{heads[n % 3]}主持。" for n in range(1, 13)]
    assert "贺兰英" in _values(lines, "4")


def test_unknown_words_between_two_values_correct_where_two_columns_have_them() -> None:
    lines = _ledger(
        r2="File 2 is kept in Hull (retyped as Leeds), and its budget is $222.",
        r5="File 5 is kept in Hull, and its budget is $555 (retyped as $777).",
    )
    assert _values(lines, "2") == {"Leeds", "222"}
    assert _values(lines, "5") == {"Hull", "777"}


def test_unknown_words_between_two_values_of_one_column_are_not_trusted() -> None:
    lines = _ledger(r2="File 2 is kept in Hull (retyped as Leeds), and its budget is $222.")
    assert _values(lines, "2") == {"222"}


@pytest.mark.parametrize("words", ["formerly", "not"])
def test_the_value_behind_a_word_for_what_was_before_is_not_loaded(words: str) -> None:
    lines = _ledger(
        r2=f"File 2 is kept in Hull ({words} Leeds), and its budget is $222.",
        r5=f"File 5 is kept in Hull, and its budget is $555 ({words} $777).",
    )
    assert "Leeds" not in _values(lines, "2")
    assert "777" not in _values(lines, "5")


def test_a_form_that_names_now_this_column_and_now_that_one_corrects() -> None:
    tail = "The clerk looked up the {} and found {}."
    base = _ledger(24)
    changed = {"2": ("budget", "$999"), "5": ("budget", "$888"), "7": ("town", "Leeds"), "12": ("budget", "$777")}
    lines = [f"{line} {tail.format(*changed[str(n)])}" if str(n) in changed else line for n, line in enumerate(base, 1)]
    assert _values(lines, "2") == {"Hull", "999"}
    assert _values(lines, "5") == {"Hull", "888"}
    assert "York" not in _values(lines, "7")


def test_a_remark_with_a_number_changes_nothing() -> None:
    base = _ledger(24)
    lines = [f"{line} Sheet {n} of the binder is torn." if n % 4 == 0 else line for n, line in enumerate(base, 1)]
    cells = _cells(lines)
    assert [cells[str(n)]["budget"] for n in range(1, 25)] == [str(n * 111) for n in range(1, 25)]


def test_a_single_sentence_that_says_another_value_makes_the_cell_null() -> None:
    base = _ledger()
    lines = [f"{line} Some say $12,345." if n == 5 else line for n, line in enumerate(base, 1)]
    assert _values(lines, "5") == {"Hull"}


def test_short_cells_have_only_their_name_in_common() -> None:
    lines = [f"BH{n:03}: depth {n * 13}; logger {_NAMES[n % 6]}; crew {n + 2}." for n in range(1, 37)]
    assert _cells(lines)["BH004"] == {"depth": "52", "logger": "Ed Pryor", "crew": "6"}


def test_an_ordinal_is_found_whatever_stands_before_it() -> None:
    lines = [
        f"编目时列在第{n}条的书共{n * 17}页。" if n % 2 else f"由库房送来的第{n}条，全书{n * 17}页。"
        for n in range(1, 21)
    ]
    lines += [
        f"存于东阁的第{n}条入藏于{1990 + n}年。" if n % 3 else f"第{n}条在{1990 + n}年入藏。" for n in range(1, 21)
    ]
    assert len(_told(lines).parts.universe) == 20


def test_a_sentence_that_a_page_has_cut_makes_what_it_names_null() -> None:
    base = _ledger()
    lines = [f"{line} After a check the budget reads" if n == 5 else line for n, line in enumerate(base, 1)]
    assert _cells(lines)["5"]["budget"] is None


@pytest.mark.parametrize(
    ("text", "value"), [("主机608千瓦", "608"), ("存量608千克", "608千克"), ("3万千瓦", "3万"), ("92 g/l of it", "92")]
)
def test_a_letter_of_a_unit_is_no_scale(text: str, value: str) -> None:
    assert [token.text for token in tokens(text) if token.is_value] == [value]


def test_missing_values_tell_which_slot_is_which() -> None:
    def side(numbers: Sequence[int], missing: int, first: int) -> Side:
        keys = frozenset((str(first + place),) for place in range(len(numbers) + missing))
        return Side(kind_of([f"${number * 7}" for number in numbers] + ["still open"] * missing), keys)

    low, high = range(100, 160), range(3000, 3060)
    sides = [side(low, 0, 0), side(high, 0, 0), side(high, 0, 100), side(low, 0, 100)]
    assert matched_forms(sides, lambda _one, _other: 0.0) == [(0, 3), (1, 2)]
    alike = [side(low, 0, 0), side(low, 0, 0), side(low, 0, 100), side(low, 0, 100)]
    assert matched_forms(alike, lambda _one, _other: 0.0) == []
    gaps = [side(range(100, 145), 15, 0), side(low, 0, 0), side(low, 0, 100), side(range(100, 145), 15, 100)]
    assert matched_forms(gaps, lambda _one, _other: 0.0) == [(0, 3), (1, 2)]
