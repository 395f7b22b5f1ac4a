"""`cdb-server import-events` and `--archive`: a file of events as a database that is only read."""

import csv
import io
import json
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import msgspec
import pytest

from cdb_desktop.client import Client, CsvOptions, EventFilter, Record, ServiceError, Sort
from cdb_desktop.vocabulary.event_json import json_line
from server_stub.backup import BackupError, ImportProgress, ImportReport, import_events
from server_stub.backup.event_import import _LINES_WITHOUT_EVENT
from server_stub.database import open_database
from server_stub.events import EventFilter as ServedFilter
from server_stub.events import EventLog, RecordForm
from server_stub.events.log import Caller
from tests.server_process import ServerProcess
from tests.server_stub.command import called

_BY_ID = (Sort("_id"),)
_CHOSEN = EventFilter(type=("OBJECT_UPDATE", "SEARCH", "USER_LOGIN"))
_LOGIN = {"login": "reader", "password": "s3cret"}
_ZOE = '{"_id":7,"_generated_displayname":"Zoë"}'
_PLAIN = '{"event":{"_id":%d,"type":"SEARCH","timestamp":"2026-11-22T14:03:00Z"%s}}\n'


def imported(file: Path, content: str | bytes) -> tuple[ImportReport, Path]:
    """Imports a file with this content."""
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    target = file.with_suffix(".sqlite")
    return import_events(file, target, lambda _progress: None), target


@contextmanager
def archive(database: Path) -> Iterator[str]:
    """The address of a server that only reads a database."""
    options = ("--port", "0", "--database", str(database), "--archive", "--login-from-stdin")
    with ServerProcess([*options, "--exit-with-stdin"], subprocess.PIPE) as child:
        child.stdin.write(json.dumps(_LOGIN) + "\n")
        child.stdin.flush()
        yield child.stdout.readline().removeprefix("Listening on ").strip()
        child.stdin.close()
        assert child.wait(20) == 0


@asynccontextmanager
async def signed_in(
    url: str, login: str = _LOGIN["login"], password: str = _LOGIN["password"]
) -> AsyncIterator[Client]:
    """A client of a service."""
    async with Client(url) as client:
        await client.authenticate(login, password)
        yield client


async def records_of(client: Client, chosen: EventFilter, *, full: bool = True) -> list[bytes]:
    """The records as the desktop writes them."""
    found: list[Record] = []
    while True:
        page = await client.list_events(chosen, sort=_BY_ID, limit=1000, offset=len(found), full=full)
        found += page.records
        if len(page.records) < 1000:
            return [json_line(one) for one in found]


async def cells_of(client: Client, chosen: EventFilter) -> list[dict[str, str]]:
    """The service's CSV without what no record contains, or is masked in a file."""
    page = await client.list_csv(chosen, CsvOptions(max_length=0), sort=_BY_ID, limit=1000)
    rows = list(csv.DictReader(io.StringIO(page.decode(), newline="")))
    return [{name: row[name] for name in row if name not in ("user_type", "session")} for row in rows]


async def test_an_export_has_the_same_records_counts_and_csv(reference_server: str, tmp_path: Path) -> None:
    """Whatever the service returned for a filter, the database of the file returns too."""
    async with signed_in(reference_server, "root", "admin") as client:
        # Others may sign in meanwhile.
        newest = (await client.list_events(limit=1)).events[0].timestamp
        chosen = msgspec.structs.replace(_CHOSEN, date_to=newest)
        whole, cells = await records_of(client, chosen), await cells_of(client, chosen)
        short = await records_of(client, chosen, full=False)
        searches = (await client.list_events(EventFilter(type=("SEARCH",), date_to=newest), limit=1)).count
    report, database = imported(tmp_path / "events.jsonl", b"".join(whole))
    assert report == ImportReport(len(whole), 0, 0, ())
    assert len(whole) > 500
    with archive(database) as url:
        async with signed_in(url) as client:
            assert await records_of(client, EventFilter()) == whole
            assert len(await records_of(client, EventFilter(), full=False)) == len(short)
            assert await cells_of(client, EventFilter()) == cells
            assert (await client.list_events(EventFilter(type=("SEARCH",)), limit=1)).count == searches


async def test_nothing_can_be_changed_and_nothing_is_logged(tmp_path: Path) -> None:
    """Signing in adds no event; insertion, deletion and the schema are refused."""
    report, database = imported(tmp_path / "events.jsonl", _PLAIN % (7, ""))
    assert report.events == 1
    for _start in range(2):
        with archive(database) as url:
            async with signed_in(url) as client:
                session = await client.authenticate(_LOGIN["login"], _LOGIN["password"])
                assert set(session.system_rights) == {"system.api.event.get"}
                with pytest.raises(ServiceError, match="no_system_right"):
                    await client.delete_events([7])
                with pytest.raises(ServiceError, match="event_type_disabled"):
                    await client.insert_event("SEARCH")
                assert [event.id for event in (await client.list_events()).events] == [7]
                assert (await client.poll(7)).events == ()


