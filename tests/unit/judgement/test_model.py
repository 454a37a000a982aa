"""What a model may say, and what is made of it."""

from __future__ import annotations

import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

from debriefer.judgement import AnswerShape, Decision, VideoClaim, VideoVerdict
from debriefer.judgement.cells import normal
from debriefer.judgement.model import Distractor, shown_reference, slide_reference


def test_cells_may_be_plain_values_and_slides_may_be_named_in_any_way() -> None:
    claim = VideoClaim.model_validate(
        {
            "has_displayed_answer": True,
            "claimed_values": [["华东", 128.6, None, {"value": "x", "slides": ["幻灯片 #7", 8, "slide 2:3"]}]],
            "source_frames": "slide 7",
        }
    )
    assert claim.values() == [["华东", "128.6", "", "x"]]
    assert claim.claimed_values[0][3].slides == ["7", "8", "2:3"]
    assert claim.source_frames == ["7"]


@pytest.mark.parametrize("values", [[], [[]], [["a"], ["b", "c"]]])
def test_an_answer_that_is_shown_is_a_table(values: list[list[str]]) -> None:
    with pytest.raises(pydantic.ValidationError):
        VideoClaim.model_validate({"has_displayed_answer": True, "claimed_values": values})


def test_what_is_not_shown_needs_no_values() -> None:
    assert VideoClaim.model_validate({"has_displayed_answer": False}).claimed_values == []


@pytest.mark.parametrize("confidence", [-0.1, 1.01, 85])
def test_confidence_has_bounds(confidence: float) -> None:
    with pytest.raises(pydantic.ValidationError):
        Decision.model_validate({"decision": "ADOPT", "confidence": confidence})


def test_an_unknown_kind_of_distractor_is_another_one() -> None:
    assert Distractor.model_validate({"slide": None, "kind": "made up"}) == Distractor(slide="", kind="other")


@given(st.integers(1, 10**6), st.integers(2, 99))
def test_references_are_stable(number: int, video: int) -> None:
    assert slide_reference(slide_reference(f"#{number}")) == str(number)
    assert slide_reference(slide_reference(f"{video}:{number}")) == f"{video}:{number}"


@given(st.decimals(-(10**12), 10**12, allow_nan=False, places=4))
def test_a_number_has_one_normal_form(value: object) -> None:
    assert normal(f"{value:,}") == normal(str(value)) == normal(normal(str(value)))


@given(st.text())
def test_the_normal_form_is_its_own(text: str) -> None:
    once = normal(text)
    assert normal(once) == once


@pytest.mark.parametrize(
    ("written", "reference"),
    [
        ("slide 7 of video 2", "2:7"),
        ("video 2, slide 7", "2:7"),
        ("第2个视频第7页", "2:7"),
        ("视频2 幻灯片 #7", "2:7"),
        ("slide 7 of video 1", "7"),
        ("slide 7: 2024 results", "7"),
        ("at 12.5 s, slide 7", "7"),
        ("frame_0007.png", "7"),
        ("video 2", "2"),
        ("cover", "cover"),
    ],
)
def test_a_slide_is_known_by_any_name_that_models_give_it(written: str, reference: str) -> None:
    assert slide_reference(written) == reference


@given(st.integers(1, 999), st.integers(1, 99))
def test_a_slide_as_people_read_it_is_the_same_slide(number: int, video: int) -> None:
    reference = slide_reference(f"{video}:{number}")
    assert slide_reference(shown_reference(reference)) == reference


@pytest.mark.parametrize(
    ("written", "references"),
    [
        ("slides 7 and 8", ["7", "8"]),
        (["幻灯片 #7、#8", 7], ["7", "8"]),
        ("第7页和第8页", ["7", "8"]),
        ("slides 7-9", ["7", "8", "9"]),
        (["2:1, 2:3"], ["2:1", "2:3"]),
        (7.0, ["7"]),
        ("slide 7, 12.5 s", ["7"]),
        ("9-7", ["9"]),
        ([None, 7], ["7"]),
        (None, []),
    ],
)
def test_several_slides_may_be_named_in_one_text(written: object, references: list[str]) -> None:
    claim = VideoClaim.model_validate({"has_displayed_answer": False, "source_frames": written})
    assert claim.source_frames == references


def test_nothing_may_be_written_as_null() -> None:
    fields = ("claimed_values", "source_frames", "distractor_notes", "distractors", "scope")
    claim = VideoClaim.model_validate({"has_displayed_answer": False, **dict.fromkeys(fields)})
    assert claim == VideoClaim(has_displayed_answer=False)
    shape = AnswerShape.model_validate(dict.fromkeys(("target_columns", "normalized_values", "conversion", "note")))
    assert shape == AnswerShape()


@pytest.mark.parametrize("values", [[[""]], [[None, " "]], [[{"value": "", "slides": [1]}], [""]]])
def test_an_answer_of_blank_cells_alone_is_refused(values: list[list[object]]) -> None:
    with pytest.raises(pydantic.ValidationError, match="no value is given"):
        VideoClaim.model_validate({"has_displayed_answer": True, "claimed_values": values})


def test_a_blank_cell_beside_others_is_a_value() -> None:
    claim = VideoClaim.model_validate({"has_displayed_answer": True, "claimed_values": [["华东", None]]})
    assert claim.values() == [["华东", ""]]


@pytest.mark.parametrize(("value", "text"), [(0.00001, "0.00001"), (1e16, "10000000000000000"), (128.6, "128.6")])
def test_a_number_is_text_as_slides_write_it(value: float, text: str) -> None:
    assert VideoClaim.model_validate({"has_displayed_answer": True, "claimed_values": [[value]]}).values() == [[text]]


@pytest.mark.parametrize("name", ["adopt_and_verify", "Adopt and verify", " ADOPT-AND-VERIFY"])
def test_a_decision_is_read_in_any_case(name: str) -> None:
    assert Decision.model_validate({"decision": name, "confidence": 0.5}).decision == "ADOPT_AND_VERIFY"


@pytest.mark.parametrize("name", ["MAYBE", "", None])
def test_an_unknown_decision_is_none(name: str | None) -> None:
    with pytest.raises(pydantic.ValidationError):
        Decision.model_validate({"decision": name, "confidence": 0.5})


def test_a_verdict_has_the_published_fields_first_and_in_their_order() -> None:
    # 000_*.txt, the example of VideoResultResult.
    published = ["task_id", "has_video", "has_displayed_answer", "decision", "confidence", "claimed_values"]
    published += ["normalized_values", "target_columns", "source_frames", "distractor_notes", "reason", "error"]
    assert list(VideoVerdict.without_video("t").to_dict())[: len(published)] == published


def test_no_video_and_one_that_was_not_prepared_are_two_findings() -> None:
    none, bare = VideoVerdict.without_video("t"), VideoVerdict.not_prepared("t", "no decoder")
    assert (none.has_video, none.finding, none.decision, none.error) == (False, "no_video", "RECOMPUTE", "")
    assert (bare.has_video, bare.finding, bare.decision, bare.error) == (
        True,
        "not_prepared",
        "RECOMPUTE",
        "no decoder",
    )
