"""Groups and folded tables of the diagram by menu, context menu, mouse and keyboard."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from PySide6.QtCore import QObject, QRectF

from cdb_desktop.foundation.i18n import Message, message, tr
from cdb_desktop.schema.diagram.group_layout import brought_to_group, collapse, expand
from cdb_desktop.schema.diagram.grouping import groups_by_links, groups_by_prefix
from cdb_desktop.schema.diagram.groups import NO_GROUPS, Group
from cdb_desktop.schema.diagram.model import Arrangement
from cdb_desktop.schema.diagram.reduced_graph import can_fold
from cdb_desktop.schema.document.element_ref import TableRef
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.schema.diagram.group_dialog import GroupDialog, color_icon
from cdb_desktop.ui.schema.diagram.group_pointer import GroupPointer
from cdb_desktop.ui.schema.diagram.layout_controller import DiagramLayoutController
from cdb_desktop.ui.schema.diagram.view import DiagramView
from cdb_desktop.ui.schema.page.store import PageStore
from cdb_desktop.ui.theme.appearance import Appearance
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
        self._pointer = pointer = GroupPointer(view)
        pointer.toggled.connect(self._toggle)
        pointer.moved.connect(layout.move_group)
        pointer.columns_requested.connect(self._unfold)
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
        page = self._store.page
        is_comparing = page is not None and page.compared is not None
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
            self._toggle(group.key)

    def _toggle(self, key: int) -> None:
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
            width = min(region.right - region.left, port.width() / self._view.zoom)
            height = min(region.bottom - region.top, port.height() / self._view.zoom)
            self._view.ensureVisible(QRectF(region.left, region.top, width, height), 0, 0)

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

    def _unfold(self, table: int) -> None:
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
