"""Slides beside PyAV's bare decoding, OpenCV, PySceneDetect, FFmpeg's filters and difference hashes.

Speed, each in turns within one run:

- `over_full_decode`: our decoding way ÷ PyAV's bare decode of the same frames (below 1.15 is the aim).
- `over_unthreaded_decode`: the same, where PyAV decodes on one thread, as ours does on still slides.
- `packets_over_decode`: our packets-first way ÷ bare decode of all frames, on clean slides (below 0.3).
- `slides_over_cv2_read`, `slides_over_scenedetect`: reading every frame with OpenCV, PySceneDetect ÷ ours (above 3).
- `signature_ms_720p`: one `push` of a 1280x720 sample, all of it; `cv2_over_signature`: OpenCV's area resize and
  tile comparison ÷ that; `imagehash_over_signature`: `imagehash.dhash` of the picture and its distance to the last one,
  a PIL image given. All three say of a still picture that it is the same; `quality` says what each finds.
- `peak_mib_1x`, `peak_mib_8x`: memory of a fresh process beyond its imports, on a video and one eight times as long.

Quality, `recall.NAME`, `duplicates.NAME` and `mid.NAME`: required states found, share of duplicates and number of
frames in mid-transition, over generated briefings (`benchmarks.briefings`), each frame judged by what it shows.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import av
import cv2
import imagehash
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from benchmarks.briefings.judge import Judge, Score
from benchmarks.briefings.produce import Recipe, cached
from benchmarks.peers import main, with_ratios
from benchmarks.report import Paired, paired
from debriefer import _core
from debriefer.media import Method, slides

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "debriefer-briefings"
# What no peer handles together, and what most of them do.
QUALITY = (
    Recipe("busy", 11, "en", "h264"),
    Recipe("one_digit", 11, "en", "h264"),
    Recipe("talking_head", 11, "en", "h264_gop1s"),
    Recipe("quick", 11, "en", "hevc"),
    Recipe("fades", 11, "en", "vp9"),
)
CLEAN_SLIDES, CLEAN_SECONDS = 8, 12
QUICK_SLIDES = 3
# A peer's frame is taken this long after the change that it reports, in seconds, but before the next.
AFTER = 0.6


@dataclass(frozen=True, slots=True)
class Shown:
    """A frame that a peer gives, as the judge asks for it."""

    t_start: float
    t_frame: float
    image: NDArray[np.uint8]
    revisit_of: int | None = None


def measure(*, quick: bool = False) -> dict[str, Any]:
    """Measure speed, memory and quality; `quick` leaves out the last two and takes three slides."""
    with tempfile.TemporaryDirectory() as folder:
        clean = clean_video(Path(folder) / "clean.mp4", QUICK_SLIDES if quick else CLEAN_SLIDES)
        metrics = speed(clean, QUICK_SLIDES if quick else CLEAN_SLIDES)
        of_signature = signature(clean)
        metrics["spread"] |= of_signature.pop("spread")
        metrics |= of_signature
        if quick:
            return metrics
        metrics |= memory(Path(folder))
    return metrics | quality()


def clean_video(path: Path, count: int) -> Path:
    """Encode `count` slides of twelve seconds each: 1280x720, 30 frames a second, x264's defaults."""
    with av.open(str(path), "w") as container:
        stream: Any = container.add_stream("libx264", rate=Fraction(30))
        stream.width, stream.height, stream.pix_fmt = 1280, 720, "yuv420p"
        stream.options = {"crf": "23", "preset": "veryfast"}
        for number in range(count):
            frame = av.VideoFrame.from_ndarray(page(number), format="rgb24").reformat(format="yuv420p")
            for place in range(CLEAN_SECONDS * 30):
                frame.pts = number * CLEAN_SECONDS * 30 + place
                frame.time_base = Fraction(1, 30)
                container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path


def page(number: int) -> NDArray[np.uint8]:
    """Draw a slide with a title and a table of numbers."""
    dice = np.random.default_rng(number)
    picture = np.full((720, 1280, 3), 250, np.uint8)
    picture[:90] = (28, 84, 160)
    cv2.putText(picture, f"Report {number}", (48, 60), cv2.FONT_HERSHEY_SIMPLEX, 1.4, (255, 255, 255), 2, cv2.LINE_AA)
    for row in range(9):
        cv2.line(picture, (60, 130 + row * 60), (1220, 130 + row * 60), (205, 210, 218), 2)
        for column in range(5):
            place = (80 + column * 230, 172 + row * 60)
            text = f"{dice.uniform(10, 999):.1f}"
            cv2.putText(picture, text, place, cv2.FONT_HERSHEY_SIMPLEX, 0.8, (32, 38, 50), 2, cv2.LINE_AA)
    return picture


def bare_decode(path: Path, *, skip: bool, threads: str = "AUTO") -> int:
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        stream.thread_type = threads
        if skip:
            stream.codec_context.skip_frame = "NONREF"
        return sum(1 for _ in container.decode(stream))


