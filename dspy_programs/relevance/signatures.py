"""What is asked about a task's tables. The docstring is the instruction, and an optimiser may rewrite it.

What must always hold is code (`dspy_programs.relevance.tally`): ties and silence keep, and so does total failure.
"""

from __future__ import annotations

import dspy

from dspy_programs.relevance.model import Needs, TableVerdict


class JudgeTables(dspy.Signature):
    """Say of each table whether answering the question needs it.

    The question and the data may be Chinese or English.

    1. Take the question apart: fields that filter or compute, and columns of the answer (`needs`).
    2. Judge each table by the columns that are listed for it, not by guessing that another table has the field too.
       Keep a table that supplies a field of either kind, a bridge that leads from a name for people to an internal
       key or from one kept table to another, and a table that the video points to.
    3. No reasons to keep: the same database or domain, a possible background value, a code column of any table,
       "cannot be ruled out".
    4. Check that each needed field has a kept source. Only where the decision is close, prefer to keep.

    One verdict for each table, the reason first: which needed field or key it has, or that it has none.
    """

    question: str = dspy.InputField()
    knowledge: str = dspy.InputField(desc="business notes: meanings of fields, definitions")
    video: str = dspy.InputField(desc="what the task's video shows and says, in part; empty without one")
    links: str = dspy.InputField(desc="words of the question found by rule in names and cells; often wrong")
    tables: str = dspy.InputField(desc="each table with its columns, types and sample rows")
    needs: Needs = dspy.OutputField()
    verdicts: list[TableVerdict] = dspy.OutputField()
