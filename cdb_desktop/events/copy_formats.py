"""Formats in which rows are copied to the clipboard: for spreadsheets, programs and documents."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from enum import Enum

from cdb_desktop.client import Event, Record


class CopyFormat(Enum):
    """How rows are copied. JSON and IDS take the records, the others the visible columns."""

    TSV = "tsv"
    CSV = "csv"
    MARKDOWN = "markdown"
    JSON = "json"
    IDS = "ids"


def rows_as_text(copy_format: CopyFormat, titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """The cells as TSV, CSV or Markdown; the latter two begin with the titles."""
    if copy_format is CopyFormat.CSV:
        text = io.StringIO(newline="")
        csv.writer(text).writerows([titles, *rows])
        return text.getvalue()
    if copy_format is CopyFormat.MARKDOWN:
        rule = ["---"] * len(titles)
        return "\n".join(f"| {' | '.join(map(_markdown_cell, row))} |" for row in (titles, rule, *rows))
    return rows_as_tsv(rows)


def rows_as_tsv(rows: Iterable[Sequence[str]]) -> str:
    """The cells as TSV; tabs and line breaks in a cell become a blank."""
    return "\n".join("\t".join(re.sub(r"[\t\r\n]+", " ", cell) for cell in row) for row in rows)


def ids_as_text(records: Iterable[Record]) -> str:
    """The ids, one a line; unreadable records have none."""
    return "\n".join(str(one.id) for one in records if isinstance(one, Event))


def _markdown_cell(cell: str) -> str:
    return " ".join(cell.replace("\\", "\\\\").replace("|", "\\|").split())
