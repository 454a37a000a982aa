"""A Chinese question read as a query: what is asked for, and the whole."""

from __future__ import annotations

from debriefer.linking.words import compact
from debriefer.offline.chinese_names import GOOD
from debriefer.offline.chinese_ranking import ChineseRankings
from debriefer.offline.lexicon_chinese import DATE_ENDINGS, PERSON_ENDINGS, PLACE_ENDINGS
from debriefer.offline.linking import Mention
from debriefer.offline.model import Output, Query, Ref

# Words that tell when or where stand at most so many mentions from their column.
_NEAR = 4
_ASKING = ("which", "who", "when", "where", "how-much", "count")


class ChineseReader(ChineseRankings):
    """Reads one question; `read` may be called once."""

    def read(self) -> Query:
        """Return the query; what it rests on is in `mentions`, what is doubtful in `doubts`."""
        self.find_clauses()
        self.find_tables()
        self.read_conditions()
        self.read_sorts()
        self.read_groups()
        self.read_supers()
        self._read_aggregates()
        self.read_relations()
        self._read_outputs()
        self._finish()
        return self.query

    # Aggregates --------------------------------------------------------------------------------------------

    def _read_aggregates(self) -> None:
        for index, mention in enumerate(self.mentions):
            if not mention.is_cue("aggregate", "max") or mention.use is not None or not self.asked(index):
                continue
            target = self.next_schema(index, within=2, kinds=("number",))
            if target is None:
                target = self.measure_before(index) if mention.text.endswith(("值", "和", "计")) else None
            if target is None or self.is_table(target):
                if mention.carried == "avg":
                    self.doubts.add(0.4, f"`{mention.text}` is taken of nothing that is a number")
                continue
            ref = self.column(target, kinds=("number",))
            if ref is None:
                continue
            mention.use = self.mentions[target].use = "output"
            self.add(Output(ref, mention.carried), index)  # type: ignore[arg-type]

    # Outputs -----------------------------------------------------------------------------------------------

    def _read_outputs(self) -> None:
        for index, mention in enumerate(self.mentions):
            if mention.use is not None or not mention.is_cue(*_ASKING):
                continue
            if mention.is_cue("count"):
                self._count(index, mention)
            elif mention.is_cue("how-much"):
                self._how_much(index, mention)
            elif mention.is_cue("which"):
                self._which(index, mention)
            elif mention.is_cue("when"):
                self._adverb(index, mention, DATE_ENDINGS, "when")
            elif mention.is_cue("where"):
                self._adverb(index, mention, PLACE_ENDINGS, "where")
            else:
                self._who(index, mention)
        if any(m.is_cue("all-columns") and not m.carried for m in self.mentions) and not self.outputs:
            self._all_columns()
        if not self.outputs or not any(m.is_cue(*_ASKING) and m.use for m in self.mentions):
            self._listed()

    def _count(self, index: int, mention: Mention) -> None:
        mention.use = "output"
        target = self.next_schema(index, within=4, stop_at_values=False)
        if target is None or self.mentions[target].use == "condition":
            target = self._free_before(index)
        if target is None:
            people = self._people(index) if mention.text.endswith("人") else None
            if people is not None:
                self.add(Output(people), index)
            elif self.main is not None:
                self.add(Output(None, "count", table=self.main), index)
                self.doubts.add(0.1, "it is not said what is counted")
            else:
                self.doubts.add(0.5, "it is not said what is counted")
            return
        found = self.mentions[target]
        number = self.column(target, kinds=("number",), quiet=True)
        best = max(
            (c.score for c in found.columns if number and (c.table, c.column) == (number.table, number.column)),
            default=0.0,
        )
        table_score = found.tables[0].score if found.tables else 0.0
        if number is not None and (best > table_score or (best >= GOOD and table_score < 1)):
            found.use = "output"
            found.choice = f"{number.table}.{number.column}"
            everything = not self.query.where and not self.group_refs
            self.add(Output(number, "sum" if everything and self._whole(index) else None), index)
            return
        if self.is_table(target):
            found.use = "output"
            self.add(Output(None, "count", table=self.table_of(target)), index)
            return
        ref = self.column(target)
        if ref is not None:
            found.use = "output"
            self.doubts.add(0.1, f"`{found.text}` is counted once a value")
            self.add(Output(ref, "count", distinct=True), index)

    def _people(self, index: int) -> Ref | None:
        """Return the number of people that `招多少人` asks for, by the words of the clause."""
        table = self.value_table() or self.main
        said = {c for i, m in enumerate(self.mentions) if self.clause(i) == self.clause(index) for c in m.text}
        if table is None:
            return None
        fields = [
            f for f in self.context.entity(table).fields.values() if f.kind == "number" and "人数" in compact(f.name)
        ]
        scored = sorted(fields, key=lambda f: -len(said & set(compact(f.name)) - set("人数")))
        if len(scored) > 1:
            self.doubts.add(0.1, f"`{table}` has more than one number of people")
        return Ref(table, scored[0].name) if scored else None

    def _whole(self, index: int) -> bool:
        """Return whether a total over all rows is asked for."""
        near = [*self.mentions[max(0, index - 3) : index], self.mentions[index]]
        return any("共" in m.text or "总" in m.text for m in near)

    def _how_much(self, index: int, mention: Mention) -> None:
        mention.use = "output"
        adjective = self._adjective(mention.carried)
        if adjective is not None:
            self.add(Output(adjective), index)
            return
        if any(o.aggregate and self.clause(at) == self.clause(index) for at, o in self.outputs):
            return  # `平均单价是多少` is read as an aggregate
        before, after = self._free_before(index), self.next_schema(index, within=2)
        for target in (after, before) if after is not None else (before,):
            if target is None:
                continue
            ref = self.column(target, kinds=("number",), quiet=True) or (
                None if self.is_table(target) else self.column(target)
            )
            if ref is not None and (not self.is_table(target) or self.mentions[target].columns[0].score >= GOOD):
                self.mentions[target].use = "output"
                self.mentions[target].choice = f"{ref.table}.{ref.column}"
                summed = self._whole(index) and self.context.field(ref).kind == "number"
                self.add(Output(ref, "sum" if summed else None), index)
                self._chain(target)
                if target < index:
                    self._chain_back(target)
                return
        if before is not None and self.is_table(before) and (ref := self._inside(before)) is not None:
            # A table called `信教比例` holds the share in a column `比例`.
            self.mentions[before].use = "output"
            self.add(Output(ref), index)
            return
        if after is not None and self.is_table(after):
            self.mentions[after].use = "output"
            self.add(Output(None, "count", table=self.table_of(after)), index)
            return
        self.doubts.add(0.4, f"`{mention.text}` asks for nothing that is a number")

    def _adjective(self, carried: str) -> Ref | None:
        """Return the column that `多大` or `多少钱` asks for."""
        words = {
            "price": ("价", "费", "薪"),
            "age": ("年龄",),
            "height": ("高",),
            "duration": ("时长", "时间"),
            "length": ("长",),
        }
        found = (self.named(word, self.main) for word in words.get(carried, ()))
        return next((ref for ref in found if ref is not None), None)

    def _inside(self, index: int) -> Ref | None:
        table, text = self.table_of(index), self.mentions[index].text
        for field in self.context.entity(table).fields.values():
            if field.kind == "number" and not field.key and text.endswith(compact(field.name)):
                return Ref(table, field.name)
        return None

    def _chain(self, index: int) -> None:
        """Read what is joined to an output: `本科生和研究生`."""
        cursor = index
        while cursor + 2 < len(self.mentions) and self.mentions[cursor + 1].is_cue("and"):
            after = self.mentions[cursor + 2]
            if after.kind != "schema" or after.use is not None:
                return
            after.use = "output"
            for ref in self.refs_of(cursor + 2):
                self.add(Output(ref), cursor + 2)
            cursor += 2

    def _chain_back(self, index: int) -> None:
        """Read what is joined to an output that stands before the question word: `生产日期和投运日期，以及状态`."""
        cursor = index
        while True:
            joint = cursor - 1
            while joint >= 0 and self.mentions[joint].is_cue("and", "clause", "respectively", "of"):
                joint -= 1
            between = self.mentions[joint + 1 : cursor]
            if joint < 0 or not any(m.is_cue("and") for m in between):
                return
            before = self.mentions[joint]
            if before.kind != "schema" or before.use is not None or self.is_table(joint):
                return
            ref = self.column(joint)
            if ref is None:
                return
            before.use = "output"
            self.add(Output(ref), joint)
            cursor = joint

    def _free_before(self, index: int) -> int | None:
        for other in range(index - 1, -1, -1):
            mention = self.mentions[other]
            if mention.is_cue("clause"):
                return None
            if mention.kind == "schema" and mention.use is None:
                return other
        return None

    def _which(self, index: int, mention: Mention) -> None:
        mention.use = "output"
        target = self.next_schema(index, within=5, stop_at_values=False, free=True)
        if target is None:
            target = self._free_before(index)
        if target is None:
            if mention.carried == "place":
                self._adverb(index, mention, PLACE_ENDINGS, "where")
            return
        following = target + 1
        while following < len(self.mentions) and self.mentions[following].is_cue("of", "name"):
            following += 1
        self.mentions[target].use = "output"
        if target < index and not self.is_table(target):
            self._chain_back(target)
        if any(m.is_cue("all-columns") and not m.carried for m in self.mentions[target : target + 3]) and self.is_table(
            target
        ):
            self._all_columns(self.table_of(target))
            return
        for ref in self.refs_of(target):
            self.add(Output(ref), index)
        self._chain(target)

    def _adverb(self, index: int, mention: Mention, endings: tuple[str, ...], what: str) -> None:
        mention.use = "output"
        nearest = sorted(
            (i for i, m in enumerate(self.mentions) if m.kind == "schema" and m.use is None and m.columns),
            key=lambda i: (abs(i - index), i),
        )
        for other in nearest:
            if abs(other - index) > _NEAR:
                break
            fitting = [c for c in self.mentions[other].columns if c.column and self._ends(c.table, c.column, endings)]
            if fitting:
                self.mentions[other].candidates = tuple(fitting)
                ref = self.column(other)
                if ref is not None:
                    self.mentions[other].use = "output"
                    self.add(Output(ref), index)
                    return
        table = self.value_table() or self.main
        if table is not None:
            fields = [f for f in self.context.entity(table).fields.values() if self._ends(table, f.name, endings)]
            fields = [f for f in fields if not f.key and Ref(table, f.name) not in self.conditioned()]
            if fields:
                if len(fields) > 1:
                    self.doubts.add(0.2, f"`{table}` has more than one column that tells {what}")
                self.add(Output(Ref(table, fields[0].name)), index)
                return
        self.doubts.add(0.4, f"no column tells {what}")

    def _ends(self, table: str, column: str, endings: tuple[str, ...]) -> bool:
        field = self.context.schema.field(table, column)
        return compact(column).endswith(endings) or (endings is DATE_ENDINGS and field.kind == "date")

    def _who(self, index: int, mention: Mention) -> None:
        mention.use = "output"
        for target in (self.next_schema(index, within=3, free=True), self._free_before(index)):
            if target is None:
                continue
            refs = self.refs_of(target)
            if refs:
                self.mentions[target].use = "output"
                for ref in refs:
                    self.add(Output(ref), index)
                return
        table = self.main
        persons = []
        for name in dict.fromkeys([*([table] if table else []), *self.known, *self.context.schema.entities]):
            persons += [
                Ref(name, f.name)
                for f in self.context.entity(name).name_fields
                if compact(f.name).endswith(PERSON_ENDINGS)
            ]
        if persons:
            self.add(Output(persons[0]), index)
            self.doubts.add(0.1, "`谁` is taken for the one person that the tables name")
        elif table is not None:
            for ref in self.context.names(table):
                self.add(Output(ref), index)

    def _all_columns(self, table: str | None = None) -> None:
        table = table or self.main or self.value_table()
        if table is None:
            return
        for mention in self.mentions:
            if mention.is_cue("all-columns"):
                mention.use = "output"
            elif (
                mention.kind == "schema"
                and mention.use is None
                and mention.columns
                and not self.is_table(self.mentions.index(mention))
            ):
                return
        for field in self.context.entity(table).fields.values():
            self.add(Output(Ref(table, field.name)), 0)

    def _listed(self) -> None:
        """Take what is named without a question word: `列出所有城市名称和它们的所属省份`."""
        if not self.outputs and self.clauses_with_schema():
            for index, mention in enumerate(self.mentions):
                if mention.kind != "schema" or mention.use is not None or not self.asked(index):
                    continue
                if self.is_table(index) and self._has_later_column(index):
                    mention.use = "entity"
                    continue
                mention.use = "output"
                for ref in self.refs_of(index):
                    self.add(Output(ref), index)
            self._name_rows()

    def _name_rows(self) -> None:
        """Give the names of the rows too where a property of all of them is asked for (`食物的功效`)."""
        refs = [o.ref for _, o in self.outputs if o.ref is not None]
        if self.query.where or self.query.rankings or self.main is None or self.main not in self.spoken or not refs:
            return
        names = self.context.names(self.main)
        if all(ref.table == self.main and ref not in names for ref in refs) and names[0].table == self.main:
            self.outputs = [*((0, Output(name)) for name in names), *self.outputs]

    def _has_later_column(self, index: int) -> bool:
        """Return whether a column of this table follows, so that the table only says whose it is."""
        table = self.table_of(index)
        for other in range(index + 1, len(self.mentions)):
            mention = self.mentions[other]
            if mention.is_cue("and"):
                return False
            if mention.kind == "schema" and mention.use is None and not self.is_table(other):
                return any(c.table == table for c in mention.columns) or bool(mention.columns)
            if mention.is_cue("name"):
                return False
        return False

    # The whole ---------------------------------------------------------------------------------------------

    def _finish(self) -> None:
        query = self.query
        outputs = [o for _, o in sorted(self.outputs, key=lambda item: item[0])]
        grouped = [Output(ref) for ref in self.group_refs]
        query.outputs = [*dict.fromkeys([*grouped, *outputs])]
        if not query.outputs:
            table = self.main or self.value_table()
            if table is None:
                self.doubts.add(0.6, "the question names no table or column")
                return
            query.outputs = [Output(ref) for ref in self.names_of(table)]
            self.doubts.add(0.15, "nothing is asked for in so many words; the name is given")
        if any(m.is_cue("distinct") for m in self.mentions):
            query.distinct = True
        aggregated = any(o.aggregate for o in query.outputs)
        if aggregated:
            query.group = list(self.group_refs)
        plain = [o.ref for o in query.outputs if o.ref is not None and o.aggregate is None]
        counts = [o for o in query.outputs if o.aggregate == "count" and o.ref is None]
        if query.entity is None:
            if counts and not plain:
                query.entity = counts[0].table
            elif plain:
                query.entity = self.main if self.main in {ref.table for ref in plain} else plain[0].table
            else:
                query.entity = self.main
        ranked = [r for r in query.rankings if r.what.aggregate]
        query.per_row = (
            bool(ranked) and query.entity in self.spoken and query.entity not in {r.what.table for r in ranked}
        )
        self.context.echoes(query, self.doubts)
        self.pair_roles()
        self.charge_unread()
