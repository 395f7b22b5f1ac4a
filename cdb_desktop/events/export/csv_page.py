"""One page of CSV: its header and its rows, cut but not rewritten."""

from __future__ import annotations

import csv
import io
import re
import weakref
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import Any, overload

import msgspec

from cdb_desktop.client import TooLargeError
from cdb_desktop.client.redaction import MASK
from cdb_desktop.events.paging import PageOverlap, RowEnds

BOM = b"\xef\xbb\xbf"
# An info may be any size, and the module's own limit of 128 KiB for a cell would end the export.
csv.field_size_limit(2**31 - 1)


_IN_MEMORY = 2**20  # bytes of a page that are not worth a file
_LARGEST_RECORD = 64 * 2**20  # bytes; a record is read as a whole


class CsvPageError(Exception):
    """The service's CSV has no column ``_id``, or not where its header says."""


class CsvDialect(msgspec.Struct, frozen=True):
    """How cells are told apart: one character each (wire §3)."""

    delimiter: str = ","
    quote: str = '"'
    escape: str = '"'

    def cells(self, record: bytes) -> list[str]:
        """The cells of one record."""
        text = io.StringIO(record.decode("utf-8", "surrogateescape"), newline="")
        return next(csv.reader(text, **self._options()), [])

    def record(self, cells: Sequence[str]) -> bytes:
        """One record with its line end."""
        return self.records([cells])

    def records(self, rows: Iterable[Sequence[str]]) -> bytes:
        """Several of them."""
        text = io.StringIO(newline="")
        csv.writer(text, **self._options()).writerows(rows)
        return text.getvalue().encode("utf-8", "surrogateescape")

    def is_open(self, record: bytes) -> bool:
        """Whether a line ends within quotes, so that the next one belongs to it."""
        quote, escape = self.quote.encode(), self.escape.encode()
        if escape != quote:
            record = record.replace(escape + escape, b"").replace(escape + quote, b"")
        return record.count(quote) % 2 == 1

    def _options(self) -> dict[str, Any]:
        same = self.escape == self.quote
        return {
            "delimiter": self.delimiter,
            "quotechar": self.quote,
            "doublequote": same,
            "escapechar": None if same else self.escape,
        }


_USUAL = CsvDialect()


class CsvPage(msgspec.Struct, frozen=True):
    """A page: the header line as it came, byte order mark included, and the rows with their line ends."""

    header: bytes
    rows: Sequence[bytes]
    dialect: CsvDialect
    _id: int
    _session: int | None

    @classmethod
    def of(cls, page: bytes | SpooledPage, dialect: CsvDialect = _USUAL) -> CsvPage:
        """Cuts a page that begins with a header (§4.3). Raises SheetError, TooLargeError, OSError."""
        records = split_csv_records(page, dialect) if isinstance(page, bytes) else page.records(dialect)
        header, rows = (records[0], records[1:]) if records else (b"", [])
        names = dialect.cells(header.removeprefix(BOM))
        if "_id" not in names:
            raise CsvPageError("no column _id")
        session = names.index("session") if "session" in names else None
        return cls(header, rows, dialect, names.index("_id"), session)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(self.dialect.cells(self.header.removeprefix(BOM)))

    def __len__(self) -> int:
        return len(self.rows)

    def id_of(self, row: int) -> int:
        """The id of a row. Raises SheetError."""
        try:
            return int(self.dialect.cells(self.rows[row])[self._id])
        except (ValueError, IndexError):
            raise CsvPageError(f"no id in row {row}") from None

    def known(self, seam: PageOverlap) -> int:
        """How many rows have come before."""
        return 0 if seam.last is None else self.first_after(seam.last)

    def ends(self, seam: PageOverlap, chosen: range) -> RowEnds:
        """Where the chosen rows begin and end, after those up to ``seam``. Raises SheetError."""
        if not chosen:
            return RowEnds(None, seam)
        return RowEnds(self.id_of(chosen[0]), PageOverlap(self.id_of(chosen[-1])))

    def first_after(self, last: int) -> int:
        """The first row with an id above ``last``, where rows ascend; the number of rows if there is none."""
        low, high = 0, len(self.rows)
        while low < high:
            middle = (low + high) // 2
            if self.id_of(middle) > last:
                high = middle
            else:
                low = middle + 1
        return low

    def body(self, chosen: range) -> bytes:
        """The chosen rows as they came, but for session tokens, which are masked (wire §3)."""
        return b"".join(self.lines(chosen))

    def lines(self, chosen: range) -> Iterator[bytes]:
        """The same, row by row."""
        simple = None if self._session is None else _up_to(self.dialect, self._session)
        last = min(chosen.stop, len(self.rows)) - 1
        for place in range(chosen.start, last + 1):
            row = self.rows[place]
            if place == last and not row.endswith(b"\n"):
                row += b"\r\n"
            yield (
                row
                if self._session is None or simple is None
                else self._without_token(row, self._session, simple)
            )

    pieces = lines

    def _without_token(self, row: bytes, place: int, simple: re.Pattern[bytes]) -> bytes:
        found = simple.match(row)
        if found is None:
            return self._rewritten(row, place)
        first, end = found.span(1)
        return row[:first] + MASK.encode() + row[end:] if end > first else row

    def _rewritten(self, row: bytes, place: int) -> bytes:
        cells = self.dialect.cells(row)
        if len(cells) <= place or not cells[place]:
            return row
        cells[place] = MASK
        return self.dialect.record(cells)


