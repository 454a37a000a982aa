from __future__ import annotations

import math
import shutil
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from random import Random

import av
import pytest

from benchmarks.longvideo.coded import read
from debriefer.errors import DebrieferError, MediaError, MissingFileError
from debriefer.media.briefing import Briefing, Makers, View
from debriefer.media.film import INDEX_FILE, Film, Picture, pixels
from debriefer.media.film_making import FilmSettings, find_film, make_film
from debriefer.media.finding import Finder
from debriefer.media.listeners import Deaf
from debriefer.media.rebase import rebased
from debriefer.media.slide import Change
from debriefer.media.speech import Segment, Transcript, Word
from debriefer.media.subtitles import Cue
from debriefer.pipeline.asking import film_of
from debriefer.pipeline.settings import MediaSettings
from tests.doubles.films import ready_film, write_film
from tests.doubles.videos import FixedLayout, FixedListener, FixedSlides, write_sound

DEAF = Deaf("none is wanted")


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Film:
    return ready_film(tmp_path_factory.mktemp("film"), [6.0, 7.0, 3.0, 14.0])


def said(picture: Picture) -> tuple[int, float]:
    image = pixels(picture.data)
    assert image is not None
    found = read(image)
    assert found is not None
    return found.scene, found.seconds


@pytest.mark.parametrize("fps", [Fraction(24000, 1001), Fraction(25), Fraction(30000, 1001)])
def test_frames_carry_the_time_they_are_coded_with_at_any_rate(tmp_path: Path, fps: Fraction) -> None:
    film = ready_film(tmp_path, [9.0, 6.0], fps=fps)
    pictures = film.sample([(0.0, 15.0)], 30).pictures
    assert len(pictures) == 30
    # The strip counts in tenths of a second; a clock that is counted from frame numbers would be off by more.
    assert max(abs(picture.time - said(picture)[1]) for picture in pictures) <= 0.05 + 1e-6


def test_frames_of_a_variable_rate_carry_theirs(tmp_path: Path) -> None:
    random, ticks, tick = Random(7), [], 0  # noqa: S311 -- an invented film
    while tick < 12_000:
        ticks.append(tick)
        tick += random.randint(33, 700)
    film = ready_film(tmp_path, [5.0, 7.0], ticks=ticks)
    pictures = film.sample([(0.0, 12.0)], 24).pictures
    assert max(abs(picture.time - said(picture)[1]) for picture in pictures) <= 0.05 + 1e-6
    assert {round(picture.time * 1000) for picture in pictures} <= set(ticks)


def test_two_frames_a_second_are_kept_where_they_are_read_from(film: Film) -> None:
    assert len(film.frames) == 60
    assert all((film.folder / frame.file).is_file() for frame in film.frames)
    assert {round(later.pts - earlier.pts, 3) for earlier, later in pairwise(film.frames)} == {0.4, 0.6}


def test_the_length_is_in_seconds_and_not_in_frames(film: Film) -> None:
    assert film.duration == pytest.approx(30.0, abs=0.01)


def broadcast(folder: Path, seconds: float, start: float) -> Path:
    """Write a film as MPEG-TS whose time stamps begin at least at `start`."""
    target = folder / "film.ts"
    with (
        av.open(str(write_film(folder / "film.mp4", [seconds]))) as given,
        av.open(str(target), "w", format="mpegts") as made,
    ):
        source = given.streams.video[0]
        stream = made.add_stream_from_template(source)
        for packet in given.demux(source):
            if packet.dts is None or packet.pts is None or source.time_base is None:
                continue
            packet.pts += int(start / source.time_base)
            packet.dts += int(start / source.time_base)
            packet.stream = stream
            made.mux(packet)
    return target


