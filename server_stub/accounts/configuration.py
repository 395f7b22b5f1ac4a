"""Base configuration (§4.4, wire §2): typed variables with defaults, stored in the database."""

from __future__ import annotations

import re
from collections.abc import Callable
from types import MappingProxyType
from uuid import UUID, uuid4

import msgspec
from sqlalchemy import Connection, delete, insert, select

from server_stub.database.tables import configuration
from server_stub.events import EventDraft, EventLog

Value = bool | int | str

DEFAULTS: MappingProxyType[str, Value] = MappingProxyType(
    {
        "system.log.search": True,
        "system.log.detail_view": True,
        "session.timeout": 86_400,
        "name": "Content database",
        "languages": "de-DE,en-US",
    }
)

_TRUTHS = {"true": True, "1": True, "false": False, "0": False}
# A session of zero seconds would lock all users out; nine digits are thirty years.
_SECONDS = re.compile(r"[1-9]\d{0,8}", re.ASCII)
_TEXTS = {"name": re.compile(r"\S(.*\S)?"), "languages": re.compile(r"[\w-]+(,[\w-]+)*", re.ASCII)}

# The row with the id of this installation; no setting can have this name.
_INSTANCE = "_instance"


def parse_setting(text: str) -> tuple[str, Value]:
    """Parses NAME=VALUE as given to `--set`. Raises ValueError."""
    name, separator, written = text.partition("=")
    if not separator or name not in DEFAULTS:
        raise ValueError(f"{name!r} is no base configuration; known are {', '.join(sorted(DEFAULTS))}")
    value = _read(name, written)
    if value is None:
        raise ValueError(f"{name} takes a value like {_example(name)}, not {written!r}")
    return name, value


def _read(name: str, written: str) -> Value | None:
    """Parses a value; returns None if the text is not a value."""
    match DEFAULTS[name]:
        case bool():
            return _TRUTHS.get(written.lower())
        case int():
            return int(written) if _SECONDS.fullmatch(written) else None
        case _:
            return written if _TEXTS[name].fullmatch(written) else None


def _example(name: str) -> str:
    default = DEFAULTS[name]
    return str(default).lower() if isinstance(default, bool) else str(default)


class Configuration:
    """The current values of the variables."""

    def __init__(self, log: EventLog, now: Callable[[], int]) -> None:
        self._log = log
        self._now = now

    def values(self, connection: Connection) -> dict[str, Value]:
        """All variables with their values or defaults."""
        stored = connection.execute(select(configuration).where(configuration.c.name.in_(DEFAULTS)))
        return dict(DEFAULTS) | {row.name: msgspec.json.decode(row.value) for row in stored}

    def value(self, connection: Connection, name: str) -> Value:
        """One variable."""
        stored = connection.execute(
            select(configuration.c.value).where(configuration.c.name == name)
        ).scalar()
        return self.decoded(name, stored)

    @staticmethod
    def decoded(name: str, stored: str | None) -> Value:
        """Decodes the stored value of a variable; returns its default if none is stored."""
        value: Value = DEFAULTS[name] if stored is None else msgspec.json.decode(stored)
        return value

    def change(self, connection: Connection, values: dict[str, Value]) -> None:
        """Stores new values and logs a change as BASE_CONFIG_UPDATE (wire §3)."""
        before = self.values(connection)
        changed = {name: value for name, value in values.items() if before[name] != value}
        if not changed:
            return
        connection.execute(delete(configuration).where(configuration.c.name.in_(changed)))
        rows = [
            {"name": name, "value": msgspec.json.encode(value).decode()} for name, value in changed.items()
        ]
        connection.execute(insert(configuration), rows)
        info = msgspec.json.encode({"changed": changed}).decode()
        self._log.append(connection, [EventDraft("BASE_CONFIG_UPDATE", self._now(), info=info)])


def instance_id(connection: Connection, fresh: UUID | str | None = None) -> str:
    """Returns the id after the `@` of global object ids (wire §3); stores `fresh` if there is no id yet."""
    known = connection.execute(
        select(configuration.c.value).where(configuration.c.name == _INSTANCE)
    ).scalar()
    if known is not None:
        return str(known)
    made = str(fresh or uuid4())
    connection.execute(insert(configuration).values(name=_INSTANCE, value=made))
    return made
