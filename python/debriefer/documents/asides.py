"""Sentences that tell no column: grouped by their form over the whole document, those that correct and mere remarks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from debriefer.documents.sentences import VALUE, Sentence, Vocabulary
from debriefer.documents.slots import kind_of
from debriefer.documents.templates import Fit, Fitter, induce

# A sentence goes on behind these.
_GOES_ON = frozenset(";；:：")


@dataclass(frozen=True, slots=True)
class Aside:
    """Sentences of a record that tell no column and belong together.

    Attributes:
        row: Their tokens as one sentence.
        line: The line.
        fillers: What fills the slots of its form, as places in `text`; empty where it has no form.
        form: Number of its form among the document's; `None` where too few are worded so.
    """

    row: Sentence
    line: str
    form: int | None = None
    fillers: tuple[tuple[int, int], ...] = ()

    @property
    def text(self) -> str:
        """What it says."""
        start, end = self.row.span
        return self.line[start:end]

    @property
    def values(self) -> list[str]:
        """Its amounts, dates and codes, without those of the record's key."""
        return [token.text for token, code in zip(self.row.tokens, self.row.codes, strict=True) if code == VALUE]


def asides(
    lines: Sequence[str], rows: Sequence[Sentence], telling: Sequence[bool], vocabulary: Vocabulary
) -> dict[int, Aside]:
    """Return what the sentences that tell no column say, by the number of their last sentence.

    Args:
        lines: Texts of the lines.
        rows: The sentences of all records.
        telling: Whether each of them tells a column.
        vocabulary: Numbers of the words.
    """
    runs: dict[int, list[Sentence]] = {}
    for number, row in enumerate(rows):
        if telling[number]:
            continue
        before = runs.get(number - 1)
        if before is not None and before[-1].record == row.record and before[-1].tokens[-1].text in _GOES_ON:
            runs[number] = [*runs.pop(number - 1), row]
        else:
            runs[number] = [row]
    found = {number: Aside(_one(run), lines[run[0].record.line]) for number, run in runs.items()}
    return _with_forms(found, vocabulary)


def _one(run: Sequence[Sentence]) -> Sentence:
    return replace(
        run[0],
        tokens=tuple(token for row in run for token in row.tokens),
        codes=tuple(code for row in run for code in row.codes),
        cue=any(row.cue for row in run),
    )


def _with_forms(found: Mapping[int, Aside], vocabulary: Vocabulary) -> dict[int, Aside]:
    # Told apart by their number: a record may have the same remark in several blocks.
    alone = {
        number: replace(one.row, block=0, record=replace(one.row.record, key=(str(number),)))
        for number, one in found.items()
    }
    templates = induce(list(alone.values()), vocabulary)
    fitter = Fitter(templates)
    numbers = {id(template): number for number, template in enumerate(templates)}
    done: dict[int, Aside] = {}
    for number, one in found.items():
        fit = next(fitter.fits(alone[number]), None)
        done[number] = one if fit is None else replace(one, form=numbers[id(fit.template)], fillers=_fillers(fit))
    return done


def _fillers(fit: Fit) -> tuple[tuple[int, int], ...]:
    row = fit.sentence.tokens
    start = row[0].start
    return tuple(
        (row[first].value_start - start, row[behind - 1].end - start) if behind > first else (0, 0)
        for first, behind in fit.slots
    )


def correcting(
    found: Iterable[Aside],
    named: Callable[[Aside], Iterable[int]],
    texts: Callable[[Aside], bool],
) -> set[int]:
    """Return the forms that take back what was told.

    Those have a cue; or they name now this column and now that one; or what they say is now an amount, now a date, now
    one of the texts that are told: a remark has always the same kind.

    Args:
        found: The asides.
        named: Returns the columns that an aside names.
        texts: Whether an aside says one of the texts of the columns that its line tells.
    """
    by_form: dict[int, list[Aside]] = defaultdict(list)
    for one in found:
        if one.form is not None:
            by_form[one.form].append(one)
    forms: set[int] = set()
    for form, members in by_form.items():
        cues = sum(one.row.cue for one in members)
        columns = {number for one in members for number in named(one)}
        kinds = {_said(one, texts) for one in members} - {None}
        if cues * 2 >= len(members) or (kinds and len(columns) > 1) or len(kinds) > 1:
            forms.add(form)
    return forms


def _said(one: Aside, texts: Callable[[Aside], bool]) -> tuple[str, str] | None:
    if one.values:
        kind = kind_of(one.values[-1:])
        return kind.name, kind.unit
    return ("text", "") if texts(one) else None
