"""What must hold of the second step's answer, whatever the model says."""

from __future__ import annotations

from debriefer.judgement import AnswerShape, VideoClaim


def shape_kept(claim: VideoClaim, shape: AnswerShape) -> AnswerShape:
    """Return `shape` with the claim's rows and columns, else with the claim's own values.

    An alignment that drops or adds a row, a cell or a column is not one of this claim: its values are replaced by those
    that were read, and what it says of columns that do not count up is left out. What it says of units stays.
    """
    values = claim.values()
    kept = [len(row) for row in shape.normalized_values] == [len(row) for row in values]
    named = len(shape.target_columns) == len(values[0]) if values else not shape.target_columns
    if kept and named:
        return shape
    notes = [shape.note]
    if not kept and shape.normalized_values:
        notes.append("the alignment changed the number of rows or columns; the values are those that were read")
    if not named and shape.target_columns:
        notes.append(f"it named {len(shape.target_columns)} columns for {len(values[0]) if values else 0}")
    return AnswerShape(
        target_columns=shape.target_columns if named else [],
        # Values that were meant to be converted and were not are in the video's unit.
        unit_consistent=shape.unit_consistent and (kept or not shape.conversion),
        normalized_values=shape.normalized_values if kept else values,
        conversion=shape.conversion if kept else "",
        note="; ".join(note for note in notes if note),
    )
