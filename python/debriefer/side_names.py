"""Side files of a catalog, by what they hold; nothing here loads a library."""

from __future__ import annotations

# Tables of what videos show and say, and of the answer that a judge read from them.
VIDEO_FILE = "video.duckdb"
CLAIM_FILE = "claim.duckdb"
# Evidence of the tables that were taken from documents, and those that were asked for later.
DOCUMENTS_FILE = "documents.duckdb"
# What became of each document, as JSON.
DOCUMENTS_REPORT = "documents.json"
# Its tables; they are not described to a model table by table.
EVIDENCE_TABLES = ("document_cells", "document_columns", "document_lines")
