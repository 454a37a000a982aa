# ruff: noqa: INP001  a script beside data, no package
"""Write the example files that no editor can write: SQLite databases, a workbook and a GBK file.

All data are invented. The other files of the examples are edited by hand. Run `python examples/make_examples.py [DIR]`
to write them anew; two runs write the same content.
"""

from __future__ import annotations

import sqlite3
import sys
import zipfile
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from xml.sax.saxutils import escape

Cell = str | int | float
TASKS = Path(__file__).resolve().parent / "tasks"

# Three of the twenty customers never order.
ORDERS = [
    (1000 + n, 1 + (n * 7 + n // 5) % 17, 1 + n % 6, 1 + n % 4, f"2024-{1 + n % 12:02d}-{1 + (n * 5) % 28:02d}")
    for n in range(60)
]
STOCK = [
    (warehouse, item, 40 + (row * 37 + column * 61) % 160, unit)
    for row, warehouse in enumerate(("华东仓库", "华南仓库", "西北仓库"))
    for column, (item, unit) in enumerate(
        (("螺栓", "箱"), ("垫片", "箱"), ("轴承", "件"), ("密封圈", "包"), ("联轴器", "件"), ("铜管", "根"))
    )
]
HUTS: list[Sequence[Cell]] = [
    ("hut", "valley", "altitude", "beds"),
    ("Larchfold", "Upper Senn", 1840, 36),
    ("Greyhorn", "Upper Senn", 2310, 48),
    ("Marmot Rest", "Lower Senn", 1675, 22),
    ("Tarn House", "Vale of Ard", 2055, 48),
    ("Snowline", "Vale of Ard", 2620, 30),
    ("Juniper", "Lower Senn", 1490, 18),
    ("Eagle Stair", "Vale of Ard", 2480, 27),
]
WARDENS: list[Sequence[Cell]] = [
    ("hut", "warden", "since"),
    ("Larchfold", "Odile Marn", 2014),
    ("Greyhorn", "Teo Brand", 2019),
    ("Tarn House", "Lisbet Aune", 2009),
    ("Snowline", "Teo Brand", 2021),
]
AUTHORS = [(1, "Ines Calder", 1961), (2, "Rune Aldous", 1948), (3, "Mabel Thorne", 1975), (4, "Ines Marlow", 1980)]
BOOKS = [
    (1, "The Salt Ledger", 1, 1994),
    (2, "A House of Weather", 3, 2004),
    (3, "Ferrymen", 2, 1979),
    (4, "The Second Orchard", 1, 2001),
    (5, "Low Water", 4, 2012),
    (6, "Lanterns of Ost", 1, 2009),
    (7, "Winter Accounts", 2, 1985),
]
STATES = ("已完成", "已取消", "待发货", "已完成", "已完成", "已取消", "已退款")
# A column of a real shop: most amounts are numbers, some were typed as text.
SALES = [
    (
        f"D{2400 + n}",
        STATES[n % len(STATES)],
        "待定" if (n + 1) % 9 == 0 else round(18.5 + n * 7.25, 2),
        f"C{1 + n % 5}",
    )
    for n in range(40)
]


def write_all(tasks: Path) -> list[Path]:
    """Write every file below `tasks` and return the paths."""
    return [
        write_database(
            tasks / "task_2/context/db/shop.sqlite",
            "CREATE TABLE orders (order_id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL,"
            " product_id INTEGER NOT NULL, quantity INTEGER NOT NULL, ordered_on TEXT NOT NULL)",
            ("orders", ORDERS),
        ),
        write_gbk(tasks / "task_4/context/csv/库存.csv", [("仓库", "品名", "库存数量", "单位"), *STOCK]),
        write_workbook(tasks / "task_6/context/xlsx/mountain_huts.xlsx", {"huts": HUTS, "wardens": WARDENS}),
        write_database(
            tasks / "task_9/context/db/library.db",
            "CREATE TABLE authors (author_id INTEGER PRIMARY KEY, name TEXT NOT NULL, born INTEGER);"
            "CREATE TABLE books (book_id INTEGER PRIMARY KEY, title TEXT NOT NULL,"
            " author_id INTEGER NOT NULL REFERENCES authors, published INTEGER)",
            ("authors", AUTHORS),
            ("books", BOOKS),
        ),
        write_database(
            tasks / "task_10/context/db/网店.db",
            'CREATE TABLE "订单" ("订单号" TEXT PRIMARY KEY, "状态" TEXT NOT NULL, "金额" NUMERIC,'
            ' "客户号" TEXT NOT NULL) WITHOUT ROWID',
            ("订单", SALES),
        ),
    ]


def write_database(path: Path, schema: str, *tables: tuple[str, Iterable[Sequence[Cell]]]) -> Path:
    """Write a SQLite database anew."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(schema)
        for name, rows in tables:
            body = list(rows)
            marks = ", ".join("?" * len(body[0]))
            connection.executemany(f'INSERT INTO "{name}" VALUES ({marks})', body)
    return path


def write_gbk(path: Path, rows: Iterable[Sequence[Cell]]) -> Path:
    """Write a CSV as Chinese Windows does: GBK, CRLF."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes("".join(",".join(map(str, row)) + "\r\n" for row in rows).encode("gbk"))
    return path


def write_workbook(path: Path, sheets: dict[str, list[Sequence[Cell]]]) -> Path:
    """Write a minimal XLSX workbook: shared strings, numbers, one part a sheet, no dates of writing."""
    strings: dict[str, int] = {}

    def cell(place: str, value: Cell) -> str:
        if isinstance(value, str):
            return f'<c r="{place}" t="s"><v>{strings.setdefault(value, len(strings))}</v></c>'
        return f'<c r="{place}"><v>{value}</v></c>'

    def sheet(rows: list[Sequence[Cell]]) -> str:
        lines = (
            f'<row r="{number}">' + "".join(cell(f"{chr(65 + i)}{number}", v) for i, v in enumerate(row)) + "</row>"
            for number, row in enumerate(rows, 1)
        )
        return f'<worksheet xmlns="{MAIN}"><sheetData>{"".join(lines)}</sheetData></worksheet>'

    parts = {f"xl/worksheets/sheet{number}.xml": sheet(rows) for number, rows in enumerate(sheets.values(), 1)}
    numbers = range(1, len(sheets) + 1)
    listed = "".join(f"<si><t>{escape(text)}</t></si>" for text in strings)
    parts["xl/sharedStrings.xml"] = f'<sst xmlns="{MAIN}" uniqueCount="{len(strings)}">{listed}</sst>'
    parts["xl/workbook.xml"] = (
        f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>'
        + "".join(f'<sheet name="{escape(n)}" sheetId="{i}" r:id="rId{i}"/>' for i, n in enumerate(sheets, 1))
        + "</sheets></workbook>"
    )
    parts["xl/_rels/workbook.xml.rels"] = _relations(
        [*((f"worksheets/sheet{i}.xml", "worksheet") for i in numbers), ("sharedStrings.xml", "sharedStrings")]
    )
    parts["_rels/.rels"] = _relations([("xl/workbook.xml", "officeDocument")])
    kinds = {"/xl/workbook.xml": "sheet.main", "/xl/sharedStrings.xml": "sharedStrings"}
    kinds |= {f"/xl/worksheets/sheet{i}.xml": "worksheet" for i in numbers}
    parts["[Content_Types].xml"] = (
        f'<Types xmlns="{PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        + "".join(
            f'<Override PartName="{part}" ContentType="{SPREADSHEET}.{kind}+xml"/>' for part, kind in kinds.items()
        )
        + "</Types>"
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(parts):
            archive.writestr(zipfile.ZipInfo(name), f'<?xml version="1.0" encoding="UTF-8"?>{parts[name]}')
    return path


SPREADSHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml"
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"


def _relations(targets: Iterable[tuple[str, str]]) -> str:
    listed = (
        f'<Relationship Id="rId{i}" Type="{OFFICE}/{kind}" Target="{target}"/>'
        for i, (target, kind) in enumerate(targets, 1)
    )
    return f'<Relationships xmlns="{PACKAGE}/relationships">{"".join(listed)}</Relationships>'


if __name__ == "__main__":
    for written in write_all(Path(sys.argv[1]) if len(sys.argv) > 1 else TASKS):
        sys.stdout.write(f"{written}\n")
