from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from debriefer.documents.model import Document
from debriefer.documents.pdf import read_pdf
from debriefer.errors import DocumentError, MissingFileError
from tests.conftest import shared_data

pytest.importorskip("pypdfium2")
canvas = pytest.importorskip("reportlab.pdfgen.canvas")
cidfonts = pytest.importorskip("reportlab.pdfbase.cidfonts")
pdfmetrics = pytest.importorskip("reportlab.pdfbase.pdfmetrics")
pdfencrypt = pytest.importorskip("reportlab.lib.pdfencrypt")

Canvas = Any
Draw = Callable[[Canvas], None]
Sheet = Callable[..., Path]


@pytest.fixture
def sheet(tmp_path: Path) -> Sheet:
    """Return a function that writes a PDF; each argument draws one page."""

    def write(*pages: Draw, name: str = "paper.pdf", **options: object) -> Path:
        path = tmp_path / name
        paper = canvas.Canvas(str(path), pagesize=(595, 842), invariant=1, **options)
        for draw in pages:
            paper.setFont("Helvetica", 10)
            draw(paper)
            paper.showPage()
        paper.save()
        return path

    return write


def lines_at(texts: Sequence[str], *, x: float = 72, y: float = 760, step: float = 13) -> Draw:
    def draw(paper: Canvas) -> None:
        for number, text in enumerate(texts):
            paper.drawString(x, y - step * number, text)

    return draw


def ruled_at(rows: Sequence[Sequence[str]], across: Sequence[float], *, y: float = 700, step: float = 20) -> Draw:
    def draw(paper: Canvas) -> None:
        paper.setFont("Helvetica", 10)
        for number in range(len(rows) + 1):
            paper.line(across[0], y - step * number, across[-1], y - step * number)
        for x in across:
            paper.line(x, y, x, y - step * len(rows))
        for number, row in enumerate(rows):
            for x, text in zip(across, row, strict=False):
                paper.drawString(x + 4, y - step * number - 14, text)

    return draw


def texts(document: Document, kind: str = "text") -> list[str]:
    return [line.text for line in document.lines if line.kind == kind]


def test_paragraph_is_joined_over_lines_with_spaces(sheet: Sheet) -> None:
    path = sheet(lines_at(["The orders of the first quarter were", "higher than those of the second."]))
    assert texts(read_pdf(path)) == ["The orders of the first quarter were higher than those of the second."]


def test_paragraph_is_joined_over_pages(sheet: Sheet) -> None:
    path = sheet(lines_at(["The orders of the first quarter and"]), lines_at(["those of the second were equal."]))
    document = read_pdf(path)
    assert texts(document) == ["The orders of the first quarter and those of the second were equal."]
    assert document.lines[0].page == 1


def test_hyphen_of_a_line_break_stays_unless_the_word_is_known(sheet: Sheet) -> None:
    path = sheet(lines_at(["A database is a cost-", "benefit matter of a data-", "base and its owner."]))
    assert texts(read_pdf(path)) == ["A database is a cost-benefit matter of a database and its owner."]


def test_chinese_is_joined_without_spaces(sheet: Sheet) -> None:
    pdfmetrics.registerFont(cidfonts.UnicodeCIDFont("STSong-Light"))

    def draw(paper: Canvas) -> None:
        paper.setFont("STSong-Light", 10)
        paper.drawString(72, 760, "第一季度的订单总额为")
        paper.drawString(72, 747, "三百万元。")

    assert texts(read_pdf(sheet(draw))) == ["第一季度的订单总额为三百万元。"]


def test_two_columns_are_read_one_after_the_other(sheet: Sheet) -> None:
    left = [f"Left line {n} of running text in it" for n in range(12)]
    right = [f"Right line {n} of running text here" for n in range(12)]

    def draw(paper: Canvas) -> None:
        lines_at(left)(paper)
        lines_at(right, x=320)(paper)

    whole = " ".join(texts(read_pdf(sheet(draw))))
    assert whole.index("Left line 11") < whole.index("Right line 0")


def test_headers_and_page_numbers_are_set_apart_and_kept(sheet: Sheet) -> None:
    bodies = ["Orders rose.", "Returns fell.", "Stock was stable."]

    def page(number: int) -> Draw:
        def draw(paper: Canvas) -> None:
            paper.setFont("Helvetica", 10)
            paper.drawString(72, 815, "Annual report")
            paper.drawString(290, 20, str(number))
            lines_at([bodies[number - 7]])(paper)

        return draw

    document = read_pdf(sheet(*(page(number) for number in (7, 8, 9))))
    assert texts(document) == bodies
    assert texts(document, "header") == ["Annual report"] * 3
    assert texts(document, "page-number") == ["7", "8", "9"]


