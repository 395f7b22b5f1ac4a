"""Notices above the pages."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QHBoxLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.theme.measures import GAP, GROUP, TIGHT
from cdb_desktop.ui.widgets.buttons import IconButton
from cdb_desktop.ui.widgets.failure_buttons import FailureButtons
from cdb_desktop.ui.widgets.files import show_folder_of
from cdb_desktop.ui.widgets.input_handling import on_key
from cdb_desktop.ui.widgets.labels import Label, WrappedLabel
from cdb_desktop.ui.widgets.named import named
from cdb_desktop.vocabulary.error_messages import ErrorMessage


class WrappedBar(QWidget):
    """Whoever changes its words calls ``fit``."""

    def hasHeightForWidth(self) -> bool:  # noqa: N802
        """A window would reckon with the height at its smallest width, and grow beyond the screen."""
        return False

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Another width may take more lines, or fewer."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.fit()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Follows the font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.fit()

    def fit(self) -> None:
        """Takes the height; one that is hidden is as wide as its place."""
        layout, place = self.layout(), self.parentWidget()
        if layout is None:
            return
        width = self.width() if self.isVisible() or place is None else place.width()
        # Where nothing is wrapped no height follows from the width.
        height = layout.totalHeightForWidth(width)
        self.setFixedHeight(height if height >= 0 else layout.totalSizeHint().height())
        # The words have been laid out for the height of before, and would stand below the edge.
        layout.setGeometry(self.rect())


NoticeTone = Literal["accent", "warning", "danger"]

GOOD_NEWS_MS = 10_000  # milliseconds that good news stands
_EDGE = 3
_AGAIN = 2_000


class NoticeBar(WrappedBar):
    """What happened, what it means, what to do; hidden while there is nothing to tell.

    Signals: ``explain_requested`` with the code of a failure.
    """

    explain_requested = Signal(str)

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._tone: NoticeTone = "accent"
        self._say: Callable[[], ErrorMessage] | None = None
        self._passing = QTimer(self, singleShot=True)
        self._passing.timeout.connect(self._pass)
        self._refit = QTimer(self, singleShot=True, interval=0)
        self._refit.timeout.connect(self.fit)
        self._title = Label(self)
        self._text = WrappedLabel(self)
        self._close = IconButton(icon("close", appearance), "", self)
        self._close.setObjectName("notice.close")
        self._close.clicked.connect(self.hide)
        self._more = FailureButtons(appearance, self)
        self._more.explain_requested.connect(self.explain_requested)
        bold = QFont(self.font())
        bold.setWeight(QFont.Weight.DemiBold)
        self._title.setFont(bold)
        # A button that comes or goes leaves the text another width; Qt shows it later than it is added.
        self._text.resized.connect(self._refit.start)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._line = QHBoxLayout(self)
        self._line.setContentsMargins(GROUP, TIGHT, GAP, TIGHT)
        self._line.setSpacing(GAP)
        for widget in (self._title, self._text, self._more, self._close):
            self._line.addWidget(widget, stretch=int(widget is self._text))
        self._retranslate()
        on_key("Escape", self, self._close.click, inside=True)
        self.hide()

    @property
    def title(self) -> str:
        """What is told at the moment, or was told last."""
        return self._title.text()

    @property
    def text(self) -> str:
        """What is told about it."""
        return self._text.text()

    @property
    def is_passing(self) -> bool:
        """Whether it will go by itself."""
        return self._passing.isActive()

    def show_notice(self, tone: NoticeTone, title: str, text: str) -> None:
        """Shows a notice in place of the one before; ``title`` may be empty."""
        self._say = None
        self._passing.stop()
        self._tone = tone
        self._title.setText(title)
        self._title.setVisible(bool(title))
        self._text.setText(text)
        self._more.show_failure(None)
        self.fit()
        self.show()
        self.update()

    def show_failure(self, said: ErrorMessage) -> None:
        """Shows what went wrong, with its details to copy and an explanation where there is one."""
        self.show_notice("danger", said.title, f"{said.text} {said.remedy}")
        self._more.show_failure(said)
        self.fit()

    def show_words(self, tone: NoticeTone, say: Callable[[], ErrorMessage]) -> None:
        """Shows what ``say`` says, in another language too."""
        said = say()
        if tone == "danger":
            self.show_failure(said)
        else:
            self.show_notice(tone, said.title, said.text)
        self._say = say

    def show_passing(self, say: Callable[[], ErrorMessage]) -> None:
        """Shows what has gone well: it goes by itself, unless somebody is at it."""
        self.show_words("accent", say)
        self._passing.start(GOOD_NEWS_MS)

    def fit(self) -> None:
        """Takes the height of the text at the width of now."""
        self._refit.stop()
        super().fit()
        if self._text.elide():
            super().fit()
        self._refit.stop()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """The language may be another."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
            if self._say is not None and not self.isHidden():
                left = self._passing.remainingTime()
                self.show_words(self._tone, self._say)
                if left >= 0:
                    self._passing.start(left)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """A selected ground with an edge in the colour of the tone."""
        tokens = self._appearance.tokens
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), QColor(tokens.selected))
            painter.fillRect(0, 0, _EDGE, self.height(), QColor(getattr(tokens, self._tone)))

    def _pass(self) -> None:
        focus = QApplication.focusWidget()
        if self.underMouse() or (focus is not None and self.isAncestorOf(focus)):
            self._passing.start(_AGAIN)
        else:
            self.hide()

    def _retranslate(self) -> None:
        self._close.setToolTip(self.tr("Close this notice"))
        self._close.setAccessibleName(self.tr("Close this notice"))


