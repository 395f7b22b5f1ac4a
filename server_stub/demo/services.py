"""The services through which demo data is written."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from server_stub.accounts import Users
from server_stub.database import Database
from server_stub.events import EventLog
from server_stub.schema import Schemas


class DemoServices(msgspec.Struct, frozen=True):
    """The services through which demo data is read and written; `now()` returns epoch seconds."""

    database: Database
    log: EventLog
    users: Users
    schemas: Schemas
    now: Callable[[], int]
