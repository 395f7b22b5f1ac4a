"""Copies of both versions of the schema that are kept before each commit. All functions block.

A copy also has the values that the commit removes or converts if the rows of the service can be read,
which no call of the interface does.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import msgspec

from cdb_desktop.foundation.files import write_whole
from cdb_desktop.schema.document.json_values import Json

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
        self._remove_oldest()
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

    def _remove_oldest(self) -> None:
        for path in self.all()[:-MOST_COPIES]:
            shutil.rmtree(path, ignore_errors=True)


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
