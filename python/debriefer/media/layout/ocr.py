"""Text lines of a picture by RapidOCR, from models on disk and never from the net."""

from __future__ import annotations

import importlib.util
import math
import re
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from debriefer.errors import MediaError, first_line
from debriefer.media.layout.geometry import areas, size
from debriefer.media.layout.ink import Ink, crop_of, ink_columns, is_mask, pieces
from debriefer.media.layout.lone import lone_places
from debriefer.media.layout.spacing import spaced
from debriefer.media.packages import HINT, needed
from debriefer.media.slide import Box
from debriefer.media.tree import TextLine

if TYPE_CHECKING:
    from numpy.typing import NDArray

# The detector sees a picture at this scale, and smaller ones so that their shorter side is at least so long. On 75
# generated 720p slides, 1,954 cells, it overlooked two lone digits that it saw at 736 lines (character error rate
# 0.0008 and 0.0015), and took 0.6 of the time; what it overlooks in cells and columns is looked for there.
_DETECTION_SCALE = 0.75
_DETECTION_SIDE = 552
# Pixels of the longer side above which the detector sees a smaller copy. Text is always read from the full picture.
_LARGEST_SIDE = 2_000
# The recogniser pads every line to this width at least. Its own 320 costs twice the time for the short
# lines of tables and reads them no better.
_RECOGNITION_WIDTH = 48
_RECOGNITION_HEIGHT = 48
_LEAST_CONFIDENCE = 0.5
# Below this a row of equal signs is taken for a mask; digits and letters are read with more.
_DOUBTFUL = 0.9
# A rereading takes in this much around a change, in pixels: a line whose end changed is read whole.
_AROUND = 24
# Least and greatest height and greatest width, in pixels, of a rectangle that may hold a text which the detector
# overlooked, and the least share of its height that the text has.
_CELL = (16, 70, 400)
_LETTER = 0.2
# Pixels by which the noise of a codec moves the edge of a text.
_BLUR = 2
# Above this share of the picture a rereading saves little.
_WHOLE = 0.8
_MASK = re.compile(r"^[\*★☆✱＊•●·∙⋆.]{3,}$")
_STARS = re.compile(r"[★☆✱＊●⋆•]{2,}")


@dataclass(frozen=True, slots=True)
class RapidOcr:
    """Reads text with RapidOCR on onnxruntime.

    The models are those of RapidOCR's own wheel (PP-OCRv6 small), or the two files `*det*.onnx` and `*rec*.onnx` of a
    folder. They are loaded at the first picture, once a process. The default is the smallest model that lost no digit
    in the measurements of docs/layout.md; PP-OCRv6 tiny, three times as fast, overlooked lone digits in cells with
    RapidOCR's own steps.

    The same picture gives the same lines, whatever was read before: every line is recognised by itself.

    Attributes:
        model: Folder with the two model files; `None` for those of the wheel.
        threads: Threads that one reading may use.
    """

    model: Path | str | None = None
    threads: int = 2

    @property
    def name(self) -> str:
        """What the reader is called in logs and cache keys: library, version and models."""
        detection, recognition = _files(self.model)
        return f"rapidocr {metadata.version('rapidocr')} {detection.stem} {recognition.stem}"

    def read(self, image: NDArray[np.uint8]) -> tuple[TextLine, ...]:
        """Return the lines of text of an RGB picture of shape (height, width, 3), top to bottom, left to right.

        A box fits the ink of its line. Text of two table cells is two lines, even where they stand close together.

        Raises:
            MediaError: The picture has another shape, or the models cannot be loaded.
        """
        _check(image)
        return _in_order(self._engine().lines(image))

    def reread(
        self, image: NDArray[np.uint8], before: Sequence[TextLine], changed: Sequence[Box]
    ) -> tuple[TextLine, ...]:
        """Return the lines of a picture that differs from an earlier one only within some boxes.

        Lines that touch no change are taken over as they are; around each change the picture is read anew, and all of
        it where changes are many. Even then a line that is found where it was is not recognised again.

        Args:
            image: The picture, as for `read`.
            before: What `read` gave for the earlier picture.
            changed: Where the two differ; with none the lines are those of before.

        Raises:
            MediaError: As for `read`.
        """
        _check(image)
        height, width = image.shape[:2]
        known = [line for line in before if not any(_touches(line.box, box) for box in changed)]
        windows = _windows(changed, before, width, height) if sum(map(size, changed)) <= _WHOLE * width * height else []
        if changed and (not windows or sum(map(size, windows)) > _WHOLE * width * height):
            return _in_order(self._engine().lines(image, known=known))
        kept = [line for line in before if not any(_touches(line.box, window) for window in windows)]
        for window in windows:
            part = np.ascontiguousarray(image[window.top : window.bottom, window.left : window.right])
            within = [replace(line, box=_moved(line.box, -window.left, -window.top)) for line in known]
            found = self._engine().lines(part, _scale(height, width), within)
            kept += [replace(line, box=_moved(line.box, window.left, window.top)) for line in found]
        return _in_order(kept)

    def _engine(self) -> _Engine:
        detection, recognition = _files(self.model)
        return _engine(str(detection), str(recognition), self.threads)


