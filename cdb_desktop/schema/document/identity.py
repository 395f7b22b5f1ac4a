"""Changes names, ids and keys of elements, and all references to them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from cdb_desktop.schema.document.json_values import Json
from cdb_desktop.schema.document.local_names import with_refs
from cdb_desktop.schema.document.model import (
    BIDIRECTIONAL,
    Column,
    ColumnReference,
    Document,
    ForeignKey,
    LocalNames,
    NestedTableEntry,
    ReverseLink,
    Table,
    TableEntry,
    UniqueKey,
    UnknownEntry,
)

_OTHER_TABLE = ("other_table_id", "other_table_name_hint")
_OTHER_COLUMN = ("other_column_id", "other_column_name_hint")
_COLUMN = ("column_id", "column_name_hint")


@dataclass(frozen=True, slots=True)
class Identity:
    """The key, the service's id (None: not yet) and the name (None: as before) of an element."""

    key: int
    id: int | None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Identities:
    """New identities of tables and columns by their current keys."""

    tables: Mapping[int, Identity] = field(default_factory=dict)
    columns: Mapping[int, Identity] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.tables or self.columns)

    def of(self, table: Table) -> Table:
        """The table with the new identities of itself, its columns and all references in it."""
        own, owner = self.tables.get(table.key), _identity_of(self.tables, table.owner)
        raw = table.raw
        if own is not None:
            raw = _identified(raw, ("table_id", "name"), own)
        owned_by = raw.get("owned_by")
        if owner is not None and isinstance(owned_by, Mapping):
            raw = {**raw, "owned_by": _identified(owned_by, _OTHER_TABLE, owner)}
        if table.bidirectional and self.columns:
            raw = {**raw, BIDIRECTIONAL: [self._pair(table, pair) for pair in table.bidirectional]}
        return Table(
            raw=raw,
            key=table.key if own is None else own.key,
            owner=table.owner if owner is None else owner.key,
            entries=tuple(self._entry(entry) for entry in table.entries),
            foreign_keys=tuple(self._foreign_key(key) for key in table.foreign_keys),
            unique_keys=tuple(UniqueKey(key.raw, self._references(key.columns)) for key in table.unique_keys),
        )

    def of_names(self, names: LocalNames) -> LocalNames:
        """The localized names with the new keys of their elements."""
        tables = {key: identity.key for key, identity in self.tables.items()}
        columns = {key: identity.key for key, identity in self.columns.items()}
        return with_refs(names, tables, columns)

    def touches(self, table: Table) -> bool:
        """Whether the table, its columns or anything that it refers to gets a new identity."""
        if table.key in self.tables or not table.refers_to.isdisjoint(self.tables):
            return True
        return bool(self.columns) and not self.columns.keys().isdisjoint(table.column_keys)

    def _entry(self, entry: TableEntry) -> TableEntry:
        match entry:
            case Column():
                return self._column(entry)
            case NestedTableEntry():
                table = _identity_of(self.tables, entry.table)
                if table is None:
                    return entry
                return NestedTableEntry(_identified(entry.raw, _OTHER_TABLE, table), table.key)
            case ReverseLink():
                return self._reverse_link(entry)
            case UnknownEntry():
                return entry

    def _column(self, column: Column) -> Column:
        found = self.columns.get(column.key)
        if found is None:
            return column
        return Column(_identified(column.raw, ("column_id", "name"), found), found.key)

    def _reverse_link(self, entry: ReverseLink) -> ReverseLink:
        table, column = _identity_of(self.tables, entry.table), _identity_of(self.columns, entry.column)
        if table is not None:
            entry = replace(entry, raw=_identified(entry.raw, _OTHER_TABLE, table), table=table.key)
        if column is not None:
            entry = replace(entry, raw=_identified(entry.raw, _OTHER_COLUMN, column), column=column.key)
        return entry

    def _foreign_key(self, key: ForeignKey) -> ForeignKey:
        target = _identity_of(self.tables, key.target)
        if target is not None:
            key = replace(key, target_raw=identified_target(key.target_raw, target), target=target.key)
        if self.columns:
            columns, target_columns = self._references(key.columns), self._references(key.target_columns)
            key = replace(key, columns=columns, target_columns=target_columns)
        return key

    def _pair(self, table: Table, pair: Json) -> Json:
        """A pair of bidirectional links with the new identities of its columns."""
        columns = pair.get("columns")
        if not isinstance(columns, list):
            return pair
        found = ((each, table.column_named_in(each)) for each in columns)
        known = ((each, _identity_of(self.columns, column.key if column else None)) for each, column in found)
        return {**pair, "columns": [_identified(each, _COLUMN, to) if to else each for each, to in known]}

    def _references(self, references: tuple[ColumnReference, ...]) -> tuple[ColumnReference, ...]:
        return tuple(self._reference(reference) for reference in references)

    def _reference(self, reference: ColumnReference) -> ColumnReference:
        found = _identity_of(self.columns, reference.key)
        if found is None:
            return reference
        return ColumnReference(_identified(reference.raw, _COLUMN, found), found.key)


def with_identities(documents: Iterable[Document], identities: Identities) -> tuple[Document, ...]:
    """The documents with these identities; shared tables stay shared, others stay the same objects."""
    # References to the originals prevent that an id() is reused for another object.
    tables: dict[int, tuple[Table, Table]] = {}
    whole: dict[int, tuple[Document, Document]] = {}

    def changed_table(table: Table) -> Table:
        if id(table) not in tables:
            tables[id(table)] = (table, identities.of(table) if identities.touches(table) else table)
        return tables[id(table)][1]

    def changed_document(document: Document) -> Document:
        if id(document) not in whole:
            found = tuple(changed_table(table) for table in document.tables)
            is_same = all(now is was for now, was in zip(found, document.tables, strict=True))
            changed = document if is_same else replace(document, tables=found)
            if changed.local_names:
                changed = replace(changed, local_names=identities.of_names(changed.local_names))
            whole[id(document)] = (document, changed)
        return whole[id(document)][1]

    return tuple(changed_document(document) for document in documents)


def identified_target(raw: Json, identity: Identity) -> Json:
    """A referenced table's attributes with an identity, the hint in the spelling that it has there."""
    spelling = "table_name_hint" if "table_name_hint" in raw and "name_hint" not in raw else "name_hint"
    return _identified(raw, ("table_id", spelling), identity)


def _identified(raw: Json, names: tuple[str, str], identity: Identity) -> Json:
    id_name, text_name = names
    changed = {name: value for name, value in raw.items() if name != id_name or identity.id is not None}
    if identity.id is not None:
        changed[id_name] = identity.id
    if identity.name is not None:
        changed[text_name] = identity.name
    return changed


def _identity_of(identities: Mapping[int, Identity], key: int | None) -> Identity | None:
    return None if key is None else identities.get(key)
