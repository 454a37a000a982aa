"""What is decoded, from packets written by hand: 25 frames a second, a keyframe every 100, 40 bytes between."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from debriefer.media.packets import PacketList, Window, in_doubt, rhythm, windows


def packets(count: int, larger: Mapping[int, int], keys: frozenset[int] = frozenset()) -> PacketList:
    flags = [at % 100 == 0 or at in keys for at in range(count)]
    sizes = [larger.get(at, 40_000 if flag else 40) for at, flag in enumerate(flags)]
    return PacketList([at / 25 for at in range(count)], sizes, flags, count / 25)


def test_keyframes_are_in_doubt_only_where_no_packet_tells() -> None:
    # A change at 6 s lies between the keyframes at 4 and 8 s.
    found = packets(500, {150: 900})
    assert in_doubt(rhythm(found), found.end) == [(0.0, 4.0), (8.0, 12.0), (12.0, 16.0)]


def test_a_burst_is_decoded_from_its_keyframe_and_the_next_keyframe_looked_at_once() -> None:
    found = packets(500, {150: 900})
    first, burst, after = windows(rhythm(found), frozenset(), found.end) or []
    assert first == Window(0.0, confirm=True, look=0.0, enough=0.0, end=0.6)
    assert (burst.start, burst.confirm) == (4.0, False)
    assert (burst.look, burst.enough, burst.end) == pytest.approx((5.65, 6.35, 6.6))
    assert (after.start, after.confirm, after.enough) == (8.0, True, 8.0)


def test_keyframes_that_differ_without_a_burst_have_all_between_decoded() -> None:
    found = packets(1000, {})
    planned = windows(rhythm(found), frozenset({12.0}), found.end) or []
    assert Window(8.0, confirm=True, look=8.0, enough=12.0, end=12.0) in planned
    assert any(window.start == 12.0 and window.confirm for window in planned)


def test_too_much_to_decode_is_no_plan() -> None:
    found = packets(300, {})
    assert windows(rhythm(found), frozenset({4.0, 8.0}), found.end) is None


@pytest.mark.parametrize(("size", "still"), [(40, True), (4_000, False)])
def test_small_packets_hold_copies(size: int, still: bool) -> None:
    # 0.01 bits a pixel of 1280x720 are 1152 bytes.
    assert PacketList([0.0, 0.04], [size, size], [True, False], 0.08).still(1280 * 720) == still
