"""An English question read as a query: outputs, groups, order."""

from __future__ import annotations

from debriefer.offline.english_conditions import Conditions
from debriefer.offline.lexicon_english import AGE_COLUMNS, BEYOND, BIRTH_COLUMNS, LIGHT_WORDS, PLACE_WORDS, YES_NO
from debriefer.offline.linking import Mention
from debriefer.offline.model import Condition, Output, Query, Ranking, Ref

# A column that is asked for by less of its name than this is no answer.
_PART = 0.6
_OPENERS = ("opener", "who", "where")


class EnglishReader(Conditions):
    """Reads one question; `read` may be called once."""

    def read(self) -> Query:
        """Return the query; what it rests on is in `mentions`, what is doubtful in `doubts`."""
        self.find_tables()
        self.read_conditions()
        self._read_sorts()
        self._read_groups()
        self._read_supers()
        self.read_relations()
        self._read_outputs()
        self._finish()
        return self.query

    # Order -------------------------------------------------------------------------------------------------

    def _read_sorts(self) -> None:
        for index, mention in enumerate(self.mentions):
            if not mention.is_cue("sort") or mention.use:
                continue
            mention.use = "sort"
            direction = mention.carried.replace("alpha", "").strip()
            alphabetical = "alpha" in mention.carried
            target: Output | None = None
            for other in range(index + 1, min(index + 7, len(self.mentions))):
                near = self.mentions[other]
                if near.is_cue("stop-sentence", "which"):
                    break
                if near.is_cue("direction", "sort"):
                    near.use = "sort"
                    alphabetical = alphabetical or "alpha" in near.carried
                    direction = direction or near.carried.replace("alpha", "").replace("age", "").strip()
                elif near.is_cue("count") and target is None:
                    table = self.table_after(other)
                    if table is not None:
                        near.use = "sort"
                        target = Output(None, "count", table=table)
                elif near.kind == "schema" and target is None and near.use is None:
                    if self.is_table(other) and self.following_column(other) is not None:
                        near.use = "modifier"
                        continue
                    ref = self.column(other)
                    if ref is not None:
                        near.use = "sort"
                        aggregate = self._aggregate_before(other)
                        target = Output(ref, aggregate)  # type: ignore[arg-type]
            if target is None and alphabetical:
                self._alphabetical = "desc" in direction
                continue
            if target is None:
                self.doubts.add(0.4, "the order is by something that is no column")
                continue
            self.query.rankings.append(Ranking(target, direction.startswith("desc"), None))

    def _aggregate_before(self, index: int) -> str | None:
        previous = self.mentions[index - 1] if index else None
        if previous is not None and previous.is_cue("aggregate") and previous.use is None:
            previous.use = "aggregate"
            return previous.carried
        return None

    # Groups ------------------------------------------------------------------------------------------------

    def _read_groups(self) -> None:
        for index, mention in enumerate(self.mentions):
            if not mention.is_cue("each") or mention.use:
                continue
            target = self.next_content(index)
            if target is None or self.mentions[target].kind != "schema":
                self.doubts.add(0.3, f"nothing to group by after `{mention.text}`")
                continue
            mention.use = "group"
            if self.is_table(target) and (following := self.following_column(target)) is not None:
                self.mentions[target].use = "modifier"
                target = following
            refs = self._group_refs(target)
            self.mentions[target].use = "group"
            for ref in refs:
                if ref not in self.query.group:
                    self.query.group.append(ref)
                    self._group_outputs.append(ref)

    def _group_refs(self, index: int) -> list[Ref]:
        if self.is_table(index):
            return self.context.names(self.table_of(index))
        ref = self.column(index)
        return [ref] if ref is not None else []

    _pending = 1

    # Superlatives ------------------------------------------------------------------------------------------

    def _read_supers(self) -> None:
        for index, mention in enumerate(self.mentions):
            if mention.use or mention.kind != "cue":
                continue
            if mention.is_cue("common"):
                self._common(index, mention)
            elif mention.is_cue("super") or (mention.is_cue("aggregate") and "super" in mention.alternatives):
                self._super(index, mention)

    def _common(self, index: int, mention: Mention) -> None:
        target = self.next_content(index)
        while target is not None and self.is_table(target) and (following := self.following_column(target)) is not None:
            self.mentions[target].use = "modifier"
            target = following
        if target is None or self.mentions[target].kind != "schema":
            self.doubts.add(0.4, f"nothing is ranked by `{mention.text}`")
            return
        mention.use = "rank"
        refs = self._group_refs(target)
        if not refs:
            return
        counted = self._counted_beside(refs[0].table)
        self.query.group = list(refs)
        limit = self._limit(index)
        self.query.rankings.append(
            Ranking(Output(None, "count", table=counted), mention.carried.startswith("desc"), limit)
        )

    def _counted_beside(self, table: str) -> str:
        """Return the table whose rows are counted: the entity where it is another one."""
        return self.main if self.main is not None else table

    def _limit(self, index: int) -> int:
        for other in (index + 1, index - 1, index + 2):
            if not 0 <= other < len(self.mentions):
                continue
            mention = self.mentions[other]
            if mention.kind == "number" and mention.use in (None, "limit") and mention.number is not None:
                if other == index + 2 and not self.mentions[index + 1].is_cue("super"):
                    continue
                if mention.number == int(mention.number) and 0 < mention.number <= 1000:  # noqa: PLR2004
                    mention.use = "limit"
                    return int(mention.number)
        return self._pending

    def _super(self, index: int, mention: Mention) -> None:
        carried = mention.alternatives.get("super", mention.carried).split()
        direction, dimensions = carried[0], carried[1:]
        limit = self._limit(index)
        cursor = index + 1
        while cursor < len(self.mentions) and (
            self.mentions[cursor].is_cue("super")
            or self.mentions[cursor].use == "limit"
            or (
                self.mentions[cursor].is_cue("aggregate")
                and cursor + 1 < len(self.mentions)
                and self.mentions[cursor + 1].kind == "schema"
            )
        ):
            carried = self.mentions[cursor].carried.split()
            if self.mentions[cursor].is_cue("super"):
                self.mentions[cursor].use = "rank"
                direction = carried[0] if carried else direction
                dimensions = carried[1:] or dimensions
            cursor += 1
        later = any(m.is_cue("super") and m.use is None for m in self.mentions[cursor:])
        following = self.next_content(cursor - 1)
        if (
            later
            and following is not None
            and self.mentions[following].kind == "schema"
            and mention.text.lower() == "top"
        ):
            # `the top 3 countries which have the most plants`: the later superlative says by what.
            mention.use = "rank"
            self._pending = limit
            return
        counting = False
        if cursor < len(self.mentions) and self.mentions[cursor].is_cue("count"):
            counting = True
            cursor += 1
        target = self.next_content(cursor - 1)
        if dimensions and dimensions != ["most"]:
            self._dimension(mention, direction, dimensions, target, limit)
            return
        if target is None or self.mentions[target].kind != "schema":
            if "aggregate" not in mention.alternatives:
                self._bare_super(mention, direction, limit)
            return
        table_first = self.is_table(target)
        modifier: int | None = None
        if table_first and (following := self.following_column(target)) is not None and not counting:
            modifier, target, table_first = target, following, False
        ref = None if table_first else self.column(target, kinds=("number", "date"))
        if ref is None and not table_first and dimensions != ["most"] and not counting:
            ref = self.column(target)
        if ref is not None and not counting:
            if limit == 1 and self._asked_for(index, target):
                return  # `what is the highest rating`: an aggregate, read with the outputs
            if modifier is not None:
                self.mentions[modifier].use = "modifier"
            mention.use = "rank"
            aggregate = self._aggregate_before(target)
            self.mentions[target].use = "rank"
            self.query.rankings.append(Ranking(Output(ref, aggregate), direction == "desc", limit))  # type: ignore[arg-type]
            return
        if table_first and (counting or dimensions == ["most"]):
            mention.use = "rank"
            self._mark_count(index)
            self.mentions[target].use = "rank"
            table = self.table_of(target)
            self.query.rankings.append(Ranking(Output(None, "count", table=table), direction == "desc", limit))
            return
        if dimensions == ["most"] or counting:
            refs = self._group_refs(target)
            if refs:
                mention.use = "rank"
                self._mark_count(index)
                if not any(m.kind == "schema" and m.use in (None, "output", "modifier") for m in self.mentions[:index]):
                    self.doubts.add(
                        0.35, f"it is not understood what has the {mention.text} `{self.mentions[target].text}`"
                    )
                self.query.rankings.append(
                    Ranking(
                        Output(None, "count", table=self._counted_beside(refs[0].table)), direction == "desc", limit
                    )
                )
                return
        self._bare_super(mention, direction, limit)

    def _mark_count(self, index: int) -> None:
        for other in (index + 1, index + 2):
            if other < len(self.mentions) and self.mentions[other].is_cue("count"):
                self.mentions[other].use = "rank"

    def _dimension(
        self, mention: Mention, direction: str, dimensions: list[str], target: int | None, limit: int
    ) -> None:
        """Rank by the column that an adjective measures: `oldest` by age or birth, `cheapest` by price."""
        table = self.main
        if target is not None and self.is_table(target):
            table = self.table_of(target)
        if direction in ("oldest", "youngest"):
            choices = [(words, direction == "oldest") for words in AGE_COLUMNS]
            choices += [(words, direction == "youngest") for words in BIRTH_COLUMNS]
        else:
            choices = [((word,), direction == "desc") for word in dimensions]
        if target is not None and self.mentions[target].kind == "schema" and not self.is_table(target):
            ref = self.column(target, kinds=("number", "date"))
            if ref is not None:
                mention.use = self.mentions[target].use = "rank"
                descending = direction in ("desc", "youngest") if direction != "oldest" else False
                self.query.rankings.append(Ranking(Output(ref), descending, limit))
                return
        for words, descending in choices:
            ref = self.find_column(words, table) if words != ("date",) else self.date_column(table)
            if ref is not None:
                mention.use = "rank"
                mention.choice = f"{ref.table}.{ref.column}"
                self.query.rankings.append(Ranking(Output(ref), descending, limit))
                return
        self.doubts.add(0.5, f"`{mention.text}` measures no column of `{table}`")

    def _bare_super(self, mention: Mention, direction: str, limit: int) -> None:
        self.doubts.add(0.4, f"`{mention.text}` ranks by nothing that is a column")
        mention.use = "unread"
        del direction, limit

    def _asked_for(self, index: int, target: int) -> bool:
        """Return whether the superlative is itself what is asked for (`what is the highest rating`)."""
        if target + 1 < len(self.mentions) and self.is_table(target + 1):
            return False
        previous = self.mentions[index - 1] if index else None
        return previous is None or previous.is_cue("which", "and", "comma", "aggregate", "stop-sentence")

    # Outputs -----------------------------------------------------------------------------------------------

    def _read_outputs(self) -> None:
        self.query.outputs.extend(Output(ref) for ref in self._group_outputs)
        head = self._named_head()
        if head is not None:
            self.mentions[head].use = "output"
            for ref in self.context.names(self.table_of(head)):
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
        for one in refs:
            self._add(Output(one))

    def _add(self, output: Output) -> None:
        if output not in self.query.outputs:
            self.query.outputs.append(output)

    def _count(self, index: int, mention: Mention) -> int:
        mention.use = "output"
        cursor = index + 1
        distinct = False
        while cursor < len(self.mentions) and self.mentions[cursor].is_cue(
            "distinct", "of", "exists", "each", "and", "comma"
        ):
            if self.mentions[cursor].is_cue("distinct"):
                distinct = True
                self.mentions[cursor].use = "output"
            cursor += 1
        if (
            cursor + 1 < len(self.mentions)
            and self.mentions[cursor].is_cue("aggregate")
            and not self.is_table(cursor + 1)
        ):
            # `how many total points`
            return self._aggregates(cursor)
        counted = False
        while (
            cursor < len(self.mentions) and self.mentions[cursor].kind == "schema" and self.mentions[cursor].use is None
        ):
            near = self.mentions[cursor]
            following = self.following_column(cursor) if self.is_table(cursor) else None
            if following is not None and following == cursor + 1 and self.mentions[following].use is None:
                near.use = "modifier"
                cursor = following
                continue
            if self.is_table(cursor):
                near.use = "output"
                table = self.table_of(cursor)
                counted = True
                self._add(Output(None, "count", table=table))
                if self.query.entity is None and not self.query.group:
                    self.query.entity = table
            else:
                ref = self.column(cursor)
                if ref is None:
                    break
                near.use = "output"
                counted = True
                found = self.context.field(ref)
                if found.numeric and not found.key and not distinct and found.kind == "number":
                    self.doubts.add(
                        0.2 if "total" in mention.text.lower() else 0.05,
                        f"`{near.text}` is taken for a number that the table holds",
                    )
                    self._add(Output(ref))
                else:
                    self._add(Output(ref, "count", distinct=True))
                    if not distinct:
                        self.doubts.add(0.1, f"`{near.text}` is counted once a value")
            # `how many different series and contents`
            if distinct and cursor + 2 < len(self.mentions) and self.mentions[cursor + 1].is_cue("and"):
                cursor += 2
                continue
            return cursor + 1
        if not counted:
            if self.main is not None:
                self._add(Output(None, "count", table=self.main))
                if mention.carried != "times" and not self._said_before(index):
                    self.doubts.add(0.2, "it is not said what is counted")
            else:
                self.doubts.add(0.5, "it is not said what is counted")
        return max(cursor, index + 1)

    def _said_before(self, index: int) -> bool:
        return any(m.kind == "schema" for m in self.mentions[:index])

    def _aggregates(self, index: int) -> int:
        functions: list[tuple[str, Mention]] = []
        cursor = index
        while cursor < len(self.mentions):
            mention = self.mentions[cursor]
            if mention.is_cue("aggregate") and mention.use is None:
                functions.append((mention.carried, mention))
            elif mention.is_cue("super") and mention.use is None:
                functions.append(("max" if mention.carried.startswith("desc") else "min", mention))
            elif not mention.is_cue("and", "comma", "of"):
                break
            cursor += 1
        target = cursor if cursor < len(self.mentions) else None
        if target is not None and self.is_table(target):
            following = self.following_column(target)
            if following is not None:
                self.mentions[target].use = "modifier"
                target = following
        ref = (
            self.column(target, kinds=("number", "date"))
            if target is not None and self.mentions[target].kind == "schema"
            else None
        )
        if ref is None or target is None:
            text = functions[0][1].text if functions else ""
            self.doubts.add(0.45, f"`{text}` is taken of nothing that is a number")
            return max(cursor, index + 1)
        self.mentions[target].use = "output"
        for function, mention in functions:
            mention.use = "output"
            mention.choice = f"{function}({ref.table}.{ref.column})"
            self._add(Output(ref, function))  # type: ignore[arg-type]
        # `the average age and weight of pets`
        while (
            target + 2 < len(self.mentions)
            and self.mentions[target + 1].is_cue("and", "comma")
            and self.mentions[target + 2].kind == "schema"
            and not self.is_table(target + 2)
            and self.mentions[target + 2].use is None
            and (other := self.column(target + 2, kinds=("number",))) is not None
        ):
            target += 2
            self.mentions[target].use = "output"
            for function, _ in functions:
                self._add(Output(other, function))  # type: ignore[arg-type]
        return target + 1

    # The whole ---------------------------------------------------------------------------------------------

    def _finish(self) -> None:
        query = self.query
        counts = [o for o in query.outputs if o.aggregate == "count" and o.ref is None]
        ranked_counts = [r for r in query.rankings if r.what.aggregate == "count"]
        if not query.outputs:
            self._default_outputs()
        if ranked_counts and not query.group:
            self._group_ranked(ranked_counts[0])
        if (
            query.having
            and any(o.aggregate == "count" for o in query.outputs)
            and not any(o.aggregate is None for o in query.outputs)
        ):
            self.doubts.add(0.5, "groups are to be counted")
        if counts and any(o.aggregate is None for o in query.outputs):
            query.entity = query.entity or counts[0].table
        plain = [o.ref for o in query.outputs if o.aggregate is None and o.ref is not None]
        if query.entity is None and plain:
            tables = [ref.table for ref in plain]
            query.entity = self.main if self.main in tables else tables[0]
        if query.entity is None:
            query.entity = self.main
        if any(m.is_cue("distinct") for m in self.mentions):
            query.distinct = True
            for m in self.mentions:
                if m.is_cue("distinct"):
                    m.use = m.use or "distinct"
        self._drop_repeated()
        self._check_wording()
        counted = {o.table for o in query.outputs if o.aggregate} | {h.what.table for h in query.having}
        counted |= {r.what.table for r in query.rankings if r.what.aggregate}
        query.per_row = query.entity in self.spoken and query.entity not in counted
        if query.group and query.entity is not None:
            names = self.context.names(query.entity)
            query.per_row = query.per_row and all(ref in names for ref in query.group)
        if self._alphabetical is not None:
            first = next((o for o in query.outputs if o.ref is not None), None)
            if first is not None:
                query.rankings.append(Ranking(first, self._alphabetical, None))
        self._charge_unread()

    def _drop_repeated(self) -> None:
        """Leave out columns that are compared, and columns that a count only passes by."""
        query = self.query
        compared = {c.ref for w in query.where for c in w if c.operator == "=" and len(w) == 1}
        kept = [o for o in query.outputs if o.ref not in compared or o.aggregate or o.ref in query.group]
        if kept:
            query.outputs = kept
        if len(query.outputs) > 1 and query.outputs[0].aggregate == "count" and not query.group:
            linked = any(m.is_cue("and", "comma") or (m.is_cue("which") and n > 0) for n, m in enumerate(self.mentions))
            if not linked:
                self.doubts.add(0.2, "columns are named beside the count that are not asked for")
                query.outputs = query.outputs[:1]
        for ranking in query.rankings:
            ref = ranking.what.ref
            if ranking.limit is not None and ref is not None and ranking.what.aggregate is None:
                if self.context.field(ref).kind == "text":
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
        self.query.outputs = [Output(ref) for ref in self.context.names(table)]
        self.query.entity = self.query.entity or table
        self.doubts.add(0.05, "no column is asked for; the name is given")

    def _asked_table(self) -> str | None:
        for index, mention in enumerate(self.mentions):
            if mention.kind == "schema" and self.is_table(index) and mention.use in (None, "group", "output"):
                mention.use = mention.use or "output"
                return self.table_of(index)
        return None

    def _group_ranked(self, ranking: Ranking) -> None:
        plain = [o.ref for o in self.query.outputs if o.aggregate is None and o.ref is not None]
        if not plain:
            return
        table = plain[0].table
        if ranking.what.table is not None and table != ranking.what.table:
            self.query.entity = table

    def _charge_unread(self) -> None:
        for index, mention in enumerate(self.mentions):
            if mention.use is not None and mention.use != "unread":
                continue
            if mention.kind == "unread" and mention.text.lower() not in LIGHT_WORDS:
                proper = mention.text[:1].isupper() and index > 0
                self.doubts.add(0.35 if proper else 0.15, f"`{mention.text}` was not understood")
            elif mention.kind in ("number", "value") and mention.use is None:
                self.doubts.add(0.4, f"`{mention.text}` is compared with no column")
            elif (
                mention.is_cue("compare", "like", "not", "super", "common", "each", "aggregate", "both")
                and mention.use is None
            ):
                self.doubts.add(0.3, f"`{mention.text}` was not used")
