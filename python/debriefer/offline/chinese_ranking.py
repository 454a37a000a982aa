"""How a Chinese question orders, groups and ranks."""

from __future__ import annotations

from debriefer.linking.words import compact
from debriefer.offline.chinese_conditions import ChineseConditions
from debriefer.offline.chinese_names import GOOD
from debriefer.offline.linking import Mention
from debriefer.offline.model import Aggregate, Output, Ranking, Ref


class ChineseRankings(ChineseConditions):
    """The part of the Chinese reader that finds orders, groups and superlatives."""

    # Order -------------------------------------------------------------------------------------------------

    def read_sorts(self) -> None:
        """Read by what the rows are to be ordered."""
        for index, mention in enumerate(self.mentions):
            if not mention.is_cue("direction"):
                continue
            mention.use = "sort"
            target = next(
                (
                    i
                    for i in range(index - 1, max(index - 5, -1), -1)
                    if self.mentions[i].kind == "schema" and self.mentions[i].use is None
                ),
                None,
            )
            for other in self.mentions:
                if other.is_cue("sort"):
                    other.use = "sort"
            if target is None:
                self.doubts.add(0.4, "the order is by something that is no column")
                continue
            ref = self.column(target)
            if ref is None:
                continue
            self.mentions[target].use = "sort"
            self.query.rankings.append(Ranking(Output(ref), mention.carried == "desc", None))

    # Groups ------------------------------------------------------------------------------------------------

    def read_groups(self) -> None:
        """Read for what each figure is asked."""
        for index, mention in enumerate(self.mentions):
            if not mention.is_cue("each") or mention.use:
                continue
            target = self.next_schema(index, within=2)
            if target is None:
                continue
            mention.use = "group"
            self.mentions[target].use = "group"
            for ref in self.refs_of(target):
                if ref not in self.group_refs:
                    self.group_refs.append(ref)

    # Superlatives ------------------------------------------------------------------------------------------

    def read_supers(self) -> None:
        """Read superlatives and the numbers of rows that they keep."""
        for index, mention in enumerate(self.mentions):
            if "top" in mention.alternatives and mention.use is None and self.limits(index + 1):
                self._top(index, mention)
        for index, mention in enumerate(self.mentions):
            if mention.is_cue("super") and mention.use is None:
                self._super(index, mention)

    def _top(self, index: int, mention: Mention) -> None:
        after = self.mentions[index + 1] if index + 1 < len(self.mentions) else None
        if after is None or after.kind != "number" or after.use is not None or after.number is None:
            return
        limit = int(after.number)
        mention.use = after.use = "limit"
        self.limit = limit
        if not any(m.is_cue("super") for m in self.mentions):
            target = self.measure_before(index)
            if target is None:
                target = self.next_schema(index + 1, within=4, kinds=("number",))
            ref = self.column(target, kinds=("number",)) if target is not None else None
            if ref is None or target is None:
                self.doubts.add(0.4, "it is not said by what the first ones are ranked")
                return
            self.mentions[target].use = "rank"
            ascending = "排名" in compact(ref.column) or "名次" in compact(ref.column)
            self.query.rankings.append(Ranking(Output(ref), not ascending, limit))

    def _super(self, index: int, mention: Mention) -> None:
        direction, *dimension = mention.carried.split()
        number = self.at(index + 2 if self.at(index + 1).is_cue("of") else index + 1)
        if number.kind == "number" and number.use is None and number.number:
            number.use = "limit"
            self.limit = int(number.number)
        descending = direction == "desc"
        mention.use = "rank"
        aggregate: Aggregate | None = None
        if dimension == ["date"]:
            ref = self.date_near(index)
        elif dimension and dimension != ["most"]:
            ref = self.named(dimension[0], self.main) or self._measure(index)
        else:
            ref = self._measure(index)
            if ref is None and self._count_before(index, descending):
                return
        if ref is None:
            mention.use = "unread"
            self.doubts.add(0.4, f"`{mention.text}` ranks by nothing that is a column")
            return
        for other in (index - 1, index - 2, index - 3):
            if other >= 0 and self.mentions[other].is_cue("aggregate") and self.mentions[other].carried == "avg":
                aggregate = "avg"
                self.mentions[other].use = "rank"
        mention.choice = f"{ref.table}.{ref.column}"
        self.query.rankings.append(Ranking(Output(ref, aggregate), descending, self.limit))

    def _measure(self, index: int) -> Ref | None:
        target = self.measure_before(index)
        if target is None:
            target = self.next_schema(index, within=2, kinds=("number", "date"))
            if target is not None and self.is_table(target):
                target = None
        if target is None:
            return None
        ref = self.column(target, kinds=("number", "date"))
        if ref is not None:
            self.mentions[target].use = "rank"
        return ref

    def measure_before(self, index: int) -> int | None:
        """Return the nearest free mention before that may be a number or date, within the clause."""
        for other in range(index - 1, -1, -1):
            mention = self.mentions[other]
            if mention.is_cue("clause", "which", "who"):
                return None
            if mention.kind == "schema" and mention.use is None:
                if self.may_be(other, ("number", "date")) and not (
                    self.is_table(other) and mention.columns[0].score < GOOD
                ):
                    return other
                return None
        return None

    def _count_before(self, index: int, descending: bool) -> bool:
        """Rank by the number of rows of the table named before: `纪念景点最多`."""
        for other in range(index - 1, max(index - 4, -1), -1):
            mention = self.mentions[other]
            if mention.kind == "schema" and mention.use in (None, "output"):
                if not self.is_table(other):
                    return False
                mention.use = "rank"
                table = self.table_of(other)
                self.query.rankings.append(Ranking(Output(None, "count", table=table), descending, self.limit))
                return True
        return False