class _Engine:
    """The loaded models. Pictures take turns; the lines of one are recognised side by side.

    RapidOCR keeps the options of a call in itself, so that one reader detects and another recognises.
    """

    def __init__(self, detection: str, recognition: str, threads: int) -> None:
        rapidocr, runtime = needed("rapidocr"), needed("onnxruntime")
        try:
            session = runtime.InferenceSession(recognition, providers=["CPUExecutionProvider"])
            whole = "character" in session.get_modelmeta().custom_metadata_map
            del session
            detector = rapidocr.RapidOCR(params=_options(detection, recognition, threads))
            recogniser = rapidocr.RapidOCR(params=_options(detection, recognition, 1) | _RECOGNISER)
        except Exception as error:
            message = f"`{detection}` and `{recognition}` cannot be loaded as OCR models: {first_line(error)}"
            raise MediaError(message, hint="give a folder with `*det*.onnx` and `*rec*.onnx` of PP-OCR") from error
        if not whole:
            # RapidOCR would fetch a list of characters that a model lacks.
            message = f"`{recognition}` does not hold its characters"
            raise MediaError(message, hint="use a recognition model of PP-OCR exported for RapidOCR")
        self._detector: Any = detector
        self._recogniser: Any = recogniser
        self._lock = threading.Lock()
        # Lines are recognised side by side, each by one thread: two threads on one short line are no faster than one.
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="ocr") if threads > 1 else None

    def lines(
        self, image: NDArray[np.uint8], scale: float | None = None, known: Sequence[TextLine] = ()
    ) -> list[TextLine]:
        """Return the lines of a picture, unordered.

        Args:
            image: The picture.
            scale: The one at which the detector sees it.
            known: Lines that need not be recognised again where they are found.
        """
        with self._lock:
            boxes = self._detect(image, _scale(*image.shape[:2]) if scale is None else scale)
            inks = _once(image, [ink for box in boxes for ink in pieces(image, box)])
            same = [next((line for line in known if _coincide(line.box, ink.box)), None) for ink in inks]
            found = [line for line in same if line is not None]
            found += self._recognised(image, [ink for ink, line in zip(inks, same, strict=True) if line is None])
            return found + self._overlooked(image, found)

    def _detect(self, image: NDArray[np.uint8], scale: float) -> list[Box]:
        cv2 = needed("cv2")
        height, width = image.shape[:2]
        bgr = np.ascontiguousarray(image[:, :, ::-1])
        if scale != 1.0:
            way = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
            bgr = cv2.resize(bgr, (max(1, round(width * scale)), max(1, round(height * scale))), interpolation=way)
        found = self._detector(bgr, use_det=True, use_cls=False, use_rec=False)
        boxes: list[Box] = []
        for corners in () if found.boxes is None else found.boxes:
            left, top = (float(value) / scale for value in np.min(corners, axis=0))
            right, bottom = (float(value) / scale for value in np.max(corners, axis=0))
            box = Box(
                max(0, math.floor(left)),
                max(0, math.floor(top)),
                min(width, math.ceil(right)),
                min(height, math.ceil(bottom)),
            )
            if box.right - box.left >= 4 and box.bottom - box.top >= 4:  # noqa: PLR2004 -- less holds no glyph
                boxes.append(box)
        return boxes

    def _overlooked(self, image: NDArray[np.uint8], found: Sequence[TextLine]) -> list[TextLine]:
        """Return what stands in cells, buttons and tags in which the detector saw no text: digits, struck words."""
        inks: list[Ink] = []
        taken = [line.box for line in found]
        for area in sorted(areas(image, taken), key=lambda area: size(area.box)):
            box = area.box
            height, width = box.bottom - box.top, box.right - box.left
            if not _CELL[0] <= height <= _CELL[1] or not height // 2 <= width <= _CELL[2]:
                continue
            if any(_touches(box, other) for other in taken):
                continue
            taken.append(box)
            inner = Box(box.left + 2, box.top + 2, box.right - 2, box.bottom - 2)
            own = pieces(image, inner)
            if len(own) == 1 and _LETTER * height <= own[0].box.bottom - own[0].box.top < height - 4:
                inks += own
        for place in lone_places([[line.box for line in row] for row in _rows(found)]):
            own = pieces(image, Box(place.left, place.top, min(place.right, image.shape[1]), place.bottom))
            if len(own) == 1 and _apart(own[0].box, place) and not any(_touches(own[0].box, box) for box in taken):
                taken.append(own[0].box)
                inks += own
        return [line for line in self._recognised(image, inks) if line.confidence >= _DOUBTFUL]

    def _recognised(self, image: NDArray[np.uint8], inks: Sequence[Ink]) -> list[TextLine]:
        """Return the lines of those inks that are text, in their order."""
        if self._pool is None or len(inks) < 2:  # noqa: PLR2004 -- one line needs no second thread
            found = [self._recognise(image, ink) for ink in inks]
        else:
            # Long lines first, so that none is left for one thread at the end.
            order = sorted(range(len(inks)), key=lambda place: inks[place].box.left - inks[place].box.right)
            read = self._pool.map(partial(self._recognise, image), [inks[place] for place in order])
            by_place = dict(zip(order, read, strict=True))
            found = [by_place[place] for place in range(len(inks))]
        return [line for line in found if line is not None]

    def _recognise(self, image: NDArray[np.uint8], ink: Ink) -> TextLine | None:
        text, confidence = self._text(crop_of(image, ink), ink)
        if ink.strike is not None:
            # A line through the letters reads as strokes of them.
            lifted, sure = self._text(crop_of(image, ink, lifted=True), ink)
            if sure >= confidence:
                text, confidence = lifted, sure
        text = cleaned(text)
        if may_be_mask(text, confidence) and is_mask(image, ink):
            return TextLine("***", ink.box, _LEAST_CONFIDENCE)
        if not text or confidence < _LEAST_CONFIDENCE:
            return None
        return TextLine(text, ink.box, round(confidence, 4))

    def _text(self, crop: NDArray[np.uint8], ink: Ink) -> tuple[str, float]:
        found = self._recogniser(
            np.ascontiguousarray(crop[:, :, ::-1]), use_det=False, use_cls=False, use_rec=True, return_word_box=True
        )
        if not found.txts:
            return "", 0.0
        text, confidence = str(found.txts[0]), float(found.scores[0])
        words = found.word_results[0] if found.word_results else None
        if text.isascii() or words is None or not words.line_txt_len:
            return text, confidence
        step = crop.shape[1] / words.line_txt_len
        signs = [
            (sign, (place + 0.5) * step)
            for word, places in zip(words.words, words.word_cols, strict=True)
            for sign, place in zip(word, places, strict=True)
        ]
        return spaced(text, signs, ink_columns(crop, ink), ink.box.bottom - ink.box.top), confidence


