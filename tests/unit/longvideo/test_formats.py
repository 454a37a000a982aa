from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from benchmarks.longvideo.__main__ import main
from benchmarks.longvideo.formats import load, video_file
from benchmarks.longvideo.scoring import score
from debriefer.errors import DebrieferError, MissingFileError
from tests.conftest import ROOT

LVBENCH = {
    "key": "Cm73ma6Ibcs",
    "type": "cartoon",
    "video_info": {"duration_minutes": 62.5},
    "qa": [
        {"uid": "0", "question": "Who is there?\n(A) Ann\n(B) Bo\n(C) Cy\n(D) Di", "answer": "B",
         "question_type": ["entity recognition", "event understanding"], "time_reference": "00:15-00:19"},
        {"uid": "1", "question": "When?\n(A) 1\n(B) 2", "answer": "A", "question_type": ["event understanding"]},
    ],
}  # fmt: skip
LONGVIDEOBENCH = {
    "id": "a_0", "video_id": "a", "video_path": "a.mp4", "subtitle_path": "a_en.json", "question": "What?",
    "candidates": ["one", "two", "three"], "correct_choice": 2, "starting_timestamp_for_subtitles": 30.5,
    "duration": 601.2, "duration_group": 600, "question_category": "T2E",
}  # fmt: skip
VIDEOMME = {
    "video_id": "601", "videoID": "xYz", "duration": "long", "question_id": "601-1", "task_type": "Counting",
    "question": "How many?", "options": ["A. 1.", "B. 2.", "C. 3.", "D. 4."], "answer": "D",
}  # fmt: skip
MLVU = {"video": "needle_1.mp4", "duration": 480.0, "question": "What colour?", "candidates": ["red", "blue"],
        "answer": "blue", "question_type": "findNeedle"}  # fmt: skip


def written(path: Path, value: object) -> Path:
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def test_lvbench_has_a_record_a_video_and_options_in_its_questions(tmp_path: Path) -> None:
    path = tmp_path / "video_info.meta.jsonl"
    path.write_text(json.dumps(LVBENCH) + "\n" + json.dumps({**LVBENCH, "key": "x", "qa": []}) + "\n", encoding="utf-8")
    first, second = load("lvbench", path)
    assert (first.text, first.choices, first.answer) == ("Who is there?", ("Ann", "Bo", "Cy", "Di"), "B")
    assert first.types == ("entity recognition", "event understanding")
    assert (second.video, second.answer) == ("Cm73ma6Ibcs", "A")


def test_longvideobench_counts_from_nought_and_its_subtitles_from_elsewhere(tmp_path: Path) -> None:
    hidden = {**LONGVIDEOBENCH, "id": "b", "correct_choice": -1}
    first, second = load("longvideobench", written(tmp_path / "val.json", [LONGVIDEOBENCH, hidden]))
    assert (first.answer, first.offset, first.subtitles) == ("C", 30.5, "subtitles/a_en.json")
    assert second.answer is None


def test_videomme_as_json_and_as_parquet(tmp_path: Path) -> None:
    pl.DataFrame([VIDEOMME]).write_parquet(tmp_path / "test.parquet")
    nested = {"video_id": "601", "videoID": "xYz", "duration": "long", "questions": [VIDEOMME]}
    flat = load("videomme", written(tmp_path / "a.json", [VIDEOMME]))
    assert (
        flat == load("videomme", tmp_path / "test.parquet") == load("videomme", written(tmp_path / "b.json", [nested]))
    )
    assert (flat[0].choices[3], flat[0].answer, flat[0].video, flat[0].group) == ("4.", "D", "xYz", "long")


def test_mlvu_answers_in_words_and_two_of_them_are_no_option(tmp_path: Path) -> None:
    (tmp_path / "json").mkdir()
    written(tmp_path / "json" / "2_needle.json", [MLVU, {**MLVU, "answer": "pink"}])
    written(tmp_path / "json" / "4_count.json", [{**MLVU, "question_type": "count"}] * 120)
    questions = load("mlvu", tmp_path / "json")
    assert len(questions) == 122
    assert [one.answer for one in questions[:2]] == ["B", None]
    assert questions[1].note
    assert len({one.id for one in questions}) == 122


def test_tasks_of_mlvu_without_options_are_left_out_with_a_note(tmp_path: Path) -> None:
    written(tmp_path / "2_needle.json", [MLVU])
    written(tmp_path / "8_sub_scene.json", [{"video": "a.mp4", "question": "What happens?", "answer": "It rains."}])
    notes: list[str] = []
    assert len(load("mlvu", tmp_path, notes.append)) == 1
    assert notes == ["`8_sub_scene.json` is left out: its records have no `candidates`"]
    (tmp_path / "2_needle.json").unlink()
    with pytest.raises(DebrieferError, match="no questions"):
        load("mlvu", tmp_path)


def test_a_file_that_is_no_data_set_ends_the_runner_with_two_lines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    questions = written(tmp_path / "a.json", [{"video": "a.mp4", "question": "What?", "answer": "It rains."}])
    assert main(["mlvu", str(questions), "--answers", str(tmp_path / "answers.jsonl")]) == 2
    first, second = capsys.readouterr().err.splitlines()
    assert first.startswith("error: `a.json`")
    assert second.strip().startswith("hint:")


