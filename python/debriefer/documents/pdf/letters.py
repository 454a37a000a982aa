"""The letters of a page, out of PDFium's text page."""

from __future__ import annotations

import ctypes
import math
import unicodedata
from collections import Counter
from dataclasses import dataclass
from typing import Any

from debriefer.documents.pdf.frame import Box, Frame
from debriefer.documents.pdf.ink import Area, Glyph

# PDFium's stand-in for a hyphen at the end of a line; the file has a hyphen there.
_LINE_HYPHEN = "\x02"
_SOFT_HYPHEN = "\xad"
# Letters at least this share of whose smaller side is shifted are two letters, not one printed twice.
_OVERPRINT = 0.25
# Degrees by which a letter may lean and still count as running along an axis.
_LEAN = 3.0
_BOLD_WEIGHT = 600
_BOLD_NAMES = ("bold", "black", "heavy", "semibold", "demi")
_LIGATURES = range(0xFB00, 0xFB07)
_SURROGATES = range(0xD800, 0xE000)


@dataclass(frozen=True, slots=True)
class _Raw:
    text: str
    box: Box
    origin: tuple[float, float]
    bold: bool
    turn: int | None
    order: int


@dataclass(frozen=True, slots=True)
class Letters:
    """Letters in the file's coordinates; see `PageInk` for the counts."""

    raw: tuple[_Raw, ...]
    turn: int
    unmapped: int
    hidden: int
    doubled: int

    def upright(self, frame: Frame) -> tuple[Glyph, ...]:
        """Return them on the upright page."""
        return tuple(_glyph(letter, frame) for letter in self.raw)


def _glyph(letter: _Raw, frame: Frame) -> Glyph:
    area = frame.area(*letter.box)
    turn = None if letter.turn is None else (letter.turn - frame.turn) % 4
    size = area.height if turn is None or turn % 2 == 0 else area.width
    baseline = frame.point(*letter.origin)[1]
    if turn != 0 or not area.top <= baseline <= area.bottom + size:
        baseline = area.bottom - 0.2 * size
    return Glyph(letter.text, area, baseline, size, letter.bold, turn, letter.order)


def letters(raw: Any, page: Any, box: Box) -> Letters:  # noqa: ANN401 -- ctypes
    """Read the letters of a page.

    Args:
        raw: `pypdfium2.raw`.
        page: Its text page.
        box: Left, bottom, right and top of the visible page.

    Returns:
        Letters, without those that PDFium made up (it guesses spaces and line ends), that stand outside `box`, or
        that are printed again over themselves.
    """
    found: list[_Raw] = []
    unmapped = hidden = 0
    fonts = _Fonts(raw, page)
    area, x, y = raw.FS_RECTF(), ctypes.c_double(), ctypes.c_double()
    high = ""
    for index in range(page.count_chars()):
        if raw.FPDFText_IsGenerated(page, index) == 1:
            continue
        code = raw.FPDFText_GetUnicode(page, index)
        if code in _SURROGATES:
            high, pair = (chr(code), "") if not high else ("", high + chr(code))
            text = pair.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        else:
            text = _text(code)
        if raw.FPDFText_HasUnicodeMapError(page, index) == 1:
            unmapped += 1
            text = text or "\ufffd"
        if not text or not raw.FPDFText_GetLooseCharBox(page, index, area):
            continue
        place = (
            min(area.left, area.right),
            min(area.bottom, area.top),
            max(area.left, area.right),
            max(area.bottom, area.top),
        )
        if not all(map(math.isfinite, place)):
            continue
        if place[2] <= box[0] or place[0] >= box[2] or place[3] <= box[1] or place[1] >= box[3]:
            hidden += not text.isspace()
            continue
        raw.FPDFText_GetCharOrigin(page, index, x, y)
        turn = _turn(raw.FPDFText_GetCharAngle(page, index))
        found.append(_Raw(text, place, (x.value, y.value), fonts.bold(index), turn, index))
    once = _once(found)
    turns = Counter(letter.turn for letter in once if letter.turn is not None and not letter.text.isspace())
    turn = max(turns, key=lambda quarter: (turns[quarter], -quarter), default=0)
    return Letters(tuple(once), turn, unmapped, hidden, len(found) - len(once))


def _text(code: int) -> str:
    """Return what a code stands for: ligatures as their letters, blanks as a space, control codes as nothing."""
    letter = chr(code)
    if letter in {_LINE_HYPHEN, _SOFT_HYPHEN}:
        return "-"
    if code in _LIGATURES:
        return unicodedata.normalize("NFKC", letter)
    if letter.isspace():
        return " "
    category = unicodedata.category(letter)
    return "" if category in {"Cc", "Cf", "Cn"} or code in {0xFFFE, 0xFFFF} else letter


def _turn(radians: float) -> int | None:
    """Return an angle as quarters of a turn counter-clockwise, `None` between the axes."""
    # PDFium counts clockwise.
    degrees = -math.degrees(radians) % 360
    quarter = round(degrees / 90)
    return quarter % 4 if abs(degrees - 90 * quarter) <= _LEAN else None


class _Fonts:
    """Whether letters are bold, asked once a text object."""

    def __init__(self, raw: Any, page: Any) -> None:  # noqa: ANN401 -- ctypes
        self._raw, self._page = raw, page
        self._known: dict[int, bool] = {}

    def bold(self, index: int) -> bool:
        """Return whether the letter at `index` has a heavy font."""
        item = self._raw.FPDFText_GetTextObject(self._page, index)
        address = ctypes.cast(item, ctypes.c_void_p).value
        if address is None:
            return False
        if address not in self._known:
            self._known[address] = self._look(item)
        return self._known[address]

    def _look(self, item: Any) -> bool:  # noqa: ANN401 -- ctypes
        font = self._raw.FPDFTextObj_GetFont(item)
        if not font:
            return False
        length = self._raw.FPDFFont_GetBaseFontName(font, None, 0)
        buffer = ctypes.create_string_buffer(max(1, length))
        self._raw.FPDFFont_GetBaseFontName(font, buffer, length)
        name = buffer.value.decode("utf-8", "replace").casefold()
        return self._raw.FPDFFont_GetWeight(font) >= _BOLD_WEIGHT or any(word in name for word in _BOLD_NAMES)


def _once(letters: list[_Raw]) -> list[_Raw]:
    """Return letters without those printed again over themselves."""
    kept: list[_Raw] = []
    places: dict[tuple[str, int, int], list[_Raw]] = {}
    for letter in letters:
        left, bottom, right, top = letter.box
        slack = _OVERPRINT * min(max(right - left, 0.1), max(top - bottom, 0.1))
        column, row = round(left), round(bottom)
        near = (
            other
            for across in (-1, 0, 1)
            for down in (-1, 0, 1)
            for other in places.get((letter.text, column + across, row + down), ())
        )
        # Neighbours in the file with one place are the letters of a ligature (`ff`), not a second print.
        if not letter.text.isspace() and any(
            abs(other.box[0] - left) < slack
            and abs(other.box[1] - bottom) < slack
            and not (other.box == letter.box and letter.order - other.order <= 1)
            for other in near
        ):
            continue
        places.setdefault((letter.text, column, row), []).append(letter)
        kept.append(letter)
    return kept


def bounds(glyphs: list[Glyph]) -> Area:
    """Return the rectangle around glyphs (at least one)."""
    return Area(
        min(glyph.area.left for glyph in glyphs),
        min(glyph.area.top for glyph in glyphs),
        max(glyph.area.right for glyph in glyphs),
        max(glyph.area.bottom for glyph in glyphs),
    )
