"""What the engine changes in a request before it is sent and in a reply before DSPy sees it."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from debriefer.models import images
from debriefer.models.families import family_of
from debriefer.models.settings import ModelSettings
from debriefer.models.text import count_image_tokens, count_tokens

if TYPE_CHECKING:
    from dspy.lm15 import Request, Response

# The think block stands first in a reply; some chat templates open it in the prompt, so that only its end is seen.
_THINK = re.compile(r"\A\s*(?:<think(?:ing)?>)?(.*?)</think(?:ing)?>\s*", re.DOTALL)
_UNFINISHED = re.compile(r"\A\s*<think(?:ing)?>(.*)\Z", re.DOTALL)


# A picture of 1000 × 750 pixels.
_MEDIA_TOKENS = count_image_tokens(1000, 750)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A request as it is sent, the notes on what was changed, and the number of images in it."""

    request: Request
    notes: tuple[str, ...]
    images: int


def prepare(request: Request, settings: ModelSettings) -> Prepared:
    """Return `request` as this model can take it.

    - Images become a line of text where the model does not see, and are scaled to the pixel budget where it does.
    - Media given by address, path or file number never leave: our programs send bytes, so that such a part can only
      come from untrusted text, and the provider would fetch what it names.
    - The temperature is dropped for families that refuse one; a reasoning effort from the settings is added.
    """
    media = _Media(settings)
    messages = tuple(
        replace(message, parts=tuple(media.part(item) for item in message.parts)) for message in request.messages
    )
    notes = media.notes
    config = request.config
    if config.temperature is not None and family_of(settings.model).fixed_temperature:
        notes.append(f"temperature {config.temperature:g} left out: the model has a fixed one")
        config = replace(config, temperature=None)
    if config.reasoning is None and settings.reasoning_effort is not None:
        from dspy.lm15 import Reasoning  # noqa: PLC0415

        effort: Any = settings.reasoning_effort
        config = replace(config, reasoning=Reasoning(effort=effort))
    return Prepared(replace(request, messages=messages, config=config), tuple(notes), media.images)


class _Media:
    """Walks the parts of a request and replaces the media that must not be sent as they are."""

    def __init__(self, settings: ModelSettings) -> None:
        self.settings = settings
        self.notes: list[str] = []
        self.images = 0

    def part(self, item: Any) -> Any:  # noqa: ANN401 -- any part of a message
        """Return what is sent in place of `item`."""
        from dspy import lm15  # noqa: PLC0415

        if isinstance(item, lm15.ToolResultPart):
            return replace(item, content=tuple(self.part(inner) for inner in item.content))
        if hasattr(item, "media_type") and item.data is None:
            self.notes.append(f"{item.type} given by address left out")
            return lm15.TextPart(f"[{item.type} left out: only content that is sent along is accepted]")
        if not isinstance(item, lm15.ImagePart):
            return item
        if not self.settings.vision:
            self.notes.append("image left out: the model reads text only")
            return lm15.TextPart("[image left out: this model reads text only]")
        self.images += 1
        return self._within_budget(item)

    def _within_budget(self, image: Any) -> Any:  # noqa: ANN401 -- an ImagePart
        smaller = _fitted(image.data, self.settings.image_pixel_budget, images.scaler())
        if smaller is None:
            return image
        data, media_type, note = smaller
        self.notes.append(note)
        return replace(image, data=data, media_type=media_type) if media_type else image


# The same frames come back in every turn of a conversation; 64 of them take some tens of megabytes.
@lru_cache(maxsize=64)
def _fitted(data: str, pixel_budget: int, _scaler: str | None) -> tuple[str, str, str] | None:
    """Return `images.fit` of a base64 text, as base64; the scaler stands there as part of the key."""
    smaller = images.fit(base64.b64decode(data), pixel_budget)
    if smaller is None:
        return None
    return base64.b64encode(smaller[0]).decode("ascii"), smaller[1], smaller[2]


def estimated_tokens(request: Request, response: Response) -> tuple[int, int]:
    """Return estimates of prompt and reply tokens, for endpoints that report none."""
    system = request.system
    given = [system] if isinstance(system, str) else [part.text for part in system or () if hasattr(part, "text")]
    media = 0
    for message in request.messages:
        for part in message.parts:
            for item in getattr(part, "content", (part,)):
                media += hasattr(item, "media_type")
                given.append(str(getattr(item, "text", getattr(item, "input", ""))))
    made = [str(getattr(part, "text", getattr(part, "input", ""))) for part in response.message.parts]
    return count_tokens("\n".join(given)) + media * _MEDIA_TOKENS, count_tokens("\n".join(made))


def split_thinking(text: str) -> tuple[str, str]:
    """Return the reasoning at the start of a reply, and the reply without it.

    >>> split_thinking("<think>two and two</think>4")
    ('two and two', '4')
    >>> split_thinking("use a <think> tag")
    ('', 'use a <think> tag')
    >>> split_thinking("<think>never finished")
    ('never finished', '')
    """
    if match := _THINK.match(text):
        return match.group(1).strip(), text[match.end() :]
    if match := _UNFINISHED.match(text):
        return match.group(1).strip(), ""
    return "", text


def finish(response: Response, settings: ModelSettings) -> Response:
    """Return `response` with reasoning taken out (`strip`) or set apart from the answer (`keep`)."""
    from dspy import lm15  # noqa: PLC0415

    thinking: list[str] = []
    parts: list[Any] = []
    first = True
    for part in response.message.parts:
        if isinstance(part, lm15.ThinkingPart):
            thinking.append(part.text)
        elif isinstance(part, lm15.TextPart) and first:
            first = False
            thought, answer = split_thinking(part.text)
            thinking.append(thought)
            # An unchanged part keeps what the provider attached to it.
            parts.append(part if answer == part.text else lm15.TextPart(answer))
        else:
            parts.append(part)
    joined = "\n".join(text for text in thinking if text)
    if settings.reasoning == "keep" and joined:
        parts.insert(0, lm15.ThinkingPart(joined))
    if tuple(parts) == response.message.parts:
        return response
    return replace(response, message=replace(response.message, parts=tuple(parts) or (lm15.TextPart(""),)))
