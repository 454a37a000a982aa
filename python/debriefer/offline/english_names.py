"""Which tables and columns the words of an English question stand for, given their neighbours."""

from __future__ import annotations

from collections.abc import Sequence

from debriefer.linking.words import split_name
from debriefer.offline.linking import NOTHING, Mention
from debriefer.offline.model import Condition, Query, Ref
from debriefer.offline.resolve import Context, Doubts

_SKIPPED = ("of", "exists", "distinct", "comma")
# Below this a column's words are only a part of its name.
_WHOLE = 0.8


class Names:
    """The part of the English reader that finds tables and columns."""

    def __init__(self, context: Context, mentions: Sequence[Mention]) -> None:
        self.context = context
        self.all_mentions = mentions
        self.mentions = [m for m in mentions if m.kind != "stop"]
        self.query = Query()
        self.doubts = Doubts()
        self.known: list[str] = []
        # Whether the wording asks for one row where nothing chooses one.
        self.singular = False
        self.main: str | None = None
        self._alphabetical: bool | None = None
        self._group_outputs: list[Ref] = []
        self.spoken: set[str] = set()
        self.support: dict[str, float] = {}
        self._last: tuple[int, Condition] | None = None
        self._conditions: list[tuple[int, Condition, bool]] = []

    def at(self, index: int) -> Mention:
        """Return a mention, or one that is nothing where the question has none."""
        return self.mentions[index] if 0 <= index < len(self.mentions) else NOTHING

    # Names -------------------------------------------------------------------------------------------------

    def is_table(self, index: int) -> bool:
        """Return whether the mention stands for a table rather than for a column."""
        mention = self.mentions[index]
        if mention.kind != "schema" or not mention.tables:
            return False
        tables = {c.table for c in mention.tables}
        columns = [c for c in mention.columns if self.context.target(c.table, c.column or "") not in tables]
        if columns and mention.tables[0].score < columns[0].score - 0.02:
            return False
        return not (mention.tables[0].score < 0.75 and columns)  # noqa: PLR2004

    def table_of(self, index: int) -> str:
        """Return the table that the mention stands for."""
        mention = self.mentions[index]
        best = mention.tables[0]
        same = [c for c in mention.tables if best.score - c.score < 0.02]  # noqa: PLR2004
        known = [c for c in same if c.table in self.known[:1]]
        chosen = known[0] if known else max(same, key=lambda c: self.support.get(c.table, 0.0))
        mention.choice, mention.score = chosen.table, chosen.score
        return chosen.table

    def names_of(self, table: str) -> list[Ref]:
        """Return the columns that name a row of `table`, which takes part even where another table has the names."""
        refs = self.context.names(table)
        if any(ref.table != table for ref in refs) and table not in self.query.related:
            self.query.related.append(table)
        return refs

    def find_tables(self) -> None:
        """Note the tables that the question speaks of, in order."""
        self.support = self.context.support(self.mentions)
        for index, mention in enumerate(self.mentions):
            if self.is_table(index):
                table = self.table_of(index)
                if table not in self.known:
                    self.known.append(table)
                    others = [c for c in mention.tables if c.table != table and c.score > mention.score - 0.02]
                    if others:
                        self.doubts.add(0.12, f"`{mention.text}` may be `{table}` or `{others[0].table}`")
                    self.doubts.add((1 - mention.score) * 0.3, f"`{mention.text}` fits `{table}` only in part")
        self.spoken = set(self.known)
        if not self.known and self.support:
            self.known.append(max(self.support, key=lambda table: (self.support[table], table)))
        self.main = self.known[0] if self.known else None
        for index, mention in enumerate(self.mentions[:-1]):
            if self.is_table(index) and self.following_column(index) == index + 1 and self._modifies(index):
                mention.use = "modifier"

    def _modifies(self, index: int) -> bool:
        """Return whether a table only says whose the following column is (`singer name`)."""
        before = self.mentions[index - 1] if index else None
        return before is None or not before.is_cue("count", "each")

    def following_column(self, index: int) -> int | None:
        """Return the index of the next mention where it is a column of this mention's table."""
        if index + 1 >= len(self.mentions):
            return None
        following, tables = self.mentions[index + 1], {c.table for c in self.mentions[index].tables}
        if following.kind != "schema" or self.is_table(index + 1):
            return None
        fits = any(c.table in tables and c.score >= _WHOLE for c in following.columns)
        return index + 1 if fits else None

    def next_content(self, index: int) -> int | None:
        """Return the index of the next mention that is no filling cue."""
        cursor = index + 1
        while cursor < len(self.mentions) and self.mentions[cursor].is_cue(*_SKIPPED, "opener"):
            cursor += 1
        return cursor if cursor < len(self.mentions) else None

    def table_after(self, index: int) -> str | None:
        """Return the table that the next content mention stands for."""
        target = self.next_content(index)
        return self.table_of(target) if target is not None and self.is_table(target) else None

    def near(self, index: int) -> list[str]:
        """Return the tables that stand next to a column mention, nearest first."""
        if index and self.is_table(index - 1):
            return [self.table_of(index - 1)]
        result = []
        for other in range(index + 1, min(index + 9, len(self.mentions))):
            mention = self.mentions[other]
            if self.is_table(other):
                result.append(self.table_of(other))
                break
            if not (
                mention.kind == "schema" or mention.is_cue("of", "and", "comma", "distinct", "from", "each", "exists")
            ):
                break
        for other in range(index - 1, -1, -1):
            if self.is_table(other):
                table = self.table_of(other)
                if table not in result:
                    result.append(table)
                break
        return result

    def column(self, index: int, *, kinds: Sequence[str] = ()) -> Ref | None:
        """Return the column that the mention stands for among its neighbours."""
        return self.context.choose_column(
            self.mentions[index], self.doubts, near=self.near(index), known=self.known, kinds=kinds
        )

    def find_column(self, words: tuple[str, ...], table: str | None) -> Ref | None:
        """Return the column of `table`, or else of a table next to it, whose name holds all of `words`."""
        tables = [table, *self.known] if table else self.known
        for name in dict.fromkeys(tables):
            for found in self.context.entity(name).fields.values():
                if set(words) <= set(found.words) and not found.key:
                    return Ref(name, found.name)
        return None

    def date_column(self, table: str | None, index: int | None = None) -> Ref | None:
        """Return the date of `table` that the words after `index` speak of, or its only one."""
        for name in dict.fromkeys([table, *self.known] if table else self.known):
            dates = [
                f
                for f in self.context.entity(name).fields.values()
                if f.kind == "date" or {"date", "year", "time", "day"} & set(f.words)
            ]
            if index is not None:
                said = {w for m in self.all_mentions for w in split_name(m.text)}
                roots = {w[:4] for w in said if len(w) >= 3}  # noqa: PLR2004
                told = [f for f in dates if any(w[:4] in roots for w in f.words if w not in ("date", "year", "time"))]
                dates = told or dates
            if dates:
                if len(dates) > 1:
                    self.doubts.add(0.1, f"`{name}` has more than one date")
                return Ref(name, dates[0].name)
        return None
