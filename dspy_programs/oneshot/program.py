"""The one-shot Solver as a DSPy module: links and schema → SQL → repair from the error → check."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dspy
from dspy.utils.exceptions import ContextWindowExceededError

from debriefer.catalog import CATALOG_FILE, Catalog
from debriefer.errors import ModelError
from debriefer.judgement import VideoVerdict
from debriefer.judgement.hint import hint
from debriefer.models import Budget, Meter, ModelSettings, count_tokens, metered, neutralise
from debriefer.offline import Link
from debriefer.task import Task
from debriefer.workbench import Workbench
from dspy_programs.oneshot.asking import FAILURES, adapter, ending_of, statement_of
from dspy_programs.oneshot.checks import Ran, run_statement
from dspy_programs.oneshot.schema import describe_schema, related_tables
from dspy_programs.oneshot.signatures import CheckResult, WriteSql
from dspy_programs.solver.evidence import Evidence, Findings
from dspy_programs.solver.hints import LEAST_SCORE, describe_links, question_links
from dspy_programs.solver.prompt import Briefing, fit_knowledge, fit_timeline
from dspy_programs.solver.result import Reason, SolverResult
from dspy_programs.solver.settings import Retry
from dspy_programs.solver.trajectory import Call, Observation, Turn

# Shares of the model's window. Instructions, examples, question, statement and reply need the rest.
_TABLES_SHARE = 0.35
_KNOWLEDGE_SHARE = 0.1
_TIMELINE_SHARE = 0.1
_OVERFLOWS = 3
_NOTHING = "(none)"


@dataclass(frozen=True, slots=True)
class OneShotSettings:
    """How the one-shot Solver runs.

    Attributes:
        requests: Largest number of requests in a run.
        repairs: How often a statement that failed, or whose result cannot be right, is given back.
        model_check: Whether the model is asked if a result fits that no rule objects to.
        focus: Whether only tables are shown to which a word of the question was linked, and those between them; all
            where nothing was linked. A small model joins whatever it is shown.
        context_window: Tokens that prompt and reply may have together.
        temperature: Sampling temperature of the model; `None` where the endpoint decides.
        deliver: Whether the last statement is put into the task's `solver.py` and run there. Without it nothing is
            written, so that many runs on one working copy may go on at once.
    """

    requests: int = 8
    repairs: int = 2
    model_check: bool = False
    focus: bool = True
    context_window: int = 8_192
    temperature: float | None = None
    deliver: bool = False


# A model with such a window is taken to find its tables itself, and to be able to judge a result.
_LARGE_WINDOW = 32_768


def oneshot_settings_for(model: ModelSettings, *, requests: int = 8, deliver: bool = True) -> OneShotSettings:
    """Return the settings that fit a model; only one with a large window sees all tables and checks results."""
    return OneShotSettings(
        requests=requests,
        model_check=model.context_window >= _LARGE_WINDOW,
        focus=model.context_window < _LARGE_WINDOW,
        context_window=model.context_window,
        temperature=model.temperature,
        deliver=deliver,
    )


class OneShot(dspy.Module):
    """Answers one task by one statement; two predictors can be compiled: `write`, which also mends, and `check`.

    Called as `Solver` is and gives back the same, so that attempts, transcripts and logs are shared. It never raises
    for what a model does wrong.
    """

    def __init__(self, settings: OneShotSettings | None = None) -> None:
        super().__init__()
        self.settings = settings or OneShotSettings()
        self.write = dspy.Predict(WriteSql)
        self.check = dspy.Predict(CheckResult)

    def forward(
        self,
        work: str | Path,
        findings: Findings | None = None,
        *,
        retry: Retry | None = None,
        compression_lm: dspy.LM | None = None,
        on_turn: Callable[[Turn], None] | None = None,
    ) -> dspy.Prediction:
        """Answer once.

        Args:
            work: Working copy of a task with `task.json`, `context/` and `workdir/catalog.duckdb`.
            findings: What other programs found out; links are looked up here where it has none.
            retry: What is to be known of earlier attempts; this one is then sampled differently.
            compression_lm: Taken so that all Solvers are called alike; nothing is compressed here.
            on_turn: Called with each turn as it ends, for a live log.

        Returns:
            A prediction with `result` (`SolverResult`), `finished`, `reason`, `sql`, `csv` (the prediction as text,
            `None` where no statement ran), and, where it was delivered, `csv_path`.

        Raises:
            ModelError: DSPy has no current language model.
            MissingFileError: There is no task folder or catalog.
            TaskError: `task.json` cannot be used.
            CatalogError: The catalog cannot be opened.
        """
        del compression_lm
        if dspy.settings.lm is None:
            message = "the Solver has no language model"
            raise ModelError(message, hint='run it inside `with models.using("solver"):`')
        task = Task.open(work)
        sampling = {} if retry is None else retry.config(self.settings.temperature)
        with Catalog.open(task.folder / "workdir" / CATALOG_FILE) as catalog:
            run = _Run(self, task, catalog, findings or Findings(), sampling, on_turn)
            with metered(run.meter), dspy.context(adapter=adapter()):
                reason, detail = run.answer()
        return self._prediction(run, reason, detail, retry)

    def _prediction(self, run: _Run, reason: Reason, detail: str, retry: Retry | None) -> dspy.Prediction:
        best = run.best
        path: Path | None = None
        if best is not None and self.settings.deliver:
            with Workbench.create(run.task.folder) as bench:
                bench.write_query(best.sql, comment="written in one shot")
                path = bench.prediction_path if bench.prediction_path.is_file() else None
        result = SolverResult(
            finished=reason == "finished",
            reason=reason,
            detail=detail,
            message="" if best is None else best.sql,
            turns=tuple(run.turns),
            notes=None,
            compressions=(),
            requests=run.meter.requests or len(run.turns),
            usage=run.meter.totals(),
            briefing=run.briefing("" if retry is None else retry.remark()),
            prediction=path,
        )
        return dspy.Prediction(
            result=result,
            finished=result.finished,
            reason=reason,
            sql="" if best is None else best.sql,
            csv=None if best is None else best.csv,
            **({} if path is None else {"csv_path": path}),
        )


class _Run:
    """One run: what is shown, what was written, and the best of it."""

    def __init__(
        self,
        program: OneShot,
        task: Task,
        catalog: Catalog,
        findings: Findings,
        sampling: Mapping[str, Any],
        on_turn: Callable[[Turn], None] | None,
    ) -> None:
        settings = program.settings
        self.task = task
        self.meter = Meter(Budget(requests=settings.requests))
        self.turns: list[Turn] = []
        self.best: Ran | None = None
        self._failed = ""
        self._program = program
        self._catalog = catalog
        self._sampling = dict(sampling)
        self._on_turn = on_turn
        self._window = settings.context_window
        self._notes = _notes(task, findings, self._window)
        links = findings.links or question_links(task, catalog)
        self._links = describe_links(links) or _NOTHING
        self._shown = _linked_tables(catalog, links) if settings.focus else frozenset()
        self._tables = self._described()

    def answer(self) -> tuple[Reason, str]:
        """Write, run, repair and check until a result stands or the bounds are reached."""
        tried: set[str] = set()
        problem = ""
        for number in range(self._program.settings.repairs + 1):
            try:
                sql = self._asked(problem)
            except FAILURES as error:
                reason, detail = ending_of(error)
                # A statement that ran is an answer, also if the model fails while it is asked to better it.
                return ("finished", detail) if self.best is not None else (reason, detail)
            if sql in tried:
                # The same statement again: the model has nothing better.
                break
            tried.add(sql)
            ran = run_statement(self._catalog, sql)
            problem = ran.problem or self._objection(ran, last=number == self._program.settings.repairs)
            self._note(ran, problem)
            if ran.csv is not None and (self.best is None or not problem):
                self.best = ran
            if not problem:
                return "finished", ""
            self._failed = sql
        return "finished", "" if self.best is not None else f"no statement ran: {_first_line(problem)}"

    def briefing(self, remark: str) -> Briefing:
        """Return what the run was given, as the transcript shows it."""
        question = neutralise(self.task.question)
        evidence = Evidence(tables=self._tables, links=self._links)
        return Briefing("", self._notes, evidence, question, question, remark)

    def _asked(self, problem: str) -> str:
        overflows = 0
        while True:
            inputs: dict[str, Any] = {
                "tables": self._tables,
                "notes": self._notes,
                "links": self._links,
                "question": neutralise(self.task.question),
                "earlier": f"{neutralise(self._failed)}\n{problem}" if problem else _NOTHING,
            }
            if self._sampling:
                inputs["config"] = self._sampling
            try:
                said = self._program.write(**inputs)
            except ContextWindowExceededError:
                overflows += 1
                if overflows == _OVERFLOWS:
                    raise
                # The window is not as large as it is said to be, or the examples take it.
                self._window //= 2
                self._tables = self._described()
                continue
            return statement_of(said.sql)

    def _described(self) -> str:
        budget = int(self._window * _TABLES_SHARE)
        asked = f"{self.task.question} {self._notes}"
        return describe_schema(self._catalog, question=asked, budget=budget, only=self._shown)

    def _objection(self, ran: Ran, *, last: bool) -> str:
        """Return what the model says is wrong with a result that no rule objects to; empty where nothing is."""
        if not self._program.settings.model_check or last or ran.csv is None:
            return ""
        question = neutralise(self.task.question)
        try:
            said = self._program.check(
                tables=self._tables, question=question, sql=neutralise(ran.sql), result=ran.shown
            )
        except FAILURES:
            # The result stands; what a check would have said is not known.
            return ""
        return "" if said.fits or not (said.problem or "").strip() else neutralise(said.problem.strip())

    def _note(self, ran: Ran, problem: str) -> None:
        number = len(self.turns) + 1
        call = Call(id=f"s{number:08d}", tool="run_sql", arguments={"sql": neutralise(ran.sql)})
        text = "\n".join(part for part in (ran.shown, problem) if part)
        turn = Turn(
            number=number, calls=(call,), observations=(Observation(call_id=call.id, tool="run_sql", text=text),)
        )
        self.turns.append(turn)
        if self._on_turn is not None:
            self._on_turn(turn)


def _first_line(problem: str) -> str:
    return problem.partition("\n")[0].removeprefix("error: ")


def _linked_tables(catalog: Catalog, links: Sequence[Link]) -> frozenset[str]:
    """Return the tables that links point to and those between them."""
    named = {link.target.partition(".")[0] for link in links if link.score >= LEAST_SCORE}
    return related_tables(catalog, named)


def _notes(task: Task, findings: Findings, window: int) -> str:
    """Return business notes, the verdict on a video and its timeline, each within its share of the window."""
    knowledge, _ = fit_knowledge(task.knowledge or "", int(window * _KNOWLEDGE_SHARE), task.question, count_tokens)
    parts = [neutralise(knowledge.strip())] if knowledge.strip() else []
    verdict = hint(findings.verdict) if isinstance(findings.verdict, VideoVerdict) else findings.verdict
    if verdict:
        parts.append(f"Whether the video shows the answer (a judgement made beforehand):\n{neutralise(verdict)}")
    if findings.timeline is not None:
        budget = int(window * _TIMELINE_SHARE)
        fitted = fit_timeline(findings.timeline.without_images(), budget, task.question, count_tokens)
        shown = "".join(block["text"] for block in fitted.format())
        parts.append(f"What a video on the task shows:\n{shown}")
    return "\n\n".join(part for part in parts if part) or _NOTHING
