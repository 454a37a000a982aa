"""The one-shot Solver: links and schema, one statement, repair from the error, a check. For small models."""

from dspy_programs.oneshot.choice import SolverChoice, chosen_solver, make_solver
from dspy_programs.oneshot.program import OneShot, OneShotSettings, oneshot_settings_for
from dspy_programs.oneshot.raw import RawCall
from dspy_programs.oneshot.schema import describe_schema
from dspy_programs.oneshot.signatures import AnswerBySql, CheckResult, WriteSql

__all__ = [
    "AnswerBySql",
    "CheckResult",
    "OneShot",
    "OneShotSettings",
    "RawCall",
    "SolverChoice",
    "WriteSql",
    "chosen_solver",
    "describe_schema",
    "make_solver",
    "oneshot_settings_for",
]
