"""What the Solver asks of a model. The docstrings are the instructions, and an optimiser may rewrite them.

What must always hold is not here: it is code (`tools`, `context`, `agent`) or stands in the input field `rules`.
"""

from __future__ import annotations

import dspy

from dspy_programs.solver.evidence import Evidence
from dspy_programs.solver.trajectory import Trajectory


class NextAction(dspy.Signature):
    """You answer a data question by completing the query in `solver.py`, which writes `prediction.csv`.

    Work in this order, and go back a step whenever what you see speaks against what you assumed.

    1. Decide what one row of the answer is: a raw record, an entity of a list, or an aggregate. This decides everything
       after it.
    2. Settle the requested columns, the meaning of each field, the filters, the period, the unit and the grain. Match
       fields by unit, period and definition; a similar name is no evidence. Where two columns could be meant, look at
       the values of both and at the business notes before you choose.
    3. Test each assumption with read-only SQL: does the filter value exist in this spelling, is the join key unique on
       one side at least, how many rows are expected, are there NULLs or duplicates that matter.
    4. Read the editable region of `solver.py` and write one query there, with a comment beside it that says how you
       read the question: what a row is, the filters, the treatment of duplicates, NULLs and ties.
    5. Run it and look at the shape, the columns, the non-null counts and the sample. Repair errors in the script; if
       the result is doubtful go back to the data.
    6. When the result is what the question asks for, reply without a tool call and say what was delivered.

    Think briefly. Put calls that do not depend on each other into one reply.
    """

    rules: str = dspy.InputField(desc="what always holds: output, kinds of question, evidence, SQL, tools, task folder")
    tools: list[dspy.Tool] = dspy.InputField(desc="the tools that can be called")
    knowledge: str = dspy.InputField(desc="business notes of this task, and how to read its video")
    evidence: Evidence = dspy.InputField(desc="video timeline, tables, tables taken from documents")
    question: str = dspy.InputField(desc="the question to answer")
    trajectory: Trajectory = dspy.InputField(desc="what was thought, done and seen so far")
    thought: str = dspy.OutputField(
        desc="what is known, what is missing, what comes next; the closing message at the end"
    )
    tool_calls: dspy.ToolCalls = dspy.OutputField(desc="calls to make now, in order; an empty list ends the run")


class CompressTurns(dspy.Signature):
    """Keep what later work needs from turns of a data analysis that will be removed.

    Write each conclusion so that it stands alone: exact table and column names, exact values and counts, the reading
    of the question that was settled, the SQL that worked, the state of `solver.py`, errors with their cause, what was
    ruled out and why. Do not write what was merely planned, and no conclusion that the turns do not support. Withdraw
    an earlier conclusion by its number only if these turns refute it.
    """

    question: str = dspy.InputField(desc="the question that is being answered")
    earlier: str = dspy.InputField(desc="numbered conclusions of still older turns, which are kept unless withdrawn")
    turns: str = dspy.InputField(desc="the turns that will be removed, oldest first")
    conclusions: list[str] = dspy.OutputField(desc="new conclusions, one fact or decision each, most important first")
    withdrawn: list[int] = dspy.OutputField(
        desc="numbers of earlier conclusions that these turns refute; usually empty"
    )
    next_step: str = dspy.OutputField(desc="what was about to be done, in one sentence")
