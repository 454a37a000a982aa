"""Whether what a model read can be relied on: each value needs something beside the model's word.

That is, in this order: other records that word it alike, the slot of a wording that a correction stands in, a text
that is known of the column, a kind of value that no other column of the block has, or the column's own label beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from debriefer.documents.assisted.passages import Passage, Quote, token_quote
from debriefer.documents.assisted.patterns import Patterns, Reading
from debriefer.documents.assisted.retracted import cues, follows_cue, is_taken_back, loose_spans
from debriefer.documents.corrections import names
from debriefer.documents.normalising import is_nothing
from debriefer.documents.reader_port import PlannedColumn
from debriefer.documents.sentences import VALUE, Sentence
from debriefer.documents.slots import Kind, kind_of
from debriefer.documents.tokens import Token, is_han

LOST = "what was quoted does not stand in its text"
SHARED = "two columns have the same text"
ELSEWHERE = "records that are worded alike have the column elsewhere"
SILENT = "nothing was read where records that are worded alike have a value"
TWICE = "the text tells the column twice"
TAKEN_BACK = "the value stands before something that takes a value back"
UNSUPPORTED = "nothing but the model's word speaks for it"
# Nothing in the text speaks against these.
_UNDECIDED = frozenset({UNSUPPORTED, TAKEN_BACK, TWICE})


@dataclass(slots=True)
class View:
    """What is known of a block when its readings are checked.

    Attributes:
        columns: Its columns by name.
        patterns: Its patterns.
        lines: The document's lines.
        agreed: Cells that patterns bear out.
        opposed: Cells that patterns, types or the text speak against.
        reliable: Whether so few are opposed that a sign of a value's own is enough where no pattern bears it out.
    """

    columns: Mapping[str, PlannedColumn]
    patterns: Patterns
    lines: Sequence[str]
    agreed: int = 0
    opposed: int = 0
    reliable: bool = True

    def line(self, sentence: Sentence) -> str:
        """Return the line that a sentence stands in."""
        return self.lines[sentence.record.line]

    def kind(self, name: str) -> tuple[str, str]:
        """Return what a column's values are, and the family of their unit; empty where any will do."""
        known = self.patterns.kinds.get(name)
        if known is not None:
            return known
        dtype = self.columns[name].dtype
        if dtype == "TEXT":
            return "text", ""
        return ("date", "") if dtype in ("DATE", "TIMESTAMP") else ("number", "")

    def alike(self, kind: Kind) -> list[str]:
        """Return the columns that may have a value of a kind."""
        if kind.name not in ("number", "date"):
            return [name for name in self.columns if self.kind(name)[0] == "text"]
        return [name for name in self.columns if self._may_have(name, kind)]

    def _may_have(self, name: str, kind: Kind) -> bool:
        own, unit = self.kind(name)
        return own == kind.name and (unit == kind.unit or name not in self.patterns.kinds)


def doubts(reading: Reading, view: View) -> dict[str, str]:
    """Return for each column of a reading that is not to be relied on why; the others can be.

    Counts in `view` how many of the cells patterns bear out and speak against.
    """
    found = dict.fromkeys(reading.lost, LOST)
    for name, quote in reading.quotes.items():
        reason = "" if name in reading.missing else _doubt(name, quote, reading, view)
        if reason:
            found[name] = reason
    view.opposed += sum(reason not in _UNDECIDED for reason in found.values())
    for name in expected(reading, view):
        if name not in reading.quotes and name not in reading.lost:
            found.setdefault(name, SILENT)
    for name in [*_before_cues(reading, view, found), *said_again(reading.passage, reading.quotes, view)]:
        found.setdefault(name, TAKEN_BACK)
    return found


def said_again(passage: Passage, quotes: Mapping[str, Quote], view: View) -> list[str]:
    """Return columns that a later sentence names with another value, and from which no value was taken."""
    found: list[str] = []
    for number, sentence in enumerate(passage.sentences):
        if sentence.cue or any(quote.sentence == number for quote in quotes.values()):
            continue
        line = view.line(sentence)
        text = line[slice(*sentence.span)]
        kinds = [kind_of([value]) for value in _values(sentence)]
        for name in labelled(sentence, view):
            quote = quotes.get(name)
            if quote is None or quote.sentence > number:
                continue
            known = view.patterns.texts.get(name, set()) - {quote.raw}
            other = any(name in view.alike(kind) for kind in kinds) or any(one in text for one in known)
            if other or view.kind(name)[0] == "text":
                found.append(name)
    return found


def _values(sentence: Sentence) -> list[str]:
    return [
        token.text
        for token, code in zip(sentence.tokens, sentence.codes, strict=True)
        if code == VALUE and token.kind != "nothing"
    ]


def expected(reading: Reading, view: View) -> dict[str, Quote]:
    """Return the values that patterns see in sentences of a reading, those that say that there is none left out."""
    found: dict[str, Quote] = {}
    for number, sentence in enumerate(reading.passage.sentences):
        assigned = None if sentence.cue else view.patterns.assigned(sentence)
        for name, tokens in (assigned.spans if assigned is not None else {}).items():
            quote = token_quote(reading.passage, number, tokens, view.lines)
            if not is_nothing(quote.raw):
                found[name] = quote
    return found


