"""Undo, redo, copy and select all of the Edit menu, for the widget that has the keyboard focus."""

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QGraphicsView,
    QLabel,
    QLineEdit,
    QMenu,
    QMenuBar,
    QPlainTextEdit,
    QTextEdit,
    QWidget,
)
from shiboken6 import isValid

from cdb_desktop.ui.actions import Actions

_NAMES = ("undo", "redo", "copy", "select_all")
_COPY = QKeySequence("Ctrl+C")
_REDO_ALSO = QKeySequence("Ctrl+Y")


class EditActions(QObject):
    """Applies the actions to a text field, table, list or tree.

    Unless a text field has the focus, undo and redo are those of the schema page. The widgets handle the keys
    themselves; only Ctrl+Y is added to text fields, since Qt supports it on Windows only.
    """

    def __init__(self, window: QWidget, menu: QMenu, actions: Actions) -> None:
        super().__init__(window)
        self._window = window
        self._actions = actions
        self._focus: QWidget | None = None
        for name, act in zip(_NAMES, (self._undo, self._redo, self._copy, self._select_all), strict=True):
            actions[name].triggered.connect(act)
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.focusChanged.connect(self._follow)
        menu.aboutToShow.connect(self.update)
        for name in ("schema_undo", "schema_redo"):
            actions[name].changed.connect(self.update)
        self._follow(None, QApplication.focusWidget())

    def update(self) -> None:
        """Renames and enables the actions for the widget that has the focus."""
        field, items, actions = self._field, self._items, self._actions
        for name, own in (("undo", "schema_undo"), ("redo", "schema_redo")):
            is_of_schema = field is None and actions.page == "schema"
            text = actions[own].text() if is_of_schema else actions.spec(name).text
            can = actions[own].isEnabled() if is_of_schema else _can(field, name)
            actions.rename(name, text)
            actions.set_possible(name, possible=can)
        label = self._focus if isinstance(self._focus, QLabel) else None
        copies = _can(field, "copy") or (items is not None and items.currentIndex().isValid())
        actions.set_possible("copy", possible=copies or (label is not None and label.hasSelectedText()))
        many = items is not None and items.selectionMode() in _SELECTING_MANY and _has_rows(items)
        actions.set_possible("select_all", possible=_can(field, "select_all") or many or self._has_boxes)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Handles Ctrl+Y in the text field that has the focus."""
        kinds = (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress)
        if not isinstance(event, QKeyEvent) or event.type() not in kinds:
            return False
        if QKeySequence(event.keyCombination()) != _REDO_ALSO or self._field is None:
            return False
        if event.type() == QEvent.Type.KeyPress:
            self._redo()
        event.accept()
        return True

    @property
    def _field(self) -> QLineEdit | QTextEdit | QPlainTextEdit | None:
        """The text field that has the focus."""
        focus = self._focus if self._focus is not None and isValid(self._focus) else None
        if isinstance(focus, QAbstractSpinBox):
            focus = focus.findChild(QLineEdit)
        return focus if isinstance(focus, QLineEdit | QTextEdit | QPlainTextEdit) else None

    @property
    def _items(self) -> QAbstractItemView | None:
        """The table, list or tree that has the focus."""
        focus = self._focus if self._focus is not None and isValid(self._focus) else None
        return focus if isinstance(focus, QAbstractItemView) else None

    @property
    def _has_boxes(self) -> bool:
        """Whether the diagram of the schema has the focus."""
        focus = self._focus if self._focus is not None and isValid(self._focus) else None
        return isinstance(focus, QGraphicsView) and self._actions["boxes_all"].isEnabled()

    def _follow(self, _before: QWidget | None, now: QWidget | None) -> None:
        """Follows the focus, but not into menus: their actions are for the widget that had it before."""
        if now is None or isinstance(now, QMenu | QMenuBar) or now.window() is not self._window:
            return
        if self._focus is not None and isValid(self._focus):
            self._focus.removeEventFilter(self)
        self._focus = now
        if self._field is not None:
            now.installEventFilter(self)
        self.update()

    def _undo(self) -> None:
        field = self._field
        if field is not None:
            field.undo()
        else:
            self._actions["schema_undo"].trigger()

    def _redo(self) -> None:
        field = self._field
        if field is not None:
            field.redo()
        else:
            self._actions["schema_redo"].trigger()

    def _copy(self) -> None:
        field = self._field
        if field is not None:
            field.copy()
        elif self._focus is not None and isValid(self._focus):
            _press_copy(self._focus)

    def _select_all(self) -> None:
        target = self._field or self._items
        if target is not None:
            target.selectAll()
        elif self._has_boxes:
            self._actions["boxes_all"].trigger()


_SELECTING_MANY = (
    QAbstractItemView.SelectionMode.ExtendedSelection,
    QAbstractItemView.SelectionMode.MultiSelection,
    QAbstractItemView.SelectionMode.ContiguousSelection,
)


def _can(field: QLineEdit | QTextEdit | QPlainTextEdit | None, name: str) -> bool:
    """Whether the action ``name`` would have an effect on a text field."""
    if isinstance(field, QLineEdit):
        is_open = field.echoMode() == QLineEdit.EchoMode.Normal
        return {
            "undo": field.isUndoAvailable(),
            "redo": field.isRedoAvailable(),
            "copy": field.hasSelectedText() and is_open,
            "select_all": bool(field.text()),
        }[name]
    if field is None:
        return False
    document = field.document()
    return {
        "undo": document.isUndoAvailable() and not field.isReadOnly(),
        "redo": document.isRedoAvailable() and not field.isReadOnly(),
        "copy": field.textCursor().hasSelection(),
        "select_all": not document.isEmpty(),
    }[name]


def _has_rows(items: QAbstractItemView) -> bool:
    return items.model().rowCount() > 0


def _press_copy(widget: QWidget) -> None:
    """Does what Ctrl+C does in a widget: triggers its action or its shortcut, or sends it the key."""
    for action in widget.actions():
        if _COPY in action.shortcuts() and action.isEnabled():
            action.trigger()
            return
    for shortcut in widget.findChildren(QShortcut, options=Qt.FindChildOption.FindDirectChildrenOnly):
        if shortcut.key() == _COPY:
            shortcut.activated.emit()
            return
    for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
        control = Qt.KeyboardModifier.ControlModifier
        QApplication.sendEvent(widget, QKeyEvent(kind, Qt.Key.Key_C, control))
