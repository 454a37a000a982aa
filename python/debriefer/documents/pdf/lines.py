"""Letters into words and words into lines, with the gaps that the page has and none that it has not."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from debriefer.documents.pdf.ink import Area, Glyph, around

# Shares of the font's height. A wider gap than the first ends a word; letters whose baselines differ by less than the
# second stand on one line.
_WORD_GAP = 0.2
_SAME_LINE = 0.3
# A smaller letter than this share of its line's size may be raised or lowered and still belongs to the line.
_RAISED = 0.87


@dataclass(frozen=True, slots=True)
class Word:
    """Letters without a gap between them.

    Attributes:
        text: What it says.
        area: Where it stands.
        baseline: y of the line that it stands on.
        size: Height of its font in points.
        bold: Whether most of it is bold.
        order: Position of its first letter in the file.
        spaced: Whether the file has a space before it; else only a gap parts it from the word before.
    """

    text: str
    area: Area
    baseline: float
    size: float
    bold: bool
    order: int
    spaced: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """Words on one baseline, from left to right."""

    words: tuple[Word, ...]

    @property
    def area(self) -> Area:
        """Where it stands."""
        return around([word.area for word in self.words])

    @property
    def baseline(self) -> float:
        """Y of the line that most of it stands on."""
        return median_low(word.baseline for word in self.words)

    @property
    def size(self) -> float:
        """Height of its largest font in points."""
        return max(word.size for word in self.words)

    @property
    def bold(self) -> bool:
        """Whether more than half of its letters are bold."""
        return sum(len(word.text) for word in self.words if word.bold) * 2 > sum(len(word.text) for word in self.words)

    @property
    def text(self) -> str:
        """Its words, with spaces where the script has them."""
        return joined(self.words)


def median_low(values: Iterable[float]) -> float:
    """Return the lower middle of some values (at least one)."""
    ordered = sorted(values)
    return ordered[(len(ordered) - 1) // 2]


def lines_of(glyphs: Iterable[Glyph]) -> list[Line]:
    """Return the lines that letters form, top to bottom; letters are upright."""
    groups: list[list[Glyph]] = []
    printed = sorted(
        (glyph for glyph in glyphs if glyph.size > 0), key=lambda glyph: (-glyph.size, glyph.baseline, glyph.order)
    )
    # Large letters first, so that a raised or small one finds the line that it belongs to.
    rows: dict[int, list[list[Glyph]]] = {}
    for glyph in printed:
        home = _home(glyph, rows)
        if home is None:
            home = []
            groups.append(home)
            rows.setdefault(int(glyph.baseline // 8), []).append(home)
        home.append(glyph)
    lines = [Line(tuple(words_of(group))) for group in groups]
    lines = [line for line in lines if line.words]
    return _with_raised(sorted(lines, key=lambda line: (line.baseline, line.area.left)))


def _home(glyph: Glyph, rows: dict[int, list[list[Glyph]]]) -> list[Glyph] | None:
    place = int(glyph.baseline // 8)
    reach = 1 + int(_SAME_LINE * glyph.size // 8)
    best: tuple[float, list[Glyph]] | None = None
    for row in range(place - reach, place + reach + 1):
        for group in rows.get(row, ()):
            distance = abs(group[0].baseline - glyph.baseline)
            if distance <= _SAME_LINE * glyph.size and (best is None or distance < best[0]):
                best = distance, group
    return None if best is None else best[1]


def words_of(glyphs: Iterable[Glyph]) -> list[Word]:
    """Return the words of letters that stand on one line, left to right."""
    words: list[Word] = []
    letters: list[Glyph] = []
    spaced = False
    after_space = False
    for glyph in sorted(glyphs, key=lambda glyph: (glyph.area.left, glyph.order)):
        if glyph.text.isspace():
            after_space = True
            continue
        if letters:
            gap = glyph.area.left - letters[-1].area.right
            size = max(glyph.size, letters[-1].size)
            if after_space or gap > _WORD_GAP * size:
                words.append(_word(letters, spaced))
                letters, spaced = [], after_space
        letters.append(glyph)
        after_space = False
    if letters:
        words.append(_word(letters, spaced))
    return words


def _word(letters: Sequence[Glyph], spaced: bool) -> Word:
    return Word(
        text=unicodedata.normalize("NFC", "".join(letter.text for letter in letters)),
        area=around([letter.area for letter in letters]),
        baseline=median_low(letter.baseline for letter in letters),
        size=max(letter.size for letter in letters),
        bold=sum(letter.bold for letter in letters) * 2 > len(letters),
        order=min(letter.order for letter in letters),
        spaced=spaced,
    )


def _with_raised(lines: list[Line]) -> list[Line]:
    """Return lines with raised and lowered small letters put where they belong: `H`, `2` and `O` as `H2O`."""
    kept: list[Line] = []
    small: list[Line] = []
    for number, line in enumerate(lines):
        near = [other for other in lines[max(0, number - 6) : number + 7] if other is not line and _raises(line, other)]
        (small if near else kept).append(line)
    homes: dict[int, list[Word]] = {}
    for line in small:
        for word in line.words:
            place = _place(word, kept)
            if place is None:
                kept.append(Line((word,)))
            else:
                homes.setdefault(place, []).append(word)
    result: list[Line] = []
    for number, line in enumerate(kept):
        words = sorted((*line.words, *homes.get(number, ())), key=lambda word: (word.area.left, word.order))
        result.append(Line(tuple(words)))
    return sorted(result, key=lambda line: (line.baseline, line.area.left))


def _raises(line: Line, other: Line) -> bool:
    """Whether all of `line` may be raised or lowered text of `other`."""
    if line.size > _RAISED * other.size:
        return False
    return all(_beside(word, other) for word in line.words)


def _beside(word: Word, line: Line) -> bool:
    middle = (word.area.top + word.area.bottom) / 2
    return any(
        word.size <= _RAISED * other.size
        and other.area.top - 0.15 * other.size <= middle <= other.area.bottom + 0.15 * other.size
        and (
            abs(word.area.left - other.area.right) < 0.3 * other.size
            or abs(word.area.right - other.area.left) < 0.3 * other.size
        )
        for other in line.words
    )


def _place(word: Word, lines: Sequence[Line]) -> int | None:
    fits = [(abs(line.baseline - word.baseline), number) for number, line in enumerate(lines) if _beside(word, line)]
    return min(fits)[1] if fits else None


def joined(words: Sequence[Word]) -> str:
    """Return words of one line as text, with a space where the script and the page have one."""
    text = ""
    before: Word | None = None
    for word in words:
        if before is not None:
            gap = word.area.left - before.area.right
            tight = gap < _WORD_GAP * max(word.size, before.size) * 0.5 and not word.spaced
            if not tight and not (unspaced(text[-1], word.text[0]) and gap < max(word.size, before.size)):
                text += " "
        text += word.text
        before = word
    return text


def unspaced(left: str, right: str) -> bool:
    """Whether two neighbouring characters are written without a space: Chinese, Japanese and their punctuation.

    >>> unspaced("表", "格"), unspaced("表", "A"), unspaced("a", "b")
    (True, True, False)
    """
    wide = (_is_ideographic(left), _is_ideographic(right))
    return all(wide) or (any(wide) and not (left.isspace() or right.isspace()))


def _is_ideographic(letter: str) -> bool:
    return unicodedata.east_asian_width(letter) in "WF" and not 0xAC00 <= ord(letter) <= 0xD7A3  # noqa: PLR2004


def run_on(first: str, second: str, *, known: frozenset[str] = frozenset()) -> str:
    """Return the texts of two lines that are one: with or without a space, and without a hyphen of the line break.

    A hyphen between two small letters is taken away if the whole word stands elsewhere in the document (`known`,
    case-folded); else it stays, for `cost-` and `benefit` are two words.

    >>> run_on("a data-", "base of", known=frozenset({"database"})), run_on("cost-", "benefit"), run_on("一行", "二行")
    ('a database of', 'cost-benefit', '一行二行')
    """
    if not first or not second:
        return first or second
    if first[-1] in "-‐" and len(first) > 1 and first[-2].isalpha() and second[0].islower():
        head = first[:-1].rsplit(maxsplit=1)[-1]
        tail = second.split(maxsplit=1)[0]
        whole = (head + tail).strip(".,;:!?()[]\"'“”").casefold()
        return (first[:-1] if whole in known else first) + second
    return first + ("" if unspaced(first[-1], second[0]) else " ") + second


def line_height(lines: Sequence[Line]) -> float:
    """Return the middle height of the lines' fonts in points; 10 where there are none."""
    return median(line.size for line in lines) if lines else 10.0
