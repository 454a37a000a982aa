"""What makes the parts of a briefing, as the settings of a run name it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from debriefer.errors import MediaError
from debriefer.media.briefing import LayoutReader, Makers, Say
from debriefer.media.layout_reading import OcrLayout
from debriefer.media.listeners import transcriber
from debriefer.media.packages import needed
from debriefer.media.slide import Slides
from debriefer.pipeline.settings import MediaSettings

if TYPE_CHECKING:
    from debriefer.models import Models


def makers_of(settings: MediaSettings, models: Models | None = None, say: Say = lambda *_: None) -> Makers:
    """Return what makes the parts of a briefing.

    Args:
        settings: Which layout reader and which speech model.
        models: Language models, for `vlm`.
        say: Told how far the listener is.

    Raises:
        MediaError: `vlm` is wanted without a model.
    """
    listener = transcriber(
        settings.speech_model, downloads=settings.downloads, progress=lambda seconds: say("speech", seconds, 0)
    )

    def find(path: Path) -> Slides:
        found: Slides = needed("debriefer.media.detection").slides(path, progress=lambda share: say("slides", share, 1))
        return found

    return Makers(find, _layout(settings, models), listener)


def _layout(settings: MediaSettings, models: Models | None) -> LayoutReader | None:
    if settings.layout == "none":
        return None
    if settings.layout == "ocr":
        return OcrLayout()
    if models is None:
        message = "`--layout vlm` needs a vision model"
        raise MediaError(message, hint="name one with `--lm`, or by `MODEL_API_URL` and `MODEL_NAME`")
    from dspy_programs.layout import VisionRefiner  # noqa: PLC0415 -- loads DSPy

    return OcrLayout(refiner=VisionRefiner(models.lm("layout")))
