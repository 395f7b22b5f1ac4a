"""Lists in popups: to tick values, to search and add them, and to bring them into an order."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QIcon, QKeyEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from cdb_desktop.foundation.i18n import number_text, tr
from cdb_desktop.ui.theme.measures import GAP, ROW
from cdb_desktop.ui.widgets.labels import BESIDE
from cdb_desktop.ui.widgets.layout import lay_out
from cdb_desktop.ui.widgets.object_names import named

Picture = Callable[[str], QIcon]
_VALUE = Qt.ItemDataRole.UserRole
_WORDS = _VALUE + 9
_NO_VALUE = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
_LIST_KEYS = frozenset({Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_PageDown, Qt.Key.Key_PageUp})
_RETURN = frozenset({Qt.Key.Key_Return, Qt.Key.Key_Enter})
_ALT = Qt.KeyboardModifier.AltModifier
_MOVES = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}


def _filter_anyway(value: str) -> str:
    return tr("Filter by “{value}” anyway", value=value)


class Checklist(QWidget):
    """A list of values to tick with a search field; ticked values are listed first.

    The last entry adds the typed text as a value. Signals: ``narrowed`` when other values are visible ·
    ``missed`` when Return finds nothing to tick.
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
        entry: Callable[[str], str] | None = None,
    ) -> None:
        """``accepts`` gives the value for a typed text, None if it cannot be one.

        ``name`` is part of the object names; ``shown`` gives the text of an added value, ``entry`` that
        of the entry that adds one.
        """
        super().__init__(parent)
        self._accepts = accepts
        self._shown = shown
        self._entry = entry or _filter_anyway
        prefix = f"events.checklist.{name}" if name else "events.checklist"
        self.search = QLineEdit(self, placeholderText=hint, clearButtonEnabled=True)
        self.search.setAccessibleName(hint)
        self.search.setObjectName(f"{prefix}.search")
        # Only the hint shows that values can be added.
        self.search.setMinimumWidth(self.search.fontMetrics().horizontalAdvance(hint) + 2 * GAP)
        self.list = named(f"{prefix}.list", QListWidget(self))
        self.list.setAccessibleName(hint)
        self.list.setUniformItemSizes(True)
        self._anyway = QListWidgetItem()
        self._anyway.setFlags(_NO_VALUE)
        self._anyway.setSizeHint(QSize(0, ROW))
        self.list.addItem(self._anyway)
        self._anyway.setHidden(True)
        self.list.itemClicked.connect(self._take_anyway)
        self.list.itemActivated.connect(self._take_anyway)
        self.list.installEventFilter(self)
        lay_out(QVBoxLayout(self), self.search, self.list, spacing=GAP)
        self.search.textChanged.connect(self._narrow)
        self.search.installEventFilter(self)

    def show_values(
        self,
        values: Iterable[tuple[str, str]],
        ticked: Sequence[str],
        picture: Picture | None = None,
        words: Callable[[str], str] | None = None,
    ) -> None:
        """Lists pairs of value and name; ``ticked`` are values.

        ``words`` are what people call a value, by which it is found, too.
        """
        names = dict(values)
        first = [(value, names.pop(value, value)) for value in ticked]
        for value, name in (*first, *names.items()):
            item = self._add(value, name, value in ticked, picture)
            if words is not None:
                item.setToolTip(words(value))
                item.setData(_WORDS, item.toolTip().casefold())

    def add_values(self, values: Iterable[str]) -> None:
        """Adds values that are not listed yet."""
        listed = {_value(item) for item in self._items()}
        for value in values:
            if value not in listed:
                self._add(value, self._shown(value), ticked=False)
        self._narrow(self.search.text())

    def show_counts(self, counts: Mapping[str, int]) -> None:
        """Sets numbers of events as side texts."""
        for item in self._items():
            number = counts.get(_value(item))
            if number is not None:
                item.setData(BESIDE, number_text(number))
                counted = tr("{number:1 event|{number} events}", number=number)
                item.setToolTip("\n".join(filter(None, (item.toolTip(), counted))))
                item.setData(Qt.ItemDataRole.AccessibleDescriptionRole, item.toolTip())

    @property
    def found(self) -> int:
        """The number of visible values."""
        return len(self._shown_items())

    @property
    def has_entries(self) -> bool:
        """Whether there are values, visible or not."""
        return self.list.count() > 1 or not self._anyway.isHidden()

    @property
    def ticked(self) -> tuple[str, ...]:
        """The ticked values, as listed."""
        return tuple(_value(item) for item in self._items() if item.checkState() == Qt.CheckState.Checked)

    def clear_ticks(self) -> None:
        """Unticks all."""
        for item in self._items():
            item.setCheckState(Qt.CheckState.Unchecked)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
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
            found = self._found_item()
            if found is None:
                self.missed.emit()
            else:
                self._take_found(found)
                self.search.clear()
            return True
        return False

    def _items(self) -> Iterator[QListWidgetItem]:
        """The values, without the entry that adds one."""
        return (item for row in range(self.list.count()) if (item := self.list.item(row)) is not self._anyway)

    def _shown_items(self) -> list[QListWidgetItem]:
        return [item for item in self._items() if not item.isHidden()]

    def _enter_list(self, event: QKeyEvent) -> None:
        """Moves to the first match, which becomes current on focus: an arrow key would skip it."""
        goes_on = not self.search.text() and self.list.currentItem() is not None
        shown = self._shown_items() or ([] if self._anyway.isHidden() else [self._anyway])
        if goes_on:
            self.list.setFocus()
            self.list.keyPressEvent(event)
        elif shown:
            self.list.setCurrentItem(shown[0])
            self.list.setFocus()

    def _found_item(self) -> QListWidgetItem | None:
        """The entry that Return ticks: the value equal to the text, else the first whose name contains it."""
        text, shown = self.search.text().strip(), self._shown_items()
        value = self._accepts(text)
        exact = next((one for one in shown if self._equals(one, text, value)), None)
        # A number must match completely.
        if exact is not None or not shown or (value is not None and value.isdecimal()):
            return exact
        return next((one for one in shown if text.casefold() in one.text().casefold()), shown[0])

    @staticmethod
    def _equals(item: QListWidgetItem, text: str, value: str | None) -> bool:
        return text.casefold() == item.text().casefold() or _value(item) == value

    def _take_anyway(self, item: QListWidgetItem) -> None:
        """Adds the typed text as a value."""
        value = self._accepts(self.search.text().strip())
        if item is self._anyway and not item.isHidden() and value is not None:
            self._take_found(self._add(value, self._shown(value), ticked=True))
            self.search.clear()
            self.search.setFocus()

    def _take_found(self, item: QListWidgetItem) -> None:
        """Ticks the match and moves it to the top, where it is visible."""
        self.list.insertItem(0, self.list.takeItem(self.list.row(item)))
        item.setCheckState(Qt.CheckState.Checked)
        self.list.scrollToTop()

    def _narrow(self, text: str) -> None:
        """Narrows the list to names and words with the text, or to the equal value, as a user's number."""
        wanted, spelt = text.strip().casefold(), self._accepts(text.strip())
        for item in self._items():
            is_called = wanted in item.text().casefold() or wanted in (item.data(_WORDS) or "")
            item.setHidden(not is_called and _value(item) != spelt)
        is_listed = any(self._equals(item, wanted, spelt) for item in self._items())
        self._anyway.setHidden(not wanted or spelt is None or is_listed)
        if spelt is not None:
            self._anyway.setText(self._entry(self._shown(spelt)))
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


