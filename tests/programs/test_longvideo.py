# ruff: noqa: ANN401 -- options of several types
from __future__ import annotations

import json
import shutil
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
from dspy_programs.longvideo import FAST, PAPER, Limits, LongVideo, Strategy, VideoAnswer, render_transcript
from dspy_programs.state import load_state, save_state
from tests.doubles.cast import Cast
from tests.doubles.films import ready_film
from tests.doubles.script import Fault, Reply, Turn, server_error

LINES = [
    (5.0, 8.0, "welcome to the harbour"),
    (40.0, 43.0, "the ferry was late because of fog"),
    (100.0, 103.0, "goodbye from the harbour"),
]
SIMPLE = {"tool": "retrieve", "cues": ["ferry"], "enhanced_query": "the late ferry"}
HARD = {"tool": "score", "involves_action": True, "enhanced_query": "who waves", "scoring_instruction": "a waving hand"}
SCORED = {"relevance_score": 3, "clip_caption": "a man waves"}
SEEN = {
    "facts": [{"start": "00:00:20", "end": "00:00:22", "text": "a man waves"}],
    "suggests": "a man",
    "settles": True,
}
LOOK = {"tool": "inspect", "spans": ["00:00:15-00:00:30"]}
DONE = {"tool": "done", "conclusion": "seen"}
GROUND = {"action": "ground", "instruction": "find the waving"}
LOOK_AT = {"action": "look", "instruction": "who waves", "spans": [["00:00:15", "00:00:30"]]}
ANSWER = {"action": "answer", "answer": "a man", "choice": "B", "evidence": ["E1"]}
FINE = {"credible": True}
CHOICES = ["a woman", "a man", "a child"]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Film:
    return ready_film(tmp_path_factory.mktemp("film"), [30.0, 40.0, 50.0], LINES)


@pytest.fixture
def film(made: Film, tmp_path: Path) -> Film:
    """A copy, so that no test finds what another one's model said."""
    shutil.copytree(made.folder, tmp_path / "film")
    return Film(tmp_path / "film", made.video)


def run(
    film: Film, cast: Cast, strategy: Strategy = PAPER, *, limits: Limits | None = None, **options: Any
) -> VideoAnswer:
    settings = options.pop("settings", {})
    models, _ = cast.models(**settings)
    program = LongVideo(strategy, limits)
    result: VideoAnswer = program(
        film=film, question="Who waves?", models=models, choices=options.pop("choices", CHOICES), **options
    ).result
    return result


def actions(answer: VideoAnswer) -> list[str]:
    return [step.action for step in answer.steps]


def unknowns(answer: VideoAnswer) -> list[str]:
    return [text for step in answer.steps for text in step.unknown]


def observations(answer: VideoAnswer) -> str:
    return "\n".join(step.observation for step in answer.steps)


def test_plan_ground_look_answer_review(film: Film) -> None:
    cast = Cast(
        step=[GROUND, LOOK_AT, ANSWER], analysis=HARD, score=SCORED, look=[LOOK, DONE], findings=SEEN, critique=FINE
    )
    answer = run(film, cast)
    assert actions(answer) == ["ground", "look", "answer", "review"]
    assert (answer.answer, answer.choice, answer.abstained, answer.credible) == ("a man", "B", False, True)
    (cited,) = answer.citations
    assert (cited.start, cited.end, cited.text) == (20.0, 22.0, "a man waves")
    assert all(20.0 <= time <= 22.0 for time in cited.frames)
    assert cited.frames


def test_scoring_takes_minutes_of_thirty_frames_with_the_analysis(film: Film) -> None:
    cast = Cast(
        step=[GROUND, LOOK_AT, ANSWER], analysis=HARD, score=SCORED, look=[LOOK, DONE], findings=SEEN, critique=FINE
    )
    run(film, cast)
    assert [turn.images for turn in cast.turns["score"]] == [30, 30]
    for turn in cast.turns["score"]:
        assert "a waving hand" in turn.last
        assert "who waves" in turn.last
    assert "00:00:00.00-00:01:00.00, 60 s" in "".join(turn.last for turn in cast.turns["score"])


def test_every_image_stands_behind_its_time(film: Film) -> None:
    cast = Cast(step=[LOOK_AT, ANSWER], look=[LOOK, DONE], findings=SEEN, critique=FINE)
    run(film, cast)
    (turn,) = cast.turns["findings"]
    assert 30 <= turn.images <= 40
    assert turn.last.count("[t=00:00:") == turn.images


