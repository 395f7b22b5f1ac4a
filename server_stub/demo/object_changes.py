"""What changes between two versions of a demo object, for versions of the past and for live activity.

The rows of the demo hold the newest versions. The older ones are made backwards from these, and stored as the
values that each version has replaced (`server_stub/schema/objects.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from random import Random
from typing import Any

from sqlalchemy import Connection, select

from server_stub.database.tables import event
from server_stub.schema.commit.storage_layout import PRIMARY_KEY, VERSION, column_key
from server_stub.schema.document.column_types import Family
from server_stub.schema.document.model import Column, Table
from server_stub.schema.objects import ObjectTables, StoredVersion, Values, store_versions

_NOTES = {
    "de-DE": ("geprüft", "Angaben ergänzt", "Schreibweise vereinheitlicht", "siehe Akte", "neu erfasst"),
    "en-US": ("checked", "details added", "spelling harmonized", "see file", "recorded anew"),
}
_PLAIN_NOTES = ("geprüft", "checked", "ergänzt", "see file")
_CHANGING = frozenset(
    {Family.TEXT, Family.LOCALIZED, Family.BOOLEAN, Family.NUMBER, Family.DECIMAL, Family.DATE}
)
# How often a version has added a row of a nested table, and how often a value where none was.
_NEW_ROW, _NEW_VALUE = 0.2, 0.25
# How many versions are stored in one statement.
_BATCH = 2_000


def changing_columns(objecttype: Table) -> tuple[Column, ...]:
    """The columns whose values may change without breaking a check, a key or a link."""
    unique = {reference.column for key in objecttype.unique_keys for reference in key.columns}
    return tuple(
        column
        for column in objecttype.columns
        if column.family in _CHANGING
        and column.id not in unique
        and column.check.kind in (None, "not_empty")
        and column.check.length_max is None
        and column.check.length_min is None
    )


def other_value(column: Column, value: Any, rng: Random) -> Any:
    """A plausible value of a column that differs from `value`, in the form of JSON."""
    match column.family:
        case Family.BOOLEAN:
            return not value
        case Family.NUMBER:
            return value + rng.randint(1, 9) if isinstance(value, int) else rng.randint(1, 180)
        case Family.DECIMAL:
            return round(value * rng.uniform(1.02, 1.4) + 1, 2) if value else float(rng.randint(1, 900))
        case Family.DATE:
            return _other_date(value, rng)
        case Family.LOCALIZED:
            return _other_localized(value, rng)
        case _:
            return _with_note(value if isinstance(value, str) else "", rng.choice(_PLAIN_NOTES))


def _other_date(value: Any, rng: Random) -> str:
    try:
        known = date.fromisoformat(value)
    except (TypeError, ValueError):
        known = date(1950 + rng.randint(0, 70), rng.randint(1, 12), 1)
    return (known + timedelta(days=rng.randint(1, 40))).isoformat()


def _other_localized(value: Any, rng: Random) -> dict[str, str]:
    texts = {name: text for name, text in value.items() if text} if isinstance(value, dict) else {}
    changed = rng.choice(sorted(texts) or sorted(_NOTES))
    return {
        **texts,
        changed: _with_note(texts.get(changed, ""), rng.choice(_NOTES.get(changed, _PLAIN_NOTES))),
    }


def _with_note(text: str, note: str) -> str:
    """The text with another note in brackets at its end."""
    bare, bracket, last = text.rpartition(" (")
    is_noted = bool(bracket) and last.endswith(")") and last[:-1] in _ALL_NOTES
    bare = bare if is_noted else text
    if is_noted and last[:-1] == note:
        return bare
    return f"{bare} ({note})" if bare else note


_ALL_NOTES = frozenset({*_PLAIN_NOTES, *(note for notes in _NOTES.values() for note in notes)})


def write_past_versions(connection: Connection, tables: ObjectTables, rng: Random) -> None:
    """Stores the versions of all objects, with the times of those that are in the log."""
    batch: list[StoredVersion] = []
    logged = _logged_times(connection)
    for objecttype in sorted(tables.by_name.values(), key=lambda each: each.id):
        times, columns = logged.pop(objecttype.name, {}), changing_columns(objecttype)
        for values in _objects(connection, tables, objecttype):
            number = int(values[PRIMARY_KEY])
            for version, before in _changes(columns, values, rng):
                timestamp = times.get((number, version))
                batch.append(StoredVersion(objecttype.id, number, version, timestamp, before))
            if len(batch) >= _BATCH:
                store_versions(connection, batch)
                batch.clear()
    store_versions(connection, batch)


def _objects(connection: Connection, tables: ObjectTables, objecttype: Table) -> Sequence[Values]:
    """All objects of a type with their nested rows, by ascending id."""
    rows = tables.rows(objecttype)
    ordered = connection.execute(select(rows).order_by(rows.c[PRIMARY_KEY]))
    found = [tables.values(objecttype, row) for row in ordered]
    tables.add_nested(connection, objecttype, found)
    return found


def _logged_times(connection: Connection) -> dict[str, dict[tuple[int, int], int]]:
    """The times of the versions in the log, by objecttype, object and version."""
    chosen = select(event.c.objecttype, event.c.object_id, event.c.object_version, event.c.timestamp).where(
        event.c.type.in_(("OBJECT_INSERT", "OBJECT_UPDATE")), event.c.schema == "USER"
    )
    found: dict[str, dict[tuple[int, int], int]] = {}
    with connection.execute(chosen) as rows:
        for some in rows.partitions(_BATCH):
            for objecttype, number, version, second in some:
                found.setdefault(objecttype, {})[number, version] = second
    return found


def _changes(columns: Sequence[Column], newest: Values, rng: Random) -> list[tuple[int, Mapping[str, Any]]]:
    """The versions of an object by ascending number, each with the values that it has replaced."""
    values = dict(newest)
    nested = [key for key, value in newest.items() if key.startswith("t") and isinstance(value, list)]
    found: list[tuple[int, Mapping[str, Any]]] = []
    for version in range(int(newest[VERSION]), 1, -1):
        before: dict[str, Any] = {}
        for _ in range(rng.choice((1, 1, 1, 2, 3)) if columns else 0):
            changed = rng.choice(columns)
            key = column_key(changed.id)
            before[key] = _previous_value(changed, values.get(key), rng)
        added = [key for key in nested if values[key]] if rng.random() < _NEW_ROW else []
        if added:
            key = rng.choice(added)
            before[key] = values[key][:-1]
        values.update(before)
        found.append((version, before))
    found.append((1, {}))
    return found[::-1]


def _previous_value(column: Column, value: Any, rng: Random) -> Any:
    """A value that a column may have had before; it may have been missing."""
    may_be_missing = not column.not_null and column.family is not Family.BOOLEAN
    if may_be_missing and value is not None and rng.random() < _NEW_VALUE:
        return None
    return other_value(column, value, rng)
