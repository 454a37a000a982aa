"""Edits of `solver.py`."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debriefer.errors import MissingFileError, WorkbenchError
from debriefer.workbench import Workbench
from debriefer.workbench.editing import apply_edit, line_hash, numbered, region_lines
from debriefer.workbench.scaffold import BEGIN_MARKER, END_MARKER, assemble, pristine, region_of

FIRST = region_lines(pristine()).start
STATEMENTS = st.sampled_from(
    [
        "result = run_sql('SELECT 1')",
        "",
        "# 说明",
        "x = [1,\n  2]",
        "if x:\n    y = 1",
        's = """\n>>> \n"""',
        "\tz = 1".strip(),
    ]
)


def replace_region(content: str, text: str | None = None) -> str:
    """Put `content` in place of the whole region and return the new script."""
    text = pristine() if text is None else text
    lines, region = text.split("\n"), region_lines(text)
    start, end = line_hash(lines[region.start - 1]), line_hash(lines[region.stop - 2])
    return apply_edit(text, region.start, region.stop - 1, start, content, end if region else None).text


# Digests from `printf %s LINE | b2sum -l 64`.
@pytest.mark.parametrize(
    ("line", "digest"),
    [("result = None", 0x762BAFD6AE2BBE55), ("", 0xE4A6A0577479B2B4), ("深科技", 0x2A9C9951B29009E9)],
)
def test_hash_is_two_letters_of_the_digest(line: str, digest: int) -> None:
    high, low = divmod(digest % 676, 26)
    assert line_hash(line) == chr(97 + high) + chr(97 + low)


@given(st.text())
def test_hash_is_two_lower_case_letters(line: str) -> None:
    assert len(line_hash(line)) == 2
    assert all("a" <= letter <= "z" for letter in line_hash(line))


def test_lines_are_number_hash_content() -> None:
    assert numbered(["result = None", ""], 7) == "7|qz|result = None\n8|jw|"


def test_scaffold_is_a_script_with_one_editable_line() -> None:
    ast.parse(pristine())
    assert region_of(pristine()) == "result = None\n"
    assert list(region_lines(pristine())) == [FIRST]


def test_edit_replaces_inserts_and_deletes() -> None:
    text = replace_region("a = 1\nb = 2\nresult = None")
    assert region_of(text) == "a = 1\nb = 2\nresult = None\n"
    inserted = apply_edit(text, FIRST + 1, FIRST, line_hash("b = 2"), "# between")
    assert region_of(inserted.text) == "a = 1\n# between\nb = 2\nresult = None\n"
    assert (inserted.first, inserted.removed, inserted.added) == (FIRST + 1, 0, 1)
    deleted = apply_edit(inserted.text, FIRST, FIRST + 1, line_hash("a = 1"), "", line_hash("# between"))
    assert region_of(deleted.text) == "b = 2\nresult = None\n"


def test_an_empty_region_can_be_filled_again() -> None:
    empty = replace_region("")
    assert region_of(empty) == ""
    filled = apply_edit(empty, FIRST, FIRST - 1, line_hash(END_MARKER), "result = 1").text
    assert region_of(filled) == "result = 1\n"


def test_lines_can_be_added_at_the_end() -> None:
    text = apply_edit(pristine(), FIRST + 1, FIRST, line_hash(END_MARKER), "# last").text
    assert region_of(text) == "result = None\n# last\n"


def test_wrong_hash_names_the_right_one_and_shows_the_line() -> None:
    with pytest.raises(WorkbenchError, match=rf"{FIRST}\|qz\|result = None") as caught:
        apply_edit(pristine(), FIRST, FIRST, "aa", "result = 1")
    assert "`qz`" in caught.value.message
    assert "start_hash=qz" in (caught.value.hint or "")


def test_hash_may_be_upper_case() -> None:
    assert apply_edit(pristine(), FIRST, FIRST, " QZ ", "result = 1").added == 1


def test_a_range_needs_both_hashes() -> None:
    text = replace_region("a = 1\nb = 2")
    with pytest.raises(WorkbenchError, match="`end_hash` is missing"):
        apply_edit(text, FIRST, FIRST + 1, line_hash("a = 1"), "c = 3")
    with pytest.raises(WorkbenchError, match=f"line {FIRST + 1} is"):
        apply_edit(text, FIRST, FIRST + 1, line_hash("a = 1"), "c = 3", line_hash("a = 1"))


@pytest.mark.parametrize(
    ("start", "end"),
    [
        (1, 1),
        (FIRST - 1, FIRST - 1),
        (FIRST - 1, FIRST),
        (FIRST, FIRST + 1),
        (FIRST + 1, FIRST + 1),
        (FIRST + 2, FIRST + 1),
        (999, 999),
        (0, 0),
        (-1, -1),
        (FIRST, FIRST - 2),
    ],
)
def test_lines_outside_the_region_are_refused(start: int, end: int) -> None:
    lines = pristine().split("\n")
    hashes = [line_hash(lines[n - 1]) if 0 < n <= len(lines) else "aa" for n in (start, end)]
    with pytest.raises(WorkbenchError, match="not in the query region"):
        apply_edit(pristine(), start, end, hashes[0], "x = 1", hashes[1])


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("result = (", "was never closed"),
        ("SELECT 1", 'result = run_sql("""SELECT …""")'),
        ("```python\nresult = 1\n```", "without a code fence"),
        (f"{FIRST}|qz|result = None", "without line numbers"),
        ("return 1", "outside function"),
        ("from __future__ import annotations", "would not compile"),
        ("x = 1\n  y = 2", "indent"),
        ("x = '\0'", "NUL"),
        ("x = '\ud800'", "surrogate"),
        # Each of these would swallow lines of the frame.
        ('x = """', "would not compile"),
        ("if False:", "would not compile"),
        ("x = 1 \\", "would not compile"),
        ("try:\n    x = 1", "would not compile"),
        ("x = '" + "a" * 70_000 + "'", "at most 65536"),
    ],
)
def test_what_would_not_run_is_refused(content: str, words: str) -> None:
    with pytest.raises(WorkbenchError) as caught:
        replace_region(content)
    assert words in caught.value.render()


