"""The look of the slides: themes, fonts and measures, all in pixels of a 1280x720 page."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from PIL import ImageFont

WIDTH = 1280
HEIGHT = 720
MARGIN = 48
HEADER = 112
FOOTER = 684
Colour = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Theme:
    """Colours of a deck.

    Attributes:
        name: What the theme is called.
        dark: Whether text is light on dark.
        background: The page.
        surface: Cards and panels.
        border: Lines of tables, outlines of cards.
        text: Body text and values.
        muted: Labels, notes, footers.
        accent: Selected options, title bars, bars of charts.
        on_accent: Text upon `accent`.
        header: Background of table headers.
        on_header: Text of table headers.
        zebra: Every second row of a zebra table.
        highlight: Background of a highlighted row or cell.
        disabled: Text that cannot be chosen.
        banner: Whether the title stands in a bar filled with `accent`.
    """

    name: str
    dark: bool
    background: Colour
    surface: Colour
    border: Colour
    text: Colour
    muted: Colour
    accent: Colour
    on_accent: Colour
    header: Colour
    on_header: Colour
    zebra: Colour
    highlight: Colour
    disabled: Colour
    banner: bool = False


def _hex(code: str) -> Colour:
    return int(code[0:2], 16), int(code[2:4], 16), int(code[4:6], 16)


def _theme(name: str, codes: str, *, dark: bool = False, banner: bool = False) -> Theme:
    page, surface, border, text, muted, accent, on_accent, header, on_header, zebra, highlight, disabled = map(
        _hex, codes.split()
    )
    return Theme(
        name,
        dark,
        page,
        surface,
        border,
        text,
        muted,
        accent,
        on_accent,
        header,
        on_header,
        zebra,
        highlight,
        disabled,
        banner,
    )


# Columns: background surface border text muted accent on_accent header on_header zebra highlight disabled.
LIGHT = (
    _theme("harbour", "F5F7FA FFFFFF D5DCE6 1B2733 5B6B7C 1F5FBF FFFFFF E4ECF7 1B2733 F3F6FA FFF1C2 B4BDC8"),
    _theme("linen", "FBF8F2 FFFFFF E0D8C8 2B2622 73695C B4531F FFFFFF F3E9DA 2B2622 FAF5EC FFE7A8 C2B9AB"),
    _theme(
        "meadow", "F4F8F4 FFFFFF CFDDD1 16281C 54685A 1D7A4C FFFFFF 1D7A4C FFFFFF EDF5EF FBEFB5 AFC0B4", banner=True
    ),
    _theme("paper", "FFFFFF FFFFFF C9CED6 202124 5F6368 3A3F8F FFFFFF ECEDF6 202124 F7F7FB FDECC8 B9BDC4"),
    _theme("slate", "F2F3F5 FFFFFF D0D4DA 22262B 606872 2F3E55 FFFFFF 2F3E55 FFFFFF EEF0F4 FFF0B8 B3B9C1", banner=True),
)
DARK = (
    _theme("night", "0F1722 182433 2E3E52 EEF3F9 93A5B8 3D8BFF FFFFFF 21344A EEF3F9 152030 3C4A1E 55667A", dark=True),
    _theme("coal", "17181B 222428 3A3D44 F1F1F2 A2A6AE E0803A 17181B 2E3137 F1F1F2 1D1F22 4A3B16 63676F", dark=True),
    _theme("plum", "1B1426 281E38 43345A F4EFFA AE9FC4 A873F0 1B1426 37284F F4EFFA 221930 4B3A14 6B5C82", dark=True),
)

_LATIN = {
    False: "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
    True: "/usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf",
}
_HAN = {
    False: "/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc",
    True: "/usr/share/fonts/opentype/noto/NotoSansCJK-Bold.ttc",
}
# The third face of the collections holds the forms of mainland China.
_HAN_FACE = 2


def has_han_font() -> bool:
    """Return whether Chinese can be drawn: Debian's `fonts-noto-cjk` is installed."""
    return all(Path(path).is_file() for path in _HAN.values())


@cache
def font(family: str, size: int, bold: bool) -> ImageFont.FreeTypeFont:
    """Return a font of `size` pixels; `family` is `han` (Latin and Chinese) or `latin`.

    Raises:
        FileNotFoundError: The font's file is not installed.
    """
    path = (_HAN if family == "han" else _LATIN)[bold]
    if not Path(path).is_file():
        message = f"`{path}` is not installed (Debian: fonts-noto-cjk, fonts-dejavu-core)"
        raise FileNotFoundError(message)
    # FreeType's own shaping: raqm differs between builds, and nothing here needs it.
    return ImageFont.truetype(
        path, size, index=_HAN_FACE if family == "han" else 0, layout_engine=ImageFont.Layout.BASIC
    )