@pytest.mark.parametrize("torn", ['{"id": "601-2", "ans', '{"id": "601-2"}', "{", '{"id": "601-2", "answer": "é'])
def test_a_run_goes_on_behind_a_line_that_was_torn(
    tmp_path: Path, torn: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    questions = written(tmp_path / "a.json", [VIDEOMME, {**VIDEOMME, "question_id": "601-2"}])
    (tmp_path / "xYz.mp4").write_bytes(b"")
    answers, first = tmp_path / "answers.jsonl", '{"id": "601-1", "answer": "D"}\n'
    answers.write_bytes(f"{first}{torn}".encode()[: -1 if "é" in torn else None])
    monkeypatch.setattr("benchmarks.longvideo.__main__.ask", lambda *_, **__: Answered())
    options = ["videomme", str(questions), "--answers", str(answers), "--videos", str(tmp_path), "--json"]
    assert main(options) == 0
    assert answers.read_text(encoding="utf-8") == first + '{"id": "601-2", "answer": "A"}\n'
    metrics = json.loads(capsys.readouterr().out.splitlines()[-1])["metrics"]
    assert (metrics["accuracy"], metrics["unanswered"]) == (0.5, 0)


class Answered:
    """What `ask` gives, as far as the runner looks at it."""

    error, choice, answer = None, "A", "one"


def test_a_line_that_is_no_answer_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    questions = written(tmp_path / "a.json", [VIDEOMME])
    (tmp_path / "answers.jsonl").write_text('{"id": "1"}\n{"id": "601-1", "answer": "D"}\n', encoding="utf-8")
    assert main(["videomme", str(questions), "--answers", str(tmp_path / "answers.jsonl"), "--score-only"]) == 2
    assert "line 1" in capsys.readouterr().err


def test_a_record_of_another_format_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(DebrieferError, match="record 1"):
        load("mlvu", written(tmp_path / "a.json", [LONGVIDEOBENCH]))
    with pytest.raises(DebrieferError, match="no data set"):
        load("other", tmp_path / "a.json")
    with pytest.raises(MissingFileError):
        load("mlvu", tmp_path / "none.json")
    (tmp_path / "b.json").write_text("{", encoding="utf-8")
    with pytest.raises(DebrieferError, match="neither"):
        load("mlvu", tmp_path / "b.json")


def test_a_question_counts_in_each_of_its_types_and_abstentions_are_wrong_but_kept_apart(tmp_path: Path) -> None:
    questions = load("lvbench", written(tmp_path / "a.json", [LVBENCH]))
    scores = score("lvbench", questions, {"0": "The answer is B", "1": "I cannot tell"})
    assert scores.accuracy == 0.5
    assert scores.by_type == {"entity recognition": 1.0, "event understanding": 0.5}
    assert (scores.right, scores.abstained, scores.unanswered) == (1, 1, 0)


def test_a_question_without_a_prediction_does_not_leave_the_denominator(tmp_path: Path) -> None:
    questions = load("lvbench", written(tmp_path / "a.json", [LVBENCH]))
    scores = score("lvbench", questions, {"0": "B"})
    assert (scores.accuracy, scores.unanswered, scores.answered_only) == (0.5, 1, 1.0)


def test_mlvu_is_the_mean_over_tasks(tmp_path: Path) -> None:
    needles = [{**MLVU, "question_id": f"n{place}"} for place in range(3)]
    others = [{**MLVU, "question_id": "c", "question_type": "count"}]
    questions = load("mlvu", written(tmp_path / "a.json", needles + others))
    scores = score("mlvu", questions, {"n0": "A", "n1": "A", "n2": "B", "c": "blue"})
    assert scores.accuracy == pytest.approx((1 / 3 + 1) / 2)


def test_hidden_answers_do_not_count(tmp_path: Path) -> None:
    hidden = {name: value for name, value in LONGVIDEOBENCH.items() if name != "correct_choice"}
    scores = score("longvideobench", load("longvideobench", written(tmp_path / "a.json", [hidden])), {"a_0": "A"})
    assert (scores.accuracy, scores.questions, scores.without_gold) == (None, 0, 1)


def test_videos_are_found_with_and_without_an_ending(tmp_path: Path) -> None:
    (tmp_path / "xYz.mkv").write_bytes(b"")
    (question,) = load("videomme", written(tmp_path / "a.json", [VIDEOMME]))
    assert video_file(question, [tmp_path / "none", tmp_path]) == tmp_path / "xYz.mkv"
    assert video_file(question, []) is None


def test_the_runner_starts_as_a_program_and_scores(tmp_path: Path) -> None:
    questions = written(tmp_path / "a.json", [VIDEOMME])
    (tmp_path / "answers.jsonl").write_text('{"id": "601-1", "answer": "D"}\n', encoding="utf-8")
    command = [sys.executable, "-m", "benchmarks.longvideo", "videomme", str(questions), "--answers"]
    environment = {"PYTHONPATH": f"{ROOT / 'python'}:{ROOT}", "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        [*command, str(tmp_path / "answers.jsonl"), "--score-only", "--json"],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=True, timeout=90,
    )  # fmt: skip
    assert json.loads(done.stdout.splitlines()[-1])["metrics"]["accuracy"] == 1.0
