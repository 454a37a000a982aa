"""Whether what a model read can be relied on: each value needs something beside the model's word.

That is, in this order: other records that word it alike, the slot of a wording that a correction stands in, a text
that is known of the column, a kind of value that no other column of the block has, or the column's own label beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from debriefer.documents.assisted.passages import Quote
from debriefer.documents.assisted.patterns import Pattern, Patterns, Reading
from debriefer.documents.corrections import names
from debriefer.documents.cues import CUE
from debriefer.documents.normalising import is_nothing
from debriefer.documents.reader_port import PlannedColumn
from debriefer.documents.sentences import FIRST_WORD, VALUE, Sentence
from debriefer.documents.slots import Kind, kind_of
from debriefer.documents.tokens import Token, is_han

LOST = "what was quoted does not stand in its text"
SHARED = "two columns have the same text"
ELSEWHERE = "records that are worded alike have the column elsewhere"
SILENT = "nothing was read where records that are worded alike have a value"
TAKEN_BACK = "the value stands before something that takes a value back"
UNSUPPORTED = "nothing but the model's word speaks for it"
TWICE = "the text tells the column twice"
# A second reading alone cannot settle these.
CONTRADICTED = frozenset({LOST, SHARED, ELSEWHERE, SILENT, TWICE})
# Words between a cue and a text that it introduces.
_NEAR = 8
_NAME_ENDS = frozenset(".,;:!?()[]，。；：！？（）、\"'“”‘’—–")


@dataclass(slots=True)
class View:
    """What is known of a block when its readings are checked.

    Attributes:
        columns: Its columns by name.
        patterns: Its patterns.
        agreed: Cells that patterns bear out.
        opposed: Cells that patterns speak against.
    """

    columns: Mapping[str, PlannedColumn]
    patterns: Patterns
    agreed: int = 0
    opposed: int = 0
    _loose: dict[int, object] = field(default_factory=dict, repr=False)

    def kind(self, name: str) -> tuple[str, str]:
        """Return what a column's values are, and the family of their unit."""
        known = self.patterns.kinds.get(name)
        if known is not None:
            return known
        dtype = self.columns[name].dtype
        if dtype in ("DATE", "TIMESTAMP"):
            return "date", ""
        return ("number", kind_of([f"1 {self.columns[name].target_unit}"]).unit) if dtype != "TEXT" else ("text", "")


def doubts(reading: Reading, view: View, lines: Sequence[str]) -> dict[str, str]:
    """Return for each column of a reading that is not to be relied on why; the others can be.

    Counts in `view` how many of the cells patterns bear out and speak against.
    """
    found = dict.fromkeys(reading.lost, LOST)
    for name, quote in reading.quotes.items():
        reason = _doubt(name, quote, reading, view)
        if reason:
            found[name] = reason
    for name, reason in _silent(reading, view, lines).items():
        found.setdefault(name, reason)
    for name in _before_cues(reading, view, found):
        found.setdefault(name, TAKEN_BACK)
    return found


def _doubt(name: str, quote: Quote, reading: Reading, view: View) -> str:
    others = [other for column, other in reading.quotes.items() if column != name]
    if any(quote.overlaps(other) for other in others):
        return SHARED
    if not _fits_type(view.columns[name], quote.raw):
        return f"it is no {view.columns[name].dtype}"
    sentence = reading.passage.sentences[quote.sentence]
    if sentence.cue:
        return _in_cue_sentence(name, quote, sentence, reading, view)
    assigned = view.patterns.assigned(sentence)
    if assigned is None:
        return _told_elsewhere(name, quote, reading, view) or _secondary(name, quote, sentence, view)
    if assigned.spans.get(name) == quote.tokens:
        view.agreed += 1
        return _told_elsewhere(name, quote, reading, view)
    view.opposed += 1
    return ELSEWHERE


def _fits_type(column: PlannedColumn, raw: str) -> bool:
    if column.dtype == "TEXT" or is_nothing(raw):
        return True
    kind = kind_of([raw]).name
    if column.dtype in ("DATE", "TIMESTAMP"):
        return kind == "date" or (raw.isdecimal() and len(raw) == len("2024"))
    return kind == "number"


