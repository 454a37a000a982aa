from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

from debriefer.errors import MediaError
from debriefer.media import audio
from debriefer.media.audio import SAMPLE_RATE, NoAudioTrackError, Soundtrack
from tests.doubles.videos import tone, write_sound, write_video


def whole(path: Path, seconds: float = 600.0) -> tuple[float, np.ndarray]:
    chunks = list(Soundtrack(path).chunks(seconds))
    return chunks[0].start, np.concatenate([chunk.samples for chunk in chunks])


def test_samples_come_back_at_their_times(tmp_path: Path) -> None:
    sound = tone(2.0)
    start, samples = whole(write_sound(tmp_path / "a.mkv", sound))
    assert start == 0.0
    assert len(samples) == len(sound)
    assert np.abs(samples - sound).max() < 1e-3


def test_a_track_that_begins_late_keeps_the_videos_clock(tmp_path: Path) -> None:
    start, samples = whole(write_sound(tmp_path / "a.mkv", tone(1.0), start=1.5))
    assert start == pytest.approx(1.5, abs=2e-3)
    assert len(samples) == SAMPLE_RATE


def test_a_gap_in_the_timestamps_comes_as_silence(tmp_path: Path) -> None:
    _, samples = whole(write_sound(tmp_path / "a.mkv", tone(2.0), gap_at=SAMPLE_RATE, gap=3.0))
    assert len(samples) / SAMPLE_RATE == pytest.approx(5.0, abs=0.01)
    loud = np.abs(samples) > 0.05
    # 1,024 samples a packet: the gap begins behind the one that holds the first second.
    assert not loud[int(1.2 * SAMPLE_RATE) : int(3.9 * SAMPLE_RATE)].any()
    assert loud[: int(0.9 * SAMPLE_RATE)].mean() > 0.5
    assert loud[int(4.2 * SAMPLE_RATE) :].mean() > 0.5


def test_long_sound_is_cut_where_it_is_quiet(tmp_path: Path) -> None:
    sound = tone(20.0)
    for second in (7.3, 15.6):
        sound[int(second * SAMPLE_RATE) : int((second + 0.4) * SAMPLE_RATE)] = 0.0
    track = Soundtrack(write_sound(tmp_path / "a.mkv", sound))
    chunks = list(track.chunks(10.0))
    assert [round(chunk.start, 1) for chunk in chunks] == [
        0.0,
        pytest.approx(7.5, abs=0.3),
        pytest.approx(15.8, abs=0.3),
    ]
    assert np.concatenate([chunk.samples for chunk in chunks]) == pytest.approx(sound, abs=1e-3)
    assert track.seconds == 20.0
    for before, after in itertools.pairwise(chunks):
        assert before.start + before.seconds == pytest.approx(after.start)


def test_sound_of_a_video_is_resampled_to_16_khz(tmp_path: Path) -> None:
    path = write_video(tmp_path / "a.mp4", [(0, 0, 0)] * 2, sound=tone(2.0))
    start, samples = whole(path)
    assert abs(start) < 0.1
    assert len(samples) / SAMPLE_RATE == pytest.approx(2.0, abs=0.15)
    spectrum = np.abs(np.fft.rfft(samples[:SAMPLE_RATE]))
    assert np.argmax(spectrum) == pytest.approx(440, abs=2)


def test_a_video_without_sound_says_so(tmp_path: Path) -> None:
    path = write_video(tmp_path / "a.mp4", [(0, 0, 0)])
    with pytest.raises(NoAudioTrackError, match="no audio track"):
        Soundtrack(path)


@pytest.mark.parametrize("content", [b"", b"not a video at all", b"\0" * 4096])
def test_what_is_no_media_file_is_an_error_with_a_hint(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.mp4"
    path.write_bytes(content)
    with pytest.raises(MediaError, match=r"a\.mp4") as caught:
        Soundtrack(path)
    assert caught.value.hint


def test_damaged_packets_are_left_out_with_a_note(tmp_path: Path) -> None:
    path = write_video(tmp_path / "a.mp4", [(0, 0, 0)] * 4, sound=tone(4.0))
    raw = bytearray(path.read_bytes())
    middle = len(raw) // 3
    raw[middle : middle + len(raw) // 4] = b"\xff" * (len(raw) // 4)
    path.write_bytes(bytes(raw))
    track = Soundtrack(path)
    heard = sum(chunk.seconds for chunk in track.chunks())
    assert 1.0 < heard <= 4.5
    assert "left out" in track.notes[0]


def test_a_missing_package_is_named_with_the_way_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "av", None)
    with pytest.raises(MediaError, match="`av`") as caught:
        audio.Soundtrack(tmp_path / "a.mp4")
    assert caught.value.hint == "pip install 'debriefer[video]'"
