"""Starts the server of the demo; importing it loads neither Qt nor the client, so it can be done first."""

from __future__ import annotations

from pathlib import Path

from cdb_desktop.embedded import EmbeddedServer, open_demo_folder


def demo_server(folder: Path) -> EmbeddedServer:
    """Starts a server with demo data in ``folder``, or in a copy while that is in use. Raises OSError."""
    opened = open_demo_folder(folder)
    try:
        return EmbeddedServer(opened)
    except OSError:
        opened.close()
        raise


def early_demo_server(folder: Path) -> EmbeddedServer | None:
    """The same before there is a window; None where it fails, to be tried again when there is one to tell."""
    try:
        return demo_server(folder)
    except OSError:
        return None
