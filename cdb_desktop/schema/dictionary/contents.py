"""What a data dictionary contains, for its writers: tables with columns, keys, links, names and changes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.schema.diff.compare import Change, compare
from cdb_desktop.schema.document.element_ref import ColumnRef, table_key_of
from cdb_desktop.schema.document.json_values import shown_value, text_attribute
from cdb_desktop.schema.document.model import (
    Column,
    Document,
    NestedTableEntry,
    ReverseLink,
    Table,
    UniqueKey,
)
from cdb_desktop.schema.document.names import column_name, own_name, table_name

_PARTS = frozenset({"kind", "column_id", "name", "type", "not_null"})


@dataclass(frozen=True, slots=True)
class DictionarySource:
    """What a dictionary is made of.

    ``base`` is what the changes are relative to, named ``base_name``, or None for a dictionary without them.
    ``names`` are localized: key such as ``schema.work.column.title`` to language to text.
    """

    title: str
    document: Document
    made_at: datetime
    base: Document | None = None
    base_name: str = ""
    names: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ColumnEntry:
    """A column, a nested table among them, or an entry through which other records are edited.

    ``target`` is the key of the table that it leads to, or None. ``sign`` is that of its change, or empty.
    """

    key: int | None
    name: str
    localized: Mapping[str, str]
    type: str
    target: int | None = None
    target_name: str = ""
    is_required: bool = False
    is_unique: bool = False
    options: tuple[str, ...] = ()
    sign: str = ""
    changes: tuple[str, ...] = ()

    @property
    def properties(self) -> str:
        """What else is said of it."""
        found = [(tr("must have a value"), self.is_required), (tr("unique"), self.is_unique)]
        return ", ".join([*(text for text, is_set in found if is_set), *self.options])


@dataclass(frozen=True, slots=True)
class TableEntry:
    """A table. ``depth`` is how deep it is nested, ``links_here`` are key, name and column of others."""

    key: int
    name: str
    short_name: str
    depth: int
    localized: Mapping[str, str]
    comment: str
    options: tuple[str, ...]
    columns: tuple[ColumnEntry, ...]
    unique_keys: tuple[str, ...]
    links_here: tuple[tuple[int, str, str], ...]
    owner: tuple[int, str] | None
    sign: str
    changes: tuple[str, ...]


class Dictionary:
    """The contents of a dictionary, worked out when they are first asked for."""

    def __init__(self, source: DictionarySource) -> None:
        self.source = source
        self._document = source.document

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """The languages of localized names, those of the schema first."""
        stated = self._document.raw.get("l10n_languages")
        found = (
            dict.fromkeys(each for each in stated if isinstance(each, str))
            if isinstance(stated, list)
            else {}
        )
        for key, texts in self.source.names.items():
            if key.startswith("schema.") and isinstance(texts, Mapping):
                found.update(
                    dict.fromkeys(
                        str(language) for language, text in texts.items() if text and language != "_comment"
                    )
                )
        return tuple(found)

    @cached_property
    def changes(self) -> tuple[Change, ...]:
        """What differs from the base, none without one."""
        return () if self.source.base is None else compare(self.source.base, self._document)

    @cached_property
    def tables(self) -> tuple[TableEntry, ...]:
        """All tables, nested ones behind their owners."""
        return tuple(self._table(table, depth) for table, depth in self._ordered())

    @property
    def counts(self) -> str:
        """The number of tables, columns and links."""
        tables = self._document.tables
        return tr(
            "{tables:{tables} table|{tables} tables}, {columns:{columns} column|{columns} columns}, "
            "{links:{links} link|{links} links}",
            tables=len(tables),
            columns=sum(len(table.columns) for table in tables),
            links=sum(len(table.foreign_keys) for table in tables),
        )

    def _ordered(self) -> Iterator[tuple[Table, int]]:
        seen: set[int] = set()
        waiting = [(table, 0) for table in reversed(self._document.tables) if table.owner is None]
        # Tables that own one another have no owner outside, and come last.
        waiting = [*((table, 0) for table in self._document.tables if table.owner is not None), *waiting]
        while waiting:
            table, depth = waiting.pop()
            if table.key in seen:
                continue
            seen.add(table.key)
            yield table, depth
            nested = reversed(self._document.nested.get(table.key, ()))
            waiting += [(self._document.by_key[key], depth + 1) for key in nested]

    @cached_property
    def _links_here(self) -> Mapping[int, list[tuple[int, str, str]]]:
        found: dict[int, list[tuple[int, str, str]]] = {}
        for table in self._document.tables:
            for column, keys in table.links.items():
                target = keys[0].target
                if target is not None and column in table.by_key:
                    place = (table.key, table.name, table.by_key[column].name)
                    found.setdefault(target, []).append(place)
        return found

    @cached_property
    def _changes_by_table(self) -> Mapping[int, list[Change]]:
        found: dict[int, list[Change]] = {}
        for change in self.changes:
            key = table_key_of(change.ref)
            if key is not None:
                found.setdefault(key, []).append(change)
        return found

    def _table(self, table: Table, depth: int) -> TableEntry:
        document = self._document
        changes = self._changes_by_table.get(table.key, [])
        owner = None if table.owner is None else (table.owner, table_name(document, table.owner))
        return TableEntry(
            key=table.key,
            name=table.name,
            short_name=own_name(table.name, owner[1]) if owner else table.name,
            depth=depth,
            localized=self._localized(f"schema.{table.name}.name"),
            comment=text_attribute(table.raw, "comment"),
            options=tuple(text for name, text in _table_options() if table.flag(name)),
            columns=tuple(self._columns(table, changes)),
            unique_keys=tuple(_unique_key(table, key) for key in table.unique_keys),
            links_here=tuple(self._links_here.get(table.key, ())),
            owner=owner,
            sign=_sign([change for change in changes if not isinstance(change.ref, ColumnRef)]),
            changes=tuple(f"{change.sign} {change.message}" for change in changes),
        )

    def _columns(self, table: Table, changes: list[Change]) -> Iterator[ColumnEntry]:
        by_column: dict[int, list[Change]] = {}
        for change in changes:
            if isinstance(change.ref, ColumnRef):
                by_column.setdefault(change.ref.column, []).append(change)
        for entry in table.entries:
            if isinstance(entry, Column):
                yield self._column(table, entry, by_column.get(entry.key, []))
            elif isinstance(entry, NestedTableEntry) and entry.table in self._document.by_key:
                name = table_name(self._document, entry.table)
                localized = self._localized(f"schema.{table.name}.column.{name}")
                short = own_name(name, table.name)
                yield ColumnEntry(None, short, localized, tr("nested table"), entry.table, name)
            elif isinstance(entry, ReverseLink) and entry.table is not None:
                name = table_name(self._document, entry.table)
                shown = column_name(self._document, entry.table, entry.column or 0)
                yield ColumnEntry(None, shown, {}, tr("linking records"), entry.table, name)

    def _column(self, table: Table, column: Column, changes: list[Change]) -> ColumnEntry:
        links = table.links.get(column.key, ())
        target = links[0].target if links else None
        options = [
            f"{name}: {shown_value(value)}"
            for name, value in column.raw.items()
            if name not in _PARTS and value not in (None, False, "", [], {})
        ]
        return ColumnEntry(
            key=column.key,
            name=column.name,
            localized=self._localized(f"schema.{table.name}.column.{column.name}"),
            type=column.type,
            target=target,
            target_name=table_name(self._document, target) if target is not None else "",
            is_required=column.flag("not_null"),
            is_unique=any(key.column_keys == (column.key,) for key in table.unique_keys),
            options=tuple(option.removesuffix(": true") for option in options),
            sign=_sign(changes),
            changes=tuple(str(change.message) for change in changes),
        )

    def _localized(self, key: str) -> Mapping[str, str]:
        texts = self.source.names.get(key)
        if not isinstance(texts, Mapping):
            return {}
        found = ((language, texts.get(language)) for language in self.languages)
        return {language: text for language, text in found if isinstance(text, str) and text}


def _table_options() -> tuple[tuple[str, str], ...]:
    return (
        ("is_hierarchical", tr("hierarchical")),
        ("pool_link", tr("in pools")),
        ("has_tags", tr("with tags")),
        ("acl_table", tr("with rights of its own")),
    )


def _unique_key(table: Table, key: UniqueKey) -> str:
    names = [table.by_key[each].name for each in key.column_keys if each in table.by_key]
    return " + ".join(names) or key.name


def _sign(changes: list[Change]) -> str:
    signs = dict.fromkeys(change.sign for change in changes)
    return next((sign for sign in ("+", "−", "→", "~") if sign in signs), "")
