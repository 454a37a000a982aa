from __future__ import annotations

from benchmarks.documents.adjacency import Cell, counts, normalised, relations, summary


def grid(*rows: tuple[str, ...]) -> list[Cell]:
    return [Cell(text, r, c, r, c) for r, row in enumerate(rows) for c, text in enumerate(row)]


def test_two_by_two_has_four_relations() -> None:
    assert relations(grid(("a", "b"), ("c", "d"))) == {
        ("A", "B", "right"): 1,
        ("C", "D", "right"): 1,
        ("A", "C", "below"): 1,
        ("B", "D", "below"): 1,
    }


def test_blank_cells_are_passed_over() -> None:
    assert relations(grid(("a", "", "b"))) == {("A", "B", "right"): 1}


def test_merged_cell_relates_to_each_cell_below_it() -> None:
    cells = [Cell("head", 0, 0, 0, 1), Cell("x", 1, 0, 1, 0), Cell("y", 1, 1, 1, 1)]
    assert relations(cells) == {("HEAD", "X", "below"): 1, ("HEAD", "Y", "below"): 1, ("X", "Y", "right"): 1}


def test_text_is_compared_without_white_space_and_signs() -> None:
    assert normalised("10 %\n") == normalised("10‰") == "10_"


def test_split_cell_costs_precision_and_recall() -> None:
    score = counts([grid(("a", "b c"), ("d", "e"))], [grid(("a", "b", "c"), ("d", "e", ""))])
    assert (score.correct, score.gold, score.found) == (2, 4, 5)


def test_missing_table_scores_nothing() -> None:
    score = counts([grid(("a", "b"))], [])
    assert (score.precision, score.recall) == (0.0, 0.0)
    assert summary([score]).f1 == 0.0
