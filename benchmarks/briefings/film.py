"""Turns a script into frames with times: stills, fades, pushes, and what moves on top of them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from random import Random

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from benchmarks.briefings.design import DARK, LIGHT, font
from benchmarks.briefings.encode import VARIABLE_GRID, VARIABLE_TICK, Planes, paste, planes
from benchmarks.briefings.manifest import Box, CursorAt, Live, State, Table, Text, cursor_box
from benchmarks.briefings.pages import Page
from benchmarks.briefings.render import Sheet
from benchmarks.briefings.script import Script, Step

_HEAD = (1016, 496, 1232, 658)
_CLOCK = (1116, 22, 1236, 56)
_CURSOR = (14, 22)
# Frames of a variable rate are never further apart than this, in grid steps.
_LONGEST_GAP = 30


@dataclass(frozen=True, slots=True)
class Drawn:
    """One page as a picture, with its texts and tables."""

    image: NDArray[np.uint8]
    texts: tuple[Text, ...]
    tables: tuple[Table, ...]


@dataclass(frozen=True, slots=True)
class Shot:
    """One frame: its place on the grid, its picture, and the picture it comes from while a change lasts.

    Attributes:
        place: Number on the grid of equal steps.
        content: Index of the picture.
        before: Index of the picture that is left; `content` again where the frame stands still.
        share: How much of `content` is there, in [0, 1].
        entry: `fade` or `push`, while the change lasts.
    """

    place: int
    content: int
    before: int
    share: float = 1.0
    entry: str = ""


class Film:
    """A script laid out on a frame grid.

    Attributes:
        script: The script.
        rate: Frames a second; `None` for a variable rate.
        scale: Width of the frame ÷ 1280.
        drawn: The pictures, each page once, in order of first appearance.
        states: The states.
        duration: Length, in seconds.
        live: Regions that always move.
        cursor: Path of the cursor.
        cursor_size: Width and height of the cursor, in pixels.
    """

    def __init__(self, script: Script, rate: Fraction | None, scale: float = 1.0) -> None:
        self.script = script
        self.rate = rate
        self.scale = scale
        self.drawn: list[Drawn] = []
        self._contents: dict[Page, int] = {}
        self._random = Random(f"film {script.kind} {script.seed}")  # noqa: S311 - invented movements, not secrets
        self._theme = next(theme for theme in (*LIGHT, *DARK) if theme.name == script.theme)
        self._family = "han" if script.story.language == "zh" or script.seed % 2 else "latin"
        self._draw()
        self.live = tuple(
            Live(kind, self._scaled(box))
            for kind, box, wanted in (("head", _HEAD, script.head), ("clock", _CLOCK, script.clock))
            if wanted
        )
        self._shots, windows = self._lay_out()
        self._kept = self._thinned()
        self.duration = round(float(self._time(self._shots[-1].place + 1)), 6)
        self.states = self._states(windows)
        self.cursor = self._cursor_path() if script.cursor else ()
        self.cursor_size = (even(_CURSOR[0] * scale), even(_CURSOR[1] * scale))

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the frame, in pixels."""
        height, width = self.drawn[0].image.shape[:2]
        return width, height

    @property
    def tick(self) -> Fraction:
        """Length of one tick of the pts, in seconds."""
        return VARIABLE_TICK if self.rate is None else 1 / self.rate

    def content(self, page: Page) -> int:
        """Return the index of a page's picture."""
        return self._contents[page]

    def _scaled(self, box: Box) -> Box:
        left, top, right, bottom = (even(value * self.scale) for value in box)
        return left, top, right, bottom

    def _draw(self) -> None:
        for step in self.script.steps:
            if step.page in self._contents:
                continue
            sheet = Sheet(self._theme, self._family, self.scale)
            if self.script.head:
                sheet.right = _HEAD[0] - 24
            if self.script.clock:
                sheet.tag_right = _CLOCK[0] - 16
            step.page.draw(sheet)
            self._contents[step.page] = len(self.drawn)
            self.drawn.append(Drawn(np.asarray(sheet.image), tuple(sheet.texts), tuple(sheet.tables)))

    @property
    def _grid(self) -> Fraction:
        return VARIABLE_GRID if self.rate is None else self.rate

    def _pts(self, place: int) -> int:
        return round(place / VARIABLE_GRID / VARIABLE_TICK) if self.rate is None else place

    def _time(self, place: int) -> Fraction:
        return self._pts(place) * self.tick

    def _lay_out(self) -> tuple[list[Shot], list[tuple[int, int, int]]]:
        """Return the shots on the full grid, and for each step the places where it begins, is stable, and ends."""
        shots: list[Shot] = []
        windows = []
        before = -1
        for step in self.script.steps:
            content = self._contents[step.page]
            begin = len(shots)
            moving = round(step.seconds * self._grid) if before >= 0 and step.entry != "cut" else 0
            for number in range(moving):
                share = (number + 1) / (moving + 1)
                if step.entry == "push":
                    share = share * share * (3 - 2 * share)
                shots.append(Shot(len(shots), content, before, share, step.entry))
            stable = len(shots)
            shots += [Shot(stable + number, content, content) for number in range(round(step.hold * self._grid))]
            windows.append((begin, stable, len(shots)))
            before = content
        return shots, windows

    def _thinned(self) -> list[Shot]:
        """Return the shots that are coded: all, or at a variable rate those where something moves and some others."""
        if self.rate is not None:
            return self._shots
        kept: list[Shot] = []
        moving = bool(self.live) or self.script.grain > 0
        for shot in self._shots:
            fresh = not kept or shot.content != kept[-1].content or shot.share < 1 or kept[-1].share < 1
            gap = shot.place - kept[-1].place if kept else 0
            last = shot is self._shots[-1]
            odds = 0.7 if moving else 0.12
            if fresh or last or gap >= _LONGEST_GAP or self._random.random() < odds:
                kept.append(shot)
        return kept

    def _states(self, windows: list[tuple[int, int, int]]) -> list[State]:
        first: dict[int, int] = {}
        states: list[State] = []
        for index, (step, (begin, stable, end)) in enumerate(zip(self.script.steps, windows, strict=True)):
            content = self._contents[step.page]
            original = first.setdefault(content, index)
            states.append(
                State(
                    index,
                    content,
                    step.slide,
                    self._seconds(begin),
                    self._seconds(stable),
                    self._seconds(end),
                    "first" if index == 0 else step.entry,
                    step.watch,
                    original == index and not self._held_later(index, step),
                    None if original == index else original,
                    self._difference(states[-1].content, content) if step.watch else None,
                )
            )
        return states

    def _seconds(self, place: int) -> float:
        return round(float(self._time(place)), 6)

    def _held_later(self, index: int, step: Step) -> bool:
        """Return whether a later state of the same slide shows all that this one shows."""
        mine = set(self.drawn[self._contents[step.page]].texts)
        image = self.drawn[self._contents[step.page]]
        for later in self.script.steps[index + 1 :]:
            if later.slide == step.slide and later.page != step.page:
                other = self.drawn[self._contents[later.page]]
                # Where the texts are the same, only what is drawn around them differs, and both are wanted.
                if mine < set(other.texts) and _same_within(image, other):
                    return True
        return False

    def _difference(self, one: int, other: int) -> Box:
        """Return the rectangle in which two pictures differ."""
        differ = np.any(self.drawn[one].image != self.drawn[other].image, axis=2)
        rows, columns = np.flatnonzero(differ.any(axis=1)), np.flatnonzero(differ.any(axis=0))
        return int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1

    def _cursor_path(self) -> tuple[CursorAt, ...]:
        """Return a path of rests of one to four seconds and moves of a third of a second to one second."""
        width, height = self.size
        path = [CursorAt(0.0, even(width * 0.6), even(height * 0.5))]
        while path[-1].time < self.duration:
            here = path[-1]
            rest = here.time + self._random.uniform(1.0, 4.0)
            there = rest + self._random.uniform(0.3, 1.0)
            left = self._random.randrange(40, width - 60)
            top = self._random.randrange(round(110 * self.scale), height - 60)
            path += [CursorAt(round(rest, 3), here.left, here.top), CursorAt(round(there, 3), left, top)]
        return tuple(path)

    def frames(self) -> Iterator[tuple[int, Planes]]:
        """Iterate over the coded frames: pts in ticks, and the planes; equal frames in a row are one object."""
        still = {}
        overlay = _Overlay(self)
        for shot in self._kept:
            if shot.share < 1:
                base = self._between(shot)
            else:
                if shot.content not in still:
                    still[shot.content] = planes(self.drawn[shot.content].image)
                base = still[shot.content]
            picture = self.drawn[shot.content].image if shot.share == 1 else None
            yield self._pts(shot.place), overlay.on(base, picture, float(self._time(shot.place)), shot)

    def _between(self, shot: Shot) -> Planes:
        return planes(self.mixed(shot))

    def mixed(self, shot: Shot) -> NDArray[np.uint8]:
        """Return the RGB picture of a frame within a change."""
        old, new = self.drawn[shot.before].image, self.drawn[shot.content].image
        if shot.entry == "push":
            shift = round(shot.share * new.shape[1])
            return np.concatenate((old[:, shift:], new[:, :shift]), axis=1)
        mix = old.astype(np.float32) * (1 - shot.share) + new.astype(np.float32) * shot.share
        return np.rint(mix).astype(np.uint8)


