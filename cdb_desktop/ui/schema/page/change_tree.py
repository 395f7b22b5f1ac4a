"""A tree of changes by tables, with sign, values and risk."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize, Qt
from PySide6.QtGui import QColor, QFont
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.schema.diff.change import Change, Risk, risk_text
from cdb_desktop.schema.review.report import Review, value_texts
from cdb_desktop.ui.schema.page.findings import sign_color
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.style_sheets import SLIM_SCROLL_BAR, TABLE_HEADER
from cdb_desktop.ui.widgets.plain_table import RowHeightDelegate

_WIDTH, _HEIGHT = 880, 360
_CHANGE = Qt.ItemDataRole.UserRole
_MOST_ROWS = 5_000
_Index = QModelIndex | QPersistentModelIndex


class ChangeTree(QTreeWidget):
    """The changes by tables, with sign, values and risk."""

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self.listed: Sequence[Change] = ()
        self.setObjectName("schema.compare.changes")
        self.setAccessibleName(tr("Changes"))
        self.setHeaderLabels([tr("Change"), tr("Before"), tr("After"), tr("Risk")])
        header = self.header()
        header.setStyleSheet(TABLE_HEADER)
        header.setStretchLastSection(True)
        header.setSectionsMovable(False)
        for column, width in enumerate((390, 120, 120)):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Interactive)
            header.resizeSection(column, width)
        self.setUniformRowHeights(True)
        self.setAllColumnsShowFocus(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setItemDelegate(RowHeightDelegate(self))
        self.verticalScrollBar().setStyleSheet(SLIM_SCROLL_BAR)

    def sizeHint(self) -> QSize:  # noqa: N802
        """A dozen of rows."""
        return QSize(_WIDTH, _HEIGHT)

    @property
    def current_change(self) -> Change | None:
        """The change of the current row, None for the row of a table."""
        item = self.currentItem()
        return None if item is None else self.change_of(item)

    @staticmethod
    def change_of(item: QTreeWidgetItem) -> Change | None:
        """The change of a row, None for the row of a table."""
        found = item.data(0, _CHANGE)
        return found if isinstance(found, Change) else None

    @property
    def selected(self) -> list[Change]:
        """The selected changes; the row of a table selects all of its changes."""
        found: list[QTreeWidgetItem] = []
        for item in self.selectedItems():
            below = (item.child(at) for at in range(item.childCount()))
            found += [item, *(one for one in below if one is not None and not one.isSelected())]
        changes = (item.data(0, _CHANGE) for item in found)
        return [change for change in changes if isinstance(change, Change)]

    def show_changes(self, review: Review | None, listed: Sequence[Change]) -> None:
        """Replaces the rows; the current one stays at its position."""
        row = self._row_of_current()
        self.listed = listed
        self.clear()
        if review is None:
            return
        bold = QFont(self.font())
        bold.setWeight(QFont.Weight.DemiBold)
        shown = Review(review.old, review.new, "", "", listed[:_MOST_ROWS])
        rows: list[QTreeWidgetItem] = []
        for name, changes in shown.groups().items():
            group = QTreeWidgetItem(self, [f"{name or tr('The model')} · {len(changes)}"])
            group.setFirstColumnSpanned(True)
            group.setFont(0, bold)
            group.setExpanded(True)
            rows += [self._add(group, review, change) for change in changes]
        if len(listed) > _MOST_ROWS:
            rest = len(listed) - _MOST_ROWS
            more = QTreeWidgetItem(self, [tr("{rest:One more change|{rest} more changes}", rest=rest)])
            more.setFirstColumnSpanned(True)
        if rows:
            self.setCurrentItem(rows[min(row, len(rows) - 1)])

    def _add(self, group: QTreeWidgetItem, review: Review, change: Change) -> QTreeWidgetItem:
        tokens = self._appearance.tokens
        values = value_texts(change, review.old, review.new)
        texts = [f"{change.sign}  {change.message}", *values, risk_text(change.risk)]
        item = QTreeWidgetItem(group, texts)
        item.setData(0, _CHANGE, change)
        item.setForeground(0, sign_color(change.sign, tokens) if change.sign != "~" else QColor(tokens.text))
        risk = {Risk.NARROWING: tokens.warning, Risk.DESTROYING: tokens.danger}.get(change.risk, tokens.text)
        item.setForeground(3, QColor(risk))
        for column, text in enumerate(texts):
            item.setToolTip(column, text)
        return item

    def _row_of_current(self) -> int:
        """How many changes are above the current one."""
        item = self.currentItem()
        group = None if item is None else item.parent()
        if item is None or group is None:
            return 0
        above = (self.topLevelItem(at) for at in range(self.indexOfTopLevelItem(group)))
        return sum(one.childCount() for one in above if one is not None) + group.indexOfChild(item)
