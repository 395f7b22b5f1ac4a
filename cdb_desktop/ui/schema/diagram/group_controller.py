"""Groups and folded tables of the diagram by menu, context menu, mouse and keyboard."""

from collections.abc import Callable, Iterable
from dataclasses import replace

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QHelpEvent,
    QIcon,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPen,
    QPixmap,
)
from PySide6.QtWidgets import QLineEdit, QToolTip, QWidget

from cdb_desktop.foundation.i18n import Message, message, tr
from cdb_desktop.schema.diagram.graph_builder import can_fold, is_hidden_columns
from cdb_desktop.schema.diagram.group_layout import brought_to_group, collapse, expand
from cdb_desktop.schema.diagram.grouping import groups_by_links, groups_by_prefix
from cdb_desktop.schema.diagram.groups import COLORS, NO_GROUPS, Group, box_key, group_of_box
from cdb_desktop.schema.diagram.model import Arrangement
from cdb_desktop.schema.document.element_ref import DOCUMENT, TableRef
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.schema.diagram.gestures import Gesture
from cdb_desktop.ui.schema.diagram.layout_controller import DiagramLayoutController
from cdb_desktop.ui.schema.diagram.style import KEYS, group_color, group_color_name
from cdb_desktop.ui.schema.diagram.table_item import BoxLine, TableItem
from cdb_desktop.ui.schema.diagram.view import SELECTING, DiagramView
from cdb_desktop.ui.schema.page.store import PageStore
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.tokens import Tokens
from cdb_desktop.ui.widgets.dialog import BaseDialog
from cdb_desktop.ui.widgets.form import Choice, Field
from cdb_desktop.ui.widgets.menus import TypeAheadMenu, entry_text

# Actions that change groups, not only how they are shown.
_CHANGES = frozenset(
    {"groups_by_links", "groups_by_prefix", "groups_remove", "group_edit", "group_remove", "group_assign"}
)


