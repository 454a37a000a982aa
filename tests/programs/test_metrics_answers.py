"""The metric of the programs, as DSPy itself calls it; no language model is asked."""

from __future__ import annotations

import inspect
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import dspy
import duckdb
import polars as pl
import pytest

from debriefer.scoring import Table
from dspy_programs.metrics import answer_score, exact_answer_score

GOLD = "name,n\n深科技,4\n威唐工业,9\n"


class Fixed(dspy.Module):
    """A program that answers every question from a list, and fails where the list says so."""

    def __init__(self, answers: dict[str, str | None]) -> None:
        super().__init__()
        self.answers = answers

    def forward(self, question: str) -> dspy.Prediction:
        answer = self.answers[question]
        if answer is None:
            message = "the program gave up"
            raise RuntimeError(message)
        return dspy.Prediction(csv=answer)


def example(question: str = "q", gold: object = GOLD) -> dspy.Example:
    return dspy.Example(question=question, gold=gold).with_inputs("question")


def test_evaluate_gives_the_mean_in_percent() -> None:
    program = Fixed(
        {
            "right": "n,name\n9.0,威唐工业\n4.0,深科技\n",
            "half": "name,n\n深科技,4\n威唐工业,8\n",
            "broken": "name,n\n深科技\n",
            "fails": None,
        }
    )
    devset = [example(question) for question in program.answers]
    evaluate = dspy.Evaluate(devset=devset, metric=answer_score, num_threads=1, display_progress=False)
    result = evaluate(program)
    assert [score for _, _, score in result.results] == [1, 0.45, 0, 0]
    assert result.score == pytest.approx(100 * 1.45 / 4, abs=0.01)


def test_an_optimiser_keeps_only_right_answers_as_demonstrations() -> None:
    class Answer(dspy.Module):
        def __init__(self) -> None:
            super().__init__()
            self.write = dspy.Predict("question -> csv")

        def forward(self, question: str) -> dspy.Prediction:
            return self.write(question=question)

    answers = {"right": GOLD, "half": "name\n深科技\n威唐工业\n", "wrong": "n\n1\n"}
    replies = [{"csv": text} for text in answers.values()]
    trainset = [example(question) for question in answers]
    optimiser = dspy.BootstrapFewShot(metric=answer_score, metric_threshold=1.0, max_labeled_demos=0, max_rounds=1)
    with dspy.context(lm=dspy.utils.DummyLM(replies)):
        compiled = optimiser.compile(Answer(), trainset=trainset)
    assert [demo.question for demo in compiled.write.demos] == ["right"]


def test_gepa_gets_the_same_score_with_feedback() -> None:
    prediction = dspy.Prediction(csv="name,n\n深科技,4\n威唐工业,8\n")
    plain = answer_score(example(), prediction, [("a trace",)])
    reflected = answer_score(example(), prediction, None, "solver.write", [])
    assert isinstance(reflected, dspy.Prediction)
    assert plain == reflected.score == 0.45
    assert reflected.feedback == (
        "1 of 2 columns are right. What is wrong: 1 of 2 gold columns not matched: `n`; 1 extra column."
    )
    right = answer_score(example(), dspy.Prediction(csv=GOLD), None, "solver.write", None)
    assert isinstance(right, dspy.Prediction)
    assert (right.score, "right" in right.feedback) == (1, True)


def test_gepa_accepts_the_metric() -> None:
    inspect.signature(answer_score).bind(None, None, None, None, None)
    dspy.GEPA(metric=answer_score, max_metric_calls=1, reflection_lm=dspy.utils.DummyLM([{"text": ""}]))


def test_tables_come_in_every_form(tmp_path: Path) -> None:
    path = tmp_path / "prediction.csv"
    path.write_text(GOLD, encoding="utf-8")
    frame = pl.DataFrame({"name": ["深科技", "威唐工业"], "n": [4, 9]})
    with duckdb.connect() as connection:
        relation = connection.sql("SELECT 9 AS n, '威唐工业' AS n UNION ALL SELECT 4, '深科技'")
        predictions = [
            dspy.Prediction(table=Table.parse(GOLD)),
            dspy.Prediction(table=frame),
            dspy.Prediction(table=relation),
            dspy.Prediction(csv_path=path),
            dspy.Prediction(csv_path=str(path), csv="n\n1\n"),
            dspy.Prediction(table=None, csv=GOLD),
        ]
        assert [answer_score(example(gold=path), prediction) for prediction in predictions] == [1] * 6
    assert answer_score(dspy.Example(gold_csv=GOLD), dspy.Prediction(csv=GOLD)) == 1


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({}, "there is no prediction"),
        ({"answer": "4"}, "there is no prediction"),
        ({"table": 7}, "`int` cannot be read as a table"),
        ({"csv_path": "nowhere.csv"}, "there is no prediction"),
        ({"csv": "a,b\n1\n"}, "row 1 has 1 fields"),
    ],
)
def test_a_prediction_without_a_table_scores_zero_and_says_why(fields: dict[str, object], reason: str) -> None:
    prediction = dspy.Prediction(**fields)
    assert answer_score(example(), prediction) == 0
    reflected = answer_score(example(), prediction, None, "solver", None)
    assert isinstance(reflected, dspy.Prediction)
    assert reason in reflected.feedback


@pytest.mark.parametrize(
    ("gold", "reason"), [(None, "the example has none of gold"), ("nowhere/gold.csv", "does not exist"), (7, "`int`")]
)
def test_an_example_without_a_usable_gold_scores_zero_and_says_so(gold: object, reason: str) -> None:
    assert answer_score(example(gold=gold), dspy.Prediction(csv=GOLD)) == 0
    assert reason in answer_score.grade(example(gold=gold), dspy.Prediction(csv=GOLD)).feedback


def test_many_threads_agree() -> None:
    prediction = dspy.Prediction(csv="name,n\n深科技,4\n威唐工业,8\n")
    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(lambda _: answer_score(example(), prediction), range(200))) == {0.45}


def test_importing_the_package_loads_nothing() -> None:
    code = "import sys; before = set(sys.modules); import dspy_programs; print(len(set(sys.modules) - before))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "1"


def test_a_run_that_ended_early_says_how_it_ended() -> None:
    graded = answer_score.grade(example(), dspy.Prediction(csv=None, reason="budget: 80 requests"))
    assert (graded.score, "The run ended by: budget: 80 requests." in graded.feedback) == (0, True)


def test_the_exact_score_refuses_what_the_signature_forgives() -> None:
    # Every column is there by content, but the rows are mixed up.
    mixed = dspy.Prediction(csv="name,n\n深科技,9\n威唐工业,4\n")
    assert answer_score(example(), mixed) == 1
    assert exact_answer_score(example(), mixed) == 0
    graded = answer_score.grade(example(), mixed)
    assert dict(graded.parts) == {"signature": 1, "exact": 0}
    assert "As a whole it is not the answer" in graded.feedback
    assert exact_answer_score(example(), dspy.Prediction(csv=GOLD)) == 1
