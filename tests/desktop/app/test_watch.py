"""Tests of `cdb-desktop watch`, run as a process: no event is missed or repeated, however it ends."""

import asyncio
import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from cdb_desktop.client import Client, Sort
from cdb_desktop.queries.query import Query
from cdb_desktop.queries.saved_views import SavedView, encode_view_file
from cdb_desktop.vocabulary.pattern import Condition
from tests.desktop.app.processes import environment
from tests.server import serving, started

NEW_TYPE = Query(types=("DETAIL_VIEW",))
_PATIENCE = 60.0  # seconds


class Watcher:
    """A running command; its lines are in ``output``."""

    def __init__(self, home: Path, url: str, *arguments: str, login: str = "root") -> None:
        password = "admin" if login == "root" else login
        self.output = home / "alarms.jsonl"
        command = [sys.executable, "-m", "cdb_desktop", "watch", *arguments]
        command += ["--server", url, "--login", login, "--output", str(self.output), "--interval", "0.1"]
        self.process = subprocess.Popen(
            command, env=environment(home) | {"CDB_PASSWORD": password}, stderr=subprocess.PIPE, text=True
        )
        self.said: list[str] = []

    def wait_until_ready(self) -> None:
        """Returns when the position is known."""
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.said.append(line.strip())
            if "watching" in line:
                return
        raise AssertionError(self.said)

    def wait_for_lines(self, number: int) -> None:
        """Returns when the file has so many lines."""
        end = time.monotonic() + _PATIENCE
        while not self.output.exists() or self.output.read_bytes().count(b"\n") < number:
            assert time.monotonic() < end, self.output.read_text()[-500:] if self.output.exists() else ""
            assert self.process.poll() is None
            time.sleep(0.02)

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Ends the process by a signal and returns its exit code."""
        self.process.send_signal(number)
        _, errors = self.process.communicate(timeout=60)
        self.said += errors.splitlines()
        return self.process.returncode

    @property
    def lines(self) -> list[dict[str, Any]]:
        """The lines of the file, each of which must be complete."""
        return [json.loads(line) for line in self.output.read_text().splitlines()]


@contextmanager
def _watching(home: Path, url: str, *arguments: str, login: str = "root") -> Iterator[Watcher]:
    watcher = Watcher(home, url, *arguments, login=login)
    try:
        watcher.wait_until_ready()
        yield watcher
    finally:
        watcher.process.kill()
        watcher.process.communicate()


def _view(folder: Path, query: Query, name: str = "All") -> str:
    path = folder / f"{name}.cdbview"
    path.write_bytes(encode_view_file(SavedView(name, query)))
    return str(path)


async def _insert(url: str, number: int, **info: object) -> list[int]:
    async with Client(url) as client:
        await client.authenticate("root", "admin")
        return [(await client.insert_event("DETAIL_VIEW", info=info)).id for _ in range(number)]


async def _ids(url: str) -> list[int]:
    found: list[int] = []
    async with Client(url) as client:
        await client.authenticate("root", "admin")
        while True:
            page = await client.list_events(sort=[Sort("_id")], offset=len(found))
            found += [event.id for event in page.events]
            if len(page.events) < 1000:
                return found


@pytest.mark.parametrize(
    "events", [2_000, pytest.param(100_000, marks=[pytest.mark.long, pytest.mark.timeout(600)])]
)
def test_restarts_miss_and_repeat_nothing(tmp_path: Path, events: int) -> None:
    """A kill in the middle, two clean ends, and events while nothing runs: each event is one line."""
    view = _view(tmp_path, Query())
    with serving(tmp_path / "log.sqlite", "--demo", "--demo-events", str(events), "--chaos", "off") as url:
        with _watching(tmp_path, url, view, "--after", "0") as first:
            first.wait_for_lines(events // 3)
            first.end(signal.SIGKILL)
        with _watching(tmp_path, url, view) as second:
            second.wait_for_lines(events // 2)
            assert second.end(signal.SIGTERM) == 0
        asyncio.run(_insert(url, 20))
        with _watching(tmp_path, url, view) as third:
            third.wait_for_lines(events + 20)
            assert third.end(signal.SIGINT) == 0
        inserted = asyncio.run(_insert(url, 5))
        with _watching(tmp_path, url, view) as fourth:
            expected = [one for one in asyncio.run(_ids(url)) if one <= inserted[-1]]
            fourth.wait_for_lines(len(expected))
            assert fourth.end() == 0
        written = [line["id"] for line in fourth.lines]
        assert [one for one in written if one <= inserted[-1]] == expected
        assert len(set(written)) == len(written)
        assert not {"token", "_session"} & set(fourth.lines[-1]["record"])


def test_a_killed_write_is_neither_lost_nor_repeated(tmp_path: Path) -> None:
    """Lines behind the stored position are found at the end of the file, and half a line is removed."""
    view = _view(tmp_path, NEW_TYPE, "New")
    with serving(tmp_path / "log.sqlite", "--demo", "--demo-events", "10", "--chaos", "off") as url:
        with _watching(tmp_path, url, view) as watcher:
            positions = tmp_path / ".config" / "cdb-desktop" / "watch"
            (position,) = positions.glob("*.json")
            before = position.read_bytes()
            inserted = asyncio.run(_insert(url, 3))
            watcher.wait_for_lines(3)
            watcher.end(signal.SIGKILL)
        # As if it had been killed before the position was stored, and while a line was written.
        position.write_bytes(before)
        content = watcher.output.read_bytes().splitlines(keepends=True)
        watcher.output.write_bytes(b"".join(content[:2]) + content[2][:30])
        with _watching(tmp_path, url, view) as again:
            again.wait_for_lines(3)
            assert again.end() == 0
        assert [line["id"] for line in again.lines] == inserted


async def test_rules_of_the_command_line(tmp_path: Path) -> None:
    """More than a number within a time; the text of the condition is in the info."""
    view = _view(tmp_path, Query(conditions=(Condition("quota"),)), "Quota")
    with serving(tmp_path / "log.sqlite", "--demo", "--demo-events", "10", "--chaos", "off") as url:
        with _watching(tmp_path, url, view, "--more-than", "2", "--within", "1h") as watcher:
            await _insert(url, 2, reason="disk")
            inserted = await _insert(url, 4, reason="Quota exceeded")
            watcher.wait_for_lines(1)
            assert watcher.end() == 0
        (line,) = watcher.lines
        assert (line["view"], line["alarm"], line["id"]) == ("Quota", "more", inserted[2])
        assert line["number"] == 3
        assert line["record"]["event"]["info"] == {"reason": "Quota exceeded"}


async def test_silence_raises_an_alarm_once(tmp_path: Path) -> None:
    """There is one line until the next event; a restart does not repeat it."""
    view = _view(tmp_path, NEW_TYPE, "New")
    with serving(tmp_path / "log.sqlite", "--demo", "--demo-events", "10", "--chaos", "off") as url:
        with _watching(tmp_path, url, view, "--none-for", "1s") as watcher:
            watcher.wait_for_lines(1)
            assert watcher.end() == 0
        with _watching(tmp_path, url, view, "--none-for", "1s") as again:
            await _insert(url, 1)
            again.wait_for_lines(2)
            assert again.end() == 0
        assert [line["alarm"] for line in again.lines] == ["none", "none"]
        assert again.lines[0]["since"] < again.lines[1]["since"]


@pytest.mark.parametrize("generation", ["5", "6"])
async def test_without_the_right_polls_are_used(tmp_path: Path, generation: str) -> None:
    """What polls cannot show is stated; a pollable event raises an alarm."""
    view = _view(tmp_path, Query(types=("DETAIL_VIEW", "USER_LOGIN")), "New")
    with serving(tmp_path / "log.sqlite", "--demo", "--demo-events", "10", "--generation", generation) as url:
        with _watching(tmp_path, url, view, login="modeller") as watcher:
            assert any("without the right system.api.event.get" in line for line in watcher.said)
            await _insert(url, 1)
            watcher.wait_for_lines(1)
            assert watcher.end() == 0
        assert [line["record"]["event"]["type"] for line in watcher.lines] == ["USER_LOGIN"]


def test_a_lost_service_is_waited_for(tmp_path: Path) -> None:
    """One line says so, one that it answers again, and events of the time between are written."""
    view = _view(tmp_path, NEW_TYPE, "New")
    file, options = tmp_path / "log.sqlite", ("--demo", "--demo-events", "10", "--chaos", "off")
    with started(file, *options) as (server, url), _watching(tmp_path, url, view) as watcher:
        server.kill()
        server.wait()
        port = url.rpartition(":")[2]
        time.sleep(0.5)
        with started(file, *options, "--port", port) as (_, same):
            assert same == url
            inserted = asyncio.run(_insert(url, 1))
            watcher.wait_for_lines(1)
            assert watcher.end() == 0
        assert [line["id"] for line in watcher.lines] == inserted
        assert sum("Trying again" in line for line in watcher.said) == 1
        assert sum("answers again" in line for line in watcher.said) == 1
        assert "admin" not in "".join(watcher.said)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["Nothing", "--demo"], "there is no saved view"),
        (["missing.cdbview", "--demo"], "No such file"),
        ([], "VIEW"),
        (["A", "--demo", "--more-than", "3", "--none-for", "1h"], "exclude each other"),
        (["A", "--demo", "--within", "soon"], "--within"),
    ],
)
def test_wrong_arguments(tmp_path: Path, arguments: list[str], reason: str) -> None:
    """They end the command with 2 and a line that says why."""
    command = [sys.executable, "-m", "cdb_desktop", "watch", *arguments]
    ended = subprocess.run(
        command, env=environment(tmp_path), capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.returncode == 2
    assert reason in ended.stderr
