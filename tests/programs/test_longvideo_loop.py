from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import dspy
import pytest

from benchmarks.longvideo.formats import load
from benchmarks.longvideo.scoring import score
from debriefer.media.film import Film
from debriefer.media.finding import Finder
from debriefer.models import Budget, Meter
from debriefer.pipeline.asking import answered
from debriefer.pipeline.settings import MediaSettings
from dspy_programs.longvideo import FAST, PAPER, Limits, LongVideo, render_transcript
from dspy_programs.state import load_state, save_state
from tests.doubles.cast import Cast
from tests.doubles.script import Reply, Turn
from tests.programs.longvideo_run import (
    ANSWER,
    DONE,
    FINE,
    GROUND,
    HARD,
    LOOK,
    LOOK_AT,
    SCORED,
    SEEN,
    actions,
    run,
    unknowns,
)


def test_a_plan_that_cannot_be_read_ends_in_no_crash_but_in_a_rule(film: Film) -> None:
    cast = Cast(step=Reply("let me look around"), analysis=HARD, score=SCORED, look=[LOOK, DONE], findings=SEEN,
                critique=FINE, reading={"relevant": []}, conclusion={"answer": "a man"})  # fmt: skip
    answer = run(film, cast)
    assert {"ground", "read", "look"} <= set(actions(answer))
    assert answer.choice == "B"
    assert any("plan could not be read" in text for text in unknowns(answer))


def test_when_no_model_answers_the_error_is_told(film: Film) -> None:
    answer = run(film, Cast())
    assert answer.abstained
    assert "nobody plays" in answer.error


def test_grounding_does_not_count_before_it_was_looked_at(film: Film) -> None:
    hasty = {"action": "answer", "answer": "a man", "choice": "B", "evidence": ["G1"]}
    cast = Cast(
        step=[GROUND, hasty, ANSWER], analysis=HARD, score=SCORED, look=[LOOK, DONE], findings=SEEN, critique=FINE
    )
    answer = run(film, cast)
    assert actions(answer) == ["ground", "answer", "look", "answer", "review"]
    assert answer.steps[2].reason.startswith("rule:")


def test_findings_that_conflict_are_put_side_by_side(film: Film) -> None:
    other = {
        "facts": [{"start": "00:01:20", "end": "00:01:22", "text": "a woman waves"}],
        "suggests": "a woman",
        "settles": True,
    }
    both = {
        "facts": [{"start": "00:00:20", "end": "00:00:22", "text": "the man waves, the woman points"}],
        "suggests": "a man",
        "settles": True,
    }
    second = {"action": "look", "instruction": "who waves", "spans": [["00:01:15", "00:01:30"]]}
    cast = Cast(step=[LOOK_AT, second, ANSWER, ANSWER], findings=[SEEN, other, both], critique=FINE)
    answer = run(film, cast, FAST)
    assert actions(answer) == ["look", "look", "answer", "compare", "answer", "review"]
    assert "E1 suggests “a man”, E2 suggests “a woman”" in answer.steps[3].instruction
    compared = cast.turns["findings"][2].last
    assert "00:00:20" in compared
    assert "00:01:20" in compared


def test_a_critique_reopens_frames_and_names_what_is_missing(film: Film) -> None:
    critique = {
        "credible": False,
        "comment": "the hand is not seen",
        "missing": ["the hand"],
        "reopen": ["00:00:50-00:01:00"],
    }
    more = {
        "facts": [{"start": "00:00:55", "end": "00:00:56", "text": "the hand of the man"}],
        "suggests": "a man",
        "settles": True,
    }
    cast = Cast(step=[LOOK_AT, ANSWER, ANSWER], findings=[SEEN, more], critique=[critique, FINE])
    answer = run(film, cast, FAST)
    assert actions(answer) == ["look", "answer", "review", "look", "answer", "review"]
    assert (answer.steps[3].spans, answer.steps[3].instruction) == (((50.0, 60.0),), "the hand")
    assert "CRITIQUE: the hand is not seen Missing: the hand" in cast.turns["step"][2].last
    assert answer.credible is True


