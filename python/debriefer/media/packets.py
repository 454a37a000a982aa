"""What the packets of a video tell before anything is decoded."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from debriefer import _core
from debriefer.media.decode import Video

# Below this rate, in frames a second, each frame may be the only one that shows a slide.
_DENSE_RATE = 15.0
# And so it may where two frames are further apart than this, in seconds.
_DENSE_GAP = 0.25
# Below this mean size of packets, in bits a pixel, most blocks of most frames are copies of the frame before (still
# slides: 0.001 to 0.005, a talking head 0.02, MJPEG 0.3; measured over eight codecs).
_STILL_BITS = 0.01
# A length that differs by no more than this, in seconds, is the same.
_LITTLE = 1.0
# What is decoded after a burst, in seconds: long enough for the picture to be seen standing still.
_AFTER = 0.6
# And at least, in seconds: a change settles in 0.25 s, and the next sample shows whether it has.
_AT_LEAST = 0.35
# And before it, in seconds: the state that the burst ends.
BEFORE = 0.35
# Where more of the video than this would be decoded, decoding all of it is simpler and misses nothing.
_WORTH_IT = 0.45


@dataclass(frozen=True, slots=True)
class PacketList:
    """The packets of a video stream in order of time.

    Attributes:
        times: When each is shown, in seconds.
        sizes: Bytes of each.
        keys: Whether each is a keyframe.
        end: End of the last, in seconds.
    """

    times: list[float]
    sizes: list[int]
    keys: list[bool]
    end: float

    @property
    def dense(self) -> bool:
        """Whether frames follow each other so closely that those which no other frame needs may be skipped."""
        times = self.times
        if len(times) < 2 or (len(times) - 1) / max(times[-1] - times[0], 1e-9) < _DENSE_RATE:  # noqa: PLR2004
            return False
        return max(later - earlier for earlier, later in pairwise(times)) <= _DENSE_GAP

    def still(self, pixels: int) -> bool:
        """Whether most frames, of so many `pixels` each, are but copies of the one before."""
        return 8 * sum(self.sizes) <= _STILL_BITS * pixels * len(self.sizes)


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch to decode, in seconds.

    Attributes:
        start: The keyframe at which decoding begins.
        confirm: Whether samples are taken from the keyframe on until one shows what is known already.
        look: Samples are taken from here on; other frames are decoded only because these need them.
        enough: A sample from here on that shows what is known already ends the window early.
        end: When it ends at the latest.
    """

    start: float
    confirm: bool
    look: float
    enough: float
    end: float


def read_packets(video: Video) -> PacketList:
    """Read times, sizes and keyframes of all packets; nothing is decoded."""
    rows: list[tuple[float, int, bool]] = []
    duration = 0.0
    for packet in video.packets():
        time = video.shown(packet)
        if time is None:
            video.note("packets without a time stamp")
            time = rows[-1][0] + duration if rows else 0.0
        duration = video.seconds(packet.duration) or duration
        rows.append((time, packet.size, packet.is_keyframe))
    rows.sort()
    if duration <= 0 and len(rows) > 1:
        duration = (rows[-1][0] - rows[0][0]) / (len(rows) - 1)
    end = rows[-1][0] + duration if rows else 0.0
    return PacketList(
        [row[0] for row in rows], [row[1] for row in rows], [row[2] for row in rows], _held(video, end) if rows else end
    )


def _held(video: Video, end: float) -> float:
    """Return until when the last picture is on the screen: players hold it while the sound goes on.

    What an index at the end or the begin of the file says (MP4) is kept, since a file without it cannot be opened;
    elsewhere a length beyond the last packet may be all that is left of what was cut off, and is noted.
    """
    promised = video.promised
    if promised is None or promised <= end + _LITTLE:
        return end
    if "mp4" in video.container.format.name:
        return promised
    video.note(f"the file promises {promised:.1f} s, and its pictures end at {end:.1f} s")
    return end


def rhythm(packets: PacketList) -> _core.PacketRhythm:
    """Return where the packets say that the picture may change, or that they say nothing."""
    return _core.packet_rhythm(packets.times, packets.sizes, packets.keys)


@dataclass(frozen=True, slots=True)
class _Group:
    """What lies between two keyframes, in seconds, and the bursts that reach into it."""

    start: float
    following: float
    bursts: tuple[tuple[float, float], ...]
    told: bool

    @property
    def silent(self) -> bool:
        """Whether no packet after the first names a change."""
        return not any(burst[1] > self.start for burst in self.bursts)


def _groups(found: _core.PacketRhythm, end: float) -> list[_Group]:
    groups = []
    for start, following in pairwise([*found.keyframes, end]):
        inside = tuple(burst for burst in found.bursts if burst[1] >= start and burst[0] < following)
        told = any(burst[0] <= following <= burst[1] + BEFORE for burst in found.bursts)
        groups.append(_Group(start, following, inside, told))
    return groups


def in_doubt(found: _core.PacketRhythm, end: float) -> list[tuple[float, float]]:
    """Return the pairs of keyframes, by time, between which no packet names a change: pixels must say whether there is.

    Args:
        found: A readable rhythm.
        end: End of the video in seconds.
    """
    pairs = [(group.start, group.following) for group in _groups(found, end) if group.silent and not group.told]
    return [pair for pair in pairs if pair[1] < end]


def windows(found: _core.PacketRhythm, changed: frozenset[float], end: float) -> list[Window] | None:
    """Return what must be decoded to see every candidate, or `None` where that is too much of the video.

    Args:
        found: A readable rhythm.
        changed: Keyframes, by time, that do not look like the keyframe before them; of those `in_doubt` names.
        end: End of the video in seconds.
    """
    planned: list[Window] = []
    confirm, unlikely = True, 0.0
    for group in _groups(found, end):
        start, following = group.start, group.following
        confirm = confirm or start in changed
        if following in changed:
            # The pixels say that something changed, the packets do not say when: look at all of it.
            planned.append(Window(start, True, start, following, following))
        elif group.bursts:
            first, over = group.bursts[0][0], group.bursts[-1][1]
            look, last = max(start, first - BEFORE), min(over + _AFTER, following)
            planned.append(Window(start, confirm, look, over + _AT_LEAST, last))
        elif confirm:
            # A cut that fell on a keyframe which was due anyway, or what the burst before it told of.
            planned.append(Window(start, True, start, start, min(start + _AFTER, following)))
            if start not in changed:
                unlikely += planned[-1].end - start
        confirm = not group.silent
    cost = sum(window.end - window.start for window in planned) - unlikely
    return planned if cost <= _WORTH_IT * (end - found.keyframes[0]) else None
