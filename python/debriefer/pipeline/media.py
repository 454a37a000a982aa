"""The stage that turns the videos of a task into evidence."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from debriefer import _core
from debriefer.errors import MediaError, SourceError
from debriefer.media.hotwords import hotwords
from debriefer.media.places import FRAMES_FOLDER, INPUT_FILE, STORE_FOLDER
from debriefer.pipeline.cache import PASSING
from debriefer.pipeline.files import link_or_copy
from debriefer.pipeline.settings import MediaSettings
from debriefer.pipeline.stage import BaseStage, Inputs, Product
from debriefer.side_names import VIDEO_FILE
from debriefer.task import Task

if TYPE_CHECKING:
    from debriefer.media.briefing import Makers
    from dspy_programs.solver import Findings

PUBLISHED = "video/briefing.mp4"


@dataclass(frozen=True, slots=True)
class MediaStage(BaseStage):
    """Every video below `context/`: slides, layout, narration, one timeline; and the evidence as tables.

    The published place is `context/video/briefing.mp4`; what stands there comes first, others in the order of names.
    Laid are `workdir/_video_frames/` (a further video in a folder of it named by its place, `2/`) and
    `workdir/video.duckdb`.

    Attributes:
        media: How videos are read.
        makers: In place of what the settings make.
    """

    name: str = "media"
    heavy: bool = True
    media: MediaSettings = field(default_factory=MediaSettings)
    makers: Callable[[Inputs], Makers] | None = None

    def skipped(self, inputs: Inputs) -> str | None:
        """A task without a video."""
        workdir = inputs.task.folder / "workdir"
        # What an earlier run left in a working copy that was kept must not pass for this one's.
        shutil.rmtree(workdir / FRAMES_FOLDER, ignore_errors=True)
        (workdir / VIDEO_FILE).unlink(missing_ok=True)
        return None if self.sources(inputs.task) else "the task has no video"

    def sources(self, task: Task) -> Sequence[Path]:
        """The videos, the published one first."""
        return videos_of(task)

    def settings(self, inputs: Inputs) -> Mapping[str, Any]:
        """Readers, listener and the terms that it is told."""
        from debriefer.pipeline.video_briefing import identity  # noqa: PLC0415 -- loads NumPy and Polars; most tasks have no video

        return identity(self.media, self._makers(inputs), _terms(inputs.task))

    def run(self, inputs: Inputs, folder: Path) -> Mapping[str, Any]:
        """Brief each video into a folder named by its place; one that fails is recorded, and the others stay.

        Raises:
            MediaError: No video could be read.
        """
        from debriefer.media.evidence import write_evidence  # noqa: PLC0415 -- loads NumPy and Polars; most tasks have no video
        from debriefer.media.store import VideoStore  # noqa: PLC0415 -- as above
        from debriefer.pipeline.video_briefing import brief_file, summary  # noqa: PLC0415 -- as above

        makers = self._makers(inputs)
        terms = _terms(inputs.task)
        videos: list[dict[str, Any]] = []
        stores: dict[str, VideoStore] = {}
        failures: list[MediaError] = []
        refused: list[str] = []
        for place, path in enumerate(self.sources(inputs.task), start=1):
            name = _name(inputs.task, path)
            try:
                briefing = brief_file(path, folder / str(place), makers, video=name, terms=terms)
            except MediaError as error:
                shutil.rmtree(folder / str(place), ignore_errors=True)
                failures.append(error)
                refused.append(f"{name}: {_without(error.message, inputs.task.folder)}")
                continue
            stores[name] = VideoStore.open(folder / str(place) / STORE_FOLDER)
            videos.append({"folder": str(place), **summary(briefing)})
        if not stores:
            message = _without(failures[0].message, inputs.task.folder)
            raise MediaError(message, hint=failures[0].hint)
        write_evidence(stores, folder / VIDEO_FILE)
        return {"videos": videos, "refused": refused, PASSING: any(video[PASSING] for video in videos)}

    def lay(self, product: Product, task: Task) -> None:
        """Put the timelines into `workdir/_video_frames/` and the evidence beside the catalog."""
        workdir = task.folder / "workdir"
        for number, video in enumerate(product.value["videos"]):
            target = workdir / FRAMES_FOLDER
            target = target if number == 0 else target / video["folder"]
            source = product.folder / video["folder"]
            for path in sorted(source.rglob("*")):
                if path.is_file():
                    place = target / path.relative_to(source)
                    place.parent.mkdir(parents=True, exist_ok=True)
                    link_or_copy(path, place)
        link_or_copy(product.folder / VIDEO_FILE, workdir / VIDEO_FILE)

    def tell(self, product: Product, findings: Findings) -> Findings:
        """Add the timeline; a slide that comes back is named but not shown again."""
        from dspy_programs.solver import Timeline  # noqa: PLC0415 -- loads DSPy

        videos = product.value["videos"]
        items: list[Any] = []
        for place, video in enumerate(videos, start=1):
            # The judge's hint names a slide of the second video by that number.
            name = f"video {place}, {video['video']}" if len(videos) > 1 else ""
            items.extend(_items(product.folder / video["folder"], name))
        return replace(findings, timeline=Timeline(items=tuple(items)))

    def _makers(self, inputs: Inputs) -> Makers:
        if self.makers is not None:
            return self.makers(inputs)
        from debriefer.pipeline.makers import makers_of  # noqa: PLC0415 -- loads NumPy and Polars; most tasks have no video

        return makers_of(self.media, inputs.models)


def videos_of(task: Task) -> Sequence[Path]:
    """Return the videos of a task, the published one first."""
    found = [path for path in task.files() if _is_video(path)]
    return sorted(found, key=lambda path: _name(task, path) != PUBLISHED)


def _items(folder: Path, video: str) -> list[Any]:
    from dspy_programs.solver import Narration, Slide  # noqa: PLC0415 -- loads DSPy

    values = json.loads((folder / INPUT_FILE).read_bytes())
    items: list[Any] = []
    for item in values["timeline"]:
        if item["type"] == "speech":
            items.append(Narration(start=item["t_start"], end=item["t_end"], text=item["text"], video=video))
        elif item["revisit_of"] is not None:
            layout = f"(slide {item['revisit_of']} again)"
            items.append(Slide(seconds=item["t_start"], number=item["slide"], layout=layout, video=video))
        else:
            items.append(
                Slide(
                    seconds=item["t_start"],
                    number=item["slide"],
                    layout=item.get("hiccup", ""),
                    image=str(folder / item["path"]),
                    video=video,
                )
            )
    return items


def _is_video(path: Path) -> bool:
    try:
        return _core.detect_kind(path) == "video"
    except SourceError:  # the catalog says that it cannot be opened
        return False


def _terms(task: Task) -> tuple[str, ...]:
    return hotwords(task.question, task.knowledge)


def _name(task: Task, path: Path) -> str:
    return path.relative_to(task.context).as_posix()


def _without(text: str, folder: Path) -> str:
    return text.replace(f"{folder}/", "")
