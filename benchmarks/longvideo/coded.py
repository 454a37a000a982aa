"""Frames that say what they are: a strip with the scene's number and one with the frame's own time.

A reader of pixels can thus tell what a picture shows and when it was on screen, whatever its label says: a wrong frame
gives a wrong answer, and a wrong time is seen.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]

# The scene's strip: 16 cells over the whole width, an eighth of the height; 12 bits, 2 guards, 2 bits of parity.
_SCENE_BITS, _SCENE_CELLS = 12, 16
# The frame's strip below it: cells of 1/32 of the width and 1/18 of the height, so small that a clock makes no new
# scene; 10 bits of tenths of a second in Gray code and 2 of parity.
_TIME_BITS, _TIME_CELLS = 10, 12
_WIDE, _HIGH = 32, 18
TENTHS = 1 << _TIME_BITS
_DARK, _BRIGHT = 20, 235
_CERTAIN = 40
MOST_SCENES = 1 << _SCENE_BITS


@dataclass(frozen=True, slots=True)
class Read:
    """What a picture says of itself.

    Attributes:
        scene: Number of its scene.
        seconds: Its time, modulo 102.4 s, in tenths.
    """

    scene: int
    seconds: float

    def error(self, label: float) -> float:
        """Return how far a label is from the picture's own time, in seconds."""
        away = (label - self.seconds) % (TENTHS / 10)
        return round(min(away, TENTHS / 10 - away), 3)


def still(scene: int, lines: tuple[str, ...], size: tuple[int, int], *, slide: bool = False) -> Image:
    """Return the picture of a scene without its time: RGB, shape (height, width, 3).

    Args:
        scene: Its number, below 4,096.
        lines: What is written on it.
        size: Width and height in pixels.
        slide: Whether it is a slide: text on white.
    """
    width, height = size
    random = np.random.default_rng(scene)
    ground = (250, 250, 250) if slide else tuple(int(value) for value in random.integers(40, 200, 3))
    image: Image = np.full((height, width, 3), ground, np.uint8)
    if not slide:
        for _ in range(6):
            left, top = int(random.integers(0, width * 3 // 4)), int(random.integers(height // 4, height * 3 // 4))
            color = tuple(int(value) for value in random.integers(0, 255, 3))
            cv2.rectangle(image, (left, top), (left + width // 4, top + height // 4), color, -1)
    scale = height / 400
    for place, line in enumerate(lines):
        at = (width // 20, height * 45 // 100 + int(place * height * 0.12))
        cv2.putText(image, line, at, cv2.FONT_HERSHEY_SIMPLEX, scale, (10, 10, 10), 1, cv2.LINE_AA)
    value = scene << 2 | _parity(scene)
    bits = [1, *(value >> place & 1 for place in reversed(range(_SCENE_BITS + 2))), 0]
    _draw(image, bits, 0, height * 2 // _HIGH, width / _SCENE_CELLS)
    return image


def stamped(image: Image, seconds: float) -> Image:
    """Return a scene's picture with a frame's time on it."""
    height, width = image.shape[:2]
    tenths = round(seconds * 10) % TENTHS
    value = (tenths ^ tenths >> 1) << 2 | _parity(tenths)
    bits = [value >> place & 1 for place in reversed(range(_TIME_CELLS))]
    made = image.copy()
    _draw(made, bits, height * 2 // _HIGH, height // _HIGH, width / _WIDE)
    return made


def read(image: Image) -> Read | None:
    """Return what a picture says of itself, or `None` where its strips cannot be read for certain."""
    height, width = image.shape[:2]
    luma = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)
    scene_bits = _levels(luma, 0, height * 2 // _HIGH, width / _SCENE_CELLS, _SCENE_CELLS)
    time_bits = _levels(luma, height * 2 // _HIGH, height // _HIGH, width / _WIDE, _TIME_CELLS)
    if scene_bits is None or time_bits is None or (scene_bits[0], scene_bits[-1]) != (1, 0):
        return None
    value = int("".join(map(str, scene_bits[1:-1])), 2)
    scene = value >> 2
    stamp = int("".join(map(str, time_bits)), 2)
    gray, tenths = stamp >> 2, 0
    while gray:
        tenths ^= gray
        gray >>= 1
    if value & 3 != _parity(scene) or stamp & 3 != _parity(tenths):
        return None
    return Read(scene, tenths / 10)


def _parity(value: int) -> int:
    return zlib.crc32(value.to_bytes(4, "big")) & 3


def _draw(image: Image, bits: list[int], top: int, height: int, cell: float) -> None:
    for place, bit in enumerate(bits):
        left, right = round(place * cell), round((place + 1) * cell)
        image[top : top + height, left:right] = _BRIGHT if bit else _DARK


def _levels(luma: NDArray[Any], top: int, height: int, cell: float, number: int) -> list[int] | None:
    bits = []
    for place in range(number):
        left, right = (place + 0.3) * cell, (place + 0.7) * cell
        part = luma[
            top + height // 4 : top + max(height // 4 + 1, height * 3 // 4), int(left) : max(int(left) + 1, int(right))
        ]
        level = float(part.mean()) if part.size else 128.0
        if abs(level - 128) < _CERTAIN:
            return None
        bits.append(int(level > 128))
    return bits
