"""Pages that tell a story: what kinds of script are put together from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from random import Random

from benchmarks.briefings.pages import (
    BulletsPage,
    Card,
    CardsPage,
    ChartPage,
    Grid,
    Group,
    Head,
    NotePage,
    PanelPage,
    TablePage,
    TitlePage,
)
from benchmarks.briefings.render import MASK
from benchmarks.briefings.stories import Row, Story


@dataclass(frozen=True, slots=True)
class Deck:
    """Makes pages from a story; `group` is the group that questions are about, `style` that of the tables."""

    story: Story
    random: Random
    group: str
    style: str
    seed: int = 1

    def head(self, title: str, subtitle: str = "", batch: str | None = None, *, old: bool = False) -> Head:
        """Return what stands above and below a page about `batch`, the current one unless told."""
        words, say = self.story.words, self.story.say
        batch = batch or self.story.current
        tag = f"{self.story.label(words.batch)} {batch}"
        if old:
            tag += say(" · archived", " · 已归档")
        return Head(title, subtitle, tag, words.title, ("disabled",) if old else ())

    def title(self) -> TitlePage:
        """Return the opening."""
        words, say = self.story.words, self.story.say
        line = f"{self.story.label(words.batch)} {self.story.current} · {self.group}"
        return TitlePage(words.title, line, say("Internal · for the planning round", "内部资料 · 供规划会使用"))

    def panel(
        self,
        values: Sequence[tuple[str, str]] = (),
        *,
        group: str | None = None,
        status: str | None = None,
        note: str = "",
    ) -> PanelPage:
        """Return the control panel: group, batch and status, each with one option selected."""
        words, story = self.story.words, self.story
        chosen, kept = group or self.group, status or words.statuses[0]
        fields = (
            Group(
                story.label(words.group), tuple((name, "selected" if name == chosen else "") for name in words.groups)
            ),
            Group(
                story.label(words.batch),
                tuple((name, "selected" if name == story.current else "disabled") for name in words.batches),
            ),
            Group(
                story.label(words.status),
                tuple(
                    (name, "selected" if name == kept else ("struck" if name == words.statuses[2] else ""))
                    for name in words.statuses
                ),
            ),
        )
        title = story.say("Selection in force", "当前筛选条件")
        return PanelPage(
            self.head(title, story.say("Only filled options apply", "仅实心选项生效")),
            fields,
            tuple(values),
            story.say("Apply", "应用") if values else "",
            note,
        )

    def total_card(self, group: str | None = None, batch: str | None = None) -> Card:
        """Return the card with a group's sum."""
        words, story = self.story.words, self.story
        group, batch = group or self.group, batch or story.current
        return Card(
            f"{story.label(words.amount)} ({words.unit})",
            str(story.total(batch, group)),
            story.say(f"{group}, sum of {len(story.of(batch, group))}", f"{group}，共{len(story.of(batch, group))}家"),
        )

    def net_card(self) -> Card:
        """Return the card with the sum of the similar measure."""
        words, story = self.story.words, self.story
        value = sum((row.net for row in story.of(story.current, self.group)), Decimal(0))
        return Card(f"{story.label(words.net)} ({words.unit})", str(value), story.say("after deductions", "扣减之后"))

    def count_card(self) -> Card:
        """Return the card with the sum of the counts."""
        words, story = self.story.words, self.story
        value = sum(row.count for row in story.of(story.current, self.group))
        return Card(story.label(words.count), str(value), story.say("number, not an amount", "为数量，非金额"))

    def cards(
        self, *cards: Card, batch: str | None = None, old: bool = False, note: str = "", detail: bool = False
    ) -> CardsPage:
        """Return a page of cards; with `detail`, what their sums are made of stands below them."""
        title = self.story.say(f"Summary · {self.group}", f"汇总 · {self.group}")
        head = self.head(title, self._scope(batch), batch, old=old)
        grid = self.measures(self.story.of(batch or self.story.current, self.group)) if detail else None
        return CardsPage(head, cards, grid, note, self.style)

    def _scope(self, batch: str | None = None) -> str:
        words, story = self.story.words, self.story
        batch = batch or story.current
        return story.say(
            f"{story.label(words.group)}: {self.group} · {words.batch} {batch}",
            f"{words.group}：{self.group} · {batch}",
        )

    def measures(self, rows: Sequence[Row], *, grouped: bool = True) -> Grid:
        """Return a table of all measures of some rows, with their groups unless told."""
        words, story = self.story.words, self.story
        header = (
            story.label(words.entity),
            story.label(words.group),
            f"{story.label(words.amount)} ({words.unit})",
            f"{story.label(words.net)} ({words.unit})",
            story.label(words.count),
        )
        lines = [(row.entity, row.group, str(row.amount), str(row.net), str(row.count)) for row in rows]
        weights = (2.2, 1.4, 2.1, 2.3, 1.4)
        if not grouped:
            return Grid((_without(header, 1), *(_without(line, 1) for line in lines)), (2.2, 2.1, 2.6, 1.6))
        return Grid((header, *lines), weights)

    def ranking(self, rows: Sequence[Row], what: str, batch: str | None = None, *, old: bool = False) -> TablePage:
        """Return a ranking with `names`, `values` or `both` beside the rank."""
        words, story = self.story.words, self.story
        header = [story.say("Rank", "排名")]
        if what in {"names", "both"}:
            header.append(story.label(words.entity))
            header.append(story.label(words.group))
        if what in {"values", "both"}:
            header.append(f"{story.label(words.amount)} ({words.unit})")
        lines = []
        for position, row in enumerate(rows, 1):
            line = [str(position)]
            if what in {"names", "both"}:
                line += [row.entity, row.group]
            if what in {"values", "both"}:
                line.append(str(row.amount))
            lines.append(tuple(line))
        weights = (1.0, *(2.5 for _ in header[1:]))
        titles = {
            "names": story.say("Ranking, part 1: who", "排行榜（一）：名称"),
            "values": story.say("Ranking, part 2: how much", "排行榜（二）：数值"),
            "both": story.say("Ranking", "排行榜"),
        }
        below = story.say(
            f"By {words.amount.replace('_', ' ')}, all {_groups(words.group)}", f"按{words.amount}，全部{words.group}"
        )
        return TablePage(
            self.head(titles[what], below, batch, old=old),
            Grid((tuple(header), *lines), weights),
            size=21,
            style=self.style,
        )

    def table(self, number: int = 8, size: float = 18) -> TablePage:
        """Return a table of all measures of the group's and others' entities, in order of name."""
        story = self.story
        rows = sorted(self.random.sample(story.of(story.current), number), key=lambda row: row.entity)
        title = story.say("Detail by name", "明细")
        return TablePage(
            self.head(title, story.say("In order of name", "按名称排列")),
            self.measures(rows, grouped=size < 24),
            size=size,
            style=self.style,
        )

    def bullets(self, shown: int = 5) -> BulletsPage:
        """Return points on method, the first `shown` of them visible."""
        words, say = self.story.words, self.story.say
        amount, batch = words.amount.replace("_", " "), words.batch
        points = (
            say(f"Figures cover {batch} {self.story.current} only", f"数据仅覆盖{self.story.current}"),
            say(f"{self.story.label(words.amount)} is gross, before deductions", f"{words.amount}为扣减前口径"),
            say(f"Amounts are in {words.unit}, two decimals", f"金额单位为{words.unit}，保留两位小数"),
            say(f"Archived {_plural(batch)} are kept for reference", f"历史{batch}仅供参考"),
            say(f"Ties in {amount} keep both names", f"{words.amount}相同者并列"),
        )
        return BulletsPage(self.head(say("How the figures are made", "统计口径说明")), points, shown)

    def chart(self) -> ChartPage:
        """Return a chart of the groups' sums with printed values."""
        words, story = self.story.words, self.story
        bars = tuple((group, str(story.total(story.current, group))) for group in words.groups)
        title = story.say(f"{story.label(words.amount)} by {words.group}", f"各{words.group}{words.amount}")
        return ChartPage(self.head(title), bars, story.say(f"Unit: {words.unit}", f"单位：{words.unit}"))

    def terms(self) -> NotePage:
        """Return a page of terms and what they mean."""
        words, story = self.story.words, self.story
        return NotePage(
            self.head(story.say("Terms", "术语说明")),
            (
                (
                    story.label(words.amount),
                    story.say("Everything that was booked, before deductions", "全部入账金额，未作扣减"),
                ),
                (
                    story.label(words.net),
                    story.say("What remains after deductions and returns", "扣减与冲回之后的余额"),
                ),
                (
                    story.label(words.count),
                    story.say("How many entries were booked, whatever their size", "入账笔数，与金额无关"),
                ),
                (story.label(words.status), story.say("State on the last day of the period", "期末最后一日的状态")),
            ),
        )

    def boundary_samples(self, kept: Row, dropped: Row) -> TablePage:
        """Return a page with one sample on each side of a masked threshold."""
        words, story = self.story.words, self.story
        header = (
            story.say("Sample", "样本"),
            f"{story.label(words.amount)} ({words.unit})",
            story.say("Result", "结果"),
        )
        grid = Grid(
            (
                header,
                (kept.entity, str(kept.amount), story.say("kept", "保留")),
                (dropped.entity, str(dropped.amount), story.say("dropped", "剔除")),
            ),
            (2.0, 1.6, 1.2),
        )
        note = story.say("The two samples stand next to the threshold", "两个样本紧邻门槛两侧")
        return TablePage(
            self.head(story.say("Boundary samples", "边界样本")), grid, note=note, size=22, style=self.style
        )

    def masked_panel(self) -> PanelPage:
        """Return the control panel with its threshold masked."""
        words, story = self.story.words, self.story
        label = f"{story.label(words.amount)} ≥ ({words.unit})"
        return self.panel(((label, MASK),), note=story.say("Threshold withheld", "门槛不公开"))


def _without(cells: tuple[str, ...], place: int) -> tuple[str, ...]:
    return (*cells[:place], *cells[place + 1 :])


def _plural(noun: str) -> str:
    return noun + "es" if noun.endswith("ch") else noun + "s"


def _groups(noun: str) -> str:
    return _plural(noun)
