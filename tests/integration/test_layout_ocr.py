# ruff: noqa: ANN401 -- whatever a socket is called with
"""RapidOCR on drawn slides: what it reads, that it needs no net, and that it leaves no trace."""

from __future__ import annotations

import socket
import unicodedata
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from debriefer.errors import MediaError
from debriefer.media.layout import ocr
from debriefer.media.layout.build import tree_of
from debriefer.media.layout.ink import Ink
from debriefer.media.layout.ocr import RapidOcr, _windows
from debriefer.media.layout.series import SeriesOcr
from debriefer.media.layout.tables import tables
from debriefer.media.layout_reading import OcrLayout
from debriefer.media.slide import Box
from debriefer.media.tree import Ocr, TextLine
from tests.doubles import pictures
from tests.doubles.pictures import Picture

rapidocr = pytest.importorskip("rapidocr", reason="rapidocr is not installed")


def plain(text: str) -> str:
    return unicodedata.normalize("NFKC", " ".join(text.split()))


def small() -> Picture:
    picture = Picture(640, 360)
    picture.text(20, 16, "Net Lending by Branch Office", 24, bold=True)
    rows = [["No", "Branch", "Amount"], ["1", "Mill", "007.30"], ["2", "Copper Lane", "1,508.91"], ["7", "", "-4.2%"]]
    picture.table(20, 60, [70, 260, 200], rows, row_height=34, size=16)
    picture.text(20, 230, "Threshold", 14, "#64748b")
    picture.text(20, 252, "***", 22)
    picture.text(200, 240, "Retail", 18, struck=True)
    picture.panel((380, 228, 620, 268), "#1f3a68")
    picture.text(400, 238, "Light on dark 86.40", 17, "#ffffff")
    return picture


@pytest.fixture(scope="module")
def reader() -> Ocr:
    return RapidOcr()


