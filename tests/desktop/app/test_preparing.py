"""Tests of loading pages while the program waits for the keyring, which may wait for the user."""

from pathlib import Path

from tests.desktop.app.processes import SMOKE, STRICT_PYTHON, complaints, program

# A keyring that returns the password once the pages have been imported, and none after a while.
_WAITING = """
import sys, threading
import keyring.backend, keyring.core
from cdb_desktop.app.page_loader import PageLoader
from cdb_desktop.__main__ import main

fetched = threading.Event()
load_workspace = PageLoader.load_workspace

async def load(loader):
    await load_workspace(loader)
    fetched.set()

PageLoader.load_workspace = load

class Waiting(keyring.backend.KeyringBackend):
    priority = 1

    def get_password(self, service, username):
        return "admin" if fetched.wait(15) else None

    def set_password(self, service, username, password):
        pass

keyring.core.set_keyring(Waiting())
sys.exit(main())
"""


def test_panes_are_loaded_while_the_keyring_is_read(tmp_path: Path, reference_server: str) -> None:
    """The pages are imported while the keyring waits, not afterwards."""
    command = (*STRICT_PYTHON, "-c", _WAITING)
    arguments = ("--server", reference_server, "--login", "root", *SMOKE)
    with program(tmp_path, *command, *arguments) as process:
        _out, err = process.communicate()
    assert (process.returncode, complaints(err)) == (0, "")
