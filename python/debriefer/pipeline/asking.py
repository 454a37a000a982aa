"""A question about a long video, from the file to an answer with its evidence."""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from debriefer.errors import MissingFileError, ModelError
from debriefer.media.briefing import Say
from debriefer.media.embedding import ImageEmbedder, embedder
from debriefer.media.film import Film
from debriefer.media.film_making import FilmSettings, find_film, make_film
from debriefer.media.listeners import transcriber
from debriefer.media.subtitles import check_subtitles, read_subtitles
from debriefer.pipeline.content import file_digest, value_digest
from debriefer.pipeline.makers import makers_of
from debriefer.pipeline.settings import MediaSettings, ModelChoice
from dspy_programs.learned import state_files

if TYPE_CHECKING:
    from debriefer.models import Models
    from dspy_programs.longvideo import Limits, VideoAnswer

FILMS_FOLDER = "films"
ANSWERS_FOLDER = "answers"
ANSWER_FILE, TRANSCRIPT_FILE = "answer.json", "transcript.md"
_DEFAULT_OUTPUT = Path("debriefer-out")
_CACHE_FOLDER = ".cache"


@dataclass(frozen=True, slots=True)
class Asked:
    """An answer and where its record lies.

    Attributes:
        answer: The answer.
        folder: Holds `answer.json` and `transcript.md`; `None` where none were written.
        film: The video as it was made ready.
    """

    answer: VideoAnswer
    folder: Path | None
    film: Film


def ask(
    video: str | Path,
    question: str,
    choices: Sequence[str] = (),
    *,
    models: Models | None = None,
    lm: str | None = None,
    strategy: str = "fast",
    limits: Limits | None = None,
    subtitles: str | Path | None = None,
    offset: float = 0.0,
    output: str | Path | None = _DEFAULT_OUTPUT,
    cache: str | Path | None = None,
    media: MediaSettings | None = None,
    image_embedder: str | ImageEmbedder | None = None,
    remember: bool = True,
    state: str | Path | None = None,
    say: Say = lambda *_: None,
) -> VideoAnswer:
    """Answer a question about a video of any length; see `answered`, which also tells where the record lies.

    >>> ask("film.mp4", "Who opens the door?", ["Ann", "Bo"]).choice  # doctest: +SKIP
    'B'
    """
    return answered(
        video,
        question,
        choices,
        models=models,
        lm=lm,
        strategy=strategy,
        limits=limits,
        subtitles=subtitles,
        offset=offset,
        output=output,
        cache=cache,
        media=media,
        image_embedder=image_embedder,
        remember=remember,
        state=state,
        say=say,
    ).answer


def answered(
    video: str | Path,
    question: str,
    choices: Sequence[str] = (),
    *,
    models: Models | None = None,
    lm: str | None = None,
    strategy: str = "fast",
    limits: Limits | None = None,
    subtitles: str | Path | None = None,
    offset: float = 0.0,
    output: str | Path | None = _DEFAULT_OUTPUT,
    cache: str | Path | None = None,
    media: MediaSettings | None = None,
    image_embedder: str | ImageEmbedder | None = None,
    remember: bool = True,
    state: str | Path | None = None,
    say: Say = lambda *_: None,
    on_film: Callable[[Film], None] = lambda _: None,
) -> Asked:
    """Answer a question about a video.

    The first question makes the video ready (frames on disk, texts); later ones open what is there. The model's answers
    to questions with pictures are kept with the video and shared by all questions.

    Args:
        video: The file.
        question: The question.
        choices: Its options, with or without letters before them; none for an open question.
        models: The models; what `lm` and the environment name where `None`.
        lm: `provider/model`.
        strategy: `fast`, or `paper` for the published system's looks.
        limits: Bounds on rounds, calls, frames, tokens, money and time.
        subtitles: A file of subtitles (SRT, VTT, JSON); the one beside the video with its name where `None`; `none` for
            none. Without any the sound is transcribed.
        offset: Seconds at which the video starts on the subtitles' clock.
        output: Folder for the record, `<video>/answers/<number>/`; `None` for no record.
        cache: Folder for videos that were made ready; `.cache` in the output folder where `None`.
        media: Speech model, and with `layout="ocr"` whether slides are read, too.
        image_embedder: An embedder, a folder of ONNX files, or `model@https://host/v1`; what
            `DEBRIEFER_IMAGE_EMBEDDER` names where `None`.
        remember: Whether kept answers of the vision model are used.
        state: File of what the program has learned, as `dspy_programs.state` writes it; what ships, if anything, where
            `None`.
        say: Told how far the making is.
        on_film: Told the video once it is ready.

    Raises:
        MissingFileError: There is no such video, or no such file of subtitles.
        MediaError: It is no video, the embedder cannot be opened, the question is no text or empty, or the options
            are no texts or more than 26.
        ModelError: No model is configured, a bound on money lacks prices, or the strategy has no such name.
    """
    path = Path(video)
    if not path.is_file():
        message = f"`{path}` " + ("is no file" if path.exists() else "does not exist")
        raise MissingFileError(message, hint="name a video file")
    from dspy_programs.longvideo import STRATEGIES, LongVideo, checked  # noqa: PLC0415 -- loads DSPy

    question, choices = checked(question, choices)
    models = models or ModelChoice(lm).load()
    if models is None:
        message = "no model is configured, and a question about a video needs one"
        raise ModelError(message, hint="give `--lm provider/model`, or set `MODEL_API_URL` and `MODEL_NAME`")
    from debriefer.media.finding import Finder  # noqa: PLC0415 -- whoever only reads settings needs no DuckDB
    from dspy_programs.state import load_state  # noqa: PLC0415 -- loads DSPy

    if strategy not in STRATEGIES:
        message = f"`{strategy}` is no strategy"
        raise ModelError(message, hint=f"the strategies are {', '.join(STRATEGIES)}")
    if limits is not None and limits.cost is not None:
        _priced(models)
    eyes = image_embedder if not isinstance(image_embedder, str | None) else embedder(image_embedder, os.environ)
    root = Path(cache) if cache is not None else Path(output or _DEFAULT_OUTPUT) / _CACHE_FOLDER
    film = film_of(path, root / FILMS_FOLDER, media or MediaSettings(layout="none"), subtitles, offset, models, say)
    on_film(film)
    program = LongVideo(STRATEGIES[strategy], limits)
    learned = state or state_files().get("longvideo")
    if learned is not None:
        load_state(program, learned)
    with models.using("planner"):
        result: VideoAnswer = program(
            film=film, question=question, models=models, choices=choices, finder=Finder(film, eyes), remember=remember
        ).result
    _remember(film, result)
    folder = None if output is None else _recorded(result, Path(output) / path.stem / ANSWERS_FOLDER)
    return Asked(result, folder, film)


