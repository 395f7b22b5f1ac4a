"""Tests of the content of a problem report, and of what it must never contain."""

import io
import json
import sqlite3
import zipfile
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

import pytest

from cdb_desktop.client import Exchange, redaction
from cdb_desktop.client.redaction import MASK
from cdb_desktop.client.request import Request
from cdb_desktop.ui.shell.report import contents
from cdb_desktop.ui.shell.report.contents import (
    LogFile,
    ReportFacts,
    ReportFile,
    ServiceFacts,
    archive,
    collect,
)

TOKEN, PASSWORD = "tok-5f0b9c1e77", "Höchst geheim&1"
ADDRESS = "https://db.museum.example:8443/customer-a"


@pytest.fixture(autouse=True)
def _secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redaction, "known_secrets", set())
    # Both modules share this set.
    monkeypatch.setattr(contents, "known_secrets", {TOKEN, PASSWORD})


def exchange(path: str, *query: tuple[str, str], failure: str = "", uuid: str = "") -> Exchange:
    """A request that took 12 ms."""
    request = Request("GET", path, query)
    started = datetime(2026, 1, 31, 12, tzinfo=UTC)
    return Exchange(request, False, started, 0.012, 500 if failure else 200, 34, 5, failure, uuid)


def log(folder: Path, *lines: str, name: str = "log") -> LogFile:
    """Writes a log with these lines."""
    file = folder / name
    file.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return LogFile(contents.LOG, (file,))


def texts(facts: ReportFacts, *, with_names: bool = False) -> dict[str, str]:
    """The files of a report by name."""
    return {one.name: one.text for one in collect(facts).files(with_names=with_names)}


@pytest.mark.parametrize("with_names", [False, True])
def test_no_secret_is_in_the_archive(tmp_path: Path, with_names: bool) -> None:
    """Wherever it occurs, in any case and spelling."""
    spelled = (TOKEN, TOKEN.upper(), PASSWORD, PASSWORD.upper(), quote(PASSWORD), quote(PASSWORD).lower())
    lines = [f"2026-01-31 12:00:00 WARNING x: {one}" for one in spelled]
    lines += [
        "2026-01-31 12:00:01 ERROR x: GET https://u1:other-pw-1@db.museum.example/api?TOKEN=OTHER-TOKEN-1&a=b",
        'Traceback: {"Password": "other-pw-2", "x": 1}',
        "authorization: Bearer other-token-2",
    ]
    settings = {
        "a/text": f"with {TOKEN.upper()} in it",
        "b/json": json.dumps({"x": [TOKEN], "password": "other-pw-3", TOKEN: 1}),
        "c/token": "other-token-3",
        "d/list": ["x", PASSWORD],
        "e/password": 123456789,
        "f/bytes": b"other-token-4",
        "g/address": "https://u2:other-pw-4@db.museum.example/?key=other-value-5",
    }
    facts = ReportFacts(
        program=(("environment", f"X={TOKEN}"),),
        service=ServiceFacts("open", ADDRESS, TOKEN, "", PASSWORD),
        settings=settings,
        connections=({"address": f"{ADDRESS}?token=other-token-6", "login": "root", "name": TOKEN.upper()},),
        requests=(
            exchange(f"api/v1/x/{TOKEN.upper()}", ("search", TOKEN.upper()), ("token", "other-token-7")),
            exchange("api/v1/event/list", ("search", f'{{"text": "{PASSWORD}"}}')),
        ),
        logs=(log(tmp_path, *lines),),
    )
    report = collect(facts)
    written = f"{PASSWORD.upper()} https://u3:other-pw-8@h.example/?token=other-token-8"
    files = (*report.files(with_names=with_names), report.description(written, with_names=with_names))
    packed = archive(files, datetime(2026, 1, 31, tzinfo=UTC))
    found = zipfile.ZipFile(io.BytesIO(packed))
    assert found.testzip() is None
    for name in found.namelist():
        text = found.read(name).decode().casefold()
        for secret in (*spelled, "other-", "123456789"):
            assert secret.casefold() not in text, name
        assert MASK in text, name
    assert len(found.namelist()) == 5


