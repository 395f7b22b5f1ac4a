"""A list of things to tick with a field to search in it; what is not listed can be added by its spelling."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QIcon, QKeyEvent
from PySide6.QtWidgets import QLineEdit, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from cdb_desktop.ui.events.beside_delegate import BESIDE
from cdb_desktop.ui.theme.measures import GAP, ROW
from cdb_desktop.ui.theme.scroll_bar import SLIM_SCROLL_BAR

Picture = Callable[[str], QIcon]
_VALUE = Qt.ItemDataRole.UserRole
_LIST_KEYS = frozenset({Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_PageDown, Qt.Key.Key_PageUp})
_RETURN = frozenset({Qt.Key.Key_Return, Qt.Key.Key_Enter})


class Checklist(QWidget):
    """Values with their names; those that are ticked at the beginning stand first.

    Signals: ``narrowed`` when other values are in sight · ``missed`` when Return finds nothing to tick.
    """

    narrowed = Signal()
    missed = Signal()

    def __init__(
        self,
        hint: str,
        *,
        accepts: Callable[[str], str | None],
        parent: QWidget,
        name: str = "",
        shown: Callable[[str], str] = str,
    ) -> None:
        """``accepts`` gives the value for a text that is not listed, None where it cannot be one.

        ``name`` tells it from others on the same sheet; ``shown`` is how a value that is added is told.
        """
        super().__init__(parent)
        self._accepts = accepts
        self._shown = shown
        prefix = f"events.checklist.{name}" if name else "events.checklist"
        self.search = QLineEdit(self, placeholderText=hint, clearButtonEnabled=True)
        self.search.setAccessibleName(hint)
        self.search.setObjectName(f"{prefix}.search")
        # The hint is the only one who says that something can be added.
        self.search.setMinimumWidth(self.search.fontMetrics().horizontalAdvance(hint) + 2 * GAP)
        self.list = QListWidget(self)
        self.list.setAccessibleName(hint)
        self.list.setObjectName(f"{prefix}.list")
        self.list.setUniformItemSizes(True)
        self.list.verticalScrollBar().setStyleSheet(SLIM_SCROLL_BAR)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GAP)
        layout.addWidget(self.search)
        layout.addWidget(self.list)
        self.search.textChanged.connect(self._narrow)
        self.search.installEventFilter(self)

    def show_values(
        self, values: Iterable[tuple[str, str]], ticked: Sequence[str], picture: Picture | None = None
    ) -> None:
        """Lists pairs of value and name; ``ticked`` are values."""
        names = dict(values)
        first = [(value, names.pop(value, value)) for value in ticked]
        for value, name in (*first, *names.items()):
            self._add(value, name, value in ticked, picture)

    def add_values(self, values: Iterable[str]) -> None:
        """Lists more values below what is there, but for those that are listed already."""
        listed = {self._value(row) for row in range(self.list.count())}
        for value in values:
            if value not in listed:
                self._add(value, self._shown(value), ticked=False)
        self._narrow(self.search.text())

    def tell_counts(self, counts: Mapping[str, int]) -> None:
        """Writes numbers of events beside the values that have been counted, for the list's delegate."""
        told = self.tr("%1 events")
        for row in range(self.list.count()):
            number = counts.get(self._value(row))
            if number is not None:
                item, shown = self.list.item(row), self.locale().toString(number)
                item.setData(BESIDE, shown)
                for role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleDescriptionRole):
                    item.setData(role, told.replace("%1", shown))

    @property
    def found(self) -> int:
        """How many values are in sight."""
        return sum(not self.list.item(row).isHidden() for row in range(self.list.count()))

    @property
    def ticked(self) -> tuple[str, ...]:
        """The values that are ticked, as listed."""
        items = (self.list.item(row) for row in range(self.list.count()))
        return tuple(str(item.data(_VALUE)) for item in items if item.checkState() == Qt.CheckState.Checked)

    def clear_ticks(self) -> None:
        """Nothing is ticked."""
        for row in range(self.list.count()):
            self.list.item(row).setCheckState(Qt.CheckState.Unchecked)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """From the search field arrows go through the list, and Return ticks what was looked for."""
        if not isinstance(event, QKeyEvent) or event.type() != QEvent.Type.KeyPress:
            return False
        if event.key() in _LIST_KEYS:
            self._enter_list(event)
            return True
        if event.key() in _RETURN and self.search.text().strip():
            self._tick_found()
            return True
        return False

    def _enter_list(self, event: QKeyEvent) -> None:
        """To the first of what was looked for: by the focus alone it is current, and a key passes it over."""
        goes_on = not self.search.text() and self.list.currentItem() is not None
        shown = (row for row in range(self.list.count()) if not self.list.item(row).isHidden())
        first = next(shown, None)
        if goes_on:
            self.list.setFocus()
            self.list.keyPressEvent(event)
        elif first is not None:
            self.list.setCurrentRow(first)
            self.list.setFocus()

    def _tick_found(self) -> None:
        text = self.search.text().strip()
        shown = [item for row in range(self.list.count()) if not (item := self.list.item(row)).isHidden()]
        value = self._accepts(text)
        spelt = text.casefold()
        exact = [one for one in shown if spelt == one.text().casefold() or one.data(_VALUE) == value]
        # A number is never meant as the beginning of another.
        is_number = value is not None and value.isdecimal()
        if exact or (len(shown) == 1 and not is_number):
            self._take_found((exact or shown)[0])
        elif value is not None:
            self._take_found(self._add(value, self._shown(value), ticked=True))
        else:
            self.missed.emit()
            return
        self.search.clear()

    def _take_found(self, item: QListWidgetItem) -> None:
        """Ticks what was looked for and shows it at the top, where it is seen to be ticked."""
        self.list.insertItem(0, self.list.takeItem(self.list.row(item)))
        item.setCheckState(Qt.CheckState.Checked)
        self.list.scrollToTop()

    def _narrow(self, text: str) -> None:
        """To what has the text in its name, or is the value that it spells, such as a user's number."""
        wanted, spelt = text.strip().casefold(), self._accepts(text.strip())
        for row in range(self.list.count()):
            item = self.list.item(row)
            item.setHidden(wanted not in item.text().casefold() and self._value(row) != spelt)
        self.narrowed.emit()

    def _value(self, row: int) -> str:
        return str(self.list.item(row).data(_VALUE))

    def _add(self, value: str, name: str, ticked: bool, picture: Picture | None = None) -> QListWidgetItem:
        item = QListWidgetItem(name)
        item.setSizeHint(QSize(0, ROW))
        item.setData(_VALUE, value)
        item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
        item.setCheckState(Qt.CheckState.Checked if ticked else Qt.CheckState.Unchecked)
        if picture is not None:
            item.setIcon(picture(value))
        self.list.addItem(item)
        return item
