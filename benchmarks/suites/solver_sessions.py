"""Whole sessions of the Solver over HTTP, played by a scripted model that reacts to what it is sent.

    python -m benchmarks.suites.solver_sessions [--data DIR] [--session NAME] [--jobs N] [--json]

Each kind of session is played on the bundled example tasks, in DSPy's text protocol, and on the sample tasks of the
competition (`DIR/kdd_reconstructed`, left out where it is absent), with native tool calls. The model is
`tests/doubles/analyst.py` behind `tests/doubles/server.py`, in a process of its own; the product runs as its users run
it (`debriefer run … --lm openai/any`).

A session is right when the delivered file equals the gold by the signature metric, the task went the way that the kind
of session forces (how it was delivered, after how many attempts, ended by what), and the transcript shows why.
`sessions_right` and `sessions_wrong` count sessions.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.report import emit
from debriefer.scoring import signature_score
from tests.conftest import ROOT
from tests.doubles.server import Server

_ANALYST = ROOT / "tests" / "doubles" / "analyst.py"
_EXAMPLES = ROOT / "examples"
_WINDOW = 9_000
# A session of the kind `down` alone waits for 20 s.
_RUN_SECONDS = 900

Path_ = Callable[[Mapping[str, Any]], str | None]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of session.

    Attributes:
        name: As the issue calls it.
        script: Function of `analyst.py`.
        delivery: How the prediction must come about.
        reasons: How each attempt must end; of several tasks at once on one server, that of the first to ask where
            `once` is set.
        shows: Pattern that the transcripts must show.
        window: Tokens that the server takes and the model is said to have.
        once: Whether the server does what it does only to one of the tasks.
        right: Whether the delivered file must be right; the offline baseline need not know every answer.
    """

    name: str
    script: str
    reasons: tuple[str, ...] = ("finished",)
    delivery: str = "accepted"
    shows: str = r"### `"
    window: int | None = None
    once: bool = False
    right: bool = True


KINDS: tuple[Kind, ...] = (
    Kind("direct solve", "direct"),
    Kind("SQL error then repair", "sql_error", shows=r"FAILED"),
    Kind("wrong hash then repair", "wrong_hash", shows=r"use start_hash="),
    Kind("NO OUTPUT then repair", "no_output", shows=r"NO OUTPUT"),
    Kind("early stop without CSV", "early_stop", ("no prediction", "finished"), shows=r"without a `prediction\.csv`"),
    Kind("request limit hit", "request_limit", ("budget", "finished"), shows=r"budget of 80 requests"),
    Kind("context overflow", "context_overflow", window=_WINDOW, shows=r"turns so far were compressed by the model"),
    Kind("endpoint down for 20 s", "down", shows=r'"status": "(?:unreachable|transport)"', once=True),
    Kind("malformed tool calls", "malformed", shows=r"was refused:"),
    Kind("five failures then fallback", "five_failures", ("no prediction",) * 5, "fallback", shows="It is written"),
    Kind(
        "five failures, unaccepted file", "unaccepted", ("unreadable replies",) * 5, "unaccepted", shows="could not be"
    ),
    Kind(
        "five failures then baseline", "silent", ("no prediction",) * 5, "offline", shows="I do not know", right=False
    ),
)


@dataclass(frozen=True, slots=True)
class Session:
    """What became of one session: `fault` is `None` where it was right."""

    kind: str
    task: str
    fault: str | None


def play(kind: Kind, tasks: Path, gold: Path, *, native: bool, jobs: int) -> list[Session]:
    """Play one kind of session on every task of a folder."""
    window = () if kind.window is None else ("--context-window", str(kind.window))
    with (
        tempfile.TemporaryDirectory(prefix="debriefer-sessions-") as folder,
        Server(_ANALYST, *window, function=kind.script) as server,
    ):
        output = Path(folder)
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
            "MODEL_API_URL": server.url,
            "MODEL_NATIVE_TOOLS": "yes" if native else "no",
            "MODEL_CONTEXT_WINDOW": str(kind.window or 32_768),
        }
        command = ["run", str(tasks), str(output), "--lm", "openai/any", "--jobs", str(jobs), "--json"]
        done = subprocess.run(
            [sys.executable, "-m", "debriefer", *command],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=_RUN_SECONDS,
        )
        outcomes = [json.loads(line) for line in done.stdout.splitlines()]
        if not outcomes:
            return [Session(kind.name, tasks.name, f"the run gave nothing: {done.stderr[-500:]}")]
        logs = {outcome["task_id"]: _log(output / "logs" / outcome["task_id"]) for outcome in outcomes}
        if kind.once and not re.search(kind.shows, "\n".join(logs.values())):
            return [Session(kind.name, tasks.name, "no log shows what happened")]
        return [
            Session(kind.name, outcome["task_id"], _fault(kind, outcome, logs[outcome["task_id"]], gold))
            for outcome in outcomes
        ]


