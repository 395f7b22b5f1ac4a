"""A tree of changes by tables, with sign, values and risk."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QFont
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.schema.diff.compare import Change, Risk, risk_text
from cdb_desktop.schema.diff.report import Review, value_texts
from cdb_desktop.ui.schema.page.findings import sign_color
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.style_sheets import SLIM_SCROLL_BAR, TABLE_HEADER
from cdb_desktop.ui.widgets.plain_table import RowHeightDelegate

_WIDTH, _HEIGHT = 880, 360
_CHANGE = Qt.ItemDataRole.UserRole
_GROUP = _CHANGE + 1
_MOST_EXPANDED = 300  # rows, so that opening does not take long


class ChangeTree(QTreeWidget):
    """The changes by tables, with sign, values and risk."""

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._review: Review | None = None
        self._groups: list[list[Change]] = []
        self.listed: Sequence[Change] = ()
        self.itemExpanded.connect(self._fill)
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
        found: dict[int, Change] = {}
        for item in self.selectedItems():
            found |= {id(change): change for change in self.changes_of(item)}
        return list(found.values())

    def changes_of(self, item: QTreeWidgetItem) -> list[Change]:
        """The change of a row, or all changes of the row of a table."""
        change = self.change_of(item)
        if change is not None:
            return [change]
        at = item.data(0, _GROUP)
        return self._groups[at] if isinstance(at, int) else []

    def show_changes(self, review: Review | None, listed: Sequence[Change]) -> None:
        """Replaces the rows; the current one stays at its position.

        Many changes are folded by tables: their rows are made when a table is expanded.
        """
        row = self._row_of_current()
        self.clear()
        self.listed, self._review = listed, review
        self._groups = []
        if review is None:
            return
        bold = QFont(self.font())
        bold.setWeight(QFont.Weight.DemiBold)
        shown = Review(review.old, review.new, "", "", listed)
        items: list[QTreeWidgetItem] = []
        for name, changes in shown.groups().items():
            group = QTreeWidgetItem([f"{name or tr('The model')} · {len(changes)}"])
            group.setData(0, _GROUP, len(self._groups))
            group.setFont(0, bold)
            group.setChildIndicatorPolicy(QTreeWidgetItem.ChildIndicatorPolicy.ShowIndicator)
            self._groups.append(changes)
            items.append(group)
        is_expanded = len(listed) <= _MOST_EXPANDED
        for group in items if is_expanded else ():
            self._fill(group)
        self.addTopLevelItems(items)
        if not is_expanded:
            self.setCurrentItem(items[0])
            return
        # Not expandAll(), which crashes with a slot that takes the item.
        for group in items:
            group.setExpanded(True)
        rows = [group.child(at) for group in items for at in range(group.childCount())]
        current = rows[min(row, len(rows) - 1)] if rows else None
        if current is not None:
            self.setCurrentItem(current)

    def _fill(self, group: QTreeWidgetItem) -> None:
        """Makes the rows of a table."""
        if self._review is not None and not group.childCount():
            for change in self.changes_of(group):
                self._add(group, self._review, change)

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
