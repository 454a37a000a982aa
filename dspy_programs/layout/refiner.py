"""The refiner as a DSPy module."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import dspy

from debriefer.errors import BudgetExceededError, MediaError, ModelError
from debriefer.media.packages import needed
from debriefer.models import budget_error, neutralise
from dspy_programs.layout.signature import RefineLayout

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class VisionRefiner(dspy.Module):
    """Asks a vision model to correct a layout tree; implements `debriefer.media.tree.LayoutRefiner`.

    One predictor can be compiled: `correct`. The language model is DSPy's current one
    (`with models.using("vision", meter): ...`), or the one given. One request a picture; its tree is checked by
    `debriefer.media.layout.refine.refined`, which falls back to the given one.
    """

    def __init__(self, lm: dspy.LM | None = None) -> None:
        super().__init__()
        self.correct = dspy.Predict(RefineLayout)
        # Not a field that DSPy would save: an address has no place in a learned state.
        self._chosen = (lm,)

    @property
    def name(self) -> str:
        """What the model is called in logs and cache keys."""
        lm = self._chosen[0] or dspy.settings.lm
        return "no model" if lm is None else str(lm.model)

    def forward(self, image: NDArray[np.uint8], hiccup: str) -> dspy.Prediction:
        """Ask once.

        Args:
            image: RGB picture of shape (height, width, 3), `uint8`.
            hiccup: The tree made from OCR and geometry; what it quotes is untrusted.

        Returns:
            A prediction with `refined_tree`.
        """
        inputs: dict[str, Any] = {"picture": dspy.Image(picture_url(image)), "tree": neutralise(hiccup)}
        if self._chosen[0] is None:
            return self.correct(**inputs)
        with dspy.context(lm=self._chosen[0]):
            return self.correct(**inputs)

    def refine(self, image: NDArray[np.uint8], hiccup: str) -> str:
        """Return the whole tree of `image` as the model writes it.

        Raises:
            BudgetExceededError: The run's budget is used up.
            ModelError: No model is configured.
            MediaError: The model cannot be reached or sees no pictures, or its reply has no tree.
        """
        lm = self._chosen[0] or dspy.settings.lm
        if lm is None:
            message = "no vision model is configured"
            raise ModelError(message, hint="set MODEL_API_URL and MODEL_NAME, or leave the layout to OCR")
        settings = getattr(getattr(lm, "engine", None), "settings", None)
        if settings is not None and not settings.vision:
            # The picture would be left out, and the model asked about what it cannot see.
            message = "the model is not known to see pictures"
            raise MediaError(message, hint="set `MODEL_VISION=1` if it does, or use `--layout ocr`")
        try:
            return str(self(image=image, hiccup=hiccup).refined_tree)
        except (BudgetExceededError, ModelError):
            raise
        except Exception as error:
            spent = budget_error(error)
            if spent is not None:
                raise spent from error
            first = next(iter(str(error).strip().splitlines()), type(error).__name__)
            message = f"the vision model gave no tree: {first}"
            raise MediaError(message) from error


def picture_url(image: NDArray[np.uint8]) -> str:
    """Return a picture as the URL of a PNG at its own size: slides hold small print.

    Raises:
        MediaError: OpenCV is not installed.
    """
    cv2 = needed("cv2")
    _, data = cv2.imencode(".png", image[:, :, ::-1])
    return "data:image/png;base64," + base64.b64encode(data.tobytes()).decode("ascii")
