"""Bar charts of a picture as tables of the values that are printed."""

from __future__ import annotations

from collections.abc import Sequence

from debriefer.media.layout.geometry import Area, around, holds, shared, size
from debriefer.media.layout.grid import Cell, Grid, numeric
from debriefer.media.layout.state import Look
from debriefer.media.slide import Box

# Least number of bars of a chart.
_BARS = 3
# Edges that differ by less are one edge, in pixels.
_EDGE = 6


def charts(found: Sequence[Area], looks: Sequence[Look], page: Box) -> list[Grid]:
    """Return bar charts as tables, one row a category with the value printed at its bar; nothing is estimated."""
    grids: list[Grid] = []
    bars = [
        area
        for area in found
        if size(area.box) < 0.2 * size(page) and sum(holds(area.box, look.box) for look in looks) <= 1
    ]
    for lying in (True, False):
        for group in _bar_groups(bars, lying=lying):
            grid = _chart(group, looks, lying=lying)
            if grid is not None and not any(_overlap(grid.box, other.box) for other in grids):
                grids.append(grid)
    return grids


def _bar_groups(bars: Sequence[Area], *, lying: bool) -> list[list[Area]]:
    """Return bars that start on one line and are equally thick but not equally long."""

    def base(area: Area) -> int:
        return area.box.left if lying else area.box.bottom

    def thickness(area: Area) -> int:
        return area.box.bottom - area.box.top if lying else area.box.right - area.box.left

    def length(area: Area) -> int:
        return area.box.right - area.box.left if lying else area.box.bottom - area.box.top

    groups: list[list[Area]] = []
    for area in sorted(bars, key=lambda area: (area.box.top, area.box.left)):
        for group in groups:
            if abs(base(group[0]) - base(area)) <= _EDGE and abs(thickness(group[0]) - thickness(area)) <= _EDGE:
                group.append(area)
                break
        else:
            groups.append([area])
    return [
        sorted(group, key=lambda area: area.box.top if lying else area.box.left)
        for group in groups
        if len(group) >= _BARS and max(map(length, group)) - min(map(length, group)) > _EDGE
    ]


def _chart(group: list[Area], looks: Sequence[Look], *, lying: bool) -> Grid | None:
    rows: list[tuple[Cell, ...]] = []
    used: set[int] = set()
    for area in group:
        name, value = _printed(area.box, [look for look in looks if id(look) not in used], lying=lying)
        if name is None:
            continue
        used.add(id(name))
        if value is not None:
            used.add(id(value))
        rows.append((Cell((name,), name.box), Cell((value,), value.box) if value is not None else Cell((), area.box)))
    printed = sum(bool(row[1].looks) for row in rows)
    if len(rows) < _BARS or printed < 2 / 3 * len(rows):
        return None
    return Grid(tuple(rows), header=False, box=around(cell.box for row in rows for cell in row))


def _printed(box: Box, looks: Sequence[Look], *, lying: bool) -> tuple[Look | None, Look | None]:
    """Return the category and the value printed at a bar: left of it and at its end, or below it and at its top."""
    if lying:
        level = [look for look in looks if shared((look.box.top, look.box.bottom), (box.top, box.bottom)) > 0.6]  # noqa: PLR2004
        names = [look for look in level if look.box.right <= box.left + _EDGE]
        name = max(names, key=lambda look: look.box.right, default=None)
        values = [look for look in level if box.left - _EDGE <= look.box.left <= box.right + 4 * look.size]
    else:
        level = [look for look in looks if box.left <= (look.box.left + look.box.right) / 2 <= box.right]
        names = [look for look in level if 0 <= look.box.top - box.bottom + _EDGE <= 3 * look.size + _EDGE]
        name = min(names, key=lambda look: look.box.top, default=None)
        values = [look for look in level if box.top - 2.5 * look.size <= look.box.top and look.box.bottom <= box.bottom]
    value = min(
        (look for look in values if look is not name and numeric(look.text)),
        key=lambda look: abs(look.box.left - box.right) if lying else abs(look.box.bottom - box.top),
        default=None,
    )
    return name, value


def _overlap(one: Box, other: Box) -> bool:
    return one.left < other.right and other.left < one.right and one.top < other.bottom and other.top < one.bottom
