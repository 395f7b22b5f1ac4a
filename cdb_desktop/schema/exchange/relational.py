"""A schema as other tools describe it: tables, columns, types, primary keys and foreign keys, without ids."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

from cdb_desktop.foundation.i18n import Message, message
from cdb_desktop.schema.document.column_types import TypeFamily, type_family

# The names of automatic columns, as our server stores them. No column of a document can have such a name.
PRIMARY_KEY, UPLINK, PARENT = "_id", "_uplink_id", "_parent_id"
AUTOMATIC_TYPE = "BIGINT"
MOST_BYTES = 10_000_000

_SHOWN = 5  # elements in the text of a loss
_MARKER = re.compile(r"cdb ([a-z][a-z0-9_]*) ([\w.:-]+)")

# Called with the part that is done, from 0 to 1; may raise an exception to end the work.
Progress = Callable[[float], None]


REMEDY = message("Correct this line, or export the file again, and import it once more. Nothing was changed.")


class ExchangeError(Exception):
    """A file that cannot be imported; ``line`` counts from 1, 0 if the error has no place."""

    def __init__(self, line: int, what: Message, remedy: Message) -> None:
        super().__init__(f"{line}: {what}" if line else str(what))
        self.line = line
        self.message = what
        self.remedy = remedy


@dataclass(frozen=True, slots=True)
class Loss:
    """What has no counterpart on the other side, and the names of the elements that it concerns."""

    what: Message
    elements: tuple[str, ...] = ()

    def __str__(self) -> str:
        more = len(self.elements) - _SHOWN
        names = ", ".join(self.elements[:_SHOWN])
        text = f"{self.what}: {names}" if names else str(self.what)
        return f"{text} … +{more}" if more > 0 else text


class LossList:
    """Collects losses: those of one kind become one with all of their elements."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[Message, dict[str, None]]] = {}

    def add(self, what: Message, *elements: str) -> None:
        """Adds a loss of some elements."""
        _, names = self._found.setdefault(str(what), (what, {}))
        names.update(dict.fromkeys(elements))

    def extend(self, losses: Iterable[Loss]) -> None:
        """Adds losses."""
        for loss in losses:
            self.add(loss.what, *loss.elements)

    def all(self) -> tuple[Loss, ...]:
        """All losses in the order in which their kinds were found."""
        return tuple(Loss(what, tuple(names)) for what, names in self._found.values())


@dataclass(frozen=True, slots=True)
class RelationalColumn:
    """A column that is no automatic one.

    ``type`` is a type of the document. ``is_vague``: the file's type has several counterparts or none, so a
    type that the column already has is better. ``is_counter``: the database assigns its values.
    ``required`` is None if the format cannot say.
    """

    name: str
    type: str
    required: bool | None = False
    is_vague: bool = False
    is_counter: bool = False


@dataclass(frozen=True, slots=True)
class RelationalLink:
    """A foreign key. ``target_columns`` is empty for the primary key of the target."""

    columns: tuple[str, ...]
    target: str
    target_columns: tuple[str, ...] = ()
    on_delete: str = ""
    on_update: str = ""


@dataclass(frozen=True, slots=True)
class RelationalTable:
    """A table; ``owner`` is the table in which it is nested, ``line`` where it begins in its file.

    ``primary_key`` is empty, or holds the columns of a key that is not the automatic one.
    """

    name: str
    columns: tuple[RelationalColumn, ...] = ()
    links: tuple[RelationalLink, ...] = ()
    unique: tuple[tuple[str, ...], ...] = ()
    primary_key: tuple[str, ...] = ()
    owner: str = ""
    is_hierarchical: bool = False
    comment: str = ""
    line: int = 0


# Called with the types of a key's columns.
KeyTest = Callable[[Sequence[str]], bool]


def has_any_key(_types: Sequence[str]) -> bool:
    """True: there are unique keys of any columns."""
    return True


@dataclass(frozen=True, slots=True)
class RelationalModel:
    """All tables, and what could not be described by them.

    ``can_have_key``: whether the format has unique keys of columns with these types of documents.
    """

    tables: tuple[RelationalTable, ...]
    losses: tuple[Loss, ...] = ()
    can_have_key: KeyTest = has_any_key


def type_marker(name: str, type_: str) -> str:
    """The text of a comment that says which type a column has in the document, empty if it cannot."""
    text = f"cdb {name} {type_}"
    return text if _MARKER.fullmatch(text) and "--" not in text else ""


def find_type_markers(text: str) -> dict[str, str]:
    """The types by columns in the markers of a text."""
    return {found[1]: found[2] for found in _MARKER.finditer(text)}


