"""Any document into lines and tables, by its content."""

from __future__ import annotations

import re
from pathlib import Path

from debriefer import _core
from debriefer.documents.markup import read_html, read_markup
from debriefer.documents.model import Document
from debriefer.errors import DocumentError, MissingFileError, SourceError

# What can be read; others that the catalog calls documents (Word, rich text) are refused with a hint.
DOCUMENT_ENDINGS = (".md", ".markdown", ".txt", ".text", ".pdf", ".html", ".htm")
_HTML = re.compile(r"\s*(?:<!doctype html|<html|<\?xml[^>]*>\s*<html)", re.IGNORECASE)


def read_document(path: Path) -> Document:
    """Read a document into lines and tables.

    Args:
        path: Markdown, text or HTML in any encoding that the catalog reads, or a PDF.

    Raises:
        MissingFileError: There is no such file.
        DocumentError: It cannot be read, or is of another kind.
    """
    path = Path(path)
    if not path.is_file():
        message = f"`{path}` does not exist"
        raise MissingFileError(message)
    with path.open("rb") as file:
        head = file.read(8)
    if b"%PDF-" in head or path.suffix.lower() == ".pdf":
        from debriefer.documents.pdf import read_pdf  # noqa: PLC0415 -- needs the extra `documents`

        return read_pdf(path)
    if path.suffix.lower() not in DOCUMENT_ENDINGS:
        message = f"`{path}` is no document that can be read"
        raise DocumentError(message, hint="give it as Markdown, text, HTML or PDF")
    try:
        text, _ = _core.read_text(path)
    except SourceError as error:
        message = f"`{path}` {error.message}" if not error.message.startswith("`") else error.message
        raise DocumentError(message, hint="give it as Markdown, text, HTML or PDF") from error
    lines, tables = (read_html if _HTML.match(text) else read_markup)(text)
    return Document(path.name, path, lines, tables)
