"""Reads the history of the object of an event: its events first, then what its versions have changed."""

import asyncio
import time
from collections.abc import Sequence
from datetime import datetime

import msgspec
from PySide6.QtCore import QObject, Signal

from cdb_desktop.client import (
    Client,
    Event,
    EventFilter,
    EventPage,
    MissingRightError,
    NotFoundError,
    ObjectVersion,
    Record,
    Sort,
)
from cdb_desktop.events.object_history import (
    BY_ID,
    MAX_VERSIONS,
    HistoryProgress,
    ObjectHistory,
    ObjectKey,
    ReadVersion,
    VersionChanges,
    VersionsNotOfferedError,
    object_types,
    read_changes,
    read_history,
    read_newest,
    timeline,
    version_numbers,
)
from cdb_desktop.events.result import readable_events
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.events.browser.context import BrowserContext
from cdb_desktop.ui.events.browser.event_requests import count_events, with_retries
from cdb_desktop.ui.events.inspector.history_tab import HistoryTab
from cdb_desktop.ui.widgets.empty_state import EmptyStateKind
from cdb_desktop.vocabulary.error_messages import error_message

_WORK = "events.history"
_ACTION = "object_history"
_CREATION = "OBJECT_INSERT"
_PAUSE = 0.1  # seconds between two updates of the timeline


class _State(msgspec.Struct, frozen=True):
    """What is known of the object whose history is shown; ``newest`` is None without versions."""

    history: ObjectHistory
    progress: HistoryProgress = HistoryProgress()
    newest: int | None = None
    compared: int = 0


# An object, or its table in either spelling.
_GONE = ("object_not_found", "objecttype_not_found", "UnknownObjecttype")


