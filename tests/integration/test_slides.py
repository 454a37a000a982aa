"""Slides of encoded videos: both ways of finding them, and files that are broken or odd."""

from __future__ import annotations

import struct
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

av = pytest.importorskip("av", reason="the extra `video` is not installed")

from debriefer.errors import MediaError, MissingFileError  # noqa: E402
from debriefer.media import Change, Method, slides  # noqa: E402
from tests.doubles.briefing import Picture, encode  # noqa: E402
from tests.doubles.briefing_kinds import judge, script  # noqa: E402

RATE = Fraction(25)
X264 = {"crf": "23", "preset": "ultrafast"}


def paper(seed: int, width: int = 320, height: int = 176) -> Picture:
    dice = np.random.default_rng(seed)
    picture = np.full((height, width, 3), 245, np.uint8)
    for row in range(16, height - 24, 24):
        for left in range(16, width - 30, 8):
            if dice.random() < 0.7:
                picture[row : row + 12, left : left + 5] = dice.integers(20, 90, 3)
    return picture


def video(path: Path, seconds: tuple[int, ...] = (3, 3, 3), codec: str = "libx264", **options: str) -> Path:
    pictures = [paper(number) for number, length in enumerate(seconds) for _ in range(length * 25)]
    encode(path, pictures, RATE, codec, X264 | options if codec == "libx264" else options)
    return path


def test_packets_and_decoding_find_the_same(tmp_path: Path) -> None:
    path = video(tmp_path / "a.mp4", (5, 5, 5, 5), g="50")
    by_packets, by_decoding = slides(path), slides(path, method=Method.DECODE)
    assert (by_packets.method, by_decoding.method) == (Method.PACKETS, Method.DECODE)
    assert by_packets.frames_decoded < 0.5 * by_decoding.frames_decoded
    for found in (by_packets, by_decoding):
        assert [round(slide.t_start) for slide in found] == [0, 5, 10, 15]
        assert [slide.change for slide in found] == [Change.FIRST, Change.CUT, Change.CUT, Change.CUT]
        assert found.duration == pytest.approx(20)
        for number, slide in enumerate(found):
            assert slide.t_start <= slide.t_frame <= slide.t_end
            assert np.abs(slide.image.astype(int) - paper(number)).mean() < 6


def test_a_cut_on_a_keyframe_that_was_due_is_found_by_packets(tmp_path: Path) -> None:
    found = slides(video(tmp_path / "a.mp4", (4, 8, 8), g="100", keyint_min="100", sc_threshold="0"))
    assert found.method is Method.PACKETS
    assert [round(slide.t_start) for slide in found] == [0, 4, 12]


@pytest.mark.parametrize(
    ("codec", "ending"), [("mpeg4", "mp4"), ("mjpeg", "avi"), ("libvpx-vp9", "webm"), ("ffv1", "mkv")]
)
def test_every_codec_gives_the_slides(tmp_path: Path, codec: str, ending: str) -> None:
    options = {"deadline": "realtime", "cpu-used": "8"} if "vp9" in codec else {}
    found = slides(video(tmp_path / f"a.{ending}", (1, 2, 1), codec, **options))
    assert [slide.t_start for slide in found] == pytest.approx([0, 1, 3], abs=0.11)


def test_all_intra_says_why_it_is_decoded(tmp_path: Path) -> None:
    found = slides(video(tmp_path / "a.mp4", (2, 2), g="1"))
    assert len(found) == 2
    assert found.method is Method.DECODE
    assert "on their own" in found.reason


