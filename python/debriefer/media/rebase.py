"""A video's times counted from its start, as players show them and subtitles count them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from debriefer.media.speech import Transcript

if TYPE_CHECKING:
    from debriefer.media.briefing import Briefing
    from debriefer.media.decode import Video


def start_of(video: Video) -> float:
    """Return the time stamp that a player calls 0, in seconds.

    That is where the first of the tracks begins (FFmpeg's `start_time`): a recording of a broadcast may begin at ten
    hours. Sound before 0 is the coder's run-in and is not played; pictures before 0 are.
    """
    first = max(0.0, (video.container.start_time or 0) / 1e6)
    shown = video.seconds(video.stream.start_time)
    return first if shown is None else min(first, shown)


def rebased(briefing: Briefing, start: float) -> Briefing:
    """Return a briefing whose slides and narration count from `start`, in seconds; lengths stay."""
    if not start:
        return briefing
    views = tuple(
        replace(view, t_start=view.t_start - start, t_end=view.t_end - start, t_frame=view.t_frame - start)
        for view in briefing.views
    )
    timeline = tuple(
        replace(item, t_start=item.t_start - start, t_end=item.t_end - start) for item in briefing.timeline
    )
    return replace(briefing, views=views, transcript=_rebased_speech(briefing.transcript, start), timeline=timeline)


def _rebased_speech(transcript: Transcript, start: float) -> Transcript:
    segments = tuple(
        replace(
            segment,
            start=max(0.0, segment.start - start),
            end=max(0.0, segment.end - start),
            words=tuple(
                replace(word, start=max(0.0, word.start - start), end=max(0.0, word.end - start))
                for word in segment.words
            ),
        )
        for segment in transcript.segments
    )
    return replace(transcript, segments=segments)
