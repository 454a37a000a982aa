"""Asks questions about generated films whose frames say what they show and when.

`python -m benchmarks.suites.longvideo [--minutes N] [--hours N] [--films DIR] [--only TEXT] [--json]`

Films of several frame rates (23.976, 25, 29.97, variable) and one of two hours are generated, made ready as a user's
would be, and asked about with both strategies: needle, when, order, count, slide-text and spoken questions. The planner
is a script, the vision model an oracle that reads the strips of the pictures it is sent
(`benchmarks.longvideo.oracle`): a wrong frame gives a wrong answer. Figures:

- `grounding_recall_at_15`: stretches that a question needs and that the best 15 of grounding meet;
- `max_time_error_s`: labels of all pictures against the pictures' own times, and answered times;
- `answer_accuracy`;
- `fast_token_share`: tokens of `fast` over those of `paper`, same questions, each strategy with a store of its own;
- `warm_caption_calls`: requests for captions and scores when all is asked again;
- `faults_survived`.
"""

from __future__ import annotations

import argparse
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dspy import lm15

from benchmarks.longvideo.films import KINDS, Asked, Manifest, Recipe, produce
from benchmarks.longvideo.oracle import CAPTIONING, SEEING, Oracle, Query
from benchmarks.report import emit, print_table
from debriefer.media.clock import seconds_of
from debriefer.media.moments import MOMENTS
from debriefer.pipeline.asking import Asked as AnsweredVideo
from debriefer.pipeline.asking import answered, film_of
from debriefer.pipeline.settings import MediaSettings
from dspy_programs.longvideo import Limits, VideoAnswer

STRATEGIES = ("paper", "fast")
RATES = ("23.976", "25", "29.97", "vfr")
_NOTHING = "nothing relevant was found in the whole video"
_SILENT = MediaSettings("none", "none")


@dataclass(frozen=True, slots=True)
class Row:
    """A question, how it was answered, and what that took."""

    film: str
    strategy: str
    asked: Asked
    answer: VideoAnswer
    oracle: Oracle
    first_reply_s: float

    @property
    def right(self) -> bool:
        """Whether the answer is right; a time has to be within half a second."""
        if self.asked.kind == "when":
            return self.time_error is not None and self.time_error <= 0.5
        return self.answer.choice == self.asked.answer

    @property
    def time_error(self) -> float | None:
        """How far an answered time is from the true one, in seconds."""
        if self.asked.kind != "when":
            return None
        try:
            return abs(seconds_of(self.answer.answer) - float(self.asked.answer))
        except ValueError:
            return None

    @property
    def tokens(self) -> int:
        """Tokens in and out."""
        return self.answer.usage.input_tokens + self.answer.usage.output_tokens

    def recall(self) -> tuple[int, int]:
        """Return how many needed stretches the best 15 of grounding meet, and how many there are."""
        if self.asked.kind == "spoken":
            return 0, 0
        ranked = sorted(self.answer.grounded, key=lambda one: (-(one["score"] or 0), int(one["id"][1:])))[:MOMENTS]
        met = sum(
            any(one["start"] < end and one["end"] > begin for one in ranked) for begin, end in self.asked.relevant
        )
        return met, len(self.asked.relevant)


def recipes(minutes: float, hours: float) -> Iterator[Recipe]:
    """Yield the films: one of each rate, and a long one at two frames a second."""
    for number, rate in enumerate(RATES):
        yield Recipe(f"film-{rate.replace('.', '-')}", rate, minutes * 60, seed=number)
    if hours:
        yield Recipe("film-long", "2", hours * 3600, seed=9, shortest=6.0, longest=20.0)


def run_question(film: Path, manifest: Manifest, asked: Asked, strategy: str, work: Path) -> Row:
    """Ask one question by the same door as a user."""
    oracle = Oracle(manifest)
    began = time.perf_counter()
    first: list[float] = []

    def note(_: Query) -> None:
        first.append(time.perf_counter() - began)

    oracle.fault = note
    made: AnsweredVideo = answered(
        film,
        asked.text,
        asked.choices,
        models=oracle.models(),
        strategy=strategy,
        output=work / strategy,
        media=_SILENT,
    )
    return Row(manifest.name, strategy, asked, made.answer, oracle, first[0] if first else 0.0)


def faults(film: Path, manifest: Manifest, work: Path) -> list[tuple[str, bool, str]]:
    """Return name, whether it was survived and what was seen, for each fault and each strategy.

    Survived is a fault after which an answer comes back (right, abstained, or marked as the best so far), what failed
    is recorded as unknown, and no step says that nothing relevant is there.
    """
    asked = next(one for one in manifest.questions if one.kind == "needle")
    seen: list[tuple[str, bool, str]] = []
    for strategy in STRATEGIES:
        for name, fault in _FAULTS.items():
            place = work / f"fault-{name.replace(' ', '-')}"
            oracle = Oracle(manifest, fault())
            seen.append(_survived(f"{name} ({strategy})", film, asked, oracle, strategy, place))
        place = work / "fault-missing-frames"
        oracle = Oracle(manifest)
        ready = answered(film, asked.text, models=Oracle(manifest).models(), output=place, media=_SILENT)
        for frame in (ready.film.folder / "frames").iterdir():
            frame.unlink()
        for part in (*(ready.film.store.folder / "call").iterdir(), *(ready.film.store.folder / "text").iterdir()):
            if part.name != "part-0000.parquet":
                part.unlink()
        seen.append(_survived(f"missing frames ({strategy})", None, asked, oracle, strategy, place, film))
        oracle = Oracle(manifest, _refused)
        seen.append(
            _survived(f"empty key ({strategy})", film, asked, oracle, strategy, work / "fault-key", api_key=" ")
        )
    return seen


