"""`cdb-server backup`, `restore`, `migrate` and `snapshot` on real databases, also while a server runs."""

import shutil
import sqlite3
import stat
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg
import pytest

from tests.demo_files import create_demo
from tests.postgresql import Cluster
from tests.server_stub.backup.copies import EVENTS, SignedIn, changed, contents, folder_of, kill_when
from tests.server_stub.command import called, running, signal_end

# What a start and a log-in change in a database.
CHANGED_BY_SERVING = {"_event", "_session", "_counter", "_login_throttle"}


@pytest.fixture
def demo(tmp_path: Path) -> Path:
    """A database with the demo data."""
    file = tmp_path / "demo.sqlite"
    create_demo(file, EVENTS)
    return file


@pytest.fixture
def postgresql(cluster: Cluster) -> Iterator[str]:
    """The address of an empty PostgreSQL database."""
    name = cluster.create_database()
    yield cluster.url(name)
    cluster.drop_database(name)


@pytest.fixture(params=["sqlite", "postgresql"])
def source(request: pytest.FixtureRequest, demo: Path) -> str:
    """The address of a database with the demo data."""
    if request.param == "sqlite":
        return str(demo)
    url: str = request.getfixturevalue("postgresql")
    assert called("migrate", "--from", str(demo), "--to", url).returncode == 0
    return url


@pytest.fixture
def target(source: str, tmp_path: Path, cluster: Cluster) -> Iterator[str]:
    """The address of an empty database of the other kind."""
    if "://" in source:
        yield str(tmp_path / "target.sqlite")
        return
    name = cluster.create_database()
    yield cluster.url(name)
    cluster.drop_database(name)