def test_syntax_error_is_numbered_as_in_the_file() -> None:
    with pytest.raises(WorkbenchError, match=f"line {FIRST + 1} would not compile"):
        replace_region("x = 1\ny = = 2")


@pytest.mark.parametrize("marker", [BEGIN_MARKER, END_MARKER, "  " + END_MARKER + " "])
def test_markers_cannot_be_smuggled_in(marker: str) -> None:
    for content in (marker, f'x = """\n{marker}\n"""', f"x = 1\r{marker}\ry = 2"):
        with pytest.raises(WorkbenchError, match="marker"):
            replace_region(content)


def test_an_invalid_escape_is_no_reason_to_refuse_or_to_warn() -> None:
    assert "\\d" in replace_region("x = '\\d'")


def test_other_line_breaks_become_plain_ones() -> None:
    assert region_of(replace_region("a = 1\r\nb = 2\rc = 3")) == "a = 1\nb = 2\nc = 3\n"


def test_characters_that_python_takes_for_line_ends_are_content() -> None:
    text = replace_region("x = 'a\u2028b\x0cc\x85'")
    assert list(region_lines(text)) == [FIRST]


@pytest.mark.parametrize(
    "change",
    [
        lambda t: t.replace("import Path", "import  Path"),
        lambda t: t + "\n",
        lambda t: t[:-1],
        lambda t: t[:0],
        lambda t: t.replace(END_MARKER + "\n", ""),
    ],
)
def test_a_changed_frame_is_noticed(change: object) -> None:
    assert callable(change)
    with pytest.raises(WorkbenchError, match="changed outside the query region"):
        apply_edit(change(pristine()), FIRST, FIRST, "qz", "x = 1")


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 3), st.lists(STATEMENTS, max_size=3)), max_size=8))
def test_no_sequence_of_edits_changes_the_frame(edits: list[tuple[int, int, list[str]]]) -> None:
    text = pristine()
    head, tail = text.split("result = None\n")
    for offset, length, statements in edits:
        lines, region = text.split("\n"), region_lines(text)
        start = min(region.start + offset, region.stop)
        end = min(start + length - 1, region.stop - 1)
        hashes = [line_hash(lines[start - 1]), line_hash(lines[end - 1])]
        try:
            text = apply_edit(text, start, end, hashes[0], "\n".join(statements), hashes[1]).text
        except WorkbenchError as error:
            assert "would not compile" in error.message  # noqa: PT017
        assert text.startswith(head)
        assert text.endswith(tail)
        compile(text, "solver.py", "exec")


