"""Loads the rows of the current query, and counts newer events."""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path

from PySide6.QtCore import QObject, QTimer

from cdb_desktop.client import Client, ClientError, Event, MissingRightError, SessionLostError
from cdb_desktop.events.counts import MAX_NEWER, count_newer, newer_filter
from cdb_desktop.events.matches import MatchedResult
from cdb_desktop.events.result import PAGE_SIZE, QueryResult
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.queries.history import QueryHistory, QueryHistoryFile
from cdb_desktop.ui.events.browser.context import BrowserContext
from cdb_desktop.ui.events.browser.event_requests import REPEATED, events_by_id
from cdb_desktop.ui.events.browser.rows import ResultRows
from cdb_desktop.ui.events.browser.view import BrowserView
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.widgets.event_table.expanded_rows import RowDetails, Rows
from cdb_desktop.vocabulary.error_messages import error_message
from cdb_desktop.vocabulary.profile_key import ProfileKey

_EARLIER_KEY = "events/queries"  # the settings key of earlier versions
_QUERIES_FILE = "queries-2.json"  # beside the settings
LOAD = "events.load"  # the task that loads and counts rows
_SLOW = 300  # milliseconds after which a running refresh is shown

Then = Callable[[], None]
_NEWER = "events.newer"
_NEWER_REST = (
    2000  # milliseconds between a new event and the count, so that a busy log is not counted for each event
)


class ResultLoader(QObject):
    """Manages the query history, also between starts, and loads the rows of the current query.

    A new query cancels loading.
    """

    def __init__(self, view: BrowserView, client: Client, tasks: Tasks, profile_key: ProfileKey) -> None:
        super().__init__(view)
        self._view, self._tasks, self._profile = view, tasks, profile_key.key
        settings = view.settings
        path = Path(settings.fileName()).with_name(_QUERIES_FILE)
        self._file = QueryHistoryFile(path, lambda: str(settings.value(_EARLIER_KEY, "")))
        self.history = self._file.read(self._profile)
        self.rows = ResultRows(view, client, tasks, self._failed)
        self._answered: QueryHistory | None = None
        self._slow = QTimer(self, singleShot=True, interval=_SLOW)
        self._slow.timeout.connect(self._show_slow)
        self.rows.shown.connect(self._settle)
        self.rows.searched.connect(self._show_searched)
        view.give_up_requested.connect(lambda: tasks.give_up(LOAD))
        view.show_query(self.history)

    def set_query(self, history: QueryHistory, then: Then | None = None) -> None:
        """Makes another query the current one and loads its rows; the previous rows can be restored."""
        answered = self._answered
        self._put(history)
        if answered is None or answered.present != history.present:
            self.rows.set_aside()
        else:
            self.rows.take_back()
        self.load(then)

    def load(self, then: Then | None = None) -> None:
        """Loads the rows of the current query again; ``then`` is called when they are shown."""
        is_answered = self.rows.result is not None
        self._view.show_loading(other_rows=not is_answered)
        self._tasks.start(
            LOAD,
            self._load_rows(then),
            title=tr("Loading events"),
            on_error=self._failed,
            on_given_up=self._give_up,
        )
        self._slow.stop()
        if is_answered:
            self._slow.start()

    async def _load_rows(self, then: Then | None) -> None:
        await self.rows.load(self.history.present.at(datetime.now(UTC)))
        if then is not None:
            then()

    def _put(self, history: QueryHistory) -> None:
        self.history = history
        self._file.write(self._profile, history)
        self._view.show_query(history)

    def _settle(self, result: QueryResult | None) -> None:
        self._slow.stop()
        self._answered = None if result is None else self.history
        self._tasks.show_progress(LOAD, tr("Counting events"), None)

    def _show_searched(self, result: MatchedResult) -> None:
        self._tasks.show_progress(LOAD, tr("Searching"), result.progress.fraction)

    def _show_slow(self) -> None:
        if self._tasks.is_running(LOAD):
            self._view.count.show_refreshing(refreshing=True)

    def _end_slow(self) -> None:
        self._slow.stop()
        self._view.count.show_refreshing(refreshing=False)

    def _give_up(self) -> None:
        """Makes the previous query the current one again after a cancellation, since its rows are shown."""
        self._end_slow()
        if self.rows.result is not None:
            return
        if self._answered is None:
            self._view.show_given_up()
            return
        self._put(self.history.back_to(self._answered.present) or self._answered)
        self.rows.take_back()
        self._view.count.show_message(tr("Cancelled: the previous query is active again."))

    def _failed(self, error: Exception) -> None:
        """Shows the error; rows of the current query stay visible if it may be temporary."""
        self._end_slow()
        stay = self.rows.result is not None
        message = error_message(error)
        if isinstance(self.rows.result, MatchedResult) and not self.rows.result.is_complete:
            # What was found so far stays, and may be all that is needed.
            self._view.notice.show_failure(message)
            return
        if stay and isinstance(error, REPEATED):
            self._view.count.show_message(tr("Not refreshed: {title}", title=message.title))
            return
        if not (stay and isinstance(error, SessionLostError)):
            self.rows.forget()
        if isinstance(error, SessionLostError):
            self._view.show_signed_out(message, rows_stay=stay)
        elif isinstance(error, MissingRightError):
            self._view.show_forbidden(message)
        else:
            self._view.show_failure(message)


