"""Slides drawn with Pillow, with the truth about what they show: texts with boxes, tables, states."""

from __future__ import annotations

import random
import shutil
import subprocess
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from debriefer.media.slide import Box

_LATIN = Path("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf")
_LATIN_BOLD = _LATIN.with_name("DejaVuSans-Bold.ttf")
_HAN = (
    Path("/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc"),
    Path("/usr/share/fonts/truetype/wqy/wqy-microhei.ttc"),
)


@cache
def _found(pattern: str) -> Path | None:
    tool = shutil.which("fc-match")
    if tool is None:
        return None
    shown = subprocess.run([tool, "-f", "%{family}\t%{file}", pattern], capture_output=True, text=True, check=False)
    family, _, file = shown.stdout.partition("\t")
    wanted = pattern.split(":")[0]
    return Path(file) if wanted in family and Path(file).is_file() else None


@cache
def latin_font(bold: bool = False) -> Path | None:
    path = _LATIN_BOLD if bold else _LATIN
    return path if path.is_file() else _found("DejaVu Sans:bold" if bold else "DejaVu Sans")


@cache
def han_font(bold: bool = False) -> Path | None:
    for path in _HAN:
        heavy = path.with_name(path.name.replace("Regular", "Bold"))
        if bold and heavy.is_file():
            return heavy
        if path.is_file():
            return path
    return _found("Noto Sans CJK SC") or _found("WenQuanYi Micro Hei")


def need_fonts(*, han: bool = False) -> None:
    """Skip the test where a font that it draws with is absent."""
    if latin_font() is None:
        pytest.skip("no DejaVu Sans on this machine")
    if han and han_font() is None:
        pytest.skip("no font with Chinese characters on this machine")


