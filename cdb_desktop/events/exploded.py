"""Gives pages of CSV with different columns one header: the union of them all. Knows no service.

With ``csv_explode`` every page has the columns of its own rows (§4.3), so that pages just put one after the
other would have values under foreign titles.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO

import msgspec

from cdb_desktop.events.sheet import BOM, Dialect
from cdb_desktop.vocabulary.event_json import INFO


class Stretch(msgspec.Struct, frozen=True):
    """From ``start``, a place in the file, on rows have these columns."""

    start: int
    columns: tuple[str, ...]


def union(headers: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """All columns: those of the event as they come, then the keys of info, sorted as the service does."""
    known = dict.fromkeys(name for header in headers for name in header)
    fixed = [name for name in known if not name.startswith(INFO)]
    return (*fixed, *sorted(name for name in known if name.startswith(INFO)))


def columns_of(stretches: Sequence[Stretch]) -> tuple[str, ...]:
    """The columns of the file that is made of them; none where rows have none."""
    return stretches[0].columns if len(stretches) == 1 else union(one.columns for one in stretches)


def unite(file: Path, stretches: Sequence[Stretch], dialect: Dialect) -> Path:
    """Writes a file of rows with several headers as another one beside it. Raises OSError.

    The first stays as it is, so that an export that is interrupted now can go on with it.
    """
    columns = union(stretch.columns for stretch in stretches)
    made = file.with_name(f"{file.name}.united")
    try:
        with file.open("rb") as source, made.open("wb") as target:
            begins_marked = source.read(len(BOM)) == BOM
            target.write((BOM if begins_marked else b"") + dialect.record(columns))
            for place, stretch in enumerate(stretches):
                end = stretches[place + 1].start if place + 1 < len(stretches) else None
                for row in _rows(source, stretch.start, end, dialect):
                    cells = dict(zip(stretch.columns, dialect.cells(row), strict=False))
                    target.write(dialect.record([cells.get(name, "") for name in columns]))
    except BaseException:
        made.unlink(missing_ok=True)
        raise
    return made


def _rows(source: IO[bytes], start: int, end: int | None, dialect: Dialect) -> Iterator[bytes]:
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
