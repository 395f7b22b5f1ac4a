"""Follows the reindexing after a commit in a notice, from the events that polls bring."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QObject, QTimer

from cdb_desktop.client import Event
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.schema.commit.reindexing import QUIET_SECONDS, Reindexing
from cdb_desktop.ui.widgets.notice import NoticeBar
from cdb_desktop.vocabulary.error_messages import ErrorMessage

_INDEX = "OBJECT_INDEX"


class ReindexingController(QObject):
    """Shows how many objects were indexed; ends when all are, or when no more events come.

    Closing the notice ends it as well.
    """

    def __init__(self, notice: NoticeBar) -> None:
        super().__init__(notice)
        self._notice = notice
        self._reindexing: Reindexing | None = None
        self._quiet = QTimer(self, singleShot=True, interval=QUIET_SECONDS * 1000)
        self._quiet.timeout.connect(self._end)

    @property
    def is_following(self) -> bool:
        """Whether events are counted."""
        return self._reindexing is not None

    def begin(self, expected: Reindexing) -> None:
        """Counts events from now on; to be called before the commit, whose first events follow at once."""
        self._notice.hide()
        self._reindexing = expected

    def show(self) -> None:
        """Shows the count, after the commit has succeeded."""
        if self._reindexing is None:
            return
        if self._reindexing.total == 0:
            self._reindexing = None
            return
        self._quiet.start()
        self._notice.show_message("accent", self._progress)
        self._check()

    def cancel(self) -> None:
        """Stops counting without a message, after a commit that failed."""
        self._reindexing = None
        self._quiet.stop()

    def add(self, events: Iterable[Event]) -> None:
        """Counts the indexed objects among new events."""
        if self._reindexing is None:
            return
        found = [
            (one.objecttype or "", one.object_id)
            for one in events
            if one.type == _INDEX and one.object_id is not None
        ]
        if not found:
            return
        self._reindexing = self._reindexing.with_objects(found)
        if not self._quiet.isActive():
            return  # The commit has not been answered yet.
        if self._notice.isHidden():
            self.cancel()
            return
        self._quiet.start()
        self._notice.show_message("accent", self._progress)
        self._check()

    def _check(self) -> None:
        if self._reindexing is not None and self._reindexing.is_complete:
            self._end()

    def _end(self) -> None:
        """Says how it has ended, unless the notice was closed."""
        ended = self._reindexing
        self.cancel()
        if ended is not None and not self._notice.isHidden():
            self._notice.show_passing(lambda: _result(ended))

    def _progress(self) -> ErrorMessage:
        found = self._reindexing
        if found is None or not found.indexed:
            text = tr("Reindexing: waiting for the first OBJECT_INDEX event…")
        elif found.total is None:
            text = tr(
                "Reindexing: {indexed:1 object|{indexed} objects} so far; how many there are is not known.",
                indexed=found.indexed,
            )
        else:
            text = tr(
                "Reindexing: {indexed} of {total:1 object|{total} objects} indexed.",
                indexed=found.indexed,
                total=found.total,
            )
        return ErrorMessage("", text, "")


def _result(found: Reindexing) -> ErrorMessage:
    if found.is_complete:
        text = tr(
            "Reindexing is complete: {indexed:1 object|{indexed} objects} indexed.", indexed=found.indexed
        )
    elif found.indexed:
        text = tr(
            "{indexed:1 object was|{indexed} objects were} indexed; no more OBJECT_INDEX events for "
            "{seconds:1 second|{seconds} seconds}.",
            indexed=found.indexed,
            seconds=QUIET_SECONDS,
        )
    else:
        text = tr(
            "No OBJECT_INDEX event for {seconds:1 second|{seconds} seconds}: there may be nothing to index, "
            "or live events are not followed.",
            seconds=QUIET_SECONDS,
        )
    return ErrorMessage("", text, "")
