"""Opens the feeds of the last time at this service again, and remembers those of now."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QCoreApplication, QObject, QSettings, QTimer

from cdb_desktop.live.layout import Kept, Layout, layout_file
from cdb_desktop.ui.live.feeds import Feeds
from cdb_desktop.vocabulary.profile_key import ProfileKey

_EARLIER_KEY = "live/layouts"  # where earlier versions have kept them
_FILE = "feeds.json"  # beside the settings
_REST = 500  # milliseconds without a change, after which it is written: a splitter tells every pixel


class FeedMemory(QObject):
    """The feeds of one user at one service."""

    def __init__(self, feeds: Feeds, settings: QSettings, home: ProfileKey) -> None:
        super().__init__(feeds)
        self._feeds = feeds
        path = Path(settings.fileName()).with_name(_FILE)
        self._file = layout_file(path, lambda: str(settings.value(_EARLIER_KEY, "")))
        self._home = home.key
        self._pending: Layout | None = None
        self._timer = QTimer(self, singleShot=True, interval=_REST)
        self._timer.timeout.connect(self._write)
        feeds.arrange(self._file.read(self._home) or ())
        self._store = self._present()
        feeds.changed.connect(self._keep)
        feeds.splitterMoved.connect(self._keep_sizes)
        # Needs nothing of Qt any more, so that it can still be done when the feeds are gone.
        feeds.destroyed.connect(self._write)
        app = QCoreApplication.instance()
        if app is not None:
            app.aboutToQuit.connect(self._write)

    def _keep(self) -> None:
        # Called for every change of rows, most of which change nothing here.
        self._keep_sizes()
        self._write()

    def _keep_sizes(self) -> None:
        present = self._present()
        if present != self._store:
            self._store = present
            self._pending = present
            self._timer.start()

    def _write(self) -> None:
        pending, self._pending = self._pending, None
        if pending is not None:
            self._file.change(self._home, lambda _before: pending)

    def _present(self) -> Layout:
        # Side by side or one above the other, these are their parts of the room.
        parts = self._feeds.sizes() if self._feeds.are_several else [0]
        return tuple(
            Kept(pane.model.feed.filter, pane.alarm.is_on, part)
            for pane, part in zip(self._feeds.panes, parts, strict=False)
        )
