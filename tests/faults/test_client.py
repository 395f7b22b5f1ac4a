"""The client behind a proxy that breaks responses of a real server."""

import asyncio
import errno
import resource
import time
import tracemalloc
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import suppress
from io import BytesIO
from pathlib import Path

import pytest
import pytest_asyncio

from cdb_desktop.client import (
    AnswerError,
    Client,
    ClientError,
    EventFilter,
    GatewayError,
    SlowAnswerError,
    TooLargeError,
    UnreachableError,
    dialect,
    transport,
)
from cdb_desktop.events.export.export import Export
from cdb_desktop.events.export.formats import export_format
from cdb_desktop.events.export.options import ExportOptions
from cdb_desktop.ui.events.export.controller import CsvPages
from tests.desktop.patience import until
from tests.faults import faults
from tests.faults.proxy import Fault, FaultProxy, fault_proxy
from tests.server import both_generations

LIST, POLL = "/event/list", "/event/poll"


@pytest.fixture
def proxy(reference_servers: Callable[[int], str], generation: int) -> Iterator[FaultProxy]:
    """A proxy without rules."""
    with fault_proxy(reference_servers(generation)) as made:
        yield made


@pytest_asyncio.fixture
async def client(proxy: FaultProxy) -> AsyncIterator[Client]:
    """A signed-in client with back-off, behind the proxy."""
    async with Client(proxy.url, timeout=5.0, backs_off=True) as made:
        await made.authenticate("root", "admin")
        proxy.forget()
        yield made


@both_generations
@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (faults.web_page(), AnswerError),
        (faults.reset(), UnreachableError),
        (faults.half(), UnreachableError),
    ],
    ids=["web page", "reset", "half"],
)
async def test_each_fault_has_its_error(
    proxy: FaultProxy, client: Client, fault: Fault, kind: type[ClientError]
) -> None:
    """Each fault raises its error, and the next call succeeds when the fault is gone."""
    proxy.break_with(fault)
    with pytest.raises(kind):
        await client.list_events(limit=1)
    proxy.heal()
    client.try_now()
    assert (await client.list_events(limit=1)).events


async def _insist(client: Client) -> int:
    while True:
        try:
            return len((await client.list_events(limit=1)).events)
        except GatewayError:
            pass


async def test_retries_wait_for_the_back_off(proxy: FaultProxy, client: Client) -> None:
    """Tasks that retry after each failure share the back-off and resume by themselves."""
    proxy.break_with(faults.status(503))

    async with asyncio.TaskGroup() as group:
        insisting = [group.create_task(_insist(client)) for _ in range(5)]
        await asyncio.sleep(4)
        # Five at once, and then one by one.
        assert 6 <= len(proxy.asked) <= 8
        proxy.heal()
        client.try_now()
    assert [one.result() for one in insisting] == [1] * 5


async def test_retry_after_is_respected(proxy: FaultProxy, client: Client) -> None:
    """Retries wait for the time that the service requests; a call of a user does not."""
    proxy.break_with(faults.status(429, retry_after=30))

    insisting = asyncio.create_task(_insist(client))
    await asyncio.sleep(3)
    assert len(proxy.asked) == 1
    assert 20 < client.pause < 31
    proxy.heal()
    client.try_now()
    async with asyncio.timeout(2):
        assert await insisting == 1
    assert client.pause == 0


async def test_calls_of_users_are_limited_to_one_a_second(proxy: FaultProxy, client: Client) -> None:
    """Calls of users ignore the back-off but are limited to one a second."""
    proxy.break_with(faults.status(503))

    async def ask() -> None:
        with pytest.raises(GatewayError):
            await client.list_events(limit=1)

    await asyncio.create_task(ask())
    await asyncio.gather(*(asyncio.create_task(ask()) for _ in range(8)))
    # One of them was sent; the others failed with it.
    assert len(proxy.asked) == 2


async def test_failing_calls_do_not_delay_other_kinds(proxy: FaultProxy, client: Client) -> None:
    """Failing lists do not delay polls, which would wait for a second or more each."""

    async def polls() -> float:
        began = time.monotonic()
        for _ in range(10):
            await client.poll(client.session.current_max_event_id if client.session else 0)
        return time.monotonic() - began

    usual = await polls()
    proxy.break_with(faults.refusal("server", "generic", 500), path=LIST)
    with pytest.raises(ClientError):
        await client.list_events(limit=1)
    assert await polls() < usual + 5


async def test_sign_ins_without_use_are_counted(proxy: FaultProxy, client: Client) -> None:
    """Sign-ins without an accepted call are counted; an accepted call resets the count."""

    async def renew() -> None:
        await client.authenticate("root", "admin")

    client.renew_with(renew)
    assert (await client.event(1)).id == 1
    assert client.unproven_sign_ins == 0
    proxy.break_with(faults.refusal("user", "session_invalid"), path="/event")
    for _ in range(2):
        with pytest.raises(ClientError):
            await client.event(1)
    assert client.unproven_sign_ins == 2
    proxy.heal()
    assert (await client.event(1)).id == 1
    assert client.unproven_sign_ins == 0


