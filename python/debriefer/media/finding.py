"""Finding moments of a film: words over all its texts, pictures by an embedder, both fused and spread in time."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from debriefer.errors import MediaError
from debriefer.media.clock import clock
from debriefer.media.embedding import ImageEmbedder, checked_vectors
from debriefer.media.film import Film, Kept, pixels
from debriefer.media.moments import MOMENT_SECONDS, MOMENTS, Moment, fused, moment_at, spread
from debriefer.media.retrieval import Hit, TextIndex, terms
from debriefer.media.sampling import Span

# Frames that are embedded are a scene's representative, and one every 2 s of a long scene: an hour has at most 1,800.
_EMBEDDED_SECONDS = 2.0
_BATCH = 64
# Hits of each ranking that take part in the fusion.
_DEPTH = 60
# A text that scores less than this share of the best fits by its common words alone.
_LEAST_SHARE = 0.5
# Likewise of the best hit of all queries: one that holds nothing but common words brings no hit at all.
_LEAST_OF_ALL = 0.25


@dataclass(frozen=True, slots=True)
class Found:
    """What a search gave.

    Attributes:
        moments: At most 15 stretches of 10 s, in order of time.
        strength: Share of the query's words that its best text holds; 1 where pictures were searched.
        note: Why pictures were not searched although an embedder is there, else empty.
    """

    moments: tuple[Moment, ...]
    strength: float
    note: str = ""


class Finder:
    """Searches a film's texts, and its frames where an embedder is at hand. Safe to use from several threads."""

    def __init__(self, film: Film, embedder: ImageEmbedder | None = None) -> None:
        self.film = film
        self.embedder = embedder
        self._index: TextIndex | None = None
        self._captions: str | None = None
        self._vectors: tuple[list[Kept], np.ndarray] | None = None
        self._lock = threading.Lock()

    def renew(self, captions: str | None = None) -> None:
        """Take up what was added to the store's texts.

        Args:
            captions: Producer whose captions are searched from now on; as before where `None`.
        """
        with self._lock:
            self._captions = captions or self._captions
            self._index = None

    def texts(self) -> TextIndex:
        """Return the index over the texts as they were when it was first asked for, or renewed."""
        with self._lock:
            if self._index is None:
                self._index = TextIndex(self.film, self._captions)
            return self._index

    def search(
        self,
        queries: Sequence[str],
        *,
        number: int = MOMENTS,
        sources: Sequence[str] | None = None,
        within: Sequence[Span] | None = None,
    ) -> Found:
        """Return the moments that fit some queries best.

        Args:
            queries: Ways of saying what is looked for; each is a ranking of its own.
            number: Largest number of moments.
            sources: Kinds of text; all where `None`.
            within: Stretches that a moment must touch.
        """
        rankings: list[list[int]] = []
        places: dict[int, tuple[float, float, str]] = {}
        asked = dict.fromkeys(query for query in queries if query.strip())
        every = {query: self.texts().search(query, sources, _DEPTH, within) for query in asked}
        strength = max((_strength(query, hits) for query, hits in every.items()), default=0.0)
        best = max((hits[0].score for hits in every.values() if hits), default=0.0)
        for hits in every.values():
            floor = max(_LEAST_SHARE * hits[0].score, _LEAST_OF_ALL * best) if hits else 0.0
            hits = tuple(hit for hit in hits if hit.score >= floor)  # noqa: PLW2901 -- what is left of them
            rankings.append(_places(places, ((hit.t0, hit.t1, f"{hit.source}: {hit.text}") for hit in hits)))
        note = ""
        if self.embedder is not None and queries:
            try:
                frames = self._alike(queries[0], within)
            except MediaError as error:
                note = error.message
            else:
                strength = 1.0 if frames else strength
                seen = ((frame.pts, frame.pts, f"picture at {clock(frame.pts)}") for frame in frames)
                rankings.append(_places(places, seen))
        moments = (
            Moment(*moment_at(*places[key][:2], self.film.duration), score, (places[key][2],))
            for key, score in fused(rankings)
        )
        return Found(spread(moments, number), strength, note)

    def frames_like(self, cue: str, span: Span, number: int) -> list[Kept]:
        """Return frames within a span that fit a cue, best first: by pictures, by texts, else where scenes begin."""
        if self.embedder is not None and cue.strip():
            try:
                return self._alike(cue, [span])[:number]
            except MediaError:
                pass
        hits = self.texts().search(cue, None, number, [span]) if cue.strip() else ()
        times = [min(max(hit.t0, span[0]), span[1]) for hit in hits]
        inside = [frame for frame in self.film.frames if span[0] <= frame.pts < span[1]]
        if not inside:
            return []
        near = [min(inside, key=lambda frame: abs(frame.pts - time)) for time in times]
        return list(dict.fromkeys([*near, *self.film.scenes([span])]))[:number]

    def _alike(self, query: str, within: Sequence[Span] | None) -> list[Kept]:
        assert self.embedder is not None  # noqa: S101 -- the callers ask
        frames, vectors = self._embedded()
        if not frames:
            return []
        (asked,) = checked_vectors([self.embedder.text(query)], 1, self.embedder.name)
        if len(asked) != vectors.shape[1]:
            message = f"the image embedder `{self.embedder.name}` gives words and pictures vectors of unequal lengths"
            raise MediaError(message, hint="see whether its models for texts and pictures belong together")
        scores = vectors @ asked
        order = [
            place
            for place in np.argsort(-scores, kind="stable")
            if within is None or any(begin <= frames[place].pts <= end for begin, end in within)
        ]
        return [frames[place] for place in order[:_DEPTH]]

    def _embedded(self) -> tuple[list[Kept], np.ndarray]:
        """Return the embedded frames and their vectors; what the store lacks is embedded once and kept there."""
        assert self.embedder is not None  # noqa: S101 -- the callers ask
        with self._lock:
            if self._vectors is not None:
                return self._vectors
            wanted = _worth_embedding(self.film.frames, self.film.scenes())
            known = {
                item: np.array(data, np.float32)
                for item, data in self.film.sql("SELECT item, data FROM vector WHERE model = ?", [self.embedder.name])
            }
            absent = [frame for frame in wanted if frame.digest not in known]
            for begin in range(0, len(absent), _BATCH):
                batch = [(frame, self.film.read(frame)) for frame in absent[begin : begin + _BATCH]]
                images = [(frame, pixels(picture.data)) for frame, picture in batch if picture is not None]
                given = [(frame, image) for frame, image in images if image is not None]
                if not given:
                    continue
                rows = checked_vectors(
                    self.embedder.images([image for _, image in given]), len(given), self.embedder.name
                )
                made = [(frame.digest, row) for (frame, _), row in zip(given, rows, strict=True)]
                known.update(made)
                self.film.append(
                    "vector",
                    [
                        {"item": item, "model": self.embedder.name, "dim": len(row), "data": row.tolist()}
                        for item, row in made
                    ],
                )
            frames = [frame for frame in wanted if frame.digest in known]
            if len({len(known[frame.digest]) for frame in frames}) > 1:
                message = f"the image embedder `{self.embedder.name}` gave vectors of unequal lengths"
                raise MediaError(message, hint="see whether another model of that name was used before; name it anew")
            rows = np.stack([known[frame.digest] for frame in frames]) if frames else np.zeros((0, 0), np.float32)
            self._vectors = frames, rows
            return self._vectors


def _worth_embedding(frames: Sequence[Kept], begins: Sequence[Kept]) -> list[Kept]:
    first = {frame.id for frame in begins}
    kept: list[Kept] = []
    for frame in frames:
        if not kept or frame.id in first or frame.pts - kept[-1].pts >= _EMBEDDED_SECONDS:
            kept.append(frame)
    return kept


def _places(places: dict[int, tuple[float, float, str]], found: Iterable[tuple[float, float, str]]) -> list[int]:
    """Note where the items of a ranking are; rankings meet in the same ten seconds."""
    keys = []
    for start, end, why in found:
        begin, stop = moment_at(start, end, float("inf"))
        key = int((begin + stop) / 2 // MOMENT_SECONDS)
        places.setdefault(key, (start, end, why))
        keys.append(key)
    return keys


def _strength(query: str, hits: Sequence[Hit]) -> float:
    asked = set(terms(query))
    return max((len(asked.intersection(terms(hit.text))) / len(asked) for hit in hits[:5]), default=0.0) if asked else 0
