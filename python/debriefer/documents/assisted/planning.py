"""Which columns a document has: samples of its blocks for a model, and its answer brought to a form that holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from debriefer.catalog.names import canonical_names, unique_columns
from debriefer.documents.assisted.passages import Passage
from debriefer.documents.assisted.settings import AssistedSettings
from debriefer.documents.notes import FieldNote
from debriefer.documents.reader_port import PlannedColumn, RecordText, SampledBlock, SchemaReply, SchemaRequest
from debriefer.documents.relation import Segmented


def schema_request(
    document: str,
    lines: Sequence[str],
    parts: Segmented,
    blocks: Mapping[int, Sequence[Passage]],
    notes: Sequence[FieldNote],
    settings: AssistedSettings,
) -> SchemaRequest:
    """Return what a model is shown to tell the columns from: few lines of each block, and what stands between."""
    titles = {block.number: block.title for block in parts.blocks}
    room = settings.sample_characters // max(1, len(blocks))
    sampled = tuple(
        SampledBlock(number, titles.get(number, ""), _within(stratified(own, settings.samples), room))
        for number, own in blocks.items()
    )
    context: list[str] = []
    left = settings.context_characters
    for number in parts.transitions:
        text = lines[number].strip()
        if text and text not in context and len(text) <= left:
            context.append(text)
            left -= len(text)
    return SchemaRequest(document, tuple(context), sampled, tuple(notes))


def stratified(own: Sequence[Passage], wanted: int) -> list[Passage]:
    """Return so many passages from all parts of a block, in order: the first and the last are among them.

    >>> stratified([1, 2, 3, 4, 5, 6, 7], 3)
    [1, 4, 7]
    """
    if len(own) <= wanted:
        return list(own)
    if wanted == 1:
        return [own[0]]
    return [own[round(place * (len(own) - 1) / (wanted - 1))] for place in range(wanted)]


def _within(chosen: Sequence[Passage], room: int) -> tuple[RecordText, ...]:
    kept: list[RecordText] = []
    for passage in chosen:
        if kept and len(passage.text) > room:
            break
        kept.append(RecordText(passage.record, passage.text))
        room -= len(passage.text)
    return tuple(kept)


def planned(
    reply: SchemaReply, blocks: Mapping[int, Sequence[Passage]], notes: Sequence[FieldNote]
) -> list[PlannedColumn]:
    """Return the columns of a reply that can be used.

    Columns of blocks that there are not, and second ones of one name in one block, are left out; names are those of the
    catalog; a field that the notes name has their unit and meaning.
    """
    own = [column for column in reply.columns if column.block in blocks and column.name.strip()]
    distinct = list(dict.fromkeys(column.name.strip().casefold() for column in own))
    names = dict(zip(distinct, unique_columns(["record_id", *canonical_names(distinct)])[1:], strict=True))
    by_name = {note.name.casefold(): note for note in notes}
    found: dict[tuple[int, str], PlannedColumn] = {}
    for column in own:
        key = column.name.strip().casefold()
        note = by_name.get(key)
        plan = replace(column, name=note.name if note is not None else names[key])
        if note is not None:
            plan = replace(plan, meaning=note.meaning, target_unit=note.unit or plan.target_unit)
        found.setdefault((plan.block, plan.name), plan)
    return list(found.values())
