"""The two official metrics: the column-signature score and Task Accuracy.

`signature_score` is the competition's own metric and gives a number between 0 and 1; `exact_score` is the final
benchmark's and passes or fails. `score_run` scores a folder of predictions under either.
"""

from debriefer.scoring.config import ColumnSpec, Comparison, ExactConfig, infer_config, load_config
from debriefer.scoring.exact import ExactScore, exact_score
from debriefer.scoring.run import RunScore, TaskScore, score_run
from debriefer.scoring.signature import EXTRA_PENALTIES, EXTRA_PENALTY, SignatureScore, signature_score
from debriefer.scoring.table import Table, cell_text, read_table

__all__ = [
    "EXTRA_PENALTIES",
    "EXTRA_PENALTY",
    "ColumnSpec",
    "Comparison",
    "ExactConfig",
    "ExactScore",
    "RunScore",
    "SignatureScore",
    "Table",
    "TaskScore",
    "cell_text",
    "exact_score",
    "infer_config",
    "load_config",
    "read_table",
    "score_run",
    "signature_score",
]
