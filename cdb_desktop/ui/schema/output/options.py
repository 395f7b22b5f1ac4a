"""What is written of the diagram, how, and where to: chosen in the dialog and remembered."""

from __future__ import annotations

from contextlib import suppress
from math import floor, sqrt
from typing import Literal

import msgspec
from PySide6.QtCore import QRectF, QSettings, QSize, QSizeF
from PySide6.QtGui import QPageLayout, QPageSize

Format = Literal["svg", "png", "pdf", "dot", "paper"]
Part = Literal["all", "visible", "selected"]
Colors = Literal["screen", "light", "dark"]
# ``drawing``: one page as large as the diagram; ``fit``: one sheet of paper; ``tiles``: as many as needed.
Pages = Literal["drawing", "fit", "tiles"]

SCALES = (50, 400)  # percent
PAPER_SCALES = (10, 400)
PAPERS = {
    "A4": QPageSize.PageSizeId.A4,
    "A3": QPageSize.PageSizeId.A3,
    "A2": QPageSize.PageSizeId.A2,
    "A1": QPageSize.PageSizeId.A1,
    "A0": QPageSize.PageSizeId.A0,
    "Letter": QPageSize.PageSizeId.Letter,
    "Legal": QPageSize.PageSizeId.Legal,
    "Tabloid": QPageSize.PageSizeId.Tabloid,
}

_MOST_PIXELS = 100_000_000  # 400 MB while it is painted
_LONGEST_SIDE = 32_000  # Qt paints no farther
_KEY = "schema/output"


class OutputOptions(msgspec.Struct, frozen=True):
    """``scale`` in percent is that of pictures, ``paper_scale`` that of several pages."""

    format: Format = "svg"
    part: Part = "all"
    colors: Colors = "light"
    scale: int = 200
    transparent: bool = False
    pages: Pages = "drawing"
    paper: str = "A4"
    landscape: bool = True
    paper_scale: int = 100
    heading: bool = True
    legend: bool = True

    @property
    def has_pages(self) -> bool:
        """Whether the diagram is divided among or fitted to sheets of paper."""
        return self.format == "paper" or (self.format == "pdf" and self.pages != "drawing")

    @property
    def page_layout(self) -> QPageLayout:
        """The paper without margins."""
        kind = QPageLayout.Orientation.Landscape if self.landscape else QPageLayout.Orientation.Portrait
        size = QPageSize(PAPERS.get(self.paper, QPageSize.PageSizeId.A4))
        return QPageLayout(size, kind, QPageLayout().margins())


def stored_options(settings: QSettings) -> OutputOptions:
    """The options that were used last; the default ones if there are none that can be read."""
    with suppress(msgspec.MsgspecError):
        return msgspec.json.decode(str(settings.value(_KEY, "{}")), type=OutputOptions)
    return OutputOptions()


def store_options(settings: QSettings, options: OutputOptions) -> None:
    """Remembers the options for the next time."""
    settings.setValue(_KEY, msgspec.json.encode(options).decode())


def image_size(bounds: QRectF, percent: int) -> QSize:
    """The size of a picture in pixels."""
    size = QSizeF(bounds.size()) * (percent / 100)
    return QSize(max(round(size.width()), 1), max(round(size.height()), 1))


def largest_scale(bounds: QRectF) -> int:
    """The largest scale in percent at which a picture can be painted."""
    width, height = max(bounds.width(), 1.0), max(bounds.height(), 1.0)
    by_area = sqrt(_MOST_PIXELS / (width * height))
    by_side = _LONGEST_SIDE / max(width, height)
    return max(floor(100 * min(by_area, by_side)), 1)