class HistoryController(QObject):
    """Offers the history of the current event's object and fills the tab with it.

    Signals: ``opened`` (Event) when the tab is to be shown · ``event_requested`` with the id of an event.
    """

    opened = Signal(object)
    event_requested = Signal(object)

    def __init__(self, context: BrowserContext, tab: HistoryTab) -> None:
        super().__init__(context.view)
        self._context = context
        self._view, self._client, self._tasks = context.view, context.client, context.tasks
        self._tab = tab
        self._event: Event | None = None
        self._state: _State | None = None
        tab.read_requested.connect(self._read_current)
        tab.cancel_requested.connect(self._cancel)
        tab.event_requested.connect(self.event_requested)
        tab.explain_requested.connect(self._view.notice.explain_requested)
        self._view.table.event_chosen.connect(self._follow_current)
        # Bound methods of an object: actions outlive the page, and Qt disconnects them.
        self._view.actions_by_name[_ACTION].triggered.connect(self._open_current)
        self._view.actions_by_name["inspector"].toggled.connect(self._follow_current)
        self.follow(None)

    def open_history(self, event: Event) -> None:
        """Shows the tab and reads the history of the event's object, unless that is shown already."""
        self.opened.emit(event)
        self.follow(event)
        self.read_shown()

    def read_shown(self) -> None:
        """Reads the history of the current object unless it has been read."""
        key = ObjectKey.of(self._event)
        if key is not None and (self._state is None or self._state.history.key != key):
            self._read_current()

    def follow(self, event: Event | None) -> None:
        """Shows the history that was read if another event belongs to it, otherwise offers to read one."""
        self._event = event
        key = ObjectKey.of(event)
        why = tr("Select an event of an object first.")
        self._view.actions_by_name.set_possible(_ACTION, key is not None, why)
        if event is not None and self._state is not None and self._state.history.key == key:
            self._tab.show_timeline()
            self._tab.tree.mark(event.id)
        else:
            self._offer(key)

    def _follow_current(self, _changed: object = None) -> None:
        self.follow(self._view.named_event)

    def _open_current(self) -> None:
        event = self._view.named_event
        if event is not None and event.object_id is not None:
            self.open_history(event)

    def _offer(self, key: ObjectKey | None) -> None:
        if key is not None:
            self._tab.show_page(
                EmptyStateKind.EMPTY,
                _title(key),
                tr("All events of this object, oldest first, and what each version has changed."),
                tr("Show history"),
            )
        elif self._event is not None:
            self._tab.show_page(EmptyStateKind.EMPTY, tr("No history"), tr("This event concerns no object."))
        else:
            self._tab.show_page(
                EmptyStateKind.EMPTY,
                tr("No event selected"),
                tr("Select an event of an object to see the object's history."),
            )

    def _read_current(self) -> None:
        key, event = ObjectKey.of(self._event), self._event
        if key is None or event is None:
            return
        since = event.timestamp if event.type == _CREATION else None
        self._tasks.cancel(_WORK)
        tab = self._tab
        tab.tree.forget()
        tab.tree.mark(event.id)
        tab.show_note("")
        self._state = _State(ObjectHistory(key))
        tab.show_timeline()
        self._show_progress()
        self._tasks.start(
            _WORK,
            self._read(key, since),
            title=_title(key),
            on_error=self._failed,
            on_given_up=self._show_cancelled,
        )

    async def _read(self, key: ObjectKey, since: datetime | None) -> None:
        types = object_types(self._view.seen.types)
        source = _Source(self._client)
        history = await read_history(source, key, types, self._take, since)
        self._take(history, HistoryProgress(len(history.events), source.searched, source.searched))
        if not history.events:
            self._show_none(key)
            return
        if key.objecttype:
            await self._read_versions(key)
        self._tab.end()
        self._show_result()

    async def _read_versions(self, key: ObjectKey) -> None:
        async def read(version: int | None) -> ObjectVersion | None:
            return await with_retries(
                self._client, lambda: self._client.object_version(key.objecttype, key.object_id, version)
            )

        try:
            newest = await read_newest(read)
            self._update(newest=newest)
            self._show_entries()
            await self._compare(read, newest)
            if newest > MAX_VERSIONS:
                self._tab.show_note(
                    tr(
                        "Only {count:the last version is|the last {count} versions are} compared.",
                        count=MAX_VERSIONS,
                    ),
                    "muted",
                )
        except VersionsNotOfferedError:
            self._tab.show_note(
                tr("This service does not offer old versions of objects, so only the events are shown."),
                "muted",
            )
        except MissingRightError as error:
            self._tab.show_note(_missing_right(error), message=error_message(error))
        except NotFoundError as error:
            if error.name not in _GONE:
                raise
            self._tab.show_note(
                tr("There is no such object here, so its versions cannot be read. The events remain.")
            )

    async def _compare(self, read: ReadVersion, newest: int) -> None:
        """Shows what the versions have changed, several at a time: each update lays the timeline out."""
        compared, shown_at = 0, time.monotonic()
        waiting: list[VersionChanges] = []
        try:
            async for changes in read_changes(read, version_numbers(newest)):
                waiting.append(changes)
                compared += 1
                if time.monotonic() - shown_at >= _PAUSE:
                    self._show_changes(waiting, compared)
                    shown_at = time.monotonic()
        finally:
            self._show_changes(waiting, compared)

    def _show_changes(self, waiting: list[VersionChanges], compared: int) -> None:
        self._tab.tree.show_changes(waiting)
        waiting.clear()
        self._update(compared=compared)
        self._show_progress()

    def _take(self, history: ObjectHistory, progress: HistoryProgress) -> None:
        if self._state is None or self._state.history.key != history.key:
            return
        self._view.seen.add(history.events[-1:])
        self._state = _State(history, progress)
        if progress.is_scan or history.is_complete:
            self._show_entries()
        self._show_progress()

    def _update(self, **changed: int) -> None:
        if self._state is not None:
            self._state = msgspec.structs.replace(self._state, **changed)

    def _show_entries(self) -> None:
        if self._state is not None:
            self._tab.tree.show_entries(timeline(self._state.history.events, self._state.newest))

    def _show_progress(self) -> None:
        state = self._state
        if state is None:
            return
        self._tab.status.setText(_progress_text(state))
        fraction = state.progress.fraction
        if state.history.is_complete and state.newest:
            fraction = min(1.0, state.compared / len(version_numbers(state.newest)))
        self._tab.show_progress(fraction)
        text = f"{_title(state.history.key)}: {_progress_text(state)}"
        self._tasks.show_progress(_WORK, text, fraction)

    def _show_result(self) -> None:
        state = self._state
        if state is None:
            return
        self._tab.status.setText(_result_text(state))
        history = state.history
        if not self._tab.note and history.unreadable:
            self._tab.show_note(_unreadable_text(history.unreadable))
        elif not self._tab.note and history.types:
            self._tab.show_note(
                tr(
                    "The service does not sort by object. All events of known types that may concern "
                    "objects were searched."
                ),
                "muted",
            )

    def _show_none(self, key: ObjectKey) -> None:
        self._state = None
        self._tab.end()
        self._tab.show_page(
            EmptyStateKind.EMPTY,
            _title(key),
            tr("The log has no event of this object any more. Refresh the rows."),
        )

    def _cancel(self) -> None:
        self._tasks.give_up(_WORK)

    def _show_cancelled(self) -> None:
        state = self._state
        self._tab.end()
        if state is None:
            return
        self._show_entries()
        self._tab.status.setText(_result_text(state))
        if not state.history.is_complete:
            self._tab.show_note(tr("Cancelled: the object may have more events than are shown."))
        else:
            self._tab.show_note(tr("Cancelled: not all versions were compared."))

    def _failed(self, error: Exception) -> None:
        state, tab, message = self._state, self._tab, error_message(error)
        tab.end()
        if state is None or not state.history.events:
            self._state = None
            tab.show_failure(message)
            return
        tab.status.setText(_result_text(state))
        tab.show_note(_failure_text(error, is_complete=state.history.is_complete), "danger", message)


