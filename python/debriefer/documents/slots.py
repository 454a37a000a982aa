"""What fills the slots of templates: values with their places, their kind, and what the words around call them."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache

from debriefer.documents.normalising import is_nothing, normalise_column
from debriefer.documents.sentences import FIRST_WORD, VALUE, Vocabulary
from debriefer.documents.templates import GAP, Fit, Template
from debriefer.documents.tokens import is_han
from debriefer.documents.words import EMPTY

_HAN_EMPTY = re.compile(
    r"^(?:其中|其|该|此|这|的|而|且|并|和|与|及|为|是|在|由|则|另|另外|同时|当前|目前|现|企业|公司|单位|记录|记载|显示|表明|据"
    r"|中|里|共|共有|有)+"
    r"|(?:分别|为|是|在|于|达到|达|有|约|共|计|至|到|由|任|等|的|系|乃|即|记|记为|显示|约为|合计|位于|设在|叫|叫做)+$"
)
_SUFFIX = frozenset(
    {"inc", "ltd", "llc", "corp", "co", "plc", "gmbh", "limited", "company", "group", "bank", "university"}
)
_POSSESSES = frozenset({"的", "之", "'s"})
_BREAKS = frozenset(",;:。.()、—–-\"'")
_FAMILIES = {"mm": "length", "cm": "length", "m": "length", "km": "length", "mg": "mass", "g": "mass", "kg": "mass"}
_FAMILIES |= {"t": "mass", "ml": "volume", "l": "volume"}
_JOINS = frozenset({"and", "but", "while", "with", "plus", "or"})
_MOST_LABEL_WORDS = 3
_MOST_LABEL_LETTERS = 10
_KIND_SHARE = 0.85
# Words among amounts or dates say that there is none, while these are most, and the words few and the same again.
_MOSTLY, _MOST_WORDS = 0.6, 3


@dataclass(frozen=True, slots=True)
class Value:
    """What stands in a slot.

    Attributes:
        record: Key of the record.
        line: The line.
        span: First and behind the last letter.
        raw: The text.
        certain: Whether the sentence could be taken apart in one way only.
        cue: Whether the text takes something back.
        block: Number of the block.
    """

    record: tuple[str, ...]
    line: int
    span: tuple[int, int]
    raw: str
    certain: bool
    cue: bool
    block: int


@dataclass(slots=True)
class Slot:
    """A slot of one template with all that fills it.

    Attributes:
        template: The template.
        place: The slot's number among the template's.
        before: Words before it that say what it is, in lower case; empty for none.
        behind: Words behind it that say what it is.
        counted: Whether the words behind are what is counted: `employs 12 people`.
        values: What fills it, one a record.
    """

    template: Template
    place: int
    before: tuple[str, ...] = ()
    behind: tuple[str, ...] = ()
    counted: bool = False
    values: dict[tuple[str, ...], Value] = field(default_factory=dict)

    @property
    def labels(self) -> tuple[tuple[str, ...], ...]:
        """What says what it is, the better first."""
        order = (self.behind, self.before) if self.counted else (self.before, self.behind)
        return tuple(label for label in order if label)


@dataclass(frozen=True, slots=True)
class Kind:
    """What the values of a slot are.

    Attributes:
        name: `number`, `date`, `text`, or `empty` where nothing tells.
        unit: Family of the unit of numbers, empty for none.
        measures: The values in order, numbers on a logarithmic scale, dates in days; empty for texts.
        texts: Share of each text among the values.
    """

    name: str
    unit: str = ""
    measures: tuple[float, ...] = ()
    texts: Mapping[str, float] = field(default_factory=dict)

    def is_like(self, other: Kind) -> bool:
        """Return whether two kinds are one, whatever the values."""
        return (self.name, self.unit) == (other.name, other.unit)


def value_of(fit: Fit, place: int, line: str, vocabulary: Vocabulary) -> Value:
    """Return what fills a slot, with what belongs to a name but stands in all of them."""
    first, behind = fit.slots[place]
    row, codes = fit.sentence.tokens, fit.sentence.codes
    if any(not row[at].is_value for at in range(first, behind)):
        first, behind = _widened(fit, first, behind, vocabulary)
    first, behind = _trimmed(codes, first, behind, vocabulary)
    start = row[first].value_start if row[first].is_value else row[first].start
    end = row[behind - 1].end
    return Value(
        record=fit.sentence.record.key,
        line=fit.sentence.record.line,
        span=(start, end),
        raw=line[start:end],
        certain=fit.certain,
        cue=fit.sentence.cue,
        block=fit.sentence.block,
    )


def _widened(fit: Fit, first: int, behind: int, vocabulary: Vocabulary) -> tuple[int, int]:
    """Take in what a name ends with to the right, and capitalised neighbours to the left."""
    row, codes = fit.sentence.tokens, fit.sentence.codes
    taken = {place for slot in fit.slots for place in range(*slot)}
    while behind < len(row) and behind not in taken and row[behind].text.casefold() in _SUFFIX:
        behind += 1
    while first > 1 and first - 1 not in taken and _is_name(row[first].text) and _is_name(row[first - 1].text):
        if codes[first - 1] < FIRST_WORD or vocabulary.text(codes[first - 1]) in EMPTY:
            break
        first -= 1
    while behind < len(row) and behind not in taken and _is_name(row[behind - 1].text) and _is_name(row[behind].text):
        if codes[behind] < FIRST_WORD or vocabulary.text(codes[behind]) in EMPTY:
            break
        behind += 1
    return first, behind


def _is_name(text: str) -> bool:
    return len(text) > 1 and text[0].isupper() and not text.isupper()


def _trimmed(codes: Sequence[int], first: int, behind: int, vocabulary: Vocabulary) -> tuple[int, int]:
    """Leave out marks at the ends."""

    def is_edge(code: int) -> bool:
        return code >= FIRST_WORD and vocabulary.text(code) in ",;:。.、\"'"

    while behind - first > 1 and is_edge(codes[first]):
        first += 1
    while behind - first > 1 and is_edge(codes[behind - 1]):
        behind -= 1
    return first, behind


def slot_of(template: Template, place: int, vocabulary: Vocabulary) -> Slot:
    """Return a slot of a template with the words around that say what it is."""
    at = template.slots()[place]
    pattern = template.pattern
    before, meets = _stretch(pattern, range(at - 1, -1, -1), vocabulary)
    behind, _ = _stretch(pattern, range(at + 1, len(pattern)), vocabulary)
    before.reverse()
    if any(is_han(word) for word in (*before, *behind)):
        # `X的注册地` says what comes next, not what X is.
        mine = [] if behind and behind[0] in _POSSESSES else behind
        return Slot(template, place, _han_label(before), _han_label(mine))
    role = _role(behind)
    if meets:
        # What stands next to the value before is that one's: `873 crowns after 542 deals`, `fire as the cause and`.
        own = next((number for number, word in enumerate(before) if word in EMPTY), None)
        before = before[own:] if own is not None else before
        joined = max((number for number, word in enumerate(before) if word in _JOINS), default=-1)
        before = before[joined + 1 :]
    if role:
        return Slot(template, place, _word_label(before, ending=True), role, counted=True)
    counted = bool(behind) and behind[0] not in EMPTY
    counted = counted and (not _word_label(before, ending=True) or before[-1] not in EMPTY)
    own_behind = behind if behind and behind[0] not in EMPTY else []
    return Slot(template, place, _word_label(before, ending=True), _word_label(own_behind, ending=False), counted)


def _role(behind: Sequence[str]) -> tuple[str, ...]:
    """Return what a value is said to be: `cause` of `fire as the cause and`."""
    if not behind or behind[0] != "as":
        return ()
    end = next((number for number, word in enumerate(behind) if word in _JOINS), len(behind))
    return _word_label(behind[1:end], ending=False)


def _stretch(pattern: Sequence[int], places: range, vocabulary: Vocabulary) -> tuple[list[str], bool]:
    """Return the words up to the next mark or slot, and whether it is a slot.

    A key is passed over with what marks it, where only empty words stand between it and the slot: the label in `the
    price in region 12 was 873`.
    """
    words: list[str] = []
    passing = False
    for place in places:
        code = pattern[place]
        if code in (VALUE, GAP):
            return words, True
        if code < FIRST_WORD:
            if places.step > 0 or any(word not in EMPTY for word in words):
                break
            passing = True
            continue
        word = vocabulary.text(code)
        if passing and word not in EMPTY and word not in _BREAKS:
            continue
        passing = False
        if word in _BREAKS:
            # `head: X` is called by what stands before the colon.
            if word == ":" and not words and places.step < 0:
                continue
            break
        words.append(word)
    return words, False


def _word_label(words: Sequence[str], *, ending: bool) -> tuple[str, ...]:
    kept = list(words)
    while kept and kept[-1] in EMPTY:
        kept.pop()
    while kept and kept[0] in EMPTY:
        kept.pop(0)
    # Of "the firm was founded" only what stands next to the value and no empty word between.
    run: list[str] = []
    for word in reversed(kept) if ending else kept:
        if word in EMPTY and word not in ("of", "to"):
            break
        run.append(word)
    run = run[::-1] if ending else run
    while run and run[-1] in EMPTY:
        run.pop()
    while run and run[0] in EMPTY:
        run.pop(0)
    return tuple(run[-_MOST_LABEL_WORDS:] if ending else run[:_MOST_LABEL_WORDS])


def _han_label(words: Sequence[str]) -> tuple[str, ...]:
    text = "".join(word for word in words if is_han(word) or word.isalnum())
    before = ""
    while before != text:
        before = text
        text = _HAN_EMPTY.sub("", text)
    text = text.rpartition("的")[2]
    return (text[-_MOST_LABEL_LETTERS:],) if text else ()


def kind_of(raws: Sequence[str]) -> Kind:
    """Return what most of some texts are; texts that say that there is nothing do not count.

    Words among amounts or dates are such texts too, where they come back: `pending` in a column of dates.

    >>> kind_of(["3 kg", "14 kg", "7 kg", "pending", "2 kg", "pending"]).name
    'number'
    """
    told = [raw for raw in raws if not is_nothing(raw)]
    if not told:
        return Kind("empty")
    counts: Counter[tuple[str, str]] = Counter()
    numbers: dict[tuple[str, str], list[float]] = {}
    weights = Counter(told)
    for raw, weight in weights.items():
        name, unit, number = _class_of(raw)
        counts[name, unit] += weight
        if number is not None:
            numbers.setdefault((name, unit), []).extend([number] * weight)
    (name, unit), most = counts.most_common(1)[0]
    texts = {raw: weight / len(told) for raw, weight in weights.items()}
    words = [raw for raw in texts if _class_of(raw)[0] == "text" and not _has_digit(raw)]
    worded = sum(weights[raw] for raw in words) if 0 < len(words) <= _MOST_WORDS and most >= _MOSTLY * len(told) else 0
    if most < _KIND_SHARE * (len(told) - worded):
        return Kind("text", texts=texts)
    return Kind(name, unit, tuple(sorted(numbers.get((name, unit), ()))), texts)


def worded_nothing(raws: Iterable[str], kind: Kind) -> set[str]:
    """Return the texts without a digit among values of another kind: they say that there is none."""
    if kind.name not in ("number", "date"):
        return set()
    return {raw for raw in raws if not _has_digit(raw) and _class_of(raw)[0] == "text"}


def _has_digit(text: str) -> bool:
    return any(letter.isdigit() for letter in text)


@lru_cache(maxsize=65536)
def _class_of(raw: str) -> tuple[str, str, float | None]:
    """Return name, family of the unit and measure of one text."""
    one = normalise_column([raw])
    name = _class(one.sql_type, verbatim=one.verbatim, raw=raw)
    unit = _FAMILIES.get(one.unit, one.unit) if name == "number" else ""
    return name, unit, _measure(one.values[0], one.unit, name)


def _class(sql_type: str, *, verbatim: bool, raw: str) -> str:
    if sql_type in ("INTEGER", "REAL"):
        return "date" if raw.endswith("年") else "number"
    if sql_type in ("DATE", "TIMESTAMP") or not verbatim:
        return "date"
    # A code with leading zeros is among numbers of its length.
    return "number" if raw.isdecimal() else "text"


def _measure(value: str, unit: str, name: str) -> float | None:
    if name == "date":
        try:
            return float(date.fromisoformat(value[:10]).toordinal())
        except ValueError:
            return None
    if name != "number":
        return None
    power = {"mm": -3, "cm": -2, "km": 3, "mg": -3, "kg": 3, "t": 6, "ml": -3}.get(unit, 0)
    number = float(value) * 10.0**power
    return math.copysign(math.log1p(abs(number)), number)