# What a script is warned of (`"\\8"`) is no error of the region; the parser that the test itself uses warns too.
@pytest.mark.filterwarnings("ignore::SyntaxWarning", "ignore::DeprecationWarning")
@given(st.text(max_size=60) | st.text("\"'\\#()[]{}\n\r =:ax", max_size=40))
def test_any_content_is_refused_or_stays_in_the_region(content: str) -> None:
    try:
        text = replace_region(content)
    except WorkbenchError:
        return
    head, tail = pristine().split("result = None\n")
    assert text.startswith(head)
    assert text.endswith(tail)
    # What stands below the region is parsed as the same statements as before.
    below = ast.dump(ast.parse(tail))
    assert ast.dump(ast.Module(ast.parse(text).body[-1:], [])) == below


def test_a_refused_edit_writes_nothing_and_a_good_one_returns_new_hashes(tmp_path: Path) -> None:
    bench = Workbench.create(tmp_path)
    before = bench.solver_path.read_bytes()
    assert bench.edit_solver(FIRST, FIRST, "zz", "result = 1").startswith("error: ")
    assert bench.edit_solver(FIRST, FIRST, "qz", "result = (").startswith("error: ")
    assert bench.solver_path.read_bytes() == before
    observation = bench.edit_solver(FIRST, FIRST, "qz", "x = 1\nresult = None")
    assert f"\n{FIRST}|{line_hash('x = 1')}|x = 1\n{FIRST + 1}|qz|result = None\n" in observation
    assert f"lines {FIRST} to {FIRST + 1} may be edited" in observation
    assert bench.solver_path.read_text(encoding="utf-8") == assemble("x = 1\nresult = None\n")
    assert [path.name for path in bench.solver_path.parent.iterdir()] == ["solver.py"]


def test_a_long_edit_comes_back_shortened(tmp_path: Path) -> None:
    bench = Workbench.create(tmp_path)
    observation = bench.edit_solver(FIRST, FIRST, "qz", "\n".join(f"x = {i}" for i in range(300)))
    assert "lines left out]" in observation
    assert observation.count("\n") < 50
    assert f"{FIRST + 299}|{line_hash('x = 299')}|x = 299" in observation


def test_read_solver_shows_the_lines_asked_for(tmp_path: Path) -> None:
    bench = Workbench.create(tmp_path)
    everything = bench.read_solver()
    assert f"lines {FIRST} to {FIRST} may be edited" in everything.split("\n")[0]
    assert [line.split("|", 2)[2] for line in everything.split("\n")[1:]] == pristine().splitlines()
    assert bench.read_solver(FIRST, 1).split("\n")[1:] == [f"{FIRST}|qz|result = None"]
    assert bench.read_solver(9999, 5).split("\n")[1].startswith(f"{pristine().count(chr(10))}|")


def test_opening_without_a_script_says_how_to_lay_it_out(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match=r"solver\.py"):
        Workbench.open(tmp_path)


def test_a_missing_catalog_is_an_observation(tmp_path: Path) -> None:
    observation = Workbench.create(tmp_path).explore_data(r"\tables")
    assert observation.startswith("error: `workdir/catalog.duckdb` does not exist\nhint: ")
