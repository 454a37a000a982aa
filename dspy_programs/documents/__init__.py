"""Documents with a model: which records, which columns, which values, and which of them again."""

from dspy_programs.documents.assembly import read_with_model, settings_for, taking
from dspy_programs.documents.program import DocumentProgram
from dspy_programs.documents.signatures import ExtractChunk, InferSchema, PickAnchor, RepairCells

__all__ = [
    "DocumentProgram",
    "ExtractChunk",
    "InferSchema",
    "PickAnchor",
    "RepairCells",
    "read_with_model",
    "settings_for",
    "taking",
]
