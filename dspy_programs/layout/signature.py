"""What the refiner asks of a vision model. The docstring is the instruction, and an optimiser may rewrite it.

What must always hold is code: `debriefer.media.layout.refine` checks the answer against the text of the picture.
"""

from __future__ import annotations

import dspy


class RefineLayout(dspy.Signature):
    """Correct the layout tree of a slide so that it says what the picture shows.

    The tree was made by OCR and geometry. It is Hiccup: nested vectors without coordinates, where position is nesting
    and order. Containers: page (root), row, col, card. Leaves: h1, h2, h3, p, label, value, button, tag. Tables: table,
    tr, th, td.

    1. Keep every text letter by letter, figures above all. Do not translate, add, drop, repeat or complete anything.
    2. Put together what belongs together: a label and its value, the cells of a row, the parts of a card.
    3. Give all rows of a table equally many cells; a blank cell is "".
    4. A chart is a table with a row for each category and only values that are printed.
    5. Say what can be seen of a state with the attributes selected, highlighted, disabled, struck, masked (each true)
       and color, background, size (large, medium, small).

    Answer with the whole tree and nothing else.
    """

    picture: dspy.Image = dspy.InputField(desc="the slide")
    tree: str = dspy.InputField(desc="the tree as OCR and geometry made it")
    refined_tree: str = dspy.OutputField(desc="the corrected tree, one `[:page …]` vector in Hiccup")
