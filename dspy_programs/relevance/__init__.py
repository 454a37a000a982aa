"""Which tables a question needs: asked once with what the data says, or by the published vote of five."""

from dspy_programs.relevance.material import Material, material_of
from dspy_programs.relevance.model import Needs, Relevance, Round, TableRelevance, TableVerdict
from dspy_programs.relevance.program import PUBLISHED_ROUNDS, ROLE, TableRelevanceJudge, judge_tables
from dspy_programs.relevance.signatures import JudgeTables
from dspy_programs.relevance.tally import bridges, voted, with_evidence

__all__ = [
    "PUBLISHED_ROUNDS",
    "ROLE",
    "JudgeTables",
    "Material",
    "Needs",
    "Relevance",
    "Round",
    "TableRelevance",
    "TableRelevanceJudge",
    "TableVerdict",
    "bridges",
    "judge_tables",
    "material_of",
    "voted",
    "with_evidence",
]