class GroupController(QObject):
    """Connects the actions on groups and folded tables with the diagram, and enables them."""

    def __init__(
        self,
        store: PageStore,
        view: DiagramView,
        layout: DiagramLayoutController,
        appearance: Appearance,
        actions: Actions,
    ) -> None:
        super().__init__(view)
        self._store = store
        self._view = view
        self._layout = layout
        self._appearance = appearance
        self._actions = actions
        self._pointer = GroupPointer(view, layout, self)
        for name, slot in (
            ("groups_by_links", self._group_by_links),
            ("groups_by_prefix", self._group_by_prefix),
            ("groups_remove", self._remove_all),
            ("groups_collapse", layout.arranger.collapse_groups),
            ("groups_expand", layout.expand_groups),
            ("group_toggle", self._toggle_chosen),
            ("group_edit", self._edit),
            ("group_remove", self._remove),
            ("group_assign", self._open_assignment),
            ("columns_fold", self._fold_chosen),
            ("columns_fold_all", self._fold_all),
        ):
            actions[name].triggered.connect(slot)
        layout.drawn.connect(self._update)
        view.diagram_scene.selection_changed.connect(self._update)
        view.diagram_scene.boxes_chosen.connect(self._update)
        store.changed.connect(self._update)
        self._update()

    @property
    def _arrangement(self) -> Arrangement:
        return self._layout.arrangement

    @property
    def _table(self) -> int | None:
        """The top-level table that is selected or contains the selection."""
        ref = self._view.diagram_scene.diagram_style.selection
        item = self._view.diagram_scene.item_of(ref)
        if item is None:
            return None
        table = item.box.table
        return table if any(box.table == table for box in self._layout.graph.boxes) else None

    @property
    def _group(self) -> Group | None:
        """The selected group, or that of the selected table."""
        groups, chosen = self._arrangement.groups, self._view.chosen_group
        if chosen is not None:
            return groups.by_key.get(chosen)
        item = self._view.diagram_scene.item_of(self._view.diagram_scene.diagram_style.selection)
        if item is None:
            return None
        collapsed = next((group for group in groups.collapsed if group.box == item.box.table), None)
        return collapsed or groups.by_table.get(item.box.table)

    def _update(self) -> None:
        """Enables what can be done now."""
        groups, tables, group = self._arrangement.groups, self._tables, self._group
        boxes = self._layout.graph.boxes
        is_comparing = self._store.page.compared is not None
        needs_groups, needs_group = tr("There are no groups."), tr("Select a group or a table in one first.")
        for name, is_possible, reason in (
            ("groups_by_links", len(boxes) > 1, ""),
            ("groups_by_prefix", len(boxes) > 1, ""),
            ("groups_remove", bool(groups), needs_groups),
            ("groups_collapse", any(not each.is_collapsed for each in groups), needs_groups),
            ("groups_expand", bool(groups.collapsed), tr("No group is collapsed.")),
            ("group_toggle", group is not None, needs_group),
            ("group_edit", group is not None, needs_group),
            ("group_remove", group is not None, needs_group),
            ("group_assign", bool(tables), tr("Select a table first.")),
            ("columns_fold", bool(tables), tr("Select a table first.")),
            ("columns_fold_all", bool(boxes), ""),
        ):
            if is_comparing and name in _CHANGES:
                # The arrangement before the comparison returns at its end, with its groups.
                comparing = tr("Nothing can be changed while versions are compared.")
                self._actions.set_possible(name, False, comparing)
            else:
                self._actions.set_possible(name, is_possible, "" if is_possible else reason)
        self._actions["columns_fold"].setChecked(bool(tables) and self._arrangement.folded.issuperset(tables))
        self._actions["columns_fold_all"].setChecked(self._all_are_folded)

    @property
    def _tables(self) -> tuple[int, ...]:
        """The top-level tables that are selected."""
        table = self._table
        return tuple(sorted(self._view.chosen_boxes)) or (() if table is None else (table,))

    def _group_by_links(self) -> None:
        self._layout.arranger.group(groups_by_links, message("Group tables by links"))

    def _group_by_prefix(self) -> None:
        self._layout.arranger.group(groups_by_prefix, message("Group tables by prefix"))

    def _remove_all(self) -> None:
        keys = [group.key for group in self._arrangement.groups.collapsed]
        found = expand(self._arrangement, keys, self._layout.graph, self._layout.reduced)
        self._layout.show_arrangement(replace(found, groups=NO_GROUPS), message("Remove all groups"))

    def _toggle_chosen(self) -> None:
        group = self._group
        if group is not None:
            self.toggle(group.key)

    def toggle(self, key: int) -> None:
        """Collapses or expands a group."""
        group, layout = self._arrangement.groups.by_key[key], self._layout
        if group.is_collapsed:
            found = expand(self._arrangement, (key,), layout.graph, layout.reduced)
            title = message("Expand group {group}", group=group.name)
        else:
            found = collapse(self._arrangement, (key,), layout.graph)
            title = message("Collapse group {group}", group=group.name)
        layout.show_arrangement(found, title)
        self._pointer.choose(key)
        self._reveal(key)

    def _reveal(self, key: int) -> None:
        """Scrolls to the corner of a group if it is not visible."""
        regions, box = self._view.diagram_scene.regions.regions, self._arrangement.groups.by_key[key].box
        item = self._view.diagram_scene.tables.get(box)
        if item is not None:
            self._view.scroll_to(item.sceneBoundingRect())
        elif key in regions:
            region = regions[key]
            port = self._view.viewport()
            width = min(region.width, port.width() / self._view.zoom)
            height = min(region.height, port.height() / self._view.zoom)
            self._view.ensureVisible(QRectF(region.x, region.y, width, height), 0, 0)

    def _edit(self) -> None:
        group = self._group
        if group is None:
            return

        def change(name: str, color: int) -> None:
            groups = self._arrangement.groups
            if group.key in groups.by_key and (name, color) != (group.name, group.color):
                found = replace(self._arrangement, groups=groups.described(group.key, name, color))
                self._layout.show_arrangement(found, message("Change group {group}", group=name))

        GroupDialog(self._appearance, self._view.window(), group.name, group.color, change).open()

    def _remove(self) -> None:
        group = self._group
        if group is None:
            return
        found = self._arrangement
        if group.is_collapsed:
            found = expand(found, (group.key,), self._layout.graph, self._layout.reduced)
        found = replace(found, groups=found.groups.removed(group.key))
        self._layout.show_arrangement(found, message("Remove group {group}", group=group.name))

    def _open_assignment(self) -> None:
        """Opens the menu of all groups at the selected table."""
        tables = self._tables
        if not tables:
            return
        menu = TypeAheadMenu(self._view)
        menu.setObjectName("schema.group.menu")
        menu.aboutToHide.connect(menu.deleteLater)
        groups = self._arrangement.groups
        own = groups.by_table.get(tables[0])
        for group in groups:
            entry = menu.addAction(color_icon(group.color, self._appearance.tokens), entry_text(group.name))
            entry.setCheckable(True)
            entry.setChecked(group is own)
            entry.triggered.connect(lambda _checked=False, key=group.key: self._assign(tables, key))
        if groups:
            menu.addSeparator()
        menu.addAction(tr("New group…")).triggered.connect(lambda: self._ask_new(tables))
        none = menu.addAction(tr("No group"))
        none.setEnabled(own is not None)
        none.triggered.connect(lambda: self._assign(tables, None))
        rect = self._view.line_rect(TableRef(tables[0]))
        port = self._view.viewport()
        at = port.rect().center() if rect is None else rect.toRect().intersected(port.rect()).bottomLeft()
        menu.popup(port.mapToGlobal(at))
        entries = menu.actions()
        checked = next((entry for entry in entries if entry.isChecked()), entries[0])
        menu.setActiveAction(checked)  # Return chooses it when the menu was opened by key

    def _assign(self, tables: tuple[int, ...], key: int | None) -> None:
        before = self._arrangement
        found = replace(before, groups=before.groups.assigned(tables, key))
        if key is None:
            title = message("Take {table} out of its group", table=self._name(tables))
        else:
            found = brought_to_group(found, tables, key, self._layout.graph)
            group = found.groups.by_key[key].name
            title = message("Put {table} into group {group}", table=self._name(tables), group=group)
        self._layout.show_arrangement(found, title)

    def _ask_new(self, tables: tuple[int, ...]) -> None:
        def create(name: str, color: int) -> None:
            found = replace(self._arrangement, groups=self._arrangement.groups.with_new(name, tables, color))
            title = message("Put {table} into group {group}", table=self._name(tables), group=name)
            self._layout.show_arrangement(found, title)

        color = self._arrangement.groups.least_used_color
        GroupDialog(self._appearance, self._view.window(), "", color, create).open()

    def _name(self, tables: tuple[int, ...]) -> str | Message:
        """The name of a table, or how many they are, for titles of steps."""
        names = {box.table: box.name for box in self._layout.graph.boxes}
        if len(tables) == 1:
            return names[tables[0]]
        return message("{count:one table|{count} tables}", count=len(tables))

    @property
    def _all_are_folded(self) -> bool:
        boxes, folded = self._layout.graph.boxes, self._arrangement.folded
        return bool(folded) and all(box.table in folded or not can_fold(box) for box in boxes)

    def _fold_chosen(self) -> None:
        tables = self._tables
        if tables:
            self._fold(tables, on=not self._arrangement.folded.issuperset(tables))

    def unfold(self, table: int) -> None:
        """Shows the hidden columns of a table."""
        self._fold((table,), on=False)

    def _fold(self, tables: Iterable[int], *, on: bool) -> None:
        keys = tuple(tables)
        folded = self._arrangement.folded
        found = folded | set(keys) if on else folded - set(keys)
        if on:
            title = message("Show only keys and links of {table}", table=self._name(keys))
        else:
            title = message("Show all columns of {table}", table=self._name(keys))
        self._layout.show_arrangement(replace(self._arrangement, folded=found), title)

    def _fold_all(self) -> None:
        if self._all_are_folded:
            found, title = frozenset[int](), message("Show all columns of all tables")
        else:
            found = frozenset(box.table for box in self._layout.graph.boxes if can_fold(box))
            title = message("Show only keys and links of all tables")
        self._layout.show_arrangement(replace(self._arrangement, folded=found), title)


