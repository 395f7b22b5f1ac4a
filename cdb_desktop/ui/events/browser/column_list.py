"""A list in which columns are ticked, brought into an order and pinned. Knows no table."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QListWidgetItem, QWidget

from cdb_desktop.ui.events.browser.beside_delegate import BESIDE, BesideDelegate
from cdb_desktop.ui.events.browser.movable_list import MovableList
from cdb_desktop.ui.language.numbers import plural
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.theme.measures import ICON

_NAME = Qt.ItemDataRole.UserRole
_PINNED = Qt.ItemDataRole.UserRole + 1
_SPOKEN = Qt.ItemDataRole.AccessibleTextRole


class ColumnList(MovableList):
    """Pinned columns stand at the top, as they stand at the left of the rows."""

    def __init__(
        self,
        appearance: Appearance,
        hint: str,
        accepts: Callable[[str], str | None],
        entry: str,
        parent: QWidget,
    ) -> None:
        super().__init__(hint, accepts=accepts, parent=parent, name="columns", entry=entry)
        self._pin = icon("pin", appearance)
        self.list.setItemDelegate(BesideDelegate(appearance, self.list))
        self.list.setIconSize(QSize(ICON, ICON))

    @property
    def pinned(self) -> tuple[str, ...]:
        """The columns that are to stay, as listed."""
        return tuple(str(item.data(_NAME)) for item in self._items() if item.data(_PINNED))

    def show_pinned(self, names: Collection[str]) -> None:
        """Pins these; called once, when all are listed."""
        for item in self._items():
            self._mark(item, pinned=item.data(_NAME) in names)

    def offer(self, keys: Sequence[tuple[str, int]], events: int) -> None:
        """Lists columns, each with how many of so many events have something there."""
        self.add_values(name for name, _count in keys)
        counts = dict(keys)
        one, many = self.tr("1 of %2 events with info has it."), self.tr("%1 of %2 events with info have it.")
        for item in self._items():
            count = counts.get(str(item.data(_NAME)))
            if count is not None:
                item.setData(BESIDE, f"{max(1, round(100 * count / events))} %")
                for role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleDescriptionRole):
                    item.setData(role, plural(count, one, many, count, events))

    def may_pass(self, item: QListWidgetItem, other: QListWidgetItem) -> bool:
        """Pinned columns stay among themselves."""
        return bool(item.data(_PINNED)) is bool(other.data(_PINNED))

    def is_pinned(self) -> bool:
        """Whether the current column stays."""
        row = self.list.currentRow()
        return row >= 0 and bool(self.list.item(row).data(_PINNED))

    def toggle_pin(self) -> None:
        """Pins the current column behind those that are pinned already, or lets go of it."""
        row = self.list.currentRow()
        if row < 0 or self.list.item(row) is self._anyway:
            return
        item = self.list.item(row)
        pinned = not item.data(_PINNED)
        target = len(self.pinned) - (0 if pinned else 1)
        self._mark(item, pinned=pinned)
        if pinned:
            item.setCheckState(Qt.CheckState.Checked)
        self._put(item, target)

    def _mark(self, item: QListWidgetItem, *, pinned: bool) -> None:
        item.setData(_PINNED, pinned)
        item.setIcon(self._pin if pinned else QIcon())
        item.setData(_SPOKEN, self.tr("%1, pinned").replace("%1", item.text()) if pinned else None)
