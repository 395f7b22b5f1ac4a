"""Reads the CSV dump of a model (wire §5): its tables, columns, types and localized names.

    # SCHEMA DUMP …
    ### TABLE WORK            then lines such as ID, NAME, POOL, DISPLAYNAME:de-DE with their values
    ### COLUMNS               then a header and one line for each column: TABLE, NAME, TYPE, …
                              ``work > note`` is a nested table; a line without NAME and TYPE defines it

A dump has neither checks, defaults, keys of several columns nor reverse links: `completed` keeps those of the
model into which it is imported.
"""

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from cdb_desktop.foundation.i18n import Message, message
from cdb_desktop.schema.document.json_format import read_document
from cdb_desktop.schema.document.json_values import DocumentError
from cdb_desktop.schema.document.model import (
    PRIMARY_KEY,
    Column,
    Document,
    ReverseLink,
    Table,
    TableEntry,
    UnknownEntry,
)
from cdb_desktop.schema.document.names import SEPARATOR, foreign_key_name, unique_key_name
from cdb_desktop.schema.exchange.relational import MOST_BYTES, ExchangeError

_TITLE, _TABLE, _COLUMNS, _SECTION = "# SCHEMA DUMP", "### TABLE", "### COLUMNS", "###"
_NAME_OF = "DISPLAYNAME:"
_NESTED = " > "
_LINK = "link:"
_HEADER = ("TABLE", "NAME", "TYPE")
_OPTIONS = {
    "POOL": "pool_link",
    "HIERARCHICAL": "is_hierarchical",
    "TAGS": "has_tags",
    "ACL": "acl_table",
    "SEARCH": "in_main_search",
}
_Cells = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class CsvDump:
    """The model of a dump, and its localized names by ``schema.<table>.name``."""

    document: Document
    names: Mapping[str, Mapping[str, str]]


def is_csv_dump(content: bytes) -> bool:
    """Whether a file begins as a dump does."""
    return _TITLE in content[:200].decode("utf-8", "replace")


