"""What can be seen of a text's state: its colours and size, whether it is struck out, greyed or masked."""

from __future__ import annotations

import colorsys
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from debriefer.media.layout.ink import ink_of
from debriefer.media.slide import Box
from debriefer.media.tree import TextLine

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Colour: TypeAlias = tuple[int, int, int]

# Hues in degrees at which one colour's name ends.
_HUES = ((15, "red"), (45, "orange"), (70, "yellow"), (165, "green"), (200, "cyan"), (260, "blue"), (320, "purple"))
# Below this saturation a colour is white, grey or black; pale backgrounds keep a hue with less.
_NEUTRAL = 0.18
# Contrast ratio (WCAG 2) below which text is greyed out: placeholders have 1.5, footnotes 3.
_DISABLED = 2.1
# Difference of two colours in levels of the strongest channel, above which a person sees two colours.
SEEN = 7
# A background that is so much darker, lighter or more coloured stands for a choice rather than for an emphasis.
_STRONG = 90
_MASK = re.compile(r"^\*{3,}$|\w\*{2,}\w|\*{3,}")
_DASHES = re.compile(r"^[\W_一二三]*$")
_LOWER_ONLY = re.compile(r"^[acemnorsuvwxz\s.,:;]+$")
_DESCENDING = re.compile(r"[gjpqy,;()\[\]{}|/@Q$]")
_ASCENDING = re.compile(r"[A-Zbdfhklti0-9()\[\]{}|/%$&#@!?]")


@dataclass(frozen=True, slots=True)
class Look:
    """A line of text as it is drawn.

    Attributes:
        line: The text, its box and confidence.
        size: Height of the font's em, in pixels, estimated from the ink and the letters.
        foreground: Colour of the strokes, RGB.
        background: Colour behind them, RGB.
        weight: Share of the box that is ink: bold text has more.
        struck: Whether a line goes through it.
    """

    line: TextLine
    size: float
    foreground: Colour
    background: Colour
    weight: float
    struck: bool

    @property
    def box(self) -> Box:
        """Where it stands."""
        return self.line.box

    @property
    def text(self) -> str:
        """The characters."""
        return self.line.text

    @property
    def masked(self) -> bool:
        """Whether characters are hidden behind signs."""
        return _MASK.search(self.text) is not None

    @property
    def disabled(self) -> bool:
        """Whether it is greyed out: hardly any contrast, and no colour."""
        return contrast(self.foreground, self.background) < _DISABLED and saturation(self.foreground) < 2 * _NEUTRAL


def look_of(image: NDArray[np.uint8], line: TextLine) -> Look:
    """Return how a line is drawn in an RGB picture of shape (height, width, 3)."""
    ink = ink_of(image, line.box)
    if ink is None:
        row = min(image.shape[0] - 1, max(0, line.box.top))
        column = min(image.shape[1] - 1, max(0, line.box.left))
        red, green, blue = (int(value) for value in image[row, column])
        flat = (red, green, blue)
        return Look(line, em(line.text, line.box.bottom - line.box.top), flat, flat, 0.0, struck=False)
    struck = ink.strike is not None and _DASHES.match(line.text) is None
    height = ink.box.bottom - ink.box.top
    return Look(line, em(line.text, height), ink.foreground, ink.background, ink.share, struck)


def em(text: str, height: float) -> float:
    """Return the size of a font in pixels whose letters in `text` are `height` pixels high.

    >>> round(em("2026", 73)), round(em("经营概览", 92)), round(em("near", 55))
    (100, 100, 100)
    """
    if any(unicodedata.east_asian_width(sign) in "WF" and sign.isalpha() for sign in text):
        return height / 0.92
    if _LOWER_ONLY.match(text):
        return height / 0.55
    up = 0.73 if _ASCENDING.search(text) else 0.55
    down = 0.21 if _DESCENDING.search(text) else 0.0
    return height / (up + down) if any(sign.isalnum() for sign in text) else height / 0.5


def colour_name(colour: Colour, *, ink: bool = False) -> str:
    """Return the name of an RGB colour: a hue, or white, grey, black; pale and dark ones say so.

    Args:
        colour: The colour.
        ink: Whether it is that of strokes, onto which a video codec spreads the colour behind them.

    >>> [colour_name(c) for c in ((255, 255, 255), (37, 99, 235), (255, 243, 191), (31, 58, 104), (200, 30, 40))]
    ['white', 'blue', 'light-yellow', 'dark-blue', 'red']
    """
    hue, lightness, _ = colorsys.rgb_to_hls(*(value / 255 for value in colour))
    chroma = (max(colour) - min(colour)) / 255
    # Near white the eye sees a hue in little chroma.
    least = (0.3 if lightness < 0.25 else 0.2) if ink else 0.06 if lightness > 0.85 else 0.12  # noqa: PLR2004
    if chroma < least:
        steps = ((0.15, "black"), (0.4, "dark-grey"), (0.7, "grey"), (0.93, "light-grey"))
        return next((name for bound, name in steps if lightness < bound), "white")
    degrees = hue * 360
    name = next((name for bound, name in _HUES if degrees < bound), "pink" if degrees < 345 else "red")  # noqa: PLR2004
    if lightness > 0.8:  # noqa: PLR2004 -- pastel
        return f"light-{name}"
    return f"dark-{name}" if lightness < 0.3 else name  # noqa: PLR2004 -- deep


def saturation(colour: Colour) -> float:
    """Return how far a colour is from grey, in [0, 1]."""
    return (max(colour) - min(colour)) / 255


def difference(one: Colour, other: Colour) -> int:
    """Return the difference of two colours in levels of the strongest channel."""
    return max(abs(a - b) for a, b in zip(one, other, strict=True))


def contrast(one: Colour, other: Colour) -> float:
    """Return the contrast ratio of two colours, from 1 to 21 (WCAG 2).

    >>> round(contrast((0, 0, 0), (255, 255, 255)))
    21
    """
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def common_colour(colours: Iterable[Colour]) -> Colour | None:
    """Return the commonest colour, those that look alike counted together; the first of equals."""
    groups: list[list[Colour]] = []
    for colour in colours:
        for group in groups:
            if difference(group[0], colour) <= 2 * SEEN:
                group.append(colour)
                break
        else:
            groups.append([colour])
    if not groups:
        return None
    largest = groups[0]
    for group in groups:
        if len(group) > len(largest):
            largest = group
    return Counter(largest).most_common(1)[0][0]


def emphasis(own: Colour, usual: Colour) -> str | None:
    """Return what a background other than its siblings' says: `selected`, `highlighted`, or `None` if it is theirs.

    A strong fill is a choice, a pale one an emphasis. A neutral shade close to the usual one is neither: zebra rows.
    """
    if difference(own, usual) <= SEEN:
        return None
    if difference(own, usual) >= _STRONG:
        return "selected"
    tinted = saturation(own) - saturation(usual) > 0.05  # noqa: PLR2004 -- a tint that the eye tells from grey
    return "highlighted" if tinted or difference(own, usual) > 4 * SEEN else None


def _luminance(colour: Colour) -> float:
    parts = [value / 255 for value in colour]
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)  # noqa: PLR2004
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
