"""Which feeds were open side by side at a service, as a record in a file that all windows share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec

from cdb_desktop.foundation.files import RecordFile
from cdb_desktop.live.feed_filter import FeedFilter

_MOST = 50  # services


class Kept(msgspec.Struct, frozen=True):
    """A feed: what it shows, whether it is to tell of it, and the pixels that it had."""

    choice: FeedFilter
    notifies: bool = False
    width: int = 0


Layout = tuple[Kept, ...]


def layout_file(path: Path, earlier: Callable[[], str] = str) -> RecordFile[Layout]:
    """The layouts by service; ``earlier`` gives what an earlier version has kept elsewhere."""
    return RecordFile(path, decoded, msgspec.json.encode, most=_MOST, earlier=earlier)


def decoded(record: bytes) -> Layout:
    """The layout in a record. Raises msgspec.MsgspecError."""
    return msgspec.json.decode(record, type=Layout)
