"""A table with exact gold, and the document that retells it."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

from benchmarks.documents.wording import Field, Part, Wording

_FIRST_DAY = date(1995, 1, 1)
_DAYS = 10_000
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_HAN = "零一二三四五六七八九"
_NUMBER_WORDS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")


@dataclass(frozen=True, slots=True)
class Traps:
    """How often what makes a document hard occurs, as shares of paragraphs.

    Attributes:
        corrections: A wrong value first, and then the right one.
        noise: A sentence that says nothing of the table.
        skipped: Paragraphs that are left out, so that all of a block's values are missing for the record.
    """

    corrections: float = 0.06
    noise: float = 0.15
    skipped: float = 0.02


@dataclass(frozen=True, slots=True)
class Told:
    """A document and its gold.

    Attributes:
        wording: What it was told by.
        lines: The document's lines, Markdown.
        keys: Key of each record, as it is written.
        gold: Value of each field by key and field name; a missing one is `None`.
        texts: How the document writes what holds in the end, by key and field name; nothing where it is silent.
        knowledge: Notes of the task, which name some of the fields.
    """

    wording: Wording
    lines: tuple[str, ...]
    keys: tuple[tuple[str, ...], ...]
    gold: Mapping[tuple[tuple[str, ...], str], str | None]
    texts: Mapping[tuple[tuple[str, ...], str], str]
    knowledge: str

    @property
    def markdown(self) -> str:
        """The document as Markdown, a paragraph a line."""
        return "\n\n".join(self.lines) + "\n"


def tell(wording: Wording, records: int, seed: int, traps: Traps | None = None) -> Told:
    """Invent a table of some records and retell it; the same arguments give the same document."""
    rng = random.Random(f"{wording.name} {records} {seed}")  # noqa: S311 -- no secret
    traps = traps or Traps()
    keys = _keys(wording, records, rng)
    gold: dict[tuple[tuple[str, ...], str], str | None] = {}
    texts: dict[tuple[tuple[str, ...], str], tuple[str, str]] = {}
    for key in keys:
        for one in wording.fields:
            value = None if rng.random() < one.nulls else _value(one, rng)
            gold[key, one.name] = value
            texts[key, one.name] = _written(one, value, wording, rng)
    lines = list(wording.opening)
    written: dict[tuple[tuple[str, ...], str], str] = {place: right for place, (right, _) in texts.items()}
    for part in wording.parts:
        if part.title:
            lines.append(f"## {part.title}")
        for number, key in enumerate(keys):
            if number == len(keys) // 2:
                lines.append(part.transition)
            if number and rng.random() < traps.skipped:
                gold.update({(key, name): None for name in part.fields})
                written.update({(key, name): "" for name in part.fields})
                continue
            lines.append(_paragraph(wording, part, key, gold, texts, rng, traps))
    return Told(wording, tuple(lines), tuple(keys), gold, written, _knowledge(wording))


def _keys(wording: Wording, records: int, rng: random.Random) -> list[tuple[str, ...]]:
    if wording.key == "dated":
        stations = max(2, records // 6)
        days = sorted(rng.sample(range(_DAYS), -(-records // stations)))
        dated = [(_FIRST_DAY + timedelta(days=day)).isoformat() for day in days]
        pairs: list[tuple[str, ...]] = [(str(station + 1), day) for station in range(stations) for day in dated]
        return pairs[:records]
    numbers = sorted(rng.sample(range(1, records * 3), records))
    if wording.key == "code":
        return [(f"{wording.prefix}{number:04d}",) for number in numbers]
    return [(str(number),) for number in numbers]


def _value(one: Field, rng: random.Random) -> str:
    if one.kind in ("name", "choice"):
        return rng.choice(list(one.choices))
    if one.kind == "code":
        return f"{rng.randrange(1_000_000):06d}"
    if one.kind == "date":
        return (_FIRST_DAY + timedelta(days=rng.randrange(_DAYS))).isoformat()
    if one.kind == "percent":
        return _plain(rng.randrange(one.low * 10, one.high * 10), 1)
    if one.kind == "money":
        # Few significant digits, so that every scale can write it in full.
        number = rng.randrange(one.low, one.high)
        step = 10 ** max(0, len(str(number)) - 3)
        return str(number // step * step)
    return str(rng.randrange(one.low, one.high))


def _plain(scaled: int, places: int) -> str:
    """Return `scaled` / 10^`places` without zeros at its end."""
    sign, digits = ("-", -scaled) if scaled < 0 else ("", scaled)
    whole, rest = divmod(digits, 10**places)
    fraction = f"{rest:0{places}d}".rstrip("0") if places else ""
    return f"{sign}{whole}.{fraction}" if fraction else f"{sign}{whole}"


def _written(one: Field, value: str | None, wording: Wording, rng: random.Random) -> tuple[str, str]:
    """Return how a value is written, and how a wrong one in its place."""
    if value is None:
        return rng.choice(list(wording.nothing)), ""
    wrong = value
    while wrong == value:
        wrong = _value(one, rng)
    return _spelled(one, value, wording, rng, vague=True), _spelled(one, wrong, wording, rng, vague=False)


def _spelled(one: Field, value: str, wording: Wording, rng: random.Random, *, vague: bool) -> str:
    han = wording.language == "zh"
    if one.kind == "money":
        return _money(int(value), one.unit, rng)
    if one.kind == "percent":
        return f"{value}%" if han or rng.random() < 0.7 else f"{value} percent"
    if one.kind == "length":
        number = int(value)
        return f"{_plain(number, 2)} m" if rng.random() < 0.4 else f"{number} cm"
    if one.kind == "date":
        return _day(date.fromisoformat(value), rng, han=han, vague=vague)
    if one.kind == "count":
        return _count(int(value), rng, han=han)
    return value


def _money(number: int, unit: str, rng: random.Random) -> str:
    if unit == "CNY":
        if number >= 10**8 and rng.random() < 0.7:
            return f"{_plain(number, 8)}亿元"
        return f"{_plain(number, 4)}万元" if rng.random() < 0.6 else f"{number:,}元"
    if number >= 10**6 and rng.random() < 0.6:
        return f"${_plain(number, 6)} million"
    return f"${_plain(number, 3)} thousand" if number >= 10**3 and rng.random() < 0.3 else f"${number:,}"


def _day(day: date, rng: random.Random, *, han: bool, vague: bool) -> str:
    """Return a spelling whose meaning is the day: vague words only for the day that they mean by convention."""
    last = (day + timedelta(days=1)).month != day.month
    if vague and last and day.month % 3 == 0:
        quarter = day.month // 3
        return f"{day.year}年第{_HAN[quarter]}季度末" if han else f"the end of Q{quarter} {day.year}"
    words = {5: ("early ", "初"), 15: ("mid-", "中旬"), 25: ("late ", "下旬")}
    if vague and day.day in words:
        english, chinese = words[day.day]
        return f"{day.year}年{day.month}月{chinese}" if han else f"{english}{_MONTHS[day.month - 1]} {day.year}"
    if han:
        if rng.random() < 0.2:
            return f"{''.join(_HAN[int(digit)] for digit in str(day.year))}年{_han(day.month)}月{_han(day.day)}日"
        return day.isoformat() if rng.random() < 0.2 else f"{day.year}年{day.month}月{day.day}日"
    month = _MONTHS[day.month - 1]
    return rng.choice([f"{day.day} {month} {day.year}", f"{month} {day.day}, {day.year}", day.isoformat()])


def _count(number: int, rng: random.Random, *, han: bool) -> str:
    if han:
        return f"{_han(number)}人" if rng.random() < 0.3 else f"{number}人"
    if number < 100 and rng.random() < 0.5:
        return _in_words(number)
    return f"{number:,}"


def _in_words(number: int) -> str:
    if number < len(_NUMBER_WORDS):
        return _NUMBER_WORDS[number]
    tens, ones = divmod(number, 10)
    return _TENS[tens] + (f"-{_NUMBER_WORDS[ones]}" if ones else "")


def _han(number: int) -> str:
    """Return a number below 10,000 as it is read aloud."""
    if 10 <= number < 20:
        return "十" + (_HAN[number - 10] if number > 10 else "")
    text, gap = "", False
    for power, unit in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit = number // power % 10
        if digit:
            text += ("零" if gap else "") + _HAN[digit] + unit
            gap = False
        else:
            gap = bool(text)
    return text or "零"


def _paragraph(
    wording: Wording,
    part: Part,
    key: tuple[str, ...],
    gold: Mapping[tuple[tuple[str, ...], str], str | None],
    texts: Mapping[tuple[tuple[str, ...], str], tuple[str, str]],
    rng: random.Random,
    traps: Traps,
) -> str:
    form = rng.choice(list(part.forms))
    written = {name: texts[key, name][0] for name in part.fields}
    after = ""
    told = [name for name in part.fields if gold[key, name] is not None]
    if told and rng.random() < traps.corrections:
        name = rng.choice(told)
        right, wrong = texts[key, name]
        if wording.inline and rng.random() < 0.5:
            written[name] = rng.choice(list(wording.inline)).format(wrong=wrong, value=right)
        else:
            label = next(one.label for one in wording.fields if one.name == name)
            written[name] = wrong
            after = rng.choice(list(wording.follow)).format(label=label, value=right)
    names = {"key": key[0], "key2": key[1] if len(key) > 1 else ""}
    sentences = [form.format(**names, **written)] + ([after] if after else [])
    if rng.random() < traps.noise:
        noise = rng.choice(list(wording.noise)).format(n=rng.randrange(1, 30))
        sentences.append(noise)
    return ("" if wording.language == "zh" else " ").join(sentences)


def _knowledge(wording: Wording) -> str:
    rows = [f"- `{one.name}`: {one.meaning}" for one in wording.fields if one.meaning]
    return "\n".join([f"## {wording.name}", "", *rows, ""])


def write_pdf(told: Told, path: Path) -> None:
    """Print a document as a PDF with a text layer; needs reportlab."""
    from reportlab.lib.styles import ParagraphStyle  # noqa: PLC0415 -- only where PDFs are made
    from reportlab.pdfbase import pdfmetrics  # noqa: PLC0415 -- as above
    from reportlab.pdfbase.cidfonts import UnicodeCIDFont  # noqa: PLC0415 -- as above
    from reportlab.platypus import Paragraph, SimpleDocTemplate, Spacer  # noqa: PLC0415 -- as above

    font = "Helvetica"
    if told.wording.language == "zh":
        pdfmetrics.registerFont(UnicodeCIDFont("STSong-Light"))
        font = "STSong-Light"
    wrap = "CJK" if told.wording.language == "zh" else None
    body = ParagraphStyle("body", fontName=font, fontSize=10, leading=13, wordWrap=wrap)
    head = ParagraphStyle("head", parent=body, fontSize=15, leading=19)
    flow = []
    for line in told.lines:
        text = line.lstrip("# ").replace("&", "&amp;").replace("<", "&lt;")
        flow += [Paragraph(text, head if line.startswith("#") else body), Spacer(1, 9)]
    SimpleDocTemplate(str(path), invariant=1, title=told.wording.name).build(flow)
