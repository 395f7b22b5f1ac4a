"""People at work right now, on whatever schema and objects there are; knows no thread and no clock."""

from server_stub.demo.live.objects import LiveObjects
from server_stub.demo.live.people import people_at_work
from server_stub.demo.live.sessions import keep_sessions
from server_stub.demo.live.visits import LiveVisits

__all__ = ["LiveObjects", "LiveVisits", "keep_sessions", "people_at_work"]
