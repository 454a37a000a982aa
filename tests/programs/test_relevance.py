"""Which tables a question needs: the vote, one call with what the data says, and the stage that folds."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from debriefer.catalog import CATALOG_FILE, Catalog
from debriefer.linking import JoinKey, Links, TableLink, ValueLink
from debriefer.models import Budget, Meter
from debriefer.models.text import MARKERS
from debriefer.pipeline import RelevanceSettings
from debriefer.pipeline.relevance import RESULT_FILE, RelevanceStage
from debriefer.pipeline.stage import Inputs, Product
from debriefer.task import Task
from dspy_programs.relevance import (
    Material,
    Relevance,
    Round,
    TableRelevanceJudge,
    TableVerdict,
    bridges,
    judge_tables,
    material_of,
    voted,
    with_evidence,
)
from dspy_programs.solver import Findings
from dspy_programs.state import load_state, save_state
from tests.doubles.script import Answer, Turn, fields
from tests.doubles.scripted import scripted_models

STATIONS = 4
TABLES = ("cities", "orders", "people", "weather")


def verdicts(**relevant: bool) -> Round:
    said = {name: TableVerdict(table=name, reason=f"about {name}", relevant=value) for name, value in relevant.items()}
    return Round(1, None, said)


def links(
    values: tuple[tuple[str, str], ...] = (), tables: dict[str, float] | None = None, joins: tuple[JoinKey, ...] = ()
) -> Links:
    return Links(
        tables=tuple(
            TableLink(name, score, "its name stands in the question") for name, score in (tables or {}).items()
        ),
        columns=(),
        values=tuple(ValueLink(table, "c", value, 1, 0, 3, "exact", 0.9, "") for table, value in values),
        joins=joins,
    )


def key(table: str, other: str) -> JoinKey:
    return JoinKey(table, "k", other, "k", 1.0, to_one=True, declared=False, score=0.9, reason="")


def kept(found: Relevance) -> set[str]:
    return {table.table for table in found.tables if table.relevant}


def test_a_tie_keeps_a_majority_folds_and_silence_keeps() -> None:
    rounds = [verdicts(cities=True, orders=False), verdicts(cities=False, orders=False), Round(3, error="timed out")]
    found = voted(TABLES, rounds)
    assert kept(found) == {"cities", "people", "weather"}
    assert {table.table: (table.yes, table.votes) for table in found.tables} == {
        "cities": (1, 2),
        "orders": (0, 2),
        "people": (0, 0),
        "weather": (0, 0),
    }


def test_where_no_round_succeeded_every_table_is_kept() -> None:
    for combine in (voted, lambda tables, rounds: with_evidence(tables, rounds, links())):
        found = combine(TABLES, [Round(1, error="timed out")])
        assert kept(found) == set(TABLES)
        assert "no round succeeded" in found.note


def test_what_the_data_says_keeps_a_table_and_folds_none() -> None:
    rounds = [verdicts(cities=True, orders=False, people=False, weather=False)]
    assert kept(with_evidence(TABLES, rounds, links())) == {"cities"}
    assert kept(with_evidence(TABLES, rounds, links(values=(("people", "Ada"),)))) == {"cities", "people"}
    assert kept(with_evidence(TABLES, rounds, links(tables={"orders": 0.8, "weather": 0.2}))) == {"cities", "orders"}
    assert kept(with_evidence(TABLES, rounds, None)) == {"cities"}


def test_a_table_that_joins_two_kept_ones_is_kept() -> None:
    rounds = [verdicts(cities=True, orders=False, people=True, weather=False)]
    way = (key("orders", "people"), key("orders", "cities"), key("weather", "cities"))
    assert kept(with_evidence(TABLES, rounds, links(joins=way))) == {"cities", "orders", "people"}
    direct = (*way, key("people", "cities"))
    assert kept(with_evidence(TABLES, rounds, links(joins=direct))) == {"cities", "people"}
    assert bridges({"cities"}, links(joins=way), TABLES) == []


def lay_out(folder: Path, tables: int = STATIONS) -> Path:
    (folder / "context" / "csv").mkdir(parents=True)
    (folder / "workdir").mkdir()
    (folder / "task.json").write_text(json.dumps({"task_id": "t", "question": "Which city does Ada live in?"}))
    for number in range(tables):
        columns = [f"measure_of_station_{number}_at_place_{place}" for place in range(12)]
        rows = "\n".join(",".join(str(row * place + number) for place in range(12)) for row in range(5))
        path = folder / "context" / "csv" / f"station_{number}.csv"
        path.write_text(",".join(columns) + "\n" + rows + "\n", encoding="utf-8")
    people = folder / "context" / "csv" / "people.csv"
    people.write_text("name,city\nAda,Graz\nTom,Lyon\n", encoding="utf-8")
    Catalog.build(Task.open(folder), folder / "workdir" / CATALOG_FILE).close()
    return folder


def read(folder: Path) -> Material:
    with Catalog.open(folder / "workdir" / CATALOG_FILE) as catalog:
        return material_of(Task.open(folder), catalog)


@pytest.fixture(scope="module")
def material(tmp_path_factory: pytest.TempPathFactory) -> Material:
    return read(lay_out(tmp_path_factory.mktemp("task") / "t"))


def saying(relevant: Callable[[str], bool]) -> Callable[[Turn], Answer]:
    def script(turn: Turn) -> Answer:
        names = sorted({*(f"station_{number}" for number in range(STATIONS)), "people"})
        said = [{"table": name, "reason": "columns", "relevant": relevant(name)} for name in names]
        return fields(turn, needs={"filters": ["name"], "outputs": ["city"]}, verdicts=said)

    return script


def test_one_call_folds_what_it_names_irrelevant(material: Material) -> None:
    assert material.worthwhile
    models, engine = scripted_models(saying(lambda name: name == "people"))
    found = judge_tables(material, models)
    assert len(engine.turns) == 1
    assert found.folded == {f"station_{number}" for number in range(STATIONS)}
    assert "people" in engine.turns[0].text
    assert not any(marker in engine.turns[0].text for marker in MARKERS)


def test_a_model_that_folds_the_needed_table_is_overruled_by_its_cell(material: Material) -> None:
    models, _ = scripted_models(saying(lambda name: name == "station_3"))
    found = judge_tables(material, models)
    assert "people" not in found.folded
    assert "station_3" not in found.folded


def test_five_rounds_vote_and_failed_ones_are_asked_again(material: Material) -> None:
    good = saying(lambda name: name == "people")

    def script(turn: Turn) -> Answer:
        return "no form at all" if turn.number % 3 == 0 else good(turn)

    models, engine = scripted_models(script)
    found = judge_tables(material, models, rounds=5)
    assert sum(one.ok for one in found.rounds) == 5
    assert len(engine.turns) == len(found.rounds) > 5
    assert found.folded == {f"station_{number}" for number in range(STATIONS)}


def test_a_model_that_never_answers_folds_nothing_and_ends(material: Material) -> None:
    models, engine = scripted_models(lambda _turn: "nothing that can be read")
    found = judge_tables(material, models, rounds=5)
    assert found.folded == frozenset()
    assert len(engine.turns) == 35
    models, engine = scripted_models(lambda _turn: "nothing that can be read")
    meter = Meter(Budget(requests=2))
    assert judge_tables(material, models, meter=meter).folded == frozenset()
    assert len(engine.turns) == 2


def test_names_in_other_spellings_count_and_invented_ones_do_not(material: Material) -> None:
    def script(turn: Turn) -> Answer:
        said = [
            {"table": "`PEOPLE`", "reason": "", "relevant": True},
            {"table": "station_1.csv", "reason": "", "relevant": False},
            {"table": "atlantis", "reason": "", "relevant": True},
        ]
        return fields(turn, needs={}, verdicts=said)

    models, _ = scripted_models(script)
    found = judge_tables(material, models)
    assert found.rounds[0].invented == ("atlantis",)
    assert set(found.rounds[0].verdicts) == {"people", "station_1"}
    assert found.folded == {"station_1"}


@pytest.fixture
def laid(tmp_path: Path) -> tuple[Path, Path]:
    folder = tmp_path / "product"
    folder.mkdir()
    return lay_out(tmp_path / "task"), folder


def test_the_stage_folds_for_the_solver_and_leaves_its_log(laid: tuple[Path, Path]) -> None:
    work, folder = laid
    models, _ = scripted_models(saying(lambda name: name == "people"))
    stage = RelevanceStage()
    inputs = Inputs(Task.open(work), {}, models)
    assert stage.skipped(inputs) is None
    value = stage.run(inputs, folder)
    log = json.loads((folder / "logs" / RESULT_FILE).read_text(encoding="utf-8"))
    assert log["usage"]["requests"] == 1
    told = stage.tell(Product("k", value, folder), Findings())
    assert told.folded == {f"station_{number}" for number in range(STATIONS)}
    assert stage.skipped(replace(inputs, models=None)) is not None
    assert RelevanceStage(relevance=RelevanceSettings(rounds=0)).skipped(inputs) is not None


def test_few_tables_are_not_worth_a_request(tmp_path: Path) -> None:
    work = lay_out(tmp_path / "task", tables=1)
    (tmp_path / "product").mkdir()
    models, engine = scripted_models(saying(lambda _name: False))
    assert RelevanceStage().run(Inputs(Task.open(work), {}, models), tmp_path / "product")["folded"] == []
    assert engine.turns == []


def test_what_the_program_has_learned_is_loaded_again(tmp_path: Path) -> None:
    judge = TableRelevanceJudge()
    judge.judge.signature = judge.judge.signature.with_instructions("Keep what is asked for.")
    save_state(judge, tmp_path / "state.json")
    again = TableRelevanceJudge()
    load_state(again, tmp_path / "state.json")
    assert again.judge.signature.instructions == "Keep what is asked for."
