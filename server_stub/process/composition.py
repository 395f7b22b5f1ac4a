"""Creates the services of a database, and fills an empty one."""

from __future__ import annotations

import os
import secrets
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from uuid import UUID

import msgspec
from sqlalchemy.exc import IntegrityError

from server_stub.accounts import (
    ROOT,
    AccountError,
    Configuration,
    OAuth,
    Passwords,
    Sessions,
    Users,
    instance_id,
)
from server_stub.accounts.configuration import Value
from server_stub.database import Database, DatabaseUnusableError, WriteLock, new_file, open_database
from server_stub.demo import DemoServices, add_missing_versions, fill
from server_stub.events import ClosedLog, EventDraft, EventLog
from server_stub.foundation.times import SteadyClock, wall_clock
from server_stub.http.services import ErrorReports, Instance, Services
from server_stub.schema import Objects, Schemas

# The demo's global object ids are the same everywhere, like all of its data.
_DEMO_INSTANCE = UUID("5d1f0c9e-6f7c-4b59-9d53-0a2f4c1b7e10")


class CannotServeError(Exception):
    """The server cannot start; the message is for the administrator and never quotes a password."""


def compose(
    database: Database,
    *,
    demo: bool = False,
    archive: bool = False,
    now: Callable[[], int] = wall_clock,
    steady: Callable[[], int] | None = None,
) -> Services:
    """Returns the services of a database; `demo` gives it the demo's identity and its cheap passwords.

    With `archive` no further events are logged.
    `now` is the clock of events, `steady` that of sessions and delays: by default one that is independent of
    changes of the wall clock, or `now` if that is another clock.
    """
    if steady is None:
        steady = SteadyClock() if now is wall_clock else now
    with database.read() if database.obstacle else database.write(WriteLock.ACCOUNTS) as connection:
        instance = instance_id(connection, _DEMO_INSTANCE if demo else None)
    log = (ClosedLog if archive else EventLog)(database, instance)
    users = Users(Passwords(cheap=demo))
    configuration = Configuration(log, now)
    schemas = Schemas(database, log, now)
    sessions = Sessions(database, users, log, configuration, now, steady)
    return Services(
        database,
        log,
        ErrorReports(database, now),
        users,
        sessions,
        OAuth(database, sessions, steady),
        configuration,
        schemas,
        Objects(database, instance),
        Instance(database, configuration, schemas, log),
        now(),
        now,
    )


def demo_services(services: Services) -> DemoServices:
    """Returns the services that the demo needs."""
    return DemoServices(services.database, services.log, services.users, services.schemas, services.now)


def create_demo_file(url: str, events: int) -> None:
    """Creates an SQLite file with the demo data; does nothing if it exists or for any other database.

    Raises DatabaseUnusableError.
    """
    with new_file(url) as file:
        if file is None:
            return
        database = open_database(file)
        with database.filling():
            _fill(compose(database, demo=True), events)
        database.close()


def _fill(services: Services, events: int) -> None:
    fill(demo_services(services), events=events)
    with services.database.write(WriteLock.ACCOUNTS) as connection:
        services.configuration.change(connection, {"name": "Museum (demo)"})


def prepare(services: Services, settings: Mapping[str, Value], *, demo_events: int | None) -> None:
    """Gives an empty database its first user or the demo data, then stores the settings.

    Servers that start at the same time on one database wait for one another. Raises DatabaseUnusableError if
    the database is empty and cannot be written; nothing is stored in one that holds users.
    """
    with services.database.set_up():
        with services.database.read() as connection:
            empty = services.users.is_empty(connection)
        if services.database.obstacle is not None:
            if empty:
                raise DatabaseUnusableError(f"The database holds no users yet. {services.database.obstacle}")
            return
        if empty and demo_events is not None:
            _fill(services, demo_events)
        elif demo_events is not None:
            add_missing_versions(demo_services(services))
        elif empty:
            _first_user(services)
        with services.database.write(WriteLock.ACCOUNTS) as connection:
            services.configuration.change(connection, dict(settings))


def _first_user(services: Services) -> None:
    password = secrets.token_urlsafe(12)
    with services.database.write(WriteLock.ACCOUNTS) as connection:
        services.users.add(connection, "root", password, displayname="Root", rights=[ROOT], kind="system")
    # Printed once and not stored.
    print(f"root password: {password}", file=sys.stderr, flush=True)


def admit_embedded_user(services: Services, login: Login, rights: Sequence[str] = (ROOT,)) -> None:
    """Creates or renews the user of the program that started the server, by default with every right.

    The log-in of the previous start becomes invalid. Raises AccountError if another user has the login.
    """
    try:
        with services.database.write(WriteLock.ACCOUNTS) as connection:
            who = services.users.admit_embedded_user(
                connection, login.login, login.password, displayname="Desktop", rights=rights
            )
            services.sessions.end_all(connection, who)
    except IntegrityError:
        raise AccountError(f"The log-in on the standard input: {login.login} is another user's.") from None


def log_server_event(services: Services, event_type: str) -> None:
    """Logs an event of the server itself."""
    with services.database.write() as connection:
        services.log.append(connection, [EventDraft(event_type, services.now())])


_LONGEST_LINE = 4096


class Login(msgspec.Struct, frozen=True):
    """A name with its password, good for as long as the program that made them up runs."""

    login: str
    password: str

    def __repr__(self) -> str:
        return f"Login({self.login!r})"


def read_login() -> Login:
    """Reads the log-in on the first line, ``{"login": …, "password": …}``. Raises CannotServeError."""
    try:
        given = msgspec.json.decode(sys.stdin.buffer.readline(_LONGEST_LINE), type=Login)
    except msgspec.DecodeError:
        given = Login("", "")
    if not (given.login and given.password):
        # From None, like the text: the cause would quote what was given.
        raise CannotServeError(
            'The first line of standard input is no log-in; expected is {"login": "…", "password": "…"}.'
        )
    return given


def when_input_closes(act: Callable[[], object]) -> None:
    """Calls ``act`` in a separate thread as soon as standard input ends."""

    source = sys.stdin.fileno()

    def wait() -> None:
        # Not through the buffer, whose lock this thread would hold when the process ends.
        while os.read(source, 4096):
            pass
        act()

    threading.Thread(target=wait, name="stdin", daemon=True).start()
