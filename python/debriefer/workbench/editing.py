"""Edits of `solver.py`: by line number and line hash, inside the query region, never past a syntax error."""

from __future__ import annotations

import hashlib
import threading
import warnings
from dataclasses import dataclass

from debriefer.errors import WorkbenchError
from debriefer.workbench.scaffold import BEGIN_MARKER, END_MARKER, HEAD_LINES, SOLVER_FILE, WORKDIR, assemble, region_of

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
# A query and its reasons are some kilobytes; more is data that was typed in.
_MOST_CHARACTERS = 1 << 16
_SCRIPT = f"{WORKDIR}/{SOLVER_FILE}"
# `warnings.catch_warnings` changes a list that all threads share.
_warnings_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class Edit:
    """An edit that was found in order.

    Attributes:
        text: The whole new text of `solver.py`.
        first: Number of the first new line (the line that follows the cut, where nothing was put in).
        removed: Number of lines that were replaced.
        added: Number of lines that took their place.
    """

    text: str
    first: int
    removed: int
    added: int


def line_hash(line: str) -> str:
    """Return the two letters that stand for a line's content.

    They are the BLAKE2b digest (8 bytes, big-endian) of the line's UTF-8 bytes without the line break, modulo
    26², in base 26 with the letters a to z. The same content has the same letters everywhere.

    >>> line_hash("result = None"), line_hash("result = None ")
    ('qz', 'jp')
    """
    digest = hashlib.blake2b(line.encode("utf-8", errors="surrogatepass"), digest_size=8).digest()
    high, low = divmod(int.from_bytes(digest, "big") % len(_LETTERS) ** 2, len(_LETTERS))
    return _LETTERS[high] + _LETTERS[low]


def numbered(lines: list[str], first: int = 1) -> str:
    """Return lines as `number|hash|content`; `first` is the number of the first one."""
    return "\n".join(f"{number}|{line_hash(line)}|{line}" for number, line in enumerate(lines, first))


def region_lines(text: str) -> range:
    """Return the numbers of the lines that may be edited; empty, but at its place, where the region is empty.

    Raises:
        WorkbenchError: The frame was changed.
    """
    return range(HEAD_LINES + 1, HEAD_LINES + 1 + region_of(text).count("\n"))


def apply_edit(
    text: str, start_line: int, end_line: int, start_hash: str, new_content: str, end_hash: str | None = None
) -> Edit:
    """Replace the lines `start_line` to `end_line` of a `solver.py`.

    `end_line = start_line - 1` replaces nothing and puts the new lines before `start_line`; empty content
    takes the lines away.

    Args:
        text: The text of `solver.py` with its frame untouched.
        start_line: First line to replace, counted from 1.
        end_line: Last line to replace.
        start_hash: Hash of line `start_line`.
        new_content: The new lines.
        end_hash: Hash of line `end_line`; needed where more than one line is replaced.

    Returns:
        The edit; nothing was written.

    Raises:
        WorkbenchError: A line lies outside the query region, a hash is not the line's, the new content holds a
            marker or is too long, or the script would not compile.
    """
    region = region_lines(text)
    lines = text.split("\n")
    if not (region.start <= start_line <= region.stop and start_line - 1 <= end_line < region.stop):
        there = f"lines {region.start} to {region.stop - 1}" if region else f"empty, before line {region.stop}"
        message = f"lines {start_line} to {end_line} are not in the query region ({there})"
        insert = f"start_line={region.stop}, end_line={region.stop - 1} adds lines at its end"
        raise WorkbenchError(message, hint=f"edit only between the markers; {insert}")
    _check_hash(lines, start_line, start_hash, "start_hash")
    if end_line > start_line:
        _check_hash(lines, end_line, end_hash or "", "end_hash")
    elif end_line == start_line and end_hash:
        _check_hash(lines, end_line, end_hash, "end_hash")
    new_lines = _lines_of(new_content)
    kept = lines[region.start - 1 : start_line - 1] + new_lines + lines[end_line : region.stop - 1]
    new_region = "".join(line + "\n" for line in kept)
    if len(new_region) > _MOST_CHARACTERS:
        message = f"the query region would have {len(new_region)} characters; at most {_MOST_CHARACTERS} are allowed"
        raise WorkbenchError(message, hint="let a query return the rows instead of typing them")
    _check_syntax(new_region)
    return Edit(assemble(new_region), start_line, end_line - start_line + 1, len(new_lines))


def _lines_of(content: str) -> list[str]:
    content = content.replace("\r\n", "\n").replace("\r", "\n")
    if content == "":
        return []
    if "\0" in content or any("\ud800" <= character <= "\udfff" for character in content):
        message = "the new content holds a NUL or half a surrogate pair"
        raise WorkbenchError(message, hint="send the content as plain text")
    lines = content.removesuffix("\n").split("\n")
    for line in lines:
        if line.strip() in (BEGIN_MARKER, END_MARKER):
            message = f"the new content holds the marker line `{line.strip()}`"
            raise WorkbenchError(message, hint="leave the markers out; they stay where they are")
    return lines


def _check_hash(lines: list[str], number: int, given: str, argument: str) -> None:
    right = line_hash(lines[number - 1])
    if given.strip().lower() != right:
        said = f"`{given}` is not its hash" if given else f"`{argument}` is missing"
        message = f"line {number} is `{right}`, {said}: {number}|{right}|{lines[number - 1]}"
        raise WorkbenchError(
            message, hint=f"if that is the line you mean, use {argument}={right}; else read the file again"
        )


def _check_syntax(region: str) -> None:
    """Compile the region alone, so that it cannot swallow the lines below it, then the whole script."""
    for source, offset in ((region, HEAD_LINES), (assemble(region), 0)):
        try:
            with _warnings_lock, warnings.catch_warnings():
                warnings.simplefilter("ignore")
                compile(source, _SCRIPT, "exec", dont_inherit=True)
        except SyntaxError as error:
            number = (error.lineno or 1) + offset
            line = (error.text or "").strip("\n")
            message = f"line {number} would not compile: {error.msg}" + (f": {line}" if line else "")
            raise WorkbenchError(message, hint=_syntax_hint(line)) from error
        except (ValueError, OverflowError, MemoryError, RecursionError) as error:
            message = f"the script would not compile: {error or type(error).__name__}"
            raise WorkbenchError(message, hint="write the query as one SQL statement") from error


def _syntax_hint(line: str) -> str:
    stripped = line.strip()
    if stripped.startswith("```"):
        return "send the lines alone, without a code fence"
    number, _, rest = stripped.partition("|")
    if number.isdecimal() and rest[2:3] == "|":
        return "send the content alone, without line numbers and hashes"
    if stripped.upper().startswith(("SELECT ", "WITH ", "FROM ")):
        return 'SQL stands in a string: result = run_sql("""SELECT …""")'
    return 'the region is Python: result = run_sql("""SELECT …""")'