def _once(image: NDArray[np.uint8], inks: Sequence[Ink]) -> list[Ink]:
    """Return texts so that no ink is read twice: the detector at times finds a line in two boxes that overlap."""
    result: list[Ink] = []
    for ink in inks:
        twin = next((other for other in result if _overlaid(ink.box, other.box)), None)
        if twin is None:
            result.append(ink)
            continue
        whole = pieces(image, _union(ink.around, twin.around))
        if len(whole) == 1:
            result[result.index(twin)] = whole[0]
        elif size(ink.box) > size(twin.box):
            result[result.index(twin)] = ink
    return result


def _overlaid(one: Box, other: Box) -> bool:
    across = min(one.right, other.right) - max(one.left, other.left)
    low = min(one.bottom - one.top, other.bottom - other.top)
    return across > 2 and min(one.bottom, other.bottom) - max(one.top, other.top) > 0.6 * low  # noqa: PLR2004 -- blur


def _options(detection: str, recognition: str, threads: int) -> dict[str, Any]:
    return {
        "Global.log_level": "critical",
        "Global.use_cls": False,
        "Global.use_preprocess_img": False,
        "Global.use_vertical_padding": False,
        "Det.model_path": detection,
        # The picture is scaled here, so that a part of it is seen at the scale of the whole.
        "Det.limit_type": "max",
        "Det.limit_side_len": 10 * _LARGEST_SIDE,
        "Rec.model_path": recognition,
        "Rec.rec_img_shape": [3, _RECOGNITION_HEIGHT, _RECOGNITION_WIDTH],
        "Rec.rec_batch_num": 1,
        "EngineConfig.onnxruntime.intra_op_num_threads": threads,
        "EngineConfig.onnxruntime.inter_op_num_threads": 1,
    }


