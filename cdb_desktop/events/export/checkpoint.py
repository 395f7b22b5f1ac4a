"""Writes a whole query to a file, page by page, so that nothing is missing or twice. Knows no service.

Pages go by offset (§4.3), so what others delete meanwhile shifts those that follow. Therefore rows are asked
for by ascending id, which new events cannot shift, and every page begins with the last row of the one before:
a page that does not is asked for again further up.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from cdb_desktop.client import EventFilter
from cdb_desktop.client.lenient_json import BROKEN
from cdb_desktop.events.export.csv_columns import ColumnSection
from cdb_desktop.events.export.options import ExportOptions
from cdb_desktop.events.paging import PageOverlap
from cdb_desktop.events.part_file import part_path
from cdb_desktop.foundation.files import remove_temporary, set_aside, write_whole


class Checkpoint(msgspec.Struct, frozen=True):
    """How far an export has come: what lies in its part up to ``size``. Enough to go on from there.

    ``unreadable`` of the rows are no events; those that came after the ``last`` one are its ``tail``.
    """

    rows: int = 0
    size: int = 0
    first: int | None = None
    last: int | None = None
    stretches: tuple[ColumnSection, ...] = ()
    tail: tuple[str, ...] = ()
    unreadable: int = 0

    @property
    def seam(self) -> PageOverlap:
        """Where it goes on."""
        return PageOverlap(self.last, self.tail)


class _State(msgspec.Struct, frozen=True):
    asked: str = ""
    kept: Checkpoint = Checkpoint()


def checkpoint_path(target: Path) -> Path:
    """Where it is written down how far an export to ``target`` is."""
    return target.with_name(f"{target.name}.part.json")


def load_checkpoint(
    wish: ExportOptions, asked: EventFilter, target: Path, ids: Sequence[int] = ()
) -> Checkpoint:
    """How far an export of the same to the same file has come before it was interrupted; nothing if none was.

    A damaged file that says so is set aside.

    ``asked`` is the filter before it was frozen: what has happened since comes after what is there already.
    With ``ids`` only those of it are meant.
    """
    part = part_path(target)
    try:
        state = msgspec.json.decode(checkpoint_path(target).read_bytes(), type=_State)
        size = part.stat().st_size
    except OSError:
        return Checkpoint()
    except BROKEN as error:
        set_aside(checkpoint_path(target), error)
        return Checkpoint()
    return (
        state.kept
        if state.asked == export_key(wish, asked, ids) and size >= state.kept.size
        else Checkpoint()
    )


def discard_unfinished(target: Path) -> None:
    """Takes away what an interrupted export to ``target`` has left. Raises OSError."""
    part = part_path(target)
    for file in (part, *(part.with_name(f"{part.name}.{step}") for step in ("made", "united"))):
        file.unlink(missing_ok=True)
    remove_checkpoint(checkpoint_path(target))


def export_key(wish: ExportOptions, asked: EventFilter, ids: Sequence[int]) -> str:
    """Identifies what is exported: only an export with the same key may continue from a checkpoint."""
    return msgspec.json.encode([wish, asked, *([ids] if ids else [])]).decode()


def save_checkpoint(file: Path, asked: str, kept: Checkpoint) -> None:
    """Writes the checkpoint of the export with the key ``asked``. Raises OSError."""
    # Written after every page, so it is not synced: what a crash of the system loses is read again.
    write_whole(file, msgspec.json.encode(_State(asked, kept)), synced=False)


def remove_checkpoint(file: Path) -> None:
    """Deletes a checkpoint file. Raises OSError."""
    file.unlink(missing_ok=True)
    remove_temporary(file)
