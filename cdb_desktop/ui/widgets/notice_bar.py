"""A slim bar that tells one thing above the pages until it is closed; knows no cause."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QHBoxLayout, QSizePolicy, QWidget

from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.theme.measures import GAP, GROUP, TIGHT
from cdb_desktop.ui.widgets.bar import IconButton
from cdb_desktop.ui.widgets.failure_buttons import FailureButtons
from cdb_desktop.ui.widgets.label import Label
from cdb_desktop.ui.widgets.shortcut import on_key
from cdb_desktop.ui.widgets.wrapped_bar import WrappedBar
from cdb_desktop.ui.widgets.wrapped_label import WrappedLabel
from cdb_desktop.vocabulary.sentences import Sentence

Tone = Literal["accent", "warning", "danger"]

PASSES = 10_000  # milliseconds that good news stands
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
        self._tone: Tone = "accent"
        self._say: Callable[[], Sentence] | None = None
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

    def show_notice(self, tone: Tone, title: str, text: str) -> None:
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

    def show_failure(self, said: Sentence) -> None:
        """Shows what went wrong, with its details to copy and an explanation where there is one."""
        self.show_notice("danger", said.title, f"{said.text} {said.remedy}")
        self._more.show_failure(said)
        self.fit()

    def show_words(self, tone: Tone, say: Callable[[], Sentence]) -> None:
        """Shows what ``say`` says, in another language too."""
        said = say()
        if tone == "danger":
            self.show_failure(said)
        else:
            self.show_notice(tone, said.title, said.text)
        self._say = say

    def show_passing(self, say: Callable[[], Sentence]) -> None:
        """Shows what has gone well: it goes by itself, unless somebody is at it."""
        self.show_words("accent", say)
        self._passing.start(PASSES)

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
