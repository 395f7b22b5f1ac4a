"""Starts the server of the demo. Importing this module loads neither Qt nor the client."""

from __future__ import annotations

from pathlib import Path

from cdb_desktop.embedded import EmbeddedServer, open_demo_folder


def demo_server(folder: Path, interface: int) -> EmbeddedServer:
    """Starts a server with demo data in ``folder``, or in a copy while that is in use. Raises OSError.

    ``interface`` is 5 or 6, which the server speaks; the data is the same in both.
    """
    opened = open_demo_folder(folder)
    try:
        return EmbeddedServer(opened, options=(f"--generation={interface}",))
    except OSError:
        opened.close()
        raise


def early_demo_server(folder: Path, interface: int) -> EmbeddedServer | None:
    """Starts the server before the window exists.

    Returns None if that fails: the window tries again and shows the error.
    """
    try:
        return demo_server(folder, interface)
    except OSError:
        return None
