"""Small invented briefing videos whose every state is known: what the tests of the slide detector look at."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

Picture = NDArray[np.uint8]
Overlay = Callable[[Picture, float], None]

WIDTH, HEIGHT = 1280, 720
INK, PAPER, BLUE, LINE = (32, 38, 50), (250, 250, 252), (28, 84, 160), (205, 210, 218)
CODECS: dict[str, tuple[str, str, dict[str, str]]] = {
    "h264": ("libx264", "mp4", {"crf": "23", "preset": "veryfast"}),
    "h264_grain": ("libx264", "mp4", {"crf": "32", "preset": "veryfast"}),
    "still": ("libx264", "mp4", {"crf": "23", "preset": "veryfast", "tune": "stillimage"}),
    "gop1s": ("libx264", "mp4", {"crf": "23", "preset": "veryfast", "g": "25", "keyint_min": "25"}),
    "intra": ("libx264", "mp4", {"crf": "23", "preset": "ultrafast", "g": "1"}),
    "cbr": ("libx264", "mp4", {"b": "1000k", "maxrate": "1000k", "bufsize": "1000k", "preset": "veryfast"}),
    "hevc": ("libx265", "mp4", {"crf": "26", "preset": "ultrafast", "x265-params": "log-level=none"}),
    "vp9": ("libvpx-vp9", "webm", {"crf": "34", "b": "0", "deadline": "realtime", "cpu-used": "8"}),
    "mpeg4": ("mpeg4", "mp4", {"qscale": "5", "flags": "+qscale", "global_quality": "590", "b": "3000k"}),
    "mjpeg": ("mjpeg", "avi", {"q": "5", "b": "12000k"}),
}


@dataclass(frozen=True, slots=True)
class State:
    """One picture that stands still: `begin` is when the change that brings it begins, `still` when it is over."""

    name: str
    begin: float
    still: float
    end: float
    required: bool


@dataclass(slots=True)
class Script:
    """What is shown and for how long; `show` adds one state after another."""

    rate: Fraction = field(default_factory=lambda: Fraction(25))
    overlays: list[Overlay] = field(default_factory=list)
    grain: float = 0.0
    clock: float = 0.0
    states: list[State] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)
    ways: list[str] = field(default_factory=list)

    def show(self, name: str, picture: Picture, seconds: float, *, way: str = "cut", over: float = 0.0) -> None:
        """Show `picture` for `seconds`, of which the first `over` are a `fade` or a `push`."""
        begin = self.clock
        self.clock += seconds
        self.states.append(State(name, begin, begin + over, self.clock, required=True))
        self.pictures.append(picture)
        self.ways.append(way)

    def supersede(self) -> None:
        """Say that the state just shown is held by the next one (a bullet list that grows)."""
        last = self.states[-1]
        self.states[-1] = State(last.name, last.begin, last.still, last.end, required=False)

    def frames(self) -> Iterable[tuple[float, Picture]]:
        """Yield time and picture of every frame."""
        dice = np.random.default_rng(1)
        speckles = [
            dice.normal(0, self.grain, (HEIGHT, WIDTH, 1)).astype(np.int16) for _ in range(5 if self.grain else 0)
        ]
        count = round(self.clock * self.rate)
        current = 0
        for number in range(count):
            time = float(number / self.rate)
            while current + 1 < len(self.states) and time >= self.states[current + 1].begin - 1e-9:
                current += 1
            state, picture = self.states[current], self.pictures[current]
            if time < state.still - 1e-9 and current:
                share = (time - state.begin + float(1 / self.rate)) / (state.still - state.begin + 1e-9)
                picture = blend(self.pictures[current - 1], picture, min(share, 1.0), self.ways[current])
            picture = picture.copy()
            for overlay in self.overlays:
                overlay(picture, time)
            if self.grain:
                picture = np.clip(picture + speckles[number % len(speckles)], 0, 255).astype(np.uint8)
            yield time, picture

    def write(self, path: Path, codec: str = "h264", **extra: str) -> Path:
        """Encode into `path` and return it; the ending is the container's."""
        name, ending, options = CODECS[codec]
        path = path.with_suffix(f".{ending}")
        encode(path, (picture for _, picture in self.frames()), self.rate, name, options | extra)
        return path