@dataclass(slots=True)
class TableDraft:
    """A table while it is read; ``line`` is where it begins."""

    name: str
    line: int
    columns: dict[str, RelationalColumn] = field(default_factory=dict)
    links: list[RelationalLink] = field(default_factory=list)
    unique: list[tuple[str, ...]] = field(default_factory=list)
    primary_key: tuple[str, ...] = ()
    comment: str = ""

    def add(self, column: RelationalColumn, line: int) -> None:
        """Adds a column. Raises ExchangeError if there is one with this name."""
        if column.name in self.columns:
            what = message("There is a second column {column}.", column=f"{self.name}.{column.name}")
            raise ExchangeError(line, what, REMEDY)
        self.columns[column.name] = column

    def table(self) -> RelationalTable:
        """The table without its automatic columns."""
        return with_automatic_columns(
            RelationalTable(
                name=self.name,
                columns=tuple(self.columns.values()),
                links=tuple(self.links),
                unique=tuple(dict.fromkeys(self.unique)),
                primary_key=self.primary_key,
                comment=self.comment,
                line=self.line,
            )
        )


def with_automatic_columns(table: RelationalTable) -> RelationalTable:
    """A table as a file holds it, without its automatic columns: they become owner and hierarchy."""
    names = {column.name for column in table.columns}
    owner, is_hierarchical, links = table.owner, table.is_hierarchical, []
    for link in table.links:
        if link.columns == (UPLINK,) and table.name.startswith(f"{link.target}__"):
            owner = link.target
        elif link.columns == (PARENT,) and link.target == table.name:
            is_hierarchical = True
        else:
            links.append(link)
    gone = {PRIMARY_KEY} if table.primary_key == (PRIMARY_KEY,) else set()
    gone |= {UPLINK} if owner else set()
    gone |= {PARENT} if is_hierarchical else set()
    if not gone & names:
        return replace(table, owner=owner, is_hierarchical=is_hierarchical, links=tuple(links))
    return replace(
        table,
        columns=tuple(column for column in table.columns if column.name not in gone),
        links=tuple(links),
        primary_key=() if PRIMARY_KEY in gone else table.primary_key,
        owner=owner,
        is_hierarchical=is_hierarchical,
    )


class Dialect(Enum):
    """A database whose SQL is written and read; the value is sqlglot's name of it."""

    POSTGRESQL = "postgres"
    MYSQL = "mysql"
    SQLITE = "sqlite"


_COMMON = {
    TypeFamily.TEXT: "TEXT",
    TypeFamily.LOCALIZED: "JSON",
    TypeFamily.INTEGER: "BIGINT",
    TypeFamily.DECIMAL: "DECIMAL(18, 2)",
    TypeFamily.SERIAL: "BIGINT",
    TypeFamily.BOOLEAN: "BOOLEAN",
    TypeFamily.DATE: "DATE",
    TypeFamily.DATE_TIME: "DATETIME",
    TypeFamily.DATE_RANGE: "JSON",
    TypeFamily.FILE: "JSON",
    TypeFamily.LINK: "BIGINT",
    TypeFamily.CUSTOM: "JSON",
}
_SQL: Mapping[Dialect, Mapping[TypeFamily, str]] = {
    Dialect.POSTGRESQL: {
        **_COMMON,
        TypeFamily.LOCALIZED: "JSONB",
        TypeFamily.DECIMAL: "NUMERIC(18, 2)",
        TypeFamily.SERIAL: "BIGINT GENERATED BY DEFAULT AS IDENTITY",
        TypeFamily.DATE_TIME: "TIMESTAMPTZ",
        TypeFamily.DATE_RANGE: "DATERANGE",
        TypeFamily.FILE: "JSONB",
        TypeFamily.CUSTOM: "JSONB",
    },
    Dialect.MYSQL: _COMMON,
    Dialect.SQLITE: _COMMON,
}
_ONE_LINE = "text_oneline"
# The longest text that three columns of a unique key of MySQL may have.
_MOST_KEY_COLUMNS_OF_MYSQL = 3  # of 255 characters each, in the 3,072 bytes that an index may have
_MYSQL_KEY_TEXT = "VARCHAR(255)"

_TEXTS = "text tinytext mediumtext longtext ntext clob nclob"
_LINES = (
    "varchar char bpchar nchar nvarchar varchar2 nvarchar2 character string str name citext fixed_string "
    "character_varying"
)
_INTEGERS = (
    "int int2 int4 int8 integer tinyint smallint mediumint bigint uint utinyint usmallint umediumint ubigint "
    "number long short"
)
_COUNTERS = "serial smallserial bigserial serial4 serial8 serial2"
_DECIMALS = "decimal numeric money smallmoney dec fixed udecimal"
_FLOATS = "float float4 float8 double real double_precision udouble"
_TIMES = (
    "timestamp timestamptz timestampntz timestampltz datetime datetime2 smalldatetime datetimeoffset "
    "timestamp_s timestamp_ms timestamp_ns"
)
_BLOBS = "bytea blob binary varbinary tinyblob mediumblob longblob image bytes"
_JSON = "json jsonb map struct object variant hstore"
_NUMBER = re.compile(r"\d+")
_NAME = re.compile(r"[a-z_][a-z0-9_]*")

