"""Keeps spreadsheets from taking what users have typed for formulas. No I/O."""

from __future__ import annotations

import re
from collections.abc import Iterable

from cdb_desktop.events.sheet import Dialect

_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
_SUSPECT = re.compile(rb"[=+@\t]|-[^0-9]|\r[^\n]|\n(?!\Z)|\xef\xbc[\x8b\x8d\x9d\xa0]")
_NUMBER = re.compile(r"[+-]?\d+([.,]\d+)?")


def guarded(rows: Iterable[bytes], dialect: Dialect) -> bytes:
    """Records in which no cell is a formula: an apostrophe stands before each that would be, but numbers."""
    return b"".join([_guarded(row, dialect) if _SUSPECT.search(row) else row for row in rows])


def _guarded(row: bytes, dialect: Dialect) -> bytes:
    cells = dialect.cells(row)
    safe = [f"'{cell}" if _is_formula(cell) else cell for cell in cells]
    return row if safe == cells else dialect.record(safe)


def _is_formula(cell: str) -> bool:
    return cell.startswith(_STARTS) and not _NUMBER.fullmatch(cell)