def test_number_at_the_end_of_a_page_that_counts_nothing_stays_text(sheet: Sheet) -> None:
    document = read_pdf(sheet(*(lines_at([f"Total {n}"]) for n in ("a", "b")), lines_at(["4711"], y=20)))
    assert "4711" in texts(document)


def test_sums_at_the_top_of_pages_are_data(sheet: Sheet) -> None:
    sums = ["Sum of 2019: 12", "Sum of 2020: 47", "Sum of 2021: 3"]
    assert texts(read_pdf(sheet(*(lines_at([text], y=815) for text in sums)))) == sums


def test_ruled_table_has_its_cells(sheet: Sheet) -> None:
    rows = [("code", "name", "sales"), ("000021", "Alpha Ltd", "12.5"), ("300707", "", "-3")]
    table = read_pdf(sheet(ruled_at(rows, (72, 150, 300, 380)))).tables[0]
    assert table.rows == tuple(rows)
    assert table.header_rows == 1


@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(*[st.from_regex(r"[A-Za-z0-9,.%()$-]{1,9}( [A-Za-z0-9]{1,5})?", fullmatch=True)] * 3),
        min_size=2,
        max_size=12,
    )
)
def test_cells_of_a_ruled_table_come_back_exactly(sheet: Sheet, rows: list[tuple[str, str, str]]) -> None:
    assert [table.rows for table in read_pdf(sheet(ruled_at(rows, (60, 200, 340, 480)))).tables] == [tuple(rows)]


def test_header_over_two_columns_names_both(sheet: Sheet) -> None:
    def draw(paper: Canvas) -> None:
        paper.setFont("Helvetica", 10)
        for y in (722, 690, 630):
            paper.line(72, y, 400, y)
        paper.line(200, 708, 400, 708)
        paper.drawString(280, 711, "Sales")
        for number, row in enumerate([("Region", "2021", "2022"), ("North", "12", "13"), ("South", "9", "8")]):
            for x, text in zip((72, 220, 340), row, strict=True):
                paper.drawString(x, 695 - 18 * number, text)

    table = read_pdf(sheet(draw)).tables[0]
    assert table.header_rows == 2
    assert table.rows[:2] == (("Region", "Sales", "Sales"), ("Region", "2021", "2022"))


@pytest.mark.parametrize("share", [0.2, 0.5, 0.9])
def test_truncated_file_is_refused_or_recovered(sheet: Sheet, tmp_path: Path, share: float) -> None:
    whole = sheet(lines_at(["Some text."])).read_bytes()
    cut = tmp_path / "cut.pdf"
    cut.write_bytes(whole[: int(len(whole) * share)])
    message = ""
    try:
        read = texts(read_pdf(cut))
    except DocumentError as error:
        read, message = [], error.message
    assert read == ["Some text."] or message.startswith("`cut.pdf`")


def test_unruled_table_has_its_cells(sheet: Sheet) -> None:
    rows = [("Region", "2021", "2022"), ("North", "1,200", "1,300"), ("South", "900", "850"), ("West", "70", "81")]

    def draw(paper: Canvas) -> None:
        for number, row in enumerate(rows):
            for x, text in zip((72, 200, 280), row, strict=True):
                paper.drawString(x, 700 - 14 * number, text)

    assert read_pdf(sheet(draw)).tables[0].rows == tuple(rows)


def test_wrapped_label_is_one_row(sheet: Sheet) -> None:
    def draw(paper: Canvas) -> None:
        lines = [
            ("Cost of goods and", ""), ("  services sold", ""), ("Sales", "10"), ("Depreciation of long-lived", "20"),
            ("   assets", ""), ("Rent", "30"), ("Wages", "40"),
        ]  # fmt: skip
        for number, (label, value) in enumerate(lines[2:]):
            paper.drawString(72 + 6 * label.startswith(" "), 700 - 12 * number, label.strip())
            paper.drawString(260, 700 - 12 * number, value)

    table = read_pdf(sheet(draw)).tables[0]
    assert [list(row) for row in table.rows] == [
        ["Sales", "10"], ["Depreciation of long-lived assets", "20"], ["Rent", "30"], ["Wages", "40"],
    ]  # fmt: skip


