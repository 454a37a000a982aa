"""How much a model may be asked about a document."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AssistedSettings:
    """How much a model may be asked about a document.

    Attributes:
        chunk: Records in a chunk (15 to 20: 18 in the champion's earlier pipeline, `champion-docs.md`, section 5).
        samples: Records of each block that the schema is told from: a third each from its head, middle and tail.
        retries: How often an unreadable chunk, or the records that a reply leaves out, are asked for again.
        repair_rounds: How often doubtful cells are read again.
        repair_share: Largest share of a document's records whose cells are read again in a round; at least one chunk.
        context_characters: Characters of the lines that belong to no record, as they are shown with the samples.
        sample_characters: Characters of all samples together.
        jobs: Chunks that are asked for at once.
    """

    chunk: int = 18
    samples: int = 6
    retries: int = 1
    repair_rounds: int = 2
    repair_share: float = 0.3
    context_characters: int = 3_000
    sample_characters: int = 24_000
    jobs: int = 4

    def __post_init__(self) -> None:
        for name in ("chunk", "samples", "jobs"):
            if getattr(self, name) < 1:
                message = f"AssistedSettings.{name} must be at least 1, got {getattr(self, name)}"
                raise ValueError(message)
