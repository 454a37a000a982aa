"""Short films whose frames say which scene they show and when (`benchmarks.longvideo.coded`)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

from benchmarks.briefings.encode import CODECS, encode, planes
from benchmarks.longvideo.coded import stamped, still
from debriefer.media.film import Film
from debriefer.media.film_making import FilmSettings, make_film
from debriefer.media.listeners import Deaf
from debriefer.media.subtitles import Cue

SIZE = (320, 180)


def write_film(path: Path, scenes: Sequence[float], *, fps: Fraction | int = 5, ticks: Sequence[int] = ()) -> Path:
    """Write a film of scenes of some lengths in seconds; with `ticks` (milliseconds) its rate is variable."""
    rate = None if ticks else Fraction(fps)
    tick = Fraction(1, 1000) if ticks else 1 / Fraction(fps)
    ends = [sum(scenes[: place + 1]) for place in range(len(scenes))]
    numbers = ticks or range(int(ends[-1] / tick))
    pictures = [still(number, (f"scene {number}",), SIZE) for number in range(len(scenes))]

    def frames():  # noqa: ANN202 -- a generator of frames
        for number in numbers:
            seconds = float(number * tick)
            place = next((place for place, end in enumerate(ends) if seconds < end - 1e-9), len(scenes) - 1)
            yield number, planes(stamped(pictures[place], seconds))

    encode(path, frames(), CODECS["h264"], rate, SIZE, None)
    return path


def ready_film(
    folder: Path, scenes: Sequence[float], cues: Sequence[tuple[float, float, str]] = (), **options: object
) -> Film:
    """Return such a film, made ready for questions."""
    path = write_film(folder / "film.mp4", scenes, **options)  # type: ignore[arg-type]
    settings = FilmSettings(subtitles=tuple(Cue(*cue) for cue in cues))
    return make_film(folder / "films", path, settings, None, Deaf("none is wanted"))
