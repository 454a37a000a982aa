"""Answers a benchmark's questions and scores the answers.

`python -m benchmarks.longvideo DATASET QUESTIONS --videos DIR --answers FILE [--lm MODEL] [--score-only] [--json]`

`DATASET` is `lvbench`, `longvideobench`, `videomme` or `mlvu`, `QUESTIONS` its published file (for MLVU also the
folder), `DIR` where its videos are. Answers are appended to `FILE` (JSON Lines), so that a run that was stopped goes
on. Questions whose video is not there are named and count as unanswered.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.longvideo.formats import READERS, BenchmarkQuestion, load, video_file
from benchmarks.longvideo.scoring import score
from benchmarks.report import emit
from debriefer.cli import console
from debriefer.errors import DebrieferError
from debriefer.pipeline import ask
from debriefer.pipeline.settings import MediaSettings


def main(argv: Sequence[str] | None = None) -> int:
    """Answer what is not answered yet, and print the scores."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset", choices=sorted(READERS))
    parser.add_argument("questions", type=Path)
    parser.add_argument("--videos", type=Path, action="append", default=[], metavar="DIR", help="where the videos are")
    parser.add_argument("--answers", type=Path, required=True, metavar="FILE", help="JSON Lines: id and answer")
    parser.add_argument("--strategy", choices=("fast", "paper"), default="fast")
    parser.add_argument("--no-subtitles", action="store_true", help="the track without subtitles and speech")
    parser.add_argument("--lm", help="the model, as `provider/model`; else what `MODEL_API_*` say")
    parser.add_argument("--speech-model", help="Whisper, where a video has no subtitles")
    parser.add_argument("--output", type=Path, default=Path("debriefer-out"), help="transcripts, and videos made ready")
    parser.add_argument("--limit", type=int, help="only the first questions")
    parser.add_argument("--score-only", action="store_true", help="answer nothing")
    parser.add_argument("--json", action="store_true", help="print one JSON object as the last line")
    options = parser.parse_args(argv)
    try:
        return _run(options)
    except DebrieferError as error:
        console.show_error(error)
        return 2


def _run(options: argparse.Namespace) -> int:
    questions = load(options.dataset, options.questions, lambda note: print(note, file=sys.stderr))[: options.limit]
    predictions = _predictions(options.answers)
    if not options.score_only:
        _mend(options.answers)
    absent = set()
    for number, question in enumerate(questions, start=1):
        if options.score_only or question.id in predictions:
            continue
        video = video_file(question, options.videos)
        if video is None:
            absent.add(question.video)
            continue
        answer = _answer(question, video, options)
        if answer is not None:
            predictions[question.id] = answer
            with options.answers.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps({"id": question.id, "answer": answer}, ensure_ascii=False) + "\n")
        print(f"{number}/{len(questions)} {question.id}", file=sys.stderr)
    if absent:
        print(f"{len(absent)} videos are not there: {', '.join(sorted(absent)[:10])}", file=sys.stderr)
    scores = score(options.dataset, questions, predictions)
    emit(f"longvideo.{options.dataset}", scores.questions, scores.to_dict(), options.json)
    return 0


def _answer(question: BenchmarkQuestion, video: Path, options: argparse.Namespace) -> str | None:
    """Return the letter, the words of an abstention, or `None` where the question could not be asked."""
    folders = [*options.videos, options.questions.parent]
    there = [folder / (question.subtitles or "") for folder in folders if question.subtitles]
    subtitles = next((path for path in there if path.is_file()), None)
    speech = "none" if options.no_subtitles else options.speech_model
    try:
        answer = ask(
            video,
            question.text,
            question.choices,
            lm=options.lm,
            strategy=options.strategy,
            subtitles="none" if options.no_subtitles else subtitles,
            offset=question.offset if subtitles else 0.0,
            output=options.output,
            media=MediaSettings("none", speech),
        )
    except DebrieferError as error:
        print(f"{question.id}: {error.message}", file=sys.stderr)
        return None
    return None if answer.error else answer.choice or answer.answer


def _mend(path: Path) -> None:
    """Cut off a last line that a run was stopped in the middle of, so that the next one begins on its own."""
    if not path.is_file():
        return
    data = path.read_bytes()
    whole = data[: _whole(data)]
    if whole and not whole.endswith(b"\n"):
        whole += b"\n"
    if whole != data:
        path.write_bytes(whole)


def _whole(data: bytes) -> int:
    """Return the bytes up to the end of the last whole line; a last line without its end is whole where it is JSON."""
    end = data.rfind(b"\n") + 1
    try:
        _record(data[end:])
    except (ValueError, KeyError, TypeError):
        return end
    return len(data)


def _record(line: bytes) -> tuple[str, str]:
    value = json.loads(line)
    return str(value["id"]), str(value["answer"])


def _predictions(path: Path) -> dict[str, str]:
    """Return the answers so far; a last line that a run was stopped in the middle of is none.

    Raises:
        DebrieferError: Another line is no answer.
    """
    if not path.is_file():
        return {}
    data = path.read_bytes()
    found = {}
    for number, line in enumerate(data[: _whole(data)].split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            name, answer = _record(line)
        except (ValueError, KeyError, TypeError) as error:
            message = f"`{path.name}`, line {number}, is no answer"
            raise DebrieferError(message, hint="each line is a JSON object with `id` and `answer`") from error
        found[name] = answer
    return found


if __name__ == "__main__":
    sys.exit(main())
