"""Finds what ids and name hints name (wire §5): an id goes before a hint that says otherwise."""

from __future__ import annotations

from dataclasses import dataclass, field

from cdb_desktop.schema.places import new_key
from cdb_desktop.schema.shape import Json, a_text, an_id


class Keys:
    """The keys of tables, or of one table's columns, by id and by name."""

    def __init__(self, taken: set[int]) -> None:
        self._taken = taken
        self._by_id: dict[int, int] = {}
        self._by_name: dict[str, int] = {}

    def add(self, id_: int | None, name: str) -> int:
        """The key of a new element: its id, or a local one where it has none or another one has it."""
        key = new_key() if id_ is None or id_ in self._taken else id_
        self._taken.add(key)
        if id_ is not None:
            self._by_id.setdefault(id_, key)
        self._by_name.setdefault(name, key)
        return key

    def find(self, id_: int | None, hint: str | None) -> int | None:
        """The key of what an id names, without an id what a hint names; None where it is not there."""
        if id_ is not None:
            return self._by_id.get(id_)
        return None if hint is None else self._by_name.get(hint)


@dataclass(frozen=True, slots=True)
class Index:
    """All keys of a document while it is read; ``columns`` are those of each table, by its key."""

    tables: Keys = field(default_factory=lambda: Keys(set()))
    columns: dict[int, Keys] = field(default_factory=dict)
    column_keys: set[int] = field(default_factory=set)

    def table(self, raw: Json, place: str) -> int | None:
        """The key of an entry's or ``owned_by``'s other table; raises DocumentError."""
        return self.tables.find(
            an_id(raw, "other_table_id", place), a_text(raw, "other_table_name_hint", place)
        )

    def column(self, table: int | None, raw: Json, place: str, prefix: str) -> int | None:
        """The key of what ``<prefix>_id`` and ``<prefix>_name_hint`` name; raises DocumentError."""
        id_, hint = an_id(raw, f"{prefix}_id", place), a_text(raw, f"{prefix}_name_hint", place)
        found = None if table is None else self.columns.get(table)
        return None if found is None else found.find(id_, hint)


def hint_of(raw: Json, place: str) -> str | None:
    """The name of a referenced table, in either spelling; raises DocumentError."""
    return a_text(raw, "name_hint", place) or a_text(raw, "table_name_hint", place)
