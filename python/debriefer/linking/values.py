"""Cells that a question speaks of, weighed by what else the question says of their columns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from debriefer.catalog import ValueHit, ValueIndex
from debriefer.linking.model import ValueLink
from debriefer.linking.notes import Definition
from debriefer.linking.words import word_set

Place = tuple[str, str]

_REASONS = {
    "exact": "a cell is spelt like this",
    "normalised": "a cell is this but for its spelling",
    "near": "a cell is nearly this",
    "part": "a cell holds this",
}
# Columns of one span beyond which none is meant more than another.
_MANY = 3
_NUMBER_ALONE = 0.3
_NESTED = 0.5
_ASKING = 0.15
_MOST_DEFINED = 200
# A question's own words, which are cells now and then.
_COMMON = word_set(
    """
    a about above after all also among an and any are as at average before below best between both by can count
    day description different do does each every find first for from full get give greater had has have having
    highest how id in is it its kind largest last least less list lowest many maximum me minimum more most much
    name names no none not number of on one only or order other out over part per please return same show
    smallest some than that the their them there these they this those to total two type up use used was were
    what when where which who whose with year yes you
    """
)


def weigh(
    hits: Sequence[ValueHit],
    question: str,
    columns: Mapping[Place, float],
    tables: Mapping[str, float],
    names: frozenset[str],
) -> list[ValueLink]:
    """Return the hits as links, in the order of `Links.values`.

    Args:
        hits: What the index found.
        question: The question.
        columns: How surely the question names each column.
        tables: How surely it names each table.
        names: Names of tables and columns in normal form: what is one of them is seldom a cell.
    """
    by_span: dict[tuple[int, int], list[ValueHit]] = defaultdict(list)
    for hit in hits:
        by_span[hit.start, hit.end].append(hit)
    whole = [(h.start, h.end) for h in hits if h.kind in ("exact", "normalised")]
    links = []
    for (start, end), found in by_span.items():
        places = {(hit.table, hit.column) for hit in found}
        nested = any(s <= start and end <= e and (s, e) != (start, end) for s, e in whole)
        best = max(columns.get(place, 0.0) for place in places)
        for hit in found:
            place = (hit.table, hit.column)
            named = columns.get(place, 0.0)
            score = hit.score * _spread(len(places), named, best, tables.get(hit.table, 0.0))
            word = question[start:end].casefold()
            if nested:
                score *= _NESTED
            if word in _COMMON or (word in names and hit.kind != "exact"):
                score *= _ASKING
            elif _is_number(word):
                score *= _NUMBER_ALONE + (1 - _NUMBER_ALONE) * named
            reason = _REASONS[hit.kind] + (f", and the question names `{hit.column}`" if named >= 0.5 else "")  # noqa: PLR2004
            links.append(
                ValueLink(hit.table, hit.column, hit.value, hit.count, start, end, hit.kind, round(score, 4), reason)
            )
    return links


def _spread(places: int, named: float, best: float, table: float) -> float:
    """Return the share of a span's certainty that one of its columns gets."""
    if places == 1:
        return 0.95
    favoured = named >= best - 0.05 and best > 0.3  # noqa: PLR2004 -- the question says which column
    share = 0.9 if favoured else 1.0 / min(places, _MANY) + 0.1
    return min(0.95, share * (0.7 + 0.3 * table))


def _is_number(word: str) -> bool:
    return word.replace(",", "").replace(".", "").lstrip("-").isdigit()


def defined(definitions: Sequence[tuple[Definition, int, int]], index: ValueIndex, question: str) -> list[ValueLink]:
    """Return the cells that the definitions quote, where a column that they name holds them.

    Args:
        definitions: The definitions that the question uses, and the span of their term.
        index: The catalog's index.
        question: The question.
    """
    links = []
    for definition, start, end in definitions:
        for value in definition.values:
            found = index.spelt(value, _MOST_DEFINED)
            named = [hit for hit in found if (hit.table, hit.column) in definition.columns]
            # A number without a column that holds it could be any.
            for hit in named or (() if _is_number(value) else found):
                sure = 0.95 if named else 0.5
                links.append(
                    ValueLink(
                        hit.table,
                        hit.column,
                        hit.value,
                        hit.count,
                        start,
                        end,
                        "defined",
                        round(sure * hit.score, 4),
                        f"the knowledge says what `{question[start:end]}` means",
                    )
                )
    return links
