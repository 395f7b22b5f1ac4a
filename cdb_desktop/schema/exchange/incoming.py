"""Makes a document of tables that were read, on top of the document that there is.

Tables and columns are matched by their names. What a file cannot express stays as it is.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from cdb_desktop.foundation.i18n import message
from cdb_desktop.schema.document.column_types import NUMBERS, TypeFamily, type_family
from cdb_desktop.schema.document.element_ref import new_key
from cdb_desktop.schema.document.json_values import option_value
from cdb_desktop.schema.document.model import (
    Column,
    Document,
    ForeignKey,
    NestedTableEntry,
    Table,
    TableEntry,
    UniqueKey,
)
from cdb_desktop.schema.document.names import (
    LONGEST,
    ascii_letters,
    is_column_name,
    is_reserved,
    is_table_name,
    nested_name,
    option_name,
    own_name,
    unused_name,
)
from cdb_desktop.schema.edits.edit import (
    link_key,
    nested_entry,
    new_column,
    new_nested_table,
    new_table,
    new_unique_key,
)
from cdb_desktop.schema.edits.tables import Removal, without_removed
from cdb_desktop.schema.exchange.relational import (
    KeyTest,
    Loss,
    LossList,
    RelationalColumn,
    RelationalLink,
    RelationalModel,
    RelationalTable,
)

_LINK = "link"
# Options that only one of the two interfaces describes.
_EXTENDED = frozenset(
    {
        "polyhierarchical",
        "bidirectional",
        "bidirectional_reverse",
        "check_range_not_empty",
        "custom_settings",
        "name_localized",
    }
)
_FORMER = frozenset({"in_facets", "require_comment", "primary_key", "omni_directional", "default"})
_STRUCTURED = frozenset(
    {TypeFamily.LOCALIZED, TypeFamily.DATE_RANGE, TypeFamily.FILE, TypeFamily.CUSTOM, TypeFamily.TEXT}
)
_NO_NAME_CHARACTERS = re.compile(r"[^a-z0-9]+")


def is_described(option: str, *, extended: bool) -> bool:
    """Whether a service describes an option; ``extended``: it describes those of the newer interface."""
    return option not in (_FORMER if extended else _EXTENDED)


def without_counterpart(document: Document, *, extended: bool) -> tuple[str, ...]:
    """The options that a service does not describe, with the elements of another model that have them.

    ``extended``: it describes those of the newer interface. It gets the others too, but may ignore them.
    """
    losses = LossList()
    for table in document.tables:
        holders = [(table.name, table.raw)]
        holders += [(f"{table.name}.{column.name}", column.raw) for column in table.columns]
        for name, raw in holders:
            for option in sorted(raw):
                if not is_described(option, extended=extended) and option_value(option, raw) is not None:
                    shown = option_name(option)
                    losses.add(message("“{option}”, which this service does not know", option=shown), name)
    return tuple(map(str, losses.all()))


@dataclass(frozen=True, slots=True)
class Imported:
    """The document after an import, and what was not taken over or was changed."""

    document: Document
    losses: tuple[Loss, ...]


def import_tables(model: RelationalModel, base: Document) -> Imported:
    """The document with the tables of a file; tables and columns that the file lacks are removed."""
    losses = LossList()
    losses.extend(model.losses)
    tables = _Preparation(losses).prepared(model.tables)
    return Imported(_Import(base, tables, losses, model.can_have_key).document(), losses.all())


@dataclass(frozen=True, slots=True)
class _Preparation:
    """Gives tables the names and keys that a document may have."""

    losses: LossList

    def prepared(self, tables: tuple[RelationalTable, ...]) -> dict[str, RelationalTable]:
        """The tables by their new names, owners before what is nested in them."""
        names = self._table_names(tables)
        found: dict[str, RelationalTable] = {}
        for table in tables:
            # Primary keys come first: links refer to them by the names in the file.
            plain = self._without_surrogate_key(table)
            columns = self._column_names(plain, names[table.name])
            found[names[table.name]] = self._renamed(plain, names, columns)
        return found

    def _table_names(self, tables: tuple[RelationalTable, ...]) -> dict[str, str]:
        known = {table.name for table in tables}
        owners = {table.name: table.owner for table in tables if table.owner in known}
        taken = {table.name for table in tables if _is_good_table_name(table.name)}
        names: dict[str, str] = {}
        for table in tables:
            waiting = [table.name]
            while (owner := owners.get(waiting[-1])) and owner not in names and owner not in waiting:
                waiting.append(owner)
            for name in reversed(waiting):
                if name not in names:
                    names[name] = self._table_name(name, names.get(owners.get(name, "")), owners, taken)
        return names

    def _table_name(self, name: str, owner: str | None, owners: Mapping[str, str], taken: set[str]) -> str:
        if owner is not None:
            whole = nested_name(owner, own_name(name, owners[name]))
            if whole == name:
                return name
        else:
            whole = name
            if _is_good_table_name(name):
                return name
        stem = "__".join(_plain_name(part) for part in whole.split("__")) if owner else _plain_name(whole)
        stem = stem if len(stem) > 1 else f"{stem}_table"
        stem = f"{stem}_table" if is_reserved(stem) else stem
        found = unused_name(stem[:LONGEST].rstrip("_"), taken)
        taken.add(found)
        self.losses.add(message("Names that had to be changed"), f"{name} → {found}")
        return found

    def _column_names(self, table: RelationalTable, table_name: str) -> dict[str, str]:
        taken = {column.name for column in table.columns if is_column_name(column.name)}
        names: dict[str, str] = {}
        for column in table.columns:
            found = column.name
            if not is_column_name(found):
                found = unused_name(_plain_name(found), taken)
                taken.add(found)
                what = message("Names that had to be changed")
                self.losses.add(what, f"{table_name}.{column.name} → {found}")
            names[column.name] = found
        return names

    def _without_surrogate_key(self, table: RelationalTable) -> RelationalTable:
        """A primary key of numbers becomes the automatic one, any other becomes a unique key."""
        key = table.primary_key
        if not key:
            return table
        linked = {column for link in table.links for column in link.columns}
        column = next((column for column in table.columns if column.name == key[0]), None)
        is_number = column is not None and (
            type_family(column.type) in NUMBERS or column.is_counter or column.is_vague
        )
        if len(key) == 1 and is_number and key[0] not in linked:
            what = message("Primary keys, which are automatic here")
            self.losses.add(what, f"{table.name}.{key[0]}")
            columns = tuple(each for each in table.columns if each.name != key[0])
            unique = tuple(each for each in table.unique if key[0] not in each)
            return replace(table, columns=columns, unique=unique, primary_key=())
        what = message("Primary keys that became unique keys")
        self.losses.add(what, f"{table.name}.{' + '.join(key)}")
        columns = tuple(replace(each, required=True) if each.name in key else each for each in table.columns)
        return replace(table, columns=columns, unique=(key, *table.unique), primary_key=())

    def _renamed(
        self, table: RelationalTable, names: Mapping[str, str], columns: Mapping[str, str]
    ) -> RelationalTable:
        def renamed(keys: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(columns[key] for key in keys if key in columns)

        links = [self._link(table, link, names) for link in table.links]
        return replace(
            table,
            name=names[table.name],
            columns=tuple(replace(column, name=columns[column.name]) for column in table.columns),
            links=tuple(
                replace(link, columns=renamed(link.columns), target=names[link.target])
                for link in links
                if link is not None and all(each in columns for each in link.columns)
            ),
            unique=tuple(renamed(key) for key in table.unique if all(each in columns for each in key)),
            owner=names.get(table.owner, ""),
        )

    def _link(
        self, table: RelationalTable, link: RelationalLink, names: Mapping[str, str]
    ) -> RelationalLink | None:
        place = f"{table.name}.{' + '.join(link.columns)}"
        if link.target not in names:
            self.losses.add(message("Links to tables that are not in the file"), place)
            return None
        if len(link.columns) != 1:
            self.losses.add(message("Links of several columns"), place)
            return None
        if link.target_columns:
            self.losses.add(
                message("Links to columns other than the primary key, which now link to the primary key"),
                place,
            )
        return link


class _Import:
    """Builds the document. All lookups are by name."""

    def __init__(
        self, base: Document, tables: dict[str, RelationalTable], losses: LossList, can_have_key: KeyTest
    ) -> None:
        self._base = base
        self._tables = tables
        self._losses = losses
        self._can_have_key = can_have_key
        self._before = {table.name: table for table in base.tables}
        self._built: dict[str, Table] = {}

    def document(self) -> Document:
        order = sorted(self._tables.values(), key=lambda table: table.name.count("__") if table.owner else -1)
        for table in order:
            self._built[table.name] = self._with_columns(table)
        every = dict(self._built)
        for table in self._tables.values():
            every[table.name] = self._with_keys(table, every)
        for table in self._tables.values():
            if table.owner in every:
                every[table.owner] = _with_nested_entry(every[table.owner], every[table.name])
        ordered = [name for name in self._before if name in every]
        ordered += [name for name in self._tables if name not in self._before]
        tables = tuple(every[name] for name in ordered)
        found = replace(self._base, raw=self._base.raw or {"type": "user"}, tables=tables)
        return _without_missing(self._base, found)

    def _with_columns(self, table: RelationalTable) -> Table:
        """The table with its columns; keys follow when all tables are there."""
        before = self._before.get(table.name)
        found = self._new_table(table) if before is None else before
        options: dict[str, object] = {}
        if table.is_hierarchical and not found.flag("is_hierarchical"):
            options["is_hierarchical"] = True
        if table.comment and found.raw.get("comment") != table.comment:
            options["comment"] = table.comment
        columns = {column.name: column for column in found.columns}
        new = {column.name: self._column(table, column, columns.get(column.name)) for column in table.columns}
        entries: list[TableEntry] = []
        for entry in found.entries:
            if not isinstance(entry, Column):
                entries.append(entry)
            elif entry.name in new:
                entries.append(new.pop(entry.name))
        raw = {**found.raw, **options} if options else found.raw
        return replace(found, raw=raw, entries=(*entries, *new.values()))

    def _new_table(self, table: RelationalTable) -> Table:
        owner = self._built.get(table.owner) or self._before.get(table.owner)
        if owner is not None:
            return new_nested_table(new_key(), table.name, owner)
        return new_table(new_key(), table.name, {})

    def _column(self, table: RelationalTable, column: RelationalColumn, before: Column | None) -> Column:
        links = {link.columns[0] for link in table.links}
        type_ = _LINK if column.name in links else column.type
        if type_ == _LINK and column.name not in links:
            self._losses.add(message("Links without a target"), f"{table.name}.{column.name}")
            type_ = "number"
        if before is None:
            return new_column(new_key(), column.name, type_, {"not_null": bool(column.required)})
        old, new = type_family(before.type), type_family(type_)
        is_better = old is new or (column.is_vague and old in _STRUCTURED)
        changes: dict[str, object] = {}
        if not is_better:
            changes["type"] = type_
        if column.required not in (None, before.flag("not_null")):
            changes["not_null"] = column.required
        return replace(before, raw={**before.raw, **changes}) if changes else before

    def _with_keys(self, table: RelationalTable, every: Mapping[str, Table]) -> Table:
        found = every[table.name]
        columns = {column.name: column for column in found.columns}
        keys: dict[int, ForeignKey] = {}
        for key in found.foreign_keys:
            for each in key.column_keys:
                if each in found.by_key and found.by_key[each].is_link:
                    keys[each] = key
        for link in table.links:
            column, target = columns[link.columns[0]], every[link.target]
            known = keys.get(column.key)
            rule = "" if known is None else known.raw.get("on_delete")
            if link.on_delete not in ("", "restrict", "no action", rule):
                self._losses.add(message("Delete rules of links"), f"{found.name}.{column.name}")
            if known is None or known.target != target.key:
                keys[column.key] = link_key(found, column, target)
        unique = self._unique_keys(table, found, columns)
        # A key of several columns was found for each of them.
        foreign_keys = tuple({id(key): key for key in keys.values()}.values())
        return replace(found, foreign_keys=foreign_keys, unique_keys=unique)

    def _unique_keys(
        self, table: RelationalTable, found: Table, columns: Mapping[str, Column]
    ) -> tuple[UniqueKey, ...]:
        asked = {tuple(columns[name].key for name in key): key for key in table.unique if key}
        # Keys with automatic columns cannot be in a file, nor those that its format does not have.
        kept = [
            key
            for key in found.unique_keys
            if key.column_keys in asked
            or len(key.column_keys) < len(key.columns)
            or not self._can_have_key(_types(found, key))
        ]
        known = {key.column_keys for key in kept}
        new = (
            new_unique_key(found, tuple(columns[name] for name in names))
            for keys, names in asked.items()
            if keys not in known
        )
        return (*kept, *new)


def _types(table: Table, key: UniqueKey) -> list[str]:
    """The types of those columns of a key that are still there."""
    return [table.by_key[each].type for each in key.column_keys if each in table.by_key]


def _with_nested_entry(owner: Table, nested: Table) -> Table:
    if any(isinstance(entry, NestedTableEntry) and entry.table == nested.key for entry in owner.entries):
        return owner
    return replace(owner, entries=(*owner.entries, nested_entry(nested)))


def _without_missing(before: Document, after: Document) -> Document:
    """``after`` without what refers to tables and columns that were removed; lost links become numbers."""
    tables = frozenset(before.by_key.keys() - after.by_key.keys())
    removed = Removal(tables, before.column_keys - after.column_keys)
    found = without_removed(after, removed)
    changed = [table for table in found.tables if after.by_key[table.key] is not table]
    return found.with_tables(*(_with_numbers(table) for table in changed))


def _with_numbers(table: Table) -> Table:
    """The table with numbers instead of links without a foreign key."""
    plain = tuple(
        replace(entry, raw={**entry.raw, "type": "number"})
        if isinstance(entry, Column) and entry.is_link and entry.key not in table.links
        else entry
        for entry in table.entries
    )
    return replace(table, entries=plain)


def _is_good_table_name(name: str) -> bool:
    return is_table_name(name) and not is_reserved(name)


def _plain_name(name: str) -> str:
    """A name of small letters, digits and single underscores that begins with a letter."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)
    found = _NO_NAME_CHARACTERS.sub("_", ascii_letters(spaced)).strip("_")
    found = found if found[:1].isalpha() else f"x_{found}".rstrip("_")
    return found[:LONGEST].rstrip("_")