class MovableList(Checklist):
    """A checklist whose values can be moved with Alt and an arrow key.

    Signals: ``changed`` when another value is current, or it was moved, ticked or reversed.
    """

    changed = Signal()

    def __init__(
        self,
        hint: str,
        *,
        accepts: Callable[[str], str | None],
        parent: QWidget,
        name: str,
        entry: Callable[[str], str] | None = None,
    ) -> None:
        super().__init__(hint, accepts=accepts, parent=parent, name=name, entry=entry)
        self.list.installEventFilter(self)
        self.list.currentItemChanged.connect(self._emit_changed)
        self.list.itemChanged.connect(self._emit_changed)

    def may_pass(self, _item: QListWidgetItem, _other: QListWidgetItem) -> bool:
        """Whether the first may be moved beyond the second."""
        return True

    def can_move(self, by: int) -> bool:
        """Whether the current value can be moved up or down."""
        row = self.list.currentRow()
        return row >= 0 and self._target(row, by) is not None

    def move_current(self, by: int) -> None:
        """Moves the current value up or down."""
        row = self.list.currentRow()
        target = self._target(row, by) if row >= 0 else None
        if target is not None:
            self._put(self.list.item(row), target)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            by = _MOVES.get(Qt.Key(event.key())) if event.modifiers() & _ALT else None
            if by is not None:
                self.move_current(by)
                return True
        return super().eventFilter(watched, event)

    def _target(self, row: int, by: int) -> int | None:
        """The next visible row, if it may be passed."""
        if self.list.item(row) is self._anyway:
            return None
        rows = range(row + by, self.list.row(self._anyway) if by > 0 else -1, by)
        found = next((one for one in rows if not self.list.item(one).isHidden()), None)
        if found is None or not self.may_pass(self.list.item(row), self.list.item(found)):
            return None
        return found

    def _put(self, item: QListWidgetItem, row: int) -> None:
        self.list.insertItem(row, self.list.takeItem(self.list.row(item)))
        self.list.setCurrentItem(item)
        self.list.scrollToItem(item)
        self.changed.emit()

    def _take_found(self, item: QListWidgetItem) -> None:
        """Ticks the match, after the values that are ticked already."""
        item.setCheckState(Qt.CheckState.Checked)
        self._put(item, len(self.ticked) - 1)

    def _emit_changed(self) -> None:
        self.changed.emit()


def list_button(parent: QWidget, name: str, text: str, tip: str) -> QPushButton:
    """A button with an object name that Return in the list does not press."""
    button = named(name, QPushButton(text, parent, autoDefault=False))
    button.setToolTip(tip)
    return button


def beside(parent: QWidget, list_: QWidget, *buttons: QPushButton) -> QWidget:
    """A widget with the list and buttons at its right."""
    widget = QWidget(parent)
    row, column = QHBoxLayout(widget), QVBoxLayout()
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(GAP)
    column.setSpacing(GAP)
    for button in buttons:
        column.addWidget(button)
    column.addStretch(1)
    row.addWidget(list_, stretch=1)
    row.addLayout(column)
    return widget
