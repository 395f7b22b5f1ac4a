"""What screen readers find in the diagram: a tree of tables, nested tables, columns and links.

The items of a scene are no objects that Qt could describe, so the interfaces are written here. Nothing is
made before a screen reader asks.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, Qt, QTimer
from PySide6.QtGui import (
    QAccessible,
    QAccessibleActionInterface,
    QAccessibleEvent,
    QAccessibleInterface,
    QWindow,
)
from PySide6.QtWidgets import QAccessibleWidget
from shiboken6 import VoidPtr, getCppPointer, isValid

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.schema.diagram.groups import group_of_box
from cdb_desktop.schema.diagram.model import Box, BoxRow, Diagram, Edge, Mark, mark_text
from cdb_desktop.schema.document.element_ref import DOCUMENT, ColumnRef, ElementRef, TableRef
from cdb_desktop.ui.schema.diagram.style import DiagramStyle
from cdb_desktop.ui.schema.diagram.view import DiagramView
from cdb_desktop.ui.schema.page.findings import state_texts

_DELAY = 150  # milliseconds after a change, such as those of a drag, before it is reported
_RENAME = "rename"
_Role, _Event, _Text = QAccessible.Role, QAccessible.Event, QAccessible.Text
# AT-SPI gets tree items as table cells, and Orca reads a cell with children as the texts of these, without
# its name; it reads items of lists with their name, state and position.
ITEM_ROLE = _Role.TreeItem if sys.platform in ("win32", "darwin") else _Role.ListItem


class DiagramOutline:
    """The elements of a diagram in the order of the document, below their tables, with changes and problems.

    ``children`` has the top-level tables at None, and removed ones after them. ``names`` is what is read out.
    """

    def __init__(self, diagram: Diagram, style: DiagramStyle) -> None:
        self.children: dict[ElementRef | None, list[ElementRef]] = {None: []}
        self.parents: dict[ElementRef, ElementRef | None] = {}
        self.names: dict[ElementRef, str] = {}
        self._style = style
        self._edges: dict[ElementRef, Edge] = {link.edge.ref: link.edge for link in diagram.links}
        self._tables = {box.table: box.name for box in _all_boxes(diagram.boxes)}
        groups = diagram.arrangement.groups.by_key
        for box in diagram.boxes:
            group = group_of_box(box.table)
            if group is None:
                self._add_table(box, None)
            else:
                count = len(groups[group].tables) if group in groups else 0
                text = tr("{name}, group of {tables:one table|{tables} tables}", name=box.name, tables=count)
                self._add(TableRef(box.table), None, text)
        for box in diagram.ghosts:
            self._add(TableRef(box.table), None, tr("{name}, removed table", name=box.name))

    def _add_table(self, box: Box, parent: ElementRef | None) -> None:
        ref = TableRef(box.table)
        columns = sum(isinstance(row.ref, ColumnRef) for row in box.rows)
        kind = (
            tr("{name}, table", name=box.name)
            if parent is None
            else tr("{name}, nested table", name=box.name)
        )
        texts = [kind, tr("{columns:one column|{columns} columns}", columns=columns)]
        self._add(ref, parent, ", ".join((*texts, *map(mark_text, box.marks), *self._states(ref))))
        members: list[Box | BoxRow] = sorted([*box.rows, *box.nested], key=lambda member: member.y)
        for member in members:
            if isinstance(member, Box):
                self._add_table(member, ref)
            else:
                self._add(member.ref, ref, ", ".join(self._row_texts(member)))

    def _row_texts(self, row: BoxRow) -> Iterator[str]:
        edge = self._edges.get(row.ref)
        if edge is not None:
            target = self._tables.get(edge.linked, "")
            yield tr("{column} links to {table}", column=row.name, table=target)
        elif row.type.isprintable() and row.type not in ("", "←"):
            yield f"{row.name}: {row.type}"
        else:
            yield row.name
        for mark in row.marks:
            yield tr("required") if mark is Mark.REQUIRED and edge is not None else mark_text(mark)
        if edge is not None and edge.on_delete:
            yield tr("on delete: {rule}", rule=edge.on_delete)
        yield from self._states(row.ref)

    def _states(self, ref: ElementRef) -> Iterator[str]:
        return state_texts(self._style.signs.get(ref, ""), self._style.severities.get(ref))

    def _add(self, ref: ElementRef, parent: ElementRef | None, name: str) -> None:
        self.children.setdefault(parent, []).append(ref)
        self.parents[ref] = parent
        self.names[ref] = name


def _all_boxes(boxes: Sequence[Box]) -> Iterator[Box]:
    for box in boxes:
        yield box
        yield from _all_boxes(box.nested)


class DiagramAccessibility(QObject):
    """Describes a view to screen readers, and reports changes of the diagram and of its selection."""

    def __init__(self, view: DiagramView) -> None:
        super().__init__(view)
        self.view = view
        self._elements: dict[ElementRef, _Element] = {}
        scene = view.diagram_scene
        self._outlined: tuple[object, ...] = ()  # what the outline was made of
        self._outline = self._reported = DiagramOutline(scene.diagram, scene.diagram_style)
        self._selection: ElementRef = DOCUMENT
        self._timer = QTimer(self, singleShot=True, interval=_DELAY)
        self._timer.timeout.connect(self._report)
        view.diagram_scene.content_changed.connect(self._show_changed)
        view.diagram_scene.selection_changed.connect(self._show_selection)
        view.installEventFilter(self)

    @staticmethod
    def of(view: DiagramView) -> DiagramAccessibility:
        """That of a view, made if there is none yet."""
        found = view.findChild(DiagramAccessibility)
        return found if isinstance(found, DiagramAccessibility) else DiagramAccessibility(view)

    @property
    def outline(self) -> DiagramOutline:
        """The elements of the diagram that is shown."""
        scene = self.view.diagram_scene
        style = scene.diagram_style
        made_of = (scene.diagram, style.signs, style.severities)
        if not self._outlined or any(
            one is not other for one, other in zip(made_of, self._outlined, strict=True)
        ):
            self._outlined = made_of
            self._outline = DiagramOutline(scene.diagram, style)
        return self._outline

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Reports the selected element when the view gets the focus, after Qt has reported the view."""
        if event.type() == QEvent.Type.FocusIn:
            QTimer.singleShot(0, self._show_selection)
        return False

    def element(self, ref: ElementRef) -> _Element | None:
        """The interface of an element, None if it is not in the diagram."""
        if ref not in self.outline.parents:
            return None
        found = self._elements.get(ref)
        if found is None:
            found = self._elements[ref] = _Element(self, ref)
        return found

    def description(self, ref: ElementRef) -> str:
        """What tooltips say of an element: its changes, and its use while that is shown."""
        style = self.view.diagram_scene.diagram_style
        notes = (style.note(ref), style.use_note(ref) if style.heat is not None else "")
        return "\n".join(filter(None, notes))

    def _show_changed(self) -> None:
        """Reports changes a little later, once for many."""
        if QAccessible.isActive() and not self._timer.isActive():
            self._timer.start()

    def _show_selection(self) -> None:
        """Another element is selected: with the focus, screen readers read it out."""
        if not QAccessible.isActive():
            return
        selection = self.view.diagram_scene.diagram_style.selection
        before, self._selection = self._elements.get(self._selection), selection
        if before is not None and before.ref != selection and before.isValid():
            QAccessible.updateAccessibility(QAccessibleEvent(before, _Event.SelectionRemove))
        element = self.element(selection)
        if element is None:
            return
        QAccessible.updateAccessibility(QAccessibleEvent(element, _Event.Selection))
        if self.view.hasFocus():
            QAccessible.updateAccessibility(QAccessibleEvent(element, _Event.Focus))

    def rect(self, ref: ElementRef) -> QRect:
        """Where an element is on the screen; outside the view if it is not visible."""
        view, item = self.view, self.view.diagram_scene.item_of(ref)
        if item is not None and ref == TableRef(item.box.table):
            found = QRectF(view.mapFromScene(item.sceneBoundingRect()).boundingRect())
        else:
            found = view.line_rect(ref) or QRectF()
        rect = found.toRect()
        return QRect(view.viewport().mapToGlobal(rect.topLeft()), rect.size())

    def element_at(self, x: int, y: int) -> _Element | None:
        """The element at a point of the screen."""
        point = self.view.mapToScene(self.view.viewport().mapFromGlobal(QPoint(x, y)))
        found = self.view.diagram_scene.line_at(point)
        ref = self.view.diagram_scene.removed_at(point) if found is None else found[1].ref
        return None if ref is None else self.element(ref)

    def _report(self) -> None:
        """Reports what has changed since the last time."""
        before, now = self._reported, self.outline
        self._reported = now
        for ref in self._elements.keys() - now.parents.keys():
            gone = self._elements.pop(ref)
            QAccessible.updateAccessibility(QAccessibleEvent(gone, _Event.ObjectDestroyed))
            QAccessible.deleteAccessibleInterface(QAccessible.uniqueId(gone))
        if before.children != now.children:
            QAccessible.updateAccessibility(QAccessibleEvent(self.view, _Event.ObjectReorder))
        for ref, element in self._elements.items():
            if ref in before.names and before.names[ref] != now.names[ref]:
                QAccessible.updateAccessibility(QAccessibleEvent(element, _Event.NameChanged))


