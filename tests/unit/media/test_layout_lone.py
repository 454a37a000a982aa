"""Where a lone sign may have been overlooked."""

from __future__ import annotations

from debriefer.media.layout.lone import lone_places
from debriefer.media.slide import Box


def row(top: int, *lefts: tuple[int, int]) -> list[Box]:
    return [Box(left, top, left + width, top + 16) for left, width in lefts]


def test_a_row_without_the_rank_that_others_have_has_a_place_for_it() -> None:
    rows = [
        row(100, (60, 9), (120, 90), (300, 60)),
        row(140, (120, 110), (300, 60)),
        row(180, (61, 10), (120, 70), (300, 60)),
    ]
    (place,) = lone_places(rows)
    assert (place.left, place.right) == (60 - 16, 69 + 16)
    assert place.top < 140
    assert place.bottom > 156


def test_nothing_is_missing_where_each_row_has_it_or_no_column_is_made() -> None:
    full = [row(100 + 40 * number, (60, 9), (120, 90)) for number in range(3)]
    assert lone_places(full) == []
    # One short text makes no column, a long one is seen by the detector, a line of its own is no row.
    assert lone_places([row(100, (60, 9), (120, 90)), row(140, (120, 90), (300, 60))]) == []
    assert lone_places([row(100, (60, 90), (300, 60)), row(140, (300, 60), (500, 60)), row(180, (60, 90))]) == []
    assert lone_places([row(100, (60, 9), (120, 90)), row(140, (300, 60)), row(180, (60, 9), (120, 90))]) == []
    assert lone_places([]) == []
