# ruff: noqa: ANN401 -- replies of several kinds, and predictions of DSPy, which has no type hints
"""The one-shot Solver: what it asks, how it repairs and checks, and that it never raises for what a model does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from debriefer.catalog import Catalog
from debriefer.errors import ModelError
from debriefer.models import Budget, Meter, ModelSettings
from debriefer.pipeline import RunSettings, solve
from dspy_programs.oneshot import OneShot, OneShotSettings, RawCall, describe_schema, oneshot_settings_for
from dspy_programs.oneshot.asking import statement_of
from dspy_programs.oneshot.schema import related_tables
from dspy_programs.solver import Findings, Narration, Retry, Timeline
from tests.doubles.script import Fault, Reply, Turn
from tests.doubles.scripted import scripted_models
from tests.programs.solver_sessions import lay_out

QUESTION = "How many orders were placed by customers from Porto?"
FILES = {
    "csv/customers.csv": "customer_id,city\n1,Porto\n2,Ulm\n",
    "csv/orders.csv": "order_id,customer_id\n7,1\n8,2\n9,1\n",
    "csv/weather.csv": "day,rain\n2030-01-01,3\n",
}
RIGHT = "SELECT count(*) AS n FROM orders JOIN customers USING (customer_id) WHERE city = 'Porto'"
WRONG = "SELECT count(*) FROM orders WHERE town = 'Porto'"
EMPTY = "SELECT order_id FROM orders JOIN customers USING (customer_id) WHERE city = 'porto'"


def sql(text: str) -> str:
    return f"[[ ## sql ## ]]\n{text}\n\n[[ ## completed ## ]]"


def answered(tmp_path: Path, *replies: Any, settings: OneShotSettings | None = None, **inputs: Any) -> tuple[Any, Any]:
    work = lay_out(tmp_path, QUESTION, FILES)
    models, engine = scripted_models(list(replies))
    with models.using("solver"):
        return OneShot(settings)(work=work, **inputs), engine


def text_of(turn: Turn) -> str:
    return "\n".join(text for _, text in turn.messages)


def test_one_request_is_enough_for_a_right_statement(tmp_path: Path) -> None:
    said, engine = answered(tmp_path, sql(RIGHT))
    assert (said.finished, said.csv, said.sql) == (True, "n\n2\n", RIGHT)
    assert len(engine.turns) == 1
    shown = text_of(engine.turns[0])
    assert "customers: customer_id BIGINT, city VARCHAR ('Porto', 'Ulm') -- 2 rows" in shown
    assert "joins: customers.customer_id = orders.customer_id" in shown
    assert '- "Porto" may mean the stored value customers.city = Porto' in shown
    # Nothing of the question is linked to it.
    assert "weather" not in shown


def test_an_error_is_given_back_with_the_statement(tmp_path: Path) -> None:
    said, engine = answered(tmp_path, sql(WRONG), sql(RIGHT))
    assert said.csv == "n\n2\n"
    first, second = map(text_of, engine.turns)
    assert WRONG not in first
    assert WRONG in second
    assert "`town` names no column of `orders`" in second
    # All that stands before the earlier statement is the same text, so that a prompt cache serves it.
    assert second.startswith(first[: first.index("[[ ## earlier ## ]]\n(none)")])
    assert [turn.calls[0].arguments["sql"] for turn in said.result.turns] == [WRONG, RIGHT]


def test_a_result_without_rows_is_given_back_and_stands_where_nothing_better_comes(tmp_path: Path) -> None:
    said, engine = answered(tmp_path, sql(EMPTY), sql(RIGHT))
    assert said.csv == "n\n2\n"
    assert "The result has no rows" in text_of(engine.turns[1])
    said, engine = answered(tmp_path / "again", sql(EMPTY), sql(EMPTY))
    assert (said.csv, said.finished, len(engine.turns)) == ("order_id\n", True, 2)


def test_repairs_are_bounded(tmp_path: Path) -> None:
    replies = [sql(f"{WRONG} AND {n} = {n}") for n in range(9)]
    said, engine = answered(tmp_path, *replies, settings=OneShotSettings(repairs=3))
    assert len(engine.turns) == 4
    assert (said.csv, said.finished) == (None, True)
    assert said.result.detail == "no statement ran: `town` names no column of `orders`"


def test_the_model_is_asked_whether_a_result_fits_where_that_is_set(tmp_path: Path) -> None:
    objection = "[[ ## problem ## ]]\nThe city is missing.\n\n[[ ## fits ## ]]\nFalse\n\n[[ ## completed ## ]]"
    fine = "[[ ## problem ## ]]\n\n\n[[ ## fits ## ]]\nTrue\n\n[[ ## completed ## ]]"
    better = (
        "SELECT city, count(*) AS n FROM orders JOIN customers USING (customer_id) WHERE city = 'Porto' GROUP BY city"
    )
    settings = OneShotSettings(model_check=True)
    said, engine = answered(tmp_path, sql(RIGHT), objection, sql(better), fine, settings=settings)
    assert said.csv == "city,n\nPorto,2\n"
    assert "n\n2\n(1 rows)" in text_of(engine.turns[1])
    assert "The city is missing." in text_of(engine.turns[2])


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Fault(500), "model error"),
        ("no form at all", "unreadable replies"),
    ],
)
def test_a_model_that_fails_ends_the_run_with_a_reason(tmp_path: Path, reply: Any, reason: str) -> None:
    work = lay_out(tmp_path, QUESTION, FILES)
    models, _ = scripted_models(lambda _: reply)
    with models.using("solver"):
        said = OneShot()(work=work)
    assert (said.finished, said.reason, said.csv) == (False, reason, None)


def test_a_statement_that_ran_is_the_answer_though_the_model_fails_then(tmp_path: Path) -> None:
    said, _ = answered(tmp_path, sql(EMPTY), *[Fault(400)] * 4)
    assert (said.finished, said.csv) == (True, "order_id\n")


def test_a_used_up_budget_ends_the_run(tmp_path: Path) -> None:
    work = lay_out(tmp_path, QUESTION, FILES)
    models, engine = scripted_models(lambda _: sql(WRONG))
    with models.using("solver", Meter(Budget(requests=1))):
        said = OneShot()(work=work)
    assert (said.reason, len(engine.turns)) == ("budget", 1)


def test_a_schema_is_asked_for_where_the_endpoint_constrains_replies(tmp_path: Path) -> None:
    work = lay_out(tmp_path, QUESTION, FILES)
    settings = ModelSettings("openai/scripted", response_schema=True)
    models, engine = scripted_models([json.dumps({"sql": RIGHT})], settings)
    with models.using("solver"):
        said = OneShot()(work=work)
    assert said.csv == "n\n2\n"
    assert engine.turns[0].response_format["schema"]["required"] == ["sql"]


def test_a_retry_is_sampled_differently_and_the_first_attempt_is_not(tmp_path: Path) -> None:
    _, engine = answered(tmp_path, sql(RIGHT))
    assert engine.requests[0].config.temperature is None
    _, engine = answered(tmp_path / "again", sql(RIGHT), retry=Retry(2, "no prediction"))
    assert engine.requests[0].config.temperature == 0.7


def test_notes_and_a_videos_timeline_are_shown_within_their_share(tmp_path: Path) -> None:
    files = {**FILES, "knowledge.md": "Orders of 2030 are void.\n"}
    work = lay_out(tmp_path, QUESTION, files)
    models, engine = scripted_models([sql(RIGHT)])
    timeline = Timeline(items=(Narration(start=1.0, end=2.0, text="Porto has moved."),))
    with models.using("solver"):
        OneShot()(work=work, findings=Findings(timeline=timeline, verdict="not shown"))
    shown = text_of(engine.turns[0])
    assert "Orders of 2030 are void." in shown
    assert "Porto has moved." in shown
    assert "not shown" in shown


def test_nothing_is_written_unless_it_is_to_be_delivered(tmp_path: Path) -> None:
    work = lay_out(tmp_path, QUESTION, FILES)
    before = {path: path.read_bytes() for path in work.rglob("*") if path.is_file()}
    models, _ = scripted_models(lambda _: sql(RIGHT))
    with models.using("solver"):
        said = OneShot()(work=work)
        assert {path: path.read_bytes() for path in work.rglob("*") if path.is_file()} == before
        assert "csv_path" not in said
        said = OneShot(OneShotSettings(deliver=True))(work=work)
    assert said.csv_path.read_text(encoding="utf-8") == "n\n2\n"
    assert RIGHT in (work / "workdir" / "solver.py").read_text(encoding="utf-8")


def test_the_pipeline_takes_it_by_choice_and_by_itself(tmp_path: Path) -> None:
    work = lay_out(tmp_path, QUESTION, FILES)
    for model, choice, number in (("openai/scripted", "oneshot", 1), ("local:/m.gguf", "auto", 2)):
        models, _ = scripted_models(lambda _: sql(RIGHT), ModelSettings(model, context_window=8_192))
        settings = RunSettings(solver=choice)
        outcome = solve(work, tmp_path / f"out{number}", models=models, settings=settings)
        assert (outcome.status, outcome.delivery) == ("answered", "accepted")
        assert Path(outcome.prediction or "").read_text(encoding="utf-8") == "n\n2\n"
        transcript = next((tmp_path / f"out{number}" / "logs").glob("*/attempts/1/transcript.md"))
        assert RIGHT in transcript.read_text(encoding="utf-8")


def test_settings_follow_the_window() -> None:
    small = oneshot_settings_for(ModelSettings("local:/m.gguf", context_window=8_192))
    large = oneshot_settings_for(ModelSettings("openai/x", context_window=128_000))
    assert (small.model_check, small.focus, large.model_check, large.focus) == (False, True, True, False)


def test_without_a_model_it_says_how(tmp_path: Path) -> None:
    work = lay_out(tmp_path, QUESTION, FILES)
    with pytest.raises(ModelError, match="the Solver has no language model"):
        OneShot()(work=work)


def test_the_raw_call_gets_no_help(tmp_path: Path) -> None:
    work = lay_out(tmp_path, QUESTION, FILES)
    models, engine = scripted_models(
        [sql(RIGHT), sql("SELECT [city] FROM customers"), sql("DROP TABLE orders"), Fault(400)]
    )
    raw = RawCall()
    with models.using("solver"):
        said = [raw(work=work) for _ in range(4)]
    assert [one.csv for one in said] == ["n\n2\n", said[1].csv, None, None]
    assert [one.reason for one in said][2:] == ["failed statement", "model error"]
    shown = text_of(engine.turns[0])
    assert "customers: customer_id BIGINT, city VARCHAR\n" in shown
    assert "Porto'" not in shown
    assert "may mean" not in shown
    assert "weather" in shown


def test_a_schema_fits_its_budget_and_says_what_it_left_out(tmp_path: Path) -> None:
    files = {f"csv/t{n}.csv": f"key{n},city\n1,Porto\n" for n in range(30)}
    work = lay_out(tmp_path, QUESTION, files)
    with Catalog.open(work / "workdir" / "catalog.duckdb") as catalog:
        full = describe_schema(catalog, count=len)
        short = describe_schema(catalog, question="key7", budget=600, count=len)
        assert full == describe_schema(catalog, question="key7", count=len)
    assert len(short) <= 600
    assert "t7: key7 BIGINT" in short
    assert "(left out for lack of room:" in short


def test_tables_between_linked_ones_are_shown(tmp_path: Path) -> None:
    files = {
        "csv/a.csv": "a_id,x\n1,1\n",
        "csv/ab.csv": "a_id,b_id\n1,1\n",
        "csv/b.csv": "b_id,y\n1,1\n",
        "csv/c.csv": "c_id,z\n1,1\n",
    }
    work = lay_out(tmp_path, QUESTION, files)
    with Catalog.open(work / "workdir" / "catalog.duckdb") as catalog:
        assert related_tables(catalog, ["a", "b"]) == {"a", "ab", "b"}
        assert related_tables(catalog, ["a", "c"]) == {"a", "c"}
        assert related_tables(catalog, ["nothing"]) == frozenset()


@pytest.mark.parametrize(
    ("reply", "statement"),
    [
        ("SELECT 1;", "SELECT 1"),
        ("```sql\nSELECT 1\n```\nThis counts.", "SELECT 1"),
        ("```\nSELECT ';'\n```", "SELECT ';'"),
        ("SQL:\nSELECT 1", "SELECT 1"),
        (None, ""),
    ],
)
def test_statements_are_taken_out_of_what_models_wrap_them_in(reply: str | None, statement: str) -> None:
    assert statement_of(reply) == statement


def test_a_cut_off_reply_is_a_statement_that_fails(tmp_path: Path) -> None:
    said, engine = answered(
        tmp_path, Reply(sql("SELECT count(*) FROM orders WHERE ("), finish_reason="length"), sql(RIGHT)
    )
    assert said.csv == "n\n2\n"
    assert len(engine.turns) == 2
