"""`debriefer judge`."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich import box
from rich.table import Table as Grid
from rich.text import Text

from debriefer.cli import console, exit_codes, options
from debriefer.errors import MediaError
from debriefer.judgement import VideoVerdict
from debriefer.judgement.model import shown_reference
from debriefer.pipeline import JudgeSettings, MediaSettings, ModelChoice, RunSettings
from debriefer.pipeline.cache import Cache
from debriefer.pipeline.judge import RESULT_FOLDER
from debriefer.pipeline.logs import TaskLog, redactor_for
from debriefer.pipeline.registry import default_registry
from debriefer.pipeline.stages import StageRun
from debriefer.task import Task

_STEPS = ("media", "catalog", "judge")


def judge(
    task: Annotated[Path, typer.Argument(help="Task folder with a video.")],
    rounds: Annotated[int, typer.Option("--rounds", min=1, help="Rounds of the vote.")] = 5,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder for the log, `logs/<task>/video_result/`, and the cache.")
    ] = Path("debriefer-out"),
    lm: options.Lm = None,
    offline: options.Offline = False,
    program_state: options.ProgramState = None,
    speech_model: options.SpeechModel = None,
    cache: options.CacheFolder = None,
    no_cache: options.NoCache = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the verdict as one JSON object.")] = False,
) -> None:
    """Judge whether a task's video already shows the answer, and what to do with it.

    With a model `--rounds` rounds of EXTRACT, ALIGN and DECIDE vote; without one a judge that knows layout trees and
    tables alone decides, and abstains where it cannot tell: exit code 3.
    """
    opened = Task.open(task)
    models = None if offline else ModelChoice(lm).load()
    settings = RunSettings(
        media=MediaSettings(speech_model=speech_model),
        judge=JudgeSettings(rounds=rounds),
        program_states=options.checked(program_state),
    )
    kept = None if no_cache else Cache(cache or output / options.CACHE_FOLDER)
    with (
        tempfile.TemporaryDirectory(prefix="debriefer-") as work,
        console.messages.status("preparing the video and judging"),
    ):
        copy = opened.working_copy(Path(work))
        (copy.folder / "workdir").mkdir(exist_ok=True)
        stages = StageRun(default_registry(settings), copy, models=models, cache=kept)
        stages.run()
        logs = output / "logs" / opened.task_id
        shutil.rmtree(logs / RESULT_FOLDER, ignore_errors=True)
        log = TaskLog(logs, redactor_for(models), fresh=False)
        if "judge" in stages.products:
            log.copy_product(stages.products["judge"].folder)
    record = next(one for one in stages.records if one.name == "judge")
    if record.state == "failed":
        message = f"`{task}` could not be judged: {record.reason}"
        raise MediaError(message, hint="see the log of the stage, or run with `--no-cache`")
    product = stages.products.get("judge")
    verdict = (
        VideoVerdict.without_video(opened.task_id) if product is None else VideoVerdict(**product.value["verdict"])
    )
    failures = [f"{one.name}: {one.reason}" for one in stages.records if one.name in _STEPS and one.state == "failed"]
    if as_json:
        console.data_json(verdict.to_dict())
    else:
        _show(verdict, {} if product is None else product.value["usage"], failures)
    if verdict.finding == "unknown":
        raise typer.Exit(exit_codes.ABSTAINED)
    if verdict.finding == "not_prepared":
        raise typer.Exit(exit_codes.FAILED)


def _show(verdict: VideoVerdict, usage: Mapping[str, Any], failures: Sequence[str]) -> None:
    for label, text in _lines(verdict):
        console.data(f"{label + ':':<14}{text}")
    if verdict.claimed_values:
        console.data_table(_claim(verdict))
    if verdict.rounds:
        console.data_table(_rounds(verdict))
    if usage.get("requests"):
        console.data(
            f"{usage['requests']} requests, {usage['input_tokens']:,} tokens in "
            f"({usage['cached_tokens']:,} from the provider's cache), {usage['output_tokens']:,} out"
        )
    for failure in failures:
        console.messages.print(Text(f"failed: {failure}"), style="yellow", soft_wrap=True)


def _lines(verdict: VideoVerdict) -> Iterator[tuple[str, str]]:
    named = {
        "shown": "the video shows the answer",
        "not_shown": "the video does not show the answer",
        "unknown": "it could not be judged",
        "no_video": "there is no video",
        "not_prepared": "the video could not be prepared",
    }
    told = named[verdict.finding]
    if verdict.finding == "shown" and verdict.decision == "RECOMPUTE":
        told = "the video shows an answer, but not one to take over"
    yield "verdict", f"{verdict.decision}  ({told})"
    if verdict.finding in ("shown", "not_shown"):
        by = "the offline judge" if verdict.judge == "offline" else f"{len(verdict.rounds)} rounds"
        yield "confidence", f"{verdict.confidence:.2f}, agreement {verdict.agreement:.0%}, by {by}"
    for label, text in (
        ("reason", verdict.reason),
        ("slides", ", ".join(verdict.source_frames)),
        ("unit", verdict.scope.unit + ("" if verdict.unit_consistent else " (not the data's)")),
        ("conversion", verdict.conversion),
        ("note", verdict.note),
        ("error", verdict.error),
    ):
        if text:
            yield label, text
    for one in verdict.distractors:
        yield "not this", f"{shown_reference(one.slide) if one.slide else 'spoken'}, {one.kind}: {one.why}"
    if not verdict.distractors and verdict.distractor_notes:
        yield "not this", verdict.distractor_notes


def _claim(verdict: VideoVerdict) -> Grid:
    from debriefer.judgement.claim_tables import column_names  # noqa: PLC0415 -- loads DuckDB

    grid = Grid(box=box.SIMPLE, title="claim", title_justify="left")
    for name in (*column_names(verdict), "read from"):
        grid.add_column(Text(name))
    missing = {(cell.row, cell.column) for cell in verdict.unsupported}
    for i, row in enumerate(verdict.cells(), start=1):
        shown = [Text(cell.value, style="yellow" if (i, j) in missing else "") for j, cell in enumerate(row, start=1)]
        slides = dict.fromkeys(slide for cell in row for slide in cell.slides)
        mark = "" if not any(place[0] == i for place in missing) else "  (a cell is not found there)"
        grid.add_row(*shown, Text(", ".join(slides) + mark))
    return grid


def _rounds(verdict: VideoVerdict) -> Grid:
    grid = Grid(box=box.SIMPLE, title="rounds", title_justify="left")
    for name in ("round", "shown", "decision", "confidence", "rows", "failed"):
        grid.add_column(name)
    for one in verdict.rounds:
        shown = "—" if one.has_displayed_answer is None else "yes" if one.has_displayed_answer else "no"
        confidence = "" if one.confidence is None else f"{one.confidence:.2f}"
        failed = "; ".join(f"{step}: {text}" for step, text in one.errors.items())
        grid.add_row(str(one.number), shown, one.decision or "—", confidence, str(one.rows or ""), Text(failed))
    return grid
