"""The programs that can be compiled: how each is built, run on a prepared example, and measured."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import dspy

from debriefer.digests import file_digest
from debriefer.documents.assisted.flow import extract_assisted
from debriefer.documents.notes import field_notes
from debriefer.documents.reading import read_document
from debriefer.documents.relation import Relation
from debriefer.errors import ScoringError
from debriefer.judgement import vote
from debriefer.models import Budget, Meter, Models, metered, neutralise
from debriefer.scoring import Table
from dspy_programs.documents import DocumentProgram
from dspy_programs.documents import settings_for as document_settings
from dspy_programs.judge import VideoJudge
from dspy_programs.metrics import Metric, answer_score, document_score, exact_answer_score, judge_score
from dspy_programs.oneshot import OneShot, oneshot_settings_for
from dspy_programs.optimisation.on_tasks import PreparedTask
from dspy_programs.solver import Solver, settings_for

# One attempt of the Solver, as a run bounds it (specification, section 4.4.2).
_SOLVER_REQUESTS = 80
_SOLVER_SECONDS = 1_800.0
# Of an answer, right or given, what a model that writes instructions is shown.
_SHOWN_CHARACTERS = 400


@dataclass(frozen=True, slots=True)
class Compilable:
    """A program as it is compiled.

    Attributes:
        name: As it is called on the command line.
        labelled: The name under which tasks are labelled for it (`debriefer.datasets`).
        role: The role of the model that it asks.
        metrics: By name; the first is the default.
        good: The score from which on an answer may serve as a demonstration.
        build: The program as it is without learned state.
        run: Runs it on one example, whose inputs `dspy_programs.datasets` prepared.
        requests: Requests of a run, before anything was measured.
        input_tokens: Prompt tokens of a request, likewise.
        output_tokens: Reply tokens of a request, likewise.
    """

    name: str
    labelled: str
    role: str
    metrics: Mapping[str, Metric]
    good: float
    build: Callable[[Models], dspy.Module]
    run: Callable[[dspy.Module, dspy.Example, Models], dspy.Prediction]
    requests: float
    input_tokens: int
    output_tokens: int


def _solver(models: Models) -> dspy.Module:
    solver = models.settings("solver")
    return Solver(settings_for(solver, requests=_SOLVER_REQUESTS, compression=models.settings("compression")))


def _run_solver(program: dspy.Module, example: dspy.Example, models: Models) -> dspy.Prediction:
    with metered(Meter(Budget(requests=_SOLVER_REQUESTS, seconds=_SOLVER_SECONDS))):
        found = program(**example.inputs(), compression_lm=models.lm("compression"))
    # The working copy serves the next run too: what this one left is read now.
    csv = Path(found.csv_path).read_text(encoding="utf-8", errors="replace") if found.csv_path else None
    result = found.result
    reason = result.reason if not result.detail else f"{result.reason}: {result.detail}"
    return _answer(csv, finished=found.finished, reason=reason)


def _answer(csv: str | None, **told: Any) -> dspy.Prediction:  # noqa: ANN401 -- what a program says of its run
    """Return a table as the metric reads it, and shortened and neutralised as an optimiser may show it to a model."""
    if csv is None:
        return dspy.Prediction(csv=None, **told)
    try:
        table = Table.parse(csv)
    except ScoringError:
        return dspy.Prediction(csv=csv, **told)
    return dspy.Prediction(table=table, csv=neutralise(_shortened(csv)), **told)


def _oneshot(models: Models) -> dspy.Module:
    return OneShot(oneshot_settings_for(models.settings("solver"), deliver=False))


def _run_oneshot(program: dspy.Module, example: dspy.Example, _models: Models) -> dspy.Prediction:
    found = program(**example.inputs())
    return _answer(found.csv, sql=neutralise(found.sql), finished=found.finished, reason=found.reason)


def _judge(_models: Models) -> dspy.Module:
    return VideoJudge()


def _run_judge(program: dspy.Module, example: dspy.Example, _models: Models) -> dspy.Prediction:
    found = program(material=example.material, number=1)
    verdict = vote([found.round], 1, example.material.video, example.get("name") or "")
    return dspy.Prediction(verdict=verdict.to_dict())


def _documents(_models: Models) -> dspy.Module:
    return DocumentProgram()


def _run_documents(program: dspy.Module, example: dspy.Example, models: Models) -> dspy.Prediction:
    # One chunk at a time: what is asked must not depend on which reply comes first.
    settings = replace(document_settings(models.settings("documents")), jobs=1)
    notes = field_notes(example.knowledge)
    cells: dict[str, list[dict[str, str]]] = {}
    for path in map(Path, example.paths):
        source = path.relative_to(Path(example.work) / "context").as_posix()
        found = extract_assisted(read_document(path), source, program, notes, settings)
        for relation in found.extraction.relations:
            cells.setdefault(relation.name, []).extend(_rows_of(relation))
    return dspy.Prediction(cells=cells)


def _rows_of(relation: Relation) -> list[dict[str, str]]:
    """Return the rows of a relation, its key as columns, as the catalog will have them."""
    rows = []
    for record in relation.records:
        row = dict(zip(relation.key, record, strict=False))
        for column in relation.columns:
            cell = relation.cells.get((record, column.name))
            if cell is not None and cell.value is not None:
                row[column.name] = cell.value
        rows.append(row)
    return rows


PROGRAMS: dict[str, Compilable] = {
    entry.name: entry
    for entry in (
        Compilable(
            name="solver",
            labelled="solver",
            role="solver",
            metrics={"signature": answer_score, "exact": exact_answer_score},
            good=1.0,
            build=_solver,
            run=_run_solver,
            requests=8,
            input_tokens=5_000,
            output_tokens=300,
        ),
        Compilable(
            name="oneshot",
            labelled="solver",
            role="solver",
            metrics={"signature": answer_score, "exact": exact_answer_score},
            good=1.0,
            build=_oneshot,
            run=_run_oneshot,
            requests=1.5,
            input_tokens=2_000,
            output_tokens=100,
        ),
        Compilable(
            name="judge",
            labelled="judge",
            role="judge",
            metrics={"verdict": judge_score},
            good=1.0,
            build=_judge,
            run=_run_judge,
            requests=2.5,
            input_tokens=4_000,
            output_tokens=500,
        ),
        Compilable(
            name="documents",
            labelled="documents",
            role="documents",
            metrics={"cells": document_score},
            good=0.95,
            build=_documents,
            run=_run_documents,
            requests=4,
            input_tokens=3_000,
            output_tokens=800,
        ),
    )
}


def prepared_tasks(
    entry: Compilable, examples: Sequence[dspy.Example], *, questions: Mapping[str, str]
) -> list[PreparedTask]:
    """Return tasks that the program can be asked, from examples with its inputs, its labels, `name` and `group`.

    Args:
        entry: The program.
        examples: What `dspy_programs.datasets.examples` made.
        questions: The question of each task by its name.
    """
    return [_prepared(entry, example, questions.get(example.name, "")) for example in examples]


def _prepared(entry: Compilable, example: dspy.Example, question: str) -> PreparedTask:
    labels = {key: value for key, value in example.labels().items() if key not in ("name", "group")}
    return PreparedTask(
        name=example.name,
        question=question,
        group=example.group,
        ask=lambda program, models: entry.run(program, example, models),
        labels=labels,
        shown=_shown(labels),
        digest=_digest(example.name, question, labels),
    )


def _shown(labels: Mapping[str, Any]) -> str:
    path = _gold_file(labels)
    if path is not None:
        text = path.read_text(encoding="utf-8-sig", errors="replace")
    else:
        text = json.dumps(dict(labels), ensure_ascii=False, default=str, sort_keys=True)
    return _shortened(text)


def _gold_file(labels: Mapping[str, Any]) -> Path | None:
    """Return the file of a gold, `None` where it is a table, or text with line breaks."""
    gold = labels.get("gold")
    if not isinstance(gold, str | Path) or "\n" in str(gold):
        return None
    return Path(gold) if Path(gold).is_file() else None


def _shortened(text: str) -> str:
    return text if len(text) <= _SHOWN_CHARACTERS else text[: _SHOWN_CHARACTERS - 1] + "…"


def _digest(name: str, question: str, labels: Mapping[str, Any]) -> str:
    """Return a digest of a task's words and labels; a gold file counts by what it holds, wherever it stands."""
    path = _gold_file(labels)
    if path is not None:
        labels = {**labels, "gold": file_digest(path)}
    text = json.dumps([name, question, dict(labels)], ensure_ascii=False, sort_keys=True, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