class _Overlay:
    """What moves on top of the pages: a talking head, a clock, a cursor, grain."""

    def __init__(self, film: Film) -> None:
        self._film = film
        self._arrow = _arrow(film.cursor_size)
        self._clock_face: dict[int, Planes] = {}
        self._begin = film.script.seed * 3607 % 43200 + 32400
        self._grain: list[NDArray[np.int16]] = []
        if film.script.grain:
            noise = np.random.default_rng(film.script.seed)
            width, height = film.size
            self._grain = [
                np.rint(noise.normal(0, film.script.grain, (height, width))).astype(np.int16) for _ in range(8)
            ]

    def on(self, base: Planes, picture: NDArray[np.uint8] | None, time: float, shot: Shot) -> Planes:
        """Return `base` with all that moves laid over it; `base` itself where nothing does."""
        film = self._film
        if not (film.live or film.cursor or self._grain):
            return base
        canvas = base.copy()
        for live in film.live:
            patch = self._head(live.box, time, shot.place) if live.kind == "head" else self._clock(live.box, time)
            paste(canvas, patch, live.box[0], live.box[1])
        if film.cursor:
            self._cursor(canvas, picture if picture is not None else film.mixed(shot), time)
        if self._grain:
            height = film.size[1]
            luma = canvas[:height].astype(np.int16) + self._grain[shot.place * 5 % len(self._grain)]
            canvas[:height] = np.clip(luma, 0, 255)
        return canvas

    def _head(self, box: Box, time: float, place: int) -> Planes:
        """Draw a nodding, talking head before a shelf, with the noise of a cheap camera."""
        width, height = box[2] - box[0], box[3] - box[1]
        image = Image.new("RGB", (width, height), (92, 84, 78))
        draw = ImageDraw.Draw(image)
        for shelf in range(4):
            left = width * shelf // 4
            shade = (120 - shelf * 12, 96 + shelf * 6, 70 + shelf * 9)
            draw.rectangle((left + 6, 8, left + width // 5, height // 2), shade)
        x = width / 2 + 0.05 * width * math.sin(time * 1.9) + 0.02 * width * math.sin(time * 5.3)
        y = height * 0.45 + 0.04 * height * math.sin(time * 2.7)
        wide, tall = width * 0.16, height * 0.27
        draw.ellipse((x - width * 0.34, y + tall * 0.9, x + width * 0.34, height * 1.5), (52, 70, 104))
        draw.ellipse((x - wide, y - tall, x + wide, y + tall), (214, 172, 146))
        draw.pieslice((x - wide, y - tall * 1.1, x + wide, y + tall * 0.5), 180, 360, (60, 42, 34))
        for side in (-1, 1):
            draw.ellipse((x + side * wide * 0.4 - 3, y - 4, x + side * wide * 0.4 + 3, y + 2), (40, 34, 32))
        mouth = abs(math.sin(time * 9.1)) * tall * 0.2 + 1
        draw.ellipse((x - wide * 0.35, y + tall * 0.5 - mouth, x + wide * 0.35, y + tall * 0.5 + mouth), (126, 52, 52))
        noise = np.random.default_rng((self._film.script.seed, place)).normal(0, 5.0, (height, width, 1))
        return planes(np.clip(np.asarray(image) + noise, 0, 255).astype(np.uint8))

    def _clock(self, box: Box, time: float) -> Planes:
        second = int(time)
        if second not in self._clock_face:
            theme = self._film._theme  # noqa: SLF001 - one unit in two classes
            ground = theme.accent if theme.banner else theme.background
            image = Image.new("RGB", (box[2] - box[0], box[3] - box[1]), ground)
            now = self._begin + second
            text = f"{now // 3600 % 24:02d}:{now // 60 % 60:02d}:{now % 60:02d}"
            face = font("latin", round(20 * self._film.scale), True)
            middle = ((box[2] - box[0]) // 2, (box[3] - box[1]) // 2)
            ImageDraw.Draw(image).text(middle, text, theme.on_accent if theme.banner else theme.text, face, "mm")
            self._clock_face[second] = planes(np.asarray(image))
        return self._clock_face[second]

    def _cursor(self, canvas: Planes, picture: NDArray[np.uint8], time: float) -> None:
        film = self._film
        box = cursor_box(film.cursor, film.cursor_size, time)
        left, top = box[0] - box[0] % 2, box[1] - box[1] % 2
        right, bottom = even(box[2] + 1), even(box[3] + 1)
        if any(
            left < live.box[2] and live.box[0] < right and top < live.box[3] and live.box[1] < bottom
            for live in film.live
        ):
            return
        patch = Image.fromarray(picture[top:bottom, left:right])
        patch.paste(self._arrow, (box[0] - left, box[1] - top), self._arrow)
        paste(canvas, planes(np.asarray(patch)), left, top)


def _arrow(size: tuple[int, int]) -> Image.Image:
    """Draw an arrow with a white rim."""
    width, height = size
    image = Image.new("RGBA", size, (0, 0, 0, 0))
    points = [(0, 0), (0, 0.78), (0.28, 0.6), (0.46, 0.98), (0.64, 0.9), (0.46, 0.54), (0.98, 0.54)]
    scaled = [(round(x * (width - 1)), round(y * (height - 1))) for x, y in points]
    ImageDraw.Draw(image).polygon(scaled, (20, 20, 20, 255), (255, 255, 255, 255))
    return image


def _same_within(image: Drawn, other: Drawn) -> bool:
    """Return whether `other` shows all that stands in the text boxes of `image` as it does."""
    for text in image.texts:
        left, top, right, bottom = text.box
        if not np.array_equal(image.image[top:bottom, left:right], other.image[top:bottom, left:right]):
            return False
    return True


def even(value: float) -> int:
    """Return the even number at or below a rounded value: 4:2:0 halves both axes."""
    return round(value) // 2 * 2
