"""Base configuration (§4.4, wire §2): typed variables with defaults, kept in the database; knows no HTTP."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType

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


def parse_setting(text: str) -> tuple[str, Value]:
    """NAME=VALUE as given to `--set`; ValueError with a sentence when it is none."""
    name, separator, written = text.partition("=")
    if not separator or name not in DEFAULTS:
        raise ValueError(f"{name!r} is no base configuration; known are {', '.join(sorted(DEFAULTS))}")
    kind = type(DEFAULTS[name])
    if kind is str:
        return name, written
    try:
        value: Value = msgspec.json.decode(written, type=kind)
    except msgspec.DecodeError as error:
        raise ValueError(
            f"{name} takes a value like {str(DEFAULTS[name]).lower()}, not {written!r}"
        ) from error
    return name, value


class Configuration:
    """The variables in force."""

    def __init__(self, log: EventLog, now: Callable[[], int]) -> None:
        self._log = log
        self._now = now

    def values(self, connection: Connection) -> dict[str, Value]:
        """Every variable, set or by default."""
        kept = connection.execute(select(configuration).where(configuration.c.name.in_(DEFAULTS)))
        return dict(DEFAULTS) | {row.name: msgspec.json.decode(row.value) for row in kept}

    def value(self, connection: Connection, name: str) -> Value:
        """One variable."""
        kept = connection.execute(select(configuration.c.value).where(configuration.c.name == name)).scalar()
        return self.decoded(name, kept)

    @staticmethod
    def decoded(name: str, kept: str | None) -> Value:
        """A variable as it is kept, its default where it is not."""
        value: Value = DEFAULTS[name] if kept is None else msgspec.json.decode(kept)
        return value

    def change(self, connection: Connection, values: dict[str, Value]) -> None:
        """Keeps new values; a change is logged as BASE_CONFIG_UPDATE (wire §3)."""
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
