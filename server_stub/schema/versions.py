"""The stored versions of the schema, HEAD, CURRENT and committed ones (§3), and their localised names."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import sha256
from typing import Any, TypeVar

import msgspec
from sqlalchemy import ColumnElement, Connection, delete, insert, select, update
from sqlalchemy.exc import ProgrammingError

from server_stub.database import Database, Reader
from server_stub.database.tables import localization, schema_version
from server_stub.foundation.errors import ApiError, UserError
from server_stub.schema.document.grammar import check_shape
from server_stub.schema.document.model import (
    AutoColumn,
    JsonObject,
    at_column,
    at_key,
    at_table,
    items,
    read_schema,
)
from server_stub.schema.document.names import check_names, name_keys, rename_nested
from server_stub.schema.validation.schema import check_changes, validate

_HEAD = schema_version.c.committed_at.is_(None)
_COMMITTED = schema_version.c.committed_at.is_not(None)
# Not max(): that would read the documents of all versions to get past them.
_CURRENT_NUMBER = (
    select(schema_version.c.version).where(_COMMITTED).order_by(schema_version.c.version.desc()).limit(1)
)
_NUMBER = re.compile(r"[1-9][0-9]*")
# The greatest value that a column of type INTEGER can be compared with in every database.
_GREATEST = 2**31 - 1
# How often tables are read anew between commits that follow one another closely.
_ATTEMPTS = 20
_T = TypeVar("_T")


def current_number(reader: Reader) -> int | None:
    """The number of CURRENT, None before the first commit; cached, since every response contains it."""
    if "current number" not in reader.cache:
        reader.cache["current number"] = reader.scalar(_CURRENT_NUMBER, {})
    number: int | None = reader.cache["current number"]
    return number


def read_between_commits(database: Database, read: Callable[[Connection], _T]) -> _T:
    """Reads tables as of one version of the schema, again if a commit has changed them meanwhile.

    In PostgreSQL, changes of tables are seen at once, whatever a transaction has seen before.
    """

    def number() -> int | None:
        with database.reader() as reader:
            return current_number(reader)

    for left in reversed(range(_ATTEMPTS)):
        before = number()
        try:
            with database.read() as connection:
                found = read(connection)
        except ProgrammingError:
            if not left or number() == before:
                raise
        else:
            if not left or number() == before:
                break
    return found


def entity_tag(document: Mapping[str, Any]) -> str:
    """The value of `ETag` for a document: another one for each content."""
    return f'"{sha256(msgspec.json.encode(document)).hexdigest()[:32]}"'


def check_entity_tag(head: Mapping[str, Any] | None, if_match: str | None) -> None:
    """Raises UserError version_mismatch (412) unless HEAD is what `If-Match` names, if there is one."""
    if if_match is None:
        return
    present = None if head is None else entity_tag(head)
    wanted = {tag.strip() for tag in if_match.split(",")}
    if present is None or not wanted & {"*", present}:
        raise UserError("version_mismatch", status=412, provided=if_match, expected=present or "")


class Versions(msgspec.Struct, frozen=True):
    """The versions as one connection sees them."""

    connection: Connection

    def current_number(self) -> int | None:
        """The number of the greatest committed version."""
        return self.connection.execute(_CURRENT_NUMBER).scalar()

    def current(self) -> dict[str, Any] | None:
        """The greatest committed version."""
        return self._document(_COMMITTED)

    def saved_head(self) -> dict[str, Any] | None:
        """HEAD if it was saved since the last commit."""
        return self._document(_HEAD)

    def head(self) -> dict[str, Any] | None:
        """HEAD as a client sees it: CURRENT with the next number until something is saved (wire §5)."""
        current = self.current()
        return self.saved_head() or (current and based_on(current, current))

    def at(self, pointer: str) -> dict[str, Any]:
        """The version that "HEAD", "CURRENT" or a number names (§4.6).

        Raises UserError instance_not_found with status 404, or ApiError invalid_value for anything else.
        """
        match pointer:
            case "HEAD":
                found = self.head()
            case "CURRENT":
                found = self.current()
            case _:
                found = self._document(schema_version.c.version == _number(pointer))
        if found is None:
            raise UserError("instance_not_found", status=404, id=pointer)
        return found

    def committed_at(self, version: int) -> int | None:
        """When a version was committed, None for HEAD."""
        when = select(schema_version.c.committed_at).where(schema_version.c.version == version)
        return self.connection.execute(when).scalar()

    def save_head(self, document: dict[str, Any]) -> None:
        """Stores a document as HEAD."""
        self.connection.execute(delete(schema_version).where(_HEAD))
        row = {"version": document["version"], "document": msgspec.json.encode(document).decode()}
        self.connection.execute(insert(schema_version).values(row))

    def commit_head(self, timestamp: int, user_id: int) -> None:
        """Makes the saved HEAD current."""
        committed = {"committed_at": timestamp, "committed_by": user_id}
        self.connection.execute(update(schema_version).where(_HEAD).values(committed))

    def names(self, pointer: str) -> dict[str, dict[str, str]]:
        """The localised names (wire §5 `keys`, §6 l10n) of a version, or of the last one before that has any.

        {`schema.<table>.name` or `schema.<table>.column.<column>`: {language: text}}. The errors of `at`.
        """
        chosen = select(localization.c.texts).where(localization.c.version <= self.at(pointer)["version"])
        newest = chosen.order_by(localization.c.version.desc()).limit(1)
        text = self.connection.execute(newest).scalar()
        return msgspec.json.decode(text, type=dict[str, dict[str, str]]) if text else {}

    def save_names(self, pointer: str, keys: Mapping[str, object]) -> dict[str, dict[str, str]]:
        """Replaces the localised names of a version; ApiError type_mismatch if their shape is wrong."""
        try:
            names = msgspec.convert(keys, dict[str, dict[str, str]])
        except msgspec.ValidationError as error:
            raise ApiError("type_mismatch", f"Names map a key to texts by language: {error}.") from error
        version = self.at(pointer)["version"]
        self.connection.execute(delete(localization).where(localization.c.version == version))
        row = {"version": version, "texts": msgspec.json.encode(names).decode()}
        self.connection.execute(insert(localization).values(row))
        return names

    def _document(self, condition: ColumnElement[bool]) -> dict[str, Any] | None:
        newest = select(schema_version.c.document).where(condition)
        text = self.connection.execute(newest.order_by(schema_version.c.version.desc()).limit(1)).scalar()
        return None if text is None else msgspec.json.decode(text, type=dict[str, Any])


def _number(pointer: str) -> int:
    if not _NUMBER.fullmatch(pointer):
        raise ApiError(
            "invalid_value", f'"{pointer}" is no schema version: a number from 1, HEAD or CURRENT.'
        )
    return min(int(pointer[:11]), _GREATEST)


_TYPE = "user"


def new_head(document: object, head: JsonObject | None, current: JsonObject | None) -> dict[str, Any]:
    """The document to store as HEAD: as posted, with ids, name hints and generated names filled in.

    Raises UserError version_mismatch, invalid_table_name or invalid_column_name, or an ApiError of §7.2.
    """
    posted = check_shape(document)
    expected = 1 if head is None else head["version"]
    if posted["version"] != expected:
        raise UserError("version_mismatch", provided=posted["version"], expected=expected)
    if posted.get("type") not in (None, _TYPE):
        raise ApiError("invalid_value", f'The schema document: "type" must be "{_TYPE}".')
    _complete(posted, head)
    schema = read_schema(posted)
    validate(schema)
    if current is not None:
        check_changes(read_schema(current), schema)
    return based_on(posted, current)


def based_on(document: dict[str, Any], current: JsonObject | None) -> dict[str, Any]:
    """A HEAD document with the version numbers that the service sets."""
    stamped = {"type": _TYPE, **document}
    for name in ("based_on_version", "committed_at"):
        stamped.pop(name, None)
    if current is None:
        return stamped
    return stamped | {"version": current["version"] + 1, "based_on_version": current["version"]}


def _complete(document: dict[str, Any], head: JsonObject | None) -> None:
    check_names(document)
    assign_ids(document, head)
    resolve_references(document)
    rename_nested(document, head)
    # Nested tables of renamed owners have new names.
    check_names(document)
    fill_hints(document)
    name_keys(document, head)


# Large enough to be never reached, small enough for every database and client.


def assign_ids(document: dict[str, Any], head: JsonObject | None) -> None:
    """Fills in missing ids and the greatest ids, in place.

    Without a HEAD the document may have any ids. Otherwise raises ApiError invalid_value for an id that HEAD
    does not have, that occurs twice, or that belongs to a column of another table.
    """
    tables = _IdSequence("max_table_id", "table_id", document, head)
    columns = _IdSequence("max_column_id", "column_id", document, head)
    tables_of_columns = {} if head is None else _tables_of_columns(head)
    for table in document["tables"]:
        tables.check(table, at_table(table["name"]))
        for column in _valued(table):
            where = at_column(table["name"], column["name"])
            columns.check(column, where)
            if tables_of_columns.get(column.get("column_id"), table.get("table_id")) != table.get("table_id"):
                raise ApiError("invalid_value", f"{where}: this column_id belongs to another table.")
    for table in document["tables"]:
        tables.fill(table)
        for column in _valued(table):
            columns.fill(column)
    document["max_table_id"] = tables.last
    document["max_column_id"] = columns.last


class _IdSequence:
    """One sequence of ids: those of HEAD, those seen in the document, the last one assigned."""

    def __init__(self, limit: str, key: str, document: JsonObject, head: JsonObject | None) -> None:
        self._key = key
        self._met: set[int] = set()
        self._known = None if head is None else set(_ids(head, key))
        source = document if head is None else head
        self.last = max([source.get(limit) or 0, *_ids(source, key)])
        if (source.get(limit) or 0) > _GREATEST:
            raise ApiError("invalid_value", f'The schema document: "{limit}" is greater than {_GREATEST}.')

    def check(self, element: JsonObject, where: str) -> None:
        """Raises ApiError if this element may not have its id."""
        id_ = element.get(self._key)
        if id_ is None:
            return
        if not 1 <= id_ <= _GREATEST:
            raise ApiError("invalid_value", f"{where}: {id_} is no {self._key}: 1 to {_GREATEST}.")
        if self._known is not None and id_ not in self._known:
            raise ApiError("invalid_value", f"{where}: HEAD does not know the {self._key} {id_}.")
        if id_ in self._met:
            raise ApiError("invalid_value", f"{where}: the {self._key} {id_} stands twice.")
        self._met.add(id_)

    def fill(self, element: dict[str, Any]) -> None:
        """Gives an element without an id the next one."""
        if element.get(self._key) is None:
            if self.last >= _GREATEST:
                raise ApiError("invalid_value", f"The schema document: there is no {self._key} left.")
            self.last += 1
            element[self._key] = self.last


def _valued(table: JsonObject) -> Iterator[dict[str, Any]]:
    return (column for column in items(table, "columns") if column["kind"] == "column")


def _ids(document: JsonObject, key: str) -> Iterator[int]:
    for table in document["tables"]:
        for element in [table] if key == "table_id" else _valued(table):
            if element.get(key) is not None:
                yield element[key]


def _tables_of_columns(head: JsonObject) -> dict[object, object]:
    return {column["column_id"]: table["table_id"] for table in head["tables"] for column in _valued(table)}


_OTHER_TABLE = ("table_id", "other_table_id", "other_table_name_hint")
_OTHER_COLUMN = ("column_id", "other_column_id", "other_column_name_hint")
_REFERENCED = ("table_id", "table_id", "name_hint")
_COLUMN = ("column_id", "column_id", "column_name_hint")


class _ReferenceFields(msgspec.Struct, frozen=True):
    """A reference: the object that holds it, three keys (id of the element, id, name hint), its location."""

    holder: dict[str, Any]
    keys: tuple[str, str, str]
    where: str


def resolve_references(document: JsonObject) -> None:
    """Fills in the id of every reference, in place; an id takes precedence over a hint.

    Raises ApiError attribute_expected if both are missing, invalid_value if there is no such element.
    """
    tables = _ElementIndex(document["tables"], "table_id")
    for fields in _table_references(document):
        tables.resolve(fields)
    for fields, columns in _column_references(document):
        columns.resolve(fields)


def fill_hints(document: JsonObject) -> None:
    """Writes the current name as hint of every reference, in place; `table_name_hint` becomes `name_hint`."""
    tables = _ElementIndex(document["tables"], "table_id")
    for fields in _table_references(document):
        tables.fill(fields)
    for fields, columns in _column_references(document):
        columns.fill(fields)


class _ElementIndex:
    """Tables of a document or columns of a table, by id and by name."""

    def __init__(self, elements: Iterable[JsonObject], id_key: str) -> None:
        named = [element for element in elements if element.get(id_key) is not None]
        self._by_id: Mapping[int, JsonObject] = {element[id_key]: element for element in named}
        self._by_name: Mapping[str, JsonObject] = {element["name"]: element for element in named}

    def resolve(self, fields: _ReferenceFields) -> None:
        element_key, id_key, hint_key = fields.keys
        id_, hint = fields.holder.get(id_key), fields.holder.get(hint_key)
        if id_ is None and hint is None:
            raise ApiError("attribute_expected", f'{fields.where}: "{id_key}" or "{hint_key}" must stand.')
        found = self._by_id.get(id_) if id_ is not None else self._by_name.get(str(hint))
        if found is None:
            shown = f'"{hint}"' if id_ is None else id_
            raise ApiError("invalid_value", f"{fields.where}: there is no {element_key[:-3]} {shown}.")
        fields.holder[id_key] = found[element_key]

    def fill(self, fields: _ReferenceFields) -> None:
        _, id_key, hint_key = fields.keys
        fields.holder[hint_key] = self._by_id[fields.holder[id_key]]["name"]


def _table_references(document: JsonObject) -> Iterator[_ReferenceFields]:
    for table in document["tables"]:
        if table.get("owned_by") is not None:
            yield _ReferenceFields(table["owned_by"], _OTHER_TABLE, f"{at_table(table['name'])}, owned_by")
        for number, column in enumerate(items(table, "columns"), 1):
            if column["kind"] != "column":
                yield _ReferenceFields(column, _OTHER_TABLE, at_column(table["name"], number))
        for number, key in enumerate(items(table, "foreign_keys"), 1):
            target = key["referenced_table"]
            spelled_out = target.pop("table_name_hint", None)
            if target.get("name_hint") is None and spelled_out is not None:
                target["name_hint"] = spelled_out
            yield _ReferenceFields(target, _REFERENCED, at_key(table["name"], key.get("name") or number))


def _column_references(document: JsonObject) -> Iterator[tuple[_ReferenceFields, _ElementIndex]]:
    tables = document["tables"]
    columns = {table["table_id"]: _ElementIndex(items(table, "columns"), "column_id") for table in tables}
    for table in document["tables"]:
        for number, column in enumerate(items(table, "columns"), 1):
            if column["kind"] == "reverse_link":
                where = at_column(table["name"], number)
                yield _ReferenceFields(column, _OTHER_COLUMN, where), columns[column["other_table_id"]]
        own = columns[table["table_id"]]
        for number, key in enumerate(items(table, "foreign_keys"), 1):
            where, target = at_key(table["name"], key.get("name") or number), key["referenced_table"]
            yield from _references(key, where, own)
            yield from _references(target, where, columns[target["table_id"]])
        for number, key in enumerate(items(table, "unique_keys"), 1):
            yield from _references(key, at_key(table["name"], key.get("name") or number), own)
        for number, pair in enumerate(items(table, "bidirectional"), 1):
            yield from _references(pair, f"{at_table(table['name'])}, bidirectional {number}", own)


def _references(
    holder: JsonObject, where: str, columns: _ElementIndex
) -> Iterator[tuple[_ReferenceFields, _ElementIndex]]:
    for reference in holder["columns"]:
        automatic = [auto for auto in AutoColumn if reference.get(auto) is True]
        named = any(reference.get(key) is not None for key in _COLUMN[1:])
        if len(automatic) + named > 1:
            raise ApiError("invalid_value", f"{where}: a reference names exactly one column.")
        if not automatic:
            yield _ReferenceFields(reference, _COLUMN, where), columns
