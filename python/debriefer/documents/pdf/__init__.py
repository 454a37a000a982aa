"""PDF into lines and tables.

`read_pdf` gives a whole document; `page_parts` what one page is made of, with merged cells as such.
"""

from __future__ import annotations

from debriefer.documents.pdf.engine import Pdf
from debriefer.documents.pdf.reading import read_pdf
from debriefer.documents.pdf.table import PageTable, TableCell
from debriefer.documents.pdf.tables import PageParts, page_parts

__all__ = ["PageParts", "PageTable", "Pdf", "TableCell", "page_parts", "read_pdf"]
