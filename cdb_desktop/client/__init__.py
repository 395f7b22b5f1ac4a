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
from cdb_desktop.client.query import SORT_FIELDS, CsvOptions, EventFilter, Sort
from cdb_desktop.client.records import (
    Event,
    EventPage,
    Features,
    Instance,
    ServerErrorDetails,
    Session,
    Settings,
    User,
)
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
    "Features",
    "Instance",
    "LoginRefusedError",
    "MissingRightError",
    "NotFoundError",
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
    "User",
    "UserError",
    "VersionMismatchError",
    "has_right",
    "load_libraries",
]
