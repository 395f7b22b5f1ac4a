"""Reads tables from SQL definitions and dumps with sqlglot. Rows of a dump are skipped.

A script is split into statements here, so that errors have the line in the file, and data is never parsed.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import TYPE_CHECKING, Any

from cdb_desktop.foundation.i18n import Message, message
from cdb_desktop.foundation.lazy import lazy
from cdb_desktop.schema.document.json_values import plain_text
from cdb_desktop.schema.exchange.relational import (
    ExchangeError,
    LossList,
    Progress,
    RelationalColumn,
    RelationalLink,
    RelationalModel,
    RelationalTable,
    find_type_markers,
    has_any_key,
    with_automatic_columns,
)
from cdb_desktop.schema.exchange.types import Dialect, column_of, has_mysql_key, read_type

if TYPE_CHECKING:
    import sqlglot
else:
    # It takes a tenth of a second, and only an import of SQL needs it.
    sqlglot = lazy("sqlglot")

_LOADING = Lock()
_PIECE = re.compile(r"--|/\*|['\"`;#]|\$\w*\$")
_ENDS = {
    "--": re.compile(r"\n|\Z"),
    "#": re.compile(r"\n|\Z"),
    "/*": re.compile(r"\*/"),
    "'": re.compile(r"(?:[^']|'')*+'(?!')"),
    '"': re.compile(r'"'),
    "`": re.compile(r"`"),
}
_ESCAPED_END = re.compile(r"(?:[^'\\]|\\.|'')*+'", re.DOTALL)  # of a text in which \ escapes
# Rows of a dump of PostgreSQL follow their statement up to a line of its own.
_COPY = re.compile(r"\s*COPY\s.*\sFROM\s+stdin", re.IGNORECASE | re.DOTALL)
_COPY_END = re.compile(r"^\\\.\r?$", re.MULTILINE)
_DEFINES = re.compile(
    r"(?:CREATE\s+(?:(?:GLOBAL\s+|LOCAL\s+)?TEMP(?:ORARY)?\s+|UNLOGGED\s+)?TABLE"
    r"|ALTER\s+TABLE\s[^()]*?\sADD\s+(?!GENERATED)|CREATE\s+UNIQUE\s+INDEX|COMMENT\s+ON\s+TABLE)\b",
    re.IGNORECASE,
)
# What dumps of PostgreSQL write behind the table for a column whose values the database assigns.
_COUNTER = re.compile(
    r"ALTER\s+TABLE\s+(?:ONLY\s+)?(?P<table>\S+)\s+ALTER\s+COLUMN\s+(?P<column>\S+)"
    r"\s+(?:ADD\s+GENERATED|SET\s+DEFAULT\s+nextval)",
    re.IGNORECASE,
)
# Comments, and commands of psql, which no semicolon ends.
_COMMENT = re.compile(r"\s*(?:--[^\n]*(?:\n|\Z)|\\[^\n]*(?:\n|\Z)|/\*(?!!).*?(?:\*/|\Z))", re.DOTALL)
_REPORTED = re.compile(
    r"(CREATE\s+(?:OR\s+REPLACE\s+)?(?:MATERIALIZED\s+)?(?:VIEW|TRIGGER|FUNCTION|PROCEDURE|TYPE|DOMAIN))"
    r"\s+(?:IF\s+NOT\s+EXISTS\s+)?([\w.\"`]+)",
    re.IGNORECASE,
)
_REMEDY = message(
    "Correct this line, or export the file again, and import it once more. Nothing was changed."
)
_DATABASES = {
    Dialect.POSTGRESQL: "PostgreSQL",
    Dialect.MYSQL: "MySQL",
    Dialect.SQLITE: "SQLite",
}
_LOST = {
    "CheckColumnConstraint": message("Checks of values"),
    "CommentColumnConstraint": message("Comments of columns"),
    "ComputedColumnConstraint": message("Computed values"),
    "DefaultColumnConstraint": message("Default values"),
    "IndexColumnConstraint": message("Indexes that are not unique"),
}
_LONGEST = 500_000  # characters of one definition: thousands of columns


@dataclass(frozen=True, slots=True)
class _Statement:
    text: str
    line: int


@dataclass(slots=True)
class _Draft:
    """A table while it is read."""

    name: str
    line: int
    columns: dict[str, RelationalColumn] = field(default_factory=dict)
    links: list[RelationalLink] = field(default_factory=list)
    unique: list[tuple[str, ...]] = field(default_factory=list)
    primary_key: tuple[str, ...] = ()
    comment: str = ""


def guess_dialect(text: str) -> Dialect:
    """The database for which definitions were written, from what only one of them knows."""
    head = text[:200_000]
    if "`" in head or re.search(r"ENGINE\s*=|AUTO_INCREMENT", head, re.IGNORECASE):
        return Dialect.MYSQL
    if re.search(r"\bAUTOINCREMENT\b|\bPRAGMA\b|INTEGER\s+PRIMARY\s+KEY\b|sqlite_", head, re.IGNORECASE):
        return Dialect.SQLITE
    return Dialect.POSTGRESQL


def read_sql(text: str, dialect: Dialect, progress: Progress) -> RelationalModel:
    """The tables that a script defines. Raises ExchangeError."""
    with _LOADING:
        # It warns about each statement that it does not understand, which is reported here as an error.
        logging.getLogger("sqlglot").setLevel(logging.CRITICAL)
        # Two threads must not load it at the same time.
        _ = sqlglot.exp
    return _Reader(dialect).read(text, progress)


def _statements(text: str, dialect: Dialect) -> Iterator[tuple[_Statement, int]]:
    """Statements with their first line, and where each ends. Raises ExchangeError."""
    start, line, counted = 0, 1, 0
    while start < len(text):
        while (comment := _COMMENT.match(text, start)) is not None:
            start = comment.end()
        end = _end_of_statement(text, start, dialect)
        part = text[start:end]
        blank = len(part) - len(part.lstrip())
        line += text.count("\n", counted, start + blank)
        counted = start + blank
        part, start = part[blank:], end + 1
        if _COPY.match(part):
            rows_end = _COPY_END.search(text, start)
            start = len(text) if rows_end is None else rows_end.end()
        if part:
            yield _Statement(part, line), start


def _end_of_statement(text: str, start: int, dialect: Dialect) -> int:
    """Where the semicolon is, or the end of the text."""
    at = start
    while (found := _PIECE.search(text, at)) is not None:
        sign, at = found.group(), found.end()
        if sign == ";":
            return found.start()
        end = _end_of_piece(text, found, dialect)
        if end is None:
            line = text.count("\n", 0, found.start()) + 1
            raise ExchangeError(
                line, message("What begins here with {sign} does not end.", sign=sign), _REMEDY
            )
        at = end
    return len(text)


def _end_of_piece(text: str, opening: re.Match[str], dialect: Dialect) -> int | None:
    """Where a comment or a text in quotes ends, None if it does not."""
    sign, at = opening.group(), opening.end()
    is_dollar = sign.startswith("$")
    if (is_dollar and dialect is not Dialect.POSTGRESQL) or (sign == "#" and dialect is not Dialect.MYSQL):
        return at
    if is_dollar:
        end = text.find(sign, at)
        return None if end < 0 else end + len(sign)
    has_escapes = dialect is Dialect.MYSQL or text[opening.start() - 1 : opening.start()] in ("E", "e")
    pattern = _ESCAPED_END if sign == "'" and has_escapes else _ENDS[sign]
    found = pattern.match(text, at) if sign == "'" else pattern.search(text, at)
    return None if found is None else found.end()


class _Reader:
    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._losses = LossList()
        self._tables: dict[str, _Draft] = {}

    def read(self, text: str, progress: Progress) -> RelationalModel:
        for statement, end in _statements(text, self._dialect):
            progress(end / (len(text) + 1))
            if _DEFINES.match(statement.text):
                self._read_definition(statement)
            elif (found := _COUNTER.match(statement.text)) is not None:
                self._set_counter(found["table"], found["column"])
            elif (found := _REPORTED.match(statement.text)) is not None:
                self._losses.add(
                    message("{statement} of SQL", statement=" ".join(found[1].split())), found[2]
                )
        tables = tuple(
            with_automatic_columns(
                RelationalTable(
                    name=draft.name,
                    columns=tuple(draft.columns.values()),
                    links=tuple(self._resolved(link) for link in draft.links),
                    unique=tuple(dict.fromkeys(draft.unique)),
                    primary_key=draft.primary_key,
                    comment=draft.comment,
                    line=draft.line,
                )
            )
            for draft in self._tables.values()
        )
        is_mysql = self._dialect is Dialect.MYSQL
        can_have_key = has_mysql_key if is_mysql else has_any_key
        return RelationalModel(tables, self._losses.all(), can_have_key)

    def _resolved(self, link: RelationalLink) -> RelationalLink:
        target = self._tables.get(link.target)
        is_key = target is not None and target.primary_key == link.target_columns
        return replace(link, target_columns=()) if is_key else link

    def _set_counter(self, written_table: str, written_column: str) -> None:
        """Makes a column one whose values the database assigns; names are as they are written."""
        names = [part.strip('"') for part in written_table.split(".")]
        name = names[-1] if names[:-1] in ([], ["public"]) else ".".join(names)
        table, column = self._tables.get(name), written_column.strip('"')
        if table is not None and column in table.columns:
            found = table.columns[column]
            table.columns[column] = replace(found, is_counter=True, type="serial")

    def _read_definition(self, statement: _Statement) -> None:
        parsed = self._parsed(statement)
        match parsed:
            case sqlglot.exp.Create(this=sqlglot.exp.Schema()) if parsed.kind == "TABLE":
                self._create_table(parsed, statement)
            case sqlglot.exp.Create(kind="INDEX"):
                self._create_index(parsed)
            case sqlglot.exp.Alter():
                self._alter_table(parsed, statement)
            case sqlglot.exp.Comment(this=sqlglot.exp.Table()):
                table = self._tables.get(_table_name(parsed.this))
                if table is not None and isinstance(parsed.expression, sqlglot.exp.Literal):
                    table.comment = parsed.expression.name
            case sqlglot.exp.Create() if parsed.args.get("expression") is not None:
                self._losses.add(message("Tables made of a query"), _table_name(parsed.this))
            case _:
                self._refuse(statement)

    def _parsed(self, statement: _Statement) -> sqlglot.exp.Expression:
        """One statement as sqlglot's tree. Raises ExchangeError."""
        if len(statement.text) > _LONGEST:
            what = message("This definition is longer than {count} characters.", count=_LONGEST)
            raise ExchangeError(statement.line, what, _REMEDY)
        try:
            return sqlglot.parse_one(statement.text, read=self._dialect.value)
        except sqlglot.errors.ParseError as error:
            found = error.errors[0] if error.errors else {}
            line = statement.line + int(found.get("line") or 1) - 1
            near = plain_text(str(found.get("highlight") or ""))[:40]
            raise ExchangeError(line, self._not_understood(near), self._remedy()) from error
        except sqlglot.errors.SqlglotError as error:
            raise ExchangeError(statement.line, self._not_understood(""), self._remedy()) from error
        except RecursionError as error:
            what = message("This definition is nested too deeply.")
            raise ExchangeError(statement.line, what, _REMEDY) from error

    def _refuse(self, statement: _Statement) -> None:
        near = plain_text(statement.text[:40])
        raise ExchangeError(statement.line, self._not_understood(near), self._remedy())

    def _not_understood(self, near: str) -> Message:
        database = _DATABASES[self._dialect]
        if near:
            return message("This is no {database} at “{text}”.", database=database, text=near)
        return message("This is no {database}.", database=database)

    def _remedy(self) -> Message:
        return message(
            "If the file is for another database, choose that when you import it. "
            "Otherwise correct this line. Nothing was changed."
        )

    def _create_table(self, parsed: sqlglot.exp.Expression, statement: _Statement) -> None:
        name = _table_name(parsed.this.this)
        if name in self._tables:
            what = message("There is a second table {table}.", table=name)
            raise ExchangeError(statement.line, what, _REMEDY)
        draft = self._tables[name] = _Draft(name, statement.line)
        for part in parsed.this.expressions:
            self._add_part(draft, part, statement)
        types = find_type_markers(statement.text)
        for column, type_ in types.items():
            found = draft.columns.get(column)
            if found is not None:
                draft.columns[column] = replace(found, type=type_, is_vague=False)
        note = parsed.find(sqlglot.exp.SchemaCommentProperty)
        if note is not None:
            draft.comment = note.this.name
        if parsed.find(sqlglot.exp.InheritsProperty) is not None:
            self._losses.add(message("Inheritance of tables"), name)

    def _add_part(self, draft: _Draft, part: sqlglot.exp.Expression, statement: _Statement) -> None:
        """One line in the parentheses of CREATE TABLE or behind ALTER TABLE … ADD."""
        match part:
            case sqlglot.exp.ColumnDef():
                self._add_column(draft, part, statement)
            case sqlglot.exp.Constraint():
                for inner in part.expressions:
                    self._add_part(draft, inner, statement)
            case sqlglot.exp.PrimaryKey():
                draft.primary_key = _names(part.expressions)
            case sqlglot.exp.UniqueColumnConstraint():
                if isinstance(part.this, sqlglot.exp.Schema):
                    draft.unique.append(_names(part.this.expressions))
            case sqlglot.exp.ForeignKey():
                self._add_link(draft, _names(part.expressions), part.args.get("reference"))
            case sqlglot.exp.Identifier():
                # SQLite accepts columns without a type.
                self._put_column(draft, RelationalColumn(part.name, "text", is_vague=True), statement)
            case _:
                kind = type(part).__name__
                lost = _LOST.get(kind) or message("{statement} of SQL", statement=kind)
                self._losses.add(lost, draft.name)

    def _add_column(self, draft: _Draft, part: sqlglot.exp.ColumnDef, statement: _Statement) -> None:
        kind = part.args.get("kind")
        written = "text" if kind is None else kind.sql()
        is_marked = part.name in find_type_markers(statement.text)
        losses = LossList() if is_marked else self._losses
        column = column_of(part.name, written, read_type(written), draft.name, losses)
        for each in part.constraints:
            column = self._with_constraint(draft, column, each.kind)
        self._put_column(draft, column, statement)

    def _with_constraint(
        self, draft: _Draft, column: RelationalColumn, kind: sqlglot.exp.Expression
    ) -> RelationalColumn:
        counter = replace(column, is_counter=True, type="serial")
        match kind:
            case sqlglot.exp.NotNullColumnConstraint():
                return replace(column, required=not kind.args.get("allow_null"))
            case sqlglot.exp.PrimaryKeyColumnConstraint():
                draft.primary_key = (column.name,)
            case sqlglot.exp.UniqueColumnConstraint():
                draft.unique.append((column.name,))
            case sqlglot.exp.Reference():
                self._add_link(draft, (column.name,), kind)
            case (
                sqlglot.exp.GeneratedAsIdentityColumnConstraint()
                | sqlglot.exp.AutoIncrementColumnConstraint()
            ):
                return counter
            case sqlglot.exp.DefaultColumnConstraint() if "nextval" in kind.sql().lower():
                return counter
            case sqlglot.exp.DefaultColumnConstraint() if isinstance(kind.this, sqlglot.exp.Null):
                pass
            case _:
                lost = _LOST.get(type(kind).__name__)
                if lost is not None:
                    self._losses.add(lost, f"{draft.name}.{column.name}")
        return column

    def _put_column(self, draft: _Draft, column: RelationalColumn, statement: _Statement) -> None:
        if column.name in draft.columns:
            what = message("There is a second column {column}.", column=f"{draft.name}.{column.name}")
            raise ExchangeError(statement.line, what, _REMEDY)
        draft.columns[column.name] = column

    def _add_link(
        self, draft: _Draft, columns: tuple[str, ...], reference: sqlglot.exp.Expression | None
    ) -> None:
        if reference is None:
            return
        target = reference.this
        names: tuple[str, ...] = ()
        if isinstance(target, sqlglot.exp.Schema):
            names = _names(target.expressions)
            target = target.this
        rules = {"ON DELETE": "", "ON UPDATE": ""}
        for option in reference.args.get("options") or ():
            for rule in rules:
                if str(option).upper().startswith(rule):
                    rules[rule] = str(option)[len(rule) :].strip().lower()
        link = RelationalLink(columns, _table_name(target), names, rules["ON DELETE"], rules["ON UPDATE"])
        draft.links.append(link)

    def _create_index(self, parsed: sqlglot.exp.Expression) -> None:
        table = self._tables.get(_table_name(parsed.this.args.get("table")))
        params = parsed.this.args.get("params")
        if table is None or params is None:
            return
        parts = [
            each.this if isinstance(each, sqlglot.exp.Ordered) else each
            for each in params.args.get("columns") or ()
        ]
        if params.args.get("where") is None and all(isinstance(part, sqlglot.exp.Column) for part in parts):
            table.unique.append(tuple(part.name for part in parts))
        else:
            self._losses.add(message("Unique keys with conditions or expressions"), parsed.this.name)

    def _alter_table(self, parsed: sqlglot.exp.Expression, statement: _Statement) -> None:
        table = self._tables.get(_table_name(parsed.this))
        if table is None:
            return
        for action in parsed.args.get("actions") or ():
            match action:
                case sqlglot.exp.AddConstraint():
                    for part in action.expressions:
                        self._add_part(table, part, statement)
                case sqlglot.exp.ColumnDef():
                    self._add_column(table, action, statement)
                case _:
                    pass


def _table_name(table: Any) -> str:
    """A table's name with its schema, unless that is the usual one."""
    name, schema = str(table.name), str(getattr(table, "db", ""))
    return name if schema in ("", "public", "main") else f"{schema}.{name}"


def _names(parts: list[Any]) -> tuple[str, ...]:
    return tuple(str(part.name) for part in parts)