def _in_cue_sentence(name: str, quote: Quote, sentence: Sentence, reading: Reading, view: View) -> str:
    """Return a doubt about a value of a sentence that takes something back: it must be in its column's slot."""
    for pattern in view.patterns.all:
        slots = _loose_spans(pattern, sentence) if pattern.valid else None
        if slots is None:
            continue
        inside = [column for column, (first, behind) in slots.items() if first <= quote.tokens[0] < behind]
        if inside == [name]:
            first, behind = slots[name]
            taken_back = any(_cue_behind(sentence, quote, place) for place in range(quote.tokens[1], behind))
            return TAKEN_BACK if taken_back and not _not_form(sentence, quote) else ""
        if inside:
            view.opposed += 1
            return ELSEWHERE
    return _secondary(name, quote, sentence, view)


def _loose_spans(pattern: Pattern, sentence: Sentence) -> dict[str, tuple[int, int]] | None:
    """Return a pattern's slots in a sentence whose slots may hold more than values; `None` where it does not fit."""
    places = [place for place, element in enumerate(pattern.elements) if isinstance(element, str)]
    if not places:
        return None
    spans: dict[str, tuple[int, int]] = {}
    at = 0
    pieces = _pieces(pattern)
    for number, (name, fixed) in enumerate(pieces):
        if name:
            last = number == len(pieces) - 1
            start = at + 1
            found = _find(sentence.codes, fixed, start, at_end=last)
            if found is None:
                return None
            spans[name] = (at, found)
            at = found + len(fixed)
        else:
            if tuple(sentence.codes[: len(fixed)]) != fixed:
                return None
            at = len(fixed)
    return spans if at == len(sentence.codes) else None


def _pieces(pattern: Pattern) -> list[tuple[str, tuple[int, ...]]]:
    """Return a pattern as stretches of fixed codes, each with the column before it; the first one has none."""
    pieces: list[tuple[str, list[int]]] = [("", [])]
    for element in pattern.elements:
        if isinstance(element, str):
            pieces.append((element, []))
        else:
            pieces[-1][1].append(element)
    return [(name, tuple(fixed)) for name, fixed in pieces]


def _find(codes: Sequence[int], fixed: tuple[int, ...], start: int, *, at_end: bool) -> int | None:
    if at_end:
        place = len(codes) - len(fixed)
        return place if place >= start and tuple(codes[place:]) == fixed else None
    if not fixed:
        return None
    return next(
        (at for at in range(start, len(codes) - len(fixed) + 1) if tuple(codes[at : at + len(fixed)]) == fixed), None
    )


def _told_elsewhere(name: str, quote: Quote, reading: Reading, view: View) -> str:
    for number, sentence in enumerate(reading.passage.sentences):
        if number == quote.sentence or sentence.cue:
            continue
        assigned = view.patterns.assigned(sentence)
        if assigned is not None and name in assigned.spans:
            return TWICE
    return ""


def _secondary(name: str, quote: Quote, sentence: Sentence, view: View) -> str:
    """Return a doubt about a value whose wording no other record has: it needs a sign of its own."""
    if is_nothing(quote.raw):
        return ""
    texts = view.patterns.texts
    holders = [column for column, known in texts.items() if quote.raw in known]
    if holders == [name] and view.kind(name)[0] == "text":
        return ""
    kind = kind_of([quote.raw])
    own = view.kind(name)
    alike = [column for column in view.columns if _alike(view.kind(column), kind)]
    if own[0] == "text" and not _whole(quote, sentence):
        return UNSUPPORTED
    if alike == [name] or (own[0] == "text" and [c for c in view.columns if view.kind(c)[0] == "text"] == [name]):
        return ""
    said = _labelled(sentence, view)
    rivals = alike if kind.name in ("number", "date") else [c for c in view.columns if view.kind(c)[0] == "text"]
    return "" if [column for column in rivals if column in said] == [name] else UNSUPPORTED


def _alike(column: tuple[str, str], kind: Kind) -> bool:
    return column[0] == kind.name and (column[1] == kind.unit or not column[1])


def _whole(quote: Quote, sentence: Sentence) -> bool:
    """Return whether a text ends where words of another sort begin, so that nothing was cut off."""
    row = sentence.tokens
    first, behind = quote.tokens
    after = row[behind] if behind < len(row) else None
    before = row[first - 1] if first else None
    if is_han(quote.raw):
        return after is None or not is_han(after.text)
    return not _is_name(after) and (not _is_name(before) or first == 1)


def _is_name(token: Token | None) -> bool:
    return token is not None and token.text[:1].isupper() and token.text not in _NAME_ENDS


def _labelled(sentence: Sentence, view: View) -> set[str]:
    """Return the columns that a sentence names; of names within names the longer one counts."""
    text = _text_of(sentence)
    found: dict[str, int] = {}
    for name, column in view.columns.items():
        lengths = [len(label) for label in _labels(column) if names(text, label.split() if not is_han(label) else [label])]
        if lengths:
            found[name] = max(lengths)
    most = max(found.values(), default=0)
    return {name for name, length in found.items() if length == most}