_SIDE = 16


class GroupDialog(BaseDialog):
    """Calls ``decide`` with the name and the color of a group."""

    def __init__(
        self,
        appearance: Appearance,
        parent: QWidget,
        name: str,
        color: int,
        decide: Callable[[str, int], None],
    ) -> None:
        """An empty ``name`` is that of a new group."""
        super().__init__(appearance, "schema.group", parent)
        if name:
            self.set_texts(tr("Name and color of the group"), "", tr("Apply"))
        else:
            self.set_texts(tr("New group"), "", tr("Create"))
        self._decide = decide
        self.name = QLineEdit(name)
        self.name.selectAll()
        self.color = Choice({number: group_color_name(number) for number in range(COLORS)}, color % COLORS)
        self.color.setIconSize(QSize(_SIDE, _SIDE))
        for number in range(COLORS):
            self.color.setItemIcon(number, color_icon(number, appearance.tokens))
        form = self.add_form(Field("name", self.name, tr("Name")), Field("color", self.color, tr("Color")))
        form.changed.connect(self._check)
        self.accept_button.clicked.connect(self._take)
        self._check()
        self.name.setFocus()

    def _check(self) -> None:
        self.accept_button.setEnabled(bool(self.name.text().strip()))

    def _take(self) -> None:
        name, color = self.name.text().strip(), self.color.currentIndex()
        self.accept()
        self._decide(name, color)


