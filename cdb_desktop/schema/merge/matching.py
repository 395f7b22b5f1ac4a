"""Finds the same elements in three versions of a document, and what they contain.

Elements are the same if they have the same id. Without ids, and for elements that both sides have added,
names decide. An id that both sides gave to different new elements becomes another one in mine, with all
references. Contents are without ids, hints and generated names, which follow from other elements.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

import msgspec

from cdb_desktop.schema.document.identity import Identities, Identity, with_identities
from cdb_desktop.schema.document.json_values import Json, int_attribute, without
from cdb_desktop.schema.document.model import (
    OF_KEYS,
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
    reference_attributes,
    target_attributes,
)
from cdb_desktop.schema.document.names import generated_key_name, own_table_name

_MAX_TABLE, _MAX_COLUMN = "max_table_id", "max_column_id"


@dataclass(frozen=True, slots=True)
class Versions:
    """Three versions with common keys; ``tables`` and ``columns`` are the new ids in mine by the former."""

    base: Document
    theirs: Document
    mine: Document
    tables: dict[int, int]
    columns: dict[int, int]


def matched(base: Document, theirs: Document, mine: Document) -> Versions:
    """The versions with common keys for the same elements."""
    theirs = _with_base_keys(base, theirs)
    mine = _with_base_keys(base, mine)
    identities, tables, columns = _Matcher(base, theirs, mine).identities()
    if identities:
        (mine,) = with_identities((mine,), identities)
        mine = replace(mine, raw=_with_maxima(mine, tables.values(), columns.values()))
    return Versions(base, theirs, mine, tables, columns)


def _with_base_keys(base: Document, side: Document) -> Document:
    """The side with the keys of base for elements that have no id there, found by their names."""
    if _has_ids(base):
        return side
    tables: dict[int, Identity] = {}
    columns: dict[int, Identity] = {}
    by_name = {table.name: table for table in base.tables}
    for table in side.tables:
        was = base.by_key.get(table.key)
        if was is None:
            was = by_name.get(table.name)
            if was is None or was.id is not None or was.key in side.by_key:
                continue
            tables[table.key] = Identity(was.key, table.id)
            del by_name[table.name]
        free = {column.name: column for column in was.columns if column.id is None}
        for column in table.columns:
            same = None if column.key in was.by_key else free.pop(column.name, None)
            if same is not None and same.key not in table.by_key:
                columns[column.key] = Identity(same.key, column.id)
    identities = Identities(tables, columns)
    return with_identities((side,), identities)[0] if identities else side


def _has_ids(document: Document) -> bool:
    return all(table.key > 0 and all(key > 0 for key in table.by_key) for table in document.tables)


class _Matcher:
    """The identities that elements of mine get that are not in base."""

    def __init__(self, base: Document, theirs: Document, mine: Document) -> None:
        self._base, self._theirs, self._mine = base, theirs, mine
        self._base_columns = base.column_keys
        self._their_columns = theirs.column_keys - self._base_columns
        self._tables: dict[int, Identity] = {}
        self._columns: dict[int, Identity] = {}
        documents = (base, theirs, mine)
        self._next_table = _next_id(documents, _MAX_TABLE, (key for each in documents for key in each.by_key))
        column_keys = (key for each in documents for key in each.column_keys)
        self._next_column = _next_id(documents, _MAX_COLUMN, column_keys)
        self._new_tables: dict[int, int] = {}
        self._new_columns: dict[int, int] = {}

    def identities(self) -> tuple[Identities, dict[int, int], dict[int, int]]:
        """The identities, and the new ids of tables and of columns by the former ones."""
        new = [table for table in self._theirs.tables if table.key not in self._base.by_key]
        their_names = {(table.owner, own_table_name(self._theirs, table)): table for table in new}
        for table in _owners_first(self._mine):
            same = self._theirs.by_key.get(table.key)
            if table.key not in self._base.by_key:
                name = self._key_now(table.owner), own_table_name(self._mine, table)
                if same is None or (same.owner, own_table_name(self._theirs, same)) != name:
                    same = their_names.get(name)
                    # A table with this name and the id of theirs is theirs.
                    other = None if same is None else self._mine.by_key.get(same.key)
                    if other is not None and own_table_name(self._mine, other) == name[1]:
                        same = None
                their_names.pop(name, None)
                self._identify_table(table, same)
            self._identify_columns(table, same)
        return Identities(self._tables, self._columns), self._new_tables, self._new_columns

    def _key_now(self, key: int | None) -> int | None:
        found = None if key is None else self._tables.get(key)
        return key if found is None else found.key

    def _identify_table(self, table: Table, same: Table | None) -> None:
        if same is not None:
            if same.key != table.key:
                self._tables[table.key] = Identity(same.key, same.id or table.id)
        elif table.key in self._theirs.by_key:
            self._tables[table.key] = Identity(self._next_table, self._next_table)
            self._new_tables[table.key] = self._next_table
            self._next_table += 1

    def _identify_columns(self, table: Table, same: Table | None) -> None:
        added = [column for column in table.columns if column.key not in self._base_columns]
        if not added:
            return
        new = [] if same is None else [one for one in same.columns if one.key in self._their_columns]
        names = {column.name: column for column in new}
        by_key = {column.key: column for column in new}
        for column in added:
            known = by_key.get(column.key)
            if known is not None and known.name == column.name:
                names.pop(column.name, None)
            else:
                self._identify_column(column, names.pop(column.name, None))

    def _identify_column(self, column: Column, same: Column | None) -> None:
        if same is not None:
            if same.key != column.key:
                self._columns[column.key] = Identity(same.key, same.id or column.id)
        elif column.key in self._their_columns:
            self._columns[column.key] = Identity(self._next_column, self._next_column)
            self._new_columns[column.key] = self._next_column
            self._next_column += 1


def _owners_first(document: Document) -> Iterator[Table]:
    """All tables, each after its owner; those that own themselves come last."""
    done: set[int] = set()
    for table in document.tables:
        chain: list[Table] = []
        above: Table | None = table
        while above is not None and above.key not in done and above not in chain:
            chain.append(above)
            above = None if above.owner is None else document.by_key.get(above.owner)
        for each in reversed(chain):
            done.add(each.key)
            yield each


def _next_id(documents: Iterable[Document], maximum: str, keys: Iterable[int]) -> int:
    most = (int_attribute(document.raw, maximum) or 0 for document in documents)
    return max(0, *most, *keys) + 1


def _with_maxima(document: Document, tables: Iterable[int], columns: Iterable[int]) -> dict[str, object]:
    raw = dict(document.raw)
    for name, new in ((_MAX_TABLE, tables), (_MAX_COLUMN, columns)):
        known = int_attribute(raw, name)
        if known is not None:
            raw[name] = max(known, *new, known)
    return raw


EntryId = tuple[Hashable, ...]
KeyId = tuple[Hashable, ...]
_Key = TypeVar("_Key", ForeignKey, UniqueKey)

OF_COLUMNS = frozenset({"kind", "column_id", "name", "type", "reverse_edit"})


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
    if isinstance(key, UniqueKey):
        return own
    return (*own, key.target, _references(key.target_columns), target_attributes(key))


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
    return [each.raw if each.key is None else (each.key, reference_attributes([each])) for each in references]


def _encoded(raw: Json) -> bytes:
    return msgspec.json.encode(raw, order="deterministic")
