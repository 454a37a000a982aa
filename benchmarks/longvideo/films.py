"""Films of scenes that are known, with subtitles and questions whose answers follow from the manifest."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path
from random import Random

from benchmarks.briefings.encode import CODECS, RATES, VARIABLE_TICK, Planes, encode, planes
from benchmarks.longvideo.coded import Image, stamped, still
from debriefer.media.clock import clock

KINDS = ("needle", "when", "order", "count", "slide-text", "spoken")
_COLORS = ("red", "green", "blue", "yellow", "purple", "white", "orange", "silver")
_THINGS = ("kite", "lantern", "tractor", "piano", "umbrella", "bicycle", "telescope", "canoe", "statue", "balloon",
           "violin", "windmill", "suitcase", "parrot", "ladder", "fountain")  # fmt: skip
_PLACES = ("by the harbour", "in a market hall", "on a snowy hill", "beside the railway", "in a greenhouse",
           "under a bridge", "on the roof", "in the library")  # fmt: skip
_WORDS = ("OAK", "ELM", "FERN", "MOSS", "REED", "PINE", "IVY", "SAGE")
_TITLES = ("harvest", "ferries", "museums", "orchards", "libraries", "tramways")
_MONTHS = ("March", "June", "October")
_REASONS = ("a broken sluice", "the late harvest", "a missing permit", "heavy fog", "a strike", "a burst pipe")
_EVENTS = ("regatta", "opening", "parade", "auction", "concert", "excavation")
_CHATTER = ("and so we go on along the coast", "people here have always said so", "let us look at it more closely",
            "that was many years ago", "nobody expected what came then")  # fmt: skip
# Frames of a variable rate come 0.03 to 0.4 s apart.
_CLOSEST, _WIDEST = 33, 400


@dataclass(frozen=True, slots=True)
class Scene:
    """One scene.

    Attributes:
        number: What its frames say; the key of everything that is known of it.
        start: Time of its first frame, in seconds.
        end: Time of the first frame behind it.
        subject: What is seen.
        place: Where.
        detail: What is written there.
        slide: Whether it is a slide.
    """

    number: int
    start: float
    end: float
    subject: str
    place: str
    detail: str
    slide: bool = False

    @property
    def caption(self) -> str:
        """What a glance shows: not what is written small."""
        return f"a slide titled {self.subject}" if self.slide else f"a {self.subject} {self.place}"

    @property
    def fact(self) -> str:
        """What a close look shows."""
        if self.slide:
            return f"the slide titled {self.subject} gives {self.detail}"
        return f"the {self.subject} {self.place}, beside a sign that says {self.detail}"


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with its truth.

    Attributes:
        kind: One of `KINDS`.
        text: The question.
        choices: Its options; none for an open question.
        answer: The right letter; for `when` the time in seconds as text.
        subjects: What it is about, as captions call it.
        relevant: The stretches that one has to find.
    """

    kind: str
    text: str
    choices: tuple[str, ...]
    answer: str
    subjects: tuple[str, ...]
    relevant: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Manifest:
    """Everything that is true of a film."""

    name: str
    rate: str
    duration: float
    scenes: tuple[Scene, ...]
    lines: tuple[tuple[float, float, str], ...]
    questions: tuple[Asked, ...]

    def scene(self, number: int) -> Scene | None:
        """Return the scene with a number."""
        return self.scenes[number] if 0 <= number < len(self.scenes) else None


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a film is made.

    Attributes:
        name: Of its files.
        rate: A key of `benchmarks.briefings.encode.RATES`, or frames a second as a number.
        seconds: Its length.
        size: Width and height in pixels.
        seed: Of its content.
        shortest: Shortest scene, in seconds.
        longest: Longest scene.
        kinds: Kinds of questions.
    """

    name: str
    rate: str
    seconds: float
    size: tuple[int, int] = (320, 180)
    seed: int = 0
    shortest: float = 4.0
    longest: float = 15.0
    kinds: tuple[str, ...] = KINDS


def produce(recipe: Recipe, folder: Path) -> tuple[Path, Manifest]:
    """Write a film, its subtitles and its manifest into `folder`; return the film's path and the manifest."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{recipe.name}.mp4"
    manifest = _manifest(recipe)
    rate = _rate(recipe.rate)
    pictures = {scene.number: _picture(scene, recipe.size) for scene in manifest.scenes}
    encode(path, _frames(manifest, pictures, recipe), CODECS["h264"], rate, recipe.size, None)
    path.with_suffix(".srt").write_text(srt(manifest.lines), encoding="utf-8")
    path.with_suffix(".json").write_text(json.dumps(asdict(manifest), indent=1), encoding="utf-8")
    return path, manifest


