"""Starts the program as a process with its own home folder, and examines processes."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.demo_files import create_demo

# Closes the window as a user would, some time after it was shown. The first thread loads all of Qt that the
# second one uses: PySide crashes if two threads load its modules at the same time.
_CLOSING = """
import sys, threading, time
import cdb_desktop.app.application
from cdb_desktop.__main__ import main
from PySide6.QtCore import QMetaObject, Qt
from PySide6.QtWidgets import QApplication

close_windows, queued = QMetaObject.invokeMethod, Qt.ConnectionType.QueuedConnection

def close():
    while QApplication.instance() is None:
        time.sleep(0.01)
    time.sleep(1.0)
    close_windows(QApplication.instance(), "closeAllWindows", queued)

sys.argv = ["cdb-desktop", *sys.argv[1:]]
threading.Thread(target=close).start()
sys.exit(main())
"""
# Notes of asyncio's debug mode: on slow steps, and on helper processes that are still drawing at the end.
_NOTES = re.compile(
    r"WARNING (qasync|asyncio).*( took [0-9.]+ seconds$|: Close running child process: kill )"
)
# All warnings are errors, except for that of qasync 0.28, which calls a deprecated function on Python 3.14.
_QASYNC = "ignore:'asyncio.iscoroutinefunction' is deprecated:DeprecationWarning"
STRICT_PYTHON = (sys.executable, "-X", "dev", "-W", "error", "-W", _QASYNC)
PROGRAM = (*STRICT_PYTHON, "-m", "cdb_desktop")
SMOKE = ("--smoke", "--timeout", "100")  # less than pytest waits
CLOSING_PROGRAM = (*STRICT_PYTHON, "-c", _CLOSING)


def environment(home: Path) -> dict[str, str]:
    """The environment of a user whose home folder is ``home``."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    # Tests must not use the real keyring.
    keyring = {"PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring"}
    return (
        inherited | keyring | {"HOME": str(home), "QT_QPA_PLATFORM": "offscreen", "PYTHONASYNCIODEBUG": "0"}
    )


def add_demo(home: Path) -> None:
    """Adds the demo data to a new home folder, which the program would create at its first start."""
    folder = home / ".local/share/cdb-desktop/demo"
    folder.mkdir(parents=True)
    create_demo(folder / "demo.sqlite", 20_000)


@contextmanager
def program(home: Path, *command: str) -> Iterator[subprocess.Popen[str]]:
    """A running program, killed at the end if it still runs."""
    with subprocess.Popen(
        command, env=environment(home), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def children(pid: int) -> list[int]:
    """The process ids of the children of ``pid`` that are alive."""
    return [child for child in _processes() if _parent(child) == pid]


def is_alive(pid: int) -> bool:
    """Whether the process runs; a zombie does not count."""
    return _parent(pid) is not None


def _processes() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def _parent(pid: int) -> int | None:
    try:
        state, parent = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[:2]
    except OSError:
        return None
    return None if state in "ZX" else int(parent)


def complaints(err: str) -> str:
    """What a program wrote to stderr, without notes of asyncio's debug mode."""
    return "".join(line for line in err.splitlines(keepends=True) if not _NOTES.search(line))
