"""Growth of known cost has a known slope, and its drawing is one that a browser reads."""

from __future__ import annotations

import itertools
import math
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from benchmarks import growth
from benchmarks.growth import KERNELS, MOST, Growth, figures, grow, slope
from benchmarks.growth_plot import draw
from benchmarks.report import Timed, timed

SVG = "{http://www.w3.org/2000/svg}"
SIZES = [10**power for power in range(2, 8)]


@pytest.mark.parametrize("power", [0.0, 0.5, 1.0, 2.0])
def test_slope_is_the_exponent_of_the_cost(power: float) -> None:
    assert slope(SIZES, [3e-7 * size**power for size in SIZES]) == pytest.approx(power)


def test_slope_of_n_log_n_is_a_little_above_1() -> None:
    # Between 10^2 and 10^7 the logarithm itself grows 3.5 times over five decades: 0.11 a decade on average.
    assert slope([1e2, 1e7], [n * math.log(n) for n in (1e2, 1e7)]) == pytest.approx(1 + math.log10(3.5) / 5)


def test_one_size_has_no_slope() -> None:
    assert slope([100], [1.0]) is None


def test_a_fixed_cost_weighs_in_the_slope_and_not_in_the_last_one() -> None:
    one = Growth(SIZES, SIZES, [Timed(t, t * 0.9, t * 1.2) for t in (1e-3 + 1e-7 * size for size in SIZES)])
    metrics, spread = figures({"names": one, "none": Growth()})
    assert list(metrics) == ["names"]
    assert metrics["names"]["slope"] < 0.7
    assert metrics["names"]["last_slope"] > 0.95
    assert metrics["names"]["nanoseconds_each"] == pytest.approx(100, rel=0.01)
    assert spread["names.seconds.100"] == pytest.approx((0.9 * 1.01e-3, 1.2 * 1.01e-3))


def test_rounds_have_a_median_between_their_bounds() -> None:
    calls: list[int] = []
    one = timed(lambda: calls.append(1), 5, least=1e-4)
    assert 0 < one.low <= one.seconds <= one.high < 0.01
    assert len(calls) > 6
    with pytest.raises(ValueError, match="at least 1"):
        timed(lambda: None, 0)


@pytest.mark.parametrize("kernel", sorted(KERNELS))
def test_every_kernel_runs_at_about_the_size_that_was_asked_for(kernel: str, tmp_path: Path) -> None:
    with KERNELS[kernel](1_000, tmp_path) as (work, size):
        assert size == pytest.approx(1_000, rel=0.3)
        work()
        work()


def test_sizes_end_at_the_bound_and_where_patience_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    assert grow("names", 5_000, rounds=1).asked == [100, 1_000]
    monkeypatch.setitem(growth.MOST, "names", 100)
    assert grow("names", 1e7, rounds=1).asked == [100]
    monkeypatch.setitem(growth.MOST, "names", 10_000)
    assert grow("names", 1e7, patience=0.0, rounds=1).asked == [100]


def test_bounds_name_every_kernel() -> None:
    assert MOST.keys() == KERNELS.keys()


def test_drawing_is_well_formed_and_names_every_line() -> None:
    lines = {f"kernel <{n}>": [(size, 1e-6 * size ** (n / 4)) for size in SIZES] for n in range(8)}
    root = ET.fromstring(draw(lines))  # noqa: S314  our own text
    assert root.tag == f"{SVG}svg"
    names = [text for text in root.iter(f"{SVG}text") if "name" in (text.get("class") or "")]
    assert [name.text for name in names] == list(lines)
    assert len([path for path in root.iter(f"{SVG}path") if (path.get("class") or "").startswith("line")]) == 8
    assert len(list(root.iter(f"{SVG}circle"))) == 8 * len(SIZES)
    places = sorted(float(name.get("y", "nan")) for name in names)
    assert min(after - before for before, after in itertools.pairwise(places)) >= 13
    style = root.findtext(f"{SVG}style") or ""
    assert "prefers-color-scheme:dark" in style
    assert style.count("{") == style.count("}")


def test_points_lie_where_their_logarithms_say() -> None:
    root = ET.fromstring(draw({"a": [(1e2, 1e-6), (1e4, 1e-4), (1e6, 1e-2)]}))  # noqa: S314
    (x1, y1), (x2, y2), (x3, y3) = [
        (float(dot.get("cx", "nan")), float(dot.get("cy", "nan"))) for dot in root.iter(f"{SVG}circle")
    ]
    assert x2 - x1 == pytest.approx(x3 - x2, abs=0.2)
    assert y1 - y2 == pytest.approx(y2 - y3, abs=0.2)
    assert x1 < x2
    assert y1 > y2


def test_same_figures_give_the_same_bytes_and_none_still_a_frame() -> None:
    lines = {"a": [(100, 1e-6)], "b": [(100, 2e-6), (1000, 1.5e-5)]}
    assert draw(lines) == draw(dict(lines))
    assert re.search(r"<svg .*</svg>\n", draw({}), re.DOTALL)
    ET.fromstring(draw({}))  # noqa: S314