def test_a_critique_that_brings_no_new_evidence_ends_the_reviews(film: Film) -> None:
    critique = {"credible": False, "comment": "not sure"}
    cast = Cast(step=[LOOK_AT, ANSWER, ANSWER], findings=SEEN, critique=critique)
    answer = run(film, cast, FAST)
    assert cast.count("critique") == 1
    assert (answer.choice, answer.credible, answer.doubt) == ("B", False, "not sure")


def test_there_are_three_critiques_at_most(film: Film) -> None:
    def fact(turn: Turn) -> object:
        begin = turn.last.split("[t=")[1][:8]
        return {"facts": [{"start": begin, "end": begin, "text": f"thing at {begin}"}]}

    def reopen(number: int) -> dict[str, Any]:
        return {"credible": False, "comment": f"again {number}", "reopen": [[20 * number, 20 * number + 10]]}

    cast = Cast(step=[LOOK_AT, ANSWER], findings=fact, critique=[reopen(n) for n in range(1, 6)])
    answer = run(film, cast, FAST)
    assert cast.count("critique") == 3
    assert answer.doubt == "again 3"


def test_a_review_that_cannot_be_read_is_no_approval(film: Film) -> None:
    cast = Cast(step=[LOOK_AT, ANSWER], findings=SEEN, critique=Reply("fine, I guess"))
    answer = run(film, cast, FAST)
    assert (answer.choice, answer.credible) == ("B", None)
    assert any("not reviewed" in text for text in unknowns(answer))


def test_the_same_step_is_not_done_twice(film: Film) -> None:
    cast = Cast(step=[LOOK_AT, LOOK_AT, ANSWER], findings=SEEN, critique=FINE)
    answer = run(film, cast, FAST)
    assert cast.count("findings") == 1
    assert answer.steps[1].observation == "the same was done in step 1; its observation stands"


def test_rounds_end_the_loop_with_the_best_answer(film: Film) -> None:
    steps = [{**LOOK_AT, "instruction": f"look {number}"} for number in range(20)]
    cast = Cast(step=steps, findings=SEEN, conclusion={"answer": "a man", "choice": "B", "evidence": ["E1"]})
    answer = run(film, cast, FAST)
    assert cast.count("step") == 15
    assert (answer.budget_exhausted, answer.choice) == ("rounds", "B")
    assert answer.citations


def test_frames_are_bounded(film: Film) -> None:
    steps = [LOOK_AT, {**LOOK_AT, "spans": [["00:01:15", "00:01:30"]]}, ANSWER]
    cast = Cast(
        step=steps, findings=SEEN, look=[LOOK, DONE, {**LOOK, "spans": ["00:01:15-00:01:30"]}, DONE], critique=FINE
    )
    answer = run(film, cast, limits=Limits(frames=45))
    assert sum(turn.images for turn in cast.turns["findings"]) <= 45
    assert answer.budget_exhausted == "frames"
    assert answer.choice == "B"


@pytest.mark.parametrize(
    ("limits", "bound"),
    [(Limits(requests=3), "requests"), (Limits(input_tokens=3_000), "input_tokens"), (Limits(output_tokens=20), "output_tokens"),
     (Limits(cost=0.0000001), "cost"), (Limits(seconds=0.0), "seconds")],
)  # fmt: skip
def test_each_bound_gives_the_best_answer_and_its_name(film: Film, limits: Limits, bound: str) -> None:
    steps = [{**LOOK_AT, "instruction": f"look {number}"} for number in range(20)]
    cast = Cast(step=steps, findings=SEEN, conclusion={"answer": "a man"})
    answer = run(film, cast, FAST, limits=limits, settings={"input_price": 1.0, "output_price": 1.0})
    assert answer.budget_exhausted == bound
    assert cast.count("step") <= 4
    if bound in {"requests", "input_tokens"}:
        assert answer.choice == "B"


