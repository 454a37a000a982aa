"""The Solver: a program that explores a task's data, writes SQL into `solver.py`, runs it and checks what it wrote."""

from dspy_programs.solver.agent import Solver
from dspy_programs.solver.evidence import DocumentColumn, DocumentTable, Evidence, Findings, Narration, Slide, Timeline
from dspy_programs.solver.prompt import Briefing, brief
from dspy_programs.solver.protocol import SolverAdapter
from dspy_programs.solver.result import SolverResult, render_transcript
from dspy_programs.solver.settings import Retry, SolverSettings, settings_for
from dspy_programs.solver.signatures import CompressTurns, NextAction
from dspy_programs.solver.tables import describe_tables
from dspy_programs.solver.trajectory import Call, Notes, Observation, Trajectory, Turn

__all__ = [
    "Briefing",
    "Call",
    "CompressTurns",
    "DocumentColumn",
    "DocumentTable",
    "Evidence",
    "Findings",
    "Narration",
    "NextAction",
    "Notes",
    "Observation",
    "Retry",
    "Slide",
    "Solver",
    "SolverAdapter",
    "SolverResult",
    "SolverSettings",
    "Timeline",
    "Trajectory",
    "Turn",
    "brief",
    "describe_tables",
    "render_transcript",
    "settings_for",
]
