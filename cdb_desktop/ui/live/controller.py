"""Connects the follower of the service's log with the view."""

from __future__ import annotations

import time
from functools import partial
from itertools import islice

from msgspec.structs import replace
from PySide6.QtCore import QObject, QTimer, Signal

from cdb_desktop.client import Client, Event, Session, SessionLostError
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.live.feed_status import ConnectionPhase, ConnectionState, EventDelay
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
from cdb_desktop.ui.live.gap_report import GapReport, summary, warning
from cdb_desktop.ui.live.notifications import FeedNotifier, WindowNotifier
from cdb_desktop.ui.live.recording import RecordingController
from cdb_desktop.ui.live.row_details import FeedDetails
from cdb_desktop.ui.live.saved_feeds import SavedFeeds
from cdb_desktop.ui.live.status import MakeError
from cdb_desktop.ui.live.view import LiveView
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.widgets.settings import FeedSettings
from cdb_desktop.vocabulary.error_messages import error_message
from cdb_desktop.vocabulary.profile_key import ProfileKey

_POLL, _GAP_CHECK, _FULL_CHECK = "live.poll", "live.audit", "live.check"
_RANGES_SHOWN = 50
_AT_ONCE = 1_000  # events, which is what an answer contains at most (§4.2)
_SKEW_CHANGE = 60.0  # seconds by which the skew of the clocks has to change to be shown again


