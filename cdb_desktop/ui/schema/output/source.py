"""What is written of the diagram: of the page or of a merge, with its heading, and with which options."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from math import floor, sqrt
from typing import Literal

import msgspec
from PySide6.QtCore import QRectF, QSettings, QSize, QSizeF
from PySide6.QtGui import QPageLayout, QPageSize

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.schema.diagram.groups import group_of_box
from cdb_desktop.schema.diagram.model import Diagram
from cdb_desktop.schema.document.model import Document
from cdb_desktop.ui.schema.diagram.view import DiagramView
from cdb_desktop.ui.schema.output.picture import (
    DiagramPicture,
    Heading,
    PagePlan,
    PaperFonts,
    file_style,
    part_of,
)
from cdb_desktop.ui.schema.page.state import PageState
from cdb_desktop.ui.schema.view import SchemaView
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.tokens import DARK, LIGHT, Tokens
from cdb_desktop.vocabulary.times import day_and_time, offset


@dataclass(frozen=True)
class DiagramSource:
    """The diagram of a view.

    ``title`` names the service or file, ``version`` what of it is shown; ``state`` is what the marks are
    about that it shows for a time.
    """

    view: DiagramView
    appearance: Appearance
    document: Document
    title: str
    version: str
    state: str

    @classmethod
    def of_page(cls, view: SchemaView, page: PageState, title: str) -> DiagramSource:
        """The diagram of the page."""
        panel = view.diagram_panel
        version = _version_text(page) if page.compared is None else panel.time_line.text
        return cls(view.diagram, view.appearance, page.document, title, version, panel.state_text)

    @property
    def parts(self) -> Mapping[str, str]:
        """The parts of the diagram that can be chosen, with their texts."""
        parts = {"all": tr("everything"), "visible": tr("what is visible")}
        if self._selected:
            parts["selected"] = tr("what is selected")
        return parts

    @property
    def dots(self) -> int:
        """Dots per inch of the screen on which the texts were measured."""
        return self.view.logicalDpiX()

    def picture(self, options: OutputOptions, dots: float | None = None) -> DiagramPicture:
        """The picture for options; ``dots`` per inch are those of a device other than the screen."""
        view, diagram = self.view, self.view.diagram_scene.diagram
        if options.part == "selected":
            diagram = part_of(diagram, self._selected)
        fonts = None if dots is None else PaperFonts(view.font(), self.dots / dots)
        visible = view.seen
        return DiagramPicture(
            diagram,
            file_style(view.diagram_scene, self._tokens(options), fonts),
            area=visible.intersected(view.diagram_scene.bounds) if options.part == "visible" else None,
            heading=self._heading(diagram) if options.heading else None,
            has_legend=options.legend,
        )

    def plan(self, options: OutputOptions, bounds: QRectF, layout: QPageLayout | None = None) -> PagePlan:
        """The pages for a picture, on paper as in the options or with another ``layout``."""
        scale = options.paper_scale / 100 if options.pages == "tiles" else None
        paper = (layout or options.page_layout).fullRect(QPageLayout.Unit.Millimeter).size()
        return PagePlan(bounds, paper, self.dots, scale)

    @property
    def _selected(self) -> frozenset[int]:
        """The selected top-level tables, or the one that contains the selection."""
        scene = self.view.diagram_scene
        item = scene.item_of(scene.diagram_style.selection)
        one = frozenset() if item is None else frozenset({item.box.table})
        return scene.chosen_boxes or one

    def _tokens(self, options: OutputOptions) -> Tokens:
        chosen = {"light": LIGHT, "dark": DARK}
        return chosen.get(options.colors, self.appearance.tokens)

    def _heading(self, diagram: Diagram) -> Heading:
        shown, tables = _table_count(diagram, self.document), len(self.document.tables)
        count = tr("{tables:One table|{tables} tables}", tables=tables)
        if shown < tables:
            count = tr("{shown} of {tables:one table|{tables} tables}", shown=shown, tables=tables)
        now = datetime.now(UTC)
        details = (
            self.version,
            count,
            tr("{links:one link|{links} links}", links=sum(link.edge.count for link in diagram.links)),
            f"{day_and_time(now)} {offset(now)}",
        )
        return Heading(self.title, " · ".join(filter(None, details)), self.state)


def _table_count(diagram: Diagram, document: Document) -> int:
    """The tables in a diagram with nested ones, and those in collapsed groups."""
    groups = diagram.arrangement.groups.by_key
    tops: list[int] = []
    for box in diagram.boxes:
        group = group_of_box(box.table)
        tops += [box.table] if group is None or group not in groups else groups[group].tables
    return sum(1 + len(document.nested_below(key)) for key in tops)


def _version_text(page: PageState) -> str:
    """The version that is shown; a file has none."""
    if page.shown_version is not None:
        return tr("committed version {version}", version=str(page.shown_version))
    is_saved = page.editing.is_saved or page.past is not None
    if page.file:
        return "" if is_saved else tr("not saved")
    number = page.editing.head.version if page.editing.head is not None else 1
    return f"HEAD v{number}" if is_saved else f"HEAD v{number}, {tr('not saved')}"


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