def test_damaged_lines_are_skipped_and_repeated_ids_resolved(tmp_path: Path) -> None:
    """Each is reported; marks of a recording and empty lines are none."""
    whole = _PLAIN % (2, ',"pollable":false,"info":{"search":"a boat"}')
    lines = [
        "\ufeff" + _PLAIN % (1, ""),
        whole,
        _PLAIN % (2, ""),
        '{"mark":"2026-11-22T14:03:05Z"}\n',
        '{"mark":"2026-11-22T14:03:05Z","name":"restarted"}\n',
        "\n",
        "not JSON\n",
        '{"event":{"type":"SEARCH","timestamp":"2026-11-22T14:03:00Z"}}\n',
        '{"event":{"_id":3,"type":"SEARCH"}}\n',
        _PLAIN % (2**63, ""),
        _PLAIN % (4, ',"type":7'),
        '{"_id":5,"base_type":"user","type":"USER_LOGIN","timestamp":"2026-11-22T15:03:00+01:00"}\n',
    ]
    content = "".join(lines).encode() + b'{"event":{"\xff":1}}'
    report, _database = imported(tmp_path / "events.jsonl", content)
    assert report == ImportReport(3, 1, 6, (7, 8, 9, 10, 11, 13))


@pytest.mark.parametrize("wrapped", ["%s", '{"_basetype":"user","user":%s}'])
async def test_short_records_names_and_unknown_members_are_kept(tmp_path: Path, wrapped: str) -> None:
    """A recording holds what polls have returned; users are only named by their events."""
    user = f'"user":{wrapped % _ZOE}'
    line = f'{{"event":{{"_id":5,"type":"X","timestamp":"2026-11-22T14:03:00Z","new":[1]}},{user}}}\n'
    _report, database = imported(tmp_path / "feed.jsonl", line + _PLAIN % (5, ""))
    with archive(database) as url:
        async with signed_in(url) as client:
            (event,) = (await client.list_events(EventFilter(user_id=(7,)), full=True)).events
            assert (event.user_displayname, event.unknown, event.pollable) == ("Zoë", {"new": [1]}, True)
            session = await client.start_session()
            assert session.instance.name == "feed.jsonl"


def test_records_of_generation_6_are_served_as_they_were(tmp_path: Path) -> None:
    """Name and address are in the record once; a group stays one, and no user has its id."""
    people = [f'{{"_basetype":"{kind}","{kind}":{_ZOE}}}' for kind in ("user", "group")]
    lines = [
        f'{{"_basetype":"event","event":{{"_id":{number},"timestamp":"2026-11-22T14:03:00+00:00","type":"X",'
        '"pollable":false,"info":{},"remote_addr":"::1","user_generated_displayname":"Zoë"},'
        f'"user":{person}}}'
        for number, person in enumerate(people, 1)
    ]
    _report, file = imported(tmp_path / "new.jsonl", "\n".join(lines))
    database = open_database(str(file))
    log = EventLog(database, "")
    with database.reader() as reader:
        for number, line in enumerate(lines, 1):
            record = log.full_record(reader, number, Caller("", None), RecordForm.WHOLE)
            assert record is not None
            assert record.count("Zoë") == 2
            assert json.loads(record) == json.loads(line)
        assert log.count(reader, ServedFilter(user_id=(7,))) == 1
    database.close()


def test_a_file_without_events_makes_no_database(tmp_path: Path) -> None:
    """A file of another kind is not read to its end; nothing is left."""
    progress: list[ImportProgress] = []
    file = tmp_path / "large.jsonl"
    file.write_text("no event\n" * _LINES_WITHOUT_EVENT * 3 + _PLAIN % (1, ""))
    with pytest.raises(BackupError, match="contains no events"):
        import_events(file, tmp_path / "large.sqlite", progress.append)
    with pytest.raises(BackupError, match="cannot be read"):
        import_events(tmp_path / "missing.jsonl", tmp_path / "missing.sqlite", progress.append)
    assert progress == []
    assert [path.name for path in tmp_path.iterdir()] == ["large.jsonl"]


def test_the_command_prints_progress_and_report_as_json(tmp_path: Path) -> None:
    """An existing database is not replaced."""
    file, database = tmp_path / "events.jsonl", tmp_path / "events.sqlite"
    file.write_text("".join(_PLAIN % (number, "") for number in range(1, 2501)))
    done = called("import-events", str(file), str(database))
    *progress, report = map(json.loads, done.stdout.splitlines())
    assert done.returncode == 0
    assert progress[0]["bytes_total"] == file.stat().st_size
    assert report == {"events": 2500, "repeated": 0, "damaged": 0, "damaged_lines": []}
    again = called("import-events", str(file), str(database))
    assert (again.returncode, "There is a file" in again.stderr) == (1, True)