@dataclass
class Picture:
    """A picture under construction, and what was put on it.

    Attributes:
        texts: Each text with its box, in the order of drawing.
        tables: Each table as rows of cells; a blank cell is an empty text.
    """

    width: int = 1280
    height: int = 720
    background: str = "#ffffff"
    han: bool = False
    texts: list[tuple[str, Box]] = field(default_factory=list)
    tables: list[list[list[str]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.image = Image.new("RGB", (self.width, self.height), self.background)
        self.draw = ImageDraw.Draw(self.image)

    def font(self, size: int, bold: bool = False) -> ImageFont.FreeTypeFont:
        path = han_font(bold) if self.han else latin_font(bold)
        assert path is not None
        return ImageFont.truetype(str(path), size)

    def text(
        self,
        x: float,
        y: float,
        text: str,
        size: int = 18,
        color: str = "#222222",
        *,
        bold: bool = False,
        anchor: str = "lt",
        struck: bool = False,
        record: bool = True,
    ) -> Box:
        font = self.font(size, bold)
        self.draw.text((x, y), text, fill=color, font=font, anchor=anchor)
        left, top, right, bottom = self.draw.textbbox((x, y), text, font=font, anchor=anchor)
        if struck:
            middle = (top + bottom) / 2
            self.draw.line((left - 2, middle, right + 2, middle), fill=color, width=2)
        box = Box(int(left), int(top), int(right) + 1, int(bottom) + 1)
        if record and text:
            self.texts.append((text, box))
        return box

    def panel(self, box: tuple[int, int, int, int], fill: str, outline: str | None = None, radius: int = 0) -> None:
        self.draw.rounded_rectangle(box, radius=radius, fill=fill, outline=outline, width=1)

    def button(self, x: int, y: int, text: str, fill: str, color: str, size: int = 16) -> tuple[int, int, int, int]:
        width = int(self.draw.textlength(text, font=self.font(size))) + 32
        self.panel((x, y, x + width, y + size + 20), fill, radius=6)
        self.text(x + width / 2, y + (size + 20) / 2, text, size, color, anchor="mm")
        return x, y, x + width, y + size + 20

    def table(
        self,
        x: int,
        y: int,
        widths: list[int],
        rows: list[list[str]],
        *,
        style: str = "grid",
        row_height: int = 36,
        size: int = 17,
        color: str = "#222222",
        line: str = "#b8c0cc",
        header: str | None = "#e8edf4",
        header_color: str | None = None,
        align: str = "left",
        zebra: str = "#f3f6fa",
        selected: int | None = None,
        selected_fill: str = "#fff3bf",
        merged: dict[tuple[int, int], int] | None = None,
        record: bool = True,
    ) -> Box:
        """Draw a table; `merged` maps (row, column) to the number of columns that the cell covers."""
        merged = merged or {}
        right, bottom = x + sum(widths), y + row_height * len(rows)
        edges = [x + sum(widths[:index]) for index in range(len(widths) + 1)]
        for number in range(len(rows)):
            top = y + number * row_height
            fill = None
            if number == 0:
                fill = header
            elif number == selected:
                fill = selected_fill
            elif style == "zebra" and number % 2 == 0:
                fill = zebra
            if fill:
                self.draw.rectangle((x, top, right, top + row_height), fill=fill)
        if style in {"grid", "rows"}:
            for number in range(len(rows) + 1):
                at = y + number * row_height
                self.draw.line((x, at, right, at), fill=line)
        if style == "grid":
            for number in range(len(rows)):
                skipped = {
                    column + step for (row, column), span in merged.items() if row == number for step in range(1, span)
                }
                for column, at in enumerate(edges):
                    if column not in skipped:
                        self.draw.line((at, y + number * row_height, at, y + (number + 1) * row_height), fill=line)
        for number, row in enumerate(rows):
            for column, cell in enumerate(row):
                if not cell:
                    continue
                span = merged.get((number, column), 1)
                left, end = edges[column], edges[column + span]
                middle = y + number * row_height + row_height / 2
                shade = header_color if number == 0 and header_color else color
                numeric = cell[:1].isdigit() or cell[:1] in "+-¥$"
                if span > 1:
                    self.text((left + end) / 2, middle, cell, size, shade, anchor="mm", bold=number == 0)
                elif align == "mixed" and (
                    numeric or (number == 0 and column and rows[1][column][:1] in "+-0123456789")
                ):
                    self.text(end - 12, middle, cell, size, shade, anchor="rm", bold=number == 0)
                elif align == "center":
                    self.text((left + end) / 2, middle, cell, size, shade, anchor="mm", bold=number == 0)
                else:
                    self.text(left + 12, middle, cell, size, shade, anchor="lm", bold=number == 0)
        if record:
            self.tables.append([list(row) for row in rows])
        return Box(x, y, right + 1, bottom + 1)

    def array(self) -> NDArray[np.uint8]:
        return np.asarray(self.image, dtype=np.uint8).copy()


REGIONS = ("North", "South", "East", "West", "Central", "Coastal", "Northern Isles", "Upper Valley")
REGIONS_HAN = ("华东地区", "华南地区", "华北地区", "西南地区", "西北地区", "东北地区", "华中地区", "港澳台")


def ranking(seed: int, *, style: str = "grid", han: bool = False, dark: bool = False, align: str = "mixed") -> Picture:
    """A title and a ranking of 8 rows with small figures."""
    chance = random.Random(seed)
    picture = Picture(background="#10182a" if dark else "#ffffff", han=han)
    ink = "#e8edf6" if dark else "#222222"
    picture.text(60, 40, "2026年第一季度销售额排名" if han else "Revenue Ranking, Q1 2026", 34, ink, bold=True)
    picture.text(60, 92, "单位：亿元，截至2026-03-31" if han else "Unit: million USD, as of 2026-03-31", 16, "#8a94a6")
    header = ["排名", "地区", "客户代码", "销售额", "同比"] if han else ["Rank", "Region", "Code", "Revenue", "Change"]
    rows = [header]
    for number, region in enumerate(REGIONS_HAN if han else REGIONS, start=1):
        rows.append(
            [
                str(number),
                region,
                f"{chance.randrange(1_000_000):06d}",
                f"{chance.randrange(100, 99_999) / 100:,.2f}",
                f"{chance.choice('+-')}{chance.randrange(1, 400) / 10:.1f}%",
            ]
        )
    picture.table(
        60,
        140,
        [90, 300, 220, 260, 220],
        rows,
        style=style,
        row_height=52,
        size=18,
        color=ink,
        line="#33415c" if dark else "#b8c0cc",
        header="#1c2942" if dark else "#e8edf4",
        zebra="#162036" if dark else "#f3f6fa",
        align=align,
    )
    picture.text(60, 660, "数据来源：内部系统" if han else "Source: internal system, batch 20260331", 14, "#8a94a6")
    return picture


def cards(seed: int, *, han: bool = False) -> Picture:
    """Four summary cards over two charts of printed values."""
    chance = random.Random(seed)
    picture = Picture(background="#f2f4f8", han=han)
    picture.panel((0, 0, 1280, 72), "#1f3a68")
    picture.text(40, 36, "经营概览" if han else "Operations Overview", 28, "#ffffff", bold=True, anchor="lm")
    names = (
        ("总收入（亿元）", "订单数", "活跃客户", "退货率")
        if han
        else ("Total Revenue (M)", "Order Count", "Active Customers", "Return Rate")
    )
    values = (
        f"{chance.randrange(10_000, 999_999) / 100:,.2f}",
        f"{chance.randrange(1_000, 99_999):,}",
        f"{chance.randrange(100, 9_999):,}",
        f"{chance.randrange(10, 99) / 10:.1f}%",
    )
    for number, (name, value) in enumerate(zip(names, values, strict=True)):
        left = 40 + number * 304
        picture.panel((left, 100, left + 284, 230), "#ffffff", "#d9dfe8", radius=8)
        picture.text(left + 20, 122, name, 16, "#667085")
        picture.text(left + 20, 158, value, 36, "#101828", bold=True)
    picture.panel((40, 256, 1240, 690), "#ffffff", "#d9dfe8", radius=8)
    picture.text(64, 276, "各地区收入" if han else "Revenue by Region", 20, "#101828", bold=True)
    rows = []
    for number, region in enumerate((REGIONS_HAN if han else REGIONS)[:6]):
        top = 330 + number * 58
        value = chance.randrange(100, 999)
        picture.text(220, top + 14, region, 16, "#344054", anchor="rm")
        picture.draw.rectangle((240, top, 240 + value * 0.8, top + 28), fill="#3b7ddd")
        picture.text(240 + value * 0.8 + 10, top + 14, f"{value / 10:.1f}", 15, "#344054", anchor="lm")
        rows.append([region, f"{value / 10:.1f}"])
    picture.tables.append(rows)
    return picture


def filters(seed: int, *, han: bool = False) -> Picture:
    """A filter panel with selected, plain, disabled and struck entries, masked values, and buttons."""
    chance = random.Random(seed)
    picture = Picture(background="#ffffff", han=han)
    picture.text(60, 36, "筛选条件" if han else "Filter Settings", 32, "#111827", bold=True)
    picture.panel((40, 100, 600, 680), "#f8fafc", "#cbd5e1")
    picture.panel((640, 100, 1240, 680), "#f8fafc", "#cbd5e1")
    names = (
        ("统计周期", "最低金额", "客户类型", "阈值")
        if han
        else ("Period", "Minimum Amount", "Customer Type", "Threshold")
    )
    values = (
        f"2026-0{chance.randrange(1, 10)}",
        f"{chance.randrange(10, 99)},000.50",
        "企业客户" if han else "Enterprise",
        "***",
    )
    for number, (name, value) in enumerate(zip(names, values, strict=True)):
        picture.text(70, 130 + number * 90, name, 15, "#64748b")
        picture.text(70, 156 + number * 90, value, 22, "#0f172a")
    entries = ("全部", "线上", "线下", "批发") if han else ("All channels", "Online", "Retail", "Wholesale")
    for number, entry in enumerate(entries):
        top = 130 + number * 56
        if number == 1:
            picture.panel((660, top - 12, 1220, top + 36), "#2563eb")
        shade = ("#0f172a", "#ffffff", "#0f172a", "#c5ccd6")[number]
        picture.text(680, top, entry, 20, shade, struck=number == 2)
    picture.button(680, 600, "应用筛选" if han else "Apply Filter", "#2563eb", "#ffffff")
    picture.button(860, 600, "重置" if han else "Reset", "#e2e8f0", "#334155")
    return picture


def compressed(image: NDArray[np.uint8], crf: int) -> NDArray[np.uint8]:
    """Return the picture as it comes back from H.264 at a constant rate factor."""
    import io

    import av

    buffer = io.BytesIO()
    with av.open(buffer, "w", format="mp4") as container:
        stream = container.add_stream("libx264", rate=25, options={"crf": str(crf), "preset": "veryfast"})
        stream.width, stream.height, stream.pix_fmt = image.shape[1], image.shape[0], "yuv420p"
        for _ in range(6):
            for packet in stream.encode(av.VideoFrame.from_ndarray(image, format="rgb24")):
                container.mux(packet)
        for packet in stream.encode():
            container.mux(packet)
    buffer.seek(0)
    with av.open(buffer) as container:
        frames = list(container.decode(video=0))
    return frames[-1].to_ndarray(format="rgb24")