def test_tool_calls_of_one_look_are_bounded(film: Film) -> None:
    looks = [{"tool": "inspect", "spans": [[second, second + 10]]} for second in range(0, 100, 5)]
    cast = Cast(step=[LOOK_AT, ANSWER], look=looks, findings=SEEN, critique=FINE)
    run(film, cast)
    assert cast.count("findings") == 15


def test_the_transcript_reads_as_it_went(film: Film) -> None:
    cast = Cast(
        step=[GROUND, LOOK_AT, ANSWER], analysis=HARD, score=SCORED, look=[LOOK, DONE], findings=SEEN, critique=FINE
    )
    answer = run(film, cast)
    text = render_transcript(answer)
    for part in ("# Who waves?", "**Answer:** a man (B)", "## Step 1: grounding, ground", "find the waving",
                 "[00:00:20.00-00:00:22.00] seen: a man waves", "| ScoreSegment | vision | 30 |", "the answer is credible"):  # fmt: skip
        assert part in text
    assert json.loads(json.dumps(answer.to_dict()))["steps"][0]["calls"]
    assert answer.calls["ScoreSegment"] == {"asked": 2, "kept": 0, "failed": 0, "frames": 60}


def test_a_learned_state_is_saved_and_loaded(tmp_path: Path) -> None:
    program = LongVideo(PAPER)
    program.plan.demos = [dspy.Example(question="Q", video="V", trajectory="T", limits="L", step="{}")]
    save_state(program, tmp_path / "state.json")
    other = LongVideo(FAST)
    load_state(other, tmp_path / "state.json")
    assert other.plan.demos[0]["question"] == "Q"
    assert len(list(program.named_predictors())) == 12


def test_a_meter_of_the_caller_counts_the_run(film: Film) -> None:
    cast = Cast(step=[LOOK_AT, ANSWER], findings=SEEN, critique=FINE)
    meter = Meter(Budget(requests=50))
    answer = run(film, cast, FAST, meter=meter, finder=Finder(film))
    assert meter.requests == answer.usage.requests == 4


def test_a_conclusion_that_says_nothing_is_an_abstention(film: Film) -> None:
    silent = {"facts": SEEN["facts"]}
    cast = Cast(step=LOOK_AT, findings=silent, conclusion={"answer": None, "choice": "maybe"})
    answer = run(film, cast, FAST, limits=Limits(rounds=1))
    assert (answer.choice, answer.abstained, answer.budget_exhausted) == (None, True, "rounds")


QUESTIONS = {
    "lvbench": {
        "key": "v",
        "qa": [{"uid": "0", "question": "Who?\n(A) a woman\n(B) a man", "answer": "B", "question_type": ["x"]}],
    },
    "longvideobench": {
        "video_path": "v.mp4",
        "question": "Who?",
        "candidates": ["a woman", "a man"],
        "correct_choice": 1,
    },
    "videomme": {
        "videoID": "v",
        "question": "Who?",
        "options": ["A. a woman", "B. a man"],
        "answer": "B",
        "duration": "long",
    },
    "mlvu": {"video": "v.mp4", "question": "Who?", "candidates": ["a woman", "a man"], "answer": "a man"},
}


@pytest.mark.parametrize("dataset", sorted(QUESTIONS))
def test_questions_of_all_benchmarks_run_by_one_program(film: Film, tmp_path: Path, dataset: str) -> None:
    (tmp_path / "q.json").write_text(json.dumps([QUESTIONS[dataset]]), encoding="utf-8")
    (question,) = load(dataset, tmp_path / "q.json")
    models, _ = Cast(step=[LOOK_AT, ANSWER], findings=SEEN, critique=FINE).models()
    made = LongVideo(FAST)(film=film, question=question.text, models=models, choices=question.choices)
    assert score(dataset, [question], {question.id: made.choice}).accuracy == 1.0