def film_of(
    path: Path,
    root: Path,
    media: MediaSettings,
    subtitles: str | Path | None = None,
    offset: float = 0.0,
    models: Models | None = None,
    say: Say = lambda *_: None,
) -> Film:
    """Return a video made ready for questions, made now or found below `root`.

    Args:
        path: The video.
        root: Where such videos lie.
        media: Speech model and layout.
        subtitles: A file of subtitles; the one beside the video where `None`; `none` for none.
        offset: Seconds at which the video starts on the subtitles' clock.
        models: For the layout by a vision model.
        say: Told how far the making is.

    Raises:
        MediaError: The file is no video, or the subtitles cannot be read.
    """
    given = _beside(path) if subtitles is None else None if str(subtitles) == "none" else Path(subtitles)
    settings = FilmSettings(layout=media.layout != "none", said_digest=_said_digest(given, offset))
    listener = transcriber(
        media.speech_model, downloads=media.downloads, progress=lambda seconds: say("speech", seconds, 0)
    )
    known = find_film(root, path, settings, listener.name)
    if known is not None:
        return Film(known, path)
    if given is not None:
        settings = replace(settings, subtitles=read_subtitles(given, offset=offset))
    makers = makers_of(media, models, say) if settings.layout else None
    return make_film(root, path, settings, makers, listener, say)


def _priced(models: Models) -> None:
    """Refuse a bound on money that would refuse every request."""
    for role in ("planner", "grounding", "subtitles", "vision", "reflection"):
        settings = models.settings(role)
        if settings.input_price is None or settings.output_price is None:
            message = f"a bound on money needs the prices of `{settings.model}`"
            raise ModelError(message, hint="set `MODEL_INPUT_PRICE` and `MODEL_OUTPUT_PRICE`, per million tokens")


def _said_digest(path: Path | None, offset: float) -> str:
    """Return what names subtitles without parsing them; empty where there are none."""
    if path is None:
        return ""
    check_subtitles(path, offset)
    return value_digest({"file": file_digest(path), "offset": offset})


def _beside(path: Path) -> Path | None:
    """Return the subtitles that lie beside a video under its name."""
    return next((one for ending in (".srt", ".vtt") if (one := path.with_suffix(ending)).is_file()), None)


def _remember(film: Film, answer: VideoAnswer) -> None:
    """Add what the answer rests on to the video's store."""
    frames = {frame.file: frame.id for frame in film.frames}
    run = uuid.uuid4().hex[:12]
    film.append(
        "evidence",
        [
            {
                "run": run,
                "claim": f"{answer.question} -> {answer.answer}",
                "t0": one.start,
                "t1": one.end,
                "frame_ids": [frames[file] for file in one.frame_files if file in frames],
                "text_ids": [],
                "stance": one.kind,
                "confidence": None,
            }
            for one in answer.citations
        ],
    )


def _recorded(answer: VideoAnswer, folder: Path) -> Path:
    """Write the answer and its transcript into a folder of their own; return it."""
    from dspy_programs.longvideo import render_transcript  # noqa: PLC0415 -- loads DSPy

    folder.mkdir(parents=True, exist_ok=True)
    number = 1 + max((int(one.name) for one in folder.iterdir() if one.name.isdecimal()), default=0)
    while True:
        place = folder / f"{number:03d}"
        try:
            place.mkdir()
        except FileExistsError:
            number += 1
        else:
            break
    _write(place / ANSWER_FILE, answer.to_dict())
    (place / TRANSCRIPT_FILE).write_text(render_transcript(answer), encoding="utf-8")
    return place


def _write(path: Path, value: Mapping[str, Any]) -> None:
    text = json.dumps(value, ensure_ascii=False, indent=1, default=str)
    path.write_text(text + "\n", encoding="utf-8")
