"""What an English question compares, and which rows it asks to have or to lack."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from debriefer.linking.words import split_name, stem
from debriefer.offline.english_names import Names
from debriefer.offline.lexicon_english import ARRIVAL_WORDS, DEPARTURE_WORDS
from debriefer.offline.linking import Candidate, Mention
from debriefer.offline.model import Absence, Condition, Having, Operator, Output, Ref, Scalar

_NEAR = 3
# Words that tell by which reference a value is met stand less than this many mentions away.
_AROUND = 4
_FIRST_YEAR, _LAST_YEAR = 1000, 2100


class Conditions(Names):
    """The part of the English reader that finds conditions and relations."""

    # Conditions --------------------------------------------------------------------------------------------

    def read_conditions(self) -> None:
        """Turn values, numbers and comparisons into conditions."""
        self.context.take_facts(self.query, self.mentions)
        for index, mention in enumerate(self.mentions):
            if mention.use is not None:
                continue
            if mention.is_cue("compare") and self.at(index + 1).is_cue("aggregate"):
                self._compare_whole(index, mention)
            elif mention.kind == "number":
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

    def _moment(self, index: int, mention: Mention) -> None:
        """Read a date or a month: `on 2024-03-05`, `after March 2024`, `between June 1 and June 5`."""
        previous, after = self.at(index - 1), self.at(index + 1)
        operator: Operator = "="
        values: tuple[Scalar, ...] = (mention.moment or "",)
        cue: Mention | None = None
        if previous.is_cue("compare", "from"):
            second = self.at(index + 2)
            if previous.is_cue("from") or previous.operator == "between":
                if second.moment is None or not after.is_cue("and", "to"):
                    return
                operator, values, cue = "between", (*values, second.moment), previous
                second.use = after.use = "condition"
            else:
                operator, cue = previous.operator, previous
        elif after.is_cue("after-number"):
            operator, cue = after.operator, after
        elif mention.hits and mention.hits[0].score >= 1:
            self._value(index, mention)
            return
        elif self._joins_last(index, values[0]):
            return
        ref, named = self._dates_of(index, index - 1 if cue is previous else index)
        if ref is None:
            return
        if cue is not None:
            cue.use = "condition"
        self._add_condition(index, ref, operator, values, named=named)

    def _dates_of(self, index: int, end: int) -> tuple[Ref | None, int | None]:
        """Return the column of dates that is named right before `end`, and where; else the one of the rows."""
        named = self._before(end)
        if named is not None and self.mentions[named].kind == "schema" and not self.is_table(named):
            ref = self._comparable(named, ("date",))
            if ref is not None:
                return ref, named
        ref = self.date_column(self.main, index)
        return (ref if ref is not None and self.context.field(ref).kind == "date" else None), None

    def _number(self, index: int, mention: Mention) -> None:
        if mention.moment is not None:
            self._moment(index, mention)
            return
        previous, after = self.at(index - 1), self.at(index + 1)
        if previous.is_cue("compare"):
            self._compare(index, index - 1, previous.carried)
        elif previous.is_cue("super", "common") or after.is_cue("super", "common"):
            return
        elif self._compared_before(index):
            # `below age 18`
            cue = self.at(index - 2)
            cue.use = "condition"
            ref = self._comparable(index - 1, self._kinds(mention.number))
            if ref is not None:
                self._add_condition(index, ref, cue.operator, (mention.number or 0.0,), named=index - 1)
        elif after.is_cue("after-number"):
            after.use = "condition"
            self._compare(index, index, after.carried)
        elif not self._joins_last(index, mention.number or 0.0):
            self._equal(index, mention)

    def _compared_before(self, index: int) -> bool:
        cue = self.at(index - 2)
        return (
            self.at(index - 1).kind == "schema"
            and cue.is_cue("compare")
            and cue.carried != "between"
            and self._may_compare(index - 1, self._kinds(self.mentions[index].number))
        )

    def _equal(self, index: int, mention: Mention) -> None:
        """Read a number that nothing compares: `whose birth year is 1948`, `in 2014`."""
        before = self._before(index)
        if before is not None and self.mentions[before].kind == "schema" and self.mentions[before].use != "modifier":
            # `orders in 2024` tells when, whatever columns of orders have `order` in their names.
            ref = self.date_column(self.main) if self._dates_rows(before, mention) else None
            ref = ref or self._key_said(before, index) or self._comparable(before, self._kinds(mention.number))
            if ref is not None:
                self._add_condition(index, ref, "=", (mention.number or 0.0,), named=before)
                return
        if mention.hits:
            self._value(index, mention)
        elif self._is_year(mention.number) and (ref := self.date_column(self.main, index)) is not None:
            self._add_condition(index, ref, "=", (mention.number or 0.0,), named=None)

    def _is_year(self, number: float | None) -> bool:
        return number is not None and _FIRST_YEAR <= number <= _LAST_YEAR and number == int(number)

    def _kinds(self, *numbers: Scalar | None) -> tuple[str, ...]:
        """Return the kinds of column that numbers can be compared with: only years with dates."""
        years = all(isinstance(number, float) and self._is_year(number) for number in numbers)
        return ("number", "date") if years else ("number",)

    def _dates_rows(self, before: int, number: Mention) -> bool:
        """Return whether a year stands apart behind a table's name."""
        return self.is_table(before) and number.start - self.mentions[before].end > 1 and self._is_year(number.number)

    def _key_said(self, before: int, index: int) -> Ref | None:
        """Return the key by which `order 99` names one row: the table's name, in the singular, and a whole number."""
        table, number = self.mentions[before], self.mentions[index]
        if before != index - 1 or not self.is_table(before) or not (number.number or 0.5).is_integer():
            return None
        together = number.start - table.end == 1 and stem(table.text.split()[-1]) == table.text.split()[-1].lower()
        keys = self.context.entity(self.table_of(before)).key_fields
        if not together or len(keys) != 1 or keys[0].kind != "number":
            return None
        return Ref(keys[0].table, keys[0].name)

    def _compare(self, index: int, cue: int, carried: str) -> None:
        operator, *dimension = carried.split()
        values: tuple[Scalar, ...] = (self.mentions[index].number or 0.0,)
        end = index
        if operator == "between":
            end = index + 2
            upper = self.at(end)
            if upper.kind != "number" or upper.moment is not None:
                return
            upper.use = "condition"
            values = (*values, upper.number or 0.0)
        following = self.next_content(end)
        counted = following is not None and self.is_table(following) and self.following_column(following) is None
        named = self._column_before(cue, counted=counted)
        kinds = self._kinds(*values)
        ref = self._comparable(named, kinds) if named is not None else None
        if ref is None and following is not None and self.mentions[following].kind == "schema":
            if counted:
                self._count_compare(index, cue, following, operator)
                return
            ref = self._comparable(following, kinds)
            named = following if ref is not None else named
        if ref is None:
            # A text that holds dates is of no kind that is compared, and may be said all the same.
            ref, said = self._unnamed(index, dimension), named
            named = said if ref is not None and said is not None and self._says(said, ref) else None
        if ref is not None:
            self.mentions[cue].use = "condition"
            self._add_condition(index, ref, operator, values, named=named)  # type: ignore[arg-type]

    def _compare_whole(self, index: int, cue: Mention) -> None:
        """Read `above the average age`."""
        function = self.mentions[index + 1]
        if self.at(index + 2).kind != "schema" or self.is_table(index + 2) or cue.operator == "between":
            return
        ref = self.column(index + 2, kinds=("number",))
        if ref is not None:
            cue.use = function.use = self.mentions[index + 2].use = "condition"
            condition = Condition(ref, cue.operator, (), function.carried)  # type: ignore[arg-type]
            self._conditions.append((index, condition, False))
            before = self._column_before(index, counted=False)
            if before is not None and self._says(before, ref):
                # `pages above the average pages` says the column twice.
                self.mentions[before].use = "condition"

    def _says(self, index: int, ref: Ref) -> bool:
        """Return whether the mention may stand for the column."""
        return any((c.table, c.column) == (ref.table, ref.column) for c in self.mentions[index].columns)

    def _column_before(self, cue: int, *, counted: bool) -> int | None:
        """Return the column that stands before a comparison (`sales more than 300`)."""
        before = self._before(cue)
        if before is not None and self.mentions[before].is_cue("compare"):
            before = self._before(before)
        if before is None or self.mentions[before].kind != "schema" or self.is_table(before):
            return None
        if self.mentions[before].use not in (None, "condition") or (counted and self.at(cue - 1).is_cue("opener")):
            return None
        return before

    def _unnamed(self, index: int, dimension: list[str]) -> Ref | None:
        """Return the column of a comparison that names none: an age, a date, or the one that was compared before."""
        ref = None
        if dimension == ["age"]:
            ref = self.find_column(("age",), self.main)
        elif dimension == ["date"] or self._is_year(self.mentions[index].number):
            ref = self.date_column(self.main, index)
        if ref is None and self._last is not None and index - self._last[0] <= _NEAR:
            ref = self._last[1].ref
        return ref

    def _count_compare(self, index: int, cue: int, following: int, operator: str) -> None:
        table = self.table_of(following)
        for other in (index, cue, following):
            self.mentions[other].use = "condition"
        number = self.mentions[index].number or 0.0
        self.query.having.append(Having(Output(None, "count", table=table), operator, number))  # type: ignore[arg-type]

    def _may_compare(self, index: int, kinds: Sequence[str]) -> bool:
        return any(
            self.context.schema.field(c.table, c.column or "").kind in kinds for c in self.mentions[index].columns
        )

    def _comparable(self, index: int, kinds: Sequence[str]) -> Ref | None:
        return self.column(index, kinds=kinds) if self._may_compare(index, kinds) else None

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
        role = self.context.role(self.main, hit.table, direction)
        told = None if role else self.context.told_role(self.main, hit.table, self._around(index))
        ref = Ref(hit.table, hit.column, role or told)
        if direction is not None and (ref.role or self.context.directed(hit.column, direction)):
            direction_cue = self.mentions[self._direction_at]
            direction_cue.use = direction_cue.use or "condition"
        elif told is None and self.main is not None and len(self.context.graph.roles(self.main, hit.table)) > 1:
            self.doubts.add(0.3, f"it is not said by which column `{self.main}` meets `{hit.table}`")
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

    def _around(self, index: int) -> list[Mention]:
        """Return the mentions next to a value, the one after it first, up to the next value."""
        after: list[Mention] = []
        for mention in self.mentions[index + 1 : index + _AROUND]:
            if mention.kind in ("value", "number"):
                break
            after.append(mention)
        before: list[Mention] = []
        for mention in reversed(self.mentions[max(index - _AROUND, 0) : index]):
            if mention.kind in ("value", "number"):
                break
            before.append(mention)
        both = [m for pair in itertools.zip_longest(after, before) for m in pair]
        return [m for m in both if m is not None]

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
        for position, (_, found, negated) in enumerate(self._conditions):
            condition, ref = found, found.ref
            several = bool(self.main) and ref.table != self.main and self.context.multiplies(self.main or "", ref.table)
            if negated and several and condition.operator == "=":
                self.query.absences.append(Absence(ref.table, (condition,)))
                continue
            if position in self._both and several:
                self.query.presences.extend((Condition(ref, "=", (value,)),) for value in condition.values)
                continue
            if position and self._or_before(position) and self.query.where and not negated:
                self.query.where[-1] = (*self.query.where[-1], condition)
                continue
            if negated:
                opposite = {"=": "!=", ">": "<=", "<": ">=", ">=": "<", "<=": ">"}
                condition = Condition(ref, opposite.get(condition.operator, "!="), condition.values)  # type: ignore[arg-type]
            self.query.where.append((condition,))

    def _or_before(self, position: int) -> bool:
        """Return whether a condition is an alternative of the one before: `before 2000 or with more than 500 seats`."""
        start, end = self._conditions[position - 1][0], self._conditions[position][0]
        between = self.mentions[start + 1 : end]
        return any(m.is_cue("or") for m in between) and not any(m.is_cue("and", "stop-sentence") for m in between)

    # Relations ---------------------------------------------------------------------------------------------

    def read_relations(self) -> None:
        """Read `that do not have any song` and `that have songs`."""
        for index, mention in enumerate(self.mentions):
            if not mention.is_cue("not") or mention.use is not None:
                continue
            tables = [
                i
                for i in range(index + 1, min(index + 6, len(self.mentions)))
                if self.is_table(i) and self.mentions[i].use in (None, "modifier", "condition")
            ]
            # `except for halls having a gig`: the table that is lacking is the other one.
            target = next((i for i in tables if self.table_of(i) != self.main), tables[0] if tables else None)
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