class FileNotice(NoticeBar):
    """The way to the file stands beside the words as long as they do; the last file stays known after that.

    Signals: ``file_told`` when there is one to be shown.
    """

    file_told = Signal()

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        self._file: Path | None = None
        super().__init__(appearance, parent)
        self._show_file = named("notice.show_file", QPushButton(self))
        self._show_file.setAutoDefault(False)
        self._show_file.clicked.connect(self.show_folder)
        self._line.insertWidget(self._line.indexOf(self._close), self._show_file)
        self._show_file.hide()
        self._name_button()

    def show_done(self, say: Callable[[], ErrorMessage], file: Path) -> None:
        """Shows what has gone well and passes, with the way to the file that came of it."""
        self._file = file
        self.show_passing(say)
        self._offer(offered=True)
        self.file_told.emit()

    def show_folder(self) -> None:
        """Shows the last file that was told of where it lies."""
        if self._file is not None and not show_folder_of(self._file):
            told = self.tr("The file is in %1.").replace("%1", str(self._file.parent))
            self.show_notice("warning", self.tr("Folders cannot be opened on this system"), told)

    def show_notice(self, tone: NoticeTone, title: str, text: str) -> None:
        """Shows a notice in place of the one before, which may have told of a file."""
        self._offer(offered=False)
        super().show_notice(tone, title, text)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """The language may be another; the file is the same."""
        if event.type() != QEvent.Type.LanguageChange:
            super().changeEvent(event)
            return
        offered = not self._show_file.isHidden()
        super().changeEvent(event)
        self._name_button()
        self._offer(offered=offered)

    def _offer(self, *, offered: bool) -> None:
        self._show_file.setVisible(offered)
        self.fit()

    def _name_button(self) -> None:
        self._show_file.setText(self.tr("Show file"))
        self._show_file.setToolTip(self.tr("Open the folder of the file"))


Say = Callable[[], str]
Act = Callable[[], object]


def nothing() -> str:
    """Nothing stands in the way."""
    return ""


class ActionNotice(NoticeBar):
    """Stays until something is done, or it is closed.

    Signals: ``closed`` when the user has closed it without doing anything.
    """

    closed = Signal()

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        self._offers: list[tuple[QPushButton, Say, Say]] = []
        super().__init__(appearance, parent)
        self._close.clicked.connect(self.closed)

    @property
    def offers(self) -> tuple[QPushButton, ...]:
        """The buttons of what can be done."""
        return tuple(button for button, _say, _lack in self._offers)

    def offer(self, name: str, say: Say, act: Act, lack: Say = nothing) -> None:
        """Adds a button that does ``act``, named by ``say`` in the language of the moment.

        As long as ``lack`` says that something is missing, it cannot be pressed and tells that.
        """
        button = named(name, QPushButton(say(), self))
        button.setAutoDefault(False)
        button.clicked.connect(act)
        self._offers.append((button, say, lack))
        self._line.insertWidget(self._line.indexOf(self._close), button)
        self.look_again()
        self.fit()

    def look_again(self) -> None:
        """What was missing may be there, or the other way round."""
        for button, _say, lack in self._offers:
            told = lack()
            button.setEnabled(not told)
            button.setToolTip(told)
            button.setAccessibleDescription(told)

    def take_back(self) -> None:
        """Takes all of them away."""
        for button in self.offers:
            self._line.removeWidget(button)
            button.deleteLater()
        self._offers.clear()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """The language may be another."""
        if event.type() == QEvent.Type.LanguageChange:
            for button, say, _lack in self._offers:
                button.setText(say())
            self.look_again()
        super().changeEvent(event)


class NoticeStack(QWidget):
    """Notices one below the other, no higher than they are."""

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._lines = QVBoxLayout(self)
        self._lines.setContentsMargins(0, 0, 0, 0)
        self._lines.setSpacing(1)

    def add(self) -> ActionNotice:
        """Another notice, hidden until it tells something."""
        bar = ActionNotice(self._appearance, self)
        self._lines.addWidget(bar)
        return bar
