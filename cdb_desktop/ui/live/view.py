"""What the live dock looks like: a strip that tells how it goes, and one feed or several side by side."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from datetime import datetime

from PySide6.QtCore import QCoreApplication, QEvent, QSettings, QTimer, Signal
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from cdb_desktop.client import Event
from cdb_desktop.live.feed_filter import FeedFilter
from cdb_desktop.live.feed_status import ConnectionState
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.language.numbers import filled
from cdb_desktop.ui.live import words
from cdb_desktop.ui.live.account_popup import AccountPopup
from cdb_desktop.ui.live.feed_memory import FeedMemory
from cdb_desktop.ui.live.feed_pane import FeedPane, Said
from cdb_desktop.ui.live.feed_table import FeedTable
from cdb_desktop.ui.live.feeds import MOST, Feeds
from cdb_desktop.ui.live.filter_popup import FilterPopup
from cdb_desktop.ui.live.model import FeedModel
from cdb_desktop.ui.live.notices import FeedNotices
from cdb_desktop.ui.live.pulse import Pulses
from cdb_desktop.ui.live.recording_notice import RecordingNotice
from cdb_desktop.ui.live.strip import LiveStrip
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.settings import FeedSettings
from cdb_desktop.vocabulary.profile_key import ProfileKey

_TICK = 500  # milliseconds after which ages and rates in the strip are told anew


class LiveView(QWidget):
    """The content of the live dock; ``strip`` is the dock's title bar, ``notices`` stand above the feeds.

    Keys and actions mean the ``current`` feed. Signals: ``try_requested`` to ask the service now ·
    ``sign_in_requested`` to get another session · ``event_chosen`` with an Event that is to be seen in the
    event browser · ``schema_requested`` with that of a commit, whose version is to be seen · ``marked`` when
    somebody wants to find a moment again · ``alarmed`` (number, label) when something has come to a feed that
    is to tell of it · ``leaving`` when events are about to leave the feeds because they are bounded, with a
    function that gives them · ``ticked`` twice a second.
    """

    try_requested = Signal()
    sign_in_requested = Signal()
    event_chosen = Signal(object)
    schema_requested = Signal(object)
    marked = Signal(object)
    alarmed = Signal(int, str)
    leaving = Signal(object)
    ticked = Signal()

    def __init__(self, appearance: Appearance, settings: QSettings, actions: Actions) -> None:
        super().__init__()
        self._actions = actions
        self.strip = LiveStrip(appearance, actions)
        self.notices = FeedNotices(appearance, self)
        self.record_notice = RecordingNotice("live.record.notice", appearance, self)
        self.keep_notice = RecordingNotice("live.keep.notice", appearance, self)
        self.popup = FilterPopup(appearance, self)
        self.account = AccountPopup(appearance, actions, self)
        self._pulses = Pulses()
        self._offered = 0  # feeds, when it was told last what is possible
        self._tick = QTimer(self, interval=_TICK)
        self.settings = settings
        self._feeds = Feeds(appearance, settings, self)
        self._setting = FeedSettings.of(settings)
        self._arrange()
        self._connect(actions)
        self._keep_at_most()
        self._show_rows()
        self._tick.start()

    @property
    def feeds(self) -> list[FeedPane]:
        """All feeds, from the left."""
        return self._feeds.panes

    @property
    def current(self) -> FeedPane:
        """The feed that keys and actions mean."""
        return self._feeds.current

    @property
    def model(self) -> FeedModel:
        """The rows of the current feed."""
        return self.current.model

    @property
    def table(self) -> FeedTable:
        """The table of the current feed."""
        return self.current.table

    @property
    def has_rows(self) -> bool:
        """Whether events stand in the current feed."""
        return self.model.rowCount() > 0

    @property
    def is_following(self) -> bool:
        """Whether the service answers and the newest event is in sight."""
        return self._pulses.link.phase == "open" and self.table.is_following

    def add(self, events: Iterable[Event], *, is_new: bool = True) -> None:
        """Events have come, oldest first; what is not ``is_new`` fills up what happened before."""
        come = list(events)
        if is_new:
            self._pulses.rate.add(time.monotonic(), len(come))
        self._feeds.add(come)

    def show_link(self, link: ConnectionState, said: Said | None = None, lag: float | None = None) -> None:
        """How it stands with the service, what is ``said`` about a trouble, and the lag in seconds."""
        self._pulses.show_link(link, said, lag)
        self._feeds.show_link(link, said)
        self._show_status()

    def show_due(self, due: float | None) -> None:
        """The moment of the next poll, told with the next tick; None while one is under way."""
        self._pulses.show_due(due)

    def remember(self, home: ProfileKey) -> None:
        """Has the feeds that this user had at this service, and remembers what becomes of them."""
        FeedMemory(self._feeds, self.settings, home)

    def forget_ids(self) -> None:
        """From now on ids mean other events than before."""
        self._feeds.forget_ids()

    def set_filter(self, choice: FeedFilter) -> None:
        """Shows other events in the current feed."""
        self.current.set_filter(choice)

    def clear(self) -> None:
        """Shows only what comes from now on in the current feed."""
        self.current.clear()

    def open_feed(self, choice: FeedFilter | None = None) -> None:
        """Another feed beside the others, with the same events; it becomes the current one."""
        self._feeds.open(choice or FeedFilter())

    def highlight(self, texts: Mapping[str, str]) -> None:
        """Marks rows by these texts, by tone, in every feed."""
        self._feeds.highlight(texts)

    def mark(self) -> None:
        """A line in every feed between what has come and what will."""
        moment = datetime.now().astimezone()
        self._feeds.mark(moment)
        self.marked.emit(moment)

    def show_account_popup(self) -> None:
        """Opens the account of ids beside its button."""
        self._actions["live"].setChecked(True)
        QTimer.singleShot(0, self, self._place_account)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Another language."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self._show_rows()

    def event(self, event: QEvent) -> bool:
        """What comes while the window is not the active one is new to who returns."""
        is_left = QApplication.activeWindow() in (None, self.window())  # not for a dialog of its own
        if event.type() == QEvent.Type.WindowDeactivate and is_left:
            self._feeds.look_away()
        return super().event(event)

    def _open_another(self) -> None:
        self.open_feed()

    def _close_current(self) -> None:
        self._feeds.take_away(self.current)

    def _show_rows(self) -> None:
        feed = self.model.feed
        # Where there are several, each tells of itself.
        several = self._feeds.are_several
        self.strip.show_counts("" if several else words.counts(feed))
        self.strip.bell.setVisible(self.current.alarm.is_on and not several)
        self.strip.chip.show_words("" if several else self.current.label)
        self._offer(several=several)
        if feed.removed:
            self.notices.tell_leaving(words.capacity(feed), is_listed=self._actions["live_check"].isEnabled())
        self._show_status()

    def _offer(self, *, several: bool) -> None:
        self._actions["pause"].setChecked(not self.table.is_following)
        self._actions["live_notify"].setChecked(self.current.alarm.is_on)
        # Telling what is possible goes through all actions: not with every event.
        if self._offered != len(self.feeds):
            self._offered = len(self.feeds)
            self._actions.set_possible("live_close", several)
            full = QCoreApplication.translate("Live", "There is room for %1 feeds side by side.")
            self._actions.set_possible("live_new", self._offered < MOST, filled(full, MOST))

    def _show_status(self) -> None:
        unseen = None if self.table.is_following else self.table.unseen
        self.strip.show_status(self._pulses.status(unseen, time.monotonic()))
        if self.popup.isVisible():
            self.popup.show_filter(self.model.feed.types, self.model.feed.filter)

    def _show_beat(self) -> None:
        self.ticked.emit()
        if self.strip.isVisible():
            self._show_status()

    def _ask_again(self) -> None:
        if self._pulses.link.phase == "lost":
            self.sign_in_requested.emit()
        else:
            self.try_requested.emit()

    def _show_all(self) -> None:
        self.set_filter(FeedFilter())

    def _open_popup(self) -> None:
        # A dock that was hidden has to be in its place before anything can open beside it.
        self._actions["live"].setChecked(True)
        QTimer.singleShot(0, self, self._place_popup)

    def _place_popup(self) -> None:
        self.popup.show_filter(self.model.feed.types, self.model.feed.filter)
        self.popup.open_at(self.strip.filter_button)

    def _place_account(self) -> None:
        self.account.open_at(self.strip.account)

    def _pause(self, paused: bool) -> None:
        if paused:
            self.table.hold()
        else:
            self.table.follow()

    def _set_alarm(self, on: bool) -> None:
        if on != self.current.alarm.is_on:
            self.current.notify(on=on)

    def _keep_at_most(self) -> None:
        self._feeds.keep_at_most(self._setting.capacity)

    def _connect(self, actions: Actions) -> None:
        actions["pause"].setChecked(False)
        actions["pause"].toggled.connect(self._pause)
        actions["live_notify"].toggled.connect(self._set_alarm)
        for name, act in (
            ("live_filter", self._open_popup),
            ("live_clear", self.clear),
            ("live_new", self._open_another),
            ("live_close", self._close_current),
            ("live_mark", self.mark),
            ("live_account", self.show_account_popup),
        ):
            actions[name].triggered.connect(act)
        self._tick.timeout.connect(self._show_beat)
        self._setting.changed.connect(self._keep_at_most)
        feeds = self._feeds
        feeds.changed.connect(self._show_rows)
        feeds.filter_requested.connect(self._open_popup)
        feeds.step_requested.connect(self._ask_again)
        feeds.copied.connect(self.notices.tell_copied)
        feeds.event_chosen.connect(self.event_chosen)
        feeds.schema_requested.connect(self.schema_requested)
        feeds.alarmed.connect(self.alarmed)
        feeds.leaving.connect(self.leaving)
        self.strip.step_requested.connect(self._ask_again)
        self.strip.chip.opened.connect(self._open_popup)
        self.strip.chip.removed.connect(self._show_all)
        self.popup.filter_changed.connect(self.set_filter)

    def _arrange(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for notice in (self.notices, self.record_notice, self.keep_notice):
            layout.addWidget(notice)
        layout.addWidget(self._feeds, stretch=1)