@cache
def _up_to(dialect: CsvDialect, place: int) -> re.Pattern[bytes]:
    """What a row begins with whose cells up to ``place`` stand without quotes; the group is that cell."""
    delimiter, quote = (re.escape(sign.encode()) for sign in (dialect.delimiter, dialect.quote))
    plain = rb"[^%b%b\r\n]*" % (delimiter, quote)
    return re.compile(rb"(?:%b%b){%d}(%b)(?=%b|\r?\n)" % (plain, delimiter, place, plain, delimiter))


def split_csv_records(page: bytes, dialect: CsvDialect) -> list[bytes]:
    """The records with their line ends; a line end within quotes is content."""
    return [page[start:end] for start, end in _spans(iter([page]), dialect)]


def _spans(lines: Iterator[bytes], dialect: CsvDialect) -> list[tuple[int, int]]:
    """Where each record begins and ends in what ``lines`` are parts of. Raises TooLargeError."""
    found: list[tuple[int, int]] = []
    start = place = 0
    is_open = False
    for line in lines:
        for part in line.splitlines(keepends=True):
            place += len(part)
            is_open ^= dialect.is_open(part)
            if not is_open:
                found.append((start, place))
                start = place
            elif place - start > _LARGEST_RECORD:
                raise TooLargeError(_LARGEST_RECORD)
    return [*found, (start, place)] if place > start else found


class SpooledPage:
    """The bytes of one page: in memory while they are few, else in a file that goes when this object does."""

    def __init__(self, folder: Path) -> None:
        """A file is made in ``folder``, but has no name there where the system can do without."""
        self._file = SpooledTemporaryFile(_IN_MEMORY, dir=str(folder))  # noqa: SIM115
        weakref.finalize(self, self._file.close)

    def write(self, data: bytes) -> None:
        """Adds to the end. Raises OSError."""
        self._file.write(data)

    def records(self, dialect: CsvDialect) -> Sequence[bytes]:
        """The records, each of which is read when it is asked for. Raises TooLargeError, OSError."""
        self._file.seek(0)
        return _FileRecords(self, _spans(self._lines(), dialect))

    def read(self, start: int, end: int) -> bytes:
        """The bytes between two places. Raises OSError."""
        self._file.seek(start)
        found: bytes = self._file.read(end - start)
        return found

    def _lines(self) -> Iterator[bytes]:
        while line := self._file.readline(_LARGEST_RECORD + 1):
            if len(line) > _LARGEST_RECORD:
                raise TooLargeError(_LARGEST_RECORD)
            yield line


class _FileRecords(Sequence[bytes]):
    """Records of a page that are in a file."""

    def __init__(self, file: SpooledPage, spans: Sequence[tuple[int, int]]) -> None:
        self._file, self._spans = file, spans

    def __len__(self) -> int:
        return len(self._spans)

    @overload
    def __getitem__(self, place: int) -> bytes: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[bytes]: ...
    def __getitem__(self, place: int | slice) -> bytes | Sequence[bytes]:
        if isinstance(place, slice):
            return _FileRecords(self._file, self._spans[place])
        return self._file.read(*self._spans[place])


_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
_SUSPECT = re.compile(rb"[=+@\t]|-[^0-9]|\r[^\n]|\n(?!\Z)|\xef\xbc[\x8b\x8d\x9d\xa0]")
_NUMBER = re.compile(r"[+-]?\d+([.,]\d+)?")


def escape_formulas(rows: Iterable[bytes], dialect: CsvDialect) -> bytes:
    """Records in which no cell is a formula: an apostrophe stands before each that would be, but numbers."""
    return b"".join([_guarded(row, dialect) if _SUSPECT.search(row) else row for row in rows])


def _guarded(row: bytes, dialect: CsvDialect) -> bytes:
    cells = dialect.cells(row)
    safe = [f"'{cell}" if _is_formula(cell) else cell for cell in cells]
    return row if safe == cells else dialect.record(safe)


def _is_formula(cell: str) -> bool:
    return cell.startswith(_STARTS) and not _NUMBER.fullmatch(cell)
