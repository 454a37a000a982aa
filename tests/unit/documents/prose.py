"""A small register told in prose, for tests: three fields in two blocks, ten records."""

from __future__ import annotations

CITIES = ("Graz", "Lyon", "Turku", "Ghent")
RECORDS = tuple((number * 7, CITIES[number % 4], 1_000 + 37 * number, f"{10 + number}.5") for number in range(1, 11))


def register() -> str:
    """Return the document; record 21 is corrected, and 35 has no margin."""
    lines = ["# Register of mills", ""]
    lines += [f"Record {key} is a mill in {city}; it employs {staff:,} people.\n" for key, city, staff, _ in RECORDS]
    lines += ["The margins follow.", ""]
    for key, _, _, margin in RECORDS:
        if key == 35:
            continue
        after = " Correction: the margin was 44.5%." if key == 21 else ""
        lines.append(f"The margin in record {key} was {margin}%.{after}\n")
    return "\n".join(lines)