def opencv_read(path: Path) -> int:
    capture = cv2.VideoCapture(str(path))
    count = 0
    while capture.read()[0]:
        count += 1
    return count


def speed(clean: Path, count: int = CLEAN_SLIDES) -> dict[str, Any]:
    """Time both ways and the peers on clean slides."""
    decoding = partial(slides, clean, method=Method.DECODE)
    found = slides(clean)
    if found.method is not Method.PACKETS or len(found) != count:
        message = f"{len(found)} of {count} slides by {found.method}: {found.reason}"
        raise RuntimeError(message)
    whole = paired(decoding, partial(bare_decode, clean, skip=True), 5)
    alone = paired(decoding, partial(bare_decode, clean, skip=True, threads="NONE"), 5)
    packets = paired(partial(slides, clean), partial(bare_decode, clean, skip=False), 5)
    runs = {"slides_over_cv2_read": paired(partial(slides, clean), partial(opencv_read, clean), 5)}
    try:
        runs["slides_over_scenedetect"] = paired(partial(slides, clean), partial(scenedetect, clean, 27.0), 5)
    except ImportError as error:
        print(f"PySceneDetect is left out: {error}", file=sys.stderr)
    ours = {"over_full_decode": whole, "over_unthreaded_decode": alone, "packets_over_decode": packets}
    metrics = with_ratios(runs, **{name: 1 / run.ratio for name, run in ours.items()})
    metrics["spread"] |= {name: inverse(run) for name, run in ours.items()}
    return metrics


def inverse(run: Paired) -> tuple[float, float]:
    """Return the bounds of ours ÷ peer."""
    return 1 / run.spread[1], 1 / run.spread[0]


