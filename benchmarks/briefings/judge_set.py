"""Writes the labelled set of the video judge: task folders with their gold verdict and values, split by seed.

`python -m benchmarks.briefings.judge_set OUT [--seeds N …] [--kinds KIND …] [--languages en zh] [--jobs N]`

`OUT/train` and `OUT/dev` are laid out as a run's input and gold: `input/<task>`, `output/<task>/gold.csv` and
`output/<task>/truth.json`, the video's manifest with the right verdict and where the answer is shown. The default is
240 tasks, 160 to train on and 80 to measure: all decoys, and the kinds whose question has an answer of its own.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from benchmarks.briefings.kinds import KINDS
from benchmarks.briefings.manifest import Manifest
from benchmarks.briefings.produce import Recipe, produce
from benchmarks.briefings.taskfolder import write

TRUTH = "truth.json"
# Every decoy, and other kinds so that each verdict is at least a quarter of either split.
JUDGED = (
    "panels",
    "ranking",
    "summary",
    "masked_threshold",
    "unit_trap",
    "charts",
    "revisits",
    "quick",
    "grain",
    "dark",
    *(kind for kind in KINDS if kind.startswith("decoy_")),
)
SEEDS = (1, 2, 3, 4, 5, 6)


@dataclass(frozen=True, slots=True)
class Labelled:
    """A task with its truth.

    Attributes:
        name: The task's name.
        folder: The task folder.
        truth: The video's manifest.
    """

    name: str
    folder: Path
    truth: Manifest


def split_of(seed: int) -> str:
    """Return the split that a seed belongs to.

    Decoys of odd seeds show the answer too and those of even seeds do not, so that seeds go to the splits in pairs.

    >>> [split_of(seed) for seed in (1, 2, 3, 4, 5, 6)]
    ['train', 'train', 'dev', 'dev', 'train', 'train']
    """
    return "train" if (seed - 1) // 2 % 2 == 0 else "dev"


def labelled(folder: Path, split: str) -> Iterator[Labelled]:
    """Yield the tasks of a split in the order of their names; none where there is no such split."""
    for truth in sorted((folder / split / "output").glob(f"*/{TRUTH}")):
        name = truth.parent.name
        yield Labelled(name, folder / split / "input" / name, Manifest.load(truth))


def make(recipe: Recipe, out: Path) -> Path:
    """Write one task, unless it is there, and return its folder."""
    name = f"{recipe.kind}_s{recipe.seed}_{recipe.language}"
    split = out / split_of(recipe.seed)
    folder = split / "input" / name
    if (split / "output" / name / TRUTH).is_file():
        return folder
    video = out / ".videos" / name
    manifest = produce(recipe, video)
    return write(manifest, video / manifest.video, split, name)


def main(argv: Sequence[str] | None = None) -> int:
    """Write what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, metavar="OUT", help="folder to write to; tasks that are there stay")
    parser.add_argument("--seeds", type=int, nargs="+", default=list(SEEDS), metavar="N")
    parser.add_argument("--kinds", nargs="+", choices=JUDGED, default=list(JUDGED), metavar="KIND")
    parser.add_argument("--languages", nargs="+", choices=("en", "zh"), default=["en", "zh"])
    parser.add_argument("--jobs", type=int, default=2, help="processes (default: 2)")
    options = parser.parse_args(argv)
    wanted = [
        Recipe(kind, seed, language)
        for seed in options.seeds
        for kind in options.kinds
        for language in options.languages
    ]
    with ProcessPoolExecutor(options.jobs) as pool:
        for number, folder in enumerate(pool.map(make, wanted, [options.out] * len(wanted)), start=1):
            print(f"{number}/{len(wanted)} {folder.name}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
