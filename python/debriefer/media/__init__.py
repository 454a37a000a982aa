"""Video to evidence: stable slides, a layout tree for each, narration with times, and one timeline."""

from __future__ import annotations
