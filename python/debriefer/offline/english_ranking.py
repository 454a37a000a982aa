"""How an English question orders, groups and ranks."""

from __future__ import annotations

from debriefer.offline.english_conditions import Conditions
from debriefer.offline.lexicon_english import AGE_COLUMNS, BIRTH_COLUMNS
from debriefer.offline.linking import Mention
from debriefer.offline.model import Output, Ranking, Ref


class Rankings(Conditions):
    """The part of the English reader that finds orders, groups and superlatives."""

    # Order -------------------------------------------------------------------------------------------------

    def read_sorts(self) -> None:
        """Read by what the rows are to be ordered."""
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
            return self.context.names(self.table_of(index))
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
