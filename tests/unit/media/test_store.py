from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from debriefer.catalog import Catalog
from debriefer.errors import MediaError
from debriefer.media.briefing import Briefing, Makers, brief
from debriefer.media.evidence import write_evidence
from debriefer.media.retrieval import TextIndex, terms
from debriefer.media.sampling import Policy, StoredFrames
from debriefer.media.select import select
from debriefer.media.slide import Slides
from debriefer.media.speech import Transcript
from debriefer.media.store import SCHEMAS, VideoStore
from debriefer.media.video_input import passages, transcript_dict, transcript_from, video_input, write_input
from debriefer.side_names import VIDEO_FILE
from debriefer.task import Task
from debriefer.workbench import Workbench
from tests.doubles.videos import FixedLayout, FixedListener, FixedSlides, write_video

COLORS = ((200, 0, 0), (0, 0, 200), (200, 0, 0))


@pytest.fixture
def video(tmp_path: Path) -> Path:
    return write_video(tmp_path / "briefing.mp4", COLORS)


@pytest.fixture
def briefing(video: Path, tmp_path: Path) -> Briefing:
    (tmp_path / "out").mkdir()
    return brief(video, tmp_path / "out", Makers(FixedSlides(), FixedLayout(), FixedListener()), hotwords=("profit",))


@pytest.fixture
def store(briefing: Briefing, tmp_path: Path) -> VideoStore:
    return VideoStore.write(briefing, tmp_path / "out" / "store", tmp_path / "out")


def test_a_revisit_points_to_the_earlier_picture_and_is_not_read_again(video: Path, tmp_path: Path) -> None:
    layout = FixedLayout()
    made = brief(video, tmp_path, Makers(FixedSlides(), layout, FixedListener()))
    assert [view.picture for view in made.views] == [
        "slide_01_t000.20.png",
        "slide_02_t001.20.png",
        "slide_01_t000.20.png",
    ]
    assert made.views[2].revisit_of == 1
    assert len(layout.runs) == 2
    assert sorted(path.name for path in tmp_path.glob("*.png")) == ["slide_01_t000.20.png", "slide_02_t001.20.png"]


def test_the_published_keys_are_written_with_relative_paths(briefing: Briefing, tmp_path: Path) -> None:
    write_input(briefing, tmp_path / "out")
    text = (tmp_path / "out" / "video_input.json").read_text(encoding="utf-8")
    values = json.loads(text)
    published = {"video", "language", "initial_prompt", "frames", "transcript", "hiccup", "timeline"}
    assert published <= set(values)
    assert str(tmp_path) not in text
    assert [frame["path"] for frame in values["frames"]] == [view.picture for view in briefing.views]
    assert all({"index", "t", "path", "burst_start", "burst_end"} <= set(frame) for frame in values["frames"])
    assert all((tmp_path / "out" / path).is_file() for path in values["hiccup"])
    assert [(item["type"], item.get("slide", item.get("text"))) for item in values["timeline"]] == [
        ("frame", 1), ("speech", "Profit is"), ("frame", 2), ("speech", "up."), ("frame", 3),
    ]  # fmt: skip
    assert "Profit by region" in (tmp_path / "out" / "timeline.txt").read_text(encoding="utf-8")


def test_a_judge_is_shown_the_slide_that_its_question_is_about(briefing: Briefing) -> None:
    made = passages(video_input(briefing))
    assert [passage.heading for passage in made] == [
        "slide 1 at 0.0 s", "narration 0.4-1.0 s", "slide 2 at 1.0 s", "narration 1.2-1.6 s", "slide 3 at 2.0 s",
    ]  # fmt: skip
    assert (made[2].title, made[4].text) == ("Summary", "(slide 1 again)")
    chosen = select(made, "Which summary is shown?", 45)
    assert 2 in chosen.whole
    assert 0 not in chosen.whole


def test_a_transcript_comes_back_from_its_json(briefing: Briefing) -> None:
    values = json.loads(json.dumps(transcript_dict(briefing.transcript)))
    assert transcript_from(values) == briefing.transcript


