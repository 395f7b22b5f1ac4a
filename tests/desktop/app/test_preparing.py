"""Tests of what the program does while it waits for the keyring, which may wait for its owner."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.desktop.app.processes import complaints, program

# A keyring that knows the password as soon as the panes have been loaded, and none after a while.
_WAITING = """
import sys, threading
import keyring.backend, keyring.core
import cdb_desktop.app.panes as panes
from cdb_desktop.__main__ import main

fetched = threading.Event()
load_first = panes._load_first

def tell():
    load_first()
    fetched.set()

panes._load_first = tell

class Waiting(keyring.backend.KeyringBackend):
    priority = 1

    def get_password(self, service, username):
        return "admin" if fetched.wait(15) else None

    def set_password(self, service, username, password):
        pass

keyring.core.set_keyring(Waiting())
sys.exit(main())
"""


def test_panes_are_loaded_meanwhile(tmp_path: Path, reference_server: str) -> None:
    """When the password comes they are there, and nobody waits for both one after the other."""
    command = (sys.executable, "-X", "dev", "-W", "error", "-c", _WAITING)
    arguments = ("--server", reference_server, "--login", "root", "--smoke")
    with program(tmp_path, *command, *arguments) as process:
        _out, err = process.communicate(timeout=60)
    assert (process.returncode, complaints(err)) == (0, "")