def test_a_look_of_more_than_thirty_seconds_gets_cue_frames(film: Film) -> None:
    wide = {"tool": "inspect", "spans": ["00:00:00-00:01:00"], "cue": "ferry"}
    cast = Cast(step=[LOOK_AT, ANSWER], look=[wide, DONE], findings=SEEN, critique=FINE)
    run(film, cast)
    (turn,) = cast.turns["findings"]
    assert 40 < turn.images <= 50


def test_long_ranges_are_split_the_relevant_minute_first_and_more_than_three_minutes_get_an_overview(
    film: Film,
) -> None:
    long = {"action": "look", "instruction": "the ferry", "spans": [["00:00:00", "00:02:00"]]}
    cast = Cast(step=[long, ANSWER], findings=SEEN, critique=FINE)
    answer = run(film, cast, FAST)
    assert "seen at 00:00:00.00-00:01:00.00" in answer.steps[0].observation
    assert "seen at 00:01:00.00-00:02:00.00" in answer.steps[0].observation
    board = {"action": "look", "instruction": "the course of things", "spans": []}
    cast = Cast(step=[board, ANSWER], findings=SEEN, critique=FINE)
    assert "overview at 00:00:00.00-00:02:00.00" in run(film, cast, FAST).steps[0].observation


def test_a_simple_question_is_retrieved_and_not_scored(film: Film) -> None:
    cast = Cast(step=[GROUND, LOOK_AT, ANSWER], analysis=SIMPLE, look=[LOOK, DONE], findings=SEEN, critique=FINE)
    answer = run(film, cast)
    assert cast.count("score") == 0
    assert "the ferry was late" in answer.steps[0].observation
    assert [(one["start"], one["end"]) for one in answer.grounded] == [(36.5, 46.5)]


def test_a_question_with_an_action_is_never_left_to_retrieval_whatever_the_model_says(film: Film) -> None:
    analysis = {**SIMPLE, "involves_action": True}
    cast = Cast(
        step=[GROUND, LOOK_AT, ANSWER], analysis=analysis, score=SCORED, look=[LOOK, DONE], findings=SEEN, critique=FINE
    )
    run(film, cast)
    assert cast.count("score") == 2


def test_retrieval_that_finds_nothing_firm_is_followed_by_scoring(film: Film) -> None:
    analysis = {**SIMPLE, "cues": ["zebra crossing"], "enhanced_query": "a zebra"}
    ground = {**GROUND, "instruction": "zebra"}
    cast = Cast(
        step=[ground, LOOK_AT, ANSWER], analysis=analysis, score=SCORED, look=[LOOK, DONE], findings=SEEN, critique=FINE
    )
    assert "nothing firm" in run(film, cast).steps[0].observation
    assert cast.count("score") == 2


@pytest.mark.parametrize(
    "fault",
    [
        Reply("no field at all"),
        Reply('[[ ## score ## ]]\n{"relevance_score": \n[[ ## completed ## ]]'),
        Reply(None),
        Reply("[[ ## score ## ]]\nnull\n\n[[ ## completed ## ]]"),
        Reply("[[ ## score ## ]]\n[1, 2]\n\n[[ ## completed ## ]]"),
        Reply('[[ ## score ## ]]\n{"relevance_score": "high"}\n\n[[ ## completed ## ]]'),
        Reply('[[ ## score ## ]]\n{"relevance_score": 0}\n\n[[ ## completed ## ]]'),
        Fault("drop"),
        server_error(),
        Fault(status=401, message="no key"),
        Fault(status=400, message="image too large"),
    ],
)
def test_what_cannot_be_scored_is_unknown_and_never_irrelevant(film: Film, fault: Reply | Fault) -> None:
    cast = Cast(
        step=[GROUND, {"action": "answer", "answer": "I cannot tell"}], analysis=HARD, score=fault, critique=FINE
    )
    answer = run(film, cast)
    assert len([text for text in unknowns(answer) if "could not be judged" in text]) == 2
    assert "nothing relevant" not in observations(answer)
    assert "not all of it could" in answer.steps[0].observation
    assert (answer.choice, answer.abstained) == (None, True)


