"""Thirty days of events: daily curves, visits side by side, stories to be found; knows no database."""

from server_stub.demo.history.calendar import Calendar
from server_stub.demo.history.chronicle import Chapter, chronicle
from server_stub.demo.history.sessions import new_reference, session_row
from server_stub.demo.history.stories import tell
from server_stub.demo.history.telling import Release

__all__ = ["Calendar", "Chapter", "Release", "chronicle", "new_reference", "session_row", "tell"]
