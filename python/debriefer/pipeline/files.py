"""Files of products in working copies."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

# What a stage writes into this folder of its product goes to the task's log.
LOGS_FOLDER = "logs"


def link_or_copy(source: Path, target: Path) -> None:
    """Put `source` at `target` without copying where the file system can; the file must not be written to."""
    target.unlink(missing_ok=True)
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)