def _survived(
    name: str,
    film: Path | None,
    asked: Asked,
    oracle: Oracle,
    strategy: str,
    work: Path,
    moved: Path | None = None,
    **settings: Any,  # noqa: ANN401 -- of the model
) -> tuple[str, bool, str]:
    path = film or moved
    assert path is not None  # noqa: S101 -- one of the two is given
    try:
        answer = answered(
            path,
            asked.text,
            asked.choices,
            models=oracle.models(**settings),
            strategy=strategy,
            output=work / strategy if film else work,
            media=_SILENT,
            limits=Limits(seconds=120.0),
        ).answer
    except Exception as error:  # noqa: BLE001 -- any exception is a crash, which is what is measured
        return name, False, f"crashed: {error!r:.200}"
    unknown = [text for step in answer.steps for text in step.unknown]
    lied = any(_NOTHING in step.observation for step in answer.steps)
    failed = any(call["error"] for step in answer.steps for call in step.calls)
    sound = answer.choice == asked.answer or answer.abstained or bool(unknown) or answer.budget_exhausted is not None
    told = bool(unknown) or not failed or answer.choice == asked.answer
    what = f"answered {answer.choice or '—'}, {len(unknown)} unknown, {answer.error or 'no error'}"
    return name, sound and told and not lied, what


def _bad_json() -> Callable[[Query], str | None]:
    return lambda query: '{"relevance_score": ' if query.output in SEEING else None


def _bad_plan() -> Callable[[Query], str | None]:
    return lambda query: "I think we should look around [[ ## step" if query.output == "step" else None


def _null_content() -> Callable[[Query], str | None]:
    return lambda query: "" if query.output in SEEING | {"analysis"} else None


def _odd_scores() -> Callable[[Query], str | None]:
    def fault(query: Query) -> str | None:
        if query.output != "score":
            return None
        return '[[ ## score ## ]]\n{"relevance_score": "high", "clip_caption": null}\n\n[[ ## completed ## ]]'

    return fault


def _timeout() -> Callable[[Query], str | None]:
    def fault(query: Query) -> str | None:
        if query.output in SEEING:
            message = "scripted: the reply did not come in time"
            raise lm15.TransportError(message)
        return None

    return fault


def _now_and_then() -> Callable[[Query], str | None]:
    number = iter(range(1_000_000))
    return lambda _: "" if next(number) % 3 == 1 else None


def _refused(query: Query) -> str | None:
    if query.output in SEEING:
        message = "no key was given"
        raise lm15.AuthError(message, status=401)
    return None


_FAULTS: dict[str, Callable[[], Callable[[Query], str | None]]] = {
    "bad JSON": _bad_json,
    "bad plan": _bad_plan,
    "null content": _null_content,
    "odd scores": _odd_scores,
    "timeout": _timeout,
    "every third reply empty": _now_and_then,
}


