"""Connects the follower of the service's log with the view."""

import time
from collections.abc import Callable, Iterable
from itertools import islice
from pathlib import Path

import msgspec
from msgspec.structs import replace
from PySide6.QtCore import QCoreApplication, QObject, QSettings, QTimer, Signal

from cdb_desktop.client import Client, Event, EventFilter, NotFoundError, Session, SessionLostError
from cdb_desktop.foundation.files import RecordFile
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.live.event_lookup import LIST_RIGHT
from cdb_desktop.live.feed_filter import EarlierFilter
from cdb_desktop.live.feed_status import ConnectionPhase, ConnectionState, EventDelay
from cdb_desktop.live.gap_detection import IdState
from cdb_desktop.live.log_follower import (
    ClockJumped,
    EventsReceived,
    FollowerReport,
    LogFollower,
    LogReplaced,
    PollGap,
    PollHeld,
    PollRefused,
    PollRetried,
    PollSettings,
    ServiceRestored,
    ServiceSilent,
    ServiceUnavailable,
    SessionEnded,
    StreamChanged,
    UnreadableReceived,
)
from cdb_desktop.queries.query import Query, is_valid_query, testable
from cdb_desktop.ui.actions import Actions, key_of
from cdb_desktop.ui.live.gap_report import GapReport, summary, warning
from cdb_desktop.ui.live.notifications import FeedNotifier, WindowNotifier
from cdb_desktop.ui.live.recording import RecordingController
from cdb_desktop.ui.live.view import LiveView
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.widgets.event_table.expanded_rows import RowDetails, Rows
from cdb_desktop.ui.widgets.settings import FeedSettings
from cdb_desktop.vocabulary.error_messages import ErrorMessage, error_message
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
        self._error: ErrorMessage | None = None
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
            case ServiceRestored() | StreamChanged() | PollGap() | LogReplaced() | ClockJumped():
                self._on_discontinuity(report)

    def _on_discontinuity(
        self, report: ServiceRestored | StreamChanged | PollGap | LogReplaced | ClockJumped
    ) -> None:
        self._delay.reset()
        self._details.forget()
        match report:
            case ServiceRestored():
                self.returned.emit()
            case StreamChanged(state, refusal):
                self._show_connection(replace(self._connection, stream=state, refusal=refusal))
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
        events, is_polled = received.batch.events, received.batch.source != "list"
        self._arrived += events
        self._are_new = is_polled
        if not self._delivery_timer.isActive():
            self._deliver()
        if is_polled:
            self.polled.emit(events)
            self._measure_delay(received)
            holds = self._connection.holds and received.milliseconds is None
            answered = time.monotonic()
            self._show(replace(self._connection, phase="open", due=None, answered=answered, holds=holds))
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
            self._error = error_message(error) if error else None
        self._show_connection(connection)

    def _show_connection(self, connection: ConnectionState) -> None:
        if self._is_signed_out:
            return
        self._connection = connection
        self._view.show_connection(connection, self._error, self._delay.seconds)


_WORK = "live.details"
_PAUSE = 1.0  # seconds from one call to the next
_MOST = 200  # events of a call
_SPARE = 2  # times as many events as rows: others may have happened at the same time


class FeedDetails(RowDetails):
    """Details of a session that may read the list; ``session`` changes with each sign-in."""

    def __init__(self, view: LiveView, client: Client, session: Session, tasks: Tasks) -> None:
        super().__init__(view, tasks, _WORK, _PAUSE)
        self._view, self._client = view, client
        self.session = session
        view.signals.changed.connect(self.check)
        view.ticked.connect(self.check)  # for rows that become visible without a change of a feed

    def lacking_rows(self) -> Rows:
        """The visible rows of all feeds by id; only expanded ones if the service lists short records only."""
        if not self._view.isVisible() or not self.session.allows(LIST_RIGHT):
            return {}
        is_listed, found = self._client.capabilities.full_list, dict[int, Event]()
        for pane in self._view.panes:
            first, last = pane.table.visible_rows()
            for event in map(pane.model.record_at, range(first, last + 1)):
                if is_listed or pane.table.expanded.is_open(event):
                    found[event.id] = event
        return found

    async def whole_events(self, rows: Rows) -> Iterable[Event]:
        """One page of the time of the rows; single records if it is full, or before 5.140 (§9 rule 2)."""
        if not self._client.capabilities.full_list:
            return await self._records(rows)
        times = [event.timestamp for event in rows.values() if event.timestamp is not None]
        if not times:
            return ()
        chosen = EventFilter(
            pollable=True,
            type=tuple(sorted({event.type for event in rows.values()})),
            date_from=min(times),
            date_to=max(times),
        )
        limit = min(_SPARE * len(rows), _MOST)
        page = await self._client.list_events(chosen, limit=limit, full=True, skip_count=True)
        found = [event for event in page.events if event.id in rows]
        if len(page.events) == limit:
            found += await self._records(rows.keys() - {event.id for event in found})
        return found

    def show_details(self, events: Iterable[Event], _rows: Rows) -> None:
        """Shows the whole records in all feeds."""
        for pane in self._view.panes:
            pane.model.show_details(events)

    async def _records(self, ids: Iterable[int]) -> list[Event]:
        return [event for one in ids if (event := await self._whole(one)) is not None]

    async def _whole(self, number: int) -> Event | None:
        try:
            return await self._client.event(number)
        except NotFoundError:
            return None


