"""Ways to the manual: its addresses, the key F1 and the help button of dialogs.

The shell opens these addresses (`cdb_desktop.ui.shell.manual`); an empty topic is that of the focus.
"""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QEvent, QObject, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QKeyEvent
from PySide6.QtWidgets import QMenu, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.widgets.buttons import IconButton
from cdb_desktop.ui.widgets.input_handling import on_key
from cdb_desktop.vocabulary.manual import topic_of

MANUAL, SHOW = "manual", "show"  # schemes of addresses: of a topic, and of an action to try


def open_help(topic: str = "") -> None:
    """Opens a topic of the manual, or that of the widget that has the focus."""
    QDesktopServices.openUrl(QUrl(f"{MANUAL}:{topic}"))


def names_around(widget: QWidget | None) -> Iterator[str]:
    """The object names of a widget and of all widgets around it, including those below its window."""
    while widget is not None:
        if widget.objectName():
            yield widget.objectName()
        widget = widget.parentWidget()


def help_on_f1(window: QWidget) -> None:
    """Opens help with F1 in a window that is not the main window, such as a dialog."""
    on_key("F1", window, open_help, inside=True)


class HelpButton(IconButton):
    """Opens the topic of the window around it; the focus stays where it is, and F1 does the same."""

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(icon("help", appearance), tr("Help (F1)"), parent)
        self.topic = ""  # replaces that of the window
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.clicked.connect(self._open)

    def _open(self) -> None:
        open_help(self.topic or topic_of(names_around(self)))


class _MenuHelp(QObject):
    """Opens the topic of the highlighted entry of a menu with F1; menus have no shortcuts."""

    def eventFilter(self, _menu: QObject, event: QEvent) -> bool:  # noqa: N802
        if not isinstance(event, QKeyEvent) or event.type() != QEvent.Type.KeyPress:
            return False
        is_help = event.key() == Qt.Key.Key_F1
        if is_help:
            open_help()
        return is_help


def help_in(menu: QMenu) -> QMenu:
    """Opens help for the highlighted entry of ``menu`` with F1; returns ``menu``."""
    menu.installEventFilter(_MenuHelp(menu))
    return menu
