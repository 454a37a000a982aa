"""What `knowledge.md` says of columns: comments beside their names, and terms that it defines."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from debriefer.linking.words import compact, word_set

_HEADING = re.compile(r"^#{1,6}\s*(?:table|表)?\s*[:：]?\s*[`\"“]?(?P<name>.+?)[`\"”]?\s*$", re.IGNORECASE)
_ITEM = re.compile(
    r"^\s*(?:[-*•+]|\d+[.)、])?\s*\**[`\"“]?(?P<name>[^`\"“”|:：]{1,60}?)[`\"”]?\**\s*"
    r"(?:\((?P<type>[^()]*)\)|（[^（）]*）)?\s*(?:[:：]|\s[-–—]+\s)\s*(?P<rest>\S.*)$"
)
_SENTENCE = re.compile(r"[;\n；]|\.(?=\s|$)|。")
_DEFINITION = re.compile(
    r"^\s*(?:[-*•]\s*)?[\"'`“]?(?P<term>[^\"'`“”;:=]{2,80}?)[\"'`”]?\s+"
    r"(?:refers?\s+to|means?|is\s+defined\s+as|are\s+defined\s+as|stands\s+for|corresponds\s+to|=)\s+(?P<rest>.+?)\s*$",
    re.IGNORECASE,
)
_DEFINITION_ZH = re.compile(
    r"^\s*(?:[-*•]\s*)?[“\"`「]?(?P<term>[^”\"`」；;:：=]{1,30}?)[”\"`」]?\s*"
    r"(?:是指|指的是|指|即|表示|定义为|等于|对应)\s*(?P<rest>.+?)\s*$"
)
_QUOTED = re.compile(r"'([^']{1,80})'|\"([^\"]{1,80})\"|“([^”]{1,80})”")
_NUMBER = re.compile(r"(?:=|\bis\b|\bequals\b|等于)\s*(-?\d+(?:\.\d+)?)(?![\w.%])")
_NAMED = re.compile(r"[`\"\[]([^`\"\[\]]{1,60})[`\"\]]|([^\W\d]\w*(?:\.[^\W\d]\w*)?)")
# `F: female`, `'1' = open`, `0 means closed`.
_MEANING = re.compile(
    r"(?:^|[\s,;，；(（、])(?:['\"`“](?P<quoted>[^'\"`“”|]{1,24})['\"`”]|(?P<code>[A-Z0-9][A-Z0-9+-]{0,5}))\s*"
    r"(?:=|:|：|\bmeans\b|\bstands for\b|\brefers to\b|表示|代表|指)\s*"
    r"['\"`“]?(?P<said>[^,;，；。|'\"`”()（）]{2,60})"
)
_COMPARED = re.compile(
    r"(?P<name>[`\"\[]?[^\W\d][\w.]*[`\"\]]?)\s*(?:=|\bis\b|\blike\b|\bLIKE\b)\s*['\"](?P<value>[^'\"]{1,80})['\"]"
)
_TYPES = word_set(
    """
    text integer int bigint smallint real float double decimal numeric number varchar char date datetime
    timestamp time boolean bool blob string
    """
)

Place = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Definition:
    """A term of the task's knowledge.

    Attributes:
        term: The words that a question may use.
        text: What they mean, as it is written.
        columns: The columns that the meaning names.
        values: Texts that it quotes, and numbers that it compares a column with.
    """

    term: str
    text: str
    columns: tuple[Place, ...]
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Notes:
    """What the task's knowledge says.

    Attributes:
        comments: What is written beside the name of a column.
        table_comments: What is written beside the name of a table.
        definitions: In the text's order.
    """

    comments: Mapping[Place, str]
    table_comments: Mapping[str, str]
    definitions: tuple[Definition, ...]


class _Names:
    def __init__(self, schema: Mapping[str, Sequence[str]], titles: Mapping[str, str]) -> None:
        self.tables = {compact(title): name for name, title in titles.items()} | {
            compact(name): name for name in schema
        }
        self.columns: dict[str, list[Place]] = {}
        for table, columns in schema.items():
            for column in columns:
                self.columns.setdefault(compact(column), []).append((table, column))

    def column(self, name: str, table: str | None) -> list[Place]:
        """Return the columns called `name`, in `table` where one is given; a table may stand before it."""
        prefix, dot, rest = name.strip().rpartition(".")
        within = self.tables.get(compact(prefix)) if dot else table
        found = self.columns.get(compact(rest if dot else name), [])
        return [place for place in found if within is None or place[0] == within]


def read_notes(text: str | None, schema: Mapping[str, Sequence[str]], titles: Mapping[str, str]) -> Notes:
    """Read a task's knowledge.

    Read are rows of Markdown tables and items of lists that begin with the name of a column, under headings that may
    name its table, and sentences of the form `TERM refers to …`; anything else is left.

    Args:
        text: `knowledge.md`, or `None`.
        schema: Columns by table.
        titles: What the source calls each table.
    """
    names = _Names(schema, titles)
    comments: dict[Place, list[str]] = {}
    table_comments: dict[str, list[str]] = {}
    table: str | None = None
    for line in (text or "").splitlines():
        if (heading := _HEADING.match(line)) is not None:
            table = names.tables.get(compact(heading["name"].split(" ")[0])) or names.tables.get(
                compact(heading["name"])
            )
        elif line.lstrip().startswith("|"):
            cells = [cell.strip().strip("`*") for cell in line.strip().strip("|").split("|")]
            for place in names.column(cells[0], table) if cells[0] else ():
                said = [cell for cell in cells[1:] if cell and cell.casefold() not in _TYPES]
                comments.setdefault(place, []).extend(said)
        elif (item := _ITEM.match(line)) is not None:
            for place in names.column(item["name"], table):
                comments.setdefault(place, []).append(item["rest"])
            if (named := names.tables.get(compact(item["name"]))) is not None:
                table_comments.setdefault(named, []).append(item["rest"])
    return Notes(
        {place: " ".join(said) for place, said in comments.items() if said},
        {name: " ".join(said) for name, said in table_comments.items()},
        (*_definitions(text or "", names), *_meanings(comments)),
    )


def _definitions(text: str, names: _Names) -> list[Definition]:
    found = []
    for sentence in _SENTENCE.split(text):
        if sentence.lstrip().startswith(("|", "#")):
            continue
        defined = _defined(sentence, names)
        if defined is None or not defined.columns:
            defined = _compared(sentence, names) or defined
        if defined is not None:
            found.append(defined)
    return found


def _defined(sentence: str, names: _Names) -> Definition | None:
    """Read `TERM refers to …` and the like."""
    match = _DEFINITION.match(sentence) or _DEFINITION_ZH.match(sentence)
    if match is None:
        return None
    rest = match["rest"]
    values = (*(next(filter(None, quoted)) for quoted in _QUOTED.findall(rest)), *_NUMBER.findall(rest))
    columns: dict[Place, None] = {}
    for quoted, plain in _NAMED.findall(_QUOTED.sub(" ", rest)):
        for place in names.column(quoted or plain, None):
            columns[place] = None
    return Definition(match["term"].strip(), rest, tuple(columns), values) if columns or values else None


def _compared(sentence: str, names: _Names) -> Definition | None:
    """Read a sentence that says elsewhere what a comparison stands for: `for open orders use status = 'O'`."""
    match = _COMPARED.search(sentence)
    if match is None:
        return None
    columns = tuple(names.column(match["name"].strip('`"[]'), None))
    term = sentence[: match.start()].strip(" -*•,:：(")
    return Definition(term, sentence.strip(), columns, (match["value"],)) if columns and term else None


def _meanings(comments: Mapping[Place, list[str]]) -> list[Definition]:
    """Read what the comment on a column says that its codes mean."""
    return [
        Definition(match["said"].strip(), match[0].strip(), (place,), (match["quoted"] or match["code"],))
        for place, said in comments.items()
        for match in _MEANING.finditer(" ; ".join(said))
    ]
