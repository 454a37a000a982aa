"""What an English question compares, and which rows it asks to have or to lack."""

from __future__ import annotations

from collections.abc import Sequence

from debriefer.offline.lexicon_english import ARRIVAL_WORDS, DEPARTURE_WORDS
from debriefer.offline.linking import Candidate, Mention
from debriefer.offline.model import Absence, Condition, Having, Operator, Output, Query, Ref, Scalar
from debriefer.offline.resolve import Context, Doubts
from debriefer.offline.words import split_name

_SKIPPED = ("of", "exists", "distinct", "comma")
# Below this a column's words are only a part of its name.
_WHOLE = 0.8
_FIRST_YEAR, _LAST_YEAR = 1000, 2100


class Conditions:
    """The part of the English reader that finds tables, conditions and relations."""

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

    # Names -------------------------------------------------------------------------------------------------

    def is_table(self, index: int) -> bool:
        """Return whether the mention stands for a table rather than for a column."""
        mention = self.mentions[index]
        if mention.kind != "schema" or not mention.tables:
            return False
        tables = {c.table for c in mention.tables}
        columns = [c for c in mention.columns if not self.context.target(c.table, c.column or "") in tables]
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

    # Conditions --------------------------------------------------------------------------------------------

    def read_conditions(self) -> None:
        """Turn values, numbers and comparisons into conditions."""
        for index, mention in enumerate(self.mentions):
            if mention.use is not None:
                continue
            if mention.kind == "number":
                self._number(index, mention)
            elif mention.kind == "value":
                self._value(index, mention)
        self._place_conditions()

    def _before(self, index: int) -> int | None:
        """Return the index of the mention before, over filling cues and negations."""
        cursor = index - 1
        while cursor >= 0 and self.mentions[cursor].is_cue("of", "not", "both", "opener", "exists", "from", "to"):
            cursor -= 1
        return cursor if cursor >= 0 else None

    def _number(self, index: int, mention: Mention) -> None:
        previous = self.mentions[index - 1] if index else None
        after = self.mentions[index + 1] if index + 1 < len(self.mentions) else None
        if previous is not None and previous.is_cue("super", "common"):
            return
        if (
            after is not None
            and after.is_cue("super", "common")
            and (previous is None or not previous.is_cue("compare"))
        ):
            return
        if previous is not None and previous.is_cue("compare"):
            self._compare(index, index - 1, previous.carried)
            return
        if (
            index > 1
            and previous is not None
            and previous.kind == "schema"
            and self.mentions[index - 2].is_cue("compare")
            and self.mentions[index - 2].carried != "between"
            and (ref := self._comparable(index - 1, ("number", "date"))) is not None
        ):
            # `below age 18`
            self.mentions[index - 2].use = "condition"
            operator = self.mentions[index - 2].carried.split()[0]
            self._add_condition(index, ref, operator, (mention.number or 0.0,), named=index - 1)  # type: ignore[arg-type]
            return
        if after is not None and after.is_cue("after-number"):
            after.use = "condition"
            self._compare(index, index, after.carried)
            return
        if self._joins_last(index, mention.number or 0.0):
            return
        before = self._before(index)
        if before is not None and self.mentions[before].kind == "schema" and self.mentions[before].use != "modifier":
            ref = self._comparable(before, ("number", "date"))
            if ref is not None:
                self._add_condition(index, ref, "=", (mention.number or 0.0,), named=before)
                return
        if mention.hits:
            self._value(index, mention)
            return
        if self._is_year(mention.number):
            ref = self.date_column(self.main, index)
            if ref is not None:
                self._add_condition(index, ref, "=", (mention.number or 0.0,), named=None)

    def _is_year(self, number: float | None) -> bool:
        return number is not None and number == int(number) and _FIRST_YEAR <= number <= _LAST_YEAR

    def _compare(self, index: int, cue: int, carried: str) -> None:
        mention, operator = self.mentions[index], carried.split()[0]
        values: tuple[Scalar, ...] = (mention.number or 0.0,)
        end = index
        if operator == "between":
            if index + 2 >= len(self.mentions) or self.mentions[index + 2].kind != "number":
                return
            self.mentions[index + 2].use = "condition"
            values = (mention.number or 0.0, self.mentions[index + 2].number or 0.0)
            end = index + 2
        following = self.next_content(end)
        before = self._before(cue) if cue else None
        if before is not None and self.mentions[before].is_cue("compare"):
            before = self._before(before)
        ref: Ref | None = None
        named: int | None = None
        counted = following is not None and self.is_table(following) and self.following_column(following) is None
        if (
            before is not None
            and self.mentions[before].kind == "schema"
            and not self.is_table(before)
            and self.mentions[before].use in (None, "condition")
            and not (counted and self.mentions[cue - 1].is_cue("opener"))
        ):
            ref, named = self._comparable(before, ("number", "date")), before
        if ref is None and following is not None and self.mentions[following].kind == "schema":
            if counted:
                self._count_compare(index, cue, following, operator)
                return
            ref, named = self._comparable(following, ("number", "date")), following
        if ref is None:
            named = None
            dimension = carried.split()[1:]
            if dimension == ["age"]:
                ref = self.find_column(("age",), self.main)
            elif dimension == ["date"] or self._is_year(mention.number):
                ref = self.date_column(self.main, index)
            if ref is None and self._last is not None and index - self._last[0] <= 3:  # noqa: PLR2004
                ref = self._last[1].ref
        if ref is None:
            return
        self.mentions[cue].use = "condition"
        self._add_condition(index, ref, operator, values, named=named)  # type: ignore[arg-type]

    def _count_compare(self, index: int, cue: int, following: int, operator: str) -> None:
        table = self.table_of(following)
        for other in (index, cue, following):
            self.mentions[other].use = "condition"
        number = self.mentions[index].number or 0.0
        self.query.having.append(Having(Output(None, "count", table=table), operator, number))  # type: ignore[arg-type]

    def _comparable(self, index: int, kinds: Sequence[str]) -> Ref | None:
        if not any(
            self.context.schema.field(c.table, c.column or "").kind in kinds for c in self.mentions[index].columns
        ):
            return None
        return self.column(index, kinds=kinds)

    def _joins_last(self, index: int, value: Scalar) -> bool:
        """Add a value to the condition before it where only `or`, `and` or a comma stand between."""
        if self._last is None:
            return False
        where, last = self._last
        between = self.mentions[where + 1 : index]
        if not between or not all(m.is_cue("or", "and", "comma") for m in between) or last.operator not in ("=", "!="):
            return False
        if self.context.field(last.ref).kind == "text":
            return False
        self._extend(index, where, value)
        return True

    def _extend(self, index: int, where: int, value: Scalar) -> None:
        position = next(n for n, (at, _, _) in enumerate(self._conditions) if at == where)
        _, condition, negated = self._conditions[position]
        self.mentions[index].use = "condition"
        longer = Condition(condition.ref, condition.operator, (*condition.values, value))
        self._conditions[position] = (index, longer, negated)
        self._last = (index, longer)

    def _value(self, index: int, mention: Mention) -> None:
        previous = self.mentions[index - 1] if index else None
        if previous is not None and previous.is_cue("like"):
            self._like(index, previous)
            return
        beside, places = self._beside(index)
        near = [self.table_of(i) for i in places if self.is_table(i)]
        direction = self._direction(index)
        hit = self.context.choose_hit(
            mention, self.doubts, beside=beside, near=near, known=self.known, direction=direction
        )
        if hit is None:
            before = self._before(index)
            if before is not None and self.mentions[before].kind == "schema" and mention.quoted:
                self.doubts.add(0.5, f"no cell holds `{mention.text}`")
            return
        ref = Ref(hit.table, hit.column, self.context.role(self.main, hit.table, direction))
        if direction is not None and (ref.role or self.context.directed(hit.column, direction)):
            direction_cue = self.mentions[self._direction_at]
            direction_cue.use = direction_cue.use or "condition"
        elif self.main is not None and len(self.context.graph.roles(self.main, hit.table)) > 1:
            self.doubts.add(0.2, f"it is not said by which column `{self.main}` meets `{hit.table}`")
        named = next(
            (
                i
                for i in places
                if any((c.table, c.column) == (hit.table, hit.column) for c in self.mentions[i].columns)
            ),
            None,
        )
        if named is None:
            named = next(
                (i for i in places if self.is_table(i) and self.table_of(i) == hit.table and i == index - 1), None
            )
        where = self._chain(index, ref)
        if where is not None:
            if named is not None and self.mentions[named].use is None and named > where:
                self.mentions[named].use = "condition"
            self._extend_raw(index, where, hit.raw)
            return
        self._add_condition(index, ref, "=", hit.raw, named=named)

    _direction_at = 0

    def _direction(self, index: int) -> str | None:
        """Return `departs` or `arrives` where the words before a value say that something starts or ends there."""
        for other in range(index - 1, max(index - 5, -1), -1):
            mention = self.mentions[other]
            if mention.kind in ("value", "number"):
                return None
            if mention.is_cue("departs", "from"):
                self._direction_at = other
                return "departs"
            if mention.is_cue("arrives", "to"):
                self._direction_at = other
                return "arrives"
            if mention.kind == "schema":
                words = set(split_name(mention.text))
                if words & ARRIVAL_WORDS:
                    self._direction_at = other
                    return "arrives"
                if words & DEPARTURE_WORDS:
                    self._direction_at = other
                    return "departs"
        return None

    def _chain(self, index: int, ref: Ref) -> int | None:
        """Return where the condition stands that this value is an alternative of."""
        if self._last is None or self._last[1].ref != ref or self._last[1].operator not in ("=", "!="):
            return None
        between = self.mentions[self._last[0] + 1 : index]
        joined = any(m.is_cue("or", "and", "comma") for m in between)
        return self._last[0] if joined and len(between) <= 4 else None  # noqa: PLR2004

    def _extend_raw(self, index: int, where: int, raw: tuple[str, ...]) -> None:
        between = self.mentions[where + 1 : index]
        both = any(m.is_cue("and") for m in between) and not any(m.is_cue("or") for m in between)
        position = next(n for n, (at, _, _) in enumerate(self._conditions) if at == where)
        if both:
            self._both.add(position)
        for value in raw:
            self._extend(index, where, value)
            where = index

    @property
    def _both(self) -> set[int]:
        if not hasattr(self, "_both_positions"):
            self._both_positions: set[int] = set()
        return self._both_positions

    def _beside(self, index: int) -> tuple[list[Candidate], list[int]]:
        beside: list[Candidate] = []
        places: list[int] = []
        before = self._before(index)
        if before is not None and self.mentions[before].kind == "schema":
            beside += self.mentions[before].candidates
            places.append(before)
        if index + 1 < len(self.mentions) and self.mentions[index + 1].kind == "schema":
            beside += [Candidate(c.score * 0.8, c.table, c.column) for c in self.mentions[index + 1].candidates]
            places.append(index + 1)
        return beside, places

    def _like(self, index: int, cue: Mention) -> None:
        mention = self.mentions[index]
        before = self._before(index - 1)
        ref: Ref | None = None
        if before is not None and self.mentions[before].kind == "schema":
            ref = (
                self.context.names(self.table_of(before))[0]
                if self.is_table(before)
                else self.column(before, kinds=("text", "date"))
            )
        if ref is None and self.main is not None:
            ref = self.context.names(self.main)[0]
        if ref is None:
            return
        cue.use = "condition"
        self._add_condition(index, ref, cue.carried, (mention.text,), named=before)  # type: ignore[arg-type]

    def _add_condition(
        self, index: int, ref: Ref, operator: Operator, values: tuple[Scalar, ...], *, named: int | None
    ) -> None:
        mention = self.mentions[index]
        mention.use = "condition"
        if not mention.choice:
            mention.choice = f"{ref.table}.{ref.column} {operator} {values[0]}"
        if named is not None and self.mentions[named].use is None and not self._is_asked(named):
            self.mentions[named].use = "condition"
        condition = Condition(ref, operator, values)
        negated = self._negated(index)
        self._conditions.append((index, condition, negated))
        self._last = (index, condition)

    def _is_asked(self, index: int) -> bool:
        """Return whether the mention is what the question asks for, although a value stands beside it."""
        before = self.mentions[index - 1] if index else None
        return before is not None and before.is_cue("which", "count", "who", "each") and self.is_table(index)

    def _negated(self, index: int) -> bool:
        for other in range(index - 1, max(index - 6, -1), -1):
            mention = self.mentions[other]
            if mention.is_cue("not"):
                if any(
                    self.is_table(i) and self.mentions[i].use in (None, "modifier") for i in range(other + 1, index)
                ):
                    return False
                mention.use = "condition"
                return True
            if mention.is_cue("and", "or", "opener", "stop-sentence", "which") or mention.kind in ("value", "number"):
                return False
        return False

    def _place_conditions(self) -> None:
        for position, (_, condition, negated) in enumerate(self._conditions):
            ref = condition.ref
            several = bool(self.main) and ref.table != self.main and self.context.multiplies(self.main or "", ref.table)
            if negated and several and condition.operator == "=":
                self.query.absences.append(Absence(ref.table, (condition,)))
                continue
            if position in self._both and several:
                self.query.presences.extend((Condition(ref, "=", (value,)),) for value in condition.values)
                continue
            if negated:
                opposite = {"=": "!=", ">": "<=", "<": ">=", ">=": "<", "<=": ">"}
                condition = Condition(ref, opposite.get(condition.operator, "!="), condition.values)  # type: ignore[arg-type]
            self.query.where.append((condition,))

    # Relations ---------------------------------------------------------------------------------------------

    def read_relations(self) -> None:
        """Read `that do not have any song` and `that have songs`."""
        for index, mention in enumerate(self.mentions):
            if not mention.is_cue("not") or mention.use is not None:
                continue
            target = next(
                (
                    i
                    for i in range(index + 1, min(index + 6, len(self.mentions)))
                    if self.is_table(i) and self.mentions[i].use in (None, "modifier", "condition")
                ),
                None,
            )
            if target is None or self.main is None:
                continue
            by = self._subject(index)
            if by is None and self.table_of(target) == self.main:
                continue
            if by is not None:
                self.query.entity = by.table
            mention.use = self.mentions[target].use = "absence"
            table = self.table_of(target)
            inside = [c for at, c, _ in self._conditions if at > index and not self._cut(index, at)]
            self.query.where = [w for w in self.query.where if not (len(w) == 1 and w[0] in inside)]
            self.query.absences.append(Absence(table, tuple(inside), by))
            self.query.distinct = self.query.distinct or by is not None

    def _subject(self, index: int) -> Ref | None:
        """Return the column that `not` speaks of: `countries that are not playing cartoons`."""
        before = self._before(index)
        if before is None or self.mentions[before].kind != "schema" or self.is_table(before):
            return None
        ref = self.column(before)
        if ref is None or ref.column in [f.name for f in self.context.entity(ref.table).name_fields]:
            return None
        return None if self.context.field(ref).unique else ref

    def _cut(self, start: int, end: int) -> bool:
        return any(m.is_cue("opener") and m.text.lower().startswith("who") for m in self.mentions[start:end])