def test_table_goes_on_over_pages_with_its_header_once(sheet: Sheet) -> None:
    head = ("code", "name", "sales")
    first = [head, ("1", "a", "10"), ("2", "b", "20")]
    second = [head, ("3", "c", "30"), ("4", "d", "40")]
    across = (72, 150, 300, 380)
    document = read_pdf(sheet(ruled_at(first, across), ruled_at(second, across)))
    assert [table.rows for table in document.tables] == [tuple(first + second[1:])]
    assert document.tables[0].row_pages == (1, 1, 1, 2, 2)


def test_table_of_a_turned_page_is_read_upright(sheet: Sheet) -> None:
    rows = [("code", "name"), ("1", "alpha"), ("2", "beta")]

    def draw(paper: Canvas) -> None:
        paper.rotate(90)
        paper.translate(0, -595)
        ruled_at(rows, (72, 150, 300), y=500)(paper)

    document = read_pdf(sheet(draw))
    assert document.tables[0].rows == tuple(rows)
    assert "turned" in [note.code for note in document.notes]


def test_overprinted_letters_are_taken_once(sheet: Sheet) -> None:
    def draw(paper: Canvas) -> None:
        for shift in (0, 0.3):
            paper.drawString(72 + shift, 700, "Balance of 2024")

    assert texts(read_pdf(sheet(draw)), "text") == ["Balance of 2024"]


def test_prose_is_no_table(sheet: Sheet) -> None:
    prose = [
        "The quick brown fox jumps over the lazy dog and runs away",
        "from it, as it is told in 3 of 10 books.",
    ] * 6
    assert read_pdf(sheet(lines_at(prose))).tables == ()


def test_same_file_gives_the_same_document(sheet: Sheet) -> None:
    path = sheet(ruled_at([("a", "b"), ("1", "2")], (72, 150, 300)), lines_at(["Some text."]))
    assert read_pdf(path) == read_pdf(path)


def test_password_is_refused_with_a_hint(sheet: Sheet) -> None:
    lock = pdfencrypt.StandardEncryption("secret", ownerPassword="owner")
    path = sheet(lines_at(["Hidden."]), encrypt=lock)
    with pytest.raises(DocumentError, match="locked by a password") as caught:
        read_pdf(path)
    assert caught.value.hint is not None


def test_empty_password_opens(sheet: Sheet) -> None:
    lock = pdfencrypt.StandardEncryption("", ownerPassword="owner")
    assert texts(read_pdf(sheet(lines_at(["Open to all."]), encrypt=lock))) == ["Open to all."]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"a,b\n1,2\n", "is no PDF"),
        (b"%PDF-1.7\n1 0 obj\n<<", "damaged or cut off"),
        (b"version https://git-lfs.github.com/spec/v1\n", "Git LFS pointer"),
    ],
)
def test_what_is_no_pdf_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "bad.pdf"
    path.write_bytes(content)
    with pytest.raises(DocumentError, match=message) as caught:
        read_pdf(path)
    assert caught.value.message.startswith("`bad.pdf`")
    assert caught.value.hint


def test_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match=r"nothing\.pdf"):
        read_pdf(tmp_path / "nothing.pdf")


def test_scan_without_ocr_is_refused_with_a_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    path = shared_data() / "pdf" / "docling_ocr" / "ocr_test.pdf"
    monkeypatch.setattr("debriefer.documents.pdf.reading.reader", lambda: None)
    with pytest.raises(DocumentError, match="is a scan") as caught:
        read_pdf(path)
    assert "debriefer[video]" in str(caught.value.hint)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ocr_test", "ocr_test_rotated_270"])
def test_scan_is_read_by_ocr(name: str) -> None:
    pytest.importorskip("rapidocr")
    document = read_pdf(shared_data() / "pdf" / "docling_ocr" / f"{name}.pdf")
    assert "Docling bundles PDF document conversion to" in " ".join(texts(document))


def test_locked_real_file_is_refused() -> None:
    with pytest.raises(DocumentError, match="locked by a password"):
        read_pdf(shared_data() / "pdf" / "camelot" / "health_protected.pdf")


def test_real_turned_table_is_upright() -> None:
    document = read_pdf(shared_data() / "pdf" / "pdfplumber" / "senate-expenditures.pdf")
    assert "37,499.96" in document.tables[0].rows[2]
    assert document.tables[0].rows[2][2] == "BAIN, J MATTHEW"
