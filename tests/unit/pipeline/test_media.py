from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import pytest

from debriefer.catalog import Catalog
from debriefer.cli import video as command
from debriefer.cli.app import application
from debriefer.errors import MediaError
from debriefer.media.briefing import Makers
from debriefer.media.slide import Slides
from debriefer.pipeline import MediaSettings, MediaStage, RunSettings, default_registry
from debriefer.pipeline.cache import Cache
from debriefer.pipeline.makers import makers_of
from debriefer.pipeline.stages import StageRun
from debriefer.task import Task
from dspy_programs.solver import Narration, Slide
from tests.doubles.videos import FixedLayout, FixedListener, FixedSlides, write_video

COLORS = ((200, 0, 0), (0, 0, 200), (200, 0, 0))
QUESTION = "What is the net profit of “North”?"


@dataclass
class Fixed:
    """The three stand-ins, shared by all runs of a test."""

    slides: FixedSlides = field(default_factory=FixedSlides)
    layout: FixedLayout = field(default_factory=FixedLayout)
    listener: FixedListener = field(default_factory=FixedListener)

    def makers(self, *_: object) -> Makers:
        return Makers(self.slides, self.layout, self.listener)


@pytest.fixture
def with_videos(task_with: Callable[..., Path], tmp_path: Path) -> Callable[..., Task]:
    def build(*names: str) -> Task:
        source = write_video(tmp_path / "source.mp4", COLORS).read_bytes()
        folder = task_with(question=QUESTION, csv={"a.csv": "region\nNorth\n"}, other=dict.fromkeys(names, source))
        return Task.open(folder).working_copy(tmp_path / "work")

    return build


def taken(task: Task, fixed: Fixed, cache: Path) -> StageRun:
    run = StageRun(default_registry().with_stages(MediaStage(makers=fixed.makers)), task, cache=Cache(cache))
    run.run()
    return run


def state(run: StageRun) -> tuple[str, str | None]:
    return next((record.state, record.reason) for record in run.records if record.name == "media")


def test_a_second_run_decodes_nothing(with_videos: Callable[..., Task], tmp_path: Path) -> None:
    task, fixed = with_videos("video/briefing.mp4"), Fixed()
    assert state(taken(task, fixed, tmp_path / "cache")) == ("done", None)
    assert state(taken(task, fixed, tmp_path / "cache")) == ("cached", None)
    assert (len(fixed.slides.runs), len(fixed.layout.runs), len(fixed.listener.runs)) == (1, 2, 1)
    assert fixed.listener.runs == [("North",)], "the listener is told what the question names"


def test_the_timeline_and_the_tables_are_laid_into_the_working_copy(
    with_videos: Callable[..., Task], tmp_path: Path
) -> None:
    task = with_videos("video/briefing.mp4")
    run = taken(task, Fixed(), tmp_path / "cache")
    frames = task.folder / "workdir" / "_video_frames"
    values = json.loads((frames / "video_input.json").read_text(encoding="utf-8"))
    assert values["video"] == "video/briefing.mp4"
    assert (frames / "timeline.txt").is_file()
    assert all((frames / frame["path"]).is_file() for frame in values["frames"])
    with Catalog.open(task.folder / "workdir" / "catalog.duckdb") as catalog:
        assert catalog.sql('SELECT "Net profit" FROM a JOIN video_table_1_1 v ON v."Region" = a.region').item() == 12.5
    timeline = run.findings().timeline
    assert timeline is not None
    assert [type(item) for item in timeline.items] == [Slide, Narration, Slide, Narration, Slide]
    first, last = timeline.items[0], timeline.items[-1]
    assert Path(first.image).is_file(), "pictures are read when they are shown"
    shown = timeline.with_pictures().items
    assert shown[0].image.startswith("data:image/png;base64,")
    assert shown[1:2] == timeline.items[1:2]
    Path(first.image).rename(tmp_path / "moved.png")
    assert timeline.with_pictures().items[0].image is None
    assert (last.image, last.layout) == (None, "(slide 1 again)")


def test_several_videos_come_in_the_order_of_names_with_the_published_one_first(
    with_videos: Callable[..., Task], tmp_path: Path
) -> None:
    task = with_videos("media/a tour.MP4", "video/briefing.mp4", "video/extra.mp4")
    run = taken(task, Fixed(), tmp_path / "cache")
    order = [video["video"] for video in run.products["media"].value["videos"]]
    assert order == ["video/briefing.mp4", "media/a tour.MP4", "video/extra.mp4"]
    assert (task.folder / "workdir" / "_video_frames" / "2" / "video_input.json").is_file()
    with Catalog.open(task.folder / "workdir" / "catalog.duckdb") as catalog:
        assert catalog.sql("SELECT DISTINCT video FROM video_slides ORDER BY 1").rows() == [
            (name,) for name in sorted(order)
        ]
        assert "video2_table_1_1" in catalog.tables
    timeline = run.findings().timeline
    assert timeline is not None
    assert any("of video 2, media/a tour.MP4" in block.get("text", "") for block in timeline.format())


def test_a_broken_video_costs_itself_alone(with_videos: Callable[..., Task], tmp_path: Path) -> None:
    task, fixed = with_videos("video/a.mp4", "video/b.mp4"), Fixed(listener=FixedListener(reason="silence"))
    (task.context / "video" / "a.mp4").write_bytes(b"")
    run = taken(task, fixed, tmp_path / "cache")
    product = run.products["media"].value
    (refused,) = product["refused"]
    assert refused.startswith("video/a.mp4: `context/video/a.mp4` cannot be opened")
    assert [video["slides"] for video in product["videos"]] == [3]


