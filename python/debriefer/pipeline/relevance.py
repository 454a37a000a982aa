"""The stage that folds the tables which a question does not need."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from debriefer.catalog import CATALOG_FILE, Catalog
from debriefer.pipeline.cache import PASSING
from debriefer.pipeline.content import file_digest
from debriefer.pipeline.files import LOGS_FOLDER
from debriefer.pipeline.settings import RelevanceSettings, model_identity
from debriefer.pipeline.stage import BaseStage, Inputs, Product
from debriefer.task import Task

if TYPE_CHECKING:
    from dspy_programs.relevance import Relevance
    from dspy_programs.solver import Findings, Timeline

RESULT_FILE = "table_relevance.json"


@dataclass(frozen=True, slots=True)
class RelevanceStage(BaseStage):
    """Says which tables the question needs; the others keep a line in the Solver's prompt and stay queryable.

    One request with what the data says beside it, or the published vote of five. Tables that were taken from documents
    are never folded. The task's log gets `table_relevance.json`. Whatever fails folds nothing.

    Attributes:
        relevance: Rounds, budget and learned state.
    """

    name: str = "relevance"
    uses: Sequence[str] = ("media", "documents", "catalog")
    relevance: RelevanceSettings = field(default_factory=RelevanceSettings)

    def skipped(self, inputs: Inputs) -> str | None:
        """A run without a model, or one in which it is switched off."""
        if self.relevance.rounds == 0:
            return "it is switched off"
        return "there is no model, and nothing is folded" if inputs.models is None else None

    def sources(self, task: Task) -> Sequence[Path]:
        """The notes; tables and videos are products of earlier stages."""
        return [path for path in task.files() if path.name == "knowledge.md"]

    def settings(self, inputs: Inputs) -> Mapping[str, Any]:
        """The question, the model, the number of rounds and what the program has learned."""
        state = self.relevance.state
        return {
            "question": inputs.task.question,
            "model": model_identity(inputs.models),
            "rounds": self.relevance.rounds,
            "state": None if state is None else file_digest(Path(state)),
        }

    def run(self, inputs: Inputs, folder: Path) -> Mapping[str, Any]:
        """Ask, and write the log."""
        from debriefer.models import Meter  # noqa: PLC0415 -- only runs with a model need it
        from dspy_programs.relevance import TableRelevanceJudge, judge_tables, material_of  # noqa: PLC0415 -- loads DSPy
        from dspy_programs.state import load_state  # noqa: PLC0415 -- as above

        if inputs.models is None:
            return {"folded": []}
        meter = Meter(self.relevance.budget())
        with Catalog.open(inputs.task.folder / "workdir" / CATALOG_FILE) as catalog:
            material = material_of(inputs.task, catalog, _timeline(inputs.task), _from_documents(inputs, catalog))
        if not material.worthwhile:
            return {"folded": [], "note": "there is too little to be worth a request"}
        judge = TableRelevanceJudge()
        if self.relevance.state is not None:
            load_state(judge, self.relevance.state)
        found = judge_tables(material, inputs.models, judge=judge, rounds=self.relevance.rounds, meter=meter)
        logs = folder / LOGS_FOLDER
        logs.mkdir(parents=True)
        record = {**found.to_dict(), "notes": list(material.notes), "usage": meter.totals().to_dict()}
        text = json.dumps(record, ensure_ascii=False, indent=1, default=str)
        (logs / RESULT_FILE).write_text(text + "\n", encoding="utf-8")
        return {"folded": sorted(found.folded), "note": found.note, PASSING: _failed(found)}

    def tell(self, product: Product, findings: Findings) -> Findings:
        """Fold the tables."""
        return replace(findings, folded=frozenset(product.value["folded"]))


def _failed(found: Relevance) -> bool:
    return not any(one.ok for one in found.rounds)


def _timeline(task: Task) -> Timeline | None:
    from debriefer.judgement import prepared_video  # noqa: PLC0415 -- loads pydantic
    from dspy_programs.judge.material import timeline_of  # noqa: PLC0415 -- loads DSPy

    video = prepared_video(task.folder / "workdir")
    return None if video is None else timeline_of(video, pictures=False)


def _from_documents(inputs: Inputs, catalog: Catalog) -> list[str]:
    product = inputs.products.get("documents")
    if product is None:
        return []
    databases = {
        table["database"].removeprefix("context/")
        for report in product.value["documents"]
        for table in report["tables"]
    }
    return sorted(table.name for table in catalog.tables.values() if table.source in databases)
