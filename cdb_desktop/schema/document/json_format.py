"""Reads schema documents from JSON and writes them back without loss (wire §5).

Reading turns ids and name hints into keys; an id takes precedence over a different hint. A defective document
can be read as long as it has the form of one; `validation` finds what is wrong with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from cdb_desktop.foundation.i18n import message
from cdb_desktop.schema.document.element_ref import new_key
from cdb_desktop.schema.document.json_values import (
    DocumentError,
    Json,
    expect_object,
    expect_objects,
    join_path,
    optional_id,
    optional_text,
)
from cdb_desktop.schema.document.model import (
    Column,
    ColumnReference,
    Document,
    ForeignKey,
    NestedTableEntry,
    ReverseLink,
    Table,
    TableEntry,
    UniqueKey,
    UnknownEntry,
)

_DEEPEST = 100  # nested tables; the name of each contains those of all its owners
_PARTS = ("columns", "foreign_keys", "unique_keys")


class _KeyMap:
    """The keys of tables, or of one table's columns, by id and by name."""

    def __init__(self, taken: set[int]) -> None:
        self._taken = taken
        self._by_id: dict[int, int] = {}
        self._by_name: dict[str, int] = {}

    def add(self, id_: int | None, name: str) -> int:
        """The key of a new element: its id, or a local one if it has none or another one has it."""
        key = new_key() if id_ is None or id_ in self._taken else id_
        self._taken.add(key)
        if id_ is not None:
            self._by_id.setdefault(id_, key)
        self._by_name.setdefault(name, key)
        return key

    def find(self, id_: int | None, hint: str | None) -> int | None:
        """The key of the element with an id, or without an id with a name; None if it does not exist."""
        if id_ is not None:
            return self._by_id.get(id_)
        return None if hint is None else self._by_name.get(hint)


@dataclass(frozen=True, slots=True)
class _KeyIndex:
    """All keys of a document while it is read; ``columns`` are those of each table, by its key."""

    tables: _KeyMap = field(default_factory=lambda: _KeyMap(set()))
    columns: dict[int, _KeyMap] = field(default_factory=dict)
    column_keys: set[int] = field(default_factory=set)

    def table(self, raw: Json, path: str) -> int | None:
        """The key of an entry's or ``owned_by``'s other table. Raises DocumentError."""
        return self.tables.find(
            optional_id(raw, "other_table_id", path), optional_text(raw, "other_table_name_hint", path)
        )

    def column(self, table: int | None, raw: Json, path: str, prefix: str) -> int | None:
        """The key of the column in ``<prefix>_id`` or ``<prefix>_name_hint``. Raises DocumentError."""
        id_, hint = optional_id(raw, f"{prefix}_id", path), optional_text(raw, f"{prefix}_name_hint", path)
        found = None if table is None else self.columns.get(table)
        return None if found is None else found.find(id_, hint)


def _name_hint(raw: Json, path: str) -> str | None:
    """The name of a referenced table, in either spelling. Raises DocumentError."""
    return optional_text(raw, "name_hint", path) or optional_text(raw, "table_name_hint", path)


def read_document(raw: Json) -> Document:
    """The document. Raises DocumentError if it does not have the form of one."""
    if raw.get("tables") is None:
        raise DocumentError("tables", message("A schema has a list of tables; there is none."))
    optional_id(raw, "version", "")
    index = _KeyIndex()
    readers = [
        _TableReader.of(table, f"tables[{number}]", index)
        for number, table in enumerate(expect_objects(raw, "tables", ""))
    ]
    tables = tuple(reader.read(index) for reader in readers)
    document = Document(_without_parts(raw, "tables"), tables, tag=getattr(raw, "etag", ""))
    _check_nesting(document)
    return document


def _check_nesting(document: Document) -> None:
    """Raises DocumentError for a table in more owners than names of 63 characters have room for by far."""
    tables, depths = document.by_key, dict[int, int]()
    for number, table in enumerate(document.tables):
        above: list[int] = []
        key: int | None = table.key
        while key is not None and key in tables and key not in depths:
            depths[key] = 0  # a cycle of owners ends here
            above.append(key)
            key = tables[key].owner
        depth = 0 if key is None else depths.get(key, 0)
        for each in reversed(above):
            depth += 1
            depths[each] = depth
        if depth > _DEEPEST and above:
            path = join_path(f"tables[{number}]", "owned_by")
            raise DocumentError(path, message("The file is nested too deeply to be a data model."))


def _without_parts(raw: Json, *parts: str) -> Json:
    """A copy with an empty tuple for each of the parts, which keeps their order."""
    return {name: () if name in parts and value is not None else value for name, value in raw.items()}