def test_records_of_questions_that_run_at_once_never_mix(film: Film, tmp_path: Path) -> None:
    def one(number: int) -> tuple[int, Path | None]:
        said = {"action": "answer", "answer": f"number {number}", "evidence": ["E1"]}
        models, _ = Cast(step=[LOOK_AT, said], findings=SEEN, critique=FINE).models()
        assert film.video is not None
        options = {
            "models": models,
            "output": tmp_path / "out",
            "cache": tmp_path / "cache",
            "media": MediaSettings("none", "none"),
        }
        return number, answered(film.video, f"Question {number}?", **options).folder

    with ThreadPoolExecutor(4) as pool:
        folders = dict(pool.map(one, range(4)))
    for number, folder in folders.items():
        assert folder is not None
        record = json.loads((folder / "answer.json").read_bytes())
        assert (record["question"], record["answer"]) == (f"Question {number}?", f"number {number}")
        assert f"Question {number}?" in (folder / "transcript.md").read_text(encoding="utf-8")


def test_an_answer_that_names_no_option_is_asked_for_once_more(film: Film) -> None:
    vague = {"action": "answer", "answer": "somebody", "evidence": ["E1"]}
    cast = Cast(step=[LOOK_AT, vague, {**vague, "choice": "C"}], findings=SEEN, critique=FINE)
    answer = run(film, cast, FAST)
    assert "names none of the options" in cast.turns["step"][2].last
    assert answer.choice == "C"
    stubborn = Cast(step=[LOOK_AT, vague], findings=SEEN, critique=FINE)
    left = run(film, stubborn, FAST)
    assert (left.choice, left.abstained, stubborn.count("step")) == (None, True, 3)


def test_an_answer_that_cites_nothing_rests_on_what_shares_its_words_or_on_nothing(film: Film) -> None:
    facts = [
        {"start": 20, "end": 22, "text": "a man lifts his hand"},
        {"start": 24, "end": 25, "text": "an empty bench"},
    ]
    said = {"action": "answer", "answer": "the man lifts a hand"}
    cast = Cast(step=[LOOK_AT, said], findings={"facts": facts}, critique=FINE)
    assert [one.text for one in run(film, cast, FAST, choices=()).citations] == ["a man lifts his hand"]
    other = Cast(step=[LOOK_AT, {"action": "answer", "answer": "zebras"}], findings={"facts": facts}, critique=FINE)
    assert run(film, other, FAST, choices=()).citations == ()


def test_a_stretch_that_is_cited_stands_for_what_was_found_in_it(film: Film) -> None:
    said = {"action": "answer", "choice": "B", "evidence": ["G1"]}
    cast = Cast(
        step=[GROUND, LOOK_AT, said],
        analysis=HARD,
        score=SCORED,
        look=[LOOK, {"tool": "inspect", "spans": ["0-60"]}, DONE],
        findings=SEEN,
        critique=FINE,
    )
    answer = run(film, cast)
    assert [one.text for one in answer.citations] == ["a man waves"]
    assert answer.answer == "a man"


def test_an_answer_out_of_the_blue_is_sent_back(film: Film) -> None:
    cast = Cast(step=[ANSWER, LOOK_AT, ANSWER], findings=SEEN, critique=FINE)
    answer = run(film, cast, FAST)
    assert "nothing was searched yet" in cast.turns["step"][1].last
    assert [step.action for step in answer.steps] == ["answer", "look", "answer", "review"]
    assert answer.citations


def test_a_review_that_a_bound_refuses_is_said(film: Film) -> None:
    cast = Cast(step=[LOOK_AT, ANSWER], findings=SEEN, critique=FINE)
    answer = run(film, cast, FAST, limits=Limits(requests=3))
    assert (actions(answer), cast.count("critique")) == (["look", "answer", "review"], 0)
    assert (answer.choice, answer.credible, answer.budget_exhausted) == ("B", None, "requests")
    assert answer.citations


