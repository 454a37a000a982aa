"""What a Chinese question compares, and which rows it asks to have or to lack."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from debriefer.offline.lexicon_chinese import ARRIVAL_WORDS, BEYOND, DATE_ENDINGS, DEPARTURE_WORDS
from debriefer.offline.linking import Candidate, Mention
from debriefer.offline.model import Absence, Condition, Operator, Output, Query, Ref, Scalar
from debriefer.offline.resolve import Context, Doubts
from debriefer.offline.words import compact

_ASKING = ("which", "who", "when", "where", "how-much", "count", "super")
_FIRST_YEAR, _LAST_YEAR = 1000, 2100


class ChineseConditions:
    """The part of the Chinese reader that finds clauses, tables, conditions and relations."""

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
        mention = self.mentions[index]
        if mention.kind != "schema" or not mention.tables:
            return False
        return not (mention.columns and mention.tables[0].score < mention.columns[0].score - 0.02)

    def table_of(self, index: int) -> str:
        """Return the table that the mention stands for."""
        mention = self.mentions[index]
        top = mention.tables[0].score
        close = [c for c in mention.tables if top - c.score < 0.02]  # noqa: PLR2004
        best = max(close, key=lambda c: self.support.get(c.table, 0.0))
        mention.choice, mention.score = best.table, best.score
        return best.table

    def find_tables(self) -> None:
        """Note the tables that the question speaks of, those of asking clauses first."""
        self.support = self.context.support(self.mentions)
        order = sorted(range(len(self.mentions)), key=lambda i: (not self.asked(i), i))
        for index in order:
            if self.is_table(index):
                table = self.table_of(index)
                mention = self.mentions[index]
                close = [c for c in mention.tables if c.table != table and mention.score - c.score < 0.02]  # noqa: PLR2004
                close = [c for c in close if self.support.get(table, 0.0) - self.support.get(c.table, 0.0) < 0.5]  # noqa: PLR2004
                if table not in self.known:
                    self.known.append(table)
                    if close:
                        self.doubts.add(0.1, f"`{mention.text}` may be `{table}` or `{close[0].table}`")
                    self.doubts.add((1 - mention.score) * 0.25, f"`{mention.text}` fits `{table}` only in part")
        self.spoken = set(self.known)
        if not self.known and self.support:
            self.known.append(max(self.support, key=lambda table: (self.support[table], table)))
        self.main = self.known[0] if self.known else None

    def near(self, index: int) -> list[str]:
        """Return the tables that stand next to a mention, nearest first."""
        result: list[str] = []
        for other in (*range(index - 1, -1, -1), *range(index + 1, len(self.mentions))):
            if self._clause_of[other] == self._clause_of[index] and self.is_table(other):
                table = self.table_of(other)
                if table not in result:
                    result.append(table)
        table = self.value_table()
        if table is not None and table not in result:
            result.append(table)
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
            return self.context.names(self.table_of(index))
        ref = self.column(index)
        if ref is None:
            return []
        target = self.context.target(ref.table, ref.column)
        if target is not None and self.mentions[index].score < 1:
            # `作者` asks for the one that `作者id` refers to.
            role = ref.column if len(self.context.graph.roles(ref.table, target)) > 1 else None
            return [Ref(n.table, n.column, role) for n in self.context.names(target)]
        return [ref]

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
            if abs(other - index) > 3 or mention.kind != "schema" or mention.use is not None:  # noqa: PLR2004
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

    # Conditions --------------------------------------------------------------------------------------------

    def read_conditions(self) -> None:
        """Turn values, numbers and comparisons into conditions."""
        for index, mention in enumerate(self.mentions):
            if mention.use is not None:
                continue
            if mention.is_cue("like"):
                self._like(index, mention)
            elif mention.kind == "number":
                self._number(index, mention)
            elif mention.kind == "value":
                self._value(index, mention)
            elif mention.kind == "schema":
                self._flag(index, mention)
        for _, condition in self._conditions:
            self.query.where.append((condition,))

    def _number(self, index: int, mention: Mention) -> None:
        previous = self.mentions[index - 1] if index else None
        after = self.mentions[index + 1] if index + 1 < len(self.mentions) else None
        if previous is not None and previous.is_cue("top"):
            return
        operator: Operator = "="
        cue: Mention | None = None
        if previous is not None and previous.is_cue("compare"):
            operator, cue = previous.carried, previous  # type: ignore[assignment]
        elif after is not None and after.is_cue("after-number", "top"):
            operator, cue = dict(after.alternatives).get("after-number", "="), after  # type: ignore[assignment]
        elif (
            after is not None
            and after.is_cue("between")
            or (after is not None and after.is_cue("arrives") and after.text in ("到", "至"))
        ):
            second = self.mentions[index + 2] if index + 2 < len(self.mentions) else None
            if second is not None and second.kind == "number":
                ref, named = self._measured(index, index + 2)
                if ref is not None:
                    after.use = second.use = "condition"
                    self._condition(index, ref, "between", (mention.number or 0.0, second.number or 0.0), named)
                    return
        if mention.hits and cue is None:
            self._value(index, mention)
            if mention.use is not None:
                return
        year = self._year(mention)
        ref, named = self._measured(index, index)
        if ref is None and year is not None:
            ref = self.only_date(self.main) or self.only_date(self.value_table())
            named = None
        if ref is None:
            return
        if cue is not None:
            cue.use = "condition"
        number: Scalar = mention.number or 0.0
        if year is not None and self._is_date(ref.table, ref.column):
            number = year
        self._condition(index, ref, operator, (number,), named)

    def _year(self, mention: Mention) -> int | None:
        number = mention.number
        if number is None or number != int(number):
            return None
        if _FIRST_YEAR <= number <= _LAST_YEAR:
            return int(number)
        # `18年` is a year of this century.
        return 2000 + int(number) if 0 <= number < 40 and len(mention.text) == 2 else None  # noqa: PLR2004

    def _measured(self, start: int, end: int) -> tuple[Ref | None, int | None]:
        """Return the numeric column next to a number, before it rather than after."""
        for other in range(start - 1, max(start - 5, -1), -1):
            mention = self.mentions[other]
            if mention.is_cue("clause") or mention.kind in ("number", "value"):
                break
            if mention.kind == "schema" and mention.use is None and self.may_be(other, ("number", "date")):
                if self.is_table(other) and mention.columns[0].score < 0.8:  # noqa: PLR2004
                    break
                return self.column(other, kinds=("number", "date")), other
        following = self.next_schema(end, within=3, kinds=("number", "date"))
        if following is not None and not self.is_table(following):
            return self.column(following, kinds=("number", "date")), following
        return None, None

    def _value(self, index: int, mention: Mention) -> None:
        previous = self.mentions[index - 1] if index else None
        if previous is not None and previous.is_cue("like") and mention.kind == "value" and not mention.hits:
            return
        places = [i for i in (index - 1, index - 2, index + 1, index + 2) if 0 <= i < len(self.mentions)]
        places = [
            i for i in places if self.mentions[i].kind == "schema" and self._clause_of[i] == self._clause_of[index]
        ]
        beside: list[Candidate] = []
        for i in places:
            weight = 1.0 if abs(i - index) == 1 else 0.7
            beside += [replace(c, score=c.score * weight) for c in self.mentions[i].candidates]
        near = [self.table_of(i) for i in places if self.is_table(i)]
        direction, cue = self._direction(index)
        hit = self.context.choose_hit(mention, self.doubts, beside=beside, near=near, known=self.known)
        if hit is None:
            if mention.quoted:
                self.doubts.add(0.4, f"no cell holds `{mention.text}`")
            return
        role = self._role(hit.table, direction)
        if role is not None and cue is not None:
            cue.use = "condition"
        named = next(
            (
                i
                for i in places
                if any(
                    (c.table, c.column) == (hit.table, hit.column) and c.score >= 0.6 for c in self.mentions[i].columns
                )  # noqa: PLR2004
                and not self.is_table(i)
                and not self._asks_before(i)
            ),
            None,
        )
        if named is None and index + 1 < len(self.mentions) and index + 1 in places and self.is_table(index + 1):
            self.mentions[index + 1].alternatives["after"] = "value"
        negated = self._negated(index)
        self._condition(index, Ref(hit.table, hit.column, role), "!=" if negated else "=", hit.raw, named)

    def _like(self, index: int, cue: Mention) -> None:
        """Read `作者姓张` and `名称包含瓜`."""
        after = self.mentions[index + 1] if index + 1 < len(self.mentions) else None
        before = self.mentions[index - 1] if index else None
        if after is None or after.use is not None or after.kind not in ("unread", "value"):
            return
        ref = None
        if before is not None and before.kind == "schema":
            ref = (
                self.context.names(self.table_of(index - 1))[0] if self.is_table(index - 1) else self.column(index - 1)
            )
            before.use = before.use or "condition"
        elif self.main is not None:
            ref = next(iter(self.context.names(self.main)), None)
        if ref is not None:
            cue.use = "condition"
            self._condition(index + 1, ref, cue.carried, (after.text,), None)  # type: ignore[arg-type]

    def _asks_before(self, index: int) -> bool:
        before = self.mentions[index - 1] if index else None
        return before is not None and before.is_cue("which", "count", "how-much", "each")

    def _negated(self, index: int) -> bool:
        for other in (index - 1, index - 2):
            if other >= 0 and self.mentions[other].is_cue("not"):
                self.mentions[other].use = "condition"
                return True
        return False

    def _direction(self, index: int) -> tuple[str | None, Mention | None]:
        for other in (index - 1, index + 1):
            if 0 <= other < len(self.mentions):
                mention = self.mentions[other]
                if mention.is_cue("departs"):
                    return "departs", mention
                if mention.is_cue("arrives", "between"):
                    return "arrives", mention
        return None, None

    def _role(self, table: str, direction: str | None) -> str | None:
        if direction is None:
            return None
        words = ARRIVAL_WORDS if direction == "arrives" else DEPARTURE_WORDS
        for edge in self.context.graph.edges:
            if edge.to_table == table and any(w in compact(edge.column) for w in words):
                return edge.column
        return None

    def _flag(self, index: int, mention: Mention) -> None:
        """Take a yes/no column that is named for yes: `哪些食物致命`."""
        if self.is_table(index) or not mention.columns:
            return
        flags = [c for c in mention.columns if self.context.schema.field(c.table, c.column or "").flag]
        if not flags or flags[0].score < mention.columns[0].score - 0.05:
            return
        after = self.mentions[index + 1] if index + 1 < len(self.mentions) else None
        if mention.text.startswith("是否") or (after is not None and after.kind == "value"):
            return
        best = flags[0]
        if self.asks_whether:
            return
        field = self.context.schema.field(best.table, best.column or "")
        assert field.flag is not None  # noqa: S101
        mention.choice = f"{best.table}.{best.column}"
        negated = self._negated(index)
        self._condition(index, Ref(best.table, best.column or ""), "=", (field.flag[negated],), None)

    def _condition(
        self, index: int, ref: Ref, operator: Operator, values: tuple[Scalar, ...], named: int | None
    ) -> None:
        mention = self.mentions[index]
        mention.use = "condition"
        if named is not None and self.mentions[named].use is None:
            self.mentions[named].use = "condition"
        for position, (at, known) in enumerate(self._conditions):
            between = self.mentions[at + 1 : index]
            joined = bool(between) and all(m.is_cue("or", "and") for m in between)
            if known.ref == ref and known.operator == operator and operator in ("=", "!=") and joined:
                longer = Condition(ref, operator, tuple(dict.fromkeys((*known.values, *values))))
                self._conditions[position] = (index, longer)
                return
        new = Condition(ref, operator, values)
        if new not in [known for _, known in self._conditions]:
            self._conditions.append((index, new))
        if not mention.choice:
            mention.choice = f"{ref.table}.{ref.column} {operator} {values[0]}"

    # Relations ---------------------------------------------------------------------------------------------

    def read_relations(self) -> None:
        """Read `没有分校的小学`: rows that lack a related row."""
        for index, mention in enumerate(self.mentions):
            if not mention.is_cue("not") or mention.use is not None or self.main is None:
                continue
            target = self.next_schema(index, within=3)
            if target is None or not self.is_table(target):
                continue
            table = self.table_of(target)
            others = [t for t in self.known if t != table]
            if not others:
                continue
            self.query.entity = others[0]
            mention.use = self.mentions[target].use = "absence"
            self.query.absences.append(Absence(table))
            self.main = others[0]

    def pair_roles(self) -> None:
        """Read `与丝瓜相克的食物`: two rows of one table that a third table pairs."""
        refs = [o.ref for o in self.query.outputs if o.ref is not None]
        for position, alternatives in enumerate(self.query.where):
            condition = alternatives[0]
            same = [r for r in refs if r.table == condition.ref.table and r.column == condition.ref.column]
            if not same or condition.ref.role is not None or condition.operator != "=":
                continue
            for name in [t for t in self.known if t != condition.ref.table]:
                edges = self.context.graph.roles(name, condition.ref.table)
                if len(edges) != 2:  # noqa: PLR2004
                    continue
                one, other = edges
                self.query.entity = name
                self.query.where[position] = (replace(condition, ref=replace(condition.ref, role=one.column)),)
                self.query.outputs = [
                    replace(o, ref=replace(o.ref, role=other.column)) if o.ref in same and o.ref is not None else o
                    for o in self.query.outputs
                ]
                return

    def check_wording(self) -> None:
        """Note words that ask for more than a rule here can do."""
        query = self.query
        text = "".join(m.text for i, m in enumerate(self.mentions) if self.asked(i) and m.use in (None, "unread"))
        for word in BEYOND:
            if word in text:
                self.doubts.add(0.4, f"`{word}` asks for more than the rules can do")
                break
        chosen = query.where or query.rankings or query.absences or query.related or query.group
        if not chosen and not any(o.aggregate for o in query.outputs):
            self.singular = any(
                m.is_cue("which", "who") and m.text not in ("哪些", "什么", "哪几", "哪些人") for m in self.mentions
            )
        compared = {c.ref for w in query.where for c in w if c.operator == "=" and len(w) == 1}
        kept = [o for o in query.outputs if o.ref not in compared or o.aggregate]
        if kept and len(kept) < len(query.outputs):
            query.outputs = kept

    def charge_unread(self) -> None:
        """Note what was not understood in the clauses that ask, and values that nothing was made of."""
        self.check_wording()
        unread = [m.text for i, m in enumerate(self.mentions) if m.kind == "unread" and self.asked(i)]
        if unread:
            length = sum(m.end - m.start for i, m in enumerate(self.mentions) if self.asked(i))
            share = len(unread) / max(1, length)
            self.doubts.add(min(0.6, 0.06 * len(unread) + 0.5 * share), f"`{''.join(unread)}` was not understood")
        for index, mention in enumerate(self.mentions):
            if mention.use is not None:
                continue
            if mention.kind in ("value", "number"):
                self.doubts.add(0.3 if self.asked(index) else 0.1, f"`{mention.text}` is compared with no column")
            elif mention.kind == "schema" and self.asked(index) and not self.is_table(index):
                self.doubts.add(0.15, f"`{mention.text}` was not used")
            elif mention.kind == "schema" and self.asked(index) and self.table_of(index) != self.query.entity:
                table = self.table_of(index)
                if table in {o.ref.table for o in self.query.outputs if o.ref} | {r.table for r in self.conditioned()}:
                    continue
                self._relate(index, table)
            elif mention.is_cue("not", "compare", "super", "top") and self.asked(index):
                self.doubts.add(0.3, f"`{mention.text}` was not used")

    def _relate(self, index: int, table: str) -> None:
        """Ask for a row of a table that is spoken of beside the entity (`哪些小学有分校`)."""
        entity = self.query.entity
        if entity is None or self.context.graph.path([entity], table) is None:
            self.doubts.add(0.2, f"`{self.mentions[index].text}` was not used")
            return
        self.mentions[index].use = "presence"
        self.query.related.append(table)
        self.doubts.add((1 - self.mentions[index].score) * 0.3, f"`{self.mentions[index].text}` fits only in part")
