"""The interface of a page of rows that is written to an export."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

import msgspec

from cdb_desktop.events.paging import PageOverlap


class RowEnds(msgspec.Struct, frozen=True):
    """The first id of some rows, the overlap after them, and the number of rows that cannot be read."""

    first: int | None
    overlap: PageOverlap
    unreadable: int = 0


class ExportPage(Protocol):
    """Rows by ascending id. ``rows`` is a range of row indexes in the page."""

    @property
    def header(self) -> bytes: ...
    @property
    def columns(self) -> tuple[str, ...]: ...
    def __len__(self) -> int: ...
    def count_known(self, overlap: PageOverlap) -> int: ...
    def first_after(self, last: int) -> int: ...
    def ends(self, overlap: PageOverlap, rows: range) -> RowEnds: ...
    def chunks(self, rows: range) -> Iterable[bytes]: ...