def read_csv_dump(content: bytes) -> CsvDump:
    """The model in a dump. Raises ExchangeError with the line of the error."""
    if len(content) > MOST_BYTES:
        what = message("The file has more than {count} MB.", count=MOST_BYTES // 1_000_000)
        raise ExchangeError(0, what, message("Choose a dump of the schema, without rows."))
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        what = message("This is no text in UTF-8.")
        line = content.count(b"\n", 0, error.start) + 1
        raise ExchangeError(
            line, what, message("Save the file as UTF-8, and import it once more.")
        ) from error
    return _Reader(text).dump()


@dataclass(slots=True)
class _DumpedTable:
    raw: dict[str, object]
    columns: list[dict[str, object]] = field(default_factory=list)
    links: list[dict[str, object]] = field(default_factory=list)
    unique: list[dict[str, object]] = field(default_factory=list)


class _Reader:
    """Reads line after line; ``_line`` is the current one, from 1."""

    def __init__(self, text: str) -> None:
        first = text.partition("\n")[0]
        lines = text.splitlines(keepends=True)
        self._rows = csv.reader(lines, delimiter=";" if ";" in first else ",", strict=True)
        self._line = 0
        self._tables: dict[str, _DumpedTable] = {}
        self._targets: list[tuple[int, str]] = []
        self._names: dict[str, Mapping[str, str]] = {}

    def dump(self) -> CsvDump:
        row = next(self._read(), [])
        if not row or not row[0].lstrip("\ufeff").startswith(_TITLE):
            raise self._error(message("This is no dump of a schema: its first line is another one."))
        section = ""
        header: list[str] = []
        attributes: dict[str, str] = {}
        for row in self._read():
            first = row[0].strip()
            if first.startswith(_TABLE):
                section, header, attributes = _TABLE, [], {}
            elif first.startswith(_COLUMNS):
                self._add_table(attributes)
                section = _COLUMNS
            elif first.startswith(_SECTION):
                section = ""
            elif section == _TABLE and first:
                attributes[first] = row[1].strip() if len(row) > 1 else ""
                self._check_attribute(first, attributes)
            elif section == _COLUMNS and not header and first:
                header = self._header(row)
            elif section == _COLUMNS and first:
                self._add_line(dict(zip(header, (cell.strip() for cell in row), strict=False)))
        if section == _TABLE:
            raise self._error(message("The dump ends within a table."))
        return CsvDump(self._document(), self._names)

    def _read(self) -> Iterator[list[str]]:
        while True:
            try:
                row = next(self._rows)
            except StopIteration:
                return
            except csv.Error as error:
                self._line = self._rows.line_num
                raise self._error(message("This is no CSV: {reason}.", reason=str(error))) from error
            self._line = self._rows.line_num
            if row:
                yield row

    def _header(self, row: list[str]) -> list[str]:
        header = [cell.strip() for cell in row]
        missing = [name for name in _HEADER if name not in header]
        if missing:
            names = ", ".join(missing)
            raise self._error(message("The header of the columns lacks {names}.", names=names))
        return header

    def _check_attribute(self, name: str, attributes: _Cells) -> None:
        """Reports an error at the line of the attribute."""
        if name == "ID":
            self._id(attributes)
        elif name == "NAME":
            self._check_new(attributes[name])
        elif name in _OPTIONS:
            self._flag(attributes, name)

    def _check_new(self, table: str) -> None:
        if table in self._tables:
            raise self._error(message("The table {table} is defined twice.", table=table))

    def _add_table(self, attributes: _Cells) -> None:
        name = attributes.get("NAME", "")
        if not name:
            raise self._error(message("A table has no name."))
        raw: dict[str, object] = {"table_id": self._id(attributes), "name": name}
        for key, option in _OPTIONS.items():
            if key in attributes:
                raw[option] = self._flag(attributes, key)
        if attributes.get("COMMENT"):
            raw["comment"] = attributes["COMMENT"]
        self._put(name, raw)
        self._note_names(f"schema.{name}.name", attributes)

    def _put(self, name: str, raw: dict[str, object]) -> None:
        self._check_new(name)
        self._tables[name] = _DumpedTable({key: value for key, value in raw.items() if value is not None})

    def _add_line(self, cells: _Cells) -> None:
        path = [part.strip() for part in cells["TABLE"].split(_NESTED)]
        table = SEPARATOR.join(path)
        if not cells.get("NAME") and not cells.get("TYPE"):
            if len(path) > 1:
                self._add_nested(path, self._id(cells))
                self._note_names(f"schema.{table}.name", cells)
            return
        if len(path) > 1 and table not in self._tables:
            self._add_nested(path, None)
        if table not in self._tables:
            raise self._error(message("The table {table} is not defined above.", table=table))
        self._add_column(table, cells)

    def _add_nested(self, path: list[str], id_: int | None) -> None:
        owner, name = SEPARATOR.join(path[:-1]), SEPARATOR.join(path)
        if owner not in self._tables:
            raise self._error(message("The table {table} is not defined above.", table=owner))
        self._put(name, {"table_id": id_, "name": name, "owned_by": {"other_table_name_hint": owner}})
        entry = {"kind": "link", "other_table_name_hint": name, "not_null": False}
        self._tables[owner].columns.append(entry)

    def _add_column(self, table: str, cells: _Cells) -> None:
        name, type_ = cells.get("NAME", ""), cells.get("TYPE", "")
        if not name or not type_:
            what = message("A column has no name.") if not name else message("A column has no type.")
            raise self._error(what)
        found = self._tables[table]
        if any(column.get("name") == name for column in found.columns):
            raise self._error(message("The column {column} is defined twice.", column=f"{table}.{name}"))
        target = type_.removeprefix(_LINK).strip() if type_.startswith(_LINK) else ""
        column = {"kind": "column", "name": name, "type": "link" if target else type_}
        id_, required = self._id(cells), cells.get("NOT_NULL", "")
        found.columns.append(
            {
                **column,
                **({} if id_ is None else {"column_id": id_}),
                **({"not_null": self._flag(cells, "NOT_NULL")} if required else {}),
            }
        )
        if target:
            self._targets.append((self._line, target.replace(_NESTED, SEPARATOR)))
            found.links.append(_link(table, name, self._targets[-1][1]))
        if self._flag(cells, "UNIQUE"):
            columns = [{"column_name_hint": name}]
            found.unique.append({"name": unique_key_name(table, [name]), "columns": columns})
        self._note_names(f"schema.{table}.column.{name}", cells)

    def _note_names(self, key: str, cells: _Cells) -> None:
        texts = {name.removeprefix(_NAME_OF): text for name, text in cells.items() if _is_name(name, text)}
        if texts:
            self._names[key] = texts

    def _id(self, cells: _Cells) -> int | None:
        text = cells.get("ID", "")
        if not text:
            return None
        if not (text.isascii() and text.isdecimal()) or not 0 < int(text[:12]) < 2**31:
            raise self._error(message("{text} is no id: a number from 1.", text=text))
        return int(text)

    def _flag(self, cells: _Cells, name: str) -> bool:
        text = cells.get(name, "").lower()
        if text not in ("", "true", "false", "1", "0"):
            raise self._error(message("{name} is neither true nor false, but {text}.", name=name, text=text))
        return text in ("true", "1")

    def _error(self, what: Message) -> ExchangeError:
        return ExchangeError(self._line, what, message("Nothing was imported. Export the dump once more."))

    def _document(self) -> Document:
        for line, target in self._targets:
            if target not in self._tables:
                self._line = line
                raise self._error(message("The table {table} is not defined.", table=target))
        if not self._tables:
            self._line = 0
            raise self._error(message("No table is defined in this file."))
        tables = [
            {**table.raw, "columns": table.columns, "unique_keys": table.unique, "foreign_keys": table.links}
            for table in self._tables.values()
        ]
        try:
            return read_document({"tables": tables})
        except DocumentError as error:
            self._line = 0
            raise self._error(error.message) from error


def _is_name(name: str, text: str) -> bool:
    return name.startswith(_NAME_OF) and len(name) > len(_NAME_OF) and bool(text)


def _link(table: str, column: str, target: str) -> dict[str, object]:
    return {
        "name": foreign_key_name(table, [column], target),
        "on_delete": "restrict",
        "on_update": "cascade",
        "columns": [{"column_name_hint": column}],
        "referenced_table": {"name_hint": target, "columns": [{PRIMARY_KEY: True}]},
    }


def completed(dump: Document, target: Document) -> Document:
    """A dump with the keys of the target, and with all that a dump cannot have from the target."""
    tables = tuple(_completed_table(table, target.by_key.get(table.key)) for table in dump.tables)
    return replace(dump, raw=target.raw or {"type": "user"}, tables=tables)


def _completed_table(table: Table, was: Table | None) -> Table:
    if was is None:
        return replace(table, entries=tuple(_with_defaults(entry) for entry in table.entries))
    entries: list[TableEntry] = []
    known = {entry.ref(was.key): entry for entry in was.entries}
    for entry in table.entries:
        same = known.get(entry.ref(table.key))
        raw = {} if same is None else same.raw
        entries.append(_with_defaults(entry) if same is None else replace(same, raw={**raw, **entry.raw}))
    for at, entry in enumerate(was.entries):
        if isinstance(entry, ReverseLink | UnknownEntry):
            entries.insert(min(at, len(entries)), entry)
    links_before = {(key.column_keys, key.target): key for key in was.foreign_keys}
    foreign_keys = [links_before.get((key.column_keys, key.target), key) for key in table.foreign_keys]
    columns = {entry.key for entry in entries if isinstance(entry, Column)}
    links = {entry.key for entry in entries if isinstance(entry, Column) and entry.is_link}
    foreign_keys += [key for key in was.foreign_keys if not links.issuperset(key.column_keys)]
    unique = {key.column_keys: key for key in table.unique_keys}
    unique |= {key.column_keys: key for key in was.unique_keys if columns.issuperset(key.column_keys)}
    return replace(
        table,
        raw={**was.raw, **table.raw},
        entries=tuple(entries),
        foreign_keys=tuple(key for key in foreign_keys if columns.issuperset(key.column_keys)),
        unique_keys=tuple(unique.values()),
    )


def _with_defaults(entry: TableEntry) -> TableEntry:
    """A new entry with the options that every column has."""
    if isinstance(entry, Column):
        return replace(entry, raw={"not_null": False, "reverse_edit": False, **entry.raw})
    return entry
