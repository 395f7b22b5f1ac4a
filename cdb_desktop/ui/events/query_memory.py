"""Remembers the queries of a user from one start to the next. Asks no service."""

from __future__ import annotations

import msgspec
from PySide6.QtCore import QSettings

from cdb_desktop.events.history import History
from cdb_desktop.events.query import Query

_KEY = "events/history"
_MOST = 50


def kept_history(settings: QSettings) -> History:
    """A fresh query, before it those of the last time; what cannot be read is none."""
    try:
        past = msgspec.json.decode(str(settings.value(_KEY, "")) or "[]", type=tuple[Query, ...])
    except msgspec.MsgspecError:
        past = ()
    fresh = Query()
    return History(fresh, past[:-1] if past and past[-1] == fresh else past)


def keep_history(settings: QSettings, history: History) -> None:
    """Keeps the query in force and those before it."""
    kept = (*history.past, history.present)[-_MOST:]
    settings.setValue(_KEY, msgspec.json.encode(kept).decode())
