"""Input fields that signal a value when the user has finished entering it, not each letter."""

from collections.abc import Iterable, Mapping

import msgspec
from PySide6.QtCore import QEvent, QModelIndex, QObject, QRect, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QFont,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QStandardItem,
    QStandardItemModel,
)
from PySide6.QtWidgets import (
    QCheckBox,
    QCompleter,
    QFrame,
    QHeaderView,
    QLabel,
    QLineEdit,
    QListView,
    QStyle,
    QStyleOption,
    QTableWidget,
    QTableWidgetItem,
    QToolTip,
    QWidget,
)

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.schema.document.json_values import shown_value
from cdb_desktop.ui.theme.measures import CAPTION, GAP, ROW, TIGHT, scaled
from cdb_desktop.ui.theme.style_sheets import TABLE_HEADER
from cdb_desktop.ui.widgets.labels import Label

_DATA = int(Qt.ItemDataRole.UserRole)
_ARROW = 16
_MOST_LINES = 12
_ENTER_KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_LIST_KEYS = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


class TextField(QLineEdit):
    """A line of text.

    Signals: ``decided`` with the text on Enter or when the focus leaves, if the text has changed.
    """

    decided = Signal(str)

    def __init__(self, name: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self._shown = ""
        self.editingFinished.connect(self._finish)

    def show_text(self, text: str) -> None:
        """Shows a text; what is being typed is kept if ``text`` has not changed."""
        if text != self._shown or not self.hasFocus():
            self._shown = text
            if self.text() != text:
                self.setText(text)
                self.setCursorPosition(0)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Discards the typed text on Escape."""
        if event.key() == Qt.Key.Key_Escape and self.text() != self._shown:
            self.setText(self._shown)
        elif event.key() == Qt.Key.Key_Escape:
            event.ignore()
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Leaves keys to the page that are worth more there."""
        if _is_for_page(self, event):
            event.ignore()
            return True
        return super().event(event)

    def _finish(self) -> None:
        text = self.text().strip()
        if text != self._shown and not self.isReadOnly():
            self._shown = text
            self.setText(text)
            self.decided.emit(text)


class FilterField(QLineEdit):
    """A list that is filtered by typing. Enter or a click changes the value, Escape discards the text.

    Signals: ``decided`` with the data that the user has selected · ``finished`` with the key after a choice
    was taken, also if it is the same.
    """

    decided = Signal(object)
    finished = Signal(object)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setTextMargins(0, 0, _ARROW, 0)
        self._choices: list[tuple[str, object]] = []
        self._chosen: object = None
        # Whether Tab takes a choice from the open list; else it moves the focus.
        self.takes_tab = False
        self._model = QStandardItemModel(self)
        self._list = QListView(self)
        self._list.setObjectName(f"{name}.list")
        self._completer = QCompleter(self._model, self)
        self._completer.setWidget(self)
        self._completer.setFilterMode(Qt.MatchFlag.MatchContains)
        self._completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self._completer.setMaxVisibleItems(_MOST_LINES)
        self._completer.setPopup(self._list)
        # After the completer's own event filter, so that this one gets Escape first.
        self._list.installEventFilter(self)
        self._completer.activated[QModelIndex].connect(self._take)  # type: ignore[index]
        self.textEdited.connect(self._filter)

    @property
    def chosen(self) -> object:
        """The selected data, None if nothing is selected."""
        return self._chosen

    @property
    def choices(self) -> tuple[str, ...]:
        """The texts of all choices."""
        return tuple(text for text, _ in self._choices)

    @property
    def is_undecided(self) -> bool:
        """Whether Enter would take something: the list is open, or something has been typed."""
        return self._list.isVisible() or self.text() != self._shown()

    @property
    def found(self) -> tuple[str, ...]:
        """The texts in the open list."""
        model = self._completer.completionModel()
        is_open = self._list.isVisible()
        return tuple(str(model.index(row, 0).data()) for row in range(model.rowCount() if is_open else 0))

    def show_choices(self, choices: list[tuple[str, object]], chosen: object) -> None:
        """Shows the choices and the data ``chosen``. Text that is being typed is kept."""
        is_same = choices == self._choices and chosen == self._chosen
        if choices != self._choices:
            self._choices = list(choices)
            self._model.clear()
            for text, data in choices:
                item = QStandardItem(text)
                item.setData(data, _DATA)
                item.setEditable(False)
                item.setSizeHint(QSize(self.fontMetrics().horizontalAdvance(text) + 2 * GAP, ROW))
                self._model.appendRow(item)
        self._chosen = chosen
        if not (is_same and self.hasFocus()):
            self._restore()

    def selectAll(self) -> None:  # noqa: N802
        """Selects the text from its end, so that its beginning stays visible."""
        self.end(False)
        self.home(True)

    def open_list(self) -> None:
        """Opens the unfiltered list at the selected choice."""
        self._open("")
        row = next((at for at, (_, data) in enumerate(self._choices) if data == self._chosen), 0)
        self._list.setCurrentIndex(self._completer.completionModel().index(row, 0))

    def open_untyped(self) -> None:
        """Opens the list unless the user has begun to type."""
        if self.hasFocus() and self.text() == self._shown():
            self.open_list()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Arrows open the list, Enter takes the best match, Escape discards the text."""
        is_changed = self.text() != self._shown()
        current = self._list.currentIndex()
        if self._list.isVisible() and event.key() in _ENTER_KEYS and current.isValid():
            self._list.hide()
            self._take(current, Qt.Key.Key_Return)
        elif event.key() in _LIST_KEYS and not self.isReadOnly():
            self.open_list()
        elif event.key() in _ENTER_KEYS and is_changed:
            self._filter(self.text())
            if self._list.currentIndex().isValid() and self._list.isVisible():
                self._list.hide()
                self._take(self._list.currentIndex(), Qt.Key.Key_Return)
        elif event.key() == Qt.Key.Key_Escape and is_changed:
            self._restore()
            self.selectAll()
        elif event.key() in (*_ENTER_KEYS, Qt.Key.Key_Escape):
            event.ignore()
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Leaves keys to the page that are worth more there."""
        if _is_for_page(self, event):
            event.ignore()
            return True
        return super().event(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Closes the list and discards the text on Escape."""
        is_key = watched is self._list and event.type() == QEvent.Type.KeyPress
        if is_key and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Tab and self.takes_tab:
            current = self._list.currentIndex()
            self._list.hide()
            if current.isValid():
                self._take(current, Qt.Key.Key_Tab)
            return True
        if is_key and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            self._list.hide()
            self._restore()
            self.selectAll()
            return True
        return super().eventFilter(watched, event)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        super().mousePressEvent(event)
        if event.button() == Qt.MouseButton.LeftButton and self.isEnabled() and not self.isReadOnly():
            self.selectAll()
            self.open_list()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        event.accept()

    def focusInEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        super().focusInEvent(event)
        if event.reason() != Qt.FocusReason.PopupFocusReason:
            self.selectAll()

    def focusOutEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        super().focusOutEvent(event)
        if event.reason() != Qt.FocusReason.PopupFocusReason:
            self._restore()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        super().paintEvent(event)
        option = QStyleOption()
        option.initFrom(self)
        size = _ARROW // 2
        option.rect = QRect(self.width() - _ARROW - 2, (self.height() - size) // 2, size, size)
        with QPainter(self) as painter:
            self.style().drawPrimitive(QStyle.PrimitiveElement.PE_IndicatorArrowDown, option, painter, self)

    def _shown(self) -> str:
        return next((text for text, data in self._choices if data == self._chosen), "")

    def _restore(self) -> None:
        self.setText(self._shown())
        self.setCursorPosition(0)

    def _filter(self, text: str) -> None:
        """Opens the list of the choices that contain the text, at the best match."""
        wanted = text.strip()
        self._open(wanted)
        model = self._completer.completionModel()
        rows = [model.index(row, 0) for row in range(model.rowCount())]
        if rows:
            self._list.setCurrentIndex(min(rows, key=lambda index: _match_rank(index, wanted.casefold())))
        else:
            self._list.hide()
            QToolTip.showText(self.mapToGlobal(self.rect().bottomLeft()), tr("Nothing fits."), self)

    def _open(self, wanted: str) -> None:
        self._completer.setCompletionPrefix(wanted)
        width = (
            self._list.sizeHintForColumn(0) + self._list.verticalScrollBar().sizeHint().width() + 2 * TIGHT
        )
        self._completer.complete(QRect(0, 0, max(width, self.width()), self.height()))

    def _take(self, index: QModelIndex, key: Qt.Key = Qt.Key.Key_unknown) -> None:
        data = index.data(_DATA)
        is_new = data != self._chosen
        self._chosen = data
        self._restore()
        self.selectAll()
        if is_new:
            self.decided.emit(data)
        self.finished.emit(key)


class SettingsTable(QTableWidget):
    """Names with texts; a name in the last, empty row adds one, and a row without a name disappears.

    Values that are no texts are edited as JSON.

    Signals: ``decided`` with all of them by name, None without any.
    """

    decided = Signal(object)

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(0, 2, parent)
        self.setObjectName(name)
        self.setAccessibleName(tr("Custom settings"))
        self.setHorizontalHeaderLabels([tr("Name"), tr("Value")])
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(ROW)
        self.setTabKeyNavigation(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.horizontalHeader().setStyleSheet(TABLE_HEADER)
        self.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft)
        self.horizontalHeader().setHighlightSections(False)
        self._shown: dict[str, object] = {}
        self.cellChanged.connect(self._finish)

    def show_settings(self, settings: Mapping[str, object]) -> None:
        """Replaces the rows; what is being typed is kept if the settings have not changed."""
        if settings == self._shown and self.rowCount():
            return
        self._shown = dict(settings)
        texts = [(name, shown_value(value)) for name, value in settings.items()]
        with QSignalBlocker(self):
            self.setRowCount(len(texts) + 1)
            for row, pair in enumerate((*texts, ("", ""))):
                for column, text in enumerate(pair):
                    self.setItem(row, column, QTableWidgetItem(text))
        self.setFixedHeight((len(texts) + 2) * ROW + TIGHT)

    def _finish(self, row: int, column: int) -> None:
        before = [*self._shown.items(), ("", "")]
        try:
            found = self._entered(before)
        except ValueError as error:
            item = self.item(row, column)
            if item is not None:
                with QSignalBlocker(self):
                    item.setText(shown_value(before[row][column]))
                place = self.visualItemRect(item).bottomLeft()
                QToolTip.showText(self.viewport().mapToGlobal(place), str(error), self)
            return
        if found != self._shown:
            self.decided.emit(found or None)

    def _entered(self, before: Iterable[tuple[str, object]]) -> dict[str, object]:
        """The settings of all rows, which showed those of ``before``. Raises ValueError."""
        found: dict[str, object] = {}
        for row, (_, value) in enumerate(before):
            name, text = self._text(row, 0).strip(), self._text(row, 1)
            if name in found:
                raise ValueError(tr("There is a setting of this name already."))
            if name:
                found[name] = _edited(value, text)
        return found

    def _text(self, row: int, column: int) -> str:
        item = self.item(row, column)
        return "" if item is None else item.text()


def _edited(value: object, text: str) -> object:
    """The value that was shown and edited as ``text``. Raises ValueError."""
    if text == shown_value(value):
        return value
    try:
        return text if isinstance(value, str) else msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        raise ValueError(tr("JSON is expected here, such as true, 5 or a text in quotes.")) from error


def _is_for_page(field: QLineEdit, event: QEvent) -> bool:
    """Whether a key is undo or redo and the field has nothing to undo, or exports the diagram."""
    if not isinstance(event, QKeyEvent) or event.type() != QEvent.Type.ShortcutOverride:
        return False
    if QKeySequence(event.keyCombination()).toString() == "Ctrl+E":  # to the end of the line on X11
        return True
    undo, redo = QKeySequence.StandardKey.Undo, QKeySequence.StandardKey.Redo
    is_undo = event.matches(undo) and not field.isUndoAvailable()
    return is_undo or (event.matches(redo) and not field.isRedoAvailable())


def _match_rank(index: QModelIndex, wanted: str) -> tuple[int, int]:
    """Ranks a match: the same text, a prefix, the prefix of a word, anything else."""
    text = str(index.data()).casefold()
    texts = [text, text.removeprefix("→ "), str(index.data(_DATA)).casefold()]
    if wanted in texts:
        return 0, index.row()
    if any(text.startswith(wanted) for text in texts):
        return 1, index.row()
    return 2 if f" {wanted}" in texts[0] else 3, index.row()


def show_checked(box: QCheckBox, *, on: bool) -> None:
    """Shows a state without ``toggled``, the only signal of a user's change by assistive technology."""
    with QSignalBlocker(box):
        box.setChecked(on)


def section_label(text: str, parent: QWidget) -> QLabel:
    """A label for a section of the form."""
    label = Label(text, parent)
    label.setForegroundRole(label.palette().ColorRole.PlaceholderText)
    font = scaled(label.font(), CAPTION, QFont.Weight.DemiBold)
    font.setCapitalization(QFont.Capitalization.AllUppercase)
    font.setLetterSpacing(QFont.SpacingType.PercentageSpacing, 106)
    label.setFont(font)
    # Capitals with umlauts are higher than the font metrics report.
    label.setContentsMargins(0, TIGHT, 0, 0)
    return label
