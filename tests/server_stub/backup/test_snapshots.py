"""Snapshots without the command: what interrupted ones leave, and the ways to copy a file; sessions."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from server_stub.accounts import ROOT, Credentials, OAuthError
from server_stub.accounts.oauth import CLIENT, OFFLINE
from server_stub.backup import Snapshots, create_backup, restore_backup
from server_stub.database import open_database
from server_stub.process.composition import compose


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """An empty database."""
    path = tmp_path / "cdb.sqlite"
    open_database(str(path)).close()
    return path


def test_an_interrupted_snapshot_is_never_listed_and_removed_later(file: Path) -> None:
    """It has another name until it is complete."""
    snapshots = Snapshots(file)
    snapshots.save("first")
    folder = file.with_name(f"{file.name}.snapshots")
    recent, abandoned = folder / "second.1.unfinished", folder / "third.2.unfinished-wal"
    for each in (recent, abandoned):
        each.touch()
    os.utime(abandoned, (0, 0))
    assert [each.name for each in snapshots.all()] == ["first"]
    snapshots.save("fourth")
    assert recent.exists()
    assert not abandoned.exists()


def test_a_snapshot_includes_the_write_ahead_log(file: Path) -> None:
    """Also what a reader keeps from being moved into the file, and what was never moved."""
    with (
        closing(sqlite3.connect(file, isolation_level=None)) as writer,
        closing(sqlite3.connect(file)) as reader,
    ):
        writer.execute("PRAGMA wal_autocheckpoint=0")
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM _counter").fetchall()
        writer.execute("UPDATE _counter SET value = 77")
        assert Snapshots(file).save("one").last_event == 77
        assert reader.execute("SELECT value FROM _counter").fetchall() == [(0,)]


def test_files_are_copied_where_the_system_has_no_way_to(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on Windows."""
    monkeypatch.delattr(os, "copy_file_range", raising=False)
    snapshots = Snapshots(file)
    snapshots.save("one")
    with closing(sqlite3.connect(file)) as database:
        database.execute("UPDATE _counter SET value = 5")
        database.commit()
    assert snapshots.restore("one").last_event == 0
    with closing(sqlite3.connect(file)) as database:
        assert database.execute("SELECT value FROM _counter").fetchall() == [(0,)]


@pytest.mark.parametrize("way", ["backup", "snapshot"])
def test_sessions_end_with_a_restoration(file: Path, tmp_path: Path, way: str) -> None:
    """Those that have been ended since would be valid again, and used refresh tokens, too."""
    with closing(open_database(str(file))) as database:
        services = compose(database, demo=True)
        with database.write() as connection:
            services.users.add(connection, "root", "root", displayname="Root", rights=[ROOT])
        tokens = services.oauth.by_password(Credentials("root", "root"), CLIENT, OFFLINE)
        token, begun = services.sessions.start()
        services.sessions.authenticate(begun, Credentials("root", "root"))
        copied = tmp_path / "copy"
        if way == "backup":
            create_backup(database, copied, 0, lambda *_: None)
        else:
            Snapshots(file).save("one")
        assert tokens.refresh_token is not None
        assert services.oauth.by_refresh(tokens.refresh_token, CLIENT, None).refresh_token
    restored = tmp_path / "restored.sqlite" if way == "backup" else file
    if way == "backup":
        restore_backup(copied, str(restored), lambda *_: None)
    else:
        Snapshots(file).restore("one")
    with closing(open_database(str(restored))) as database:
        services = compose(database, demo=True)
        with pytest.raises(OAuthError, match="invalid_grant"):
            services.oauth.by_refresh(tokens.refresh_token, CLIENT, None)
        with database.reader() as reader:
            for each in (token, tokens.access_token):
                assert services.sessions.find(reader, each).user is None
        # Signing in again works.
        assert services.sessions.authenticate(begun, Credentials("root", "root")).user is not None
