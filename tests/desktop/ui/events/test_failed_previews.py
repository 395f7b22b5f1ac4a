"""Tests of dialogs of the browser when the service does not respond."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QToolButton

from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.export.dialogs import ExportOptionsDialog
from tests.desktop.patience import until
from tests.desktop.ui.conftest import SignIn, sign_in_at
from tests.desktop.ui.events.conftest import Browse
from tests.desktop.ui.finding import child_of
from tests.server import started
from tests.server_process import ServerProcess


@pytest.fixture
def killable_server(tmp_path: Path) -> Iterator[tuple[ServerProcess, str]]:
    """A server that may be killed, and its address."""
    with started(tmp_path / "own.sqlite", "--demo", "--demo-events", "500") as server:
        yield server


@pytest.fixture
def sign_in(killable_server: tuple[ServerProcess, str]) -> SignIn:
    """Returns a context manager that yields a client of that server."""
    return sign_in_at(killable_server[1])


async def test_a_failed_preview_can_be_copied_and_retried(
    browse: Browse, actions: Actions, killable_server: tuple[ServerProcess, str]
) -> None:
    """The dialog keeps its options and shows the details of the failure."""
    async with browse() as (view, _controller):
        actions["export_options"].trigger()
        dialog = child_of(view, ExportOptionsDialog)
        await until(lambda: "read back" in dialog.fault)
        copy = child_of(dialog, QToolButton, "failure.copy")
        assert not copy.isVisible()
        killable_server[0].kill()
        killable_server[0].wait(20)
        dialog.trim.setValue(30)
        await until(copy.isVisible)
        assert dialog.fault.startswith("Nobody answers at this address. ")
        copy.click()
        assert killable_server[1].rpartition(":")[2] in QApplication.clipboard().text()
        assert dialog.trim.value() == 30
