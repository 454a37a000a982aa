"""What a program has learned, in a JSON file that knows for which signatures it was learned.

DSPy restores fields by their position, so that a state for another version of a signature shifts descriptions in
silence (dspy-and-local-lm.md, section 5). Here such a state is refused. A language model is never saved with a program:
its address would be dropped on loading and the program would then ask a public endpoint.
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
import json
from collections.abc import Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

import dspy
import pydantic

from dspy_programs.learned import CLASSES, COMPILED, ProgramStateError, read_state, state_files

__all__ = [
    "COMPILED",
    "ProgramStateError",
    "checked_states",
    "load_state",
    "read_state",
    "save_state",
    "signature_hash",
    "state_files",
]

_FORMAT = 1
_COMPILE_AGAIN = "compile the program again and save its new state"


def signature_hash(signature: type[dspy.Signature]) -> str:
    """Return sixteen hex digits for the form of a signature: names, order, direction and types of its fields.

    Instructions and descriptions take no part: they are what an optimiser may rewrite.
    """
    fields = [
        (direction, name, _type_text(field.annotation))
        for direction, group in (("in", signature.input_fields), ("out", signature.output_fields))
        for name, field in group.items()
    ]
    return hashlib.sha256(json.dumps(fields, ensure_ascii=False).encode()).hexdigest()[:16]


def save_state(program: dspy.Module, path: str | Path, *, record: Mapping[str, Any] | None = None) -> None:
    """Write what `program` has learned: instructions, descriptions and examples of each predictor.

    Examples hold text of the tasks that they were taken from.

    Args:
        program: The program.
        path: The file.
        record: How the state came about and what it was measured to be worth, as JSON values; kept in the file.

    Raises:
        ProgramStateError: A predictor carries a language model, or an example holds what JSON cannot hold.
    """
    path = Path(path)
    for name, predictor in program.named_predictors():
        if predictor.lm is not None:
            message = f"predictor `{name}` carries a language model"
            raise ProgramStateError(message, hint='choose the model with `models.using("solver")`, not with `set_lm`')
    document = {
        "format": _FORMAT,
        "program": _class_name(program),
        "dspy": metadata.version("dspy"),
        "signatures": _hashes(program),
        "state": program.dump_state(),
        **({} if record is None else {"record": dict(record)}),
    }
    try:
        text = json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False)
    except (TypeError, ValueError) as error:
        message = f"the state of `{_class_name(program)}` is no JSON: {error}"
        raise ProgramStateError(message) from error
    partial = path.with_name(f"{path.name}.partial")
    partial.write_text(text + "\n", encoding="utf-8")
    partial.replace(path)


def load_state(program: dspy.Module, path: str | Path) -> None:
    """Give `program` what `save_state` wrote; a program that is refused a state keeps its own.

    Raises:
        MissingFileError: There is no such file.
        ProgramStateError: The file is no state, is one of another program, or was learned for other signatures.
    """
    document = read_state(path)
    name, signatures, state = document["program"], document["signatures"], document["state"]
    if document["format"] != _FORMAT:
        message = f"`{path}` has format {document['format']}, this version reads {_FORMAT}"
        raise ProgramStateError(message, hint=_COMPILE_AGAIN)
    if name != _class_name(program):
        message = f"`{path}` was learned by `{name}`, not by `{_class_name(program)}`"
        raise ProgramStateError(message)
    ours = _hashes(program)
    if not isinstance(signatures, dict):
        message = f"`{path}` is no saved state of a program"
        raise ProgramStateError(message, hint="load what `dspy_programs.state.save_state` wrote")
    changed = sorted(key for key in {*ours, *signatures} if ours.get(key) != signatures.get(key))
    if changed:
        message = f"`{path}` was learned for another version of `{'`, `'.join(changed)}`"
        raise ProgramStateError(message, hint=_COMPILE_AGAIN)
    try:
        if any(part.get("lm") is not None for part in state.values()):
            message = f"`{path}` carries a language model"
            raise ProgramStateError(message, hint=_COMPILE_AGAIN)
        # DSPy tries on a copy first: a program that is refused a state keeps its own.
        program.load_state(state)
    except (KeyError, TypeError, AttributeError, ValueError, IndexError) as error:
        message = f"`{path}` is damaged: {type(error).__name__}: {error}"
        raise ProgramStateError(message, hint=_COMPILE_AGAIN) from error


def checked_states(paths: Sequence[str | Path]) -> dict[str, dict[str, Any]]:
    """Load each file into a program of its own, so that one that is refused is refused before any work.

    Args:
        paths: Files of any programs.

    Returns:
        By program the record that stands in its file: how it came about and what it was measured to be worth.

    Raises:
        MissingFileError: A file does not exist.
        ProgramStateError: A file is refused, see `load_state`; or is of no program, or two are of one.
    """
    files = {name: path for name, path in state_files(paths).items() if path.parent != COMPILED}
    records: dict[str, dict[str, Any]] = {}
    for name, path in files.items():
        module, _, cls = CLASSES[name].partition(":")
        load_state(getattr(importlib.import_module(module), cls)(), path)
        record = read_state(path).get("record")
        records[name] = record if isinstance(record, dict) else {}
    return records


def _hashes(program: dspy.Module) -> dict[str, str]:
    return {name: signature_hash(predictor.signature) for name, predictor in program.named_predictors()}


def _class_name(program: dspy.Module) -> str:
    return f"{type(program).__module__}:{type(program).__qualname__}"


def _type_text(annotation: Any) -> str:  # noqa: ANN401 -- any annotation
    """Return a type as text: its name, and for a model of our own also its schema."""
    text = inspect.formatannotation(annotation)
    if inspect.isclass(annotation) and issubclass(annotation, pydantic.BaseModel):
        if issubclass(annotation, dspy.Type):
            return text
        return f"{text} {json.dumps(annotation.model_json_schema(), sort_keys=True)}"
    return text
