"""Scripts for the tests of signals: the analyst, who lets one task wait for its last reply."""

from __future__ import annotations

from dataclasses import replace

from tests.doubles import analyst
from tests.doubles.script import Answer, Reply, Turn


def waits_a_second(turn: Turn) -> Answer:
    return _late(turn, 1.5)


def hangs(turn: Turn) -> Answer:
    return _late(turn, 100.0)


def _late(turn: Turn, seconds: float) -> Answer:
    answer = analyst.direct(turn)
    assert isinstance(answer, Reply)
    waits = "华东仓库" in analyst.Session(turn).question and "holds what was asked" in (answer.text or "")
    # A reply that ends nothing, so that what was there when the signal came is not accepted.
    return replace(analyst.Session(turn).act("And now?", ("read_solver", {})), delay=seconds) if waits else answer


def sleeps(turn: Turn) -> Answer:
    """Write a script that says that it runs, and sleeps."""
    session = analyst.Session(turn)
    if not session.replies:
        return session.act("Which lines?", ("read_solver", {}))
    lines = ["import time", 'Path("workdir/asleep").touch()', "time.sleep(60)", "result = None"]
    return session.act("Sleep.", session.edit("\n".join(lines)), ("run_solver", {}))


def tells_the_key(turn: Turn) -> Answer:
    """Do the work, and say the key with every thought, as a gateway that echoes headers would."""
    answer = analyst.direct(turn)
    assert isinstance(answer, Reply)
    key = "sk-served-key-1"
    if answer.text is not None and "holds what was asked" in answer.text:
        return replace(answer, text=answer.text.replace("The prediction", f"the key is {key}. The prediction"))
    return answer
