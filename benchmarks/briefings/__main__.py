"""Writes briefing videos with their manifests, or whole task folders.

`python -m benchmarks.briefings OUT [--seed N] [--kind KIND …] [--codec CODEC] [--rate RATE] [--task]`
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.briefings.encode import CODECS, RATES
from benchmarks.briefings.kinds import KINDS, languages
from benchmarks.briefings.produce import Recipe, produce, recipes


def main(argv: Sequence[str] | None = None) -> int:
    """Write what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, metavar="OUT", help="folder to write to; each video gets its own")
    parser.add_argument("--seed", type=int, default=1, help="seed of story and look (default: 1)")
    parser.add_argument("--kind", nargs="+", choices=KINDS, default=list(KINDS), metavar="KIND", help=", ".join(KINDS))
    parser.add_argument("--codec", choices=tuple(CODECS), help="one codec for all (default: they take turns)")
    parser.add_argument("--rate", choices=tuple(RATES), help="one frame rate for all (default: they take turns)")
    parser.add_argument("--language", choices=("en", "zh"), help="language of the slides (default: they take turns)")
    parser.add_argument("--full-hd", action="store_true", help="1920x1080 for all instead of every sixth")
    options = parser.parse_args(argv)
    for recipe in recipes(options.seed):
        if recipe.seed != options.seed or recipe.kind not in options.kind:
            continue
        wanted: Recipe = replace(
            recipe,
            codec=options.codec or recipe.codec,
            rate=options.rate or recipe.rate,
            language=options.language or languages(recipe.kind, [recipe.seed])[0],
            full_hd=options.full_hd or recipe.full_hd,
        )
        manifest = produce(wanted, options.out / wanted.name)
        needed = sum(state.required for state in manifest.states)
        print(
            f"{wanted.name}: {manifest.duration:.1f} s, {manifest.frames} frames, "
            f"{len(manifest.states)} states ({needed} required), {len(manifest.narration.words)} words",
            file=sys.stderr,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
