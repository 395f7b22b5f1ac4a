"""Write frames of typed columns as Parquet or XLSX, one of them in memory at a time. Know no service."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cdb_desktop.events.table_forms import LIMITS, TableForm, writer_of
from cdb_desktop.events.table_frames import Frames
from cdb_desktop.foundation.lazy import lazy

if TYPE_CHECKING:
    import pandas as pd
else:
    pd = lazy("pandas")

Tell = Callable[[int], None]

_EXACT = 10**15  # what a cell of XLSX holds of a number without loss
_OLDEST = 1900  # the year with which its calendar begins
_MOMENTS = "yyyy-mm-dd hh:mm:ss"
_WIDTHS = {"number": 12, "moment": 19, "flag": 9, "text": 24}  # characters
_NO_CHARACTER = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]|_(?=x[0-9A-Fa-f]{4}_)")
_ARROW = {"number": "int64", "flag": "bool_", "text": "string"}


class TooWideError(Exception):
    """There are more columns than the form can hold."""


def write_table(form: TableForm, source: Path, target: Path, rows: int, tell: Tell) -> int:
    """Writes a file of CSV with so many rows as ``form``; gives how many cells had to be cut.

    ``tell`` is told how many rows have been written. Raises OSError, ValueError, TooWideError.
    """
    limits = LIMITS[form]
    frames = Frames(source, rows, limits.at_once)
    widest = limits.columns
    if widest is not None and len(frames.columns) > widest:
        raise TooWideError
    if form == "parquet":
        _write_parquet(frames, target, tell)
        return 0
    cells = _Cells(limits.characters or 0)
    write = _write_with_xlsxwriter if writer_of(form) == "xlsxwriter" else _write_with_openpyxl
    write(frames, cells, target, tell)
    return cells.cut


def _write_parquet(frames: Frames, target: Path, tell: Tell) -> None:
    """A group of rows for each frame."""
    import pyarrow as pa  # noqa: PLC0415  # may not be installed
    import pyarrow.parquet as pq  # noqa: PLC0415

    moment = pa.timestamp("us", tz="UTC")
    types = [
        moment if (kind := frames.kinds[name]) == "moment" else getattr(pa, _ARROW[kind])()
        for name in frames.columns
    ]
    schema = pa.schema(list(zip(frames.columns, types, strict=True)))
    done = 0
    with pq.ParquetWriter(target, schema) as writer:
        for frame in frames:
            writer.write_table(pa.Table.from_pandas(frame, schema=schema, preserve_index=False))
            done += len(frame)
            tell(done)


class _Cells:
    """Makes of values what a cell of XLSX can hold; ``cut`` counts those that were too long."""

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self.cut = 0

    def rows(self, frame: pd.DataFrame) -> Iterator[list[Any]]:
        """The rows; None where a value is missing. Times are those of UTC: the form knows no zones."""
        plain = frame.astype(object)
        for row in plain.where(frame.notna(), None).itertuples(index=False, name=None):
            yield [self._cell(value) for value in row]

    def _cell(self, value: Any) -> Any:
        if isinstance(value, str):
            if len(value) > self._longest:
                self.cut += 1
            return value[: self._longest]
        if isinstance(value, datetime):
            return value.replace(tzinfo=None) if value.year >= _OLDEST else value.isoformat()
        if isinstance(value, int) and abs(value) >= _EXACT:
            return str(value)
        return value


def _titles(frames: Frames) -> list[str]:
    return [f"{name} (UTC)" if frames.kinds[name] == "moment" else name for name in frames.columns]


def _write_with_xlsxwriter(frames: Frames, cells: _Cells, target: Path, tell: Tell) -> None:
    options = {"constant_memory": True, "default_date_format": _MOMENTS}
    done = 0
    with pd.ExcelWriter(target, engine="xlsxwriter", engine_kwargs={"options": options}) as writer:
        book: Any = writer.book
        sheet = book.add_worksheet("events")
        # Nothing of an event is a formula or a link, whatever it looks like.
        sheet.add_write_handler(str, lambda sheet, *cell: sheet.write_string(*cell))
        sheet.freeze_panes(1, 0)
        for place, name in enumerate(frames.columns):
            sheet.set_column(place, place, _WIDTHS[frames.kinds[name]])
        sheet.write_row(0, 0, _titles(frames), book.add_format({"bold": True}))
        for frame in frames:
            for row in cells.rows(frame):
                done += 1
                sheet.write_row(done, 0, row)
            tell(done)
        sheet.autofilter(0, 0, done, len(frames.columns) - 1)


def _escaped(text: str) -> str:
    """What is no character in XML, in the way of this form; XlsxWriter does so by itself."""
    return _NO_CHARACTER.sub(lambda found: f"_x{ord(found[0]):04X}_", text)


def _write_with_openpyxl(frames: Frames, cells: _Cells, target: Path, tell: Tell) -> None:
    from openpyxl.cell import WriteOnlyCell  # noqa: PLC0415  # may not be installed
    from openpyxl.styles import Font  # noqa: PLC0415
    from openpyxl.utils import get_column_letter  # noqa: PLC0415

    def cell_of(value: Any) -> Any:
        # A text stays one, also where it begins as a formula does.
        cell = WriteOnlyCell(sheet, _escaped(value) if isinstance(value, str) else value)
        if isinstance(value, str):
            cell.data_type = "s"
        elif isinstance(value, datetime):
            cell.number_format = _MOMENTS
        return cell

    done = 0
    with pd.ExcelWriter(target, engine="openpyxl", engine_kwargs={"write_only": True}) as writer:
        book: Any = writer.book
        sheet = book.create_sheet("events")
        sheet.freeze_panes = "A2"
        for place, name in enumerate(frames.columns, 1):
            sheet.column_dimensions[get_column_letter(place)].width = _WIDTHS[frames.kinds[name]]
        titles = [cell_of(title) for title in _titles(frames)]
        for title in titles:
            title.font = Font(bold=True)
        sheet.append(titles)
        for frame in frames:
            for row in cells.rows(frame):
                sheet.append([cell_of(value) for value in row])
            done += len(frame)
            tell(done)
        sheet.auto_filter.ref = f"A1:{get_column_letter(len(frames.columns))}{done + 1}"
