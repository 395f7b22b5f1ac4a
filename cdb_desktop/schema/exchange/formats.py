"""The formats of other tools: which there are, and how a document is described, exported and imported."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum

from cdb_desktop.foundation.i18n import Message, message
from cdb_desktop.schema.document.json_values import text_attribute
from cdb_desktop.schema.document.model import (
    TABLE_PARTS,
    VERSION_ATTRIBUTES,
    Column,
    Document,
    NestedTableEntry,
    ReverseLink,
    Table,
    UniqueKey,
    UnknownEntry,
)
from cdb_desktop.schema.document.names import table_name
from cdb_desktop.schema.exchange.dbml import read_dbml, write_dbml
from cdb_desktop.schema.exchange.mermaid import read_mermaid, write_mermaid
from cdb_desktop.schema.exchange.relational import (
    MOST_BYTES,
    Dialect,
    ExchangeError,
    Loss,
    LossList,
    Progress,
    RelationalColumn,
    RelationalLink,
    RelationalModel,
    RelationalTable,
)
from cdb_desktop.schema.exchange.sql import guess_dialect, read_sql, write_sql


class ExchangeFormat(Enum):
    """A format; the value is the usual suffix of its files, behind a word where several have the same."""

    DBML = ".dbml"
    POSTGRESQL = "postgresql.sql"
    MYSQL = "mysql.sql"
    SQLITE = "sqlite.sql"
    MERMAID = ".mmd"

    @property
    def suffix(self) -> str:
        """The suffix of its files."""
        return self.value[self.value.rindex(".") :]


_DIALECTS = {
    ExchangeFormat.POSTGRESQL: Dialect.POSTGRESQL,
    ExchangeFormat.MYSQL: Dialect.MYSQL,
    ExchangeFormat.SQLITE: Dialect.SQLITE,
}
_BY_DIALECT = {dialect: format_ for format_, dialect in _DIALECTS.items()}
_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))


@dataclass(frozen=True, slots=True)
class ExportedModel:
    """The text of a file, and what has no counterpart in its format."""

    text: str
    losses: tuple[Loss, ...]


def export_model(document: Document, format_: ExchangeFormat) -> ExportedModel:
    """The document in a format. Takes about a tenth of a second for 1,000 tables."""
    model = describe(document)
    if format_ is ExchangeFormat.DBML:
        return ExportedModel(*write_dbml(model))
    if format_ is ExchangeFormat.MERMAID:
        return ExportedModel(*write_mermaid(model))
    return ExportedModel(*write_sql(model, _DIALECTS[format_]))


def _no_progress(_done: float) -> None:
    pass


def read_model(content: bytes, format_: ExchangeFormat, progress: Progress = _no_progress) -> RelationalModel:
    """The tables in the bytes of a file. Raises ExchangeError, and whatever ``progress`` raises."""
    if len(content) > MOST_BYTES:
        what = message("The file has more than {count} MB.", count=MOST_BYTES // 1_000_000)
        remedy = message("Export the structure only, without rows, as with pg_dump --schema-only.")
        raise ExchangeError(0, what, remedy)
    text = _decoded(content)
    model = _reader(format_)(text, progress)
    if not model.tables:
        what = message("No table is defined in this file.")
        raise ExchangeError(0, what, message("Choose another file, or another format of it."))
    return model


def guess_format(name: str, content: bytes) -> ExchangeFormat:
    """The format of a file by its name, of SQL also by its content."""
    suffix = name[name.rfind(".") :].lower()
    if suffix == ".dbml":
        return ExchangeFormat.DBML
    if suffix in (".mmd", ".mermaid", ".md"):
        return ExchangeFormat.MERMAID
    text = content[:200_000].decode("utf-8", "replace")
    if suffix != ".sql":
        if "erDiagram" in text:
            return ExchangeFormat.MERMAID
        if "CREATE TABLE" not in text.upper():
            return ExchangeFormat.DBML
    return _BY_DIALECT[guess_dialect(text)]


def _reader(format_: ExchangeFormat) -> Callable[[str, Progress], RelationalModel]:
    if format_ is ExchangeFormat.DBML:
        return read_dbml
    if format_ is ExchangeFormat.MERMAID:
        return read_mermaid
    dialect = _DIALECTS[format_]
    return lambda text, progress: read_sql(text, dialect, progress)


def _decoded(content: bytes) -> str:
    for mark, encoding in _BOMS:
        if content.startswith(mark):
            return content[len(mark) :].decode(encoding, "replace").replace("\r\n", "\n")
    try:
        return content.decode().replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        what = message("This is no text in UTF-8.")
        raise ExchangeError(
            line, what, message("Save the file as UTF-8, and import it once more.")
        ) from error


# Attributes that are expressed, or that are equal in every new table or column.
_TABLE_DEFAULTS: Mapping[str, object] = {"in_main_search": True}
_TABLE_PARTS = TABLE_PARTS | {"is_hierarchical", "comment"}
_COLUMN_PARTS = frozenset({"kind", "column_id", "name", "type", "not_null"})
_DOCUMENT_PARTS = frozenset({"type", "tables", *VERSION_ATTRIBUTES})
_NAMED_OPTIONS = {
    "pool_link": message("Membership in pools"),
    "acl_table": message("Rights of single records"),
    "has_tags": message("Tags"),
    "in_main_search": message("Absence from the main search"),
    "reverse_edit": message("Reverse editing of links"),
    "l10n_languages": message("The languages of the schema"),
}


def describe(document: Document) -> RelationalModel:
    """The tables of a document with their links, and what is lost."""
    losses = LossList()
    for name, value in document.raw.items():
        if name not in _DOCUMENT_PARTS and value:
            losses.add(_option(name))
    tables = tuple(_table(document, table, losses) for table in document.tables)
    losses.add(message("Masks and localized names, which are no part of the schema"))
    return RelationalModel(tables, losses.all())


def _table(document: Document, table: Table, losses: LossList) -> RelationalTable:
    for name, value in table.raw.items():
        is_expressed = name in _TABLE_PARTS or (value or None) == (_TABLE_DEFAULTS.get(name) or None)
        if not is_expressed:
            losses.add(_option(name), table.name)
    if table.is_nested:
        losses.add(
            message("Nested tables, which become tables with a foreign key to their owner"), table.name
        )
    _report_entries(table, losses)
    columns = tuple(_column(table, column, losses) for column in table.columns)
    unique = (_unique_key(table, key, losses) for key in table.unique_keys)
    return RelationalTable(
        name=table.name,
        columns=columns,
        links=_links(document, table, losses),
        unique=tuple(dict.fromkeys(key for key in unique if key)),
        owner=table_name(document, table.owner) if table.owner is not None else "",
        is_hierarchical=table.flag("is_hierarchical"),
        comment=text_attribute(table.raw, "comment"),
    )


def _report_entries(table: Table, losses: LossList) -> None:
    positions = [isinstance(entry, NestedTableEntry) for entry in table.entries]
    if positions != sorted(positions):
        losses.add(message("Positions of nested tables among columns"), table.name)
    for entry in table.entries:
        if isinstance(entry, ReverseLink):
            losses.add(message("Entries through which linking records are edited"), table.name)
        elif isinstance(entry, UnknownEntry):
            losses.add(message("Entries of an unknown kind"), table.name)


def _column(table: Table, column: Column, losses: LossList) -> RelationalColumn:
    for name, value in column.raw.items():
        if name not in _COLUMN_PARTS and value not in (None, False, "", [], {}):
            losses.add(_option(name), f"{table.name}.{column.name}")
    return RelationalColumn(column.name, column.type, column.flag("not_null"))


def _option(name: str) -> Message:
    return _NAMED_OPTIONS.get(name) or message("Option {option}", option=name)


def _links(document: Document, table: Table, losses: LossList) -> tuple[RelationalLink, ...]:
    links: dict[str, RelationalLink] = {}
    for key in table.foreign_keys:
        names = [table.by_key[each].name for each in key.column_keys if each in table.by_key]
        target = None if key.target is None else document.by_key.get(key.target)
        if target is None or len(names) != 1 or names[0] in links:
            losses.add(message("Links without a target"), f"{table.name}.{' + '.join(names)}")
            continue
        rules = (text_attribute(key.raw, rule) for rule in ("on_delete", "on_update"))
        links[names[0]] = RelationalLink((names[0],), target.name, (), *rules)
    return tuple(links.values())


def _unique_key(table: Table, key: UniqueKey, losses: LossList) -> tuple[str, ...]:
    names = tuple(table.by_key[each].name for each in key.column_keys if each in table.by_key)
    if len(names) != len(key.columns) or not names:
        losses.add(message("Unique keys with automatic columns or conditions"), key.name or table.name)
        return ()
    return names