def encode(
    path: Path, pictures: Iterable[Picture], rate: Fraction, codec: str, options: dict[str, str], **stream: str
) -> None:
    """Encode RGB pictures of one size at a constant rate."""
    options = dict(options)
    with av.open(str(path), "w") as container:
        track = None
        for picture in pictures:
            if track is None:
                track = container.add_stream(codec, rate=rate)
                track.height, track.width = picture.shape[:2]
                track.pix_fmt = stream.get("pix_fmt", "yuvj420p" if codec == "mjpeg" else "yuv420p")
                if "b" in options:
                    track.bit_rate = int(options.pop("b").removesuffix("k")) * (1000 if codec != "libvpx-vp9" else 0)
                track.options = options
            container.mux(track.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        if track is not None:
            container.mux(track.encode())


def blend(before: Picture, after: Picture, share: float, way: str) -> Picture:
    """Return the picture `share` of the way through a `fade` or a `push` to the left."""
    if way == "fade":
        return (before * (1 - share) + after * share).astype(np.uint8)
    if way == "push":
        shift = round(share * before.shape[1])
        return np.concatenate((before[:, shift:], after[:, :shift]), axis=1)
    return after


def font(size: int, *, bold: bool = False) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """Return DejaVu where it is installed, else Pillow's own font."""
    try:
        return ImageFont.truetype("DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf", size)
    except OSError:
        return ImageFont.load_default(size)


def table_slide(
    title: str, cells: list[list[str]], *, dark: bool = False, size: tuple[int, int] = (WIDTH, HEIGHT)
) -> Picture:
    """Draw a title and a table with lines."""
    paper, ink = ((24, 28, 38), (232, 236, 244)) if dark else (PAPER, INK)
    image = Image.new("RGB", size, paper)
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 0, size[0], 84), fill=BLUE)
    draw.text((48, 22), title, font=font(34, bold=True), fill="white")
    left, top, step = 60, 130, (size[1] - 220) // max(len(cells), 1)
    width = (size[0] - 420) // max(len(cells[0]), 1)
    for row, line in enumerate(cells):
        y = top + row * step
        draw.line((left, y, left + width * len(line), y), fill=LINE, width=2)
        for column, text in enumerate(line):
            draw.text((left + 14 + column * width, y + 10), text, font=font(22, bold=row == 0), fill=ink)
    return np.asarray(image)


def bullet_slide(title: str, lines: list[str], shown: int, *, dark: bool = False) -> Picture:
    """Draw a title and the first `shown` of the lines."""
    paper, ink = ((24, 28, 38), (232, 236, 244)) if dark else (PAPER, INK)
    image = Image.new("RGB", (WIDTH, HEIGHT), paper)
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 0, WIDTH, 84), fill=BLUE)
    draw.text((48, 22), title, font=font(34, bold=True), fill="white")
    for row, text in enumerate(lines[:shown]):
        draw.ellipse((70, 168 + row * 78, 82, 180 + row * 78), fill=BLUE)
        draw.text((104, 158 + row * 78), text, font=font(26), fill=ink)
    return np.asarray(image)


def cursor(seed: int, *, smooth: bool = True) -> Overlay:
    """Return a pointer that rests, then moves to another place, again and again."""
    dice = random.Random(seed)  # noqa: S311  # a fixed seed, no secret
    stops = [(0.0, 300, 300)]
    while stops[-1][0] < 4000:
        stops.append((stops[-1][0] + dice.uniform(0.6, 5.0), dice.randrange(60, 1180), dice.randrange(100, 660)))
    shape = [(0, 0), (0, 20), (5, 16), (9, 24), (12, 23), (8, 15), (14, 15)]

    def draw(picture: Picture, time: float) -> None:
        index = max(i for i, stop in enumerate(stops) if stop[0] <= time)
        start, x, y = stops[index]
        if smooth and index and time - start < 0.5:
            part = (time - start) / 0.5
            _, old_x, old_y = stops[index - 1]
            x, y = round(old_x + (x - old_x) * part), round(old_y + (y - old_y) * part)
        patch = Image.fromarray(picture[y : y + 30, x : x + 20])
        ImageDraw.Draw(patch).polygon(shape, fill=(10, 10, 10), outline=(255, 255, 255))
        picture[y : y + 30, x : x + 20] = np.asarray(patch)

    return draw


def head(seed: int, *, side: int = 200) -> Overlay:
    """Return a moving noisy inset in the lower right corner: a talking head."""
    noise = np.random.default_rng(seed)
    texture = noise.integers(40, 200, (side // 8 + 8, side // 8 + 8, 3)).astype(np.uint8)
    large = np.asarray(Image.fromarray(texture).resize((side + 64, side + 64), Image.Resampling.BICUBIC))

    def draw(picture: Picture, time: float) -> None:
        x, y = 24 + round(20 * np.sin(time * 2.1)), 24 + round(16 * np.sin(time * 3.3))
        inset = large[y : y + side, x : x + side].astype(np.int16) + noise.normal(0, 4, (side, side, 1))
        picture[HEIGHT - side - 16 : HEIGHT - 16, WIDTH - side - 16 : WIDTH - 16] = np.clip(inset, 0, 255)

    return draw


def ticking(picture: Picture, time: float) -> None:
    """Draw a clock that ticks every second in the upper right corner."""
    patch = Image.fromarray(picture[20:64, 1080:1260])
    text = f"{10 + int(time) // 3600:02d}:{int(time) // 60 % 60 + 14:02d}:{int(time) % 60:02d}"
    ImageDraw.Draw(patch).text((6, 4), text, font=font(26), fill=(255, 255, 255))
    picture[20:64, 1080:1260] = np.asarray(patch)
