"""`debriefer tables`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from debriefer.catalog import Catalog, Note, Table
from debriefer.catalog.readers import sniff_dialect
from debriefer.cli import console
from debriefer.cli.target import open_target


def tables(
    target: Annotated[Path, typer.Argument(help="Task folder, folder of files, file, or `catalog.duckdb`.")],
    explain: Annotated[
        str | None, typer.Option("--explain", metavar="TABLE", help="Show one table: columns, profile, every note.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as one JSON object.")] = False,
) -> None:
    """List the tables of a task, and what was decided or repaired to read each file."""
    with open_target(target) as catalog:
        shown = list(catalog.tables.values()) if explain is None else [catalog.table(explain)]
        if as_json:
            console.data_json(_as_json(catalog, shown, profile=explain is not None))
            return
        for table in shown:
            _print_table(catalog, table, full=explain is not None)
            if explain is not None:
                _print_dialect(target, table)
        if explain is None:
            _print_rest(catalog)


def _print_table(catalog: Catalog, table: Table, *, full: bool) -> None:
    console.data(f"{table.name}  {table.row_count} rows, {len(table.columns)} columns  [{table.kind}] {table.source}")
    if not full:
        console.data("    " + ", ".join(f"{column.name} {column.sql_type}" for column in table.columns))
    else:
        if table.aliases:
            console.data("    also: " + ", ".join(table.aliases))
        for profile in catalog.profile(table.name):
            console.data("    " + profile.line())
    for note in _notes_of(catalog, table):
        _print_note(note)


def _print_dialect(target: Path, table: Table) -> None:
    """Say how a delimited file is written, where the file itself is at hand."""
    places = (target / "context" / table.source, target / table.source, target)
    path = next((place for place in places if place.is_file()), None)
    if table.kind != "delimited" or path is None or path.suffix == ".duckdb":
        return
    dialect = sniff_dialect(path)
    quote = "none" if dialect.quotechar is None else dialect.quotechar
    escape = "doubled quotes" if dialect.escapechar is None else dialect.escapechar
    console.data(
        f"    dialect: delimiter {dialect.delimiter!r}, quote {quote}, escape {escape}, encoding {dialect.encoding}, "
        f"{dialect.skip_rows} rows above {'the header' if dialect.has_header else 'the data (no header)'}"
    )


def _print_note(note: Note) -> None:
    console.data(f"    note {note.code}: {note.message}")
    for sample in note.samples:
        console.data(f"        {sample!r}")


def _print_rest(catalog: Catalog) -> None:
    for note in catalog.notes:
        if note.table is None:
            console.data(f"{note.source}")
            _print_note(note)
    for refusal in catalog.refusals:
        console.messages.print(
            Text.assemble(("not read: ", "yellow"), f"`{refusal.source}` {refusal.message}"), soft_wrap=True
        )
        if refusal.hint:
            console.messages.print(Text.assemble(("hint: ", "bold cyan"), refusal.hint), soft_wrap=True)
    for path in catalog.skipped:
        console.messages.print(Text(f"no table: {path}"), style="dim", soft_wrap=True)
    if not catalog.tables:
        console.messages.print("no table was found")


def _notes_of(catalog: Catalog, table: Table) -> list[Note]:
    return [note for note in catalog.notes if note.table == table.name]


def _as_json(catalog: Catalog, shown: list[Table], *, profile: bool) -> dict[str, object]:
    listed = []
    for table in shown:
        entry = asdict(table)
        entry["notes"] = [asdict(note) for note in _notes_of(catalog, table)]
        if profile:
            entry["profile"] = [asdict(column) for column in catalog.profile(table.name)]
        listed.append(entry)
    return {
        "tables": listed,
        "notes": [asdict(note) for note in catalog.notes if note.table is None],
        "refused": [asdict(refusal) for refusal in catalog.refusals],
        "skipped": list(catalog.skipped),
    }
