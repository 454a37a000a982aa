"""How an English question orders, groups and ranks."""

from __future__ import annotations

from debriefer.offline.english_conditions import Conditions
from debriefer.offline.lexicon_english import AGE_COLUMNS, BIRTH_COLUMNS, SIZE_WORDS
from debriefer.offline.linking import Mention
from debriefer.offline.model import Aggregate, Output, Ranking, Ref

# How many mentions after `sorted by` may belong to it.
_SORT_SPAN = 7


class Rankings(Conditions):
    """The part of the English reader that finds orders, groups and superlatives."""

    # Order -------------------------------------------------------------------------------------------------

    def read_sorts(self) -> None:
        """Read by what the rows are to be ordered."""
        for index, mention in enumerate(self.mentions):
            if not mention.is_cue("sort") or mention.use:
                continue
            mention.use = "sort"
            target: Output | None = None
            said = [mention.carried]
            for other in range(index + 1, min(index + _SORT_SPAN, len(self.mentions))):
                near = self.mentions[other]
                if near.is_cue("stop-sentence", "which"):
                    break
                if near.is_cue("direction", "sort"):
                    near.use = "sort"
                    said.append(near.carried)
                elif target is None:
                    target = self._sort_key(other)
            words = " ".join(said).split()
            descending = next((w for w in words if w in ("asc", "desc")), "asc") == "desc"
            if target is not None:
                self.query.rankings.append(Ranking(target, descending, None))
            elif "alpha" in words:
                self._alphabetical = descending
            else:
                self.doubts.add(0.4, "the order is by something that is no column")

    def _sort_key(self, index: int) -> Output | None:
        near = self.mentions[index]
        if near.is_cue("count") and (table := self.table_after(index)) is not None:
            near.use = "sort"
            return Output(None, "count", table=table)
        if near.kind != "schema" or near.use is not None:
            return None
        if self.is_table(index) and self.following_column(index) is not None:
            near.use = "modifier"
            return None
        ref = self.column(index)
        if ref is None:
            return None
        near.use = "sort"
        return Output(ref, self._aggregate_before(index))

    def _aggregate_before(self, index: int) -> Aggregate | None:
        previous = self.at(index - 1)
        if previous.is_cue("aggregate") and previous.use is None:
            previous.use = "aggregate"
            return previous.carried  # type: ignore[return-value]
        return None

    # Groups ------------------------------------------------------------------------------------------------

    def read_groups(self) -> None:
        """Read for what each figure is asked."""
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
            return self.names_of(self.table_of(index))
        ref = self.column(index)
        return [ref] if ref is not None else []

    _pending = 1

    # Superlatives ------------------------------------------------------------------------------------------

    def read_supers(self) -> None:
        """Read superlatives and the numbers of rows that they keep."""
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

    def _super(self, index: int, mention: Mention) -> None:  # noqa: C901  one branch for each thing that may be ranked
        direction, *dimensions = mention.alternatives.get("super", mention.carried).split()
        limit = self._limit(index)
        cursor = index + 1
        while self._continues(cursor):
            if self.mentions[cursor].is_cue("super"):
                self.mentions[cursor].use = "rank"
                direction, *more = self.mentions[cursor].carried.split()
                dimensions = more or dimensions
            cursor += 1
        descending = direction == "desc"
        if self._postponed(mention, cursor):
            self._pending = limit
            return
        counting = self.at(cursor).is_cue("count")
        target = self.next_content(cursor if counting else cursor - 1)
        if direction in ("oldest", "youngest") or (dimensions and dimensions != ["most"]):
            self._dimension(mention, direction, dimensions, target, limit)
        elif target is None or self.mentions[target].kind != "schema":
            self._bare_super(mention)
        elif not counting and (measured := self._measured(target, most=bool(dimensions))) is not None:
            if limit == 1 and self._asked_for(index, measured[0]):
                return  # `what is the highest rating`: an aggregate, read with the outputs
            column, ref = measured
            if column != target:
                self.mentions[target].use = "modifier"
            mention.use = self.mentions[column].use = "rank"
            self.query.rankings.append(Ranking(Output(ref, self._aggregate_before(column)), descending, limit))
        elif counting or dimensions:
            self._rank_by_count(index, target, descending=descending, limit=limit)
        elif mention.text.lower() in ("largest", "biggest", "smallest"):
            self._dimension(mention, direction, list(SIZE_WORDS), target, limit)
        else:
            self._bare_super(mention)

    def _continues(self, cursor: int) -> bool:
        """Return whether a mention still belongs to the superlative (`top 3 highest average …`)."""
        mention = self.at(cursor)
        averaged = mention.is_cue("aggregate") and self.at(cursor + 1).kind == "schema"
        return mention.is_cue("super") or mention.use == "limit" or averaged

    def _postponed(self, mention: Mention, cursor: int) -> bool:
        """Return whether a later superlative says by what: `the top 3 countries which have the most plants`."""
        later = any(m.is_cue("super") and m.use is None for m in self.mentions[cursor:])
        following = self.next_content(cursor - 1)
        named = following is not None and self.mentions[following].kind == "schema"
        if later and named and mention.text.lower() == "top":
            mention.use = "rank"
            return True
        return False

    def _measured(self, target: int, *, most: bool) -> tuple[int, Ref] | None:
        """Return the column that a superlative measures, and where it stands."""
        if self.is_table(target):
            following = self.following_column(target)
            if following is None:
                return None
            target = following
        ref = self.column(target, kinds=("number", "date"))
        if ref is None and not most:
            ref = self.column(target)
        return None if ref is None else (target, ref)

    def _rank_by_count(self, index: int, target: int, *, descending: bool, limit: int) -> None:
        """Read `the most flights`: rows of a table, or of the values of a column, are counted."""
        mention = self.mentions[index]
        if self.is_table(target):
            self.mentions[target].use = "rank"
            table = self.table_of(target)
        else:
            refs = self._group_refs(target)
            if not refs:
                self._bare_super(mention)
                return
            if not any(m.kind == "schema" and m.use in (None, "output", "modifier") for m in self.mentions[:index]):
                what = self.mentions[target].text
                self.doubts.add(0.35, f"it is not understood what has the {mention.text} `{what}`")
            table = self._counted_beside(refs[0].table)
        mention.use = "rank"
        self._mark_count(index)
        self.query.rankings.append(Ranking(Output(None, "count", table=table), descending, limit))

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
            choices: list[tuple[tuple[str, ...], bool]] = [(words, direction == "oldest") for words in AGE_COLUMNS]
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

    def _bare_super(self, mention: Mention) -> None:
        if "aggregate" not in mention.alternatives:
            # `maximum and minimum` is read with the outputs.
            self.doubts.add(0.4, f"`{mention.text}` ranks by nothing that is a column")
            mention.use = "unread"

    def _asked_for(self, index: int, target: int) -> bool:
        """Return whether the superlative is itself what is asked for (`what is the highest rating`)."""
        if target + 1 < len(self.mentions) and self.is_table(target + 1):
            return False
        previous = self.mentions[index - 1] if index else None
        return previous is None or previous.is_cue("which", "and", "comma", "aggregate", "stop-sentence")
