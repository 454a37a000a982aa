"""Side files of a catalog, by what they hold; nothing here loads a library."""

from __future__ import annotations

# Tables of what videos show and say, and of the answer that a judge read from them.
VIDEO_FILE = "video.duckdb"
CLAIM_FILE = "claim.duckdb"