def test_a_recording_that_breaks_off_gives_what_is_there(tmp_path: Path) -> None:
    whole = video(tmp_path / "whole.mkv", (2, 2, 2))
    data = whole.read_bytes()
    part = tmp_path / "part.mkv"
    part.write_bytes(data[: len(data) * 2 // 3])
    assert 1 <= len(slides(part)) <= 3
    cut = tmp_path / "cut.mp4"
    cut.write_bytes(video(tmp_path / "b.mp4", (2, 2)).read_bytes()[:3000])
    with pytest.raises(MediaError, match=r"`cut\.mp4` cannot be read as a video") as caught:
        slides(cut)
    assert caught.value.hint


def test_damaged_packets_stop_nothing(tmp_path: Path) -> None:
    path = video(tmp_path / "a.avi", (2, 2), "mjpeg")
    data = bytearray(path.read_bytes())
    for at in range(len(data) // 3, len(data) // 3 + 30_000):
        data[at] = at * 7 % 251
    path.write_bytes(bytes(data))
    found = slides(path)
    assert round(found[-1].t_start) == 2


def test_what_is_no_video_is_said(tmp_path: Path) -> None:
    for name, content, message in [
        ("empty.mp4", b"", "is empty"),
        ("text.mp4", b"a,b\n1,2\n" * 99, "cannot be read as a video"),
    ]:
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(MediaError, match=message):
            slides(path)
    with pytest.raises(MissingFileError):
        slides(tmp_path / "absent.mp4")


def test_sound_alone_is_no_video(tmp_path: Path) -> None:
    path = tmp_path / "sound.wav"
    with av.open(str(path), "w") as container:
        track = container.add_stream("pcm_s16le", rate=8000, layout="mono")
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 8000), np.int16), format="s16", layout="mono")
        frame.sample_rate = 8000
        container.mux(track.encode(frame))
        container.mux(track.encode())
    with pytest.raises(MediaError, match="holds no video stream"):
        slides(path)


def test_one_frame_is_one_slide(tmp_path: Path) -> None:
    path = tmp_path / "one.mp4"
    encode(path, [paper(1)], RATE, "libx264", X264)
    assert len(slides(path)) == 1


def test_odd_sizes_are_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "odd.mkv"
    encode(path, [paper(1, 253, 151)] * 30, RATE, "ffv1", {}, pix_fmt="yuv444p")
    found = slides(path)
    assert found[0].image.shape == (151, 253, 3)
    assert (found.width, found.height) == (253, 151)


@pytest.mark.parametrize("pixels", ["yuv420p10le", "gray", "bgra", "yuv422p"])
def test_pixel_formats(tmp_path: Path, pixels: str) -> None:
    path = tmp_path / "a.mkv"
    encode(path, [paper(1)] * 30 + [paper(2)] * 30, RATE, "ffv1", {}, pix_fmt=pixels)
    found = slides(path)
    assert [slide.t_start for slide in found] == pytest.approx([0, 1.2], abs=0.11)
    assert found[1].image.shape == (176, 320, 3)


def test_a_rotated_recording_gives_upright_pictures(tmp_path: Path) -> None:
    path = video(tmp_path / "turned.mp4", (2, 2))
    data = bytearray(path.read_bytes())
    # The matrix of the track header (ISO/IEC 14496-12, 8.3.2) for a quarter turn clockwise.
    place = data.index(b"tkhd") + 4 + 40
    data[place : place + 36] = struct.pack(">9i", 0, 1 << 16, 0, -1 << 16, 0, 0, 176 << 16, 0, 1 << 30)
    path.write_bytes(data)
    found = slides(path)
    assert (found.width, found.height) == (176, 320)
    assert [round(slide.t_start) for slide in found] == [0, 2]
    assert np.abs(found[0].image.astype(int) - np.rot90(paper(0), -1)).mean() < 8
    assert any("rotated by" in note for note in found.notes)


def test_a_resolution_that_varies_is_brought_to_one(tmp_path: Path) -> None:
    path, parts = tmp_path / "varies.ts", []
    for number, (width, height) in enumerate([(320, 176), (640, 352)]):
        part = tmp_path / f"{number}.ts"
        with av.open(str(part), "w", format="mpegts") as container:
            track = container.add_stream("mpeg2video", rate=25)
            track.width, track.height, track.pix_fmt = width, height, "yuv420p"
            for place in range(75):
                frame = av.VideoFrame.from_ndarray(paper(number, width, height), format="rgb24")
                frame.pts, frame.time_base = number * 75 + place, Fraction(1, 25)
                container.mux(track.encode(frame))
            container.mux(track.encode())
        parts.append(part.read_bytes())
    path.write_bytes(b"".join(parts))
    found = slides(path)
    assert len(found) == 2
    assert {slide.image.shape for slide in found} == {(176, 320, 3)}
    assert any("the resolution varies" in note for note in found.notes)