@pytest.mark.parametrize("start", [1.4, 36_000.0])
def test_times_count_from_where_the_recording_begins(tmp_path: Path, start: float) -> None:
    path, listener = broadcast(tmp_path, 8.0, start), FixedListener()
    film = make_film(tmp_path / "films", path, FilmSettings(), None, listener)
    assert start - 1e-3 <= film.start <= start + 0.5
    assert film.duration == pytest.approx(8.0, abs=0.01)
    assert film.frames[0].pts == 0.0
    assert len(film.frames) == 16
    kept, dense = film.sample([(0.0, 8.0)], 16).pictures, film.sample([(5.0, 7.0)], 10).pictures
    assert len(dense) == 10
    assert max(abs(picture.time - said(picture)[1]) for picture in (*kept, *dense)) <= 0.05 + 1e-6


def test_slides_and_narration_of_a_recording_count_from_its_begin() -> None:
    segment = Segment(36_003.4, 36_005.4, "Profit is up.", (Word(36_003.4, 36_005.4, "Profit"),))
    view = View(1, 36_001.4, 36_009.4, 36_002.4, "a.png", Change.CUT, None, (), 1, 1, "0", 0.0, None)
    transcript = Transcript((segment,), duration=8.0)
    whole = Briefing("a.ts", "0", (), (view,), transcript, (), 8.0, 1, 1, None, "", 0, None)
    moved = rebased(whole, 36_001.4)
    (seen,), (heard,) = moved.views, moved.transcript.segments
    assert (seen.t_start, seen.t_end, seen.t_frame) == pytest.approx((0.0, 8.0, 1.0))
    assert (heard.start, heard.end, heard.words[0].start) == pytest.approx((2.0, 4.0, 2.0))
    assert moved.duration == 8.0


def test_scenes_are_told_apart_and_a_clock_makes_none(film: Film) -> None:
    begins = [
        frame.pts for frame in film.frames if frame.scene != film.frames[max(0, film.frames.index(frame) - 1)].scene
    ]
    assert begins == pytest.approx([6.0, 13.0, 16.0], abs=0.21)


def test_a_denser_look_than_is_on_disk_decodes_the_file(film: Film) -> None:
    pictures = film.sample([(2.0, 4.0)], 10).pictures
    assert len(pictures) == 10
    assert [picture.frame_id for picture in pictures] == [""] * 10
    assert {said(picture)[0] for picture in pictures} == {0}


def test_without_the_file_what_is_on_disk_serves(film: Film) -> None:
    alone = Film(film.folder)
    pictures = alone.sample([(2.0, 4.0)], 10).pictures
    assert 4 <= len(pictures) <= 5
    assert all(picture.frame_id for picture in pictures)


def test_a_frame_that_came_before_the_span_is_dated_by_its_begin(tmp_path: Path) -> None:
    film = ready_film(tmp_path, [20.0], ticks=[0, 500, 15_000, 16_000])
    pictures = film.sample([(4.0, 14.0)], 5).pictures
    assert [picture.time for picture in pictures] == [4.0]
    assert said(pictures[0])[1] == 0.5


