"""Rows as text for the clipboard: for spreadsheets, programs, and documents. No I/O."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from enum import Enum

from cdb_desktop.client import Event, Record
from cdb_desktop.events.record import as_tsv


class CopyForm(Enum):
    """How rows are copied; JSON and IDS take the records, the others the columns in sight."""

    TSV = "tsv"
    CSV = "csv"
    MARKDOWN = "markdown"
    JSON = "json"
    IDS = "ids"


def as_text(form: CopyForm, titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Rows of cells; CSV and Markdown begin with the titles, as they are read outside of a table."""
    if form is CopyForm.CSV:
        text = io.StringIO(newline="")
        csv.writer(text).writerows([titles, *rows])
        return text.getvalue()
    if form is CopyForm.MARKDOWN:
        rule = ["---"] * len(titles)
        return "\n".join(f"| {' | '.join(map(_marked, row))} |" for row in (titles, rule, *rows))
    return as_tsv(rows)


def as_ids(records: Iterable[Record]) -> str:
    """The ids as a service takes them, one a line; what cannot be read has none."""
    return "\n".join(str(one.id) for one in records if isinstance(one, Event))


def _marked(cell: str) -> str:
    return " ".join(cell.replace("\\", "\\\\").replace("|", "\\|").split())
