"""A planner by script and a vision model that reads the strips of the pictures it is sent. Neither knows the times.

What the planner knows of a film it reads off the steps, what the vision model says it takes from the pictures' own
strips and the labels before them: a wrong frame, a lost observation or a wrong time gives a wrong answer.
"""

from __future__ import annotations

import base64
import json
import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from dspy import lm15

from benchmarks.longvideo.coded import Image, read
from benchmarks.longvideo.films import Asked, Manifest, Scene
from debriefer.media.clock import clock, seconds_of
from debriefer.media.contact_sheet import cell_of
from debriefer.media.film import pixels
from debriefer.models import Models, ModelSettings, RetryPolicy, count_image_tokens, count_tokens

_FIELD = re.compile(r"\[\[ ## (\w+) ## \]\]\s*")
_OUTPUTS = re.compile(r"Your output fields are:\s*1\. `(\w+)`")
_TIME = r"\d\d:\d\d:\d\d\.\d\d"
_EVIDENCE = re.compile(rf"^(E\d+) \[({_TIME})-({_TIME})\] \w+: (.*)$", re.MULTILINE)
_GROUNDED = re.compile(rf"^(G\d+) \[({_TIME})-({_TIME})\](?: score (\d))? \([^)]*\): (.*)$", re.MULTILINE)
_LINE = re.compile(rf"^\[({_TIME})-({_TIME})\] (.*)$", re.MULTILINE)
_SCENE = re.compile(rf"^(\d+)\. \[({_TIME})-({_TIME})\] (.*)$", re.MULTILINE)
# Sightings this close belong to one scene that two looks share.
_ONE_SCENE_SECONDS = 3.0
# Names of output fields, and which of them are answers to pictures.
SEEING = {"score", "captions", "findings"}
CAPTIONING = {"score", "captions"}

Values = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Seen:
    """A picture, or a cell of a sheet: its label and what it says of itself."""

    label: float
    scene: Scene


@dataclass(slots=True)
class Query:
    """A request as the oracle understands it."""

    output: str
    inputs: dict[str, str]
    pictures: list[tuple[str, Image]]


