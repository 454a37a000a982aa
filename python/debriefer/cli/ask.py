"""`debriefer ask`."""

from __future__ import annotations

import re
import time
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from debriefer.cli import console, exit_codes, options
from debriefer.media.clock import clock, shown_span
from debriefer.pipeline.settings import MediaSettings
from dspy_programs.learned import state_files

if TYPE_CHECKING:
    from debriefer.pipeline.asking import Asked

_LIMITS = "Limits"
_STEPS = {
    "frames": "keeping frames",
    "speech": "listening",
    "slides": "finding slides",
    "layout": "reading slides",
}
_SHOWN_FRAMES = 4


class StrategyOption(StrEnum):
    """How the video is searched."""

    FAST = "fast"
    PAPER = "paper"


class LayoutOption(StrEnum):
    """Whether slides are read."""

    NONE = "none"
    OCR = "ocr"


def ask(
    video: Annotated[Path, typer.Argument(help="A video file of any length.")],
    question: Annotated[str, typer.Argument(help="The question.")],
    choices: Annotated[
        list[str] | None,
        typer.Option("--choices", "-c", help="An option of the answer, once for each; or all in one, as `red | blue`."),
    ] = None,
    strategy: Annotated[
        StrategyOption, typer.Option("--strategy", help="`fast`, or `paper`: the published system's looks.")
    ] = StrategyOption.FAST,
    subtitles: Annotated[
        Path | None,
        typer.Option("--subtitles", help="SRT, VTT, JSON, or `none`; else what lies beside the video, else its sound."),
    ] = None,
    offset: Annotated[
        float, typer.Option("--subtitles-offset", help="Seconds at which the video starts on their clock.")
    ] = 0.0,
    layout: Annotated[
        LayoutOption, typer.Option("--layout", help="Find slides and read them by OCR, too; for briefings.")
    ] = LayoutOption.NONE,
    embedder: Annotated[
        str | None,
        typer.Option(
            "--embedder", help="CLIP as a folder of ONNX files, or `model@https://host/v1`; finds pictures by words."
        ),
    ] = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder for answers and transcripts, `<video>/answers/<number>/`.")
    ] = Path("debriefer-out"),
    lm: options.Lm = None,
    program_state: options.ProgramState = None,
    speech_model: options.SpeechModel = None,
    download: Annotated[bool, typer.Option("--download", help="Fetch the speech model if it is not there.")] = False,
    cache: options.CacheFolder = None,
    anew: Annotated[
        bool, typer.Option("--anew", help="Ask the vision model again, whatever it answered before.")
    ] = False,
    max_rounds: Annotated[
        int, typer.Option("--max-rounds", min=1, help="Planned steps.", rich_help_panel=_LIMITS)
    ] = 15,
    max_frames: Annotated[
        int | None, typer.Option("--max-frames", min=1, help="Pictures shown.", rich_help_panel=_LIMITS)
    ] = 20_000,
    max_requests: Annotated[
        int, typer.Option("--max-requests", min=1, help="Requests, retries included.", rich_help_panel=_LIMITS)
    ] = 2_000,
    max_seconds: Annotated[
        float, typer.Option("--max-seconds", min=1, help="Wall time of the search.", rich_help_panel=_LIMITS)
    ] = 3_600.0,
    max_tokens: Annotated[
        int | None, typer.Option("--max-tokens", min=1, help="Prompt tokens.", rich_help_panel=_LIMITS)
    ] = None,
    max_cost: Annotated[
        float | None, typer.Option("--max-cost", min=0, help="Money; needs `MODEL_*_PRICE`.", rich_help_panel=_LIMITS)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the answer as one JSON object.")] = False,
) -> None:
    """Answer a question about a video of any length, and cite where it shows.

    Agents plan, find moments, read what is said, look at frames and review the answer, within limits. What was searched
    once is kept: the next question about the same video starts at once. Exit code 3 where no answer was found.
    """
    from debriefer.pipeline.asking import answered  # noqa: PLC0415 -- loads DuckDB; `--help` needs none of it
    from dspy_programs.longvideo.settings import Limits  # noqa: PLC0415 -- loads DSPy

    began = time.perf_counter()
    state = state_files(options.checked(program_state)).get("longvideo")
    with console.messages.status("opening the video") as status:

        def say(step: str, done: float, total: float) -> None:
            amount = f" {clock(done)} of {clock(total)}" if total else f" {clock(done)}" if done else ""
            status.update(f"{_STEPS.get(step, step)}{amount}")

        asked = answered(
            video,
            question,
            _options(choices or []),
            lm=lm,
            strategy=strategy.value,
            limits=Limits(
                rounds=max_rounds,
                frames=max_frames,
                requests=max_requests,
                input_tokens=max_tokens,
                cost=max_cost,
                seconds=max_seconds,
            ),
            subtitles=subtitles,
            offset=offset,
            output=output,
            cache=cache,
            media=MediaSettings("ocr" if layout is LayoutOption.OCR else "none", speech_model, download),
            image_embedder=embedder,
            remember=not anew,
            state=state,
            say=say,
            on_film=lambda _: status.update("searching"),
        )
    answer = asked.answer
    if as_json:
        where = {
            "output": None if asked.folder is None else str(asked.folder),
            "film": str(asked.film.folder),
            "notes": asked.film.facts["notes"],
        }
        console.data_json({**answer.to_dict(steps=False), **where, "seconds_in_all": time.perf_counter() - began})
    else:
        _show(asked, time.perf_counter() - began)
    if answer.doubt:
        # Also beside `--json`: the answer is the best there is, and not one to rely on.
        console.messages.print(Text.assemble(("warning: ", "bold yellow"), f"in doubt: {answer.doubt}"), soft_wrap=True)
    if answer.error:
        raise typer.Exit(exit_codes.FAILED)
    if answer.abstained:
        raise typer.Exit(exit_codes.ABSTAINED)


def _options(given: list[str]) -> list[str]:
    """Return the options of an answer: one a value, or all in one value with bars or line breaks between them.

    >>> _options(["red | blue"]), _options(["a|b", "c"])
    (['red', 'blue'], ['a|b', 'c'])
    """
    if len(given) != 1:
        return given
    return [part.strip() for part in re.split(r"[|\n]", given[0]) if part.strip()]


def _show(asked: Asked, seconds: float) -> None:
    answer = asked.answer
    chosen = f"{answer.choice}. " if answer.choice and not answer.answer.startswith(f"{answer.choice}.") else ""
    console.data(f"{chosen}{answer.answer}" if answer.answer or chosen else "(no answer)")
    for one in answer.citations:
        said = f"“{one.quote}”" if one.quote else one.text
        frames = ", ".join(clock(moment) for moment in one.frames[:_SHOWN_FRAMES])
        more = f" … {len(one.frames)} frames" if len(one.frames) > _SHOWN_FRAMES else ""
        console.data(f"  [{shown_span(one.start, one.end)}] {said}" + (f"  (frames {frames}{more})" if frames else ""))
    lines: list[tuple[str, Any]] = [
        ("ended by the bound on", answer.budget_exhausted),
        ("error", answer.error),
    ]
    used = (
        f"{answer.usage.requests} requests, {answer.usage.input_tokens:,} tokens in, {answer.usage.output_tokens:,} out"
    )
    lines += [("used", f"{used}, {seconds:.1f} s"), ("written", asked.folder)]
    lines += [("note", note) for note in asked.film.facts["notes"]]
    for label, text in lines:
        if text:
            console.messages.print(Text.assemble((f"{label}: ", "bold"), str(text)), soft_wrap=True)