def test_frames_that_are_gone_are_named_and_the_others_given(film: Film, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(film.folder, copy)
    (copy / film.frames[3].file).unlink()
    (copy / film.frames[4].file).write_bytes(b"no picture")
    sample = Film(copy).sample([(0.0, 3.0)], 6)
    assert len(sample.missing) == 2
    assert len(sample.pictures) == 4


def test_a_second_making_finds_the_first_without_decoding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    film = ready_film(tmp_path, [4.0])
    monkeypatch.setattr("debriefer.media.film_making.frames_of", lambda _: pytest.fail("it was decoded again"))
    again = make_film(tmp_path / "films", tmp_path / "film.mp4", FilmSettings(), None, DEAF)
    assert again.folder == film.folder


def test_other_subtitles_or_another_file_are_another_film(tmp_path: Path) -> None:
    film = ready_film(tmp_path, [4.0], [(0.0, 1.0, "one")])
    path, root = tmp_path / "film.mp4", tmp_path / "films"
    assert find_film(root, path, FilmSettings(), DEAF.name) is None
    write_film(path, [5.0])
    other = make_film(root, path, FilmSettings(), None, DEAF)
    assert other.folder != film.folder
    assert other.duration == pytest.approx(5.0, abs=0.01)


def test_a_making_that_fails_leaves_nothing(tmp_path: Path) -> None:
    path = write_film(tmp_path / "film.mp4", [4.0])

    class Broken:
        name = "broken"

        def transcribe(self, path: Path, *, hotwords: tuple[str, ...] = ()) -> None:
            raise RuntimeError(path, hotwords)

    with pytest.raises(RuntimeError):
        make_film(tmp_path / "films", path, FilmSettings(), None, Broken())  # type: ignore[arg-type]
    assert not [place for place in (tmp_path / "films").iterdir() if place.is_dir()]


@pytest.mark.parametrize("content", [b"", b"no video at all"])
def test_what_is_no_video_is_an_error(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "film.mp4"
    path.write_bytes(content)
    with pytest.raises(MediaError, match=r"`film\.mp4`"):
        make_film(tmp_path / "films", path, FilmSettings(), None, DEAF)


def test_sound_alone_is_an_error(tmp_path: Path) -> None:
    import numpy as np  # noqa: PLC0415

    path = write_sound(tmp_path / "film.mka", np.zeros(16_000, np.float32))
    with pytest.raises(MediaError, match="no video stream"):
        make_film(tmp_path / "films", path, FilmSettings(), None, DEAF)


def test_an_absent_file_and_an_absent_film_are_errors(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError):
        make_film(tmp_path / "films", tmp_path / "none.mp4", FilmSettings(), None, DEAF)
    with pytest.raises(MediaError, match="made ready"):
        Film(tmp_path)
    (tmp_path / INDEX_FILE).write_text('{"format": 99}', encoding="utf-8")
    with pytest.raises(MediaError, match="made ready"):
        Film(tmp_path)


def test_without_subtitles_the_sound_is_heard_and_with_them_it_is_not(tmp_path: Path) -> None:
    path, listener = write_film(tmp_path / "film.mp4", [4.0]), FixedListener()
    heard = make_film(tmp_path / "films", path, FilmSettings(), None, listener)
    assert [text for *_, text in heard.spoken()] == ["Profit is up."]
    told = make_film(tmp_path / "films", path, FilmSettings(subtitles=(Cue(1, 2, "told"),)), None, listener)
    assert [text for *_, text in told.spoken()] == ["told"]
    assert len(listener.runs) == 1


def test_subtitles_of_which_none_is_left_are_noted(tmp_path: Path) -> None:
    path = write_film(tmp_path / "film.mp4", [2.0])
    (tmp_path / "film.srt").write_text("1\n00:00:01,000 --> 00:00:02,000\na\n", encoding="utf-8")
    film = film_of(path, tmp_path / "films", MediaSettings("none", "none"), offset=100.0)
    assert any("none is left" in note for note in film.facts["notes"])


@pytest.mark.parametrize("named", ["none.srt", "."])
def test_subtitles_that_cannot_be_read_are_an_error_where_the_film_is_known_without_any(
    tmp_path: Path, named: str
) -> None:
    path, settings = write_film(tmp_path / "film.mp4", [2.0]), MediaSettings("none", "none")
    film_of(path, tmp_path / "films", settings, "none")
    with pytest.raises(DebrieferError, match=r"is a folder|does not exist"):
        film_of(path, tmp_path / "films", settings, tmp_path / named)
    with pytest.raises(MediaError, match="offset"):
        film_of(path, tmp_path / "films", settings, path, math.nan)


def test_slides_that_are_read_are_found_by_their_words(tmp_path: Path) -> None:
    path, listener = write_film(tmp_path / "film.mp4", [4.0]), FixedListener()
    makers = Makers(FixedSlides(), FixedLayout(), listener)
    settings = FilmSettings(subtitles=(Cue(1, 2, "told"),), layout=True)
    film = make_film(tmp_path / "films", path, settings, makers, listener)
    (hit, *_) = Finder(film).texts().search("profit by region", ["ocr"])
    assert (hit.text, hit.source) == ("Profit by region", "ocr")
    assert [text for *_, text in film.spoken()] == ["told"]
    assert len(film.frames) == 8
    assert listener.runs == []
