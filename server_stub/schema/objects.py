"""Objects of the user database: their present state, and older versions of it (§2.1).

An object is read as a mapping from keys that no rename changes to values: `c12` for the column with the id
12, `t7` for the list of rows of the nested table with the id 7, the name itself for a system column. Values
are those of JSON; links are the ids of their targets. `before` of a stored version has the same form.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
from sqlalchemy import Connection, TableClause, column, select, table

from server_stub.database import Database
from server_stub.database.bulk import insert_rows
from server_stub.database.tables import object_version
from server_stub.events.record import global_object_id
from server_stub.foundation.errors import UserError
from server_stub.foundation.times import to_wire
from server_stub.schema.commit.storage_layout import (
    PARENT,
    POOL,
    PRIMARY_KEY,
    TAGS,
    UPLINK,
    VERSION,
    PhysicalTable,
    column_key,
    lay_out,
)
from server_stub.schema.document.model import Column, Family, NestedLink, Schema, Table, read_schema
from server_stub.schema.versions import Versions, read_between_commits

MASK = "_all_fields"
# Families whose values are stored as JSON text.
STRUCTURED = frozenset({Family.LOCALIZED, Family.DATE_RANGE, Family.FILE, Family.CUSTOM})
# How many ids of rows are looked up in one statement.
_AT_ONCE = 500

Values = dict[str, Any]


def _from_json(stored: Any) -> Any:
    try:
        return msgspec.json.decode(stored)
    except msgspec.DecodeError:
        return stored  # A text from before the column had this type.


_Read = Callable[[Any], Any]
_READS: Mapping[Family, _Read] = {
    **dict.fromkeys(STRUCTURED, _from_json),
    Family.BOOLEAN: bool,
    # PostgreSQL's numbers are decimals.
    Family.DECIMAL: float,
}


class StoredVersion(msgspec.Struct, frozen=True):
    """A version of an object and the values that it has replaced; `timestamp` is None if unknown."""

    table_id: int
    object_id: int
    version: int
    timestamp: int | None = None
    before: Mapping[str, Any] = {}


def store_versions(connection: Connection, versions: Sequence[StoredVersion]) -> None:
    """Stores versions of objects, in the order of the key where there are many."""
    if versions:
        rows = [
            (each.table_id, each.object_id, each.version, each.timestamp, _json(each.before))
            for each in versions
        ]
        insert_rows(connection, object_version, rows)


class ObjectTables:
    """How the objects of one version of the schema are stored."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.layout: Mapping[int, PhysicalTable] = lay_out(schema)
        self.by_name = {each.name: each for each in schema.tables if each.owner_id is None}
        self._readers = {each.id: self._readers_of(each) for each in schema.tables}

    def rows(self, owner: Table) -> TableClause:
        """The table of the database with all of its columns."""
        physical = self.layout[owner.id]
        return table(physical.name, *(column(each.name) for each in physical.columns))

    def read(self, connection: Connection, objecttype: Table, object_id: int) -> Values | None:
        """The present values of an object with its nested rows, None if it does not exist."""
        rows = self.rows(objecttype)
        found = connection.execute(select(rows).where(rows.c[PRIMARY_KEY] == object_id)).first()
        if found is None:
            return None
        values = self.values(objecttype, found)
        self.add_nested(connection, objecttype, [values])
        return values

    def values(self, of: Table, row: Sequence[Any]) -> Values:
        """The values of a row of `rows`, without nested rows."""
        readers = self._readers[of.id]
        return {
            key: value if read is None or value is None else read(value)
            for (key, read), value in zip(readers, row, strict=True)
        }

    def _readers_of(self, of: Table) -> tuple[tuple[str, _Read | None], ...]:
        """The keys of the columns, each with what makes a value of what is stored."""
        reads: dict[str, _Read] = {
            column_key(each.id): _READS[each.family] for each in of.columns if each.family in _READS
        }
        reads[TAGS] = _from_json
        return tuple((each.key, reads.get(each.key)) for each in self.layout[of.id].columns)

    def document(self, objecttype: Table, values: Mapping[str, Any]) -> Values:
        """The values by the names of columns and tables, as clients read them."""
        named: Values = {PRIMARY_KEY: values[PRIMARY_KEY]}
        if VERSION in values:
            named[VERSION] = values[VERSION]
        if objecttype.is_hierarchical:
            named["_id_parent"] = values.get(PARENT)
        if objecttype.pool_link:
            pool = values.get(POOL)
            named["_pool"] = None if pool is None else {"pool": {PRIMARY_KEY: pool}}
        for member in objecttype.members:
            match member:
                case Column():
                    named[member.name] = self._shown(objecttype, member, values.get(column_key(member.id)))
                case NestedLink():
                    nested = self.schema.tables_by_id[member.table_id]
                    rows = values.get(nested_key(nested)) or []
                    named[f"_nested:{nested.name}"] = [self.document(nested, row) for row in rows]
        return named

    def add_nested(self, connection: Connection, owner: Table, owners: Sequence[Values]) -> None:
        """Adds the rows of all nested tables to the rows of their owner."""
        for link in owner.nested:
            nested = self.schema.tables_by_id[link.table_id]
            by_owner: dict[int, list[Values]] = {values[PRIMARY_KEY]: [] for values in owners}
            read = self._nested_rows(connection, nested, list(by_owner))
            for values in read:
                by_owner[values.pop(UPLINK)].append(values)
            for values in owners:
                values[nested_key(nested)] = by_owner[values[PRIMARY_KEY]]
            if read:
                self.add_nested(connection, nested, read)

    def _nested_rows(self, connection: Connection, nested: Table, owners: Sequence[int]) -> list[Values]:
        rows = self.rows(nested)
        found: list[Values] = []
        for first in range(0, len(owners), _AT_ONCE):
            chosen = select(rows).where(rows.c[UPLINK].in_(owners[first : first + _AT_ONCE]))
            ordered = connection.execute(chosen.order_by(rows.c[PRIMARY_KEY]))
            found += [self.values(nested, row) for row in ordered]
        return found

    def _shown(self, of: Table, member: Column, value: Any) -> Any:
        keys = of.links_of(member) if member.family is Family.LINK else ()
        if not keys or not isinstance(value, int):
            return value
        target = self.schema.tables_by_id[keys[0].table_id].name
        return {"_objecttype": target, target: {PRIMARY_KEY: value}}


