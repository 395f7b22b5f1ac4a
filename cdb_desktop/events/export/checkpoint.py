"""The progress of an export, in a file next to the target: an interrupted export continues from there."""

from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import field

from cdb_desktop.client import EventFilter
from cdb_desktop.client.lenient_json import BROKEN
from cdb_desktop.events.export.csv_page import ColumnSection
from cdb_desktop.events.export.options import ExportOptions
from cdb_desktop.events.paging import PageOverlap
from cdb_desktop.events.part_file import part_path
from cdb_desktop.foundation.files import remove_temporary, set_aside, write_whole


class Checkpoint(msgspec.Struct, frozen=True):
    """The state of the part file up to ``size`` bytes, enough to continue.

    ``first`` and ``last`` are the ids of the first and the last event. ``tail`` are digests of the unreadable
    records after the last event; ``unreadable`` of all ``rows`` could not be read. ``name=`` gives names in
    the file.
    """

    rows: int = 0
    size: int = 0
    first: int | None = None
    last: int | None = None
    sections: tuple[ColumnSection, ...] = field(name="stretches", default=())
    tail: tuple[str, ...] = ()
    unreadable: int = 0

    @property
    def overlap(self) -> PageOverlap:
        """The end of the written rows."""
        return PageOverlap(self.last, self.tail)


class _CheckpointFile(msgspec.Struct, frozen=True):
    key: str = field(name="asked", default="")
    checkpoint: Checkpoint = field(name="kept", default=Checkpoint())


def checkpoint_path(target: Path) -> Path:
    """The path of the checkpoint of an export to ``target``."""
    return target.with_name(f"{target.name}.part.json")


def export_key(options: ExportOptions, entered: EventFilter, ids: Sequence[int]) -> str:
    """Identifies what is exported: only an export with the same key may continue from a checkpoint."""
    return msgspec.json.encode([options, entered, *([ids] if ids else [])]).decode()


def load_checkpoint(
    options: ExportOptions, entered: EventFilter, target: Path, ids: Sequence[int] = ()
) -> Checkpoint:
    """The checkpoint of an interrupted export of the same events to the same file, else an empty one.

    ``entered`` is the filter as it was entered, so events that are newer than the checkpoint are added. A
    damaged file is set aside.
    """
    part = part_path(target)
    try:
        found = msgspec.json.decode(checkpoint_path(target).read_bytes(), type=_CheckpointFile)
        size = part.stat().st_size
    except OSError:
        return Checkpoint()
    except BROKEN as error:
        set_aside(checkpoint_path(target), error)
        return Checkpoint()
    is_same = found.key == export_key(options, entered, ids)
    return found.checkpoint if is_same and size >= found.checkpoint.size else Checkpoint()


def save_checkpoint(target: Path, key: str, checkpoint: Checkpoint) -> None:
    """Writes the checkpoint of the export to ``target``. Raises OSError.

    Called after every page, so it is not synced: what a crash of the system loses is read again.
    """
    content = msgspec.json.encode(_CheckpointFile(key, checkpoint))
    write_whole(checkpoint_path(target), content, synced=False)


def remove_checkpoint(target: Path) -> None:
    """Deletes the checkpoint of the export to ``target``. Raises OSError."""
    file = checkpoint_path(target)
    file.unlink(missing_ok=True)
    remove_temporary(file)


def discard_unfinished(target: Path) -> None:
    """Deletes all files of an interrupted export to ``target``. Raises OSError."""
    part = part_path(target)
    for file in (part, *(part.with_name(f"{part.name}.{suffix}") for suffix in ("made", "sorted", "united"))):
        file.unlink(missing_ok=True)
    remove_checkpoint(target)
