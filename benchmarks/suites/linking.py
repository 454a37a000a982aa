"""How well questions are linked to tables, columns and cells, and how fast cells are found.

Gold is what the question sets' `gold_sql` names. A table, column or literal counts as found among the first 5, 15 or 20
of its ranking, a literal where the link names the same cell of the same column; precision is the share of
the links with a score of at least `ASSERTED` (tables, columns and cells together) that the statement names.
Beside it, in the same run: BM25 over descriptions, and rapidfuzz over names and all cells.

`python -m benchmarks.suites.linking --data DIR [--set spider_dev,chase_dusql] [--split] [--cells 1000000] [--json]`

`--split` gives the figures of both halves, by a hash of the database's name; weights were chosen while looking at half
`a` only. `--cells` builds an index of so many generated cells and asks it; rapidfuzz is asked the same of its texts.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.linking.cells import measure_index
from benchmarks.linking.gold import Gold, gold_of
from benchmarks.linking.peers import Bm25, Fuzzy
from benchmarks.report import emit, print_table
from benchmarks.suites.questions import Case, grouped, lay_out, load
from debriefer.catalog import CATALOG_FILE, Catalog
from debriefer.linking import ASSERTED, Links, link
from debriefer.task import Task

SETS = ("spider_dev", "chase_dusql", "bird_superhero", "kaggledbqa", "defog")
_TABLES, _COLUMNS, _VALUES = 5, 15, 20
_KINDS = ("tables", "columns", "literals", "joins")


@dataclass(slots=True)
class Tally:
    """Counts over questions; recall is a mean over gold items, precision over links."""

    asked: int = 0
    hits: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    gold: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    asserted: int = 0
    right: int = 0
    asserted_gold: int = 0
    seconds: list[float] = field(default_factory=list)

    def recall(self, kind: str) -> float | None:
        """Return the share of gold items that were found."""
        return self.hits[kind] / self.gold[kind] if self.gold[kind] else None

    def count(self, kind: str, gold: AbstractSet[Any], found: Iterable[Any]) -> None:
        """Count gold items and those among what was found."""
        self.gold[kind] += len(gold)
        self.hits[kind] += len(gold & set(found))

    def assert_links(self, gold: AbstractSet[Any], said: AbstractSet[Any]) -> None:
        """Count links that are meant to be right and those that are."""
        self.asserted += len(said)
        self.right += len(said & gold)
        self.asserted_gold += len(gold)

    def figures(self) -> dict[str, float | int | None]:
        """Return the figures by their names."""
        median = sorted(self.seconds)[len(self.seconds) // 2] if self.seconds else 0.0
        return {
            "n": self.asked,
            "table_recall_at_5": self.recall("tables"),
            "column_recall_at_15": self.recall("columns"),
            "literal_recall": self.recall("literals"),
            "join_recall": self.recall("joins"),
            "link_precision": self.right / self.asserted if self.asserted else None,
            "link_recall": self.right / self.asserted_gold if self.asserted_gold else None,
            "question_ms": median * 1000,
        }


Tallies = dict[str, dict[str, Tally]]


def _everything(gold: Gold) -> set[Any]:
    return {*gold.tables, *gold.columns, *gold.literals}


def _ours(tally: Tally, gold: Gold, links: Links) -> None:
    tally.count("tables", gold.tables, [t.table for t in links.tables[:_TABLES]])
    tally.count("columns", gold.columns, [(c.table, c.column) for c in links.columns[:_COLUMNS]])
    tally.count("literals", gold.literals, [(v.table, v.column, v.value) for v in links.values[:_VALUES]])
    tally.count("joins", gold.joins, _pairs(links))
    said: set[Any] = {t.table for t in links.tables if t.score >= ASSERTED}
    said |= {(c.table, c.column) for c in links.columns if c.score >= ASSERTED}
    said |= {(v.table, v.column, v.value) for v in links.values if v.score >= ASSERTED}
    tally.assert_links(_everything(gold), said)


def _pairs(links: Links) -> set[tuple[tuple[str, str], tuple[str, str]]]:
    ends = [((j.table, j.column), (j.to_table, j.to_column)) for j in links.joins]
    return {(min(pair), max(pair)) for pair in ends}


def measure_group(cases: Sequence[Case], folder: Path, tallies: Tallies, misses: list[str], *, peers: bool) -> None:
    """Link the questions on one database."""
    task: Task | None = None
    catalog: Catalog | None = None
    fuzzy: Fuzzy | None = None
    ranker: tuple[str, Bm25] | None = None
    for case in cases:
        if "gold_sql" not in case.gold:
            continue
        task = lay_out(case, folder / case.case_id)
        if catalog is None:
            catalog = Catalog.build(task, folder / CATALOG_FILE)
            fuzzy = Fuzzy(catalog) if peers else None
            link("", catalog, catalog.values, task.knowledge)
        gold = gold_of(case.gold["gold_sql"], catalog)
        if gold is None:
            print(f"{case.set_name} {case.case_id}: gold cannot be read, left out", file=sys.stderr)
            continue
        keys = ("all", case.set_name, case.half, f"{case.set_name}, half {case.half}")
        start = time.perf_counter()
        links = link(case.question, catalog, catalog.values, task.knowledge)
        seconds = time.perf_counter() - start
        for key in keys:
            tally = tallies["debriefer"][key]
            tally.asked += 1
            tally.seconds.append(seconds)
            _ours(tally, gold, links)
        misses += _missed(case, gold, links)
        if fuzzy is not None:
            if ranker is None or ranker[0] != (task.knowledge or ""):
                ranker = (task.knowledge or "", Bm25(catalog, task.knowledge or ""))
            _peers(tallies, keys, gold, case.question, ranker[1], fuzzy)
    if catalog is not None:
        catalog.close()


def _peers(tallies: Tallies, keys: Sequence[str], gold: Gold, question: str, bm25: Bm25, fuzzy: Fuzzy) -> None:
    start = time.perf_counter()
    bm25_tables, bm25_columns = bm25.rank(question)
    between = time.perf_counter()
    tables, columns = fuzzy.rank(question)
    cells = fuzzy.find(question)
    end = time.perf_counter()
    for key in keys:
        tally = tallies["bm25"][key]
        tally.asked += 1
        tally.seconds.append(between - start)
        tally.count("tables", gold.tables, bm25_tables[:_TABLES])
        tally.count("columns", gold.columns, bm25_columns[:_COLUMNS])
        tally = tallies["rapidfuzz"][key]
        tally.asked += 1
        tally.seconds.append(end - between)
        tally.count("tables", gold.tables, tables[:_TABLES])
        tally.count("columns", gold.columns, columns[:_COLUMNS])
        tally.count("literals", gold.literals, cells)
        tally.assert_links(set(gold.literals), set(cells))


def _missed(case: Case, gold: Gold, links: Links) -> list[str]:
    """Return a line for each gold item that was not found, for whoever works on half `a`."""
    if case.half != "a":
        return []
    tables = {t.table for t in links.tables[:_TABLES]}
    columns = {(c.table, c.column) for c in links.columns[:_COLUMNS]}
    values = {(v.table, v.column, v.value) for v in links.values[:_VALUES]}
    lines = [f"table {t}" for t in sorted(gold.tables - tables)]
    lines += [f"column {'.'.join(c)}" for c in sorted(gold.columns - columns)]
    lines += [f"literal {t}.{c} = {v}" for t, c, v in sorted(gold.literals - values)]
    lines += [f"join {'.'.join(a)} = {'.'.join(b)}" for a, b in sorted(gold.joins - _pairs(links))]
    return [f"{case.set_name} {case.case_id}: {line} | {case.question}" for line in lines]


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.suites.linking", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of question sets")
    parser.add_argument("--set", dest="sets", default=",".join(SETS), help="sets to ask, by comma")
    parser.add_argument("--split", action="store_true", help="give the figures of both halves too")
    parser.add_argument("--cells", type=int, default=1_000_000, help="cells of the generated index; 0 for none")
    parser.add_argument("--no-peers", action="store_true", help="ask neither BM25 nor rapidfuzz")
    parser.add_argument("--misses", action="store_true", help="list what was missed on half `a`")
    parser.add_argument("--json", action="store_true", help="print one JSON object as the last line")
    options = parser.parse_args(arguments)
    out = sys.stderr if options.json else sys.stdout
    tallies: Tallies = {name: defaultdict(Tally) for name in ("debriefer", "bm25", "rapidfuzz")}
    misses: list[str] = []
    with tempfile.TemporaryDirectory(prefix="linking-") as scratch:
        for name in options.sets.split(","):
            cases = load(options.data, name)
            if cases is None:
                print(f"{name}: not in {options.data}, skipped", file=sys.stderr)
                continue
            for number, group in enumerate(grouped(cases)):
                folder = Path(scratch) / f"{name}-{number}"
                folder.mkdir()
                measure_group(group, folder, tallies, misses, peers=not options.no_peers)
        index = measure_index(options.cells, Path(scratch), peers=not options.no_peers) if options.cells else {}
    if options.misses:
        print("\n".join(misses), file=out)
    _print(tallies, options.sets.split(","), index, split=options.split, as_json=options.json)


def _print(
    tallies: Tallies, sets: Sequence[str], index: Mapping[str, float | int], *, split: bool, as_json: bool
) -> None:
    out = sys.stderr if as_json else sys.stdout
    parts = ["all", *(["a", "b"] if split else []), *sets]
    if split:
        parts += [f"{name}, half {half}" for name in sets for half in "ab"]
    rows: list[list[object]] = []
    metrics: dict[str, Any] = {}
    header: tuple[str, ...] = ("set", "by")
    for part in parts:
        for by, tally in tallies.items():
            if part not in tally:
                continue
            figures = tally[part].figures()
            header = ("set", "by", *figures)
            rows.append(
                [part, by, *("-" if f is None else f if isinstance(f, int) else f"{f:.3f}" for f in figures.values())]
            )
            if by == "debriefer" and part == "all":
                metrics |= figures
            else:
                metrics.setdefault(by, {})[part] = figures
    print_table(header, rows, title="links of questions", file=out)
    if index:
        print_table(
            ("figure", "value"), [[name, f"{value:,.4g}"] for name, value in index.items()], title="index", file=out
        )
        metrics["index"] = dict(index)
        if "over_rapidfuzz" in index:
            metrics["over_rapidfuzz"] = index["over_rapidfuzz"]
    if as_json:
        emit("linking", int(metrics.get("n") or 0), metrics, as_json)


def _shown(figure: float | None) -> str:
    return "-" if figure is None else f"{figure:,}" if isinstance(figure, int) else f"{figure:.3f}"


if __name__ == "__main__":
    main()
