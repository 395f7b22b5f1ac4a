"""Copies of both versions of the schema that are kept before each commit. All functions block."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import msgspec

from cdb_desktop.foundation.files import write_whole
from cdb_desktop.schema.document.json_values import Json

MOST_COPIES = 50


@dataclass(frozen=True, slots=True)
class SafetyCopy:
    """A copy in a folder; ``plan`` is the service's plan of the commit, None if it had none."""

    folder: Path
    plan: Json | None


@dataclass(frozen=True, slots=True)
class SafetyCopies:
    """The copies of one user of a service, each in a folder of its own; ``folder`` need not exist."""

    folder: Path

    def keep(self, head: Json, current: Json | None, plan: Json | None, kept_at: datetime) -> Path:
        """Writes the two documents, as model files that can be opened, and the plan of the commit.

        ``current`` is None before the first commit, ``plan`` if the service has none. Returns the folder.
        Raises OSError; then the folder is incomplete.
        """
        made = self._unused(f"{kept_at:%Y-%m-%d %H.%M.%S}")
        parts = {f"HEAD v{_version(head)}": head, "plan": plan}
        if current is not None:
            parts[f"CURRENT v{_version(current)}"] = current
        for name, content in parts.items():
            if content is not None:
                text = msgspec.json.format(msgspec.json.encode(content), indent=2)
                write_whole(made / f"{name}.json", text)
        self._remove_oldest()
        return made

    def all(self) -> tuple[Path, ...]:
        """The folders, oldest first."""
        return tuple(sorted(path for path in self.folder.glob("*") if path.is_dir()))

    def of_commit(self, version: int) -> SafetyCopy | None:
        """The newest copy that was made before a version was committed, None if there is none."""
        for folder in reversed(self.all()):
            if (folder / f"HEAD v{version}.json").exists():
                return SafetyCopy(folder, _read_plan(folder / "plan.json"))
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