@dataclass(frozen=True, slots=True)
class _TableReader:
    """Reads a table in two steps: first the keys of it and its columns, then the references to keys."""

    raw: Json
    path: str
    key: int
    columns: list[Json]
    column_keys: list[int]

    @classmethod
    def of(cls, raw: Json, path: str, index: _KeyIndex) -> _TableReader:
        name = optional_text(raw, "name", path)
        key = index.tables.add(optional_id(raw, "table_id", path), name or "")
        columns = expect_objects(raw, "columns", path)
        keys = index.columns.setdefault(key, _KeyMap(index.column_keys))
        paths = (f"{path}.columns[{number}]" for number in range(len(columns)))
        column_keys = [_column_key(keys, *found) for found in zip(columns, paths, strict=False)]
        return cls(raw, path, key, columns, column_keys)

    def read(self, index: _KeyIndex) -> Table:
        owned_by = self.raw.get("owned_by")
        path = join_path(self.path, "owned_by")
        owner = None if owned_by is None else index.table(expect_object(owned_by, path), path)
        return Table(
            raw=_without_parts(self.raw, *_PARTS),
            key=self.key,
            owner=owner,
            entries=tuple(self._entry(index, number) for number in range(len(self.columns))),
            foreign_keys=tuple(self._foreign_key(index, *found) for found in self._parts("foreign_keys")),
            unique_keys=tuple(self._unique_key(index, *found) for found in self._parts("unique_keys")),
        )

    def _parts(self, name: str) -> list[tuple[Json, str]]:
        found = expect_objects(self.raw, name, self.path)
        return [(item, f"{self.path}.{name}[{number}]") for number, item in enumerate(found)]

    def _entry(self, index: _KeyIndex, number: int) -> TableEntry:
        raw = self.columns[number]
        kind = raw.get("kind")
        if kind == "column":
            return Column(dict(raw), self.column_keys[number])
        path = f"{self.path}.columns[{number}]"
        if kind == "link":
            return NestedTableEntry(dict(raw), index.table(raw, path))
        if kind == "reverse_link":
            table = index.table(raw, path)
            return ReverseLink(dict(raw), table, index.column(table, raw, path, "other_column"))
        return UnknownEntry(dict(raw))

    def _foreign_key(self, index: _KeyIndex, raw: Json, path: str) -> ForeignKey:
        where = join_path(path, "referenced_table")
        target_raw = expect_object(raw.get("referenced_table"), where)
        target = index.tables.find(optional_id(target_raw, "table_id", where), _name_hint(target_raw, where))
        return ForeignKey(
            raw=_without_parts(raw, "columns", "referenced_table"),
            columns=self._references(index, self.key, raw, path),
            target_raw=_without_parts(target_raw, "columns"),
            target=target,
            target_columns=self._references(index, target, target_raw, where),
        )

    def _unique_key(self, index: _KeyIndex, raw: Json, path: str) -> UniqueKey:
        return UniqueKey(_without_parts(raw, "columns"), self._references(index, self.key, raw, path))

    def _references(
        self, index: _KeyIndex, table: int | None, raw: Json, path: str
    ) -> tuple[ColumnReference, ...]:
        found = enumerate(expect_objects(raw, "columns", path))
        return tuple(
            ColumnReference(dict(item), index.column(table, item, f"{path}.columns[{number}]", "column"))
            for number, item in found
        )


def _column_key(keys: _KeyMap, raw: Json, path: str) -> int:
    if raw.get("kind") != "column":
        return 0
    optional_text(raw, "type", path)
    return keys.add(optional_id(raw, "column_id", path), optional_text(raw, "name", path) or "")


def write_document(document: Document) -> dict[str, object]:
    """The document as the service takes it, with local elements named by hints (wire §5)."""
    return _with_parts(document.raw, "tables", [write_table(table) for table in document.tables])


def write_table(table: Table) -> dict[str, object]:
    """One table as in the document."""
    raw = _with_parts(table.raw, "columns", [dict(entry.raw) for entry in table.entries])
    raw = _with_parts(raw, "unique_keys", [_unique_key(key) for key in table.unique_keys])
    return _with_parts(raw, "foreign_keys", [_foreign_key(key) for key in table.foreign_keys])


def _with_parts(raw: Json, name: str, parts: Sequence[object]) -> dict[str, object]:
    """A copy with the parts; a list that was missing or null stays so while it is empty."""
    written = dict(raw)
    if parts or written.get(name) is not None:
        written[name] = list(parts)
    return written


def _foreign_key(key: ForeignKey) -> dict[str, object]:
    written = _with_parts(key.raw, "columns", _written_references(key.columns))
    written["referenced_table"] = _with_parts(
        key.target_raw, "columns", _written_references(key.target_columns)
    )
    return written


def _unique_key(key: UniqueKey) -> dict[str, object]:
    return _with_parts(key.raw, "columns", _written_references(key.columns))


def _written_references(references: tuple[ColumnReference, ...]) -> list[object]:
    return [dict(reference.raw) for reference in references]