def srt(lines: Sequence[tuple[float, float, str]]) -> str:
    """Return lines as SRT."""

    def stamp(seconds: float) -> str:
        return f"{clock(seconds)[:8]},{round(seconds * 1000) % 1000:03d}"

    blocks = (f"{place}\n{stamp(t0)} --> {stamp(t1)}\n{text}\n" for place, (t0, t1, text) in enumerate(lines, start=1))
    return "\n".join(blocks)


def _rate(name: str) -> Fraction | None:
    return RATES[name] if name in RATES else Fraction(name)


def times(recipe: Recipe) -> list[tuple[int, float]]:
    """Return ticks and seconds of all frames of a film."""
    rate = _rate(recipe.rate)
    if rate is not None:
        return [(number, float(number / rate)) for number in range(int(recipe.seconds * rate))]
    random = Random(f"times {recipe.seed}")  # noqa: S311 -- an invented film
    made, tick = [], 0
    while tick * VARIABLE_TICK < recipe.seconds:
        made.append((tick, float(tick * VARIABLE_TICK)))
        tick += random.randint(_CLOSEST, _WIDEST)
    return made


def _frames(manifest: Manifest, pictures: dict[int, Image], recipe: Recipe) -> Iterator[tuple[int, Planes]]:
    place = 0
    for tick, seconds in times(recipe):
        while seconds >= manifest.scenes[place].end - 1e-9 and place + 1 < len(manifest.scenes):
            place += 1
        yield tick, planes(stamped(pictures[manifest.scenes[place].number], seconds))


def _picture(scene: Scene, size: tuple[int, int]) -> Image:
    lines = (scene.subject, *scene.detail.split(", ")) if scene.slide else (scene.subject, scene.detail)
    return still(scene.number, lines, size, slide=scene.slide)


def _manifest(recipe: Recipe) -> Manifest:
    random = Random(f"film {recipe.name} {recipe.seed}")  # noqa: S311 -- an invented film
    stamps = [seconds for _, seconds in times(recipe)]
    end = stamps[-1] + (stamps[-1] - stamps[-2])
    cuts = [0.0]
    while cuts[-1] + 2 * recipe.longest < end:
        wanted = cuts[-1] + random.uniform(recipe.shortest, recipe.longest)
        cuts.append(next(stamp for stamp in stamps[_first(stamps, wanted) :]))
    cuts.append(end)
    subjects = [f"{color} {thing}" for color, thing in itertools.product(_COLORS, _THINGS)]
    random.shuffle(subjects)
    special, filler = subjects[:8], subjects[8:]
    number = len(cuts) - 1
    places = _apart(random, number, 11)
    repeats = random.randint(3, 5)
    # Role of some scenes; all others are filler.
    roles: dict[int, str] = {places[0]: special[0], places[1]: special[1], places[2]: special[2], places[3]: special[3]}
    roles |= dict.fromkeys(places[4 : 4 + repeats], special[4])
    slides = {places[9]: _TITLES[recipe.seed % 6], places[10]: _TITLES[(recipe.seed + 1) % 6]}
    scenes = []
    for place, (start, stop) in enumerate(itertools.pairwise(cuts)):
        sign = f"{random.choice(_WORDS)} {random.randint(10, 99)}"
        if place in slides:
            values = ", ".join(f"{month} {random.randint(100, 999)}" for month in _MONTHS)
            scenes.append(Scene(place, start, stop, slides[place], "", values, slide=True))
        else:
            subject = roles.get(place) or filler[place % len(filler)]
            scenes.append(Scene(place, start, stop, subject, random.choice(_PLACES), sign))
    lines, told = _speech(random, end)
    made = [_ask(kind, random, scenes, special, tuple(slides.values()), told) for kind in recipe.kinds]
    return Manifest(recipe.name, recipe.rate, end, tuple(scenes), tuple(lines), tuple(made))


def _first(stamps: Sequence[float], wanted: float) -> int:
    return next((place for place, stamp in enumerate(stamps) if stamp >= wanted), len(stamps) - 1)


