"""A vision model that betters the layout tree of a slide."""

from dspy_programs.layout.refiner import VisionRefiner, picture_url
from dspy_programs.layout.signature import RefineLayout

__all__ = ["RefineLayout", "VisionRefiner", "picture_url"]
