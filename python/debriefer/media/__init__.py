"""Video to evidence: stable slides, a layout tree for each, narration with times, and one timeline.

Names are loaded when they are first used, so that nothing here needs the extra `video` before a video is opened.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from debriefer.media.detection import slides
    from debriefer.media.slide import Box, Change, Method, Slide, Slides

_HOMES = {
    "slides": "debriefer.media.detection",
    "Box": "debriefer.media.slide",
    "Change": "debriefer.media.slide",
    "Method": "debriefer.media.slide",
    "Slide": "debriefer.media.slide",
    "Slides": "debriefer.media.slide",
}

__all__ = ["Box", "Change", "Method", "Slide", "Slides", "slides"]


def __getattr__(name: str) -> Any:  # noqa: ANN401 -- any public name
    home = _HOMES.get(name)
    if home is None:
        message = f"module `debriefer.media` has no attribute `{name}`"
        raise AttributeError(message)
    value = getattr(importlib.import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
