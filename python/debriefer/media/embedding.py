"""Pictures and words in one space: a port, and two ways to fill it. No weights are shipped."""

from __future__ import annotations

import base64
import json
import urllib.parse
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from debriefer.digests import file_digest
from debriefer.errors import MediaError, first_line
from debriefer.media.packages import needed
from debriefer.media.remote import opener

if TYPE_CHECKING:
    from numpy.typing import NDArray

EMBEDDER_VARIABLE = "DEBRIEFER_IMAGE_EMBEDDER"
KEY_VARIABLE = "DEBRIEFER_IMAGE_EMBEDDER_KEY"
IMAGE_MODEL, TEXT_MODEL, TOKENIZER = "image.onnx", "text.onnx", "tokenizer.json"
# CLIP's own normalisation of RGB in [0, 1].
_MEAN = np.array([0.48145466, 0.4578275, 0.40821073], np.float32)
_DEVIATION = np.array([0.26862954, 0.26130258, 0.27577711], np.float32)
_SIDE = 224
_CONTEXT = 77
_BATCH = 16
_SECONDS = 60.0
_MOST_REPLY_BYTES = 64 << 20


class ImageEmbedder(Protocol):
    """Whatever puts pictures and words into one space, so that near means alike."""

    @property
    def name(self) -> str:
        """Names the model; vectors of different names are never compared."""
        ...

    def images(self, pictures: Sequence[NDArray[np.uint8]]) -> NDArray[np.float32]:
        """Return a unit vector for each RGB picture, shape (n, dimensions).

        Raises:
            MediaError: The model cannot be used or reached.
        """
        ...

    def text(self, query: str) -> NDArray[np.float32]:
        """Return the unit vector of a text, shape (dimensions,).

        Raises:
            MediaError: The model cannot be used or reached.
        """
        ...


def letterboxed(picture: NDArray[np.uint8], side: int) -> NDArray[np.uint8]:
    """Return a picture fitted whole into a square of `side` pixels, grey around it.

    A centre crop would lose 44 % of a 16:9 frame, corner texts first (symphony.md, section 3).
    """
    height, width = picture.shape[:2]
    share = side / max(height, width)
    size = max(1, round(width * share)), max(1, round(height * share))
    small = needed("cv2").resize(picture, size, interpolation=needed("cv2").INTER_AREA)
    square = np.full((side, side, 3), 128, np.uint8)
    top, left = (side - size[1]) // 2, (side - size[0]) // 2
    square[top : top + size[1], left : left + size[0]] = small
    return square


class OnnxClip:
    """A CLIP model as ONNX files in one folder: `image.onnx`, `text.onnx`, `tokenizer.json`.

    The image model takes float32 of shape (n, 3, side, side), the text model token numbers of shape (1, length); each
    gives one vector a row as its first output.
    """

    def __init__(self, folder: Path) -> None:
        """Open the models in `folder`.

        Raises:
            MediaError: A file is absent or cannot be loaded, or a package of the extra `video` is.
        """
        missing = [name for name in (IMAGE_MODEL, TEXT_MODEL, TOKENIZER) if not (folder / name).is_file()]
        if missing:
            message = f"`{folder}` has no {', '.join(f'`{name}`' for name in missing)}"
            raise MediaError(message, hint=f"export CLIP to `{IMAGE_MODEL}`, `{TEXT_MODEL}` and `{TOKENIZER}`")
        runtime, tokenizers = needed("onnxruntime"), needed("tokenizers")
        try:
            self._image = runtime.InferenceSession(str(folder / IMAGE_MODEL), providers=["CPUExecutionProvider"])
            self._text = runtime.InferenceSession(str(folder / TEXT_MODEL), providers=["CPUExecutionProvider"])
            self._tokenizer = tokenizers.Tokenizer.from_file(str(folder / TOKENIZER))
        except Exception as error:  # the runtimes raise classes of their own
            message = f"`{folder}` holds no models that can be loaded: {first_line(error)[:200]}"
            raise MediaError(message, hint="export the model to ONNX again") from error
        self.name = f"onnx:{file_digest(folder / IMAGE_MODEL)[:12]}"
        side, length = self._image.get_inputs()[0].shape[-1], self._text.get_inputs()[0].shape[-1]
        self._side = side if isinstance(side, int) else _SIDE
        self._length = length if isinstance(length, int) else None

    def images(self, pictures: Sequence[NDArray[np.uint8]]) -> NDArray[np.float32]:
        """See `ImageEmbedder`."""
        rows = []
        for begin in range(0, len(pictures), _BATCH):
            batch = [letterboxed(picture, self._side) for picture in pictures[begin : begin + _BATCH]]
            values = (np.stack(batch).astype(np.float32) / 255 - _MEAN) / _DEVIATION
            rows.append(self._run(self._image, np.ascontiguousarray(values.transpose(0, 3, 1, 2))))
        return _joined(rows, self.name)

    def text(self, query: str) -> NDArray[np.float32]:
        """See `ImageEmbedder`."""
        numbers = self._tokenizer.encode(query).ids
        length = self._length or min(len(numbers), _CONTEXT) or 1
        numbers = [*numbers[:length], *[0] * (length - len(numbers))]
        row: NDArray[np.float32] = _unit(self._run(self._text, np.array([numbers], np.int64)))[0]
        return row

    def _run(self, session: Any, values: NDArray[Any]) -> NDArray[np.float32]:  # noqa: ANN401 -- ONNX Runtime's
        given = session.get_inputs()[0]
        if given.type == "tensor(int32)":
            values = values.astype(np.int32)
        try:
            found = np.asarray(session.run(None, {given.name: values})[0], np.float32)
        except Exception as error:  # the runtime raises classes of its own
            message = f"the image model failed: {first_line(error)[:200]}"
            raise MediaError(message, hint="see what shapes the exported model takes") from error
        return found.reshape(len(values), -1)


