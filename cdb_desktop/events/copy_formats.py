"""One whole event for reading: fields, info and JSON; and rows for a spreadsheet. No I/O."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from enum import Enum

from cdb_desktop.client import Event, Record


def rows_as_tsv(rows: Iterable[Sequence[str]]) -> str:
    """Rows of cells for a spreadsheet; what would break a row becomes a blank."""
    return "\n".join("\t".join(re.sub(r"[\t\r\n]+", " ", cell) for cell in row) for row in rows)


class CopyFormat(Enum):
    """How rows are copied; JSON and IDS take the records, the others the columns in sight."""

    TSV = "tsv"
    CSV = "csv"
    MARKDOWN = "markdown"
    JSON = "json"
    IDS = "ids"


def rows_as_text(form: CopyFormat, titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Rows of cells; CSV and Markdown begin with the titles, as they are read outside of a table."""
    if form is CopyFormat.CSV:
        text = io.StringIO(newline="")
        csv.writer(text).writerows([titles, *rows])
        return text.getvalue()
    if form is CopyFormat.MARKDOWN:
        rule = ["---"] * len(titles)
        return "\n".join(f"| {' | '.join(map(_marked, row))} |" for row in (titles, rule, *rows))
    return rows_as_tsv(rows)


def ids_as_text(records: Iterable[Record]) -> str:
    """The ids as a service takes them, one a line; what cannot be read has none."""
    return "\n".join(str(one.id) for one in records if isinstance(one, Event))


def _marked(cell: str) -> str:
    return " ".join(cell.replace("\\", "\\\\").replace("|", "\\|").split())