def signature(clean: Path) -> dict[str, Any]:
    """Time one sample of a still picture, beside the same in OpenCV."""
    with av.open(str(clean)) as container:
        frame = next(container.decode(video=0))
    luma: Any = frame.planes[0]
    plane = np.frombuffer(luma, np.uint8)
    line_size, width, height = luma.line_size, frame.width, frame.height
    stabilizer = _core.Stabilizer()
    clock = iter(range(10**9))

    def ours() -> None:
        stabilizer.push(plane, width, height, line_size, next(clock) * 0.1)

    picture = plane.reshape(-1, line_size)[:height, :width]
    before = np.zeros((height // 4, width // 4), np.uint8)

    def peer() -> None:
        small = cv2.resize(picture, (width // 4, height // 4), interpolation=cv2.INTER_AREA)
        difference = cv2.absdiff(small, before)
        difference.reshape(height // 16, 4, width // 16, 4).max(axis=(1, 3))

    image = Image.fromarray(picture)
    last = imagehash.dhash(image)

    def by_hash() -> None:
        if imagehash.dhash(image) - last:
            message = "the hash of a still picture changed"
            raise RuntimeError(message)

    result = paired(ours, peer, 15, number=50)
    hashed = paired(ours, by_hash, 5, number=20)
    metrics = with_ratios(
        {"cv2_over_signature": result, "imagehash_over_signature": hashed}, signature_ms_720p=result.ours * 1000
    )
    low, high = result.ours_spread
    metrics["spread"]["signature_ms_720p"] = (low * 1000, high * 1000)
    return metrics


def memory(folder: Path) -> dict[str, float]:
    """Measure the peak of a fresh process on a video and on one eight times as long."""
    # A child takes over its parent's `ru_maxrss`; the kernel's own mark begins anew with the program.
    code = (
        "import re, sys; from pathlib import Path; from debriefer.media import Method, slides; import numpy, av;"
        "peak = lambda: int(re.search(r'VmHWM:\\s+(\\d+)', Path('/proc/self/status').read_text())[1]) / 1024;"
        "base = peak(); slides(Path(sys.argv[1]), method=Method.DECODE); print(peak() - base)"
    )
    peaks = {}
    for name, seconds in (("1x", 15), ("8x", 120)):
        path = folder / f"{name}.mp4"
        with av.open(str(path), "w") as container:
            stream: Any = container.add_stream("libx264", rate=25)
            stream.width, stream.height, stream.pix_fmt = 1280, 720, "yuv420p"
            stream.options = {"preset": "ultrafast"}
            # The same three slides in turns: the length grows, and what there is to keep does not.
            for number in range(seconds * 25):
                picture = page(number // 125 % 3)
                container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
            container.mux(stream.encode(None))
        answer = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
        peaks[f"peak_mib_{name}"] = float(answer.stdout)
    return peaks


def quality() -> dict[str, float]:
    """Judge our slides and each peer's on generated briefings."""
    totals: dict[str, Score] = {}
    seconds: dict[str, float] = {}
    for recipe in QUALITY:
        folder, manifest = cached(recipe, CACHE)
        judge = Judge(folder, manifest)
        path = folder / manifest.video
        for name, detect in DETECTORS.items():
            start = time.perf_counter()
            given: Sequence[Any] = slides(path) if name == "ours" else pictures(path, detect(path), manifest.duration)
            seconds[name] = seconds.get(name, 0.0) + time.perf_counter() - start
            totals.setdefault(name, Score())
            totals[name] += judge.score(given)
    metrics: dict[str, float] = {}
    for name, score in totals.items():
        metrics[f"recall.{name}"] = score.state_recall or 0.0
        metrics[f"duplicates.{name}"] = score.duplicate_share or 0.0
        metrics[f"mid.{name}"] = score.mid_transition
        metrics[f"seconds.{name}"] = seconds[name]
    return metrics


def pictures(path: Path, changes: Sequence[float], end: float) -> list[Shown]:
    """Take the picture that follows each change, in one pass."""
    times = sorted({0.0, *changes})
    wanted = [
        (start, min(start + AFTER, max(start, after - 0.1)))
        for start, after in zip(times, [*times[1:], end], strict=True)
    ]
    shown: list[Shown] = []
    for moment, frame in samples(path, 1000.0):
        while len(shown) < len(wanted) and moment >= wanted[len(shown)][1]:
            shown.append(Shown(wanted[len(shown)][0], moment, frame.to_ndarray(format="rgb24")))
    return shown


def samples(path: Path, rate: float) -> Any:  # noqa: ANN401
    """Yield time and frame, at most `rate` a second."""
    after = float("-inf")
    with av.open(str(path)) as container:
        container.streams.video[0].thread_type = "AUTO"
        for frame in container.decode(video=0):
            if frame.time >= after:
                after = frame.time + 1 / rate - 1e-3
                yield frame.time, frame


def scenedetect(path: Path, threshold: float) -> list[float]:
    from scenedetect import ContentDetector, detect  # noqa: PLC0415  # a peer that need not be there

    return [scene[0].seconds for scene in detect(str(path), ContentDetector(threshold=threshold, min_scene_len=10))]


def difference_hash(path: Path, side: int) -> list[float]:
    """Two samples a second; a change where a bit of the hash differs."""
    changes: list[float] = []
    before: NDArray[np.bool_] | None = None
    for moment, frame in samples(path, 2.0):
        small = cv2.resize(frame.to_ndarray(format="gray"), (side + 1, side), interpolation=cv2.INTER_AREA)
        bits = small[:, 1:] > small[:, :-1]
        if before is not None and (bits != before).any():
            changes.append(moment)
        before = bits
    return changes


def image_hash(path: Path) -> list[float]:
    """Use `imagehash.phash` as most scripts do: two samples a second, more than four of 64 bits."""
    changes: list[float] = []
    before: imagehash.ImageHash | None = None
    for moment, frame in samples(path, 2.0):
        code = imagehash.phash(Image.fromarray(frame.to_ndarray(format="gray")))
        if before is not None and code - before > 4:
            changes.append(moment)
        before = code
    return changes


def mean_difference(path: Path) -> list[float]:
    """OpenCV as most scripts use it: mean absolute difference of grey frames above 1."""
    changes: list[float] = []
    before: NDArray[np.uint8] | None = None
    for moment, frame in samples(path, 5.0):
        grey = frame.to_ndarray(format="gray")
        if before is not None and cv2.mean(cv2.absdiff(grey, before))[0] > 1:
            changes.append(moment)
        before = grey
    return changes


def ffmpeg(path: Path, filters: str, pattern: str) -> list[float]:
    """Run FFmpeg's filters and read times from its log."""
    command = ["ffmpeg", "-hide_banner", "-nostats", "-i", str(path), "-an", "-vf", filters, "-f", "null", "-"]
    log = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    return [float(found) for found in re.findall(pattern, log)]


def still_since(times: Sequence[float], gap: float = 1.0) -> list[float]:
    """Keep the first of each group of times less than `gap` apart."""
    return [moment for moment, before in zip(times, [-9.0, *times], strict=False) if moment - before > gap]


DETECTORS: Mapping[str, Callable[[Path], list[float]]] = {
    "ours": lambda path: [slide.t_start for slide in slides(path)],
    "scenedetect": partial(scenedetect, threshold=27.0),
    "scenedetect_3": partial(scenedetect, threshold=3.0),
    "opencv_mean": mean_difference,
    "dhash_16": partial(difference_hash, side=16),
    "imagehash_phash": image_hash,
    "ffmpeg_scene": lambda path: ffmpeg(path, "select='gt(scene,0.003)',showinfo", r"pts_time:([\d.]+)"),
    "mpdecimate": lambda path: still_since(ffmpeg(path, "mpdecimate,showinfo", r"pts_time:([\d.]+)")),
    "freezedetect": lambda path: ffmpeg(path, "freezedetect=n=-60dB:d=1", r"freeze_start: ([\d.]+)"),
}

if __name__ == "__main__":
    main("frames", measure)
