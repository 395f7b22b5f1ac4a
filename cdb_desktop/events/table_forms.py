"""Files that hold a table with types: which there are, what writes them, and what they can hold. No I/O."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Literal

import msgspec

TableForm = Literal["parquet", "xlsx"]


class Limits(msgspec.Struct, frozen=True):
    """What a form can hold; None where there is no limit. ``rows`` are events, without the line of titles.

    ``at_once`` of them are made between two tellings how far it is; in Parquet they are a group of rows.
    """

    rows: int | None = None
    columns: int | None = None
    characters: int | None = None  # of a cell
    at_once: int = 20_000


# The first that is there writes: XlsxWriter takes half the time of openpyxl.
WRITERS: dict[TableForm, tuple[str, ...]] = {"parquet": ("pyarrow",), "xlsx": ("xlsxwriter", "openpyxl")}
LIMITS: dict[TableForm, Limits] = {
    "parquet": Limits(),
    "xlsx": Limits(rows=1_048_575, columns=16_384, characters=32_767, at_once=1_000),
}


def writer_of(form: TableForm) -> str | None:
    """The library that writes ``form``; None where none is installed. Looks for it, and loads nothing."""
    return next((name for name in WRITERS[form] if find_spec(name) is not None), None)
