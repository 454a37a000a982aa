"""A question about a generated film through the whole chain: file, frames, agents, record, command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import debriefer
from benchmarks.longvideo.films import Manifest, Recipe, produce
from benchmarks.longvideo.oracle import Oracle
from benchmarks.suites.longvideo import figures, run_question
from debriefer.errors import MediaError, MissingFileError, ModelError
from debriefer.pipeline.asking import answered
from debriefer.pipeline.settings import MediaSettings
from dspy_programs.longvideo import Limits
from tests.conftest import ROOT
from tests.doubles.server import Server

SILENT = MediaSettings("none", "none")


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Manifest]:
    recipe = Recipe("short", "5", 200, seed=3, shortest=4.0, longest=8.0)
    return produce(recipe, tmp_path_factory.mktemp("films"))


@pytest.mark.parametrize("strategy", ["fast", pytest.param("paper", marks=pytest.mark.slow)])
def test_every_kind_of_question_is_answered_right(film: tuple[Path, Manifest], tmp_path: Path, strategy: str) -> None:
    path, manifest = film
    rows = [run_question(path, manifest, asked, strategy, tmp_path) for asked in manifest.questions]
    assert [row.asked.kind for row in rows if not row.right] == []
    warm = [run_question(path, manifest, asked, strategy, tmp_path) for asked in manifest.questions]
    measured = figures(rows, warm, [])
    assert measured["grounding_recall_at_15"] >= 0.95
    assert measured["max_time_error_s"] <= 0.5
    assert measured["warm_caption_calls"] == 0
    assert measured["unreadable_pictures"] == 0


def test_the_answer_cites_frames_that_are_on_disk_and_leaves_a_record(
    film: tuple[Path, Manifest], tmp_path: Path
) -> None:
    path, manifest = film
    needle = manifest.questions[0]
    asked = answered(path, needle.text, needle.choices, models=Oracle(manifest).models(), output=tmp_path, media=SILENT)
    assert asked.folder == tmp_path / "short" / "answers" / "001"
    (cited,) = asked.answer.citations
    (begin, end) = needle.relevant[0]
    assert begin - 0.5 <= cited.start <= cited.end <= end + 0.5
    assert all((asked.film.folder / file).is_file() for file in cited.frame_files)
    assert cited.frame_files
    record = json.loads((asked.folder / "answer.json").read_bytes())
    assert record["choice"] == needle.answer
    assert "## Step 1: grounding, ground" in (asked.folder / "transcript.md").read_text(encoding="utf-8")
    ((claim, stance),) = asked.film.store.sql("SELECT claim, stance FROM evidence")
    assert claim.startswith(needle.text)
    assert stance == "seen"


def test_a_wrong_picture_gives_a_wrong_answer(film: tuple[Path, Manifest], tmp_path: Path) -> None:
    """The oracle reads pixels: where the frames on disk are those of other scenes, it cannot be right."""
    path, manifest = film
    needle = manifest.questions[0]
    ready = answered(path, needle.text, models=Oracle(manifest).models(), output=tmp_path, media=SILENT).film
    first = (ready.folder / ready.frames[0].file).read_bytes()
    for frame in ready.frames:
        (ready.folder / frame.file).write_bytes(first)
    oracle = Oracle(manifest)
    made = answered(
        path, needle.text, needle.choices, models=oracle.models(), output=tmp_path, media=SILENT, remember=False
    )
    assert made.answer.choice != needle.answer
    assert oracle.time_error > 1


def command(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("MODEL_", "DEBRIEFER_"))}
    return subprocess.run(
        [sys.executable, "-m", "debriefer", "ask", *arguments],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=110,
        env={**clean, "PYTHONPATH": f"{ROOT / 'python'}:{ROOT}", **environment},
    )  # fmt: skip


def test_without_a_model_the_command_says_how_to_name_one(film: tuple[Path, Manifest], tmp_path: Path) -> None:
    done = command(str(film[0]), "Who?", "-o", str(tmp_path))
    assert done.returncode == 2
    assert done.stderr.startswith("error: no model is configured")
    assert "hint: give `--lm provider/model`" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_command_answers_over_http_and_prints_json(film: tuple[Path, Manifest], tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import json\n"
        "from tests.doubles.cast import Cast\n"
        "respond = Cast(\n"
        "    step=[{'action': 'read', 'instruction': 'what is said'},\n"
        "          {'action': 'answer', 'answer': 'the coast', 'choice': 'B', 'evidence': ['E1']}],\n"
        "    reading=lambda turn: {'relevant': [{'start': 0, 'end': 1, 'text': turn.last.split('] ')[1].split(chr(10))[0]}]},\n"
        "    critique={'credible': True},\n"
        ")\n",
        encoding="utf-8",
    )
    with Server(script, "--key", "k") as server:
        environment = {"MODEL_API_URL": server.url, "MODEL_API_KEY": "k", "MODEL_NAME": "m", "MODEL_VISION": "1"}
        options = ("-c", "the hills", "-c", "the coast", "-o", str(tmp_path / "out"), "--speech-model", "none")
        done = command(str(film[0]), "Where do they go?", *options, "--json", **environment)
        assert done.returncode == 0, done.stderr
        value = json.loads(done.stdout)
        assert (value["choice"], value["abstained"], value["budget_exhausted"]) == ("B", False, None)
        assert value["citations"][0]["quote"]
        assert value["notes"] == []
        (tmp_path / "early.srt").write_text("1\n00:00:01,000 --> 00:00:02,000\na\n", encoding="utf-8")
        early = ("--subtitles", str(tmp_path / "early.srt"), "--subtitles-offset", "60")
        noted = command(str(film[0]), "Where do they go?", *options, *early, **environment)
        assert "note: the given subtitles end before the video begins" in noted.stderr
        refused = command(str(film[0]), "Where do they go?", *options, **{**environment, "MODEL_API_KEY": ""})
    assert refused.returncode in {1, 2}
    assert "Traceback" not in refused.stderr


def test_the_command_warns_of_an_answer_that_rests_on_nothing(film: tuple[Path, Manifest], tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "from tests.doubles.cast import Cast\n"
        "respond = Cast(step={'action': 'answer', 'answer': 'the coast'}, critique={'credible': True})\n",
        encoding="utf-8",
    )
    with Server(script, "--key", "k") as server:
        environment = {"MODEL_API_URL": server.url, "MODEL_API_KEY": "k", "MODEL_NAME": "m", "MODEL_VISION": "1"}
        options = ("-o", str(tmp_path / "out"), "--speech-model", "none", "--json")
        done = command(str(film[0]), "Where do they go?", *options, **environment)
    assert done.returncode == 0, done.stderr
    value = json.loads(done.stdout)
    assert (value["answer"], value["credible"]) == ("the coast", False)
    assert f"warning: in doubt: {value['doubt']}" in done.stderr
    assert "nothing was searched" in value["doubt"]


def test_the_name_is_there_without_loading_anything(tmp_path: Path) -> None:
    assert "ask" in debriefer.__all__
    with pytest.raises(MissingFileError, match="does not exist"):
        debriefer.ask(tmp_path / "none.mp4", "Who?")


def test_a_strategy_that_is_none_is_an_error(film: tuple[Path, Manifest], tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no strategy"):
        debriefer.ask(film[0], "Who?", models=Oracle(film[1]).models(), strategy="slow", output=tmp_path)


def test_a_bound_on_money_without_prices_is_an_error(film: tuple[Path, Manifest], tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="needs the prices"):
        debriefer.ask(film[0], "Who?", models=Oracle(film[1]).models(), limits=Limits(cost=1.0), output=tmp_path)


@pytest.mark.parametrize(
    ("question", "choices", "message"),
    [
        (None, (), "the question is no text"),
        (" ", (), "the question is empty"),
        ("Which?", "red", "`choices` is no list of options but `'red'`"),
        ("Which?", 3, "`choices` is no list"),
        ("Which?", ["red", 3], "option 2 is no text but `3` of type `int`"),
        ("Which?", [str(number) for number in range(27)], "27 options are more"),
    ],
)
def test_what_cannot_be_asked_is_an_error_before_any_work(
    film: tuple[Path, Manifest], tmp_path: Path, question: object, choices: object, message: str
) -> None:
    with pytest.raises(MediaError, match=message) as caught:
        debriefer.ask(film[0], question, choices, models=Oracle(film[1]).models(), output=tmp_path)  # type: ignore[arg-type]
    assert caught.value.hint
    assert list(tmp_path.iterdir()) == []
