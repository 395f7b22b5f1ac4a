"""SQL that databases spell differently: bytes of a text, concatenation, indexes, partitions, upserts."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from sqlalchemy import BigInteger, Column, ColumnElement, Connection, Index, LargeBinary, Table, Text
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.schema import CreateIndex, CreateTable
from sqlalchemy.sql.compiler import DDLCompiler, SQLCompiler
from sqlalchemy.sql.functions import FunctionElement


class utf8(FunctionElement[bytes]):  # noqa: N801 - it reads as SQL
    """A text as its UTF-8 bytes, which avoids decoding texts that are only passed on."""

    inherit_cache = True
    type = LargeBinary()


@compiles(utf8, "sqlite")
def _sqlite_utf8(element: utf8, compiler: SQLCompiler, **more: Any) -> str:
    return f"CAST({compiler.process(element.clauses, **more)} AS BLOB)"


@compiles(utf8, "postgresql")
def _postgresql_utf8(element: utf8, compiler: SQLCompiler, **more: Any) -> str:
    return f"convert_to({compiler.process(element.clauses, **more)}, 'UTF8')"


class concatenated(FunctionElement[str]):  # noqa: N801 - it reads as SQL
    """Concatenates texts and numbers, skipping nulls; `||` would copy the text at every step."""

    inherit_cache = True
    type = Text()


@compiles(concatenated, "sqlite")
def _sqlite_concatenated(element: concatenated, compiler: SQLCompiler, **more: Any) -> str:
    form = "%s" * len(element.clauses)
    return f"printf('{form}', {compiler.process(element.clauses, **more)})"


@compiles(concatenated, "postgresql")
def _postgresql_concatenated(element: concatenated, compiler: SQLCompiler, **more: Any) -> str:
    return f"concat({compiler.process(element.clauses, **more)})"


class json_text(FunctionElement[str]):  # noqa: N801 - it reads as SQL
    """A text as JSON, with its quotation marks, or null."""

    inherit_cache = True
    type = Text()


@compiles(json_text, "sqlite")
def _sqlite_json_text(element: json_text, compiler: SQLCompiler, **more: Any) -> str:
    return f"json_quote({compiler.process(element.clauses, **more)})"


@compiles(json_text, "postgresql")
def _postgresql_json_text(element: json_text, compiler: SQLCompiler, **more: Any) -> str:
    return f"coalesce(to_json({compiler.process(element.clauses, **more)}::text)::text, 'null')"


class ends_in_pause(FunctionElement[str]):  # noqa: N801 - it reads as SQL
    """Undoes the transaction that reads it if its program pauses afterwards, while others wait for it."""

    inherit_cache = True
    type = Text()


@compiles(ends_in_pause, "sqlite")
def _sqlite_ends_in_pause(*_: object, **__: object) -> str:
    return "NULL"


@compiles(ends_in_pause, "postgresql")
def _postgresql_ends_in_pause(*_: object, **__: object) -> str:
    return "set_config('idle_in_transaction_session_timeout', '1500ms', true)"


class unindexed(FunctionElement[Any]):  # noqa: N801 - it reads as SQL
    """A column whose index SQLite does not consider; PostgreSQL knows how many rows an index would find."""

    inherit_cache = True


@compiles(unindexed, "sqlite")
def _sqlite_unindexed(element: unindexed, compiler: SQLCompiler, **more: Any) -> str:
    return f"+{compiler.process(element.clauses, **more)}"


@compiles(unindexed, "postgresql")
def _postgresql_unindexed(element: unindexed, compiler: SQLCompiler, **more: Any) -> str:
    return compiler.process(element.clauses, **more)


class listed_ids(FunctionElement[int]):  # noqa: N801 - it reads as SQL
    """The rows of a JSON array of ids, for `IN`."""

    inherit_cache = True
    type = BigInteger()


@compiles(listed_ids, "sqlite")
def _sqlite_listed_ids(element: listed_ids, compiler: SQLCompiler, **more: Any) -> str:
    return f"(SELECT value FROM json_each({compiler.process(element.clauses, **more)}))"  # noqa: S608


@compiles(listed_ids, "postgresql")
def _postgresql_listed_ids(element: listed_ids, compiler: SQLCompiler, **more: Any) -> str:
    listed = compiler.process(element.clauses, **more)
    return f"(SELECT value::bigint FROM json_array_elements_text({listed}::json))"  # noqa: S608


class within(FunctionElement[bool]):  # noqa: N801 - it reads as SQL
    """Whether the id of an event is within a JSON array of ranges, each of which is found in the index."""

    inherit_cache = True


@compiles(within, "sqlite")
def _sqlite_within(element: within, compiler: SQLCompiler, **more: Any) -> str:
    column, ranges = (compiler.process(clause, **more) for clause in element.clauses)
    bounds = "json_extract(r.value, '$[0]') AND json_extract(r.value, '$[1]')"
    # A CROSS JOIN is not reordered: the ranges are the outer loop.
    joined = f"json_each({ranges}) AS r CROSS JOIN _event AS o ON o.id BETWEEN {bounds}"
    return f"{column} IN (SELECT o.id FROM {joined})"  # noqa: S608


@compiles(within, "postgresql")
def _postgresql_within(element: within, compiler: SQLCompiler, **more: Any) -> str:
    column, ranges = (compiler.process(clause, **more) for clause in element.clauses)
    bounds = "(r.value ->> 0)::bigint AND (r.value ->> 1)::bigint"
    joined = f"json_array_elements({ranges}::json) AS r(value) JOIN _event AS o ON o.id BETWEEN {bounds}"
    # An IN is joined with the event table, for each row of which the ranges are then tested.
    return f"{column} = ANY (ARRAY(SELECT o.id FROM {joined}))"  # noqa: S608


class among(FunctionElement[bool]):  # noqa: N801 - it reads as SQL
    """Whether a subquery has the value of a column, whose index finds the rows."""

    # It has no type, like `within`: SQLite would compare a boolean with 1, and find it in no index.
    inherit_cache = True


@compiles(among)
def _among(element: among, compiler: SQLCompiler, **more: Any) -> str:
    column, found = (compiler.process(clause, **more) for clause in element.clauses)
    # PostgreSQL would join an IN with all rows of the table.
    return f"{column} IN {found}" if compiler.dialect.name == "sqlite" else f"{column} = ANY (ARRAY{found})"


def only(condition: ColumnElement[bool]) -> dict[str, Any]:
    """Returns options of an `Index` over only those rows for which the condition holds.

    To name PostgreSQL's option here would load all of its dialect at every start: see below.
    """
    return {"sqlite_where": condition}


@compiles(CreateIndex, "postgresql")
def _create_index(element: CreateIndex, compiler: DDLCompiler, **more: Any) -> str:
    index: Index = element.element
    options = index.dialect_options["postgresql"]
    options["where"] = index.dialect_options["sqlite"]["where"]
    if not index.unique:
        # In the order of SQLite's indexes, which `in_order` sorts by.
        options["ops"] = {key: "NULLS FIRST" for key, column in index.columns.items() if column.nullable}
    statement: str = compiler.visit_create_index(element, **more)  # type: ignore[no-untyped-call]
    return statement


def partitioned_by(column_name: str) -> dict[str, Any]:
    """Returns options of a `Table` that PostgreSQL divides into partitions by ranges of a column."""
    return {"info": {"partitioned_by": column_name}}


@compiles(CreateTable, "postgresql")
def _create_table(element: CreateTable, compiler: DDLCompiler, **more: Any) -> str:
    table: Table = element.element
    if (column_name := table.info.get("partitioned_by")) is not None:
        table.dialect_options["postgresql"]["partition_by"] = f"RANGE ({column_name})"
    statement: str = compiler.visit_create_table(element, **more)  # type: ignore[no-untyped-call]
    return statement


def in_order(column: Column[Any], *, descending: bool) -> ColumnElement[Any]:
    """A term of ORDER BY in which nulls are the smallest values, as they are by default in SQLite only."""
    term = column.desc() if descending else column.asc()
    if not column.nullable:
        # PostgreSQL would find no index for an order of nulls, even if there are none.
        return term
    return term.nulls_last() if descending else term.nulls_first()


def upsert(connection: Connection, table: Table) -> Any:
    """Returns an INSERT with `on_conflict_do_update`, which the dialects of both databases have."""
    return import_module(f"sqlalchemy.dialects.{connection.dialect.name}").insert(table)
