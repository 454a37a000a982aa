"""The vote: rounds in, one verdict out. No model takes part in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from debriefer.judgement.cells import Table, normal, normal_table, number
from debriefer.judgement.check import at_most_verify, unsupported_cells
from debriefer.judgement.model import (
    AnswerShape,
    ClaimedCell,
    Decision,
    DecisionName,
    RoundSummary,
    VideoClaim,
    VideoVerdict,
    shown_reference,
)
from debriefer.judgement.slides import JudgedVideo

# A round whose third step failed (specification, the table of degradation).
FALLBACK = Decision(decision="ADOPT_AND_VERIFY", confidence=0.3, reason="the third step of the judgement failed")
# A round that says no is sure of it (champion-video-and-judges.md, section 5).
_NOT_SHOWN_CONFIDENCE = 1.0
# From the boldest to the most careful: where decisions tie, care wins.
_CARE: tuple[DecisionName, ...] = ("ADOPT", "ADOPT_AND_VERIFY", "RECOMPUTE")


Cells = list[list[ClaimedCell]]


@dataclass(frozen=True, slots=True)
class Round:
    """What one run of the three steps gave.

    Attributes:
        number: Counts from 1; refills go on counting.
        claim: `None` where the first step failed: the round abstains.
        shape: `None` where the second step did not run or failed.
        decision: `None` where the third step did not run or failed.
        errors: What went wrong, by step (`extract`, `align`, `decide`).
    """

    number: int
    claim: VideoClaim | None = None
    shape: AnswerShape | None = None
    decision: Decision | None = None
    errors: dict[str, str] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether the round says whether the answer is shown."""
        return self.claim is not None

    @property
    def shown(self) -> bool:
        """Whether it says that the answer is shown."""
        return self.claim is not None and self.claim.has_displayed_answer

    def outcome(self) -> Decision:
        """Return what it recommends: the third step's answer, or what stands for it."""
        if not self.shown:
            reason = "the video does not show the complete answer"
            return Decision(decision="RECOMPUTE", confidence=_NOT_SHOWN_CONFIDENCE, reason=reason)
        return self.decision or FALLBACK

    def summary(self) -> RoundSummary:
        """Return the round in short."""
        if self.claim is None:
            return RoundSummary(number=self.number, ok=False, errors=self.errors)
        outcome = self.outcome()
        return RoundSummary(
            number=self.number,
            ok=True,
            has_displayed_answer=self.shown,
            decision=outcome.decision,
            confidence=outcome.confidence,
            rows=len(self.claim.claimed_values),
            errors=self.errors,
        )


def majority(wanted: int) -> int:
    """Return how many of `wanted` rounds must succeed for a judgement.

    >>> majority(5), majority(1), majority(4)
    (3, 1, 3)
    """
    return wanted // 2 + 1


def vote(rounds: Sequence[Round], wanted: int, video: JudgedVideo, task_id: str = "") -> VideoVerdict:
    """Return the verdict of some rounds.

    Failed rounds abstain; fewer successful ones than a majority of `wanted` is `unknown`. A strict majority of the
    successful rounds decides whether the answer is shown, a tie says no. Among the rounds that say yes the decision is
    the most frequent (of equals the more careful), and the values are those of a majority; the rest comes from the
    first round that has both. Where no majority has the same values, where a slide that a cell cites does not show it,
    or where values were not converted, `ADOPT` becomes `ADOPT_AND_VERIFY`; where units do not agree and no conversion
    is certain, it is `RECOMPUTE`.

    Args:
        rounds: In the order of their numbers, refills included.
        wanted: How many rounds were asked for.
        video: The slides, for the look-up of each claimed cell.
        task_id: The task.
    """
    summaries = [one.summary() for one in rounds]
    ok = [one for one in rounds if one.ok]
    if len(ok) < majority(wanted):
        failed = next((text for one in rounds for text in one.errors.values() if not one.ok), "")
        error = f"{len(ok)} of {len(rounds)} rounds succeeded, {majority(wanted)} are needed"
        return VideoVerdict(
            task_id=task_id,
            finding="unknown",
            reason="too few rounds succeeded for a judgement",
            error=f"{error}: {failed}" if failed else error,
            rounds=summaries,
        )
    shown = [one for one in ok if one.shown]
    if 2 * len(shown) <= len(ok):
        return _not_shown([one for one in ok if not one.shown], len(ok), summaries, task_id)
    return _shown(shown, len(ok), summaries, video, task_id)


def _not_shown(saying_no: Sequence[Round], ok: int, summaries: list[RoundSummary], task_id: str) -> VideoVerdict:
    first = saying_no[0].claim or VideoClaim(has_displayed_answer=False)
    return VideoVerdict(
        task_id=task_id,
        finding="not_shown",
        decision="RECOMPUTE",
        confidence=_NOT_SHOWN_CONFIDENCE,
        agreement=len(saying_no) / ok,
        distractor_notes=first.distractor_notes,
        distractors=first.distractors,
        scope=first.scope,
        reason=saying_no[0].outcome().reason,
        rounds=summaries,
    )


