"""One block read with a model: chunk after chunk, until what was read tells the rest without one."""

from __future__ import annotations

import contextvars
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from debriefer.documents.assisted.asking import Asker, reading_of
from debriefer.documents.assisted.evidence import View, said_again
from debriefer.documents.assisted.passages import Passage, Quote
from debriefer.documents.assisted.patterns import Patterns, Reading, learn
from debriefer.documents.assisted.planning import stratified
from debriefer.documents.entries import Key
from debriefer.documents.reader_port import QuotedCell


@dataclass(slots=True)
class BlockRead:
    """What was read of a block.

    Attributes:
        readings: What a model said, by key.
        explained: Values that patterns read, by key and column.
        texts: The passages that patterns read, by key.
        unread: Passages that neither read.
        patterns: The patterns in the end.
    """

    readings: dict[Key, Reading] = field(default_factory=dict)
    explained: dict[Key, dict[str, Quote]] = field(default_factory=dict)
    texts: dict[Key, Passage] = field(default_factory=dict)
    unread: list[Passage] = field(default_factory=list)
    patterns: Patterns = field(default_factory=Patterns)


def read_block(own: Sequence[Passage], asker: Asker) -> BlockRead:
    """Read a block: one chunk of records from all its parts first, then what its patterns leave over.

    Rounds have one, two, four, … chunks, so that few are asked for before patterns are known, and few rounds are needed
    where nothing repeats.
    """
    asker.allow(len(own))
    examples = _examples(own, asker)
    found = BlockRead()
    asked: set[Key] = set()
    chunks = 1
    pending = list(own)
    while pending and not asker.cost.stopped and asker.allowed > 0:
        size = asker.settings.chunk
        wanted = stratified(pending, size * chunks)
        asked.update(passage.key for passage in wanted)
        count = -(-len(wanted) // size)
        # Chunks of a round are of one length: 20 records are two chunks of ten.
        length = -(-len(wanted) // count)
        parts = [wanted[place : place + length] for place in range(0, len(wanted), length)]
        for readings in _asked(asker, parts):
            found.readings |= {reading.passage.key: reading for reading in readings}
        found.patterns = learned(list(found.readings.values()), asker.lines, examples)
        view = View({column.name: column for column in asker.columns}, found.patterns, asker.lines)
        pending = [passage for passage in own if passage.key not in asked and explained(passage, view) is None]
        chunks *= 2
    view = View({column.name: column for column in asker.columns}, found.patterns, asker.lines)
    for passage in own:
        if passage.key in found.readings:
            continue
        values = explained(passage, view)
        if values is None:
            found.unread.append(passage)
        else:
            found.explained[passage.key], found.texts[passage.key] = values, passage
    return found


def explained(passage: Passage, view: View) -> dict[str, Quote] | None:
    """Return the values of a passage that a model need not read; `None` where it must."""
    values = view.patterns.explained(passage, view.lines)
    return None if values is None or said_again(passage, values, view) else values


def _asked(asker: Asker, parts: Sequence[Sequence[Passage]]) -> list[list[Reading]]:
    if len(parts) == 1 or asker.settings.jobs == 1:
        return [asker.read(part) for part in parts]
    with ThreadPoolExecutor(asker.settings.jobs, thread_name_prefix="documents") as pool:
        # Models and meters live in the context of the thread that asks.
        futures = [pool.submit(contextvars.copy_context().run, asker.read, part) for part in parts]
        return [future.result() for future in futures]


def _examples(own: Sequence[Passage], asker: Asker) -> list[Reading]:
    """Return the values that the schema gives as examples, each where its record has it."""
    found: dict[str, list[QuotedCell]] = {}
    for column in asker.columns:
        for example in column.examples:
            found.setdefault(example.record, []).append(QuotedCell(example.record, column.name, example.quote))
    own_readings = [reading_of(one, found[one.record], asker.lines) for one in own if one.record in found]
    for reading in own_readings:
        reading.quotes = {name: places[0] for name, places in reading.options.items() if len(places) == 1}
    return own_readings


def learned(readings: Sequence[Reading], lines: Sequence[str], examples: Sequence[Reading] = ()) -> Patterns:
    """Return the patterns of readings; a value that stands in several places is where the patterns have it."""
    patterns = learn([reading for reading in readings if all(map(_single, reading.options.values()))], lines, examples)
    for reading in readings:
        settled_places(reading, patterns)
    return learn(readings, lines, examples)


def _single(places: Sequence[Quote]) -> bool:
    return len(places) == 1


def settled_places(reading: Reading, patterns: Patterns) -> None:
    """Choose anew where values stand that their text has in several places."""
    assigned: Mapping[tuple[int, str], tuple[int, int]] = {
        (number, name): tokens
        for number, sentence in enumerate(reading.passage.sentences)
        if not sentence.cue and (found := patterns.assigned(sentence)) is not None
        for name, tokens in found.spans.items()
    }
    for name, places in reading.options.items():
        if len(places) > 1:
            reading.quotes[name] = chosen(name, places, assigned)


def chosen(name: str, places: Sequence[Quote], assigned: Mapping[tuple[int, str], tuple[int, int]]) -> Quote:
    """Return where a value stands: where the patterns have the column, else the last place that they leave open."""
    fitting = [place for place in places if assigned.get((place.sentence, name)) == place.tokens]
    told = {sentence for sentence, column in assigned if column == name}
    free = [place for place in places if place.sentence not in told]
    return (fitting or free[::-1] or list(places))[0]