def test_narration_that_failed_for_a_passing_reason_is_tried_again(
    with_videos: Callable[..., Task], tmp_path: Path
) -> None:
    task = with_videos("video/briefing.mp4")
    down = Fixed(listener=FixedListener(reason="the endpoint is down", passing=True))
    assert taken(task, down, tmp_path / "cache").products["media"].value["videos"][0]["words"] == 0
    up = Fixed()
    assert taken(task, up, tmp_path / "cache").products["media"].value["videos"][0]["words"] == 3
    assert taken(task, up, tmp_path / "cache").records[0].state == "cached"


def test_a_video_is_found_by_its_content(with_videos: Callable[..., Task], tmp_path: Path) -> None:
    task = with_videos("media/recording.bin")
    run = taken(task, Fixed(), tmp_path / "cache")
    assert state(run) == ("done", None)
    assert [video["video"] for video in run.products["media"].value["videos"]] == ["media/recording.bin"]


def test_the_task_goes_on_where_no_video_can_be_read(with_videos: Callable[..., Task]) -> None:
    task = with_videos("video/briefing.mp4")

    def blind(path: Path) -> Slides:
        message = f"`{path.name}` has no video stream"
        raise MediaError(message)

    fixed = Fixed(listener=FixedListener(reason="no audio track"))
    run = StageRun(
        default_registry().with_stages(MediaStage(makers=lambda _: Makers(blind, None, fixed.listener))), task
    )
    run.run()
    assert state(run) == ("failed", "`briefing.mp4` has no video stream")
    assert "catalog" in run.products


def test_a_task_without_a_video_is_skipped_and_an_earlier_one_forgotten(
    with_videos: Callable[..., Task], tmp_path: Path
) -> None:
    task = with_videos("video/briefing.mp4")
    taken(task, Fixed(), tmp_path / "cache")
    (task.context / "video" / "briefing.mp4").unlink()
    assert state(taken(task, Fixed(), tmp_path / "cache")) == ("skipped", "the task has no video")
    assert not (task.folder / "workdir" / "video.duckdb").exists()
    assert not (task.folder / "workdir" / "_video_frames").exists()


def test_settings_come_back_from_json() -> None:
    settings = RunSettings(media=MediaSettings("none", "base"))
    assert RunSettings.from_dict(json.loads(json.dumps(settings.to_dict()))) == settings


def test_a_model_that_sees_must_be_there_when_it_is_asked_for() -> None:
    with pytest.raises(MediaError, match="needs a vision model"):
        makers_of(MediaSettings("vlm", "none"))


@pytest.fixture
def shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    """Run the command with stand-ins for what looks and listens."""
    fixed = Fixed()
    monkeypatch.setattr("debriefer.cli.video.makers_of", fixed.makers)

    def call(*arguments: str) -> int:
        try:
            application(["video"])(["video", *arguments], standalone_mode=False)
        except SystemExit as ended:
            return int(ended.code or 0)
        return len(fixed.slides.runs)

    del tmp_path
    return call


def test_the_command_prints_the_timeline_and_decodes_once(
    shown: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_video(tmp_path / "clip.mp4", COLORS)
    out = str(tmp_path / "out" / "clip")
    assert shown(str(path), "-o", out, "--contact-sheet") == 1
    printed = capsys.readouterr()
    assert printed.out.splitlines() == [
        "  0:00.0  slide 1  first  1.0 s  Profit by region",
        "  0:00.4    Profit is",
        "  0:01.0  slide 2  cut  1.0 s  Summary",
        "  0:01.2    up.",
        "  0:02.0  slide 3  slide 1 again  1.0 s  Profit by region",
    ]
    assert "slides: 3, 2 different, by decode: it is a test" in printed.err
    sheet = cv2.imread(str(tmp_path / "out" / "clip" / "contact-sheet.png"))
    assert sheet.shape[1] == 2 * 328 + 8
    assert shown(str(path), "-o", out, "--json") == 1, "the second call finds it in the cache"
    values = json.loads(capsys.readouterr().out)
    assert values["cached"]
    assert (values["slides"], values["words"]) == (3, 3)
    assert len(values["timeline"]) == 5


def test_the_command_touches_no_file_that_is_not_its_own(shown: Callable[..., int], tmp_path: Path) -> None:
    path = write_video(tmp_path / "clip.mp4", COLORS)
    out = tmp_path / "out"
    (out / "store").mkdir(parents=True)
    (out / "store" / "a.txt").write_text("mine")
    with pytest.raises(MediaError, match="is there and is not of an earlier"):
        shown(str(path), "-o", str(out))
    assert (out / "store" / "a.txt").read_text() == "mine"
    (out / "store" / "a.txt").unlink()
    (out / "store").rmdir()
    (out / "slide_notes.png").write_text("mine")
    shown(str(path), "-o", str(out))
    shown(str(path), "-o", str(out), "--no-cache")
    assert (out / "slide_notes.png").read_text() == "mine"
    assert (out / "store").is_dir()


def test_the_command_names_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="does not exist"):
        application(["video"])(["video", str(tmp_path / "none.mp4")], standalone_mode=False)


def test_times_are_minutes_and_seconds() -> None:
    assert command._clock(3_725.99) == " 62:05.9"
