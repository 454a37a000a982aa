from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from debriefer.media.slide import Change, Slide
from debriefer.media.speech import Segment, Transcript, Word
from debriefer.media.timeline import Said, Shown, interleave, units_of

PIXELS = np.zeros((1, 1, 3), np.uint8)
TIMES = st.floats(0, 60, allow_nan=False).map(lambda value: round(value, 3))


def slides(*starts: float) -> list[Slide]:
    ends = [*starts, 100.0][1:]
    return [
        Slide(index, start, end, start, PIXELS, None, Change.CUT)
        for index, (start, end) in enumerate(zip(starts, ends, strict=True))
    ]


def spoken(*words: tuple[float, float, str]) -> Transcript:
    made = tuple(Word(start, end, text) for start, end, text in words)
    return Transcript((Segment(made[0].start, made[-1].end, "".join(word.text for word in made), made),))


@st.composite
def segments(draw: st.DrawFn) -> Segment:
    start = draw(TIMES)
    count = draw(st.integers(0, 5))
    words = []
    for number in range(count):
        begin = draw(TIMES)
        words.append(Word(begin, begin + draw(st.floats(0, 3)), f" w{number}"))
    return Segment(start, start + draw(st.floats(0, 9)), " text of it", tuple(words))


TRANSCRIPTS = st.lists(segments(), max_size=6).map(lambda parts: Transcript(tuple(parts)))
STARTS = st.lists(TIMES, max_size=8, unique=True).map(sorted)


@given(STARTS, TRANSCRIPTS)
def test_every_word_and_every_slide_comes_exactly_once(starts: list[float], transcript: Transcript) -> None:
    items = interleave(slides(*starts), transcript)
    ranges = [item.units for item in items if isinstance(item, Said)]
    assert [place for first, behind in ranges for place in range(first, behind)] == list(
        range(len(units_of(transcript)))
    )
    assert [item.slide for item in items if isinstance(item, Shown)] == list(range(len(starts)))


@given(STARTS, TRANSCRIPTS)
def test_items_are_in_the_order_of_time_and_do_not_overlap(starts: list[float], transcript: Transcript) -> None:
    items = interleave(slides(*starts), transcript)
    for before, after in itertools.pairwise(items):
        end = before.t_end if isinstance(before, Said) else before.t_start
        assert end <= after.t_start
    assert all(item.t_start <= item.t_end for item in items)


@given(STARTS, TRANSCRIPTS)
def test_a_slide_stands_before_the_first_word_whose_midpoint_is_not_before_it(
    starts: list[float], transcript: Transcript
) -> None:
    units = units_of(transcript)
    heard = 0
    for item in interleave(slides(*starts), transcript):
        if isinstance(item, Said):
            heard = item.units[1]
            continue
        expected = next((place for place, unit in enumerate(units) if unit.midpoint >= item.t_start), len(units))
        assert heard == expected


@given(STARTS, TRANSCRIPTS)
def test_narration_between_two_slides_is_one_block(starts: list[float], transcript: Transcript) -> None:
    items = interleave(slides(*starts), transcript)
    assert not any(isinstance(a, Said) and isinstance(b, Said) for a, b in itertools.pairwise(items))


def test_a_word_across_the_change_goes_where_its_middle_is() -> None:
    items = interleave(slides(0.0, 2.0), spoken((0.5, 1.0, "one"), (1.4, 2.4, " two"), (1.9, 2.3, " three")))
    assert [(item.text if isinstance(item, Said) else item.slide) for item in items] == [0, "one two", 1, "three"]
    assert isinstance(items[1], Said)
    assert items[1].t_end == 2.0, "the block ends where the slide changes"


def test_a_segment_without_words_is_one_unit() -> None:
    transcript = Transcript((Segment(1.0, 9.0, "all of this is said at once"),))
    items = interleave(slides(0.0, 4.0, 6.0), transcript)
    assert [item.text if isinstance(item, Said) else item.slide for item in items] == [
        0,
        1,
        "all of this is said at once",
        2,
    ]


def test_segments_are_joined_with_a_space_but_not_between_hanzi() -> None:
    english = Transcript((Segment(0, 1, "One.", (Word(0, 1, "One."),)), Segment(1, 2, "Two", (Word(1, 2, "Two"),))))
    chinese = Transcript((Segment(0, 1, "你好", (Word(0, 1, "你好"),)), Segment(1, 2, "世界", (Word(1, 2, "世界"),))))
    (first,), (second,) = interleave([], english), interleave([], chinese)
    assert isinstance(first, Said)
    assert isinstance(second, Said)
    assert (first.text, second.text) == ("One. Two", "你好世界")
