"""The baseline that needs no model: from links to SQL by rule."""

from debriefer.offline.model import Abstention, Link, Reading
from debriefer.offline.read import read_question

__all__ = ["Abstention", "Link", "Reading", "read_question"]
