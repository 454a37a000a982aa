"""What a Chinese question compares, and which rows it asks to have or to lack."""

from __future__ import annotations

from dataclasses import replace

from debriefer.linking.words import compact
from debriefer.offline.chinese_names import GOOD, PART, ChineseNames
from debriefer.offline.lexicon_chinese import ARRIVAL_WORDS, BEYOND, DEPARTURE_WORDS
from debriefer.offline.linking import Candidate, Mention
from debriefer.offline.model import Absence, Condition, Operator, Ref, Scalar

_PAIR = 2
# `18年` is a year of this century; `45年` is not known to be one.
_THIS_CENTURY = 40
_FIRST_YEAR, _LAST_YEAR = 1000, 2100


class ChineseConditions(ChineseNames):
    """The part of the Chinese reader that finds conditions and relations."""

    # Conditions --------------------------------------------------------------------------------------------

    def read_conditions(self) -> None:
        """Turn values, numbers and comparisons into conditions."""
        self.context.take_facts(self.query, self.mentions)
        for index, mention in enumerate(self.mentions):
            if mention.use is not None:
                continue
            if mention.is_cue("like"):
                self._like(index, mention)
            elif mention.is_cue("compare") and self.at(index + 1).is_cue("aggregate"):
                self._compare_whole(index, mention)
            elif mention.kind == "number":
                self._number(index, mention)
            elif mention.kind == "value":
                self._value(index, mention)
            elif mention.kind == "schema":
                self._flag(index, mention)
        for _, condition in self._conditions:
            self.query.where.append((condition,))

    def _moment(self, index: int, mention: Mention) -> None:
        """Read a date or a month: `2024年3月5日`, `3月5日之后`, `2024年3月到5月`."""
        previous, after, second = self.at(index - 1), self.at(index + 1), self.at(index + 2)
        if after.text == "之":
            # `之后` may have been read as two words.
            after = second
        operator: Operator = "="
        values: tuple[Scalar, ...] = (mention.moment or "",)
        cues: list[Mention] = []
        if (after.is_cue("between") or after.text in ("到", "至")) and second.moment is not None:
            operator, values, cues = "between", (*values, second.moment), [after, second]
        elif previous.is_cue("compare"):
            operator, cues = previous.operator, [previous]
        elif after.is_cue("after-number", "top") and "after-number" in {after.cue, *after.alternatives}:
            operator, cues = after.alternatives.get("after-number", "="), [after]  # type: ignore[assignment]
        elif mention.hits:
            self._value(index, mention)
            if mention.use is not None:
                return
        ref, named = self._measured(index, index + (2 if operator == "between" else 0), ("date",))
        if ref is None:
            ref, named = self.only_date(self.main) or self.only_date(self.value_table()), None
        if ref is None or self.context.schema.field(ref.table, ref.column).kind != "date":
            return
        for cue in cues:
            cue.use = "condition"
        self._condition(index, ref, operator, values, named)

    def _number(self, index: int, mention: Mention) -> None:
        if mention.moment is not None:
            self._moment(index, mention)
            return
        previous, after = self.at(index - 1), self.at(index + 1)
        if self.limits(index) or self._between(index, mention):
            return
        operator: Operator = "="
        cue: Mention | None = None
        if previous.is_cue("compare"):
            operator, cue = previous.operator, previous
        elif after.is_cue("after-number", "top"):
            operator, cue = after.alternatives.get("after-number", "="), after  # type: ignore[assignment]
        if mention.hits and cue is None:
            self._value(index, mention)
            if mention.use is not None:
                return
        year = self._year(mention)
        ref, named = self._measured(index, index, ("number",) if year is None else ("number", "date"))
        if ref is None and year is not None:
            ref, named = self.only_date(self.main) or self.only_date(self.value_table()), None
        if ref is None:
            return
        if cue is not None:
            cue.use = "condition"
        dated = year is not None and self._is_date(ref.table, ref.column)
        number: Scalar = year if dated and year is not None else mention.number or 0.0
        self._condition(index, ref, operator, (number,), named)

    def limits(self, index: int) -> bool:
        """Return whether a number says how many rows are kept: `前3名`, `最多的3家`."""
        if "top" in self.at(index - 1).alternatives and self.at(index - 2).kind != "number":
            return True
        before = index - 2 if self.at(index - 1).is_cue("of") else index - 1
        return self.at(before).is_cue("super")

    def _compare_whole(self, index: int, cue: Mention) -> None:
        """Read `高于平均单价`."""
        function = self.at(index + 1)
        if self.at(index + 2).kind != "schema" or not self.may_be(index + 2, ("number",)):
            return
        ref = self.column(index + 2, kinds=("number",))
        if ref is None:
            return
        cue.use = function.use = self.mentions[index + 2].use = "condition"
        before = self.at(index - 1)
        if before.kind == "schema" and before.use is None and not self.is_table(index - 1):
            before.use = "condition"
        self._conditions.append((index, Condition(ref, cue.operator, (), function.carried)))  # type: ignore[arg-type]

    def _between(self, index: int, mention: Mention) -> bool:
        """Read `20到30`."""
        joint, second = self.at(index + 1), self.at(index + 2)
        if (
            not (joint.is_cue("between") or joint.text in ("到", "至"))
            or second.kind != "number"
            or second.moment is not None
        ):
            return False
        years = (self._year(mention), self._year(second))
        ref, named = self._measured(index, index + 2, ("number",) if None in years else ("number", "date"))
        if ref is None:
            return False
        joint.use = second.use = "condition"
        bounds: tuple[Scalar, ...] = (mention.number or 0.0, second.number or 0.0)
        if self._is_date(ref.table, ref.column):
            bounds = tuple(bound if year is None else year for year, bound in zip(years, bounds, strict=True))
        self._condition(index, ref, "between", bounds, named)
        return True

    def _year(self, mention: Mention) -> int | None:
        number = mention.number
        if number is None or not number.is_integer():
            return None
        if _FIRST_YEAR <= number <= _LAST_YEAR:
            return int(number)
        # `18年` is a year of this century.
        return 2000 + int(number) if 0 <= number < _THIS_CENTURY and len(mention.text) == _PAIR else None

    def _measured(self, start: int, end: int, kinds: tuple[str, ...]) -> tuple[Ref | None, int | None]:
        """Return the column of one of `kinds` next to a number, before it rather than after."""
        for other in range(start - 1, max(start - 5, -1), -1):
            mention = self.mentions[other]
            if mention.is_cue("clause") or mention.kind in ("number", "value"):
                break
            if mention.kind == "schema" and mention.use is None and self.may_be(other, kinds):
                if self.is_table(other) and mention.columns[0].score < GOOD:
                    break
                return self.column(other, kinds=kinds), other
        following = self.next_schema(end, within=3, kinds=kinds)
        if following is not None and not self.is_table(following):
            return self.column(following, kinds=kinds), following
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
                    (c.table, c.column) == (hit.table, hit.column) and c.score >= PART for c in self.mentions[i].columns
                )
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
                if len(edges) != _PAIR:
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
