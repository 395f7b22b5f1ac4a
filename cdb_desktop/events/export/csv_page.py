"""Pages of CSV as the service returns them: cut into rows, session tokens masked, formulas escaped.

With ``csv_explode`` every page has the columns of its own rows (§4.3); `unify_columns` gives the rows of all
pages one header.
"""

from __future__ import annotations

import csv
import io
import re
import weakref
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import IO, Any, Protocol, overload

import msgspec

from cdb_desktop.client import TooLargeError
from cdb_desktop.client.redaction import MASK
from cdb_desktop.events.paging import PageOverlap
from cdb_desktop.vocabulary.event_json import INFO

BOM = b"\xef\xbb\xbf"
# The csv module's default of 128 KiB for a cell is too little: an info may have any size.
csv.field_size_limit(2**31 - 1)

_MAX_BYTES_IN_MEMORY = 2**20  # of a page; a larger one is stored in a file
_MAX_RECORD_BYTES = 64 * 2**20  # a record is read as a whole
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
_MAY_HOLD_FORMULA = re.compile(rb"[=+@\t]|-[^0-9]|\r[^\n]|\n(?!\Z)|\xef\xbc[\x8b\x8d\x9d\xa0]")
_NUMBER = re.compile(r"[+-]?\d+([.,]\d+)?")


class CsvPageError(Exception):
    """The service's CSV has no column ``_id``, or no id in it."""


class CsvDialect(msgspec.Struct, frozen=True):
    """The characters that separate and quote cells, one each (wire §3)."""

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
        """Several records with their line ends."""
        text = io.StringIO(newline="")
        csv.writer(text, **self._options()).writerows(rows)
        return text.getvalue().encode("utf-8", "surrogateescape")

    def is_open(self, line: bytes) -> bool:
        """Whether a line ends within quotes, so that the next line belongs to the same record."""
        quote, escape = self.quote.encode(), self.escape.encode()
        if escape != quote:
            line = line.replace(escape + escape, b"").replace(escape + quote, b"")
        return line.count(quote) % 2 == 1

    def _options(self) -> dict[str, Any]:
        doubles = self.escape == self.quote
        return {
            "delimiter": self.delimiter,
            "quotechar": self.quote,
            "doublequote": doubles,
            "escapechar": None if doubles else self.escape,
        }


_DEFAULT_DIALECT = CsvDialect()


def escape_formulas(records: Iterable[bytes], dialect: CsvDialect) -> bytes:
    """The records with an apostrophe before each cell that a spreadsheet would take for a formula."""
    return b"".join(
        [_escaped(record, dialect) if _MAY_HOLD_FORMULA.search(record) else record for record in records]
    )


def _escaped(record: bytes, dialect: CsvDialect) -> bytes:
    cells = dialect.cells(record)
    safe = [f"'{cell}" if is_formula(cell) else cell for cell in cells]
    return record if safe == cells else dialect.record(safe)


def is_formula(cell: str) -> bool:
    """Whether a spreadsheet would take the text of a cell for a formula."""
    return cell.startswith(_FORMULA_STARTS) and not _NUMBER.fullmatch(cell)


