"""One page of CSV as bytes: its header and its rows, cut but not rewritten. No I/O."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass

from cdb_desktop.client.redaction import MASK

_QUOTE = b'"'
_BOM = b"\xef\xbb\xbf"


class SheetError(Exception):
    """The service's CSV has no column ``_id``, or not where its header says."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A page: the header line as it came, byte order mark included, and the rows with their line ends."""

    header: bytes
    rows: Sequence[bytes]
    delimiter: str
    _id: int
    _session: int | None

    @classmethod
    def of(cls, page: bytes, delimiter: str = ",") -> Sheet:
        """Cuts a page that begins with a header (§4.3). Raises SheetError."""
        header, *rows = _records(page) or [b""]
        names = _cells(header.removeprefix(_BOM), delimiter)
        if "_id" not in names:
            raise SheetError("no column _id")
        session = names.index("session") if "session" in names else None
        return cls(header, rows, delimiter, names.index("_id"), session)

    def id_of(self, row: int) -> int:
        """The id of a row. Raises SheetError."""
        try:
            return int(_cells(self.rows[row], self.delimiter)[self._id])
        except (ValueError, IndexError):
            raise SheetError(f"no id in row {row}") from None

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
        rows = self.rows[chosen.start : chosen.stop]
        if rows and not rows[-1].endswith(b"\n"):
            rows = [*rows[:-1], rows[-1] + b"\r\n"]
        if self._session is None:
            return b"".join(rows)
        return b"".join([self._without_token(row, self._session) for row in rows])

    def _without_token(self, row: bytes, place: int) -> bytes:
        delimiter = self.delimiter.encode()
        cells = row.split(delimiter, place + 1)
        if any(_QUOTE in cell for cell in cells[: place + 1]) or len(cells) <= place:
            return self._rewritten(row, place)
        end = cells[place][len(cells[place].rstrip(b"\r\n")) :]
        if len(cells[place]) > len(end):
            cells[place] = MASK.encode() + end
        return delimiter.join(cells)

    def _rewritten(self, row: bytes, place: int) -> bytes:
        cells = _cells(row, self.delimiter)
        if len(cells) <= place or not cells[place]:
            return row
        cells[place] = MASK
        text = io.StringIO(newline="")
        csv.writer(text, delimiter=self.delimiter).writerow(cells)
        return text.getvalue().encode("utf-8", "surrogateescape")


def _records(page: bytes) -> list[bytes]:
    """The records with their line ends; a line end within quotes is content."""
    result: list[bytes] = []
    open_record = b""
    for line in page.splitlines(keepends=True):
        open_record = open_record + line if open_record else line
        if open_record.count(_QUOTE) % 2 == 0:
            result.append(open_record)
            open_record = b""
    return [*result, open_record] if open_record else result


def _cells(record: bytes, delimiter: str) -> list[str]:
    text = io.StringIO(record.decode("utf-8", "surrogateescape"), newline="")
    return next(csv.reader(text, delimiter=delimiter), [])
