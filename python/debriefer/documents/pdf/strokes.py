"""The lines, boxes and pictures of a page, out of PDFium's page objects."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from debriefer.documents.pdf.frame import Frame
from debriefer.documents.pdf.ink import Area, Rule

# Points. A filled rectangle up to this thick is a line; a segment that leaves its axis by less is straight; what is
# shorter than the last is a dash or a part of a drawing.
_THIN = 2.5
_STRAIGHT = 1.0
_DASH = 0.8
# A drawing takes more than this in both directions; rounded corners of a table's frame take less.
_DRAWING = 24.0
# Levels of 255 from which a colour is white.
_WHITE = 250
_DEEPEST_FORM = 8
Matrix = tuple[float, float, float, float, float, float]
_IDENTITY: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
Point = tuple[float, float]


@dataclass(slots=True)
class _Drawn:
    rules: list[Rule] = field(default_factory=list)
    fills: list[Area] = field(default_factory=list)
    pictures: list[Area] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Strokes:
    """Rules, fills and pictures on the upright page; see `PageInk`."""

    rules: tuple[Rule, ...]
    fills: tuple[Area, ...]
    pictures: tuple[Area, ...]


def strokes(raw: Any, page: Any, frame: Frame) -> Strokes:  # noqa: ANN401 -- ctypes
    """Read what is drawn on a page.

    Args:
        raw: `pypdfium2.raw`.
        page: The page.
        frame: How it is laid upright.
    """
    drawn = _Drawn()
    width, height = frame.size
    for item, matrix in _objects(raw, page):
        kind = raw.FPDFPageObj_GetType(item)
        if kind == raw.FPDF_PAGEOBJ_PATH:
            _path(raw, item, matrix, frame, drawn)
        elif kind == raw.FPDF_PAGEOBJ_IMAGE:
            _image(_after(_matrix(raw, item), matrix), frame, drawn)
    return Strokes(
        tuple(rule for found in drawn.rules if (rule := _cut(found, width, height)) is not None),
        tuple(drawn.fills),
        tuple(drawn.pictures),
    )


def _objects(raw: Any, page: Any) -> Iterator[tuple[Any, Matrix]]:  # noqa: ANN401 -- ctypes
    """Yield page objects with the matrix of the forms that they stand in, in the order of drawing."""

    def inside(form: Any, matrix: Matrix, depth: int) -> Iterator[tuple[Any, Matrix]]:  # noqa: ANN401 -- ctypes
        for number in range(raw.FPDFFormObj_CountObjects(form)):
            yield from opened(raw.FPDFFormObj_GetObject(form, number), matrix, depth)

    def opened(item: Any, matrix: Matrix, depth: int) -> Iterator[tuple[Any, Matrix]]:  # noqa: ANN401 -- ctypes
        if raw.FPDFPageObj_GetType(item) != raw.FPDF_PAGEOBJ_FORM:
            yield item, matrix
        elif depth < _DEEPEST_FORM:
            yield from inside(item, _after(_matrix(raw, item), matrix), depth + 1)

    for number in range(raw.FPDFPage_CountObjects(page)):
        yield from opened(raw.FPDFPage_GetObject(page, number), _IDENTITY, 0)


def _matrix(raw: Any, item: Any) -> Matrix:  # noqa: ANN401 -- ctypes
    found = raw.FS_MATRIX()
    if not raw.FPDFPageObj_GetMatrix(item, found):
        return _IDENTITY
    return found.a, found.b, found.c, found.d, found.e, found.f


def _after(first: Matrix, second: Matrix) -> Matrix:
    """Return the matrix that does `first` and then `second`."""
    a, b, c, d, e, f = first
    g, h, i, j, k, m = second
    return a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + m


def _moved(matrix: Matrix, x: float, y: float) -> Point:
    a, b, c, d, e, f = matrix
    return a * x + c * y + e, b * x + d * y + f


def _path(raw: Any, item: Any, matrix: Matrix, frame: Frame, drawn: _Drawn) -> None:  # noqa: ANN401 -- ctypes
    mode, stroked = ctypes.c_int(), ctypes.c_int()
    if not raw.FPDFPath_GetDrawMode(item, mode, stroked):
        return
    whole = _after(_matrix(raw, item), matrix)
    has_stroke = bool(stroked.value) and not _is_clear(item, raw.FPDFPageObj_GetStrokeColor)
    filled = bool(mode.value) and not _is_clear(item, raw.FPDFPageObj_GetFillColor)
    for points, curved in _outlines(raw, item):
        places = [frame.point(*_moved(whole, *point)) for point in points]
        box = None if curved else _rectangle(places)
        if filled and box is not None:
            thin = _as_rule(box)
            if thin is not None:
                drawn.rules.append(thin)
                continue
            drawn.fills.append(box)
        if has_stroke:
            drawn.rules.extend(_sides(places, curved))
        if (has_stroke or filled) and box is None:
            area = _drawing(places)
            if area is not None:
                drawn.pictures.append(area)


def _outlines(raw: Any, item: Any) -> Iterator[tuple[list[Point], frozenset[int]]]:  # noqa: ANN401 -- ctypes
    """Yield the outlines of a path: points, and the numbers of those that a curve leads to."""
    x, y = ctypes.c_float(), ctypes.c_float()
    points: list[Point] = []
    curved: set[int] = set()
    for number in range(raw.FPDFPath_CountSegments(item)):
        segment = raw.FPDFPath_GetPathSegment(item, number)
        kind = raw.FPDFPathSegment_GetType(segment)
        raw.FPDFPathSegment_GetPoint(segment, x, y)
        if kind == raw.FPDF_SEGMENT_MOVETO and points:
            yield points, frozenset(curved)
            points, curved = [], set()
        if kind == raw.FPDF_SEGMENT_BEZIERTO:
            curved.add(len(points))
        points.append((x.value, y.value))
        if raw.FPDFPathSegment_GetClose(segment) and points:
            points.append(points[0])
    if points:
        yield points, frozenset(curved)


def _is_clear(item: Any, colour_of: Any) -> bool:  # noqa: ANN401 -- ctypes
    """Whether a colour cannot be seen on paper: white or transparent."""
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    if not colour_of(item, red, green, blue, alpha):
        return False
    return alpha.value == 0 or min(red.value, green.value, blue.value) >= _WHITE


def _drawing(points: list[Point]) -> Area | None:
    """Return where an outline stands that leaves the axes over a long way: a curve of a chart, a part of a picture."""
    across, down = [x for x, _ in points], [y for _, y in points]
    area = Area(min(across), min(down), max(across), max(down))
    slanted = any(abs(x - to_x) > _STRAIGHT and abs(y - to_y) > _STRAIGHT for (x, y), (to_x, to_y) in pairwise(points))
    return area if slanted and area.width >= _DRAWING and area.height >= _DRAWING else None


def _rectangle(points: list[Point]) -> Area | None:
    """Return an outline as a rectangle along the axes, if it is one."""
    corners = points[:-1] if len(points) > 1 and points[0] == points[-1] else points
    across = sorted(x for x, _ in corners)
    down = sorted(y for _, y in corners)
    if len(corners) not in {4, 5}:
        return None
    area = Area(across[0], down[0], across[-1], down[-1])
    on_edge = all(
        min(abs(x - area.left), abs(x - area.right)) < _STRAIGHT
        and min(abs(y - area.top), abs(y - area.bottom)) < _STRAIGHT
        for x, y in corners
    )
    return area if on_edge else None


def _as_rule(area: Area) -> Rule | None:
    """Return a thin rectangle as the line that it shows."""
    if area.height <= _THIN and area.width > area.height:
        return Rule("h", (area.top + area.bottom) / 2, area.left, area.right)
    if area.width <= _THIN and area.height > area.width:
        return Rule("v", (area.left + area.right) / 2, area.top, area.bottom)
    return None


def _sides(points: list[Point], curved: frozenset[int]) -> Iterator[Rule]:
    """Yield the straight sides of an outline along the axes."""
    for number in range(1, len(points)):
        if number in curved:
            continue
        (x, y), (to_x, to_y) = points[number - 1], points[number]
        if abs(y - to_y) < _STRAIGHT and abs(x - to_x) >= _DASH:
            yield Rule("h", (y + to_y) / 2, min(x, to_x), max(x, to_x))
        elif abs(x - to_x) < _STRAIGHT and abs(y - to_y) >= _DASH:
            yield Rule("v", (x + to_x) / 2, min(y, to_y), max(y, to_y))


def _image(whole: Matrix, frame: Frame, drawn: _Drawn) -> None:
    corners = [_moved(whole, x, y) for x, y in ((0, 0), (1, 0), (0, 1), (1, 1))]
    area = frame.area(
        min(x for x, _ in corners), min(y for _, y in corners), max(x for x, _ in corners), max(y for _, y in corners)
    )
    thin = _as_rule(area)
    if thin is not None and thin.length > _THIN:
        drawn.rules.append(thin)
    else:
        drawn.pictures.append(area)


def _cut(rule: Rule, width: float, height: float) -> Rule | None:
    """Return what of a rule lies on the page."""
    length, breadth = (width, height) if rule.axis == "h" else (height, width)
    start, end = max(rule.start, 0.0), min(rule.end, length)
    if end - start < _DASH or not -1 <= rule.at <= breadth + 1:
        return None
    return Rule(rule.axis, rule.at, start, end)
