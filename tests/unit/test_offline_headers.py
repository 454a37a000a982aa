"""Headers of aggregates."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from debriefer.offline.headers import headers
from debriefer.offline.model import Output, Ref

_NAMES = st.sampled_from(["age", "AGE", "count", "count_age", "average_age", "total t", "名称 ", 'a"b', "count_2"])
_REFS = st.builds(Ref, st.sampled_from(["t", "count"]), _NAMES)
_AGGREGATES = st.builds(Output, _REFS, st.sampled_from(["count", "avg", "sum", "min", "max"]), st.booleans())
_COUNTS = st.builds(Output, st.none(), st.just("count"), table=st.sampled_from(["t", "count", "age"]))


def test_the_second_of_two_equal_headers_names_its_table() -> None:
    outputs = [Output(Ref(table, "age"), "avg") for table in ("pilot", "crew")]
    assert headers(outputs) == ["average_age", "average_crew_age"]


def test_a_header_is_not_that_of_a_column_beside_it() -> None:
    outputs = [Output(Ref("t", "Count")), Output(None, "count", table="t")]
    assert headers(outputs) == [None, "count_t"]


def test_names_with_spaces_stay_words_and_are_quoted() -> None:
    assert headers([Output(Ref("t", "Net Worth"), "max")]) == ['"maximum Net Worth"']


@given(st.lists(st.one_of(_AGGREGATES, _COUNTS, st.builds(Output, _REFS)), max_size=8))
def test_headers_never_collide(outputs: list[Output]) -> None:
    written = headers(outputs)
    columns = {o.ref.column.casefold() for o in outputs if o.aggregate is None and o.ref is not None}
    given_names = [name.strip('"').replace('""', '"').casefold() for name in written if name is not None]
    assert len(given_names) == len(set(given_names)) == sum(o.aggregate is not None for o in outputs)
    assert not columns & set(given_names)
