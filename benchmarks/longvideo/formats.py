"""Question files of LVBench, LongVideoBench, Video-MME and MLVU, read into one shape. The videos are the user's."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from debriefer.errors import DebrieferError, MissingFileError
from dspy_programs.longvideo.choices import LETTERS, bare, inline_options, parse_choice

Record = Mapping[str, Any]
_SUBTITLE_FOLDER = "subtitles"


@dataclass(frozen=True, slots=True)
class BenchmarkQuestion:
    """A question of a benchmark.

    Attributes:
        id: Within its data set.
        video: The file's name or relative path, as the data set has it; without an ending where it gives a bare id.
        text: The question without its options.
        choices: The options without letters.
        answer: The right letter; `None` where it is hidden, or where the data set's answer is none of the options.
        types: Kinds that it counts in.
        group: Its group of length, or empty.
        duration: Of the video in seconds, or `None`.
        subtitles: Relative path of a file of subtitles, or `None`.
        offset: Seconds at which the video starts on the clock of the subtitles.
        note: What is odd about the record, else empty.
    """

    id: str
    video: str
    text: str
    choices: tuple[str, ...]
    answer: str | None
    types: tuple[str, ...] = ()
    group: str = ""
    duration: float | None = None
    subtitles: str | None = None
    offset: float = 0.0
    note: str = ""


def load(dataset: str, path: Path, say: Callable[[str], None] = lambda _: None) -> list[BenchmarkQuestion]:
    """Read the questions of a data set.

    Args:
        dataset: A key of `READERS`.
        path: Its file of questions: JSON, JSON Lines or Parquet; for MLVU also the folder of its task files, of which
            those without options are left out (MLVU's folder holds tasks whose answers are written freely, too).
        say: Told what is left out, and why.

    Raises:
        MissingFileError: There is no such file.
        DebrieferError: There is no such data set, a record lacks what its format has, or a folder holds no questions.
    """
    if dataset not in READERS:
        message = f"`{dataset}` is no data set of questions"
        raise DebrieferError(message, hint=f"the data sets are {', '.join(READERS)}")
    if not path.exists():
        message = f"`{path}` does not exist"
        raise MissingFileError(message, hint="give the file of questions that the data set publishes")
    files = sorted(path.glob("*.json*")) if path.is_dir() else [path]
    questions: list[BenchmarkQuestion] = []
    for file in files:
        records = _records(file)
        if path.is_dir() and not any(isinstance(record, Mapping) and "candidates" in record for record in records):
            say(f"`{file.name}` is left out: its records have no `candidates`")
            continue
        for place, record in enumerate(records, start=1):
            try:
                questions += READERS[dataset](record, file.stem, place)
            except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
                message = f"`{file.name}` is no file of {dataset}: record {place} lacks or misuses {error}"
                raise DebrieferError(message, hint="see `docs/long-video.md` for the formats") from error
    if not questions and path.is_dir():
        message = f"`{path}` holds no questions of {dataset}"
        raise DebrieferError(message, hint="give the folder that holds the JSON files of the tasks")
    return questions


def _records(path: Path) -> list[Any]:
    if path.suffix == ".parquet":
        return pl.read_parquet(path).to_dicts()
    text = path.read_text(encoding="utf-8-sig")
    try:
        value = json.loads(text)
    except ValueError:
        try:
            return [json.loads(line) for line in text.splitlines() if line.strip()]
        except ValueError as error:
            message = f"`{path.name}` is neither JSON nor JSON Lines: {error}"
            raise DebrieferError(message, hint="give the file as it was published") from error
    return value if isinstance(value, list) else [value]


def lvbench(record: Record, _file: str, _place: int) -> Iterator[BenchmarkQuestion]:
    """Yield the questions of one video of LVBench: `key`, `type`, `qa`, options inside the question."""
    for one in record["qa"]:
        text, choices = inline_options(str(one["question"]))
        answer = one.get("answer")
        kinds = one.get("question_type") or ()
        yield BenchmarkQuestion(
            id=str(one["uid"]),
            video=str(record["key"]),
            text=text,
            choices=choices,
            answer=None if answer is None else parse_choice(choices, typed=str(answer)),
            types=(kinds,) if isinstance(kinds, str) else tuple(kinds),
            group=str(record.get("type") or ""),
            note="" if choices else "the question holds no options that can be told apart",
        )


def longvideobench(record: Record, _file: str, place: int) -> Iterator[BenchmarkQuestion]:
    """Yield one question of LongVideoBench: `candidates`, `correct_choice` from 0 (hidden in the test part)."""
    number = record.get("correct_choice")
    choices = bare([str(one) for one in record["candidates"]])
    hidden = number is None or not 0 <= int(number) < len(choices)
    subtitles = record.get("subtitle_path")
    yield BenchmarkQuestion(
        id=str(record.get("id") or place),
        video=str(record["video_path"]),
        text=str(record["question"]),
        choices=choices,
        answer=None if number is None or hidden else LETTERS[int(number)],
        types=tuple(str(record[name]) for name in ("question_category",) if record.get(name)),
        group=str(record.get("duration_group") or ""),
        duration=None if record.get("duration") is None else float(record["duration"]),
        subtitles=None if not subtitles else f"{_SUBTITLE_FOLDER}/{subtitles}",
        offset=float(record.get("starting_timestamp_for_subtitles") or 0.0),
    )


def videomme(record: Record, _file: str, place: int) -> Iterator[BenchmarkQuestion]:
    """Yield the questions of Video-MME: one record each, or one a video with `questions`."""
    for one in record.get("questions") or [record]:
        merged = {**record, **one}
        choices = bare([str(option) for option in merged["options"]])
        video = str(merged.get("videoID") or merged["video_id"])
        answer = merged.get("answer")
        yield BenchmarkQuestion(
            id=str(merged.get("question_id") or place),
            video=video,
            text=str(merged["question"]),
            choices=choices,
            answer=None if answer is None else parse_choice(choices, typed=str(answer)),
            types=tuple(str(merged[name]) for name in ("task_type",) if merged.get(name)),
            group=str(merged.get("duration") or ""),
            subtitles=f"subtitle/{video}.srt",
        )


def mlvu(record: Record, file: str, place: int) -> Iterator[BenchmarkQuestion]:
    """Yield one question of MLVU: the answer is the text of a candidate; two items of the needle task have none."""
    choices = bare([str(one) for one in record["candidates"]])
    answer = parse_choice(choices, text=str(record["answer"])) if record.get("answer") is not None else None
    kind = str(record.get("question_type") or file)
    absent = answer is None and record.get("answer") is not None
    yield BenchmarkQuestion(
        id=str(record.get("question_id") or f"{file}-{place}"),
        video=str(record["video"]),
        text=str(record["question"]),
        choices=choices,
        answer=answer,
        types=(kind,),
        duration=None if record.get("duration") is None else float(record["duration"]),
        note="the answer is none of the candidates" if absent else "",
    )


READERS: dict[str, Callable[[Record, str, int], Iterator[BenchmarkQuestion]]] = {
    "lvbench": lvbench,
    "longvideobench": longvideobench,
    "videomme": videomme,
    "mlvu": mlvu,
}


def video_file(question: BenchmarkQuestion, folders: Sequence[Path]) -> Path | None:
    """Return a question's video below some folders, or `None`."""
    for folder in folders:
        for name in (question.video, *(f"{question.video}{ending}" for ending in (".mp4", ".mkv", ".webm", ".avi"))):
            if (folder / name).is_file():
                return folder / name
    return None
