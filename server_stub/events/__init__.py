"""The event log: records, visibility, lists, polls, deletion, CSV; knows no HTTP and no schema."""

from server_stub.events.log import Asker, EventLog
from server_stub.events.query import CsvOptions, EventFilter, Listing, SortField
from server_stub.events.record import Actor, EventDraft, event_row

__all__ = [
    "Actor",
    "Asker",
    "CsvOptions",
    "EventDraft",
    "EventFilter",
    "EventLog",
    "Listing",
    "SortField",
    "event_row",
]
