"""Video to evidence: stable slides, a layout tree for each, narration with times, and one timeline.

Names are loaded when they are first used, so that nothing here needs the extra `video` before a video is opened.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from debriefer.lazy import lazy_names

if TYPE_CHECKING:
    from debriefer.media.detection import slides
    from debriefer.media.slide import Box, Change, Method, Slide, Slides

_HOMES = {
    "slides": "detection",
    "Box": "slide",
    "Change": "slide",
    "Method": "slide",
    "Slide": "slide",
    "Slides": "slide",
}

__all__ = ["Box", "Change", "Method", "Slide", "Slides", "slides"]

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
