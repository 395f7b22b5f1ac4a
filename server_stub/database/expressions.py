"""SQL expressions that each database spells differently; knows no table."""

from __future__ import annotations

from typing import Any

from sqlalchemy import LargeBinary, Text
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement


class utf8(FunctionElement[bytes]):  # noqa: N801 - it reads as SQL
    """A text as its UTF-8 bytes, so that nobody decodes what is only sent on."""

    inherit_cache = True
    type = LargeBinary()


@compiles(utf8, "sqlite")
def _sqlite_utf8(element: utf8, compiler: SQLCompiler, **more: Any) -> str:
    return f"CAST({compiler.process(element.clauses, **more)} AS BLOB)"


@compiles(utf8, "postgresql")
def _postgresql_utf8(element: utf8, compiler: SQLCompiler, **more: Any) -> str:
    return f"convert_to({compiler.process(element.clauses, **more)}, 'UTF8')"


class concatenated(FunctionElement[str]):  # noqa: N801 - it reads as SQL
    """Texts and numbers one after the other, without what is null; `||` would copy the text at every step."""

    inherit_cache = True
    type = Text()


@compiles(concatenated, "sqlite")
def _sqlite_concatenated(element: concatenated, compiler: SQLCompiler, **more: Any) -> str:
    form = "%s" * len(element.clauses)
    return f"printf('{form}', {compiler.process(element.clauses, **more)})"


@compiles(concatenated, "postgresql")
def _postgresql_concatenated(element: concatenated, compiler: SQLCompiler, **more: Any) -> str:
    return f"concat({compiler.process(element.clauses, **more)})"
