"""Fetches the whole records of visible rows for columns that show more of them, such as the summary.

The rows themselves are short records (wire §3): whole ones have twice the size in our server and many times
that in services that store documents in events. Only what is visible is fetched, in one call.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Coroutine, Iterable, Mapping
from typing import Any, Protocol

from PySide6.QtCore import QObject, QTimer

from cdb_desktop.client import ClientError, Event

_SOON = 20  # milliseconds, in which pages, scrolling and new columns are collected
_log = logging.getLogger(__name__)

Rows = Mapping[int, Event]  # short records by their row, or by another number of the subclass


class _Tasks(Protocol):
    def start(self, name: str, work: Coroutine[Any, Any, None]) -> None: ...

    def is_running(self, name: str) -> bool: ...

    def cancel(self, name: str) -> None: ...


class RowDetails(QObject):
    """Fetches what rows lack, soon after ``check``; each at most once until ``forget`` if it has no details.

    Rows without their details stay as they are: a failure is logged. Subclasses know the rows and the calls.
    """

    def __init__(self, parent: QObject, tasks: _Tasks, name: str, pause: float = 0.0) -> None:
        """``name`` is that of the task. There are ``pause`` seconds between the beginnings of two calls."""
        super().__init__(parent)
        self._tasks, self._name, self._pause = tasks, name, pause
        self._next = 0.0  # when the next call may begin
        self._tried: set[int] = set()  # ids
        self._soon = QTimer(self, singleShot=True, interval=_SOON)
        self._soon.timeout.connect(self._fetch_lacking)

    def lacking_rows(self) -> Rows:
        """The visible short records, and those that will soon be visible."""
        raise NotImplementedError

    async def whole_events(self, rows: Rows) -> Iterable[Event]:
        """Fetches the whole records of rows. Raises ClientError."""
        raise NotImplementedError

    def show_details(self, events: Iterable[Event], rows: Rows) -> None:
        """Shows whole records in place of rows."""
        raise NotImplementedError

    def check(self) -> None:
        """Fetches what is lacking when the rows have not changed for a moment."""
        wait = round(1000 * (self._next - time.monotonic()))
        self._soon.start(max(_SOON, wait))

    def stop(self) -> None:
        """Ends a call that is running."""
        self._soon.stop()
        self._tasks.cancel(self._name)

    def forget(self) -> None:
        """Tries again rows that have no details."""
        self._tried = set()

    def is_lacking(self, event: Event) -> bool:
        """Whether an event is a short record whose details were not looked for in vain."""
        return event.info is None and event.id not in self._tried

    def _fetch_lacking(self) -> None:
        if self._tasks.is_running(self._name):
            return
        rows = {row: event for row, event in self.lacking_rows().items() if self.is_lacking(event)}
        if rows:
            self._next = time.monotonic() + self._pause
            self._tasks.start(self._name, self._fetch(rows))

    async def _fetch(self, rows: Rows) -> None:
        ids = {event.id for event in rows.values()}
        self._tried |= ids
        try:
            found = list(await self.whole_events(rows))
        except asyncio.CancelledError:
            self._tried -= ids
            raise
        except ClientError as error:
            _log.info("details of rows were not fetched: %s", error)
            return
        self._tried.difference_update(event.id for event in found if event.info is not None)
        self.show_details(found, rows)
