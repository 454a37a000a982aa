"""The script of each kind of video: what it shows, in which order, and how it moves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal
from random import Random

from benchmarks.briefings import decoys
from benchmarks.briefings.decks import Deck
from benchmarks.briefings.design import DARK, LIGHT
from benchmarks.briefings.pages import CardsPage, Page
from benchmarks.briefings.script import Script, Step
from benchmarks.briefings.stories import DECOYS, Question, Story

Verdict = tuple[Question, str, tuple[Page, ...]]
Parts = tuple[list[Step], Verdict]


def _body(deck: Deck) -> Parts:
    """Return an ordinary briefing: title, panel, summary, two-part ranking, chart, points; it shows its answer."""
    story = deck.story
    top = story.top(story.current, 5)
    summary = deck.cards(deck.total_card(), deck.net_card(), deck.count_card(), detail=True)
    names, values = deck.ranking(top, "names"), deck.ranking(top, "values")
    pages: list[tuple[Page, str]] = [
        (deck.title(), "Welcome to this short review of the latest figures."),
        (deck.panel(), "Only the filled options are in force today."),
        (summary, "The summary card shows the total for the selected group."),
        (names, "Here are the five leaders by name."),
        (values, "And these are their figures in the same order."),
        (deck.chart(), "The chart compares all the groups side by side."),
        (deck.bullets(), "Finally, a few words on how the figures are made."),
    ]
    steps = [Step(page, 3.0, slide=number, say=say) for number, (page, say) in enumerate(pages)]
    if deck.random.random() < 0.5:
        return steps, (story.total_question(deck.group), "ADOPT", (summary,))
    return steps, (story.top_question(5), "ADOPT_AND_VERIFY", (names, values))


def panels(deck: Deck) -> Parts:
    """Show conditions only: the answer must be computed."""
    story, words = deck.story, deck.story.words
    about = {profile.entity: profile for profile in story.profiles}
    usable = [row for row in story.of(story.current, deck.group) if about[row.entity].status == words.statuses[0]]
    if not usable:
        # No entity of the group has the usual status: take the status of the first one.
        usable = story.of(story.current, deck.group)[:1]
    status = about[usable[0].entity].status
    usable = [row for row in usable if about[row.entity].status == status]
    amounts = sorted(row.amount for row in usable)
    least = (amounts[len(amounts) // 3] // 10) * 10
    before = max(about[row.entity].opened for row in usable if row.amount >= least) + 1
    values = (
        (f"{story.label(words.amount)} ≥ ({words.unit})", str(least)),
        (f"{story.label(words.opened)} <", str(before)),
    )
    shown = deck.panel(values, status=status)
    other = deck.panel(group=next(name for name in words.groups if name != deck.group), status=status)
    pages: list[tuple[Page, str]] = [
        (deck.title(), "This is about the selection rules."),
        (other, "This is how the panel looks before we choose."),
        (shown, "We apply these conditions, and all of them count."),
        (deck.terms(), "These terms explain the fields."),
        (deck.table(7), "Some details without any filter."),
    ]
    steps = [Step(page, 4.0, slide=number, say=say) for number, (page, say) in enumerate(pages)]
    return steps, (story.filter_question(deck.group, least, before, status), "RECOMPUTE", ())


def ranking(deck: Deck) -> Parts:
    """Show a ranking whose names and values stand on two slides, after that of an older batch."""
    story = deck.story
    top, old = story.top(story.current, 6), story.top(story.words.batches[0], 6)
    names, values = deck.ranking(top, "names"), deck.ranking(top, "values")
    pages: list[tuple[Page, str]] = [
        (deck.title(), "Today we look at the ranking."),
        (deck.ranking(old, "both", story.words.batches[0], old=True), "This was the ranking of an archived batch."),
        (names, "Now the current one, first the names."),
        (values, "And the values by rank."),
        (deck.terms(), "The terms stay the same."),
    ]
    steps = [Step(page, 4.0, slide=number, say=say) for number, (page, say) in enumerate(pages)]
    return steps, (story.top_question(6), "ADOPT_AND_VERIFY", (names, values))


def summary(deck: Deck) -> Parts:
    """Show the asked-for sum on a card."""
    story = deck.story
    cards = deck.cards(deck.total_card(), deck.net_card(), deck.count_card(), detail=True)
    pages: list[tuple[Page, str]] = [
        (deck.title(), "Welcome to the summary."),
        (deck.panel(), "These options are selected."),
        (cards, "The first card is the total that was asked for."),
        (deck.chart(), "The other groups for comparison."),
        (deck.table(8), "And some details by name."),
    ]
    steps = [Step(page, 4.0, slide=number, say=say) for number, (page, say) in enumerate(pages)]
    return steps, (story.total_question(deck.group), "ADOPT", (cards,))


def masked_threshold(deck: Deck) -> Parts:
    """Mask the threshold and show one sample on each side of it."""
    story = deck.story
    rows = sorted(story.of(story.current, deck.group), key=lambda row: row.amount, reverse=True)
    place = len(rows) // 2
    kept, dropped = rows[place - 1], rows[place]
    pages: list[tuple[Page, str]] = [
        (deck.title(), "This is about one rule."),
        (deck.masked_panel(), "The threshold itself is withheld."),
        (deck.boundary_samples(kept, dropped), "These two samples stand right at the boundary."),
        (deck.bullets(3), "The rest of the rules you know."),
    ]
    steps = [Step(page, 5.0, slide=number, say=say) for number, (page, say) in enumerate(pages)]
    return steps, (story.threshold_question(deck.group, kept.amount), "RECOMPUTE", ())


def one_cell(deck: Deck) -> Parts:
    """Change one cell of a table after the other."""
    return _cells(deck, "cell")


def one_digit(deck: Deck) -> Parts:
    """Change one digit of a table after the other: about 0.04 % of the pixels."""
    return _cells(deck, "digit", deck.seed)


def _cells(deck: Deck, watch: str, seed: int = 2) -> Parts:
    steps, verdict = _body(deck)
    # At 1280x720 a digit of 28 pixels covers about 0.04 % of the picture; smaller ones are the harder case.
    size = (28, 24, 18)[seed % 3] if watch == "digit" else 18
    page = deck.table(7 if size > 20 else 9, size)
    last = len(page.grid.rows[0]) - 1
    built = [Step(page, 3.0, slide=100, say="Watch this table while the figures are corrected.")]
    places = deck.random.sample([(row, column) for row in range(1, 8) for column in (last - 2, last - 1)], 6)
    for row, column in places:
        before = page.grid.rows[row][column]
        page = replace(page, grid=page.grid.with_cell(row, column, _altered(before, watch, deck.random)))
        soft = watch == "cell" and deck.random.random() < 0.4
        built.append(Step(page, 2.5, "fade" if soft else "cut", 0.2 if soft else 0.0, slide=100, watch=watch))
    return [steps[0], *built, replace(steps[2], say="That was the last correction.")], verdict


def _altered(number: str, watch: str, random: Random) -> str:
    """Return another number: one digit differs, or all may."""
    if watch == "digit":
        place = random.choice([index for index, letter in enumerate(number) if letter.isdigit() and index])
        digit = random.choice([letter for letter in "0123456789" if letter != number[place]])
        return number[:place] + digit + number[place + 1 :]
    while True:
        other = str(Decimal(random.randint(8000, 98000)).scaleb(-2))
        if other != number and other[0] != number[0]:
            return other


def fades(deck: Deck) -> Parts:
    """Let every slide fade in."""
    steps, verdict = _body(deck)
    times = [deck.random.choice((0.4, 0.6, 0.8, 1.0)) for _ in steps]
    return [replace(step, entry="fade", seconds=time) for step, time in zip(steps, times, strict=True)], verdict


def pushes(deck: Deck) -> Parts:
    """Let every slide push the one before out of the picture."""
    steps, verdict = _body(deck)
    times = [deck.random.choice((0.4, 0.6, 0.8)) for _ in steps]
    return [replace(step, entry="push", seconds=time) for step, time in zip(steps, times, strict=True)], verdict


def bullets(deck: Deck) -> Parts:
    """Let points come one by one, some softly; the last state holds them all."""
    steps, verdict = _body(deck)
    built = []
    for shown in range(1, 6):
        soft = deck.random.random() < 0.5
        built.append(
            Step(
                deck.bullets(shown),
                2.4 if shown < 5 else 3.0,
                "fade" if soft and shown > 1 else "cut",
                0.3 if soft and shown > 1 else 0.0,
                slide=100,
                say="Here come the points one by one." if shown == 1 else "",
                watch="bullet" if shown > 1 else "",
            )
        )
    return [steps[0], *built, steps[2], steps[3]], verdict


def quick(deck: Deck) -> Parts:
    """Show each slide for one second only."""
    steps, verdict = _body(deck)
    story = deck.story
    more = [
        Step(deck.cards(deck.total_card(group), batch=story.current, note=group), 1.0, slide=50 + number)
        for number, group in enumerate(story.words.groups)
        if group != deck.group
    ]
    everything = [*steps, *more, Step(deck.terms(), 1.0, slide=90), Step(deck.table(8), 1.0, slide=91)]
    fading = deck.random.random() < 0.5
    return [
        replace(step, hold=1.0, say="", entry="fade" if fading else "cut", seconds=0.3 if fading else 0.0)
        for step in everything
    ], verdict


def revisits(deck: Deck) -> Parts:
    """Return to earlier slides."""
    steps, verdict = _body(deck)
    order = [0, 1, 2, 1, 3, 2, 4, 3]
    return [replace(steps[index], hold=2.6, slide=place) for place, index in enumerate(order)], verdict


def highlights(deck: Deck) -> Parts:
    """Change nothing but what is selected or highlighted."""
    steps, verdict = _body(deck)
    words = deck.story.words
    built = [
        Step(deck.panel(group=group), 2.4, slide=100, watch="state" if number else "")
        for number, group in enumerate(words.groups)
    ]
    page = deck.table(7)
    marked = [
        Step(
            replace(page, grid=page.grid.with_row_state(row, "highlighted")),
            2.4,
            slide=101,
            watch="state" if number else "",
        )
        for number, row in enumerate((1, 4, 6))
    ]
    return [steps[0], *built, *marked, steps[2]], verdict


def charts(deck: Deck) -> Parts:
    """Show bars with printed values, and set one off after the other."""
    steps, verdict = _body(deck)
    page = deck.chart()
    marked = [Step(replace(page, marked=bar), 2.6, slide=100, watch="state" if bar >= 0 else "") for bar in (-1, 1, 3)]
    return [steps[0], *marked, steps[2], steps[3], steps[4]], verdict


def ordinary(deck: Deck) -> Parts:
    """Show an ordinary briefing; what is special lies on top of it or in its colours."""
    return _body(deck)


def busy(deck: Deck) -> Parts:
    """Change single digits under a talking head, a clock and a cursor."""
    return _cells(deck, "digit")


def unit_trap(deck: Deck) -> Parts:
    """Show the sum in a larger unit, rounded: it must be computed in the unit asked for."""
    story, words = deck.story, deck.story.words
    larger, factor = words.larger
    total = story.total(story.current, deck.group)
    rounded = (total / factor).quantize(Decimal("0.01") if factor == 1000 else Decimal("0.0001"))
    card = replace(deck.total_card(), label=f"{story.label(words.amount)} ({larger})", value=str(rounded))
    cards: CardsPage = deck.cards(card, replace(deck.count_card()), note=story.say("Rounded figures", "四舍五入"))
    pages: list[tuple[Page, str]] = [
        (deck.title(), "Please mind the units."),
        (cards, "This card is rounded and in a larger unit."),
        (deck.panel(), "The selection is the same as before."),
        (deck.terms(), "These are the terms."),
    ]
    steps = [Step(page, 5.0, slide=number, say=say) for number, (page, say) in enumerate(pages)]
    return steps, (story.total_question(deck.group), "RECOMPUTE", (cards,))


_SCRIPTS: dict[str, Callable[[Deck], Parts]] = {
    "panels": panels,
    "ranking": ranking,
    "summary": summary,
    "masked_threshold": masked_threshold,
    "unit_trap": unit_trap,
    "one_cell": one_cell,
    "one_digit": one_digit,
    "fades": fades,
    "pushes": pushes,
    "bullets": bullets,
    "quick": quick,
    "revisits": revisits,
    "highlights": highlights,
    "charts": charts,
    "cursor": ordinary,
    "talking_head": ordinary,
    "clock": ordinary,
    "busy": busy,
    "grain": ordinary,
    "dark": ordinary,
}
KINDS: tuple[str, ...] = (*_SCRIPTS, *(f"decoy_{name}" for name in DECOYS))
_CURSOR = {"cursor", "busy", "highlights"}
_HEAD = {"talking_head", "busy"}
_CLOCK = {"clock", "busy"}


def languages(kind: str, seeds: Sequence[int]) -> list[str]:
    """Return the language of each seed: they take turns; what is spoken must be English."""
    if kind == "decoy_spoken_exclusion":
        return ["en" for _ in seeds]
    first = KINDS.index(kind)
    return ["en" if (seed + first) % 2 else "zh" for seed in seeds]


def script(kind: str, seed: int, language: str) -> Script:
    """Return the script of `kind` for `seed`; it follows from its arguments alone.

    Raises:
        KeyError: `kind` is none of `KINDS`.
    """
    if kind not in KINDS:
        message = f"`{kind}` is no kind of briefing; kinds: {', '.join(KINDS)}"
        raise KeyError(message)
    random = Random(f"{kind} {seed} {language}")  # noqa: S311 - invented videos, not secrets
    story = Story.invent(language, seed * 1000 + KINDS.index(kind))
    themes = DARK if kind == "dark" else (LIGHT if random.random() < 0.75 else DARK)
    style = random.choice(("ruled", "zebra", "lines", "plain"))
    deck = Deck(story, random, random.choice(story.words.groups), style, seed)
    theme = random.choice(themes).name
    if kind.startswith("decoy_"):
        return decoys.script(kind, seed, deck, theme)
    steps, (question, verdict, shown) = _SCRIPTS[kind](deck)
    if not all(any(page is step.page for step in steps) for page in shown):
        # A kind that leaves pages out for its own ends may leave out the answer, or half of it.
        verdict, shown = "RECOMPUTE", ()
    if random.random() < 0.3 and all(step.entry == "cut" for step in steps):
        steps = [replace(step, entry="fade", seconds=0.5) if not step.watch else step for step in steps]
    return Script(
        kind,
        seed,
        story,
        theme,
        tuple(steps),
        question,
        verdict,
        tuple(page for page in shown if any(step.page == page for step in steps)),
        (),
        head=kind in _HEAD,
        clock=kind in _CLOCK,
        cursor=kind in _CURSOR,
        grain=2.0 if kind == "grain" else 0.0,
    )
