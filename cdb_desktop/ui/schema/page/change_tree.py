"""A tree of changes by tables, with sign, values and risk."""

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, QSize, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QAbstractItemView, QTreeWidgetItem, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.schema.diff.compare import Change, Risk, risk_text
from cdb_desktop.schema.diff.report import Review, value_texts
from cdb_desktop.ui.schema.page.findings import sign_color
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.plain_table import PlainTree

_WIDTH, _HEIGHT = 880, 360
_CHANGE = Qt.ItemDataRole.UserRole
_GROUP = _CHANGE + 1
_MOST_EXPANDED = 300  # rows, so that opening does not take long


class ChangeTree(PlainTree):
    """The changes by tables, with sign, values and risk."""

    preferred = QSize(_WIDTH, _HEIGHT)

    def __init__(
        self,
        appearance: Appearance,
        parent: QWidget,
        name: str = "schema.compare.changes",
        more: Sequence[str] = (),
        widths: Sequence[int] = (430, 110, 110),
    ) -> None:
        """``more`` are the titles of columns of a derived tree."""
        headings = [tr("Change"), tr("Before"), tr("After"), tr("Risk"), *more]
        super().__init__(name, tr("Changes"), headings, parent, widths=widths)
        self._appearance = appearance
        self._review: Review | None = None
        self._groups: list[list[Change]] = []
        self.listed: Sequence[Change] = ()
        self.itemExpanded.connect(self._fill)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)

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
        shown = Review(review.old, review.new, "", "", listed).groups()
        is_expanded = len(listed) <= _MOST_EXPANDED
        with QSignalBlocker(self):
            for name, changes in shown.items():
                self._groups.append(changes)
                group = self.add_group(f"{name or tr('The model')} · {len(changes)}", is_open=is_expanded)
                group.setData(0, _GROUP, len(self._groups) - 1)
                group.setChildIndicatorPolicy(QTreeWidgetItem.ChildIndicatorPolicy.ShowIndicator)
                if is_expanded:
                    self._fill(group)
        items = [self.topLevelItem(at) for at in range(self.topLevelItemCount())]
        rows = [group.child(at) for group in items if group for at in range(group.childCount())]
        current = rows[min(row, len(rows) - 1)] if rows else self.topLevelItem(0)
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
        color = sign_color(change.sign, tokens) if change.sign != "~" else tokens.text
        item = self.add_row(group, *texts, color=color)
        item.setData(0, _CHANGE, change)
        risk = {Risk.NARROWING: tokens.warning, Risk.DESTROYING: tokens.danger}.get(change.risk, tokens.text)
        item.setForeground(3, QColor(risk))
        return item

    def _row_of_current(self) -> int:
        """How many changes are above the current one."""
        item = self.currentItem()
        group = None if item is None else item.parent()
        if item is None or group is None:
            return 0
        above = (self.topLevelItem(at) for at in range(self.indexOfTopLevelItem(group)))
        return sum(one.childCount() for one in above if one is not None) + group.indexOfChild(item)
