"""Indexes over a part of a table's rows, told once for every database; knows no table."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Index
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.schema import CreateIndex
from sqlalchemy.sql.compiler import DDLCompiler


def only(condition: ColumnElement[bool]) -> dict[str, Any]:
    """Options of an `Index` over only those rows for which the condition holds.

    To name PostgreSQL's option here would load all of its dialect at every start: see below.
    """
    return {"sqlite_where": condition}


@compiles(CreateIndex, "postgresql")
def _create(element: CreateIndex, compiler: DDLCompiler, **more: Any) -> str:
    index: Index = element.element
    index.dialect_options["postgresql"]["where"] = index.dialect_options["sqlite"]["where"]
    told: str = compiler.visit_create_index(element, **more)  # type: ignore[no-untyped-call]
    return told
