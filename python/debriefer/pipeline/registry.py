"""Which stages there are: videos, documents, the catalog and the judge always, others as they are plugged in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from debriefer import __version__
from debriefer.catalog import CATALOG_FILE, Catalog
from debriefer.catalog.model import MANIFEST_VERSION
from debriefer.pipeline.documents import DocumentsStage
from debriefer.pipeline.files import link_or_copy
from debriefer.pipeline.judge import JudgeStage
from debriefer.pipeline.learned import documents_with_state, judge_with_state, relevance_with_state
from debriefer.pipeline.media import MediaStage
from debriefer.pipeline.relevance import RelevanceStage
from debriefer.pipeline.settings import RunSettings
from debriefer.pipeline.stage import PLUGGABLE, BaseStage, Inputs, Product, Stage
from debriefer.task import Task


@dataclass(frozen=True, slots=True)
class CatalogStage(BaseStage):
    """Every table of the evidence in one DuckDB file, `workdir/catalog.duckdb`."""

    name: str = "catalog"
    optional: bool = False
    heavy: bool = True

    def settings(self, inputs: Inputs) -> Mapping[str, Any]:
        """The form of the file."""
        del inputs
        return {"manifest": MANIFEST_VERSION}

    def run(self, inputs: Inputs, folder: Path) -> Mapping[str, Any]:
        """Build the file; the value lists what was refused."""
        with Catalog.build(inputs.task, folder / CATALOG_FILE) as catalog:
            return {
                "tables": sorted(catalog.tables),
                "refused": [f"{refusal.source}: {refusal.message}" for refusal in catalog.refusals],
                "skipped": list(catalog.skipped),
            }

    def lay(self, product: Product, task: Task) -> None:
        """Put the file into `workdir/`."""
        link_or_copy(product.folder / CATALOG_FILE, task.folder / "workdir" / CATALOG_FILE)


class StageRegistry:
    """The stages of a run between `prepare` and `solve`, at most one of a name."""

    def __init__(self, stages: Sequence[Stage] = ()) -> None:
        self._stages: dict[str, Stage] = {}
        for stage in stages:
            self.plug(stage)

    def plug(self, stage: Stage) -> None:
        """Add a stage, in place of one of the same name.

        Raises:
            ValueError: There is no place for a stage of this name, or it uses one that does not come before it.
        """
        if stage.name not in PLUGGABLE:
            message = f"`{stage.name}` is no stage that can be plugged in; these are {', '.join(PLUGGABLE)}"
            raise ValueError(message)
        later = set(stage.uses) - set(PLUGGABLE[: PLUGGABLE.index(stage.name)])
        if later:
            message = f"stage `{stage.name}` uses {', '.join(sorted(later))}, which does not come before it"
            raise ValueError(message)
        self._stages[stage.name] = stage

    def __iter__(self) -> Iterator[tuple[str, Stage | None]]:
        """Yield each place in order, with its stage or `None`."""
        return ((name, self._stages.get(name)) for name in PLUGGABLE)

    def versions(self) -> dict[str, int]:
        """Return the version of each stage that is plugged in."""
        return {name: stage.version for name, stage in self if stage is not None}

    def with_stages(self, *stages: Stage) -> StageRegistry:
        """Return a registry with these stages added."""
        return StageRegistry([*self._stages.values(), *stages])


def default_registry(settings: RunSettings | None = None) -> StageRegistry:
    """Return the stages that this installation has, as a run's settings want them."""
    settings = settings or RunSettings()
    return StageRegistry(
        [
            MediaStage(media=settings.media),
            DocumentsStage(documents=documents_with_state(settings)),
            CatalogStage(),
            RelevanceStage(relevance=relevance_with_state(settings)),
            JudgeStage(judge=judge_with_state(settings)),
        ]
    )


def package_version() -> str:
    """Return the version that is part of every key: another one may make other products."""
    return __version__