def _apart(random: Random, number: int, wanted: int) -> list[int]:
    """Return numbers of scenes no two of which are neighbours, in random order."""
    free = list(range(1, number - 1, 2))
    if len(free) < wanted:
        message = f"a film of {number} scenes is too short for its questions"
        raise ValueError(message)
    return random.sample(free, wanted)


def _speech(random: Random, end: float) -> tuple[list[tuple[float, float, str]], dict[str, tuple[str, float, float]]]:
    lines: list[tuple[float, float, str]] = []
    told: dict[str, tuple[str, float, float]] = {}
    events, reasons = random.sample(_EVENTS, 3), random.sample(_REASONS, 3)
    at = {random.uniform(0.1, 0.9) * end: pair for pair in zip(events, reasons, strict=True)}
    moment = 2.0
    waiting = sorted(at)
    while moment < end - 5:
        text = random.choice(_CHATTER)
        if waiting and moment >= waiting[0]:
            event, reason = at[waiting.pop(0)]
            text = f"the {event} was put off because of {reason}"
            told[event] = reason, moment, moment + 3.5
        lines.append((round(moment, 3), round(moment + 3.5, 3), text))
        moment += random.uniform(5, 9)
    return lines, told


def _ask(
    kind: str,
    random: Random,
    scenes: Sequence[Scene],
    special: Sequence[str],
    titles: tuple[str, ...],
    told: dict[str, tuple[str, float, float]],
) -> Asked:
    def shown(subject: str) -> list[Scene]:
        return [scene for scene in scenes if scene.subject == subject]

    def spans(found: Sequence[Scene]) -> tuple[tuple[float, float], ...]:
        return tuple((scene.start, scene.end) for scene in found)

    if kind == "needle":
        scene = shown(special[0])[0]
        others = random.sample([one.detail for one in scenes if not one.slide and one.detail != scene.detail], 3)
        choices = [scene.detail, *others]
        question = f"What does the sign beside the {scene.subject} say?"
        return _chosen(kind, random, question, choices, scene.detail, (scene.subject,), spans([scene]))
    if kind == "when":
        scene = shown(special[1])[0]
        question = f"At what time does the {scene.subject} come into view?"
        return Asked(kind, question, (), f"{scene.start:.3f}", (scene.subject,), spans([scene]))
    if kind == "order":
        three = [shown(subject)[0] for subject in special[1:4]]
        names = [scene.subject for scene in sorted(three, key=lambda scene: scene.start)]
        right = ", then ".join(names)
        orders = [", then ".join(order) for order in itertools.permutations(names)]
        choices = [right, *random.sample([order for order in orders if order != right], 3)]
        asked = " and ".join(random.sample(names, 3))
        question = f"In which order do the {asked} appear?"
        return _chosen(kind, random, question, choices, right, tuple(names), spans(three))
    if kind == "count":
        found = shown(special[4])
        choices = [str(number) for number in range(2, 7)]
        question = f"How many separate times is the {special[4]} shown?"
        return Asked(kind, question, tuple(choices), "ABCDE"[len(found) - 2], (special[4],), spans(found))
    if kind == "slide-text":
        scene = shown(titles[0])[0]
        values = dict(part.split(" ") for part in scene.detail.split(", "))
        month = random.choice(_MONTHS)
        wrong = [value for name, value in values.items() if name != month]
        choices = [values[month], *wrong, str(random.randint(100, 999))]
        question = f"Which value does the slide titled {scene.subject} give for {month}?"
        return _chosen(kind, random, question, choices, values[month], (scene.subject,), spans([scene]))
    event = random.choice(sorted(told))
    reason, start, end = told[event]
    choices = [reason, *random.sample([one for one in _REASONS if one != reason], 3)]
    question = f"Why was the {event} put off, as the narrator says?"
    return _chosen(kind, random, question, choices, reason, (event,), ((start, end),))


def _chosen(
    kind: str,
    random: Random,
    question: str,
    choices: list[str],
    right: str,
    subjects: tuple[str, ...],
    relevant: tuple[tuple[float, float], ...],
) -> Asked:
    choices = list(dict.fromkeys(choices))
    random.shuffle(choices)
    return Asked(kind, question, tuple(choices), "ABCDEFGH"[choices.index(right)], subjects, relevant)