@pytest.mark.parametrize("fault", [faults.gzip_bomb(1024), faults.endless()], ids=["gzip bomb", "endless"])
async def test_an_answer_without_an_end_takes_bounded_memory(
    proxy: FaultProxy, client: Client, fault: Fault
) -> None:
    """An endless response is cancelled at the limit of its call, and other calls succeed."""
    proxy.break_with(fault, path=LIST)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(TooLargeError) as caught:
        async with asyncio.timeout(60):
            await asyncio.gather(*(client.list_events(limit=8) for _ in range(3)))
    assert caught.value.largest == 64 * 2**20
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak) / 1024 < 300
    assert await client.poll(client.session.current_max_event_id if client.session else 0) is not None


async def test_a_gzip_bomb_is_refused_early(
    proxy: FaultProxy, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Long before the limit of its call, and without asking for fewer records."""
    unpacked: list[int] = []
    pieces = transport._Unpacked.pieces

    def counted(self: transport._Unpacked, raw: bytes) -> Iterator[bytes]:
        for piece in pieces(self, raw):
            unpacked.append(len(piece))
            yield piece

    monkeypatch.setattr(transport._Unpacked, "pieces", counted)
    proxy.break_with(faults.gzip_bomb(1024), path=LIST)
    with pytest.raises(TooLargeError) as caught:
        await client.list_events()
    assert caught.value.is_bomb
    assert proxy.count(LIST) == 1
    assert sum(unpacked) < 24 * 2**20


async def test_endless_answers_limit_the_request_rate(proxy: FaultProxy, client: Client) -> None:
    """Smaller limits are tried once, then at most one request of a kind is sent in ten seconds."""
    proxy.break_with(faults.endless())

    async def insist(ask: Callable[[], Awaitable[object]]) -> None:
        while True:
            try:
                await ask()
                break
            except TooLargeError:
                pass

    async def ask_anew() -> None:
        while True:
            with suppress(TooLargeError):
                await asyncio.create_task(client.list_events(limit=1))
                break

    async with asyncio.TaskGroup() as group:
        group.create_task(insist(client.poll))
        group.create_task(insist(lambda: client.list_events(limit=1000)))
        group.create_task(ask_anew())
        # After the last of the smaller limits of both kinds of calls.
        await until(lambda: len(client._too_large) == 2)
        proxy.forget()
        await asyncio.sleep(3)
        assert len(proxy.asked) <= 2
        proxy.heal()
        client.try_now()
        healed = time.monotonic()
    assert time.monotonic() - healed < 20
    assert client.pause == 0


async def test_a_page_in_parts_is_not_larger_than_a_page(proxy: FaultProxy, client: Client) -> None:
    """The limit of a page also applies to a page that is read in parts."""
    proxy.break_with(faults.huge_events(1000, 200_000, listed=True), path=LIST)
    tracemalloc.start()
    try:
        found = await asyncio.gather(*(client.list_events() for _ in range(2)), return_exceptions=True)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert [type(one) for one in found] == [TooLargeError] * 2
    assert peak < 180 * 2**20
    assert proxy.count(LIST) < 60
    # The service responds, so there is no back-off.
    assert client.pause == 0


async def test_a_page_that_is_too_large_is_read_in_parts(
    proxy: FaultProxy, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All records of a large page are returned in order and in one page."""
    monkeypatch.setattr(dialect, "_LARGEST_LIST", 100_000)
    proxy.break_with(faults.huge_events(700, 1000, listed=True), path=LIST)
    page = await client.list_events(limit=500, offset=100, full=True)
    assert [event.id for event in page.events] == list(range(101, 601))
    assert (page.limit, page.offset) == (500, 100)
    assert 5 < proxy.count(LIST) < 20
    # The end of the list is not the end of a part.
    assert len((await client.list_events(limit=500, offset=600)).events) == 100


async def test_a_record_that_is_too_large_is_one_unreadable_row(
    proxy: FaultProxy, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A record that is too large becomes an unreadable one, and its neighbors are returned."""
    monkeypatch.setattr(dialect, "_LARGEST_LIST", 100_000)
    proxy.break_with(faults.large_event(300, place=123), path=LIST)
    page = await client.list_events(limit=1000)
    assert len(page.records) == 300
    assert [(one.place, one.reason) for one in page.unreadable] == [(123, "too_large")]


async def test_polls_return_fewer_large_events(
    proxy: FaultProxy, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A poll of large events returns fewer of them, and the next poll the rest."""
    monkeypatch.setattr(dialect, "_LARGEST_POLL", 100_000)
    proxy.break_with(faults.huge_events(1000, 1000), path=POLL)
    polled = await client.poll(0)
    assert 20 < len(polled.events) < 100
    proxy.break_with(faults.huge_events(1000, 200_000), path=POLL)
    with pytest.raises(TooLargeError):
        await client.poll(0)


async def test_a_slow_body_is_cancelled(proxy: FaultProxy, reference_server: str) -> None:
    """A body that arrives byte by byte is cancelled after the total timeout."""
    proxy.break_with(faults.drip(0.05), path=LIST)
    async with Client(proxy.url, timeout=0.5) as client:
        await client.authenticate("root", "admin")
        with pytest.raises(SlowAnswerError):
            async with asyncio.timeout(10):
                await client.list_events(limit=100)


@pytest.mark.parametrize("listed", [True, False])
async def test_a_deeply_nested_record_is_unreadable(
    proxy: FaultProxy, client: Client, *, listed: bool
) -> None:
    """A record that is nested too deeply becomes an unreadable one among its neighbors."""
    proxy.break_with(faults.nested_events(listed=listed))
    if listed:
        page = await client.list_events(full=True)
        events, unreadable, count = page.events, page.unreadable, page.count
    else:
        polled = await client.poll(0)
        events, unreadable, count = polled.events, polled.unreadable, 5
    assert [event.id for event in events] == [1, 2, 4, 5]
    assert [(one.place, one.reason) for one in unreadable] == [(2, "too_deep")]
    assert count == 5


async def test_csv_is_streamed(client: Client, proxy: FaultProxy) -> None:
    """The written file equals the response; nothing is written for an error."""
    into = BytesIO()
    chosen = EventFilter()
    size = await client.stream_csv(into.write, chosen, limit=1000)
    whole = await client.list_csv(chosen, limit=1000)
    assert client.session is not None
    assert into.getvalue() == whole.replace(client.session.token.encode(), "•••".encode())
    assert size == len(into.getvalue()) > 10_000
    for fault in (faults.status(503), faults.web_page(), faults.refusal("server", "generic", 500)):
        proxy.break_with(fault)
        into = BytesIO()
        with pytest.raises(ClientError):
            await client.stream_csv(into.write, chosen)
        assert into.getvalue() == b""
        client.try_now()


async def test_a_large_file_needs_little_memory(client: Client, proxy: FaultProxy, tmp_path: Path) -> None:
    """CSV pages are written as they arrive, so that the size of their rows takes no memory."""
    proxy.break_with(faults.huge_csv(1_200, 100_000), path=LIST)
    target, wish = tmp_path / "events.csv", ExportOptions("csv")
    shape = export_format(wish, EventFilter(), target)
    pages = CsvPages(client, EventFilter(), wish.csv, tmp_path)
    export = Export(pages.fetch, target, total=1_200, export_format=shape)
    tracemalloc.start()
    try:
        await export.run(lambda _progress: None)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 24 * 2**20
    sizes, ids = set[int](), []
    with target.open("rb") as lines:
        assert next(lines) == b"_id,type,session,info\r\n"
        for line in lines:
            if line.startswith(b"y"):
                sizes.add(len(line))
            else:
                ids.append(int(line[: line.index(b",")]))
                assert line[line.index(b",") :].startswith(',SEARCH,•••,"x'.encode())
    assert ids == list(range(1, 1_201))
    assert sizes == {50_003}
    assert _names_in(tmp_path) == ["events.csv"]


def _names_in(folder: Path) -> list[str]:
    return [file.name for file in folder.iterdir()]


async def test_an_endless_file_is_cancelled(
    client: Client, proxy: FaultProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An endless file or error is cancelled before it fills the disk or the memory."""
    monkeypatch.setattr(dialect, "_LARGEST_FILE", 300_000)
    proxy.break_with(faults.huge_csv(1_000, 10_000), path=LIST)
    into = BytesIO()
    with pytest.raises(TooLargeError):
        await client.stream_csv(into.write)
    assert len(into.getvalue()) <= 300_000
    monkeypatch.setattr(dialect, "_LARGEST_LIST", 200_000)
    client.try_now()
    proxy.break_with(faults.endless(), path=LIST)
    with pytest.raises(TooLargeError) as caught:
        await client.stream_csv(into.write)
    assert caught.value.largest == 200_000


async def test_a_full_disk_is_not_a_network_error(client: Client) -> None:
    """A full disk raises its own error without back-off."""

    def write(_data: bytes) -> None:
        raise OSError(errno.ENOSPC, "no space")

    with pytest.raises(OSError, match="no space"):
        await client.stream_csv(write)
    assert client.pause == 0
    assert (await client.list_events(limit=1)).events
