"""The subtitle agent: what is said about a question, from lines that were looked up, each quote checked."""

from __future__ import annotations

import dspy

from debriefer.media.clock import shown_span
from debriefer.media.film import Line
from debriefer.media.finding import Finder
from debriefer.media.sampling import Span
from debriefer.models import count_tokens
from dspy_programs.longvideo.asking import Asker
from dspy_programs.longvideo.settings import SUBTITLE_TOKENS
from dspy_programs.longvideo.signatures import ReadSubtitles
from dspy_programs.longvideo.state import Board, Evidence, Step
from dspy_programs.longvideo.values import SubtitleReading

SPOKEN = ("subtitle", "asr")
# Lines around a hit that explain it, and lines spread over the film that tell its topic.
_NEIGHBOURS = 2
_SPREAD = 24
_HITS = 40


class SubtitleAgent(dspy.Module):
    """Reads subtitles or narration: retrieval first, never the whole transcript of a long film."""

    def __init__(self) -> None:
        super().__init__()
        self.read = dspy.Predict(ReadSubtitles)

    def forward(self, board: Board, step: Step, asker: Asker, finder: Finder) -> list[Evidence]:
        """Carry out one instruction; quotes that stand in the subtitles become findings.

        Args:
            board: The run's state.
            step: Instruction and, where they are known, spans in; observation out.
            asker: The door to the models.
            finder: Searches the texts.
        """
        lines = list(finder.film.spoken())
        if not lines:
            why = finder.film.facts.get("speech") or "the video has none"
            step.unknown.append(f"there are no subtitles and no transcript: {why}")
            return []
        chosen = chosen_lines(lines, finder, [step.instruction, board.question], step.spans)
        reply = asker.ask(
            self.read,
            "reading",
            SubtitleReading,
            question=board.question,
            instruction=step.instruction,
            lines="\n".join(f"[{shown_span(t0, t1)}] {text}" for _, t0, t1, text in chosen),
        )
        if reply.value is None:
            step.unknown.append(f"the subtitles could not be read: {reply.error}")
            return []
        return _recorded(board, step, reply.value, chosen)


def chosen_lines(
    lines: list[Line], finder: Finder, queries: list[str], spans: tuple[Span, ...], budget: int = SUBTITLE_TOKENS
) -> list[Line]:
    """Return the lines that a question needs, within a budget of tokens, in order of time.

    All where they fit; else those within the spans, those that fit the queries with their neighbours, and some spread
    over the whole, in this order.
    """
    sizes = [count_tokens(text) + 12 for *_, text in lines]
    if sum(sizes) <= budget:
        return lines
    places = {name: place for place, (name, *_) in enumerate(lines)}
    order: list[int] = []
    for query in queries:
        for hit in finder.texts().search(query, SPOKEN, _HITS, spans or None):
            place = places[hit.id]
            order += [place, *range(max(0, place - _NEIGHBOURS), min(len(lines), place + _NEIGHBOURS + 1))]
    inside = [p for p, (_, t0, t1, _) in enumerate(lines) if any(t0 <= end and t1 >= begin for begin, end in spans)]
    spread = [round(number * (len(lines) - 1) / (_SPREAD - 1)) for number in range(_SPREAD)]
    # The spread tells the topic and is little; hits come before whatever else lies in the spans.
    room, kept = budget, set[int]()
    for place in dict.fromkeys([*order[:1], *spread, *order, *inside]):
        if sizes[place] <= room:
            kept.add(place)
            room -= sizes[place]
    return [lines[place] for place in sorted(kept)]


def _recorded(board: Board, step: Step, reading: SubtitleReading, lines: list[Line]) -> list[Evidence]:
    call = board.look_done([])
    found: list[Evidence] = []
    astray = 0
    for one in reading.relevant:
        line = _line_of(one.text, one.start, lines)
        if line is None:
            astray += 1
            continue
        _, t0, t1, _ = line
        found.append(board.add("said", t0, t1, one.text, call=call, suggests=reading.suggests, settles=reading.settles))
    shown = [one.line() for one in found] or ["no line bears on it"]
    for label, text in (
        ("suggests", reading.suggests if found else ""),
        ("entities and sentiment", reading.entities_and_sentiment),
        ("topic", reading.topic),
    ):
        if text:
            shown.append(f"{label}: {text}")
    if astray:
        shown.append(f"({astray} quotes were dropped: they do not stand in the subtitles)")
    step.observation = "\n".join(shown)
    return found


def _line_of(quote: str, start: float, lines: list[Line]) -> Line | None:
    """Return the line that holds a quote (or that a longer quote holds), the nearest in time."""
    wanted = _folded(quote)
    holding = [line for line in lines if wanted and (wanted in _folded(line[3]) or _folded(line[3]) in wanted)]
    return min(holding, key=lambda line: abs(line[1] - start), default=None)


def _folded(text: str) -> str:
    return "".join(letter for letter in text.casefold() if letter.isalnum())
