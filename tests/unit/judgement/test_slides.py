"""What the media stage laid, as a judge reads it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from debriefer.errors import MediaError
from debriefer.judgement import JudgedSpeech, prepared_video
from debriefer.judgement.check import slide_shows

CARD = '[:page [:card [:label "Total"] [:value "128.6"]]]'


def frame(number: int, layout: str | None = CARD, again: int | None = None) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "type": "frame",
        "t_start": number * 10.0,
        "t_end": number * 10.0,
        "slide": number,
        "path": f"frame_{number:04d}.png",
        "revisit_of": again,
    }
    return entry if layout is None else {**entry, "hiccup": layout}


def said(start: float, text: str) -> dict[str, Any]:
    return {"type": "speech", "t_start": start, "t_end": start + 2.0, "text": text}


def lay(folder: Path, *timeline: object, video: str = "video/briefing.mp4") -> None:
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"video": video, "timeline": list(timeline)}, ensure_ascii=False)
    (folder / "video_input.json").write_text(text, encoding="utf-8")


def test_slides_and_narration_keep_the_order_of_the_timeline(tmp_path: Path) -> None:
    lay(tmp_path / "_video_frames", frame(1), said(12.0, "旧批次，仅供参考"), frame(2))
    video = prepared_video(tmp_path)
    assert video is not None
    assert [slide.reference for slide in video.slides] == ["1", "2"]
    assert video.items[1] == JudgedSpeech(12.0, 14.0, "旧批次，仅供参考") == video.speech[0]
    assert video.slides[0].picture == tmp_path / "_video_frames" / "frame_0001.png"
    assert (video.slides[1].seconds, video.slides[1].video) == (20.0, "")
    assert slide_shows(video.slides[0], "128.6")


def test_a_revisit_points_to_the_earlier_slide_and_has_no_layout_of_its_own(tmp_path: Path) -> None:
    lay(tmp_path / "_video_frames", frame(1), frame(2, CARD, again=1))
    video = prepared_video(tmp_path)
    assert video is not None
    assert (video.slides[1].revisit_of, video.slides[1].layout, video.slides[1].tree) == (1, "", None)


@pytest.mark.parametrize("layout", [None, "", "   ", "no tree at all"])
def test_a_slide_without_a_readable_layout_stays_and_shows_nothing(tmp_path: Path, layout: str | None) -> None:
    lay(tmp_path / "_video_frames", frame(1, layout))
    video = prepared_video(tmp_path)
    assert video is not None
    assert video.slides[0].tree is None
    assert not slide_shows(video.slides[0], "128.6")


def test_slides_of_several_videos_have_names_of_their_own(tmp_path: Path) -> None:
    frames = tmp_path / "_video_frames"
    lay(frames, frame(1))
    lay(frames / "10", frame(1), video="video/c.mp4")
    lay(frames / "2", frame(1), frame(2, "[:page]"), video="video/b.mp4")
    video = prepared_video(tmp_path)
    assert video is not None
    assert [slide.reference for slide in video.slides] == ["1", "2:1", "2:2", "3:1"]
    assert video.slides[3].video == "video 3, video/c.mp4"
    found = video.slide("2:2")
    assert found is not None
    assert found.picture == frames / "2" / "frame_0002.png"
    assert video.slide("2") is None


def test_folders_that_are_no_video_are_passed_over(tmp_path: Path) -> None:
    frames = tmp_path / "_video_frames"
    lay(frames, frame(1))
    for name in ("store", "²", "02x", "3"):
        (frames / name).mkdir()
    (frames / "²" / "video_input.json").write_text("{}", encoding="utf-8")
    video = prepared_video(tmp_path)
    assert video is not None
    assert len(video.items) == 1


def test_a_task_without_prepared_videos_has_none(tmp_path: Path) -> None:
    assert prepared_video(tmp_path) is None
    (tmp_path / "_video_frames").mkdir()
    assert prepared_video(tmp_path) is None


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        "{}",
        '{"video": "a.mp4", "timeline": null}',
        '{"video": "a.mp4", "timeline": [1]}',
        '{"video": "a.mp4", "timeline": [{"type": "frame", "slide": "x", "t_start": 1}]}',
        '{"video": "a.mp4", "timeline": [{"type": "speech", "t_start": 1}]}',
    ],
)
def test_a_file_that_cannot_be_read_is_an_error_with_its_name(tmp_path: Path, text: str) -> None:
    folder = tmp_path / "_video_frames"
    folder.mkdir()
    (folder / "video_input.json").write_text(text, encoding="utf-8")
    with pytest.raises(MediaError, match=r"^`video_input\.json` of `_video_frames` cannot be read: "):
        prepared_video(tmp_path)
