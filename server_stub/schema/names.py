"""Naming rules of tables, columns and generated constraints (wire §5); knows no document."""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import sha1

LONGEST = 63
SEPARATOR = "__"

_TABLE = re.compile(r"[a-z][a-z0-9_]{0,61}[a-z0-9]")
_COLUMN = re.compile(r"[a-z]([a-z0-9_]{0,61}[a-z0-9])?")
_RESERVED_TABLES = frozenset({"pool", "collection", "user", "group", "message"})
_RESERVED_PREFIX = "ez_"


def is_table_name(name: str) -> bool:
    """Whether an objecttype or a nested table may have this whole name."""
    return (
        _TABLE.fullmatch(name) is not None
        and name not in _RESERVED_TABLES
        and not name.startswith(_RESERVED_PREFIX)
    )


def is_nested_name(name: str, owner: str) -> bool:
    """Whether a nested table of this owner may have this whole name: `owner__name`, 63 characters in all."""
    prefix = owner + SEPARATOR
    return name.startswith(prefix) and is_table_name(name) and is_column_name(name.removeprefix(prefix))


def is_column_name(name: str) -> bool:
    """Whether a column may have this name."""
    return _COLUMN.fullmatch(name) is not None


def foreign_key_name(table: str, columns: Sequence[str], referenced: str) -> str:
    """`table__column__referenced_fkey`, cut to what databases take."""
    return cut(SEPARATOR.join((table, *columns, referenced)), "_fkey")


def unique_key_name(table: str, columns: Sequence[str]) -> str:
    """`table__column_unique`, cut to what databases take."""
    return cut(SEPARATOR.join((table, *columns)), "_unique")


def cut(stem: str, ending: str = "") -> str:
    """A name of at most 63 characters: in a longer one `:` and 16 hex digits stand before the ending.

    The digits are those that real exports show: the SHA-1 of the whole name.
    """
    whole = stem + ending
    if len(whole) <= LONGEST:
        return whole
    digest = ":" + sha1(whole.encode(), usedforsecurity=False).hexdigest()[:16]
    return stem[: LONGEST - len(digest) - len(ending)] + digest + ending
