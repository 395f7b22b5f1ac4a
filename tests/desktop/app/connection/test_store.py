"""Tests of storing connections in a file."""

import os
import resource
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from cdb_desktop.app.connection.passwords import PasswordStore
from cdb_desktop.app.connection.store import ConnectionFile, ConnectionStore
from cdb_desktop.foundation.files import Report, on_report
from cdb_desktop.ui.connection.profile import ConnectionInput, ConnectionProfile
from tests.desktop.app.services import MemoryKeyring

MUSEUM = ConnectionProfile("https://museum.example", "root", "Museum", "#A87200", 1.0)
LIBRARY = ConnectionProfile("https://library.example", "anna", used=2.0)


def test_connections_are_restored_at_the_next_start(tmp_path: Path) -> None:
    """The newest is first, and each login at an address is listed once."""
    file = tmp_path / "settings" / "connections.json"
    connections = ConnectionFile(file)
    for entry in (MUSEUM, LIBRARY, ConnectionProfile(MUSEUM.address, MUSEUM.login, "Renamed", used=3.0)):
        connections.keep(entry)
    assert [one.title for one in ConnectionFile(file).profiles] == ["Renamed", "library.example"]
    connections.forget(LIBRARY)
    assert [one.title for one in ConnectionFile(file).profiles] == ["Renamed"]


def test_two_windows_do_not_overwrite_each_other(tmp_path: Path) -> None:
    """The file is read again before each change."""
    one, other = (ConnectionFile(tmp_path / "connections.json") for _ in range(2))
    one.keep(MUSEUM)
    other.keep(LIBRARY)
    assert ConnectionFile(tmp_path / "connections.json").profiles == (LIBRARY, MUSEUM)


def test_if_the_file_cannot_be_written_connections_are_stored_in_memory(tmp_path: Path) -> None:
    """The program continues to work."""
    (tmp_path / "file").touch()
    connections = ConnectionFile(tmp_path / "file" / "connections.json")
    connections.keep(MUSEUM)
    assert connections.profiles == (MUSEUM,)


async def test_no_password_is_in_the_file(tmp_path: Path, keys: MemoryKeyring) -> None:
    """The representation of the store does not contain it either."""
    store = ConnectionStore(ConnectionFile(tmp_path / "connections.json"), PasswordStore())
    store.note(MUSEUM)
    await store.keep(ConnectionInput(MUSEUM, "swordfish", remember=True))
    assert keys.passwords == {("cdb-desktop", "root@https://museum.example"): "swordfish"}
    assert b"swordfish" not in (tmp_path / "connections.json").read_bytes()
    assert "swordfish" not in repr(store)
    keys.set_password("cdb-desktop", MUSEUM.refresh_key, "of the browser")
    await store.keep(ConnectionInput(MUSEUM, remember=False))
    assert keys.passwords == {}


def test_an_address_is_recognized_in_any_spelling(tmp_path: Path) -> None:
    """The login of the last connection is used, unless another one is given."""
    store = ConnectionStore(ConnectionFile(tmp_path / "connections.json"), PasswordStore())
    store.note(MUSEUM)
    assert store.profile("museum.example/", "").title == "Museum"
    assert store.profile("https://museum.example", "anna") == ConnectionProfile(
        "https://museum.example", "anna"
    )


_DAMAGED = [
    b"[3]",
    b'[{"address": "http://[half", "used": 1}]',
    b'[{"address": "https://a.example", "x": ' + b"[" * 100_000,
    b'[{"address": "https://a.example\xff"}]',
]


@pytest.mark.parametrize("content", _DAMAGED)
def test_a_damaged_file_is_set_aside_and_reported_once(tmp_path: Path, content: bytes) -> None:
    """The file is renamed with its content unchanged."""
    file = tmp_path / "connections.json"
    file.write_bytes(content)
    reports: list[Report] = []
    end = on_report(reports.append)
    reports.clear()
    assert ConnectionFile(file).profiles == ()
    ConnectionFile(file).keep(MUSEUM)
    end()
    (found,) = reports
    assert found.kept is not None
    assert found.kept.read_bytes() == content
    assert ConnectionFile(file).profiles == (MUSEUM,)


def test_a_full_disk_leaves_the_previous_file_and_is_reported(tmp_path: Path) -> None:
    """The file is never partly written; the next change brings what could not be written."""
    file = tmp_path / "connections.json"
    connections = ConnectionFile(file)
    connections.keep(MUSEUM)
    before = file.read_bytes()
    reports: list[Report] = []
    end = on_report(reports.append)
    reports.clear()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 10, hard))
    try:
        connections.keep(LIBRARY)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        end()
    assert connections.profiles == (LIBRARY, MUSEUM)
    assert file.read_bytes() == before
    assert [(one.trouble, one.path) for one in reports] == [("unwritten", file)]
    assert {one.name for one in tmp_path.iterdir()} <= {file.name, file.name + ".lock"}
    assert file.stat().st_mode & 0o777 == 0o600
    connections.keep(MUSEUM)
    assert ConnectionFile(file).profiles == (LIBRARY, MUSEUM)


def test_the_file_is_synced_before_it_replaces_the_previous_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a crash at any moment the file is complete."""
    file = tmp_path / "connections.json"
    connections = ConnectionFile(file)
    connections.keep(MUSEUM)
    before, synced = file.read_bytes(), []

    def fsync(number: int) -> None:
        if stat.S_ISREG(os.fstat(number).st_mode):
            synced.append((os.fstat(number).st_size, file.read_bytes()))

    monkeypatch.setattr(os, "fsync", fsync)
    connections.keep(LIBRARY)
    assert synced == [(file.stat().st_size, before)]


def test_concurrent_windows_lose_nothing(tmp_path: Path) -> None:
    """Four programs store ten connections each."""
    file = tmp_path / "connections.json"
    write = (
        "import sys; from pathlib import Path\n"
        "from cdb_desktop.app.connection.store import ConnectionFile\n"
        "from cdb_desktop.ui.connection.profile import ConnectionProfile\n"
        "connections = ConnectionFile(Path(sys.argv[1]))\n"
        "for n in range(10):\n"
        "    connections.keep(ConnectionProfile(f'https://{sys.argv[2]}-{n}.example', used=float(n)))\n"
    )
    programs = [subprocess.Popen([sys.executable, "-c", write, str(file), str(n)]) for n in range(4)]
    assert [one.wait(60) for one in programs] == [0] * 4
    assert len(ConnectionFile(file).profiles) == 40
