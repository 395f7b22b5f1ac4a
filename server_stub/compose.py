"""Puts the rooms of one database together and prepares an empty one; knows no HTTP server."""

from __future__ import annotations

import secrets
import sys
import time
from collections.abc import Callable, Mapping
from uuid import UUID

from sqlalchemy.exc import IntegrityError

from server_stub.accounts import ROOT, AccountError, Configuration, Passwords, Sessions, Users, instance_id
from server_stub.accounts.configuration import Value
from server_stub.api import Rooms
from server_stub.database import Database, new_file, open_database
from server_stub.demo import DemoServices, fill
from server_stub.events import EventDraft, EventLog, FaultLog
from server_stub.schema import Schemas
from server_stub.standard_input import Login

# The demo's global object ids are the same everywhere, like all of its data.
_DEMO_INSTANCE = UUID("5d1f0c9e-6f7c-4b59-9d53-0a2f4c1b7e10")


def wall_clock() -> int:
    """Whole epoch seconds."""
    return int(time.time())


def compose(database: Database, *, demo: bool = False, now: Callable[[], int] = wall_clock) -> Rooms:
    """The rooms of a database; `demo` gives it the demo's identity and its cheap passwords."""
    with database.write() as connection:
        instance = instance_id(connection, _DEMO_INSTANCE if demo else None)
    log = EventLog(database, instance)
    users = Users(Passwords(cheap=demo))
    configuration = Configuration(log, now)
    return Rooms(
        database,
        log,
        FaultLog(database, now),
        users,
        Sessions(database, users, log, configuration, now),
        configuration,
        Schemas(database, log, now),
        now(),
        now,
    )


def demo_house(rooms: Rooms) -> DemoServices:
    """What the demo works with."""
    return DemoServices(rooms.database, rooms.log, rooms.users, rooms.schemas, rooms.now)


def make_demo(url: str, events: int) -> None:
    """Makes the demo in a file that does not exist yet; other databases are left to `prepare`.

    Raises DatabaseUnusableError.
    """
    with new_file(url) as file:
        if file is None:
            return
        database = open_database(file)
        with database.filling():
            _fill(compose(database, demo=True), events)
        database.close()


def _fill(rooms: Rooms, events: int) -> None:
    fill(demo_house(rooms), events=events)
    with rooms.database.write() as connection:
        rooms.configuration.change(connection, {"name": "Museum (demo)"})


def prepare(rooms: Rooms, settings: Mapping[str, Value], *, demo_events: int | None) -> None:
    """Gives an empty database its first user or the demo data, then keeps the settings."""
    with rooms.database.read() as connection:
        empty = rooms.users.is_empty(connection)
    if empty and demo_events is not None:
        _fill(rooms, demo_events)
    elif empty:
        _first_user(rooms)
    with rooms.database.write() as connection:
        rooms.configuration.change(connection, dict(settings))


def _first_user(rooms: Rooms) -> None:
    password = secrets.token_urlsafe(12)
    with rooms.database.write() as connection:
        rooms.users.add(connection, "root", password, displayname="Root", rights=[ROOT], kind="system")
    # Said once, to whoever started the server, and kept nowhere.
    print(f"root password: {password}", file=sys.stderr, flush=True)


def let_in(rooms: Rooms, login: Login) -> None:
    """Lets whoever started the server in, with every right; the log-in of the start before is void.

    Raises AccountError where somebody else has that login.
    """
    try:
        with rooms.database.write() as connection:
            who = rooms.users.let_in(
                connection, login.login, login.password, displayname="Desktop", rights=[ROOT]
            )
            rooms.sessions.end_all(connection, who)
    except IntegrityError:
        raise AccountError(f"The log-in on the standard input: {login.login} is another user's.") from None


def note(rooms: Rooms, event_type: str) -> None:
    """Logs an event of the server itself."""
    with rooms.database.write() as connection:
        rooms.log.append(connection, [EventDraft(event_type, rooms.now())])
