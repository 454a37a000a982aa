"""Frames and contact sheets on their way into a prompt: every picture stands behind its time."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any

import dspy
import pydantic

from debriefer.media.clock import clock
from debriefer.media.contact_sheet import grid_of
from debriefer.media.film import Picture, jpeg, pixels

SHEET_COLUMNS, SHEET_ROWS = 3, 3
SHEET_CELLS = SHEET_COLUMNS * SHEET_ROWS
# Three cells make a sheet of the width of a 720p frame.
CELL_WIDTH = 416
_FROZEN = pydantic.ConfigDict(frozen=True, extra="forbid")


class TimedImage(pydantic.BaseModel):
    """A picture and the line of text before it, which says its time."""

    model_config = _FROZEN

    label: str
    url: str


class Frames(dspy.Type):
    """Pictures of a video in order of time."""

    model_config = _FROZEN

    images: tuple[TimedImage, ...] = ()

    def format(self) -> list[dict[str, Any]]:
        """Return content blocks: each picture behind its time."""
        blocks: list[dict[str, Any]] = []
        for image in self.images:
            blocks.append({"type": "text", "text": f"[{image.label}]\n"})
            blocks.append({"type": "image_url", "image_url": {"url": image.url}})
        return blocks or [{"type": "text", "text": "(no frames)"}]


def frames_of(pictures: Sequence[Picture]) -> Frames:
    """Return pictures with their times."""
    return Frames(images=tuple(TimedImage(label=f"t={clock(one.time)}", url=_url(one.data)) for one in pictures))


def sheets_of(pictures: Sequence[Picture]) -> tuple[Frames, int]:
    """Return pictures on contact sheets of 3 x 3 cells, each cell's time below it and in the line before its sheet.

    Returns:
        The sheets, and how many pictures they show; one that is broken is on none.
    """
    images, number = [], 0
    for begin in range(0, len(pictures), SHEET_CELLS):
        batch = [(one, pixels(one.data)) for one in pictures[begin : begin + SHEET_CELLS]]
        shown = [(one, image) for one, image in batch if image is not None]
        if not shown:
            continue
        width = min(CELL_WIDTH, *(image.shape[1] for _, image in shown))
        times = [clock(one.time) for one, _ in shown]
        data = jpeg(grid_of([image for _, image in shown], [f"t={time}" for time in times], SHEET_COLUMNS, width))
        images.append(TimedImage(label=f"sheet of {len(shown)}, row by row: {' '.join(times)}", url=_url(data)))
        number += len(shown)
    return Frames(images=tuple(images)), number


def _url(data: bytes) -> str:
    return "data:image/jpeg;base64," + base64.b64encode(data).decode("ascii")
