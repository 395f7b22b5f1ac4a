"""The stream as a second source of events: none is missed and none shown twice, however often it breaks."""

import asyncio
import random
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from cdb_desktop.client import Client
from cdb_desktop.live import gap_detection as ledger_module
from cdb_desktop.live import log_follower as follower_module
from cdb_desktop.live import stream_source as source_module
from cdb_desktop.live.gap_detection import IdState
from cdb_desktop.live.log_follower import EventsReceived, ServiceUnavailable, StreamChanged
from server_stub.database import open_database
from server_stub.events import EventDraft, EventLog
from tests.desktop.live.conftest import RunningFollower
from tests.desktop.patience import until
from tests.server import serving

_PART = 10  # events of a transaction


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of the service."""
    return tmp_path_factory.mktemp("stream") / "demo.sqlite"


@pytest.fixture(scope="module")
def url(database: Path) -> Iterator[str]:
    """A service with a stream."""
    with serving(database, "--demo", "--demo-events", "200", "--generation", "6") as url:
        yield url


class Network:
    """Carries connections to a service; those of streams can be cut, or refused from then on."""

    def __init__(self, url: str) -> None:
        self._upstream = urlsplit(url)
        self.url = ""
        self.refuses = False
        self.is_away = False
        self.polls = 0
        self._streams: list[asyncio.StreamWriter] = []

    def cut(self) -> None:
        """Cuts all streams off, without a word."""
        for one in self._streams:
            one.transport.abort()
        self._streams.clear()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Carries one connection."""
        if self.is_away:
            writer.transport.abort()
            return
        there, back = await asyncio.open_connection(self._upstream.hostname, self._upstream.port)

        async def carry(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
            with suppress(OSError):
                while data := await source.read(65_536):
                    if self.is_away:
                        break
                    self.polls += data.startswith(b"GET /api/v1/event/poll")
                    if data.startswith(b"GET /api/v1/event/stream"):
                        if self.refuses:
                            writer.write(b"HTTP/1.1 403 No\r\ncontent-length: 0\r\n\r\n")
                            break
                        self._streams += [writer, back]
                    target.write(data)
                    await target.drain()
            writer.close()
            back.close()

        with suppress(asyncio.CancelledError):  # at the end of the test
            await asyncio.gather(carry(reader, back), carry(there, writer))


@asynccontextmanager
async def _network(url: str) -> AsyncIterator[Network]:
    network = Network(url)
    async with await asyncio.start_server(network.serve, "127.0.0.1") as server:
        network.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        yield network
        network.cut()


@asynccontextmanager
async def _following(network: Network) -> AsyncIterator[RunningFollower]:
    async with Client(network.url) as client:
        await client.detect()
        await client.authenticate("root", "admin")
        one = RunningFollower(client)
        try:
            yield one
        finally:
            one.task.cancel()
            await asyncio.wait([one.task])


async def _opened(one: RunningFollower, number: int) -> None:
    await until(lambda: one.follower.stream.number >= number)


async def _reached(one: RunningFollower, last: int) -> None:
    await until(lambda: one.follower.last_id >= last)


class Writer:
    """Writes events as another process would; every tenth is not pollable."""

    def __init__(self, database: Path) -> None:
        self._database = open_database(str(database))
        self._log = EventLog(self._database, "museum")
        self.pollable: list[int] = []
        self.others: list[int] = []

    def close(self) -> None:
        """Closes the database."""
        self._database.close()

    def write(self, number: int) -> None:
        """Writes so many events in several transactions."""
        for _ in range(number // _PART):
            drafts = [EventDraft("SEARCH", 1_750_000_000, pollable=place > 0) for place in range(_PART)]
            with self._database.write() as connection:
                ids = self._log.append(connection, drafts)
            self.others.append(ids[0])
            self.pollable += ids[1:]


@pytest.mark.timeout(900)
@pytest.mark.parametrize(("events", "drops"), [(1_500, 8), pytest.param(20_000, 50, marks=pytest.mark.long)])
async def test_every_event_is_received_once_over_many_drops(
    url: str, database: Path, events: int, drops: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the stream, or by the poll after it was opened again; the ledger accounts for every id."""
    monkeypatch.setattr(source_module, "_FIRST", 0.05)
    # Polls go back below skipped ids, which must not hide a gap.
    monkeypatch.setattr(ledger_module, "_OVERLAP", 5)
    chance = random.Random(7)
    async with _network(url) as network, _following(network) as one:
        await until(lambda: one.follower.stream.state == "open")
        before = set(one.ids)
        with closing(Writer(database)) as writer:
            for drop in range(drops):
                await _opened(one, drop + 1)
                part = events // drops // _PART * _PART
                writing = asyncio.create_task(asyncio.to_thread(writer.write, part))
                # Before any of them has come, or when some have, or nearly all.
                awaited = chance.choice([0, chance.randrange(part), part - _PART])
                await _reached(one, one.follower.last_id + awaited)
                network.cut()
                await writing
            await _reached(one, writer.pollable[-1])
            received = [number for number in one.ids if number not in before]
            assert sorted(received) == writer.pollable
            assert {found.batch.source for found in one.reported(EventsReceived)} >= {"poll", "stream"}
            assert await one.follower.gap_check.check_all(lambda _done: None)
            ledger = one.follower.ledger
            assert all(ledger.state(number) is IdState.UNPOLLABLE for number in writer.others)
            assert (ledger.counts.open, ledger.counts.deleted, ledger.counts.recovered) == (0, 0, 0)


async def test_a_refused_stream_is_polled_and_tried_again(
    url: str, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A proxy may refuse it. As long as the stream is open, polls are rare."""
    async with _network(url) as network:
        network.refuses = True
        async with _following(network) as one:
            await until(lambda: one.follower.stream.state == "refused")
            assert one.reported(StreamChanged)[-1].refusal == "HTTP 403"
            monkeypatch.setattr(source_module, "_LONGEST", 0.1)
            monkeypatch.setattr(follower_module, "_CHECK_INTERVAL", 1_000.0)
            with closing(Writer(database)) as writer:
                writer.write(20)
                await _reached(one, writer.pollable[-1])
                network.refuses = False
                await until(lambda: one.follower.stream.state == "open")
                await until(lambda: one.follower._is_streaming)
                polls = network.polls
                for _ in range(8):
                    writer.write(_PART)
                    await _reached(one, writer.pollable[-1])
                assert network.polls <= polls + 1
                assert set(writer.pollable) <= set(one.ids)
            monkeypatch.setattr(follower_module, "_CHECK_INTERVAL", 0.2)
            one.follower.try_now()
            await until(lambda: network.polls >= polls + 3)


async def test_a_service_that_returns_is_streamed_from_at_once(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long the pause between two attempts has become: the first answer of a poll ends it."""
    monkeypatch.setattr(source_module, "_FIRST", 1_000.0)
    monkeypatch.setattr(source_module, "_LONGEST", 1_000.0)
    async with _network(url) as network, _following(network) as one:
        await _opened(one, 1)
        network.is_away = True
        network.cut()
        await until(lambda: one.reported(ServiceUnavailable))
        assert one.follower.stream.state == "none"
        network.is_away = False
        one.follower.try_now()
        await _opened(one, 2)
        assert not [report for report in one.reported(StreamChanged) if report.state == "refused"]
