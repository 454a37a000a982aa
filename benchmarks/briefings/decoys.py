"""Briefings with something that looks like the answer and is not, one kind each.

Odd seeds show the true answer too (verdict `ADOPT` or `ADOPT_AND_VERIFY`), even seeds only the decoy (`RECOMPUTE`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal

from benchmarks.briefings.decks import Deck
from benchmarks.briefings.pages import Card, CardsPage, Grid, NotePage, Page, TablePage
from benchmarks.briefings.script import FalseLead, Script, Step
from benchmarks.briefings.stories import Question


@dataclass(frozen=True, slots=True)
class _Bait:
    """A decoy's page (`None`: it is only spoken), what is said with it, its values and why it is none."""

    page: Page | None
    say: str
    values: tuple[str, ...]
    why: str


def script(kind: str, seed: int, deck: Deck, theme: str) -> Script:
    """Return the script of the decoy that `kind` (`decoy_…`) names."""
    name = kind.removeprefix("decoy_")
    if name == "spoken_exclusion":
        return _spoken_exclusion(kind, seed, deck, theme)
    bait = _BAITS[name](deck)
    story = deck.story
    ranked = name == "adjacent_table"
    truth: tuple[Page, ...]
    question: Question
    if ranked:
        question = story.top_question(5)
        truth = (deck.ranking(story.top(story.current, 5), "both"),)
    else:
        question = story.total_question(deck.group)
        truth = (deck.cards(deck.total_card()),)
    shown = truth if seed % 2 else ()
    verdict = ("ADOPT_AND_VERIFY" if ranked else "ADOPT") if shown else "RECOMPUTE"
    pages: list[tuple[Page, str]] = [
        (deck.title(), "Welcome to this short review."),
        (deck.panel(), "This is the selection in force."),
    ]
    if bait.page is not None:
        pages.append((bait.page, bait.say))
    pages += [(page, "These are the figures that were asked for.") for page in shown]
    pages += [
        (deck.bullets(4), "Some remarks on how the figures are made."),
        (deck.terms(), "And these are the terms."),
    ]
    steps = tuple(Step(page, 4.2, slide=number, say=say) for number, (page, say) in enumerate(pages))
    lead = FalseLead(name, bait.page, bait.values, bait.why)
    return Script(kind, seed, story, theme, steps, question, verdict, shown, (lead,))


def _spoken_exclusion(kind: str, seed: int, deck: Deck, theme: str) -> Script:
    """Show a ranking of which the speaker takes one entity out."""
    story = deck.story
    top = story.top(story.current, 6)
    out = top[deck.random.randint(1, 4)]
    page = deck.ranking(top, "both")
    noun = story.words.entity
    pages: list[tuple[Page, str]] = [
        (deck.title(), "Welcome to this short review."),
        (page, "Here is the ranking of the current batch."),
        (deck.terms(), f"Please exclude the {noun} called {out.entity} from the ranking, it is under review."),
        (deck.bullets(4), "Everything else stays as it is shown."),
    ]
    steps = tuple(Step(page, 5.5, slide=number, say=say) for number, (page, say) in enumerate(pages))
    lead = FalseLead(
        "spoken_exclusion", page, (out.entity, str(out.amount)), "the speaker excludes it; the slide still lists it"
    )
    question = story.top_question(5, (out.entity,))
    return Script(kind, seed, story, theme, steps, question, "ADOPT_AND_VERIFY", (page,), (lead,), needs_speech=True)


def _old_batch(deck: Deck) -> _Bait:
    story = deck.story
    batch = story.words.batches[0]
    value = str(story.total(batch, deck.group))
    page = deck.cards(deck.total_card(batch=batch), batch=batch, old=True)
    return _Bait(page, "This is how it stood in the archived batch.", (value,), f"it belongs to {batch}")


def _adjacent_table(deck: Deck) -> _Bait:
    story, words = deck.story, deck.story.words
    by_net = sorted(story.of(story.current), key=lambda row: (row.net - row.amount, row.entity))[:5]
    left = Grid(
        (
            (story.say("Rank", "排名"), story.label(words.entity), story.say("Deductions", "扣减额")),
            *((str(place), row.entity, str(row.amount - row.net)) for place, row in enumerate(by_net, 1)),
        ),
        (0.8, 2.2, 1.5),
        caption=story.say(f"Largest deductions ({words.unit})", f"扣减额排行（{words.unit}）"),
    )
    by_count = sorted(story.of(story.current), key=lambda row: (-row.count, row.entity))[:5]
    right = Grid(
        (
            (story.say("Rank", "排名"), story.label(words.entity), story.label(words.count)),
            *((str(place), row.entity, str(row.count)) for place, row in enumerate(by_count, 1)),
        ),
        (0.8, 2.2, 1.5),
        caption=story.say("Most entries", "笔数排行"),
    )
    page = TablePage(deck.head(story.say("Two more rankings", "其他排行")), left, right, size=18, style=deck.style)
    return _Bait(page, "Two more rankings stand side by side.", tuple(row.entity for row in by_net), "another measure")