def run(*arguments: str) -> str:
    """The output of a command that succeeds."""
    done = called(*arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def refusal(*arguments: str) -> str:
    """The message of a command that fails."""
    done = called(*arguments)
    assert done.returncode == 1, done.stdout
    assert "Traceback" not in done.stderr
    return done.stderr


@contextmanager
def serving(database: str, login: str = "root", workers: int = 1) -> Iterator[SignedIn]:
    """A server on a database, called by one of its users."""
    password = "admin" if login == "root" else login
    with running("--database", database, "--workers", str(workers)) as (child, url):
        with SignedIn(url, login, password) as user:
            yield user
        signal_end(child)


def observed(database: str, last: int) -> tuple[object, ...]:
    """What the clients of a server see, with the events up to an id."""
    with serving(database) as user:
        schemas = [user.get(f"schema/user/{version}", format="json") for version in ("HEAD", "CURRENT", "1")]
        names = [user.get(f"l10n/user/{version}") for version in ("HEAD", "CURRENT")]
        configuration = user.get("config/list")
        return user.events(last), schemas, names, configuration


def test_what_clients_see_is_equal_after_a_migration_there_and_back(
    demo: Path, postgresql: str, tmp_path: Path
) -> None:
    """Lists, schemas, names and settings are equal, and users sign in."""
    back = tmp_path / "back.sqlite"
    first = run("migrate", "--from", str(demo), "--to", postgresql)
    assert run("migrate", "--from", postgresql, "--to", str(back)) == first
    assert contents(str(demo)) == contents(postgresql) == contents(str(back))
    last = EVENTS + 1
    assert observed(str(demo), last) == observed(postgresql, last)
    for database in (postgresql, str(back)):
        with serving(database, "viewer") as user:
            assert user.get("session")["user"]["user"]["login"] == "viewer"


def test_a_killed_migration_continues(source: str, target: str) -> None:
    """It does not begin anew; no server uses its target before it has ended."""
    arguments = ("migrate", "--from", source, "--to", target)
    kill_when(lambda: _copied(target) > 0, *arguments)
    done = _copied(target)
    assert "has not ended" in refusal("--database", target, "--port", "0")
    finished = called(*arguments)
    assert finished.returncode == 0, finished.stderr
    assert f"Continued after {_rows_copied(finished.stderr):,} rows." in finished.stderr
    assert _rows_copied(finished.stderr) >= done
    assert contents(source) == contents(target)
    with serving(target) as user:
        assert user.insert(1).status_code == 200
    # New rows get ids that no row of the source has.
    new = ("user", "add", "bert", "--group", "new", "--password-stdin", "--database", target)
    added = called(*new, typed="x\n")
    assert added.returncode == 0, added.stderr


def _rows_copied(errors: str) -> int:
    (line,) = (line for line in errors.splitlines() if line.startswith("Continued after"))
    return int(line.split()[2].replace(",", ""))


def _copied(target: str) -> int:
    """How many events a migration has copied, or 0 if it has not begun."""
    statement = "SELECT rows FROM _migration WHERE name = '_event'"
    try:
        if "://" not in target:
            if not Path(target).exists():
                return 0
            with closing(sqlite3.connect(target)) as file:
                (rows,) = file.execute(statement).fetchone()
        else:
            with psycopg.connect(target, autocommit=True) as connection:
                found = connection.execute(statement.encode()).fetchone()
                assert found is not None
                (rows,) = found
    except (sqlite3.OperationalError, psycopg.errors.UndefinedTable):
        return 0
    return int(rows)


def test_a_migration_continues_although_the_source_has_changed(demo: Path, postgresql: str) -> None:
    """Tables that have changed since the first run are copied anew, those that it did not know for once."""
    arguments = ("migrate", "--from", str(demo), "--to", postgresql)
    kill_when(lambda: _copied(postgresql) > 0, *arguments)
    with psycopg.connect(postgresql, autocommit=True) as connection:
        # As a version without this table would have begun.
        connection.execute("DELETE FROM _migration WHERE name = '_oauth_token'")
    with closing(sqlite3.connect(demo)) as file:
        token = ("hash", "family", "refresh", 1, "web-client", "offline", None, None, None, 1, 0)
        file.execute("INSERT INTO _oauth_token VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", token)
        file.execute("DELETE FROM _event WHERE id IN (3, 700)")
        file.execute("UPDATE _user SET displayname = 'Changed' WHERE login = 'viewer'")
        file.commit()
    run(*arguments)
    assert contents(str(demo)) == contents(postgresql)


def test_a_migration_from_another_source_does_not_continue(
    demo: Path, postgresql: str, tmp_path: Path
) -> None:
    """Rows of two databases are not mixed."""
    kill_when(lambda: _copied(postgresql) > 0, "migrate", "--from", str(demo), "--to", postgresql)
    other = str(tmp_path / "other.sqlite")
    added = called(
        "user", "add", "root", "--right", "system.root", "--password-stdin", "--database", other, typed="x\n"
    )
    assert added.returncode == 0
    assert "from another database" in refusal("migrate", "--from", other, "--to", postgresql)


def test_the_target_of_a_copy_must_be_empty(demo: Path, postgresql: str, tmp_path: Path) -> None:
    """Neither a migration nor a restoration changes a database that is in use."""
    used, file = tmp_path / "used.sqlite", tmp_path / "backup"
    create_demo(used, EVENTS)
    run("backup", str(file), "--database", str(demo))
    run("restore", str(file), "--database", postgresql)
    for target in (str(used), postgresql):
        before = contents(target)
        assert "is not empty" in refusal("migrate", "--from", str(demo), "--to", target)
        assert "is not empty" in refusal("restore", str(file), "--database", target)
        assert contents(target) == before


def test_a_server_on_the_source_cannot_write_during_a_migration(source: str, target: str) -> None:
    """It answers reads; what was committed before is in the copy."""
    with serving(source) as user:
        user.insert(0)
        stopped = threading.Event()

        def insert() -> None:
            while not stopped.is_set():
                user.insert(1)

        writer = threading.Thread(target=insert)
        writer.start()
        try:
            run("migrate", "--from", source, "--to", target)
        finally:
            stopped.set()
            writer.join()
    assert changed(contents(source), contents(target)) <= CHANGED_BY_SERVING


def test_a_backup_while_a_server_writes_is_of_one_moment(
    source: str, tmp_path: Path, cluster: Cluster
) -> None:
    """It holds all events up to one id, and is restored into both kinds of database."""
    file = tmp_path / "backup"
    with serving(source) as user:
        stopped = threading.Event()

        def insert() -> None:
            while not stopped.is_set():
                user.insert(1)

        writer = threading.Thread(target=insert)
        writer.start()
        try:
            run("backup", str(file), "--database", source)
        finally:
            stopped.set()
            writer.join()
        acknowledged = user.insert(2).json()["event"]["_id"]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    name = cluster.create_database()
    restored = [str(tmp_path / "restored.sqlite"), cluster.url(name)]
    for target in restored:
        run("restore", str(file), "--database", target)
    assert contents(restored[0]) == contents(restored[1])
    with closing(sqlite3.connect(restored[0])) as database:
        ((last,),) = database.execute("SELECT value FROM _counter").fetchall()
        ((count, greatest),) = database.execute("SELECT count(*), max(id) FROM _event").fetchall()
    assert count == greatest == last < acknowledged
    for target in restored:
        with serving(target) as user:
            assert user.insert(3).json()["event"]["_id"] > last
    cluster.drop_database(name)


def test_a_killed_backup_leaves_the_previous_one(demo: Path, tmp_path: Path) -> None:
    """A file has its name only when it is complete; it is replaced only on request."""
    file = tmp_path / "folder" / "backup"
    unfinished = file.with_name("backup.filling")
    arguments = ("backup", str(file), "--database", str(demo))
    kill_when(lambda: unfinished.exists() and unfinished.stat().st_size > 300_000, *arguments)
    assert not file.exists()
    run(*arguments)
    before = file.read_bytes()
    assert "already" in refusal(*arguments)
    kill_when(lambda: unfinished.exists() and unfinished.stat().st_size > 300_000, *arguments, "--force")
    assert file.read_bytes() == before
    run(*arguments, "--force")
    assert folder_of(file) == {"backup"}


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_killed_restoration_leaves_nothing(
    kind: str, demo: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """The database is empty as before, and the next restoration succeeds."""
    file, target = tmp_path / "backup", str(tmp_path / "new" / "restored.sqlite")
    run("backup", str(file), "--database", str(demo))
    if kind == "postgresql":
        target = request.getfixturevalue("postgresql")
    arguments = ("restore", str(file), "--database", target)
    kill_when(lambda: _is_being_filled(target), *arguments)
    if kind == "sqlite":
        assert not Path(target).exists()
    run(*arguments)
    assert contents(target) == contents(str(demo))


def _is_being_filled(target: str) -> bool:
    if "://" not in target:
        unfinished = Path(f"{target}.filling")
        return unfinished.exists() and unfinished.stat().st_size > 1_000_000
    with psycopg.connect(target, autocommit=True) as connection:
        found = connection.execute("SELECT pg_database_size(current_database()) > 12000000").fetchone()
    return bool(found and found[0])


def test_a_damaged_backup_is_refused(demo: Path, tmp_path: Path) -> None:
    """Every value is compared with the checksums in the manifest; nothing is created."""
    file, target = tmp_path / "backup", tmp_path / "new" / "restored.sqlite"
    run("backup", str(file), "--database", str(demo))
    with closing(sqlite3.connect(file)) as backup:
        backup.execute("UPDATE _event SET info = info || ' ' WHERE id = 77")
        backup.commit()
    message = refusal("restore", str(file), "--database", str(target))
    assert "_event" in message
    assert "The backup is damaged." in message
    assert not target.exists()
    content = bytearray(file.read_bytes())
    content[: 1 << 12] = bytes(1 << 12)
    file.write_bytes(content)
    assert "cannot be read" in refusal("restore", str(file), "--database", str(target))


def test_refusals_of_copies(demo: Path, tmp_path: Path, postgresql: str) -> None:
    """Each is one sentence with a remedy."""
    missing, file = str(tmp_path / "missing.sqlite"), str(tmp_path / "backup")
    assert refusal("backup", file, "--database", missing) == f"cdb-server: There is no database {missing}.\n"
    assert "Check its address" in refusal("backup", file, "--database", postgresql)
    assert "no backup" in refusal("restore", str(demo), "--database", missing)
    assert "There is no file" in refusal("restore", file, "--database", missing)
    assert "same database" in refusal("migrate", "--from", str(demo), "--to", str(demo))
    assert "is a folder" in refusal("backup", str(tmp_path), "--database", str(demo))
    run("backup", file, "--database", str(demo))
    assert "This file is a backup" in refusal("--database", file, "--port", "0")
    assert "PostgreSQL" in refusal("snapshot", "list", "--database", postgresql)
    assert not Path(missing).exists()


def test_a_snapshot_is_saved_while_a_server_writes_and_restored_when_it_has_ended(demo: Path) -> None:
    """Going back undoes commits, events and users; a running server refuses it."""
    database = ("--database", str(demo))
    # Workers that are idle hold connections as well.
    with serving(str(demo), workers=2) as user:
        before = user.insert(1).json()["event"]["_id"]
        saved = run("snapshot", "save", "before", *database)
        assert f"last event {before}" in saved
        versions = [
            user.get(f"schema/user/{version}", format="json")["version"] for version in ("HEAD", "CURRENT")
        ]
        user.insert(2)
        message = refusal("snapshot", "restore", "before", *database)
        assert "A server or another program uses" in message
        assert user.insert(3).status_code == 200
    after = contents(str(demo))
    run("snapshot", "restore", "before", *database)
    assert changed(contents(str(demo)), after) <= CHANGED_BY_SERVING
    with serving(str(demo)) as user:
        assert [
            user.get(f"schema/user/{version}", format="json")["version"] for version in ("HEAD", "CURRENT")
        ] == versions
        # The id after the snapshot's last event is that of the start, then that of the sign-in.
        assert user.insert(4).json()["event"]["_id"] == before + 3
    assert run("snapshot", "list", *database).startswith("before\t")
    run("snapshot", "remove", "before", *database)
    assert run("snapshot", "list", *database) == "There are no snapshots.\n"


def test_snapshots_under_load_are_complete(demo: Path, tmp_path: Path) -> None:
    """Each contains every event acknowledged before it, and is a sound database."""
    with serving(str(demo)) as user:
        stopped = threading.Event()
        acknowledged = [0]

        def insert() -> None:
            while not stopped.is_set():
                acknowledged[0] = user.insert(1).json()["event"]["_id"]

        writer = threading.Thread(target=insert)
        writer.start()
        try:
            lowest = []
            for number in range(5):
                lowest.append(acknowledged[0])
                run("snapshot", "save", f"s{number}", "--database", str(demo))
        finally:
            stopped.set()
            writer.join()
    for number, low in enumerate(lowest):
        file = demo.with_name(f"{demo.name}.snapshots") / f"s{number}.sqlite"
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        with closing(sqlite3.connect(file)) as snapshot:
            assert snapshot.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            ((last, count),) = snapshot.execute("SELECT max(id), count(*) FROM _event").fetchall()
        assert last == count >= low


def test_a_snapshot_restores_a_database_whose_server_was_killed(demo: Path) -> None:
    """The write-ahead log that it left does not reach the restored file; only sessions have ended."""
    with running("--database", str(demo)) as (child, url), SignedIn(url, "root", "admin") as user:
        user.insert(1)
        run("snapshot", "save", "one", "--database", str(demo))
        user.insert(2)
        child.kill()
        child.wait(20)
    saved = demo.with_name(f"{demo.name}.snapshots") / "one.sqlite"
    run("snapshot", "restore", "one", "--database", str(demo))
    copied = contents(str(shutil.copy(saved, demo.with_name("copy.sqlite"))))
    assert changed(contents(str(demo)), copied) == {"_session"}


def test_names_of_snapshots_are_plain(demo: Path) -> None:
    """A name cannot leave the folder."""
    for name in ("", "../up", "a/b", ".hidden", "x" * 65, "ends ", "nul\0"):
        assert "cannot name a snapshot" in refusal("snapshot", "save", name, "--database", str(demo))


def test_a_snapshot_is_replaced_only_on_request(demo: Path) -> None:
    """The names that exist are listed where one is missing."""
    database = ("--database", str(demo))
    run("snapshot", "save", "Vor dem Übernehmen (2)", *database)
    assert "already" in refusal("snapshot", "save", "Vor dem Übernehmen (2)", *database)
    run("snapshot", "save", "Vor dem Übernehmen (2)", "--force", *database)
    message = refusal("snapshot", "restore", "other", *database)
    assert message == "cdb-server: There is no snapshot other. There are: Vor dem Übernehmen (2).\n"