def nested_key(nested: Table) -> str:
    """The key of the rows of a nested table."""
    return f"t{nested.id}"


def stored_value(of: Column, value: Any) -> Any:
    """A value as the column of the database stores it."""
    return _json(value) if value is not None and of.family in STRUCTURED else value


class Objects:
    """Reads versions of objects. `instance` is the part of global object ids after the `@`."""

    def __init__(self, database: Database, instance: str) -> None:
        self._database = database
        self._instance = instance
        # Reading the schema of 1,000 tables takes longer than reading an object.
        self._tables: tuple[int, ObjectTables] | None = None

    def read(self, objecttype: str, object_id: int, version: int | None) -> dict[str, Any]:
        """An object in one of its versions, by default the newest one, with the columns of CURRENT.

        Raises UserError objecttype_not_found, object_not_found, instance_not_found if there is no such
        version yet, and old_schema_missing if it was written before this server stored versions.
        """
        return read_between_commits(
            self._database, lambda connection: self._read(connection, objecttype, object_id, version)
        )

    def _read(
        self, connection: Connection, objecttype: str, object_id: int, version: int | None
    ) -> dict[str, Any]:
        tables = self._current(connection)
        found = None if tables is None else tables.by_name.get(objecttype)
        if tables is None or found is None:
            raise UserError("objecttype_not_found", id=objecttype)
        values = tables.read(connection, found, object_id)
        if values is None:
            raise UserError("object_not_found", objecttype=objecttype, id=str(object_id))
        newest = int(values[VERSION])
        wanted = newest if version is None else version
        if wanted > newest:
            raise UserError("instance_not_found", id=str(wanted))
        times = _go_back(connection, found, values, wanted)
        if times is None:
            raise UserError(
                "old_schema_missing",
                objecttype=objecttype,
                id=str(object_id),
                object_version=str(wanted),
            )
        return self._record(found, tables.document(found, values), values, times.get(wanted))

    def _record(
        self, objecttype: Table, document: Values, values: Values, modified: int | None
    ) -> dict[str, Any]:
        record: dict[str, Any] = {
            "_objecttype": objecttype.name,
            "_mask": MASK,
            "_global_object_id": global_object_id(values[PRIMARY_KEY], self._instance),
        }
        if modified is not None:
            record["_last_modified"] = to_wire(modified)
        if objecttype.has_tags:
            tags = values.get(TAGS)
            record["_tags"] = [{PRIMARY_KEY: tag} for tag in tags] if isinstance(tags, list) else []
        return {**record, objecttype.name: document}

    def _current(self, connection: Connection) -> ObjectTables | None:
        versions = Versions(connection)
        number = versions.current_number()
        if number is None:
            return None
        known = self._tables
        if known is None or known[0] != number:
            known = self._tables = (number, ObjectTables(read_schema(versions.at("CURRENT"))))
        return known[1]


def _go_back(
    connection: Connection, objecttype: Table, values: Values, wanted: int
) -> Mapping[int, int | None] | None:
    """Changes values to those of an old version; returns times by version, None if a version is missing."""
    stored = object_version.c
    chosen = select(stored.version, stored.timestamp, stored.before).where(
        stored.table_id == objecttype.id, stored.object_id == values[PRIMARY_KEY], stored.version >= wanted
    )
    times: dict[int, int | None] = {}
    expected = int(values[VERSION])
    for version, timestamp, before in connection.execute(chosen.order_by(stored.version.desc())):
        if version != expected:
            break
        times[version] = timestamp
        if version > wanted:
            values.update(msgspec.json.decode(before))
            expected = version - 1
    if expected > wanted:
        return None
    values[VERSION] = wanted
    return times


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
