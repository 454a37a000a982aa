"""Opens a PDF with pypdfium2 and hands out its pages one at a time.

pypdfium2 (Apache-2.0 or BSD-3-Clause) is the one wheel that is needed: PDFium reads damaged files as browsers do, is
about twice as fast as pdfminer.six with all letters fetched one by one, and renders the pages of scans for the OCR.
"""

from __future__ import annotations

import ctypes
import importlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Self

from debriefer.documents.pdf.frame import Frame
from debriefer.documents.pdf.ink import PageInk
from debriefer.documents.pdf.letters import letters
from debriefer.documents.pdf.strokes import strokes
from debriefer.errors import DocumentError, MissingFileError

HINT = "pip install 'debriefer[documents]'"
# A header may stand after up to this many bytes of something else (PDF 32000-1, annex H.3.4.1).
_HEADER_WITHIN = 1024
_PASSWORD_ERROR = 4


def pdfium() -> Any:  # noqa: ANN401 -- a module without complete types
    """Import and return `pypdfium2`.

    Raises:
        DocumentError: The extra `documents` is not installed.
    """
    try:
        return importlib.import_module("pypdfium2")
    except ImportError as error:
        message = f"the package of `pypdfium2` is not at hand: {error}"
        raise DocumentError(message, hint=HINT) from error


class Pdf:
    """An open PDF. Use as a context manager; pages are read when they are asked for and then let go.

    Args:
        path: The file.

    Raises:
        MissingFileError: There is no such file.
        DocumentError: It is empty, no PDF, damaged beyond repair or locked by a password.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        _look(path)
        library = pdfium()
        try:
            self._document = library.PdfDocument(path)
            self.pages = len(self._document)
        except library.PdfiumError as error:
            raise self._refusal(error) from error
        if self.pages == 0:
            self.close()
            message = f"`{path.name}` has no pages"
            raise DocumentError(message, hint=_REMAKE)

    def _refusal(self, error: Exception) -> DocumentError:
        if getattr(error, "err_code", None) == _PASSWORD_ERROR:
            message = f"`{self.path.name}` is locked by a password"
            return DocumentError(message, hint="save a copy without the password beside it (`qpdf --decrypt`)")
        message = f"`{self.path.name}` is damaged or cut off: {error}"
        return DocumentError(message, hint=_REMAKE)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the file back."""
        self._document.close()

    def inks(self) -> Iterator[PageInk]:
        """Yield what stands on each page, one page in memory at a time.

        Raises:
            DocumentError: A page cannot be loaded.
        """
        for number in range(1, self.pages + 1):
            yield self.ink(number)

    def ink(self, number: int) -> PageInk:
        """Return what stands on page `number`, from 1.

        Raises:
            DocumentError: The page cannot be loaded.
        """
        library = pdfium()
        try:
            with closing(self._document[number - 1]) as page, closing(page.get_textpage()) as text:
                box = page.get_bbox()
                glyphs = letters(library.raw, text, box)
                frame = Frame(box, glyphs.turn)
                drawn = strokes(library.raw, page, frame)
        except (library.PdfiumError, ctypes.ArgumentError) as error:
            message = f"`{self.path.name}`, page {number}, cannot be read: {error}"
            raise DocumentError(message, hint=_REMAKE) from error
        return PageInk(
            number,
            *frame.size,
            glyphs.turn,
            glyphs.upright(frame),
            drawn.rules,
            drawn.fills,
            drawn.pictures,
            glyphs.unmapped,
            glyphs.hidden,
            glyphs.doubled,
        )

    def picture(self, number: int, dots_per_inch: float) -> Any:  # noqa: ANN401 -- a NumPy array
        """Return page `number` as an RGB picture of shape (height, width, 3), `uint8`.

        Raises:
            DocumentError: The page cannot be rendered.
        """
        library = pdfium()
        try:
            with closing(self._document[number - 1]) as page:
                bitmap = page.render(scale=dots_per_inch / 72, rev_byteorder=True)
                return bitmap.to_numpy()[:, :, :3].copy()
        except library.PdfiumError as error:
            message = f"`{self.path.name}`, page {number}, cannot be rendered: {error}"
            raise DocumentError(message, hint=_REMAKE) from error


_REMAKE = "open it in a viewer and print it to a new PDF, or fetch it again"


def _look(path: Path) -> None:
    """Refuse what is no PDF before the library sees it, with the reason that it would not give."""
    if not path.is_file():
        message = f"`{path}` does not exist"
        raise MissingFileError(message)
    if path.stat().st_size == 0:
        message = f"`{path.name}` is empty: it has no bytes"
        raise DocumentError(message, hint="fetch it again")
    with path.open("rb") as stream:
        head = stream.read(_HEADER_WITHIN)
    if head.startswith(b"version https://git-lfs"):
        message = f"`{path.name}` is a Git LFS pointer, not the file itself"
        raise DocumentError(message, hint="run `git lfs pull` where it came from")
    if b"%PDF-" not in head:
        message = f"`{path.name}` is no PDF: its first {_HEADER_WITHIN} bytes have no `%PDF-`"
        raise DocumentError(message, hint="check its ending; text and Markdown are read by their own readers")