# The recogniser runs on many small arrays of few shapes: with onnxruntime's arena a line takes half the time. The
# detector gains nothing by it, and its arena would hold hundreds of megabytes.
_RECOGNISER = {"EngineConfig.onnxruntime.enable_cpu_mem_arena": True}


def may_be_mask(text: str, confidence: float) -> bool:
    """Return whether what was read may be the signs of a mask: a doubtful reading without Latin letters or digits.

    >>> may_be_mask("大女女", 0.53), may_be_mask("1111", 0.53), may_be_mask("米米米", 0.99)
    (True, False, False)
    """
    return confidence < _DOUBTFUL and not any(sign.isascii() and sign.isalnum() for sign in text)


def cleaned(text: str) -> str:
    """Return text as it is kept: single spaces, and a mask of three or more signs as `***`.

    >>> cleaned(" Total  Revenue ")
    'Total Revenue'
    >>> cleaned("★★★")
    '***'
    >>> cleaned("138●●●●5678")
    '138****5678'
    """
    text = " ".join(text.split())
    if _MASK.match(text) and set(text) != {"."}:
        return "***"
    return _STARS.sub(lambda match: "*" * len(match.group()), text)


@cache
def _engine(detection: str, recognition: str, threads: int) -> _Engine:
    return _Engine(detection, recognition, threads)


def _files(model: Path | str | None) -> tuple[Path, Path]:
    """Return the files of the detection and the recognition model."""
    if model is None:
        spec = importlib.util.find_spec("rapidocr")
        if spec is None or spec.origin is None:
            message = "reading text in pictures needs the package `rapidocr`"
            raise MediaError(message, hint=HINT)
        folder = Path(spec.origin).parent / "models"
    else:
        folder = Path(model)
    if not folder.is_dir():
        message = f"`{folder}` is no folder with OCR models"
        raise MediaError(message, hint="leave the model out to use the one of the `rapidocr` wheel")
    files = []
    for kind in ("det", "rec"):
        found = sorted(folder.glob(f"*{kind}*.onnx"))
        if len(found) != 1:
            message = f"`{folder}` has {len(found)} files `*{kind}*.onnx`, and one is needed"
            raise MediaError(message, hint="models are never downloaded; put the two files of PP-OCR into the folder")
        files.append(found[0])
    return files[0], files[1]


