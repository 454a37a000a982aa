from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debriefer.errors import MediaError, MissingFileError
from debriefer.media.subtitles import Cue, parse_blocks, parse_json, read_subtitles


def test_srt_with_markup_two_lines_and_windows_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "a.srt"
    path.write_bytes("\ufeff1\r\n00:00:01,500 --> 00:00:03,000\r\n<i>Hello</i>\r\nthere &amp; you\r\n\r\n".encode())
    assert read_subtitles(path) == (Cue(1.5, 3.0, "Hello there & you"),)


def test_vtt_with_header_settings_and_short_times(tmp_path: Path) -> None:
    path = tmp_path / "a.vtt"
    path.write_text(
        "WEBVTT\n\nNOTE nothing\n\nintro\n01:02.250 --> 01:04.000 align:start\n<v Ann>Hi\n", encoding="utf-8"
    )
    assert read_subtitles(path) == (Cue(62.25, 64.0, "Hi"),)


def test_a_blank_line_is_not_needed_between_blocks() -> None:
    text = "1\n00:00:01,000 --> 00:00:02,000\na\n00:00:03,000 --> 00:00:04,000\nb"
    assert [cue.text for cue in parse_blocks(text)] == ["a", "b"]


def test_the_number_of_a_block_is_no_text_of_the_one_before() -> None:
    text = (
        "1\n00:00:01,000 --> 00:00:02,000\na\n2\n00:00:03,000 --> 00:00:04,000\n7\n3\n00:00:05,000 --> 00:00:06,000\nc"
    )
    assert [cue.text for cue in parse_blocks(text)] == ["a", "7", "c"]
    counted = "00:00:01,000 --> 00:00:02,000\n2\n00:00:03,000 --> 00:00:04,000\n3\n"
    assert [cue.text for cue in parse_blocks(counted)] == ["2", "3"]


@pytest.mark.parametrize("offset", [math.nan, math.inf])
def test_an_offset_that_is_no_number_is_an_error(tmp_path: Path, offset: float) -> None:
    path = tmp_path / "a.srt"
    path.write_text("1\n00:00:01,000 --> 00:00:02,000\na\n", encoding="utf-8")
    with pytest.raises(MediaError, match="offset"):
        read_subtitles(path, offset=offset)


def test_a_folder_of_subtitles_is_called_one(tmp_path: Path) -> None:
    with pytest.raises(MediaError, match="is a folder"):
        read_subtitles(tmp_path)


def test_json_that_is_nested_too_deeply_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text("[" * 200_000 + "]" * 200_000, encoding="utf-8")
    with pytest.raises(MediaError, match="nested too deeply"):
        read_subtitles(path)


def test_both_shapes_of_longvideobench_and_an_open_end() -> None:
    first = [{"start": "00:00:05.000", "end": "00:00:06.500", "line": "five"}]
    second = [{"timestamp": [1.0, None], "text": "one"}, {"timestamp": [3.5, 4.0], "text": "three"}]
    assert parse_json(first) == (Cue(5.0, 6.5, "five"),)
    assert parse_json(second) == (Cue(1.0, 3.5, "one"), Cue(3.5, 4.0, "three"))


def test_the_starting_offset_is_subtracted_and_what_came_before_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    lines = [{"start": 10.0, "end": 12.0, "line": "before"}, {"start": 29.0, "end": 31.0, "line": "across"},
             {"start": 40.0, "end": 41.0, "line": "inside"}]  # fmt: skip
    path.write_text(json.dumps(lines), encoding="utf-8")
    assert read_subtitles(path, offset=30.0) == (Cue(0.0, 1.0, "across"), Cue(10.0, 11.0, "inside"))


def test_lines_that_go_back_in_time_are_put_in_order() -> None:
    lines = [{"start": second, "end": second + 1, "text": str(second)} for second in (3, 1, 2)]
    assert [cue.text for cue in parse_json(lines)] == ["1", "2", "3"]


def test_other_encodings_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.srt"
    path.write_bytes("1\n00:00:01,000 --> 00:00:02,000\n净利润\n".encode("gb18030"))
    assert read_subtitles(path)[0].text == "净利润"


@pytest.mark.parametrize("content", ["", "no times at all", "{}", "[1]", '[{"line": "x"}]', "[{"])
def test_what_holds_no_subtitles_is_an_error_with_the_file_first(tmp_path: Path, content: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(MediaError, match=r"^`a\.json`"):
        read_subtitles(path)


def test_an_absent_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError):
        read_subtitles(tmp_path / "none.srt")


@given(st.text(max_size=200))
def test_any_text_is_parsed_or_refused(text: str) -> None:
    try:
        cues = parse_blocks(text)
    except ValueError:
        return
    assert all(cue.start <= cue.end for cue in cues)
