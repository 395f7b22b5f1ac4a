"""A list of things to tick with a field to search in it.

What is not listed can be added by its spelling, but only through an entry of its own: Return in the field
ticks what is listed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QIcon, QKeyEvent
from PySide6.QtWidgets import QLineEdit, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from cdb_desktop.foundation.i18n import number_text
from cdb_desktop.ui.events.browser.beside_delegate import BESIDE
from cdb_desktop.ui.language.numbers import plural
from cdb_desktop.ui.theme.measures import GAP, ROW
from cdb_desktop.ui.theme.style_sheets import SLIM_SCROLL_BAR

Picture = Callable[[str], QIcon]
_VALUE = Qt.ItemDataRole.UserRole
_NO_VALUE = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
_LIST_KEYS = frozenset({Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_PageDown, Qt.Key.Key_PageUp})
_RETURN = frozenset({Qt.Key.Key_Return, Qt.Key.Key_Enter})


class Checklist(QWidget):
    """Values with their names; those that are ticked at the beginning stand first.

    The last entry adds what is typed as a value, where none is spelt so. Signals: ``narrowed`` when other
    values are in sight · ``missed`` when Return finds nothing to tick.
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
        entry: str = "",
    ) -> None:
        """``accepts`` gives the value for a text that is not listed, None where it cannot be one.

        ``name`` tells it from others on the same sheet; ``shown`` is how a value that is added is told;
        ``entry`` the text of the entry that adds it, with %1 for the value.
        """
        super().__init__(parent)
        self._accepts = accepts
        self._shown = shown
        self._entry = entry or self.tr("Filter by “%1” anyway")
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
        self._anyway = QListWidgetItem()
        self._anyway.setFlags(_NO_VALUE)
        self._anyway.setSizeHint(QSize(0, ROW))
        self.list.addItem(self._anyway)
        self._anyway.setHidden(True)
        self.list.itemClicked.connect(self._take_anyway)
        self.list.itemActivated.connect(self._take_anyway)
        self.list.installEventFilter(self)
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
        listed = {_value(item) for item in self._items()}
        for value in values:
            if value not in listed:
                self._add(value, self._shown(value), ticked=False)
        self._narrow(self.search.text())

    def tell_counts(self, counts: Mapping[str, int]) -> None:
        """Writes numbers of events beside the values that have been counted, for the list's delegate."""
        one, many = self.tr("1 event"), self.tr("%1 events")
        for item in self._items():
            number = counts.get(_value(item))
            if number is not None:
                item.setData(BESIDE, number_text(number))
                for role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleDescriptionRole):
                    item.setData(role, plural(number, one, many))

    @property
    def found(self) -> int:
        """How many values are in sight."""
        return len(self._shown_items())

    @property
    def has_entries(self) -> bool:
        """Whether there is anything to choose, be it in sight or not."""
        return self.list.count() > 1 or not self._anyway.isHidden()

    @property
    def ticked(self) -> tuple[str, ...]:
        """The values that are ticked, as listed."""
        return tuple(_value(item) for item in self._items() if item.checkState() == Qt.CheckState.Checked)

    def clear_ticks(self) -> None:
        """Nothing is ticked."""
        for item in self._items():
            item.setCheckState(Qt.CheckState.Unchecked)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """From the search field arrows go through the list, and Return ticks what was looked for."""
        if not isinstance(event, QKeyEvent) or event.type() != QEvent.Type.KeyPress:
            return False
        if watched is self.list:
            is_taken = event.key() == Qt.Key.Key_Space and self.list.currentItem() is self._anyway
            if is_taken:
                self._take_anyway(self._anyway)
            return is_taken
        if event.key() in _LIST_KEYS:
            self._enter_list(event)
            return True
        if event.key() in _RETURN and self.search.text().strip():
            self._tick_found()
            return True
        return False

    def _items(self) -> Iterator[QListWidgetItem]:
        """The values, without the entry that adds one."""
        return (item for row in range(self.list.count()) if (item := self.list.item(row)) is not self._anyway)

    def _shown_items(self) -> list[QListWidgetItem]:
        return [item for item in self._items() if not item.isHidden()]

    def _enter_list(self, event: QKeyEvent) -> None:
        """To the first of what was looked for: by the focus alone it is current, and a key passes it over."""
        goes_on = not self.search.text() and self.list.currentItem() is not None
        shown = self._shown_items() or ([] if self._anyway.isHidden() else [self._anyway])
        if goes_on:
            self.list.setFocus()
            self.list.keyPressEvent(event)
        elif shown:
            self.list.setCurrentItem(shown[0])
            self.list.setFocus()

    def _found_item(self) -> QListWidgetItem | None:
        """What Return ticks: the value that is spelt so, else the first that has the text."""
        text, shown = self.search.text().strip(), self._shown_items()
        value = self._accepts(text)
        exact = next((one for one in shown if self._is_spelt(one, text, value)), None)
        # A number is never meant as the beginning of another.
        is_number = value is not None and value.isdecimal()
        return exact or (shown[0] if shown and not is_number else None)

    @staticmethod
    def _is_spelt(item: QListWidgetItem, text: str, value: str | None) -> bool:
        return text.casefold() == item.text().casefold() or _value(item) == value

    def _tick_found(self) -> None:
        found = self._found_item()
        if found is None:
            self.missed.emit()
        else:
            self._take_found(found)
            self.search.clear()

    def _take_anyway(self, item: QListWidgetItem) -> None:
        """Adds what is typed as a value."""
        value = self._accepts(self.search.text().strip())
        if item is self._anyway and not item.isHidden() and value is not None:
            self._take_found(self._add(value, self._shown(value), ticked=True))
            self.search.clear()
            self.search.setFocus()

    def _take_found(self, item: QListWidgetItem) -> None:
        """Ticks what was looked for and shows it at the top, where it is seen to be ticked."""
        self.list.insertItem(0, self.list.takeItem(self.list.row(item)))
        item.setCheckState(Qt.CheckState.Checked)
        self.list.scrollToTop()

    def _narrow(self, text: str) -> None:
        """To what has the text in its name, or is the value that it spells, such as a user's number."""
        wanted, spelt = text.strip().casefold(), self._accepts(text.strip())
        for item in self._items():
            item.setHidden(wanted not in item.text().casefold() and _value(item) != spelt)
        is_listed = any(self._is_spelt(item, wanted, spelt) for item in self._items())
        self._anyway.setHidden(not wanted or spelt is None or is_listed)
        if spelt is not None:
            self._anyway.setText(self._entry.replace("%1", self._shown(spelt)))
        if wanted:
            found = self._found_item()
            self.list.setCurrentRow(-1 if found is None else self.list.row(found))
        self.narrowed.emit()

    def _add(self, value: str, name: str, ticked: bool, picture: Picture | None = None) -> QListWidgetItem:
        item = QListWidgetItem(name)
        item.setSizeHint(QSize(0, ROW))
        item.setData(_VALUE, value)
        item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
        item.setCheckState(Qt.CheckState.Checked if ticked else Qt.CheckState.Unchecked)
        if picture is not None:
            item.setIcon(picture(value))
        self.list.insertItem(self.list.row(self._anyway), item)
        return item


def _value(item: QListWidgetItem) -> str:
    return str(item.data(_VALUE))
