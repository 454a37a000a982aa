"""A stage: a pure function from evidence and earlier products to a product, cached by content."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from debriefer.task import Task

if TYPE_CHECKING:
    from debriefer.models import Models
    from dspy_programs.solver import Findings

# The way of a task, in order. `prepare`, `solve` and `deliver` are the frame around it (`single.py`); the others are
# plugged in, and one that is absent is left out with that reason.
STAGES = ("prepare", "media", "documents", "catalog", "relevance", "judge", "solve", "deliver")
PLUGGABLE = STAGES[1:-2]

State = Literal["done", "cached", "absent", "skipped", "failed"]


@dataclass(frozen=True, slots=True)
class Product:
    """What a stage made.

    Attributes:
        key: Digest of everything that it depends on.
        value: JSON values.
        folder: Folder with its files; not to be written to, since other tasks may share it.
    """

    key: str
    value: Mapping[str, Any]
    folder: Path


@dataclass(frozen=True, slots=True)
class Inputs:
    """What a stage may look at.

    Attributes:
        task: The working copy, with what earlier stages have laid into it.
        products: Products of earlier stages by stage name; a stage that was left out or failed is not in it.
        models: Language models, or `None` in a run without them.
    """

    task: Task
    products: Mapping[str, Product] = field(default_factory=dict)
    models: Models | None = None


@dataclass(frozen=True, slots=True)
class StageRecord:
    """How a stage of one task went.

    Attributes:
        name: The stage.
        state: `done`, `cached` (made earlier), `absent` (nothing is plugged in), `skipped` (nothing to do) or `failed`.
        reason: Why, where it is neither done nor cached.
        seconds: Wall time.
        key: The product's key, or `None`.
    """

    name: str
    state: State
    reason: str | None = None
    seconds: float = 0.0
    key: str | None = None


@runtime_checkable
class Stage(Protocol):
    """What can be plugged into the pipeline; `BaseStage` has defaults for most of it.

    The product must depend on nothing but `sources`, `settings`, the products of the stages in `uses`, the stage's
    own `version` and the package's: they are its key in the cache.
    """

    @property
    def name(self) -> str:
        """One of `PLUGGABLE`."""
        ...

    @property
    def version(self) -> int:
        """To be raised when the same inputs give another product."""
        ...

    @property
    def optional(self) -> bool:
        """Whether a task goes on without it when it fails."""
        ...

    @property
    def heavy(self) -> bool:
        """Whether it is bound by processor and memory rather than by waiting, so that few run at once."""
        ...

    @property
    def uses(self) -> Sequence[str]:
        """Names of the earlier stages whose products it looks at."""
        ...

    def skipped(self, inputs: Inputs) -> str | None:
        """Return why there is nothing to do for this task, or `None`."""
        ...

    def sources(self, task: Task) -> Sequence[Path]:
        """Return the files of the working copy on which the product depends."""
        ...

    def settings(self, inputs: Inputs) -> Mapping[str, Any]:
        """Return everything else on which it depends, as JSON values: thresholds, the question, the model's name."""
        ...

    def run(self, inputs: Inputs, folder: Path) -> Mapping[str, Any]:
        """Write the product's files into `folder`, which exists, and return its JSON values."""
        ...

    def lay(self, product: Product, task: Task) -> None:
        """Put into the working copy what later stages and the Solver look for there."""
        ...

    def tell(self, product: Product, findings: Findings) -> Findings:
        """Return the findings with what this product adds for the Solver."""
        ...


@dataclass(frozen=True, slots=True)
class BaseStage:
    """Defaults: an optional stage that reads all evidence, has no settings, lays nothing and tells nothing."""

    name: str = ""
    version: int = 1
    optional: bool = True
    heavy: bool = False
    uses: Sequence[str] = ()

    def skipped(self, inputs: Inputs) -> str | None:
        """There is always something to do."""
        del inputs
        return None

    def sources(self, task: Task) -> Sequence[Path]:
        """All evidence."""
        return task.files()

    def settings(self, inputs: Inputs) -> Mapping[str, Any]:
        """None."""
        del inputs
        return {}

    def lay(self, product: Product, task: Task) -> None:
        """Lay nothing."""
        del product, task

    def tell(self, product: Product, findings: Findings) -> Findings:
        """Tell nothing."""
        del product
        return findings
