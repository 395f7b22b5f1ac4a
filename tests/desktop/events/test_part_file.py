"""Tests of opening files in a thread."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import IO

import pytest

from cdb_desktop.events.part_file import open_in_thread


async def test_a_cancelled_call_leaves_no_file_open(tmp_path: Path) -> None:
    """The thread finishes opening the file, which is closed before the cancellation is raised."""
    begun, go_on, files = threading.Event(), threading.Event(), list[IO[bytes]]()

    def slowly() -> IO[bytes]:
        begun.set()
        go_on.wait(10)
        files.append((tmp_path / "part").open("wb"))
        return files[0]

    work = asyncio.ensure_future(open_in_thread(slowly))
    await asyncio.to_thread(begun.wait, 10)
    work.cancel()
    await asyncio.sleep(0)
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await work
    assert files[0].closed


async def test_a_file_that_cannot_be_opened_raises_an_error(tmp_path: Path) -> None:
    """The error is that of open."""
    with pytest.raises(IsADirectoryError):
        await open_in_thread(lambda: tmp_path.open("wb"))