# The type of a document, and whether it is only a guess.
_READ: dict[str, tuple[str, bool]] = {
    **dict.fromkeys(_TEXTS.split(), ("text", False)),
    **dict.fromkeys(_LINES.split(), (_ONE_LINE, False)),
    **dict.fromkeys(_INTEGERS.split(), ("number", False)),
    **dict.fromkeys(_COUNTERS.split(), ("serial", False)),
    **dict.fromkeys(_DECIMALS.split(), ("decimal.2", False)),
    **dict.fromkeys(_FLOATS.split(), ("decimal.2", True)),
    **dict.fromkeys(("boolean", "bool"), ("boolean", False)),
    **dict.fromkeys(("date", "date32"), ("date", False)),
    **dict.fromkeys(_TIMES.split(), ("datetime", False)),
    "daterange": ("daterange", False),
    **dict.fromkeys(_BLOBS.split(), ("eas", True)),
    **dict.fromkeys(_JSON.split(), ("text", True)),
    "uuid": (_ONE_LINE, True),
    "enum": (_ONE_LINE, True),
    "bit": ("boolean", True),
}


def sql_type(dialect: Dialect, type_: str, *, in_key: bool) -> str:
    """The type of a column in SQL; ``in_key``: it is part of a unique key."""
    family = type_family(type_)
    if family is TypeFamily.TEXT or family is None:
        if dialect is Dialect.MYSQL:
            return _MYSQL_KEY_TEXT if in_key else "TEXT"
        return "VARCHAR" if type_ == _ONE_LINE else "TEXT"
    return _SQL[dialect][family]


def has_mysql_key(types: Sequence[str]) -> bool:
    """Whether MySQL has unique keys of columns with these types: no JSON, and not too long."""
    families = [type_family(type_) for type_ in types]
    return len(types) <= _MOST_KEY_COLUMNS_OF_MYSQL and not any(
        family is not None and _COMMON[family] == "JSON" for family in families
    )


def report_types(dialect: Dialect, model: RelationalModel, losses: LossList) -> None:
    """Adds the types that SQL cannot express."""
    kinds: dict[TypeFamily | None, Message] = {
        TypeFamily.LOCALIZED: message("Localized texts, which become JSON"),
        TypeFamily.FILE: message("Files, which become JSON"),
        TypeFamily.CUSTOM: message("Custom types, which become JSON"),
        None: message("Unknown types, which become text"),
    }
    if dialect is not Dialect.POSTGRESQL:
        kinds[TypeFamily.DATE_RANGE] = message("Date ranges, which become JSON")
        kinds[TypeFamily.SERIAL] = message("Serial numbers, which become plain numbers")
    for table in model.tables:
        for column in table.columns:
            kind = kinds.get(type_family(column.type))
            if kind is not None:
                losses.add(kind, f"{table.name}.{column.name}")


def read_type(written: str) -> tuple[str, bool]:
    """The type of a document for one in SQL such as ``numeric(10,2)``, and whether it is only a guess."""
    text = (
        written.strip().lower().replace("character varying", "varchar").replace("double precision", "double")
    )
    found = _NAME.match(text)
    name = found.group() if found else ""
    sizes = [int(size[:9]) for size in _NUMBER.findall(text[len(name) :])]
    if text.endswith("]") or name == "array":
        return "text", True
    if name == "tinyint" and sizes == [1]:
        return "boolean", False
    if name in _DECIMALS.split() and name not in ("money", "smallmoney"):
        scale = sizes[1] if len(sizes) > 1 else 0 if sizes else 2
        return ("decimal.2", scale > 2) if scale else ("number", False)
    return _READ.get(name, (_ONE_LINE, True))


def read_foreign_type(written: str) -> tuple[str, bool]:
    """The same where types may be those of documents, as in DBML and Mermaid."""
    return (written, False) if type_family(written) is not None else read_type(written)


def column_of(
    name: str, written: str, type_: tuple[str, bool], table: str, losses: LossList
) -> RelationalColumn:
    """A column that was read; reports its type if that is a guess."""
    if type_[1]:
        losses.add(
            message("Type {written}, which becomes {type}", written=written[:40].lower(), type=type_[0]),
            f"{table}.{name}",
        )
    return RelationalColumn(name, type_[0], is_vague=type_[1])
