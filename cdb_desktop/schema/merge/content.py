"""What elements contain beside ids, hints and generated names, which follow from other elements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

import msgspec

from cdb_desktop.schema.document.json_values import Json
from cdb_desktop.schema.document.model import (
    OTHER_PARTS,
    TABLE_PARTS,
    Column,
    ColumnReference,
    Document,
    ForeignKey,
    NestedTableEntry,
    ReverseLink,
    Table,
    TableEntry,
    UniqueKey,
)
from cdb_desktop.schema.document.names import generated_key_name, own_table_name

EntryId = tuple[Hashable, ...]
KeyId = tuple[Hashable, ...]
_Key = TypeVar("_Key", ForeignKey, UniqueKey)

OF_COLUMNS = frozenset({"kind", "column_id", "name", "type", "reverse_edit"})
OF_KEYS = frozenset({"columns", "referenced_table"})
_OF_REFERENCES = frozenset({"column_id", "column_name_hint"})


@dataclass(frozen=True, slots=True)
class LinkState:
    """The type of a column, the tables that it links to, and whether its rows are edited there."""

    type: str
    targets: tuple[int | None, ...]
    reverse_edit: bool

    @property
    def is_link(self) -> bool:
        """Whether it is a link with one target."""
        return self.type == "link" and len(self.targets) == 1


def link_state(table: Table, column: Column) -> LinkState:
    """The state of a column of a table."""
    targets = tuple(key.target for key in table.links.get(column.key, ()))
    return LinkState(column.type, targets, column.flag("reverse_edit"))


def without(raw: Json, names: frozenset[str]) -> dict[str, object]:
    """The attributes but some of them."""
    return {name: value for name, value in raw.items() if name not in names}


def entry_ids(table: Table) -> dict[EntryId, TableEntry]:
    """The entries by what identifies them in any version; repeated ones are counted."""
    counts: Counter[EntryId] = Counter()
    found: dict[EntryId, TableEntry] = {}
    for entry in table.entries:
        id_ = _entry_id(entry)
        counts[id_] += 1
        found[id_ if counts[id_] == 1 else (*id_, counts[id_])] = entry
    return found


def _entry_id(entry: TableEntry) -> EntryId:
    match entry:
        case Column():
            return ("column", entry.key)
        case NestedTableEntry() if entry.table is not None:
            return ("nested", entry.table)
        case ReverseLink() if entry.table is not None and entry.column is not None:
            return ("reverse", entry.table, entry.column)
        case _:
            return ("unknown", _encoded(entry.raw))


def key_ids(keys: Iterable[_Key]) -> dict[KeyId, _Key]:
    """The keys by their columns in any order; repeated ones are counted."""
    counts: Counter[KeyId] = Counter()
    found: dict[KeyId, _Key] = {}
    for key in keys:
        id_: KeyId = (frozenset(map(_reference_id, key.columns)),)
        counts[id_] += 1
        found[id_ if counts[id_] == 1 else (*id_, counts[id_])] = key
    return found


def _reference_id(reference: ColumnReference) -> Hashable:
    return reference.key or reference.automatic or _encoded(reference.raw)


def key_attributes(document: Document, table: Table, key: ForeignKey | UniqueKey) -> dict[str, object]:
    """The attributes of a key but its parts and a generated name."""
    found = without(key.raw, OF_KEYS)
    if found.get("name") == generated_key_name(document, table, key):
        del found["name"]
    return found


def key_content(document: Document, table: Table, key: ForeignKey | UniqueKey) -> object:
    """All that a key says itself."""
    own = key_attributes(document, table, key), _references(key.columns)
    return (*own, key.target, _references(key.target_columns)) if isinstance(key, ForeignKey) else own


def table_content(document: Document, table: Table) -> object:
    """All that a table says itself."""
    return (
        own_table_name(document, table),
        table.is_nested,
        table.owner,
        without(table.raw, TABLE_PARTS),
        [(id_, _entry_content(entry)) for id_, entry in entry_ids(table).items()],
        [key_content(document, table, key) for key in table.foreign_keys],
        [key_content(document, table, key) for key in table.unique_keys],
    )


def column_content(document: Document, table: Table, column: Column) -> object:
    """All that a column says itself, with its links."""
    keys = [key_content(document, table, key) for key in table.links.get(column.key, ())]
    return without(column.raw, frozenset({"column_id"})), keys


def unique_key_contents(document: Document, table: Table, column: int) -> Mapping[KeyId, object]:
    """The unique keys over a column."""
    found = (key for key in table.unique_keys if column in key.column_keys)
    return {id_: key_content(document, table, key) for id_, key in key_ids(found).items()}


def reverse_entry_of(document: Document, table: Table, column: int) -> ReverseLink | None:
    """The entry in another table through which rows are edited that link there with a column."""
    for key in table.links.get(column, ()):
        target = None if key.target is None else document.by_key.get(key.target)
        for entry in () if target is None else target.entries:
            if isinstance(entry, ReverseLink) and (entry.table, entry.column) == (table.key, column):
                return entry
    return None


def reverse_options(document: Document, table: Table, column: int) -> Json | None:
    """The attributes of that entry, None if there is none."""
    entry = reverse_entry_of(document, table, column)
    return None if entry is None else without(entry.raw, OTHER_PARTS)


def is_column_used(base: Document, side: Document, table: int, column: int) -> bool:
    """Whether a side has added or changed a column, or the way in which it is used."""
    was, now = base.by_key.get(table), side.by_key[table]
    if was is None or column not in was.by_key:
        return True
    if column_content(base, was, was.by_key[column]) != column_content(side, now, now.by_key[column]):
        return True
    before = unique_key_contents(base, was, column)
    if any(before.get(id_) != content for id_, content in unique_key_contents(side, now, column).items()):
        return True
    return is_reverse_changed(base, side, table, column)


def is_reverse_changed(base: Document, side: Document, table: int, column: int) -> bool:
    """Whether a side has changed the attributes of the entry through which a link is edited elsewhere."""
    was, now = base.by_key.get(table), side.by_key.get(table)
    if was is None or now is None:
        return False
    before = reverse_options(base, was, column)
    return before is not None and reverse_options(side, now, column) not in (None, before)


def nested_options(document: Document, nested: int) -> Json | None:
    """The attributes of the entry for a nested table in its owner, None if there is none."""
    table = document.by_key[nested]
    owner = None if table.owner is None else document.by_key.get(table.owner)
    for entry in () if owner is None else owner.entries:
        if isinstance(entry, NestedTableEntry) and entry.table == nested:
            return without(entry.raw, OTHER_PARTS)
    return None


def _entry_content(entry: TableEntry) -> object:
    match entry:
        case Column():
            return without(entry.raw, frozenset({"column_id"}))
        case NestedTableEntry() | ReverseLink():
            return without(entry.raw, OTHER_PARTS)
        case _:
            return entry.raw


def _references(references: Iterable[ColumnReference]) -> list[object]:
    return [
        each.raw if each.key is None else (each.key, without(each.raw, _OF_REFERENCES)) for each in references
    ]


def _encoded(raw: Json) -> bytes:
    return msgspec.json.encode(raw, order="deterministic")
