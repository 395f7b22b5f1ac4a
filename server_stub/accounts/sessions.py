"""Sessions: start, find, sign in, sign out, expire (wire §2). Of a token only its hash is stored."""

from __future__ import annotations

import hashlib
import logging
import secrets
from collections.abc import Callable, Sequence
from typing import Any, TypeVar
from uuid import uuid4

import msgspec
from msgspec.structs import replace
from sqlalchemy import ColumnElement, Connection, Row, bindparam, delete, func, insert, select, true, update
from sqlalchemy.exc import DBAPIError

from server_stub.accounts.configuration import Configuration
from server_stub.accounts.throttle import BlockedError, Throttle
from server_stub.accounts.users import USER_COLUMNS, User, Users, user_of
from server_stub.database import Database, Reader, WriteLock
from server_stub.database.tables import configuration, event, oauth_token, session, user
from server_stub.events import Actor, EventDraft, EventLog
from server_stub.foundation.errors import UserError
from server_stub.foundation.times import to_wire

log = logging.getLogger(__name__)
_T = TypeVar("_T")

# A real client compares the name of the native method (wire §2).
NATIVE_METHOD = "easydb"
# How often the use of a session is stored at most, so that reading does not mean writing; at a tenth of a
# shorter life.
_TOUCH_SECONDS = 30
# How long an expired session is still distinguished from an unknown one.
_REMEMBERED_SECONDS = 86_400
# How many of each kind are deleted during one sign-in.
_PURGED_AT_ONCE = 100

_SESSION_COLUMNS = (
    session.c.reference,
    session.c.created,
    session.c.last_used,
    session.c.method,
    session.c.authenticated,
    session.c.current_max_event_id,
)

# One statement for each call: the session, its user, and how long sessions live.
_timeout = select(configuration.c.value).where(configuration.c.name == "session.timeout").scalar_subquery()
_FOUND = (
    select(*_SESSION_COLUMNS, *USER_COLUMNS, _timeout.label("timeout"))
    .select_from(session.outerjoin(user))
    .where(session.c.token_hash == bindparam("token_hash"))
)


class Session(msgspec.Struct, frozen=True):
    """A session; `reference` is its public name, the token is not stored."""

    reference: str
    created: int
    last_used: int
    user: User | None = None
    method: str | None = None
    authenticated: int | None = None
    current_max_event_id: int | None = None
    timeout: int = 0  # seconds

    def actor(self, ipv4_address: str | None) -> Actor | None:
        """Who causes the events of this session."""
        if self.user is None:
            return None
        return Actor(self.user.id, self.user.type, self.user.displayname, self.reference, ipv4_address)


class Credentials(msgspec.Struct, frozen=True):
    """Login, password and address of a sign-in."""

    login: str
    password: str
    methods: Sequence[str] = (NATIVE_METHOD,)
    ipv4_address: str | None = None

    def __repr__(self) -> str:
        return f"Credentials({self.login!r})"


