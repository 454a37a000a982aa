"""Slides and claims for tests of the judge."""

from __future__ import annotations

from collections.abc import Sequence

from debriefer.judgement import AnswerShape, Decision, JudgedSlide, JudgedSpeech, JudgedVideo, Round, VideoClaim
from debriefer.judgement.slides import tree_of

# The first worked sample of the specification: a ranking whose names and figures stand on two slides, and an old one.
RANKING = {
    3: '[:page [:h1 "上一周期排行榜"] [:table [:tr [:th "排名"] [:th "地区"] [:th "销售额"]] '
    '[:tr [:td "1"] [:td "华北"] [:td "140.2"]]]]',
    6: '[:page [:label "统计周期"] [:value "2025Q4"] [:label "单位"] [:value "亿元"]]',
    7: '[:page [:table [:tr [:th "排名"] [:th "地区"]] [:tr [:td "1"] [:td "华东"]] [:tr [:td "2"] [:td "华南"]]]]',
    8: '[:page [:table [:tr [:th "排名"] [:th "销售额"]] [:tr [:td "1"] [:td "128.6"]] [:tr [:td "2"] [:td "117.4"]]]]',
}
# The second: thresholds alone.
THRESHOLDS = {1: '[:page [:h1 "筛选条件"] [:p "资产规模 > 100 亿元"] [:p "成立年限 ≥ 5 年"]]'}


def video(
    layouts: dict[int, str], *speech: tuple[float, float, str], revisits: dict[int, int] | None = None
) -> JudgedVideo:
    again = revisits or {}
    slides = [
        JudgedSlide(str(n), n, "", float(n), text, None if n in again else tree_of(text), revisit_of=again.get(n))
        for n, text in sorted({**layouts, **dict.fromkeys(again, "")}.items())
    ]
    return JudgedVideo((*slides, *(JudgedSpeech(start, end, text) for start, end, text in speech)))


def claim(values: Sequence[Sequence[str]], slides: Sequence[int | str] = (1,), **fields: object) -> VideoClaim:
    rows = [[{"value": value, "slides": list(slides)} for value in row] for row in values]
    return VideoClaim.model_validate(
        {"has_displayed_answer": True, "claimed_values": rows, "source_frames": list(slides), **fields}
    )


def said_yes(
    number: int,
    value: str,
    decision: str = "ADOPT",
    confidence: float = 0.9,
    *,
    slides: Sequence[int | str] = (1,),
    shape: AnswerShape | None = None,
) -> Round:
    chosen = Decision.model_validate({"decision": decision, "confidence": confidence, "reason": f"round {number}"})
    return Round(number, claim([[value]], slides), shape or AnswerShape(normalized_values=[[value]]), chosen)


def said_no(number: int) -> Round:
    return Round(number, VideoClaim(has_displayed_answer=False, distractor_notes=f"no, says {number}"))


def failed(number: int, why: str = "the endpoint is down") -> Round:
    return Round(number, errors={"extract": why})
