"""A slide's layout by OCR and geometry, bettered by a vision model where one is handed in."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from debriefer.errors import MediaError
from debriefer.media.briefing import Layout
from debriefer.media.packages import needed
from debriefer.media.tree import LayoutRefiner, Ocr

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


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
        try:
            reader = self._reader()
        except MediaError:
            return self
        if not hasattr(reader, "reread"):
            return self
        return replace(self, ocr=needed("debriefer.media.layout.series").SeriesOcr(reader))

    def _reader(self) -> Ocr:
        if self.ocr is not None:
            return self.ocr
        reader: Ocr = needed("debriefer.media.layout").RapidOcr()
        return reader