def main(argv: Sequence[str] | None = None) -> int:
    """Generate, ask, break and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=6.0, help="length of the films of each rate (default: 6)")
    parser.add_argument("--hours", type=float, default=2.0, help="length of the long film, 0 for none (default: 2)")
    parser.add_argument("--films", type=Path, metavar="DIR", help="keep everything there (default: a temporary folder)")
    parser.add_argument("--only", default="", metavar="TEXT", help="only films whose name holds TEXT")
    parser.add_argument("--ready", type=Path, metavar="FILM", help="only make a film ready; print peak MiB and seconds")
    parser.add_argument("--json", action="store_true", help="print one JSON object as the last line")
    options = parser.parse_args(argv)
    if options.ready is not None:
        began = time.perf_counter()
        film_of(options.ready, options.films / "ready", _SILENT)
        print(_peak_mib(), round(time.perf_counter() - began, 2))
        return 0
    work = options.films or Path(tempfile.mkdtemp(prefix="debriefer-longvideo-"))
    try:
        return _measure(options, work)
    finally:
        if options.films is None:
            shutil.rmtree(work, ignore_errors=True)


def _measure(options: argparse.Namespace, work: Path) -> int:
    rows: list[Row] = []
    warm: list[Row] = []
    memory: dict[str, float] = {}
    seconds: dict[str, float] = {}
    films: list[tuple[Path, Manifest]] = []
    for recipe in recipes(options.minutes, options.hours):
        if options.only not in recipe.name:
            continue
        film, manifest = produce(recipe, work / "films")
        films.append((film, manifest))
        memory[manifest.name], seconds[manifest.name] = _made_ready(film, work)
        for strategy in STRATEGIES:
            for asked in manifest.questions:
                rows.append(run_question(film, manifest, asked, strategy, work))
                _say(rows[-1])
            warm += [run_question(film, manifest, asked, strategy, work) for asked in manifest.questions]
    broken = faults(*films[0], work / "faults") if films else []
    _print(rows, broken)
    metrics = figures(rows, warm, broken)
    # Each film is made ready in a process of its own: memory must not grow with the film.
    metrics |= {"making_peak_mib": memory, "making_seconds": seconds, "asking_peak_mib": _peak_mib()}
    emit("longvideo", len(rows), metrics, options.json)
    return 0


def figures(rows: Sequence[Row], warm: Sequence[Row], broken: Sequence[tuple[str, bool, str]]) -> dict[str, Any]:
    """Return the suite's figures."""
    met, needed = (sum(pair) for pair in zip(*(row.recall() for row in rows), strict=True))
    tokens = {name: sum(row.tokens for row in rows if row.strategy == name) for name in STRATEGIES}
    times = [row.oracle.time_error for row in (*rows, *warm)] + [e for row in rows if (e := row.time_error) is not None]
    long = [row for row in (*rows, *warm) if row.film == "film-long"]
    # The first question of each strategy makes its film ready.
    making = {(row.film, row.strategy): id(row) for row in reversed(rows)}
    later = [row.first_reply_s for row in (long or rows) if id(row) not in making.values()]
    return {
        "grounding_recall_at_15": met / needed if needed else None,
        "max_time_error_s": round(max(times), 3),
        "answer_accuracy": sum(row.right for row in rows) / len(rows),
        "fast_token_share": tokens["fast"] / tokens["paper"] if tokens["paper"] else None,
        "warm_caption_calls": sum(row.oracle.asked.get(name, 0) for row in warm for name in CAPTIONING),
        "warm_seeing_calls": sum(row.oracle.asked.get(name, 0) for row in warm for name in SEEING),
        "faults_survived": sum(ok for _, ok, _ in broken) / len(broken) if broken else None,
        "warm_accuracy": sum(row.right for row in warm) / len(warm),
        "second_question_s": round(statistics.median(later), 3) if later else None,
        "slowest_question_s": round(max(later), 3) if later else None,
        "unreadable_pictures": sum(row.oracle.unreadable for row in rows),
        "pictures_read": sum(row.oracle.pictures for row in rows),
        "accuracy_by_kind": {
            kind: sum(row.right for row in rows if row.asked.kind == kind)
            / max(1, sum(row.asked.kind == kind for row in rows))
            for kind in KINDS
        },
        "tokens_per_question": {
            name: round(tokens[name] / max(1, sum(r.strategy == name for r in rows))) for name in STRATEGIES
        },
        "calls_per_question": {
            name: round(
                sum(r.answer.usage.requests for r in rows if r.strategy == name)
                / max(1, sum(r.strategy == name for r in rows)),
                2,
            )
            for name in STRATEGIES
        },
    }


def _made_ready(film: Path, work: Path) -> tuple[float, float]:
    command = [sys.executable, "-m", "benchmarks.suites.longvideo", "--ready", str(film), "--films", str(work)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    peak, seconds = done.stdout.split()
    return float(peak), float(seconds)


def _peak_mib() -> float:
    # What the kernel tells of a process begins with the peak of its parent; the status of its own memory does not.
    status = Path("/proc/self/status")
    if status.is_file():
        match = re.search(r"VmHWM:\s+(\d+) kB", status.read_text(encoding="ascii"))
        if match is not None:
            return round(int(match[1]) / 1024, 1)
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1)


def _say(row: Row) -> None:
    state = "right" if row.right else f"WRONG ({row.answer.answer or '—'})"
    print(f"{row.film} {row.strategy} {row.asked.kind}: {state}, {row.tokens:,} tokens", file=sys.stderr)


def _print(rows: Sequence[Row], broken: Sequence[tuple[str, bool, str]]) -> None:
    lines = []
    for film in dict.fromkeys(row.film for row in rows):
        for strategy in STRATEGIES:
            mine = [row for row in rows if (row.film, row.strategy) == (film, strategy)]
            met, needed = (sum(pair) for pair in zip(*(row.recall() for row in mine), strict=True))
            lines.append(
                (
                    film,
                    strategy,
                    f"{sum(row.right for row in mine)}/{len(mine)}",
                    f"{met}/{needed}",
                    f"{sum(row.tokens for row in mine) / len(mine):,.0f}",
                    f"{sum(row.answer.usage.requests for row in mine) / len(mine):.1f}",
                    f"{max(row.oracle.time_error for row in mine):.2f}",
                )
            )
    header = ("film", "strategy", "right", "stretches met", "tokens a question", "requests a question", "time error s")
    print_table(header, lines, title="by film", file=sys.stderr)
    print_table(("fault", "survived", "seen"), [(n, "yes" if ok else "NO", w) for n, ok, w in broken], file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