def _doubt(name: str, quote: Quote, reading: Reading, view: View) -> str:
    if any(quote.overlaps(other) for column, other in reading.quotes.items() if column != name):
        return SHARED
    if not _fits_type(view.columns[name], quote.raw):
        return f"it is no {view.columns[name].dtype}"
    sentence = reading.passage.sentences[quote.sentence]
    if sentence.cue:
        return _in_slot(name, quote, sentence, view)
    assigned = view.patterns.assigned(sentence)
    if assigned is None:
        again = _told_elsewhere(name, quote, reading, view)
        return again or _in_slot(name, quote, sentence, view)
    if assigned.spans.get(name) == quote.tokens:
        view.agreed += 1
        return _told_elsewhere(name, quote, reading, view)
    return ELSEWHERE


def _fits_type(column: PlannedColumn, raw: str) -> bool:
    if column.dtype == "TEXT" or is_nothing(raw):
        return True
    kind = kind_of([raw]).name
    if column.dtype in ("DATE", "TIMESTAMP"):
        return kind == "date" or (raw.isdecimal() and len(raw) == len("2024"))
    return kind == "number"


def _in_slot(name: str, quote: Quote, sentence: Sentence, view: View) -> str:
    """Return a doubt about a value of a sentence that says more in a slot than a value: the last one must be taken."""
    for pattern in view.patterns.all:
        slots = loose_spans(pattern, sentence) if pattern.valid else None
        if slots is None:
            continue
        inside = [column for column, (first, behind) in slots.items() if first <= quote.tokens[0] < behind]
        if inside == [name]:
            return TAKEN_BACK if is_taken_back(sentence, quote, slots[name][1], view.line(sentence)) else ""
        return ELSEWHERE
    return _secondary(name, quote, sentence, view)


def _told_elsewhere(name: str, quote: Quote, reading: Reading, view: View) -> str:
    """Return a doubt about a value of a column that a pattern sees in another sentence: a later one must name it."""
    for number, sentence in enumerate(reading.passage.sentences):
        if number == quote.sentence or sentence.cue:
            continue
        assigned = view.patterns.assigned(sentence)
        if assigned is None or name not in assigned.spans:
            continue
        if number > quote.sentence:
            return TWICE
        if name not in labelled(reading.passage.sentences[quote.sentence], view):
            return UNSUPPORTED
    return ""


def _secondary(name: str, quote: Quote, sentence: Sentence, view: View) -> str:
    """Return a doubt about a value whose wording no other record has: it needs a sign of its own."""
    if is_nothing(quote.raw):
        return ""
    is_text = view.kind(name)[0] == "text"
    if not view.reliable:
        return UNSUPPORTED
    if is_text and not _whole(quote, sentence):
        return UNSUPPORTED
    if is_text and [column for column, known in view.patterns.texts.items() if quote.raw in known] == [name]:
        return ""
    rivals = view.alike(kind_of([quote.raw]))
    if is_text:
        # A code is a number among texts.
        rivals = list(dict.fromkeys([*rivals, *view.alike(Kind("text"))]))
    if rivals == [name]:
        return ""
    said = labelled(sentence, view)
    return "" if [column for column in rivals if column in said] == [name] else UNSUPPORTED


def _whole(quote: Quote, sentence: Sentence) -> bool:
    """Return whether a text ends where words of another sort begin, so that nothing was cut off."""
    row = sentence.tokens
    first, behind = quote.tokens
    after = row[behind] if behind < len(row) else None
    before = row[first - 1] if first else None
    if is_han(quote.raw):
        return after is None or not is_han(after.text)
    return not _is_name(after) and (first == 1 or not _is_name(before))


def _is_name(token: Token | None) -> bool:
    return token is not None and token.text[:1].isupper()


def labelled(sentence: Sentence, view: View) -> set[str]:
    """Return the columns that a sentence names; where names hold one another, the longest."""
    text = view.line(sentence)[slice(*sentence.span)]
    found: dict[str, int] = {}
    for name, column in view.columns.items():
        lengths = [len(label) for label in _labels(column) if names(text, [label] if is_han(label) else label.split())]
        if lengths:
            found[name] = max(lengths)
    most = max(found.values(), default=0)
    return {name for name, length in found.items() if length == most}


def _labels(column: PlannedColumn) -> list[str]:
    plain = column.name.replace("_", " ")
    return [label.casefold() for label in dict.fromkeys([plain, *column.called]) if label.strip()]


def _before_cues(reading: Reading, view: View, doubted: Mapping[str, str]) -> list[str]:
    """Return the columns that a correction may be about from which no value was taken."""
    found: list[str] = []
    for number, sentence in enumerate(reading.passage.sentences):
        if not sentence.cue:
            continue
        line = view.line(sentence)
        own = [quote for name, quote in reading.quotes.items() if name not in doubted and quote.sentence == number]
        if any(follows_cue(sentence, quote, line) for quote in own):
            continue
        last = max(cues(sentence, line), default=0)
        said = _values(sentence)
        named = labelled(sentence, view)
        possible = {name for value in said for name in view.alike(kind_of([value]))} or set(view.alike(Kind("text")))
        for name, quote in reading.quotes.items():
            earlier = quote.sentence < number or (quote.sentence == number and quote.tokens[0] <= last)
            if earlier and (name in possible or name in named):
                found.append(name)
    return found