class Sessions:
    """The sessions of one database.

    `now` is the clock of what people see; `steady`, by default the same, that of how long sessions live and
    log-ins wait.
    """

    def __init__(
        self,
        database: Database,
        users: Users,
        log: EventLog,
        configuration: Configuration,
        now: Callable[[], int],
        steady: Callable[[], int] | None = None,
    ) -> None:
        self._database = database
        self._users = users
        self._log = log
        self._configuration = configuration
        self._now = now
        self._steady = steady or now
        self._throttle = Throttle()

    def start(self, *, keep: bool = True) -> tuple[str, Session]:
        """Returns a new session that is not signed in, with its token; `keep=False` does not store it."""
        token, made = self._made()
        if keep:
            with self._database.write() as connection:
                self._insert(connection, token, made)
        return token, made

    def open(
        self, connection: Connection, who: User, ipv4_address: str | None, *, logs_in: bool
    ) -> tuple[str, Session]:
        """Returns a new session of a user, with its token; logs USER_LOGIN if the user has just logged in."""
        token, made = self._made()
        self._insert(connection, token, made)
        return token, self._sign_in(connection, made, who, ipv4_address, logs_in=logs_in)

    def _made(self) -> tuple[str, Session]:
        return secrets.token_urlsafe(32), Session(str(uuid4()), self._now(), self._steady())

    def _insert(self, connection: Connection, token: str, made: Session) -> None:
        values = {
            "token_hash": hash_of(token),
            "reference": made.reference,
            "created": made.created,
            "last_used": made.last_used,
            "record": session_record(made.created),
        }
        connection.execute(insert(session).values(values))

    def find(self, reader: Reader, token: str) -> Session:
        """Returns the session of a token. Raises UserError session_not_found or session_invalid."""
        key = ("session", hash_of(token))
        found: Session | None = reader.cache.get(key)
        if found is None:
            found = self._read(reader, token, key[1])
            reader.cache[key] = found
        if found.last_used + found.timeout < self._steady():
            raise UserError("session_invalid")
        return found

    def _read(self, reader: Reader, token: str, token_hash: str) -> Session:
        row = reader.first(_FOUND, {"token_hash": token_hash})
        if row is None:
            # An unknown token may belong to another server, so it is not returned in full.
            raise UserError("session_not_found", id=f"{token[:4]}…")
        return _session_of(row, int(self._configuration.decoded("session.timeout", row.timeout)))

    def touch(self, found: Session) -> None:
        """Extends a session (wire §2) unless its last use is recent.

        Reading never waits for writing: the next call does it if another writer is busy or the database
        cannot be written.
        """
        passed = self._steady() - found.last_used
        # A last use in the future: the clock was set back between two starts of the server. The session
        # lives on, but not for years if the clock was years ahead.
        is_implausible = passed < -(found.timeout + _REMEMBERED_SECONDS)
        if passed < min(_TOUCH_SECONDS, found.timeout // 10) and not is_implausible:
            return
        try:
            with self._database.write_if_idle() as connection:
                if connection is not None:
                    self._update(connection, found, last_used=self._steady())
        except DBAPIError as error:
            log.warning("The use of a session could not be stored: %s", error.orig)

    def authenticate(self, found: Session, given: Credentials) -> Session:
        """Signs a session in and logs USER_LOGIN. Raises UserError, logged as LOGIN_FAILED."""
        address = given.ipv4_address
        return self.checked(
            given, lambda connection, who: self._sign_in(connection, found, who, address, logs_in=True)
        )

    def checked(self, given: Credentials, act: Callable[[Connection, User], _T]) -> _T:
        """Runs `act` for the user who has the log-in and password, in the transaction of its connection.

        Raises UserError, logged as LOGIN_FAILED.
        """
        if NATIVE_METHOD not in given.methods:
            raise UserError("authentication_method_not_allowed", method=",".join(given.methods))
        if not given.login or not given.password:
            raise UserError("username_or_password_empty")
        with self._throttle.turn(given.ipv4_address, given.login):
            who, password_hash = self._verified(given)
            with self._database.write(WriteLock.ACCOUNTS) as connection:
                # The user may have been removed or given another password after the check.
                if self._users.password_hash(connection, who) == password_hash:
                    self._throttle.forgive(connection, given.ipv4_address, given.login)
                    return act(connection, who)
            raise self._refused(given)

    def _sign_in(
        self, connection: Connection, found: Session, who: User, ipv4_address: str | None, *, logs_in: bool
    ) -> Session:
        timeout = int(self._configuration.value(connection, "session.timeout"))
        purge(connection, self._steady(), timeout)
        signed_in = replace(found, user=who, method=NATIVE_METHOD, authenticated=self._now(), timeout=timeout)
        if logs_in:
            self._log.append(connection, [self._draft("USER_LOGIN", signed_in.actor(ipv4_address))])
        # The own USER_LOGIN is not above the lower bound of polling (wire §2).
        signed_in = replace(signed_in, current_max_event_id=self._log.last_id(connection))
        self._update(
            connection,
            signed_in,
            user_id=who.id,
            method=signed_in.method,
            authenticated=signed_in.authenticated,
            last_used=self._steady(),
            record=session_record(found.created),
            current_max_event_id=signed_in.current_max_event_id,
        )
        return signed_in

    def deauthenticate(self, found: Session, ipv4_address: str | None) -> Session:
        """Signs a session out and logs USER_LOGOUT; the token remains valid for signing in again."""
        if found.user is None:
            return found
        with self._database.write(WriteLock.ACCOUNTS) as connection:
            self._sign_out(connection, found, ipv4_address)
        return Session(found.reference, found.created, found.last_used)

    def end_all(self, connection: Connection, who: User) -> int:
        """Signs a user out everywhere and logs each USER_LOGOUT; returns the number of sessions."""
        connection.execute(delete(oauth_token).where(oauth_token.c.user_id == who.id))
        found = self._signed_in(connection, who)
        for each in found:
            self._sign_out(connection, each, None)
        return len(found)

    def end_log_in(
        self, connection: Connection, who: User, which: ColumnElement[bool], ipv4_address: str | None
    ) -> None:
        """Signs the sessions of one log-in out and logs one USER_LOGOUT, that of the newest."""
        for older, each in enumerate(self._signed_in(connection, who, which)):
            self._sign_out(connection, each, ipv4_address, logs=not older)

    def _signed_in(self, connection: Connection, who: User, *which: ColumnElement[bool]) -> list[Session]:
        chosen = select(*_SESSION_COLUMNS).where(session.c.user_id == who.id, *which)
        rows = connection.execute(chosen.order_by(session.c.last_used.desc()))
        return [Session(row.reference, row.created, row.last_used, who) for row in rows]

    def _sign_out(
        self, connection: Connection, found: Session, ipv4_address: str | None, *, logs: bool = True
    ) -> None:
        record = session_record(found.created, self._now())
        signed_out = {"user_id": None, "method": None, "authenticated": None, "record": record}
        if not self._update(connection, found, session.c.user_id.is_not(None), **signed_out):
            return  # Another call did it after the session was read.
        if logs:
            self._log.append(connection, [self._draft("USER_LOGOUT", found.actor(ipv4_address))])

    def _verified(self, given: Credentials) -> tuple[User, str]:
        """The user who has the log-in and password, with the hash of the password."""
        try:
            with self._database.write() as connection:
                self._throttle.count(connection, given.ipv4_address, given.login, self._steady())
        except BlockedError as blocked:
            self._log_failure(given, "blocked")
            raise UserError("login_disabled_to", to=to_wire(self._now() + blocked.seconds)) from None
        # Hashing is slow on purpose: it happens outside of the transactions that write.
        with self._database.read() as connection:
            who = self._users.verified(connection, given.login, given.password)
            password_hash = None if who is None else self._users.password_hash(connection, who)
        if who is None or password_hash is None:
            raise self._refused(given)
        return who, password_hash

    def _refused(self, given: Credentials) -> UserError:
        self._log_failure(given, "wrong login or password")
        return UserError("login_failed")

    def _log_failure(self, given: Credentials, reason: str) -> None:
        info = msgspec.json.encode({"method": NATIVE_METHOD, "login": given.login, "reason": reason}).decode()
        with self._database.write(WriteLock.ACCOUNTS) as connection:
            self._throttle.purge(connection, self._steady())
            self._log.append(connection, [EventDraft("LOGIN_FAILED", self._now(), info=info)])

    def _draft(self, kind: str, actor: Actor | None) -> EventDraft:
        object_id = actor.user_id if actor else None
        return EventDraft(kind, self._now(), actor, True, "user", "BASE", object_id=object_id)

    def _update(
        self, connection: Connection, found: Session, *conditions: ColumnElement[bool], **values: object
    ) -> bool:
        """Changes the row of a session; returns whether it exists and meets the conditions."""
        chosen = update(session).where(session.c.reference == found.reference, *conditions)
        return bool(connection.execute(chosen.values(values)).rowcount)


def purge(connection: Connection, now: int, timeout: int) -> None:
    """Deletes some sessions that ended long ago: those never signed in, those whose events are all deleted.

    The others stay, for the full records of their events contain their times (wire §3). `timeout` is how
    long sessions live unused, in seconds.
    """
    ended = now - timeout - _REMEMBERED_SECONDS
    _delete_unused(connection, ended, session.c.current_max_event_id.is_(None))
    oldest = connection.execute(select(func.min(event.c.timestamp))).scalar()
    _delete_unused(connection, ended if oldest is None else min(ended, oldest - timeout), true())


def _delete_unused(connection: Connection, unused_since: int, which: ColumnElement[bool]) -> None:
    chosen = select(session.c.reference).where(session.c.last_used < unused_since, which)
    some = chosen.order_by(session.c.last_used).limit(_PURGED_AT_ONCE)
    connection.execute(delete(session).where(session.c.reference.in_(some)))


def session_record(created: int, expired: int | None = None) -> str:
    """Returns the members of a session in full event records (wire §3), except for the token, as JSON."""
    times = {"created": created} | ({} if expired is None else {"expired": expired})
    return "".join(f',"{name}":"{to_wire(second)}"' for name, second in times.items())


def _session_of(row: Row[*tuple[Any, ...]], timeout: int) -> Session:
    who = user_of(row) if row.id is not None else None
    return Session(
        row.reference,
        row.created,
        row.last_used,
        who,
        row.method,
        row.authenticated,
        row.current_max_event_id,
        timeout,
    )


def hash_of(token: str) -> str:
    """What is stored of a token."""
    return hashlib.sha256(token.encode()).hexdigest()