class LiveController(QObject):
    """Runs the follower and the gap check of one client, and shows what they report.

    Signals: ``answered`` with the milliseconds of a poll · ``away`` when the service does not answer ·
    ``returned`` with the first answer after that · ``events_received`` with received events · ``polled`` with
    those of each poll, also if there are none ·
    ``newest_changed`` with the id up to which events were received · ``sign_in_requested`` when the user
    wants another session, which is passed to `renew`.
    """

    answered = Signal(float)
    away = Signal()
    returned = Signal()
    events_received = Signal(object)
    polled = Signal(object)
    newest_changed = Signal(object)  # an id may be larger than a C++ int
    sign_in_requested = Signal()

    def __init__(
        self,
        view: LiveView,
        client: Client,
        session: Session,
        tasks: Tasks,
        actions: Actions,
    ) -> None:
        super().__init__(view)
        self._view = view
        self._tasks = tasks
        self._client = client
        self._details = FeedDetails(view, client, session, tasks)
        self._follower = LogFollower(client, session, self._on_report)
        self.ledger = self._follower.ledger
        self._connection = ConnectionState()
        self._is_signed_out = False
        self._arrived: list[Event] = []  # which are still to be delivered
        self._are_new = False  # whether they have just happened
        self._delivery_timer = QTimer(self, singleShot=True, interval=0)
        self._delivery_timer.timeout.connect(self._deliver)
        self._delay, self._shown_skew = EventDelay(), 0.0
        self._error: MakeError | None = None
        self.recording = RecordingController(view, actions)
        self.notifier = WindowNotifier(view)
        FeedNotifier(view, self.notifier)
        self._feed_settings = FeedSettings.of(view.settings)
        self._poll_settings = PollSettings()
        self._update_poll_settings()
        self._report_shortcut = key_of(actions["live_account"])
        self._feed_settings.changed.connect(self._update_poll_settings)
        view.signals.retry_requested.connect(self._retry)
        view.ticked.connect(self._update_gap_report)
        actions["live_check"].triggered.connect(self.check_ids)
        # Connected before the pages: the user's refresh does not wait for a retry.
        actions["refresh"].triggered.connect(self._end_retry_wait)

    def restore_feeds(self, profile: ProfileKey) -> None:
        """Opens the feeds that the user had at this service, and stores their changes."""
        SavedFeeds(self._view, self._view.settings, profile)

    def load(self) -> None:
        """Reads the newest events and follows from there."""
        self._tasks.start(_POLL, self._follower.run(), on_error=self._on_follower_failed)
        self._tasks.start(_GAP_CHECK, self._follower.gap_check.run())

    def check_ids(self) -> None:
        """Looks up all uncertain ids in the list."""
        title = tr("Checking ids against the list")
        self._tasks.start(_FULL_CHECK, self._check_ids(title), title=title, on_error=self._on_check_failed)

    def try_now(self) -> None:
        """Polls without waiting any longer, or again if the follower has stopped."""
        if self._tasks.is_running(_POLL):
            self._follower.try_now()
        else:
            self._show(ConnectionState(answered=self._connection.answered))
            self.load()

    def sign_out(self) -> None:
        """Shows until `renew` that no user is signed in; reports of polls are ignored until then.

        Without a session they return nothing and no error (§4.2), or wait for a sign-in.
        """
        error = SessionLostError("user", "error.user.not_authenticated", status=400)
        self._show(ConnectionState("lost", answered=self._connection.answered), error)
        self._is_signed_out = True

    def renew(self, session: Session) -> None:
        """Continues with another session of the same client; rows, filters and positions stay."""
        self._is_signed_out = False
        self._details.session = session
        self._details.forget()
        self._follower.renew(session)
        self._show(ConnectionState(answered=self._connection.answered))
        self.load()

    def _retry(self) -> None:
        if self._connection.phase == "lost":
            self.sign_in_requested.emit()
        else:
            self.try_now()

    def _end_retry_wait(self) -> None:
        self._client.try_now()

    def _update_poll_settings(self) -> None:
        settings = PollSettings(self._feed_settings.interval, self._feed_settings.is_adaptive)
        if settings != self._poll_settings:
            self._poll_settings = settings
            self._follower.set_poll_settings(settings)

    def _on_report(self, report: FollowerReport) -> None:
        match report:
            case EventsReceived():
                self._take(report)
            case PollHeld():
                self._show(replace(self._connection, phase="open", holds=True))
            case ServiceSilent(error):
                self._show_away(replace(self._connection, phase="silent", holds=False), error)
            case ServiceUnavailable(error, wait):
                due = time.monotonic() + wait
                self._show_away(replace(self._connection, phase="waiting", due=due), error)
            case PollRetried():
                # A new session has no error to show beside "trying again": it is still connecting.
                if self._error is not None:
                    self._show_connection(replace(self._connection, phase="retrying"))
            case UnreadableReceived():
                number = self._follower.unreadable.number
                self._view.notices.show_unreadable(number, self._report_shortcut)
            case SessionEnded(error) | PollRefused(error):
                phase: ConnectionPhase = "lost" if isinstance(report, SessionEnded) else "stopped"
                self._show(replace(self._connection, phase=phase), error)
            case ServiceRestored() | PollGap() | LogReplaced() | ClockJumped():
                self._on_discontinuity(report)

    def _on_discontinuity(self, report: ServiceRestored | PollGap | LogReplaced | ClockJumped) -> None:
        self._delay.reset()
        self._details.forget()
        match report:
            case ServiceRestored():
                self.returned.emit()
            case PollGap():
                self._view.notices.show_gap(report)
            case LogReplaced(last_id):
                while self._arrived:
                    self._deliver()
                self._view.forget_ids()
                self._view.notices.show_log_replaced(last_id)
            case ClockJumped(seconds):
                self._view.notices.show_clock_jump(seconds)

    def _take(self, received: EventsReceived) -> None:
        events, is_polled = received.batch.events, received.batch.source == "poll"
        self._arrived += events
        self._are_new = is_polled
        if not self._delivery_timer.isActive():
            self._deliver()
        if is_polled:
            self.polled.emit(events)
            self._measure_delay(received)
            holds = self._connection.holds and received.milliseconds is None
            self._show(ConnectionState("open", answered=time.monotonic(), holds=holds))
            if events:
                self.newest_changed.emit(self._follower.last_id)
        if received.milliseconds is not None and not self._is_signed_out:
            self.answered.emit(received.milliseconds)

    def _deliver(self) -> None:
        """Delivers received events; of very many only some at once, so that the window stays responsive."""
        events, self._arrived = self._arrived[:_AT_ONCE], self._arrived[_AT_ONCE:]
        self._view.add(events, is_new=self._are_new)
        self.recording.write(events)
        self.events_received.emit(events)
        if self._arrived:
            self._delivery_timer.start()

    def _measure_delay(self, received: EventsReceived) -> None:
        # Events that have piled up before a late poll show nothing of the delay.
        if received.batch.is_full:
            self._delay.reset()
        elif self._connection.phase == "open" and self._connection.answered is not None:
            self._delay.add(received.batch.events, time.time())
        skew = self._delay.skew
        if abs(skew - self._shown_skew) >= _SKEW_CHANGE:
            self._shown_skew = skew
            if skew:
                self._view.notices.show_clock_skew(skew)

    def _update_gap_report(self) -> None:
        if self._connection.phase == "open":
            self._view.show_due(self._follower.due)
        follower, counts = self._follower, self.ledger.counts
        is_checkable, unreadable = follower.gap_check.is_possible, follower.unreadable.number
        # Without a connection nothing can be checked, which the status shows.
        is_clear = self._connection.phase != "open" or not (counts.unexplained or unreadable)
        self._view.strip.show_gap_report(
            summary(counts, is_checkable=is_checkable, unreadable=unreadable),
            is_clear=is_clear,
            warning=warning(counts, unreadable=unreadable),
        )
        if self._view.gap_report.isVisible():
            ranges = tuple(islice(self.ledger.ranges(IdState.UNKNOWN), _RANGES_SHOWN))
            implausible_ids, texts = len(follower.implausible_ids), follower.unreadable.texts
            self._view.gap_report.show_report(
                GapReport(counts, ranges, is_checkable, implausible_ids, unreadable, texts)
            )

    async def _check_ids(self, title: str) -> None:
        def show_progress(done: float) -> None:
            self._tasks.show_progress(_FULL_CHECK, title, done)

        is_read = await self._follower.gap_check.check_all(show_progress)
        is_complete = is_read and not self.ledger.counts.unexplained
        self._view.notices.show_check_result(is_complete=is_complete)
        self._update_gap_report()

    def _on_check_failed(self, error: Exception) -> None:
        self._view.notices.show_failure(error_message(error))

    def _on_follower_failed(self, error: Exception) -> None:
        self._show(replace(self._connection, phase="stopped"), error)
        raise error

    def _show_away(self, connection: ConnectionState, error: Exception) -> None:
        self._show(connection, error)
        if not self._is_signed_out:
            self.away.emit()

    def _show(self, connection: ConnectionState, error: Exception | None = None) -> None:
        if not self._is_signed_out:
            self._error = partial(error_message, error) if error else None
        self._show_connection(connection)

    def _show_connection(self, connection: ConnectionState) -> None:
        if self._is_signed_out:
            return
        self._connection = connection
        self._view.show_connection(connection, self._error, self._delay.seconds)
