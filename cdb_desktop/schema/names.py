"""The rules of names (wire §5) and the names that are made from others. Knows no document."""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import sha1

LONGEST = 63
SEPARATOR = "__"
RESERVED = frozenset({"pool", "collection", "user", "group", "message"})
RESERVED_PREFIX = "ez_"

_TABLE = re.compile(r"[a-z][a-z0-9_]{0,61}[a-z0-9]")
_COLUMN = re.compile(r"[a-z]([a-z0-9_]{0,61}[a-z0-9])?")


def is_table_name(name: str) -> bool:
    """Whether a whole name has the form of a table's."""
    return _TABLE.fullmatch(name) is not None


def is_column_name(name: str) -> bool:
    """Whether a name has the form of a column's."""
    return _COLUMN.fullmatch(name) is not None


def is_reserved(name: str) -> bool:
    """Whether the service keeps a table's name for itself."""
    return name in RESERVED or name.startswith(RESERVED_PREFIX)


def nested_name(owner: str, name: str) -> str:
    """The whole name of a nested table."""
    return f"{owner}{SEPARATOR}{name}"


def own_name(whole: str, owner: str) -> str:
    """The part of a nested table's name after its owner's; the whole where the owner's is not in front."""
    return whole.removeprefix(f"{owner}{SEPARATOR}")


def foreign_key_name(table: str, columns: Sequence[str], referenced: str) -> str:
    """``table__column__referenced_fkey``, cut to what databases take."""
    return _cut(SEPARATOR.join((table, *columns, referenced)), "_fkey")


def unique_key_name(table: str, columns: Sequence[str]) -> str:
    """``table__column_unique``, cut to what databases take."""
    return _cut(SEPARATOR.join((table, *columns)), "_unique")


def _cut(stem: str, ending: str) -> str:
    """Over 63 characters ``:`` and 16 digits of the whole name's SHA-1 stand before the ending.

    The hash was found by trying it on the real names in exported models.
    """
    whole = stem + ending
    if len(whole) <= LONGEST:
        return whole
    digest = f":{sha1(whole.encode(), usedforsecurity=False).hexdigest()[:16]}"
    return stem[: LONGEST - len(digest) - len(ending)] + digest + ending
