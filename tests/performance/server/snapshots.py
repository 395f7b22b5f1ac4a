"""Duration of saving and restoring snapshots of the database."""

import shutil
import subprocess
import sys
from pathlib import Path

from tests.performance.processes import milliseconds
from tests.performance.rows import Context, Measured, Row
from tests.performance.server.stage import stage


def snapshot_save(context: Context) -> Row:
    """The command that saves a snapshot while the server runs, from its start to its end."""
    stage(context)
    file = _file(context)
    seconds = min(_snapshot(file, "save", f"number {number}") for number in range(3))
    return Row("server.snapshot_save_s", round(seconds, 2), "s", goal=2)


def snapshot_restore(context: Context) -> Row:
    """The command that goes back to a snapshot of a database on which no server runs."""
    stage(context)
    saved = _file(context)
    _snapshot(saved, "save", "restored")
    file = saved.with_name("restored.sqlite")
    shutil.copytree(saved.with_name(f"{saved.name}.snapshots"), file.with_name(f"{file.name}.snapshots"))
    file.touch()
    seconds = min(_snapshot(file, "restore", "restored") for _ in range(3))
    return Row("server.snapshot_restore_s", round(seconds, 2), "s", goal=2)


def _file(context: Context) -> Path:
    return context.folder / f"events-{context.events}.sqlite"


def _snapshot(file: Path, action: str, name: str) -> float:
    """How many seconds a command takes."""
    command = [sys.executable, "-m", "server_stub", "snapshot", action, name, "--database", str(file)]
    return milliseconds(lambda: subprocess.run(command, check=True, capture_output=True)) / 1000


MEASUREMENTS = (
    Measured("server.snapshot_save_s", snapshot_save),
    Measured("server.snapshot_restore_s", snapshot_restore),
)