def test_servers_and_users_have_the_same_placeholder_in_all_files(tmp_path: Path) -> None:
    """In addresses, in certificate errors, in paths of the home folder, as part of an e-mail address."""
    home = Path.home()
    facts = ReportFacts(
        service=ServiceFacts("open", ADDRESS, "alice@museum.example", "Alice Bloom", "Museum", "museum_db"),
        settings={
            "events/queries": json.dumps({f"alice@museum.example@{ADDRESS}": {"users": ["Alice Bloom"]}}),
            "x/proxy": "http://proxy.internal:3128",
            "x/folder": str(home / "Exports"),
        },
        connections=(
            {"address": ADDRESS, "login": "alice@museum.example", "name": "Our museum", "used": 1.5},
            {"address": "https://other.example", "login": "bo", "name": "", "used": 1.0},
        ),
        requests=(exchange("api/v1/event/list", ("login", "alice@museum.example")),),
        logs=(
            log(
                tmp_path,
                f"2026-01-31 12:00:00 WARNING x: {ADDRESS}/api/v1/session?login=bo was refused",
                "certificate is not valid for 'DB.MUSEUM.EXAMPLE', cannot connect to 10.1.2.3:443",
                "PROXY.INTERNAL did not answer alice@museum.example (Alice Bloom); login=zoe failed",
                f"open {home}/x failed; http://127.0.0.1:8040/api and localhost are this computer",
            ),
        ),
    )
    hidden, shown = texts(facts), texts(facts, with_names=True)
    everything = "\n".join(hidden.values()).casefold()
    for name in (
        *("museum", "alice", "bloom", "proxy.internal", "10.1.2.3", "customer-a", "zoe", "our m"),
        *("other.example", '"bo"', str(home).casefold()),
    ):
        assert name not in everything
    assert "https://server-1:8443/service/api/v1/session was refused" in hidden["log.txt"]
    assert "not valid for 'server-1'" in hidden["log.txt"]
    assert "open ~/x failed; http://127.0.0.1:8040/api and localhost" in hidden["log.txt"]
    settings = json.loads(hidden["settings.json"])
    user = settings["connections"][0]["login"]
    assert settings["connections"][0] | {"name": ""} == {
        "address": "https://server-1:8443/service",
        "login": user,
        "name": "",
        "used": 1.5,
    }
    assert list(settings["settings"]["events/queries"]) == [f"{user}@https://server-1:8443/service"]
    assert f"did not answer {user} (" in hidden["log.txt"]
    assert f"login={user}" in hidden["requests.txt"]
    assert f"user: {user}\n" in hidden["versions.txt"]
    assert "address: https://server-1:8443/service\n" in hidden["versions.txt"]
    for name in ("DB.MUSEUM.EXAMPLE", "alice@museum.example", "10.1.2.3", f"{ADDRESS}/api/v1/session was"):
        assert name in shown["log.txt"]
    assert json.loads(shown["settings.json"])["connections"][0]["name"] == "Our museum"
    assert list(hidden) == list(shown)


def test_names_that_are_ordinary_words_leave_the_texts_readable(tmp_path: Path) -> None:
    """They are replaced only in the positions of login names."""
    facts = ReportFacts(
        service=ServiceFacts("open", "http://127.0.0.1:1", "event", "Me"),
        connections=({"address": "http://127.0.0.1:1", "login": "event"},),
        requests=(exchange("api/v1/event/list"),),
        logs=(log(tmp_path, "2026-01-31 12:00:00 ERROR cdb_desktop.events: no event, login=event"),),
    )
    found = texts(facts)
    assert "/api/v1/event/list" in found["requests.txt"]
    assert "no event, login=user-1\n" in found["log.txt"]
    assert '"login": "user-1"' in found["settings.json"]


def test_incomplete_addresses_are_not_replaced() -> None:
    """A partly typed address is not treated as a server."""
    report = collect(ReportFacts(service=ServiceFacts("open", ADDRESS)))
    for end in range(len("https://"), len("https://new.example")):
        report.description(f"at {'https://new.example'[:end]}", with_names=False)
    description = report.description(
        "at https://new.example and https://db.museum.example, ne", with_names=False
    )
    number = int(description.text.removeprefix("at https://server-").partition(" ")[0])
    assert description.text == f"at https://server-{number} and https://server-1, ne\n"
    assert number == 1 + sum(f"server-{one}" in str(report._anonymizer._servers) for one in range(1, 9))


