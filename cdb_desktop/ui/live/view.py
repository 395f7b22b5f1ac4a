"""What the live feed looks like: a strip that tells how it goes, and rows that arrive at the end."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

from PySide6.QtCore import QEvent, QSettings, QTimer, Signal
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from cdb_desktop.client import Event
from cdb_desktop.live.choice import Choice
from cdb_desktop.live.feed import Feed
from cdb_desktop.live.link import Link
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.live import words
from cdb_desktop.ui.live.arrivals import Arrivals
from cdb_desktop.ui.live.banner import FollowBanner
from cdb_desktop.ui.live.feed_table import FeedTable
from cdb_desktop.ui.live.filter_popup import FilterPopup
from cdb_desktop.ui.live.model import FeedModel
from cdb_desktop.ui.live.notices import FeedNotices
from cdb_desktop.ui.live.pictures import Next, picture
from cdb_desktop.ui.live.row_actions import RowActions
from cdb_desktop.ui.live.strip import LiveStrip
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.kept_columns import keep_columns
from cdb_desktop.ui.widgets.state_picture import StatePicture
from cdb_desktop.vocabulary.sentences import Sentence

_NARROWEST = 360  # pixels in which id, time and type can be read
_TICK = 500  # milliseconds after which ages and rates in the strip are told anew

Said = Callable[[], Sentence]  # in the language of the moment


class LiveView(QWidget):
    """The content of the live dock; ``strip`` is the dock's title bar, ``notices`` stand above the rows.

    Signals: ``try_requested`` to ask the service now · ``sign_in_requested`` to get another session ·
    ``event_chosen`` with the id of an event that is to be seen in the event browser.
    """

    try_requested = Signal()
    sign_in_requested = Signal()
    event_chosen = Signal(object)

    def __init__(self, appearance: Appearance, settings: QSettings, actions: Actions) -> None:
        super().__init__()
        self.model = FeedModel(Feed(), self)
        self.table = FeedTable(self.model, appearance, self)
        self.strip = LiveStrip(appearance, actions)
        self.notices = FeedNotices(appearance, self)
        self.popup = FilterPopup(appearance, self)
        self._arrivals = Arrivals(self.model, self)
        self._rows = RowActions(self.table, self.model)
        self._picture = StatePicture(appearance, self)
        self._banner = FollowBanner(appearance, self)
        self._link = Link()
        self._said: Said | None = None
        self._next: Next = ""
        self._tick = QTimer(self, interval=_TICK)
        self._arrange(settings)
        self._connect(actions)
        self._retranslate()
        self._tick.start()

    @property
    def has_rows(self) -> bool:
        """Whether events stand in the feed."""
        return self.model.rowCount() > 0

    @property
    def is_following(self) -> bool:
        """Whether the service answers and the newest event is in sight."""
        return self._link.phase == "open" and self.table.is_following

    def add(self, events: Iterable[Event], *, is_new: bool = True) -> None:
        """Events have come, oldest first; what is not ``is_new`` fills up what happened before."""
        self._arrivals.add(events, is_new=is_new)

    def show_link(self, link: Link, said: Said | None = None) -> None:
        """How the feed stands with its service, and what is ``said`` about a trouble."""
        if link.phase != self._link.phase:
            # The rows are the newest ones only from now on, or no longer: they count as shown anew.
            self.table.viewport().update()
        self._link = link
        self._said = said
        self._show_status()
        self._show_picture()

    def choose(self, choice: Choice) -> None:
        """Shows other events; what is in sight and selected stays so as far as it is shown."""
        self.table.choose(choice)
        self._show_rows()

    def clear(self) -> None:
        """Shows only what comes from now on."""
        self.model.clear()
        self.table.follow()
        self._show_rows()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Another language."""
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _retranslate(self) -> None:
        self.table.setAccessibleName(words.name())
        self.model.retranslate()
        self._rows.retranslate()
        self._show_rows()

    def _show_rows(self) -> None:
        feed = self.model.feed
        self.strip.show_counts(words.counts(feed))
        self.strip.chip.show_words(words.choice(feed))
        self._banner.show_unseen(self.table.unseen)
        self._banner.setVisible(not self.table.is_following)
        if feed.left:
            self.notices.tell_leaving(feed.capacity)
        self._show_status()
        self._show_picture()

    def _show_status(self) -> None:
        unseen = None if self.table.is_following else self.table.unseen
        pulse = words.Pulse(unseen, self._arrivals.per_second, time.monotonic())
        title = self._said().title if self._said else ""
        self.strip.show_status(words.status(self._link, pulse, title))
        if self.popup.isVisible():
            self.popup.show_choice(self.model.feed.types, self.model.feed.choice)

    def _show_picture(self) -> None:
        shown = picture(self.model.feed, self._link, self._said() if self._said else None)
        if shown is None:
            self._stack.setCurrentWidget(self.table)
            return
        self._next = shown.next
        if shown.said is None:
            self._picture.show_state(shown.kind, shown.title, shown.text, shown.step)
        else:
            self._picture.show_failure(shown.said, shown.step, shown.kind)
        self._stack.setCurrentWidget(self._picture)

    def _take_step(self) -> None:
        if self._next == "bring_back":
            self.table.bring_back()
            self._show_rows()
        elif self._next == "show_all":
            self.choose(Choice())
        else:
            self._ask_again()

    def _ask_again(self) -> None:
        if self._link.phase == "lost":
            self.sign_in_requested.emit()
        else:
            self.try_requested.emit()

    def _show_all(self) -> None:
        self.choose(Choice())

    def _open_popup(self) -> None:
        # A dock that was hidden has to be in its place before anything can open beside it.
        self._dock.setChecked(True)
        QTimer.singleShot(0, self._place_popup)

    def _place_popup(self) -> None:
        self.popup.show_choice(self.model.feed.types, self.model.feed.choice)
        self.popup.open_at(self.strip.filter_button)

    def _pause(self, paused: bool) -> None:
        if paused:
            self.table.hold()
        else:
            self.table.follow()

    def _connect(self, actions: Actions) -> None:
        self._dock, pause = actions["live"], actions["pause"]
        pause.setChecked(False)
        pause.toggled.connect(self._pause)
        self.table.following_changed.connect(lambda follows: pause.setChecked(not follows))
        self.table.following_changed.connect(self._show_rows)
        actions["live_filter"].triggered.connect(self._open_popup)
        actions["live_clear"].triggered.connect(self.clear)
        self._arrivals.appended.connect(self._show_rows)
        self._tick.timeout.connect(self._show_status)
        self._banner.clicked.connect(self.table.follow)
        self._picture.step_requested.connect(self._take_step)
        self.strip.step_requested.connect(self._ask_again)
        self.strip.chip.opened.connect(self._open_popup)
        self.strip.chip.removed.connect(self._show_all)
        self.popup.choice_changed.connect(self.choose)
        self._rows.choice_made.connect(self.choose)
        self._rows.event_chosen.connect(self.event_chosen)
        self._rows.copied.connect(self.notices.tell_copied)

    def _arrange(self, settings: QSettings) -> None:
        self.table.setObjectName("live.table")
        keep_columns(self.table.horizontalHeader(), settings, "live/columns")
        self._stack = QStackedWidget(self)
        self._stack.addWidget(self.table)
        self._stack.addWidget(self._picture)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.notices)
        layout.addWidget(self._stack, stretch=1)
        layout.addWidget(self._banner)
        self.setMinimumWidth(_NARROWEST)
