"""Which tables and columns the words of a Chinese question stand for, given their neighbours."""

from __future__ import annotations

from collections.abc import Sequence

from debriefer.linking.words import compact
from debriefer.offline.lexicon_chinese import CUES, DATE_ENDINGS
from debriefer.offline.linking import NOTHING, Mention
from debriefer.offline.model import Condition, Output, Query, Ref
from debriefer.offline.resolve import Context, Doubts

_ASKING = ("which", "who", "when", "where", "how-much", "count", "super")
# A column that fits less well is meant only in part; one that fits as well as `GOOD` is meant.
PART, GOOD = 0.6, 0.8
# Scores that differ by less are the same.
SAME = 0.02
# A table that accounts for so much more of the question is the one that is meant.
_SUPPORT = 0.5
_NEAR = 3


class ChineseNames:
    """The part of the Chinese reader that finds clauses, tables and columns."""

    def __init__(self, context: Context, mentions: Sequence[Mention]) -> None:
        self.context = context
        # `上海站有地铁吗` asks for the flag itself.
        self.asks_whether = any(m.text in ("吗", "是否", "有没有", "是不是") for m in mentions) and any(
            m.kind == "value" for m in mentions
        )
        self.mentions = [m for m in mentions if m.kind != "stop"]
        self.query = Query()
        self.doubts = Doubts()
        self.known: list[str] = []
        # Whether the wording asks for one row where nothing chooses one.
        self.singular = False
        self.spoken: set[str] = set()
        self.main: str | None = None
        self.limit = 1
        self.support: dict[str, float] = {}
        self.group_refs: list[Ref] = []
        self.outputs: list[tuple[int, Output]] = []
        self._clause_of: list[int] = []
        self._asked_clauses: set[int] = set()
        self._conditions: list[tuple[int, Condition]] = []

    def at(self, index: int) -> Mention:
        """Return a mention, or one that is nothing where the question has none."""
        return self.mentions[index] if 0 <= index < len(self.mentions) else NOTHING

    # Clauses and names -------------------------------------------------------------------------------------

    def find_clauses(self) -> None:
        """Number the clauses and note which of them ask."""
        clause = 0
        for mention in self.mentions:
            self._clause_of.append(clause)
            if mention.is_cue("clause"):
                clause += 1
        asking = {self._clause_of[i] for i, m in enumerate(self.mentions) if m.is_cue(*_ASKING)}
        if not asking:
            schema = [self._clause_of[i] for i, m in enumerate(self.mentions) if m.kind in ("schema", "value")]
            asking = {schema[-1]} if schema else {0}
        self._asked_clauses = asking

    def clause(self, index: int) -> int:
        """Return the number of the mention's clause."""
        return self._clause_of[index]

    def asked(self, index: int) -> bool:
        """Return whether the mention stands in a clause that asks."""
        return self._clause_of[index] in self._asked_clauses

    def clauses_with_schema(self) -> bool:
        """Return whether a clause that asks names a table or column."""
        return any(m.kind == "schema" and self.asked(i) for i, m in enumerate(self.mentions))

    def is_table(self, index: int) -> bool:
        """Return whether the mention stands for a table rather than for a column."""
        mention = self.at(index)
        if mention.kind != "schema" or not mention.tables:
            return False
        return not (mention.columns and mention.tables[0].score < mention.columns[0].score - SAME)

    def table_of(self, index: int) -> str:
        """Return the table that the mention stands for."""
        mention = self.mentions[index]
        top = mention.tables[0].score
        close = [c for c in mention.tables if top - c.score < SAME]
        best = max(close, key=lambda c: self.support.get(c.table, 0.0))
        mention.choice, mention.score = best.table, best.score
        return best.table

    def find_tables(self) -> None:
        """Note the tables that the question speaks of, those of asking clauses first."""
        self.support = self.context.support(self.mentions)
        for index, mention in enumerate(self.mentions):
            # `工厂的产品数量` counts products, though another table has a column `数量`.
            counts = mention.kind == "schema" and CUES.get(mention.text, (("", ""),))[0][0] == "count"
            if counts and self.is_table(index - 1) and not self._belongs(index, index - 1):
                mention.kind, mention.cue, mention.carried = "cue", "count", ""
        order = sorted(range(len(self.mentions)), key=lambda i: (not self.asked(i), i))
        for index in order:
            if self.is_table(index):
                table = self.table_of(index)
                mention = self.mentions[index]
                close = [c for c in mention.tables if c.table != table and mention.score - c.score < SAME]
                close = [c for c in close if self.support.get(table, 0.0) - self.support.get(c.table, 0.0) < _SUPPORT]
                if table not in self.known:
                    self.known.append(table)
                    if close:
                        self.doubts.add(0.1, f"`{mention.text}` may be `{table}` or `{close[0].table}`")
                    self.doubts.add((1 - mention.score) * 0.25, f"`{mention.text}` fits `{table}` only in part")
        self.spoken = set(self.known)
        if not self.known and self.support:
            self.known.append(max(self.support, key=lambda table: (self.support[table], table)))
        self.main = self.known[0] if self.known else None

    def _belongs(self, index: int, table: int) -> bool:
        """Return whether a mention may be a column of the table that another stands for."""
        tables = {c.table for c in self.mentions[table].tables}
        return any(c.table in tables for c in self.mentions[index].columns)

    def near(self, index: int) -> list[str]:
        """Return the tables that stand next to a mention, nearest first."""
        result: list[str] = []
        for other in (*range(index - 1, -1, -1), *range(index + 1, len(self.mentions))):
            if self._clause_of[other] == self._clause_of[index] and self.is_table(other):
                table = self.table_of(other)
                if table not in result:
                    result.append(table)
        compared = self.value_table()
        if compared is not None and compared not in result:
            result.append(compared)
        return result

    def value_table(self) -> str | None:
        """Return the table of the first condition."""
        return self._conditions[0][1].ref.table if self._conditions else None

    def conditioned(self) -> set[Ref]:
        """Return the columns that are compared."""
        return {c.ref for _, c in self._conditions}

    def column(self, index: int, *, kinds: Sequence[str] = (), quiet: bool = False) -> Ref | None:
        """Return the column that the mention stands for among its neighbours."""
        doubts = Doubts() if quiet else self.doubts
        return self.context.choose_column(
            self.mentions[index], doubts, near=self.near(index), known=self.known, kinds=kinds
        )

    def may_be(self, index: int, kinds: Sequence[str]) -> bool:
        """Return whether the mention may stand for a column of one of these kinds."""
        return any(
            self.context.schema.field(c.table, c.column or "").kind in kinds for c in self.mentions[index].columns
        )

    def refs_of(self, index: int) -> list[Ref]:
        """Return the columns that answer for the mention: its own, or those that name a row of its table."""
        if self.is_table(index):
            return self.names_of(self.table_of(index))
        ref = self.column(index)
        if ref is None:
            return []
        target = self.context.target(ref.table, ref.column)
        if target is not None and self.mentions[index].score < 1:
            # `作者` asks for the one that `作者id` refers to.
            role = ref.column if len(self.context.graph.roles(ref.table, target)) > 1 else None
            return [Ref(n.table, n.column, role) for n in self.context.names(target)]
        return [ref]

    def names_of(self, table: str) -> list[Ref]:
        """Return the columns that name a row of `table`, which takes part even where another table has the names."""
        refs = self.context.names(table)
        if any(ref.table != table for ref in refs) and table not in self.query.related:
            self.query.related.append(table)
        return refs

    def add(self, output: Output, index: int) -> None:
        """Add a column of the answer, in the order of the question."""
        if output not in [o for _, o in self.outputs]:
            self.outputs.append((index, output))

    def next_schema(
        self,
        index: int,
        *,
        within: int,
        kinds: Sequence[str] = (),
        stop_at_values: bool = True,
        free: bool = True,
    ) -> int | None:
        """Return the index of the next table or column in the clause."""
        for other in range(index + 1, min(index + 1 + within, len(self.mentions))):
            mention = self.mentions[other]
            if mention.is_cue("clause"):
                return None
            if mention.kind == "schema" and (mention.use is None or not free):
                return other if not kinds or self.may_be(other, kinds) else None
            if stop_at_values and mention.kind in ("value", "number"):
                return None
        return None

    def named(self, word: str, table: str | None) -> Ref | None:
        """Return the first column of `table`, or of a table that is spoken of, whose name holds `word`."""
        for name in dict.fromkeys([*([table] if table else []), *self.known]):
            for field in self.context.entity(name).fields.values():
                if word in compact(field.name) and not field.key:
                    return Ref(name, field.name)
        return None

    def date_near(self, index: int) -> Ref | None:
        """Return the date that the words near `index` speak of, or the only one of the main table."""
        for other in sorted(range(len(self.mentions)), key=lambda i: (abs(i - index), i)):
            mention = self.mentions[other]
            if abs(other - index) > _NEAR or mention.kind != "schema" or mention.use is not None:
                continue
            dates = [c for c in mention.columns if c.column and self._is_date(c.table, c.column)]
            if dates:
                mention.candidates = tuple(dates)
                ref = self.column(other)
                if ref is not None:
                    mention.use = "rank"
                    return ref
        return self.only_date(self.main)

    def only_date(self, table: str | None) -> Ref | None:
        """Return the date of `table`; a doubt is noted where it has several."""
        if table is None:
            return None
        dates = [f for f in self.context.entity(table).fields.values() if self._is_date(table, f.name)]
        if len(dates) > 1:
            self.doubts.add(0.15, f"`{table}` has more than one date")
        return Ref(table, dates[0].name) if dates else None

    def _is_date(self, table: str, column: str) -> bool:
        return self.context.schema.field(table, column).kind == "date" or compact(column).endswith(DATE_ENDINGS)
