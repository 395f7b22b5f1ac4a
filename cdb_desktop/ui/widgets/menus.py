"""Context menus by mouse and key, and menus that are searched by typing."""

from __future__ import annotations

import sys
from collections.abc import Callable

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QContextMenuEvent, QHideEvent, QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QAbstractItemView, QApplication, QMenu, QWidget

from cdb_desktop.foundation.i18n import visible
from cdb_desktop.ui.theme.mnemonics import NO_MNEMONICS
from cdb_desktop.ui.widgets.help import help_in

OpenMenu = Callable[[QModelIndex, QPoint], None]

_LONGEST = 60  # characters of a value in an entry
_PAUSE = 1500  # milliseconds until typing starts over


def enable_menu_key(window: QWidget) -> None:
    """Opens context menus with Shift+F10 in ``window``. Windows does that itself."""
    if sys.platform != "win32":
        QShortcut(QKeySequence("Shift+F10"), window).activated.connect(_open_menu)


def context_menu(parent: QWidget, name: str) -> QMenu:
    """A menu that is deleted when it is closed; tooltips of its entries say why they are not available."""
    menu = QMenu(parent, toolTipsVisible=True)
    menu.setObjectName(name)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    return help_in(menu)


def open_below(menu: QMenu, button: QWidget) -> None:
    """Opens a menu below a button, aligned with its right edge, so that it stays inside the window."""
    left = button.width() - menu.sizeHint().width() if button.isLeftToRight() else 0
    menu.popup(button.mapToGlobal(QPoint(min(0, left), button.height())))


def entry_text(value: str) -> str:
    """A value for an entry of a menu, in which no character is taken for a mnemonic."""
    return shortened_text(value).replace("&", "&&")


def shortened_text(text: str) -> str:
    """A value on one line, truncated if it is long."""
    plain = visible(" ".join(text.split()))
    return plain if len(plain) <= _LONGEST else f"{plain[: _LONGEST - 1]}…"


def on_context_menu(view: QAbstractItemView, open_menu: OpenMenu) -> None:
    """Calls ``open_menu`` with the index and the global position of a requested context menu.

    The index is invalid outside of all rows. By key it is the current row, and the position is below it.
    """
    _Menus(view, open_menu)


class _Menus(QObject):
    def __init__(self, view: QAbstractItemView, open_menu: OpenMenu) -> None:
        super().__init__(view)
        self._view = view
        self._open = open_menu
        view.installEventFilter(self)
        view.viewport().installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        if not isinstance(event, QContextMenuEvent):
            return False
        view = self._view
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            index = view.currentIndex()
            view.scrollTo(index)
            place = view.visualRect(index).intersected(view.viewport().rect())
            at = place.bottomLeft() if index.isValid() else view.viewport().rect().center()
            self._open(index, view.viewport().mapToGlobal(at))
        elif watched is view.viewport():
            self._open(view.indexAt(event.pos()), event.globalPos())
        else:
            return False
        return True


def _open_menu() -> None:
    focus = QApplication.focusWidget()
    if focus is not None:
        middle = focus.rect().center()
        reason = QContextMenuEvent.Reason.Keyboard
        QApplication.sendEvent(focus, QContextMenuEvent(reason, middle, focus.mapToGlobal(middle)))


class TypeAheadMenu(QMenu):
    """A menu in which typing goes to the entry that begins with the text; Return triggers it.

    Repeating one letter goes to the next match.

    Signals: ``else_typed`` with text that matches no entry.
    """

    else_typed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty(NO_MNEMONICS, True)
        help_in(self)
        self._typed = ""
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE)
        self._pause.timeout.connect(self._begin_anew)

    def event(self, event: QEvent) -> bool:
        """Takes what is typed before it triggers a shortcut of the widget with the focus, such as Space."""
        is_override = event.type() == QEvent.Type.ShortcutOverride
        if is_override and isinstance(event, QKeyEvent) and self._collects(event.text()):
            event.accept()
            return True
        return super().event(event)

    def _collects(self, letter: str) -> bool:
        return letter.isalnum() or (letter == " " and bool(self._typed))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Collects letters, digits and spaces; other keys work as in any menu."""
        letter = event.text()
        if not self._collects(letter):
            super().keyPressEvent(event)
            return
        self._pause.start()
        again = self._typed == letter
        self._typed = letter if again else self._typed + letter
        found = self._next(after=self.activeAction() if again else None)
        if found is not None:
            self.setActiveAction(found)
        else:
            self.else_typed.emit(self._typed)

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802
        super().hideEvent(event)
        self._begin_anew()

    def _begin_anew(self) -> None:
        self._typed = ""

    def _next(self, after: QAction | None) -> QAction | None:
        """The first entry, or first after ``after``, that begins with the text; else one with such a word."""
        entries = [one for one in self.actions() if one.isEnabled() and not one.isSeparator()]
        if after in entries:
            place = entries.index(after) + 1
            entries = entries[place:] + entries[:place]
        typed = self._typed.casefold()
        texts = [(one, one.text().replace("&", "").casefold()) for one in entries]
        begins = [one for one, text in texts if text.startswith(typed)]
        within = [one for one, text in texts if any(word.startswith(typed) for word in text.split())]
        found = within if after is not None else begins or within
        return found[0] if found else None
