"""The answer to a question about a video, what it rests on, and how it was found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from debriefer.media.clock import clock, shown_span
from debriefer.models import Totals
from dspy_programs.longvideo.state import Evidence, Step


@dataclass(frozen=True, slots=True)
class Citation:
    """A stretch of the video that an answer rests on.

    Attributes:
        start: Begin in seconds.
        end: End in seconds.
        kind: `seen`, `said`, `overview` or `compared`.
        text: What was seen there.
        quote: What was said there, word for word; empty for what was seen.
        frames: Times of the frames that show it.
        frame_files: Their files, as far as they are on disk.
    """

    start: float
    end: float
    kind: str
    text: str
    quote: str = ""
    frames: tuple[float, ...] = ()
    frame_files: tuple[str, ...] = ()

    @classmethod
    def of(cls, evidence: Evidence, files: dict[str, str]) -> Citation:
        """Return the citation of a finding.

        Args:
            evidence: The finding.
            files: By id the files of the frames in the store.
        """
        said = evidence.kind == "said"
        return cls(
            round(evidence.start, 2),
            round(evidence.end, 2),
            evidence.kind,
            "" if said else evidence.text,
            evidence.text if said else "",
            evidence.frames,
            tuple(files[name] for name in evidence.frame_ids if name in files),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON values, times also as `HH:MM:SS`."""
        return {
            "start": self.start,
            "end": self.end,
            "span": shown_span(self.start, self.end),
            "kind": self.kind,
            "text": self.text,
            "quote": self.quote,
            "frames": list(self.frames),
            "frame_files": list(self.frame_files),
        }


@dataclass(frozen=True, slots=True)
class VideoAnswer:
    """What is answered.

    Attributes:
        question: The question.
        answer: In words; empty where nothing could be found out.
        choice: Letter of the option, or `None` without options, and where none is named.
        choices: The options.
        citations: What it rests on, in order of time.
        abstained: Whether there is no answer, or none that names an option.
        budget_exhausted: Name of the bound that ended the search, else `None`: the answer is then the best so far.
        credible: What the review said; `None` where there was none that could be read; `False` where nothing was
            verified, whatever the review said.
        doubt: The last objection of a review that the answer did not clear, and what it lacks: a search, a look that
            succeeded, a citation; else empty.
        error: Why there is no answer where no model could be asked, else empty.
        steps: How it was found.
        grounded: Stretches that grounding named, as JSON values.
        strategy: `paper` or `fast`.
        usage: Requests, tokens and cost.
        calls: Questions to models by signature: asked, kept from earlier, failed, frames.
        seconds: Wall time.
        notes: What was odd about the video.
    """

    question: str
    answer: str
    choice: str | None
    choices: tuple[str, ...]
    citations: tuple[Citation, ...]
    abstained: bool
    budget_exhausted: str | None
    credible: bool | None
    doubt: str
    error: str
    steps: tuple[Step, ...]
    grounded: tuple[dict[str, Any], ...]
    strategy: str
    usage: Totals
    calls: dict[str, dict[str, int]]
    seconds: float
    notes: tuple[str, ...] = field(default=())

    def to_dict(self, *, steps: bool = True) -> dict[str, Any]:
        """Return the answer as JSON values."""
        values: dict[str, Any] = {
            "question": self.question,
            "answer": self.answer,
            "choice": self.choice,
            "choices": list(self.choices),
            "citations": [citation.to_dict() for citation in self.citations],
            "abstained": self.abstained,
            "budget_exhausted": self.budget_exhausted,
            "credible": self.credible,
            "doubt": self.doubt,
            "error": self.error,
            "strategy": self.strategy,
            "usage": self.usage.to_dict(),
            "calls": self.calls,
            "seconds": self.seconds,
            "notes": list(self.notes),
        }
        if steps:
            values["steps"] = [step.to_dict() for step in self.steps]
            values["grounded"] = list(self.grounded)
        return values


def render_transcript(answer: VideoAnswer) -> str:
    """Return how an answer was found as Markdown, for a person to read."""
    lines = [f"# {_line(answer.question)}", ""]
    lines += [f"- {chr(65 + place)}. {_line(choice)}" for place, choice in enumerate(answer.choices)]
    lines += ["", f"**Answer:** {_line(answer.answer) or '(none)'}" + (f" ({answer.choice})" if answer.choice else "")]
    for label, value in (
        ("ended by the bound on", answer.budget_exhausted),
        ("doubt", answer.doubt),
        ("error", answer.error),
    ):
        if value:
            lines.append(f"**{label}:** {_line(value)}")
    lines += ["", "## Rests on", ""]
    lines += [f"- {_cited(citation)}" for citation in answer.citations] or ["- nothing"]
    for step in answer.steps:
        lines += ["", f"## Step {step.number}: {step.agent}, {step.action}", ""]
        lines += [f"*{_line(step.reason)}*", ""] if step.reason else []
        if step.instruction:
            lines.append(f"Instruction: {_line(step.instruction)}")
        if step.spans:
            lines.append("Spans: " + ", ".join(shown_span(*span) for span in step.spans))
        lines += ["", *(f"> {line}" for line in step.observation.splitlines())]
        lines += [f"> **unknown:** {_line(text)}" for text in step.unknown]
        if step.calls:
            lines += ["", "| asked | of | frames | seconds | |", "| --- | --- | ---: | ---: | --- |"]
            lines += [_call(call) for call in step.calls]
    lines += ["", f"{answer.usage.requests} requests, {answer.usage.input_tokens:,} tokens in, "]
    lines[-1] += f"{answer.usage.output_tokens:,} out, {answer.seconds:.1f} s, strategy {answer.strategy}"
    return "\n".join(lines) + "\n"


def summed_calls(steps: Sequence[Step]) -> dict[str, dict[str, int]]:
    """Return the questions to models by signature: `asked` of a model, `kept` from earlier, `failed`, `frames`."""
    sums: dict[str, dict[str, int]] = {}
    for step in steps:
        for call in step.calls:
            one = sums.setdefault(call["what"], {"asked": 0, "kept": 0, "failed": 0, "frames": 0})
            one["asked"] += call["tries"]
            one["kept"] += call["cached"]
            one["failed"] += bool(call["error"])
            one["frames"] += call["frames"]
    return dict(sorted(sums.items()))


def _cited(citation: Citation) -> str:
    said = f"“{_line(citation.quote)}”" if citation.quote else _line(citation.text)
    frames = ", ".join(clock(time) for time in citation.frames[:6])
    return f"[{shown_span(citation.start, citation.end)}] {citation.kind}: {said}" + (
        f" (frames {frames})" if frames else ""
    )


def _call(call: dict[str, Any]) -> str:
    state = call["error"] or ("kept from earlier" if call["cached"] else "")
    return f"| {call['what']} | {call['role']} | {call['frames']} | {call['seconds']:.2f} | {_line(state)} |"


def _line(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
