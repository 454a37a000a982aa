"""What is asked of each agent and each of its tools.

The docstrings are the instructions, and an optimiser may rewrite them. What must always hold is code: limits, which
tool a question is fit for, that times lie within what was shown, that a quote stands in the subtitles, that nothing
counts which was not looked at.
"""

from __future__ import annotations

import dspy

from dspy_programs.longvideo.pictures import Frames
from dspy_programs.longvideo.values import (
    Conclusion,
    Critique,
    Findings,
    PlannedLook,
    PlannedStep,
    QuestionAnalysis,
    RankedScenes,
    SceneCaptions,
    SegmentScore,
    SubtitleReading,
)


class PlanStep(dspy.Signature):
    """Plan the next step towards the answer to a question about a long video that you cannot see yourself.

    Take the question apart: what must be known, in which order, which of it is seen, which is said. Then choose the one
    step that closes the largest gap:
    - `ground`: find out where something is. For questions that name no time. Its descriptions are not checked.
    - `look`: look at stretches of time (`spans`). Whatever grounding describes must be looked at before it counts; mind
      the time just before and after, too. Where findings conflict, look at both stretches together.
    - `read`: look up what is said, in the subtitles.
    - `answer`: only once the evidence is complete and consistent. Give `answer`; with options also the letter as
      `choice`; and the ids of what it rests on as `evidence` (`E3`).

    `instruction` says in one or two concrete sentences what the agent is to find out. Times are HH:MM:SS. A step that
    was done already gives the same again: vary it. A critique names what is missing: close that gap.
    """

    question: str = dspy.InputField(desc="the question, with its options where it has any")
    video: str = dspy.InputField(desc="length, and what there is to read")
    trajectory: str = dspy.InputField(desc="the steps so far and what they gave")
    limits: str = dspy.InputField(desc="what is left")
    step: PlannedStep = dspy.OutputField(desc="reason, action, instruction, spans, answer, choice, evidence")


class AnalyseQuestion(dspy.Signature):
    """Analyse a question, so that the moments of a long video which bear on it can be found. Do not answer it.

    Say whether it is ambiguous (vague references, abstract notions), needs several scenes (multi_hop), asks about an
    action or event, or needs the whole video (first, last, order, how many). Use what you know of the world to turn
    abstract notions into things that can be seen, and implied actions into visible ones.
    `tool`: `retrieve` only for a concrete object, person, text or place that a few words describe; else `score`.
    `cues`: a few short descriptions, one of each thing that is looked for. `scoring_instruction`: what to look
    for in a stretch of video, and what only looks like it.
    """

    question: str = dspy.InputField()
    instruction: str = dspy.InputField(desc="what the planning agent wants found")
    video: str = dspy.InputField()
    analysis: QuestionAnalysis = dspy.OutputField()


class ScoreSegment(dspy.Signature):
    """Say how relevant one stretch of a video is to a question and its options.

    4: what the question and options name is clearly seen and settles it. 3: it appears, but other evidence is needed.
    2: no direct relation, yet something similar, related or implied is seen. 1: unrelated.
    `clip_caption`: people and what tells them apart, objects, events, actions and relations, above all what the
    question names; scene by scene in order; only what can be seen, nothing inferred; counts where the question counts.
    `reasoning`: for 4 what supports which answer; for 3 what is missing; for 2 the link; for 1 nothing.
    Never say "first" or "last": you see one stretch only.
    """

    question: str = dspy.InputField()
    analysis: str = dspy.InputField(desc="what another agent made of the question, and what to look for")
    stretch: str = dspy.InputField(desc="begin, end and length of the stretch")
    frames: Frames = dspy.InputField(desc="frames of the stretch, each behind its time")
    score: SegmentScore = dspy.OutputField()


class CaptionSheets(dspy.Signature):
    """Describe what a stretch of a video shows, scene by scene, for people who will search it by words.

    Each sheet holds frames in rows, each with its time below it. For every scene give begin and end (times of its first
    and last frame) and what can be observed: people and what tells them apart, objects, actions, places, colours,
    every readable word and figure. Facts only; no guesses, no story. Frames that show the same are one scene.
    """

    stretch: str = dspy.InputField(desc="begin and end of the stretch")
    frames: Frames = dspy.InputField(desc="contact sheets")
    captions: SceneCaptions = dspy.OutputField()


