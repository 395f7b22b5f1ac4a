"""Where the program keeps what is its own: settings, logs and the demo's data."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from platformdirs import PlatformDirs


@dataclass(frozen=True, slots=True)
class Places:
    """Folders of this user; none of them need exist."""

    settings: Path
    logs: Path
    demo: Path

    @property
    def connections(self) -> Path:
        """The file of the remembered connections."""
        return self.settings / "connections.json"


def places() -> Places:
    """The platform's folders for this program."""
    found = PlatformDirs("cdb-desktop", appauthor=False)
    return Places(found.user_config_path, found.user_log_path, found.user_data_path / "demo")
