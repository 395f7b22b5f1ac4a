"""Notices: slim bars with a message above a page, some with buttons or a way to a file."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Literal

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QColor,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QApplication, QHBoxLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.theme.measures import GAP, GROUP, TIGHT, demi_bold
from cdb_desktop.ui.widgets.buttons import FilledButton, IconButton
from cdb_desktop.ui.widgets.files import show_folder_of
from cdb_desktop.ui.widgets.help import FailureButtons
from cdb_desktop.ui.widgets.input_handling import on_key
from cdb_desktop.ui.widgets.labels import Label, WrappedLabel
from cdb_desktop.ui.widgets.layout import lay_out
from cdb_desktop.ui.widgets.object_names import named
from cdb_desktop.vocabulary.error_messages import ErrorMessage

NoticeTone = Literal["accent", "warning", "danger"]
GOOD_NEWS_MS = 10_000  # milliseconds until good news is hidden
_EDGE = 3
_RETRY_MS = 2_000  # while the mouse or the focus is on it
MakeText = Callable[[], str]
Act = Callable[[], object]


class WrappedBar(QWidget):
    """A bar as high as its wrapped text at the current width. Call `fit` after changing the text."""

    def hasHeightForWidth(self) -> bool:  # noqa: N802
        """False: a window would use the height at its minimum width, and grow beyond the screen."""
        return False

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Fits the height to the new width."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.fit()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.fit()

    def fit(self) -> None:
        """Sets the height; a hidden bar is measured at the width of its parent."""
        layout, parent = self.layout(), self.parentWidget()
        if layout is None:
            return
        width = self.width() if self.isVisible() or parent is None else parent.width()
        # Negative if nothing is wrapped.
        height = layout.totalHeightForWidth(width)
        self.setFixedHeight(height if height >= 0 else layout.totalSizeHint().height())
        # The layout still has the previous height.
        layout.setGeometry(self.rect())


class NoticeBar(WrappedBar):
    """A message that can be closed; hidden while it is empty.

    Signals: ``explain_requested`` with the code of an error.
    """

    explain_requested = Signal(str)

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._tone: NoticeTone = "accent"
        self._passing = QTimer(self, singleShot=True)
        self._passing.timeout.connect(self._pass)
        self._refit = QTimer(self, singleShot=True, interval=0)
        self._refit.timeout.connect(self.fit)
        self._title = Label(self)
        self._text = WrappedLabel(self)
        self._close = IconButton(icon("close", appearance), tr("Close this notice"), self)
        self._close.setObjectName("notice.close")
        self._close.clicked.connect(self.hide)
        self._more = FailureButtons(appearance, self)
        self._more.explain_requested.connect(self.explain_requested)
        self._title.setFont(demi_bold(self.font()))
        # The width of the text changes when buttons appear, which is after they are added.
        self._text.resized.connect(self._refit.start)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._line = lay_out(QHBoxLayout(self), margins=(GROUP, TIGHT, GAP, TIGHT), spacing=GAP)
        for widget in (self._title, self._text, self._more, self._close):
            self._line.addWidget(widget, stretch=int(widget is self._text))
        on_key("Escape", self, self._close.click, inside=True)
        self.hide()

    @property
    def title(self) -> str:
        """The title of the current or last message."""
        return self._title.text()

    @property
    def text(self) -> str:
        """The text of the current or last message."""
        return self._text.text()

    @property
    def is_good_news(self) -> bool:
        """Whether the message is neither a warning nor an error."""
        return self._tone == "accent"

    def show_notice(self, tone: NoticeTone, title: str, text: str) -> None:
        """Replaces the message; ``title`` may be empty."""
        self._passing.stop()
        self._tone = tone
        self._title.setText(title)
        self._title.setVisible(bool(title))
        self._text.setText(text)
        self._more.show_failure(None)
        self.fit()
        self._announce(" ".join(filter(None, (title, text))), is_urgent=tone == "danger")
        self.show()
        self.update()

    def show_failure(self, message: ErrorMessage) -> None:
        """Shows the message of an error with buttons to copy its details and to explain it."""
        self.show_notice("danger", message.title, f"{message.text} {message.remedy}")
        self._more.show_failure(message)
        self.fit()

    def show_message(self, tone: NoticeTone, message: ErrorMessage) -> None:
        """Shows an error as `show_failure` does, and any other message as a notice."""
        if tone == "danger":
            self.show_failure(message)
        else:
            self.show_notice(tone, message.title, message.text)

    def _announce(self, text: str, *, is_urgent: bool) -> None:
        """Lets screen readers read the message, as it does not get the focus."""
        if QAccessible.isActive() and text:
            announcement = QAccessibleAnnouncementEvent(self, text)
            politeness = QAccessible.AnnouncementPoliteness
            announcement.setPoliteness(politeness.Assertive if is_urgent else politeness.Polite)
            QAccessible.updateAccessibility(announcement)

    def show_passing(self, message: ErrorMessage) -> None:
        """Shows good news, hidden after some seconds unless the mouse or the focus is on it."""
        self.show_notice("accent", message.title, message.text)
        self._passing.start(GOOD_NEWS_MS)

    def fit(self) -> None:
        """Sets the height that the text needs at the current width."""
        self._refit.stop()
        super().fit()
        if self._text.elide():
            super().fit()
        self._refit.stop()

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        tokens = self._appearance.tokens
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), QColor(tokens.selected))
            painter.fillRect(0, 0, _EDGE, self.height(), QColor(getattr(tokens, self._tone)))

    def _pass(self) -> None:
        focus = QApplication.focusWidget()
        if self.underMouse() or (focus is not None and self.isAncestorOf(focus)):
            self._passing.start(_RETRY_MS)
        else:
            self.hide()


class FileNotice(NoticeBar):
    """A notice with buttons that show a written file in the file manager, and open it if it is a log.

    Signals: ``file_written`` when a file was written · ``open_requested`` with the Path of a log.
    """

    file_written = Signal()
    open_requested = Signal(object)

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        self._file: Path | None = None
        self._open_text = ""
        super().__init__(appearance, parent)
        self._open = named("notice.open_file", QPushButton(self, autoDefault=False))
        self._open.clicked.connect(lambda: self.open_requested.emit(self._file))
        self._line.insertWidget(self._line.indexOf(self._close), self._open)
        self._show_file = named("notice.show_file", QPushButton(tr("Show file"), self, autoDefault=False))
        self._show_file.setToolTip(tr("Open the folder of the file"))
        self._show_file.clicked.connect(self.show_folder)
        self._line.insertWidget(self._line.indexOf(self._close), self._show_file)
        self._open.setToolTip(tr("Read the events of the file"))
        self._offer(offered=False)

    def show_done(self, message: ErrorMessage, file: Path, open_text: str = "") -> None:
        """Shows good news about ``file``, with a button that leads to it.

        ``open_text`` is the text of a second button, which opens ``file`` as a log. With it the notice stays
        until it is closed.
        """
        self._file, self._open_text = file, open_text
        if open_text:
            self.show_message("accent", message)
        else:
            self.show_passing(message)
        self._open.setText(open_text)
        self._offer(offered=True)
        self.file_written.emit()

    def show_folder(self) -> None:
        """Opens the folder of the last file."""
        if self._file is not None and not show_folder_of(self._file):
            text = tr("The file is in {folder}.", folder=str(self._file.parent))
            self.show_notice("warning", tr("Folders cannot be opened on this system"), text)

    def show_notice(self, tone: NoticeTone, title: str, text: str) -> None:
        """Replaces the message; the button is hidden."""
        self._offer(offered=False)
        super().show_notice(tone, title, text)

    def _offer(self, *, offered: bool) -> None:
        self._show_file.setVisible(offered)
        self._open.setVisible(offered and bool(self._open_text))
        self.fit()


def no_obstacle() -> str:
    """No obstacle."""
    return ""


class ActionNotice(NoticeBar):
    """A notice with buttons, the first of which is filled; it stays until it is closed.

    In a `NoticeStack` it may have to wait while another notice is shown.

    Signals: ``closed`` when the user has closed it · ``wanted`` (whether it is to be shown).
    """

    closed = Signal()
    wanted = Signal(bool)

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        self._actions: list[tuple[QPushButton, MakeText]] = []
        self._is_stacked = False
        super().__init__(appearance, parent)
        self._close.clicked.connect(self.closed)

    def setVisible(self, visible: bool) -> None:  # noqa: N802
        """Shows or hides the notice, in a stack when it is its turn."""
        if self._is_stacked:
            self.wanted.emit(visible)
        else:
            super().setVisible(visible)

    def take_turn(self, *, has_turn: bool) -> None:
        """Called by the stack: shows or hides the notice."""
        self._is_stacked = True
        super().setVisible(has_turn)

    @property
    def buttons(self) -> tuple[QPushButton, ...]:
        """The buttons."""
        return tuple(button for button, _obstacle in self._actions)

    def add_button(self, name: str, text: str, act: Act, obstacle: MakeText = no_obstacle) -> None:
        """Adds a button with a text that calls ``act``.

        While ``obstacle`` returns a text, the button is disabled with it as its tooltip.
        """
        button = named(name, QPushButton(self) if self._actions else FilledButton(self._appearance, self))
        button.setText(text)
        button.setAutoDefault(False)
        button.clicked.connect(act)
        self._actions.append((button, obstacle))
        self._line.insertWidget(self._line.indexOf(self._close), button)
        self.update_buttons()
        self.fit()

    def update_buttons(self) -> None:
        """Enables and disables the buttons."""
        for button, obstacle in self._actions:
            text = obstacle()
            button.setEnabled(not text)
            button.setToolTip(text)
            button.setAccessibleDescription(text)

    def clear_buttons(self) -> None:
        """Removes all buttons."""
        for button in self.buttons:
            self._line.removeWidget(button)
            button.deleteLater()
        self._actions.clear()


class NoticeStack(QWidget):
    """Shows one notice at a time: the newest first, the others as soon as it is closed.

    ``message`` is a notice elsewhere in the page that also counts: while it is shown the others wait, and
    a newer notice replaces it. Notices also wait for a message of the window, after `wait_for`; that message
    is never replaced, since it may say why nothing else works.
    """

    def __init__(self, appearance: Appearance, message: NoticeBar, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._message = message
        self._outer: NoticeBar | None = None
        self._waiting: list[ActionNotice] = []  # the newest is the last
        self._lines = lay_out(QVBoxLayout(self))
        message.installEventFilter(self)

    def wait_for(self, outer: NoticeBar) -> None:
        """Lets the notices wait while a message of the window is shown."""
        self._outer = outer
        outer.installEventFilter(self)

    def add(self) -> ActionNotice:
        """Adds a notice, hidden until it has a message."""
        bar = ActionNotice(self._appearance, self)
        bar.take_turn(has_turn=False)
        bar.wanted.connect(partial(self._want, bar))
        self._lines.addWidget(bar)
        return bar

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Shows the next notice when the message is closed, and hides it while there is a message."""
        if event.type() in (QEvent.Type.ShowToParent, QEvent.Type.HideToParent):
            self._show_newest()
        return super().eventFilter(watched, event)

    @property
    def _is_outer_shown(self) -> bool:
        return self._outer is not None and not self._outer.isHidden()

    def _want(self, bar: ActionNotice, is_wanted: bool) -> None:
        was_waiting = bar in self._waiting
        self._waiting = [one for one in self._waiting if one is not bar]
        if is_wanted:
            self._waiting.append(bar)
            if not was_waiting and not self._is_outer_shown:
                self._message.hide()
        else:
            bar.take_turn(has_turn=False)
        self._show_newest()

    def _show_newest(self) -> None:
        is_free = self._message.isHidden() and not self._is_outer_shown
        newest = self._waiting[-1] if self._waiting and is_free else None
        for bar in self._waiting:
            bar.take_turn(has_turn=bar is newest)
