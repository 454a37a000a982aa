"""Invented briefing videos with a manifest that says, to the frame and the pixel, what they show and say.

`python -m benchmarks.briefings OUT --seed 1 --kind one_digit --codec hevc`

A video follows from its name (kind, seed, language, codec, rate, size) alone: the same versions of the libraries
give the same bytes. Nothing here imports the package that is measured.
"""

from __future__ import annotations
