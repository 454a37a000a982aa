"""Micro benchmarks of names and of the delimited reader: `pytest benchmarks/micro --benchmark-only`."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks.inputs import stems
from debriefer import _core

ROWS = 20_000


@pytest.fixture(scope="module")
def clean_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a clean UTF-8 file of `ROWS` rows and nine columns of the usual types."""
    dice = random.Random(20260101)  # noqa: S311  # a fixed seed, no secret
    path = tmp_path_factory.mktemp("tables") / "clean.csv"
    lines = ["id,code,name,city,amount,rate,day,flag,note\n"]
    lines += [
        f"{i},{dice.randrange(10**6):06},name {dice.randrange(9999)},城市{dice.randrange(300)},{dice.randrange(10**7)},"
        f"{dice.random() * 100:.3f},2024-{dice.randrange(1, 13):02}-{dice.randrange(1, 29):02},"
        f'{dice.choice(["true", "false"])},"text, with {dice.randrange(99999)} words"\n'
        for i in range(ROWS)
    ]
    path.write_text("".join(lines), encoding="utf-8")
    return path


def test_canonical_names(benchmark: BenchmarkFixture) -> None:
    benchmark(_core.canonical_names, stems())


def test_assign_names(benchmark: BenchmarkFixture) -> None:
    sources: list[tuple[str, str | None]] = [(f"csv/{stem}.csv", None) for stem in dict.fromkeys(stems()[:1_000])]
    benchmark(_core.assign_names, sources)


def test_read_delimited(benchmark: BenchmarkFixture, clean_file: Path) -> None:
    benchmark.extra_info["bytes"] = clean_file.stat().st_size
    benchmark(_core.read_delimited, clean_file)


def test_sniff_dialect(benchmark: BenchmarkFixture, clean_file: Path) -> None:
    benchmark(_core.sniff_dialect, clean_file)
