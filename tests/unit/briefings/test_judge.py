"""The judge itself is judged: a perfect detector gets full marks, each fault costs what it should."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import av
import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks.briefings import hearing, reading
from benchmarks.briefings.film import Film
from benchmarks.briefings.judge import Judge
from benchmarks.briefings.kinds import script
from benchmarks.briefings.manifest import Manifest, Narration, Picture, SpokenSegment, SpokenWord, State, Text
from debriefer.media.slide import Box
from debriefer.media.speech import Segment, Transcript, Word
from debriefer.media.tree import Node, Tag

Perfect = "tuple[Judge, Manifest, list[Shown]]"


@dataclass(frozen=True)
class Shown:
    t_start: float
    t_frame: float
    image: NDArray[np.uint8]
    revisit_of: int | None = None


@pytest.fixture(scope="session")
def perfect(digit_video: tuple[Path, Manifest]) -> tuple[Judge, Manifest, list[Shown]]:
    """What a detector without faults gives: for each state a frame from the middle of its stillness."""
    folder, manifest = digit_video
    slides = []
    with av.open(str(folder / manifest.video)) as container:
        frames = list(container.decode(video=0))
    for state in manifest.states:
        frame = [frame for frame in frames if frame.time <= (state.stable + state.end) / 2][-1]
        slides.append(Shown(state.begin, frame.time, frame.to_ndarray(format="rgb24"), state.revisit_of))
    return Judge(folder, manifest), manifest, slides


def test_a_perfect_detector_gets_full_marks(perfect: Perfect) -> None:
    judge, _, perfect_slides = perfect
    score = judge.score(perfect_slides)
    assert score.state_recall == 1.0
    assert score.one_cell_recall == 1.0
    assert score.duplicate_share == 0.0
    assert score.mid_transition == 0
    assert score.time_error_p95 == pytest.approx(0.0)


def test_a_frame_of_another_digit_does_not_count(perfect: Perfect) -> None:
    judge, manifest, perfect_slides = perfect
    slides = list(perfect_slides)
    digit = next(state.index for state in manifest.states if state.watch == "digit")
    # The right time with the picture of the state before: what it shows decides.
    slides[digit] = replace(slides[digit], image=slides[digit - 1].image)
    score = judge.score(slides)
    assert score.found == score.required - 1
    assert score.duplicates == 1
    assert score.changes_caught == score.changes - 2


def test_what_the_encoder_blurs_is_not_the_detectors_fault(perfect: Perfect) -> None:
    given, manifest, slides = perfect
    judge = Judge.of_pictures(given._pictures, manifest)
    content = manifest.states[0].content
    blurred = slides[0].image.copy()
    for text in manifest.pictures[content].texts[-1:]:
        left, top, right, bottom = text.box
        blurred[top:bottom, left:right] = cv2.GaussianBlur(blurred[top:bottom, left:right], (0, 0), 2)
    assert judge.shows(blurred, slides[0].t_frame) is None
    assert judge.allow_for_coding(content, blurred, slides[0].t_frame)
    assert judge.shows(blurred, slides[0].t_frame) == content
    # Half of one slide and half of another stays what it is.
    ghost = (slides[0].image // 2 + slides[-1].image // 2).astype(np.uint8)
    assert not judge.allow_for_coding(content, ghost, slides[0].t_frame)
    assert judge.shows(ghost, slides[0].t_frame) is None


def test_one_frame_for_the_whole_video_finds_one_state(perfect: Perfect) -> None:
    judge, _manifest, perfect_slides = perfect
    score = judge.score(perfect_slides[:1])
    assert score.found == 1
    assert score.changes_caught == 0


def test_noise_and_grey_show_nothing(perfect: Perfect) -> None:
    judge, _manifest, _perfect_slides = perfect
    noise = np.random.default_rng(1).integers(0, 255, (720, 1280, 3), dtype=np.uint8)
    grey = np.full((720, 1280, 3), 245, np.uint8)
    small = np.zeros((360, 640, 3), np.uint8)
    score = judge.score([Shown(0.0, 0.0, image) for image in (noise, grey, small)])
    assert score.mid_transition == 3
    assert score.state_recall == 0.0


def test_the_same_slide_twice_is_a_duplicate_unless_it_says_so(perfect: Perfect) -> None:
    judge, _manifest, perfect_slides = perfect
    first = perfect_slides[0]
    assert judge.score([first, first]).duplicate_share == 0.5
    assert judge.score([first, replace(first, revisit_of=0)]).duplicates == 0


def test_a_false_return_loses_what_it_shows(perfect: Perfect) -> None:
    judge, _manifest, perfect_slides = perfect
    slides = list(perfect_slides)
    slides[-1] = replace(slides[-1], revisit_of=0)
    score = judge.score(slides)
    assert score.false_revisits == 1
    assert score.found == score.required - 1


@pytest.mark.parametrize(
    ("entry", "share"), [("fade", 0.3), ("fade", 0.5), ("fade", 0.7), ("push", 0.5), ("push", 0.9)]
)
def test_a_frame_within_a_change_is_in_mid_transition(perfect: Perfect, entry: str, share: float) -> None:
    judge, _, slides = perfect
    old, new = slides[0].image, slides[1].image
    if entry == "fade":
        image = (old * (1 - share) + new * share).astype(np.uint8)
    else:
        shift = round(share * 1280)
        image = np.concatenate((old[:, shift:], new[:, :shift]), axis=1)
    assert judge.shows(image, 3.0) is None


def test_what_moves_does_not_count() -> None:
    made = Film(script("busy", 1, "zh"), None)
    assert {live.kind for live in made.live} == {"head", "clock"}
    box = made.live[0].box
    image = made.drawn[0].image.copy()
    image[box[1] : box[3], box[0] : box[2]] = 255
    judge = Judge.of_pictures([drawn.image for drawn in made.drawn], _manifest_of(made))
    assert judge.shows(image, 0.0) == 0
    image[200:420, 100:900] = 255
    assert judge.shows(image, 0.0) is None


def _manifest_of(made: Film) -> Manifest:
    return Manifest(
        "busy", "v.mp4", "busy", 1, "zh", "", "h264", "vfr", *made.size, made.duration, 1,
        tuple(Picture("", drawn.texts, drawn.tables) for drawn in made.drawn), tuple(made.states), made.live,
        made.cursor, made.cursor_size, Narration(), None,  # type: ignore[arg-type]
    )  # fmt: skip


def test_a_late_begin_is_measured_and_a_merged_build_up_is_not_late() -> None:
    made = Film(script("bullets", 1, "en"), None)
    judge = Judge.of_pictures([drawn.image for drawn in made.drawn], _manifest_of(made))
    states = [state for state in made.states if state.slide == 100]
    last = states[-1]

    def errors(start: float, *earlier: State) -> list[float]:
        slides = [Shown(state.begin, state.stable, made.drawn[state.content].image) for state in earlier]
        slides.append(Shown(start, last.stable + 0.5, made.drawn[last.content].image))
        return judge.score(slides).time_errors

    assert errors(last.begin) == pytest.approx([0.0])
    assert errors(states[0].begin) == pytest.approx([0.0])
    assert errors(last.begin + 0.5) == pytest.approx([0.5])
    # Once the first bullet was given by itself, the rest cannot begin with it.
    assert errors(states[0].begin, states[0]) == pytest.approx([0.0, states[1].begin - states[0].begin])


PICTURE = Picture(
    "",
    (
        Text("Net lending", (100, 100, 220, 120), "label"),
        Text("482.31", (100, 140, 180, 165), "value"),
        Text("***", (300, 140, 340, 165), "value", ("masked",)),
    ),
    (),
)


def leaf(text: str, box: tuple[int, int, int, int], tag: Tag = Tag.VALUE) -> Node:
    return Node(tag, text, box=Box(*box), confidence=1.0)


def test_reading_counts_letters_and_forgives_how_lines_are_cut() -> None:
    right = Node(Tag.PAGE, children=(leaf("Net", (100, 100, 140, 120)), leaf("lending", (150, 100, 220, 120)),
                                     leaf("482.31", (99, 138, 181, 167)), leaf("*****", (299, 139, 342, 166))))  # fmt: skip
    assert (reading.judge(right, PICTURE).letters, reading.judge(right, PICTURE).edits) == (20, 0)
    glued = replace(right, children=(leaf("Netlending", (100, 100, 220, 120)), *right.children[2:]))
    assert reading.judge(glued, PICTURE).edits == 1
    wrong = replace(right, children=(*right.children[:2], leaf("432.37", (99, 138, 181, 167)), right.children[3]))
    assert reading.judge(wrong, PICTURE).edits == 2
    assert reading.judge(Node(Tag.PAGE), PICTURE).edits == 20
    more = replace(right, children=(*right.children, leaf("ghost", (600, 600, 660, 620))))
    assert reading.judge(more, PICTURE).edits == 5
    assert reading.judge(more, PICTURE, [(590, 590, 700, 640)]).edits == 0


def test_cells_count_in_their_row_and_column() -> None:
    drawn = Film(script("ranking", 1, "en"), None).drawn[2]
    table = drawn.tables[0]
    picture = Picture("", drawn.texts, drawn.tables)

    def tree(rows: list[list[str]]) -> Node:
        lines = tuple(
            Node(Tag.TABLE_ROW, children=tuple(leaf(text, table.box, Tag.TABLE_CELL) for text in row)) for row in rows
        )
        return Node(Tag.PAGE, children=(Node(Tag.TABLE, children=lines, box=Box(*table.box)),))

    rows = [[cell.text for cell in row] for row in table.rows]
    count = sum(map(len, rows))
    assert reading.judge(tree(rows), picture).cells_right == count == reading.judge(tree(rows), picture).cells
    assert reading.judge(tree(rows[:-1]), picture).cells_right == count - len(rows[0])
    assert reading.judge(tree([["caption", *[""] * (len(rows[0]) - 1)], *rows]), picture).cells_right == count
    assert reading.judge(tree([[*row[1:], row[0]] for row in rows]), picture).cells_right == 0
    assert reading.judge(Node(Tag.PAGE), picture).cells_right == 0


def test_hearing_measures_midpoints_of_the_words_that_were_heard() -> None:
    narration = Narration(
        "en",
        "espeak-ng",
        (SpokenSegment("Please exclude it from the list", 0.0, 3.0),),
        tuple(SpokenWord(text, start, start + 0.4) for text, start in
              (("Please", 0.0), ("exclude", 0.5), ("it", 1.0), ("from the", 1.5), ("list", 2.0))),
    )  # fmt: skip
    words = tuple(Word(start, start + 0.4, text) for text, start in
                  ((" Please", 0.1), (" include", 0.5), (" it", 1.0), (" from", 1.5), (" the", 1.7), (" list.", 2.2)))  # fmt: skip
    result = hearing.judge(Transcript((Segment(0.0, 3.0, "…", words),), "en"), narration)
    assert (result.words, result.matched) == (6, 5)
    assert result.errors == pytest.approx([0.1, 0.0, 0.2])
    chinese = Narration("zh", "clip.wav", (SpokenSegment("广州市房地产", 0.0, 2.0),))
    heard = hearing.judge(Transcript((Segment(0.0, 2.0, "广州是房地产。"),), "zh"), chinese)
    assert (heard.letters, heard.edits) == (6, 1)
