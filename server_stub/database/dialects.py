"""SQL that databases spell differently: bytes of a text, concatenation, indexes over a part of the rows."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Index, LargeBinary, Text
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.schema import CreateIndex
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


def only(condition: ColumnElement[bool]) -> dict[str, Any]:
    """Returns options of an `Index` over only those rows for which the condition holds.

    To name PostgreSQL's option here would load all of its dialect at every start: see below.
    """
    return {"sqlite_where": condition}


@compiles(CreateIndex, "postgresql")
def _create(element: CreateIndex, compiler: DDLCompiler, **more: Any) -> str:
    index: Index = element.element
    index.dialect_options["postgresql"]["where"] = index.dialect_options["sqlite"]["where"]
    statement: str = compiler.visit_create_index(element, **more)  # type: ignore[no-untyped-call]
    return statement
