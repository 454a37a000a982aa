"""What the one-shot Solver asks of a model. The docstrings are the instructions, and an optimiser may rewrite them.

What is the same for all questions on a database stands first, and what a repair adds stands last under the same
signature: a prompt cache then serves all but the last lines, which on a processor is most of the time.
"""

from __future__ import annotations

import dspy


class WriteSql(dspy.Signature):
    """Write one DuckDB SELECT statement that answers the question.

    Use only listed tables and columns, spelled as they are. Select just what is asked for. Compare with values as the
    links spell them. Join only where one table does not suffice. Where an earlier statement is given, mend what is
    wrong with it.
    """

    tables: str = dspy.InputField(desc="tables: columns with type and samples; joins")
    notes: str = dspy.InputField(desc="business notes, other evidence")
    links: str = dspy.InputField(desc="what words of the question may mean, by rule")
    question: str = dspy.InputField()
    earlier: str = dspy.InputField(desc="an earlier statement and what is wrong with it")
    sql: str = dspy.OutputField(desc="one SELECT statement")


class CheckResult(dspy.Signature):
    """Say whether a result answers the question: its columns, its rows, its grain, its filters.

    A result fits unless something can be named that is missing, too much or wrong.
    """

    tables: str = dspy.InputField(desc="tables with columns, types, sample values and references")
    question: str = dspy.InputField()
    sql: str = dspy.InputField(desc="the statement")
    result: str = dspy.InputField(desc="the first rows of its result, and how many there are")
    problem: str = dspy.OutputField(desc="what is missing, too much or wrong; empty where it fits")
    fits: bool = dspy.OutputField()


class AnswerBySql(dspy.Signature):
    """Answer the question with one SQL statement."""

    tables: str = dspy.InputField()
    question: str = dspy.InputField()
    sql: str = dspy.OutputField()
