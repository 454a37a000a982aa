"""The headers of an answer: what a person calls an aggregate."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from debriefer.catalog.identifiers import quote_identifier
from debriefer.offline.model import Output

_WORDS = {"count": "count", "avg": "average", "sum": "total", "min": "minimum", "max": "maximum"}
_PLAIN = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")


def headers(outputs: Sequence[Output]) -> list[str | None]:
    """Return what each output is called, as SQL; `None` where it keeps its column's own name.

    No header is the same as another one or as a column's name, whatever the case.

    >>> headers([Output(None, "count", table="orders"), Output(None, "count", table="customers")])
    ['count', 'count_customers']
    """
    taken = {output.ref.column.casefold() for output in outputs if output.aggregate is None and output.ref is not None}
    result: list[str | None] = []
    for output in outputs:
        if output.aggregate is None:
            result.append(None)
            continue
        name = next(name for name in _names(output) if name.casefold() not in taken)
        taken.add(name.casefold())
        result.append(name if _PLAIN.fullmatch(name) else quote_identifier(name))
    return result


def _names(output: Output) -> Iterator[str]:
    """Yield the header of an aggregate, then longer ones."""
    word = _WORDS[output.aggregate or "count"]
    column = output.ref.column.strip() if output.ref is not None else None
    table = output.ref.table if output.ref is not None else output.table
    name = word if column is None else _joined(word, column)
    yield name
    if table is not None:
        name = _joined(word, table) if column is None else _joined(_joined(word, table), column)
        yield name
    number = 2
    while True:
        yield f"{name}_{number}"
        number += 1


def _joined(word: str, name: str) -> str:
    return f"{word} {name}" if " " in name else f"{word}_{name}"
