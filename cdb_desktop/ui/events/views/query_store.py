"""Remembers what one user asked of one service from one start to the next."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSettings

from cdb_desktop.events.query_history import QueryHistory, QueryHistoryFile
from cdb_desktop.vocabulary.profile_key import ProfileKey

_EARLIER_KEY = "events/queries"  # where earlier versions have kept them
_FILE = "queries.json"  # beside the settings


class QueryStore:
    """The query in force with those before it and those taken back, so that a start goes on where one was."""

    def __init__(self, settings: QSettings, home: ProfileKey) -> None:
        path = Path(settings.fileName()).with_name(_FILE)
        self._file = QueryHistoryFile(path, lambda: str(settings.value(_EARLIER_KEY, "")))
        self._home = home.key

    @property
    def history(self) -> QueryHistory:
        """That of the last time; the usual query if it cannot be read."""
        return self._file.read(self._home)

    def keep(self, history: QueryHistory) -> None:
        """Keeps it for the next start."""
        self._file.write(self._home, history)
