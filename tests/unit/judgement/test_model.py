"""What a model may say, and what is made of it."""

from __future__ import annotations

import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

from debriefer.judgement import Decision, VideoClaim
from debriefer.judgement.cells import normal
from debriefer.judgement.model import Distractor, slide_reference


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