def test_every_table_of_the_store_can_be_read_even_when_empty(store: VideoStore) -> None:
    for table, columns in SCHEMAS.items():
        described = [row[0] for row in store.sql(f"DESCRIBE {table}")]
        assert described == list(columns)
    assert store.sql("SELECT count(*) FROM call") == [(0,)]
    assert store.sql("SELECT slide_id, representative_of FROM frame ORDER BY id") == [
        (1, None),
        (2, None),
        (3, "slide-0001"),
    ]
    assert store.sql("SELECT text, role, state FROM text WHERE source = 'ocr' ORDER BY id LIMIT 4") == [
        ("Profit by region", "h1", None), ("Region", "th", None), ("Net profit", "th", None), ("North", "td", "selected"),
    ]  # fmt: skip


def test_a_later_stage_adds_a_part(store: VideoStore) -> None:
    store.append("call", [{"key": "k1", "model": "m", "tokens": 7}])
    store.append("call", [{"key": "k2", "model": "m", "tokens": 8}])
    assert store.sql("SELECT key, tokens FROM call ORDER BY key") == [("k1", 7), ("k2", 8)]
    with pytest.raises(MediaError, match="no store"):
        VideoStore.open(store.folder / "nothing")


def test_texts_are_found_by_words_and_pairs_of_hanzi(store: VideoStore) -> None:
    index = TextIndex(store)
    assert index.search("profit of the region")[0].text == "Profit by region"
    assert [hit.text for hit in index.search("profits", sources=["asr"])] == ["Profit is up."]
    assert index.search("Summary", within=[(0.0, 0.5)]) == ()
    assert terms("净利润率") == ["净利", "利润", "润率"]


def test_stored_pictures_and_decoded_frames_keep_to_the_budget(store: VideoStore, video: Path) -> None:
    frames = StoredFrames(store, video)
    stored = frames.sample([(0.0, 3.0)], budget=5, max_side=32)
    assert [time for time, _ in stored] == [0.2, 1.2]
    assert {image.shape for _, image in stored} == {(24, 32, 3)}
    decoded = frames.sample([(0.0, 1.0), (2.0, 3.0)], budget=4, max_side=640, policy=Policy.UNIFORM)
    # Five frames a second: what is on screen at 0.25, 0.75, 2.25 and 2.75 s.
    assert [round(time, 3) for time, _ in decoded] == [0.2, 0.6, 2.2, 2.6]
    assert all(np.abs(image[24, 32].astype(int) - (200, 0, 0)).max() < 12 for _, image in decoded)
    assert frames.sample([(2.5, 2.6)], 5, 640)[0][0] == 0.2, "a revisit shows the earlier picture"


def test_evidence_can_be_asked_beside_the_tasks_tables(store: VideoStore, task_with, tmp_path: Path) -> None:  # noqa: ANN001
    folder = task_with(csv={"regions.csv": "region,profit\nNorth,12.5\nSouth,8\n"})
    work = tmp_path / "work"
    (work / "workdir").mkdir(parents=True)
    names = write_evidence({"video/briefing.mp4": store}, work / "workdir" / VIDEO_FILE)
    assert names == ("video_slides", "video_text", "video_tables", "narration", "video_table_1_1")
    with Catalog.build(folder, work / "workdir" / "catalog.duckdb") as catalog:
        query = 'SELECT r.region FROM regions r JOIN video_table_1_1 v ON v."Region" = r.region WHERE v."Net profit" <> r.profit'
        assert catalog.sql(query).rows() == [("South",)]
        assert (
            catalog.sql(
                "SELECT text FROM video.video_tables WHERE state = 'selected' AND column_name = 'Net profit'"
            ).item()
            == "12.5"
        )
        assert catalog.sql("SELECT slide, revisit_of FROM video_slides ORDER BY 1").rows() == [
            (1, None),
            (2, None),
            (3, 1),
        ]
        assert catalog.sql("SELECT text, slide FROM narration").rows() == [("Profit is up.", 2)]
        assert [column.sql_type for column in catalog.table("video_table_1_1").columns] == ["VARCHAR", "DOUBLE"]
        assert [table.name for table in catalog.source_tables] == ["regions"]
        with pytest.raises(Exception, match="read-only"):
            catalog._connection.execute("DELETE FROM video.narration")
        with Catalog.open(catalog.path) as again:
            assert again.sql("SELECT count(*) FROM video_slides").item() == 3