_FILE = "feeds-2.json"  # in the folder of the settings
_EARLIER_KEY = "live/layouts"  # of the settings, where earlier versions have stored them
_MOST_PROFILES = 50
_WRITE_AFTER = 500  # milliseconds without a change; a splitter emits a signal for every pixel


class SavedFeed(msgspec.Struct, frozen=True, omit_defaults=True):
    """A stored feed: its filter, whether it notifies, and its width or height in pixels.

    ``choice`` is the filter of earlier versions, which `saved_feeds_file` converts.
    """

    query: Query = Query()
    notifies: bool = False
    width: int = 0
    choice: EarlierFilter | None = None


def saved_feeds_file(path: Path, earlier: Callable[[], str] = str) -> RecordFile[tuple[SavedFeed, ...]]:
    """The feeds by profile; ``earlier`` returns what an earlier version has stored elsewhere."""
    return RecordFile(
        path,
        _decode,
        msgspec.json.encode,
        most=_MOST_PROFILES,
        earlier=earlier,
    )


def _decode(record: bytes) -> tuple[SavedFeed, ...]:
    feeds = msgspec.json.decode(record, type=tuple[SavedFeed, ...])
    found = []
    for feed in feeds:
        query = testable(feed.query) if feed.choice is None else feed.choice.query
        if not is_valid_query(query):
            raise ValueError(query)
        found.append(replace(feed, query=query, choice=None))
    return tuple(found)


class SavedFeeds(QObject):
    """Restores the feeds of a profile when it is created, and stores their changes from then on."""

    def __init__(self, view: LiveView, settings: QSettings, profile: ProfileKey) -> None:
        super().__init__(view.splitter)
        self._splitter = view.splitter
        path = Path(settings.fileName()).with_name(_FILE)
        self._file = saved_feeds_file(path, lambda: str(settings.value(_EARLIER_KEY, "")))
        self._profile = profile.key
        self._unwritten: tuple[SavedFeed, ...] | None = None
        self._timer = QTimer(self, singleShot=True, interval=_WRITE_AFTER)
        self._timer.timeout.connect(self._write)
        self._restore(view)
        self._saved = self._current_feeds()
        view.signals.changed.connect(self._save)
        self._splitter.splitterMoved.connect(self._save_later)
        # Writing uses nothing of Qt, so that it is still possible when the widgets are deleted.
        self._splitter.destroyed.connect(self._write)
        app = QCoreApplication.instance()
        if app is not None:
            app.aboutToQuit.connect(self._write)

    def _restore(self, view: LiveView) -> None:
        saved = self._file.read(self._profile) or ()
        panes = view.restore_panes([feed.query for feed in saved])
        for pane, feed in zip(panes, saved, strict=False):
            pane.set_notifying(on=feed.notifies)
        self._splitter.restore_sizes([feed.width for feed in saved[: len(panes)]])

    def _save(self) -> None:
        # Called for every change of rows, most of which change nothing here.
        self._save_later()
        self._write()

    def _save_later(self) -> None:
        current = self._current_feeds()
        if current != self._saved:
            self._saved = current
            self._unwritten = current
            self._timer.start()

    def _write(self) -> None:
        unwritten, self._unwritten = self._unwritten, None
        if unwritten is not None:
            self._file.change(self._profile, lambda _before: unwritten)

    def _current_feeds(self) -> tuple[SavedFeed, ...]:
        sizes = self._splitter.sizes() if self._splitter.has_several else [0]
        return tuple(
            SavedFeed(pane.model.feed.filter, pane.notifications.is_on, size)
            for pane, size in zip(self._splitter.panes, sizes, strict=False)
        )
