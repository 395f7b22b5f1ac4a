"""Starts, monitors and stops the reference server as a child process."""

from cdb_desktop.embedded.folder import DemoFolder, open_demo_folder
from cdb_desktop.embedded.server import EmbeddedServer, Login, Phase, ServerLostError

__all__ = ["DemoFolder", "EmbeddedServer", "Login", "Phase", "ServerLostError", "open_demo_folder"]
