"""The event log: records, visibility, lists, polls, deletion, CSV."""

from server_stub.events.log import Caller, ClosedLog, EventLog, RequestKey
from server_stub.events.query import CsvOptions, EventFilter, EventQuery, SortField
from server_stub.events.record import Actor, EventDraft, RecordForm

__all__ = [
    "Actor",
    "Caller",
    "ClosedLog",
    "CsvOptions",
    "EventDraft",
    "EventFilter",
    "EventLog",
    "EventQuery",
    "RecordForm",
    "RequestKey",
    "SortField",
]
