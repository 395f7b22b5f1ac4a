"""Brings the watch over the service's log and the feed's view together; polls nothing itself."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from itertools import islice

from msgspec.structs import replace
from PySide6.QtCore import QCoreApplication, QObject, Signal

from cdb_desktop.client import Client, Session, SessionLostError
from cdb_desktop.live.feed_status import ConnectionState, EventDelay
from cdb_desktop.live.interval_map import IdState
from cdb_desktop.live.log_follower import LogFollower
from cdb_desktop.live.polling import PollSettings
from cdb_desktop.live.reports import (
    ClockJumped,
    EventsReceived,
    FollowerReport,
    LogReplaced,
    PollGap,
    PollHeld,
    PollRefused,
    PollRetried,
    ServiceRestored,
    ServiceSilent,
    ServiceUnavailable,
    SessionEnded,
    UnreadableReceived,
)
from cdb_desktop.ui.actions import Actions, key_of
from cdb_desktop.ui.live import account_words
from cdb_desktop.ui.live.bell import Bell
from cdb_desktop.ui.live.recorder import Recorder
from cdb_desktop.ui.live.view import LiveView
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.widgets.settings import FeedSettings
from cdb_desktop.vocabulary.error_messages import ErrorMessage

_POLL, _AUDIT, _CHECK = "live.poll", "live.audit", "live.check"
_RANGES = 50  # stretches of unexplained ids that are shown
_SKEW = 60.0  # seconds by which clocks have to differ anew before it is told again


class LiveController(QObject):
    """The way of new events from the service to the feed.

    Signals: ``answered`` with the milliseconds of a poll · ``away`` when the service does not answer ·
    ``returned`` with the first answer after that · ``came`` with events that have come · ``heard`` with the
    id up to which they have come · ``sign_in_requested`` when the session is lost and the user wants another
    one; ``renew`` takes it.
    """

    answered = Signal(float)
    away = Signal()
    returned = Signal()
    came = Signal(object)
    heard = Signal(object)  # an id may be larger than what Qt takes for an int
    sign_in_requested = Signal()

    def __init__(
        self,
        view: LiveView,
        client: Client,
        session: Session,
        tasks: Tasks,
        words: Callable[[BaseException], ErrorMessage],
        actions: Actions,
    ) -> None:
        super().__init__(view)
        self._view = view
        self._tasks = tasks
        self._words = words
        self._client = client
        self._watch = LogFollower(client, session, self._report)
        self.ledger = self._watch.ledger
        self._link = ConnectionState()
        self._is_signed_out = False
        self._lag, self._told_skew = EventDelay(), 0.0
        self._said: Callable[[], ErrorMessage] | None = None
        self.recorder = Recorder(view, actions)
        self.bell = Bell(view)
        view.try_requested.connect(self.try_now)
        view.sign_in_requested.connect(self.sign_in_requested)
        view.ticked.connect(self._tell_pulse)
        self._setting = FeedSettings.of(view.settings)
        self._pace = PollSettings()
        self._keep_pace()
        self._setting.changed.connect(self._keep_pace)
        self._account_key = key_of(actions["live_account"])
        actions["live_check"].triggered.connect(self.check_ids)
        # Connected before the pages: what the user asks for does not wait for the back-off.
        actions["refresh"].triggered.connect(self._end_waiting)

    def load(self) -> None:
        """Fills the feed with what happened last and follows from there."""
        self._tasks.start(_POLL, self._watch.run(), on_error=self._broken)
        self._tasks.start(_AUDIT, self._watch.gap_check.run())

    def check_ids(self) -> None:
        """Looks up in the list what became of every id that is not certain."""
        title = QCoreApplication.translate("Live", "Checking ids against the list")
        self._tasks.start(_CHECK, self._check(title), title=title, on_error=self._unchecked)

    def try_now(self) -> None:
        """Asks the service without waiting any longer, and again where asking had ended."""
        if self._tasks.is_running(_POLL):
            self._watch.try_now()
        else:
            self._show(ConnectionState(answered=self._link.answered))
            self.load()

    def _end_waiting(self) -> None:
        self._client.try_now()

    def sign_out(self) -> None:
        """Nobody is signed in: until ``renew`` that is what is told, whatever becomes of polls meanwhile.

        Without a session they bring nothing and no error (§4.2), or wait for somebody to sign in.
        """
        self._show(ConnectionState("lost", answered=self._link.answered), _lost())
        self._is_signed_out = True

    def renew(self, session: Session) -> None:
        """Goes on with another session of the same client; rows, filters and place are kept."""
        self._is_signed_out = False
        self._watch.renew(session)
        self._show(ConnectionState(answered=self._link.answered))
        self.load()

    def _keep_pace(self) -> None:
        pace = PollSettings(self._setting.interval, self._setting.is_adaptive)
        if pace != self._pace:
            self._pace = pace
            self._watch.set_poll_settings(pace)

    def _report(self, report: FollowerReport) -> None:
        match report:
            case EventsReceived():
                self._arrived(report)
            case PollHeld():
                self._show(replace(self._link, phase="open", holds=True))
            case ServiceSilent(error):
                self._show_away(replace(self._link, phase="silent", holds=False), error)
            case ServiceUnavailable(error, wait):
                due = time.monotonic() + wait
                self._show_away(replace(self._link, phase="waiting", due=due), error)
            case PollRetried():
                self._show_again(replace(self._link, phase="retrying"))
            case ServiceRestored():
                self._lag.reset()
                self.returned.emit()
            case UnreadableReceived():
                self._view.notices.tell_unread(self._watch.unreadable.number, self._account_key)
            case SessionEnded(error):
                self._show(replace(self._link, phase="lost"), error)
            case PollRefused(error):
                self._show(replace(self._link, phase="stopped"), error)
            case _:
                self._tell(report)

    def _tell(self, report: PollGap | LogReplaced | ClockJumped) -> None:
        self._lag.reset()
        match report:
            case PollGap():
                self._view.notices.tell_gap(report)
            case LogReplaced(last_id):
                self._view.forget_ids()
                self._view.notices.tell_anew(last_id)
            case ClockJumped(seconds):
                self._view.notices.tell_woken(seconds)

    def _arrived(self, arrived: EventsReceived) -> None:
        is_polled = arrived.batch.source == "poll"
        self._view.add(arrived.batch.events, is_new=is_polled)
        self.recorder.write(arrived.batch.events)
        self.came.emit(arrived.batch.events)
        if is_polled:
            self._note_lag(arrived)
            holds = self._link.holds and arrived.milliseconds is None
            self._show(ConnectionState("open", answered=time.monotonic(), holds=holds))
            if arrived.batch.events:
                self.heard.emit(self._watch.last_id)
        if arrived.milliseconds is not None and not self._is_signed_out:
            self.answered.emit(arrived.milliseconds)

    def _note_lag(self, arrived: EventsReceived) -> None:
        # What has piled up while nobody asked, or was asked for late, tells nothing of the way.
        if arrived.batch.is_full:
            self._lag.reset()
        elif self._link.phase == "open" and self._link.answered is not None:
            self._lag.add(arrived.batch.events, time.time())
        skew = self._lag.skew
        if abs(skew - self._told_skew) >= _SKEW:
            self._told_skew = skew
            if skew:
                self._view.notices.tell_clock(skew)

    def _tell_pulse(self) -> None:
        if self._link.phase == "open":
            self._view.show_due(self._watch.due)
        watch, balance = self._watch, self.ledger.counts
        knows, unread = watch.gap_check.is_possible, watch.unreadable.number
        words = account_words.short(balance, knows=knows, unread=unread)
        # While the service is away it cannot be asked, and that is told already.
        is_clear = self._link.phase != "open" or not (balance.unexplained or unread)
        warning = account_words.warning(balance, unread=unread)
        self._view.strip.show_account(words, is_clear=is_clear, warning=warning)
        if self._view.account.isVisible():
            found = tuple(islice(self.ledger.ranges(IdState.UNKNOWN), _RANGES))
            self._view.account.show_account(balance, found, knows=knows)
            self._view.account.show_besides(
                account_words.Besides(len(watch.far_ids), unread, watch.unreadable.texts)
            )

    async def _check(self, title: str) -> None:
        def note(done: float) -> None:
            self._tasks.show_progress(_CHECK, title, done)

        is_read = await self._watch.gap_check.check_all(note)
        self._view.notices.tell_checked(is_clear=is_read and not self.ledger.counts.unexplained)
        self._tell_pulse()

    def _unchecked(self, error: Exception) -> None:
        self._view.notices.show_failure(self._words(error))

    def _show_away(self, link: ConnectionState, error: Exception) -> None:
        self._show(link, error)
        if not self._is_signed_out:
            self.away.emit()

    def _show(self, link: ConnectionState, error: Exception | None = None) -> None:
        if not self._is_signed_out:
            self._said = partial(self._words, error) if error else None
        self._show_again(link)

    def _show_again(self, link: ConnectionState) -> None:
        if self._is_signed_out:
            return
        self._link = link
        self._view.show_link(link, self._said, self._lag.seconds)

    def _broken(self, error: Exception) -> None:
        self._show(replace(self._link, phase="stopped"), error)
        raise error


def _lost() -> SessionLostError:
    return SessionLostError("user", "error.user.not_authenticated", status=400)