def _fault(kind: Kind, outcome: Mapping[str, Any], log: str, gold: Path) -> str | None:
    """Return what is wrong with a session, or `None`."""
    reasons = tuple(attempt["reason"] for attempt in outcome["attempts"])
    if reasons != kind.reasons:
        return f"attempts ended by {reasons}, not {kind.reasons}: {outcome['reason']}"
    if not kind.once and not re.search(kind.shows, log):
        return f"the transcript does not show `{kind.shows}`"
    if not kind.right and outcome["status"] != "answered":
        # The baseline may abstain; then there must be no file, and a reason.
        return (
            None if outcome["status"] == "no output" and outcome["reason"] else f"{outcome['status']} without a reason"
        )
    if outcome["delivery"] != kind.delivery:
        return f"delivered as {outcome['delivery']}, not {kind.delivery}: {outcome['reason']}"
    if not kind.right:
        return None
    score = signature_score(Path(outcome["prediction"]), gold / outcome["task_id"] / "gold.csv")
    return None if score.score == 1.0 else f"the file is not right: {score.reason}"


def _log(folder: Path) -> str:
    files = [*sorted(folder.glob("attempts/*/transcript.md")), *sorted(folder.glob("attempts/*/calls.json"))]
    return "\n".join(path.read_text(encoding="utf-8") for path in files)


def sets(data: Path) -> list[tuple[str, Path, Path, bool]]:
    """Return name, tasks, golds and whether to use native tool calls, for each set that is there."""
    found = [("examples", _EXAMPLES / "tasks", _EXAMPLES / "gold", False)]
    samples = data / "kdd_reconstructed"
    if samples.is_dir():
        found.append(("kdd_reconstructed", samples / "input", samples / "output", True))
    else:
        print(f"kdd_reconstructed is not in {data}: left out", file=sys.stderr)
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.suites.solver_sessions", description=__doc__)
    parser.add_argument(
        "--data", type=Path, default=Path(os.environ.get("DEBRIEFER_SHARED_DATA", ROOT.parent / "shared" / "data"))
    )
    parser.add_argument("--session", action="append", choices=[kind.script for kind in KINDS], help="only this kind")
    parser.add_argument("--jobs", type=int, default=6, help="tasks at once")
    parser.add_argument("--json", action="store_true", help="print one JSON object as the last line")
    options = parser.parse_args(arguments)
    sessions: list[Session] = []
    metrics: dict[str, Any] = {}
    for kind in KINDS:
        if options.session and kind.script not in options.session:
            continue
        for name, tasks, gold, native in sets(options.data):
            began = time.perf_counter()
            played = play(kind, tasks, gold, native=native, jobs=options.jobs)
            wrong = [session for session in played if session.fault is not None]
            print(
                f"{kind.name} on {name}: {len(played) - len(wrong)} of {len(played)} right, "
                f"{time.perf_counter() - began:.0f} s",
                file=sys.stderr,
                flush=True,
            )
            for session in wrong:
                print(f"  {session.task}: {session.fault}", file=sys.stderr, flush=True)
            sessions += played
            metrics.setdefault(kind.script, {})[name] = len(played) - len(wrong)
    right = sum(session.fault is None for session in sessions)
    totals = {"sessions_right": right, "sessions_wrong": len(sessions) - right}
    emit("solver_sessions", len(sessions), {**totals, "right_by_kind": metrics}, options.json)


if __name__ == "__main__":
    main()