def test_an_answer_whose_look_a_bound_refuses_is_the_best_so_far(film: Film) -> None:
    cast = Cast(step=[GROUND, {**ANSWER, "evidence": ["G1"]}], analysis=HARD, score=SCORED, critique=FINE)
    answer = run(film, cast, limits=Limits(frames=67))
    assert (answer.choice, answer.budget_exhausted, answer.abstained) == ("B", "frames", False)
    assert (answer.credible, answer.citations) == (False, ())
    assert "not verified" in answer.doubt


def test_what_a_look_suggests_is_better_than_a_guess_before_it(film: Film) -> None:
    cast = Cast(step=[{**ANSWER, "choice": "C", "answer": "a child"}, LOOK_AT, ANSWER], findings=SEEN)
    found = run(film, cast, FAST, limits=Limits(requests=3))
    assert (found.choice, found.budget_exhausted) == ("B", "requests")
    cast = Cast(step=[{**ANSWER, "choice": "C", "answer": "a child"}, LOOK_AT])
    guessed = run(film, cast, FAST, limits=Limits(rounds=1))
    assert (guessed.choice, guessed.credible, guessed.budget_exhausted) == ("C", False, "rounds")
    assert "nothing was searched" in guessed.doubt


def test_an_answer_is_doubted_where_every_look_failed_whatever_the_review_says(film: Film) -> None:
    cast = Cast(step=[LOOK_AT, ANSWER], findings=Reply("?"), critique=FINE)
    answer = run(film, cast, FAST)
    assert (answer.choice, answer.abstained, answer.credible) == ("B", False, False)
    assert answer.doubt.startswith("it was not verified: 00:00:15.00-00:00:30.00 could not be looked at")
    assert answer.to_dict()["doubt"] == answer.doubt
    assert "**doubt:** it was not verified" in render_transcript(answer)


def test_a_failed_look_that_is_asked_for_again_beside_subtitles_that_say_nothing_verifies_nothing(film: Film) -> None:
    read = {"action": "read", "instruction": "who waves"}
    cast = Cast(step=[LOOK_AT, read, LOOK_AT, ANSWER], findings=Reply("?"), reading={"relevant": []}, critique=FINE)
    answer = run(film, cast, FAST)
    assert actions(answer)[:3] == ["look", "read", "look"]
    assert answer.credible is False
    assert "could not be looked at" in answer.doubt


def test_an_answer_given_twice_without_a_search_is_doubted(film: Film) -> None:
    answer = run(film, Cast(step=ANSWER, critique=FINE), FAST)
    assert (answer.choice, answer.credible) == ("B", False)
    assert answer.doubt == "nothing was searched: it rests on nothing that was seen or said"


def test_an_answer_that_shares_no_word_with_what_was_found_is_said_to_cite_nothing(film: Film) -> None:
    bench = {"facts": [{"start": 20, "end": 22, "text": "an empty bench"}]}
    cast = Cast(step=[LOOK_AT, {"action": "answer", "answer": "zebras"}], findings=bench, critique=FINE)
    answer = run(film, cast, FAST, choices=())
    assert (answer.credible, answer.doubt) == (True, "it cites nothing that was seen or said")
    founded = run(film, Cast(step=[LOOK_AT, ANSWER], findings=SEEN, critique=FINE), FAST)
    assert (founded.credible, founded.doubt) == (True, "")


def test_looks_that_name_one_option_differently_count_together(film: Film) -> None:
    def look(begin: int, suggests: str) -> dict[str, Any]:
        facts = [{"start": begin, "end": begin + 1, "text": f"a thing at {begin}"}]
        return {"facts": facts, "suggests": suggests, "settles": True}

    steps = [{"action": "look", "instruction": "who", "spans": [[begin, begin + 10]]} for begin in range(0, 100, 20)]
    findings = [look(1, "a woman"), look(21, "a woman"), look(41, "a man"), look(61, "B. a man"), look(81, "B")]
    answer = run(film, Cast(step=steps, findings=findings), FAST, limits=Limits(rounds=5, critiques=0))
    assert (answer.choice, answer.budget_exhausted) == ("B", "rounds")
    assert [one.start for one in answer.citations] == [41.0, 61.0, 81.0]
