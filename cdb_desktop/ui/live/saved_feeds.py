"""Stores the open feeds of each user at each service, and opens them again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
from msgspec.structs import replace
from PySide6.QtCore import QCoreApplication, QObject, QSettings, QTimer

from cdb_desktop.foundation.files import RecordFile
from cdb_desktop.live.feed_filter import EarlierFilter
from cdb_desktop.queries.query import Query, is_valid_query
from cdb_desktop.queries.query_matcher import testable
from cdb_desktop.ui.live.view import LiveView
from cdb_desktop.vocabulary.profile_key import ProfileKey

_FILE = "feeds.json"  # in the folder of the settings
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