def color_icon(color: int, tokens: Tokens) -> QIcon:
    """A square in the color of a group."""
    picture = QPixmap(_SIDE, _SIDE)
    picture.fill(Qt.GlobalColor.transparent)
    with QPainter(picture) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(tokens.edge), 1))
        painter.setBrush(group_color(color, tokens))
        painter.drawRoundedRect(2, 2, _SIDE - 4, _SIDE - 4, 3, 3)
    return QIcon(picture)


_LEFT, _RIGHT = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton
_MARK = 19.0  # pixels at the left of a label that collapse the group with one click
_LINK_REACH = 5.0  # pixels beside a link that still belong to it
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class GroupPointer(QObject):
    """What is done to groups in the diagram with mouse and keyboard."""

    def __init__(self, view: DiagramView, layout: DiagramLayoutController, groups: GroupController) -> None:
        super().__init__(view)
        self._layout = layout
        self._groups = groups
        self._view = view
        self._scene = view.diagram_scene
        self._drag: tuple[int, Gesture] | None = None
        self._is_on_label = False
        self._is_unfolding = False
        view.installEventFilter(self)
        view.viewport().installEventFilter(self)

    def choose(self, group: int) -> None:
        """Selects a group, and nothing else."""
        self._view.chosen.emit(DOCUMENT)
        self._view.choose(TableRef(box_key(group)), reveal=False)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        if isinstance(event, QKeyEvent):
            return watched is self._view and event.type() == QEvent.Type.KeyPress and self._press_key(event)
        if isinstance(event, QContextMenuEvent):
            return self._open_menu(event)
        if isinstance(event, QHelpEvent):
            return event.type() == QEvent.Type.ToolTip and self._show_tip(event)
        if not isinstance(event, QMouseEvent) or watched is not self._view.viewport():
            return False
        handlers = {
            QEvent.Type.MouseButtonPress: self._press,
            QEvent.Type.MouseMove: self._move,
            QEvent.Type.MouseButtonRelease: self._release,
            QEvent.Type.MouseButtonDblClick: self._double_click,
        }
        handler = handlers.get(event.type())
        return handler is not None and handler(event)

    def _press(self, event: QMouseEvent) -> bool:
        if self._drag is not None:
            return True  # another button
        if event.button() != _LEFT:
            return event.button() == _RIGHT and self._label_at(event) is not None
        label = self._label_at(event)
        if label is not None:
            self._view.setFocus(Qt.FocusReason.MouseFocusReason)
            self.choose(label)
            self._drag = label, Gesture(self._view, self._scene, event.position())
            return True
        found = self._line_at(event)
        if found is not None and is_hidden_columns(found[1].ref) and self._box_at(event) is None:
            self._is_unfolding = True
            self._groups.unfold(found[0].box.table)
            return True
        self._is_unfolding = False
        return False

    def _move(self, event: QMouseEvent) -> bool:
        if self._drag is None:
            if not event.buttons():
                self._show_cursor(on=self._label_at(event) is not None)
            return False
        label, gesture = self._drag
        gesture.move(event.position(), event.modifiers())
        if gesture.is_drag:
            self._view.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)
            self._scene.regions.show_drag((label, gesture.distance))
        return True

    def _release(self, event: QMouseEvent) -> bool:
        if self._drag is None:
            # A press on the box was the view's, which now has its click too.
            found = self._box_at(event)
            if found is not None and event.button() == _LEFT and not event.modifiers() & SELECTING:
                self._view.choose(TableRef(box_key(found)), reveal=False)
            return False
        if event.buttons() & _LEFT:
            return True  # another button was released
        (label, gesture), self._drag = self._drag, None
        self._view.viewport().unsetCursor()
        self._scene.regions.show_drag(None)
        if gesture.is_drag:
            self._layout.move_group(label, gesture.distance.x(), gesture.distance.y())
        else:
            rect = self._scene.regions.label_rect(label, self._view.viewportTransform())
            if event.position().x() - rect.left() <= _MARK:
                self._groups.toggle(label)
        return True

    def _double_click(self, event: QMouseEvent) -> bool:
        if event.button() != _LEFT or self._is_unfolding:
            # The first click has shown the columns, of which one is here now.
            return self._is_unfolding
        label = self._label_at(event)
        if label is not None:
            # On the triangle the first click was enough.
            rect = self._scene.regions.label_rect(label, self._view.viewportTransform())
            if event.position().x() - rect.left() > _MARK:
                self._groups.toggle(label)
            return True
        found = self._box_at(event)
        if found is None:
            return False
        self._groups.toggle(found)
        return True

    def _open_menu(self, event: QContextMenuEvent) -> bool:
        if self._drag is not None or self._view.is_in_gesture:
            return True
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            group = self._view.chosen_group
            if group is None:
                return False
            self._request_menu(group, self._point_of(group))
            return True
        at, regions = QPointF(event.pos()), self._scene.regions
        point = self._view.mapToScene(event.pos())
        found = regions.label_at(at, self._view.viewportTransform())
        line = self._scene.line_at(point)
        if found is None and line is not None:
            found = group_of_box(line[0].box.table)
        elif found is None:
            # Far out links are nearly everywhere.
            found = self._group_of_link(point) if self._view.zoom >= KEYS else None
            if found is None and self._is_free(point):
                found = regions.region_at(point)
        if found is None:
            return False
        self.choose(found)
        self._request_menu(found, event.globalPos())
        return True

    def _request_menu(self, group: int, at: QPoint) -> None:
        self._view.menu_requested.emit(TableRef(box_key(group)), None, at)

    def _is_free(self, point: QPointF) -> bool:
        """Whether there is neither a removed table nor a link that can be told from others at a point."""
        is_far = self._view.zoom < KEYS
        edge = None if is_far else self._scene.link_at(point, _LINK_REACH / self._view.zoom)
        return edge is None and self._scene.removed_at(point) is None

    def _group_of_link(self, point: QPointF) -> int | None:
        """The group from which or to which several links lead at a point, that cannot be edited together."""
        edge = self._scene.link_at(point, _LINK_REACH / self._view.zoom)
        if edge is None or edge.count == 1:
            return None
        source, target = group_of_box(edge.source), group_of_box(edge.target)
        return target if source is None else source

    def _press_key(self, event: QKeyEvent) -> bool:
        group, key = self._view.chosen_group, Qt.Key(event.key())
        if key == Qt.Key.Key_Escape and self._drag is not None:
            self._drag = None
            self._view.viewport().unsetCursor()
            self._scene.regions.show_drag(None)
            return True
        found = self._scene.line_of(self._scene.diagram_style.selection)
        if group is None and key in _ENTER and found is not None and is_hidden_columns(found[1].ref):
            self._groups.unfold(found[0].box.table)
            return True
        if group is None or event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            return False
        if key in _ENTER:
            self._groups.toggle(group)
        elif key == Qt.Key.Key_Escape:
            self._view.choose(DOCUMENT, reveal=False)
        else:
            return False
        return True

    def _show_tip(self, event: QHelpEvent) -> bool:
        """Shows the whole name of a group, and how many tables it has."""
        regions = self._scene.regions
        label = regions.label_at(QPointF(event.pos()), self._view.viewportTransform())
        if label is None:
            return False
        QToolTip.showText(event.globalPos(), regions.tip(label), self._view)
        return True

    def _label_at(self, event: QMouseEvent) -> int | None:
        return self._scene.regions.label_at(event.position(), self._view.viewportTransform())

    def _line_at(self, event: QMouseEvent) -> tuple[TableItem, BoxLine] | None:
        return self._scene.line_at(self._view.mapToScene(event.position().toPoint()))

    def _box_at(self, event: QMouseEvent) -> int | None:
        """The collapsed group whose box is at the pointer."""
        found = self._line_at(event)
        return None if found is None else group_of_box(found[0].box.table)

    def _point_of(self, group: int) -> QPoint:
        """A point of the screen in the label or the box of a group."""
        regions, port, box = (
            self._scene.regions,
            self._view.viewport(),
            self._scene.tables.get(box_key(group)),
        )
        if box is not None:
            rect = self._view.mapFromScene(box.sceneBoundingRect()).boundingRect()
        elif group in regions.regions:
            rect = regions.label_rect(group, self._view.viewportTransform()).toRect()
        else:
            rect = port.rect()
        return port.mapToGlobal(rect.intersected(port.rect()).bottomLeft())

    def _show_cursor(self, *, on: bool) -> None:
        if on:
            self._view.viewport().setCursor(Qt.CursorShape.PointingHandCursor)
        elif self._is_on_label:
            self._view.viewport().unsetCursor()
        self._is_on_label = on
