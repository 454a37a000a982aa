"""Prose that retells a table, read back without a model: by the templates that its sentences follow."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from debriefer.catalog.names import canonical_names, unique_columns
from debriefer.documents.anchors import segment
from debriefer.documents.columns import Draft, drafts, over_blocks
from debriefer.documents.endings import with_endings
from debriefer.documents.entries import Key
from debriefer.documents.inline import entries_of
from debriefer.documents.notes import FieldNote, matched
from debriefer.documents.relation import Anchor, Cell, Column, Segmented
from debriefer.documents.retractions import apply_sentences
from debriefer.documents.sentences import Sentence, Vocabulary, sentences
from debriefer.documents.slots import Slot, slot_of, value_of
from debriefer.documents.templates import Fit, Fitter, Template, induce
from debriefer.documents.typed_columns import Wanted, typed_column

# A kind of sentence that takes something back in so many records of its block is how the block is worded.
_WORDING_SHARE = 0.25
# What so few records of a block have is a remark, not a column.
_REMARK_SHARE = 0.25


@dataclass(slots=True)
class Told:
    """What was read of prose.

    Attributes:
        parts: Its blocks and records.
        columns: Its columns.
        cells: Cells by key and column.
        flags: What is not to be relied on.
        residual: Lines with sentences that hold values and that no template explains.
    """

    parts: Segmented
    columns: list[Column] = field(default_factory=list)
    cells: dict[tuple[Key, str], Cell] = field(default_factory=dict)
    flags: list[str] = field(default_factory=list)
    residual: list[int] = field(default_factory=list)


def read_prose(lines: Sequence[str], notes: Sequence[FieldNote] = (), anchor: Anchor | None = None) -> Told:
    """Read the table that the lines of a document retell.

    Sentences of a kind become a template; its slots become columns, called by the words around them or by the task's
    notes. A value that is taken back is replaced by what the text says in its place. A cell is flagged, and NULL,
    where the text takes something back and nothing tells what holds, where a sentence can be taken apart in two ways,
    or where its value is of another kind than the column's.

    Args:
        lines: Texts of the lines.
        notes: What is known of the fields.
        anchor: How records are marked, where that is known.
    """
    parts = segment(lines, anchor)
    told = Told(parts)
    if parts.anchor is None:
        return told
    vocabulary = Vocabulary()
    rows = sentences(lines, parts, vocabulary)
    templates = _templates(rows, parts, vocabulary)
    fitter = Fitter(templates)
    fits = [next(fitter.fits(row), None) for row in rows]
    slots = _slots(templates, fits, lines, vocabulary)
    drafted = [with_endings(draft, lines, vocabulary) for draft in drafts(slots)]
    found = over_blocks(_without_remarks(drafted, parts, told))
    known = matched([draft.labels for draft in found], notes)
    entries = entries_of(found)
    told.residual = apply_sentences(lines, rows, fits, found, entries, known, vocabulary)
    for draft, note, name, own in zip(found, known, _names(found, known), entries, strict=True):
        wanted = Wanted(
            name=name,
            meaning=note.meaning if note is not None else " ".join(next(iter(draft.labels), ())),
            unit=note.unit if note is not None else None,
            blocks=tuple(sorted({slot.template.block for slot in draft.slots})),
        )
        column, cells = typed_column(wanted, own)
        told.columns.append(column)
        told.cells.update(cells)
    return told


def _templates(rows: Sequence[Sentence], parts: Segmented, vocabulary: Vocabulary) -> list[Template]:
    plain = induce([row for row in rows if not row.cue], vocabulary)
    sizes = {block.number: len(block.records) for block in parts.blocks}
    taken_back = induce([row for row in rows if row.cue], vocabulary)
    worded = [one for one in taken_back if len(one.keys) >= _WORDING_SHARE * sizes[one.block]]
    return [*plain, *worded]


def _slots(
    templates: Sequence[Template], fits: Iterable[Fit | None], lines: Sequence[str], vocabulary: Vocabulary
) -> list[Slot]:
    by_template = {
        id(template): [slot_of(template, place, vocabulary) for place in range(len(template.slots()))]
        for template in templates
    }
    # How a block is worded takes nothing back.
    worded = {id(template) for template in templates if template.members and template.members[0].cue}
    for fit in fits:
        if fit is None:
            continue
        line = lines[fit.sentence.record.line]
        for slot in by_template[id(fit.template)]:
            value = value_of(fit, slot.place, line, vocabulary)
            # A later sentence of the same kind about the same record holds.
            slot.values[value.record] = replace(value, cue=False) if id(fit.template) in worded else value
    order = [slot for template in templates for slot in by_template[id(template)] if slot.values]
    return sorted(order, key=lambda slot: (slot.template.block, min((v.line, v.span) for v in slot.values.values())))


def _without_remarks(found: Sequence[Draft], parts: Segmented, told: Told) -> list[Draft]:
    """Leave out what few records have; what stands in the same sentence and is of its kind may be meant by it."""
    sizes = {block.number: len({record.key for record in block.records}) for block in parts.blocks}
    kept: list[Draft] = []
    for draft in found:
        if len(draft.values) >= _REMARK_SHARE * sizes[draft.block]:
            kept.append(draft)
        elif draft.kind.name != "empty":
            name = " ".join(draft.labels[0]) if draft.labels else draft.kind.name
            told.flags.append(f"`{name}` is told of {len(draft.values)} of {sizes[draft.block]} records: left out")
            _doubt_beside(draft, found)
    return kept


def _doubt_beside(remark: Draft, found: Iterable[Draft]) -> None:
    templates = {id(slot.template) for slot in remark.slots}
    for draft in found:
        if draft is remark or not draft.kind.is_like(remark.kind):
            continue
        for slot in draft.slots:
            if id(slot.template) in templates:
                draft.values.update({key: replace(draft.values[key], certain=False) for key in slot.values})


def _names(found: Sequence[Draft], known: Sequence[FieldNote | None]) -> list[str]:
    plain: list[str] = []
    for draft, note in zip(found, known, strict=True):
        label = next(iter(draft.labels), ())
        plain.append(note.name if note is not None else "_".join(label) or f"{draft.kind.name}_value")
    return unique_columns(["record_id", *canonical_names(plain)])[1:]
