"""Which line is next when somebody walks through the diagram with the arrow keys."""

from __future__ import annotations

from PySide6.QtCore import QPointF

from cdb_desktop.schema.document.element_ref import ElementRef
from cdb_desktop.ui.schema.diagram_scene import DiagramScene
from cdb_desktop.ui.schema.table_item import TableItem


def next_line(scene: DiagramScene, place: ElementRef, down: int) -> ElementRef | None:
    """The line above or below; from the last one of a box on to the box below."""
    found = scene.line_of(place)
    if found is None:
        return _first(scene)
    item, line = found
    at = item.lines.index(line) + down
    if 0 <= at < len(item.lines):
        return item.lines[at].place
    other = _nearest(scene, item, QPointF(0, down))
    if other is None:
        return None
    return other.lines[0 if down > 0 else -1].place


def beside(scene: DiagramScene, place: ElementRef, across: int) -> ElementRef | None:
    """The head of the nearest box to the left or to the right."""
    found = scene.line_of(place)
    if found is None:
        return _first(scene)
    other = _nearest(scene, found[0], QPointF(across, 0))
    return other.lines[0].place if other else None


def _first(scene: DiagramScene) -> ElementRef | None:
    items = sorted(scene.tables.values(), key=lambda item: (item.pos().x(), item.pos().y()))
    return items[0].lines[0].place if items else None


def _nearest(scene: DiagramScene, item: TableItem, way: QPointF) -> TableItem | None:
    """The box that lies most in a direction: what is aside counts three times."""
    here = item.sceneBoundingRect().center()
    best: tuple[float, TableItem] | None = None
    for other in scene.tables.values():
        gone = other.sceneBoundingRect().center() - here
        ahead = gone.x() * way.x() + gone.y() * way.y()
        aside = abs(gone.x() * way.y()) + abs(gone.y() * way.x())
        cost = ahead + 3 * aside
        if other is not item and ahead > 1 and (best is None or cost < best[0]):
            best = (cost, other)
    return best[1] if best else None
