"""The scene of the diagram: keeps an item for each box and link, and touches only those that changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from PySide6.QtCore import QEasingCurve, QObject, QPointF, QRectF, Qt, QVariantAnimation
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QGraphicsScene

from cdb_desktop.schema.diagram.model import Arrangement, Box, Diagram, Edge, RoutedEdge
from cdb_desktop.schema.document.element_ref import DOCUMENT, ColumnRef, ElementRef, table_key_of
from cdb_desktop.ui.schema.box_lines import Line
from cdb_desktop.ui.schema.diagram_fonts import DiagramFonts
from cdb_desktop.ui.schema.ghost_item import GhostItem
from cdb_desktop.ui.schema.link_item import LinkItem
from cdb_desktop.ui.schema.look import Look
from cdb_desktop.ui.schema.page import Findings
from cdb_desktop.ui.schema.table_item import TableItem
from cdb_desktop.ui.theme.appearance import Appearance

_MOTION = 220  # milliseconds
_MARGIN = 40.0


class DiagramScene(QGraphicsScene):
    """Boxes and links of one diagram."""

    def __init__(self, appearance: Appearance, font: QFont, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self.look = Look(DiagramFonts(font), appearance.tokens, {}, {})
        self._tables: dict[int, TableItem] = {}
        self._links: dict[int, LinkItem] = {}
        self._ghosts: dict[int, GhostItem] = {}
        self._home: dict[int, TableItem] = {}
        self._motion: QVariantAnimation | None = None
        self.diagram = Diagram((), (), Arrangement())
        appearance.changed.connect(self._recolour)

    @property
    def tables(self) -> Mapping[int, TableItem]:
        """The items of top-level tables by their keys."""
        return self._tables

    @property
    def ghosts(self) -> Mapping[int, GhostItem]:
        """The items of removed tables by their keys."""
        return self._ghosts

    @property
    def bounds(self) -> QRectF:
        """Where boxes and links are."""
        result = QRectF()
        boxes: tuple[TableItem | GhostItem, ...] = (*self._tables.values(), *self._ghosts.values())
        for item in boxes:
            # Where it will be at the end if it is gliding.
            result = result.united(item.boundingRect().translated(item.box.x, item.box.y))
        for link in self._links.values():
            result = result.united(link.sceneBoundingRect())
        return result.adjusted(-_MARGIN, -_MARGIN, _MARGIN, _MARGIN)

    def show_diagram(self, diagram: Diagram, *, moving: bool = False) -> None:
        """Shows a diagram; ``moving`` lets the boxes glide to their places."""
        self._stop()
        self.diagram = diagram
        before = {key: item.pos() for key, item in self._tables.items()}
        self._show_boxes(diagram.by_table)
        self._show_ghosts(diagram.ghosts)
        self._show_links({link.edge.ref.column: link for link in diagram.links})
        self._home = {table: item for item in self._tables.values() for table in _tables_in(item.box)}
        self.choose(self.look.selection)
        duration = self._appearance.duration(_MOTION)
        if moving and duration:
            self._glide(before, duration)

    def show_findings(self, findings: Findings) -> None:
        """Shows signs of changes and problems."""
        if (self.look.signs, self.look.faults) != (findings.signs, findings.faults):
            self.look.signs, self.look.faults = findings.signs, findings.faults
            self.update()

    def choose(self, place: ElementRef) -> None:
        """Shows what is selected, and the links that belong to it."""
        before, self.look.selection = self.look.selection, place
        for each in {before, place}:
            item = self.item_of(each)
            if item is not None:
                item.update()
        for ghost in self._ghosts.values():
            ghost.update()
        for link in self._links.values():
            link.choose(on=_belongs(link.link, place))

    def item_of(self, place: ElementRef) -> TableItem | None:
        """The item in which a place lies."""
        table = table_key_of(place)
        return None if table is None else self._home.get(table)

    def line_of(self, place: ElementRef) -> tuple[TableItem, Line] | None:
        """The line of a place and the item that it is in."""
        item = self.item_of(place)
        line = item.line_of(place) if item else None
        return (item, line) if item and line else None

    def line_at(self, point: QPointF) -> tuple[TableItem, Line] | None:
        """What lies under a point."""
        for item in self.items(point):
            if isinstance(item, TableItem):
                line = item.line_at(item.mapFromScene(point))
                if line is not None:
                    return item, line
        return None

    def ghost_at(self, point: QPointF) -> GhostItem | None:
        """The ghost under a point on which no box stands."""
        return next((item for item in self.items(point) if isinstance(item, GhostItem)), None)

    def link_at(self, point: QPointF, reach: float) -> Edge | None:
        """The link that passes a point within ``reach``; selected links come first."""
        near = QRectF(point.x() - reach, point.y() - reach, 2 * reach, 2 * reach)
        for item in self.items(near, Qt.ItemSelectionMode.IntersectsItemBoundingRect):
            if isinstance(item, LinkItem) and item.is_near(point, reach):
                return item.link.edge
        return None

    def _show_boxes(self, boxes: Mapping[int, Box]) -> None:
        for key in self._tables.keys() - boxes.keys():
            self.removeItem(self._tables.pop(key))
        for key, box in boxes.items():
            if key in self._tables:
                self._tables[key].show_box(box)
            else:
                self._tables[key] = TableItem(box, self.look)
                self.addItem(self._tables[key])

    def _show_ghosts(self, boxes: tuple[Box, ...]) -> None:
        for key in self._ghosts.keys() - {box.table for box in boxes}:
            self.removeItem(self._ghosts.pop(key))
        for box in boxes:
            if box.table in self._ghosts:
                self._ghosts[box.table].show_box(box)
            else:
                self._ghosts[box.table] = GhostItem(box, self.look)
                self.addItem(self._ghosts[box.table])

    def _show_links(self, links: Mapping[int, RoutedEdge]) -> None:
        for key in self._links.keys() - links.keys():
            self.removeItem(self._links.pop(key))
        for key, link in links.items():
            if key in self._links:
                self._links[key].show_link(link)
            else:
                self._links[key] = LinkItem(link, self.look)
                self.addItem(self._links[key])

    def _glide(self, before: Mapping[int, QPointF], duration: int) -> None:
        ends = {key: item.pos() for key, item in self._tables.items() if key in before}
        for link in self._links.values():
            link.hide()
        motion = QVariantAnimation(self, duration=duration, startValue=0.0, endValue=1.0)
        motion.setEasingCurve(QEasingCurve.Type.InOutCubic)

        def step(part: float) -> None:
            for key, end in ends.items():
                if key in self._tables:
                    self._tables[key].setPos(before[key] + (end - before[key]) * part)

        motion.valueChanged.connect(step)
        motion.finished.connect(self._stop)
        self._motion = motion
        motion.start()

    def _stop(self) -> None:
        motion, self._motion = self._motion, None
        if motion is None:
            return
        motion.stop()
        motion.deleteLater()
        for item in self._tables.values():
            item.setPos(item.box.x, item.box.y)
        for link in self._links.values():
            link.show()

    def _recolour(self) -> None:
        self.look.tokens = self._appearance.tokens
        self.update()


def _tables_in(box: Box) -> Iterator[int]:
    yield box.table
    for nested in box.nested:
        yield from _tables_in(nested)


def _belongs(link: RoutedEdge, place: ElementRef) -> bool:
    wire = link.edge
    if isinstance(place, ColumnRef):
        return wire.ref == place
    return place != DOCUMENT and table_key_of(place) in (wire.ref.table, wire.linked)
