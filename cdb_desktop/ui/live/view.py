"""What the live feed looks like: a strip that tells how it goes, and rows that arrive at the end."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QLocale, QSettings, Qt, QTimer
from PySide6.QtGui import QAction, QFont
from PySide6.QtWidgets import QLabel, QPushButton, QStackedWidget, QVBoxLayout, QWidget

from cdb_desktop.client import Event
from cdb_desktop.live.feed import Feed
from cdb_desktop.ui.live.model import FeedModel
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.fonts import scaled
from cdb_desktop.ui.theme.measures import CAPTION, GAP, STRIP
from cdb_desktop.ui.widgets.bar import ActionButton, Bar, caption
from cdb_desktop.ui.widgets.event_table import EventTable
from cdb_desktop.ui.widgets.kept_columns import keep_columns
from cdb_desktop.ui.widgets.state_dot import StateDot, Tone
from cdb_desktop.ui.widgets.state_picture import Kind, StatePicture
from cdb_desktop.vocabulary.sentences import Sentence

_NARROWEST = 360  # pixels in which id, time and type can be read
_BEAT = 50  # milliseconds in which arriving events are gathered into one change of rows


class LiveView(QWidget):
    """The content of the live dock; it follows the end until somebody scrolls away from it.

    ``strip`` tells how polling goes; it is the dock's title bar.
    """

    def __init__(self, appearance: Appearance, settings: QSettings, pause: QAction) -> None:
        super().__init__()
        self._model = FeedModel(Feed(), self)
        self.table = EventTable(self._model, appearance, self)
        self._picture = StatePicture(appearance, self)
        self.strip = Bar(height=STRIP)
        self._dot = StateDot(appearance, self)
        self._status = caption(self)
        self._behind = QPushButton(self)
        self._arriving: list[Event] = []
        self._unseen = 0
        self.is_following = False
        self._beat = QTimer(self, singleShot=True, interval=_BEAT)
        self._beat.timeout.connect(self._take_in)
        self._arrange(pause)
        keep_columns(self.table.horizontalHeader(), settings, "live/columns")
        self._behind.clicked.connect(self.follow)
        self.table.verticalScrollBar().valueChanged.connect(self._scrolled)

    @property
    def has_rows(self) -> bool:
        """Whether events stand in the feed."""
        return self._model.rowCount() > 0

    def add(self, events: Sequence[Event]) -> None:
        """Events have arrived, oldest first; they are shown within 50 ms."""
        self._arriving.extend(events)
        if self._arriving and not self._beat.isActive():
            self._beat.start()

    def follow(self) -> None:
        """Goes to the newest event and stays with the end."""
        self.table.scrollToBottom()
        self._unseen = 0
        self._behind.hide()

    def show_following(self, words: str) -> None:
        """Polling goes well; ``words`` tell how."""
        self.is_following = True
        self._show_status("good", words)
        if not self.has_rows and not self._arriving:
            text = self.tr("The feed is open. What happens at the service appears here within a second.")
            self._picture.show_state(Kind.EMPTY, self.tr("Nothing has happened yet"), text)
            self._stack.setCurrentWidget(self._picture)

    def show_paused(self) -> None:
        """Polling rests; nothing is lost meanwhile."""
        self._show_status("muted", self.tr("Paused: what happens meanwhile comes when you go on"))

    def show_trouble(self, said: Sentence, seconds: float) -> None:
        """The service does not answer; the next try comes in ``seconds``."""
        text = self.tr("%1. Trying again in %2 s").replace("%1", said.title).replace("%2", f"{seconds:g}")
        self._show_status("warning", text)

    def show_failure(self, said: Sentence) -> None:
        """Polling has ended for a reason that trying again does not cure; the rows stay."""
        self._show_status("danger", said.title)
        if not self.has_rows:
            self._picture.show_state(Kind.FAILED, said.title, f"{said.text} {said.remedy}")
            self._stack.setCurrentWidget(self._picture)

    def _show_status(self, tone: Tone, words: str) -> None:
        self._dot.show_tone(tone)
        self._status.setText(words)

    def _take_in(self) -> None:
        at_end = self._is_at_end()
        self._stack.setCurrentWidget(self.table)
        self._model.append(self._arriving)
        self._unseen += len(self._arriving)
        self._arriving = []
        if at_end:
            self.follow()
        else:
            count = QLocale().toString(self._unseen)
            self._behind.setText(self.tr("%1 new below").replace("%1", count))
            self._behind.show()

    def _is_at_end(self) -> bool:
        bar = self.table.verticalScrollBar()
        return bar.value() >= bar.maximum()

    def _scrolled(self) -> None:
        if self._is_at_end() and self._unseen:
            self.follow()

    def _arrange(self, pause: QAction) -> None:
        self._stack = QStackedWidget(self)
        self._stack.addWidget(self.table)
        self._stack.addWidget(self._picture)
        self._behind.setToolTip(self.tr("Go to the newest event (End)"))
        self._behind.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._behind.hide()
        name = QLabel(self.tr("LIVE"), self)
        name.setFont(scaled(self.font(), CAPTION, QFont.Weight.DemiBold))
        self.strip.add(name)
        self.strip.add(self._dot, self._status, gap=GAP)
        self.strip.push()
        self.strip.add(self._behind, ActionButton(pause, self))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._stack)
        self.setMinimumWidth(_NARROWEST)
