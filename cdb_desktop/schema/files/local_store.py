"""Files on this machine for each service: diagram arrangements and views, drafts, sides of conflicts.

All functions block; those that handle whole documents belong on a thread.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha1
from pathlib import Path
from typing import Literal, get_args

import msgspec

from cdb_desktop.foundation.files import DAMAGE, set_aside, write_whole
from cdb_desktop.schema.diagram.draft_places import DraftPlace
from cdb_desktop.schema.diagram.groups import COLORS, Group, Groups
from cdb_desktop.schema.diagram.model import Arrangement, Point
from cdb_desktop.schema.diagram.views import NamedView
from cdb_desktop.schema.document.json_format import write_document
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.files.drafts import DraftStore
from cdb_desktop.schema.files.safety_copies import SafetyCopies

Side = Literal["mine", "theirs"]
_FARTHEST = 1e6  # pixels from the origin that a diagram can reach
_MOST_PLACES = 2_000
_SIDES: tuple[Side, ...] = get_args(Side)


class _StoredGroup(msgspec.Struct, omit_defaults=True):
    key: int
    name: str
    color: int
    tables: list[int]
    is_collapsed: bool = False


class _Layout(msgspec.Struct):
    positions: dict[int, Point]
    # Files of earlier versions have neither groups nor folded tables.
    groups: list[_StoredGroup] = []
    folded: list[int] = []


class _DraftPlaces(msgspec.Struct):
    places: dict[int, DraftPlace]


class _Views(msgspec.Struct):
    views: tuple[NamedView, ...]


class StoredChecks(msgspec.Struct, frozen=True):
    """What was chosen for the checks of a model: silenced hints, and the path of a policy (empty: none)."""

    silenced: frozenset[str] = frozenset()
    policy: str = ""


def _check(layout: _Layout) -> None:
    """Raises ValueError for positions outside of any diagram, to which the view could not scroll."""
    for point in layout.positions.values():
        if not all(abs(part) < _FARTHEST for part in point):
            raise ValueError("a position outside of the diagram")


def _read_groups(stored: list[_StoredGroup]) -> Groups:
    """The groups of a file. A table that is in several of them is only in the first."""
    taken: set[int] = set()
    found: dict[int, Group] = {}
    for each in stored:
        tables = frozenset(each.tables) - taken
        if tables and each.key > 0 and each.key not in found:
            taken |= tables
            found[each.key] = Group(each.key, each.name, each.color % COLORS, tables, each.is_collapsed)
    return Groups(tuple(found.values()))


@dataclass(frozen=True, slots=True)
class ConflictCopy:
    """One side of a conflict, kept as a model file."""

    path: Path
    side: Side
    kept_at: datetime


@dataclass(frozen=True, slots=True)
class LocalStore:
    """The files of one service in a folder, which need not exist.

    Users share positions and views, but not drafts. Drafts since ``resumed``, in seconds since 1970, are
    those of a program that this one continues.
    """

    folder: Path
    service: str
    user: str = ""
    resumed: float = math.inf

    def arrangement(self) -> Arrangement:
        """The stored arrangement, or empty. A damaged file is set aside."""
        file = self._file("layout")
        try:
            layout = msgspec.json.decode(file.read_bytes(), type=_Layout)
            _check(layout)
        except OSError:
            return Arrangement()
        except DAMAGE as error:
            set_aside(file, error)
            return Arrangement()
        return Arrangement(layout.positions, _read_groups(layout.groups), frozenset(layout.folded))

    def keep_arrangement(self, arrangement: Arrangement) -> None:
        """Stores positions, groups and folded tables with ids of the service. Raises OSError."""
        kept = arrangement.lasting()
        groups = [
            _StoredGroup(group.key, group.name, group.color, sorted(group.tables), group.is_collapsed)
            for group in kept.groups
        ]
        self._write("layout", _Layout(dict(kept.positions), groups, sorted(kept.folded)))

    def draft_places(self) -> dict[int, DraftPlace]:
        """Where new tables of this user's drafts are. A damaged file is set aside."""
        file = self._file("places")
        try:
            places = msgspec.json.decode(file.read_bytes(), type=_DraftPlaces).places
            _check(_Layout({key: place.position for key, place in places.items()}))
        except OSError:
            return {}
        except DAMAGE as error:
            set_aside(file, error)
            return {}
        return places

    def keep_draft_places(self, places: Mapping[int, DraftPlace]) -> None:
        """Stores where new tables are; of very many, only those that came last. Raises OSError."""
        self._write("places", _DraftPlaces(dict(list(places.items())[-_MOST_PLACES:])))

    def views(self) -> tuple[NamedView, ...]:
        """The named views of the diagram. A damaged file is set aside."""
        file = self._file("views")
        try:
            views = msgspec.json.decode(file.read_bytes(), type=_Views).views
            for view in views:
                _check(_Layout({0: view.viewport.center, **{t.key: t.position for t in view.tables}}))
        except OSError:
            return ()
        except DAMAGE as error:
            set_aside(file, error)
            return ()
        return views

    def keep_views(self, views: tuple[NamedView, ...]) -> None:
        """Stores the named views. Raises OSError."""
        self._write("views", _Views(views))

    def checks(self) -> StoredChecks:
        """What was chosen for the checks. A damaged file is set aside."""
        file = self._file("checks")
        try:
            return msgspec.json.decode(file.read_bytes(), type=StoredChecks)
        except OSError:
            return StoredChecks()
        except DAMAGE as error:
            set_aside(file, error)
            return StoredChecks()

    def keep_checks(self, checks: StoredChecks) -> None:
        """Stores what was chosen for the checks. Raises OSError."""
        self._write("checks", checks)

    @property
    def drafts(self) -> DraftStore:
        """The drafts of this user."""
        return DraftStore(self.folder, self._stem(self._owner), self.resumed)

    @property
    def safety_copies(self) -> SafetyCopies:
        """The copies of both versions that this user keeps before commits."""
        return SafetyCopies(self.folder / "commits" / self._stem(self._owner))

    def keep_model(self, document: Document, side: Side, kept_at: datetime) -> ConflictCopy:
        """Writes one side of a conflict as a separate model file. Raises OSError."""
        kind = f"{side}-{kept_at:%Y%m%d-%H%M%S}"
        self._write(kind, write_document(document))
        return ConflictCopy(self._file(kind), side, kept_at)

    def kept_models(self) -> tuple[ConflictCopy, ...]:
        """The sides of conflicts that were kept for this user, newest first."""
        found: list[ConflictCopy] = []
        for side in _SIDES:
            for path in self.folder.glob(f"{self._stem(self._owner)}.{side}-*.json"):
                kept_at = datetime.fromtimestamp(path.stat().st_mtime).astimezone()
                found.append(ConflictCopy(path, side, kept_at))
        return tuple(sorted(found, key=lambda kept: kept.kept_at, reverse=True))

    def _write(self, kind: str, content: object) -> None:
        write_whole(self._file(kind), msgspec.json.encode(content))

    @property
    def _owner(self) -> str:
        return f"{self.user}@{self.service}" if self.user else self.service

    def _file(self, kind: str) -> Path:
        is_shared = kind in ("layout", "views")
        return self.folder / f"{self._stem(self.service if is_shared else self._owner)}.{kind}.json"

    def _stem(self, owner: str) -> str:
        readable = re.sub(r"[^a-z0-9]+", "-", owner.lower()).strip("-")[:40]
        return f"{readable}-{sha1(owner.encode(), usedforsecurity=False).hexdigest()[:8]}"
