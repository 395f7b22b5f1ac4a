"""What stays on this machine for each service: the diagram's arrangement, and work that was not saved.

Knows files; every call blocks, so it belongs into a thread where much is kept.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha1
from pathlib import Path

import msgspec

from cdb_desktop.schema.diagram import Arrangement, Point
from cdb_desktop.schema.document import Document
from cdb_desktop.schema.reading import read
from cdb_desktop.schema.shape import DocumentError
from cdb_desktop.schema.writing import write


class _Layout(msgspec.Struct):
    positions: dict[int, Point]
    routes: dict[int, tuple[Point, ...]]


class _Draft(msgspec.Struct):
    head: dict[str, object] | None
    document: dict[str, object]


@dataclass(frozen=True, slots=True)
class Draft:
    """Work that was not saved: on which HEAD it began, what it had become, and when it was kept."""

    head: Document | None
    document: Document
    kept_at: datetime


@dataclass(frozen=True, slots=True)
class Keeping:
    """The files of one service in a folder, which need not exist; work is of a user, positions of all."""

    folder: Path
    service: str
    user: str = ""

    def arrangement(self) -> Arrangement:
        """The arrangement that was kept; an empty one where there is none or nobody can read it."""
        try:
            kept = msgspec.json.decode(self._file("layout").read_bytes(), type=_Layout)
        except (OSError, msgspec.DecodeError):
            return Arrangement()
        return Arrangement(kept.positions, kept.routes)

    def keep_arrangement(self, arrangement: Arrangement) -> None:
        """Keeps what has the service's ids; raises OSError."""
        lasting = arrangement.lasting()
        self._write("layout", _Layout(dict(lasting.positions), dict(lasting.routes)))

    def draft(self) -> Draft | None:
        """The work that was kept, None where there is none or nobody can read it."""
        file = self._file("draft")
        try:
            kept = msgspec.json.decode(file.read_bytes(), type=_Draft)
            kept_at = datetime.fromtimestamp(file.stat().st_mtime).astimezone()
            head = None if kept.head is None else read(kept.head)
            return Draft(head, read(kept.document), kept_at)
        except (OSError, msgspec.DecodeError, DocumentError):
            return None

    def keep_draft(self, head: Document | None, document: Document) -> None:
        """Keeps unsaved work in the place of what was kept before; raises OSError."""
        self._write("draft", _Draft(None if head is None else write(head), write(document)))

    def forget_draft(self) -> None:
        """There is nothing unsaved; raises OSError."""
        self._file("draft").unlink(missing_ok=True)

    def put_aside(self, document: Document) -> Path:
        """Writes a model that others' work takes the place of, and tells where; raises OSError."""
        kind = f"mine-{datetime.now().astimezone():%Y%m%d-%H%M%S}"
        self._write(kind, write(document))
        return self._file(kind)

    def _write(self, kind: str, content: object) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        file = self._file(kind)
        new = file.with_suffix(".new")
        # A crash while writing must not leave half of a file in the place of a whole one.
        new.write_bytes(msgspec.json.encode(content))
        new.replace(file)

    def _file(self, kind: str) -> Path:
        whose = f"{self.user}@{self.service}" if self.user and kind != "layout" else self.service
        readable = re.sub(r"[^a-z0-9]+", "-", whose.lower()).strip("-")[:40]
        digest = sha1(whose.encode(), usedforsecurity=False).hexdigest()[:8]
        return self.folder / f"{readable}-{digest}.{kind}.json"
