"""The folders of settings, logs and demo data, and of temporary databases."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from platformdirs import PlatformDirs


@dataclass(frozen=True, slots=True)
class UserFolders:
    """Folders of the current user. They need not exist."""

    settings: Path
    logs: Path
    demo: Path
    opened: Path  # databases of log files while they are open

    @property
    def connections(self) -> Path:
        """The file of the remembered connections."""
        return self.settings / "connections-2.json"


def user_folders() -> UserFolders:
    """The platform's folders for this program."""
    found = PlatformDirs("cdb-desktop", appauthor=False)
    return UserFolders(
        found.user_config_path,
        found.user_log_path,
        found.user_data_path / "demo",
        found.user_cache_path / "logs",
    )
