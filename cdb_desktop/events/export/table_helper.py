"""A program of its own: makes a table of a file of CSV, and tells how far it is on its standard output.

A child process: it keeps a processor busy for a minute, and the window must not wait for it.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from cdb_desktop.events.export.tables import TABLE_LIMITS, HelperMessage, TableFormat, writer_library
from cdb_desktop.foundation.lazy import lazy

if TYPE_CHECKING:
    import pandas as pd
else:
    pd = lazy("pandas")

_NICENESS = 5

ColumnType = Literal["number", "moment", "flag", "text"]

_KINDS: dict[str, ColumnType] = {
    "_id": "number",
    "timestamp": "moment",
    "object_id": "number",
    "object_version": "number",
    "pollable": "flag",
    "user_id": "number",
}
_FLAGS = {"true": True, "false": False}
_SLICE_BYTES = 8_000_000
_FEWEST = 100  # rows of a frame


class CsvFrames:
    """A file, its columns and their kinds; a column with a value of another kind is text from end to end."""

    def __init__(self, file: Path, rows: int, at_once: int) -> None:
        """Reads the file once to see what its columns hold. Raises OSError, ValueError.

        A frame has ``at_once`` rows, or fewer where they are large.
        """
        self._file = file
        average = file.stat().st_size // max(rows, 1) + 1
        self._slice = max(_FEWEST, min(at_once, _SLICE_BYTES // average))
        self.columns: tuple[str, ...] = tuple(pd.read_csv(file, nrows=0, encoding="utf-8-sig").columns)
        self.kinds = self._looked_at()

    def __iter__(self) -> Iterator[pd.DataFrame]:
        """The rows in their order; what is empty is missing."""
        for texts in self._texts(self.columns):
            yield pd.DataFrame({name: _typed(texts[name], self.kinds[name]) for name in self.columns})

    def _looked_at(self) -> dict[str, ColumnType]:
        kinds: dict[str, ColumnType] = {name: _KINDS.get(name, "text") for name in self.columns}
        for texts in self._texts([name for name in self.columns if kinds[name] != "text"]):
            for name in texts.columns:
                try:
                    _typed(texts[name], kinds[name])
                except ValueError:
                    kinds[name] = "text"
        return kinds

    def _texts(self, columns: Sequence[str]) -> Iterator[pd.DataFrame]:
        if columns:
            yield from pd.read_csv(
                self._file,
                usecols=list(columns),
                dtype=str,
                na_filter=False,
                chunksize=self._slice,
                encoding="utf-8-sig",
                encoding_errors="replace",
            )


def _typed(texts: pd.Series[str], kind: ColumnType) -> pd.Series:
    """The values of a column. Raises ValueError where one is of another kind."""
    there = texts.where(texts != "")
    if kind == "text":
        return there
    if kind == "moment":
        return pd.to_datetime(there, utc=True, format="ISO8601").dt.as_unit("us")
    fits = there.dropna().isin(_FLAGS) if kind == "flag" else there.dropna().str.fullmatch(r"-?\d{1,18}")
    if not fits.all():
        raise ValueError(kind)
    return there.map(_FLAGS).astype("boolean") if kind == "flag" else there.astype("Int64")


Tell = Callable[[int], None]

_EXACT = 10**15  # what a cell of XLSX holds of a number without loss
_OLDEST = 1900  # the year with which its calendar begins
_MOMENTS = "yyyy-mm-dd hh:mm:ss"
_WIDTHS = {"number": 12, "moment": 19, "flag": 9, "text": 24}  # characters
_NO_CHARACTER = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]|_(?=x[0-9A-Fa-f]{4}_)")
_ARROW = {"number": "int64", "flag": "bool_", "text": "string"}


class TooManyColumnsError(Exception):
    """There are more columns than the form can hold."""


def write_table(form: TableFormat, source: Path, target: Path, rows: int, tell: Tell) -> int:
    """Writes a file of CSV with so many rows as ``form``; gives how many cells had to be cut.

    ``tell`` is told how many rows have been written. Raises OSError, ValueError, TooWideError.
    """
    limits = TABLE_LIMITS[form]
    frames = CsvFrames(source, rows, limits.at_once)
    widest = limits.columns
    if widest is not None and len(frames.columns) > widest:
        raise TooManyColumnsError
    if form == "parquet":
        _write_parquet(frames, target, tell)
        return 0
    cells = _Cells(limits.characters or 0)
    write = _write_with_xlsxwriter if writer_library(form) == "xlsxwriter" else _write_with_openpyxl
    write(frames, cells, target, tell)
    return cells.cut


def _write_parquet(frames: CsvFrames, target: Path, tell: Tell) -> None:
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


def _titles(frames: CsvFrames) -> list[str]:
    return [f"{name} (UTC)" if frames.kinds[name] == "moment" else name for name in frames.columns]


def _write_with_xlsxwriter(frames: CsvFrames, cells: _Cells, target: Path, tell: Tell) -> None:
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


def _write_with_openpyxl(frames: CsvFrames, cells: _Cells, target: Path, tell: Tell) -> None:
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


def main(arguments: Sequence[str]) -> int:
    """Takes the form, the source, the target and the number of rows."""
    name, source, target, rows = arguments
    form = next(known for known in TABLE_LIMITS if known == name)
    with suppress(AttributeError, OSError):
        os.nice(_NICENESS)
    done = 0

    def tell(written: int) -> None:
        nonlocal done
        done = written
        _say(HelperMessage(written))

    try:
        cut = write_table(form, Path(source), Path(target), int(rows), tell)
    except BrokenPipeError:
        return 1  # nobody waits any more
    except Exception as error:  # noqa: BLE001  # whatever it was is told to whoever waits
        _say(_told(error))
        return 1
    _say(HelperMessage(done, is_done=True, cut=cut))
    return 0


def _told(error: BaseException) -> HelperMessage:
    # XlsxWriter wraps what the disk says, and openpyxl fails once more on its way out.
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and cause.errno:
            return HelperMessage(fault="disk", errno=cause.errno)
        cause = cause.__cause__ or cause.__context__
    if isinstance(error, TooManyColumnsError):
        return HelperMessage(fault="columns")
    return HelperMessage(fault=f"{type(error).__name__}: {error}")


def _say(told: HelperMessage) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(told) + b"\n")
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
