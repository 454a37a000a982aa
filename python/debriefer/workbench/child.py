"""The process that runs `solver.py`: confines itself, runs the script, reports how it ended.

Started as a script by `debriefer.workbench.sandbox`, with its order as JSON in the only argument: `work`,
`paths` (folders for `sys.path`), `protected`, `limits` and `report` (a file descriptor). The report is one
JSON object a line: `{"isolation": […]}` before the script starts, `{"error": {…}}` if it raised, `{"exit": code}`.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import sys
import types
from pathlib import Path
from typing import Any

_SCRIPT = "workdir/solver.py"
_MOST_FRAMES = 5
_MOST_TEXT = 2000


def main() -> None:
    """Run the order in `sys.argv[1]`; never returns."""
    order: dict[str, Any] = json.loads(sys.argv[1])
    own, *others = order["paths"]
    if own not in sys.path:
        sys.path.insert(0, own)
    sys.path.extend(path for path in others if path not in sys.path)
    sys.argv = [_SCRIPT]
    from debriefer.workbench.confine import confine  # noqa: PLC0415

    work = Path(order["work"])
    os.chdir(work)
    isolation = confine(work / "workdir", [work / name for name in order["protected"]], order["limits"])
    _report(order["report"], {"isolation": isolation})
    code = 0
    try:
        _run()
    except SystemExit as exit_:
        code = exit_.code if isinstance(exit_.code, int) else int(exit_.code is not None)
        if isinstance(exit_.code, str):
            sys.stderr.write(exit_.code + "\n")
    except BaseException as error:  # noqa: BLE001
        code = 1
        _report(order["report"], {"error": _describe(error)})
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.flush()
        sys.stderr.flush()
    _report(order["report"], {"exit": code})
    # Threads that the script left behind do not keep the process alive.
    os._exit(code & 0xFF)


def _run() -> None:
    module = types.ModuleType("__main__")
    module.__file__ = _SCRIPT
    sys.modules["__main__"] = module
    try:
        exec(compile(Path(_SCRIPT).read_bytes(), _SCRIPT, "exec"), module.__dict__)  # noqa: S102
    finally:
        # Closes the catalog, and with it removes what DuckDB wrote aside.
        if sys.exc_info()[0] is None:
            module.__dict__.clear()
            gc.collect()


def _report(descriptor: int, values: dict[str, Any]) -> None:
    with contextlib.suppress(OSError):
        os.write(descriptor, json.dumps(values).encode() + b"\n")


def _describe(error: BaseException) -> dict[str, Any]:
    """Return what a person can use of `error`: its type, text and hint, and the script's own lines."""
    frames = []
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_filename == _SCRIPT:
            frames.append((trace.tb_lineno, code.co_name))
        trace = trace.tb_next
    if isinstance(error, SyntaxError) and error.filename == _SCRIPT:
        frames.append((error.lineno or 0, "<module>"))
    try:
        text = str(getattr(error, "message", None) or error)
        hint = getattr(error, "hint", None)
    except Exception:  # noqa: BLE001
        text, hint = "the error has no text", None
    return {
        "type": type(error).__name__,
        "family": [kind.__name__ for kind in type(error).__mro__],
        "text": text[:_MOST_TEXT],
        "hint": hint[:_MOST_TEXT] if isinstance(hint, str) else None,
        "frames": frames[-_MOST_FRAMES:],
    }


if __name__ == "__main__":
    main()
