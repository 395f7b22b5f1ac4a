"""The scene of the diagram: one item for each box and link; only items that differ are updated."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from PySide6.QtCore import QEasingCurve, QObject, QPointF, QRectF, QSizeF, QVariantAnimation, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QGraphicsItem, QGraphicsRectItem, QGraphicsScene

from cdb_desktop.schema.diagram.groups import group_of_box
from cdb_desktop.schema.diagram.heat import HeatKind, TableHeat
from cdb_desktop.schema.diagram.model import Arrangement, Box, Diagram, Edge, Point, RoutedEdge
from cdb_desktop.schema.diagram.routing import direct_links
from cdb_desktop.schema.document.element_ref import ColumnRef, ElementRef, TableRef, table_key_of
from cdb_desktop.ui.schema.diagram.heat_item import HeatItem
from cdb_desktop.ui.schema.diagram.link_item import LinkItem
from cdb_desktop.ui.schema.diagram.overview import OverviewItem
from cdb_desktop.ui.schema.diagram.regions import GroupBoxItem, GroupRegions
from cdb_desktop.ui.schema.diagram.style import KEYS, DiagramFonts, DiagramStyle, SideMarks, table_kinds
from cdb_desktop.ui.schema.diagram.table_item import BoxLine, RemovedTableItem, TableItem
from cdb_desktop.ui.schema.page.findings import Findings
from cdb_desktop.ui.theme.appearance import Appearance

_ANIMATION_MS = 220
_MARGIN = 40.0


class DiagramScene(QGraphicsScene):
    """The boxes and links of one diagram.

    ``tables`` are the items of top-level tables by key, ``removed_tables`` those of removed ones.

    Signals: ``content_changed`` when boxes, their colors or the selection have changed · ``boxes_chosen``
    with the tables when several are selected, or no longer · ``signs_changed`` when other elements than
    before have changes · ``selection_changed`` when another element or group is selected.
    """

    content_changed = Signal()
    boxes_chosen = Signal(object)
    signs_changed = Signal()
    selection_changed = Signal()

    def __init__(self, appearance: Appearance, font: QFont, parent: QObject | None = None) -> None:
        super().__init__(parent)
        # An index finds only items without a parent faster, and asks each changed item for its rectangle.
        self.setItemIndexMethod(QGraphicsScene.ItemIndexMethod.NoIndex)
        self._appearance = appearance
        self.diagram_style = DiagramStyle(DiagramFonts(font), appearance.tokens, {}, {})
        self.tables: dict[int, TableItem] = {}
        self._link_items: dict[int, LinkItem] = {}
        self._are_links_late = False  # items of links are not those of the diagram
        self._shown_links: tuple[RoutedEdge, ...] | None = None  # what these items show, None if unknown
        self._highlighted: frozenset[int] = frozenset()  # keys of the columns of links
        self.removed_tables: dict[int, RemovedTableItem] = {}
        self._item_by_table: dict[int, TableItem] = {}
        self._links_by_table: dict[int, list[RoutedEdge]] = {}
        self._pointed: Edge | None = None
        # What a search has found, and in which top-level tables.
        self._found: tuple[frozenset[ElementRef], frozenset[int]] = (frozenset(), frozenset())
        # The parent of the items of boxes and links, to hide them all.
        self._details = QGraphicsRectItem()
        self._details.setFlag(QGraphicsItem.GraphicsItemFlag.ItemHasNoContents)
        self.regions = GroupRegions(self.diagram_style)
        self._overview = OverviewItem(self.diagram_style, self.regions)
        self._overview.hide()
        self._heat = HeatItem(self.diagram_style, self.tables)
        self._heat.hide()
        for item in (self.regions.item, self._details, self._overview, self._heat, self.regions.labels):
            self.addItem(item)
        self._animation: QVariantAnimation | None = None
        self.is_dragging = False
        self._zoom = 1.0
        self.diagram = Diagram((), (), Arrangement())
        appearance.changed.connect(self._update_colors)

    @property
    def links(self) -> Mapping[int, LinkItem]:
        """The items of links by the keys of their columns.

        At small zooms they are hidden, and updated when they are asked for.
        """
        if self._are_links_late:
            self._show_links()
        return self._link_items

    @property
    def bounds(self) -> QRectF:
        """The rectangle that contains all boxes and links."""
        left, top, right, bottom = self.diagram.bounds
        result = QRectF(QPointF(left, top), QPointF(right, bottom)).united(self.regions.bounds)
        return result.adjusted(-_MARGIN, -_MARGIN, _MARGIN, _MARGIN)

    def show_diagram(self, diagram: Diagram, *, moving: bool = False) -> None:
        """Shows a diagram; ``moving`` animates the boxes."""
        self._stop_animation()
        self.diagram = diagram
        self.diagram_style.hits = self._marked_hits()
        before = {key: item.pos() for key, item in self.tables.items()} if moving else {}
        self._show_boxes(diagram.by_table)
        self.choose_boxes(self.chosen_boxes)
        self._show_removed_tables(diagram.ghosts)
        self.regions.show_diagram(diagram)
        if self._heat.isVisible():
            self._heat.update()
        self._item_by_table = {table: item for item in self.tables.values() for table in item.box.tables}
        for group in diagram.arrangement.groups.collapsed:
            if group.box in self.tables:
                self._item_by_table.update(dict.fromkeys(group.tables, self.tables[group.box]))
        self._find_selected_box()
        self.show_links(diagram.links)
        duration = self._appearance.duration(_ANIMATION_MS)
        if moving and duration and self._details.isVisible():
            self._animate(before, duration)

    def show_links(self, links: Sequence[RoutedEdge]) -> None:
        """Shows the links of the diagram; they replace those of `diagram`."""
        self.diagram = replace(self.diagram, links=tuple(links))
        former, self.diagram_style.kinds = self.diagram_style.kinds, table_kinds(self.diagram)
        for table, kind in self.diagram_style.kinds.items():
            if former.get(table) is not kind and table in self.tables:
                self.tables[table].update()
        self._overview.show_diagram(self.diagram, is_dragging=self.is_dragging)
        self._links_by_table = {}
        self._are_links_late = True
        if self._details.isVisible():
            self._show_links()
        self._highlight()
        self.content_changed.emit()

    def move_boxes(self, corners: Mapping[int, Point]) -> None:
        """Moves boxes that are being dragged; their links ignore others until `show_diagram` is called."""
        for table, corner in corners.items():
            item = self.tables[table]
            item.show_box(item.box.at(corner))
            self.regions.move_box(item.box)
        boxes = {key: other.box for key, other in self.tables.items()}
        there = {link.edge.ref.column: link for table in corners for link in self.links_at(table)}
        links = tuple(direct_links(there.values(), boxes))
        if self._details.isVisible():
            self._shown_links = None
            for link in links:
                self.links[link.edge.ref.column].show_link(link)
        self._overview.move_boxes({table: boxes[table] for table in corners}, links)
        self.content_changed.emit()

    def show_zoom(self, zoom: float) -> None:
        """Shows as many details as are legible at a zoom."""
        if zoom != self._zoom:
            self._overview.forget_names()
        self._zoom = zoom
        far = zoom < KEYS
        if far != self._overview.isVisible():
            if not far and self._are_links_late:
                self._show_links()
            self._overview.setVisible(far)
            self._details.setVisible(not far)

    def links_at(self, table: int) -> list[RoutedEdge]:
        """The links of a top-level table and of those nested in it."""
        if not self._links_by_table:
            for link in self.diagram.links:
                for key in {link.edge.source, link.edge.target}:
                    self._links_by_table.setdefault(key, []).append(link)
        return self._links_by_table.get(table, [])

    def show_findings(self, findings: Findings) -> None:
        """Shows the signs of changes and problems."""
        style, signs, severities = self.diagram_style, findings.painted_signs, findings.severities
        style.note = findings.note
        if (style.signs, style.severities) != (signs, severities):
            before = style.signs.keys()
            style.signs, style.severities = signs, severities
            self._overview.show_state()
            self.update()
            self.content_changed.emit()
            if before != signs.keys():
                self.signs_changed.emit()

    def show_heat(
        self,
        heat: Mapping[int, TableHeat] | None,
        note: Callable[[ElementRef], str],
        kind: HeatKind = HeatKind.WRITES,
    ) -> None:
        """Shows the use of top-level tables, None to show it no longer; ``note`` is for tooltips."""
        style = self.diagram_style
        style.heat, style.use_note, style.heat_kind = heat, note, kind
        self._heat.setVisible(heat is not None)
        self._overview.show_state()
        self.update()

    def show_sides(self, sides: Mapping[ElementRef, SideMarks], note: Callable[[ElementRef], str]) -> None:
        """Shows what both sides of a merge have changed; ``note`` is for tooltips."""
        self.diagram_style.sides, self.diagram_style.note = sides, note
        self._overview.show_state()
        self.update()

    def show_removed(self, removed: frozenset[ElementRef]) -> None:
        """Sets which elements are painted as removed."""
        if removed != self.diagram_style.removed:
            self.diagram_style.removed = removed
            self.update()

    def show_scope(self, beyond: Mapping[int, int], path: frozenset[ElementRef]) -> None:
        """Shows the numbers of links with tables that are not shown, and highlights the links of a path."""
        style = self.diagram_style
        if (style.beyond, style.path) != (beyond, path):
            changed, is_other_path = style.beyond.keys() ^ beyond.keys(), style.path != path
            style.beyond, style.path = beyond, path
            for table in changed & self.tables.keys():
                self.tables[table].update_rect()
            if is_other_path:
                self._highlight()
            self.update()

    def show_hits(self, hits: frozenset[ElementRef], hit: ElementRef, tables: frozenset[int]) -> None:
        """Marks what a search has found, and the hit that is walked to.

        ``tables`` are the top-level tables of the hits; collapsed groups of these are marked as well.
        """
        style = self.diagram_style
        self._found = hits, tables
        marked = self._marked_hits()
        if (style.hits, style.hit) != (marked, hit):
            style.hits, style.hit = marked, hit
            self._overview.show_state()
            self.regions.update()
            self.update()
            self.content_changed.emit()

    def _marked_hits(self) -> frozenset[ElementRef]:
        hits, tables = self._found
        groups = self.diagram.arrangement.groups.collapsed if hits else ()
        return hits.union(TableRef(group.box) for group in groups if group.tables & tables)

    @property
    def hit_tables(self) -> frozenset[int]:
        """The top-level tables in which a search has found something."""
        return self._overview.hit_tables

    def choose(self, ref: ElementRef) -> None:
        """Selects an element and highlights its links."""
        before, self.diagram_style.selection = self.diagram_style.selection, ref
        if not (isinstance(ref, TableRef) and ref.table in self.chosen_boxes):
            self.choose_boxes(frozenset())
        if ref == before:
            return
        self._find_selected_box()
        for each in {before, ref}:
            item = self.item_of(each)
            if item is not None:
                item.update()
        for removed in self.removed_tables.values():
            removed.update()
        if any(isinstance(each, TableRef) and group_of_box(each.table) is not None for each in (before, ref)):
            self.regions.update()
        self._overview.show_selection()
        self._highlight()
        self.content_changed.emit()
        if before != ref:
            self.selection_changed.emit()

    def _find_selected_box(self) -> None:
        item = self.item_of(self.diagram_style.selection)
        self.diagram_style.selected_box = None if item is None else item.box.table

    @property
    def is_moving(self) -> bool:
        """Whether boxes are being animated."""
        return self._animation is not None

    @property
    def chosen_boxes(self) -> frozenset[int]:
        """The selected tables if there are several, else empty."""
        return self.diagram_style.chosen_boxes

    def choose_boxes(self, tables: frozenset[int]) -> None:
        """Selects several boxes of tables; one alone is the business of `choose`."""
        found = frozenset(table for table in tables & self.tables.keys() if group_of_box(table) is None)
        found = found if len(found) > 1 else frozenset()
        before, self.diagram_style.chosen_boxes = self.diagram_style.chosen_boxes, found
        for key in before ^ found:
            if key in self.tables:
                self.tables[key].update()
        if before != found:
            self._overview.update()
            self.boxes_chosen.emit(found)

    def point_at(self, edge: Edge | None) -> None:
        """Highlights the link under the pointer, and the rows that it connects."""
        if edge != self._pointed:
            self._pointed = edge
            self._highlight()

    def _highlight(self) -> None:
        ref, pointed = self.diagram_style.selection, self._pointed
        item = self.item_of(ref)
        is_group = item is not None and group_of_box(item.box.table) is not None
        if item is not None and is_group:
            ref = TableRef(item.box.table)
        table = table_key_of(ref)
        column = ref if isinstance(ref, ColumnRef) else None
        linked: set[ElementRef] = set()
        highlighted: set[int] = set()
        path = self.diagram_style.path
        for link in self.diagram.links:
            edge = link.edge
            ends = (edge.source, edge.target) if is_group else (edge.ref.table, edge.linked)
            is_related = table in ends and (column is None or edge.ref == column)
            # Hashes and comparisons of all links would take most of the time.
            if is_related or (pointed is not None and edge == pointed) or (path and edge.ref in path):
                highlighted.add(edge.ref.column)
                linked |= {edge.ref, TableRef(edge.linked)}
        before, self._highlighted = self._highlighted, frozenset(highlighted)
        if not self._are_links_late:
            for key in before ^ self._highlighted:
                if key in self._link_items:
                    self._link_items[key].set_highlighted(on=key in highlighted)
        changed = linked ^ self.diagram_style.linked
        self.diagram_style.linked = frozenset(linked)
        if changed:
            self._overview.update()
        for item in {self.item_of(each) for each in changed}:
            if item is not None:
                item.update()

    def item_of(self, ref: ElementRef) -> TableItem | None:
        """The item of the top-level table that contains an element."""
        table = table_key_of(ref)
        return None if table is None else self._item_by_table.get(table)

    def removed_item(self, ref: ElementRef) -> RemovedTableItem | None:
        """The item of a removed table."""
        return self.removed_tables.get(ref.table) if isinstance(ref, TableRef) else None

    def line_of(self, ref: ElementRef) -> tuple[TableItem, BoxLine] | None:
        """The item and the line of an element."""
        item = self.item_of(ref)
        line = item.line_of(ref) if item else None
        return (item, line) if item and line else None

    def line_at(self, point: QPointF) -> tuple[TableItem, BoxLine] | None:
        """The item and the line that are painted at a point."""
        x, y = point.x(), point.y()
        named = self._overview.name_at(point) if self._zoom < KEYS else None
        if named in self.tables:
            return self.tables[named], self.tables[named].lines[0]
        for item in reversed(self.tables.values()):
            box = item.box
            if box.x <= x <= box.x + box.width and box.y <= y <= box.y + box.height:
                line = item.line_at(QPointF(x - box.x, y - box.y), self._zoom)
                if line is not None:
                    return item, line
        return None

    def beyond_at(self, point: QPointF, zoom: float) -> int | None:
        """The table whose number of links with tables that are not shown is at a point."""
        for table in self.diagram_style.beyond:
            item = self.tables.get(table)
            if item is not None and item.beyond_rect(zoom).contains(point - item.pos()):
                return table
        return None

    def name_size(self, table: int) -> QSizeF | None:
        """The size in pixels of the name of a table, if the zoom is so small that only names are painted."""
        return self._overview.name_size(table) if self._zoom < KEYS else None

    def line_beside(self, point: QPointF, reach: float) -> BoxLine | None:
        """The line of the box that is within ``reach`` at the left or right of a point."""
        x, y = point.x(), point.y()
        for item in self.tables.values():
            box = item.box
            if box.x - reach <= x <= box.x + box.width + reach and box.y <= y <= box.y + box.height:
                inside = QPointF(min(max(x - box.x, 0.0), box.width), y - box.y)
                return item.line_at(inside, self._zoom)
        return None

    def removed_at(self, point: QPointF) -> TableRef | None:
        """The removed table at a point."""
        found = (
            item.ref for item in self.removed_tables.values() if item.sceneBoundingRect().contains(point)
        )
        return next(found, None)

    def link_at(self, point: QPointF, reach: float) -> Edge | None:
        """The link within ``reach`` of a point; highlighted links first."""
        found = [(item.distance(point, reach) - item.zValue() * reach, item) for item in self.links.values()]
        least, nearest = min(found, key=lambda each: each[0], default=(float("inf"), None))
        return nearest.link.edge if nearest is not None and least < float("inf") else None

    def _show_boxes(self, boxes: Mapping[int, Box]) -> None:
        for key in self.tables.keys() - boxes.keys():
            self.removeItem(self.tables.pop(key))
        for key, box in boxes.items():
            if key in self.tables:
                self.tables[key].show_box(box)
            else:
                kind = TableItem if group_of_box(key) is None else GroupBoxItem
                self.tables[key] = kind(box, self.diagram_style, self._details)

    def _show_links(self) -> None:
        self._are_links_late = False
        items = self._link_items
        if self.diagram.links != self._shown_links:
            self._shown_links = self.diagram.links
            shown = {link.edge.ref.column: link for link in self.diagram.links}
            for key in items.keys() - shown.keys():
                self.removeItem(items.pop(key))
            for key, link in shown.items():
                if key in items:
                    items[key].show_link(link)
                else:
                    items[key] = LinkItem(link, self.diagram_style, self._details)
        for key, item in items.items():
            item.set_highlighted(on=key in self._highlighted)

    def _show_removed_tables(self, boxes: tuple[Box, ...]) -> None:
        for key in self.removed_tables.keys() - {box.table for box in boxes}:
            self.removeItem(self.removed_tables.pop(key))
        for box in boxes:
            if box.table in self.removed_tables:
                self.removed_tables[box.table].show_box(box)
            else:
                self.removed_tables[box.table] = RemovedTableItem(box, self.diagram_style, self._details)

    def _animate(self, before: Mapping[int, QPointF], duration: int) -> None:
        ends = {key: item.pos() for key, item in self.tables.items() if key in before}
        for link in self._link_items.values():
            link.hide()
        animation = QVariantAnimation(self, duration=duration, startValue=0.0, endValue=1.0)
        animation.setEasingCurve(QEasingCurve.Type.InOutCubic)

        def step(part: float) -> None:
            for key, end in ends.items():
                if key in self.tables:
                    self.tables[key].setPos(before[key] + (end - before[key]) * part)

        animation.valueChanged.connect(step)
        animation.finished.connect(self._stop_animation)
        self._animation = animation
        animation.start()

    def _stop_animation(self) -> None:
        animation, self._animation = self._animation, None
        if animation is None:
            return
        animation.stop()
        animation.deleteLater()
        for item in self.tables.values():
            item.setPos(item.box.x, item.box.y)
        for link in self._link_items.values():
            link.show()
        self.update()

    def _update_colors(self) -> None:
        self.diagram_style.tokens = self._appearance.tokens
        self._overview.show_state()
        self.update()
        self.content_changed.emit()