@dataclass(slots=True)
class Oracle:
    """Answers every question of the program about one film.

    Attributes:
        manifest: What is true of the film.
        fault: Given each query, may return a reply of its own (text), or raise; `None` lets the oracle answer.
        time_error: Largest distance of a label from its picture's own time, in seconds.
        pictures: Pictures and cells that were read.
        unreadable: Pictures and cells whose strips could not be read.
        asked: Number of requests by output field.
    """

    manifest: Manifest
    fault: Callable[[Query], str | None] = lambda _: None
    time_error: float = 0.0
    pictures: int = 0
    unreadable: int = 0
    asked: dict[str, int] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def models(self, **settings: Any) -> Models:  # noqa: ANN401 -- fields of several types
        """Return models all of whose roles the oracle plays, through the package's own engine."""
        policy = RetryPolicy(attempts=2, base_seconds=0.001, cap_seconds=0.002)
        given = ModelSettings("openai/oracle", vision=True, context_window=128_000, **settings)
        return Models(
            given, sender_factory=lambda *_: lambda request, _: self.complete(request), policy=policy, environment={}
        )

    def complete(self, request: Any) -> Any:  # noqa: ANN401 -- DSPy's
        """Return the reply to a request, with tokens counted as a hosted model would count them."""
        query, text, sizes = _query(request)
        with self._lock:
            self.asked[query.output] = self.asked.get(query.output, 0) + 1
            made = self.fault(query)
        if made is None:
            value = getattr(self, f"_{query.output}")(query)
            made = f"[[ ## {query.output} ## ]]\n{json.dumps(value)}\n\n[[ ## completed ## ]]"
        given = count_tokens(text) + sum(count_image_tokens(*size) for size in sizes)
        return lm15.Response(
            id=None,
            model=request.model,
            message=lm15.Message.assistant([lm15.TextPart(made)]),
            finish_reason="stop",
            usage=lm15.Usage(input_tokens=given, output_tokens=count_tokens(made)),
        )

    def _spec(self, query: Query) -> Asked:
        first = query.inputs["question"].splitlines()[0]
        return next(one for one in self.manifest.questions if one.text == first)

    # What the planner does. It sees text alone.

    def _step(self, query: Query) -> Values:
        spec, done = self._spec(query), query.inputs["trajectory"]
        if spec.kind == "spoken":
            if "subtitles: read" not in done:
                return {"action": "read", "instruction": spec.text, "reason": "it is said"}
            return self._spoken(spec, done)
        if "grounding: ground" not in done:
            return {"action": "ground", "instruction": spec.text, "reason": "no time is given"}
        if "perception: look" not in done:
            return self._first_look(spec, done)
        about = [one for one in _sightings(done) if any(subject in one[3] for subject in spec.subjects)]
        if spec.kind == "when" and about and "to the frame" not in done:
            begin = min(one[1] for one in about)
            narrow = [[clock(max(0, begin - 6)), clock(begin + 4)]]
            return {"action": "look", "instruction": f"{spec.text} to the frame", "spans": narrow}
        return _answer(spec, about)

    def _first_look(self, spec: Asked, done: str) -> Values:
        """Look at what grounding says shows it, else at all that it names, else at the whole."""
        spans = [span for span, text in _named(done) if any(subject in text for subject in spec.subjects)]
        spans = spans or [span for span, _ in _named(done)]
        wide = [{"start": clock(max(0, begin - 2)), "end": clock(end + 2)} for begin, end in spans]
        return {"action": "look", "instruction": spec.text, "spans": wide, "reason": "to verify"}

    def _spoken(self, spec: Asked, done: str) -> Values:
        quotes = [one for one in _sightings(done) if spec.subjects[0] in one[3]]
        for identity, _, _, quote in quotes:
            for place, choice in enumerate(spec.choices):
                if choice in quote:
                    return {"action": "answer", "choice": "ABCDEFGH"[place], "answer": choice, "evidence": [identity]}
        return {"action": "answer", "answer": "it is not said", "choice": None}

    def _analysis(self, query: Query) -> Values:
        spec = self._spec(query)
        hard = spec.kind in {"order", "count"}
        return {
            "ambiguous": False,
            "multi_hop": hard,
            "involves_action": False,
            "needs_full_scan": hard,
            "tool": "score" if hard else "retrieve",
            "cues": list(spec.subjects),
            "enhanced_query": spec.text,
            "scoring_instruction": f"look for: {', '.join(spec.subjects)}",
        }

    def _ranked(self, query: Query) -> Values:
        subjects = self._spec(query).subjects
        lines = _SCENE.findall(query.inputs["scenes"])
        return {"direct": [int(number) for number, _, _, text in lines if any(one in text for one in subjects)]}

    def _reading(self, query: Query) -> Values:
        spec = self._spec(query)
        lines = _LINE.findall(query.inputs["lines"])
        hits = [(t0, t1, text) for t0, t1, text in lines if spec.subjects[0] in text]
        suggests = next((choice for choice in spec.choices for *_, text in hits if choice in text), "")
        relevant = [{"start": t0, "end": t1, "text": text} for t0, t1, text in hits]
        return {"relevant": relevant, "suggests": suggests, "settles": bool(suggests), "topic": "a journey"}

    def _critique(self, query: Query) -> Values:
        empty = not query.inputs["proposed_answer"].removeprefix("proposed:").strip()
        return {"credible": not empty, "comment": "there is no answer" if empty else None}

    def _conclusion(self, query: Query) -> Values:
        spec = self._spec(query)
        about = [one for one in _sightings(query.inputs["trajectory"]) if any(s in one[3] for s in spec.subjects)]
        made = _answer(spec, about)
        return {name: made[name] for name in ("answer", "choice", "evidence")}

    # What the vision model does. It sees pictures and the labels before them.

    def _look(self, query: Query) -> Values:
        ranges = re.findall(rf"({_TIME})-({_TIME})", query.inputs["instruction"].rpartition("ranges:")[2])
        if "at " in query.inputs["observations"] or not ranges:
            return {"tool": "done" if ranges else "summary", "spans": [], "conclusion": "all ranges were looked at"}
        return {"tool": "inspect", "spans": [{"start": begin, "end": end} for begin, end in ranges], "cue": ""}

    def _score(self, query: Query) -> Values:
        spec = self._spec(query)
        scenes = list(dict.fromkeys(one.scene for one in self._seen(query)))
        right = [scene for scene in scenes if scene.subject in spec.subjects]
        score = 1 if not right else 3 if spec.kind in {"order", "count"} else 4
        return {
            "relevance_score": score,
            "clip_caption": "; ".join(scene.caption for scene in (right or scenes)),
            "reasoning": "the thing that is asked for appears" if right else None,
        }

    def _captions(self, query: Query) -> Values:
        return {"scenes": [_timed(run, run[0].scene.caption) for run in _runs(self._seen(query))]}

    def _findings(self, query: Query) -> Values:
        spec = self._spec(query)
        runs = [run for run in _runs(self._seen(query)) if run[0].scene.subject in spec.subjects]
        facts = [_timed(run, run[0].scene.fact) for run in runs]
        single = spec.kind in {"needle", "slide-text"} and len({run[0].scene for run in runs}) == 1
        suggests = runs[0][0].scene.detail if single else ""
        return {"facts": facts, "suggests": suggests, "settles": bool(suggests)}

    def _seen(self, query: Query) -> list[Seen]:
        found = []
        for label, image in query.pictures:
            for moment, part in _cells(label, image):
                said = read(part)
                scene = None if said is None else self.manifest.scene(said.scene)
                with self._lock:
                    self.pictures += 1
                    self.unreadable += scene is None
                    if said is not None:
                        self.time_error = max(self.time_error, said.error(moment))
                if scene is not None:
                    found.append(Seen(moment, scene))
        return found


