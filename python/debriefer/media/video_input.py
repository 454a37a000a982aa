"""A briefing as files: `video_input.json` in the published format with additions, and `timeline.txt` for people."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from debriefer.media.briefing import Briefing, View
from debriefer.media.places import INPUT_FILE, TIMELINE_FILE
from debriefer.media.select import Passage
from debriefer.media.speech import Segment, Transcript, Word
from debriefer.media.timeline import Said


def video_input(briefing: Briefing) -> dict[str, Any]:
    """Return a briefing as JSON values.

    The published keys are `video`, `language`, `initial_prompt`, `frames` (`index`, `t`, `path`, `burst_start`,
    `burst_end`), `transcript`, `hiccup` (text by picture) and `timeline` (`type`, `t_start`, `t_end`, and `slide`,
    `path`, `hiccup` or `text`); the others are ours. Slides count from 1. Every path is relative to the folder of the
    file. `initial_prompt` holds the terms that the model was told to expect.

    Source: champion-video-and-judges.md, section 4.
    """
    spoken = briefing.transcript
    return {
        "video": briefing.video,
        "language": spoken.language,
        "initial_prompt": ", ".join(spoken.hotwords) or None,
        "frames": [_frame(view) for view in briefing.views],
        "transcript": {"video": briefing.video, **transcript_dict(spoken)},
        "hiccup": {view.picture: view.layout.hiccup for view in briefing.views if view.layout is not None},
        "timeline": list(_timeline(briefing)),
        "sha256": briefing.sha256,
        "duration": briefing.duration,
        "width": briefing.width,
        "height": briefing.height,
        "streams": list(briefing.streams),
        "method": briefing.method,
        "reason": briefing.reason,
        "frames_decoded": briefing.frames_decoded,
        "layout": briefing.layout_name,
        "notes": list(briefing.notes),
    }


def transcript_dict(transcript: Transcript) -> dict[str, Any]:
    """Return a transcript as JSON values with the published keys and ours."""
    return {
        "model": transcript.model,
        "language": transcript.language,
        "language_probability": transcript.language_probability,
        "duration_s": round(transcript.duration, 3),
        "text": transcript.text,
        "segments": [_segment(segment) for segment in transcript.segments],
        "hotwords": list(transcript.hotwords),
        "reason": transcript.reason,
        "notes": list(transcript.notes),
    }


def transcript_from(values: Mapping[str, Any]) -> Transcript:
    """Return the transcript that `transcript_dict` gave.

    Raises:
        KeyError: A key is missing.
    """
    segments = [
        Segment(
            start=item["start"],
            end=item["end"],
            text=item["text"],
            words=tuple(
                Word(word["start"], word["end"], word["word"], word.get("probability"))
                for word in item.get("words") or ()
            ),
            confidence=item.get("confidence"),
            second_pass=bool(item.get("second_pass")),
        )
        for item in values["segments"]
    ]
    return Transcript(
        segments=tuple(segments),
        language=values["language"],
        language_probability=values.get("language_probability"),
        duration=values["duration_s"],
        model=values["model"],
        hotwords=tuple(values.get("hotwords") or ()),
        reason=values.get("reason"),
        notes=tuple(values.get("notes") or ()),
    )


def timeline_text(briefing: Briefing) -> str:
    """Return the timeline as text: slides with their layout, narration, and why something is missing."""
    lines = [f"video {briefing.video}, {briefing.duration:.1f} s"]
    if not briefing.views:
        lines.append(f"(no slides: {briefing.reason})")
    if briefing.transcript.reason is not None:
        lines.append(f"(no narration: {briefing.transcript.reason})")
    lines.extend(f"({note})" for note in (*briefing.notes, *briefing.transcript.notes))
    for item in briefing.timeline:
        if isinstance(item, Said):
            lines.append(f"[narration {item.t_start:.1f}-{item.t_end:.1f} s] {item.text}")
            continue
        view = briefing.views[item.slide]
        again = "" if view.revisit_of is None else f", slide {view.revisit_of} again"
        lines.append(f"[slide {view.number} at {view.t_start:.1f} s{again}] {view.picture}")
        if view.revisit_of is None and view.layout is not None:
            lines.append(view.layout.hiccup)
        elif view.revisit_of is None and view.note is not None:
            lines.append(f"({view.note})")
    return "\n".join(lines) + "\n"


def passages(values: Mapping[str, Any]) -> list[Passage]:
    """Return the timeline of a `video_input.json` as passages for `debriefer.media.select.select`.

    Args:
        values: What the file holds.
    """
    titles = {frame["index"]: frame["title"] for frame in values["frames"]}
    found = []
    for item in values["timeline"]:
        if item["type"] == "speech":
            heading = f"narration {item['t_start']:.1f}-{item['t_end']:.1f} s"
            found.append(Passage(heading, item["text"], kept=False))
            continue
        again = item["revisit_of"]
        text = item.get("hiccup", "") if again is None else f"(slide {again} again)"
        found.append(Passage(f"slide {item['slide']} at {item['t_start']:.1f} s", text, titles[item["slide"]]))
    return found


def write_input(briefing: Briefing, folder: Path) -> None:
    """Write `video_input.json` and `timeline.txt` into `folder`, beside the pictures."""
    text = json.dumps(video_input(briefing), ensure_ascii=False, indent=1, allow_nan=False)
    (folder / INPUT_FILE).write_text(text + "\n", encoding="utf-8")
    (folder / TIMELINE_FILE).write_text(timeline_text(briefing), encoding="utf-8")


def _frame(view: View) -> dict[str, Any]:
    return {
        "index": view.number,
        "t": view.t_frame,
        "path": view.picture,
        "burst_start": view.t_start,
        "burst_end": view.t_start,
        "t_end": view.t_end,
        "change": view.change.value,
        "revisit_of": view.revisit_of,
        "changed": [[box.left, box.top, box.right, box.bottom] for box in view.changed],
        "title": view.title,
        "width": view.width,
        "height": view.height,
        "note": view.note,
    }


def _timeline(briefing: Briefing) -> Iterator[dict[str, Any]]:
    for item in briefing.timeline:
        if isinstance(item, Said):
            yield {
                "type": "speech",
                "t_start": round(item.t_start, 2),
                "t_end": round(item.t_end, 2),
                "text": item.text,
                "confidence": item.confidence,
            }
            continue
        view = briefing.views[item.slide]
        entry: dict[str, Any] = {
            "type": "frame",
            "t_start": round(view.t_start, 2),
            "t_end": round(view.t_start, 2),
            "slide": view.number,
            "path": view.picture,
            "until": round(view.t_end, 2),
            "revisit_of": view.revisit_of,
        }
        if view.layout is not None:
            entry["hiccup"] = view.layout.hiccup
        yield entry


def _segment(segment: Segment) -> dict[str, Any]:
    words = [
        {"start": word.start, "end": word.end, "word": word.text, "probability": word.probability}
        for word in segment.words
    ]
    return {
        "start": segment.start,
        "end": segment.end,
        "text": segment.text,
        "words": words or None,
        "confidence": segment.confidence,
        "second_pass": segment.second_pass,
    }