def _text_of(sentence: Sentence) -> str:
    pieces: list[str] = []
    end = None
    for token in sentence.tokens:
        if end is not None and token.start > end:
            pieces.append(" ")
        pieces.append(token.text)
        end = token.end
    return "".join(pieces)


def _labels(column: PlannedColumn) -> list[str]:
    plain = column.name.replace("_", " ")
    return [label.casefold() for label in dict.fromkeys([plain, *column.called]) if label.strip()]


def _silent(reading: Reading, view: View, lines: Sequence[str]) -> dict[str, str]:
    """Return columns that were not read though a pattern shows where they are told."""
    found: dict[str, str] = {}
    for sentence in reading.passage.sentences:
        assigned = None if sentence.cue else view.patterns.assigned(sentence)
        for name, (first, behind) in (assigned.spans if assigned is not None else {}).items():
            line = lines[sentence.record.line]
            raw = line[sentence.tokens[first].value_start : sentence.tokens[behind - 1].end]
            if name not in reading.quotes and name not in reading.lost and not is_nothing(raw):
                view.opposed += 1
                found[name] = SILENT
    return found


def _before_cues(reading: Reading, view: View, doubted: Mapping[str, str]) -> list[str]:
    """Return the columns that a correction may be about which no value was taken from."""
    found: list[str] = []
    for number, sentence in enumerate(reading.passage.sentences):
        if not sentence.cue:
            continue
        start = _first_cue(sentence)
        quotes = {name: quote for name, quote in reading.quotes.items() if name not in doubted}
        if any(quote.sentence == number and _follows(sentence, quote, start) for quote in quotes.values()):
            continue
        if any(quote.sentence == number and _not_form(sentence, quote) for quote in quotes.values()):
            continue
        values = [
            token.text
            for token, code in zip(sentence.tokens, sentence.codes, strict=True)
            if code == VALUE and token.kind != "nothing"
        ]
        kinds = [kind_of([value]) for value in values]
        for name, quote in reading.quotes.items():
            earlier = quote.sentence < number or (quote.sentence == number and quote.tokens[0] <= start)
            own = view.kind(name)
            like = own[0] == "text" if not kinds else any(_alike(own, kind) for kind in kinds)
            if earlier and like:
                found.append(name)
    return found


def _first_cue(sentence: Sentence) -> int:
    """Return the first token of a sentence's first cue."""
    text, starts = _laid(sentence)
    match = CUE.search(text)
    if match is None:
        return 0
    return max((place for place, at in enumerate(starts) if at <= match.start()), default=0)


def _laid(sentence: Sentence) -> tuple[str, list[int]]:
    """Return a sentence's text, and where in it each token begins."""
    offset = sentence.tokens[0].start
    end = sentence.tokens[-1].end - offset
    letters = [" "] * end
    starts: list[int] = []
    for token in sentence.tokens:
        starts.append(token.start - offset)
        at = token.value_start - offset
        letters[at : at + len(token.text)] = list(token.text)
    return "".join(letters), starts


def _follows(sentence: Sentence, quote: Quote, cue: int) -> bool:
    """Return whether a value is the first one behind a cue."""
    first = quote.tokens[0]
    if first <= cue:
        return False
    between = sentence.codes[cue:first]
    if VALUE in between:
        # Behind another cue it may be the first one all the same.
        last = max((place for place in range(cue, first) if sentence.codes[place] == VALUE), default=cue)
        return any(_cue_at(sentence, place) for place in range(last + 1, first))
    return sentence.codes[first] == VALUE or sum(code >= FIRST_WORD for code in between) <= 2 * _NEAR


def _cue_at(sentence: Sentence, place: int) -> bool:
    text, starts = _laid(sentence)
    return any(match.start() <= starts[place] < match.end() for match in CUE.finditer(text))


def _cue_behind(sentence: Sentence, quote: Quote, place: int) -> bool:
    return place >= quote.tokens[1] and _cue_at(sentence, place)


def _not_form(sentence: Sentence, quote: Quote) -> bool:
    """Return whether a wrong value follows: `85, not 58`, `85 rather than 58`, `85而非58`."""
    text, _ = _laid(sentence)
    end = quote.span[1] - sentence.tokens[0].start
    behind = text[end:].lstrip(" ,，(（").casefold()
    return behind.startswith(("not ", "rather than", "instead of", "而非", "而不是", "并非"))
