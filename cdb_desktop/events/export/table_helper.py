"""The helper process that converts a CSV file to a table and reports its progress on standard output.

It is a separate process because it keeps a processor busy for up to a minute. Only one frame of rows is in
memory at a time.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from cdb_desktop.events.export.table_files import TABLE_LIMITS, HelperMessage, OnRows, TableFormat
from cdb_desktop.foundation.lazy import lazy

if TYPE_CHECKING:
    import pandas as pd
else:
    pd = lazy("pandas")

ColumnType = Literal["number", "time", "flag", "text"]

_COLUMN_TYPES: dict[str, ColumnType] = {
    "_id": "number",
    "timestamp": "time",
    "object_id": "number",
    "object_version": "number",
    "pollable": "flag",
    "user_id": "number",
}
_FLAGS = {"true": True, "false": False}
_ARROW_TYPES = {"number": "int64", "flag": "bool_", "text": "string"}
_XLSX_WIDTHS = {"number": 12, "time": 19, "flag": 9, "text": 24}  # characters
_XLSX_TIME_FORMAT = "yyyy-mm-dd hh:mm:ss"
_XLSX_MIN_YEAR = 1900
_XLSX_MAX_NUMBER = 10**15  # larger numbers lose digits
_MAX_FRAME_BYTES = 8_000_000
_MIN_FRAME_ROWS = 100
_NICENESS = 5


class TooManyColumnsError(Exception):
    """There are more columns than the format can hold."""


class CsvFrames:
    """The rows of a CSV file as frames of typed columns. A column with any value of another type is text."""

    def __init__(self, file: Path, rows: int, at_once: int) -> None:
        """Reads the file once to find the column types. Raises OSError, ValueError.

        A frame has ``at_once`` rows, or fewer if they are large.
        """
        self._file = file
        average = file.stat().st_size // max(rows, 1) + 1
        self._frame_rows = max(_MIN_FRAME_ROWS, min(at_once, _MAX_FRAME_BYTES // average))
        self.columns: tuple[str, ...] = tuple(pd.read_csv(file, nrows=0, encoding="utf-8-sig").columns)
        self.types = self._column_types()

    def __iter__(self) -> Iterator[pd.DataFrame]:
        """The frames in the order of their rows; empty cells are missing values."""
        for texts in self._texts(self.columns):
            yield pd.DataFrame({name: _typed(texts[name], self.types[name]) for name in self.columns})

    def _column_types(self) -> dict[str, ColumnType]:
        types: dict[str, ColumnType] = {name: _COLUMN_TYPES.get(name, "text") for name in self.columns}
        for texts in self._texts([name for name in self.columns if types[name] != "text"]):
            for name in texts.columns:
                try:
                    _typed(texts[name], types[name])
                except ValueError:
                    types[name] = "text"
        return types

    def _texts(self, columns: Sequence[str]) -> Iterator[pd.DataFrame]:
        if columns:
            yield from pd.read_csv(
                self._file,
                usecols=list(columns),
                dtype=str,
                na_filter=False,
                chunksize=self._frame_rows,
                encoding="utf-8-sig",
                encoding_errors="replace",
            )


def _typed(texts: pd.Series[str], column_type: ColumnType) -> pd.Series:
    """The values of a column. Raises ValueError if one has another type."""
    present = texts.where(texts != "")
    if column_type == "text":
        return present
    if column_type == "time":
        return pd.to_datetime(present, utc=True, format="ISO8601").dt.as_unit("us")
    values = present.dropna()
    fits = values.isin(_FLAGS) if column_type == "flag" else values.str.fullmatch(r"-?\d{1,18}")
    if not fits.all():
        raise ValueError(column_type)
    return present.map(_FLAGS).astype("boolean") if column_type == "flag" else present.astype("Int64")


def write_table(table_format: TableFormat, source: Path, target: Path, rows: int, on_rows: OnRows) -> int:
    """Converts a CSV file with so many rows and returns how many cells were cut.

    ``on_rows`` gets the number of rows written. Raises OSError, ValueError, TooManyColumnsError.
    """
    limits = TABLE_LIMITS[table_format]
    frames = CsvFrames(source, rows, limits.at_once)
    if limits.columns is not None and len(frames.columns) > limits.columns:
        raise TooManyColumnsError
    if table_format == "parquet":
        _write_parquet(frames, target, on_rows)
        return 0
    return _write_xlsx(frames, target, limits.characters or 0, on_rows)


def _write_parquet(frames: CsvFrames, target: Path, on_rows: OnRows) -> None:
    """Writes one row group for each frame."""
    import pyarrow as pa  # noqa: PLC0415  # may not be installed
    import pyarrow.parquet as pq  # noqa: PLC0415

    times = pa.timestamp("us", tz="UTC")
    types = [
        times if (kind := frames.types[name]) == "time" else getattr(pa, _ARROW_TYPES[kind])()
        for name in frames.columns
    ]
    schema = pa.schema(list(zip(frames.columns, types, strict=True)))
    done = 0
    with pq.ParquetWriter(target, schema) as writer:
        for frame in frames:
            writer.write_table(pa.Table.from_pandas(frame, schema=schema, preserve_index=False))
            done += len(frame)
            on_rows(done)


def _write_xlsx(frames: CsvFrames, target: Path, max_characters: int, on_rows: OnRows) -> int:
    """Writes a sheet and returns how many cells were cut."""
    options = {"constant_memory": True, "default_date_format": _XLSX_TIME_FORMAT}
    cells = _XlsxCells(max_characters)
    done = 0
    with pd.ExcelWriter(target, engine="xlsxwriter", engine_kwargs={"options": options}) as writer:
        book: Any = writer.book
        sheet = book.add_worksheet("events")
        # No text of an event becomes a formula or a link.
        sheet.add_write_handler(str, lambda sheet, *cell: sheet.write_string(*cell))
        sheet.freeze_panes(1, 0)
        for index, name in enumerate(frames.columns):
            sheet.set_column(index, index, _XLSX_WIDTHS[frames.types[name]])
        titles = [f"{name} (UTC)" if frames.types[name] == "time" else name for name in frames.columns]
        sheet.write_row(0, 0, titles, book.add_format({"bold": True}))
        for frame in frames:
            for row in cells.rows(frame):
                done += 1
                sheet.write_row(done, 0, row)
            on_rows(done)
        sheet.autofilter(0, 0, done, len(frames.columns) - 1)
    return cells.cut


class _XlsxCells:
    """Converts values to what a cell of XLSX can hold; ``cut`` counts the texts that were too long."""

    def __init__(self, max_characters: int) -> None:
        self._max_characters = max_characters
        self.cut = 0

    def rows(self, frame: pd.DataFrame) -> Iterator[list[Any]]:
        """The rows, None for a missing value. Times are in UTC: the format has no time zones."""
        plain = frame.astype(object)
        for row in plain.where(frame.notna(), None).itertuples(index=False, name=None):
            yield [self._cell(value) for value in row]

    def _cell(self, value: Any) -> Any:
        if isinstance(value, str):
            if len(value) > self._max_characters:
                self.cut += 1
            return value[: self._max_characters]
        if isinstance(value, datetime):
            return value.replace(tzinfo=None) if value.year >= _XLSX_MIN_YEAR else value.isoformat()
        if isinstance(value, int) and abs(value) >= _XLSX_MAX_NUMBER:
            return str(value)
        return value


def main(arguments: Sequence[str]) -> int:
    """Runs with the arguments format, source, target and number of rows; returns the exit status."""
    name, source, target, rows = arguments
    table_format = next(known for known in TABLE_LIMITS if known == name)
    with suppress(AttributeError, OSError):
        os.nice(_NICENESS)
    done = 0

    def on_rows(written: int) -> None:
        nonlocal done
        done = written
        _send(HelperMessage(written))

    try:
        cut = write_table(table_format, Path(source), Path(target), int(rows), on_rows)
    except BrokenPipeError:
        return 1  # the program has ended
    except Exception as error:  # noqa: BLE001  # reported to the program
        _send(_fault(error))
        return 1
    _send(HelperMessage(done, is_done=True, cut=cut))
    return 0


def _fault(error: BaseException) -> HelperMessage:
    # XlsxWriter wraps the errors of the disk.
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and cause.errno:
            return HelperMessage(fault="disk", errno=cause.errno)
        cause = cause.__cause__ or cause.__context__
    if isinstance(error, TooManyColumnsError):
        return HelperMessage(fault="columns")
    return HelperMessage(fault=f"{type(error).__name__}: {error}")


def _send(message: HelperMessage) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(message) + b"\n")
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