def _shown(
    shown: Sequence[Round], ok: int, summaries: list[RoundSummary], video: JudgedVideo, task_id: str
) -> VideoVerdict:
    decision = _mode([one.outcome().decision for one in shown])
    cells, backers, alike, sure = _values(shown)
    supporting = [one for one in shown if one.outcome().decision == decision]
    both = [one for one in backers if one in supporting]
    # Where no round read all the values that won, the rest is at least of a claim of the same size.
    first = (both or backers or [one for one in alike if one in supporting] or alike)[0]
    claim = first.claim or VideoClaim(has_displayed_answer=False)
    if _key(claim.claimed_values) == _key(cells):
        cells = claim.claimed_values
    frames = claim.source_frames or sorted({slide for row in cells for cell in row for slide in cell.slides})
    unsupported = unsupported_cells(cells, video, frames)
    values = [[cell.value for cell in row] for row in cells]
    shape = first.shape
    fits = shape is not None and normal_table(claim.values()) == normal_table(values)
    # Values that were to be converted and are not those of this round are still in the video's unit.
    unit_consistent = shape is None or (shape.unit_consistent and (fits or not shape.conversion))
    final = decision if sure and not unsupported and unit_consistent else at_most_verify(decision)
    if shape is not None and not shape.unit_consistent:
        # The specification: units that cannot be handled reliably must be recomputed, whatever the third step says.
        final = "RECOMPUTE"
    return VideoVerdict(
        task_id=task_id,
        finding="shown",
        has_displayed_answer=True,
        decision=final,
        confidence=sum(one.outcome().confidence for one in supporting) / len(supporting),
        agreement=len(both) / ok,
        claimed_values=values,
        claimed_slides=[[list(cell.slides) for cell in row] for row in cells],
        normalized_values=shape.normalized_values if shape is not None and fits else values,
        target_columns=shape.target_columns if shape is not None else [],
        source_frames=[shown_reference(frame) for frame in frames],
        distractor_notes=claim.distractor_notes,
        distractors=claim.distractors,
        scope=claim.scope,
        unit_consistent=unit_consistent,
        conversion=shape.conversion if shape is not None and fits else "",
        note=_note(shape, sure=sure),
        reason=first.outcome().reason,
        unsupported=unsupported,
        rounds=summaries,
    )


def _note(shape: AnswerShape | None, *, sure: bool) -> str:
    notes = [shape.note if shape is not None else "units were not compared: the second step failed"]
    if not sure:
        notes.append("no majority of the rounds read the same values")
    return "; ".join(note for note in notes if note)


def _mode(decisions: Sequence[DecisionName]) -> DecisionName:
    counts = Counter(decisions)
    return max(counts, key=lambda name: (counts[name], _CARE.index(name)))


def _values(shown: Sequence[Round]) -> tuple[Cells, list[Round], list[Round], bool]:
    """Return the values of the vote, the rounds that read them, those of the same size, and whether a majority did.

    Rows in another order are the same values. Where no table has a majority, the rounds of the most frequent size vote
    on each cell, so that rounds that misread a cell each do not cost the whole.
    """
    tables = [(one, one.claim.claimed_values) for one in shown if one.claim is not None]
    keys = [_key(cells) for _, cells in tables]
    best, count = Counter(keys).most_common(1)[0]
    if 2 * count > len(tables):
        backers = [one for (one, _), key in zip(tables, keys, strict=True) if key == best]
        return tables[keys.index(best)][1], backers, backers, True
    sizes = [(len(cells), len(cells[0])) for _, cells in tables]
    size = Counter(sizes).most_common(1)[0][0]
    alike = [one for (one, _), its in zip(tables, sizes, strict=True) if its == size]
    readings = [_cited(one.claim) for one in alike if one.claim is not None]
    readings = [aligned_rows(cells, readings[0]) for cells in readings]
    voted = [[_cell([cells[i][j] for cells in readings]) for j in range(size[1])] for i in range(size[0])]
    key = _key(voted)
    backers = [one for (one, _), its in zip(tables, keys, strict=True) if its == key]
    return voted, backers, alike, False


def _cited(claim: VideoClaim) -> Cells:
    """Return a claim's cells; one that cites no slide gets those of its own claim."""
    frames = {"slides": claim.source_frames}
    return [[cell if cell.slides else cell.model_copy(update=frames) for cell in row] for row in claim.claimed_values]


def aligned_rows(cells: Cells, anchor: Cells) -> Cells:
    """Return the rows of `cells` in the order of those of `anchor` that they agree with most.

    Pairs with the most equal cells come first; of equals those whose equal cells are words, which name a row, then
    those at the same place. So a vote on cells does not mix the rows of rounds that list them in another order.

    Args:
        cells: A claim.
        anchor: A claim of the same number of rows and columns.
    """
    ours, theirs = ([[normal(cell.value) for cell in row] for row in table] for table in (cells, anchor))
    pairs = []
    for i, wanted in enumerate(theirs):
        for j, row in enumerate(ours):
            equal = [value for value, other in zip(row, wanted, strict=True) if value == other]
            words = sum(number(value) is None for value in equal)
            pairs.append((-len(equal), -words, i != j, i, j))
    places: dict[int, int] = {}
    taken: set[int] = set()
    for *_, i, j in sorted(pairs):
        if i not in places and j not in taken:
            places[i] = j
            taken.add(j)
    return [cells[places[i]] for i in range(len(anchor))]


def _key(cells: Sequence[Sequence[ClaimedCell]]) -> Table:
    return tuple(sorted(normal_table([[cell.value for cell in row] for row in cells])))


def _cell(readings: Sequence[ClaimedCell]) -> ClaimedCell:
    """Return the first reading of the most frequent value."""
    values = [normal(cell.value) for cell in readings]
    return readings[values.index(Counter(values).most_common(1)[0][0])]
