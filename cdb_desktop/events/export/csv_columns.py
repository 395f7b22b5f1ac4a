"""Gives rows of CSV that were exported with different headers one common header.

With ``csv_explode`` every page has the columns of its own rows (§4.3), so the rows of later pages would
otherwise have values under the wrong titles.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO

import msgspec

from cdb_desktop.events.export.csv_page import BOM, CsvDialect
from cdb_desktop.vocabulary.event_json import INFO


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