class NewerEventsController(QObject):
    """Counts events newer than the rows while the rows are visible."""

    def __init__(self, context: BrowserContext) -> None:
        super().__init__(context.view)
        self._view, self._client, self._rows, self._tasks = (
            context.view,
            context.client,
            context.rows,
            context.tasks,
        )
        self._rest = QTimer(self, singleShot=True, interval=_NEWER_REST)
        self._rest.timeout.connect(self._ask)

    def add(self, event_id: int) -> None:
        """Starts to count newer events if this id is newer than the rows."""
        result = self._rows.result
        is_news = result is not None and event_id > (result.newest or 0)
        if is_news and self._view.newer.counts and not self._rest.isActive():
            self._rest.start()

    def _ask(self) -> None:
        if not self._view.isVisible():
            self._rest.start()
        elif not self._tasks.is_running(_NEWER):
            self._tasks.start(_NEWER, self._count())

    async def _count(self) -> None:
        result = self._rows.result
        if result is None:
            return
        asked = newer_filter(result, self._view.query.at(datetime.now(UTC)).filter)
        if asked is None:
            return
        try:
            matcher = result.matcher if isinstance(result, MatchedResult) else None
            full = matcher is not None and matcher.needs_whole
            page = await self._client.list_events(asked, limit=MAX_NEWER, full=full, skip_count=True)
        except ClientError:
            return  # the next event repeats the count
        records = page.records
        if matcher is not None:
            # Events that do not match are not newer rows; older ones show that none is missing.
            newest = result.newest or 0
            records = tuple(
                one
                for one in records
                if not isinstance(one, Event) or one.id <= newest or matcher.matches(one)
            )
        if result is self._rows.result:
            self._view.newer.show_newer(count_newer(result, records))


_WORK = "events.details"
_MOST = PAGE_SIZE  # rows of a call


class BrowserDetails(RowDetails):
    """Details of a result, the next of which tries again what has failed."""

    def __init__(self, context: BrowserContext) -> None:
        super().__init__(context.view, context.tasks, _WORK)
        self._view, self._rows, self._client = context.view, context.rows, context.client
        self._result: QueryResult | None = None
        model, table = self._view.model, self._view.table
        for changed in (
            model.dataChanged,
            model.modelReset,
            model.rowsInserted,
            table.rows_shown,
            table.expanded.changed,
            self._view.columns.shown_changed,
            self._rows.shown,
        ):
            changed.connect(self._check)
        # Other rows are loaded, which have priority.
        self._rows.awaited.connect(self.stop)

    def lacking_rows(self) -> Rows:
        """The visible rows and a screen around them, or only expanded ones."""
        view, table, result = self._view, self._view.table, self._view.model.result
        if result is None or result is not self._rows.result or not view.isVisible():
            return {}
        if result is not self._result:
            self._result = result
            self.forget()
        first, last = table.visible_rows()
        visible = self._events(range(first, last + 1))
        if not (view.columns.are_detailed and self._rows.can_be_whole):
            return {row: event for row, event in visible.items() if table.expanded.is_open(event)}
        around = last - first + 1
        if not any(map(self.is_lacking, visible.values())):
            return {}
        return self._events(
            range(max(0, first - around), min(view.model.rowCount(), last + 1 + around))[:_MOST]
        )

    async def whole_events(self, rows: Rows) -> Iterable[Event]:
        """One page from the first row to the last, or by id: rows that words match are apart in the log."""
        result = self._result
        if result is not None and self._rows.can_be_whole and not isinstance(result, MatchedResult):
            first, last = min(rows), max(rows)
            return await self._rows.whole_events(result, first, last - first + 1)
        # A service before 5.140 lists short records only (§9 rule 2).
        found = events_by_id(self._client, [event.id for event in rows.values()])
        return [event async for some in found for event in some]

    def show_details(self, events: Iterable[Event], rows: Rows) -> None:
        """Shows the whole records in the model."""
        self._view.model.show_details(events, min(rows), max(rows))

    def _check(self) -> None:
        # Not connected directly: signals have arguments.
        self.check()

    def _events(self, rows: range) -> dict[int, Event]:
        found = ((row, self._view.model.event_at(row)) for row in rows)
        return {row: event for row, event in found if event is not None}