def _check(image: NDArray[np.uint8]) -> None:
    if image.ndim != 3 or image.shape[2] != 3 or image.dtype != np.uint8 or 0 in image.shape:  # noqa: PLR2004 -- RGB
        message = f"a picture must be `uint8` of shape (height, width, 3), not `{image.dtype}` of {image.shape}"
        raise MediaError(message)


def _scale(height: int, width: int) -> float:
    """Return the scale at which the detector sees a picture of this size."""
    shorter, longer = sorted((height, width))
    if longer > _LARGEST_SIDE:
        return _LARGEST_SIDE / longer
    # Enlarging more than threefold adds blur and no detail.
    return min(max(_DETECTION_SCALE, _DETECTION_SIDE / shorter), _LARGEST_SIDE / longer, 3.0)


def _windows(changed: Sequence[Box], before: Sequence[TextLine], width: int, height: int) -> list[Box]:
    """Return what to read anew: the changes with their surroundings, grown to whole lines, none touching another."""
    windows = [
        Box(
            max(0, box.left - _AROUND),
            max(0, box.top - _AROUND),
            min(width, box.right + _AROUND),
            min(height, box.bottom + _AROUND),
        )
        for box in changed
    ]
    grown = True
    while grown:
        grown = False
        merged: list[Box] = []
        for window in windows:
            for line in before:
                wider = _union(window, _padded(line.box, width, height))
                if _touches(line.box, window) and wider != window:
                    window, grown = wider, True  # noqa: PLW2901 -- grows until no line is cut
            for place, other in enumerate(merged):
                if _touches(window, other):
                    merged[place], grown = _union(window, other), True
                    break
            else:
                merged.append(window)
        windows = merged
    return windows


def _padded(box: Box, width: int, height: int) -> Box:
    gap = 6
    return Box(
        max(0, box.left - gap), max(0, box.top - gap), min(width, box.right + gap), min(height, box.bottom + gap)
    )


def _in_order(lines: Sequence[TextLine]) -> tuple[TextLine, ...]:
    """Return lines top to bottom, those of a row left to right."""
    return tuple(line for row in _rows(lines) for line in row)


def _rows(lines: Sequence[TextLine]) -> list[list[TextLine]]:
    """Return lines top to bottom; those whose middles lie within half a line of each other, left to right."""
    rows: list[list[TextLine]] = []
    for line in sorted(lines, key=lambda line: (line.box.top + line.box.bottom, line.box.left, line.text)):
        middle = (line.box.top + line.box.bottom) / 2
        if rows:
            first = rows[-1][0].box
            if abs(middle - (first.top + first.bottom) / 2) < 0.5 * min(
                first.bottom - first.top, line.box.bottom - line.box.top
            ):
                rows[-1].append(line)
                continue
        rows.append([line])
    return [sorted(row, key=lambda line: (line.box.left, line.box.top)) for row in rows]


def _apart(ink: Box, place: Box) -> bool:
    """Return whether a text stands free within a place, and is a letter's height rather than a speck."""
    high = ink.bottom - ink.top >= 0.3 * (place.bottom - place.top)
    return (
        high and place.left < ink.left and ink.right < place.right and place.top < ink.top and ink.bottom < place.bottom
    )


def _touches(one: Box, other: Box) -> bool:
    return one.left < other.right and other.left < one.right and one.top < other.bottom and other.top < one.bottom


def _coincide(one: Box, other: Box) -> bool:
    sides = ((one.left, other.left), (one.top, other.top), (one.right, other.right), (one.bottom, other.bottom))
    return all(abs(a - b) <= _BLUR for a, b in sides)


def _union(one: Box, other: Box) -> Box:
    return Box(
        min(one.left, other.left),
        min(one.top, other.top),
        max(one.right, other.right),
        max(one.bottom, other.bottom),
    )


def _moved(box: Box, right: int, down: int) -> Box:
    return Box(box.left + right, box.top + down, box.right + right, box.bottom + down)
