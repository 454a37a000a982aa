"""An English question read as a query: what is asked for, and the whole."""

from __future__ import annotations

from debriefer.linking.words import split_name
from debriefer.offline.english_ranking import Rankings
from debriefer.offline.lexicon_english import BEYOND, LIGHT_WORDS, PLACE_WORDS, YES_NO
from debriefer.offline.linking import Mention
from debriefer.offline.model import Aggregate, Condition, Output, Query, Ranking, Ref

# A column that is asked for by less of its name than this is no answer.
_PART = 0.6
# Words that ask for the key itself.
_KEY_WORDS = frozenset(("id", "ids", "key", "code", "codes", "number", "numbers"))
_OPENERS = ("opener", "who", "where")


class EnglishReader(Rankings):
    """Reads one question; `read` may be called once."""

    def read(self) -> Query:
        """Return the query; what it rests on is in `mentions`, what is doubtful in `doubts`."""
        self.find_tables()
        self.read_conditions()
        self.read_sorts()
        self.read_groups()
        self.read_supers()
        self.read_relations()
        self._read_outputs()
        self._finish()
        return self.query

    # Outputs -----------------------------------------------------------------------------------------------

    def _read_outputs(self) -> None:
        self.query.outputs.extend(Output(ref) for ref in self._group_outputs)
        head = self._named_head()
        if head is not None:
            self.mentions[head].use = "output"
            for ref in self.names_of(self.table_of(head)):
                self._add(Output(ref))
        asked = True
        index = 0
        while index < len(self.mentions):
            mention = self.mentions[index]
            if mention.is_cue(*_OPENERS) and self.query.outputs:
                asked = False
            elif mention.is_cue("stop-sentence", "which", "count") or (
                mention.is_cue("and")
                and index + 1 < len(self.mentions)
                and self.mentions[index + 1].is_cue("which", "count")
            ):
                asked = True
            if mention.use is None:
                index = self._output(index, mention, asked)
            else:
                index += 1

    def _named_head(self) -> int | None:
        """Return the table that is asked for beside a column of it: `the cities and their population`."""
        schema = [i for i, m in enumerate(self.mentions) if m.kind == "schema" and m.use in (None, "output")]
        if not schema or not self.is_table(schema[0]) or self.query.outputs:
            return None
        head = schema[0]
        before = self.mentions[head - 1] if head else None
        if before is not None and not before.is_cue("which", "distinct"):
            return None
        columns = [i for i in schema if i > head and not self.is_table(i)]
        return head if columns and self.mentions[columns[0] - 1].is_cue("and") else None

    def _output(self, index: int, mention: Mention, asked: bool) -> int:
        if mention.is_cue("count"):
            return self._count(index, mention)
        if mention.is_cue("aggregate") or (mention.is_cue("super") and "super" not in mention.alternatives):
            return self._aggregates(index)
        if mention.is_cue("super"):
            return self._aggregates(index)
        if mention.is_cue("when"):
            ref = self.date_column(self.main, index)
            mention.use = "output"
            if ref is not None:
                mention.choice = f"{ref.table}.{ref.column}"
                self._add(Output(ref))
            else:
                self.doubts.add(0.4, "no column tells when")
        elif mention.is_cue("where") and index == 0:
            ref = next((r for w in PLACE_WORDS if (r := self.find_column((w,), self.main)) is not None), None)
            mention.use = "output"
            if ref is not None:
                self._add(Output(ref))
            else:
                self.doubts.add(0.4, "no column tells where")
        elif mention.kind == "schema":
            self._plain(index, mention, asked)
        return index + 1

    def _plain(self, index: int, mention: Mention, asked: bool) -> None:
        if self.is_table(index):
            return
        ref = self.column(index)
        if ref is None:
            return
        if mention.score < _PART and mention.candidates[0].score < _PART:
            mention.use = "unread"
            self.doubts.add(0.2, f"`{mention.text}` was not understood")
            return
        if not asked and (flag := self.context.field(ref).flag) is not None:
            self._conditions.append((index, Condition(ref, "=", (flag[self._negated(index)],)), False))
            self.query.where.append((self._conditions[-1][1],))
            mention.use = "condition"
            return
        if not asked:
            self.doubts.add(0.25, f"`{mention.text}` is neither asked for nor compared")
            mention.use = "unread"
            return
        mention.use = "output"
        refs = [ref]
        if mention.text.lower() in ("name", "names") and (ref.table == self.main or not self.main):
            names = self.context.names(ref.table)
            if ref in names:
                refs = names
        for one in self._told(ref, mention) or refs:
            self._add(Output(one))

    def _told(self, ref: Ref, mention: Mention) -> list[Ref]:
        """Return the names of the rows that a referring column stands for: `eye colour` is no `eye_colour_id`."""
        target = self.context.target(ref.table, ref.column)
        found = self.context.field(ref)
        if target is None or not found.key or set(split_name(mention.text)) & _KEY_WORDS:
            return []
        names = self.context.names(target)
        if any(name.table != target for name in names) or not self.context.entity(target).named:
            return []
        role = ref.column if len(self.context.graph.roles(ref.table, target)) > 1 else None
        return [Ref(name.table, name.column, role) for name in names]

    def _add(self, output: Output) -> None:
        if output not in self.query.outputs:
            self.query.outputs.append(output)

    def _count(self, index: int, mention: Mention) -> int:
        """Read what is counted; return the index of the next mention to read."""
        mention.use = "output"
        cursor = index + 1
        distinct = False
        while self.at(cursor).is_cue("distinct", "of", "exists", "each", "and", "comma"):
            if self.at(cursor).is_cue("distinct"):
                distinct = True
                self.mentions[cursor].use = "output"
            cursor += 1
        if self.at(cursor).kind == "value" and self.at(cursor).use == "condition" and self.at(cursor + 1).tables:
            # `how many paid orders`
            cursor += 1
        if (
            self.at(cursor).is_cue("aggregate")
            and self.at(cursor + 1).kind == "schema"
            and not self.is_table(cursor + 1)
        ):
            # `how many total points`
            return self._aggregates(cursor)
        if index and self.at(cursor).use == "condition" and not self.is_table(cursor):
            # `with a number of seats between 100 and 500`
            mention.use = "condition"
            return cursor + 1
        last = self._counted(cursor, mention, distinct=distinct)
        if last is not None:
            return last + 1
        if self.main is not None:
            self._add(Output(None, "count", table=self.main))
        following = self.at(cursor)
        told = following.kind == "fact" or (following.kind == "schema" and self.is_table(cursor))
        told = told or (following.kind == "value" and len(self.known) == 1)
        if self.main is not None and following.use is not None and told:
            # `how many paid orders in 2024`, `how many prime goods`: what is counted also chooses the rows.
            return max(cursor, index + 1)
        if self.main is None or (mention.carried != "times" and not self._said_before(index)):
            self.doubts.add(0.2 if self.main is not None else 0.5, "it is not said what is counted")
        return max(cursor, index + 1)

    def _counted(self, cursor: int, cue: Mention, *, distinct: bool) -> int | None:
        """Add counts of the tables and columns from `cursor` on; return the index of the last one."""
        last = None
        while self.at(cursor).kind == "schema" and self.at(cursor).use is None:
            following = self.following_column(cursor) if self.is_table(cursor) else None
            if following is not None and self.mentions[following].use is None:
                self.mentions[cursor].use = "modifier"
                cursor = following
            if not self._count_one(cursor, cue, distinct=distinct):
                break
            self.mentions[cursor].use = "output"
            last = cursor
            # `how many different series and contents`
            if not (distinct and self.at(cursor + 1).is_cue("and")):
                break
            cursor += 2
        return last

    def _count_one(self, index: int, cue: Mention, *, distinct: bool) -> bool:
        if self.is_table(index):
            table = self.table_of(index)
            self._add(Output(None, "count", table=table))
            if self.query.entity is None and not self.query.group:
                self.query.entity = table
            return True
        ref = self.column(index)
        if ref is None:
            return False
        found, text = self.context.field(ref), self.mentions[index].text
        if found.numeric and found.kind == "number" and not found.key and not distinct:
            total = "total" in cue.text.lower()
            self.doubts.add(0.04, f"`{text}` is taken for a number that the table holds")
            self._add(Output(ref, "sum" if total else None))
        else:
            self.doubts.add(0.0 if distinct else 0.1, f"`{text}` is counted once a value")
            self._add(Output(ref, "count", distinct=True))
        return True

    def _said_before(self, index: int) -> bool:
        return any(m.kind == "schema" for m in self.mentions[:index])

    def _aggregates(self, index: int) -> int:
        """Read functions and what they are taken of; return the index of the next mention to read."""
        functions: list[tuple[Aggregate, Mention]] = []
        cursor = index
        while self.at(cursor).is_cue("aggregate", "super", "and", "comma", "of"):
            mention = self.mentions[cursor]
            if mention.use is None and mention.is_cue("aggregate"):
                functions.append((mention.carried, mention))  # type: ignore[arg-type]
            elif mention.use is None and mention.is_cue("super"):
                functions.append(("max" if mention.carried.startswith("desc") else "min", mention))
            cursor += 1
        if self.at(cursor).is_cue("count") and self.at(cursor + 1).kind == "schema" and not self.is_table(cursor + 1):
            # `the average number of pages`
            self.mentions[cursor].use = "output"
            cursor += 1
        target = cursor
        if self.at(target).kind == "schema" and self.is_table(target) and (following := self.following_column(target)):
            self.mentions[target].use = "modifier"
            target = following
        named = self.at(target).kind == "schema" and not self.is_table(target)
        ref = self.column(target, kinds=("number", "date")) if named else None
        if ref is None:
            self.doubts.add(0.45, f"`{functions[0][1].text if functions else ''}` is taken of nothing that is a number")
            return max(cursor, index + 1)
        self.mentions[target].use = "output"
        for function, mention in functions:
            mention.use = "output"
            mention.choice = f"{function}({ref.table}.{ref.column})"
            self._add(Output(ref, function))
        return self._joined(target, [function for function, _ in functions]) + 1

    def _joined(self, target: int, functions: list[Aggregate]) -> int:
        """Read `the average age and weight of pets`; return the index of the last column."""
        while (
            self.at(target + 1).is_cue("and", "comma")
            and self.at(target + 2).kind == "schema"
            and self.at(target + 2).use is None
            and not self.is_table(target + 2)
            and (other := self.column(target + 2, kinds=("number",))) is not None
        ):
            target += 2
            self.mentions[target].use = "output"
            for function in functions:
                self._add(Output(other, function))
        return target

    # The whole ---------------------------------------------------------------------------------------------

    def _finish(self) -> None:
        query = self.query
        if not query.outputs:
            self._default_outputs()
        self._forget_groups()
        self._choose_entity()
        counts = any(o.aggregate == "count" for o in query.outputs)
        if query.having and counts and all(o.aggregate is not None for o in query.outputs):
            self.doubts.add(0.5, "groups are to be counted")
        for mention in self.mentions:
            if mention.is_cue("distinct"):
                query.distinct = True
                mention.use = mention.use or "distinct"
        self._drop_repeated()
        self._check_wording()
        self._decide_groups()
        self.context.echoes(query, self.doubts)
        first = next((o for o in query.outputs if o.ref is not None), None)
        if self._alphabetical is not None and first is not None:
            query.rankings.append(Ranking(first, self._alphabetical, None))
        self._charge_unread()

    def _forget_groups(self) -> None:
        """Drop the groups of a question that takes no figure of them: `the names for every singer`."""
        query = self.query
        figures = [*query.outputs, *(r.what for r in query.rankings), *(h.what for h in query.having)]
        if not any(output.aggregate for output in figures):
            query.group = []

    def _choose_entity(self) -> None:
        """Decide which table's rows the question is on."""
        query = self.query
        plain = [o.ref.table for o in query.outputs if o.aggregate is None and o.ref is not None]
        ranked = [r for r in query.rankings if r.what.aggregate == "count"]
        if ranked and plain and not query.group and plain[0] != ranked[0].what.table:
            query.entity = plain[0]
        if query.entity is None:
            counted = [o.table for o in query.outputs if o.aggregate == "count" and o.ref is None]
            if counted and len(counted) < len(query.outputs):
                query.entity = counted[0]
            elif plain:
                query.entity = self.main if self.main in plain else plain[0]
            else:
                query.entity = self.main

    def _decide_groups(self) -> None:
        """Decide whether groups are rows of the entity or values of a column."""
        query = self.query
        counted = {o.table for o in query.outputs if o.aggregate} | {h.what.table for h in query.having}
        counted |= {r.what.table for r in query.rankings if r.what.aggregate}
        query.per_row = query.entity in self.spoken and query.entity not in counted
        if query.group and query.entity is not None:
            names = self.context.names(query.entity)
            query.per_row = query.per_row and all(ref in names for ref in query.group)

    def _drop_repeated(self) -> None:
        """Leave out columns that a count only passes by, those that are compared among them."""
        query = self.query
        counts = bool(query.outputs) and query.outputs[0].aggregate == "count"
        if counts:
            compared = {c.ref for w in query.where for c in w if c.operator == "=" and len(w) == 1}
            query.outputs = [o for o in query.outputs if o.ref not in compared or o.aggregate or o.ref in query.group]
        if counts and len(query.outputs) > 1 and not query.group:
            linked = any(m.is_cue("and", "comma") or (m.is_cue("which") and n > 0) for n, m in enumerate(self.mentions))
            if not linked:
                self.doubts.add(0.2, "columns are named beside the count that are not asked for")
                query.outputs = query.outputs[:1]
        for ranking in query.rankings:
            ref = ranking.what.ref
            ranked = ranking.limit is not None and ranking.what.aggregate is None
            if ranked and ref is not None and self.context.field(ref).kind == "text":
                self.doubts.add(0.4, f"`{ref.table}.{ref.column}` holds no numbers to rank by")

    def _check_wording(self) -> None:
        """Note words that ask for more than a rule here can do, and questions that ask for yes or no."""
        first = self.all_mentions[0].text.lower().split()[:1] if self.all_mentions else []
        if first and first[0] in YES_NO:
            self.doubts.add(0.5, "the question asks for yes or no")
        for mention in self.mentions:
            words = set(mention.text.lower().replace("-", " ").split())
            if mention.use in (None, "unread") and mention.kind in ("unread", "cue") and words & BEYOND:
                self.doubts.add(0.5, f"`{mention.text}` asks for more than the rules can do")
        plural = any(o.aggregate for o in self.query.outputs) or self.query.group or self.query.where
        if not plural and not self.query.rankings and not self.query.absences:
            opening = " ".join(m.text.lower() for m in self.all_mentions[:2])
            if opening.startswith(("what is", "what was", "who is", "who was")):
                self.singular = True

    def _default_outputs(self) -> None:
        table = self._asked_table() or self.main
        if table is None:
            self.doubts.add(0.6, "the question names no table or column")
            return
        self.query.outputs = [Output(ref) for ref in self.names_of(table)]
        self.query.entity = self.query.entity or table
        self.doubts.add(0.05, "no column is asked for; the name is given")

    def _asked_table(self) -> str | None:
        for index, mention in enumerate(self.mentions):
            if mention.kind == "schema" and self.is_table(index) and mention.use in (None, "group", "output"):
                mention.use = mention.use or "output"
                return self.table_of(index)
        return None

    def _charge_unread(self) -> None:
        for index, mention in enumerate(self.mentions):
            if mention.use is not None and mention.use != "unread":
                continue
            if mention.kind == "unread" and mention.text.lower() not in LIGHT_WORDS:
                # A name, a code or a date of which nothing is known chooses rows.
                proper = (mention.text[:1].isupper() and index > 0) or any(c.isdigit() for c in mention.text)
                self.doubts.add(0.35 if proper else 0.15, f"`{mention.text}` was not understood")
            elif mention.kind in ("number", "value") and mention.use is None:
                self.doubts.add(0.4, f"`{mention.text}` is compared with no column")
            elif (
                mention.is_cue("compare", "like", "not", "super", "common", "each", "aggregate", "both")
                and mention.use is None
            ):
                self.doubts.add(0.3, f"`{mention.text}` was not used")
