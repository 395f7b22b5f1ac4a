"""Remembers what one user asked of one service from one start to the next. Asks no service."""

from __future__ import annotations

import logging
from pathlib import Path

from PySide6.QtCore import QSettings

from cdb_desktop.events.history import History
from cdb_desktop.events.kept_queries import UnreadableError, history_of, with_history
from cdb_desktop.events.whole_file import keep_aside, write_whole
from cdb_desktop.ui.widgets.home import Home

_KEY = "events/queries"  # by Home.key
_FILE = "queries.json"
_log = logging.getLogger(__name__)


class QueryMemory:
    """The query in force with those before it and those taken back, so that a start goes on where one was."""

    def __init__(self, settings: QSettings, home: Home) -> None:
        self._settings = settings
        self._home = home.key
        self.damaged: list[Path] = []  # what was found damaged and is kept in files

    @property
    def history(self) -> History:
        """That of the last time; what cannot be read is kept aside, and the usual query is asked."""
        try:
            return history_of(self._text, self._home)
        except UnreadableError as error:
            # Without the record itself: a filter is nobody's business but the user's.
            _log.warning("the query of the last time cannot be read: %s", error)
            self._keep_aside()
            return History()

    def keep(self, history: History) -> None:
        """Keeps it for the next start."""
        self._settings.setValue(_KEY, with_history(self._text, self._home, history))

    def _keep_aside(self) -> None:
        file = Path(self._settings.fileName()).with_name(_FILE)
        try:
            write_whole(file, self._text.encode("utf-8", "surrogateescape"))
            self.damaged.append(keep_aside(file))
            self.keep(History())
        except (OSError, UnicodeError) as error:
            _log.warning("the queries of the last time cannot be kept aside: %s", error)

    @property
    def _text(self) -> str:
        return str(self._settings.value(_KEY, ""))
