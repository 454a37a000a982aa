"""The set that comes with the package: what it must hold, and its answers against SQL that was written by hand."""

from __future__ import annotations

import csv
import filecmp
import json
from collections import Counter
from pathlib import Path

import pytest

from debriefer.catalog import Catalog
from debriefer.datasets import DatasetError, LabelledTask, inspect, load, make
from debriefer.judgement.slides import tree_of
from debriefer.scoring import signature_score
from debriefer.task import Task


@pytest.fixture(scope="module")
def invented(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("invented")
    make(folder)
    return folder


def tasks_of(folder: Path) -> list[LabelledTask]:
    return [task for task in load(folder) if task.program == "solver"]


def test_it_is_as_large_and_as_mixed_as_promised(invented: Path) -> None:
    tasks = tasks_of(invented)
    assert len(tasks) >= 60
    for counted in (Counter(task.language for task in tasks), Counter(task.difficulty for task in tasks)):
        assert min(counted.values()) >= 15
    evidence = Counter(kind for task in tasks for kind in task.evidence)
    assert set(evidence) == {"tables", "documents", "video"}
    assert Counter(task.program for task in load(invented))["judge"] >= 15
    verdicts = Counter(json.loads(p.read_text())["task"]["verdict"] for p in (invented / "output").glob("*/truth.json"))
    assert set(verdicts) == {"ADOPT", "ADOPT_AND_VERIFY", "RECOMPUTE"}


def test_structures_are_distinct(invented: Path, tmp_path: Path) -> None:
    structures = {}
    for task in tasks_of(invented):
        if task.group in structures:
            continue
        with Catalog.build(Task.open(task.task_dir), tmp_path / f"{task.group}.duckdb") as catalog:
            shape = tuple(sorted((t.name, t.column_names) for t in catalog.tables.values()))
            told = tuple(sorted(p.read_text().partition("\n")[0] for p in task.gold.parent.glob("documents/*.csv")))
            assert not catalog.refusals
            structures[task.group] = (shape, told)
    assert len(set(structures.values())) == len(structures) >= 20


def test_it_is_small_sound_and_the_same_again(invented: Path, tmp_path: Path) -> None:
    files = [path for path in invented.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 3_000_000
    assert inspect(invented).problems == ()
    make(tmp_path)
    again = [path.relative_to(invented) for path in files]
    assert filecmp.cmpfiles(invented, tmp_path, [str(path) for path in again], shallow=False)[0] == [
        str(p) for p in again
    ]
    make(tmp_path, seed=9)
    assert [task.name for task in load(tmp_path)] == [task.name for task in load(invented)]
    assert (tmp_path / "output/bakery_1/gold.csv").read_text() != (invented / "output/bakery_1/gold.csv").read_text()


def test_a_folder_that_holds_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(DatasetError, match="holds something that is no data set"):
        make(tmp_path)
    assert (tmp_path / "mine.txt").read_text() == "mine"


# Written by hand from the question, over what the catalog reads of the files.
QUERIES = {
    "bakery_4": "SELECT sum(price * pieces) FROM sales JOIN products USING (product_id)",
    "lighthouses_3": "SELECT coast, avg(height_m) FROM lighthouses GROUP BY coast",
    "lighthouses_4": "SELECT name FROM lighthouses WHERE colour IS NULL",
    "orchestra_4": """SELECT count(DISTINCT m.member_id) FROM performance p JOIN concert c USING (concert_id)
        JOIN member m USING (member_id) JOIN section s USING (section_id) WHERE c.city = 'Leeds' AND s.name = 'Strings'""",
    "parcels_3": "SELECT depot, count(*) FROM parcels WHERE state = 'held' GROUP BY depot",
    "trails_2": "SELECT count(*) FROM trails WHERE climb_m / length_km > 50",
    "greenhouse_3": """SELECT min(celsius) FROM (FROM readings_june UNION ALL FROM readings_july) WHERE bed = 'A2'""",
    "chess_club_3": "SELECT name, count(*) FROM games JOIN members ON white_id = member_id WHERE result = 'white' GROUP BY name",
    "chess_club_4": """SELECT count(*) FROM games JOIN members w ON white_id = w.member_id JOIN members b
        ON black_id = b.member_id WHERE (result = 'white' AND w.rating < b.rating) OR (result = 'black' AND b.rating < w.rating)""",
    "fishery_3": "SELECT name, sum(weight_kg) FROM boats JOIN landings USING (boat) WHERE length_m > 15 GROUP BY name",
    "tram_3": "SELECT line, arg_max(stop, passengers) FROM boardings GROUP BY line",
    "tea_shop_2": "SELECT 名称, 单价 FROM 茶叶 ORDER BY 单价 DESC LIMIT 1",
    "river_gauges_2": "SELECT 测站名称 FROM 测站 JOIN 水位 USING (测站编号) ORDER BY 水位米 DESC LIMIT 1",
    "river_gauges_3": "SELECT 河流, avg(水位米) FROM 测站 JOIN 水位 USING (测站编号) GROUP BY 河流",
    "school_clubs_2": "SELECT 社团名称, count(*) FROM 社团 JOIN 参加 USING (社团编号) GROUP BY 社团名称",
    "school_clubs_3": "SELECT DISTINCT 姓名 FROM 学生 JOIN 参加 USING (学生编号) WHERE 年级 = '3年级'",
    "funds_2": "SELECT 基金经理, sum(规模亿元) FROM 基金 GROUP BY 基金经理",
    "warehouses_3": """SELECT 货品名称, sum(CASE WHEN 类型 = '入库' THEN 数量 ELSE -数量 END) FROM 货品 JOIN 出入库
        USING (货品编号) GROUP BY 货品名称""",
    "theatres_3": "SELECT 剧目, 票房 * 10000 / 场次 AS x FROM 演出 ORDER BY x DESC LIMIT 1",
    "orchards_3": "SELECT 果园, 产量2023 - 产量2021 AS x FROM 果园产量 ORDER BY x DESC LIMIT 1",
    "bus_company_3": "SELECT 姓名, count(*) FROM 司机 JOIN 排班 USING (司机编号) WHERE 班次 = '晚班' GROUP BY 姓名",
    "bus_company_4": "SELECT 姓名, sum(里程公里) FROM 排班 JOIN 司机 USING (司机编号) JOIN 线路 USING (线路编号) GROUP BY 姓名",
    "cafes_1": "SELECT sum(takings) FROM takings WHERE quarter = '2031Q1'",
    "silk_2": "SELECT 厂名, 产值 FROM 丝厂产值 WHERE 季度 = '2031年一季度' ORDER BY 产值 DESC LIMIT 3",
}


@pytest.mark.parametrize("name", sorted(QUERIES))
def test_answers_are_what_sql_gives(invented: Path, tmp_path: Path, name: str) -> None:
    with Catalog.build(Task.open(invented / "input" / name), tmp_path / "catalog.duckdb") as catalog:
        answer = catalog.sql(QUERIES[name])
    score = signature_score(answer, invented / "output" / name / "gold.csv")
    assert score.score == 1.0, score.reason


@pytest.mark.parametrize("name", ["vineyards", "expeditions", "museum", "clinics"])
def test_documents_tell_every_cell_of_their_tables(invented: Path, name: str) -> None:
    text = "".join(path.read_text() for path in (invented / "input" / f"{name}_1" / "context" / "doc").iterdir())
    for path in (invented / "output" / f"{name}_1" / "documents").glob("*.csv"):
        rows = list(csv.reader(path.read_text(encoding="utf-8").splitlines()))
        assert all(cell in text for row in rows[1:] for cell in row)


def test_what_a_verdict_adopts_is_on_the_slides_and_nothing_else(invented: Path) -> None:
    seen = Counter()
    for truth in (invented / "output").glob("*/truth.json"):
        task = json.loads(truth.read_text())["task"]
        manifest = json.loads((invented / "input" / truth.parent.name / "video_input.json").read_text())
        slides = [item["hiccup"] for item in manifest["timeline"] if item["type"] == "frame"]
        assert all(tree_of(slide) is not None for slide in slides)
        cells = [cell for row in task["gold"] for cell in row]
        shown = all(any(f'"{cell}"' in slide for slide in slides) for cell in cells)
        if task["verdict"] != "RECOMPUTE":
            assert shown, task
        seen[task["verdict"]] += 1
    assert seen == {"RECOMPUTE": 9, "ADOPT": 3, "ADOPT_AND_VERIFY": 3}


def test_sqlite_files_declare_their_keys(invented: Path, tmp_path: Path) -> None:
    path = invented / "input" / "orchestra_1" / "context" / "db" / "orchestra.sqlite"
    assert path.is_file()
    with Catalog.build(Task.open(path.parents[2]), tmp_path / "keys.duckdb") as catalog:
        keys = {(k.column, k.to_table) for k in catalog.tables["performance"].foreign_keys}
    assert keys == {("concert_id", "concert"), ("member_id", "member")}