_installed: list[bool] = []


def describe_diagrams() -> None:
    """Lets screen readers find what is in each DiagramView that is created from now on."""
    if not _installed:
        _installed.append(True)
        QAccessible.installFactory(_make_interface)


def _make_interface(_class_name: str, widget: QObject) -> QAccessibleInterface | None:
    """Qt asks for the interface of each of its objects; None for all but diagrams."""
    return _Root(DiagramAccessibility.of(widget)) if isinstance(widget, DiagramView) else None


class _Root(QAccessibleWidget):
    """The view. Its children are the top-level tables and its widgets, such as the field for a name."""

    def __init__(self, diagram: DiagramAccessibility) -> None:
        super().__init__(diagram.view, _Role.Tree)
        self._diagram = diagram

    def childCount(self) -> int:  # noqa: N802
        return len(self._tables) + super().childCount()

    def child(self, index: int) -> QAccessibleInterface | None:  # type: ignore[override]
        tables = self._tables
        if 0 <= index < len(tables):
            return self._diagram.element(tables[index])
        return super().child(index - len(tables))

    def indexOfChild(self, child: QAccessibleInterface) -> int:  # noqa: N802
        if isinstance(child, _Element):
            return self._tables.index(child.ref) if child.ref in self._tables else -1
        found = super().indexOfChild(child)
        return found if found < 0 else found + len(self._tables)

    def childAt(self, x: int, y: int) -> QAccessibleInterface | None:  # type: ignore[override]  # noqa: N802
        return self._diagram.element_at(x, y)

    def focusChild(self) -> QAccessibleInterface | None:  # type: ignore[override]  # noqa: N802
        view = self._diagram.view
        if not view.hasFocus():
            return super().focusChild()
        return self._diagram.element(view.diagram_scene.diagram_style.selection)

    def text(self, kind: QAccessible.Text) -> str:
        if kind == _Text.Description:
            tables = len(self._diagram.view.diagram_scene.diagram.boxes)
            return tr("{tables:One table|{tables} tables}; the arrow keys select", tables=tables)
        return super().text(kind)

    @property
    def _tables(self) -> list[ElementRef]:
        return self._diagram.outline.children[None]


