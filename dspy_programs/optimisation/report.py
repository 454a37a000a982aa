"""An optimisation's result as a page to read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dspy_programs.optimisation.run import Result

VERDICTS = {
    "improved": "the development tasks support that it is better",
    "not_supported": "the development tasks do not support that it is better",
    "worse": "the development tasks support that it is worse",
}


def markdown(result: Result) -> str:
    """Return the result as Markdown: verdict, figures with intervals, cost, every task that changed."""
    return "\n".join(_lines(result)) + "\n"


def _lines(result: Result) -> Iterator[str]:
    values, found = result.values, result.comparison
    settings, cost = values["settings"], values["cost"]
    yield f"# {values['program']}, {settings['optimizer']} ({settings['effort']}): {result.status}"
    yield f"\nOn {found.n} tasks {VERDICTS[result.status]}.\n"
    yield "| figure | before | after | difference |"
    yield "| --- | --- | --- | --- |"
    yield (
        f"| {settings['metric']} score | {found.before:.3f} {found.before_interval} | {found.after:.3f} "
        f"{found.after_interval} | {found.difference:+.3f} {found.difference_interval} |"
    )
    for name, (old, new) in result.parts.items():
        yield f"| {name} | {old:.3f} | {new:.3f} | {new - old:+.3f} |"
    yield (
        f"\nIntervals are {values['scores']['level']:.0%}, of a paired bootstrap over tasks "
        f"({values['scores']['resamples']:,} resamples); signs at random are as extreme with p = {found.p_value:.4f}."
    )
    money = "unknown" if cost["cost"] is None else f"{cost['cost']:.4f}"
    yield (
        f"\nCost: {cost['requests']:,} requests, {cost['input_tokens']:,} tokens in, {cost['output_tokens']:,} out, "
        f"money {money}; {values['program_runs']} runs of the program by the optimiser."
    )
    yield from (f"\nWarning: {warning}." for warning in values["warnings"])
    moved = [change for change in result.changes if change.before.score != change.after.score]
    yield f"\n## Tasks that changed ({len(moved)} of {found.n})\n"
    yield "| task | before | after | what is said of it after |"
    yield "| --- | --- | --- | --- |"
    for change in sorted(moved, key=lambda one: (one.after.score - one.before.score, one.task)):
        feedback = " ".join(change.after.feedback.split()).replace("|", "\\|")
        yield f"| {change.task} | {change.before.score:.2f} | {change.after.score:.2f} | {feedback} |"