@pytest.fixture
def no_net(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        pytest.fail("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.mark.usefixtures("no_net")
def test_a_slide_is_read_without_net_files_or_words(reader: Ocr, capfd: pytest.CaptureFixture[str]) -> None:
    pictures.need_fonts()
    models = Path(rapidocr.__file__).parent / "models"
    before = sorted((path.name, path.stat().st_mtime_ns) for path in models.iterdir())
    picture = small()
    lines = reader.read(picture.array())
    assert capfd.readouterr() == ("", "")
    assert sorted((path.name, path.stat().st_mtime_ns) for path in models.iterdir()) == before
    assert sorted(line.text for line in lines) == sorted(text for text, _ in picture.texts)
    places = dict(picture.texts)
    for line in lines:
        # The ink lies within the font's own box, which has room for accents and side bearings.
        box = places[line.text]
        assert box.left - 3 <= line.box.left < line.box.right <= box.right + 3
        assert box.top - 3 <= line.box.top < line.box.bottom <= box.bottom + 3
        assert 0.5 <= line.confidence <= 1
    table = tables(tree_of(picture.array(), lines))[0]
    assert [list(table.columns), *map(list, table.rows)] == picture.tables[0]


def test_a_changed_cell_is_read_anew_and_the_rest_is_taken_over(reader: RapidOcr) -> None:
    pictures.need_fonts()
    picture = small()
    before = reader.read(picture.array())
    changed = next(box for text, box in picture.texts if text == "1,508.91")
    picture.draw.rectangle((changed.left, changed.top, changed.right, changed.bottom), fill="#ffffff")
    picture.text(changed.left, changed.top, "1,503.97", 16, record=False)
    image = picture.array()
    after = reader.reread(image, before, [changed])
    assert [line.text for line in after] == [line.text.replace("1,508.91", "1,503.97") for line in before]
    far = [line for line in before if line.box.top > 200]
    assert [line for line in after if line.box.top > 200] == far


def test_only_what_changed_is_recognised_again(reader: RapidOcr, monkeypatch: pytest.MonkeyPatch) -> None:
    pictures.need_fonts()
    picture = small()
    first = picture.array()
    changed = next(box for text, box in picture.texts if text == "-4.2%")
    picture.draw.rectangle((changed.left, changed.top, changed.right, changed.bottom), fill="#ffffff")
    picture.text(changed.left, changed.top, "-4.3%", 16, record=False)
    second = picture.array()
    seen: list[int] = []
    recognise = ocr._Engine._recognise

    def counted(engine: ocr._Engine, image: Any, ink: Ink) -> TextLine | None:
        seen.append(ink.box.left)
        return recognise(engine, image, ink)

    monkeypatch.setattr(ocr._Engine, "_recognise", counted)
    series = SeriesOcr(reader)
    before = series.read(first)
    whole = len(seen)
    after = series.read(second)
    assert [line.text for line in after] == [line.text.replace("-4.2%", "-4.3%") for line in before]
    assert len(seen) - whole < whole / 3
    again = len(seen)
    assert series.read(first) == before
    assert len(seen) == again


def test_a_digit_that_the_detector_overlooks_is_read_where_its_column_is(
    reader: RapidOcr, monkeypatch: pytest.MonkeyPatch
) -> None:
    pictures.need_fonts()
    picture = Picture(640, 360)
    for number, name in enumerate(("Mill", "Copper Lane", "Dale Row", "Foss Street"), start=1):
        picture.text(40, 60 + 40 * number, str(number), 16)
        picture.text(90, 60 + 40 * number, name, 16)
        picture.text(400, 60 + 40 * number, f"{900 - 7 * number}.25", 16)
    image = picture.array()
    gone = dict(picture.texts)["3"]
    detect = ocr._Engine._detect

    def blind(engine: ocr._Engine, image: Any, scale: float) -> list[Box]:
        return [
            box
            for box in detect(engine, image, scale)
            if not (box.left < gone.right and box.top < gone.bottom < box.bottom + 8)
        ]

    monkeypatch.setattr(ocr._Engine, "_detect", blind)
    lines = reader.read(image)
    assert [line.text for line in lines if line.box.left < 80] == ["1", "2", "3", "4"]
    image[gone.top - 2 : gone.bottom + 2, gone.left - 2 : gone.right + 2] = 255
    assert [line.text for line in reader.read(image) if line.box.left < 80] == ["1", "2", "4"]


def test_a_layout_reader_for_a_video_says_what_one_for_a_picture_says(reader: RapidOcr) -> None:
    pictures.need_fonts()
    layout = OcrLayout(reader)
    series = layout.series()
    image = small().array()
    assert series.name == layout.name
    assert series.read(image) == layout.read(image) == series.read(image)


@pytest.mark.slow
@pytest.mark.parametrize("crf", [23, 32])
@pytest.mark.parametrize("han", [False, True])
def test_compressed_slides_are_read_to_the_last_digit(reader: Ocr, han: bool, crf: int) -> None:
    pytest.importorskip("av", reason="PyAV is not installed")
    pictures.need_fonts(han=han)
    for picture in (pictures.ranking(crf, han=han, style="zebra"), pictures.cards(crf, han=han)):
        lines = reader.read(pictures.compressed(picture.array(), crf))
        # A blank before a bracket is the eye's own: the picture has none, or half of one.
        read = sorted(plain(line.text).replace(" (", "(") for line in lines)
        assert read == sorted(plain(text).replace(" (", "(") for text, _ in picture.texts)


@pytest.mark.parametrize(
    "image", [np.zeros((5, 5), np.uint8), np.zeros((5, 5, 3), np.float32), np.zeros((0, 5, 3), np.uint8)]
)
def test_what_is_no_picture_is_refused(reader: Ocr, image: Any) -> None:
    with pytest.raises(MediaError, match="a picture must be"):
        reader.read(image)


def test_an_empty_picture_has_no_lines(reader: Ocr) -> None:
    assert reader.read(np.full((90, 160, 3), 255, dtype=np.uint8)) == ()


def test_models_are_never_fetched(tmp_path: Path) -> None:
    image = np.zeros((40, 40, 3), dtype=np.uint8)
    with pytest.raises(MediaError, match="is no folder with OCR models"):
        RapidOcr(tmp_path / "absent").read(image)
    with pytest.raises(MediaError, match=r"has 0 files `\*det\*\.onnx`"):
        RapidOcr(tmp_path).read(image)
    for kind in ("det", "rec"):
        (tmp_path / f"{kind}.onnx").write_bytes(b"not a model")
    with pytest.raises(MediaError, match="cannot be loaded as OCR models"):
        RapidOcr(tmp_path).read(image)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["det.onnx", "rec.onnx"]


def test_the_name_tells_the_models(reader: Ocr) -> None:
    assert reader.name.startswith("rapidocr ")
    assert "det" in reader.name
    assert "rec" in reader.name


def test_changes_that_touch_are_one_window() -> None:
    windows = _windows([Box(100, 100, 120, 110), Box(130, 100, 150, 110), Box(600, 400, 610, 410)], (), 1280, 720)
    assert windows == [Box(76, 76, 174, 134), Box(576, 376, 634, 434)]
