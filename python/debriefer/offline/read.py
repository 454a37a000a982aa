"""The reading of a question without a model."""

from __future__ import annotations

import weakref

from debriefer.catalog import Catalog, Preview
from debriefer.errors import SqlError
from debriefer.linking.words import is_chinese
from debriefer.offline import confidence, mentions_chinese, mentions_english
from debriefer.offline.chinese import ChineseReader
from debriefer.offline.columns import Schema
from debriefer.offline.compose import Composer, UnwritableError
from debriefer.offline.english import EnglishReader
from debriefer.offline.fallback import simpler
from debriefer.offline.joins import JoinGraph
from debriefer.offline.knowledge import glossary, unapplied
from debriefer.offline.linking import Mention, Terms
from debriefer.offline.model import Abstention, Link, Output, Query, Reading
from debriefer.offline.resolve import Context
from debriefer.offline.values import ValueIndex
from debriefer.task import Task

# So many rows of an answer are looked at before it is given.
SEEN_ROWS = 20


class _Knowledge:
    """What is derived from a catalog once and used for every question on it."""

    def __init__(self, catalog: Catalog) -> None:
        self.schema = Schema(catalog)
        self.graph = JoinGraph(catalog, self.schema)
        self.values = ValueIndex(catalog)
        self.context = Context(self.schema, self.graph, self.values)
        self.terms = Terms(self.schema)
        self.chinese_terms = mentions_chinese.ChineseTerms(self.schema, self.graph)
        self.composer = Composer(self.schema, self.graph)


_KNOWN: weakref.WeakKeyDictionary[Catalog, _Knowledge] = weakref.WeakKeyDictionary()


def read_question(task: Task, catalog: Catalog, *, always_answer: bool = False) -> Reading | Abstention:
    """Read the task's question as one SQL statement, by rule.

    Args:
        task: The question and, where the task has it, `knowledge.md`.
        catalog: The task's tables.
        always_answer: Give the best reading there is, however doubtful: where the question's own cannot be written or
            run, a simpler one that leaves out what fails. Only a catalog without tables is then abstained from.

    Returns:
        A reading, or an abstention that names what could not be read. The same question on the same catalog gives
        the same.
    """
    known = _KNOWN.get(catalog)
    if known is None:
        known = _KNOWN[catalog] = _Knowledge(catalog)
    entries = glossary(task.knowledge, known.schema)
    reader: EnglishReader | ChineseReader
    if is_chinese(task.question):
        mentions = mentions_chinese.link(task.question, known.chinese_terms, known.values, entries)
        reader = ChineseReader(known.context, mentions)
    else:
        mentions = mentions_english.link(task.question, known.terms, known.values, entries)
        reader = EnglishReader(known.context, mentions)
    query = reader.read()
    for term in unapplied(task.knowledge, task.question, known.schema, query.refs):
        reader.doubts.add(0.4, f"the knowledge defines `{term}`, which the reading does not heed")
    return _settle(known, catalog, task.question, reader, query, always_answer=always_answer)


def _settle(
    known: _Knowledge,
    catalog: Catalog,
    question: str,
    reader: EnglishReader | ChineseReader,
    query: Query,
    *,
    always_answer: bool,
) -> Reading | Abstention:
    """Write the query as SQL, run it once, and weigh the doubts."""
    doubts = reader.doubts
    links = tuple(_link(mention) for mention in reader.mentions)
    answer, reason = _attempt(known, catalog, query)
    left_out = ""
    if answer is None and always_answer:
        for simpler_query, what in simpler(query, reader.mentions, known.context):
            answer, _ = _attempt(known, catalog, simpler_query)
            if answer is not None:
                query, left_out = simpler_query, what
                doubts.add(1.0, f"{reason}; {what} was left out")
                break
    if answer is None:
        return Abstention(doubts.worst if not query.outputs and doubts.worst else reason, links)
    sql, result = answer
    if result.total_rows == 0:
        doubts.add(0.5, "no row meets the conditions as they were read")
    elif result.total_rows == 1 and all(cell is None for cell in result.rows[0]):
        doubts.add(0.5, "the answer would be empty")
    elif reader.singular and result.total_rows > 1:
        doubts.add(0.4, f"one row is asked for, but nothing chooses among {result.total_rows}")
    found = confidence.signals(question, reader.mentions, query, known.context, doubts, result)
    chinese = is_chinese(question)
    weights = confidence.CHINESE if chinese else confidence.ENGLISH
    sure = confidence.probability(found, weights)
    if sure < (confidence.CHINESE_THRESHOLD if chinese else confidence.ENGLISH_THRESHOLD) and not always_answer:
        reason = doubts.worst or confidence.heaviest(found, weights) or "the reading is not sure enough"
        return Abstention(reason, links)
    explanation = _explanation(query) + (f"; left out: {left_out}" if left_out else "")
    return Reading(sql, sure, _kind(query), links, explanation)


def _attempt(known: _Knowledge, catalog: Catalog, query: Query) -> tuple[tuple[str, Preview] | None, str]:
    """Return the query's statement and what it gives, or `None` and why there is none."""
    if not query.outputs:
        return None, "the question names nothing that the tables hold"
    try:
        sql = known.composer.write(query)
        return (sql, catalog.preview(sql, SEEN_ROWS)), ""
    except UnwritableError as error:
        return None, str(error)
    except SqlError as error:
        return None, f"the statement that was written does not run: {error.message}"


def _kind(query: Query) -> str:
    if query.absences:
        return "difference"
    if any(r.limit is not None for r in query.rankings):
        return "top-n"
    if query.group or (any(o.aggregate for o in query.outputs) and any(not o.aggregate for o in query.outputs)):
        return "group"
    if any(o.aggregate == "count" for o in query.outputs):
        return "count"
    if any(o.aggregate for o in query.outputs):
        return "aggregate"
    return "record look-up" if query.where else "entity list"


def _explanation(query: Query) -> str:
    outputs = ", ".join(_described(output) for output in query.outputs)
    conditions = "; ".join(
        " or ".join(f"{c.ref.table}.{c.ref.column} {c.operator} {', '.join(map(str, c.values))}" for c in alternatives)
        for alternatives in query.where
    )
    return f"asked for {outputs}" + (f" where {conditions}" if conditions else "")


def _described(output: Output) -> str:
    name = f"{output.ref.table}.{output.ref.column}" if output.ref is not None else output.table or "*"
    return name if output.aggregate is None else f"{output.aggregate}({name})"


def _link(mention: Mention) -> Link:
    kind = mention.kind
    if kind == "schema":
        kind = "column" if "." in mention.choice else "table"
    target = mention.choice or mention.cue
    if not target and mention.candidates:
        best = mention.candidates[0]
        target = best.table if best.column is None else f"{best.table}.{best.column}"
    return Link(
        mention.start, mention.end, mention.text, kind, target, round(mention.score, 4), mention.use or "not used"
    )
