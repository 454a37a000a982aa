"""Room in the model's window: what of a run is shown in full, what as conclusions, and what must be cut in sight."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from debriefer.models import neutralise
from dspy_programs.solver.evidence import Evidence
from dspy_programs.solver.prompt import IMAGE_TOKENS, Briefing
from dspy_programs.solver.trajectory import Notes, Observation, Trajectory, Turn, call_text

# Part of the window that a request may fill: estimates are rough, and a chat template adds to each message.
_FILL = 0.85
# After a compression the turns that stay take at most this part of the room, so that the next one is far off
# and the provider's cache holds until then.
_KEPT_SHARE = 0.4
# Part of the room that the newest turn's observations may take; the rest is for thought, notes and the next reply.
_NEWEST_SHARE = 0.6
# Part of the room that conclusions may take before the oldest are dropped.
_NOTES_SHARE = 0.25
_HEAD_SHARE = 0.7
_LEAST_OBSERVATION = 200
# Tokens of a message beside its text.
_MESSAGE_TOKENS = 12
_DIGEST_CHARACTERS = 300
# What is left of the room after a request that was too long; five steps reach a sixth.
_SHRINK = 0.7


class Window:
    """The room that a run has in the model's window, and what of it is taken.

    All sizes are estimates in tokens. When a model refuses a request as too long all the same, `shrink` lowers
    the bound, so that estimates need not be exact.
    """

    def __init__(
        self, briefing: Briefing, *, fixed_text: str, window: int, reply_tokens: int, count: Callable[[str], int]
    ) -> None:
        """Measure what is fixed.

        Args:
            briefing: The run's briefing.
            fixed_text: Text of the system message beside the rules: instructions, tools, examples.
            window: The model's context window.
            reply_tokens: Room to keep for the reply.
            count: Tokens of a text.
        """
        self._count = count
        self._limit = max(1, int((window - reply_tokens) * _FILL))
        self._fixed = (
            count(fixed_text)
            + count(briefing.rules)
            + count(briefing.knowledge)
            + _evidence_tokens(briefing.evidence, count)
            + count(briefing.question)
            + 2 * _MESSAGE_TOKENS
        )
        self._turns: dict[int, int] = {}

    @property
    def room(self) -> int:
        """Tokens that are left for the trajectory; at least a little, or nothing could be said at all."""
        return max(_LEAST_OBSERVATION, self._limit - self._fixed)

    def shrink(self, trajectory: Trajectory) -> None:
        """Lower the bound below a request that was too long for the model though not by the estimate."""
        used = min(self.room, self.tokens(trajectory) - self._fixed)
        self._limit = max(1, int(self._fixed + used * _SHRINK))

    def tokens(self, trajectory: Trajectory) -> int:
        """Return the estimated size of a request with this trajectory."""
        return self._fixed + self._notes(trajectory.notes) + sum(map(self.turn_tokens, trajectory.turns))

    def full(self, trajectory: Trajectory) -> bool:
        """Return whether a request with this trajectory is too long."""
        return self._notes(trajectory.notes) + sum(map(self.turn_tokens, trajectory.turns)) > self.room

    def turn_tokens(self, turn: Turn) -> int:
        """Return the estimated size of a turn."""
        if turn.number not in self._turns:
            pictures = sum(len(observation.images) for observation in turn.observations)
            messages = 2 + len(turn.observations)
            self._turns[turn.number] = self._count(turn.text()) + pictures * IMAGE_TOKENS + messages * _MESSAGE_TOKENS
        return self._turns[turn.number]

    def split(self, turns: Sequence[Turn]) -> tuple[tuple[Turn, ...], tuple[Turn, ...]]:
        """Return the older turns, to be compressed, and the newest, which stay: at least one."""
        kept = 0
        used = 0
        for turn in reversed(turns):
            used += self.turn_tokens(turn)
            if kept and used > self.room * _KEPT_SHARE:
                break
            kept += 1
        return tuple(turns[: len(turns) - kept]), tuple(turns[len(turns) - kept :])

    def chunk_tokens(self, window: int | None) -> int:
        """Return the tokens of turns that one request of compression may hold.

        Args:
            window: Context window of the model that compresses; `None` where it is the run's own.
        """
        limit = self._limit if window is None else min(self._limit, int(window * _FILL))
        return max(_LEAST_OBSERVATION, int(limit * _NEWEST_SHARE))

    def chunk(self, turns: Sequence[Turn], largest: int) -> tuple[tuple[Turn, ...], str]:
        """Return the first of some turns that fit into `largest` tokens, at least one, and their text.

        A turn that does not fit alone is cut, in sight.
        """
        part: list[Turn] = []
        texts: list[str] = []
        used = 0
        for turn in turns:
            text = cut(turn.text(), largest, self._count, "the rest of this turn is not shown here")
            used += self._count(text)
            if part and used > largest:
                break
            part.append(turn)
            texts.append(text)
        return tuple(part), neutralise("\n\n".join(texts))

    def fit_turn(self, turn: Turn) -> Turn:
        """Return the newest turn with observations that leave room in the window.

        An observation is shown whole wherever it fits. One that does not is cut in its middle, with a line that says
        how much is missing and how to see it.
        """
        allowed = int(self.room * _NEWEST_SHARE)
        sizes = [self._count(seen.text) + IMAGE_TOKENS * len(seen.images) for seen in turn.observations]
        if sum(sizes) <= allowed:
            return turn
        observations: list[Observation] = []
        # Each observation may use what those before it left over.
        left = allowed
        for index, (seen, size) in enumerate(zip(turn.observations, sizes, strict=True)):
            fair = max(_LEAST_OBSERVATION, left // (len(sizes) - index))
            fitted = seen
            if size > fair:
                hint = "this output is longer than your window allows; ask for fewer rows or columns to see the rest"
                fitted = seen.model_copy(update={"text": cut(seen.text, fair, self._count, hint)})
            left = max(0, left - min(size, fair))
            observations.append(fitted)
        self._turns.pop(turn.number, None)
        return turn.model_copy(update={"observations": tuple(observations)})

    def add(
        self, notes: Notes | None, conclusions: Iterable[str], withdrawn: Iterable[int], next_step: str, turns: int
    ) -> Notes:
        """Return notes with new conclusions; earlier ones stay unless withdrawn by their number.

        Where the conclusions outgrow their share of the window the oldest go, and the notes say how many.
        """
        earlier = notes or Notes()
        gone = set(withdrawn)
        kept = [(number, text) for number, text in earlier.conclusions if number not in gone]
        known = {text for _, text in kept}
        following = max((number for number, _ in earlier.conclusions), default=earlier.dropped) + 1
        for conclusion in conclusions:
            text = " ".join(conclusion.split())
            if text and text not in known:
                kept.append((following, neutralise(text)))
                known.add(text)
                following += 1
        dropped = earlier.dropped
        while len(kept) > 1 and sum(self._count(text) for _, text in kept) > self.room * _NOTES_SHARE:
            kept.pop(0)
            dropped += 1
        return Notes(
            conclusions=tuple(kept),
            next_step=neutralise(next_step.strip()),
            turns=earlier.turns + turns,
            dropped=dropped,
        )

    def _notes(self, notes: Notes | None) -> int:
        return 0 if notes is None else self._count(notes.text()) + _MESSAGE_TOKENS


def digest(turns: Sequence[Turn]) -> list[str]:
    """Return one conclusion a turn by rule, for when no model can write them: what was thought, called and answered."""
    conclusions = []
    for turn in turns:
        if turn.unreadable is not None:
            continue
        parts = [_short(turn.thought)] if turn.thought else []
        for call, seen in zip(turn.calls, turn.observations, strict=False):
            parts.append(f"{_short(call_text(call))} → {_short(seen.text)}")
        if parts:
            conclusions.append(f"Turn {turn.number}: {'; '.join(parts)}")
    return conclusions


def cut(text: str, tokens: int, count: Callable[[str], int], hint: str) -> str:
    """Return a text within a number of tokens: lines of its head and its end, and between them what is missing."""
    if count(text) <= tokens:
        return text
    lines = text.splitlines()
    head: list[str] = []
    tail: list[str] = []
    used = count(hint) + 24
    for line in lines:
        used += count(line) + 1
        if used > tokens * _HEAD_SHARE:
            break
        head.append(line)
    used = max(used, int(tokens * _HEAD_SHARE))
    for line in reversed(lines[len(head) :]):
        used += count(line) + 1
        if used > tokens:
            break
        tail.insert(0, line)
    missing = len(lines) - len(head) - len(tail)
    if not head and not tail:
        # One line that is too long by itself.
        kept = max(1, int(len(text) * tokens / count(text) * _HEAD_SHARE))
        return f"{text[:kept]}\n[… {len(text) - kept} of {len(text)} characters are cut here: {hint} …]"
    return "\n".join([*head, f"[… {missing} of {len(lines)} lines are cut here: {hint} …]", *tail])


def _evidence_tokens(evidence: Evidence, count: Callable[[str], int]) -> int:
    return sum(count(block["text"]) if block["type"] == "text" else IMAGE_TOKENS for block in evidence.format())


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _DIGEST_CHARACTERS else flat[: _DIGEST_CHARACTERS - 1] + "…"
