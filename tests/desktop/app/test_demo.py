"""Tests of starting the demo's server."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from cdb_desktop.app.connection.connect import demo_connection
from cdb_desktop.app.demo import demo_server, early_demo_server
from tests.demo_files import create_demo


def test_a_folder_that_cannot_be_created_is_reported_in_the_window(tmp_path: Path) -> None:
    """Before there is a window the start continues; the failure occurs again when it can be shown."""
    (tmp_path / "file").touch()
    assert early_demo_server(tmp_path / "file" / "demo", 5) is None
    with pytest.raises(OSError, match="file"):
        demo_server(tmp_path / "file" / "demo", 5)


@pytest.mark.parametrize("interface", [5, 6])
async def test_signing_out_precedes_the_end_of_the_server(tmp_path: Path, interface: int) -> None:
    """The log has the time of the sign-out, not that of the next start of the server, in both interfaces."""
    folder = tmp_path / "demo"
    folder.mkdir()
    create_demo(folder / "demo.sqlite", 200)
    async with demo_connection(demo_server(folder, interface)) as opened:
        assert opened.client.capabilities.filters_by_object == (interface == 6)
    (file,) = folder.glob("*.sqlite")
    with closing(sqlite3.connect(file)) as database:
        types = database.execute("SELECT type FROM _event ORDER BY id DESC LIMIT 2").fetchall()
    assert types == [("SERVER_SHUTDOWN",), ("USER_LOGOUT",)]
