"""The schema at the end of a Parquet file: real column names, and decimals that no engine here holds in full.

DuckDB gives a decimal of more than 38 digits as a DOUBLE. Where its annotation is taken out of the footer, the same
bytes come as BLOB, and nothing is lost.

Source: Apache Parquet format 2.10, `parquet.thrift`; Thrift compact protocol.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# Digits of DuckDB's widest DECIMAL.
MOST_DIGITS = 38
_MAGIC = b"PAR1"
_LONGEST_FOOTER = 256 << 20
_DEEPEST = 64
# Types of the compact protocol.
_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 11, 12
_INTEGERS = frozenset({4, 5, 6})
# Fields of `SchemaElement`, and of `LogicalType` the decimal's.
_TYPE, _REPETITION, _NAME, _CHILDREN, _CONVERTED, _SCALE, _PRECISION, _LOGICAL = 1, 3, 4, 5, 6, 7, 8, 10
_DECIMAL = 5
_REPEATED = 2
_BYTE_ARRAYS = frozenset({6, 7})


@dataclass(frozen=True, slots=True)
class Element:
    """A column of the file, or a part of a nested one.

    Attributes:
        name: In the file's spelling.
        depth: 1 for a column, more inside it.
        precision: Digits, where it is a decimal stored as bytes, else 0.
        scale: Digits behind the decimal point.
        plain: Whether it is a column without parts that holds one value a row.
        annotation: Where in the file the first field of its annotation begins, and the number of the field before.
    """

    name: str
    depth: int
    precision: int
    scale: int
    plain: bool
    annotation: tuple[int, int] | None


def read_schema(path: Path) -> list[Element]:
    """Return the elements of a file's schema in order, without the root.

    Raises:
        ValueError: The file ends in no plain Parquet footer.
        OSError: The file cannot be read.
    """
    with path.open("rb") as stream:
        size = stream.seek(0, 2)
        stream.seek(max(size - 8, 0))
        tail = stream.read(8)
        length = int.from_bytes(tail[:4], "little")
        if tail[4:] != _MAGIC or not 0 < length <= min(size - 8, _LONGEST_FOOTER):
            message = "no plain Parquet footer"
            raise ValueError(message)
        stream.seek(size - 8 - length)
        footer = stream.read(length)
    try:
        return _Footer(footer, size - 8 - length).schema()
    except IndexError as error:
        message = "the footer is cut off"
        raise ValueError(message) from error


def is_too_wide(element: Element) -> bool:
    """Return whether an element is a decimal of more digits than DuckDB keeps."""
    return element.precision > MOST_DIGITS


def without_annotation(element: Element) -> tuple[int, int]:
    """Return the place of a byte in the file, and the byte that makes a decimal come as bytes.

    The fields of the annotation get numbers that no version of the format has, so that readers skip them: each field
    says how far its number is from the one before, and four bits hold that.
    """
    if element.annotation is None:
        message = "the element has no annotation"
        raise ValueError(message)
    place, before = element.annotation
    return place, 11 - before


class _Footer:
    """A reader of the compact protocol, as far as the schema."""

    def __init__(self, footer: bytes, offset: int) -> None:
        self._bytes = footer
        self._offset = offset
        self._at = 0

    def schema(self) -> list[Element]:
        elements: list[Element] = []
        number = 0
        while (header := self._field(number)) is not None:
            number, kind = header
            if number == 2 and kind == _LIST:  # noqa: PLR2004 -- `FileMetaData.schema`
                open_parents: list[int] = []
                for _ in range(self._list_header()[0]):
                    element, children = self._element(len(open_parents))
                    elements.append(element)
                    if open_parents:
                        open_parents[-1] -= 1
                    open_parents.append(children)
                    while open_parents and open_parents[-1] <= 0:
                        open_parents.pop()
                return elements[1:]
            self._skip(kind)
        return elements

    def _element(self, depth: int) -> tuple[Element, int]:
        values: dict[int, int] = {}
        name, annotation, number = "", None, 0
        logical: dict[int, int] = {}
        while True:
            place, before = self._at, number
            header = self._field(number)
            if header is None:
                break
            number, kind = header
            short = self._bytes[place] >> 4 != 0
            if annotation is None and number >= _CONVERTED and short:
                annotation = (self._offset + place, before)
            if number == _NAME:
                name = self._binary().decode("utf-8", "replace")
            elif number == _LOGICAL and kind == _STRUCT:
                logical = self._logical_decimal()
            elif kind in _INTEGERS:
                values[number] = self._integer()
            else:
                self._skip(kind)
        scale, precision = (
            (logical.get(1, 0), logical.get(2, 0)) if logical else (values.get(_SCALE, 0), values.get(_PRECISION, 0))
        )
        stored_as_bytes = values.get(_TYPE) in _BYTE_ARRAYS
        children = values.get(_CHILDREN, 0)
        plain = depth == 1 and not children and values.get(_REPETITION) != _REPEATED
        return Element(name, depth, precision if stored_as_bytes else 0, scale, plain, annotation), children

    def _logical_decimal(self) -> dict[int, int]:
        """Return scale (1) and precision (2) of a logical type, or nothing where it is no decimal."""
        found: dict[int, int] = {}
        number = 0
        while (header := self._field(number)) is not None:
            number, kind = header
            if number != _DECIMAL or kind != _STRUCT:
                self._skip(kind)
                continue
            part = 0
            while (inner := self._field(part)) is not None:
                part, kind = inner
                if kind in _INTEGERS:
                    found[part] = self._integer()
                else:
                    self._skip(kind)
        return found

    def _field(self, before: int) -> tuple[int, int] | None:
        """Return number and type of the next field of a struct, or `None` at its end."""
        header = self._byte()
        if header == 0:
            return None
        return (before + (header >> 4) if header >> 4 else self._integer()), header & 15

    def _skip(self, kind: int, depth: int = 0) -> None:
        if depth > _DEEPEST:
            message = "the footer is nested too deeply"
            raise ValueError(message)
        if kind in _INTEGERS:
            self._varint()
        elif kind in {_BYTE, _DOUBLE}:
            self._at += 1 if kind == _BYTE else 8
        elif kind == _BINARY:
            self._binary()
        elif kind == _STRUCT:
            number = 0
            while (header := self._field(number)) is not None:
                number, inner = header
                self._skip(inner, depth + 1)
        elif kind not in {_TRUE, _FALSE}:
            for inner in self._parts(kind):
                self._skip(inner, depth + 1)

    def _parts(self, kind: int) -> Iterator[int]:
        """Yield the type of each part of a list, a set or a map, while the place is at that part."""
        if kind in {_LIST, _SET}:
            count, inner = self._list_header()
            # Truth values fill a byte each here, and none as fields.
            inner = _BYTE if inner in {_TRUE, _FALSE} else inner
            for _ in range(count):
                yield inner
        elif kind == _MAP:
            count = self._varint()
            kinds = self._byte() if count else 0
            for _ in range(count):
                yield kinds >> 4
                yield kinds & 15
        else:
            message = f"the footer has a field of unknown type {kind}"
            raise ValueError(message)

    def _list_header(self) -> tuple[int, int]:
        header = self._byte()
        return (header >> 4 if header >> 4 != 15 else self._varint()), header & 15  # noqa: PLR2004 -- the protocol's mark

    def _binary(self) -> bytes:
        length = self._varint()
        start, self._at = self._at, self._at + length
        if self._at > len(self._bytes):
            raise IndexError
        return self._bytes[start : self._at]

    def _byte(self) -> int:
        value = self._bytes[self._at]
        self._at += 1
        return value

    def _varint(self) -> int:
        value, shift = 0, 0
        while True:
            byte = self._byte()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:  # noqa: PLR2004 -- the highest bit says that another byte follows
                return value
            shift += 7

    def _integer(self) -> int:
        value = self._varint()
        return (value >> 1) ^ -(value & 1)