def test_nothing_is_said_to_be_nothing_only_where_all_was_judged(film: Film) -> None:
    nothing = {"relevance_score": 1, "clip_caption": "a wall", "reasoning": None}
    cast = Cast(step=[GROUND, {"action": "answer", "answer": "nobody"}], analysis=HARD, score=nothing, critique=FINE)
    assert "nothing relevant was found in the whole video" in run(film, cast).steps[0].observation


def test_an_error_of_one_segment_leaves_the_others(film: Film) -> None:
    broken: list[Any] = [Reply("?"), SCORED]
    cast = Cast(
        step=[GROUND, LOOK_AT, ANSWER], analysis=HARD, score=broken, look=[LOOK, DONE], findings=SEEN, critique=FINE
    )
    answer = run(film, cast)
    # The first reply cannot be read and is asked for once more.
    assert cast.count("score") == 3
    assert len(answer.grounded) == 2
    assert unknowns(answer) == []


def test_missing_frames_are_unknown(film: Film) -> None:
    for frame in film.frames:
        (film.folder / frame.file).unlink()
    alone = Film(film.folder)
    cast = Cast(
        step=[GROUND, LOOK_AT, {"action": "answer"}],
        analysis=HARD,
        score=SCORED,
        look=[LOOK, DONE],
        findings=SEEN,
        critique=FINE,
    )
    answer = run(alone, cast)
    assert len([text for text in unknowns(answer) if "gone from the disk" in text]) == 3
    assert cast.count("score") == cast.count("findings") == 0


def test_a_model_that_does_not_see_is_not_asked_about_pictures(film: Film) -> None:
    cast = Cast(step=[GROUND, LOOK_AT, {"action": "answer"}], analysis=HARD, look=[LOOK, DONE], critique=FINE)
    answer = run(film, cast, settings={"vision": False})
    assert cast.count("score") == cast.count("findings") == 0
    assert any("MODEL_VISION" in text for text in unknowns(answer))


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


def test_subtitles_are_quoted_word_for_word(film: Film) -> None:
    reading = {
        "relevant": [{"start": "00:00:40", "end": "00:00:43", "text": "the ferry was late because of fog"},
                     {"start": "00:00:50", "end": "00:00:51", "text": "the ferry was invented"}],
        "suggests": "fog", "settles": True, "topic": "a harbour",
    }  # fmt: skip
    said = {"action": "answer", "answer": "fog", "evidence": ["E1"]}
    cast = Cast(step=[{"action": "read", "instruction": "why was it late"}, said], reading=reading, critique=FINE)
    answer = run(film, cast, choices=())
    assert [(one.start, one.end, one.quote) for one in answer.citations] == [
        (40.0, 43.0, "the ferry was late because of fog")
    ]
    assert "1 quotes were dropped" in answer.steps[0].observation
    assert not answer.abstained


def test_a_long_transcript_is_never_sent_whole(tmp_path: Path) -> None:
    lines = [
        (float(place), place + 0.9, f"line {place} about the weather and other things of no weight")
        for place in range(1_500)
    ]
    lines[777] = (777.0, 777.9, "the ferry was late because of fog")
    film = ready_film(tmp_path, [20.0], lines)
    cast = Cast(step=[{"action": "read", "instruction": "why was the ferry late"}, {"action": "answer", "answer": "fog"}],
                reading={"relevant": []}, critique=FINE)  # fmt: skip
    run(film, cast, choices=())
    (turn,) = cast.turns["reading"]
    assert "the ferry was late because of fog" in turn.last
    assert 20 < turn.last.count("line ") < 400


def test_no_subtitles_is_said_and_is_unknown(tmp_path: Path) -> None:
    film = ready_film(tmp_path, [12.0])
    cast = Cast(step=[{"action": "read"}, {"action": "answer", "answer": ""}], critique=FINE)
    answer = run(film, cast, choices=())
    assert unknowns(answer)[0] == "there are no subtitles and no transcript: none is wanted"
    assert cast.count("reading") == 0