def test_frames_without_a_rhythm_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "variable.mkv"
    times = [0, 40, 80, 4000, 4040, 9000, 9500]  # milliseconds; the second slide has two frames, the third two
    with av.open(str(path), "w") as container:
        track = container.add_stream("libx264", rate=25)
        track.width, track.height, track.pix_fmt = 320, 176, "yuv420p"
        track.time_base = track.codec_context.time_base = Fraction(1, 1000)
        track.options = X264
        for number, time in enumerate(times):
            frame = av.VideoFrame.from_ndarray(paper(0 if number < 3 else 1 if number < 5 else 2), format="rgb24")
            frame.pts, frame.time_base = time, Fraction(1, 1000)
            container.mux(track.encode(frame))
        container.mux(track.encode())
    assert [slide.t_start for slide in slides(path)] == pytest.approx([0, 4, 9], abs=0.11)


def test_progress_is_told_and_grows(tmp_path: Path) -> None:
    told: list[float] = []
    slides(video(tmp_path / "a.mp4", (4,)), method=Method.DECODE, progress=told.append)
    assert told == sorted(told)
    assert 0.5 < told[-1] <= 1


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("kind", ["busy", "digits", "cursor", "head", "clock", "seconds", "revisits", "fades"])
def test_kinds_of_briefings(tmp_path: Path, kind: str) -> None:
    shown = script(kind, 7)
    verdict = judge(shown, slides(shown.write(tmp_path / kind)))
    assert verdict.missed == ()
    assert verdict.mid_transition == ()
    assert len(verdict.duplicates) <= 1
    assert sorted(verdict.errors)[int(len(verdict.errors) * 0.95)] <= 0.2


def test_the_last_picture_lasts_as_long_as_the_sound(tmp_path: Path) -> None:
    path = tmp_path / "tail.mp4"
    with av.open(str(path), "w") as container:
        video = container.add_stream("libx264", rate=25)
        video.width, video.height, video.pix_fmt = 320, 176, "yuv420p"
        sound = container.add_stream("aac", rate=16_000)
        sound.layout = "mono"
        for at, level in ((0, 30), (125, 220)):
            frame = av.VideoFrame.from_ndarray(np.full((176, 320, 3), level, np.uint8), format="rgb24")
            frame.pts = at
            container.mux(video.encode(frame))
        container.mux(video.encode(None))
        silence = av.AudioFrame.from_ndarray(np.zeros((1, 16_000 * 12), np.float32), format="fltp", layout="mono")
        silence.sample_rate, silence.pts = 16_000, 0
        container.mux(sound.encode(silence))
        container.mux(sound.encode(None))
    assert [round(slide.t_start, 1) for slide in slides(path)] == [0.0, 5.0]
    assert slides(path)[1].t_end == pytest.approx(12.0, abs=0.2)


@pytest.mark.parametrize("ending", ["mp4", "mkv"])
def test_a_short_last_slide_shows_itself(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"short.{ending}"
    encode(path, [paper(0)] * 75 + [paper(1)] * 9, RATE, "libx264", X264)
    found = slides(path)
    assert [slide.t_start for slide in found] == pytest.approx([0, 3], abs=0.11)
    assert np.abs(found[1].image.astype(int) - paper(1)).mean() < 6


def test_interlaced_video_is_read_and_said(tmp_path: Path) -> None:
    path = tmp_path / "interlaced.ts"
    with av.open(str(path), "w", format="mpegts") as container:
        track = container.add_stream("mpeg2video", rate=25)
        track.width, track.height, track.pix_fmt = 320, 176, "yuv420p"
        track.options = {"flags": "+ildct+ilme", "top": "1"}
        for number in range(100):
            frame = av.VideoFrame.from_ndarray(paper(number // 50), format="rgb24").reformat(format="yuv420p")
            frame.pts, frame.time_base = number, Fraction(1, 25)
            container.mux(track.encode(frame))
        container.mux(track.encode())
    found = slides(path)
    assert [slide.t_start - found[0].t_start for slide in found] == pytest.approx([0, 2], abs=0.15)
    assert found[0].image.shape == (176, 320, 3)
    assert any("interlaced" in note for note in found.notes)
