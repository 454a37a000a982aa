"""Words that say nothing of what a value is."""

from __future__ import annotations

_EMPTY = """
a about after all also an and are around as at back be bear bears been before behind but by came can carried
carries carry case come comes counted did do does down each entry far few file find finds for found from gave
get gets give given gives got had has have he held her here his hold holds i if in into is it its just lay lie
lies listed made no not noted now of on one only or our out over per put puts read reads record reported reports
roughly said same says set she show showed shows so some stand stands still stood take taken takes tells than
that the then there these they this those to told took under up us very was we were when where which while who
whose will with yet you
"""
EMPTY = frozenset(_EMPTY.split())
