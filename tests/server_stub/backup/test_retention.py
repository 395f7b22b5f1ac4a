"""`cdb-server retain`: what it removes, what it writes before, and that it can be interrupted anywhere."""

import json
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest
from sqlalchemy import select

from server_stub.backup import BackupError, Retention, event_archive, import_events, old_events
from server_stub.backup.event_archive import EventArchive
from server_stub.database import Database, open_database
from server_stub.database.postgresql import EventPartitions
from server_stub.database.tables import event
from server_stub.events import Actor, EventDraft, EventLog
from tests.postgresql import Cluster
from tests.server_stub.command import called

_OLD, _NEW = 1_000_000_000, 1_700_000_000
_ACTOR = Actor(7, "system", "Zoë", "reference", "192.0.2.1")
_PARTITION = 1000
# Also those that are not attached.
_PARTITIONS = "SELECT relname FROM pg_class WHERE relname ~ '^_event_\\d+$' ORDER BY relname"


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of an empty database."""
    if request.param == "sqlite":
        yield str(tmp_path / "cdb.sqlite")
        return
    cluster: Cluster = request.getfixturevalue("cluster")
    name = cluster.create_database()
    yield cluster.url(name)
    cluster.drop_database(name)


@pytest.fixture
def opened(url: str) -> Iterator[Database]:
    """The database with 2,500 old events, one new one among them, and 10 new ones."""
    database = open_database(url, partition_events=_PARTITION)
    log, versions = EventLog(database, "here"), range(2500)
    drafts = [EventDraft("SEARCH", _NEW if each == 1200 else _OLD + each, _ACTOR, each % 2 == 0, "user",
                         "USER", "painting", each, 3, info=f'{{"text":"Ä{each}"}}')
              for each in versions]  # fmt: skip
    with database.write(pauses=True) as connection:
        log.append(connection, [*drafts, *(EventDraft("SERVER_START", _NEW) for _ in range(10))])
    yield database
    database.close()


def rows(database: Database) -> dict[int, tuple[Any, ...]]:
    """All events but those of the retention."""
    with database.read() as connection:
        found = connection.execute(select(event).where(event.c.type.not_like("JANITOR%")))
        return {row.id: tuple(row) for row in found}


def retained(database: Database, folder: Path | None) -> int:
    """Removes the events that are older than new ones."""
    old = old_events(database, _NEW)
    return Retention(EventLog(database, "here"), database, old, "me", lambda *_: None).run(folder)


def archived(folder: Path, target: Path) -> dict[int, tuple[Any, ...]]:
    """The events of an archive, as the desktop opens it."""
    import_events(folder / "events.cdbarchive", target, lambda _progress: None)
    database = open_database(str(target))
    try:
        return rows(database)
    finally:
        database.close()


def announced(database: Database) -> list[tuple[str, dict[str, Any]]]:
    """The events of the retention."""
    found = select(event.c.type, event.c.info).where(event.c.type.like("JANITOR%")).order_by(event.c.id)
    with database.read() as connection:
        return [(row.type, json.loads(row.info)) for row in connection.execute(found)]


@pytest.mark.parametrize("has_archive", [True, False])
def test_old_events_are_archived_and_removed(opened: Database, tmp_path: Path, has_archive: bool) -> None:
    before, folder = rows(opened), tmp_path / "archive"
    assert retained(opened, folder if has_archive else None) == 2499
    after = rows(opened)
    assert sorted(after) == [1201, *range(2501, 2511)]
    ((kind, info),) = announced(opened)
    assert kind == "JANITOR"
    assert (info["count"], info["first_id"], info["last_id"], info["by"]) == (2499, 1, 2500, "me")
    assert info["before"] == "2023-11-14T22:13:20+00:00"
    if not opened.is_sqlite:
        with opened.read() as connection:
            left = connection.exec_driver_sql(_PARTITIONS).scalars().all()
        assert left == ["_event_1000", "_event_2000", "_event_3000"], "the first of these has the new event"
    if has_archive:
        removed = {id_: before[id_] for id_ in before.keys() - after}
        assert archived(folder, tmp_path / "log.sqlite") == removed
        assert info["archive"] == str(folder)
        whole = pyarrow.parquet.ParquetDataset(sorted(folder.glob("*.parquet"))).read().to_pydict()
        assert whole["timestamp"][0].timestamp() == _OLD
        assert whole["pollable"][:2] == [True, False]
    assert retained(opened, folder) == 0
    assert len(announced(opened)) == 1


@pytest.mark.parametrize(
    ("url", "moment"),
    [("sqlite", "written"), ("sqlite", "removing"), ("postgresql", "detached"), ("postgresql", "dropped")],
    indirect=["url"],
)
def test_an_interrupted_run_continues(
    opened: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    def interrupt(*_: object) -> int:
        raise KeyboardInterrupt

    before, folder = rows(opened), tmp_path / "archive"
    with monkeypatch.context() as patch:
        if moment == "written":  # and renamed, but not in the manifest
            patch.setattr(EventArchive, "_store", interrupt)
        elif moment == "removing":
            deletes = iter([EventLog.delete_ids])
            patch.setattr(event_archive, "_BATCH", 100)
            patch.setattr(EventLog, "delete_ids", lambda *given: next(deletes, interrupt)(*given))  # noqa: PLW0108
        elif moment == "detached":
            run = EventPartitions._run_alone
            patch.setattr(
                EventPartitions,
                "_run_alone",
                lambda self, statement: interrupt() if "DROP" in statement else run(self, statement),
            )
        else:
            patch.setattr(EventArchive, "set_removed", interrupt)
        with pytest.raises(KeyboardInterrupt):
            retained(opened, folder)
    kinds = [kind for kind, _ in announced(opened)]
    assert kinds == ([] if moment == "written" else ["JANITOR", "JANITOR_ERROR"])
    gone, sent, delete_ids = before.keys() - rows(opened), set[int](), EventLog.delete_ids

    def note_and_delete(log: EventLog, ids: Sequence[int]) -> int:
        sent.update(ids)
        return delete_ids(log, ids)

    monkeypatch.setattr(EventLog, "delete_ids", note_and_delete)
    retained(opened, folder)
    assert not gone & sent, "what has been removed is not removed again"
    after = rows(opened)
    assert sorted(after) == [1201, *range(2501, 2511)]
    assert archived(folder, tmp_path / "log.sqlite") == {id_: before[id_] for id_ in before.keys() - after}
    if not opened.is_sqlite:
        with opened.read() as connection:
            assert "_event_0" not in connection.exec_driver_sql(_PARTITIONS).scalars().all()
    files = json.loads((folder / "events.cdbarchive").read_bytes())["files"]
    assert sum(file["rows"] for file in files) == 2499, "no event is archived twice"
    assert all(file["removed"] for file in files)
    assert not list(folder.glob("*.unfinished"))


def test_an_archive_that_cannot_be_written_removes_nothing(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with database.write() as connection:
        EventLog(database, "here").append(connection, [EventDraft("SEARCH", _OLD)])
    folder = tmp_path / "archive"
    with EventArchive.opened(folder, "here"), pytest.raises(BackupError, match="Another program"):
        retained(database, folder)
    for manifest, reason in (
        ("{", "cannot be read"),
        ('{"format":2,"instance":"here"}', "has the format 2"),
        ('{"format":1,"instance":"there"}', "another service"),
    ):
        (folder / "events.cdbarchive").write_text(manifest)
        with pytest.raises(BackupError, match=reason):
            retained(database, folder)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(BackupError, match=r"install cdb-desktop\[tables\]"):
        retained(database, tmp_path / "other")
    assert len(rows(database)) == 1


def test_a_damaged_archive_is_not_opened(database: Database, tmp_path: Path) -> None:
    with database.write() as connection:
        EventLog(database, "here").append(connection, [EventDraft("SEARCH", _OLD)])
    retained(database, tmp_path)
    (file,) = tmp_path.glob("*.parquet")
    file.write_bytes(file.read_bytes()[:-1] + b"?")
    with pytest.raises(BackupError, match="differs from what was written"):
        archived(tmp_path, tmp_path / "log.sqlite")


def test_the_command_says_what_it_would_remove_and_removes_it(database: Database, tmp_path: Path) -> None:
    with database.write() as connection:
        log = EventLog(database, "here")
        log.append(connection, [EventDraft("SEARCH", int(time.time()) - days * 86_400) for days in (12, 9)])
    file = str(tmp_path / "server.sqlite")
    tried = called("retain", "--keep", "10d", "--dry-run", "--database", file)
    assert (tried.returncode, len(rows(database))) == (0, 2)
    assert tried.stdout.startswith("Would remove 1 events before ")
    done = called("retain", "--keep", "10d", "--database", file, "--archive", str(tmp_path / "old"))
    assert done.stdout.startswith("Removed 1 of 1 events before "), done.stderr
    assert list(rows(database)) == [2]
    ((_, info),) = announced(database)
    assert "@" in info["by"]
    assert called("retain", "--keep", "ten", "--database", file).returncode == 2
