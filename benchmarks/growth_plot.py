"""Draws growth as SVG: size across, seconds up, both logarithmic, one line a kernel with its name at its end.

Plain text without a library, so that the same figures give the same bytes. Colours follow the reader's light or dark
mode; each line has its own mark and its name beside it, so that colour alone carries nothing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

Points = Sequence[tuple[float, float]]

_WIDTH, _HEIGHT = 860, 520
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 240, 44, 54
_LABEL_GAP = 17
# Okabe and Ito's colours, which the colour-blind tell apart; the second are lighter, for a dark ground.
_COLOURS = (
    ("#0072b2", "#56b4e9"),
    ("#d55e00", "#ff9955"),
    ("#007a5a", "#2fcf9f"),
    ("#a8447f", "#e69ac5"),
    ("#8a6d00", "#f0e442"),
    ("#4b4b9b", "#a9a9ff"),
    ("#a02020", "#ff8080"),
    ("#3f6b1f", "#a5d66f"),
)
_TIMES = {-9: "1 ns", -8: "10 ns", -7: "100 ns", -6: "1 µs", -5: "10 µs", -4: "100 µs", -3: "1 ms", -2: "10 ms"}
_TIMES |= {-1: "0.1 s", 0: "1 s", 1: "10 s", 2: "100 s", 3: "1000 s"}
_SUPERSCRIPT = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


def draw(lines: Mapping[str, Points], title: str = "Time of one call over the size of its input") -> str:
    """Return the drawing.

    Args:
        lines: For each kernel its sizes and seconds, both above 0, by rising size; one without a point is left out.
        title: What the drawing shows.

    Returns:
        An SVG document; without any point only its frame.
    """
    drawn = {name: points for name, points in lines.items() if points}
    sizes = [math.log10(size) for points in drawn.values() for size, _ in points] or [2.0, 7.0]
    times = [math.log10(seconds) for points in drawn.values() for _, seconds in points] or [-6.0, 0.0]
    first, last = math.floor(min(sizes) + 0.02), max(math.ceil(max(sizes) - 0.02), math.floor(min(sizes)) + 1)
    low, high = math.floor(min(times)), max(math.ceil(max(times)), math.floor(min(times)) + 1)

    def across(size: float) -> float:
        return _LEFT + (math.log10(size) - first) / (last - first) * (_WIDTH - _LEFT - _RIGHT)

    def up(seconds: float) -> float:
        return _HEIGHT - _BOTTOM - (math.log10(seconds) - low) / (high - low) * (_HEIGHT - _TOP - _BOTTOM)

    parts = [_head(title, len(drawn))]
    for power in range(first, last + 1):
        x = across(10.0**power)
        parts.append(f'<path class="grid" d="M{x:.1f} {_TOP}V{_HEIGHT - _BOTTOM}"/>')
        label = f"10{str(power).translate(_SUPERSCRIPT)}"
        parts.append(f'<text x="{x:.1f}" y="{_HEIGHT - _BOTTOM + 20}" text-anchor="middle">{label}</text>')
    for power in range(low, high + 1):
        y = up(10.0**power)
        parts.append(f'<path class="grid" d="M{_LEFT} {y:.1f}H{_WIDTH - _RIGHT}"/>')
        label = _TIMES.get(power, f"10{str(power).translate(_SUPERSCRIPT)} s")
        parts.append(f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{label}</text>')
    parts.append(_linear(first, last, low, high))
    ends = [(up(points[-1][1]), name) for name, points in drawn.items()]
    places = _apart(ends)
    for number, (name, points) in enumerate(drawn.items()):
        colour = f"k{number % len(_COLOURS)}"
        path = "L".join(f"{across(size):.1f} {up(seconds):.1f}" for size, seconds in points)
        parts.append(f'<path class="line {colour}" d="M{path}"/>')
        parts += [
            f'<circle class="dot {colour}" cx="{across(size):.1f}" cy="{up(seconds):.1f}" r="3"/>'
            for size, seconds in points
        ]
        end, y = across(points[-1][0]), places[name]
        x = _WIDTH - _RIGHT + 22
        parts.append(f'<path class="lead {colour}" d="M{end + 4:.1f} {up(points[-1][1]):.1f}L{x - 4} {y:.1f}"/>')
        parts.append(f'<text class="name {colour}" x="{x}" y="{y + 4:.1f}">{escape(name)}</text>')
    parts.append(
        f'<text x="{(_LEFT + _WIDTH - _RIGHT) / 2:.1f}" y="{_HEIGHT - 12}" text-anchor="middle">'
        "size (pixels, samples, names, cells, bytes or rows)</text>"
    )
    return "\n".join([*parts, "</svg>", ""])


def _head(title: str, lines: int) -> str:
    """Return the opening tag, the title and the styles."""
    text = escape(title)
    used = _COLOURS[: max(1, min(lines, len(_COLOURS)))]

    def colours(shade: int) -> str:
        return "".join(
            f".line.k{n},.lead.k{n}{{stroke:{pair[shade]}}}.dot.k{n},.name.k{n}{{fill:{pair[shade]}}}"
            for n, pair in enumerate(used)
        )

    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" '
        f'height="{_HEIGHT}" role="img" aria-label="{text}">\n<title>{text}</title>\n<style>\n'
        "text{font:13px system-ui,sans-serif;fill:#333}.title{font-size:15px;font-weight:600}\n"
        ".ground{fill:#fff}.grid{stroke:#ddd;fill:none}.guide{stroke:#888;stroke-dasharray:5 5;fill:none}\n"
        ".line{fill:none;stroke-width:2}.lead{fill:none;stroke-dasharray:1 3}\n"
        f"{colours(0)}\n"
        "@media (prefers-color-scheme:dark){text{fill:#ddd}.ground{fill:#16181d}.grid{stroke:#353a44}"
        f"{colours(1)}}}\n</style>\n"
        f'<rect class="ground" width="{_WIDTH}" height="{_HEIGHT}"/>\n'
        f'<text class="title" x="{_LEFT}" y="24">{text}</text>'
    )


def _linear(first: int, last: int, low: int, high: int) -> str:
    """Return a dashed line of slope 1, which shows what linear growth looks like."""
    decades = min(last - first, high - low)
    across = (_WIDTH - _LEFT - _RIGHT) / (last - first)
    up = (_HEIGHT - _TOP - _BOTTOM) / (high - low)
    x, y = _LEFT, _HEIGHT - _BOTTOM
    end_x, end_y = x + decades * across, y - decades * up
    return (
        f'<path class="guide" d="M{x} {y}L{end_x:.1f} {end_y:.1f}"/>'
        f'<text x="{x + 0.35 * (end_x - x) + 8:.1f}" y="{y + 0.35 * (end_y - y) + 14:.1f}">linear</text>'
    )


def _apart(ends: Sequence[tuple[float, str]]) -> dict[str, float]:
    """Return where each name stands, so that no two touch: from top to bottom, then pushed back into the frame."""
    ordered = sorted(ends)
    places = [y for y, _ in ordered]
    for at in range(1, len(places)):
        places[at] = max(places[at], places[at - 1] + _LABEL_GAP)
    limit: float = _HEIGHT - _BOTTOM
    for at in range(len(places) - 1, -1, -1):
        places[at] = min(places[at], limit)
        limit = places[at] - _LABEL_GAP
    return {name: y for (_, name), y in zip(ordered, places, strict=True)}
