"""The asynchronous client of the service: typed requests in, frozen records out. It knows no desktop."""

from cdb_desktop.client.api import Client
from cdb_desktop.client.errors import (
    AnswerError,
    ApiError,
    ClientError,
    LoginRefusedError,
    MissingRightError,
    NotFoundError,
    ServerError,
    ServiceError,
    SessionLostError,
    SlowAnswerError,
    UnreachableError,
    UnreachableKind,
    UserError,
    VersionMismatchError,
)
from cdb_desktop.client.exchange import Exchange
from cdb_desktop.client.query import SORT_FIELDS, CsvOptions, EventFilter, Sort
from cdb_desktop.client.records import (
    Event,
    EventPage,
    Features,
    Instance,
    Polled,
    Reason,
    Record,
    ServerErrorDetails,
    Session,
    Settings,
    Unreadable,
    User,
)
from cdb_desktop.client.request_text import RequestForm, listing_text
from cdb_desktop.client.rights import has_right
from cdb_desktop.client.transport import load_libraries

__all__ = [
    "SORT_FIELDS",
    "AnswerError",
    "ApiError",
    "Client",
    "ClientError",
    "CsvOptions",
    "Event",
    "EventFilter",
    "EventPage",
    "Exchange",
    "Features",
    "Instance",
    "LoginRefusedError",
    "MissingRightError",
    "NotFoundError",
    "Polled",
    "Reason",
    "Record",
    "RequestForm",
    "ServerError",
    "ServerErrorDetails",
    "ServiceError",
    "Session",
    "SessionLostError",
    "Settings",
    "SlowAnswerError",
    "Sort",
    "UnreachableError",
    "UnreachableKind",
    "Unreadable",
    "User",
    "UserError",
    "VersionMismatchError",
    "has_right",
    "listing_text",
    "load_libraries",
]
