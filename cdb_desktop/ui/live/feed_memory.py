"""Opens the feeds of the last time at this service again, and remembers those of now. Asks no service."""

from __future__ import annotations

from PySide6.QtCore import QObject, QSettings

from cdb_desktop.live.layout import Kept, Layout, decoded, encoded
from cdb_desktop.ui.live.feeds import Feeds
from cdb_desktop.ui.widgets.home import Home

_KEY = "live/layouts"  # by Home.key


class FeedMemory(QObject):
    """The feeds of one user at one service."""

    def __init__(self, feeds: Feeds, settings: QSettings, home: Home) -> None:
        super().__init__(feeds)
        self._feeds = feeds
        self._settings = settings
        self._home = home.key
        feeds.arrange(decoded(str(settings.value(_KEY, ""))).get(self._home, ()))
        self._kept = self._present()
        feeds.changed.connect(self._keep)
        feeds.splitterMoved.connect(self._keep)

    def _keep(self) -> None:
        # Told with every change of rows, most of which change nothing here.
        present = self._present()
        if present != self._kept:
            self._kept = present
            layouts = decoded(str(self._settings.value(_KEY, "")))
            self._settings.setValue(_KEY, encoded(layouts, self._home, present))

    def _present(self) -> Layout:
        # Side by side or one above the other, these are their parts of the room.
        parts = self._feeds.sizes() if self._feeds.are_several else [0]
        return tuple(
            Kept(pane.model.feed.choice, pane.alarm.is_on, part)
            for pane, part in zip(self._feeds.panes, parts, strict=False)
        )