@dataclass(frozen=True, slots=True)
class HttpEmbedder:
    """An endpoint that embeds texts and pictures: `POST <url>/embeddings` with `input: [{text} | {image}]`.

    Attributes:
        url: Base address, as in `https://host/v1`.
        model: Name of the model there.
        key: Sent as bearer token where it is not empty; never shown.
        seconds: Bound on one request.
    """

    url: str
    model: str
    key: str | None = field(default=None, repr=False)
    seconds: float = _SECONDS

    @property
    def name(self) -> str:
        """Model and host."""
        return f"{self.model}@{urllib.parse.urlsplit(self.url).netloc.rpartition('@')[2]}"

    def images(self, pictures: Sequence[NDArray[np.uint8]]) -> NDArray[np.float32]:
        """See `ImageEmbedder`."""
        cv2 = needed("cv2")
        rows = []
        for begin in range(0, len(pictures), _BATCH):
            given = []
            for picture in pictures[begin : begin + _BATCH]:
                _, data = cv2.imencode(".jpg", picture[:, :, ::-1])
                url = "data:image/jpeg;base64," + base64.b64encode(data.tobytes()).decode("ascii")
                given.append({"image": url})
            rows.append(self._ask(given))
        return _joined(rows, self.name)

    def text(self, query: str) -> NDArray[np.float32]:
        """See `ImageEmbedder`."""
        row: NDArray[np.float32] = _unit(self._ask([{"text": query}]))[0]
        return row

    def _ask(self, given: Sequence[Mapping[str, str]]) -> NDArray[np.float32]:
        headers = {"Content-Type": "application/json"}
        if self.key and self.key.strip():
            headers["Authorization"] = f"Bearer {self.key.strip()}"
        body = json.dumps({"model": self.model, "input": list(given)}).encode()
        request = urllib.request.Request(  # noqa: S310 -- `embedder` accepts http and https alone
            self.url.rstrip("/") + "/embeddings", data=body, headers=headers
        )
        try:
            with opener.open(request, timeout=self.seconds) as answer:
                reply = json.loads(answer.read(_MOST_REPLY_BYTES))
            rows = [item["embedding"] for item in sorted(reply["data"], key=lambda item: item.get("index", 0))]
            found = np.array(rows, np.float32)
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            message = (
                f"the image embedder at `{self.name.rpartition('@')[2]}` gave no vectors: {first_line(error)[:200]}"
            )
            raise MediaError(message, hint=f"check the address and `{KEY_VARIABLE}`, or go without one") from error
        if found.ndim != 2 or len(found) != len(given):  # noqa: PLR2004 -- rows and columns
            message = f"the image embedder at `{self.name.rpartition('@')[2]}` gave vectors of another number"
            raise MediaError(message, hint="see whether the endpoint takes pictures and texts")
        return found


def embedder(named: str | None, environment: Mapping[str, str]) -> ImageEmbedder | None:
    """Return the embedder that is named: a folder of ONNX files, or `model@https://host/v1`; `None` for none.

    Args:
        named: What the user gave; `DEBRIEFER_IMAGE_EMBEDDER` where `None` or empty.
        environment: Variables; `DEBRIEFER_IMAGE_EMBEDDER_KEY` is an endpoint's key.

    Raises:
        MediaError: It cannot be opened.
    """
    chosen = (named or environment.get(EMBEDDER_VARIABLE) or "").strip()
    if not chosen or chosen.casefold() == "none":
        return None
    model, separator, url = chosen.partition("@")
    if separator and url.startswith(("http://", "https://")):
        return HttpEmbedder(url, model, environment.get(KEY_VARIABLE))
    return OnnxClip(Path(chosen))


def checked_vectors(rows: Sequence[Any] | NDArray[Any], number: int, name: str) -> NDArray[np.float32]:
    """Return what an embedder gave as float32 of shape (number, dimensions), if it is that and finite.

    Raises:
        MediaError: It is something else.
    """
    try:
        found = np.asarray(rows, np.float32)
    except (ValueError, TypeError):
        found = np.zeros(0, np.float32)
    if found.ndim != 2 or len(found) != number or not found.shape[1]:  # noqa: PLR2004 -- rows and columns
        message = f"the image embedder `{name}` gave no vectors of one length, one for each picture or text"
        raise MediaError(message, hint="see what the model takes and gives, or go without one")
    if not np.isfinite(found).all():
        message = f"the image embedder `{name}` gave vectors that are no numbers"
        raise MediaError(message, hint="see whether the model is whole, or go without one")
    return found


def _joined(batches: Sequence[NDArray[np.float32]], name: str) -> NDArray[np.float32]:
    rows = [row for batch in batches for row in batch]
    return _unit(checked_vectors(rows, len(rows), name)) if rows else np.zeros((0, 0), np.float32)


def _unit(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    length = np.linalg.norm(rows, axis=-1, keepdims=True)
    divided: NDArray[np.float32] = rows / np.maximum(length, 1e-12)
    return divided
