"""Images within a pixel budget. Scaling needs OpenCV (`debriefer[video]`) or Pillow; the package needs neither."""

from __future__ import annotations

import importlib
import importlib.util
import math
import struct
from functools import cache
from typing import Any

_PNG = b"\x89PNG\r\n\x1a\n"
# JPEG start-of-frame markers; C4, C8 and CC among them mean something else.
_FRAMES = {*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC}


def image_size(data: bytes) -> tuple[int, int] | None:
    """Return width and height of a PNG, JPEG or GIF from its header, `None` where it cannot be told.

    >>> image_size(b"GIF89a" + (640).to_bytes(2, "little") + (480).to_bytes(2, "little"))
    (640, 480)
    """
    if data.startswith(_PNG) and len(data) >= 24:  # noqa: PLR2004 -- signature, length, `IHDR`, width, height
        width, height = struct.unpack(">II", data[16:24])
        return width, height
    if data[:6] in {b"GIF87a", b"GIF89a"} and len(data) >= 10:  # noqa: PLR2004
        width, height = struct.unpack("<HH", data[6:10])
        return width, height
    if data.startswith(b"\xff\xd8"):
        return _jpeg_size(data)
    return None


def _jpeg_size(data: bytes) -> tuple[int, int] | None:
    position = 2
    while position + 9 <= len(data) and data[position] == 0xFF:  # noqa: PLR2004
        marker = data[position + 1]
        if marker in _FRAMES:
            height, width = struct.unpack(">HH", data[position + 5 : position + 9])
            return width, height
        position += 2 + int.from_bytes(data[position + 2 : position + 4], "big")
    return None


@cache
def scaler() -> str | None:
    """Return the image library at hand, `cv2` or `PIL`, or `None`."""
    for name in ("cv2", "PIL"):
        if importlib.util.find_spec(name) is not None:
            return name
    return None


def fit(data: bytes, pixel_budget: int) -> tuple[bytes, str, str] | None:
    """Return a smaller version of an image that has more than `pixel_budget` pixels.

    Args:
        data: The encoded image.
        pixel_budget: Pixels that it may have.

    Returns:
        `None` if the image is within the budget or its size cannot be told. Else the encoded image, its media
        type, and a note of what was done. Without an image library the image comes back unchanged, and the note
        says so; its media type is then empty.
    """
    size = image_size(data)
    if size is None or size[0] * size[1] <= pixel_budget:
        return None
    share = math.sqrt(pixel_budget / (size[0] * size[1]))
    target = max(1, math.floor(size[0] * share)), max(1, math.floor(size[1] * share))
    library = scaler()
    shown = f"{size[0]}×{size[1]}"
    if library is None:
        return data, "", f"image of {shown} pixels sent unscaled: neither OpenCV nor Pillow is installed"
    scaled = _scaled(library, data, target)
    if scaled is None:
        return data, "", f"image of {shown} pixels sent unscaled: it cannot be decoded"
    return scaled, "image/png", f"image scaled from {shown} to {target[0]}×{target[1]} pixels"


def _scaled(library: str, data: bytes, target: tuple[int, int]) -> bytes | None:
    """Return the image as PNG of the size `target`; lossless, since slides hold small print."""
    if library == "cv2":
        cv2: Any = importlib.import_module("cv2")
        numpy: Any = importlib.import_module("numpy")
        try:
            pixels = cv2.imdecode(numpy.frombuffer(data, numpy.uint8), cv2.IMREAD_COLOR)
            if pixels is None:
                return None
            done, encoded = cv2.imencode(".png", cv2.resize(pixels, target, interpolation=cv2.INTER_AREA))
        except cv2.error:
            return None
        return bytes(encoded) if done else None
    pillow: Any = importlib.import_module("PIL.Image")
    io: Any = importlib.import_module("io")
    try:
        with pillow.open(io.BytesIO(data)) as image:
            out = io.BytesIO()
            image.convert("RGB").resize(target, pillow.Resampling.BOX).save(out, "PNG")
    except OSError:
        return None
    else:
        scaled: bytes = out.getvalue()
        return scaled