class RankScenes(dspy.Signature):
    """Pick the scenes of a video that may bear on a question, by their numbers. Do not answer the question.

    `direct`: scenes that show what the question or its options name. `related`: scenes that may be part of it or stand
    just before or after. Leave out all others.
    """

    question: str = dspy.InputField()
    analysis: str = dspy.InputField(desc="what another agent made of the question, and what to look for")
    scenes: str = dspy.InputField(desc="numbered scenes with their times")
    ranked: RankedScenes = dspy.OutputField()


class ReadSubtitles(dspy.Signature):
    """Analyse lines of a video's subtitles for a question. Rely on them alone.

    `relevant`: the lines that bear on the question, word for word, with their times. `entities_and_sentiment`: who
    and what is named and how it is spoken of. `topic`: one sentence on what the video is about. `suggests`: the answer
    that the lines give, empty if none; `settles`: whether they alone settle the question.
    """

    question: str = dspy.InputField()
    instruction: str = dspy.InputField()
    lines: str = dspy.InputField(desc="lines with their times; gaps are left out")
    reading: SubtitleReading = dspy.OutputField()


class PlanLook(dspy.Signature):
    """Choose the next tool to carry out an instruction on a video's pictures, one at a time.

    - `inspect`: one range of 10 to 60 seconds in detail; `cue` says what must not be missed. Longer ranges are cut into
      minutes: name them in the order of relevance.
    - `summary`: a rough idea of a range of more than three minutes, or of the whole video.
    - `compare`: several ranges side by side.
    - `done`: the instruction is carried out; `conclusion` sums up what was found.
    Times are HH:MM:SS within the video.
    """

    question: str = dspy.InputField()
    instruction: str = dspy.InputField()
    video: str = dspy.InputField()
    observations: str = dspy.InputField(desc="what was seen so far")
    look: PlannedLook = dspy.OutputField()


class InspectFrames(dspy.Signature):
    """Find out from frames of a short range of a video what the instruction asks.

    `facts`: what can be observed and bears on question or instruction, in order, each with begin and end (times of the
    frames that show it); read texts and figures letter by letter; count where counting is asked, one fact for each
    thing or occurrence. `suggests`: the answer that these frames alone suggest, empty if none; `settles`: whether they
    settle the question. `unclear`: what cannot be made out. Nothing that is not seen.
    """

    question: str = dspy.InputField()
    instruction: str = dspy.InputField()
    stretch: str = dspy.InputField()
    frames: Frames = dspy.InputField(desc="frames, each behind its time")
    findings: Findings = dspy.OutputField()


class SummariseFrames(dspy.Signature):
    """Give an overview of a long range of a video from frames spread over it.

    `facts`: the course of things in order, each with begin and end (times of the frames that show it). `suggests`: the
    answer where the question is about the whole; `settles`: only if a rough look suffices.
    """

    question: str = dspy.InputField()
    instruction: str = dspy.InputField()
    stretch: str = dspy.InputField()
    frames: Frames = dspy.InputField(desc="frames, each behind its time")
    findings: Findings = dspy.OutputField()


class CompareSegments(dspy.Signature):
    """Compare several ranges of a video, and resolve what differs between them.

    `facts`: for each range what can be observed, with begin and end (times of the frames that show it); say what is
    the same, what has changed, and which of two conflicting readings the frames support. `suggests`: the answer;
    `settles`: whether the frames settle it.
    """

    question: str = dspy.InputField()
    instruction: str = dspy.InputField()
    stretch: str = dspy.InputField(desc="the ranges")
    frames: Frames = dspy.InputField(desc="frames of all ranges in order of time, each behind its time")
    findings: Findings = dspy.OutputField()


class ReviewAnswer(dspy.Signature):
    """Review how a question about a video was answered: is the answer credible, and do the findings support it?

    If it is not, `comment` says in one or two sentences what is wrong; `missing` names each observation that is needed
    and was not made; `reopen` gives the times to look at again. A different wording is no fault. Ask for nothing that
    was looked at already with the same result.
    """

    question: str = dspy.InputField()
    trajectory: str = dspy.InputField()
    proposed_answer: str = dspy.InputField()
    critique: Critique = dspy.OutputField()


class ConcludeAnswer(dspy.Signature):
    """Give the best answer that the findings allow; the search has to end here.

    With options, `choice` is the letter of the likeliest one, even where it is not certain. `evidence`: the ids that it
    rests on.
    """

    question: str = dspy.InputField()
    trajectory: str = dspy.InputField()
    conclusion: Conclusion = dspy.OutputField()


# The questions that are asked with pictures: their replies are kept in the video's store.
SEEING = (ScoreSegment, CaptionSheets, InspectFrames, SummariseFrames, CompareSegments)
