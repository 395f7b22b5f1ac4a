"""A schema document as an immutable, typed view with look-ups; an edit makes a new one that shares the rest.

Read by ``reading``, written back without loss by ``writing``. Knows no rule about what a good document is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from cdb_desktop.schema.elements import (
    Column,
    Entry,
    ForeignKey,
    NestedLink,
    Raw,
    ReverseLink,
    UniqueKey,
    keys_of,
    number,
    text,
)


@dataclass(frozen=True)
class Table:
    """An objecttype or a nested table; ``owner`` is None for the first and where the owner is not there."""

    raw: Raw
    key: int
    owner: int | None
    entries: tuple[Entry, ...]
    foreign_keys: tuple[ForeignKey, ...]
    unique_keys: tuple[UniqueKey, ...]

    @property
    def id(self) -> int | None:
        """The service's id as it came."""
        return number(self.raw, "table_id")

    @property
    def name(self) -> str:
        """Its whole name, with the owner's for a nested table."""
        return text(self.raw, "name")

    @property
    def is_nested(self) -> bool:
        """Whether it says that another table owns it."""
        return self.raw.get("owned_by") is not None

    def flag(self, name: str) -> bool:
        """Whether an option such as ``is_hierarchical`` is on."""
        return self.raw.get(name) is True

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """The entries that hold values of their own, in order."""
        return tuple(entry for entry in self.entries if isinstance(entry, Column))

    @cached_property
    def by_key(self) -> Mapping[int, Column]:
        """Its columns by their keys."""
        return {column.key: column for column in self.columns}

    @cached_property
    def links(self) -> Mapping[int, tuple[ForeignKey, ...]]:
        """The foreign keys of each column that has any, by the column's key."""
        found: dict[int, tuple[ForeignKey, ...]] = {}
        for foreign_key in self.foreign_keys:
            for key in foreign_key.column_keys:
                found[key] = (*found.get(key, ()), foreign_key)
        return found

    @cached_property
    def column_keys(self) -> frozenset[int]:
        """All columns that it has or names."""
        targets = (keys_of(key.target_columns) for key in self.foreign_keys)
        named = (entry.column for entry in self.entries if isinstance(entry, ReverseLink))
        found = (*self.by_key, *(key for keys in targets for key in keys), *named)
        return frozenset(key for key in found if key is not None)

    @cached_property
    def refers_to(self) -> frozenset[int]:
        """The tables that anything in here names."""
        return frozenset(key for key in self._named() if key is not None)

    def _named(self) -> Iterator[int | None]:
        yield self.owner
        yield from (foreign_key.target for foreign_key in self.foreign_keys)
        yield from (entry.table for entry in self.entries if isinstance(entry, NestedLink | ReverseLink))


@dataclass(frozen=True)
class Document:
    """All tables of one version; ``raw`` holds the attributes of the document but its tables."""

    raw: Raw
    tables: tuple[Table, ...]

    @property
    def version(self) -> int | None:
        """The version under which it was read."""
        return number(self.raw, "version")

    @cached_property
    def by_key(self) -> Mapping[int, Table]:
        """The tables by their keys."""
        return {table.key: table for table in self.tables}

    @cached_property
    def nested(self) -> Mapping[int, tuple[int, ...]]:
        """The keys of the tables that each owner owns, in the document's order."""
        found: dict[int, tuple[int, ...]] = {}
        for table in self.tables:
            if table.owner is not None:
                found[table.owner] = (*found.get(table.owner, ()), table.key)
        return found

    def nested_below(self, key: int) -> tuple[int, ...]:
        """The keys of all tables nested in a table, to any depth; a circle ends where it began."""
        found: dict[int, None] = {}
        waiting = [key]
        while waiting:
            for below in self.nested.get(waiting.pop(), ()):
                if below not in found and below != key:
                    found[below] = None
                    waiting.append(below)
        return tuple(found)

    def referring_to(self, keys: frozenset[int]) -> tuple[Table, ...]:
        """The tables in which anything names one of these tables."""
        return tuple(table for table in self.tables if not keys.isdisjoint(table.refers_to))

    def with_tables(self, *tables: Table) -> Document:
        """The document with these in the place of the tables with the same keys."""
        changed = {table.key: table for table in tables}
        return replace(self, tables=tuple(changed.get(table.key, table) for table in self.tables))
