"""A slide's layout by OCR and geometry, bettered by a vision model where one is handed in."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from debriefer.errors import DebrieferError, MediaError
from debriefer.media.briefing import Layout
from debriefer.media.packages import needed
from debriefer.media.tree import LayoutRefiner, Ocr

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Slides in a row for which a vision model may fail to answer before it is not asked for the rest of a video.
_FAILURES = 2


@dataclass(frozen=True, slots=True)
class OcrLayout:
    """Reads layouts; a `LayoutReader`.

    Attributes:
        ocr: Reads text; RapidOCR, loaded once a process, where `None`.
        refiner: A vision model that may better a tree, or `None`.
    """

    ocr: Ocr | None = None
    refiner: LayoutRefiner | None = field(default=None)

    @property
    def name(self) -> str:
        """The reader of text, and the model where there is one."""
        try:
            name = self._reader().name
        except MediaError as error:
            # Reading will say so of every slide; the rest of the video is seen and heard.
            return f"none: {error.message}"
        return name if self.refiner is None else f"{name} + {self.refiner.name}"

    def read(self, image: NDArray[np.uint8]) -> Layout:
        """Return the layout of an RGB picture of shape (height, width, 3).

        Raises:
            MediaError: A package of the extra `video` is not installed.
        """
        layout = needed("debriefer.media.layout")
        tree, note = layout.layout_tree(image, self._reader()), None
        if self.refiner is not None:
            tree, note = layout.refined(image, tree, self.refiner)
        return Layout(tree, layout.to_hiccup(tree), note)

    def series(self) -> OcrLayout:
        """Return a reader for the pictures of one video, which reads text anew only where they differ."""
        refiner = None if self.refiner is None else _Steady(self.refiner)
        try:
            reader = self._reader()
        except MediaError:
            return replace(self, refiner=refiner)
        if not hasattr(reader, "reread"):
            return replace(self, refiner=refiner)
        return replace(self, ocr=needed("debriefer.media.layout.series").SeriesOcr(reader), refiner=refiner)

    def _reader(self) -> Ocr:
        if self.ocr is not None:
            return self.ocr
        reader: Ocr = needed("debriefer.media.layout").RapidOcr()
        return reader


@dataclass(slots=True)
class _Steady:
    """A vision model that is not asked for ever: one that cannot be reached costs minutes a slide."""

    refiner: LayoutRefiner
    failed: int = 0

    @property
    def name(self) -> str:
        return self.refiner.name

    def refine(self, image: NDArray[np.uint8], hiccup: str) -> str:
        if self.failed >= _FAILURES:
            message = f"not asked, as it gave no tree for {_FAILURES} slides before"
            raise MediaError(message)
        try:
            answer = self.refiner.refine(image, hiccup)
        except DebrieferError:
            self.failed += 1
            raise
        self.failed = 0
        return answer
