"""Demo databases, created once for each number of events by all workers together, and then copied."""

import multiprocessing
import os
import shutil
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

from filelock import FileLock

from server_stub.process.composition import create_demo_file

_VARIABLE = "CDB_TEST_DEMOS"
# The process that starts the workers makes the folder, and removes it when it ends.
if _VARIABLE not in os.environ:
    _FOLDER = TemporaryDirectory(prefix="cdb-demos-")
    os.environ[_VARIABLE] = _FOLDER.name


def create_demo(file: Path, events: int) -> None:
    """Creates the demo database at ``file`` as ``--demo --demo-events`` does, unless the file exists."""
    if not file.exists():
        shutil.copy(_demo_file(events), file)


def create_demo_of(arguments: Sequence[str]) -> None:
    """Creates the demo that `cdb-server` would with these arguments, if they tell how many events it has."""
    given = dict(pairwise(arguments))
    if "--demo-events" in given and "://" not in given["--database"]:
        create_demo(Path(given["--database"]), int(given["--demo-events"]))


@cache
def _demo_file(events: int) -> Path:
    file = Path(os.environ[_VARIABLE]) / f"{events}.sqlite"
    with FileLock(file.with_suffix(".lock")):
        if not file.exists():
            # In a separate process, since filling changes process-wide settings of memory and logging.
            make = multiprocessing.get_context("forkserver").Process(
                target=create_demo_file, args=(str(file), events)
            )
            make.start()
            make.join()
            assert make.exitcode == 0
    return file
