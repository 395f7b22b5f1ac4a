"""Fields of the form: they tell what somebody decided on, not every letter on the way there."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
    QComboBox,
    QCompleter,
    QLabel,
    QLineEdit,
    QListView,
    QStyle,
    QStyleOption,
    QToolTip,
    QWidget,
)

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.theme.fonts import scaled
from cdb_desktop.ui.theme.measures import CAPTION, GAP, ROW, TIGHT
from cdb_desktop.ui.widgets.input_handling import ignore_wheel
from cdb_desktop.ui.widgets.labels import Label

if TYPE_CHECKING:
    _WidgetMixin = QWidget
else:
    _WidgetMixin = object  # a class has one base of Qt

_DATA = int(Qt.ItemDataRole.UserRole)
_ARROW = 16
_MOST_LINES = 12
_DECIDING = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_BROWSING = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


class TextField(QLineEdit):
    """A line of text.

    Signals: ``decided`` with the text, on Enter or on leaving, when it is another one.
    """

    decided = Signal(str)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self._shown = ""
        self.editingFinished.connect(self._decide)

    def show_text(self, text: str) -> None:
        """Shows what counts; a text that is being typed is kept while that stays the same."""
        if text != self._shown or not self.hasFocus():
            self._shown = text
            if self.text() != text:
                self.setText(text)
                self.setCursorPosition(0)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Escape takes back what was typed."""
        if event.key() == Qt.Key.Key_Escape and self.text() != self._shown:
            self.setText(self._shown)
        elif event.key() == Qt.Key.Key_Escape:
            event.ignore()
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Leaves undo and redo to the page where the field itself has nothing to take back."""
        if _is_undo_of_page(self, event):
            event.ignore()
            return True
        return super().event(event)

    def _decide(self) -> None:
        text = self.text().strip()
        if text != self._shown and not self.isReadOnly():
            self._shown = text
            self.setText(text)
            self.decided.emit(text)


class Tick(QCheckBox):
    """A yes or no.

    Signals: ``decided`` with the answer when somebody gives it, never when it is only shown.
    """

    decided = Signal(bool)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.toggled.connect(self.decided)

    def show_answer(self, *, on: bool) -> None:
        """Shows what counts."""
        with QSignalBlocker(self):
            self.setChecked(on)


class _ChoiceField(_WidgetMixin):
    """What fields have in common in which one thing is chosen. Comes before a widget of Qt among the bases.

    Signals: ``decided`` with the data of what somebody chose.
    """

    decided = Signal(object)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)


class Choice(_ChoiceField, QComboBox):
    """One of several."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(8)
        ignore_wheel(self)
        self.activated.connect(lambda index: self.decided.emit(self.itemData(index)))

    def show_choices(self, choices: list[tuple[str, object]], chosen: object) -> None:
        """Shows what there is, texts with their data, and what counts."""
        with QSignalBlocker(self):
            if choices != [(self.itemText(at), self.itemData(at)) for at in range(self.count())]:
                self.clear()
                for text, data in choices:
                    self.addItem(text, data)
            found = [at for at, (_, data) in enumerate(choices) if data == chosen]
            self.setCurrentIndex(found[0] if found else -1)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Arrows and letters look for something in the open list; only Enter or a click decides on it."""
        text = event.text()
        is_letter = text.isprintable() and bool(text.strip())
        if event.key() not in _BROWSING and not is_letter:
            super().keyPressEvent(event)
            return
        self.showPopup()
        # The list would be where it was left the last time.
        self.view().setCurrentIndex(self.model().index(self.currentIndex(), self.modelColumn()))
        if is_letter:
            self.view().keyboardSearch(text)


class FilterChoice(_ChoiceField, QLineEdit):
    """One of many, found by typing any part of its text. Enter or a click decides, Escape takes all back."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self.setTextMargins(0, 0, _ARROW, 0)
        self._choices: list[tuple[str, object]] = []
        self._chosen: object = None
        self._model = QStandardItemModel(self)
        self._list = QListView(self)
        self._list.setObjectName(f"{name}.list")
        self._completer = QCompleter(self._model, self)
        self._completer.setWidget(self)
        self._completer.setFilterMode(Qt.MatchFlag.MatchContains)
        self._completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self._completer.setMaxVisibleItems(_MOST_LINES)
        self._completer.setPopup(self._list)
        # After the completer has installed its own, so that Escape comes here first.
        self._list.installEventFilter(self)
        self._completer.activated[QModelIndex].connect(self._take)  # type: ignore[index]
        self.textEdited.connect(self._filter)

    @property
    def chosen(self) -> object:
        """The data of what counts, None while nothing has been chosen."""
        return self._chosen

    @property
    def choices(self) -> tuple[str, ...]:
        """The texts that there are."""
        return tuple(text for text, _ in self._choices)

    @property
    def found(self) -> tuple[str, ...]:
        """The texts that the open list shows."""
        model = self._completer.completionModel()
        is_open = self._list.isVisible()
        return tuple(str(model.index(row, 0).data()) for row in range(model.rowCount() if is_open else 0))

    def show_choices(self, choices: list[tuple[str, object]], chosen: object) -> None:
        """Shows what there is, texts with their data, and what counts; what is being typed stays."""
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
        """Selects the text from its end, so that its beginning stays in sight."""
        self.end(False)
        self.home(True)

    def open_list(self) -> None:
        """Shows everything that there is, at what counts."""
        self._open("")
        row = next((at for at, (_, data) in enumerate(self._choices) if data == self._chosen), 0)
        self._list.setCurrentIndex(self._completer.completionModel().index(row, 0))

    def open_untyped(self) -> None:
        """Shows everything, unless somebody has begun to type."""
        if self.hasFocus() and self.text() == self._shown():
            self.open_list()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Arrows open the list; Enter decides on the best match, Escape takes back what was typed."""
        is_changed = self.text() != self._shown()
        current = self._list.currentIndex()
        if self._list.isVisible() and event.key() in _DECIDING and current.isValid():
            self._list.hide()
            self._take(current)
        elif event.key() in _BROWSING and not self.isReadOnly():
            self.open_list()
        elif event.key() in _DECIDING and is_changed:
            self._filter(self.text())
            if self._list.currentIndex().isValid() and self._list.isVisible():
                self._list.hide()
                self._take(self._list.currentIndex())
        elif event.key() == Qt.Key.Key_Escape and is_changed:
            self._restore()
            self.selectAll()
        elif event.key() in (*_DECIDING, Qt.Key.Key_Escape):
            event.ignore()
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Leaves undo and redo to the page where the field itself has nothing to take back."""
        if _is_undo_of_page(self, event):
            event.ignore()
            return True
        return super().event(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Escape closes the list and takes back what was typed."""
        is_key = watched is self._list and event.type() == QEvent.Type.KeyPress
        if is_key and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            self._list.hide()
            self._restore()
            self.selectAll()
            return True
        return super().eventFilter(watched, event)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """A click opens the list; typing begins anew."""
        super().mousePressEvent(event)
        if event.button() == Qt.MouseButton.LeftButton and self.isEnabled() and not self.isReadOnly():
            self.selectAll()
            self.open_list()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Leaves the text selected."""
        event.accept()

    def focusInEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        """What is typed takes the place of what is shown."""
        super().focusInEvent(event)
        if event.reason() != Qt.FocusReason.PopupFocusReason:
            self.selectAll()

    def focusOutEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        """Whoever leaves without Enter has decided on nothing."""
        super().focusOutEvent(event)
        if event.reason() != Qt.FocusReason.PopupFocusReason:
            self._restore()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """An arrow at the right, as in every other list that opens."""
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
        """Leaves what holds the text, at what fits it best."""
        wanted = text.strip()
        self._open(wanted)
        model = self._completer.completionModel()
        rows = [model.index(row, 0) for row in range(model.rowCount())]
        if rows:
            self._list.setCurrentIndex(min(rows, key=lambda index: _distance(index, wanted.casefold())))
        else:
            self._list.hide()
            QToolTip.showText(self.mapToGlobal(self.rect().bottomLeft()), tr("Nothing fits."), self)

    def _open(self, wanted: str) -> None:
        self._completer.setCompletionPrefix(wanted)
        width = (
            self._list.sizeHintForColumn(0) + self._list.verticalScrollBar().sizeHint().width() + 2 * TIGHT
        )
        self._completer.complete(QRect(0, 0, max(width, self.width()), self.height()))

    def _take(self, index: QModelIndex) -> None:
        data = index.data(_DATA)
        is_new = data != self._chosen
        self._chosen = data
        self._restore()
        self.selectAll()
        if is_new:
            self.decided.emit(data)


def _is_undo_of_page(field: QLineEdit, event: QEvent) -> bool:
    if not isinstance(event, QKeyEvent) or event.type() != QEvent.Type.ShortcutOverride:
        return False
    undo, redo = QKeySequence.StandardKey.Undo, QKeySequence.StandardKey.Redo
    is_undo = event.matches(undo) and not field.isUndoAvailable()
    return is_undo or (event.matches(redo) and not field.isRedoAvailable())


def _distance(index: QModelIndex, wanted: str) -> tuple[int, int]:
    """How far a choice is from what was typed: equal, beginning so, a word beginning so, anything else."""
    texts = [str(index.data()).casefold(), str(index.data(_DATA)).casefold()]
    if wanted in texts:
        return 0, index.row()
    if any(text.startswith(wanted) for text in texts):
        return 1, index.row()
    return 2 if f" {wanted}" in texts[0] else 3, index.row()


def section(parent: QWidget | None = None) -> QLabel:
    """The head of a part of the form."""
    label = Label(parent)
    label.setForegroundRole(label.palette().ColorRole.PlaceholderText)
    font = scaled(label.font(), CAPTION, QFont.Weight.DemiBold)
    font.setCapitalization(QFont.Capitalization.AllUppercase)
    font.setLetterSpacing(QFont.SpacingType.PercentageSpacing, 106)
    label.setFont(font)
    # Small capitals with dots reach above what the metrics of the font promise.
    label.setContentsMargins(0, TIGHT, 0, 0)
    return label