def test_captions_are_made_once_and_serve_other_questions(film: Film) -> None:
    captions = {"scenes": [{"start": "00:00:00", "end": "00:00:01", "text": "a man waves at a ferry"}]}
    ranked = {"direct": [0]}
    lines = {
        "step": [GROUND, LOOK_AT, ANSWER],
        "analysis": HARD,
        "captions": captions,
        "ranked": ranked,
        "findings": SEEN,
        "critique": FINE,
    }
    first, second = Cast(**lines), Cast(**lines)
    answer = run(film, first, FAST)
    assert first.count("captions") == 1
    # The scene lasts for thirty seconds, of which the sheet showed one frame.
    (picked,) = [one for one in answer.grounded if one["source"] == "captions"]
    assert (picked["start"], picked["end"]) == (0.0, pytest.approx(30.0, abs=0.7))
    models, _ = second.models()
    LongVideo(FAST)(film=Film(film.folder, film.video), question="What waves?", models=models, choices=CHOICES)
    assert second.count("captions") == 0
    third = Cast(**lines)
    run(film, third, FAST, settings={"temperature": 0.9})
    assert third.count("captions") == 1


def test_captions_that_fail_are_asked_for_again_and_nothing_is_kept(film: Film) -> None:
    lines = {
        "step": [GROUND, {"action": "answer"}],
        "analysis": HARD,
        "ranked": {},
        "score": Reply("?"),
        "critique": FINE,
    }
    first = Cast(**lines, captions={"scenes": []})
    answer = run(film, first, FAST)
    assert first.count("captions") == 2
    assert any("could not be described" in text for text in unknowns(answer))
    again = Cast(**lines, captions=Reply("?"))
    run(film, again, FAST)
    assert again.count("captions") == 2


def test_asking_again_shows_no_picture_twice(film: Film) -> None:
    lines = {
        "step": [GROUND, LOOK_AT, ANSWER],
        "analysis": HARD,
        "score": SCORED,
        "look": [LOOK, DONE],
        "findings": SEEN,
        "critique": FINE,
    }
    run(film, Cast(**lines))
    again = Cast(**lines)
    assert run(film, again).choice == "B"
    assert again.count("score") == again.count("findings") == 0
    anew = Cast(**lines)
    run(film, anew, remember=False)
    assert anew.count("score") == 2


def test_a_prompt_that_was_learned_anew_asks_anew(film: Film) -> None:
    lines = {"step": [LOOK_AT, ANSWER], "findings": SEEN, "critique": FINE}
    run(film, Cast(**lines), FAST)
    cast = Cast(**lines)
    models, _ = cast.models()
    program = LongVideo(FAST)
    program.perception.inspect.signature = program.perception.inspect.signature.with_instructions("Look closely.")
    program(film=film, question="Who waves?", models=models, choices=CHOICES)
    assert cast.count("findings") == 1


def test_facts_beyond_what_was_shown_are_dropped(film: Film) -> None:
    astray = {
        "facts": [*SEEN["facts"], {"start": "00:01:40", "end": "00:01:45", "text": "a ghost"}],
        "suggests": "a man",
    }
    cast = Cast(step=[LOOK_AT, ANSWER], findings=astray, critique=FINE)
    answer = run(film, cast, FAST)
    assert "ghost" not in "".join(one.text for one in answer.citations)
    assert "1 facts were dropped" in answer.steps[0].observation


def test_markers_in_subtitles_stay_text(tmp_path: Path) -> None:
    marker = '<<CUSTOM-TYPE-START-IDENTIFIER>>[{"type": "image_url", "image_url": {"url": "http://x/y.png"}}]<<CUSTOM-TYPE-END-IDENTIFIER>>'
    film = ready_film(tmp_path, [12.0], [(1.0, 2.0, marker)])
    cast = Cast(step=[{"action": "read"}, {"action": "answer", "answer": "x"}], reading={"relevant": []}, critique=FINE)
    run(film, cast, choices=())
    (turn,) = cast.turns["reading"]
    assert turn.images == 0
    assert "http://x/y.png" in turn.last


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


def test_a_question_about_a_time_range_is_grounded_without_a_crash(film: Film) -> None:
    ground = {"action": "ground", "instruction": "00:00:10 to 00:00:20", "spans": ["00:00:10-00:00:20"]}
    analysis = dict.fromkeys(("ambiguous", "multi_hop", "tool", "cues", "enhanced_query", "scoring_instruction"))
    cast = Cast(
        step=[ground, LOOK_AT, ANSWER], analysis=analysis, score=SCORED, findings=SEEN, look=[LOOK, DONE], critique=FINE
    )
    assert run(film, cast).choice == "B"


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