class _Element(QAccessibleInterface, QAccessibleActionInterface):
    """A table, column or link."""

    def __init__(self, diagram: DiagramAccessibility, ref: ElementRef) -> None:
        QAccessibleInterface.__init__(self)
        QAccessibleActionInterface.__init__(self)
        self._diagram = diagram
        self.ref = ref

    def isValid(self) -> bool:  # noqa: N802
        return isValid(self._diagram) and self.ref in self._diagram.outline.parents

    def object(self) -> QObject | None:  # type: ignore[override]
        return None

    def window(self) -> QWindow | None:  # type: ignore[override]
        return self._diagram.view.window().windowHandle()

    def parent(self) -> QAccessibleInterface | None:  # type: ignore[override]
        above = self._diagram.outline.parents.get(self.ref)
        if above is None:
            return QAccessible.queryAccessibleInterface(self._diagram.view)
        return self._diagram.element(above)

    def childCount(self) -> int:  # noqa: N802
        return len(self._children)

    def child(self, index: int) -> QAccessibleInterface | None:  # type: ignore[override]
        return self._diagram.element(self._children[index]) if 0 <= index < len(self._children) else None

    def indexOfChild(self, child: QAccessibleInterface) -> int:  # noqa: N802
        if not isinstance(child, _Element) or child.ref not in self._children:
            return -1
        return self._children.index(child.ref)

    def childAt(self, x: int, y: int) -> QAccessibleInterface | None:  # type: ignore[override]  # noqa: N802
        found = self._diagram.element_at(x, y)
        return found if found is not None and found.parent() is self else None

    def focusChild(self) -> QAccessibleInterface | None:  # type: ignore[override]  # noqa: N802
        return None

    def text(self, kind: QAccessible.Text) -> str:
        if kind == _Text.Description:
            return self._diagram.description(self.ref)
        return self._diagram.outline.names.get(self.ref, "") if kind == _Text.Name else ""

    def setText(self, _kind: QAccessible.Text, _text: str) -> None:  # noqa: N802
        """Names are changed by the action."""

    def rect(self) -> QRect:
        return self._diagram.rect(self.ref)

    def role(self) -> QAccessible.Role:
        return ITEM_ROLE

    def state(self) -> QAccessible.State:
        view = self._diagram.view
        style, ref = view.diagram_scene.diagram_style, self.ref
        is_focused = style.selection == ref
        result = QAccessible.State()
        flags = {
            "focusable": True,
            "selectable": True,
            "selected": is_focused or (isinstance(ref, TableRef) and ref.table in style.chosen_boxes),
            "focused": is_focused and view.hasFocus(),
            "expandable": bool(self._children),
            "expanded": bool(self._children),
            "invisible": not view.isVisible(),
            "offscreen": not self._is_in_view(),
        }
        for name, on in flags.items():
            setattr(result, name, int(on))
        return result

    def interface_cast(self, kind: QAccessible.InterfaceType) -> int:
        """The address of the part of this object that is an interface of actions; 0, as there are no others.

        The stubs expect numbers, but the library takes pointers, and crashes with anything else.
        """
        is_action = kind == QAccessible.InterfaceType.ActionInterface
        return VoidPtr(getCppPointer(self)[1] if is_action else 0)  # type: ignore[return-value]

    def actionNames(self) -> list[str]:  # noqa: N802
        return [self.pressAction(), self.setFocusAction(), self.showMenuAction(), _RENAME]

    def localizedActionName(self, name: str) -> str:  # noqa: N802
        return tr("Rename") if name == _RENAME else super().localizedActionName(name)

    def doAction(self, name: str) -> None:  # noqa: N802
        """Selects the element first, as a click does."""
        view = self._diagram.view
        view.chosen.emit(self.ref)
        view.choose(self.ref, reveal=True)
        if name == self.setFocusAction():
            view.setFocus(Qt.FocusReason.OtherFocusReason)
        elif name == self.showMenuAction():
            view.menu_requested.emit(self.ref, None, self.rect().bottomLeft())
        elif name == _RENAME:
            view.setFocus(Qt.FocusReason.OtherFocusReason)
            view.rename_requested.emit(self.ref)

    def keyBindingsForAction(self, name: str) -> list[str]:  # noqa: N802
        return ["F2"] if name == _RENAME else []

    @property
    def _children(self) -> list[ElementRef]:
        return self._diagram.outline.children.get(self.ref, [])

    def _is_in_view(self) -> bool:
        port = self._diagram.view.viewport()
        return QRect(port.mapToGlobal(QPoint()), port.size()).intersects(self.rect())
