"""Remembers what one user asked of one service from one start to the next. Asks no service."""

from __future__ import annotations

import logging

from PySide6.QtCore import QSettings

from cdb_desktop.events.history import History
from cdb_desktop.events.kept_queries import UnreadableError, history_of, with_history
from cdb_desktop.ui.widgets.home import Home

_KEY = "events/queries"  # by Home.key
_log = logging.getLogger(__name__)


class QueryMemory:
    """The query in force with those before it and those taken back, so that a start goes on where one was."""

    def __init__(self, settings: QSettings, home: Home) -> None:
        self._settings = settings
        self._home = home.key

    @property
    def history(self) -> History:
        """That of the last time; what cannot be read is none, and the usual query is asked."""
        try:
            return history_of(self._text, self._home)
        except UnreadableError as error:
            # Without the record itself: a filter is nobody's business but the user's.
            _log.warning("the query of the last time cannot be read: %s", error)
            return History()

    def keep(self, history: History) -> None:
        """Keeps it for the next start."""
        self._settings.setValue(_KEY, with_history(self._text, self._home, history))

    @property
    def _text(self) -> str:
        return str(self._settings.value(_KEY, ""))
