"""Files on this machine for each service: diagram arrangements and views, drafts, sides of conflicts, and
copies of both versions of the schema that are kept before each commit.

A copy also has the values that the commit removes or converts if the rows of the service can be read,
which no call of the interface does. All functions block; those that handle whole documents belong on a
thread.
"""

from __future__ import annotations

import math
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha1
from pathlib import Path
from typing import Literal, TypeVar, get_args

import msgspec

from cdb_desktop.foundation.files import DAMAGE, set_aside, write_whole
from cdb_desktop.schema.diagram.groups import COLORS, Group, Groups
from cdb_desktop.schema.diagram.model import Arrangement, Point
from cdb_desktop.schema.diagram.views import DraftPlace, NamedView
from cdb_desktop.schema.document.json_format import write_document
from cdb_desktop.schema.document.json_values import Json
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.files.drafts import DraftStore

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


class _Stored(msgspec.Struct):
    def points(self) -> Iterable[Point]:
        return ()


_Content = TypeVar("_Content", bound=_Stored)


class _Layout(_Stored):
    positions: dict[int, Point]
    # Files of earlier versions have neither groups nor folded tables.
    groups: list[_StoredGroup] = []
    folded: list[int] = []

    def points(self) -> Iterable[Point]:
        return self.positions.values()


class _DraftPlaces(_Stored):
    places: dict[int, DraftPlace]

    def points(self) -> Iterable[Point]:
        return (place.position for place in self.places.values())


class _Views(_Stored):
    views: tuple[NamedView, ...]

    def points(self) -> Iterable[Point]:
        for view in self.views:
            yield view.viewport.center
            yield from (table.position for table in view.tables)


class StoredChecks(_Stored):
    """What was chosen for the checks of a model: silenced hints, and the path of a policy (empty: none)."""

    silenced: frozenset[str] = frozenset()
    policy: str = ""


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
        layout = self._read("layout", _Layout) or _Layout({})
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
        found = self._read("places", _DraftPlaces)
        return {} if found is None else found.places

    def keep_draft_places(self, places: Mapping[int, DraftPlace]) -> None:
        """Stores where new tables are; of very many, only those that came last. Raises OSError."""
        self._write("places", _DraftPlaces(dict(list(places.items())[-_MOST_PLACES:])))

    def views(self) -> tuple[NamedView, ...]:
        """The named views of the diagram. A damaged file is set aside."""
        found = self._read("views", _Views)
        return () if found is None else found.views

    def keep_views(self, views: tuple[NamedView, ...]) -> None:
        """Stores the named views. Raises OSError."""
        self._write("views", _Views(views))

    def checks(self) -> StoredChecks:
        """What was chosen for the checks. A damaged file is set aside."""
        return self._read("checks", StoredChecks) or StoredChecks()

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

    def _read(self, kind: str, type_: type[_Content]) -> _Content | None:
        file = self._file(kind)
        try:
            content = msgspec.json.decode(file.read_bytes(), type=type_)
            # The view could not scroll to positions outside of any diagram.
            if not all(abs(part) < _FARTHEST for point in content.points() for part in point):
                raise ValueError("a position outside of the diagram")
        except OSError:
            return None
        except DAMAGE as error:
            set_aside(file, error)
            return None
        return content

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


MOST_COPIES = 50
_VALUES = "values"

# Writes values of columns of a table, or all of them, into a CSV file; returns the number of rows, and writes
# no file without any. Raises OSError.
WriteRows = Callable[[str, tuple[str, ...], Path], int]


@dataclass(frozen=True, slots=True)
class SafetyCopy:
    """A copy in a folder; ``plan`` is the service's plan of the commit, None if it had none.

    ``values`` are the files with values of tables.
    """

    folder: Path
    plan: Json | None
    values: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class SafetyCopies:
    """The copies of one user of a service, each in a folder of its own; ``folder`` need not exist."""

    folder: Path

    def keep(self, head: Json, current: Json | None, plan: Json | None, kept_at: datetime) -> Path:
        """Writes the two documents, as model files that can be opened, and the plan of the commit.

        ``current`` is None before the first commit, ``plan`` if the service has none. Returns the folder.
        Raises OSError; then there is no copy.
        """
        made = self._unused(f"{kept_at:%Y-%m-%d %H.%M.%S}")
        with _whole(made):
            self._write(made, head, current, plan)
        for path in self.all()[:-MOST_COPIES]:
            shutil.rmtree(path, ignore_errors=True)
        return made

    def _write(self, made: Path, head: Json, current: Json | None, plan: Json | None) -> None:
        parts = {f"HEAD v{_version(head)}": head, "plan": plan}
        if current is not None:
            parts[f"CURRENT v{_version(current)}"] = current
        for name, content in parts.items():
            if content is not None:
                text = msgspec.json.format(msgspec.json.encode(content), indent=2)
                write_whole(made / f"{name}.json", text)

    def keep_values(
        self, folder: Path, columns: Mapping[str, tuple[str, ...]], write: WriteRows
    ) -> dict[str, int]:
        """Adds the values of tables to a copy: columns by table, no columns for all of them.

        Returns how many rows of each table have been written. Raises OSError; then there is no copy.
        """
        values = folder / _VALUES
        with _whole(folder):
            values.mkdir(mode=0o700, exist_ok=True)
            rows = {
                table: write(table, names, values / f"{number} {_file_name(table)}.csv")
                for number, (table, names) in enumerate(columns.items(), 1)
            }
        return {table: count for table, count in rows.items() if count}

    def all(self) -> tuple[Path, ...]:
        """The folders, oldest first."""
        return tuple(sorted(path for path in self.folder.glob("*") if path.is_dir()))

    def of_commit(self, version: int) -> SafetyCopy | None:
        """The newest copy that was made before a version was committed, None if there is none."""
        for folder in reversed(self.all()):
            if (folder / f"HEAD v{version}.json").exists():
                values = tuple(sorted((folder / _VALUES).glob("*.csv")))
                return SafetyCopy(folder, _read_plan(folder / "plan.json"), values)
        return None

    def _unused(self, name: str) -> Path:
        """The path of a folder that does not exist: two commits may follow within a second."""
        number = 1
        found = self.folder / name
        while found.exists():
            number += 1
            found = self.folder / f"{name} ({number})"
        return found


@contextmanager
def _whole(folder: Path) -> Iterator[None]:
    """Removes the folder of a copy that cannot be completed: nothing is committed then."""
    try:
        yield
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _read_plan(path: Path) -> Json | None:
    """The plan in a file, None if it is missing or damaged: only numbers are missing then."""
    try:
        plan = msgspec.json.decode(path.read_bytes())
    except (OSError, msgspec.DecodeError):
        return None
    return plan if isinstance(plan, dict) else None


def _version(document: Json) -> str:
    version = document.get("version")
    return str(version) if isinstance(version, int) else "0"


def _file_name(table: str) -> str:
    """A name of a table that all file systems take; the number before it makes it unique."""
    return "".join(sign if sign.isalnum() or sign in "_-" else "_" for sign in table)[:60]
