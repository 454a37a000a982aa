"""Encodes frames and sound with PyAV, one thread, so that the same versions give the same bytes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
from numpy.typing import NDArray

from benchmarks.briefings.narration import Sound

Planes = NDArray[np.uint8]
"""Planar YUV 4:2:0 of shape (height * 3 / 2, width)."""


@dataclass(frozen=True, slots=True)
class Codec:
    """How video is encoded.

    Attributes:
        encoder: FFmpeg's name of the encoder.
        options: Its options; `{gop}` stands for the frames of one second.
        pixels: Pixel format.
    """

    encoder: str
    options: dict[str, str] = field(default_factory=dict)
    pixels: str = "yuv420p"


_X264 = {"preset": "veryfast", "crf": "23"}
CODECS: dict[str, Codec] = {
    "h264": Codec("libx264", _X264),
    "hevc": Codec(
        "libx265", {"preset": "ultrafast", "crf": "27", "x265-params": "log-level=none:pools=none:frame-threads=1"}
    ),
    "vp9": Codec("libvpx-vp9", {"deadline": "realtime", "cpu-used": "8", "crf": "32", "b": "0", "lag-in-frames": "0"}),
    "mpeg4": Codec("mpeg4", {"flags": "+qscale", "global_quality": str(4 * 118), "g": "250"}),
    "mjpeg": Codec("mjpeg", {"flags": "+qscale", "global_quality": str(4 * 118), "color_range": "pc"}, "yuvj420p"),
    "h264_intra": Codec("libx264", {"preset": "ultrafast", "crf": "25", "g": "1"}),
    "h264_gop1s": Codec("libx264", {**_X264, "g": "{gop}", "keyint_min": "{gop}"}),
    "h264_cbr": Codec(
        "libx264",
        {
            "preset": "veryfast",
            "b": "1500k",
            "minrate": "1500k",
            "maxrate": "1500k",
            "bufsize": "1500k",
            "nal-hrd": "cbr",
        },
    ),
}
RATES: dict[str, Fraction | None] = {
    "25": Fraction(25),
    "29.97": Fraction(30000, 1001),
    "23.976": Fraction(24000, 1001),
    "vfr": None,
}
# The grid of a variable rate: screen recorders drop frames of a 30 Hz capture when nothing moves.
VARIABLE_GRID = Fraction(30)
VARIABLE_TICK = Fraction(1, 1000)


def planes(picture: NDArray[np.uint8]) -> Planes:
    """Return an RGB picture of even size as planar YUV 4:2:0, BT.601, limited range."""
    frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(picture), format="rgb24")
    return frame.reformat(format="yuv420p").to_ndarray().astype(np.uint8, copy=False)


def paste(target: Planes, patch: Planes, left: int, top: int) -> None:
    """Lay a patch into planes in place; `left`, `top` and the patch's size are even."""
    height, width = target.shape[0] * 2 // 3, target.shape[1]
    tall, wide = patch.shape[0] * 2 // 3, patch.shape[1]
    target[top : top + tall, left : left + wide] = patch[:tall]
    quarter, small = height * width // 4, tall * wide // 4
    for number in range(2):
        whole = target[height:].reshape(-1)[number * quarter : (number + 1) * quarter].reshape(height // 2, width // 2)
        piece = patch[tall:].reshape(-1)[number * small : (number + 1) * small].reshape(tall // 2, wide // 2)
        whole[top // 2 : (top + tall) // 2, left // 2 : (left + wide) // 2] = piece


def encode(
    path: Path,
    frames: Iterable[tuple[int, Planes]],
    codec: Codec,
    rate: Fraction | None,
    size: tuple[int, int],
    sound: Sound | None,
) -> int:
    """Write a video file.

    Args:
        path: File to write; its ending names the container.
        frames: The pts in ticks (1 ÷ `rate` seconds, or `VARIABLE_TICK` where it is `None`), and the planes.
        codec: How to encode.
        rate: Frames a second, or `None` for a variable rate.
        size: Width and height, in pixels.
        sound: The sound track, or `None`.

    Returns:
        The number of frames.
    """
    count = 0
    # Without the flag the muxer writes its version and, in some containers, the time of day.
    with av.open(str(path), "w", options={"fflags": "+bitexact"}) as container:
        stream: Any = container.add_stream(codec.encoder, rate=rate or VARIABLE_GRID)
        stream.width, stream.height = size
        stream.pix_fmt = codec.pixels
        tick = VARIABLE_TICK if rate is None else 1 / rate
        stream.codec_context.time_base = tick
        stream.time_base = tick
        stream.codec_context.thread_count = 1
        second = round(rate or VARIABLE_GRID)
        stream.options = {name: value.format(gop=second) for name, value in codec.options.items()}
        audio = _Audio(container, sound) if sound is not None else None
        frame: Any = None
        last: Planes | None = None
        for pts, picture in frames:
            if frame is None or picture is not last:
                frame = av.VideoFrame.from_ndarray(picture, format=codec.pixels)
                last = picture
            frame.pts = pts
            frame.time_base = tick
            container.mux(stream.encode(frame))
            count += 1
            if audio is not None:
                audio.until(float(pts * tick))
        container.mux(stream.encode(None))
        if audio is not None:
            audio.finish()
    return count


class _Audio:
    """Feeds the sound track to the container as the video proceeds, so that the two lie side by side in the file."""

    def __init__(self, container: Any, sound: Sound) -> None:  # noqa: ANN401 - PyAV's container
        self._container = container
        self._samples = sound.samples
        self._rate = sound.rate
        self._stream = container.add_stream("aac", rate=sound.rate, layout="mono")
        self._stream.bit_rate = 64000
        self._resampler = av.AudioResampler(format="fltp", layout="mono", rate=sound.rate, frame_size=1024)
        self._sent = 0

    def until(self, time: float) -> None:
        """Encode the samples up to `time`, in seconds."""
        last = min(len(self._samples), round(time * self._rate))
        if last - self._sent < self._rate:
            return
        self._send(last)

    def _send(self, last: int) -> None:
        frame = av.AudioFrame.from_ndarray(self._samples[np.newaxis, self._sent : last], format="s16", layout="mono")
        frame.sample_rate = self._rate
        frame.pts = self._sent
        frame.time_base = Fraction(1, self._rate)
        for piece in self._resampler.resample(frame):
            self._container.mux(self._stream.encode(piece))
        self._sent = last

    def finish(self) -> None:
        """Encode what is left."""
        if self._sent < len(self._samples):
            self._send(len(self._samples))
        for piece in self._resampler.resample(None):
            self._container.mux(self._stream.encode(piece))
        self._container.mux(self._stream.encode(None))