class CsvPage(msgspec.Struct, frozen=True):
    """A page: the unchanged header line, byte order mark included, and the rows with their line ends.

    With ``escapes_formulas``, `chunks` escapes cells that a spreadsheet would take for formulas.
    """

    header: bytes
    rows: Sequence[bytes]
    dialect: CsvDialect
    _id: int
    _session: int | None
    escapes_formulas: bool = False

    @classmethod
    def parse(
        cls,
        page: bytes | SpooledPage,
        dialect: CsvDialect = _DEFAULT_DIALECT,
        *,
        escapes_formulas: bool = False,
    ) -> CsvPage:
        """Cuts a page that begins with a header (§4.3). Raises CsvPageError, TooLargeError, OSError."""
        records = split_csv_records(page, dialect) if isinstance(page, bytes) else page.records(dialect)
        header, rows = (records[0], records[1:]) if records else (b"", [])
        if isinstance(page, SpooledPage):
            escapes_formulas = escapes_formulas and page.has_formulas
        names = dialect.cells(header.removeprefix(BOM))
        if "_id" not in names:
            raise CsvPageError("no column _id")
        session = names.index("session") if "session" in names else None
        return cls(header, rows, dialect, names.index("_id"), session, escapes_formulas)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(self.dialect.cells(self.header.removeprefix(BOM)))

    def __len__(self) -> int:
        return len(self.rows)

    def id_of(self, row: int) -> int:
        """The id of a row. Raises CsvPageError."""
        try:
            return int(self.dialect.cells(self.rows[row])[self._id])
        except (ValueError, IndexError):
            raise CsvPageError(f"no id in row {row}") from None

    def count_known(self, overlap: PageOverlap) -> int:
        """How many rows have been written before. Raises CsvPageError."""
        return 0 if overlap.last is None else self.first_after(overlap.last)

    def ends(self, overlap: PageOverlap, rows: range) -> RowEnds:
        """The ends of ``rows``, which follow those up to ``overlap``. Raises CsvPageError."""
        if not rows:
            return RowEnds(None, overlap)
        return RowEnds(self.id_of(rows[0]), PageOverlap(self.id_of(rows[-1])))

    def first_after(self, last: int) -> int:
        """The first row with an id above ``last``, else the number of rows. Raises CsvPageError."""
        low, high = 0, len(self.rows)
        while low < high:
            middle = (low + high) // 2
            if self.id_of(middle) > last:
                high = middle
            else:
                low = middle + 1
        return low

    def chunks(self, rows: range) -> Iterator[bytes]:
        """The rows as they are written, one by one."""
        lines = self.lines(rows)
        if not self.escapes_formulas:
            return lines
        return (escape_formulas((line,), self.dialect) for line in lines)

    def body(self, rows: range) -> bytes:
        """The rows as they came, session tokens masked (wire §3)."""
        return b"".join(self.lines(rows))

    def lines(self, rows: range) -> Iterator[bytes]:
        """The same, row by row."""
        session = self._session
        pattern = None if session is None else _cell_pattern(self.dialect, session)
        last = min(rows.stop, len(self.rows)) - 1
        for index in range(rows.start, last + 1):
            row = self.rows[index]
            if index == last and not row.endswith(b"\n"):
                row += b"\r\n"
            yield row if session is None or pattern is None else self._masked(row, session, pattern)

    def _masked(self, row: bytes, session: int, pattern: re.Pattern[bytes]) -> bytes:
        found = pattern.match(row)
        if found is None:
            cells = self.dialect.cells(row)
            if len(cells) <= session or not cells[session]:
                return row
            cells[session] = MASK
            return self.dialect.record(cells)
        first, end = found.span(1)
        return row[:first] + MASK.encode() + row[end:] if end > first else row


@cache
def _cell_pattern(dialect: CsvDialect, index: int) -> re.Pattern[bytes]:
    """Matches a row whose cells up to ``index`` have no quotes; the group is that cell."""
    delimiter, quote = (re.escape(sign.encode()) for sign in (dialect.delimiter, dialect.quote))
    plain = rb"[^%b%b\r\n]*" % (delimiter, quote)
    return re.compile(rb"(?:%b%b){%d}(%b)(?=%b|\r?\n)" % (plain, delimiter, index, plain, delimiter))


def split_csv_records(page: bytes, dialect: CsvDialect) -> list[bytes]:
    """The records of a page with their line ends; line ends within quotes are content."""
    return [page[start:end] for start, end in _record_spans(iter([page]), dialect)]


def _record_spans(parts: Iterator[bytes], dialect: CsvDialect) -> list[tuple[int, int]]:
    """Start and end of each record in the bytes of ``parts``. Raises TooLargeError."""
    found: list[tuple[int, int]] = []
    start = end = 0
    is_open = False
    for part in parts:
        for line in part.splitlines(keepends=True):
            end += len(line)
            is_open ^= dialect.is_open(line)
            if not is_open:
                found.append((start, end))
                start = end
            elif end - start > _MAX_RECORD_BYTES:
                raise TooLargeError(_MAX_RECORD_BYTES)
    return [*found, (start, end)] if end > start else found


