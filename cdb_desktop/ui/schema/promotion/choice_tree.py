"""A tree of differences with a checkbox each, and a list of the ids on both sides."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTreeWidget, QTreeWidgetItem, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.schema.diff.change import Change
from cdb_desktop.schema.diff.differences import Item, ItemId
from cdb_desktop.schema.diff.matching import IdPair
from cdb_desktop.schema.diff.proposal import Proposal
from cdb_desktop.schema.diff.report import Review
from cdb_desktop.schema.document.element_ref import ColumnRef, ElementRef, TableRef
from cdb_desktop.ui.schema.page.change_tree import ChangeTree
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.style_sheets import SLIM_SCROLL_BAR, TABLE_HEADER
from cdb_desktop.ui.widgets.plain_table import RowHeightDelegate

_MOST_EXPANDED = 500  # elements, so that opening does not take long
_TABLE = Qt.ItemDataRole.UserRole
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_CHECKED, _UNCHECKED = Qt.CheckState.Checked, Qt.CheckState.Unchecked


class ChoiceTree(ChangeTree):
    """The differences by tables; Space checks or unchecks all selected ones.

    Signals: ``toggled`` with the ids of differences and whether they are to be chosen.
    """

    toggled = Signal(object, bool)

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(appearance, parent)
        self.setObjectName("schema.promotion.changes")
        self._chosen: frozenset[ItemId] = frozenset()
        self._pairs: dict[ElementRef, IdPair] = {}
        self._ids: dict[int, ItemId] = {}  # by the identity of the change, since values cannot be hashed
        labels = [tr("Change"), tr("Before"), tr("After"), tr("Risk"), tr("Id there → here")]
        self.setHeaderLabels(labels)
        for column, width in enumerate((420, 88, 88, 150)):
            self.header().resizeSection(column, width)
        self.itemChanged.connect(self._toggle)

    def show_items(self, proposal: Proposal, items: Iterable[Item], chosen: frozenset[ItemId]) -> None:
        """Replaces the rows."""
        found = proposal.differences
        listed = list(items)
        self._ids = {id(item.change): item.id for item in listed}
        self._pairs = {pair.ref: pair for pair in proposal.alignment.ids}
        self._chosen = chosen
        review = Review(found.shells, found.source, "", "", ())
        self.show_changes(review, [item.change for item in listed])
        self.show_chosen(chosen)

    def show_chosen(self, chosen: frozenset[ItemId]) -> None:
        """Checks the chosen rows; the row of a table is checked if all of its rows are."""
        self._chosen = chosen
        with QSignalBlocker(self):
            for at in range(self.topLevelItemCount()):
                group = self.topLevelItem(at)
                if group is None:
                    continue
                states = {self._state(change) for change in self.changes_of(group)}
                both = len(states) > 1
                group.setCheckState(0, Qt.CheckState.PartiallyChecked if both else states.pop())
                for row in range(group.childCount()):
                    self._show_state(group.child(row))
        self.viewport().update()

    def _add(self, group: QTreeWidgetItem, review: Review, change: Change) -> QTreeWidgetItem:
        with QSignalBlocker(self):
            item = super()._add(group, review, change)
            pair = self._pairs.get(change.ref)
            item.setText(4, "" if pair is None else pair_text(pair))
            self._show_state(item)
        return item

    def _state(self, change: Change) -> Qt.CheckState:
        return _CHECKED if self._ids[id(change)] in self._chosen else _UNCHECKED

    def _show_state(self, item: QTreeWidgetItem | None) -> None:
        change = None if item is None else self.change_of(item)
        if item is not None and change is not None:
            item.setCheckState(0, self._state(change))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Space toggles all selected rows like the current one."""
        item = self.currentItem()
        if event.key() != Qt.Key.Key_Space or item is None:
            super().keyPressEvent(event)
            return
        on = item.checkState(0) != _CHECKED
        self.toggled.emit([self._ids[id(change)] for change in self.selected], on)

    def _toggle(self, item: QTreeWidgetItem, column: int) -> None:
        if column == 0:
            ids = [self._ids[id(change)] for change in self.changes_of(item)]
            self.toggled.emit(ids, item.checkState(0) == _CHECKED)


class IdTree(QTreeWidget):
    """All tables and columns of both sides with their ids there and here."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("schema.promotion.ids")
        self.setAccessibleName(tr("Ids"))
        self.setHeaderLabels([tr("Element"), tr("Id there"), tr("Id here")])
        header = self.header()
        header.setStyleSheet(TABLE_HEADER)
        header.setSectionsMovable(False)
        header.setStretchLastSection(False)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header_item = self.headerItem()
        for column in (1, 2):
            header_item.setTextAlignment(column, _RIGHT)
        self.setUniformRowHeights(True)
        self.setAllColumnsShowFocus(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setItemDelegate(RowHeightDelegate(self))
        self.verticalScrollBar().setStyleSheet(SLIM_SCROLL_BAR)
        self._columns: dict[int, list[IdPair]] = {}  # by the key of the table
        self.itemExpanded.connect(self._add_columns)

    def show_ids(self, pairs: Sequence[IdPair]) -> None:
        """Replaces the rows. The columns of a table are added when its row is expanded."""
        self.clear()
        self._columns.clear()
        for pair in pairs:
            if isinstance(pair.ref, ColumnRef):
                self._columns.setdefault(pair.ref.table, []).append(pair)
        items: list[QTreeWidgetItem] = []
        for pair in pairs:
            if isinstance(pair.ref, TableRef):
                item = _id_row(pair)
                item.setData(0, _TABLE, pair.ref.table)
                if pair.ref.table in self._columns:
                    shown = QTreeWidgetItem.ChildIndicatorPolicy.ShowIndicator
                    item.setChildIndicatorPolicy(shown)
                items.append(item)
        is_expanded = len(pairs) <= _MOST_EXPANDED
        for item in items if is_expanded else ():
            self._add_columns(item)
        self.addTopLevelItems(items)
        # Not expandAll(), which crashes with a slot that takes the item.
        for item in items if is_expanded else ():
            item.setExpanded(True)

    def _add_columns(self, item: QTreeWidgetItem) -> None:
        for pair in self._columns.pop(item.data(0, _TABLE), ()):
            item.addChild(_id_row(pair))


def _id_row(pair: IdPair) -> QTreeWidgetItem:
    here = id_text(pair.target, is_new=not pair.in_target)
    item = QTreeWidgetItem([pair.name, id_text(pair.source), here])
    for column in (1, 2):
        item.setTextAlignment(column, _RIGHT)
    return item


def pair_text(pair: IdPair) -> str:
    """The ids of an element there and here."""
    if not pair.in_source:
        return id_text(pair.target)
    here = id_text(pair.target, is_new=not pair.in_target)
    return here if pair.source is None else f"{pair.source} → {here}"


def id_text(id_: int | None, *, is_new: bool = False) -> str:
    """An id as it is shown: ``new`` if the service will assign it, a dash if there is none."""
    if is_new:
        return tr("new", context="id")
    return "–" if id_ is None else str(id_)
