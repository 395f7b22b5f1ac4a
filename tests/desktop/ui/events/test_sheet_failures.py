"""Tests of what a sheet of the browser says when the service does not answer it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QToolButton

from cdb_desktop.client import Client
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.export.options_dialog import ExportOptionsDialog
from tests.desktop.patience import until
from tests.desktop.ui.conftest import SignIn
from tests.desktop.ui.events.conftest import Browse
from tests.server import started
from tests.server_process import ServerProcess


@pytest.fixture
def mortal(tmp_path: Path) -> Iterator[tuple[ServerProcess, str]]:
    """A server that may be killed, and its address."""
    with started(tmp_path / "own.sqlite", "--demo", "--demo-events", "500") as server:
        yield server


@pytest.fixture
def sign_in(mortal: tuple[ServerProcess, str]) -> SignIn:
    """A client of that server."""

    @asynccontextmanager
    async def signed_in() -> AsyncIterator[Client]:
        async with Client(mortal[1]) as client:
            await client.authenticate("root", "admin")
            yield client

    return signed_in


async def test_a_preview_that_fails_can_be_copied_and_tried_again(
    browse: Browse, actions: Actions, mortal: tuple[ServerProcess, str]
) -> None:
    """The sheet stays with all that was chosen in it, and gives the details as any other failure does."""
    async with browse() as (view, _controller):
        await until(lambda: view.has_rows)
        actions["export_options"].trigger()
        sheet = view.findChild(ExportOptionsDialog)
        assert sheet is not None
        await until(lambda: "read back" in sheet.fault)
        copy = sheet.findChild(QToolButton, "failure.copy")
        assert copy is not None
        assert not copy.isVisible()
        mortal[0].kill()
        mortal[0].wait(20)
        sheet.trim.setValue(30)
        await until(copy.isVisible)
        assert sheet.fault.startswith("Nobody answers at this address. ")
        copy.click()
        assert mortal[1].rpartition(":")[2] in QApplication.clipboard().text()
        assert sheet.trim.value() == 30
