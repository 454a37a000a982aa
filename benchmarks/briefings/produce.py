"""Makes a video and its manifest from a recipe, or takes it from the cache."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path

from PIL import Image

from benchmarks.briefings.encode import CODECS, RATES, encode
from benchmarks.briefings.film import Film
from benchmarks.briefings.kinds import KINDS, languages, script
from benchmarks.briefings.manifest import Decoy, Manifest, Narration, Picture, TaskTruth
from benchmarks.briefings.narration import VOICES, Sound, recorded, spoken
from benchmarks.briefings.script import Script

MANIFEST = "manifest.json"
VIDEO = "briefing.mp4"


@dataclass(frozen=True, slots=True)
class Clip:
    """A recording to lay under a video: its file, what is said in it (empty if unknown), and its language."""

    path: Path
    text: str
    language: str


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything that a video follows from.

    Attributes:
        kind: Kind of script.
        seed: Seed.
        language: `en` or `zh`.
        codec: Key of `CODECS`.
        rate: Key of `RATES`.
        full_hd: Whether the frame is 1920x1080 instead of 1280x720.
        clip: A recording to lay under the video instead of speech by espeak-ng.
    """

    kind: str
    seed: int
    language: str
    codec: str = "h264"
    rate: str = "25"
    full_hd: bool = False
    clip: Clip | None = None

    @property
    def name(self) -> str:
        """Name of the video's folder."""
        parts = [self.kind, f"s{self.seed}", self.language, self.codec, self.rate, "1080p" if self.full_hd else "720p"]
        if self.clip is not None:
            parts.append(self.clip.path.stem)
        return "-".join(parts)


def recipes(seeds: int, kinds: tuple[str, ...] = KINDS, codecs: tuple[str, ...] = tuple(CODECS)) -> list[Recipe]:
    """Return a covering design: each kind with `seeds` seeds, each codec and each rate with all seeds too.

    Kinds take the codecs in turn, and each seed starts one codec further, so that no kind meets a codec twice before
    it met the others. Every sixth video is 1920x1080.
    """
    rates = tuple(RATES)
    chosen = []
    for seed in range(1, seeds + 1):
        for place, kind in enumerate(kinds):
            turn = place + (seed - 1) * 3
            chosen.append(
                Recipe(
                    kind,
                    seed,
                    languages(kind, [seed])[0],
                    codecs[turn % len(codecs)],
                    rates[(place // len(codecs) + turn + seed) % len(rates)],
                    full_hd=(place + seed * 2) % 6 == 5,
                )
            )
    return chosen


@cache
def version() -> str:
    """Return a digest of the generator's own sources and of the versions it stands on."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        if path.name not in {"judge.py", "reading.py", "hearing.py", "__main__.py", "taskfolder.py"}:
            digest.update(path.name.encode() + path.read_bytes())
    for package in ("av", "numpy", "pillow"):
        digest.update(f"{package} {metadata.version(package)}".encode())
    digest.update(
        b"speech" if spoken([], 1.0, VOICES[0]) != Narration(reason="espeak-ng is not installed") else b"silent"
    )
    return digest.hexdigest()[:16]


def produce(recipe: Recipe, folder: Path) -> Manifest:
    """Write `briefing.mp4`, `manifest.json` and the still pictures into `folder`, and return the manifest."""
    folder.mkdir(parents=True, exist_ok=True)
    play = script(recipe.kind, recipe.seed, recipe.language)
    rate = RATES[recipe.rate]
    film = Film(play, rate, 1.5 if recipe.full_hd else 1.0)
    sound = _sound(recipe, film)
    track = sound if isinstance(sound, Sound) else None
    frames = encode(folder / VIDEO, film.frames(), CODECS[recipe.codec], rate, film.size, track)
    pictures = []
    for number, drawn in enumerate(film.drawn):
        name = f"picture_{number:02d}.png"
        Image.fromarray(drawn.image).save(folder / name, compress_level=3)
        pictures.append(Picture(name, drawn.texts, drawn.tables))
    manifest = Manifest(
        name=recipe.name,
        video=VIDEO,
        kind=recipe.kind,
        seed=recipe.seed,
        language=recipe.language,
        theme=play.theme,
        codec=recipe.codec,
        rate=recipe.rate,
        width=film.size[0],
        height=film.size[1],
        duration=film.duration,
        frames=frames,
        pictures=tuple(pictures),
        states=tuple(film.states),
        live=film.live,
        cursor=film.cursor,
        cursor_size=film.cursor_size if film.cursor else (0, 0),
        narration=track.narration if track is not None else sound if isinstance(sound, Narration) else Narration(),
        task=_truth(play, film),
    )
    manifest.save(folder / MANIFEST)
    return manifest


def cached(recipe: Recipe, cache_folder: Path) -> tuple[Path, Manifest]:
    """Return the folder of a video and its manifest, made now or by an earlier run of the same generator."""
    folder = cache_folder / version() / recipe.name
    if (folder / MANIFEST).is_file():
        return folder, Manifest.load(folder / MANIFEST)
    folder.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(dir=folder.parent, prefix=".draft-"))
    try:
        manifest = produce(recipe, draft)
        # Whoever is first wins; both made the same bytes.
        if not folder.exists():
            os.replace(draft, folder)  # noqa: PTH105 - atomic within one file system
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return folder, manifest


def _sound(recipe: Recipe, film: Film) -> Sound | Narration:
    if recipe.clip is not None:
        return recorded(recipe.clip.path, recipe.clip.text, recipe.clip.language, 0.5, film.duration)
    if recipe.language != "en":
        return Narration(reason="espeak-ng cannot speak Hanzi")
    lines = [(state.stable + 0.15, step.say) for state, step in zip(film.states, film.script.steps, strict=True)]
    return spoken(lines, film.duration, VOICES[recipe.seed % len(VOICES)])


def _truth(play: Script, film: Film) -> TaskTruth:
    question = play.question
    return TaskTruth(
        question=question.text,
        columns=question.columns,
        gold=question.gold,
        gold_sql=question.sql,
        verdict=play.verdict,
        shown=bool(play.shown),
        shown_on=tuple(film.content(page) for page in play.shown),
        decoys=tuple(
            Decoy(lead.kind, None if lead.page is None else film.content(lead.page), lead.values, lead.why)
            for lead in play.leads
        ),
        needs_speech=play.needs_speech,
    )