def _similar_metric(deck: Deck) -> _Bait:
    card = deck.net_card()
    page = deck.cards(card)
    return _Bait(page, "The net figure comes after deductions.", (card.value,), "net is not gross")


def _single_object_highlight(deck: Deck) -> _Bait:
    story, words = deck.story, deck.story.words
    best = max(story.of(story.current, deck.group), key=lambda row: row.amount)
    card = Card(
        f"{story.label(words.amount)} ({words.unit})",
        str(best.amount),
        story.say(f"{best.entity} only", f"仅{best.entity}"),
        ("highlighted",),
    )
    head = deck.head(
        story.say(f"Spotlight: {best.entity}", f"聚焦：{best.entity}"),
        story.say(f"One {words.entity} of {deck.group}", f"{deck.group}的一个{words.entity}"),
    )
    page = CardsPage(head, (card,), note=story.say("Best of its group", "组内第一"))
    return _Bait(page, "One name deserves a closer look.", (str(best.amount),), "one entity is not its group")


def _count_not_amount(deck: Deck) -> _Bait:
    card = deck.count_card()
    page = deck.cards(card)
    return _Bait(page, "So many entries were booked.", (card.value,), "a count is not an amount")


def _wrong_unit(deck: Deck) -> _Bait:
    story, words = deck.story, deck.story.words
    larger, factor = words.larger
    value = str((story.total(story.current, deck.group) / factor).quantize(Decimal("0.001")))
    card = replace(deck.total_card(), label=f"{story.label(words.amount)} ({larger})", value=value)
    page = deck.cards(card, note=story.say("Rounded", "已四舍五入"))
    return _Bait(page, "The same in a larger unit.", (value,), f"it is rounded and in {larger}, not {words.unit}")


def _unapplied_field(deck: Deck) -> _Bait:
    story, words = deck.story, deck.story.words
    status = {profile.entity: profile.status for profile in story.profiles}
    usual = words.statuses[0]
    rows = [row for row in story.of(story.current, deck.group) if status[row.entity] == usual]
    value = str(sum((row.amount for row in rows), Decimal(0)))
    card = Card(
        f"{story.label(words.amount)} ({words.unit})",
        value,
        story.say(f"if only '{usual}' counted (not applied)", f"若仅计“{usual}”（未应用）"),
        ("disabled",),
    )
    page = deck.cards(card, note=story.say("Preview of an option that is not in force", "未生效选项的预览"))
    return _Bait(page, "This option is a preview and not in force.", (value,), "the field is not applied")


def _category_note(deck: Deck) -> _Bait:
    story, words = deck.story, deck.story.words
    value = f"{deck.random.randint(900, 4000)}.00"

    def line(group: str) -> str:
        typical = value if group == deck.group else "1500.00"
        return story.say(
            f"A typical {words.group} of this kind has {typical} {words.unit}",
            f"此类{words.group}一般为{typical}{words.unit}",
        )

    page = NotePage(
        deck.head(story.say("About the categories", "类别说明")), tuple((group, line(group)) for group in words.groups)
    )
    return _Bait(page, "The categories are described like this.", (value,), "it describes a category, it is no result")


def _reference_only(deck: Deck) -> _Bait:
    story, words = deck.story, deck.story.words
    value = f"{deck.random.randint(1200, 5200)}.{deck.random.randint(10, 99)}"
    card = Card(f"{story.label(words.amount)} ({words.unit})", value, story.say("planning assumption", "规划假设"))
    head = deck.head(
        story.say("For reference only", "仅供参考"), story.say("Peer benchmark, not our data", "同业基准，非本方数据")
    )
    page = CardsPage(head, (card,))
    return _Bait(page, "This benchmark is for reference only.", (value,), "a reference value is no result")


_BAITS: dict[str, Callable[[Deck], _Bait]] = {
    "old_batch": _old_batch,
    "adjacent_table": _adjacent_table,
    "similar_metric": _similar_metric,
    "single_object_highlight": _single_object_highlight,
    "count_not_amount": _count_not_amount,
    "wrong_unit": _wrong_unit,
    "unapplied_field": _unapplied_field,
    "category_note": _category_note,
    "reference_only": _reference_only,
}
