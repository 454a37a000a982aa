"""The stage that judges whether a task's video already shows the answer."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from debriefer.catalog import CATALOG_FILE, Catalog
from debriefer.pipeline.cache import PASSING
from debriefer.pipeline.content import file_digest
from debriefer.pipeline.files import LOGS_FOLDER, link_or_copy
from debriefer.pipeline.media import videos_of
from debriefer.pipeline.settings import JudgeSettings, model_identity
from debriefer.pipeline.stage import BaseStage, Inputs, Product
from debriefer.side_names import CLAIM_FILE
from debriefer.task import Task

if TYPE_CHECKING:
    from debriefer.judgement import VideoVerdict
    from dspy_programs.judge import Judgement
    from dspy_programs.solver import Findings

RESULT_FOLDER = "video_result"


@dataclass(frozen=True, slots=True)
class JudgeStage(BaseStage):
    """EXTRACT, ALIGN, DECIDE and the vote; without a model the judge that knows layout trees alone.

    Laid is `workdir/claim.duckdb`, the claim as tables. The task's log gets `video_result/vote{i}.json` and
    `video_result/result.json`. A stage that fails, a video that was not prepared and rounds that fail never stop a
    task.

    Attributes:
        judge: Rounds, budget and learned state.
    """

    name: str = "judge"
    uses: Sequence[str] = ("media", "catalog")
    judge: JudgeSettings = field(default_factory=JudgeSettings)

    def skipped(self, inputs: Inputs) -> str | None:
        """A task without a video, or a run without a judge."""
        # What an earlier run left in a working copy that was kept must not pass for this one's.
        (inputs.task.folder / "workdir" / CLAIM_FILE).unlink(missing_ok=True)
        if self.judge.rounds == 0:
            return "it is switched off"
        return None if videos_of(inputs.task) else "the task has no video"

    def sources(self, task: Task) -> Sequence[Path]:
        """The notes; videos and tables are products of earlier stages."""
        return [path for path in task.files() if path.name == "knowledge.md"]

    def settings(self, inputs: Inputs) -> Mapping[str, Any]:
        """The question, the model, the number of rounds and what the judge has learned."""
        state = self.judge.state
        return {
            "task": inputs.task.task_id,
            "question": inputs.task.question,
            "model": model_identity(inputs.models) or "offline",
            "rounds": self.judge.rounds,
            "state": None if state is None else file_digest(Path(state)),
        }

    def run(self, inputs: Inputs, folder: Path) -> Mapping[str, Any]:
        """Judge, and write the claim's tables and the log."""
        from debriefer.judgement.claim_tables import write_claim  # noqa: PLC0415 -- loads DuckDB and Polars

        verdict, votes = self._judged(inputs)
        logs = folder / LOGS_FOLDER / RESULT_FOLDER
        logs.mkdir(parents=True)
        for number, record in enumerate(votes):
            _write(logs / f"vote{number}.json", record)
        totals = {key: sum(record["usage"][key] or 0 for record in votes) for key in _USED}
        _write(logs / "result.json", {**verdict.to_dict(), "usage": totals, "rounds_total": len(votes)})
        write_claim(verdict, folder / CLAIM_FILE)
        failed = verdict.judge == "model" and verdict.finding in ("unknown", "not_prepared")
        return {"verdict": verdict.to_dict(), "usage": totals, PASSING: failed}

    def lay(self, product: Product, task: Task) -> None:
        """Put the claim beside the catalog."""
        source = product.folder / CLAIM_FILE
        if source.is_file():
            link_or_copy(source, task.folder / "workdir" / CLAIM_FILE)

    def tell(self, product: Product, findings: Findings) -> Findings:
        """Add the verdict; how it is worded, and that some are not told, is `debriefer.judgement.hint`'s."""
        from debriefer.judgement import VideoVerdict  # noqa: PLC0415 -- loads pydantic

        return replace(findings, verdict=VideoVerdict(**product.value["verdict"]))

    def _judged(self, inputs: Inputs) -> tuple[VideoVerdict, list[dict[str, Any]]]:
        if inputs.models is None:
            return _offline(inputs.task), []
        from debriefer.models import Meter  # noqa: PLC0415 -- as DSPy below, only runs with a model need it
        from dspy_programs.judge import VideoJudge, judge_task  # noqa: PLC0415 -- loads DSPy
        from dspy_programs.state import load_state  # noqa: PLC0415 -- as above

        judge = VideoJudge()
        if self.judge.state is not None:
            load_state(judge, self.judge.state)
        judgement: Judgement = judge_task(
            inputs.task.folder,
            inputs.models,
            judge=judge,
            rounds=self.judge.rounds,
            meter=Meter(self.judge.budget()),
        )
        return judgement.verdict, [record.to_dict() for record in judgement.records]


def _offline(task: Task) -> VideoVerdict:
    from debriefer.judgement import VideoVerdict, prepared_video  # noqa: PLC0415 -- loads pydantic
    from debriefer.judgement.known import misread_names  # noqa: PLC0415 -- only runs without a model need it
    from debriefer.judgement.offline import judge_offline  # noqa: PLC0415 -- as above

    video = prepared_video(task.folder / "workdir")
    if video is None:
        return VideoVerdict.not_prepared(task.task_id, "there is no timeline below `workdir/`")
    verdict = judge_offline(task.question, task.knowledge or "", video)
    path = task.folder / "workdir" / CATALOG_FILE
    if verdict.finding == "shown" and path.is_file():
        with Catalog.open(path) as catalog:
            missing = misread_names(catalog, verdict.claimed_values)
        if missing:
            reason = f"`{missing[0]}` is read off a slide, and no table holds it beside the other names"
            verdict = VideoVerdict(finding="unknown", reason=reason, judge="offline")
    return verdict.model_copy(update={"task_id": task.task_id})


_USED = ("requests", "input_tokens", "output_tokens", "cached_tokens")


def _write(path: Path, value: Mapping[str, Any]) -> None:
    text = json.dumps(value, ensure_ascii=False, indent=1, default=str)
    path.write_text(text + "\n", encoding="utf-8")