def _answer(spec: Asked, about: list[tuple[str, float, float, str]]) -> dict[str, Any]:
    names = [identity for identity, *_ in about]
    answer, choice = "", ""
    if spec.kind == "when" and about:
        answer = clock(min(begin for _, begin, _, _ in about))
    elif spec.kind == "count":
        answer = choice = str(len(_joined(about)))
    elif spec.kind == "order":
        firsts = {s: min((begin for _, begin, _, text in about if s in text), default=9e9) for s in spec.subjects}
        answer = choice = ", then ".join(sorted(firsts, key=lambda subject: firsts[subject]))
    elif about:
        wanted = spec.text.rpartition(" for ")[2].rstrip("?") if spec.kind == "slide-text" else ""
        text = about[0][3]
        said = re.search(rf"{wanted} (\d+)", text) if wanted else re.search(r"says (.*)$", text)
        answer = choice = said[1] if said else ""
    return {"action": "answer", "answer": answer, "choice": choice, "evidence": names, "reason": "it was seen"}


def _joined(about: list[tuple[str, float, float, str]]) -> list[tuple[float, float]]:
    found: list[tuple[float, float]] = []
    for _, begin, end, _ in sorted(about, key=lambda one: one[1]):
        if found and begin - found[-1][1] <= _ONE_SCENE_SECONDS:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((begin, end))
    return found


def _sightings(done: str) -> list[tuple[str, float, float, str]]:
    found = {name: (name, seconds_of(t0), seconds_of(t1), text) for name, t0, t1, text in _EVIDENCE.findall(done)}
    return list(found.values())


def _named(done: str) -> list[tuple[tuple[float, float], str]]:
    return [((seconds_of(t0), seconds_of(t1)), text) for _, t0, t1, _, text in _GROUNDED.findall(done)]


def _runs(seen: list[Seen]) -> list[list[Seen]]:
    runs: list[list[Seen]] = []
    for one in sorted(seen, key=lambda one: one.label):
        if runs and runs[-1][-1].scene == one.scene:
            runs[-1].append(one)
        else:
            runs.append([one])
    return runs


def _timed(run: list[Seen], text: str) -> Values:
    return {"start": clock(run[0].label), "end": clock(run[-1].label), "text": text}


def _cells(label: str, image: Image) -> list[tuple[float, Image]]:
    """Return the pictures behind a label with their times: one, or the cells of a sheet."""
    moments = [seconds_of(text) for text in re.findall(_TIME, label)]
    if not label.startswith("sheet"):
        return [(moments[0], image)]
    columns = min(3, len(moments))
    height, width = image.shape[:2]
    # The sheet's own layout is asked for where each cell begins; its first row tells how wide and high a cell is.
    step = cell_of(1, columns, 0, 0)[0] - cell_of(0, columns, 0, 0)[0] if columns > 1 else cell_of(0, 1, 0, 0)[0]
    gap = cell_of(0, columns, 0, 0)[0]
    wide = (width - gap) // columns - step
    rows = -(-len(moments) // columns)
    below = cell_of(columns, columns, 0, 0)[1] - gap
    high = (height - gap) // rows - below
    parts = []
    for place, moment in enumerate(moments):
        left, top = cell_of(place, columns, wide, high)
        parts.append((moment, np.ascontiguousarray(image[top : top + high, left : left + wide])))
    return parts


def _query(request: Any) -> tuple[Query, str, list[tuple[int, int]]]:  # noqa: ANN401 -- DSPy's
    system = request.system if isinstance(request.system, str) else "".join(part.text for part in request.system or ())
    match = _OUTPUTS.search(system)
    if match is None:
        message = "the request names no output field"
        raise ValueError(message)
    pictures, sizes, texts = [], [], [system]
    label = ""
    for part in request.messages[-1].parts:
        if isinstance(part, lm15.ImagePart):
            image = pixels(base64.b64decode(part.data))
            if image is not None:
                sizes.append((image.shape[1], image.shape[0]))
                pictures.append((label, image))
        else:
            texts.append(part.text)
            label = part.text.strip().rpartition("[")[2].rstrip("]")
    body = "".join(texts[1:])
    pieces = _FIELD.split(body)
    inputs = {name: text.strip() for name, text in zip(pieces[1::2], pieces[2::2], strict=True)}
    return Query(match[1], inputs, pictures), "\n".join(texts), sizes
