"""TAT-QA: financial tables with the text around them; which gold values can be found in what was loaded."""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.report import print_table
from debriefer.catalog import Catalog
from debriefer.catalog.identifiers import quote_identifier
from debriefer.documents.extraction import extract
from debriefer.documents.reading import read_document
from debriefer.errors import DebrieferError

_NUMBER = re.compile(r"[-−(]?\s*\$?\s*\d[\d,]*(?:\.\d+)?")
# Answers that must be computed stand nowhere.
_READ_OFF = ("span", "multi-span")


def folder_of(data: Path) -> Path | None:
    """Return the folder of the set: `data`, or one below it."""
    return next((path for path in (data, data / "tatqa") if (path / "questions.jsonl").is_file()), None)


def measure(data: Path, *, verbose: bool = False) -> dict[str, Any]:
    """Load each pair of a table and a text, and look for the gold values of its questions.

    `gold_found` is the share of the values that a question reads off which stand in a loaded cell or, for texts, in a
    loaded line; `gold_found_in_tables` counts those of answers from tables, in cells alone. `derived_found` is the
    share of the numbers that computed answers are derived from.

    Args:
        data: The folder `tatqa`, or one above it.
        verbose: Print the pairs with missing values on standard error.
    """
    folder = folder_of(data)
    if folder is None:
        return {}
    questions = [json.loads(line) for line in (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
    by_pair: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for question in questions:
        by_pair.setdefault(tuple(question["context"]), []).append(question)
    counts: Counter[str] = Counter()
    missing: list[tuple[str, str]] = []
    for files, own in sorted(by_pair.items()):
        if not all((folder / file).is_file() for file in files):
            continue
        counts["pairs"] += 1
        cells, text = _loaded(folder, files, counts)
        for question in own:
            for value, group in _wanted(question):
                held = _held(value, cells) or (group != "table" and _said(value, text))
                counts[f"{group} wanted"] += 1
                counts[f"{group} held"] += held
                if not held:
                    missing.append((files[0], value))
    if verbose:
        print_table(("pair", "missing"), missing[:40], file=sys.stderr)
    read_off = ("table", "text", "table-text")
    return {
        "tatqa_pairs": counts["pairs"],
        "tatqa_pairs_loaded": counts["pairs"] - counts["failed"],
        "tatqa_gold_values": sum(counts[f"{group} wanted"] for group in read_off),
        "tatqa_gold_found": _share(counts, read_off),
        "tatqa_gold_found_in_tables": _share(counts, ("table",)),
        "tatqa_gold_found_of_text": _share(counts, ("text",)),
        "tatqa_derived_found": _share(counts, ("derived",)),
    }


def _loaded(folder: Path, files: Iterable[str], counts: Counter[str]) -> tuple[set[str], str]:
    """Return the loaded cells of a pair, brought to one form, and the text of its document's lines."""
    cells: set[str] = set()
    text: list[str] = []
    with tempfile.TemporaryDirectory(prefix="debriefer-") as work:
        task = Path(work)
        (task / "context").mkdir()
        (task / "task.json").write_text('{"task_id": "tatqa", "question": "?"}', encoding="utf-8")
        try:
            for file in files:
                source = folder / file
                if source.suffix == ".csv":
                    (task / "context" / source.name).write_bytes(source.read_bytes())
                    continue
                extraction = extract(read_document(source), f"doc/{source.name}")
                text += extraction.lines
                cells |= {_plain(cell.raw) for one in extraction.relations for cell in one.cells.values()}
            with Catalog.build(task) as catalog:
                for name in catalog.tables:
                    frame = catalog.sql(f"SELECT * FROM {quote_identifier(name)}")
                    cells |= {_plain(str(column)) for column in frame.columns}
                    cells |= {_plain(str(value)) for row in frame.rows() for value in row if value is not None}
        except DebrieferError as error:
            counts["failed"] += 1
            print(error.render(), file=sys.stderr)
    return cells, " ".join(" ".join(text).split()).casefold()


def _wanted(question: dict[str, Any]) -> Iterable[tuple[str, str]]:
    if question["answer_type"] in _READ_OFF:
        gold = question["gold_answer"]
        yield from ((str(value), question["answer_from"]) for value in (gold if isinstance(gold, list) else [gold]))
    elif question["answer_type"] == "arithmetic" and question["answer_from"] == "table":
        yield from ((number, "derived") for number in re.findall(r"\d[\d,]*(?:\.\d+)?", question["derivation"]))


def _held(value: str, cells: set[str]) -> bool:
    plain = _plain(value)
    # A few digits stand in a longer cell by chance.
    return plain in cells or any(len(plain) > len("999") and plain in cell for cell in cells)


def _said(value: str, text: str) -> bool:
    return " ".join(value.split()).casefold().strip(" .") in text


def _plain(text: str) -> str:
    """Return a text without what differs in writing: case, blanks, thousands separators, currency, brackets."""
    plain = " ".join(text.split()).casefold().strip(" .")
    if _NUMBER.match(plain.strip("()")) is None:
        return plain
    number = re.sub(r"[\s$,()%]", "", plain).lstrip("-−")
    return number.removesuffix(".0")


def _share(counts: Counter[str], groups: Iterable[str]) -> float:
    names = list(groups)
    wanted = sum(counts[f"{name} wanted"] for name in names)
    return sum(counts[f"{name} held"] for name in names) / wanted if wanted else 0.0
