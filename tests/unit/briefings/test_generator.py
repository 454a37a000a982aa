"""What the generator promises: the manifest is true of the video, to the frame and the pixel."""

from __future__ import annotations

import csv
import hashlib
import itertools
import json
from fractions import Fraction
from pathlib import Path

import av
import duckdb
import numpy as np
import pytest

from benchmarks.briefings.encode import CODECS, RATES
from benchmarks.briefings.film import Film
from benchmarks.briefings.kinds import KINDS, languages, script
from benchmarks.briefings.manifest import Box, CursorAt, Manifest, Narration, TaskTruth, cursor_box
from benchmarks.briefings.narration import spoken
from benchmarks.briefings.produce import Recipe, produce, recipes
from benchmarks.briefings.stories import DECOYS
from benchmarks.briefings.taskfolder import write

# The recipe of the fixture `digit_video`.
RECIPE = Recipe("one_digit", 2, "zh", "h264", "vfr")


def crossing(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def film(kind: str, seed: int) -> Film:
    return Film(script(kind, seed, languages(kind, [seed])[0]), Fraction(25))


def test_design_covers_each_kind_codec_and_rate_with_three_seeds() -> None:
    design = recipes(3)
    for values, of in ((KINDS, "kind"), (CODECS, "codec"), (RATES, "rate")):
        for value in values:
            assert {recipe.seed for recipe in design if getattr(recipe, of) == value} == {1, 2, 3}, value
    assert 0 < sum(recipe.full_hd for recipe in design) < len(design) / 4
    assert {recipe.language for recipe in design} == {"en", "zh"}
    assert len({recipe.name for recipe in design}) == len(design)


@pytest.mark.parametrize("kind", KINDS)
def test_texts_stand_apart_within_the_page_and_outside_live_regions(kind: str) -> None:
    made = film(kind, 1)
    width, height = made.size
    for drawn in made.drawn:
        for text in drawn.texts:
            left, top, right, bottom = text.box
            assert 0 <= left < right <= width, text
            assert 0 <= top < bottom <= height, text
            assert not any(crossing(text.box, live.box) for live in made.live), text
        for one, other in itertools.combinations(drawn.texts, 2):
            assert not crossing(one.box, other.box), (one, other)
        for table in drawn.tables:
            assert len({len(row) for row in table.rows}) == 1


def test_a_text_box_holds_all_the_ink_and_little_else() -> None:
    drawn = film("decoy_similar_metric", 1).drawn[2]
    for text in drawn.texts:
        left, top, right, bottom = text.box
        inside = drawn.image[top:bottom, left:right].astype(int)
        ground = drawn.image[top - 2, left - 2].astype(int)
        ink = np.abs(inside - ground).sum(axis=2) > 60
        assert ink.any(axis=1).sum() >= 0.7 * (bottom - top), text
        assert ink[:, :3].any(), text
        assert ink[:, -3:].any(), text


def test_states_follow_each_other_without_a_gap() -> None:
    for kind in ("fades", "quick", "bullets", "revisits"):
        made = film(kind, 2)
        assert made.states[0].begin == 0
        assert made.states[-1].end == pytest.approx(made.duration)
        for one, other in itertools.pairwise(made.states):
            assert one.begin <= one.stable < one.end == other.begin


def test_only_the_last_bullet_is_required_and_a_return_is_not() -> None:
    bullets = [state for state in film("bullets", 1).states if state.slide == 100]
    assert [state.required for state in bullets] == [False, False, False, False, True]
    returns = [state for state in film("revisits", 1).states if state.revisit_of is not None]
    assert len(returns) == 3
    assert not any(state.required for state in returns)


def test_one_digit_changes_stay_below_a_tenth_of_a_percent() -> None:
    for seed in (1, 2, 3):
        made = film("one_digit", seed)
        changes = [state for state in made.states if state.watch == "digit"]
        assert len(changes) == 6
        for state in changes:
            assert state.required
            assert state.changed is not None
            left, top, right, bottom = state.changed
            assert 0 < (right - left) * (bottom - top) / (1280 * 720) < 0.001


@pytest.mark.parametrize("name", DECOYS)
def test_decoy_looks_like_the_answer_and_is_not(name: str) -> None:
    for seed in (1, 2):
        made = script(f"decoy_{name}", seed, "en")
        assert [lead.kind for lead in made.leads] == [name]
        gold = {cell for row in made.question.gold for cell in row}
        assert made.leads[0].values
        assert not gold & set(made.leads[0].values) or name == "adjacent_table"
        assert (made.verdict == "RECOMPUTE") == (not made.shown)
        for page in (lead.page for lead in made.leads if lead.page is not None):
            assert any(step.page == page for step in made.steps)


def test_verdicts_of_all_kinds_occur() -> None:
    verdicts = {(script(kind, 1, "en").verdict, bool(script(kind, 1, "en").shown)) for kind in KINDS}
    assert verdicts >= {("ADOPT", True), ("ADOPT_AND_VERIFY", True), ("RECOMPUTE", False), ("RECOMPUTE", True)}


@pytest.mark.parametrize("kind", KINDS)
def test_gold_follows_from_the_tables_by_sql(kind: str, tmp_path: Path) -> None:
    language = languages(kind, [2])[0]
    manifest = _unfilmed(kind, 2, language)
    video = tmp_path / "v.mp4"
    video.write_bytes(b"")
    folder = write(manifest, video, tmp_path, "task_1")
    story = script(kind, 2, language).story
    connection = duckdb.connect()
    connection.execute(
        f"CREATE TABLE \"{story.words.records}\" AS FROM read_csv('{folder}/context/csv/{story.words.records}.csv')"
    )
    rows = [(item.entity, item.group, item.opened, item.status) for item in story.profiles]
    words = story.words
    connection.execute(
        f'CREATE TABLE "{words.profiles}" ("{words.entity}" TEXT, "{words.group}" TEXT, "{words.opened}" INT, '
        f'"{words.status}" TEXT)'
    )
    connection.executemany(f'INSERT INTO "{words.profiles}" VALUES (?, ?, ?, ?)', rows)
    found = connection.execute(manifest.task.gold_sql).fetchall()
    assert found
    assert [_cells(row) for row in found] == [_cells(row) for row in manifest.task.gold]
    with (tmp_path / "output/task_1/gold.csv").open(encoding="utf-8", newline="") as file:
        assert tuple(next(csv.reader(file))) == manifest.task.columns
    assert json.loads((folder / "task.json").read_text(encoding="utf-8"))["question"] == manifest.task.question


def _cells(row: tuple[object, ...]) -> list[object]:
    """Numbers as numbers: `831.80` and 831.8 are one value."""
    return [float(cell) if str(cell).replace(".", "", 1).isdigit() else cell for cell in row]


def _unfilmed(kind: str, seed: int, language: str) -> Manifest:
    made = script(kind, seed, language)
    question = made.question
    truth = TaskTruth(question.text, question.columns, question.gold, question.sql, made.verdict, bool(made.shown))
    return Manifest(
        "name", "v.mp4", kind, seed, language, made.theme, "h264", "25", 1280, 720, 1.0, 1, (), (), (), (), (0, 0),
        Narration(), truth,
    )  # fmt: skip


def test_the_same_recipe_gives_the_same_bytes(digit_video: tuple[Path, Manifest], tmp_path: Path) -> None:
    folder, manifest = digit_video
    again = produce(RECIPE, tmp_path)
    assert again == manifest
    for name in ("briefing.mp4", "manifest.json", manifest.pictures[0].file):
        one, other = (hashlib.sha256((where / name).read_bytes()).hexdigest() for where in (folder, tmp_path))
        assert one == other, name


def test_manifest_survives_json(digit_video: tuple[Path, Manifest]) -> None:
    folder, manifest = digit_video
    assert Manifest.load(folder / "manifest.json") == manifest


def test_every_begin_is_the_pts_of_a_frame_that_differs(digit_video: tuple[Path, Manifest]) -> None:
    folder, manifest = digit_video
    with av.open(str(folder / manifest.video)) as container:
        frames = [(frame.time, frame.to_ndarray(format="rgb24").astype(int)) for frame in container.decode(video=0)]
    times = [time for time, _ in frames]
    assert len(frames) == manifest.frames
    for state in manifest.states[1:]:
        place = min(range(len(times)), key=lambda index: abs(times[index] - state.begin))
        assert times[place] == pytest.approx(state.begin, abs=1e-3)
        left, top, right, bottom = state.changed or (0, 0, manifest.width, manifest.height)
        before, after = (frames[index][1][top:bottom, left:right] for index in (place - 1, place))
        assert np.abs(after - before).mean() > 8, state


def test_spoken_words_are_loud_and_pauses_are_not() -> None:
    sound = spoken([(0.2, "Please exclude the store, it is under review."), (4.0, "Thank you.")], 6.0, "en-us")
    if not hasattr(sound, "samples"):
        pytest.skip("espeak-ng is not installed")
    words = sound.narration.words
    assert " ".join(word.text for word in words) == "Please exclude the store it is under review Thank you"
    assert words[-2].start >= 4.0
    levels = np.abs(sound.samples.astype(float))
    for word in words:
        assert word.start < word.end
        assert levels[round(word.start * sound.rate) : round(word.end * sound.rate)].mean() > 300, word
    assert levels[: round(0.2 * sound.rate)].max() == 0
    assert levels[round(words[-1].end * sound.rate) + 20 :].max() < 0.011 * levels.max()


def test_cursor_rests_and_moves_in_a_line() -> None:
    path = (CursorAt(0.0, 100, 50), CursorAt(2.0, 100, 50), CursorAt(3.0, 200, 150))
    assert cursor_box(path, (10, 20), 1.0) == (100, 50, 110, 70)
    assert cursor_box(path, (10, 20), 2.5) == (150, 100, 160, 120)
    assert cursor_box(path, (10, 20), 9.0) == (200, 150, 210, 170)