class _Source:
    """The calls of `HistorySource`, repeated while the service fails."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.filters_by_object = client.capabilities.filters_by_object
        self.searched = 0

    async def page(self, chosen: EventFilter, limit: int) -> EventPage:
        """The first whole records by ascending id."""
        page = await with_retries(
            self._client, lambda: self._client.list_events(chosen, sort=BY_ID, limit=limit, full=True)
        )
        self.searched += len(page.records)
        return page

    async def count(self, chosen: EventFilter) -> int | None:
        """The number of events."""
        return await with_retries(self._client, lambda: count_events(self._client, chosen))

    async def records(
        self, chosen: EventFilter, sort: tuple[Sort, ...], offset: int, limit: int
    ) -> Sequence[Record]:
        """Short records."""
        page = await with_retries(
            self._client,
            lambda: self._client.list_events(chosen, sort=sort, limit=limit, offset=offset, skip_count=True),
        )
        self.searched += len(readable_events(page.records))
        await asyncio.sleep(0)
        return page.records


def object_name(key: ObjectKey) -> str:
    """``work 12``: the type and the id."""
    return " ".join(part for part in (key.objecttype or key.basetype, str(key.object_id)) if part)


def _title(key: ObjectKey) -> str:
    return tr("History of {object_text}", object_text=object_name(key))


def _progress_text(state: _State) -> str:
    found = len(state.history.events)
    if state.history.is_complete and state.newest:
        total = len(version_numbers(state.newest))
        return tr("{done} of {total:one version|{total} versions} compared", done=state.compared, total=total)
    if state.progress.is_scan and state.progress.total:
        return tr(
            "{found:1 event|{found} events} seen so far, {searched} of {total} searched",
            found=found,
            searched=state.progress.searched,
            total=state.progress.total,
        )
    return tr("{found:1 event|{found} events} seen so far", found=found)


def _result_text(state: _State) -> str:
    found = len(state.history.events)
    if state.newest:
        return tr(
            "{found:1 event|{found} events}, {newest:1 version|{newest} versions}",
            found=found,
            newest=state.newest,
        )
    return tr("{found:1 event|{found} events}", found=found)


def _unreadable_text(number: int) -> str:
    return tr(
        "{number:One record that may belong to the object|{number} records that may belong to the object} "
        "could not be read.",
        number=number,
    )


def _missing_right(error: MissingRightError) -> str:
    if not error.right:
        return tr("You lack the right to read versions of this object. Ask an administrator for it.")
    return tr(
        "You lack the right {right}, so the versions cannot be read. Ask an administrator for it.",
        right=error.right,
    )


def _failure_text(error: Exception, *, is_complete: bool) -> str:
    message = error_message(error)
    what = (
        tr("Not all versions could be compared.")
        if is_complete
        else tr("The object may have more events than are shown.")
    )
    return f"{what} {message.title}. {message.remedy}"