class SpooledPage:
    """The bytes of one page: in memory while they are few, else in a temporary file.

    ``has_formulas`` is false if the service has escaped the formulas in it.
    """

    def __init__(self, folder: Path, *, has_formulas: bool = True) -> None:
        """The file is created in ``folder``, without a name where the system allows it."""
        self.has_formulas = has_formulas
        self._file = SpooledTemporaryFile(_MAX_BYTES_IN_MEMORY, dir=str(folder))  # noqa: SIM115
        weakref.finalize(self, self._file.close)

    def write(self, data: bytes) -> None:
        """Appends bytes. Raises OSError."""
        self._file.write(data)

    def records(self, dialect: CsvDialect) -> Sequence[bytes]:
        """The records; each is read when it is accessed. Raises TooLargeError, OSError."""
        self._file.seek(0)
        return _SpooledRecords(self, _record_spans(self._lines(), dialect))

    def read(self, start: int, end: int) -> bytes:
        """The bytes from ``start`` to ``end``. Raises OSError."""
        self._file.seek(start)
        found: bytes = self._file.read(end - start)
        return found

    def _lines(self) -> Iterator[bytes]:
        while line := self._file.readline(_MAX_RECORD_BYTES + 1):
            if len(line) > _MAX_RECORD_BYTES:
                raise TooLargeError(_MAX_RECORD_BYTES)
            yield line


class _SpooledRecords(Sequence[bytes]):
    """The records of a page that may be in a file."""

    def __init__(self, page: SpooledPage, spans: Sequence[tuple[int, int]]) -> None:
        self._page, self._spans = page, spans

    def __len__(self) -> int:
        return len(self._spans)

    @overload
    def __getitem__(self, index: int) -> bytes: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[bytes]: ...
    def __getitem__(self, index: int | slice) -> bytes | Sequence[bytes]:
        if isinstance(index, slice):
            return _SpooledRecords(self._page, self._spans[index])
        return self._page.read(*self._spans[index])


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


class ColumnSection(msgspec.Struct, frozen=True):
    """The rows from the byte ``start`` of the file on have these columns."""

    start: int
    columns: tuple[str, ...]


def merge_columns(headers: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """All columns: those of the event in their order, then the info keys, sorted as by the service."""
    known = dict.fromkeys(name for header in headers for name in header)
    fixed = [name for name in known if not name.startswith(INFO)]
    return (*fixed, *sorted(name for name in known if name.startswith(INFO)))


def all_columns(sections: Sequence[ColumnSection]) -> tuple[str, ...]:
    """The columns of the finished file; empty if its rows have no columns."""
    return sections[0].columns if len(sections) == 1 else merge_columns(one.columns for one in sections)


def unify_columns(file: Path, sections: Sequence[ColumnSection], dialect: CsvDialect) -> Path:
    """Writes the rows of ``file`` with one header to another file beside it. Raises OSError.

    ``file`` is not changed, so an export that is interrupted now can continue with it.
    """
    columns = merge_columns(section.columns for section in sections)
    unified = file.with_name(f"{file.name}.united")
    try:
        with file.open("rb") as source, unified.open("wb") as target:
            has_bom = source.read(len(BOM)) == BOM
            target.write((BOM if has_bom else b"") + dialect.record(columns))
            for index, section in enumerate(sections):
                end = sections[index + 1].start if index + 1 < len(sections) else None
                for record in _records(source, section.start, end, dialect):
                    cells = dict(zip(section.columns, dialect.cells(record), strict=False))
                    target.write(dialect.record([cells.get(name, "") for name in columns]))
    except BaseException:
        unified.unlink(missing_ok=True)
        raise
    return unified


def _records(source: IO[bytes], start: int, end: int | None, dialect: CsvDialect) -> Iterator[bytes]:
    source.seek(start)
    lines: list[bytes] = []
    is_open = False
    while end is None or source.tell() < end:
        line = source.readline()
        if not line:
            return
        lines.append(line)
        is_open ^= dialect.is_open(line)
        if not is_open:
            yield b"".join(lines)
            lines.clear()
