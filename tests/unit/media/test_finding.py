from __future__ import annotations

from pathlib import Path

import pytest

from debriefer.media.film import Film
from debriefer.media.finding import Finder
from tests.doubles.films import ready_film

LINES = [
    (1.0, 3.0, "the boat leaves the harbour"),
    (20.0, 22.0, "the weather is fine over the hills"),
    (41.0, 43.0, "净利润增长了"),
    (60.0, 62.0, "the boat comes back to the harbour"),
]


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Film:
    return ready_film(tmp_path_factory.mktemp("film"), [10.0, 30.0, 30.0], LINES)


def test_moments_of_all_queries_come_in_order_of_time(film: Film) -> None:
    found = Finder(film).search(["boat harbour", "利润"])
    assert [(one.start, one.end) for one in found.moments] == [(0.0, 10.0), (37.0, 47.0), (56.0, 66.0)]
    assert found.strength == 1.0


def test_common_words_alone_find_nothing_beside_a_word_that_counts(film: Film) -> None:
    found = Finder(film).search(["the hills", "what is the weather like"])
    assert [(one.start, one.end) for one in found.moments] == [(16.0, 26.0)]


def test_a_query_that_nothing_fits_is_weak(film: Film) -> None:
    found = Finder(film).search(["zebra crossing the street"])
    assert found.strength <= 0.25


def test_a_search_stays_within_its_stretches_and_sources(film: Film) -> None:
    finder = Finder(film)
    assert [one.start for one in finder.search(["boat"], within=[(50.0, 70.0)]).moments] == [56.0]
    assert finder.search(["boat"], sources=["ocr"]).moments == ()
    assert finder.search([]).moments == ()


def test_what_is_added_is_found_once_it_is_taken_up(film: Film, tmp_path: Path) -> None:
    own = ready_film(tmp_path, [12.0])
    finder = Finder(own)
    assert finder.search(["lantern"]).moments == ()
    own.append("text", [{"id": "caption-1", "t0": 4.0, "t1": 6.0, "source": "caption", "text": "a green lantern"}])
    finder.renew()
    assert [one.why for one in finder.search(["lantern"]).moments] == [("caption: a green lantern",)]
    assert Finder(Film(own.folder)).search(["lantern"]).moments
    assert film.sql("SELECT count(*) FROM text WHERE source = 'caption'") == [(0,)]


def test_frames_for_a_cue_are_near_its_words_else_where_scenes_begin(film: Film) -> None:
    finder = Finder(film)
    (near, *_) = finder.frames_like("harbour", (55.0, 70.0), 3)
    assert near.pts == pytest.approx(60.0, abs=0.3)
    assert [frame.pts for frame in finder.frames_like("zebra", (0.0, 45.0), 5)] == pytest.approx(
        [0.6, 10.5, 40.5], abs=0.3
    )
    assert finder.frames_like("zebra", (500.0, 510.0), 5) == []
