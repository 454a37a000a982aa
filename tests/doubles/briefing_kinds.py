"""The scripts that the slide detector is tried on, and the judge that compares its slides with what was shown."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from debriefer.media.slide import Slides
from tests.doubles.briefing import Overlay, Picture, Script, bullet_slide, cursor, head, table_slide, ticking

NAMES = ("North", "South", "East", "West", "Centre", "Harbour", "Airport")
TOPICS = ("Revenue", "Members", "Orders", "Returns", "Visits", "Stock", "Margin", "Claims")
KINDS = (
    "slides", "fades", "pushes", "bullets", "digits", "seconds", "revisits", "cursor", "jumping_cursor",
    "head", "clock", "busy", "dark",
)  # fmt: skip


def numbers(dice: random.Random, rows: int = 6) -> list[list[str]]:
    return [["Region", "Q1", "Q2", "Q3"]] + [
        [NAMES[row], *(f"{dice.uniform(10, 99):.1f}" for _ in range(3))] for row in range(rows)
    ]


def one_digit(dice: random.Random, cells: list[list[str]]) -> list[list[str]]:
    changed = [list(row) for row in cells]
    row, column = dice.randrange(1, len(cells)), dice.randrange(1, 4)
    text = changed[row][column]
    place = dice.choice([0, 1, 3])
    digit = dice.choice([d for d in "0123456789" if d != text[place]])
    changed[row][column] = text[:place] + digit + text[place + 1 :]
    return changed


def script(kind: str, seed: int, rate: Fraction = Fraction(25), slides: int = 5) -> Script:  # noqa: C901 -- one branch a kind
    """Return the script of one kind; every choice comes from the seed."""
    dice = random.Random(f"{kind}-{seed}")  # noqa: S311  # a fixed seed, no secret
    overlays: dict[str, list[Overlay]] = {
        "cursor": [cursor(seed)],
        "jumping_cursor": [cursor(seed, smooth=False)],
        "head": [head(seed)],
        "clock": [ticking],
        "busy": [cursor(seed), head(seed), ticking],
    }
    made = Script(rate=rate, overlays=overlays.get(kind, []))
    dark = kind == "dark"
    shown: list[tuple[str, Picture]] = []
    for number in range(slides if kind != "seconds" else 12):
        title = f"{dice.choice(TOPICS)} report {number + 1}"
        cells = numbers(dice)
        way, over = "cut", 0.0
        if kind == "fades" or (kind in {"busy", "revisits"} and number % 2):
            way, over = "fade", dice.choice([0.4, 0.6, 1.0])
        elif kind == "pushes":
            way, over = "push", dice.choice([0.3, 0.5, 0.8])
        name = f"{number}"
        if kind == "seconds":
            made.show(name, table_slide(title, cells), 1.0, way="fade" if seed % 2 else "cut", over=0.24 * (seed % 2))
            continue
        if kind == "bullets" or (kind in {"busy", "dark"} and number % 3 == 1):
            lines = [f"{dice.choice(NAMES)} {dice.choice(TOPICS).lower()} {dice.uniform(1, 99):.2f}" for _ in range(4)]
            for count in range(1, 5):
                made.show(f"{name}.{count}", bullet_slide(title, lines, count, dark=dark), dice.uniform(1.0, 3.0),
                          way=way if count == 1 else "cut", over=over if count == 1 else 0.0)  # fmt: skip
                if count < 4:
                    made.supersede()
            continue
        picture = table_slide(title, cells, dark=dark)
        made.show(name, picture, dice.uniform(2.5, 6.0) + over, way=way, over=over)
        shown.append((name, picture))
        if kind in {"digits", "cursor", "jumping_cursor", "head", "clock", "busy", "dark"}:
            for step in range(2):
                cells = one_digit(dice, cells)
                made.show(f"{name}.d{step}", table_slide(title, cells, dark=dark), dice.uniform(2.0, 4.0))
        if kind == "revisits" and number in {2, 4}:
            old = dice.choice(shown[:-1])
            made.show(*old, dice.uniform(2.0, 4.0))
    return made


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a detector found of one script."""

    required: int
    found: int
    missed: tuple[str, ...]
    given: int
    duplicates: tuple[float, ...]
    mid_transition: tuple[float, ...]
    errors: tuple[float, ...]
    revisits_right: bool

    @property
    def recall(self) -> float:
        return self.found / max(self.required, 1)


def judge(shown: Script, slides: Slides | Sequence[tuple[float, float, int | None]]) -> Verdict:
    """Compare slides (or times of start and frame and the slide revisited) with what the script showed."""
    rows = [
        (slide.t_start, slide.t_frame, slide.revisit_of) if not isinstance(slide, tuple) else slide for slide in slides
    ]
    seen: dict[int, int] = {}
    duplicates, middle, errors = [], [], []
    right = True
    tolerance = 1e-6
    for index, (start, time, again) in enumerate(rows):
        number = max((i for i, s in enumerate(shown.states) if s.begin <= time + tolerance), default=0)
        state = shown.states[number]
        if time < state.still - tolerance and number:
            middle.append(time)
            continue
        if number in seen.values():
            duplicates.append(time)
            continue
        earlier = [i for i, n in seen.items() if shown.states[n].name == state.name]
        right = right and (again in earlier if earlier else again is None)
        seen[index] = number
        errors.append(abs(start - state.begin))
    names = {shown.states[number].name for number in seen.values()}
    required = {state.name for state in shown.states if state.required}
    return Verdict(
        required=len(required), found=len(required & names), missed=tuple(sorted(required - names)), given=len(rows),
        duplicates=tuple(duplicates), mid_transition=tuple(middle), errors=tuple(errors), revisits_right=right,
    )  # fmt: skip
