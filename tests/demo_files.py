"""Demo databases to copy: making one takes longer than most tests that need one of their own."""

from __future__ import annotations

import multiprocessing
import shutil
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from server_stub.process.composition import make_demo

_FOLDER = TemporaryDirectory(prefix="cdb-demos-")


def lay_demo(file: Path, events: int) -> None:
    """Lays at ``file`` what ``--demo --demo-events`` would make there; what is there stays."""
    if not file.exists():
        shutil.copy(_made(events), file)


@cache
def _made(events: int) -> Path:
    file = Path(_FOLDER.name) / f"{events}.sqlite"
    # In a process of its own: filling changes what a process thinks of memory and of logging.
    make = multiprocessing.get_context("forkserver").Process(target=make_demo, args=(str(file), events))
    make.start()
    make.join()
    assert make.exitcode == 0
    return file
