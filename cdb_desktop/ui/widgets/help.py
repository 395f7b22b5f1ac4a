"""Help: addresses of the manual, the key F1, the help button of dialogs, and the buttons beside an error.

The shell opens these addresses (`cdb_desktop.ui.shell.manual`); an empty topic is that of the focus.
"""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import fill

from PySide6.QtCore import QEvent, QObject, Qt, QUrl, Signal
from PySide6.QtGui import QAction, QDesktopServices, QKeyEvent
from PySide6.QtWidgets import QApplication, QHBoxLayout, QMenu, QSizePolicy, QToolButton, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.theme.measures import GAP
from cdb_desktop.ui.widgets.buttons import IconButton
from cdb_desktop.ui.widgets.input_handling import on_key
from cdb_desktop.ui.widgets.layout import lay_out
from cdb_desktop.ui.widgets.object_names import named
from cdb_desktop.vocabulary.error_messages import ErrorMessage
from cdb_desktop.vocabulary.manual import FAULT, topic_of

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


def topic_of_failure(message: ErrorMessage) -> str:
    """The topic on the cause of an error; empty if there is none."""
    return topic_of([f"{FAULT}{message.fault}"]) if message.fault else ""


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


_WIDEST_TIP = 100  # characters


class FailureButtons(QWidget):
    """Hidden while there is no error. Codes of the service can be explained, other errors have topics.

    Unforeseen errors can be reported with the action ``report`` of the main window.

    Signals: ``explain_requested`` with the code.
    """

    explain_requested = Signal(str)

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._message: ErrorMessage | None = None
        self._copy = self._made("failure.copy")
        self._copy.setIcon(icon("copy", appearance))
        self._copy.clicked.connect(self._copy_details)
        self._explain = self._made("failure.explain")
        self._explain.setIcon(icon("errors", appearance))
        self._explain.clicked.connect(self._ask)
        self._report = self._made("failure.report")
        self._report.setIcon(icon("export", appearance))
        self._report.clicked.connect(self._report_problem)
        self._help = named("failure.help", HelpButton(appearance, self))
        self._help.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        lay_out(QHBoxLayout(self), self._copy, self._explain, self._report, self._help, spacing=GAP)
        self._copy.setText(tr("Copy details"))
        self._explain.setText(tr("Explain"))
        self._explain.setToolTip(tr("Look this code up on the page of errors"))
        self._report.setText(tr("Report…"))
        self._report.setToolTip(tr("See and save what helps to find the cause"))
        self.hide()

    def show_failure(self, message: ErrorMessage | None) -> None:
        """Sets the error; None for none."""
        self._message = message
        self._explain.setVisible(message is not None and message.code.startswith("error."))
        self._report.setVisible(
            message is not None and message.unforeseen and self._report_action() is not None
        )
        tip = tr("Copy all details of this error, without secrets")
        details = "" if message is None else message.details
        self._copy.setToolTip(
            "\n".join((tip, "", *(fill(line, _WIDEST_TIP) for line in details.splitlines())))
        )
        self.show_topic(topic_of_failure(message) if message is not None else "")

    def show_topic(self, topic: str) -> None:
        """Shows, without an error, too, a button that opens a topic; none for an empty text."""
        self._help.topic = topic
        self._help.setVisible(bool(topic))
        self._copy.setVisible(self._message is not None)
        self.setVisible(bool(topic) or self._message is not None)

    def _made(self, name: str) -> QToolButton:
        button = named(name, QToolButton(self, autoRaise=True))
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        return button

    def _report_action(self) -> QAction | None:
        """The action of the main window, which may be a parent of this widget's window."""
        window = self.window()
        while (parent := window.parentWidget()) is not None:
            window = parent.window()
        return window.findChild(QAction, "action.report")

    def _report_problem(self) -> None:
        action = self._report_action()
        if action is not None:
            action.trigger()

    def _copy_details(self) -> None:
        if self._message is not None:
            QApplication.clipboard().setText(self._message.details)

    def _ask(self) -> None:
        if self._message is not None:
            self.explain_requested.emit(self._message.code)
