"""How likely a reading is right: signals of the question, the reading and what it gives, weighed by a fixed table.

The weights are those of a logistic regression over the questions of the half of the databases on which the rules were
written; `docs/offline.md` says how they were fitted and what each signal is worth.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from debriefer.catalog import Preview
from debriefer.linking.words import is_chinese
from debriefer.offline.linking import Mention
from debriefer.offline.model import Output, Query, Ranking
from debriefer.offline.resolve import CLOSE, Context, Doubts

# Counts beyond this tell no more.
_MOST = 4
# A doubt below this is a remark.
_DOUBT = 0.05
# Words of a long question; a Chinese word counted with what stands between has some three characters.
_LONG, _CHARACTERS = 30, 3

# Log odds by signal. `docs/offline.md` has the fit; a weight that the fit left at nothing is left out.
ENGLISH: Mapping[str, float] = {
    "always": 2.61,
    "alone": -0.6,
    "doubts": -2.22,
    "several_doubts": -1.16,
    "rival_names": -0.03,
    "rival_cells": -1.1,
    "idle": -0.24,
    "related": -0.66,
    "count_of_column": -0.35,
    "tied": -0.7,
    "ranked_repeats": -0.57,
    "nothing_found": -1.26,
    "empty_cells": -0.18,
    "length": -0.15,
    "unchosen": -1.14,
}
CHINESE: Mapping[str, float] = {
    "always": 2.33,
    "alone": -0.6,
    "doubts": -2.05,
    "several_doubts": -1.34,
    "weak_output": -0.08,
    "rival_names": -0.96,
    "rival_cells": -0.03,
    "weak_cell": -0.07,
    "unread": -0.3,
    "joins": -0.09,
    "related": -0.64,
    "count_of_column": -0.76,
    "nothing_asked": -0.72,
    "tied": -0.7,
    "outside": -0.56,
    "text_ranked": -0.49,
    "nothing_found": -1.15,
    "empty_cells": -0.14,
    "clauses": -0.24,
    "unchosen": -0.72,
}
# Probability from which a reading is given. On the half of the databases on which the rules were written 95 of 100
# readings that reach it are right in English and 90 in Chinese: the rules know those databases too well, so that the
# thresholds must stand above the precision that is wanted of others.
ENGLISH_THRESHOLD = 0.85
CHINESE_THRESHOLD = 0.80

# What a signal says where it outweighs every doubt that was noted in words.
REASONS = {
    "rival_names": "a name in the question fits several columns equally well",
    "rival_cells": "a value of the question stands in several columns",
    "weak_cell": "no cell is quite what the question names",
    "unread": "a part of the question was not understood",
    "idle": "a part of the question was not used",
    "joins": "the reading needs a join of several tables",
    "related": "a table is only joined to, nothing of it is asked",
    "count_of_column": "it is not certain whether rows or values are counted",
    "nothing_asked": "no column is asked for in so many words",
    "tied": "several rows share the last place of the order",
    "ranked_repeats": "it is not certain whether rows or groups are ranked",
    "text_ranked": "the order is by a column of texts",
    "outside": "what is asked for stands in another table than what is spoken of",
    "nothing_found": "no row meets the conditions as they were read",
    "empty_cells": "the answer has empty cells",
    "length": "the question is longer than what the rules read well",
    "alone": "there is one table, and nothing to check the reading against",
    "unchosen": "nothing in the question was read as choosing rows",
    "clauses": "the question has more clauses than the rules read well",
}


def signals(
    question: str, mentions: Sequence[Mention], query: Query, context: Context, doubts: Doubts, result: Preview
) -> dict[str, float]:
    """Return what tells right readings from wrong ones, each from 0 (no reason for doubt) to about 1.

    Args:
        question: Its text, for its length.
        mentions: What the reading rests on, with what became of each.
        query: The reading.
        context: The tables that it is on.
        doubts: What the reader noted on the way.
        result: The first rows of the answer and their number.
    """
    used = [m for m in mentions if m.use not in (None, "unread")]
    outputs = [m for m in used if m.use in ("output", "group") and m.kind == "schema"]
    content = [m for m in mentions if m.kind != "stop" and not m.is_cue("stop-sentence", "comma", "clause")]
    unread = sum(m.end - m.start for m in content if m.kind == "unread" or m.use == "unread")
    idle = sum(m.end - m.start for m in content if m.use is None and m.kind in ("schema", "value", "number"))
    letters = sum(m.end - m.start for m in content) or 1
    refs = query.refs
    tables = {ref.table for ref in refs} | {o.table for o in query.figures if o.table} | set(query.related)
    plain = not any(o.aggregate for o in query.outputs)
    chosen = bool(query.where or query.absences or query.presences or query.having or query.related)
    chosen = chosen or any(r.limit is not None for r in query.rankings)
    words = len(question) / _CHARACTERS if is_chinese(question) else len(question.split())
    length = min(words / _LONG, 1.5)
    values = [m for m in used if m.kind == "value" and m.hits]
    return {
        "doubts": min(doubts.total, 1.0),
        "several_doubts": min(len([r for r in doubts.reasons if r[0] >= _DOUBT]), _MOST) / _MOST,
        "weak_output": 1 - min((m.score for m in outputs), default=1.0),
        "rival_names": min(sum(_rivals(m) for m in used if m.kind == "schema"), _MOST) / _MOST,
        "rival_cells": min(sum(len(m.hits) > 1 for m in values), _MOST) / _MOST,
        "weak_cell": 1 - min((m.hits[0].score for m in values), default=1.0),
        "unread": unread / letters,
        "idle": idle / letters,
        "alone": float(len(context.schema.entities) == 1),
        "joins": min(max(len(tables) - 1, 0), _MOST) / _MOST,
        "related": float(bool(query.related)),
        "count_of_column": float(any(o.aggregate == "count" and o.ref is not None for o in query.outputs)),
        "nothing_asked": float(not outputs and plain),
        "tied": float(any(r.limit is not None and result.total_rows > r.limit for r in query.rankings)),
        "ranked_repeats": float(any(_repeats(r, query, context) for r in query.rankings)),
        "outside": float(
            bool(query.entity) and not any(o.ref is None or o.ref.table == query.entity for o in query.outputs)
        ),
        "text_ranked": float(any(_text_ranked(r.what, context) for r in query.rankings)),
        "nothing_found": float(result.total_rows == 0),
        "empty_cells": _empty(result),
        "length": length,
        "clauses": min(sum(m.is_cue("clause", "opener", "stop-sentence") for m in mentions), _MOST) / _MOST,
        "unchosen": 0.0 if chosen else length,
    }


def _rivals(mention: Mention) -> bool:
    """Return whether another name fits the words as well as the one that was chosen."""
    names = {(c.table, c.column) for c in mention.candidates if mention.score - c.score < CLOSE}
    return len(names) > 1


def _text_ranked(output: Output, context: Context) -> bool:
    return output.ref is not None and output.aggregate is None and context.field(output.ref).kind == "text"


def _repeats(ranking: Ranking, query: Query, context: Context) -> bool:
    """Return whether single rows are ranked though the values that are asked for stand in several of them."""
    plain = [o.ref for o in query.outputs if o.ref is not None and o.aggregate is None]
    if ranking.limit is None or ranking.what.aggregate is not None or not plain:
        return False
    fields = [context.field(ref) for ref in plain]
    return not any(2 * f.distinct > context.entity(f.table).table.row_count for f in fields)


def _empty(result: Preview) -> float:
    cells = [cell for row in result.rows for cell in row]
    return sum(cell is None or cell == "" for cell in cells) / len(cells) if cells else 0.0


def probability(found: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """Return the probability that a reading with these signals is right.

    >>> round(probability({"doubts": 0.5}, {"always": 2.0, "doubts": -2.0}), 3)
    0.731
    """
    total = weights["always"] + sum(weights.get(name, 0.0) * value for name, value in found.items())
    return round(1 / (1 + math.exp(-total)), 4)


def heaviest(found: Mapping[str, float], weights: Mapping[str, float]) -> str:
    """Return what speaks most against a reading, as a phrase; empty where nothing does."""
    against = [(weights.get(name, 0.0) * found[name], name) for name in REASONS if name in found]
    worst = min(against, default=(0.0, ""))
    return REASONS[worst[1]] if worst[0] < 0 else ""