def test_logs_end_with_their_newest_lines(tmp_path: Path) -> None:
    """Across rotated files, in complete lines up to a maximum size; a missing file is empty."""
    old, new = tmp_path / "log.1", tmp_path / "log"
    old.write_text("".join(f"2026-01-30 00:00:00 old {n}\n" for n in range(3000)), "utf-8")
    new.write_text("2026-01-31 00:00:00 new\n  with a second line\n", "utf-8")
    paths = (tmp_path / "log.2", old, new)
    lines = texts(ReportFacts(logs=(LogFile(contents.LOG, paths),)))["log.txt"].splitlines()
    assert lines[-3:] == ["2026-01-30 00:00:00 old 2999", "2026-01-31 00:00:00 new", "  with a second line"]
    assert lines[0] == "2026-01-30 00:00:00 old 1502"
    assert len(lines) == 1500


def test_a_large_log_is_read_from_its_end(tmp_path: Path) -> None:
    """The first line is complete, and the size is limited."""
    line = f"2026-01-31 00:00:00 {'ä' * 500}"
    text = texts(ReportFacts(logs=(log(tmp_path, *([line] * 1400)),)))["log.txt"]
    assert set(text.splitlines()) == {line}
    assert 200_000 < len(text.encode()) < 300_000


def test_cutting_a_long_line_leaves_no_part_of_a_secret(tmp_path: Path) -> None:
    """Wherever the cut is."""
    for place in range(2900, 4010, 10):
        text = f"{'x ' * (place // 2)}{TOKEN} {'y' * 5000}"
        found = texts(ReportFacts(logs=(log(tmp_path, text),)))["log.txt"]
        assert TOKEN[:6] not in found
        assert f"… ({len(text)} characters)" in found


def test_an_unreadable_log_is_mentioned(tmp_path: Path) -> None:
    """A folder has its name; the other files are included."""
    found = texts(ReportFacts(logs=(LogFile(contents.LOG, (tmp_path,)),)))
    assert "cannot be read" in found["log.txt"]
    assert set(found) == {"versions.txt", "settings.json", "requests.txt", "log.txt"}


def test_empty_crash_logs_are_omitted(tmp_path: Path) -> None:
    """The log of the program is always included."""
    logs = (LogFile(contents.LOG, ()), LogFile(contents.CRASHES, (tmp_path / "none",)))
    assert "crashes.txt" not in texts(ReportFacts(logs=logs))
    assert texts(ReportFacts(logs=logs))["log.txt"] == "Nothing has been logged.\n"


def test_requests_have_their_outcome() -> None:
    """Status, code and uuid precede the address, which may be long."""
    facts = ReportFacts(
        requests=(
            exchange("api/v1/event/list", ("limit", "5"), failure="error.server.generic", uuid="1-2-3"),
            exchange("api/v1/event/list", ("search", "a\nb" + "c" * 1000)),
        )
    )
    lines = texts(facts)["requests.txt"].splitlines()
    assert lines[2] == (
        "2026-01-31 12:00:00.000Z GET 500 error.server.generic · uuid 1-2-3 · 12 ms · 5 rows · 34 bytes · "
        "/api/v1/event/list?limit=5"
    )
    assert "search=a\\nbccc" in lines[3]
    assert len(lines) == 4
    assert len(lines[3]) < 600


def test_versions_are_those_of_this_program(tmp_path: Path) -> None:
    """Of Python, of the libraries, and of the database of the embedded server."""
    database = tmp_path / "demo.sqlite"
    with closing(sqlite3.connect(database)) as made, made:
        made.execute("CREATE TABLE t AS SELECT zeroblob(1500000) AS x")
    text = texts(ReportFacts(program=(("Qt", "6.x"),), database=database))["versions.txt"]
    assert "  Python: 3." in text
    assert "  Qt: 6.x\n" in text
    assert "  httpx: 0." in text
    assert f"demo.sqlite, 1.5 MB, last written by SQLite {sqlite3.sqlite_version}\n" in text
    assert "connection: none since the start" in text


def test_the_archive_has_a_name_and_a_date() -> None:
    """Its files are private where the archiver supports permissions."""
    now = datetime(2026, 1, 31, 9, 5, 30, tzinfo=UTC)
    assert contents.archive_name(now) == "cdb-desktop-report-20260131-0905.zip"
    (entry,) = zipfile.ZipFile(io.BytesIO(archive([ReportFile("ä.txt", "ö")], now))).infolist()
    assert (entry.filename, entry.date_time) == ("ä.txt", (2026, 1, 31, 9, 5, 30))
    assert entry.external_attr >> 16 == 0o600
