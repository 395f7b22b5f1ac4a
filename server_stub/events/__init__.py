"""The event log: records, visibility, lists, polls, deletion, CSV; knows no HTTP and no schema."""

from server_stub.events.faults import FaultLog
from server_stub.events.log import EventLog
from server_stub.events.query import CsvOptions, EventFilter, Listing, SortField
from server_stub.events.record import Actor, EventDraft, event_row
from server_stub.events.visibility import Asker

__all__ = [
    "Actor",
    "Asker",
    "CsvOptions",
    "EventDraft",
    "EventFilter",
    "EventLog",
    "FaultLog",
    "Listing",
    "SortField",
    "event_row",
]
