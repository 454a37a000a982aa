from __future__ import annotations

import pytest

from dspy_programs.longvideo.values import (
    Critique,
    Findings,
    PlannedStep,
    QuestionAnalysis,
    RankedScenes,
    SceneCaptions,
    SegmentScore,
    SubtitleReading,
    TimeSpan,
)


@pytest.mark.parametrize(
    ("written", "score"),
    [(3, 3), ("3", 3), ("4 - direct", 4), (3.0, 3), ("score: 2", 2),
     (0, None), (5, None), ("high", None), (None, None), ("", None), (True, None), (-1, None)],
)  # fmt: skip
def test_what_is_no_score_is_unknown_and_never_irrelevant(written: object, score: int | None) -> None:
    assert SegmentScore.model_validate({"relevance_score": written}).relevance_score == score


@pytest.mark.parametrize(
    "written",
    ["00:01:00-00:02:30", "[00:01:00 - 00:02:30]", "60 to 150", [60, 150], ["1:00", "2:30"],
     {"start": "00:01:00.000", "end": 150}, {"start": "60s", "end": "150 s"}, "00:01:00 --> 00:02:30"],
)  # fmt: skip
def test_spans_are_read_as_models_write_them(written: object) -> None:
    assert TimeSpan.model_validate(written).pair == (60.0, 150.0)


def test_a_span_that_cannot_be_read_does_not_take_the_others_with_it() -> None:
    step = PlannedStep.model_validate({"action": "look", "spans": ["soon", "00:00:10-00:00:20", None, {"start": 5}]})
    assert [span.pair for span in step.spans] == [(10.0, 20.0)]


def test_one_span_alone_is_a_list_of_one() -> None:
    assert [s.pair for s in PlannedStep.model_validate({"action": "look", "spans": [10, 20]}).spans] == [(10.0, 20.0)]
    assert [s.pair for s in PlannedStep.model_validate({"action": "look", "spans": "0:10-0:20"}).spans] == [
        (10.0, 20.0)
    ]


def test_null_and_its_words_are_empty_texts() -> None:
    step = PlannedStep.model_validate({"action": "Answer", "choice": None, "answer": "null", "evidence": None})
    assert (step.action, step.choice, step.answer, step.evidence) == ("answer", "", "", [])


def test_the_published_words_for_actions_are_known() -> None:
    assert PlannedStep.model_validate({"action": "finish"}).action == "answer"
    with pytest.raises(ValueError, match="action"):
        PlannedStep.model_validate({"action": "dance"})


def test_facts_without_a_time_are_left_out_alone() -> None:
    facts = [
        {"start": "00:00:05", "end": "00:00:07", "fact": "a dog"},
        {"fact": "no time"},
        "words",
        {"time": "9-10", "text": "a cat"},
    ]
    found = Findings.model_validate({"facts": facts}).facts
    assert [(one.start, one.end, one.text) for one in found] == [(5.0, 7.0, "a dog"), (9.0, 10.0, "a cat")]


def test_a_bare_list_of_captions_is_taken() -> None:
    captions = SceneCaptions.model_validate([{"start": 1, "end": 2, "caption": "a lane"}])
    assert captions.scenes[0].text == "a lane"


def test_numbers_of_scenes_are_found_in_texts() -> None:
    ranked = RankedScenes.model_validate({"direct": ["3", "scene 7"], "related": "1, 2"})
    assert (ranked.direct, ranked.related) == ([3, 7], [1, 2])


def test_flags_in_words() -> None:
    assert Critique.model_validate({"credible": "False", "comment": None}).credible is False
    with pytest.raises(ValueError, match="credible"):
        Critique.model_validate({"comment": "no verdict"})


def test_only_a_plain_question_is_simple() -> None:
    assert QuestionAnalysis().simple
    for name in ("ambiguous", "multi_hop", "involves_action", "needs_full_scan"):
        assert not QuestionAnalysis.model_validate({name: True}).simple


def test_quotes_may_be_called_quotes() -> None:
    reading = SubtitleReading.model_validate({"relevant": [{"start": 1, "quote": "hello"}]})
    assert [(one.start, one.end, one.text) for one in reading.relevant] == [(1.0, 1.0, "hello")]