def test_a_solver_reads_the_evidence_and_cannot_write_it(store: VideoStore, task_with, tmp_path: Path) -> None:  # noqa: ANN001
    copy = Task.open(task_with(csv={"regions.csv": "region,profit\nNorth,12.5\n"})).working_copy(tmp_path / "work")
    workdir = copy.folder / "workdir"
    write_evidence({"video/briefing.mp4": store}, workdir / VIDEO_FILE)
    Catalog.build(copy, workdir / "catalog.duckdb").close()
    with Workbench.create(copy.folder) as bench:
        assert "video_table_1_1: 2 rows" in bench.explore_data("\\tables")
        result = bench.write_query('SELECT "Region" FROM video_table_1_1 ORDER BY 1', comment="test")
        assert result.status == "OK", result
        assert bench.prediction_path.read_text(encoding="utf-8").split() == ["Region", "North", "South"]


def test_a_task_table_of_the_same_name_goes_first(store: VideoStore, task_with, tmp_path: Path) -> None:  # noqa: ANN001
    folder = task_with(csv={"narration.csv": "line\nmine\n"})
    write_evidence({"v.mp4": store}, tmp_path / VIDEO_FILE)
    with Catalog.build(folder, tmp_path / "catalog.duckdb") as catalog:
        assert catalog.sql("SELECT line FROM narration").item() == "mine"
        assert catalog.table("narration").kind == "delimited"
        assert catalog.sql("SELECT text FROM video.narration").item() == "Profit is up."
        (note,) = [note for note in catalog.notes if note.code == "hidden-evidence"]
        assert (note.source, note.table) == ("v.mp4", "narration")
        assert "`video.narration`" in note.message


def test_without_slides_there_is_narration_and_without_both_an_error(video: Path, tmp_path: Path) -> None:
    def blind(path: Path) -> Slides:
        message = f"`{path}` has no video stream"
        raise MediaError(message)

    made = brief(video, tmp_path, Makers(blind, None, FixedListener()))
    assert made.views == ()
    assert "no video stream" in made.reason
    assert [item.text for item in made.timeline] == ["Profit is up."]  # type: ignore[union-attr]
    with pytest.raises(MediaError, match="no video stream"):
        brief(video, tmp_path, Makers(blind, None, FixedListener(reason="no audio track")))


def test_a_layout_that_fails_costs_its_slide_alone(video: Path, tmp_path: Path) -> None:
    class Failing(FixedLayout):
        def read(self, image):  # noqa: ANN001, ANN202
            if image[0, 0, 0] < 100:
                message = "the engine broke"
                raise RuntimeError(message)
            return super().read(image)

    made = brief(video, tmp_path, Makers(FixedSlides(), Failing(), FixedListener()))
    assert [view.note for view in made.views] == [None, "no layout: the engine broke", None]
    assert made.transcript != Transcript()


def test_slides_of_one_video_are_read_as_a_series(video: Path, tmp_path: Path) -> None:
    class Starting(FixedLayout):
        def series(self) -> FixedLayout:
            return started

    whole, started = Starting(), FixedLayout()
    brief(video, tmp_path, Makers(FixedSlides(), whole, FixedListener()))
    assert (whole.runs, len(started.runs)) == ([], 2)


def test_spans_cover_what_is_shown_where_the_first_picture_comes_late(briefing: Briefing, tmp_path: Path) -> None:
    late = replace(
        briefing,
        views=tuple(replace(view, t_start=view.t_start + 370, t_end=view.t_end + 370) for view in briefing.views),
        transcript=Transcript(reason="silence"),
    )
    store = VideoStore.write(late, tmp_path / "late", tmp_path / "out")
    spans = store.sql("SELECT id, t0, t1, parent FROM span")
    assert {parent for *_, parent in spans if parent} <= {name for name, *_ in spans}
    assert min(t0 for _, t0, _, _ in spans) == 300
    assert max(t1 for _, _, t1, _ in spans) == 373
