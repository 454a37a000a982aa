"""What the judge asks a model, step by step. The docstrings are the instructions, and an optimiser may rewrite them.

What must always hold is code: the claim's form (`debriefer.judgement.model`), that the alignment keeps it
(`dspy_programs.judge.alignment`), the look-up of each cell and the vote (`debriefer.judgement`).
"""

from __future__ import annotations

import dspy

from debriefer.judgement import AnswerShape, Decision, VideoClaim
from dspy_programs.solver.evidence import Timeline


class ExtractClaim(dspy.Signature):
    """Decide whether the video itself shows the complete final answer to the question, and read it off.

    The question and the video may be Chinese or English. Work in this order:

    1. Take the question apart: which columns are asked for, which rows, at which grain (one value, a list, groups).
    2. Look through all slides and say of each what it is: configuration, summary, ranking, list, dictionary, reference
       page, distractor.
    3. Find the scope in force: filter, unit, period or batch, grouping. It must be the question's own.
    4. Read the answer in that scope. Names and figures may stand on different slides and be joined by rank, row number
       or identifier. Every cell must be readable on a slide that you name for it; copy it letter by letter, figures
       with all their digits, and do not compute, convert or complete anything.
    5. Name what looks like the answer and is not: old or archived batches, adjacent tables, similar metrics, a single
       highlighted object where a group is asked for, a count in place of an amount, another unit, fields that were
       not applied, notes on categories, pages for reference only, items that the speaker excludes (only that item).

    Pictures and layout come before narration; spoken figures are no source. Rules, thresholds and configuration
    without their result, part of the rows or columns, or a scope that you cannot confirm are not the answer. If in
    doubt, it is not shown, and `claimed_values` stays empty.

    `claimed_values`: rows in the order of the question, cells in the order of its columns, each with `value` and
    `slides` (the numbers of the slides it was read from; `2:7` is slide 7 of the second of several videos).
    """

    question: str = dspy.InputField()
    timeline: Timeline = dspy.InputField(desc="slides, their layout trees and the narration in order of time")
    reading: str = dspy.OutputField(desc="steps 1 to 3 in a few short lines")
    claim: VideoClaim = dspy.OutputField()


class AlignClaim(dspy.Signature):
    """Find the columns of the data to which the values read from a video belong, and compare units and formats.

    Do not judge again whether the video shows the answer. Keep the claim's rows and columns, all of them, in their
    order. Where the video's unit or format is not the data's and the conversion is certain (万元 to 元, thousand to
    one, % to a share), give the values converted in `normalized_values`, say how in `conversion`, and
    `unit_consistent` is true. Where units differ and no conversion is certain, `unit_consistent` is false. Else
    `normalized_values` repeats the claim.
    """

    question: str = dspy.InputField()
    claim: str = dspy.InputField(desc="what was read from the video: values, scope, distractors")
    knowledge: str = dspy.InputField(desc="business notes: meanings of fields, units, definitions")
    tables: str = dspy.InputField(desc="the task's tables with columns, types and examples")
    shape: AnswerShape = dspy.OutputField()


class DecideUse(dspy.Signature):
    """Recommend what to do with an answer that was read from a video.

    ADOPT: the video shows the answer completely and clearly, in the question's scope and unit, as one aggregate on a
    card or a short list. ADOPT_AND_VERIFY: it is most likely right, but long, joined from several slides, or
    slightly unsure; a cheap check against the tables is worth it. RECOMPUTE: only rules or part of the answer are
    shown, or units conflict without a certain conversion.
    `confidence` says in [0, 1] how sure you are that the values answer the question. `reason` is one sentence.
    """

    question: str = dspy.InputField()
    claim: str = dspy.InputField(desc="what was read from the video: values, scope, distractors")
    alignment: str = dspy.InputField(desc="columns of the data, units, conversion")
    tables: str = dspy.InputField(desc="the task's tables, shortened")
    decision: Decision = dspy.OutputField()
